package webhooks

import (
	"net"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/webhooks"
	"flightdesk/tui/page"
	"flightdesk/tui/widget/dialog"
	"flightdesk/tui/widget/form"
)

// placeKey is the key of the stored address where the app last listened.
const placeKey = "live feed"

// storedPlace is the stored address where the app last listened.
type storedPlace struct {
	URL  string `json:"url"`
	Addr string `json:"addr"`
}

// askPlace opens the form for the address where callbacks arrive: the service reaches
// the app only through a tunnel or proxy.
func (p *LiveFeed) askPlace() {
	last := storedPlace{"https://", "127.0.0.1:9000"}
	p.UIState.Get(placeKey, &last)
	f := form.New(api.MaxURLLength, p.Now,
		&form.Field{ID: "url", Label: "Address", TypeOn: true, Help: "public https URL of your tunnel or proxy"},
		&form.Field{ID: "addr", Label: "Forwards to", Help: "host:port on this machine, where the app listens"},
		&form.Field{ID: "note", Kind: form.Note},
	)
	f.Field("url").Set(last.URL)
	f.Field("addr").Set(last.Addr)
	d := &placeForm{page: p, form: f}
	d.explainPlace()
	p.Overlay(&dialog.FormDialog{
		Theme:  p.Theme,
		Title:  "Listen for events",
		Lines:  []string{"The service cannot reach private addresses; use a tunnel to forward callbacks."},
		Form:   f,
		Yes:    "listen",
		OnSave: func(*form.Form) (tea.Cmd, bool) { return d.enterForm() },
		OnChange: func(*form.Form) {
			at := f.Field("url")
			at.Error = checkURL(at.Value(), true)
			d.explainPlace()
		},
	})
}

// placeForm is the dialog for the address to listen at.
type placeForm struct {
	page *LiveFeed
	form *form.Form
}

// knownEndpoint returns the endpoint with this address and a stored secret, or nil.
func (d *placeForm) knownEndpoint() *api.WebhookEndpoint {
	b := d.page.book
	for i := range b.endpoints {
		if e := b.endpoints[i]; e.URL == d.form.Field("url").Value() && b.Secrets.IsKnown(e.UUID) {
			e.Secret, _ = b.Secrets.Get(e.UUID) // already loaded
			return &e
		}
	}
	return nil
}

// explainPlace explains the effects of listening at the address.
func (d *placeForm) explainPlace() {
	note := d.form.Field("note")
	if note.Note = "Registers an endpoint there and deletes it on stop"; d.knownEndpoint() != nil {
		note.Note = "Uses your endpoint there and its stored secret; not deleted"
	}
}

// enterForm starts listening if all fields are valid.
func (d *placeForm) enterForm() (tea.Cmd, bool) {
	at, addr := d.form.Field("url"), d.form.Field("addr")
	if at.Error = checkURL(at.Value(), false); at.Error != "" {
		d.form.FocusField("url")
		return nil, false
	}
	if _, port, err := net.SplitHostPort(addr.Value()); err != nil || port == "" {
		addr.Error = "not a host:port; use 127.0.0.1:9000"
		d.form.FocusField("addr")
		return nil, false
	}
	p := d.page
	p.UIState.Put(placeKey, storedPlace{at.Value(), addr.Value()})
	return tea.Batch(
		page.KeepLook(&p.PageLook),
		p.startListening(webhooks.ListenPlace{Addr: addr.Value(), URL: at.Value(), Known: d.knownEndpoint()}),
	), true
}
