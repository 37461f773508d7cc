package webhooks

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/webhooks"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/widget"
)

const (
	maxCallback = 1 << 20 // size of a callback in a file, in bytes
	maxTyped    = 8 << 10 // length of a callback that is typed or pasted, in characters
)

// signatureCheck is the dialog that checks whether the signature of a callback is valid, and says
// why not.
type signatureCheck struct {
	widget.FormDialog
	tracker  *endpointTracker
	endpoint *endpoint             // may be nil; if the user types no secret, the endpoint's known secret is used
	sent     []ops.CallbackAttempt // attempts of the selected callback; empty if they are not known
	pasted   string                // the pasted callback, with the bytes that the field cannot show
	shown    string                // the pasted callback without these bytes, as the field shows it
	asked    page.Request
}

// openSignatureCheck opens the dialog that checks the signature of a callback to the endpoint e, which may be
// nil. sent has the known attempts to send the callback. If there are attempts, the user can leave the secret
// empty; the dialog then compares the callback with the attempts.
func (et *endpointTracker) openSignatureCheck(e *endpoint, sent []ops.CallbackAttempt) tea.Cmd {
	callback := &widget.Field{Label: "Callback", Kind: widget.LongField, Help: "paste body or request, or @file"}
	signature := &widget.Field{Label: "Signature", Help: "sha256=…, unless the request has it"}
	secretHelp := "whsec_…; not stored"
	if len(sent) > 0 {
		secretHelp = "empty: compare with the sent callback"
	}
	secret := et.secretField(e, secretHelp)
	received := &widget.Field{Label: "Received", Help: "time of arrival, e.g. 2026-11-24T09:31:07Z; empty: now"}
	d := &signatureCheck{tracker: et, endpoint: e, sent: sent}
	d.FormDialog = widget.FormDialog{
		Title:  "Signature check",
		Yes:    "check",
		Form:   widget.NewForm(maxTyped, et.Env.Clock.Now, callback, signature, secret, received),
		OnSave: d.check,
	}
	et.Env.Nav.Overlay(d)
	return nil
}

// Update handles keys and pasted text. The signature covers every byte of a callback. Update therefore stores the
// pasted text unchanged, because the field cannot show some bytes.
func (d *signatureCheck) Update(msg tea.Msg) (tea.Cmd, bool) {
	field := d.Form.Field("callback")
	paste, ok := msg.(tea.PasteMsg)
	if !ok || d.Form.Focused() != field {
		cmd, done := d.FormDialog.Update(msg)
		isClosed := done && widget.KeyName(msg) == "esc" // the dialog stays open to show the result
		return cmd, isClosed
	}
	text := paste.Content
	if !strings.Contains(text, "\n") { // terminals paste line ends as carriage returns
		text = strings.ReplaceAll(text, "\r", "\n")
	}
	if len(text) > maxTyped {
		field.Error = "too long; name its file with @"
		return nil, false
	}
	field.Error = ""
	field.Set(text)
	d.pasted = text
	d.shown = field.Value()
	return nil, false
}

// check checks the callback in the form in the background, unless the form has an error.
func (d *signatureCheck) check() tea.Cmd {
	input := checkInput{
		callback:  d.callbackText(),
		signature: d.Form.Field("signature").Value(),
		secret:    d.tracker.secretIn(d.Form.Field("secret"), d.endpoint),
	}
	receivedAt, receivedError := d.parseReceivedAt()
	input.receivedAt = receivedAt
	d.Form.Field("callback").Error = page.TextIf(input.callback == "", "required")
	d.Form.Field("secret").Error = page.TextIf(input.secret == "" && len(d.sent) == 0, "required")
	d.Form.Field("received").Error = receivedError
	hasError := d.Form.FocusFault()
	if hasError {
		return nil
	}
	d.Lines = []string{"Checking…"} // until showResult
	readAndCheck := func(context.Context) (checkedCallback, error) { return d.readAndCheck(input) }
	return page.RunInBackground(d.tracker.Base, &d.asked, readAndCheck, d.showResult)
}

// checkInput has the values of the form.
type checkInput struct {
	callback   string // a body, a request with headers, or "@" and the name of a file with one of these
	signature  string // "" to use the header of the request
	secret     string // "" to compare the callback with the sent attempts
	receivedAt time.Time
}

// readAndCheck checks the callback in the form. It first reads the callback from a file if the user has typed
// the file's name.
func (d *signatureCheck) readAndCheck(input checkInput) (checkedCallback, error) {
	request, err := d.readNamed(input.callback)
	if err != nil {
		return checkedCallback{}, err
	}
	header, body := splitRequest(request)
	if input.signature != "" {
		_, value, hasName := strings.Cut(input.signature, ":") // "X-Service-Signature: sha256=…"
		if !hasName {
			value = input.signature
		}
		header.Set(api.HeaderSignature, strings.TrimSpace(value))
	}
	return checkCallback(input.secret, header, []byte(body), input.receivedAt, d.sent)
}

// callbackText returns the callback in the form. If the callback was pasted and not changed since, it returns the
// pasted text, because the text in the field lacks the bytes that the field cannot show.
func (d *signatureCheck) callbackText() string {
	text := d.Form.Field("callback").Value()
	if text == d.shown {
		return d.pasted
	}
	return text
}

// parseReceivedAt returns the time of arrival in the form, or the current time if the field is empty. fault is the
// error of the field if the time is not valid, otherwise "".
func (d *signatureCheck) parseReceivedAt() (at time.Time, fault string) {
	value := d.Form.Field("received").Value()
	if value == "" {
		return d.tracker.Env.Clock.Now(), ""
	}
	at, err := time.Parse(time.RFC3339, value)
	if err != nil {
		return time.Time{}, "not a valid time; use 2026-11-24T09:31:07Z"
	}
	return at, ""
}

// checkedCallback is a callback that was checked.
type checkedCallback struct {
	event      *api.Event
	isCompared bool // it was compared with the sent attempts, without a secret
}

// checkCallback checks the signature of a callback with the secret. If secret is "", it compares the body and the
// signature of the callback with the attempts in sent instead.
func checkCallback(
	secret string, header http.Header, body []byte, receivedAt time.Time, sent []ops.CallbackAttempt,
) (checkedCallback, error) {
	signature := header.Get(api.HeaderSignature)
	compare := func() error { return webhooks.CompareSent(sent, signature, body) }
	if secret == "" {
		if err := compare(); err != nil {
			return checkedCallback{}, err
		}
		event, err := api.DecodeEvent(body)
		return checkedCallback{event, true}, err
	}
	event, err := webhooks.CheckSignature(secret, header, body, receivedAt)
	if err != nil && len(sent) > 0 && signature != "" {
		if difference := compare(); difference != nil {
			err = fmt.Errorf("%w; %w", err, difference)
		}
	}
	return checkedCallback{event: event}, err
}

// showResult shows the event of a valid callback, or why the signature is invalid.
func (d *signatureCheck) showResult(checked checkedCallback, err error) tea.Cmd {
	if err != nil {
		d.Lines = nil
		d.Fault = format.CapitalizeFirst(err.Error())
		return nil
	}
	what := "Valid signature"
	if checked.isCompared {
		what = "Body and signature as sent"
	}
	event := checked.event
	d.Lines = []string{fmt.Sprintf("✓ %s: event %s of %s", what, event.Event, event.Data.Mission.MissionCode)}
	return nil
}

// readNamed returns the content of a file if the text is "@" and the name of the file. It returns any other
// text unchanged.
func (d *signatureCheck) readNamed(text string) (string, error) {
	path, named := strings.CutPrefix(text, "@")
	if !named {
		return text, nil
	}
	files := d.tracker.Env.Files
	path = files.FullPath(path)
	if err := files.Confine(path); err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > maxCallback {
		return "", fmt.Errorf("%s is not a file of at most %s", path, format.Bytes(maxCallback))
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	return string(content), nil
}

// splitRequest splits a request, as curl or a log prints it, into headers and body. A text without
// a signature header is returned as a body.
func splitRequest(text string) (header http.Header, body string) {
	header = http.Header{}
	read := 0
	for line := range strings.Lines(text) {
		read += len(line)
		if header.Get(api.HeaderSignature) != "" && strings.TrimSpace(line) == "" {
			return header, text[read:]
		}
		name, value, isHeader := strings.Cut(strings.TrimLeft(line, " \t<>*"), ":")
		if isHeader {
			header.Set(strings.TrimSpace(name), strings.TrimSpace(value))
		}
	}
	return http.Header{}, text
}
