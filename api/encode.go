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
	// The record has a member that could not be decoded: as an empty field, and with the
	// value that the service sent in Extra.
	text, err = json.Marshal(record, json.Deterministic(true), jsontext.AllowDuplicateNames(true))
	if err != nil {
		return nil, err
	}
	return mergeTwice(nil, text), nil
}

// mergeTwice appends a JSON value to out. If an object has a member twice, it appends the
// member once, at its first place.
func mergeTwice(out []byte, v jsontext.Value) []byte {
	switch v.Kind() {
	case '[':
		out = append(out, '[')
		for i, element := range tolerant.Elements(v) {
			if i > 0 {
				out = append(out, ',')
			}
			out = mergeTwice(out, element)
		}
		return append(out, ']')
	case '{':
		out = append(out, '{')
		all := tolerant.Members(v)
		for i, m := range all {
			if all[:i].Has(m.Name) {
				continue
			}
			if IsUnread(m.Name) {
				m.Value = all.Get(m.Name)
			}
			if i > 0 {
				out = append(out, ',')
			}
			out, _ = jsontext.AppendQuote(out, m.Name) // no error: the encoder wrote the name
			out = mergeTwice(append(out, ':'), m.Value)
		}
		return append(out, '}')
	}
	return append(out, v...)
}

// quoteText encodes a text. A text that is not valid UTF-8 is an error.
func quoteText(s string) ([]byte, error) { return jsontext.AppendQuote(nil, s) }
