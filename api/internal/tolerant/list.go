package tolerant

import (
	"cmp"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// List is a list that was found in an answer.
type List struct {
	Records []jsontext.Value
	Page    Page

	// Dropped is the number of rows that are no record, Unread of the objects among them.
	Dropped, Unread int

	// Blank is null or {} if that was sent in place of the list: it says neither that there
	// are records nor that there are none.
	Blank string
}

// Page is what an answer says about the next page of its list.
type Page struct {
	Cursor  string
	HasNext *bool  // nil: not sent
	Link    string // address of the next page, or its number
	Total   *int   // rows of all pages; nil: not sent
}

// FindList returns the list of records in a value. A record in place of a list is a list of
// one. It reports false if there is no list, or if several members may be the list.
func FindList(v jsontext.Value, s Shape) (list List, ok bool) {
	for range mostNested + 2 {
		switch v.Kind() {
		case 'n':
			list.Blank = "null"
			return list, true
		case '[':
			return list, list.addRows(v, s)
		case '{':
		default:
			return list, false
		}
		o := Members(v)
		list.Page.note(o)
		if len(o) == 0 {
			list.Blank = "{}"
			return list, true
		}
		if s.IsRecord(o) {
			list.Records = []jsontext.Value{v}
			return list, true
		}
		inner := s.memberWithList(o, mostNested)
		if inner == nil {
			return list, list.addLoneRecord(v, o, s)
		}
		v = inner
	}
	return list, false
}

// addLoneRecord adds an object in place of a list, of a kind that any object may be.
func (l *List) addLoneRecord(v jsontext.Value, o Object, s Shape) bool {
	if len(s.Own) > 0 || o.Has("success") {
		return false
	}
	l.Records = []jsontext.Value{v}
	return true
}

// addRows adds the records of a list. A row that is no record costs that row. It reports
// false if no row is a record.
func (l *List) addRows(sent jsontext.Value, s Shape) bool {
	rows := Elements(sent)
	for _, v := range rows {
		record := s.row(v)
		if record != nil {
			l.Records = append(l.Records, record)
			continue
		}
		l.Dropped++
		if v.Kind() == '{' {
			l.Unread++
		}
	}
	return len(l.Records) > 0 || len(rows) == 0
}

// listKind says how surely a member holds the list that is looked for. A greater one is
// surer.
type listKind int

const (
	noList listKind = iota
	nullInPlace
	emptyList
	listOfObjects
	listOfRecords
)

// memberWithList returns the member of an object that is the list or holds it: the one
// member that does so most surely, or the specification's own member "data"; nil if there is
// none, or more than one.
func (s Shape) memberWithList(o Object, levels int) jsontext.Value {
	best, kind := s.membersWithList(o, levels)
	switch {
	case kind == noList:
		return nil
	case len(best) == 1, kind == nullInPlace:
		return best[0].Value
	}
	for _, m := range best {
		if m.Name == "data" {
			return m.Value
		}
	}
	return nil
}

// besideLists are members that may be lists in any container and never are the list.
var besideLists = []string{"errors", "warnings", "messages", "links"}

// membersWithList returns the members of an object that hold a list most surely.
func (s Shape) membersWithList(o Object, levels int) (best []Member, kind listKind) {
	for _, m := range o {
		if slices.Contains(besideLists, m.Name) {
			continue
		}
		is := s.kindOf(m.Value, levels)
		if is > kind {
			best, kind = nil, is
		}
		if is == kind && is != noList {
			best = append(best, m)
		}
	}
	return best, kind
}

// kindOf says how surely a value is the list, or holds it.
func (s Shape) kindOf(v jsontext.Value, levels int) listKind {
	switch v.Kind() {
	case 'n':
		return nullInPlace
	case '[':
		return s.kindOfArray(Elements(v))
	case '{':
		o := Members(v)
		if s.IsRecord(o) {
			return listOfRecords // a record in place of the list
		}
		if levels > 1 {
			_, kind := s.membersWithList(o, levels-1)
			return kind
		}
	}
	return noList
}

func (s Shape) kindOfArray(elements []jsontext.Value) listKind {
	isRow := func(v jsontext.Value) bool { return len(s.Own) > 0 && s.row(v) != nil }
	isObject := func(v jsontext.Value) bool { return v.Kind() == '{' }
	switch {
	case len(elements) == 0:
		return emptyList
	case slices.ContainsFunc(elements, isRow):
		return listOfRecords
	case slices.ContainsFunc(elements, isObject):
		return listOfObjects
	}
	return noList
}

// SaysNone reports whether the answer says in so many words that the list is empty.
func (p Page) SaysNone() bool { return p.Total != nil && *p.Total == 0 }

// note takes over what a container says about the next page, by itself or in an object of
// its own. What an outer container said holds.
func (p *Page) note(o Object) {
	for _, name := range []string{"nextCursor", "next_cursor", "nextPageToken"} {
		p.Cursor = cmp.Or(p.Cursor, Text(o.Get(name)))
	}
	for _, name := range []string{"hasNextPage", "has_next_page", "hasMore", "has_more"} {
		if said := Text(o.Get(name)); p.HasNext == nil && said != "" {
			p.HasNext = new(said == "true" || said == "1")
		}
	}
	for _, name := range []string{"nextPage", "next_page", "next"} { // its number or address, null at the end
		if v := o.Get(name); v.Kind() == '"' || v.Kind() == '0' {
			p.Link = cmp.Or(p.Link, Text(v))
		}
	}
	for _, name := range []string{"total", "totalCount", "totalDocs", "count"} {
		if n, ok := Whole(o.Get(name)); ok && (p.Total == nil || int(n) > *p.Total) {
			p.Total = new(int(n))
		}
	}
	for _, name := range []string{"pagination", "pageInfo", "page_info", "meta", "links", "_links"} {
		if inner := Members(o.Get(name)); len(inner) > 0 {
			p.note(inner)
		}
	}
}
