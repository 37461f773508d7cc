package api

import (
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// readRefusal reads the body of an answer that is no success: the service's own
// form, problem details (RFC 9457), or whatever else gives a reason. It is
// Foreign where there is none.
func readRefusal(op Operation, body jsontext.Value) *Error {
	e := &Error{Op: op.name, Status: op.status, read: op.read}
	e.readReason(body, deepest)
	if e.Message == "" && len(e.Fields) > 0 {
		e.Message = "request rejected"
	}
	if e.Message == "" && e.Code != "" {
		e.Message = strings.ReplaceAll(string(e.Code), "_", " ")
	}
	if e.Message == "" {
		return foreignError(op, "no reason given: "+strings.ToLower(http.StatusText(op.status)))
	}
	return e
}

// readReason takes over what a value says of the reason.
func (e *Error) readReason(v jsontext.Value, depth int) {
	if depth == 0 {
		return
	}
	switch v.Kind() {
	case '"':
		if e.Message == "" {
			e.Message = strings.TrimSpace(textOf(v))
		}
	case '[':
		e.readList(v, depth)
	case '{':
		e.readObject(v, depth)
	}
}

func (e *Error) readObject(v jsontext.Value, depth int) {
	object := membersOf(v)
	for _, name := range []string{"message", "detail", "error_description", "reason", "msg", "title", "description", "faultstring", "Message"} {
		e.readReason(object.valueOf(name), depth-1)
	}
	if code := object.valueOf("code"); code.Kind() == '"' && e.Code == "" {
		e.Code = ErrorCode(textOf(code))
	}
	for _, name := range []string{"requestId", "request_id", "traceId"} {
		if id := object.valueOf(name); id.Kind() == '"' && e.RequestID == "" {
			e.RequestID = textOf(id)
		}
	}
	for _, name := range []string{"errors", "fields", "details", "violations", "invalid-params", "invalidParams"} {
		e.readFaults(object.valueOf(name))
	}
	for _, name := range []string{"error", "data", "errors", "fault"} {
		if m := object.valueOf(name); m.Kind() != '[' || e.Message == "" {
			e.readReason(m, depth-1)
		}
	}
}

// readList reads a list of reasons.
func (e *Error) readList(v jsontext.Value, depth int) {
	all := elementsOf(v)
	var texts []string
	for _, one := range all {
		if one.Kind() == '"' {
			texts = append(texts, textOf(one))
		}
	}
	if len(texts) > 0 && e.Message == "" {
		e.Message = strings.Join(texts, "; ")
	} else if len(all) > 0 && e.Message == "" {
		e.readFaults(v)
		e.readReason(all[0], depth-1)
	}
}

// readFaults reads the faults of fields: a list of them, or an object that has
// them by field.
func (e *Error) readFaults(v jsontext.Value) {
	add := func(field, message string) {
		if field != "" && message != "" && !slices.Contains(e.Fields, FieldError{field, message}) {
			e.Fields = append(e.Fields, FieldError{field, message})
		}
	}
	switch v.Kind() {
	case '[':
		for _, one := range elementsOf(v) {
			if one.Kind() == '{' {
				fault := membersOf(one)
				field := firstText(fault, "field", "path", "property", "param", "name", "loc", "pointer")
				add(field, firstText(fault, "message", "reason", "msg", "detail", "error", "code"))
			}
		}
	case '{':
		for _, m := range membersOf(v) {
			switch m.value.Kind() {
			case '"', '[':
				add(m.name, joinTexts(m.value, "; "))
			case '{': // the faults of what a member holds
				for _, within := range membersOf(m.value) {
					add(m.name+"."+within.name, joinTexts(within.value, "; "))
				}
			}
		}
	}
}

// firstText returns the first of some members that says something.
func firstText(object sentObject, names ...string) string {
	for _, name := range names {
		if text := joinTexts(object.valueOf(name), "."); text != "" {
			return text
		}
	}
	return ""
}

// joinTexts returns a text, or the texts of a list.
func joinTexts(v jsontext.Value, mark string) string {
	if v.Kind() != '[' {
		if len(v) == 0 {
			return ""
		}
		return strings.TrimSpace(textOf(v))
	}
	var texts []string
	for _, one := range elementsOf(v) {
		texts = append(texts, textOf(one))
	}
	return strings.Join(texts, mark)
}
