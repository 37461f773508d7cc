package kmlcsv

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// propertyList has the properties of a feature. The names are kept from one feature to
// the next if they are the same, which they mostly are.
type propertyList struct {
	names  []string
	values []jsontext.Value
	raw    [][]byte // the names as they are written
}

// read reads the properties of a feature and its id, each nil for none.
func (p *propertyList) read(properties, id jsontext.Value) {
	p.values = p.values[:0]
	if properties.Kind() == '{' {
		p.readMembers(properties)
	}
	if len(id) > 0 && id.Kind() != 'n' {
		p.add([]byte(`"id"`), id)
	}
	if len(p.names) > len(p.values) {
		p.names, p.raw = p.names[:len(p.values)], p.raw[:len(p.values)]
	}
}

func (p *propertyList) readMembers(properties jsontext.Value) {
	d := jsontext.NewDecoder(bytes.NewBuffer(properties), jsonOptions...)
	if _, err := d.ReadToken(); err != nil {
		return
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadValue()
		if err != nil {
			return
		}
		end := int(d.InputOffset())
		written := properties[end-len(name) : end]
		value, err := d.ReadValue()
		if err != nil {
			return
		}
		end = int(d.InputOffset())
		p.add(written, properties[end-len(value):end])
	}
}

// add adds a property by its name as it is written.
func (p *propertyList) add(written []byte, value jsontext.Value) {
	i := len(p.values)
	p.values = append(p.values, value)
	if i < len(p.raw) && bytes.Equal(p.raw[i], written) {
		return
	}
	p.raw = append(p.raw[:i], written)
	p.names = append(p.names[:i], unquoted(written))
}

func (p *propertyList) text(i int) string { return valueText(p.values[i]) }

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
	_ = eachElement(list, func(value jsontext.Value) *Error { // the list is valid
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
