package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// lenient reads text that breaks rules of JSON which nothing here depends on.
var lenient = jsonv2.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// DecodeRecord reads an object into a record, or into a struct that has some, as
// leniently as the client does; null as the zero one.
func DecodeRecord(text []byte, into any) error {
	v := jsontext.Value(text)
	if kind := v.Kind(); kind != '{' && kind != 'n' || !v.IsValid(lenient) {
		return errors.New("no JSON object")
	}
	newReader(v).readValue(reflect.ValueOf(into).Elem())
	return nil
}

// recordReader reads what a neighbouring service may send: numbers as texts and
// texts as numbers, null for anything, something else where a list belongs.
// What cannot be understood becomes the zero value of its field, so that one
// odd member never hides a record. Its text is valid, so that nothing can fail.
type recordReader struct {
	*jsontext.Decoder
	text jsontext.Value
}

func newReader(valid jsontext.Value) recordReader {
	return recordReader{jsontext.NewDecoder(bytes.NewBuffer(valid), lenient), valid}
}

// nextValue returns the next name or value as it was sent.
func (r recordReader) nextValue() jsontext.Value {
	from := r.InputOffset()
	_ = r.SkipValue()
	return r.textSince(from)
}

// textSince returns the value that was read from an offset on.
func (r recordReader) textSince(offset int64) jsontext.Value {
	return bytes.TrimLeft(r.text[offset:r.InputOffset()], ":, \t\r\n")
}

// enterNext enters a list or an object, and yields before each element, or before
// the name of each member. What is of another kind is passed over.
func (r recordReader) enterNext(kind jsontext.Kind) func(yield func() bool) {
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

// readValue reads the next value into a field of any kind.
func (r recordReader) readValue(into reflect.Value) {
	switch kind := into.Kind(); {
	case kind == reflect.Struct:
		r.readStruct(into)
	case kind == reflect.Slice:
		r.readList(into)
	case kind == reflect.Map:
		r.readMap(into)
	case kind == reflect.Pointer && into.Type().Elem().Kind() == reflect.Struct:
		files := into.Type() == reflect.TypeFor[*DeliveryFiles]() && r.PeekKind() != 'n'
		if r.PeekKind() != '{' && !files {
			into.SetZero()
			_ = r.SkipValue()
			return
		}
		if into.IsNil() {
			into.Set(reflect.New(into.Type().Elem()))
		}
		r.readStruct(into.Elem())
	default:
		setScalar(into, r.nextValue())
	}
}

// setScalar reads a text, a number or a truth value, or a pointer to one, which
// is nil where there is none. It reports whether there is one.
func setScalar(into reflect.Value, v jsontext.Value) (read bool) {
	switch into.Kind() {
	case reflect.Pointer:
		one := reflect.New(into.Type().Elem())
		if read = setScalar(one.Elem(), v); !read {
			one = reflect.Zero(into.Type())
		}
		into.Set(one)
	case reflect.String:
		into.SetString(textOf(v))
		read = v.Kind() != 'n'
	case reflect.Bool:
		into.SetBool(slices.Contains([]string{"true", "1", "y", "yes"}, strings.ToLower(textOf(v))))
		read = true
	case reflect.Float64:
		var f float64
		f, read = numberOf(v)
		into.SetFloat(f)
	case reflect.Int, reflect.Int64: // whole numbers may arrive as 3.0 or "3"
		var n int64
		if n, read = wholeOf(v); !read && into.Kind() == reflect.Int64 {
			n = unknownSize // they are sizes in bytes
		}
		into.SetInt(n)
	default: // no record of the wire has it
		read = jsonv2.Unmarshal(v, into.Addr().Interface()) == nil
	}
	return read
}

// readStruct reads a record: the members that it has a field for, and the others
// as they were sent.
func (r recordReader) readStruct(into reflect.Value) {
	switch record := into.Addr().Interface().(type) {
	case json.Unmarshaler:
		_ = record.UnmarshalJSON(r.nextValue()) // those of the wire never refuse a value
		return
	case *OrderRecord:
		r = newReader(r.nextValue())
		record.readDetails(r.text)
		defer record.settleQuotes()
	case *WebhookDelivery:
		r = newReader(r.nextValue())
		if !bytes.Contains(r.text, []byte(`"success"`)) {
			defer record.inferSuccess()
		}
	case *DeliveryPackage:
		record.FileCount, record.TotalSize = unknownSize, unknownSize
	case *DeliveryFile:
		record.FileSize = unknownSize
	}
	if r.PeekKind() != '{' {
		into.SetZero()
	}
	fields, extra := fieldsOf(into.Type()), new(ExtraMembers)
	if fields.extra != nil {
		extra = into.FieldByIndex(fields.extra).Addr().Interface().(*ExtraMembers)
	}
	for range r.enterNext('{') {
		quoted := r.nextValue()
		field, known := fields.named[string(quoted[1:len(quoted)-1])]
		if !known { // or its name has escapes
			field, known = fields.named[textOf(quoted)]
		}
		switch {
		case !known:
			keepMember(extra, textOf(quoted), r.nextValue())
		case field.kept:
			r.readIntoOrExtra(into.FieldByIndex(field.index), textOf(quoted), extra)
		default:
			r.readValue(into.FieldByIndex(field.index))
		}
	}
}

// readIntoOrExtra reads a member, which is kept in extra as it was sent where that fails.
func (r recordReader) readIntoOrExtra(into reflect.Value, name string, extra *ExtraMembers) {
	sent, read := r.tryRead(into)
	if read {
		delete(*extra, name)
	} else if textOf(sent) != "" {
		keepMember(extra, name, sent)
	}
}

// unreadable are the members that a record knows and that are kept in its Extra
// where they could not be read.
var unreadable = []string{
	"areaSize", "fileCount", "fileSize", "flightHeight", "locationMap", "locationMaps", "totalSize",
}

// IsUnread reports whether a member of [ExtraMembers] is one that its record has a
// field for, but whose value could not be read: an area of "about 3 ha".
func IsUnread(name string) bool { return slices.Contains(unreadable, name) }

// unknownSize is a number of bytes or files that was not sent.
const unknownSize = -1

// tryRead reads a member, and returns it as it was sent and whether it could be read.
func (r recordReader) tryRead(into reflect.Value) (sent jsontext.Value, read bool) {
	from := r.InputOffset()
	r.readValue(into)
	sent = r.textSince(from)
	switch places, many := into.Interface().([][]Point); {
	case many:
		read = places != nil && !slices.ContainsFunc(places, func(place []Point) bool { return place == nil })
	case into.CanInt():
		if _, read = wholeOf(sent); !read {
			into.SetInt(unknownSize)
		}
	default:
		read = !into.IsNil()
	}
	return sent, read
}

func keepMember(extra *ExtraMembers, name string, v jsontext.Value) {
	if *extra == nil {
		*extra = ExtraMembers{}
	}
	(*extra)[name] = bytes.Clone(v)
}

// recordFields are what a record has on the wire.
type recordFields struct {
	named map[string]recordField
	extra []int // of the unknown members; nil: it has no such field
}

type recordField struct {
	index []int
	kept  bool // where it cannot be read
}

var knownFields sync.Map // by the types that were read

// fieldsOf returns the fields of a struct, and of those that it embeds, by their
// names on the wire.
func fieldsOf(record reflect.Type) *recordFields {
	if known, ok := knownFields.Load(record); ok {
		return known.(*recordFields)
	}
	fields := &recordFields{named: map[string]recordField{}}
	for _, f := range reflect.VisibleFields(record) {
		if f.Type == reflect.TypeFor[ExtraMembers]() {
			fields.extra = f.Index
		} else if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			fields.named[name] = recordField{f.Index, IsUnread(name)}
		}
	}
	knownFields.Store(record, fields)
	return fields
}

// readMap reads an object into a map by its names.
func (r recordReader) readMap(into reflect.Value) {
	into.SetZero()
	if r.PeekKind() == '{' {
		into.Set(reflect.MakeMap(into.Type()))
	}
	for range r.enterNext('{') {
		name := reflect.ValueOf(textOf(r.nextValue())).Convert(into.Type().Key())
		value := reflect.New(into.Type().Elem()).Elem()
		r.readValue(value)
		into.SetMapIndex(name, value)
	}
}

// sentAlone are the elements that services send without a list where there is
// one.
var sentAlone = []reflect.Type{
	reflect.TypeFor[Quote](), reflect.TypeFor[string](), reflect.TypeFor[Deliverable](),
}

// readList reads a list, or one element where that is sent alone. What is no
// object is left out of a list of records.
func (r recordReader) readList(into reflect.Value) {
	if points, is := into.Addr().Interface().(*[]Point); is {
		*points = r.readPoints()
		return
	}
	into.SetZero()
	element := into.Type().Elem()
	records := element.Kind() == reflect.Struct
	one := func() bool {
		if records && r.PeekKind() != '{' {
			return r.SkipValue() == nil
		}
		into.Grow(1)
		into.SetLen(into.Len() + 1)
		r.readValue(into.Index(into.Len() - 1))
		return true
	}
	switch kind := r.PeekKind(); {
	case kind == '[':
		into.Set(reflect.MakeSlice(into.Type(), 0, 0))
		r.enterNext('[')(one)
	case kind == '{' && records:
		for _, row := range recordsOf(r.nextValue(), slices.Contains(sentAlone, innerRecord(element))) {
			r = newReader(row)
			one()
		}
	case slices.Contains(sentAlone, innerRecord(element)) && kind == '"' && !records:
		if one(); into.Index(0).IsZero() {
			into.SetZero() // it is empty
		}
	default:
		_ = r.SkipValue()
	}
}

// recordsOf returns the records that an object in place of a list has, or is by itself
// where one may stand alone.
func recordsOf(sent jsontext.Value, alone bool) []jsontext.Value {
	object := membersOf(sent)
	if rows, grouped := groupedRecords(object); grouped {
		return rows
	}
	if alone && len(object) > 0 {
		return []jsontext.Value{sent}
	}
	return nil
}

// groupedRecords returns the records of an object that has them by their names, or in
// lists by their status. It reports false where the object is anything else.
func groupedRecords(object sentObject) (rows []jsontext.Value, ok bool) {
	for _, m := range object {
		switch m.value.Kind() {
		case '{':
			rows = append(rows, m.value)
		case '[':
			for _, row := range elementsOf(m.value) {
				if !slices.Contains(wrappers, m.name) {
					row = addMember(row, "status", m.name)
				}
				rows = append(rows, row)
			}
		default:
			return nil, false
		}
	}
	return rows, len(rows) > 0
}

// addMember adds a member with a text to an object that has none of its name.
func addMember(object jsontext.Value, name, text string) jsontext.Value {
	quoted, err := jsontext.AppendQuote(nil, text)
	if members := membersOf(object); err != nil || len(members) == 0 || members.hasMember(name) {
		return object
	}
	return slices.Concat(
		jsontext.Value(`{"`+name+`":`),
		quoted,
		jsontext.Value(","),
		bytes.TrimLeft(object, " \t\r\n{"),
	)
}

// readPoints reads the points of a place. Where one of them cannot be read none is:
// a shape without some of its corners is another shape. One may stand where a
// list belongs.
func (r recordReader) readPoints() []Point {
	points, whole := []Point{}, true
	one := func() bool {
		p := Point{math.NaN(), math.NaN()}
		for range r.enterNext('{') {
			name, v := r.nextValue(), r.nextValue()
			coordinate := &p.Lng
			switch string(name) {
			case `"lat"`, `"latitude"`:
				coordinate = &p.Lat
			case `"lng"`, `"lon"`, `"longitude"`:
			default:
				continue
			}
			if degrees, read := numberOf(v); read {
				*coordinate = degrees
			}
		}
		points, whole = append(points, p), whole && !math.IsNaN(p.Lat+p.Lng)
		return true
	}
	if r.PeekKind() == '[' {
		r.enterNext('[')(one)
	} else {
		one()
	}
	if !whole {
		return nil
	}
	return points
}

// readDetails reads the order's own members in orderDetails, which some records of
// the quote stage have nowhere else.
func (r *OrderRecord) readDetails(record jsontext.Value) {
	if !bytes.Contains(record, []byte(`"orderDetails"`)) {
		return
	}
	if details := membersOf(record).valueOf("orderDetails"); details.Kind() == '{' {
		newReader(details).readStruct(reflect.ValueOf(r).Elem())
		r.OrderDetails = nil
		maps.DeleteFunc(r.Extra, func(name string, _ json.RawMessage) bool { return !IsUnread(name) })
	}
}

// elementsOf returns the elements of a list as they were sent.
func elementsOf(list jsontext.Value) (all []jsontext.Value) {
	r := newReader(list)
	for range r.enterNext('[') {
		all = append(all, r.nextValue())
	}
	return all
}

// sentObject are the members of an object, in the order in which they were sent.
type sentObject []objectMember

type objectMember struct {
	name  string
	value jsontext.Value
}

// membersOf returns the members of an object as they were sent, none of what is no
// object.
func membersOf(v jsontext.Value) (all sentObject) {
	r := newReader(v)
	for range r.enterNext('{') {
		all = append(all, objectMember{textOf(r.nextValue()), r.nextValue()})
	}
	return all
}

// valueOf returns what was sent last under a name, nil where nothing was.
func (o sentObject) valueOf(name string) jsontext.Value {
	for _, m := range slices.Backward(o) {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// hasMember reports whether anything was sent under a name.
func (o sentObject) hasMember(name string) bool { return o.valueOf(name) != nil }

// textOf returns a string's content, nothing for null, and any other value as
// it was sent.
func textOf(v jsontext.Value) string {
	switch v.Kind() {
	case 'n':
		return ""
	case '"':
		if plain := v[1 : len(v)-1]; bytes.IndexByte(plain, '\\') < 0 && utf8.Valid(plain) {
			return string(plain)
		}
		text, _ := jsontext.AppendUnquote(nil, v) // an error is of text that is no UTF-8
		return string(text)
	default:
		return string(v)
	}
}
