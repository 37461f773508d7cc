package api

import (
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api/internal/tolerant"
)

// EncodeRecord encodes records, or a value that contains records, in the service's format.
// Members that this package does not know are sorted by name. A member that could not be
// decoded gets the value that the service sent.
func EncodeRecord(record any) ([]byte, error) {
	text, err := json.Marshal(record, json.Deterministic(true))
	if !errors.Is(err, jsontext.ErrDuplicateName) {
		return text, err
	}
	// A member that could not be decoded is in the record twice: as an empty field, and in Extra with
	// the value that the service sent.
	text, err = json.Marshal(record, json.Deterministic(true), jsontext.AllowDuplicateNames(true))
	if err != nil {
		return nil, err
	}
	return appendDistinct(nil, text), nil
}

// appendDistinct appends a JSON value to out. If an object has a member twice, appendDistinct appends the
// member only once, at its first place.
func appendDistinct(out []byte, v jsontext.Value) []byte {
	switch v.Kind() {
	case '[':
		return appendList(out, tolerant.Elements(v))
	case '{':
		return appendObject(out, tolerant.Members(v))
	}
	return append(out, v...)
}

func appendList(out []byte, elements []jsontext.Value) []byte {
	out = append(out, '[')
	for i, element := range elements {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendDistinct(out, element)
	}
	return append(out, ']')
}

func appendObject(out []byte, members tolerant.Object) []byte {
	out = append(out, '{')
	for i, m := range members {
		isRepeated := members[:i].Has(m.Name)
		if isRepeated {
			continue
		}
		value := m.Value
		if IsUnread(m.Name) {
			value = members.Get(m.Name) // the value that the service sent
		}
		if i > 0 {
			out = append(out, ',')
		}
		out, _ = jsontext.AppendQuote(out, m.Name) // no error: the encoder wrote the name
		out = append(out, ':')
		out = appendDistinct(out, value)
	}
	return append(out, '}')
}

// quoteText encodes a text. A text that is not valid UTF-8 is an error.
func quoteText(s string) ([]byte, error) { return jsontext.AppendQuote(nil, s) }
