package connect

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/geomap"
)

// ConnectPage is the page: a choice of the demo or an account, then a form.
type ConnectPage struct {
	page.Base
	setup  session.AccountSetup
	ready  func(profile string) tea.Cmd
	typing bool // the form is filled in
	choice int  // 0 the demo, 1 an account
	form   *widget.Form
	tried  []session.TriedAddress
	err    error
	asked  page.Question
	doing  string // what is being waited for
	edited string // the profile that is edited, "" for a new one
	added  bool   // opened from another profile, to add an account
	world  *page.SiteMap
}

// New returns the page. ready opens the app on the account that was kept, or on
// the demo.
func New(env *page.Env, setup session.AccountSetup, ready func(profile string) tea.Cmd) *ConnectPage {
	c := EditPage(env, setup, "", ready)
	c.world = sampleWorld()
	var example session.TypedAccount
	example.Name, example.Band = "prod", "live"
	c.fillForm(example)
	return c
}

// AddPage returns the page that adds an account to the profiles. ready opens the app on it
// once it is saved.
func AddPage(
	env *page.Env, setup session.AccountSetup, ready func(profile string) tea.Cmd,
) *ConnectPage {
	c := EditPage(env, setup, "", ready)
	c.added, c.typing = true, true
	var example session.TypedAccount
	example.Name, example.Band = freeName(env.Profile.Profiles), "live"
	c.fillForm(example)
	return c
}

// freeName returns a name that no profile has.
func freeName(profiles []string) string {
	for n := 1; ; n++ {
		name := "prod"
		if n > 1 {
			name += strconv.Itoa(n)
		}
		if !slices.Contains(profiles, name) {
			return name
		}
	}
}

// EditPage returns the page for a profile that there is. ready opens the app on it
// once it is changed.
func EditPage(
	env *page.Env, setup session.AccountSetup, profile string, ready func(profile string) tea.Cmd,
) *ConnectPage {
	return &ConnectPage{
		Base: page.NewBase(env), setup: setup, ready: ready, edited: profile, typing: profile != "",
		form: widget.NewForm(500, env.Clock.Now, accountFields(profile != "")...),
	}
}

// OnShow reads the profile that is edited.
func (c *ConnectPage) OnShow() tea.Cmd {
	if c.edited == "" || c.form.Field(session.FieldBaseURL).Value() != "" {
		return nil
	}
	read := func(context.Context) (session.TypedAccount, error) { return c.setup.Current(c.edited) }
	return askService(c, "Loading the profile", read, func(a session.TypedAccount, err error) tea.Cmd {
		if !c.showFailure(err) {
			c.fillForm(a)
		}
		return nil
	})
}

// accountFields returns those of an account; one that is edited has an address more.
func accountFields(edited bool) []*widget.Field {
	field := func(id, label, help string) *widget.Field {
		return &widget.Field{
			ID:    id,
			Label: label,
			Help:  help,
		}
	}
	key := field(session.FieldKey, "API key", "Tested first, then stored in the system keyring")
	name := field(session.FieldName, "Profile", "Name of the profile, one word")
	band := field(session.FieldBand, "Environment", "Sets the header colour")
	ops := field(session.FieldOpsURL, "Operations", "Optional address of the operations API; a host is enough")
	key.Secret, band.Kind = true, widget.ChoiceField
	band.Options = []widget.Option{{Value: "live", Label: "Live"}, {Value: "test", Label: "Test"}}
	fields := []*widget.Field{
		field(session.FieldBaseURL, "Address", "Service address; a host is enough, e.g. desk.example"),
		key,
		field(session.FieldLegacyURL, "v2 address", "Optional, for quotes and the library; detected if empty"),
	}
	if edited {
		key.Help = "Empty keeps the stored key"
		name.Help += "; its key and drafts follow"
		fields = append(fields, ops)
	}
	ca := field(session.FieldCAFile, "CA file", "Optional, certificate of a private authority (PEM file)")
	return append(fields, ca, name, band)
}

// Title returns the page's name.
func (c *ConnectPage) Title() string {
	if c.edited != "" {
		return "Edit profile " + c.edited
	}
	if c.added {
		return "Add account"
	}
	return "Welcome to flightdesk"
}

// CornerText says what is being waited for.
func (c *ConnectPage) CornerText() string {
	return page.TextIf(c.asked.IsOpen(), c.doing+"…")
}

// ActionScopes returns those of the choice, or of the form.
func (c *ConnectPage) ActionScopes() []action.Scope {
	if c.typing {
		return []action.Scope{action.Account}
	}
	return []action.Scope{action.Welcome, action.List}
}

// IsTyping returns while the form is filled in.
func (c *ConnectPage) IsTyping() bool { return c.typing }

// FilledIn returns the form while it is filled in, nil else.
func (c *ConnectPage) FilledIn() *widget.Form {
	if !c.typing {
		return nil
	}
	return c.form
}

// HandleBack stops waiting, or goes back to the choice.
func (c *ConnectPage) HandleBack() bool {
	switch {
	case c.asked.IsOpen():
		c.asked.DropAnswer()
	case c.typing && c.edited == "" && !c.added:
		c.typing, c.err = false, nil
	default:
		return false
	}
	return true
}

// DisabledReason says what cannot be done while something is awaited.
func (c *ConnectPage) DisabledReason(id action.ID) string {
	return page.TextIf(id == action.Submit || id == action.Open || id == action.TryDemo, c.CornerText())
}

// HandleAction performs an action.
func (c *ConnectPage) HandleAction(id action.ID) tea.Cmd {
	switch id {
	case action.Up, action.Top:
		c.choice = 0
	case action.Down, action.Bottom:
		c.choice = 1
	case action.Open:
		if c.choice == 0 {
			return c.openDemo()
		}
		c.typing = true
	case action.TryDemo:
		return c.openDemo()
	case action.ConnectAccount:
		c.typing, c.choice = true, 1
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

// fieldValues returns what the fields stand for in an account, by their ids.
func fieldValues(a *session.TypedAccount) map[string]*string {
	return map[string]*string{
		session.FieldName:      &a.Name,
		session.FieldBaseURL:   &a.BaseURL,
		session.FieldLegacyURL: &a.LegacyBaseURL,
		session.FieldOpsURL:    &a.OpsURL,
		session.FieldKey:       &a.Key,
		session.FieldBand:      &a.Band,
		session.FieldCAFile:    &a.CAFile,
	}
}

func (c *ConnectPage) typedAccount() session.TypedAccount {
	a := session.TypedAccount{Edited: c.edited}
	values := fieldValues(&a)
	for _, f := range c.form.Fields {
		*values[f.ID] = f.Value()
	}
	a.Key = withoutScheme(a.Key)
	return a
}

// withoutScheme returns a key without the "Bearer" that it has in a header.
func withoutScheme(key string) string {
	key = strings.TrimSpace(key)
	scheme, rest, ok := strings.Cut(key, " ")
	if ok && strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(rest)
	}
	return key
}

// askService asks in the background, and says meanwhile what is done.
func askService[T any](
	c *ConnectPage, doing string, ask func(context.Context) (T, error), take func(T, error) tea.Cmd,
) tea.Cmd {
	c.err, c.doing = nil, doing
	return page.AskInBackground(c.Base, &c.asked, ask, take)
}

// tryAccount tries the key, and asks whether the account is kept with what that may do.
func (c *ConnectPage) tryAccount() tea.Cmd {
	c.form.IsAccepted() // without the faults of the try before
	a := c.typedAccount()
	try := func(ctx context.Context) (session.TriedAccount, error) { return c.setup.Try(ctx, a) }
	return askService(c, "Testing the key", try, func(tried session.TriedAccount, err error) tea.Cmd {
		if c.tried = tried.Addresses; c.showFailure(err) {
			return nil
		}
		c.fillForm(tried.TypedAccount)
		var lines []string
		for _, g := range tried.Grants {
			mark := map[api.ScopeState]string{
				api.NotKnown:   "? ",
				api.Granted:    "✓ ",
				api.NotGranted: "✗ ",
			}[g.Grant]
			lines = append(lines, format.FitLeft(mark+g.Grant.String(), 10)+
				format.FitLeft(string(g.Scope), 15)+format.Word(g.Scope).Description)
		}
		return c.Env.AskFirst("Key accepted. Permissions:", "save and open", c.keepAccount, lines...)
	})
}

// keepAccount keeps the account, and opens it once it was read where the key is, if that
// could be safer.
func (c *ConnectPage) keepAccount() tea.Cmd {
	a := c.typedAccount()
	save := func(ctx context.Context) (session.KeptNotice, error) { return c.setup.Keep(ctx, a) }
	return askService(c, "Saving the account", save, func(notice session.KeptNotice, err error) tea.Cmd {
		open := func() tea.Cmd { return c.ready(a.Name) }
		switch {
		case c.showFailure(err):
			return nil
		case notice.Warn:
			c.Env.Nav.Overlay(&widget.Question{
				Title: "Account saved", Lines: []string{notice.Text}, Yes: "open", No: "open", OnYes: open, OnNo: open,
			})
			return nil
		}
		return tea.Batch(page.ShowToast(theme.Good, notice.Text), open())
	})
}

func (c *ConnectPage) openDemo() tea.Cmd {
	start := func(ctx context.Context) (string, error) { return session.Demo, c.setup.Demo(ctx) }
	return askService(c, "Starting the demo", start, func(profile string, err error) tea.Cmd {
		if c.showFailure(err) {
			return nil
		}
		return c.ready(profile)
	})
}

// Update takes text for the form.
func (c *ConnectPage) Update(msg tea.Msg) tea.Cmd {
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg:
		if c.typing {
			c.form.Update(msg)
		}
	}
	return nil
}

// fillForm puts the values of an account into the fields, but for its key.
func (c *ConnectPage) fillForm(a session.TypedAccount) {
	values := fieldValues(&a)
	for _, f := range c.form.Fields {
		if !f.Secret {
			f.Set(*values[f.ID])
		}
	}
}

// showFailure shows what went wrong, at its field where it is about one, and reports
// whether something did.
func (c *ConnectPage) showFailure(err error) bool {
	var fault session.FieldFault
	c.err = err
	if errors.As(err, &fault) {
		if f := c.form.Field(fault.Key); f != nil {
			f.Error, c.err = fault.Problem, nil
			c.form.FocusField(fault.Key)
		}
	}
	return err != nil
}

// aboveForm are the rows above the form.
const aboveForm = 3

// Cursor stands in the form.
func (c *ConnectPage) Cursor() *tea.Cursor {
	at := c.form.Cursor()
	if !c.typing || at == nil {
		return nil
	}
	return tea.NewCursor(at.X, at.Y+aboveForm)
}

// View draws the form, with what went wrong and what was tried below it, or the choice.
func (c *ConnectPage) View(w, h int) string {
	var fault []string
	if c.err != nil && !c.typing {
		fault = c.Env.Look.RenderFault(c.err, "", "", w)
	} else if c.err != nil {
		fault = c.Env.Look.RenderFault(c.err, "Your input is kept", "ctrl+s", w)
	}
	if !c.typing {
		lines := c.renderWelcome()
		if left := welcomeWidth; c.err == nil && w >= 2*left && !c.Env.Look.Theme.Linear {
			return format.Beside(format.FitBox(lines, left, h), c.world.View(c.Env.Look.Theme, w-left, h))
		}
		return format.FitBox(page.JoinParts(lines, fault), w, h)
	}
	title := " Connect an account"
	if c.edited != "" {
		title = " Profile " + format.Clean(c.edited)
	}
	fault = append(fault, c.renderAddresses(w)...)
	foot := fault[:min(len(fault), h/2)]
	form := format.SplitLines(c.form.View(c.Env.Look.Theme.Style, w, h-aboveForm-len(foot)))
	lines := append([]string{"", c.Env.Look.Theme.PaintTitle(title), ""}, form...)
	return format.FitBox(append(lines, foot...), w, h)
}

// renderAddresses returns those that were tried, and what each answered.
func (c *ConnectPage) renderAddresses(w int) (lines []string) {
	th := c.Env.Look.Theme
	for _, a := range c.tried {
		mark, role, said := "✓", theme.Good, "answers"
		if a.Err != nil {
			mark, role = "✗", theme.Muted
			said, _ = format.ExplainError(a.Err)
		}
		lines = append(lines, "   "+th.PaintRole(role, mark+" "+a.URL)+th.PaintMuted("  "+said))
	}
	return page.CutLines(lines, w)
}

// welcomeWidth are the cells of the choices; a map stands beside them where there is
// room for as much again.
const welcomeWidth = 56

func (c *ConnectPage) renderWelcome() []string {
	lines := []string{""}
	for i, option := range []struct{ key, title, about string }{
		{"d", "Try the demo", "Sample data on a local service, deleted on exit"},
		{"c", "Connect an account", "Enter the service address and your API key"},
	} {
		mark, style := "   ", c.Env.Look.Theme.Style
		if i == c.choice {
			mark, style = " "+c.Env.Look.Theme.SelectionMark()+" ", c.Env.Look.Theme.SelectedStyle
		}
		name := format.CleanText(style(theme.Accent), mark+option.key) +
			format.CleanText(style(theme.Text), "  "+option.title+" ")
		lines = append(lines, name, "      "+c.Env.Look.Theme.PaintMuted(option.about), "")
	}
	return lines
}

// sampleWorld returns the map of some places that are surveyed, to show what is to come.
func sampleWorld() *page.SiteMap {
	world := page.NewSiteMap()
	var features []geomap.Feature
	for _, s := range []struct {
		name   string
		at     orb.Point
		status api.MissionStatus
	}{
		{"Offshore wind park", orb.Point{6.6, 54}, api.MissionFlightScheduled},
		{"Levee", orb.Point{89.4, 23.2}, api.MissionDataDelivered},
		{"Solar farm", orb.Point{-70.4, -24.5}, api.MissionCompleted},
		{"Power line", orb.Point{35.9, 2.5}, api.MissionAwaitingPilot},
		{"Landslide", orb.Point{121.5, 23.9}, api.MissionPilotAssigned},
		{"Mine", orb.Point{117.8, -23.4}, api.MissionDataDelivered},
		{"Bridge", orb.Point{-122.4, 37.8}, api.MissionFlightScheduled},
	} {
		st := format.Status(s.status)
		features = append(features, geomap.Feature{
			ID: s.name, Label: s.name, Geometry: s.at, Mark: []rune(st.Glyph)[0], Role: st.Role,
		})
	}
	world.Model.SetFeatures(features)
	return world
}
