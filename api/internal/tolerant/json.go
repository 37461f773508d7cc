package tolerant

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Syntax accepts JSON with duplicate names or invalid UTF-8, although it is not valid, because the
// content can still be understood.
var Syntax = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// Object has the members of an object in their order.
type Object []Member

// Member is a member of an object with its raw value.
type Member struct {
	Name  string
	Value jsontext.Value
}

// Members returns the members of an object, and none for other values.
func Members(v jsontext.Value) (all Object) {
	r := newReader(v)
	for range r.enterNext('{') {
		all = append(all, Member{Text(r.nextValue()), r.nextValue()})
	}
	return all
}

// Get returns the last value with the name, or nil.
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

// FirstText returns the text of the first of the named members that has one.
func (o Object) FirstText(names ...string) string {
	for _, name := range names {
		if text := JoinTexts(o.Get(name), "."); text != "" {
			return text
		}
	}
	return ""
}

// Elements returns the raw elements of a list, and none for other values.
func Elements(list jsontext.Value) (all []jsontext.Value) {
	r := newReader(list)
	for range r.enterNext('[') {
		all = append(all, r.nextValue())
	}
	return all
}

// Text returns the content of a string, "" for null, and other values unchanged.
func Text(v jsontext.Value) string {
	switch v.Kind() {
	case 'n':
		return ""
	case '"':
		if plain := v[1 : len(v)-1]; bytes.IndexByte(plain, '\\') < 0 && utf8.Valid(plain) {
			return string(plain)
		}
		text, _ := jsontext.AppendUnquote(nil, v) // the error means invalid UTF-8
		return string(text)
	default:
		return string(v)
	}
}

// JoinTexts returns a text, or the texts of a list separated by mark.
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

// AddMembers adds members to an object, except members that the object already has. It does not change an empty
// object.
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
			continue // the name is not valid UTF-8, so no record has it
		}
		text = slices.Concat(text, []byte(","), quoted, []byte(":"), m.Value)
	}
	return append(text, '}')
}

// reader reads JSON that is known to be valid, so that its methods return no errors.
type reader struct {
	*jsontext.Decoder
	text jsontext.Value
}

func newReader(valid jsontext.Value) reader {
	return reader{jsontext.NewDecoder(bytes.NewBuffer(valid), Syntax), valid}
}

// nextValue returns the next raw name or value.
func (r reader) nextValue() jsontext.Value {
	start := r.InputOffset()
	_ = r.SkipValue()
	return r.textSince(start)
}

// textSince returns the raw text since an offset.
func (r reader) textSince(offset int64) jsontext.Value {
	return bytes.TrimLeft(r.text[offset:r.InputOffset()], ":, \t\r\n")
}

// enterNext iterates over a list or an object. It yields before each element, or before the name of
// each member, and the loop body reads it. A value of another kind is skipped.
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
