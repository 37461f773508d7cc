package webhooks

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
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
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/form"
)

const (
	maxBody  = 1 << 20 // size limit of a body, in bytes
	maxShown = 8 << 10 // characters of a body that are shown and editable
)

// SignatureCheck is the page that checks a pasted callback's signature, and explains
// why it is not valid.
type SignatureCheck struct {
	page.Base
	endpoint *api.WebhookEndpoint // its stored secret is used if none is typed; may be nil
	form     *form.Form
	body     []byte // raw, as pasted or read; nil while typed into the field
	shown    string // the part shown in the field
	file     string // path of the body, if it was read from a file
	verdict  webhooks.CallbackVerdict
	size     int // of the checked body, in bytes
	asked    page.Question
	tested   page.Question
	above    int // lines above the form in the last frame
}

func newSignatureCheck(env *page.Env, e *api.WebhookEndpoint) *SignatureCheck {
	p := &SignatureCheck{Base: page.NewBase(env), endpoint: e}
	p.form = p.formFields()
	p.checkCallback()
	return p
}

func (p *SignatureCheck) formFields() *form.Form {
	secret := "whsec_…; not stored"
	if p.hasKept() {
		secret = "empty: the stored secret of " + layout.CutLine(endpointName(p.endpoint), 30)
	}
	return form.New(maxBody, p.Now,
		&form.Field{ID: "body", Label: "Body", Kind: form.Long, Help: "paste body or request, or @file"},
		&form.Field{ID: "signature", Label: "Signature", Help: "X-Service-Signature: sha256=…"},
		&form.Field{ID: "secret", Label: "Secret", Secret: true, Help: secret},
		&form.Field{ID: "event", Label: "Event", Help: "X-Service-Event; optional"},
		&form.Field{ID: "delivery", Label: "Delivery", Help: "X-Service-Delivery; optional"},
		&form.Field{ID: "timestamp", Label: "Timestamp", Help: "X-Service-Timestamp; optional"},
		&form.Field{ID: "received", Label: "Received", Help: "time of arrival, e.g. 2026-11-24T09:31:07Z; empty: now"},
	)
}

func (p *SignatureCheck) hasKept() bool {
	return p.endpoint != nil && p.Secrets.IsKnown(p.endpoint.UUID)
}

// Title returns the page's name.
func (p *SignatureCheck) Title() string { return "Signature check" }

// CornerText names the endpoint whose secret is used.
func (p *SignatureCheck) CornerText() string {
	if p.hasKept() {
		return "secret of " + endpointName(p.endpoint)
	}
	return ""
}

func (p *SignatureCheck) ActionScopes() []action.Scope { return []action.Scope{action.SignatureCheck} }

// IsTyping returns true: the page is a form.
func (p *SignatureCheck) IsTyping() bool { return true }

// FilledIn returns the page's form.
func (p *SignatureCheck) FilledIn() *form.Form { return p.form }

func (p *SignatureCheck) HandleAction(id action.ID) tea.Cmd {
	switch id {
	case action.NextField, action.FieldDown, action.PrevField:
		cmd := p.readFile()
		map[action.ID]func(){
			action.NextField: func() { p.form.MoveFocus(1) }, action.FieldDown: p.form.MoveDown, action.PrevField: p.form.MoveUp,
		}[id]()
		return cmd
	case action.TestEvent:
		return askTest(p.Base, p.endpoint, &p.tested)
	case action.Clear:
		p.form, p.body, p.shown, p.file = p.formFields(), nil, "", ""
		p.checkCallback()
	}
	return nil
}

type fileAnswer = page.QuestionAnswer[[]byte]

// readFile reads the body from a file if the field names one with "@".
func (p *SignatureCheck) readFile() tea.Cmd {
	path, named := strings.CutPrefix(p.form.Field("body").Value(), "@")
	if p.form.Focused().ID != "body" || !named || path == "" {
		return nil
	}
	full := page.FullPath(&p.FileAccess, path)
	return page.AskInBackground(p.Base, &p.asked, func(context.Context) ([]byte, error) { return readBody(full) })
}

func readBody(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxBody {
		return nil, fmt.Errorf("%s is not a file of at most %s", path, format.Bytes(maxBody))
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, maxBody))
}

// Update handles input of the form, files that were read and results of test events.
func (p *SignatureCheck) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case fileAnswer:
		if msg.TakeAnswer() {
			p.setFile(msg.Value, msg.Err)
		}
	case testAnswer:
		return reportTested(p.Base, &p.tested, msg)
	case tea.PasteMsg:
		p.pasteText(msg.Content)
	case tea.KeyPressMsg:
		if f := p.form.Focused(); f.ID == "body" && p.isCut() {
			f.Error = "too long to edit; paste it again, or name its file with @"
			return nil
		}
		p.form.Update(msg)
	default:
		return nil
	}
	p.checkCallback()
	return nil
}

// setFile makes a file's content the body.
func (p *SignatureCheck) setFile(content []byte, err error) {
	f := p.form.Field("body")
	if err != nil {
		var path *os.PathError
		if errors.As(err, &path) {
			err = path.Err
		}
		f.Error = err.Error()
		p.form.FocusField("body")
		return
	}
	p.file = strings.TrimPrefix(f.Value(), "@")
	p.body, p.shown = content, f.Value()
}

// pasteText distributes pasted text: a request into all fields, a body unchanged,
// anything else into the focused field without the header's name.
func (p *SignatureCheck) pasteText(text string) {
	if strings.Contains(text, "X-Service-") || strings.Contains(text, "x-service-") {
		if p.readRequest(text) {
			return
		}
	}
	f := p.form.Focused()
	if f.ID != "body" {
		p.form.Update(tea.PasteMsg{Content: strings.TrimSpace(text)})
		return
	}
	p.setBody(text)
}

// setBody sets the raw body. Terminals paste line ends as carriage returns.
func (p *SignatureCheck) setBody(text string) {
	if !strings.Contains(text, "\n") {
		text = strings.ReplaceAll(text, "\r", "\n")
	}
	p.body, p.file = []byte(text), ""
	f := p.form.Field("body")
	f.Error = ""
	if shown := []rune(text); len(shown) > maxShown {
		text = string(shown[:maxShown]) + "…"
	}
	f.Set(text)
	p.shown = f.Value()
}

// isCut reports whether the field shows only the beginning of the body.
func (p *SignatureCheck) isCut() bool { return p.file == "" && utf8.RuneCount(p.body) > maxShown }

// headers maps the headers of callbacks to the fields of the form.
var headers = map[string]string{
	api.HeaderSignature: "signature",
	api.HeaderEvent:     "event",
	api.HeaderDelivery:  "delivery",
	api.HeaderTimestamp: "timestamp",
}

// readRequest fills the form from a pasted request with headers and body, and reports
// whether it has any known header.
func (p *SignatureCheck) readRequest(text string) bool {
	if !strings.Contains(text, "\n") {
		text = strings.ReplaceAll(text, "\r", "\n")
	}
	lines := bufio.NewReader(strings.NewReader(text))
	found, read := false, 0
	for {
		line, err := lines.ReadString('\n')
		read += len(line)
		header, value, is := strings.Cut(strings.TrimLeft(line, " \t<>*"), ":")
		if id := headers[textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(header))]; is && id != "" {
			p.form.Field(id).Set(strings.TrimSpace(value))
			p.form.Field(id).Error = ""
			found = true
		}
		if blank := strings.TrimSpace(line) == "" && found; blank || err != nil {
			if body := text[read:]; blank && body != "" {
				p.setBody(body)
			}
			return found
		}
	}
}

// typedCallback returns the callback in the form.
func (p *SignatureCheck) typedCallback() webhooks.SignedCallback {
	value := func(id string) string { return p.form.Field(id).Value() }
	c := webhooks.SignedCallback{
		Body: []byte(value("body")), Signature: value("signature"), Secret: value("secret"),
		Event: value("event"), Delivery: value("delivery"), Timestamp: value("timestamp"), At: p.Now(),
	}
	if p.body != nil && value("body") == strings.TrimSpace(p.shown) {
		c.Body = p.body
	} else if strings.HasPrefix(value("body"), "@") {
		c.Body = nil // still loading
	}
	if c.Secret == "" && p.hasKept() {
		c.Secret, _ = p.Secrets.Get(p.endpoint.UUID) // already loaded
	}
	received := p.form.Field("received")
	if text := received.Value(); text != "" {
		at, err := time.Parse(time.RFC3339, text)
		received.Error = ""
		if err != nil {
			received.Error = "not a valid time; use 2026-11-24T09:31:07Z"
		} else {
			c.At = at
		}
	}
	return c
}

// checkCallback checks the callback in the form.
func (p *SignatureCheck) checkCallback() {
	c := p.typedCallback()
	p.verdict, p.size = webhooks.CheckSignature(c), len(c.Body)
}

// Cursor returns the cursor of the form.
func (p *SignatureCheck) Cursor() *tea.Cursor {
	if c := p.form.Cursor(); c != nil {
		return tea.NewCursor(c.X, c.Y+p.above)
	}
	return nil
}

// View renders the form, with the verdict beside or below it.
func (p *SignatureCheck) View(w, h int) string {
	p.above = 1
	if p.Theme.IsWide(w, listpage.Wide) {
		left := w * 55 / 100
		form := "\n" + p.form.View(p.Theme.Style, left, h-1)
		return layout.Beside(
			p.Theme.Rule.Render("│"),
			layout.FitBox(layout.SplitLines(form), left, h),
			layout.FitBox(append([]string{""}, p.renderVerdict(w-left-1)...), w-left-1, h),
		)
	}
	rows := p.form.Height(w)
	if rows > h/2 {
		p.above, rows = 0, max(4, h/2)
	}
	lines := append(
		layout.SplitLines(strings.Repeat("\n", p.above)+p.form.View(p.Theme.Style, w, rows)),
		p.Theme.Rule.Render(strings.Repeat("─", w)),
	)
	return layout.FitBox(append(lines, p.renderVerdict(w)...), w, h)
}

// renderVerdict renders the verdict: valid or not, why, and every check.
func (p *SignatureCheck) renderVerdict(w int) []string {
	th, v := p.Theme, &p.verdict
	var lines []string
	say := func(role theme.Role, text string) {
		lines = append(lines, th.PaintLines(role, " ", layout.Clean(text), w-2)...)
	}
	switch {
	case len(v.Missing) > 0:
		say(theme.Text, "Enter "+strings.Join(v.Missing, ", ")+".")
		say(theme.Muted, "Paste a body, its signature and the endpoint's secret. Nothing is sent.")
		return append(lines, p.bodySize(w)...)
	case v.Verified:
		lines = append(lines, " "+layout.CleanText(th.Style(theme.Good).Bold(true), "✓ Valid signature"))
		say(theme.Muted, "A receiver with this secret accepts it.")
	default:
		lines = append(lines, " "+layout.CleanText(th.Style(theme.Bad).Bold(true), "✗ Invalid signature"))
		say(theme.Text, v.Cause)
		say(theme.Attention, v.Advice)
	}
	lines = append(lines, "")
	for _, c := range v.Checks {
		mark, role := "✓", theme.Good
		switch c.Mark {
		case webhooks.CheckFails:
			mark, role = "✗", theme.Bad
		case webhooks.CheckUnknown:
			mark, role = "?", theme.Muted
		case webhooks.CheckHolds:
		}
		if th.Linear {
			mark = map[string]string{"✓": "right:", "✗": "wrong:", "?": "unknown:"}[mark]
		}
		what := layout.FitLeft(strings.TrimPrefix(c.What, "X-Service-"), 12)
		line := " " + th.PaintRole(role, mark+" ") + th.PaintText(what) + th.PaintMuted(" "+c.Says)
		lines = append(lines, layout.CutLine(line, w))
	}
	return append(lines, p.bodySize(w)...)
}

// bodySize returns the size of the checked body: every byte counts.
func (p *SignatureCheck) bodySize(w int) []string {
	n := p.size
	if n == 0 {
		return nil
	}
	text := format.Count(n, "byte", "bytes")
	if p.file != "" {
		text += " of " + p.file
	}
	if p.body != nil {
		if i := strings.Count(string(p.body), "\n"); i > 0 {
			text += ", " + format.Count(i, "line end", "line ends")
		}
	}
	return []string{"", layout.CutLine(p.Theme.PaintMuted(" Body: "+text), w)}
}

// HandleMouse does nothing.
func (p *SignatureCheck) HandleMouse(page.MouseInput) tea.Cmd { return nil }
