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
	"flightdesk/tui/app/webhooks"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/widget"
)

const (
	maxCallback = 1 << 20 // size limit of a callback in a file, in bytes
	maxTyped    = 8 << 10 // characters of one that is typed or pasted
)

// signatureCheck is the dialog that says whether a receiver accepts a callback, or why
// not.
type signatureCheck struct {
	widget.FormDialog
	*endpointBook
	endpoint      *endpoint // its stored secret is used if none is typed; may be nil
	pasted, shown string    // the callback that was pasted, and the same as the field has it
	asked         page.Question
}

// askSignature opens the dialog.
func (b *endpointBook) askSignature(e *endpoint) tea.Cmd {
	d := &signatureCheck{endpointBook: b, endpoint: e}
	d.FormDialog = widget.FormDialog{Title: "Signature check", Yes: "check", OnSave: d.check, Form: widget.NewForm(
		maxTyped,
		b.Env.Clock.Now,
		&widget.Field{
			Label: "Callback",
			Kind:  widget.LongField,
			Help:  "paste body or request, or @file",
		},
		&widget.Field{Label: "Signature", Help: "sha256=…, unless the request has it"},
		b.secretField(e, "whsec_…; not stored"),
		&widget.Field{Label: "Received", Help: "time of arrival, e.g. 2026-11-24T09:31:07Z; empty: now"},
	)}
	b.Env.Nav.Overlay(d)
	return nil
}

// Update takes keys and pasted text, of which every byte counts, also those that a field
// cannot show.
func (d *signatureCheck) Update(msg tea.Msg) (tea.Cmd, bool) {
	f := d.Form.Field("callback")
	paste, ok := msg.(tea.PasteMsg)
	if !ok || d.Form.Focused() != f {
		return d.FormDialog.Update(msg)
	}
	text := paste.Content
	if !strings.Contains(text, "\n") { // terminals paste line ends as carriage returns
		text = strings.ReplaceAll(text, "\r", "\n")
	}
	if f.Error = page.TextIf(len(text) > maxTyped, "too long; name its file with @"); f.Error == "" {
		f.Set(text)
		d.pasted, d.shown = text, f.Value()
	}
	return nil, false
}

// check checks the callback in the form.
func (d *signatureCheck) check() tea.Cmd {
	value := func(id string) string { return d.Form.Field(id).Value() }
	text, signature, at := value("callback"), value("signature"), d.Env.Clock.Now()
	if text == d.shown {
		text = d.pasted
	}
	secret := d.secretIn(d.Form.Field("secret"), d.endpoint)
	d.Form.Field("callback").Error = page.TextIf(text == "", "required")
	d.Form.Field("secret").Error = page.TextIf(secret == "", "required")
	if typed := value("received"); typed != "" {
		var err error
		if at, err = time.Parse(time.RFC3339, typed); err != nil {
			d.Form.Field("received").Error = "not a valid time; use 2026-11-24T09:31:07Z"
		}
	}
	if d.Form.FocusFault() {
		return nil
	}
	d.Lines, d.Fault = nil, "checking…" // until the answer is there
	return page.AskInBackground(d.Base, &d.asked, func(context.Context) (*api.Event, error) {
		text, err := d.readNamed(text)
		if err != nil {
			return nil, err
		}
		h, body := splitRequest(text)
		if signature != "" { // perhaps with the name of its header
			h.Set(api.HeaderSignature, strings.TrimSpace(signature[strings.LastIndex(signature, ":")+1:]))
		}
		return webhooks.CheckSignature(secret, h, []byte(body), at)
	}, func(e *api.Event, err error) tea.Cmd {
		if err != nil {
			d.Fault = format.CapitalizeFirst(err.Error())
			return nil
		}
		said := fmt.Sprintf(
			"✓ Valid signature: event %s of %s",
			e.Event,
			e.Data.Mission.MissionCode,
		)
		d.Lines, d.Fault = []string{said}, ""
		return nil
	})
}

// readNamed returns the content of the file that a text names with "@", or else the text.
func (d *signatureCheck) readNamed(text string) (string, error) {
	path, named := strings.CutPrefix(text, "@")
	if !named {
		return text, nil
	}
	path = d.Env.Files.FullPath(path)
	if err := d.Env.Files.Confine(path); err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular() || info.Size() > maxCallback:
		return "", fmt.Errorf(
			"%s is not a file of at most %s",
			path,
			format.Bytes(maxCallback),
		)
	}
	content, err := os.ReadFile(path)
	return string(content), err
}

// splitRequest returns headers and body of a request as logs and curl have it. A text
// without a signature among its headers is a body.
func splitRequest(text string) (h http.Header, body string) {
	h = http.Header{}
	read := 0
	for line := range strings.Lines(text) {
		read += len(line)
		if h.Get(api.HeaderSignature) != "" && strings.TrimSpace(line) == "" {
			return h, text[read:]
		}
		if name, value, is := strings.Cut(strings.TrimLeft(line, " \t<>*"), ":"); is {
			h.Set(strings.TrimSpace(name), strings.TrimSpace(value))
		}
	}
	return http.Header{}, text
}
