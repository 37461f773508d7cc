package tolerant

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Extra has the members of a JSON object that a record could not hold: members without a field, and
// members that could not be decoded. Their values are unchanged.
type Extra = map[string]json.RawMessage

// UnknownNumber is the value of a missing number in fields for which 0 is a valid value.
const UnknownNumber = -1

// Decoder decodes JSON objects into records, even if a service sends values of the wrong type: a
// text instead of a number, a number instead of a text, null instead of any value, or a single
// element instead of a list. If a value cannot be decoded, its field becomes the zero value. So one
// wrong member never makes the whole record unreadable.
type Decoder struct {
	// Kept are the names of members that must not get lost. If the value of one of these members
	// cannot be decoded, the member is added to the record's Extra. If its field is a number, the
	// field becomes [UnknownNumber].
	Kept []string

	// Counts are types of records with numbers that must not become 0 by mistake: in these records,
	// a missing number whose name is in Kept becomes [UnknownNumber].
	Counts []reflect.Type

	// Alone are types of elements. Instead of a list of such elements, a service can send a single
	// element.
	Alone []reflect.Type

	// Lists has a function for each type of list that is decoded as a whole and not element by
	// element.
	Lists map[reflect.Type]func(sent jsontext.Value) any

	// Expand has a function for each type of record whose JSON must be changed before it is
	// decoded. The function returns the JSON with additional members.
	Expand map[reflect.Type]func(sent jsontext.Value) jsontext.Value

	// Settle has a function for each type of record that must be completed after it was decoded.
	// sent is the JSON of the record.
	Settle map[reflect.Type]func(record any, sent jsontext.Value)

	fields sync.Map // *recordFields by record type
}

// Decode decodes an object into a record, or into a struct that contains records. It decodes null
// as the zero value.
func (d *Decoder) Decode(text []byte, into any) error {
	v := jsontext.Value(text)
	isObject := v.Kind() == '{' || v.Kind() == 'n'
	if !isObject || !v.IsValid(Syntax) {
		return errors.New("no JSON object")
	}
	d.readValue(newReader(v), reflect.ValueOf(into).Elem())
	return nil
}

// DecodeList decodes a list, or a single element, into the slice that into points to. The JSON must
// be valid.
func (d *Decoder) DecodeList(valid jsontext.Value, into any) {
	d.readValue(newReader(valid), reflect.ValueOf(into).Elem())
}

// readValue decodes the next value into a field of any kind.
func (d *Decoder) readValue(r reader, into reflect.Value) {
	switch into.Kind() {
	case reflect.Struct:
		d.readStruct(r, into)
	case reflect.Slice:
		d.readList(r, into)
	case reflect.Map:
		d.readMap(r, into)
	case reflect.Pointer:
		if into.Type().Elem().Kind() == reflect.Struct {
			d.readPointer(r, into)
		} else {
			setPointer(into, r.nextValue())
		}
	default:
		setScalar(into, r.nextValue())
	}
}

// readPointer decodes the next value into a pointer to a record. The pointer becomes nil if the
// value is null or not an object. A record that implements [json.Unmarshaler] is decoded from any
// value except null.
func (d *Decoder) readPointer(r reader, into reflect.Value) {
	kind := r.PeekKind()
	_, readsItself := reflect.New(into.Type().Elem()).Interface().(json.Unmarshaler)
	if kind != '{' && (!readsItself || kind == 'n') {
		into.SetZero()
		_ = r.SkipValue()
		return
	}
	if into.IsNil() {
		into.Set(reflect.New(into.Type().Elem()))
	}
	d.readStruct(r, into.Elem())
}

// setPointer decodes a value into a pointer to a text, a number or a boolean. The pointer becomes nil if the value
// cannot be decoded.
func setPointer(pointer reflect.Value, v jsontext.Value) {
	scalar := reflect.New(pointer.Type().Elem())
	if setScalar(scalar.Elem(), v) {
		pointer.Set(scalar)
	} else {
		pointer.SetZero()
	}
}

// setScalar decodes a value into a field with a text, a number or a boolean. It reports whether the value can be
// decoded. If not, the field becomes "", 0 or false, or [UnknownNumber] if it is an int64.
//
//   - A text can be any value except null.
//   - A number can also be a text, such as "3" or "3.0".
//   - A boolean can be any value: true, 1, "y" and "yes" are true, all other values are false.
func setScalar(field reflect.Value, v jsontext.Value) (canDecode bool) {
	switch field.Kind() {
	case reflect.String:
		field.SetString(Text(v))
		return v.Kind() != 'n'
	case reflect.Bool:
		trueTexts := []string{"true", "1", "y", "yes"}
		field.SetBool(slices.Contains(trueTexts, strings.ToLower(Text(v))))
		return true
	case reflect.Float64:
		number, isNumber := Number(v)
		field.SetFloat(number)
		return isNumber
	case reflect.Int:
		number, isWhole := Whole(v)
		field.SetInt(number)
		return isWhole
	case reflect.Int64: // a size in bytes
		number, isWhole := Whole(v)
		if !isWhole {
			number = UnknownNumber
		}
		field.SetInt(number)
		return isWhole
	default: // no record of the specification has such a field
		return jsonv2.Unmarshal(v, field.Addr().Interface()) == nil
	}
}

// readStruct decodes the next value into a record. If the value is not an object, such as null, the record becomes
// the zero value.
func (d *Decoder) readStruct(r reader, into reflect.Value) {
	record := into.Addr().Interface()
	if selfDecoding, ok := record.(json.Unmarshaler); ok {
		_ = selfDecoding.UnmarshalJSON(r.nextValue()) // types of the specification accept every value
		return
	}
	if d.Expand[into.Type()] != nil || d.Settle[into.Type()] != nil {
		d.readWholeText(r.nextValue(), into)
		return
	}
	d.readFields(r, into)
}

// readWholeText decodes a record whose type has a function in Expand or Settle. It calls these
// functions with the whole JSON of the record.
func (d *Decoder) readWholeText(sent jsontext.Value, into reflect.Value) {
	expand := d.Expand[into.Type()]
	if expand != nil && sent.Kind() == '{' {
		sent = expand(sent)
	}
	d.readFields(newReader(sent), into)
	settle := d.Settle[into.Type()]
	if settle != nil {
		settle(into.Addr().Interface(), sent)
	}
}

// readFields decodes the next value into the fields of a record. It skips a value that is not an object.
func (d *Decoder) readFields(r reader, into reflect.Value) {
	isObject := r.PeekKind() == '{'
	if !isObject {
		into.SetZero()
	}
	fields := d.fieldsOf(into.Type())
	if slices.Contains(d.Counts, into.Type()) {
		fields.setNumbersUnknown(into)
	}
	d.readMembers(r, into, fields)
}

// readMembers decodes the members of an object into the fields of a record. It adds members without a field to the
// Extra of the record.
func (d *Decoder) readMembers(r reader, into reflect.Value, fields *recordFields) {
	extra := new(Extra)
	if fields.extra != nil {
		extra = into.FieldByIndex(fields.extra).Addr().Interface().(*Extra)
	}
	for range r.enterNext('{') {
		quoted := r.nextValue() // the name with its quotes
		field, isKnown := fields.byName[string(quoted[1:len(quoted)-1])]
		if !isKnown { // the name can contain escapes
			field, isKnown = fields.byName[Text(quoted)]
		}
		switch {
		case !isKnown:
			keepMember(extra, Text(quoted), r.nextValue())
		case field.isKept:
			d.readIntoOrKeep(r, into.FieldByIndex(field.index), Text(quoted), extra)
		case field.isRecords && r.PeekKind() != '[':
			d.readInPlaceOfRecords(r, into.FieldByIndex(field.index), Text(quoted), extra)
		default:
			d.readValue(r, into.FieldByIndex(field.index))
		}
	}
}

// readIntoOrKeep decodes a member whose name is in [Decoder.Kept] into its field. If the value
// cannot be decoded, it adds the member to extra, and a number becomes [UnknownNumber]. If the
// object has the member twice, the last value counts.
func (d *Decoder) readIntoOrKeep(r reader, into reflect.Value, name string, extra *Extra) {
	sent := r.nextValue()
	d.readValue(newReader(sent), into)
	if isDecoded(into, sent) {
		delete(*extra, name)
		return
	}
	if into.CanInt() {
		into.SetInt(UnknownNumber)
	}
	if Text(sent) != "" {
		keepMember(extra, name, sent)
	}
}

// readInPlaceOfRecords decodes a value that a service has sent where a list of records is expected.
// A single record becomes a list with one element, and null an empty list. Any other value is added
// to extra: the list is then empty only because its records are unknown.
func (d *Decoder) readInPlaceOfRecords(r reader, into reflect.Value, name string, extra *Extra) {
	sent := r.nextValue()
	d.readValue(newReader(sent), into)
	isOtherObject := into.Len() == 0 && len(Members(sent)) > 0
	isText := sent.Kind() == '"' && Text(sent) != ""
	if isOtherObject || isText {
		keepMember(extra, name, sent)
	}
}

// isDecoded reports whether a value could be decoded into a field, which is a number, a pointer, a
// list or a map. For a list of lists, it also checks that all inner lists were decoded.
func isDecoded(field reflect.Value, sent jsontext.Value) bool {
	if field.CanInt() {
		_, isWhole := Whole(sent)
		return isWhole
	}
	if field.IsNil() {
		return false
	}
	isListOfLists := field.Kind() == reflect.Slice && field.Type().Elem().Kind() == reflect.Slice
	if !isListOfLists {
		return true
	}
	for i := range field.Len() {
		if field.Index(i).IsNil() {
			return false
		}
	}
	return true
}

func keepMember(extra *Extra, name string, v jsontext.Value) {
	if *extra == nil {
		*extra = Extra{}
	}
	(*extra)[name] = json.RawMessage(bytes.Clone(v))
}

// recordFields are the fields of a record by member name.
type recordFields struct {
	byName map[string]recordField
	extra  []int // index of the Extra field; nil if there is none
}

type recordField struct {
	index     []int
	isKept    bool // the value is kept in Extra if it cannot be decoded
	isRecords bool // the field is a list of records
}

// setNumbersUnknown sets all numbers of a record whose names are in [Decoder.Kept] to
// [UnknownNumber].
func (f *recordFields) setNumbersUnknown(record reflect.Value) {
	for _, field := range f.byName {
		value := record.FieldByIndex(field.index)
		if field.isKept && value.CanInt() {
			value.SetInt(UnknownNumber)
		}
	}
}

// fieldsOf returns the fields of a struct, including the fields of embedded structs.
func (d *Decoder) fieldsOf(record reflect.Type) *recordFields {
	if cached, ok := d.fields.Load(record); ok {
		return cached.(*recordFields)
	}
	fields := &recordFields{byName: map[string]recordField{}}
	for _, f := range reflect.VisibleFields(record) {
		if f.Type == reflect.TypeFor[Extra]() {
			fields.extra = f.Index
			continue
		}
		name := memberName(f)
		if name == "" {
			continue
		}
		isList := f.Type.Kind() == reflect.Slice && d.Lists[f.Type] == nil
		fields.byName[name] = recordField{
			index:     f.Index,
			isKept:    slices.Contains(d.Kept, name),
			isRecords: isList && f.Type.Elem().Kind() == reflect.Struct,
		}
	}
	d.fields.Store(record, fields)
	return fields
}

// MemberNames returns the names of the members for which a record has a field.
func MemberNames(record reflect.Type) map[string]bool {
	names := map[string]bool{}
	for _, f := range reflect.VisibleFields(record) {
		if name := memberName(f); name != "" {
			names[name] = true
		}
	}
	return names
}

// memberName returns the name of a field in JSON, or "" if it has none.
func memberName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "-" {
		return ""
	}
	return name
}

// readMap decodes an object into a map.
func (d *Decoder) readMap(r reader, into reflect.Value) {
	into.SetZero()
	if r.PeekKind() == '{' {
		into.Set(reflect.MakeMap(into.Type()))
	}
	for range r.enterNext('{') {
		name := reflect.ValueOf(Text(r.nextValue())).Convert(into.Type().Key())
		value := reflect.New(into.Type().Elem()).Elem()
		d.readValue(r, value)
		into.SetMapIndex(name, value)
	}
}

// readList decodes a list, or a single element. In a list of records, elements that are not objects
// are skipped.
func (d *Decoder) readList(r reader, into reflect.Value) {
	if decodeList := d.Lists[into.Type()]; decodeList != nil {
		into.Set(reflect.ValueOf(decodeList(r.nextValue())))
		return
	}
	into.SetZero()
	if r.PeekKind() == '[' {
		into.Set(reflect.MakeSlice(into.Type(), 0, 0))
		for range r.enterNext('[') {
			d.appendElement(r, into)
		}
		return
	}
	sent := r.nextValue()
	if d.isAlone(into.Type().Elem(), sent) {
		d.appendElement(newReader(sent), into)
	}
}

// appendElement decodes the next element of a list and appends it. It skips elements that are
// not objects in a list of records.
func (d *Decoder) appendElement(r reader, into reflect.Value) {
	areRecords := into.Type().Elem().Kind() == reflect.Struct
	if areRecords && r.PeekKind() != '{' {
		_ = r.SkipValue()
		return
	}
	into.Grow(1)
	into.SetLen(into.Len() + 1)
	d.readValue(r, into.Index(into.Len()-1))
}

// isAlone reports whether a value is a single element that was sent instead of a list.
func (d *Decoder) isAlone(element reflect.Type, sent jsontext.Value) bool {
	if !slices.Contains(d.Alone, InnerRecord(element)) {
		return false
	}
	if element.Kind() == reflect.Struct {
		return sent.Kind() == '{' && d.isAbout(element, sent)
	}
	return sent.Kind() == '"' && Text(sent) != ""
}

// isAbout reports whether an object has at least one member for which the record has a field.
func (d *Decoder) isAbout(record reflect.Type, object jsontext.Value) bool {
	fields := d.fieldsOf(record).byName
	return slices.ContainsFunc(Members(object), func(m Member) bool { return fields[m.Name].index != nil })
}

// InnerRecord returns the type of the record that is embedded as the first field of a record, such
// as api.Order in ops.Order. If there is none, it returns the type itself.
func InnerRecord(record reflect.Type) reflect.Type {
	if record.Kind() == reflect.Struct && record.NumField() > 0 && record.Field(0).Anonymous {
		return record.Field(0).Type
	}
	return record
}
