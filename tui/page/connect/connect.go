package connect

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/form"
)

// Account is what is typed: where the service is, and the key.
type Account struct {
	Name      string // of the profile
	BaseURL   string
	LegacyURL string // "" for none
	Key       string
	Band      string // live, test or ""
}

// Fault is something wrong with what was typed, at a field.
type Fault struct{ Field, Problem string }

// Error is what is wrong.
func (f Fault) Error() string { return f.Problem }

// The fields, as a [Fault] names them.
const (
	Name      = "name"
	BaseURL   = "base_url"
	LegacyURL = "legacy_base_url"
	Key       = "key"
	Band      = "band"
)

// Setup is what the page can do. All of it takes time and runs in the
// background.
type Setup struct {
	// Try asks the service what the key may do. Nothing is kept or changed.
	Try func(ctx context.Context, a Account) ([]api.ScopeGrant, error)
	// Keep writes the account into the configuration and says in a line where
	// its key has come to, and whether somebody should look after it.
	Keep func(ctx context.Context, a Account) (notice Notice, err error)
	// Demo starts a service in this process.
	Demo func(ctx context.Context) error
	// Ready opens the app on the account that was kept, or on the demo.
	Ready func(profile string) tea.Cmd
}

// Notice says where something was kept.
type Notice struct {
	Text string
	Warn bool // it is not as safe as it could be
}

// Demo is the profile's name that [Setup.Ready] gets for the demo.
const Demo = "demo"

// step is where the page is.
type step int

const (
	welcome step = iota // choose: the demo, or an account
	typing              // the form
	tried               // what the key may do
	kept                // where it was kept
)

// Connect is the page.
type Connect struct {
	page.Base
	setup  Setup
	step   step
	choice int // of the welcome: 0 the demo, 1 an account
	form   *form.Form
	above  int // rows above the form in the last view
	grants []api.ScopeGrant
	notice Notice
	err    error
	asked  page.Question
	doing  string // what is being waited for
	chosen string // the profile to open
}

// New returns the page.
func New(env *page.Env, setup Setup) *Connect {
	c := &Connect{Base: page.NewBase(env), setup: setup}
	c.form = form.New(500, env.Now,
		&form.Field{ID: BaseURL, Label: "Address", Help: "of the public interface; it ends in /api/v1/public"},
		&form.Field{ID: Key, Label: "API key", Secret: true, Help: "tried at once, then kept in the keyring, never in the configuration"},
		&form.Field{ID: LegacyURL, Label: "2nd address", Help: "of the second generation; it ends in /api/v2; quotes and the library need it"},
		&form.Field{ID: Name, Label: "Profile", Help: "what you call this account, one word"},
		&form.Field{ID: Band, Label: "Band", Kind: form.Choice, Help: "the colour of the row at the top", Options: []form.Option{
			{Value: "live", Label: "Live"}, {Value: "test", Label: "Test"},
		}},
	)
	c.form.Field(Name).Set("prod")
	c.form.Field(Band).Set("live")
	return c
}

// Title is the page's name.
func (c *Connect) Title() string { return "Welcome" }

// Corner says what is being waited for.
func (c *Connect) Corner() string {
	if c.asked.Open() {
		return c.doing + "…"
	}
	return ""
}

// Scopes are those of the step.
func (c *Connect) Scopes() []action.Scope {
	switch c.step {
	case welcome:
		return []action.Scope{action.Welcome, action.List}
	case typing:
		return []action.Scope{action.Account}
	default:
		return []action.Scope{action.Tried}
	}
}

// Typing is while the form is filled in.
func (c *Connect) Typing() bool { return c.step == typing }

// Back goes a step back.
func (c *Connect) Back() bool {
	if c.asked.Open() {
		c.asked.Drop()
		return true
	}
	switch c.step {
	case typing:
		c.step, c.err = welcome, nil
	case tried:
		c.step, c.err = typing, nil
	default:
		return false
	}
	return true
}

// Disabled says what cannot be done while something is awaited.
func (c *Connect) Disabled(id action.ID) string {
	if c.asked.Open() && (id == action.Submit || id == action.Open || id == action.TryDemo) {
		return "still " + c.doing
	}
	return ""
}

// Do performs an action.
func (c *Connect) Do(id action.ID) tea.Cmd {
	switch id {
	case action.Up, action.Top:
		c.choice = 0
	case action.Down, action.Bottom:
		c.choice = 1
	case action.TryDemo:
		return c.demo()
	case action.ConnectAccount:
		c.step, c.choice = typing, 1
	case action.Open:
		return c.open()
	case action.NextField:
		if c.form.Focused() == c.form.Fields[len(c.form.Fields)-1] {
			return c.try()
		}
		c.form.Next(1)
	case action.PrevField:
		c.form.Next(-1)
	case action.Submit:
		return c.try()
	}
	return nil
}

// open is enter: it goes on from wherever the page is.
func (c *Connect) open() tea.Cmd {
	switch {
	case c.step == welcome && c.choice == 0:
		return c.demo()
	case c.step == welcome:
		c.step = typing
	case c.step == tried:
		return c.keep()
	case c.step == kept:
		return c.setup.Ready(c.chosen)
	}
	return nil
}

func (c *Connect) account() Account {
	value := func(id string) string { return c.form.Field(id).Value() }
	return Account{Name: value(Name), BaseURL: value(BaseURL), LegacyURL: value(LegacyURL), Key: value(Key), Band: value(Band)}
}

type (
	triedAnswer = page.Answer[[]api.ScopeGrant]
	keptAnswer  = page.Answer[Notice]
	demoAnswer  = page.Answer[bool]
)

func (c *Connect) try() tea.Cmd {
	c.err, c.doing = nil, "trying the key"
	for _, f := range c.form.Fields {
		f.Error = ""
	}
	a := c.account()
	return page.Ask(c.Base, &c.asked, func(ctx context.Context) ([]api.ScopeGrant, error) { return c.setup.Try(ctx, a) })
}

func (c *Connect) keep() tea.Cmd {
	c.err, c.doing = nil, "keeping the account"
	a := c.account()
	return page.Ask(c.Base, &c.asked, func(ctx context.Context) (Notice, error) { return c.setup.Keep(ctx, a) })
}

func (c *Connect) demo() tea.Cmd {
	c.err, c.doing = nil, "starting the demo"
	return page.Ask(c.Base, &c.asked, func(ctx context.Context) (bool, error) { return true, c.setup.Demo(ctx) })
}

// Update takes answers, and text for the form.
func (c *Connect) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case triedAnswer:
		if msg.Take() && !c.failed(msg.Err) {
			c.grants, c.step = msg.Value, tried
		}
	case keptAnswer:
		if msg.Take() && !c.failed(msg.Err) {
			c.notice, c.step, c.chosen = msg.Value, kept, c.account().Name
			if !c.notice.Warn {
				return tea.Batch(page.Toast(theme.Good, c.notice.Text), c.setup.Ready(c.chosen))
			}
		}
	case demoAnswer:
		if msg.Take() && !c.failed(msg.Err) {
			return c.setup.Ready(Demo)
		}
	case tea.KeyPressMsg, tea.PasteMsg:
		if c.step == typing {
			c.form.Update(msg)
		}
	}
	return nil
}

// View draws the step.
func (c *Connect) View(w, h int) string {
	var lines []string
	switch c.step {
	case welcome:
		lines = c.welcome()
	case typing:
		return c.viewForm(w, h)
	case tried:
		lines = c.viewGrants()
	case kept:
		lines = c.viewKept(w)
	}
	if c.err != nil {
		lines = append(append(lines, ""), page.Problem(c.Theme, c.err, "", "", w)...)
	}
	return layout.Box(lines, w, h)
}

// Cursor stands in the form.
func (c *Connect) Cursor() *tea.Cursor {
	at := c.form.Cursor()
	if c.step != typing || at == nil {
		return nil
	}
	return tea.NewCursor(at.X, at.Y+c.above)
}
