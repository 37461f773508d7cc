package api

import (
	"errors"
	"reflect"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// EncodeRecord writes what a record has, those members that this package does not
// know in the order of their names. One that could not be read is written as it
// was sent.
func EncodeRecord(record any) ([]byte, error) {
	plain := copyPlain(reflect.ValueOf(record)).Addr().Interface()
	text, err := json.Marshal(plain, json.Deterministic(true))
	if !errors.Is(err, jsontext.ErrDuplicateName) {
		return text, err
	}
	// A member is there twice: as its field, which could not be read, and behind
	// the others as it was sent.
	if text, err = json.Marshal(plain, json.Deterministic(true), jsontext.AllowDuplicateNames(true)); err != nil {
		return nil, err
	}
	all := membersOf(text)
	out := []byte{'{'}
	for i, m := range all {
		if all[:i].hasMember(m.name) {
			continue // it was written where its name came first
		}
		name, err := quoteText(m.name)
		if err != nil {
			return nil, err
		}
		out = append(append(append(append(out, name...), ':'), all.valueOf(m.name)...), ',')
	}
	out[len(out)-1] = '}'
	return out, nil
}

// copyPlain returns a record as a struct without methods, which the encoder would
// call again.
func copyPlain(record reflect.Value) reflect.Value {
	plain := reflect.New(plainType(record.Type())).Elem()
	for i := range plain.NumField() {
		field, copied := record.Field(i), plain.Field(i)
		if field.Type() != copied.Type() { // it is a record within this one
			field = copyPlain(field)
		}
		copied.Set(field)
	}
	return plain
}

var plainTypes sync.Map // by the types of their records

func plainType(record reflect.Type) reflect.Type {
	if known, ok := plainTypes.Load(record); ok {
		return known.(reflect.Type)
	}
	var fields []reflect.StructField
	for i := range record.NumField() {
		f := record.Field(i)
		if f.Anonymous {
			f.Anonymous, f.Type, f.Tag = false, plainType(f.Type), `json:",embed"`
		}
		fields = append(fields, f)
	}
	plain := reflect.StructOf(fields)
	plainTypes.Store(record, plain)
	return plain
}

// quoteText writes a text. One that is no UTF-8 is an error.
func quoteText(s string) ([]byte, error) { return jsontext.AppendQuote(nil, s) }
