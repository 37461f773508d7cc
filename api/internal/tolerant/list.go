package tolerant

import (
	"cmp"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// List is a list in a response.
type List struct {
	Records []jsontext.Value
	Page    Page

	Dropped int // number of rows that are not records
	Unread  int // number of dropped rows that are objects

	// Blank is null or {} if the service has sent this instead of the list. It does not mean that
	// the list is empty.
	Blank string
}

// Page is the information about the next page in a response.
type Page struct {
	Cursor  string
	HasNext *bool  // nil if not sent
	Link    string // address or number of the next page
	Total   *int   // rows of all pages; nil if not sent
}

// maxListDepth is the number of levels that are searched for a list: the response itself, the
// objects inside it, and the members of these objects.
const maxListDepth = maxNesting + 2

// FindList returns the list of records in a value. A single record counts as a list. It returns
// false if there is no list, or if several members could be the list.
func FindList(v jsontext.Value, s Shape) (list List, ok bool) {
	ok = list.findIn(v, s, maxListDepth)
	return list, ok
}

// findIn searches a value for the list, which can be the value or a member inside it. levels is the
// maximum number of nested values to search, including v. findIn reports whether it found the list.
func (l *List) findIn(v jsontext.Value, s Shape, levels int) bool {
	if levels == 0 {
		return false
	}
	switch v.Kind() {
	case 'n':
		l.Blank = "null"
		return true
	case '[':
		return l.addRows(v, s)
	case '{':
		return l.findInObject(v, s, levels)
	}
	return false
}

// findInObject is findIn for an object. It also adds the information about the next page in the object.
func (l *List) findInObject(v jsontext.Value, s Shape, levels int) bool {
	o := Members(v)
	l.Page.addFrom(o)
	if len(o) == 0 {
		l.Blank = "{}"
		return true
	}
	if s.IsRecord(o) { // sent instead of a list
		l.Records = []jsontext.Value{v}
		return true
	}
	if inner := s.memberWithList(o, maxNesting); inner != nil {
		return l.findIn(inner, s, levels-1)
	}
	if s.canBeRecord(o) {
		l.Records = []jsontext.Value{v}
		return true
	}
	return false
}

// canBeRecord reports whether an object can be a record of a kind that has no distinctive members
// ([Shape.Own] is empty). Any object can be such a record, except an envelope: an object with the
// member "success".
func (s Shape) canBeRecord(o Object) bool { return len(s.Own) == 0 && !o.Has("success") }

// addRows adds the records in a list and counts the rows that are not records. It returns false if the list has rows,
// but no records.
func (l *List) addRows(sent jsontext.Value, s Shape) bool {
	rows := Elements(sent)
	for _, v := range rows {
		record := s.recordInRow(v)
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

// listKind says how likely it is that a member of an object is the list of records. The last
// listKind is the surest sign.
type listKind int

const (
	noList      listKind = iota
	nullInPlace          // null, which can be sent instead of the list
	emptyList
	listOfObjects // none of which is recognized as a record
	listOfRecords
)

// memberWithList returns the value of the member that is the list of records or contains it. This
// is the member with the greatest listKind. If several members have this kind, the member "data" is
// chosen, because the specification uses this name. memberWithList returns nil if no member can be
// chosen.
func (s Shape) memberWithList(o Object, levels int) jsontext.Value {
	best, kind := s.membersWithList(o, levels)
	if kind == noList {
		return nil
	}
	if len(best) == 1 || kind == nullInPlace {
		return best[0].Value
	}
	for _, m := range best {
		if m.Name == "data" {
			return m.Value
		}
	}
	return nil
}

// otherLists are names of members that can be lists in any response. They are never the list of records.
var otherLists = []string{"errors", "warnings", "messages", "links"}

// membersWithList returns the members with the greatest listKind in an object, and that kind. It returns no members
// if the kind is noList.
func (s Shape) membersWithList(o Object, levels int) (best []Member, kind listKind) {
	for _, m := range o {
		if slices.Contains(otherLists, m.Name) {
			continue
		}
		memberKind := s.kindOf(m.Value, levels)
		if memberKind > kind {
			kind = memberKind
			best = []Member{m}
		} else if memberKind == kind && kind != noList {
			best = append(best, m)
		}
	}
	return best, kind
}

// kindOf returns the listKind of a value. The value can be the list or an object that contains it. levels is the
// number of levels to search in an object.
func (s Shape) kindOf(v jsontext.Value, levels int) listKind {
	switch v.Kind() {
	case 'n':
		return nullInPlace
	case '[':
		return s.kindOfArray(Elements(v))
	case '{':
		o := Members(v)
		if s.IsRecord(o) {
			return listOfRecords // a single record instead of the list
		}
		if levels > 1 {
			_, kind := s.membersWithList(o, levels-1)
			return kind
		}
	}
	return noList
}

func (s Shape) kindOfArray(elements []jsontext.Value) listKind {
	isRow := func(v jsontext.Value) bool { return len(s.Own) > 0 && s.recordInRow(v) != nil }
	isObject := func(v jsontext.Value) bool { return v.Kind() == '{' }
	if len(elements) == 0 {
		return emptyList
	}
	if slices.ContainsFunc(elements, isRow) {
		return listOfRecords
	}
	if slices.ContainsFunc(elements, isObject) {
		return listOfObjects
	}
	return noList
}

// SaysNone reports whether the response says with a total of 0 that the list is empty.
func (p Page) SaysNone() bool { return p.Total != nil && *p.Total == 0 }

// addFrom adds the information about the next page in an object, which contains the list, and in
// the objects inside it, such as "pagination". If an object and an object inside it have different
// information, the outer object counts, except for the total.
func (p *Page) addFrom(o Object) {
	p.addNext(o)
	p.addTotal(o)
	for _, name := range []string{"pagination", "pageInfo", "page_info", "meta", "links", "_links"} {
		if inner := Members(o.Get(name)); len(inner) > 0 {
			p.addFrom(inner)
		}
	}
}

// addNext adds the cursor and the link of the next page, and whether there is one.
func (p *Page) addNext(o Object) {
	for _, name := range []string{"nextCursor", "next_cursor", "nextPageToken"} {
		p.Cursor = cmp.Or(p.Cursor, Text(o.Get(name)))
	}
	for _, name := range []string{"hasNextPage", "has_next_page", "hasMore", "has_more"} {
		text := Text(o.Get(name))
		if p.HasNext == nil && text != "" {
			hasNext := text == "true" || text == "1"
			p.HasNext = &hasNext
		}
	}
	for _, name := range []string{"nextPage", "next_page", "next"} {
		v := o.Get(name)
		isAddress := v.Kind() == '"'
		isPageNumber := v.Kind() == '0' // jsontext's kind of all numbers
		if isAddress || isPageNumber {
			p.Link = cmp.Or(p.Link, Text(v))
		}
	}
}

// addTotal adds the number of rows of all pages. The largest number in the response is the total, because a smaller
// number can be the number of rows of this page.
func (p *Page) addTotal(o Object) {
	for _, name := range []string{"total", "totalCount", "totalDocs", "count"} {
		n, ok := Whole(o.Get(name))
		isLarger := p.Total == nil || int(n) > *p.Total
		if ok && isLarger {
			p.Total = new(int(n))
		}
	}
}
