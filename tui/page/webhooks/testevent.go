package webhooks

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/dialog"
	"flightdesk/tui/widget/form"
)

const testKey = "test event" // key of the stored address

type testAnswer = page.QuestionAnswer[commands.TestResult]

// askTest opens the form for a test event. The app sends it itself, signed with the
// secret of an endpoint or a typed one. Addresses outside this machine need a second
// confirmation.
func askTest(p page.Base, e *api.WebhookEndpoint, q *page.Question) tea.Cmd {
	var events []form.Option
	for _, name := range api.EventNames() {
		w := labels.EventWord(name)
		events = append(events, form.Option{Value: string(name), Label: w.Label, Help: w.Description})
	}
	secretHelp := "whsec_…, as set in the receiver"
	kept := e != nil && p.Secrets.IsKnown(e.UUID)
	if kept {
		secretHelp = "empty: the stored secret of " + layout.CutLine(endpointName(e), 30)
	}
	f := form.New(api.MaxURLLength, p.Now,
		&form.Field{ID: "to", Label: "Send to", Help: "a receiver on this machine"},
		&form.Field{ID: "event", Label: "Event", Kind: form.Choice, Options: events},
		&form.Field{ID: "secret", Label: "Secret", Secret: true, Help: secretHelp},
	)
	to := "http://127.0.0.1:3000/"
	p.UIState.Get(testKey, &to)
	f.Field("to").Set(to)
	f.Field("event").Set(string(api.EventFlightScheduled))
	p.Overlay(&dialog.FormDialog{Theme: p.Theme, Title: "Send test event", Form: f, Yes: "send", OnSave: func(f *form.Form) (tea.Cmd, bool) {
		to, secret := f.Field("to").Value(), f.Field("secret").Value()
		target, err := commands.ParseReceiver(to)
		if err != nil {
			f.Field("to").Error = err.Error()
			f.FocusField("to")
			return nil, false
		}
		if secret == "" && kept {
			secret, _ = p.Secrets.Get(e.UUID) // already loaded
		}
		if secret == "" {
			f.Field("secret").Error = "required for signing"
			f.FocusField("secret")
			return nil, false
		}
		p.UIState.Put(testKey, to)
		name := api.EventName(f.Field("event").Value())
		send := func() tea.Cmd { return tea.Batch(page.KeepLook(&p.PageLook), sendTest(p, q, target, secret, name)) }
		if commands.IsLoopback(target.Hostname()) {
			return send(), true
		}
		p.Overlay(&dialog.Question{
			Theme: p.Theme, Title: "Send to another machine?", Yes: "send", No: "back",
			Lines: []string{target.Redacted(), "", "This sends a signed test event to another machine. Its receiver will treat it as real."},
			OnYes: send,
		})
		return nil, true
	}})
	return nil
}

// sendTest sends a test event once.
func sendTest(p page.Base, q *page.Question, to *url.URL, secret string, event api.EventName) tea.Cmd {
	now := p.Client.Now()
	return page.AskInBackground(p, q, func(ctx context.Context) (commands.TestResult, error) {
		return commands.SendTest(ctx, to, secret, event, now, nil), nil
	})
}

// reportTested shows the result of a test event.
func reportTested(p page.Base, q *page.Question, msg testAnswer) tea.Cmd {
	if !msg.Answers(q) || !msg.TakeAnswer() {
		return nil
	}
	r := msg.Value
	p.Overlay(
		dialog.OpenCalmly(
			&dialog.Reader{
				Theme: p.Theme,
				Title: "Test event",
				Text:  func(w int) []string { return testLines(&r, p.Theme, w) },
			},
			p.Now,
		),
	)
	return nil
}

func testLines(r *commands.TestResult, th *theme.Theme, w int) []string {
	lines := widget.BoxFacts(
		th,
		10,
		w,
		widget.Text("POST", r.To),
		widget.Text("event", string(r.Event)+" for MSN-0, a placeholder"),
		widget.Text("id", r.ID),
	)
	wrap := func(role theme.Role, text string) {
		for _, part := range layout.Wrap(text, w) {
			lines = append(lines, th.PaintRaised(role, part))
		}
	}
	lines = append(lines, "")
	switch {
	case r.Err != nil:
		wrap(theme.Bad, "✗ "+layout.Clean(r.Err.Error()))
		return lines
	case r.OK:
		wrap(
			theme.Good,
			fmt.Sprintf("✓ %s in %d ms: the receiver accepted it", layout.Clean(r.Status), r.Took.Milliseconds()),
		)
	default:
		wrap(
			theme.Bad,
			fmt.Sprintf(
				"✗ %s in %d ms: the service would retry, up to 4 attempts",
				layout.Clean(r.Status),
				r.Took.Milliseconds(),
			),
		)
	}
	if r.Took > commands.TestTimeout/2 {
		wrap(theme.Attention, fmt.Sprintf("Slow: the service stops waiting after %v.", commands.TestTimeout))
	}
	if r.Answer != "" {
		lines = append(lines, "", th.PaintRaised(theme.Muted, "Response:"))
		for text := range strings.Lines(r.Answer) {
			wrap(theme.Text, layout.Clean(strings.TrimRight(text, "\r\n")))
		}
	}
	return lines
}
