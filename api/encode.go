package api

import (
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api/internal/tolerant"
)

// EncodeRecord writes records, or a value that has some, in the service's form: those
// members that this package does not know in the order of their names, and one that
// could not be read as it was sent.
func EncodeRecord(record any) ([]byte, error) {
	text, err := json.Marshal(record, json.Deterministic(true))
	if !errors.Is(err, jsontext.ErrDuplicateName) {
		return text, err
	}
	// A member is there twice: as its field, which could not be read, and behind
	// the others as it was sent.
	if text, err = json.Marshal(
		record,
		json.Deterministic(true),
		jsontext.AllowDuplicateNames(true),
	); err != nil {
		return nil, err
	}
	return mergeTwice(nil, text), nil
}

// mergeTwice appends a value, each member of an object once: where its name came first.
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
			out, _ = jsontext.AppendQuote(out, m.Name) // the encoder wrote it
			out = mergeTwice(append(out, ':'), m.Value)
		}
		return append(out, '}')
	}
	return append(out, v...)
}

// quoteText writes a text. One that is no UTF-8 is an error.
func quoteText(s string) ([]byte, error) { return jsontext.AppendQuote(nil, s) }
