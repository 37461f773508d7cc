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

// registerForm registers a new endpoint and shows its secret.
type registerForm struct {
	p     page.Base
	book  *endpointBook
	asked page.Question
	made  string // ID of the endpoint to select once it is listed
}

// registeredEndpoint is a new endpoint with its secret.
type registeredEndpoint struct {
	endpoint *api.WebhookEndpoint
	lasts    bool
	why      error // it does not last
}

type registeredAnswer = page.QuestionAnswer[registeredEndpoint]

// registerRefusal returns why no endpoint can be registered, "" if one can.
func (r *registerForm) registerRefusal() string {
	if r.asked.IsOpen() {
		return "still registering an endpoint"
	}
	return ""
}

// openForm opens an empty form.
func (r *registerForm) openForm() {
	r.openDialog(newEndpointForm(r.p))
}

func (r *registerForm) openDialog(f *form.Form) {
	r.p.Overlay(&dialog.FormDialog{
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
				f.FocusField("url")
				return nil, false
			}
			if len(events.Values()) == 0 {
				events.Error = "press space to select at least one"
				f.FocusField("events")
				return nil, false
			}
			return r.sendRegistration(f), true
		},
	})
}

func newEndpointForm(p page.Base) *form.Form {
	var events []form.Option
	for _, e := range api.EventNames() {
		w := labels.EventWord(e)
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

// sendRegistration registers the endpoint, and stores its secret before it is shown.
func (r *registerForm) sendRegistration(f *form.Form) tea.Cmd {
	in := api.CreateWebhookRequest{URL: f.Field("url").Value(), Description: f.Field("description").Value()}
	if chosen := f.Field("events").Values(); len(chosen) < len(api.EventNames()) {
		for _, e := range chosen {
			in.Events = append(in.Events, api.EventName(e))
		}
	}
	sender, kept := r.p.ChangeSender(), r.p.Secrets
	return page.AskInBackground(r.p, &r.asked, func(ctx context.Context) (got registeredEndpoint, err error) {
		if got.endpoint, err = sender.RegisterEndpoint(context.WithoutCancel(ctx), in); err != nil {
			return got, refilledForm{err, f}
		}
		if got.endpoint.Secret != "" {
			got.lasts, got.why = kept.Set(got.endpoint.UUID, got.endpoint.Secret)
		}
		return got, nil
	})
}

// refilledForm is an error that reopens the form it is about.
type refilledForm struct {
	error
	form *form.Form
}

func (e refilledForm) Unwrap() error { return e.error }

// updateForm handles the answer, and reports whether the message was one.
func (r *registerForm) updateForm(msg tea.Msg) (cmd tea.Cmd, taken bool) {
	got, is := msg.(registeredAnswer)
	if !is || !got.Answers(&r.asked) {
		return nil, false
	}
	if !got.TakeAnswer() {
		return nil, true
	}
	if got.Err != nil {
		return r.explainFailure(got.Err), true
	}
	r.made = got.Value.endpoint.UUID
	r.p.Overlay(newSecret(r.p, got.Value))
	return r.book.refreshAll(), true
}

// explainFailure explains why no endpoint was registered, and reopens the form. If the
// answer was lost, the list is reloaded, because there may be an endpoint whose secret
// is unknown.
func (r *registerForm) explainFailure(err error) tea.Cmd {
	var back refilledForm
	var refused *api.Error
	if api.MaybeApplied(err) {
		return tea.Batch(r.book.refreshAll(), page.ShowToast(theme.Bad, err.Error()))
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
			what, advice := labels.ExplainError(back.error)
			f.Field(at).Error = strings.TrimSpace(strings.TrimSuffix(what, ".") + ". " + advice)
		}
		f.FocusField(at)
		r.openDialog(f)
		return nil
	}
	what, _ := labels.ExplainError(err)
	return page.ShowToast(theme.Bad, what)
}

// checkURL returns what is wrong with an endpoint's address, "" for nothing. While
// typing, an incomplete address is not wrong.
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
