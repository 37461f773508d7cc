package webhooks

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/dialog"
	"flightdesk/tui/widget/form"
)

// register asks for a new endpoint, has it registered, and shows its secret.
type register struct {
	p     page.Base
	book  *book
	asked page.Question
	made  string // the endpoint that is to be selected once it is listed
}

// registered is an endpoint that there is now, and where its secret is.
type registered struct {
	endpoint *api.WebhookEndpoint
	lasts    bool
	why      error // it does not last
}

type registeredAnswer = page.Answer[registered]

// off says why no endpoint can be registered, "" where one can.
func (r *register) off() string {
	if r.asked.Open() {
		return "still registering an endpoint"
	}
	return ""
}

// ask opens the form.
func (r *register) ask() {
	r.open(newEndpointForm(r.p))
}

func (r *register) open(f *form.Form) {
	r.p.Overlay(&dialog.Edit{
		Theme: r.p.Theme, Title: "Register endpoint", Form: f, Yes: "register",
		OnChange: func(f *form.Form) {
			at, events := f.Field("url"), f.Field("events")
			at.Error = checkURL(at.Value(), true)
			if len(events.Values()) > 0 {
				events.Error = ""
			}
		},
		OnSave: func(f *form.Form) (tea.Cmd, bool) {
			at, events := f.Field("url"), f.Field("events")
			if at.Error = checkURL(at.Value(), false); at.Error != "" {
				f.Focus("url")
				return nil, false
			}
			if len(events.Values()) == 0 {
				events.Error = "press space to select at least one"
				f.Focus("events")
				return nil, false
			}
			return r.send(f), true
		},
	})
}

func newEndpointForm(p page.Base) *form.Form {
	var events []form.Option
	for _, e := range api.EventNames() {
		w := labels.Event(e)
		events = append(events, form.Option{Value: string(e), Label: w.Label, Help: w.Description})
	}
	f := form.New(api.MaxURLLength, p.Now,
		&form.Field{ID: "url", Label: "Address", TypeOn: true, Help: "https URL reachable by the service"},
		&form.Field{ID: "events", Label: "Events", Kind: form.Multi, Options: events},
		&form.Field{ID: "description", Label: "Description", Kind: form.Long, Help: "optional"},
	)
	f.Field("url").Set("https://")
	f.Field("events").Set(eventNames()...)
	return f
}

func eventNames() []string {
	var names []string
	for _, e := range api.EventNames() {
		names = append(names, string(e))
	}
	return names
}

// send has the endpoint registered, and keeps its secret before it is shown.
func (r *register) send(f *form.Form) tea.Cmd {
	in := api.CreateWebhookRequest{URL: f.Field("url").Value(), Description: f.Field("description").Value()}
	if chosen := f.Field("events").Values(); len(chosen) < len(api.EventNames()) {
		for _, e := range chosen {
			in.Events = append(in.Events, api.EventName(e))
		}
	}
	client, kept := r.p.Client, r.p.Secrets
	return page.Ask(r.p, &r.asked, func(ctx context.Context) (got registered, err error) {
		if got.endpoint, err = client.Webhooks.Create(context.WithoutCancel(ctx), in); err != nil {
			return got, refill{err, f}
		}
		if got.endpoint.Secret != "" {
			got.lasts, got.why = kept.Set(got.endpoint.UUID, got.endpoint.Secret)
		}
		return got, nil
	})
}

// refill is an error that goes back to the form that it came from.
type refill struct {
	error
	form *form.Form
}

func (e refill) Unwrap() error { return e.error }

// update takes the answer and reports whether it was one.
func (r *register) update(msg tea.Msg) (cmd tea.Cmd, taken bool) {
	got, is := msg.(registeredAnswer)
	if !is || !got.Of(&r.asked) {
		return nil, false
	}
	if !got.Take() {
		return nil, true
	}
	if got.Err != nil {
		return r.fail(got.Err), true
	}
	r.made = got.Value.endpoint.UUID
	r.p.Overlay(newSecret(r.p, got.Value))
	return r.book.refresh(), true
}

// fail says why there is no endpoint. What was typed is there again; where the
// answer was lost, the list is read: there may be one that nobody knows the
// secret of.
func (r *register) fail(err error) tea.Cmd {
	var back refill
	var refused *api.Error
	if api.MaybeApplied(err) {
		return tea.Batch(r.book.refresh(), page.Toast(theme.Bad,
			"no response; the endpoint may exist, but its secret is unknown: check the list and delete it"))
	}
	if errors.As(err, &back) {
		f := back.form
		at := "url"
		if errors.As(err, &refused) && len(refused.Fields) > 0 {
			if f.Field(refused.Fields[0].Field) != nil {
				at = refused.Fields[0].Field
			}
			f.Field(at).Error = refused.Fields[0].Message
		} else {
			what, advice := labels.Explain(back.error)
			f.Field(at).Error = strings.TrimSpace(strings.TrimSuffix(what, ".") + ". " + advice)
		}
		f.Focus(at)
		r.open(f)
		return nil
	}
	what, _ := labels.Explain(err)
	return page.Toast(theme.Bad, what)
}

// checkURL says what is wrong with an endpoint's address, "" for nothing. While
// it is typed only what can no longer become right is wrong.
func checkURL(text string, typing bool) string {
	const scheme = "https://"
	switch {
	case strings.HasPrefix(scheme, text) && typing:
		return ""
	case strings.HasPrefix(strings.ToLower(text), "http://"):
		return "must use https"
	case !strings.HasPrefix(strings.ToLower(text), scheme):
		return "must start with https://"
	case strings.ContainsAny(text, " \t"):
		return "must not contain spaces"
	case strings.Contains(text, "#"):
		return "must not contain a fragment (#)"
	case len([]rune(text)) > api.MaxURLLength:
		return "too long: " + strconv.Itoa(len([]rune(text))) + " of " + strconv.Itoa(api.MaxURLLength) + " characters"
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return "not a valid URL; use https://example.com/hook"
	case u.User != nil:
		return "must not contain a user or password"
	case u.Hostname() == "" && !typing:
		return "host missing; use https://example.com/hook"
	}
	return ""
}
