package tolerant

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// IsRefusal reports whether a response says that the request failed. In the specification, this is
// {"success": false}. Other services use other forms:
//
//	{"errors": ["not found"]}
//	{"code": 404}
//	{"error": "not found"}
//	{"status": "error"}
//
// A response that contains data is a refusal only if its "success" is false, because a record can
// have a member "error", such as the error of a callback.
func IsRefusal(answer Object) bool {
	if success := answer.Get("success"); success != nil {
		return Text(success) == "false" || Text(success) == "0"
	}
	data := answer.Get("data")
	hasData := data != nil && data.Kind() != 'n'
	if hasData {
		return false
	}
	hasErrors := len(Elements(answer.Get("errors"))) > 0
	if hasErrors || hasFaultCode(answer) {
		return true
	}
	if answer.Has("data") { // null, the data of a success without data
		return false
	}
	if fault := Text(answer.Get("error")); fault != "" && fault != "false" {
		isRecord := answer.Has("uuid")
		return !isRecord
	}
	status := strings.ToLower(Text(answer.Get("status")))
	return status == "error" || status == "fail"
}

// hasFaultCode reports whether an object has a numeric code that means failure: neither 0 nor an HTTP status of
// success. It returns false for an object with an ID: that is a record, and its code means something else.
func hasFaultCode(o Object) bool {
	isRecord := o.Has("uuid") || o.Has("id")
	if isRecord {
		return false
	}
	code, err := strconv.Atoi(o.FirstText("code", "statusCode"))
	if err != nil {
		return false
	}
	isSuccess := code == 0 || code/100 == 2
	return !isSuccess
}

// IsConfirmation reports whether a response says that the request was carried out.
func IsConfirmation(answer Object) bool {
	success := Text(answer.Get("success"))
	return success == "true" || success == "1"
}

// Reason is the reason in an error response.
type Reason struct {
	Message   string
	Code      string
	RequestID string
	Faults    []Fault // invalid fields of the request
}

// Fault is the problem of one field of a request.
type Fault struct{ Field, Message string }

// maxReasonDepth is the maximum depth of nested objects in an error response.
const maxReasonDepth = 5

// FindReason returns the reason in an error response: problem details (RFC 9457), or any other text
// that gives a reason.
func FindReason(body jsontext.Value) Reason {
	var r Reason
	r.addFrom(body, maxReasonDepth)
	return r
}

// addFrom adds the reason in a value, such as "not found", ["not found"] or {"message": "not found"}. A message that
// was found before is not replaced. levels is the number of nested lists and objects to search, including the value.
func (r *Reason) addFrom(v jsontext.Value, levels int) {
	if levels == 0 {
		return
	}
	switch v.Kind() {
	case '"':
		if r.Message == "" {
			r.Message = strings.TrimSpace(Text(v))
		}
	case '[':
		r.addFromList(v, levels)
	case '{':
		r.addFromObject(Members(v), levels)
	}
}

// Names of members in error responses, the most common first.
var (
	messageNames = []string{
		"message", "detail", "error_description", "reason", "msg", "title", "description", "faultstring", "Message",
	}
	requestIDNames = []string{"requestId", "request_id", "traceId"}
	faultListNames = []string{"errors", "fields", "details", "violations", "invalid-params", "invalidParams"}
	containerNames = []string{"error", "data", "errors", "fault"} // their values contain the reason
)

// addFromObject adds the reason in the members of an object, and then the reason in nested objects.
func (r *Reason) addFromObject(o Object, levels int) {
	for _, name := range messageNames {
		r.addFrom(o.Get(name), levels-1)
	}
	if code := o.Get("code"); code.Kind() == '"' && r.Code == "" {
		r.Code = Text(code)
	}
	for _, name := range requestIDNames {
		if id := o.Get(name); id.Kind() == '"' && r.RequestID == "" {
			r.RequestID = Text(id)
		}
	}
	for _, name := range faultListNames {
		r.addFaultList(o.Get(name))
	}
	for _, name := range containerNames {
		r.addFrom(o.Get(name), levels-1)
	}
}

// addFromList adds the reason in a list, unless there is a message already. The message is all texts of the list, or
// if it has none, the message of the first element.
func (r *Reason) addFromList(v jsontext.Value, levels int) {
	elements := Elements(v)
	if r.Message != "" || len(elements) == 0 {
		return
	}
	var texts []string
	for _, element := range elements {
		if element.Kind() == '"' {
			texts = append(texts, Text(element))
		}
	}
	if len(texts) > 0 {
		r.Message = strings.Join(texts, "; ")
		return
	}
	r.addFaultList(v)
	r.addFrom(elements[0], levels-1)
}

// addFaultList adds the invalid fields in a list, or in an object with the fields as its members.
func (r *Reason) addFaultList(v jsontext.Value) {
	switch v.Kind() {
	case '[':
		for _, element := range Elements(v) {
			fault := Members(element)
			field := fault.FirstText("field", "path", "property", "param", "name", "loc", "pointer")
			r.addFault(field, fault.FirstText("message", "reason", "msg", "detail", "error", "code"))
		}
	case '{':
		for _, m := range Members(v) {
			r.addFieldFaults(m)
		}
	}
}

// addFieldFaults adds the faults of a field, such as "email": ["is missing"], or of the fields nested in it, such as
// "contact": {"email": "is missing"}.
func (r *Reason) addFieldFaults(field Member) {
	switch field.Value.Kind() {
	case '"', '[':
		r.addFault(field.Name, JoinTexts(field.Value, "; "))
	case '{':
		for _, nested := range Members(field.Value) {
			r.addFault(field.Name+"."+nested.Name, JoinTexts(nested.Value, "; "))
		}
	}
}

func (r *Reason) addFault(field, message string) {
	fault := Fault{field, message}
	if field != "" && message != "" && !slices.Contains(r.Faults, fault) {
		r.Faults = append(r.Faults, fault)
	}
}
