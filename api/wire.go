package api

import (
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// encodeRecord writes what a record has, those members that this package does not
// know in the order of their names. One that could not be read is written as it
// was sent.
func encodeRecord(v any) ([]byte, error) {
	text, err := json.Marshal(v, json.Deterministic(true))
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return encodeKept(v)
	}
	return text, err
}

// decode reads a record as the client does.
func decode(b []byte, into any) error { return json.Unmarshal(b, into, lenient) }

// quoteText writes a text. One that is no UTF-8 is an error.
func quoteText(s string) ([]byte, error) { return jsontext.AppendQuote(nil, s) }
