package webhooks

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/webhooks"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// registration is the answer to a form that registers an endpoint.
type registration struct {
	form     *widget.Form
	endpoint *api.WebhookEndpoint // with its secret
	kept     page.ToastMsg        // whether the secret is stored
}

// registerRefusal returns why no endpoint can be registered, "" if one can.
func (b *endpointBook) registerRefusal(*endpoint) string {
	return page.TextIf(b.registering.IsOpen(), "still registering an endpoint")
}

// askRegister opens the form that registers an endpoint.
func (b *endpointBook) askRegister(*endpoint) tea.Cmd {
	events := &widget.Field{
		Label:   "Events",
		Kind:    widget.MultiField,
		Options: format.WordOptions(api.EventNames()),
		Check: func(chosen string) string {
			return page.TextIf(chosen == "", "press space to select at least one")
		},
	}
	f := widget.NewForm(
		api.MaxURLLength,
		b.Env.Clock.Now,
		addressField("https URL reachable by the service"),
		events,
		&widget.Field{
			Label: "Description",
			Kind:  widget.LongField,
			Help:  "optional",
		},
	)
	f.Field("address").Set("https://")
	events.Set(format.PlainTexts(api.EventNames())...)
	b.showForm(f, "")
	return nil
}

// showForm shows the form, with what was wrong with it before.
func (b *endpointBook) showForm(f *widget.Form, fault string) {
	at := f.Field("address")
	b.Env.Nav.Overlay(&widget.FormDialog{
		Title: "Register endpoint", Form: f, Yes: "register", Fault: fault,
		OnChange: func(*widget.Form) tea.Cmd {
			at.Error = checkURL(at.Value(), true)
			return nil
		},
		OnSave: func() tea.Cmd { return b.sendRegistration(f) },
	})
}

// sendRegistration registers the endpoint, and stores its secret before it is shown.
func (b *endpointBook) sendRegistration(f *widget.Form) tea.Cmd {
	in := api.CreateWebhookRequest{URL: f.Field("address").Value(), Description: f.Field("description").Value()}
	if chosen := f.Field("events").Values(); len(chosen) < len(api.EventNames()) {
		for _, e := range chosen {
			in.Events = append(in.Events, api.EventName(e))
		}
	}
	sender, secrets := b.Env.Profile.ChangeSender(), b.Env.Profile.Secrets
	return page.AskInBackground(b.Base, &b.registering, func(ctx context.Context) (registration, error) {
		e, err := sender.RegisterEndpoint(context.WithoutCancel(ctx), in)
		got := registration{
			f,
			e,
			page.ToastMsg{Role: theme.Muted, Text: "Kept until you quit."},
		}
		if err != nil || e.Secret == "" {
			return got, err
		}
		switch lasts, err := secrets.Set(e.UUID, e.Secret); {
		case lasts:
			text := "✓ Also stored in the keyring, to verify live events after a restart."
			got.kept = page.ToastMsg{Role: theme.Good, Text: text}
		case err != nil:
			text := "Kept until you quit: " + err.Error() + "."
			if webhooks.IsKeyringSilent(err) {
				text = "Kept until you quit: no keyring answers here."
			}
			got.kept = page.ToastMsg{Role: theme.Bad, Text: text}
		}
		return got, nil
	}, b.finishRegistration)
}

// finishRegistration shows the secret of the new endpoint, or the form again with what
// was wrong. If the answer was lost, the list is reloaded, because there may be an
// endpoint whose secret is unknown.
func (b *endpointBook) finishRegistration(got registration, err error) tea.Cmd {
	switch e := got.endpoint; {
	case api.MaybeApplied(err):
		return tea.Batch(b.refresh(), page.ShowToast(theme.Bad, err.Error()))
	case err != nil:
		b.showForm(got.form, format.FaultText(err))
		return nil
	case e.Secret == "":
		b.made = e.UUID
		return tea.Batch(b.refresh(), page.ShowToast(
			theme.Attention, "The service sent no secret: callbacks to this endpoint cannot be verified."))
	default:
		b.made = e.UUID
		b.Env.ShowSecret(&page.SecretDialog{
			Title: "Endpoint registered", What: "the secret", Secret: e.Secret, Kept: got.kept,
			Warning: "Copy it now: it is not shown again. Your receiver needs it to verify callbacks.",
		})
		return b.refresh()
	}
}

// addressField returns the field for an endpoint's address.
func addressField(help string) *widget.Field {
	return &widget.Field{
		Label:  "Address",
		TypeOn: true,
		Help:   help,
		Check:  func(typed string) string { return checkURL(typed, false) },
	}
}

// checkURL returns what is wrong with an endpoint's address, "" for nothing. While
// typing, the beginning of an address is not wrong.
func checkURL(text string, typing bool) string {
	const scheme = "https://"
	_, err := commands.ParseReceiver(text)
	switch lower := strings.ToLower(text); {
	case typing && strings.HasPrefix(scheme, lower):
		return ""
	case strings.HasPrefix(lower, "http://"):
		return "must use https"
	case !strings.HasPrefix(lower, scheme):
		return "must start with https://"
	case strings.ContainsAny(text, " \t"):
		return "must not contain spaces"
	case err != nil:
		return err.Error()
	}
	return ""
}

const testKey = "test event" // key of the stored address

// secretField returns the field for a signing secret. Empty, it stands for the stored
// one of an endpoint, which may be nil.
func (b *endpointBook) secretField(e *endpoint, help string) *widget.Field {
	if e != nil && b.Env.Profile.Secrets.IsKnown(e.UUID) {
		help = "empty: the stored secret of " + format.CutLine(e.name(), 30)
	}
	return &widget.Field{Label: "Secret", Secret: true, Help: help}
}

// secretIn returns the secret of a field, "" if there is none.
func (b *endpointBook) secretIn(field *widget.Field, e *endpoint) string {
	secret := field.Value()
	if secret == "" && e != nil && b.Env.Profile.Secrets.IsKnown(e.UUID) {
		secret, _ = b.Env.Profile.Secrets.Get(e.UUID) // already loaded
	}
	return secret
}

// askTest opens the form for a test event. The app sends it itself, signed with the
// secret of an endpoint or a typed one. Addresses outside this machine need a second
// confirmation.
func (b *endpointBook) askTest(e *endpoint) tea.Cmd {
	if b.Env.Files.Confined {
		return page.ShowToast(theme.Attention, page.NotForGuests)
	}
	at := &widget.Field{Label: "Send to", Help: "a receiver on this machine"}
	event := &widget.Field{
		Label:   "Event",
		Kind:    widget.ChoiceField,
		Options: format.WordOptions(api.EventNames()),
	}
	signed := b.secretField(e, "whsec_…, as set in the receiver")
	f := widget.NewForm(api.MaxURLLength, b.Env.Clock.Now, at, event, signed)
	to := "http://127.0.0.1:3000/"
	b.Env.Look.UIState.Get(testKey, &to)
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
		b.Env.Look.UIState.Put(testKey, at.Value())
		now, name := b.Env.Profile.Client.Now(), api.EventName(event.Value())
		send := func() tea.Cmd {
			return tea.Batch(b.Env.Look.KeepLook(), page.AskInBackground(b.Base, &b.tested,
				func(ctx context.Context) (commands.TestResult, error) {
					return commands.SendTest(ctx, target, secret, name, now, nil), nil
				}, b.showTest))
		}
		if commands.IsLoopback(target.Hostname()) {
			return send()
		}
		return b.Env.AskFirst("Send to another machine?", "send", send, target.Redacted(), "",
			"This sends a signed test event to another machine. Its receiver will treat it as real.")
	}
	b.Env.Nav.Overlay(&widget.FormDialog{
		Title:  "Send test event",
		Form:   f,
		Yes:    "send",
		OnSave: save,
	})
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
		facts = append(facts, widget.Toned(
			"slow",
			fmt.Sprintf("the service stops waiting after %v", commands.TestTimeout),
			theme.Attention,
		))
	}
	if r.Answer != "" {
		facts = append(facts, widget.Text("response", r.Answer))
	}
	return b.Env.ShowFacts("Test event", 10, facts...)
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
