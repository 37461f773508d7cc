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
	maxBody  = 1 << 20 // of a body that is looked at
	maxShown = 8 << 10 // characters of a body that are shown, and can be edited
)

// SignatureCheck is the workbench: a callback is pasted, and it says whether and why it
// verifies.
type SignatureCheck struct {
	page.Base
	endpoint *api.WebhookEndpoint // whose kept secret is used where none is typed; nil for none
	form     *form.Form
	body     []byte // as it was pasted or read; what is typed stands in the field alone
	shown    string // what the field shows of it
	file     string // that it was read from
	verdict  webhooks.CallbackVerdict
	size     int // of the body that was looked at
	asked    page.Question
	tested   page.Question
	above    int // lines above the form in the last view
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

// CornerText names the endpoint whose secret is at hand.
func (p *SignatureCheck) CornerText() string {
	if p.hasKept() {
		return "secret of " + endpointName(p.endpoint)
	}
	return ""
}

// ActionScopes returns the page's.
func (p *SignatureCheck) ActionScopes() []action.Scope { return []action.Scope{action.SignatureCheck} }

// IsTyping returns true: the page is a form.
func (p *SignatureCheck) IsTyping() bool { return true }

// FilledIn returns the form that the page is.
func (p *SignatureCheck) FilledIn() *form.Form { return p.form }

// HandleAction performs an action.
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

// readFile reads the body from a file where the field names one.
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

// Update takes text for the form, and answers.
func (p *SignatureCheck) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case fileAnswer:
		if msg.TakeAnswer() {
			p.takeFile(msg.Value, msg.Err)
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

// takeFile has the file's content for the body.
func (p *SignatureCheck) takeFile(content []byte, err error) {
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

// pasteText puts text where it belongs: a whole request into its fields, a body as
// it is, and anything else into the field in focus, without its header's name.
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

// setBody keeps a body as it was pasted. A terminal sends a line's end as a
// carriage return alone.
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

// headers are the fields of those that a callback has.
var headers = map[string]string{
	api.HeaderSignature: "signature",
	api.HeaderEvent:     "event",
	api.HeaderDelivery:  "delivery",
	api.HeaderTimestamp: "timestamp",
}

// readRequest reads the headers of a request that was pasted, and what follows them
// as the body, and reports whether there were any.
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

// typedCallback returns what is in the form.
func (p *SignatureCheck) typedCallback() webhooks.SignedCallback {
	value := func(id string) string { return p.form.Field(id).Value() }
	c := webhooks.SignedCallback{
		Body: []byte(value("body")), Signature: value("signature"), Secret: value("secret"),
		Event: value("event"), Delivery: value("delivery"), Timestamp: value("timestamp"), At: p.Now(),
	}
	if p.body != nil && value("body") == strings.TrimSpace(p.shown) {
		c.Body = p.body
	} else if strings.HasPrefix(value("body"), "@") {
		c.Body = nil // it is being read
	}
	if c.Secret == "" && p.hasKept() {
		c.Secret, _ = p.Secrets.Get(p.endpoint.UUID) // it is at hand
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

// checkCallback examines what is there now.
func (p *SignatureCheck) checkCallback() {
	c := p.typedCallback()
	p.verdict, p.size = webhooks.CheckSignature(c), len(c.Body)
}

// Cursor stands in the form.
func (p *SignatureCheck) Cursor() *tea.Cursor {
	if c := p.form.Cursor(); c != nil {
		return tea.NewCursor(c.X, c.Y+p.above)
	}
	return nil
}

// View draws the form, and the verdict beside or below it.
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

// renderVerdict returns the verdict: yes or no, why, and each thing that was looked at.
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

// bodySize says what is taken for the body: every byte of it counts.
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

// HandleMouse does nothing: the form is for the keys.
func (p *SignatureCheck) HandleMouse(page.MouseInput) tea.Cmd { return nil }
