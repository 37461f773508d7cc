package kmlcsv

import (
	"bytes"
	"math"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// jsonObject has the members of a JSON object, in their order. The JSON must be valid.
type jsonObject struct {
	names  [][]byte // names as in the file, with quotes
	values []jsontext.Value
}

// read sets o to the members of a JSON object. If the value is not an object, o has no members afterwards.
func (o *jsonObject) read(value jsontext.Value) { o.readFirst(value, math.MaxInt) }

// readFirst is like read, but reads at most limit members.
func (o *jsonObject) readFirst(value jsontext.Value, limit int) {
	o.names = o.names[:0]
	o.values = o.values[:0]
	if value.Kind() != '{' {
		return
	}
	for i := nextToken(value, 1); i < len(value) && value[i] == '"' && len(o.names) < limit; i = nextToken(value, i) {
		end := endOfValue(value, i)
		name := value[i:end]
		i = nextToken(value, end)
		end = endOfValue(value, i)
		o.names = append(o.names, name)
		o.values = append(o.values, value[i:end])
		i = end
	}
}

// get returns the value of the member with a name, or nil.
func (o *jsonObject) get(name string) jsontext.Value {
	for i, written := range o.names {
		if len(written) == len(name)+2 && string(written[1:len(written)-1]) == name {
			return o.values[i]
		}
	}
	return nil
}

// text returns the value of the member with a name as text, or "".
func (o *jsonObject) text(name string) string { return valueText(o.get(name)) }

// word returns the string in a member without its quotes. Escapes such as \n are not replaced. It returns nil if the
// member is not a string.
func (o *jsonObject) word(name string) []byte {
	value := o.get(name)
	if value.Kind() != '"' || len(value) < 2 {
		return nil
	}
	return value[1 : len(value)-1]
}

// membersOf returns the members of an object. If the value is not an object, the result is empty.
func membersOf(value jsontext.Value) *jsonObject {
	object := &jsonObject{}
	object.read(value)
	return object
}

// eachElement calls visit for each element of a list. It stops at the first error and returns it. The list must be
// valid JSON.
func eachElement(list jsontext.Value, visit func(jsontext.Value) *Error) *Error {
	if list.Kind() != '[' {
		return nil
	}
	for i := nextToken(list, 1); i < len(list) && list[i] != ']'; {
		end := endOfValue(list, i)
		if failed := visit(list[i:end]); failed != nil {
			return failed
		}
		i = nextToken(list, end)
	}
	return nil
}

// nextToken returns the index of the next token of valid JSON, from i on. It skips white space, commas and colons.
func nextToken(text []byte, i int) int {
	for i < len(text) && (isSpace(text[i]) || text[i] == ',' || text[i] == ':') {
		i++
	}
	return i
}

// endOfValue returns the index after the value that begins at i. The text must be valid JSON.
func endOfValue(text []byte, i int) int {
	if i >= len(text) {
		return len(text)
	}
	switch text[i] {
	case '"':
		return endOfText(text, i)
	case '{', '[':
		return endOfNested(text, i)
	}
	for i < len(text) && text[i] != ',' && text[i] != '}' && text[i] != ']' && !isSpace(text[i]) {
		i++
	}
	return i
}

// endOfText returns the index after the string that begins at i.
func endOfText(text []byte, i int) int {
	for i++; i < len(text); i++ {
		stop := bytes.IndexByte(text[i:], '"')
		if stop < 0 {
			return len(text)
		}
		escape := bytes.IndexByte(text[i:i+stop], '\\')
		if escape < 0 {
			return i + stop + 1
		}
		i += escape + 1 // skips the escaped character
	}
	return len(text)
}

// nestingByte marks the bytes at which an object, a list or a string begins or ends. endOfNested skips all other bytes,
// which is fast because a list of positions consists mostly of digits.
var nestingByte = [256]bool{'"': true, '{': true, '[': true, '}': true, ']': true}

// endOfNested returns the index after the object or list that begins at i.
func endOfNested(text []byte, i int) int {
	depth := 0
	for i = nextNesting(text, i); i < len(text); i = nextNesting(text, i) {
		switch text[i] {
		case '"':
			i = endOfText(text, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return len(text)
}

// nextNesting returns the index of the next quote, brace or bracket from i on, or the length of the text.
func nextNesting(text []byte, i int) int {
	for k, c := range text[i:] {
		if nestingByte[c] {
			return i + k
		}
	}
	return len(text)
}

// propertyList has the properties of a feature. The same list is used for all features of a file, one after the other.
// If a feature has the same property names as the feature before, the decoded names are reused, which is faster.
type propertyList struct {
	object jsonObject
	names  []string // decoded names of the properties
	raw    [][]byte // names as in the file, with quotes and escapes
	radius int      // index of the property with a radius, plus 1; 0 for none
}

// maxProperties is the maximum number of properties that are read from a feature. Without a maximum, many short
// properties would need far more memory than the file.
const maxProperties = 1000

// read reads the properties and the ID of a feature. An argument is nil if the feature does not have it.
func (p *propertyList) read(properties, id jsontext.Value) {
	p.object.readFirst(properties, maxProperties)
	if len(id) > 0 && id.Kind() != 'n' {
		p.object.names = append(p.object.names, []byte(`"id"`))
		p.object.values = append(p.object.values, id)
	}
	if p.hasSameNames() {
		return
	}
	p.raw = p.raw[:0]
	p.names = p.names[:0]
	p.radius = 0
	for i, written := range p.object.names {
		name := unquoted(written)
		p.raw = append(p.raw, written)
		p.names = append(p.names, name)
		if isRadius(name) {
			p.radius = i + 1
		}
	}
}

// hasSameNames reports whether the properties have the same names as those of the previous feature, in the same order.
func (p *propertyList) hasSameNames() bool {
	if len(p.object.names) != len(p.raw) {
		return false
	}
	for i, written := range p.object.names {
		if !bytes.Equal(written, p.raw[i]) {
			return false
		}
	}
	return true
}

func (p *propertyList) text(i int) string { return valueText(p.object.values[i]) }

// valueText returns a JSON value as text for people. The elements of a list are joined with commas. For an object, it
// returns the value of a member such as "name" or "title", or "" if there is none. For null it returns "".
func valueText(value jsontext.Value) string {
	switch value.Kind() {
	case '"':
		return unquoted(value)
	case '0', 't', 'f':
		return string(value)
	case '{':
		object := membersOf(value)
		for _, name := range []string{"name", "title", "label", "text", "value"} {
			if member := object.get(name); member.Kind() == '"' || member.Kind() == '0' {
				return valueText(member)
			}
		}
	case '[':
		return listText(value)
	}
	return ""
}

// maxListed is the maximum number of elements of a list that valueText shows.
const maxListed = 10

func listText(list jsontext.Value) string {
	var texts []string
	_ = eachElement(list, func(value jsontext.Value) *Error { // never fails
		if kind := value.Kind(); len(texts) < maxListed && (kind == '"' || kind == '0') {
			texts = append(texts, valueText(value))
		}
		return nil
	})
	return strings.Join(texts, ", ")
}

// unquoted returns the text of a JSON string.
func unquoted(written []byte) string {
	if bytes.IndexByte(written, '\\') < 0 && len(written) >= 2 {
		return strings.ToValidUTF8(string(written[1:len(written)-1]), "\ufffd")
	}
	text, err := jsontext.AppendUnquote(nil, written)
	if err != nil && len(text) == 0 {
		return ""
	}
	return string(text)
}
