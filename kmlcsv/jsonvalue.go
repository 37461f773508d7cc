package kmlcsv

import (
	"bytes"
	"math"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// jsonObject has the members of an object in valid JSON, in their order.
type jsonObject struct {
	names  [][]byte // as they are written, with quotes
	values []jsontext.Value
}

// read sets the members to those of a value, to none if it is no object.
func (o *jsonObject) read(value jsontext.Value) { o.readFirst(value, math.MaxInt) }

// readFirst is read for not more than so many members.
func (o *jsonObject) readFirst(value jsontext.Value, most int) {
	o.names, o.values = o.names[:0], o.values[:0]
	if value.Kind() != '{' {
		return
	}
	for i := nextToken(value, 1); i < len(value) && value[i] == '"' && len(o.names) < most; i = nextToken(value, i) {
		end := endOfValue(value, i)
		name := value[i:end]
		i = nextToken(value, end)
		end = endOfValue(value, i)
		o.names = append(o.names, name)
		o.values = append(o.values, value[i:end])
		i = end
	}
}

// get returns a member as it is written, nil for none.
func (o *jsonObject) get(name string) jsontext.Value {
	for i, written := range o.names {
		if len(written) == len(name)+2 && string(written[1:len(written)-1]) == name {
			return o.values[i]
		}
	}
	return nil
}

// text returns a member as text, "" for none.
func (o *jsonObject) text(name string) string { return valueText(o.get(name)) }

// word returns the text of a member between its quotes, nil if it is no text.
func (o *jsonObject) word(name string) []byte {
	value := o.get(name)
	if value.Kind() != '"' || len(value) < 2 {
		return nil
	}
	return value[1 : len(value)-1]
}

// membersOf returns the members of an object, none of any other value.
func membersOf(value jsontext.Value) *jsonObject {
	object := &jsonObject{}
	object.read(value)
	return object
}

// eachElement calls visit with each element of a list in valid JSON until it fails.
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

// nextToken returns where the next token of valid JSON is, commas and colons passed.
func nextToken(text []byte, i int) int {
	for i < len(text) && (isSpace(text[i]) || text[i] == ',' || text[i] == ':') {
		i++
	}
	return i
}

// endOfValue returns where a value of valid JSON ends.
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

// endOfText returns where a text ends, its quote included.
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
		i += escape + 1 // at the character that is escaped
	}
	return len(text)
}

// nestingByte marks the bytes that endOfNested has to look at: few of a list of positions.
var nestingByte = [256]bool{'"': true, '{': true, '[': true, '}': true, ']': true}

// endOfNested returns where an object or a list ends.
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
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return len(text)
}

// nextNesting returns where the next such byte is from i on.
func nextNesting(text []byte, i int) int {
	for k, c := range text[i:] {
		if nestingByte[c] {
			return i + k
		}
	}
	return len(text)
}

// propertyList has the properties of a feature. The names are kept from one feature to
// the next if they are the same, which they mostly are.
type propertyList struct {
	object jsonObject
	names  []string
	raw    [][]byte // the names as they are written
	radius int      // property of a radius, from 1, 0 for none
}

// maxProperties is how many properties of a feature are looked at for its name and place. A
// property can be shorter than what is kept of it.
const maxProperties = 1000

// read reads the properties of a feature and its id, each nil for none.
func (p *propertyList) read(properties, id jsontext.Value) {
	p.object.readFirst(properties, maxProperties)
	if len(id) > 0 && id.Kind() != 'n' {
		p.object.names = append(p.object.names, []byte(`"id"`))
		p.object.values = append(p.object.values, id)
	}
	if p.isSame() {
		return
	}
	p.raw, p.names, p.radius = p.raw[:0], p.names[:0], 0
	for i, written := range p.object.names {
		name := unquoted(written)
		p.raw = append(p.raw, written)
		p.names = append(p.names, name)
		if isRadius(name) {
			p.radius = i + 1
		}
	}
}

// isSame reports whether the names are the names of the feature before.
func (p *propertyList) isSame() bool {
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

// valueText returns a JSON value as a person writes it: the name in an object, the
// elements of a list with commas, "" for null.
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

// maxListed limits the elements of a list that are shown as text.
const maxListed = 10

func listText(list jsontext.Value) string {
	var texts []string
	_ = eachElement(list, func(value jsontext.Value) *Error { // nothing fails
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
