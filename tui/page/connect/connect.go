package connect

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// connectStep is where the page is.
type connectStep int

const (
	welcome connectStep = iota // choose: the demo, or an account
	typing                     // the form
	allowed                    // what the key may do
	kept                       // where it was kept
)

// ConnectPage is the page.
type ConnectPage struct {
	page.Base
	setup  session.AccountSetup
	ready  func(profile string) tea.Cmd
	step   connectStep
	choice int // of the welcome: 0 the demo, 1 an account
	form   *widget.Form
	above  int // rows above the form in the last view
	tried  session.TriedAccount
	notice session.KeptNotice
	err    error
	asked  page.Question
	doing  string // what is being waited for
	chosen string // the profile to open
	edited string // the profile that is edited, "" for a new one
	world  *page.SiteMap
}

// New returns the page. ready opens the app on the account that was kept, or on
// the demo.
func New(env *page.Env, setup session.AccountSetup, ready func(profile string) tea.Cmd) *ConnectPage {
	c := newPage(env, setup, "", ready)
	c.form.Field(session.FieldName).Set("prod")
	c.form.Field(session.FieldBand).Set("live")
	return c
}

// EditPage returns the page for a profile that there is. ready opens the app on it
// once it is changed.
func EditPage(
	env *page.Env,
	setup session.AccountSetup,
	profile string,
	ready func(profile string) tea.Cmd,
) *ConnectPage {
	c := newPage(env, setup, profile, ready)
	c.step = typing
	c.form.Field(session.FieldKey).Help = "Empty keeps the stored key"
	c.form.Field(session.FieldName).Help = "Name of the profile, one word; its key and drafts follow"
	return c
}

func newPage(
	env *page.Env, setup session.AccountSetup, edited string, ready func(profile string) tea.Cmd,
) *ConnectPage {
	return &ConnectPage{
		Base: page.NewBase(env), setup: setup, ready: ready, world: sampleWorld(), edited: edited,
		form: widget.NewForm(500, env.Now, accountFields(edited != "")...),
	}
}

// OnShow reads the profile that is edited.
func (c *ConnectPage) OnShow() tea.Cmd {
	if c.edited == "" || c.form.Field(session.FieldBaseURL).Value() != "" {
		return nil
	}
	read := func(context.Context) (session.TypedAccount, error) { return c.setup.Current(c.edited) }
	return askService(c, "Loading the profile", read, func(a session.TypedAccount) tea.Cmd {
		c.fillForm(a)
		return nil
	})
}

// accountFields returns those of an account; one that is edited has an address more.
func accountFields(edited bool) []*widget.Field {
	fields := []*widget.Field{
		{
			ID:    session.FieldBaseURL,
			Label: "Address",
			Help:  "Service address; a host is enough, e.g. desk.example",
		},
		{
			ID:     session.FieldKey,
			Label:  "API key",
			Secret: true,
			Help:   "Tested first, then stored in the system keyring",
		},
		{
			ID:    session.FieldLegacyURL,
			Label: "v2 address",
			Help:  "Optional, for quotes and the library; detected if empty",
		},
	}
	if edited {
		fields = append(fields, &widget.Field{
			ID:    session.FieldOpsURL,
			Label: "Operations",
			Help:  "Optional address of the operations API; a host is enough",
		})
	}
	return append(
		fields,
		&widget.Field{
			ID:    session.FieldName,
			Label: "Profile",
			Help:  "Name of the profile, one word",
		},
		&widget.Field{
			ID:    session.FieldBand,
			Label: "Environment",
			Kind:  widget.ChoiceField,
			Help:  "Sets the header colour",
			Options: []widget.Option{
				{Value: "live", Label: "Live"}, {Value: "test", Label: "Test"},
			},
		},
	)
}

// Title returns the page's name.
func (c *ConnectPage) Title() string {
	if c.edited != "" {
		return "Edit profile " + c.edited
	}
	return "Welcome to flightdesk"
}

// CornerText says what is being waited for.
func (c *ConnectPage) CornerText() string {
	if c.asked.IsOpen() {
		return c.doing + "…"
	}
	return ""
}

// ActionScopes returns those of the step.
func (c *ConnectPage) ActionScopes() []action.Scope {
	switch c.step {
	case welcome:
		return []action.Scope{action.Welcome, action.List}
	case typing:
		return []action.Scope{action.Account}
	default:
		return []action.Scope{action.KeyRights}
	}
}

// IsTyping returns while the form is filled in.
func (c *ConnectPage) IsTyping() bool { return c.step == typing }

// FilledIn returns the form while it is filled in, nil else.
func (c *ConnectPage) FilledIn() *widget.Form {
	if c.step != typing {
		return nil
	}
	return c.form
}

// HandleBack goes a step back.
func (c *ConnectPage) HandleBack() bool {
	if c.asked.IsOpen() {
		c.asked.DropAnswer()
		return true
	}
	switch {
	case c.step == typing && c.edited == "":
		c.step, c.err = welcome, nil
	case c.step == allowed:
		c.step, c.err = typing, nil
	default:
		return false
	}
	return true
}

// DisabledReason says what cannot be done while something is awaited.
func (c *ConnectPage) DisabledReason(id action.ID) string {
	if c.asked.IsOpen() && (id == action.Submit || id == action.Open || id == action.TryDemo) {
		return c.doing + "…"
	}
	return ""
}

// HandleAction performs an action.
func (c *ConnectPage) HandleAction(id action.ID) tea.Cmd {
	switch id {
	case action.Up, action.Top:
		c.choice = 0
	case action.Down, action.Bottom:
		c.choice = 1
	case action.TryDemo:
		return c.openDemo()
	case action.ConnectAccount:
		c.step, c.choice = typing, 1
	case action.Open:
		return c.continueStep()
	case action.NextField:
		if c.form.IsLast() {
			return c.tryAccount()
		}
		c.form.MoveFocus(1)
	case action.PrevField:
		c.form.MoveFocus(-1)
	case action.Submit:
		return c.tryAccount()
	}
	return nil
}

// continueStep returns enter: it goes on from wherever the page is.
func (c *ConnectPage) continueStep() tea.Cmd {
	switch {
	case c.step == welcome && c.choice == 0:
		return c.openDemo()
	case c.step == welcome:
		c.step = typing
	case c.step == allowed:
		return c.keepAccount()
	case c.step == kept:
		return c.ready(c.chosen)
	}
	return nil
}

func (c *ConnectPage) typedAccount() session.TypedAccount {
	value := func(id string) string {
		if f := c.form.Field(id); f != nil {
			return f.Value()
		}
		return "" // a field for editing only
	}
	return session.TypedAccount{
		Profile:   c.edited,
		Name:      value(session.FieldName),
		BaseURL:   value(session.FieldBaseURL),
		LegacyURL: value(session.FieldLegacyURL),
		OpsURL:    value(session.FieldOpsURL),
		Key:       value(session.FieldKey),
		Band:      value(session.FieldBand),
	}
}

// askService asks in the background, and goes on with the answer or says why there is none.
func askService[T any](
	c *ConnectPage, doing string, ask func(context.Context) (T, error), take func(T) tea.Cmd,
) tea.Cmd {
	c.err, c.doing = nil, doing
	return page.AskInBackground(c.Base, &c.asked, ask, func(value T, err error) tea.Cmd {
		if c.showFailure(err) {
			return nil
		}
		return take(value)
	})
}

func (c *ConnectPage) tryAccount() tea.Cmd {
	for _, f := range c.form.Fields {
		f.Error = ""
	}
	a := c.typedAccount()
	try := func(ctx context.Context) (session.TriedAccount, error) { return c.setup.Try(ctx, a) }
	c.err, c.doing = nil, "Testing the key"
	return page.AskInBackground(c.Base, &c.asked, try, func(tried session.TriedAccount, err error) tea.Cmd {
		if c.tried = tried; !c.showFailure(err) {
			c.step = allowed
			c.fillForm(tried.TypedAccount)
		}
		return nil
	})
}

func (c *ConnectPage) keepAccount() tea.Cmd {
	a, keep := c.typedAccount(), c.setup.Keep
	if c.edited != "" {
		keep = c.setup.Change
	}
	save := func(ctx context.Context) (session.KeptNotice, error) { return keep(ctx, a) }
	return askService(c, "Saving the account", save, func(notice session.KeptNotice) tea.Cmd {
		if c.notice, c.step, c.chosen = notice, kept, c.typedAccount().Name; notice.Warn {
			return nil
		}
		return tea.Batch(page.ShowToast(theme.Good, notice.Text), c.ready(c.chosen))
	})
}

func (c *ConnectPage) openDemo() tea.Cmd {
	start := func(ctx context.Context) (bool, error) { return true, c.setup.Demo(ctx) }
	return askService(
		c,
		"Starting the demo",
		start,
		func(bool) tea.Cmd { return c.ready(session.Demo) },
	)
}

// Update takes text for the form.
func (c *ConnectPage) Update(msg tea.Msg) tea.Cmd {
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg:
		if c.step == typing {
			c.form.Update(msg)
		}
	}
	return nil
}

// fillForm puts the values of an account into the fields, but for its key.
func (c *ConnectPage) fillForm(a session.TypedAccount) {
	for id, value := range map[string]string{
		session.FieldName: a.Name, session.FieldBaseURL: a.BaseURL, session.FieldLegacyURL: a.LegacyURL, session.FieldOpsURL: a.OpsURL,
		session.FieldBand: a.Band,
	} {
		if f := c.form.Field(id); f != nil {
			f.Set(value)
		}
	}
}

// View draws the step.
func (c *ConnectPage) View(w, h int) string {
	var lines []string
	switch c.step {
	case welcome:
		lines = c.renderWelcome()
		if left := welcomeWidth; c.err == nil && w >= 2*left && !c.Theme.Linear {
			return format.Beside(format.FitBox(lines, left, h), c.world.View(c.Theme, w-left, h))
		}
	case typing:
		return c.viewForm(w, h)
	case allowed:
		lines = c.viewGrants(w)
	case kept:
		lines = c.viewKept(w)
	}
	if c.err != nil {
		lines = append(append(lines, ""), c.RenderFault(c.err, "", "", w)...)
	}
	return format.FitBox(lines, w, h)
}

// Cursor stands in the form.
func (c *ConnectPage) Cursor() *tea.Cursor {
	at := c.form.Cursor()
	if c.step != typing || at == nil {
		return nil
	}
	return tea.NewCursor(at.X, at.Y+c.above)
}
