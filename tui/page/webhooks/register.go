package webhooks

import (
	"context"
	"fmt"
	"net/url"
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

// registration is the result of registering an endpoint.
type registration struct {
	form     *widget.Form
	endpoint *api.WebhookEndpoint // with its secret
	stored   page.ToastMsg        // says how long the secret is stored; zero if the service sent no secret
}

// registerRefusal returns why no endpoint can be registered, or "" if one can.
func (et *endpointTracker) registerRefusal(*endpoint) string {
	return page.TextIf(et.registering.IsRunning(), "still registering an endpoint")
}

// openRegistration opens the form that registers an endpoint.
func (et *endpointTracker) openRegistration(*endpoint) tea.Cmd {
	address := addressField("https URL reachable by the service")
	events := &widget.Field{
		Label:   "Events",
		Kind:    widget.MultiField,
		Options: format.WordOptions(api.EventNames()),
		Check: func(chosen string) string {
			return page.TextIf(chosen == "", "press space to select at least one")
		},
	}
	description := &widget.Field{Label: "Description", Kind: widget.LongField, Help: "optional"}
	form := widget.NewForm(api.MaxURLLength, et.Env.Clock.Now, address, events, description)
	address.Set("https://")
	events.Set(format.PlainTexts(api.EventNames())...)
	et.showForm(form, "")
	return nil
}

// showForm opens the form that registers an endpoint. fault is the error of the previous attempt, or "".
func (et *endpointTracker) showForm(form *widget.Form, fault string) {
	address := form.Field("address")
	check := func(*widget.Form) tea.Cmd {
		address.Error = checkPartialURL(address.Value())
		return nil
	}
	et.Env.Nav.Overlay(&widget.FormDialog{
		Title:    "Register endpoint",
		Form:     form,
		Yes:      "register",
		Fault:    fault,
		OnChange: check,
		OnSave:   func() tea.Cmd { return et.sendRegistration(form) },
	})
}

// sendRegistration registers the endpoint in the background, and stores its secret before it is shown.
// Leaving the page does not cancel it.
func (et *endpointTracker) sendRegistration(form *widget.Form) tea.Cmd {
	in := api.CreateWebhookRequest{
		URL:         form.Field("address").Value(),
		Description: form.Field("description").Value(),
	}
	chosen := form.Field("events").Values()
	isAll := len(chosen) == len(api.EventNames())
	if !isAll { // without Events, the endpoint gets all events
		for _, name := range chosen {
			in.Events = append(in.Events, api.EventName(name))
		}
	}
	sender := et.Env.Profile.ChangeSender()
	secrets := et.Env.Profile.Secrets
	register := func(ctx context.Context) (registration, error) {
		result := registration{form: form}
		endpoint, err := sender.RegisterEndpoint(context.WithoutCancel(ctx), in)
		if err != nil {
			return result, err
		}
		result.endpoint = endpoint
		if endpoint.Secret != "" {
			result.stored = storeSecret(secrets, endpoint)
		}
		return result, nil
	}
	return page.RunInBackground(et.Base, &et.registering, register, et.finishRegistration)
}

// keptForRun is the text for a secret that the app keeps only in memory and not in the keyring.
const keptForRun = "Kept until you quit or switch profiles"

// storeSecret stores the secret of an endpoint, and returns a message that says how long it is stored.
func storeSecret(secrets *webhooks.EndpointSecrets, e *api.WebhookEndpoint) page.ToastMsg {
	persistent, err := secrets.Set(e.UUID, e.Secret)
	if persistent {
		text := "✓ Also stored in the keyring, to verify live events after a restart."
		return page.ToastMsg{Role: theme.Good, Text: text}
	}
	if webhooks.IsKeyringSilent(err) {
		return page.ToastMsg{Role: theme.Bad, Text: keptForRun + ": no keyring answers here."}
	}
	if err != nil {
		return page.ToastMsg{Role: theme.Bad, Text: keptForRun + ": " + err.Error() + "."}
	}
	return page.ToastMsg{Role: theme.Muted, Text: keptForRun + "."}
}

// finishRegistration shows the secret of the new endpoint. If the registration failed, it opens the form again
// with the error. If the response was lost, the endpoint may exist; finishRegistration then reloads the list
// and shows the error.
func (et *endpointTracker) finishRegistration(result registration, err error) tea.Cmd {
	if api.MaybeApplied(err) {
		return tea.Batch(et.refresh(), page.ShowToast(theme.Bad, err.Error()))
	}
	if err != nil {
		et.showForm(result.form, format.FaultText(err))
		return nil
	}
	et.created = result.endpoint.UUID
	if result.endpoint.Secret == "" {
		text := "The service sent no secret: callbacks to this endpoint cannot be verified."
		return tea.Batch(et.refresh(), page.ShowToast(theme.Attention, text))
	}
	et.Env.ShowSecret(&page.SecretDialog{
		Title:   "Endpoint registered",
		What:    "the secret",
		Secret:  result.endpoint.Secret,
		Kept:    result.stored,
		Warning: "Copy it now: it is not shown again. Your receiver needs it to verify callbacks.",
	})
	return et.refresh()
}

// addressField returns the field for an endpoint's address.
func addressField(help string) *widget.Field {
	return &widget.Field{
		Label:  "Address",
		TypeOn: true,
		Help:   help,
		Check:  checkURL,
	}
}

// scheme is the scheme that the address of every endpoint must have.
const scheme = "https://"

// checkPartialURL checks the address of an endpoint while the user is typing. Unlike checkURL, it accepts an
// address that is not complete yet, such as "htt".
func checkPartialURL(text string) string {
	if strings.HasPrefix(scheme, strings.ToLower(text)) {
		return ""
	}
	return checkURL(text)
}

// checkURL returns what is wrong with an endpoint's address, or "".
func checkURL(text string) string {
	lower := strings.ToLower(text)
	if strings.HasPrefix(lower, "http://") {
		return "must use https"
	}
	if !strings.HasPrefix(lower, scheme) {
		return "must start with https://"
	}
	if strings.ContainsAny(text, " \t") {
		return "must not contain spaces"
	}
	if _, err := commands.ParseReceiver(text); err != nil {
		return err.Error()
	}
	return ""
}

// testKey is the key of the UI state under which the app stores the address to which it last sent a test event.
const testKey = "test event"

// secretField returns the field for a signing secret. If the field stays empty, the known secret of the endpoint is
// used. e may be nil.
func (et *endpointTracker) secretField(e *endpoint, help string) *widget.Field {
	if e != nil && et.Env.Profile.Secrets.IsKnown(e.UUID) {
		help = "empty: the known secret of " + format.CutLine(e.name(), 30)
	}
	return &widget.Field{Label: "Secret", Secret: true, Help: help}
}

// secretIn returns the secret in a field. If the field is empty, it returns the known secret of the endpoint, or
// "".
func (et *endpointTracker) secretIn(field *widget.Field, e *endpoint) string {
	secret := field.Value()
	if secret == "" && e != nil && et.Env.Profile.Secrets.IsKnown(e.UUID) {
		secret, _ = et.Env.Profile.Secrets.Get(e.UUID) // already loaded
	}
	return secret
}

// openTestEvent opens the form for a test event. The app itself sends the event, and signs it with the known
// secret of the endpoint or with a secret that the user types. If the receiver is on another machine, the user
// has to confirm.
func (et *endpointTracker) openTestEvent(e *endpoint) tea.Cmd {
	if et.Env.Files.Confined {
		return page.ShowToast(theme.Attention, page.NotForGuests)
	}
	address := &widget.Field{Label: "Send to", Help: "a receiver on this machine"}
	event := &widget.Field{
		Label:   "Event",
		Kind:    widget.ChoiceField,
		Options: format.WordOptions(api.EventNames()),
	}
	secret := et.secretField(e, "whsec_…, as set in the receiver")
	form := widget.NewForm(api.MaxURLLength, et.Env.Clock.Now, address, event, secret)
	lastReceiver := "http://127.0.0.1:3000/" // if the UI state has none
	et.Env.Look.UIState.Get(testKey, &lastReceiver)
	address.Set(lastReceiver)
	event.Set(string(api.EventFlightScheduled))
	send := func() tea.Cmd {
		target, err := commands.ParseReceiver(address.Value())
		if err != nil {
			address.Error = err.Error()
			return nil
		}
		key := et.secretIn(secret, e)
		if key == "" {
			secret.Error = "required for signing"
			return nil
		}
		et.Env.Look.UIState.Put(testKey, address.Value())
		return et.confirmTest(target, key, api.EventName(event.Value()))
	}
	et.Env.Nav.Overlay(&widget.FormDialog{
		Title:  "Send test event",
		Form:   form,
		Yes:    "send",
		OnSave: send,
	})
	return nil
}

// confirmTest sends a test event. If target is on another machine, it first asks the user to confirm.
func (et *endpointTracker) confirmTest(target *url.URL, secret string, name api.EventName) tea.Cmd {
	now := et.Env.Profile.Client.Now()
	run := func(ctx context.Context) (commands.TestResult, error) { //nolint:unparam // the result has the error
		return commands.SendTest(ctx, target, secret, name, now, nil), nil
	}
	send := func() tea.Cmd {
		return tea.Batch(et.Env.Look.SaveUIState(), page.RunInBackground(et.Base, &et.tested, run, et.showTest))
	}
	if commands.IsLoopback(target.Hostname()) {
		return send()
	}
	return et.Env.Confirm("Send to another machine?", "send", send, target.Redacted(), "",
		"This sends a signed test event to another machine. Its receiver will treat it as real.")
}

func (et *endpointTracker) showTest(r commands.TestResult, _ error) tea.Cmd {
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
	return et.Env.ShowFacts("Test event", 10, facts...)
}

// testResult returns how the receiver responded to a test event.
func testResult(r *commands.TestResult) widget.Fact {
	const label = "result"
	if r.Err != nil {
		return widget.Toned(label, "✗ "+r.Err.Error(), theme.Bad)
	}
	response := fmt.Sprintf("%s in %d ms", r.Status, r.Took)
	if r.OK {
		return widget.Toned(label, "✓ "+response+": the receiver accepted it", theme.Good)
	}
	return widget.Toned(label, "✗ "+response+": the service would retry, up to 4 attempts", theme.Bad)
}
