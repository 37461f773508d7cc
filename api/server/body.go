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

// firstRead is the largest space made for a body before any of it is there.
const firstRead = 64 << 10

// maxAudited is how much of a body the audit trail keeps, in characters.
const maxAudited = 2000

// readInto reads the body by the tags of into; only noBody may be absent.
func (x *exchange) readInto(into any) error {
	if _, none := into.(*noBody); none {
		return x.readOptional(into)
	}
	body, err := x.readBody()
	if err != nil {
		return err
	}
	return readJSON(body, x.now(), nil, into)
}

// readOptional reads the body, if there is one.
func (x *exchange) readOptional(into any) error {
	body, err := x.readBody()
	if err != nil || len(body) == 0 {
		return err
	}
	return readJSON(body, x.now(), nil, into)
}

// readBody returns the body of a JSON request, with its limit checked before
// anything is kept of it.
func (x *exchange) readBody() ([]byte, error) {
	if x.body != nil {
		return x.body, nil
	}
	if err := x.checkCoding(); err != nil {
		return nil, err
	}
	refused := checkJSONType(x.r.Header)
	if refused != nil && x.r.ContentLength > 0 {
		return nil, refused
	}
	if x.r.ContentLength > api.MaxBodyBytes {
		return nil, errBodyTooLarge
	}
	var body bytes.Buffer
	if n := x.r.ContentLength; n > 0 { // what is announced need not come
		body.Grow(int(min(n, firstRead)) + bytes.MinRead)
	}
	_, err := io.Copy(&body, http.MaxBytesReader(x.w, x.r.Body, api.MaxBodyBytes))
	if err != nil {
		return nil, bodyError(err, errBodyTooLarge)
	}
	if refused != nil && body.Len() > 0 {
		return nil, refused
	}
	x.readDone()
	x.body = body.Bytes()
	if x.body == nil {
		x.body = []byte{}
	}
	if x.audit != nil {
		x.audit.Request = cutText(strings.ToValidUTF8(string(x.body), ""), maxAudited)
	}
	return x.body, nil
}

// formFaults are what is wrong with a form.
type formFaults []api.FieldError

func (f *formFaults) note(field, message string) {
	if len(*f) < maxFaults {
		*f = append(*f, api.FieldError{Field: field, Message: message})
	}
}

// notePart notes what is wrong with a part of any name.
func (f *formFaults) notePart(name, message string) {
	f.note((&bodyReader{path: []pathStep{{name: name}}}).faultPath(), message)
}

// readForm has take read the parts of a form of up to limit bytes, which may take so
// long. It has the parts that what names.
func (x *exchange) readForm(
	what string,
	limit int64,
	tooLarge error,
	longest time.Duration,
	take func(name string, part *multipart.Part, faults *formFaults) error,
) (faults formFaults, err error) {
	if err := x.checkCoding(); err != nil {
		return nil, err
	}
	kind, params, err := mime.ParseMediaType(x.r.Header.Get("Content-Type"))
	switch {
	case err != nil || kind != "multipart/form-data":
		return nil, newFault(api.CodeUnsupportedMediaType, "the body must be multipart/form-data with "+what)
	case x.r.ContentLength > limit:
		return nil, tooLarge
	case params["boundary"] == "":
		return nil, newFault(api.CodeMalformedBody, "the multipart body has no boundary")
	}
	x.limitTime(longest)
	parts := multipart.NewReader(http.MaxBytesReader(x.w, x.r.Body, limit), params["boundary"])
	for {
		part, err := parts.NextRawPart() // as sent: transfer encodings are no part of HTTP
		if err == io.EOF {               // wrapped, it means that the body was cut off
			return faults, nil
		}
		if err != nil {
			return nil, bodyError(err, tooLarge)
		}
		if err := take(part.FormName(), part, &faults); err != nil {
			return nil, err
		}
	}
}

// readAtMost reads a part of a form of at most so many bytes, else the error is tooLong.
func readAtMost(part io.Reader, most int64, tooLarge, tooLong error) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(part, most+1))
	switch {
	case err != nil:
		return nil, bodyError(err, tooLarge)
	case int64(len(b)) > most:
		return nil, tooLong
	}
	return b, nil
}

var errBodyTooLarge = newFault(api.CodeTooLarge,
	fmt.Sprintf("the body is larger than %d MiB", api.MaxBodyBytes>>20))

// bodyError says why a body could not be read to its end.
func bodyError(err error, tooLarge error) error {
	var limit *http.MaxBytesError
	switch {
	case errors.As(err, &limit):
		return tooLarge
	case errors.Is(err, os.ErrDeadlineExceeded):
		return newFault(api.CodeMalformedBody, "the body was not received in time")
	default:
		return newFault(api.CodeMalformedBody, "the body is incomplete")
	}
}

// Limits on what is still read of the body of a refused request. A client that sends
// while the connection is closed would lose the answer.
const (
	maxTooLarge  = 128 << 20 // if the body is too large
	maxRefused   = 16 << 20  // otherwise: more than any request may have
	drainTimeout = 5 * time.Second
)

// drainBody reads the rest of a body, at most limit bytes. It reads nothing of a body that a
// client asks about before it sends it, or that is announced as larger.
func (x *exchange) drainBody(limit int64) {
	if x.r.Body == nil || x.r.Body == http.NoBody || x.r.Header.Get("Expect") != "" || x.r.ContentLength > limit {
		return
	}
	_ = http.NewResponseController(x.w).
		SetReadDeadline(time.Now().Add(drainTimeout))
		// not every transport has deadlines
	_, _ = io.CopyN(io.Discard, x.r.Body, limit)
}

// checkCoding refuses a body that is compressed or encoded in another way. A header that
// says identity is as none.
func (x *exchange) checkCoding() error {
	for _, coding := range x.r.Header.Values("Content-Encoding") {
		if coding != "" && !strings.EqualFold(coding, "identity") {
			x.w.Header().Set("Accept-Encoding", "identity")
			return newFault(api.CodeUnsupportedMediaType, "the body must be sent without Content-Encoding")
		}
	}
	return nil
}

// checkJSONType lets JSON through, and bodies that do not say what they are. A
// body that is empty may say what it likes.
func checkJSONType(h http.Header) error {
	sent := h.Get("Content-Type")
	if sent == "" {
		return nil
	}
	kind, params, err := mime.ParseMediaType(sent)
	charset := params["charset"]
	if err != nil || kind != "application/json" || charset != "" && !strings.EqualFold(charset, "utf-8") {
		return newFault(api.CodeUnsupportedMediaType, "the body must be application/json in UTF-8")
	}
	return nil
}
