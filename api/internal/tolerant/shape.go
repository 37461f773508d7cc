package tolerant

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// maxNesting is the maximum depth at which a list or a record is found in a response.
const maxNesting = 3

// Shape describes how the records of one kind are recognized.
type Shape struct {
	// Own are the members that only this record has. Without them, any object can be the record.
	Own []string

	// Lists are the members of the record that are lists. If the record lacks such a list, a list
	// next to the record belongs to it.
	Lists []string

	// Fields are the members of the record, if they are known and Own is empty.
	Fields map[string]bool
}

// HasField reports whether an object has a member in [Shape.Fields].
func (s Shape) HasField(o Object) bool {
	return slices.ContainsFunc(o, func(m Member) bool { return s.Fields[m.Name] })
}

// IsRecord reports whether an object is a record and not a container of records. An object that has
// only an ID is a container if it contains a record.
func (s Shape) IsRecord(o Object) bool {
	if kind := o.Get("data").Kind(); kind == '{' || kind == '[' {
		return false // an envelope, which can have an ID
	}
	if s.hasOwn(o) {
		return true
	}
	hasID := slices.Contains(s.Own, "uuid") && o.Has("uuid") || slices.Contains(s.Own, "id") && o.Has("id")
	return hasID && !slices.ContainsFunc(o, s.isListOfRecords) && len(objectsIn(o, s.hasOwn)) != 1
}

// hasOwn reports whether an object has a member in Own other than an ID.
func (s Shape) hasOwn(o Object) bool {
	return slices.ContainsFunc(s.Own, func(name string) bool {
		return name != "id" && name != "uuid" && o.Has(name)
	})
}

// objectsIn returns the objects in a container for which is returns true.
func objectsIn(container Object, is func(Object) bool) (found []jsontext.Value) {
	for _, m := range container {
		if is(Members(m.Value)) {
			found = append(found, m.Value)
		}
	}
	return found
}

// isListOfRecords reports whether a member of a container is a list of records. The lists of a
// record itself do not count.
func (s Shape) isListOfRecords(m Member) bool {
	if slices.Contains(s.Lists, m.Name) {
		return false
	}
	return slices.ContainsFunc(Elements(m.Value), func(element jsontext.Value) bool {
		o := Members(element)
		return slices.ContainsFunc(s.Own, o.Has)
	})
}

// row returns the record in a row of a list: the row, or the only object in it that is a record. It
// returns nil if there is none.
func (s Shape) row(v jsontext.Value) jsontext.Value {
	o := Members(v)
	switch {
	case v.Kind() != '{':
		return nil
	case len(s.Own) == 0 || s.IsRecord(o):
		return v
	}
	records := objectsIn(o, s.IsRecord)
	if len(records) != 1 {
		return nil
	}
	return AddMembers(records[0], Member{"id", o.Get("id")}, Member{"uuid", o.Get("uuid")})
}

// FindRecord returns the only record in a value, together with the lists next to it. It returns
// false if there is no record or more than one.
func FindRecord(v jsontext.Value, s Shape) (jsontext.Value, bool) {
	return s.findRecord(v, maxNesting)
}

// IsBlank reports whether a response has null, [] or {} instead of a record.
func IsBlank(answer []byte) bool {
	v := jsontext.Value(answer)
	if !v.IsValid(Syntax) {
		return false
	}
	for range maxNesting {
		o := Members(v)
		switch {
		case v.Kind() == 'n':
			return true
		case v.Kind() == '[':
			return len(Elements(v)) == 0
		case v.Kind() == '{' && len(o) == 0:
			return true
		case o.Has("data"):
			v = o.Get("data")
		case len(o) == 1:
			v = o[0].Value
		default:
			return false
		}
	}
	return false
}

func (s Shape) findRecord(v jsontext.Value, levels int) (jsontext.Value, bool) {
	if v.Kind() == '[' {
		return s.onlyRow(v)
	}
	o := Members(v)
	if s.IsRecord(o) {
		return v, true
	}
	if len(o) == 0 || levels == 0 {
		return nil, false
	}
	if data := o.Get("data"); data != nil {
		return s.findRecord(data, levels-1)
	}
	if len(s.Own) == 0 {
		return s.findAnyRecord(v, o, levels)
	}
	var found []jsontext.Value
	for _, m := range o {
		if slices.Contains(s.Lists, m.Name) {
			continue
		}
		if record, ok := s.findRecord(m.Value, levels-1); ok {
			found = append(found, record)
		}
	}
	if len(found) != 1 {
		return nil, false
	}
	return AddMembers(found[0], s.lists(o)...), true
}

// findAnyRecord returns a record of a kind without distinctive members: the object, or the object
// that is its only member.
func (s Shape) findAnyRecord(v jsontext.Value, o Object, levels int) (jsontext.Value, bool) {
	switch {
	case o.Has("success"):
		return nil, false // an envelope without data
	case len(o) == 1 && o[0].Value.Kind() == '{' && !s.HasField(o):
		return s.findRecord(o[0].Value, levels-1)
	}
	return v, true
}

// onlyRow returns the record in a list with one row.
func (s Shape) onlyRow(list jsontext.Value) (jsontext.Value, bool) {
	rows := Elements(list)
	if len(rows) != 1 {
		return nil, false
	}
	record := s.row(rows[0])
	return record, record != nil
}

// lists returns the members of a container that are lists of its record.
func (s Shape) lists(container Object) (lists []Member) {
	for _, name := range s.Lists {
		if v := container.Get(name); v.Kind() == '[' {
			lists = append(lists, Member{name, v})
		}
	}
	return lists
}
