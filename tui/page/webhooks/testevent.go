package webhooks

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/dialog"
	"flightdesk/tui/widget/form"
)

const testKey = "test event" // key of the stored address

// secretField returns the field for a signing secret. Empty, it stands for the stored
// one of an endpoint, which may be nil.
func (b *endpointBook) secretField(e *endpoint, help string) *form.Field {
	if e != nil && b.Secrets.IsKnown(e.UUID) {
		help = "empty: the stored secret of " + layout.CutLine(e.name(), 30)
	}
	return &form.Field{ID: "secret", Label: "Secret", Secret: true, Help: help}
}

// secretIn returns the secret of a field, "" if there is none.
func (b *endpointBook) secretIn(field *form.Field, e *endpoint) string {
	secret := field.Value()
	if secret == "" && e != nil && b.Secrets.IsKnown(e.UUID) {
		secret, _ = b.Secrets.Get(e.UUID) // already loaded
	}
	return secret
}

// askTest opens the form for a test event. The app sends it itself, signed with the
// secret of an endpoint or a typed one. Addresses outside this machine need a second
// confirmation.
func (b *endpointBook) askTest(e *endpoint) tea.Cmd {
	if b.Confined {
		return page.ShowToast(theme.Attention, page.NotForGuests)
	}
	at := &form.Field{ID: "to", Label: "Send to", Help: "a receiver on this machine"}
	event := &form.Field{ID: "event", Label: "Event", Kind: form.Choice, Options: eventOptions()}
	signed := b.secretField(e, "whsec_…, as set in the receiver")
	f := form.New(api.MaxURLLength, b.Now, at, event, signed)
	to := "http://127.0.0.1:3000/"
	b.UIState.Get(testKey, &to)
	at.Set(to)
	event.Set(string(api.EventFlightScheduled))
	save := func() tea.Cmd {
		secret := b.secretIn(signed, e)
		target, err := commands.ParseReceiver(at.Value())
		switch {
		case err != nil:
			at.Error = err.Error()
			return nil
		case secret == "":
			signed.Error = "required for signing"
			return nil
		}
		b.UIState.Put(testKey, at.Value())
		now, name := b.Client.Now(), api.EventName(event.Value())
		send := func() tea.Cmd {
			return tea.Batch(b.KeepLook(), page.AskInBackground(b.Base, &b.tested,
				func(ctx context.Context) (commands.TestResult, error) {
					return commands.SendTest(ctx, target, secret, name, now, nil), nil
				}, b.showTest))
		}
		if commands.IsLoopback(target.Hostname()) {
			return send()
		}
		return page.AskFirst(b.Env, "Send to another machine?", "send", send, target.Redacted(), "",
			"This sends a signed test event to another machine. Its receiver will treat it as real.")
	}
	b.Overlay(&dialog.FormDialog{Title: "Send test event", Form: f, Yes: "send", OnSave: save})
	return nil
}

// showTest shows the result of a test event.
func (b *endpointBook) showTest(r commands.TestResult, _ error) tea.Cmd {
	facts := []widget.Fact{
		widget.Text("POST", r.To),
		widget.Text("event", string(r.Event)+" for MSN-0, a placeholder"),
		widget.Text("id", r.ID),
		testResult(&r),
	}
	if r.Took > commands.TestTimeout.Milliseconds()/2 {
		facts = append(facts, widget.Toned("slow", fmt.Sprintf("the service stops waiting after %v", commands.TestTimeout), theme.Attention))
	}
	if r.Answer != "" {
		facts = append(facts, widget.Text("response", r.Answer))
	}
	return page.ShowFacts(b.Env, "Test event", 10, facts...)
}

// testResult returns how the receiver answered a test event.
func testResult(r *commands.TestResult) widget.Fact {
	f := widget.Fact{Label: "result", Role: theme.Bad}
	switch answer := fmt.Sprintf("%s in %d ms", r.Status, r.Took); {
	case r.Err != nil:
		f.Value = "✗ " + r.Err.Error()
	case r.OK:
		f.Value, f.Role = "✓ "+answer+": the receiver accepted it", theme.Good
	default:
		f.Value = "✗ " + answer + ": the service would retry, up to 4 attempts"
	}
	return f
}
