package connect

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
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

// ConnectPage is the page on which the user connects an account and saves it as a profile. In the first run, the page
// offers a choice between the demo and an account, before it shows the form for the account.
type ConnectPage struct {
	page.Base
	setup  session.AccountSetup
	ready  func(profile string) tea.Cmd // opens the app with a saved profile, or with session.Demo
	typing bool                         // the form is shown
	choice int                          // chooseDemo or chooseAccount
	form   *widget.Form
	tried  []session.TriedAddress // addresses of the last attempt, with their results
	err    error
	asked  page.Request // the running step of the setup, such as testing the key
	doing  string       // progress text while asked is running
	edited string       // name of the profile that is edited, "" for a new one
	loaded bool         // the edited profile was shown in the form
	added  bool         // opened from another profile to add an account
	world  *page.SiteMap

	listing  page.Request                    // loads accounts
	accounts map[string]session.TypedAccount // saved accounts by profile name; nil while they are loading
}

// Choices of the first run, from top to bottom.
const (
	chooseDemo = iota
	chooseAccount
)

// New returns the page of the first run. The function ready opens the app: with the name of the saved profile, or
// with [session.Demo] if the user has chosen the demo.
func New(env *page.Env, setup session.AccountSetup, ready func(profile string) tea.Cmd) *ConnectPage {
	c := EditPage(env, setup, "", ready)
	c.world = sampleWorld()
	var example session.TypedAccount
	example.Name = "prod"
	example.Band = "live"
	c.fillForm(example)
	return c
}

// AddPage returns the page that adds a profile for another account. The function ready opens the app with the saved
// profile.
func AddPage(
	env *page.Env, setup session.AccountSetup, ready func(profile string) tea.Cmd,
) *ConnectPage {
	c := EditPage(env, setup, "", ready)
	c.added = true
	c.typing = true
	var example session.TypedAccount
	example.Name = freeName(env.Profile.Profiles)
	example.Band = "live"
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

// EditPage returns the page that edits an existing profile. The function ready opens the app with the saved
// profile.
func EditPage(
	env *page.Env, setup session.AccountSetup, profile string, ready func(profile string) tea.Cmd,
) *ConnectPage {
	return &ConnectPage{
		Base:   page.NewBase(env),
		setup:  setup,
		ready:  ready,
		edited: profile,
		typing: profile != "",
		form:   widget.NewForm(500, env.Clock.Now, accountFields(profile != "")...),
	}
}

// isUnloaded reports whether the page edits a profile whose values are not in the form yet. If the user has already
// typed an address, isUnloaded returns false, because the typed account can then be submitted.
func (c *ConnectPage) isUnloaded() bool {
	return c.edited != "" && !c.loaded && c.form.Field(session.FieldBaseURL).Value() == ""
}

// OnShow loads the saved profiles, and the profile that is edited.
func (c *ConnectPage) OnShow() tea.Cmd {
	profiles := c.loadProfiles()
	if !c.isUnloaded() {
		return profiles
	}
	return tea.Batch(profiles, c.loadProfile())
}

// loadProfile loads the profile that is edited, in the background, and shows it in the form. Fields that the user
// has changed in the meantime stay unchanged.
func (c *ConnectPage) loadProfile() tea.Cmd {
	read := func(context.Context) (session.TypedAccount, error) { return c.setup.Current(c.edited) }
	show := func(a session.TypedAccount, err error) tea.Cmd {
		if err != nil {
			c.showFailure(err)
			return nil
		}
		c.loaded = true
		c.fillUnchanged(a)
		return nil
	}
	return runSetup(c, "Loading the profile", read, show)
}

// accountFields returns the form fields of an account. If edited is true, the form is for an existing profile: it
// then also has the address of the operations API, and an empty key keeps the stored key.
func accountFields(edited bool) []*widget.Field {
	field := func(id, label, help string) *widget.Field {
		return &widget.Field{ID: id, Label: label, Help: help}
	}
	address := field(session.FieldBaseURL, "Address", "Host of the service, such as desk.example")
	key := field(session.FieldKey, "API key", "Stored in the keyring, or in a file without one")
	key.Secret = true
	legacy := field(session.FieldLegacyURL, "v2 address", "Optional, for quotes; detected if empty")
	ops := field(session.FieldOpsURL, "Operations", "Optional, host of the operations API")
	ca := field(session.FieldCAFile, "CA file", "Optional, PEM file of a private authority")
	name := field(session.FieldName, "Profile", "One word, to choose the profile by")
	band := field(session.FieldBand, "Environment", "Sets the header colour")
	band.Kind = widget.ChoiceField
	band.Options = []widget.Option{{Value: "live", Label: "Live"}, {Value: "test", Label: "Test"}}
	if edited {
		key.Help = "Empty keeps the stored key"
		name.Help += "; drafts follow"
		return []*widget.Field{address, key, legacy, ops, ca, name, band}
	}
	return []*widget.Field{address, key, legacy, ca, name, band}
}

func (c *ConnectPage) Title() string {
	if c.edited != "" {
		return "Edit profile " + c.edited
	}
	if c.added {
		return "Add account"
	}
	return "Welcome to flightdesk"
}

func (c *ConnectPage) CornerText() string {
	return page.TextIf(c.asked.IsRunning(), c.doing+"…")
}

func (c *ConnectPage) ActionScopes() []action.Scope {
	if c.typing {
		return []action.Scope{action.Account}
	}
	return []action.Scope{action.Welcome, action.List}
}

// IsTyping reports whether the form is shown.
func (c *ConnectPage) IsTyping() bool { return c.typing }

// EditedForm returns the form while it is shown, otherwise nil.
func (c *ConnectPage) EditedForm() *widget.Form {
	if !c.typing {
		return nil
	}
	return c.form
}

// HandleBack cancels the running request, or returns from the form to the choice. It returns false if neither is
// possible, and esc then closes the page.
func (c *ConnectPage) HandleBack() (tea.Cmd, bool) {
	if c.asked.IsRunning() {
		c.asked.Cancel()
		return nil, true
	}
	if c.typing && c.edited == "" && !c.added {
		c.typing = false
		c.err = nil
		return nil, true
	}
	return nil, false
}

// DisabledReason returns why an action is disabled while a request is running, or "".
func (c *ConnectPage) DisabledReason(id action.ID) string {
	switch id {
	case action.Submit, action.Open, action.TryDemo:
		return c.CornerText()
	}
	return ""
}

func (c *ConnectPage) HandleAction(id action.ID) tea.Cmd {
	switch id {
	case action.Up, action.Top:
		c.choice = chooseDemo
	case action.Down, action.Bottom:
		c.choice = chooseAccount
	case action.Open:
		if c.choice == chooseDemo {
			return c.openDemo()
		}
		c.typing = true
	case action.TryDemo:
		return c.openDemo()
	case action.ConnectAccount:
		c.typing = true
		c.choice = chooseAccount
	case action.NextField:
		if c.form.IsLast() {
			return c.submit()
		}
		c.form.MoveFocus(1)
	case action.PrevField:
		c.form.MoveFocus(-1)
	case action.Submit:
		return c.submit()
	}
	return nil
}

// submit tests the account in the form. If the page edits a profile that could not be loaded, submit loads the
// profile again instead.
func (c *ConnectPage) submit() tea.Cmd {
	if c.isUnloaded() {
		return c.loadProfile()
	}
	return c.tryAccount()
}

// fieldValues maps the ID of each form field to a pointer to its value in the account.
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

// typedAccount returns the account in the form.
func (c *ConnectPage) typedAccount() session.TypedAccount {
	a := session.TypedAccount{Edited: c.edited}
	values := fieldValues(&a)
	for _, f := range c.form.Fields {
		*values[f.ID] = f.Value()
	}
	a.Key = withoutScheme(a.Key)
	return a
}

// withoutScheme removes spaces around a key, and the word "Bearer" before it, which the user may have copied from a
// header.
func withoutScheme(key string) string {
	key = strings.TrimSpace(key)
	scheme, rest, ok := strings.Cut(key, " ")
	if ok && strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(rest)
	}
	return key
}

// runSetup runs a step of the setup in the background, with a progress text, and passes its result
// to finish.
func runSetup[T any](
	c *ConnectPage, doing string, run func(context.Context) (T, error), finish func(T, error) tea.Cmd,
) tea.Cmd {
	c.err = nil
	c.doing = doing
	return page.RunInBackground(c.Base, &c.asked, run, finish)
}

// tryAccount tests the key, then shows its permissions and asks whether to save the account.
func (c *ConnectPage) tryAccount() tea.Cmd {
	c.form.Validate() // clears errors of the previous attempt
	account := c.typedAccount()
	try := func(ctx context.Context) (session.TriedAccount, error) { return c.setup.Try(ctx, account) }
	confirm := func(tried session.TriedAccount, err error) tea.Cmd {
		c.tried = tried.Addresses
		if err != nil {
			c.showFailure(err)
			return nil
		}
		c.fillForm(tried.TypedAccount)
		var lines []string
		for _, grant := range tried.Grants {
			lines = append(lines, grantText(&grant))
		}
		return c.Env.Confirm("Key accepted. Permissions:", "save and open", c.saveAccount, lines...)
	}
	return runSetup(c, "Testing the key", try, confirm)
}

// grantText returns a line about a permission: its scope, and whether the key has it.
func grantText(g *api.ScopeGrant) string {
	marks := map[api.ScopeState]string{
		api.NotKnown:   "? ",
		api.Granted:    "✓ ",
		api.NotGranted: "✗ ",
	}
	state := format.FitLeft(marks[g.Grant]+g.Grant.String(), 10)
	return state + format.FitLeft(string(g.Scope), 15) + format.Word(g.Scope).Description
}

// saveAccount saves the account and opens the app on it. If the key could not be stored safely, the
// user has to read a warning first.
func (c *ConnectPage) saveAccount() tea.Cmd {
	account := c.typedAccount()
	save := func(ctx context.Context) (session.SaveNotice, error) { return c.setup.Save(ctx, account) }
	open := func() tea.Cmd { return c.ready(account.Name) }
	finish := func(notice session.SaveNotice, err error) tea.Cmd {
		if err != nil {
			c.showFailure(err)
			return nil
		}
		if !notice.Warn {
			return tea.Batch(page.ShowToast(theme.Good, notice.Text), open())
		}
		c.Env.Nav.Overlay(&widget.Question{
			Title: "Account saved",
			Lines: []string{notice.Text},
			Yes:   "open",
			No:    "open",
			OnYes: open,
			OnNo:  open,
		})
		return nil
	}
	return runSetup(c, "Saving the account", save, finish)
}

func (c *ConnectPage) openDemo() tea.Cmd {
	start := func(ctx context.Context) (string, error) { return session.Demo, c.setup.Demo(ctx) }
	finish := func(profile string, err error) tea.Cmd {
		if err != nil {
			c.showFailure(err)
			return nil
		}
		return c.ready(profile)
	}
	return runSetup(c, "Starting the demo", start, finish)
}

func (c *ConnectPage) Update(msg tea.Msg) tea.Cmd {
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg:
		if c.typing {
			c.form.Update(msg)
		}
	}
	return nil
}

// fillForm sets the fields to the values of an account, except its key.
func (c *ConnectPage) fillForm(a session.TypedAccount) {
	values := fieldValues(&a)
	for _, f := range c.form.Fields {
		if !f.Secret {
			f.Set(*values[f.ID])
		}
	}
}

// fillUnchanged copies the values of an account, without its key, to the form fields that the user has not changed. A
// field counts as unchanged if it is empty or has its first choice, so fillUnchanged must be the first to fill the
// form.
func (c *ConnectPage) fillUnchanged(a session.TypedAccount) {
	values := fieldValues(&a)
	for _, f := range c.form.Fields {
		isFirstChoice := f.Kind == widget.ChoiceField && f.Value() == f.Options[0].Value
		isUnchanged := f.Value() == "" || isFirstChoice
		if isUnchanged && !f.Secret {
			f.Set(*values[f.ID])
		}
	}
}

// showFailure shows an error at its field, or below the form if it is not about a field. It focuses the field that
// the user has to correct.
func (c *ConnectPage) showFailure(err error) {
	c.err = err
	if api.IsAuthorityUnknown(err) {
		c.form.Field(session.FieldCAFile).Error = "needed: certificate of the service's authority (PEM file)"
	}
	c.focusToCorrect(fieldToCorrect(err))
	if c.isUnreached(err) {
		c.form.Field(session.FieldBaseURL).Error = "not reached over " + c.triedText()
	}
	var fault session.FieldFault
	if !errors.As(err, &fault) {
		return
	}
	field := c.form.Field(fault.Key)
	if field == nil {
		return
	}
	c.err = nil
	field.Error = fault.Problem
	c.form.FocusField(fault.Key)
}

// isUnreached reports whether err is a connection error that is the same at all tried addresses. If so, the error is
// shown at the field of the address.
func (c *ConnectPage) isUnreached(err error) bool {
	_, isLost := errors.AsType[*api.TransportError](err)
	return isLost && !api.IsCertificateError(err) && c.allFailedAlike()
}

// allFailedAlike reports whether every tried address failed with the error that is shown below the form.
func (c *ConnectPage) allFailedAlike() bool {
	if c.err == nil || len(c.tried) == 0 {
		return false
	}
	shown, _ := format.ExplainError(c.err)
	for _, tried := range c.tried {
		if tried.Err == nil {
			return false
		}
		if why, _ := format.ExplainError(tried.Err); why != shown {
			return false
		}
	}
	return true
}

// triedText returns the schemes and the path of the tried addresses, such as "https and http, path /api/v1/public".
// The addresses differ only in their schemes; see [config.CandidateAddresses].
func (c *ConnectPage) triedText() string {
	var schemes []string
	path := ""
	for _, tried := range c.tried {
		scheme, rest, _ := strings.Cut(tried.URL, "://")
		schemes = append(schemes, scheme)
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			path = rest[i:]
		}
	}
	text := strings.Join(schemes, " and ")
	if path != "" {
		text += ", path " + path
	}
	return text
}

// focusToCorrect focuses the field with the given ID. If the ID is "", the focus does not move. In the field of the
// key, the next typed or pasted text replaces the rejected key. In any other field, the text is inserted at the end of
// the value.
func (c *ConnectPage) focusToCorrect(id string) {
	switch id {
	case "":
	case session.FieldKey:
		c.form.FocusField(id)
	default:
		c.form.FocusEnd(id)
	}
}

// fieldToCorrect returns the ID of the field that an error of the service is probably about, or "".
func fieldToCorrect(err error) string {
	if api.IsAuthorityUnknown(err) {
		return session.FieldCAFile
	}
	if api.IsKeyRejected(err) {
		return session.FieldKey
	}
	if _, isLost := errors.AsType[*api.TransportError](err); isLost {
		return session.FieldBaseURL
	}
	return ""
}

// aboveForm is the number of lines above the form.
const aboveForm = 3

func (c *ConnectPage) Cursor() *tea.Cursor {
	at := c.form.Cursor()
	if !c.typing || at == nil {
		return nil
	}
	return tea.NewCursor(at.X, at.Y+aboveForm)
}

// View renders the choice, or the form with the error and the tried addresses below it. A wide window also shows the
// guide next to the form. A narrow window shows a part of the guide below the form.
func (c *ConnectPage) View(w, h int) string {
	if !c.typing {
		return c.viewWelcome(w, h)
	}
	if w < minGuideWindow || c.Env.Look.Theme.Linear {
		below := c.renderProfiles(w)
		if below == nil {
			below = c.renderSteps(w)
		}
		return format.FitBox(c.renderAccount(w, h, below), w, h)
	}
	formWidth := min(w-guideWidth, maxFormWidth)
	form := format.FitBox(c.renderAccount(formWidth, h, nil), formWidth, h)
	return format.Beside(form, c.viewGuide(w-formWidth, h))
}

// renderAccount renders the form in at most h lines, with the error and the tried addresses below the form. If there is
// room, the lines in below follow.
func (c *ConnectPage) renderAccount(w, h int, below []string) []string {
	var foot []string
	if c.err != nil {
		look := c.Env.Look
		look.CanEdit = false // the user is already in the form that edits the profile
		kept := page.TextIf(!c.isUnloaded(), "Your input is kept")
		foot = look.RenderFault(c.err, kept, action.KeyOf(action.Submit, action.Account), w)
	}
	foot = append(foot, c.renderAddresses(w)...)
	foot = foot[:min(len(foot), h/2)]
	title := " Connect an account"
	if c.edited != "" || c.added { // if so, the breadcrumbs name what is edited or added
		title = " Service and key"
	}
	lines := []string{"", c.Env.Look.Theme.PaintTitle(title), ""}
	lines = append(lines, c.renderForm(w, h-aboveForm-len(foot))...)
	if len(foot) > 0 && len(lines)+len(foot) < h {
		lines = append(lines, "")
	}
	lines = append(lines, foot...)
	if len(below) > 0 && len(lines)+1+len(below) <= h {
		lines = append(append(lines, ""), below...)
	}
	return lines
}

// renderForm renders the form into at most h lines, without the blank lines below its last field.
func (c *ConnectPage) renderForm(w, h int) []string {
	lines := format.SplitLines(c.form.View(c.Env.Look.Theme.Style, w, h))
	for len(lines) > 0 && strings.TrimSpace(ansi.Strip(lines[len(lines)-1])) == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// viewWelcome renders the choice between the demo and an account. If there is an error, it is below the choice.
// Otherwise, a map is next to the choice if the window is wide enough.
func (c *ConnectPage) viewWelcome(w, h int) string {
	lines := c.renderWelcome()
	if c.err != nil {
		fault := c.Env.Look.RenderFault(c.err, "", "", w)
		return format.FitBox(page.JoinParts(lines, fault), w, h)
	}
	if w >= 2*welcomeWidth && !c.Env.Look.Theme.Linear {
		world := c.world.View(c.Env.Look.Theme, w-welcomeWidth, h)
		return format.Beside(format.FitBox(lines, welcomeWidth, h), world)
	}
	return format.FitBox(lines, w, h)
}

// renderAddresses renders the addresses that were tried, and how each responded. If all of them failed with the error
// that is shown already, it renders a single line with their schemes and path. If that error is shown at the field of
// the address, it returns nil.
func (c *ConnectPage) renderAddresses(w int) []string {
	th := c.Env.Look.Theme
	if c.isUnreached(c.err) {
		return nil
	}
	const indent = "   "
	room := w - len(indent) - 1
	if c.allFailedAlike() {
		return th.PaintLines(theme.Muted, indent, "Tried "+c.triedText(), room)
	}
	var lines []string
	for _, tried := range c.tried {
		if tried.Err == nil {
			line := indent + th.PaintRole(theme.Good, "✓ "+tried.URL) + th.PaintMuted("  answers")
			lines = append(lines, format.CutLine(line, w))
			continue
		}
		why, _ := format.ExplainError(tried.Err)
		lines = append(lines, th.PaintLines(theme.Muted, indent, "✗ "+tried.URL+"  "+why, room)...)
	}
	return lines
}

// welcomeWidth is the width of the texts that offer the demo and an account. A window at least twice as wide shows
// a map next to them.
const welcomeWidth = 56

func (c *ConnectPage) renderWelcome() []string {
	th := c.Env.Look.Theme
	lines := []string{""}
	demoKey := action.KeyOf(action.TryDemo, action.Welcome)
	connectKey := action.KeyOf(action.ConnectAccount, action.Welcome)
	for i, option := range []struct{ key, title, about string }{
		{demoKey, "Try the demo", "Sample data on a local service, deleted on exit"},
		{connectKey, "Connect an account", "Enter the service address and your API key"},
	} {
		mark := "   "
		style := th.Style
		if i == c.choice {
			mark = " " + th.SelectionMark() + " "
			style = th.SelectedStyle
		}
		key := format.CleanText(style(theme.Accent), mark+option.key)
		title := format.CleanText(style(theme.Text), "  "+option.title+" ")
		lines = append(lines, key+title, "      "+th.PaintMuted(option.about), "")
	}
	return lines
}

// sampleWorld returns a map of places with sample surveys.
func sampleWorld() *page.SiteMap {
	world := page.NewSiteMap()
	var features []geomap.Feature
	for _, survey := range []struct {
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
		status := format.Status(survey.status)
		features = append(features, geomap.Feature{
			ID:       survey.name,
			Label:    survey.name,
			Geometry: survey.at,
			Mark:     []rune(status.Glyph)[0],
			Role:     status.Role,
		})
	}
	world.Model.SetFeatures(features)
	return world
}
