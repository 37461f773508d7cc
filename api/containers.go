package api

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// recordShape says how the records of one kind look within an answer.
type recordShape struct {
	names []string // of the members that wrap one or several
	own   []string // members that only a record has; empty: any object may be one
}

// wrappers are the members that services wrap any answer in.
var wrappers = []string{
	"data",
	"items",
	"results",
	"rows",
	"records",
	"list",
	"result",
	"content",
	"payload",
	"response",
	"value",
	"values",
	"docs",
	"edges",
	"nodes",
	"_embedded",
}

var orderShape = recordShape{
	[]string{"orders", "order", "orderList"},
	[]string{"uuid", "id", "orderCode", "orderName", "orderStatus", "quotes", "orderDetails", "quoteDetails"},
}

var shapes = map[reflect.Type]recordShape{
	reflect.TypeFor[Order]():       orderShape,
	reflect.TypeFor[OrderRecord](): orderShape,
	reflect.TypeFor[Mission](): {
		[]string{"missions", "mission"},
		[]string{"uuid", "id", "missionCode", "missionName"},
	},
	reflect.TypeFor[Dataset](): {[]string{"datasets", "dataset"}, []string{"id", "uuid", "datasetName"}},
	reflect.TypeFor[WebhookEndpoint](): {
		[]string{"webhooks", "webhook", "endpoints", "endpoint"},
		[]string{"uuid", "id", "url", "secret"},
	},
	reflect.TypeFor[WebhookDelivery](): {
		[]string{"deliveries", "delivery", "logs", "log"},
		[]string{"uuid", "id", "event", "responseCode"},
	},
	reflect.TypeFor[DeliveryPackage](): {
		[]string{"packages", "package", "deliveryPackages"},
		[]string{"uuid", "id", "fileCount"},
	},
	reflect.TypeFor[DeliveryFile](): {
		[]string{"files", "file"},
		[]string{"uuid", "id", "fileName", "downloadUrl"},
	},
	reflect.TypeFor[Placemark]():        {[]string{"placemarks", "placemark"}, []string{"locationMap"}},
	reflect.TypeFor[PlanningEntry]():    {[]string{"history", "planning", "schedule", "entries"}, nil},
	reflect.TypeFor[FlightPermission](): {[]string{"permission", "flightPermission"}, nil},
}

// shapeOf returns how the records of a type look.
func shapeOf(record reflect.Type) recordShape {
	record = innerRecord(record)
	if shape, known := shapes[record]; known {
		return shape
	}
	if record.Kind() == reflect.Struct && fieldsOf(record).named["uuid"].index != nil {
		return recordShape{own: []string{"uuid"}}
	}
	return recordShape{}
}

// innerRecord returns the record that one of the operations API embeds, or itself.
func innerRecord(record reflect.Type) reflect.Type {
	if record.Kind() == reflect.Struct && record.NumField() > 0 && record.Field(0).Anonymous {
		return record.Field(0).Type
	}
	return record
}

// deepest is how many containers may be in one another; an envelope in an
// envelope is more than anybody sends.
const deepest = 5

// foundRecords is what was found in the containers of an answer.
type foundRecords struct {
	records []jsontext.Value
	cursor  string
	more    *bool  // whether there is a next page; nil: not said
	link    string // address of the next page, or its number
	total   *int   // rows of all pages; nil: not said
	dropped int    // rows that are no record
	unread  int    // dropped rows that are objects
	blank   string // null or {} if that was sent: it says neither that there are records nor that there are none
}

// saysNone reports whether the answer says in so many words that the list is empty.
func (f *foundRecords) saysNone() bool { return f.total != nil && *f.total == 0 }

// isRecord reports whether an object is a record rather than a container.
func (s recordShape) isRecord(object sentObject) bool {
	if kind := object.valueOf("data").Kind(); kind == '{' || kind == '[' {
		return false // an envelope, which may have an id of its own
	}
	for _, name := range s.names {
		if object.valueOf(name).Kind() == '[' {
			return false // a container, which may have an id of its own
		}
	}
	return slices.ContainsFunc(s.own, object.hasMember)
}

// findRecords looks for the records of a shape: a list of them, or one. It reports false if
// the answer has another form.
func (s recordShape) findRecords(v jsontext.Value, isList bool) (f foundRecords, ok bool) {
	for range deepest {
		switch v.Kind() {
		case 'n':
			f.blank = "null"
			return f, true
		case '[':
			return f, s.addRows(&f, v)
		case '{':
		default:
			return f, false
		}
		object := membersOf(v)
		f.notePage(object)
		if len(object) == 0 {
			if s.names == nil { // a record whose members all may be missing
				f.records = append(f.records, v)
			} else {
				f.blank = "{}"
			}
			return f, true
		}
		if s.isRecord(object) {
			f.records = append(f.records, v)
			return f, true
		}
		inner := s.unwrapContent(object)
		if inner == nil && isList && s.own != nil {
			inner = s.onlyList(object, mostNested)
		}
		if inner == nil {
			return s.readBare(f, v, object)
		}
		v = inner
	}
	return f, false
}

// unwrapContent returns what an object wraps: a list before an object before null;
// nil where it wraps nothing.
func (s recordShape) unwrapContent(object sentObject) jsontext.Value {
	for _, kind := range []jsontext.Kind{'[', '{', 'n'} {
		for _, name := range slices.Concat(s.names, wrappers) {
			v := object.valueOf(name)
			if v.Kind() != kind {
				continue
			}
			if kind == '{' && name == "order" {
				return withMissions(v, object.valueOf("missions"))
			}
			return v
		}
	}
	return nil
}

// mostNested is how many levels below an object its only list may be.
const mostNested = 3

// onlyList returns the only list of objects in an object or, without one, its only empty
// list; nil if there are several. The lists of a record are its own.
func (s recordShape) onlyList(object sentObject, levels int) jsontext.Value {
	var lists, empty []jsontext.Value
	for _, m := range object {
		switch m.value.Kind() {
		case '[':
			elements := elementsOf(m.value)
			if len(elements) == 0 {
				empty = append(empty, m.value)
			} else if slices.ContainsFunc(elements, isObject) {
				lists = append(lists, m.value)
			}
		case '{':
			within := membersOf(m.value)
			if levels > 1 && !s.isRecord(within) {
				if inner := s.onlyList(within, levels-1); inner != nil {
					lists = append(lists, inner)
				}
			}
		}
	}
	if len(lists) == 1 {
		return lists[0]
	}
	if len(lists) == 0 && len(empty) == 1 {
		return empty[0]
	}
	return nil
}

func isObject(v jsontext.Value) bool { return v.Kind() == '{' }

// withMissions puts the missions that stand beside an order into it.
func withMissions(order, missions jsontext.Value) jsontext.Value {
	if own := membersOf(order); missions == nil || own.hasMember("missions") || len(own) == 0 {
		return order
	}
	text := strings.TrimSpace(string(order))
	return jsontext.Value(text[:len(text)-1] + `,"missions":` + string(missions) + "}")
}

// readBare reads an object that wraps nothing by name: records by their ids, or one
// record whose members have other names.
func (s recordShape) readBare(f foundRecords, v jsontext.Value, object sentObject) (foundRecords, bool) {
	isOther := func(m objectMember) bool { // details may be nothing but objects
		return m.value.Kind() != '{' || (s.own != nil || s.names == nil) && !s.isRecord(membersOf(m.value))
	}
	if !slices.ContainsFunc(object, isOther) {
		for _, m := range object {
			f.records = append(f.records, m.value)
		}
		return f, true
	}
	if object.hasMember("success") || s.own != nil {
		return f, false
	}
	f.records = append(f.records, v)
	return f, true
}

// addRows takes the records of a list. A row that is none costs that row; a list of
// nothing else cannot be read.
func (s recordShape) addRows(f *foundRecords, list jsontext.Value) bool {
	all := elementsOf(list)
	for _, v := range all {
		if row := s.unwrapRow(v); row != nil {
			f.records = append(f.records, row)
		} else {
			f.dropped++
			if v.Kind() == '{' {
				f.unread++
			}
		}
	}
	return len(f.records) > 0 || len(all) == 0
}

// unwrapRow returns the record of a row, which may be a node, or have its members as
// attributes; nil where there is none.
func (s recordShape) unwrapRow(row jsontext.Value) jsontext.Value {
	object := membersOf(row)
	attributes := object.valueOf("attributes")
	switch {
	case row.Kind() != '{':
		return nil
	case membersOf(attributes) != nil:
		return addMember(attributes, "id", textOf(object.valueOf("id")))
	case s.own == nil || s.isRecord(object):
		return row
	}
	for _, name := range slices.Concat(s.names, []string{"node"}) {
		if inner := object.valueOf(name); s.isRecord(membersOf(inner)) {
			return inner
		}
	}
	return nil
}

// notePage notes what a container says of the next page.
func (f *foundRecords) notePage(object sentObject) {
	for _, name := range []string{"nextCursor", "next_cursor", "nextPageToken"} {
		f.cursor = cmp.Or(f.cursor, textOf(object.valueOf(name)))
	}
	for _, name := range []string{"hasNextPage", "has_next_page", "hasMore", "has_more"} {
		if said := textOf(object.valueOf(name)); f.more == nil && said != "" {
			more := said == "true" || said == "1"
			f.more = &more
		}
	}
	for _, name := range []string{"nextPage", "next_page", "next"} { // its number or address, null at the end
		if v := object.valueOf(name); v.Kind() == '"' || v.Kind() == '0' {
			f.link = cmp.Or(f.link, textOf(v))
		}
	}
	for _, name := range []string{"total", "totalCount", "totalDocs", "count"} {
		if n, whole := wholeOf(object.valueOf(name)); whole && (f.total == nil || int(n) > *f.total) {
			f.total = new(int(n))
		}
	}
	for _, name := range []string{"pagination", "pageInfo", "page_info", "meta", "links", "_links"} {
		if inner := membersOf(object.valueOf(name)); len(inner) > 0 {
			f.notePage(inner)
		}
	}
}

// readAnswer decodes the answer to an operation. An answer that says it is no success
// is an error.
func readAnswer(op Operation, body []byte) (jsontext.Value, string, error) {
	var v jsontext.Value
	if err := json.Unmarshal(body, &v, lenient); err != nil {
		return nil, "", foreignError(op, "unexpected response format; check the address")
	}
	if v.Kind() != '{' {
		return v, "", nil
	}
	object := membersOf(v)
	if isRefusal(object) {
		return nil, "", readRefusal(op, v)
	}
	return v, textOf(object.valueOf("message")), nil
}

// readConfirmation returns an error unless an answer says in the service's envelope that
// the operation was a success.
func readConfirmation(op Operation, body []byte) error {
	v, _, err := readAnswer(op, body)
	if err != nil {
		return err
	}
	if success := textOf(membersOf(v).valueOf("success")); success != "true" && success != "1" {
		return foreignError(op, "the response does not say that it was done")
	}
	return nil
}

// isRefusal reports whether an answer says of itself that it is no success.
func isRefusal(object sentObject) bool {
	if success := object.valueOf("success"); success != nil {
		return textOf(success) == "false" || textOf(success) == "0"
	}
	data := object.valueOf("data")
	if data != nil && data.Kind() != 'n' {
		return false
	}
	if len(elementsOf(object.valueOf("errors"))) > 0 || hasFaultCode(object) {
		return true
	}
	if data != nil {
		return false
	}
	if fault := textOf(object.valueOf("error")); fault != "" && fault != "false" {
		return !object.hasMember("uuid")
	}
	status := strings.ToLower(textOf(object.valueOf("status")))
	return status == "error" || status == "fail"
}

// hasFaultCode reports whether an object that is no record has a number for its code that
// is not of a success.
func hasFaultCode(object sentObject) bool {
	n, err := strconv.Atoi(firstText(object, "code", "statusCode"))
	return err == nil && n != 0 && n/100 != 2 && !object.hasMember("uuid") && !object.hasMember("id")
}

// readRecords decodes the records of an answer into a list, which into points to. An
// answer of another form is an error. Where the operation answers a list, so are null and
// {}: a list that was not sent is not an empty list.
func readRecords(op Operation, body []byte, isList bool, into any) (*foundRecords, error) {
	v, _, err := readAnswer(op, body)
	if err != nil {
		return nil, err
	}
	list := reflect.ValueOf(into).Elem()
	f, ok := shapeOf(list.Type().Elem()).findRecords(v, isList)
	switch {
	case !ok && f.dropped > 0:
		return nil, foreignError(
			op,
			fmt.Sprintf("none of the %d rows of the response can be read", f.dropped),
		)
	case isList && f.blank != "" && !f.saysNone():
		return nil, foreignError(op, "the service sent "+f.blank+" instead of a list")
	case !ok && isList:
		return nil, foreignError(op, "unexpected response format: no list; check the address")
	case !ok:
		return nil, foreignError(op, "unexpected response format; check the address")
	}
	records := reflect.MakeSlice(list.Type(), len(f.records), len(f.records))
	for i, record := range f.records {
		if err := DecodeRecord(record, records.Index(i).Addr().Interface()); err != nil {
			return nil, foreignError(op, "unreadable response: "+err.Error())
		}
	}
	list.Set(records)
	return &f, nil
}

// readOne decodes the one record of an answer into a list, which into points to.
func readOne(op Operation, body []byte, into any) error {
	f, err := readRecords(op, body, false, into)
	if err == nil && len(f.records) == 0 {
		err = foreignError(op, "unexpected response format; check the address")
	}
	return err
}

// CallPage performs a read that answers a page of a list. A service that refuses
// the limit is asked again with what it allows, and from then on at once.
func CallPage[T any](
	ctx context.Context,
	c *Connection,
	op Operation,
	opts ListOptions,
) (*Page[T], error) {
	var p Page[T]
	f, err := c.callPage(ctx, &op, opts, &p.Items)
	if err != nil {
		return nil, err
	}
	p.NextCursor, p.HasNextPage = f.nextPage(&op)
	p.Unread, p.keys = f.unread, f.rowKeys()
	if f.total != nil {
		p.Total = *f.total
	}
	return &p, nil
}

// callPage does what [CallPage] does, and decodes the records into a list.
func (c *Connection) callPage(
	ctx context.Context, op *Operation, opts ListOptions, into any,
) (f *foundRecords, err error) {
	more := op.query
	err = c.withLimit(opts.Limit, opts.Cursor == "", func(limit int) error {
		opts.Limit = limit
		op.query = opts.queryValues()
		maps.Copy(op.query, more)
		body, err := c.perform(ctx, op)
		if err == nil {
			f, err = readRecords(*op, body, true, into)
		}
		return err
	})
	return f, err
}

// CallOne performs an operation that answers one record, with a body as JSON unless
// that is nil.
func CallOne[T any](ctx context.Context, c *Connection, op Operation, body any) (*T, error) {
	var records []T
	if err := c.callOne(ctx, &op, body, &records); err != nil {
		return nil, err
	}
	return &records[0], nil
}

// callOne does what [CallOne] does, and decodes the record into a list.
func (c *Connection) callOne(ctx context.Context, op *Operation, body, into any) error {
	got, err := c.performJSON(ctx, op, body)
	if err == nil {
		err = readOne(*op, got, into)
	}
	return err
}
