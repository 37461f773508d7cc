package tolerant

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Syntax accepts text that breaks rules of JSON on which nothing depends here.
var Syntax = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// Object has the members of an object in the order in which they were sent.
type Object []Member

// Member is a member of an object, with its value as it was sent.
type Member struct {
	Name  string
	Value jsontext.Value
}

// Members returns the members of an object, and none of another value.
func Members(v jsontext.Value) (all Object) {
	r := newReader(v)
	for range r.enterNext('{') {
		all = append(all, Member{Text(r.nextValue()), r.nextValue()})
	}
	return all
}

// Get returns the value that was sent last under a name, nil if the object lacks it.
func (o Object) Get(name string) jsontext.Value {
	for _, m := range slices.Backward(o) {
		if m.Name == name {
			return m.Value
		}
	}
	return nil
}

// Has reports whether the object has a member.
func (o Object) Has(name string) bool { return o.Get(name) != nil }

// FirstText returns the first of some members that has a text.
func (o Object) FirstText(names ...string) string {
	for _, name := range names {
		if text := JoinTexts(o.Get(name), "."); text != "" {
			return text
		}
	}
	return ""
}

// Elements returns the elements of a list as they were sent, and none of another value.
func Elements(list jsontext.Value) (all []jsontext.Value) {
	r := newReader(list)
	for range r.enterNext('[') {
		all = append(all, r.nextValue())
	}
	return all
}

// Text returns the content of a string, "" for null, and any other value as it was sent.
func Text(v jsontext.Value) string {
	switch v.Kind() {
	case 'n':
		return ""
	case '"':
		if plain := v[1 : len(v)-1]; bytes.IndexByte(plain, '\\') < 0 && utf8.Valid(plain) {
			return string(plain)
		}
		text, _ := jsontext.AppendUnquote(nil, v) // the error is about text that is no UTF-8
		return string(text)
	default:
		return string(v)
	}
}

// JoinTexts returns a text, or the texts of a list with a mark between them.
func JoinTexts(v jsontext.Value, mark string) string {
	if len(v) == 0 {
		return ""
	}
	if v.Kind() != '[' {
		return strings.TrimSpace(Text(v))
	}
	var texts []string
	for _, element := range Elements(v) {
		texts = append(texts, Text(element))
	}
	return strings.Join(texts, mark)
}

// AddMembers adds members to an object that lacks them. An object without members stays as
// it is.
func AddMembers(object jsontext.Value, members ...Member) jsontext.Value {
	own := Members(object)
	if len(own) == 0 {
		return object
	}
	text := slices.Clone(object[:bytes.LastIndexByte(object, '}')])
	for _, m := range members {
		if own.Has(m.Name) || m.Value == nil {
			continue
		}
		quoted, err := jsontext.AppendQuote(nil, m.Name)
		if err != nil {
			continue // the name is no UTF-8, so no record has it
		}
		text = slices.Concat(text, []byte(","), quoted, []byte(":"), m.Value)
	}
	return append(text, '}')
}

// reader reads a value that is valid, so that reading cannot fail.
type reader struct {
	*jsontext.Decoder
	text jsontext.Value
}

func newReader(valid jsontext.Value) reader {
	return reader{jsontext.NewDecoder(bytes.NewBuffer(valid), Syntax), valid}
}

// nextValue returns the next name or value as it was sent.
func (r reader) nextValue() jsontext.Value {
	start := r.InputOffset()
	_ = r.SkipValue()
	return r.textSince(start)
}

// textSince returns the value that was read from an offset on.
func (r reader) textSince(offset int64) jsontext.Value {
	return bytes.TrimLeft(r.text[offset:r.InputOffset()], ":, \t\r\n")
}

// enterNext enters a list or an object, and yields before each element, or before the name
// of each member. A value of another kind is passed over.
func (r reader) enterNext(kind jsontext.Kind) func(yield func() bool) {
	return func(yield func() bool) {
		if r.PeekKind() != kind {
			_ = r.SkipValue()
			return
		}
		_, _ = r.ReadToken()
		for next := r.PeekKind(); next != '}' && next != ']' && next != 0; next = r.PeekKind() {
			if !yield() {
				return
			}
		}
		_, _ = r.ReadToken()
	}
}
