package webhooks

import (
	"context"
	"fmt"
	"net/textproto"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/webhooks"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

const (
	maxBody  = 1 << 20 // size limit of a body, in bytes
	maxShown = 8 << 10 // characters of a body that are shown and editable
)

// SignatureCheck is the page that checks a pasted callback's signature, and explains
// why it is not valid.
type SignatureCheck struct {
	page.Detail
	book     *endpointBook
	endpoint *endpoint // its stored secret is used if none is typed; may be nil
	form     *widget.Form
	body     []byte // raw, as pasted or read; nil while typed into the field
	shown    string // the part shown in the field
	file     string // path of the body, if it was read from a file
	verdict  webhooks.CallbackVerdict
	checked  []byte // the body of the verdict
	asked    page.Question
}

func newSignatureCheck(b *endpointBook, e *endpoint) *SignatureCheck {
	p := &SignatureCheck{book: b, endpoint: e}
	p.Detail = page.NewDetail(b.Env, "signature check", page.Wide, p.drawForm, func(w, h int) string {
		return format.FitBox(p.renderVerdict(w), w, h)
	})
	p.clear()
	return p
}

// clear empties the form.
func (p *SignatureCheck) clear() {
	p.form = widget.NewForm(
		maxBody,
		p.Now,
		&widget.Field{
			Label: "Body",
			Kind:  widget.LongField,
			Help:  "paste body or request, or @file",
		},
		&widget.Field{
			Label: "Signature",
			Help:  "X-Service-Signature: sha256=…",
		},
		p.book.secretField(p.endpoint, "whsec_…; not stored"),
		&widget.Field{Label: "Event", Help: "X-Service-Event; optional"},
		&widget.Field{
			Label: "Delivery",
			Help:  "X-Service-Delivery; optional",
		},
		&widget.Field{
			Label: "Timestamp",
			Help:  "X-Service-Timestamp; optional",
		},
		&widget.Field{
			Label: "Received",
			Help:  "time of arrival, e.g. 2026-11-24T09:31:07Z; empty: now",
		},
	)
	p.body, p.shown, p.file = nil, "", ""
	p.check()
}

// Title returns the page's name.
func (p *SignatureCheck) Title() string { return "Signature check" }

// CornerText names the endpoint whose secret is used.
func (p *SignatureCheck) CornerText() string {
	if p.endpoint != nil && p.Secrets.IsKnown(p.endpoint.UUID) {
		return "secret of " + p.endpoint.name()
	}
	return ""
}

func (p *SignatureCheck) ActionScopes() []action.Scope { return []action.Scope{action.SignatureCheck} }

// IsTyping returns true: the page is a form.
func (p *SignatureCheck) IsTyping() bool { return true }

// FilledIn returns the page's form.
func (p *SignatureCheck) FilledIn() *widget.Form { return p.form }

func (p *SignatureCheck) HandleAction(id action.ID) tea.Cmd {
	cmd := p.readFile()
	switch id {
	case action.NextField:
		p.form.MoveFocus(1)
	case action.FieldDown:
		p.form.MoveDown()
	case action.PrevField:
		p.form.MoveUp()
	case action.TestEvent:
		return p.book.askTest(p.endpoint)
	case action.Clear:
		p.clear()
		return nil
	}
	return cmd
}

// readFile reads the body from a file if the field names one with "@".
func (p *SignatureCheck) readFile() tea.Cmd {
	path, named := strings.CutPrefix(p.form.Field("body").Value(), "@")
	if p.form.Focused().ID != "body" || !named || path == "" {
		return nil
	}
	full := p.FullPath(path)
	return page.AskInBackground(p.Base, &p.asked, func(context.Context) ([]byte, error) {
		if err := p.Confine(full); err != nil {
			return nil, err
		}
		info, err := os.Stat(full)
		switch {
		case err != nil:
			return nil, err
		case !info.Mode().IsRegular() || info.Size() > maxBody:
			return nil, fmt.Errorf("%s is not a file of at most %s", full, format.Bytes(maxBody))
		}
		return os.ReadFile(full)
	}, p.setFile)
}

// Update handles input of the form.
func (p *SignatureCheck) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		p.pasteText(msg.Content)
	case tea.KeyPressMsg:
		if f := p.form.Focused(); f.ID == "body" && p.file == "" && utf8.RuneCount(p.body) > maxShown {
			f.Error = "too long to edit; paste it again, or name its file with @"
			return nil
		}
		p.form.Update(msg)
	default:
		return nil
	}
	p.check()
	return nil
}

// setFile makes a file's content the body.
func (p *SignatureCheck) setFile(content []byte, err error) tea.Cmd {
	f := p.form.Field("body")
	if err != nil {
		f.Error = format.DescribeFileFault(err)
		p.form.FocusField("body")
	} else {
		p.file = strings.TrimPrefix(f.Value(), "@")
		p.body, p.shown = content, f.Value()
	}
	p.check()
	return nil
}

// pasteText distributes pasted text: a request into all fields, a body unchanged,
// anything else into the focused field without the header's name.
func (p *SignatureCheck) pasteText(text string) {
	lines := text
	if !strings.Contains(text, "\n") { // terminals paste line ends as carriage returns
		lines = strings.ReplaceAll(text, "\r", "\n")
	}
	switch {
	case p.readRequest(lines):
	case p.form.Focused().ID == "body":
		p.setBody(lines)
	default:
		p.form.Update(tea.PasteMsg{Content: strings.TrimSpace(text)})
	}
}

// setBody sets the raw body.
func (p *SignatureCheck) setBody(text string) {
	p.body, p.file = []byte(text), ""
	f := p.form.Field("body")
	f.Error = ""
	if shown := []rune(text); len(shown) > maxShown {
		text = string(shown[:maxShown]) + "…"
	}
	f.Set(text)
	p.shown = f.Value()
}

// headers maps the headers of callbacks to the fields of the form.
var headers = map[string]string{
	api.HeaderSignature: "signature",
	api.HeaderEvent:     "event",
	api.HeaderDelivery:  "delivery",
	api.HeaderTimestamp: "timestamp",
}

// readRequest fills the form from a request with headers and body, and reports whether
// it has any known header.
func (p *SignatureCheck) readRequest(text string) (found bool) {
	read := 0
	for line := range strings.Lines(text) {
		read += len(line)
		header, value, is := strings.Cut(strings.TrimLeft(line, " \t<>*"), ":")
		if id := headers[textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(header))]; is && id != "" {
			p.form.Field(id).Set(strings.TrimSpace(value))
			p.form.Field(id).Error = ""
			found = true
		}
		if found && strings.TrimSpace(line) == "" && read < len(text) {
			p.setBody(text[read:])
			break
		}
	}
	return found
}

// typedCallback returns the callback in the form.
func (p *SignatureCheck) typedCallback() webhooks.SignedCallback {
	value := func(id string) string { return p.form.Field(id).Value() }
	c := webhooks.SignedCallback{
		Body: []byte(value("body")), Signature: value("signature"),
		Secret: p.book.secretIn(p.form.Field("secret"), p.endpoint),
		Event:  value("event"), Delivery: value("delivery"), Timestamp: value("timestamp"), At: p.Now(),
	}
	if p.body != nil && value("body") == strings.TrimSpace(p.shown) {
		c.Body = p.body
	} else if strings.HasPrefix(value("body"), "@") {
		c.Body = nil // still loading
	}
	received := p.form.Field("received")
	received.Error = ""
	if text := received.Value(); text != "" {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			received.Error = "not a valid time; use 2026-11-24T09:31:07Z"
			return c
		}
		c.At = at
	}
	return c
}

// check checks the callback in the form.
func (p *SignatureCheck) check() {
	c := p.typedCallback()
	p.verdict, p.checked = webhooks.CheckSignature(c), c.Body
}

// Cursor returns the cursor of the form.
func (p *SignatureCheck) Cursor() *tea.Cursor { return p.form.Cursor() }

// View renders the form, with the verdict beside or below it.
func (p *SignatureCheck) View(w, h int) string { return p.DrawPage(w*55/100, w, h) }

func (p *SignatureCheck) drawForm(w, h int) string {
	if p.Apart {
		return p.form.View(p.Theme.Style, w, h)
	}
	rows := min(p.form.Height(w), max(4, h/2))
	lines := append(
		format.SplitLines(p.form.View(p.Theme.Style, w, rows)),
		p.Theme.Rule.Render(strings.Repeat("─", w)),
	)
	return format.FitBox(append(lines, p.renderVerdict(w)...), w, h)
}

// renderVerdict renders the verdict: valid or not, why, and every check.
func (p *SignatureCheck) renderVerdict(w int) (lines []string) {
	th, v := p.Theme, &p.verdict
	say := func(role theme.Role, text string) { lines = append(lines, th.PaintLines(role, " ", text, w-2)...) }
	switch {
	case len(v.Missing) > 0:
		say(theme.Text, "Enter "+strings.Join(v.Missing, ", ")+".")
		say(theme.Muted, "Paste a body, its signature and the endpoint's secret. Nothing is sent.")
	case v.Verified:
		say(theme.Good, "✓ Valid signature")
		say(theme.Muted, "A receiver with this secret accepts it.")
	default:
		say(theme.Bad, "✗ Invalid signature")
		say(theme.Text, v.Cause)
		say(theme.Attention, v.Advice)
	}
	var facts []widget.Fact
	for _, c := range v.Checks {
		f := widget.Text(strings.TrimPrefix(c.What, "X-Service-"), "✓ "+c.Says)
		switch c.Mark {
		case webhooks.CheckFails:
			f.Value, f.Role = "✗ "+c.Says, theme.Bad
		case webhooks.CheckUnknown:
			f.Value, f.Role = "? "+c.Says, theme.Muted
		case webhooks.CheckHolds:
		}
		facts = append(facts, f)
	}
	if n := len(p.checked); n > 0 { // every byte counts
		size := format.Count(n, "byte")
		if p.file != "" {
			size += " of " + p.file
		}
		ends := strings.Count(string(p.checked), "\n")
		facts = append(facts, widget.Text("Size", size+", "+format.Count(ends, "line end")))
	}
	return append(append(lines, ""), widget.FactLines(th, 12, w, facts...)...)
}
