package server

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"strings"
	"time"

	"flightdesk/api"
)

// firstRead is the maximum buffer size that is allocated before the body arrives, in
// bytes.
const firstRead = 64 << 10

// maxAudited is the maximum length of a body in the audit trail, in characters.
const maxAudited = 2000

// readInto decodes the JSON body into a struct, and validates each field by its `check` tag. A
// body is required, unless into is a *noBody.
func (x *exchange) readInto(into any) error {
	if _, isOptional := into.(*noBody); isOptional {
		return x.readOptional(into)
	}
	body, err := x.readBody()
	if err != nil {
		return err
	}
	return readJSON(body, x.now(), nil, into)
}

// readOptional is like readInto, but accepts a missing body.
func (x *exchange) readOptional(into any) error {
	body, err := x.readBody()
	if err != nil {
		return err
	}
	if len(body) == 0 {
		return nil
	}
	return readJSON(body, x.now(), nil, into)
}

// readBody returns the body of a JSON request. A body that exceeds the limit is not read
// into memory.
func (x *exchange) readBody() ([]byte, error) {
	if x.body != nil {
		return x.body, nil
	}
	body, err := x.receiveBody()
	if err != nil {
		return nil, err
	}
	x.readDone()
	x.body = body
	if x.body == nil {
		x.body = []byte{} // nil means that the body was not read
	}
	if x.audit != nil {
		x.audit.Request = cutText(strings.ToValidUTF8(string(x.body), ""), maxAudited)
	}
	return x.body, nil
}

// receiveBody checks the headers of a JSON body and reads it from the connection.
func (x *exchange) receiveBody() ([]byte, error) {
	if err := x.checkCoding(); err != nil {
		return nil, err
	}
	wrongType := checkJSONType(x.r.Header)
	if wrongType != nil && x.r.ContentLength > 0 {
		return nil, wrongType
	}
	if x.r.ContentLength > api.MaxBodyBytes {
		return nil, errBodyTooLarge
	}
	var body bytes.Buffer
	if n := x.r.ContentLength; n > 0 {
		// The client may announce more than it sends.
		body.Grow(int(min(n, firstRead)) + bytes.MinRead)
	}
	if _, err := io.Copy(&body, http.MaxBytesReader(x.w, x.r.Body, api.MaxBodyBytes)); err != nil {
		return nil, bodyError(err, errBodyTooLarge)
	}
	if wrongType != nil && body.Len() > 0 {
		return nil, wrongType
	}
	return body.Bytes(), nil
}

// formFaults are the validation errors of a form.
type formFaults []api.FieldError

func (f *formFaults) add(field, message string) {
	if len(*f) < maxFaults {
		*f = append(*f, api.FieldError{Field: field, Message: message})
	}
}

// addPart adds the validation error of a part of the form. It quotes the name of the part if the
// name contains special characters.
func (f *formFaults) addPart(name, message string) {
	f.add((&bodyReader{path: []pathStep{{name: name}}}).faultPath(), message)
}

// formBody describes the form that an operation expects as its request body.
type formBody struct {
	expected string // description of the parts, for the error if the body is not a form
	limit    int64  // bytes
	tooLarge error  // error if the body exceeds the limit
	timeout  time.Duration
}

// readParts reads the parts of a form. It calls readPart for each part and returns the validation errors
// that readPart added.
func (x *exchange) readParts(
	form formBody, readPart func(name string, part *multipart.Part, faults *formFaults) error,
) (formFaults, error) {
	parts, err := x.openForm(form)
	if err != nil {
		return nil, err
	}
	var faults formFaults
	for {
		part, err := parts.NextRawPart() // HTTP has no transfer encodings to be decoded
		if err == io.EOF {               // a wrapped io.EOF means that the body was cut off
			return faults, nil
		}
		if err != nil {
			return nil, bodyError(err, form.tooLarge)
		}
		if err := readPart(part.FormName(), part, &faults); err != nil {
			return nil, err
		}
	}
}

// openForm checks the headers of a form and returns a reader of its parts.
func (x *exchange) openForm(form formBody) (*multipart.Reader, error) {
	if err := x.checkCoding(); err != nil {
		return nil, err
	}
	kind, params, err := mime.ParseMediaType(x.r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" {
		return nil, newFault(api.CodeUnsupportedMediaType, "the body must be multipart/form-data with "+form.expected)
	}
	if x.r.ContentLength > form.limit {
		return nil, form.tooLarge
	}
	if params["boundary"] == "" {
		return nil, newFault(api.CodeMalformedBody, "the multipart body has no boundary")
	}
	x.limitTime(form.timeout)
	return multipart.NewReader(http.MaxBytesReader(x.w, x.r.Body, form.limit), params["boundary"]), nil
}

// readAtMost reads a part of a form. It returns partTooLong if the part is longer than limit
// bytes, and formTooLarge if the whole form is too large.
func readAtMost(part io.Reader, limit int64, formTooLarge, partTooLong error) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(part, limit+1))
	if err != nil {
		return nil, bodyError(err, formTooLarge)
	}
	if int64(len(b)) > limit {
		return nil, partTooLong
	}
	return b, nil
}

var errBodyTooLarge = newFault(api.CodeTooLarge,
	fmt.Sprintf("the body is larger than %d MiB", api.MaxBodyBytes>>20))

// bodyError returns the error for a body that could not be read completely.
func bodyError(err error, tooLarge error) error {
	var limit *http.MaxBytesError
	if errors.As(err, &limit) {
		return tooLarge
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return newFault(api.CodeMalformedBody, "the body was not received in time")
	}
	return newFault(api.CodeMalformedBody, "the body is incomplete")
}

// Limits on how much of the body of a refused request is read. If the connection was
// closed while the client is sending, the client would lose the answer.
const (
	maxTooLarge  = 128 << 20 // bytes, if the request is refused because its body is too large
	maxRefused   = 16 << 20  // bytes, otherwise; more than any accepted request may have
	drainTimeout = 5 * time.Second
)

// drainBody reads and discards the rest of a body, up to limit bytes. It reads nothing if
// the client waits for 100 Continue or announces a larger body.
func (x *exchange) drainBody(limit int64) {
	hasBody := x.r.Body != nil && x.r.Body != http.NoBody
	isWaiting := x.r.Header.Get("Expect") != ""
	if !hasBody || isWaiting || x.r.ContentLength > limit {
		return
	}
	control := http.NewResponseController(x.w)
	_ = control.SetReadDeadline(time.Now().Add(drainTimeout)) // some transports do not support deadlines
	_, _ = io.CopyN(io.Discard, x.r.Body, limit)
}

// checkCoding refuses a body with a content encoding other than identity.
func (x *exchange) checkCoding() error {
	for _, coding := range x.r.Header.Values("Content-Encoding") {
		if coding != "" && !strings.EqualFold(coding, "identity") {
			x.w.Header().Set("Accept-Encoding", "identity")
			return newFault(api.CodeUnsupportedMediaType, "the body must be sent without Content-Encoding")
		}
	}
	return nil
}

// checkJSONType accepts a body that is JSON or has no media type. The media type of an
// empty body does not matter.
func checkJSONType(h http.Header) error {
	sent := h.Get("Content-Type")
	if sent == "" {
		return nil
	}
	kind, params, err := mime.ParseMediaType(sent)
	charset := params["charset"]
	isUTF8 := charset == "" || strings.EqualFold(charset, "utf-8")
	if err != nil || kind != "application/json" || !isUTF8 {
		return newFault(api.CodeUnsupportedMediaType, "the body must be application/json in UTF-8")
	}
	return nil
}

// isForm reports whether to read the body of a request with the form reader. That is the case for
// every media type except JSON. If the media type is not that of a form either, the form reader
// returns the error that describes the expected form.
func (x *exchange) isForm() bool {
	sent := x.r.Header.Get("Content-Type")
	kind, _, _ := mime.ParseMediaType(sent)
	return sent != "" && kind != "application/json"
}
