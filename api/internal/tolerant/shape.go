package tolerant

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// maxNesting is the maximum depth at which a list or a record is found in a response.
const maxNesting = 3

// Shape describes the members by which an object in a response is recognized as a record of one
// kind, such as an order.
type Shape struct {
	// Own are the names of members by which a record of this kind is recognized, see
	// [Shape.IsRecord]. If Own is empty, any object can be the record.
	Own []string

	// Lists are the names of members of the record that are lists. Some services send such a list
	// next to the record instead; it is then added to the record.
	Lists []string

	// Fields are the names of all members of the record. They are used if Own is empty. Then
	// an object with one of these members is the record, and an object without them may only
	// contain the record.
	Fields map[string]bool
}

// HasField reports whether an object has a member in [Shape.Fields].
func (s Shape) HasField(o Object) bool {
	return slices.ContainsFunc(o, func(m Member) bool { return s.Fields[m.Name] })
}

// IsRecord reports whether an object is a record, and not an object that contains records. If an
// object has an ID but no other member of [Shape.Own], it is not a record if it contains one.
func (s Shape) IsRecord(o Object) bool {
	if kind := o.Get("data").Kind(); kind == '{' || kind == '[' {
		return false // an envelope, which can have an ID
	}
	if s.hasOwn(o) {
		return true
	}
	hasUUID := slices.Contains(s.Own, "uuid") && o.Has("uuid")
	hasID := slices.Contains(s.Own, "id") && o.Has("id")
	if !hasUUID && !hasID {
		return false
	}
	containsList := slices.ContainsFunc(o, s.isListOfRecords)
	containsRecord := len(objectsIn(o, s.hasOwn)) == 1
	return !containsList && !containsRecord
}

// hasOwn reports whether an object has a member in Own other than an ID.
func (s Shape) hasOwn(o Object) bool {
	return slices.ContainsFunc(s.Own, func(name string) bool {
		return name != "id" && name != "uuid" && o.Has(name)
	})
}

// objectsIn returns the objects in a container that meet a condition.
func objectsIn(container Object, condition func(Object) bool) (objects []jsontext.Value) {
	for _, m := range container {
		if condition(Members(m.Value)) {
			objects = append(objects, m.Value)
		}
	}
	return objects
}

// isListOfRecords reports whether a member of an object is a list of records. A member in
// [Shape.Lists] is not: it belongs to a record.
func (s Shape) isListOfRecords(m Member) bool {
	if slices.Contains(s.Lists, m.Name) {
		return false
	}
	return slices.ContainsFunc(Elements(m.Value), func(element jsontext.Value) bool {
		o := Members(element)
		return slices.ContainsFunc(s.Own, o.Has)
	})
}

// recordInRow returns the record in a row of a list. This is the row itself or, if the row is not a
// record, the only record among its members. It returns nil if there is none.
func (s Shape) recordInRow(v jsontext.Value) jsontext.Value {
	if v.Kind() != '{' {
		return nil
	}
	o := Members(v)
	if len(s.Own) == 0 || s.IsRecord(o) {
		return v
	}
	records := objectsIn(o, s.IsRecord)
	if len(records) != 1 {
		return nil
	}
	return AddMembers(records[0], Member{"id", o.Get("id")}, Member{"uuid", o.Get("uuid")})
}

// FindRecord returns the only record in a value. Lists of the record that were sent next to it are
// added to it. FindRecord returns false if there is no record or more than one.
func FindRecord(v jsontext.Value, s Shape) (jsontext.Value, bool) {
	return s.findRecord(v, maxNesting)
}

// IsBlank reports whether a response has null, [] or {} instead of a record.
func IsBlank(answer []byte) bool {
	v := jsontext.Value(answer)
	return v.IsValid(Syntax) && isBlank(v, maxNesting)
}

// isBlank reports whether a value is null, [] or {}. An object is also blank if its member "data",
// or its only member, is blank. levels is the number of levels to search, including the value.
func isBlank(v jsontext.Value, levels int) bool {
	if levels == 0 {
		return false
	}
	switch v.Kind() {
	case 'n':
		return true
	case '[':
		return len(Elements(v)) == 0
	case '{':
		o := Members(v)
		if len(o) == 0 {
			return true
		}
		if data := o.Get("data"); data != nil {
			return isBlank(data, levels-1)
		}
		return len(o) == 1 && isBlank(o[0].Value, levels-1)
	}
	return false
}

// findRecord returns the only record in a value. It searches the given number of levels. It returns false if it finds
// no record, or several.
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
	return s.findInMembers(o, levels)
}

// findInMembers returns the only record in the members of an object that contains a record. The
// members in [Shape.Lists] are not searched, but added to the record. findInMembers returns false
// if there is no record or more than one.
func (s Shape) findInMembers(container Object, levels int) (jsontext.Value, bool) {
	var records []jsontext.Value
	for _, m := range container {
		if slices.Contains(s.Lists, m.Name) {
			continue
		}
		if record, ok := s.findRecord(m.Value, levels-1); ok {
			records = append(records, record)
		}
	}
	if len(records) != 1 {
		return nil, false
	}
	return AddMembers(records[0], s.lists(container)...), true
}

// findAnyRecord finds a record of a kind that has no distinctive members. o has the members of v.
// If the only member of v is an object and not a field of the record, the record is in that object.
// Otherwise the record is v itself. findAnyRecord returns false for an envelope without data.
func (s Shape) findAnyRecord(v jsontext.Value, o Object, levels int) (jsontext.Value, bool) {
	isEnvelope := o.Has("success")
	if isEnvelope {
		return nil, false // it has no data
	}
	isContainer := len(o) == 1 && o[0].Value.Kind() == '{' && !s.HasField(o)
	if isContainer {
		return s.findRecord(o[0].Value, levels-1)
	}
	return v, true
}

// onlyRow returns the record that a service has sent as a list with one element, such as [{"uuid": "u1"}]. It
// returns false if the list has another number of elements, or if its element contains no record.
func (s Shape) onlyRow(list jsontext.Value) (jsontext.Value, bool) {
	rows := Elements(list)
	if len(rows) != 1 {
		return nil, false
	}
	record := s.recordInRow(rows[0])
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
