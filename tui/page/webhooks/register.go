package webhooks

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/dialog"
	"flightdesk/tui/widget/form"
)

// registration is the answer to a form that registers an endpoint.
type registration struct {
	form     *form.Form
	endpoint *api.WebhookEndpoint // with its secret
	kept     page.ToastMsg        // whether the secret is stored
}

// registerRefusal returns why no endpoint can be registered, "" if one can.
func (b *endpointBook) registerRefusal(*endpoint) string {
	if b.registering.IsOpen() {
		return "still registering an endpoint"
	}
	return ""
}

// eventOptions returns the events to choose from.
func eventOptions() (options []form.Option) {
	for _, e := range api.EventNames() {
		w := labels.Word(e)
		options = append(options, form.Option{Value: string(e), Label: w.Label, Help: w.Description})
	}
	return options
}

// askRegister opens the form that registers an endpoint.
func (b *endpointBook) askRegister(*endpoint) tea.Cmd {
	events := &form.Field{ID: "events", Label: "Events", Kind: form.Multi, Options: eventOptions()}
	f := form.New(
		api.MaxURLLength,
		b.Now,
		&form.Field{
			ID:     "url",
			Label:  "Address",
			TypeOn: true,
			Help:   "https URL reachable by the service",
		},
		events,
		&form.Field{ID: "description", Label: "Description", Kind: form.Long, Help: "optional"},
	)
	f.Field("url").Set("https://")
	for _, e := range events.Options {
		events.Set(append(events.Values(), e.Value)...)
	}
	b.showForm(f, "")
	return nil
}

// showForm shows the form, with what was wrong with it before.
func (b *endpointBook) showForm(f *form.Form, fault string) {
	at, events := f.Field("url"), f.Field("events")
	b.Overlay(&dialog.FormDialog{
		Title: "Register endpoint", Form: f, Yes: "register", Fault: fault,
		OnChange: func(*form.Form) { at.Error = checkURL(at.Value(), true) },
		OnSave: func() tea.Cmd {
			at.Error = checkURL(at.Value(), false)
			if len(events.Values()) == 0 {
				events.Error = "press space to select at least one"
			}
			if f.FocusFault() {
				return nil
			}
			return b.sendRegistration(f)
		},
	})
}

// sendRegistration registers the endpoint, and stores its secret before it is shown.
func (b *endpointBook) sendRegistration(f *form.Form) tea.Cmd {
	in := api.CreateWebhookRequest{URL: f.Field("url").Value(), Description: f.Field("description").Value()}
	if chosen := f.Field("events").Values(); len(chosen) < len(api.EventNames()) {
		for _, e := range chosen {
			in.Events = append(in.Events, api.EventName(e))
		}
	}
	sender, secrets := b.ChangeSender(), b.Secrets
	return page.AskInBackground(b.Base, &b.registering, func(ctx context.Context) (registration, error) {
		e, err := sender.RegisterEndpoint(context.WithoutCancel(ctx), in)
		got := registration{f, e, page.ToastMsg{Role: theme.Muted, Text: "Stored until you quit."}}
		if err != nil || e.Secret == "" {
			return got, err
		}
		switch lasts, err := secrets.Set(e.UUID, e.Secret); {
		case lasts:
			text := "✓ Also stored in the keyring, to verify live events after a restart."
			got.kept = page.ToastMsg{Role: theme.Good, Text: text}
		case err != nil:
			got.kept = page.ToastMsg{Role: theme.Bad, Text: "Stored until you quit only: " + err.Error() + "."}
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
		b.showForm(got.form, labels.FaultText(err))
		return nil
	case e.Secret == "":
		b.made = e.UUID
		return tea.Batch(b.refresh(), page.ShowToast(
			theme.Attention, "The service sent no secret: callbacks to this endpoint cannot be verified."))
	default:
		b.made = e.UUID
		page.ShowSecret(b.Env, &page.SecretDialog{
			Title: "Endpoint registered", What: "the secret", Secret: e.Secret, Kept: got.kept,
			Warning: "Copy it now: it is not shown again. Your receiver needs it to verify callbacks.",
		})
		return b.refresh()
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
