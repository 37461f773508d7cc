package api

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api/internal/tolerant"
)

// pageData is the data of a response with one page of a list.
type pageData struct {
	Data        []jsontext.Value `json:"data"`
	NextCursor  *string          `json:"nextCursor"`
	HasNextPage *bool            `json:"hasNextPage"`
}

// errorData is the data of an error response.
type errorData struct {
	Code      ErrorCode    `json:"code"`
	RequestID string       `json:"requestId"`
	Errors    []FieldError `json:"errors"`
}

// readSpecifiedList decodes a list in a form of the specification: a page in the envelope, or
// an array in the v2 API. It returns false if the response has another form.
func readSpecifiedList(body []byte, shape tolerant.Shape) (list tolerant.List, ok bool) {
	isRecord := func(v jsontext.Value) bool { return v.Kind() == '{' && shape.IsRecord(tolerant.Members(v)) }
	if jsontext.Value(body).Kind() == '[' {
		err := json.Unmarshal(body, &list.Records)
		return list, err == nil && allOf(list.Records, isRecord)
	}
	var answer responseEnvelope[pageData]
	err := json.Unmarshal(body, &answer)
	page := answer.Data
	if err != nil || !answer.isSuccess() || page.Data == nil || page.HasNextPage == nil {
		return list, false
	}
	list.Records = page.Data
	list.Page.HasNext = page.HasNextPage
	if page.NextCursor != nil {
		list.Page.Cursor = *page.NextCursor
	}
	return list, allOf(page.Data, isRecord)
}

// readSpecifiedRecord decodes a record in a form of the specification: in the envelope, or
// without it in the v2 API. It returns false if the response has another form.
func readSpecifiedRecord(body []byte, shape tolerant.Shape) (jsontext.Value, bool) {
	if shape.IsRecord(tolerant.Members(body)) {
		return body, true
	}
	var answer responseEnvelope[jsontext.Value]
	err := json.Unmarshal(body, &answer)
	if err != nil || !answer.isSuccess() || answer.Data.Kind() != '{' {
		return nil, false
	}
	members := tolerant.Members(answer.Data)
	isEmpty := len(members) == 0 && len(shape.Own) == 0
	return answer.Data, isEmpty || shape.IsRecord(members) || shape.HasField(members)
}

// readSpecifiedError decodes an error response in the form of the specification. ok is false if the response has
// another form.
func readSpecifiedError(body []byte) (r tolerant.Reason, ok bool) {
	var answer responseEnvelope[*errorData]
	err := json.Unmarshal(body, &answer)
	if err != nil || answer.Success == nil || *answer.Success || answer.Message == "" {
		return r, false
	}
	r.Message = answer.Message
	if answer.Data != nil {
		r.Code = string(answer.Data.Code)
		r.RequestID = answer.Data.RequestID
		for _, fault := range answer.Data.Errors {
			r.Faults = append(r.Faults, tolerant.Fault(fault))
		}
	}
	return r, true
}

// allOf reports whether a condition is true for all elements of a list.
func allOf[T any](list []T, condition func(T) bool) bool {
	for _, v := range list {
		if !condition(v) {
			return false
		}
	}
	return true
}

// readResponse decodes a response in any form and returns its value and its message. It returns
// an error if the response says that the operation failed.
func readResponse(op Operation, body []byte) (v jsontext.Value, message string, err error) {
	if err := json.Unmarshal(body, &v, tolerant.Syntax); err != nil {
		return nil, "", foreignError(op, "unexpected response format; check the address")
	}
	answer := tolerant.Members(v)
	if tolerant.IsRefusal(answer) {
		return nil, "", readErrorResponse(op, v)
	}
	return v, tolerant.Text(answer.Get("message")), nil
}

// readConfirmation returns an error unless a response says, in the service's envelope, that
// the operation succeeded.
func readConfirmation(op Operation, body []byte) error {
	v, _, err := readResponse(op, body)
	if err != nil {
		return err
	}
	if !tolerant.IsConfirmation(tolerant.Members(v)) {
		return foreignError(op, "the response does not say that it was done")
	}
	return nil
}

// readErrorResponse returns the error of an error response. The error is Foreign if the response
// gives no reason.
func readErrorResponse(op Operation, body jsontext.Value) *Error {
	reason, ok := readSpecifiedError(body)
	if !ok {
		reason = tolerant.FindReason(body)
	}
	e := &Error{
		Op:        op.name,
		Status:    op.status,
		Message:   reason.Message,
		Code:      ErrorCode(reason.Code),
		RequestID: reason.RequestID,
		read:      op.read,
	}
	for _, fault := range reason.Faults {
		e.Fields = append(e.Fields, FieldError(fault))
	}
	hasReason := e.Message != "" || e.Code != "" || len(e.Fields) > 0
	if !hasReason {
		return foreignError(op, "no reason given")
	}
	if e.Message == "" {
		e.Message = e.defaultMessage()
	}
	return e
}

// defaultMessage returns the message of an error for a response without a message: it has only faults of fields, or a
// code.
func (e *Error) defaultMessage() string {
	if len(e.Fields) > 0 {
		return "request rejected"
	}
	return strings.ReplaceAll(string(e.Code), "_", " ")
}

// readList decodes the records of a response into a slice, to which target is a pointer. A missing
// list is an error, never an empty list.
func readList(op Operation, body []byte, target any) (*tolerant.List, error) {
	shape := shapeOf(elementType(target))
	list, ok := readSpecifiedList(body, shape)
	if !ok {
		v, _, err := readResponse(op, body)
		if err != nil {
			return nil, err
		}
		list, ok = tolerant.FindList(v, shape)
	}
	if !ok && list.Dropped > 0 {
		return nil, foreignError(op, fmt.Sprintf("none of the %d rows of the response can be read", list.Dropped))
	}
	if !ok {
		return nil, foreignError(op, "unexpected response format: no list; check the address")
	}
	if list.Blank != "" && !list.Page.SaysNone() {
		return nil, foreignError(op, "the service sent "+list.Blank+" instead of a list")
	}
	if err := decodeRecords(op, list.Records, target); err != nil {
		return nil, err
	}
	return &list, nil
}

// readRecord decodes the record of a response into a slice, to which target is a pointer. The slice
// then has this one record.
func readRecord(op Operation, body []byte, target any) error {
	shape := shapeOf(elementType(target))
	record, ok := readSpecifiedRecord(body, shape)
	if !ok {
		v, _, err := readResponse(op, body)
		if err != nil {
			return err
		}
		record, ok = tolerant.FindRecord(v, shape)
	}
	if !ok {
		return foreignError(op, "unexpected response format; check the address")
	}
	return decodeRecords(op, []jsontext.Value{record}, target)
}

func elementType(slice any) reflect.Type { return reflect.TypeOf(slice).Elem().Elem() }

// decodeRecords decodes records into a slice, to which target is a pointer.
func decodeRecords(op Operation, sent []jsontext.Value, target any) error {
	slice := reflect.ValueOf(target).Elem()
	records := reflect.MakeSlice(slice.Type(), len(sent), len(sent))
	for i, record := range sent {
		if err := DecodeRecord(record, records.Index(i).Addr().Interface()); err != nil {
			return foreignError(op, "unreadable response: "+err.Error())
		}
	}
	slice.Set(records)
	return nil
}

// CallPage performs a read operation that returns a page of a list. If the service rejects the
// limit, CallPage repeats the request without one, and later calls send no limit.
func CallPage[T any](ctx context.Context, c *Connection, op Operation, opts ListOptions) (*Page[T], error) {
	var p Page[T]
	list, err := c.callPage(ctx, &op, opts, &p.Items)
	if err != nil {
		return nil, err
	}
	p.NextCursor, p.HasNextPage = nextPage(list.Page, &op)
	p.Unread = list.Unread
	p.keys = rowKeys(list.Records)
	if list.Page.Total != nil {
		p.Total = *list.Page.Total
	}
	return &p, nil
}

// callPage implements [CallPage] without type parameters. target is a pointer to a slice of records.
func (c *Connection) callPage(
	ctx context.Context, op *Operation, opts ListOptions, target any,
) (list *tolerant.List, err error) {
	ownQuery := op.query
	err = c.withLimit(opts.Limit, opts.Cursor == "", func(limit int) error {
		opts.Limit = limit
		op.query = opts.queryValues()
		maps.Copy(op.query, ownQuery)
		body, err := c.perform(ctx, op)
		if err != nil {
			return err
		}
		list, err = readList(*op, body, target)
		return err
	})
	return list, err
}

// CallOne performs an operation that returns one record. It sends body as JSON, or no body if
// body is nil.
func CallOne[T any](ctx context.Context, c *Connection, op Operation, body any) (*T, error) {
	var records []T
	if err := c.callOne(ctx, &op, body, &records); err != nil {
		return nil, err
	}
	return &records[0], nil
}

// callOne implements [CallOne] without type parameters. target is a pointer to a slice, which then has
// the record.
func (c *Connection) callOne(ctx context.Context, op *Operation, body, target any) error {
	response, err := c.performJSON(ctx, op, body)
	if err != nil {
		return err
	}
	return readRecord(*op, response, target)
}
