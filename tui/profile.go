package tui

import (
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/session"
	"flightdesk/tui/page"
	"flightdesk/tui/page/connect"
	"flightdesk/tui/theme"
)

// otherProfiles returns the names of all profiles except the current one.
func (a *App) otherProfiles() []string {
	profile := &a.ws.env.Profile
	isCurrent := func(name string) bool { return name == profile.Profile }
	return slices.DeleteFunc(slices.Clone(profile.Profiles), isCurrent)
}

// connectPrevious switches to the previous profile. If the user has not switched yet, it switches to the only
// other profile, or lets the user choose one of several.
func (a *App) connectPrevious() tea.Cmd {
	if a.switches.previous != "" {
		return a.connect(a.switches.previous)
	}
	others := a.otherProfiles()
	if len(others) == 1 {
		return a.connect(others[0])
	}
	return a.chooseProfile()
}

// editProfile opens the form of the current profile. When the user saves the form, the app connects again.
func (a *App) editProfile() tea.Cmd {
	reconnect := func(name string) tea.Cmd { return a.startConnecting(name, true) }
	env := a.ws.env
	return a.ws.pages.open(connect.EditPage(env, *env.Profile.Setup, env.Profile.Profile, reconnect))
}

// addAccount opens the form of a new account. When the user saves the form, the app switches to the account.
func (a *App) addAccount() tea.Cmd {
	connectNew := func(name string) tea.Cmd { return a.startConnecting(name, false) }
	return a.ws.pages.open(connect.AddPage(a.ws.env, *a.setup, connectNew))
}

// connect switches to another profile. The current profile stays on the screen until the connection is ready,
// because the keyring may first ask the user to allow access to the key of the next profile.
func (a *App) connect(name string) tea.Cmd {
	if name == a.ws.env.Profile.Profile {
		return page.ShowToast(theme.Text, "Already using profile "+name)
	}
	return a.startConnecting(name, false)
}

// profileSwitches remembers the previous profile, and numbers the user's requests to switch the profile. Only
// the last request has an effect.
type profileSwitches struct {
	previous string // name of the profile before the last switch; "" before the first switch
	last     int    // number of the last request
}

// profileSwitch is a request to switch the profile.
type profileSwitch struct {
	number  int
	profile string // name of the next profile
	isEdit  bool   // the next profile is the current profile, which was edited or renamed
}

// request returns a new request. Earlier requests then have no effect; see isReplaced.
func (s *profileSwitches) request(profile string, isEdit bool) profileSwitch {
	s.last++
	return profileSwitch{number: s.last, profile: profile, isEdit: isEdit}
}

// isReplaced reports whether the user has made another request since.
func (s *profileSwitches) isReplaced(request profileSwitch) bool { return request.number != s.last }

// connectWork is the ID of the background work of connecting to a profile.
const connectWork = "connect"

// startConnecting connects to a profile in the background, then switches to it. If isEdit is true, the
// profile is the current one, which was edited or renamed. If the user connects to another profile before
// that, the app switches only to the profile that was chosen last.
func (a *App) startConnecting(name string, isEdit bool) tea.Cmd {
	if reason := a.ws.switchBlockedReason(); reason != "" {
		return page.ShowToast(theme.Attention, reason)
	}
	a.ws.status.updateWork(page.WorkMsg{
		ID:   connectWork,
		Text: "Connecting to profile " + name,
		Done: -1,
	})
	request := a.switches.request(name, isEdit)
	loadOptions := a.opts.Switch
	ctx := a.ws.life.Context()
	return func() tea.Msg {
		next, err := loadOptions(ctx, name)
		if err == nil {
			next.UIState = session.OpenUIState(next.Views)
		}
		//nolint:contextcheck // downloads outlast the connection attempt
		return doMsg{do: func() tea.Cmd { return a.finishConnecting(request, next, err) }}
	}
}

// finishConnecting switches to a profile whose options were loaded, or shows why they could not be loaded. It does
// not switch if something that the user has started in the meantime blocks the switch.
func (a *App) finishConnecting(request profileSwitch, next ProfileOptions, err error) tea.Cmd {
	if a.switches.isReplaced(request) {
		return nil
	}
	a.ws.status.updateWork(page.WorkMsg{ID: connectWork, Over: true})
	if err != nil {
		return page.ShowToast(theme.Bad, fmt.Sprintf("Profile %s: %v", request.profile, err))
	}
	if reason := a.ws.switchBlockedReason(); reason != "" {
		return page.ShowToast(theme.Attention, reason)
	}
	return a.switchProfile(next, request.isEdit)
}

// switchBlockedReason returns why the profile cannot be switched now, for example because of a
// pending change or a page with unsaved work, or "" if it can.
func (ws *workspace) switchBlockedReason() string {
	if len(ws.held.waiting) > 0 {
		return "Cannot switch profile: wait for the pending action, or press " + keyOf(action.Undo) + " to undo it"
	}
	var open []any
	for _, d := range ws.dialogs.dialogs {
		open = append(open, d)
	}
	for _, p := range ws.pages.allPages() {
		open = append(open, p)
	}
	for _, part := range open {
		blocker, ok := part.(page.ProfileSwitchBlocker)
		if !ok {
			continue
		}
		if reason := blocker.BlocksProfileSwitch(); reason != "" {
			return "Cannot switch profile: " + reason
		}
	}
	return ""
}

// switchProfile closes all pages and shows the first section of the next profile. If isEdit is true, the next
// profile is the current one, which was edited or renamed.
func (a *App) switchProfile(next ProfileOptions, isEdit bool) tea.Cmd {
	old := a.ws.env
	oldName := old.Profile.Profile
	if !isEdit && next.Profile != oldName {
		a.switches.previous = oldName
	}
	if next.Profiles == nil {
		next.Profiles = old.Profile.Profiles
	}
	closing := a.closeProfile(next) // first, while a.ws still has the old pages and environment

	a.opts.ProfileOptions = next
	a.opts.requestLog = old.Profile.RequestLog
	a.ws.env = a.opts.newEnv()
	keepTerminalLook(&a.ws.env.Look, &old.Look)
	a.ws.status.work = nil // the work of the closed pages
	a.prepareProfile()
	opening := a.startProfileWork()

	toast := describeSwitch(oldName, next.Profile, isEdit)
	return tea.Batch(closing, opening, page.ShowToast(theme.Good, toast))
}

// keepTerminalLook copies the settings that depend on the terminal, and not on the profile, from old to look.
func keepTerminalLook(look, old *page.PageLook) {
	look.Theme = old.Theme
	look.Width = old.Width
	look.Height = old.Height
	look.Graphics = old.Graphics
}

// describeSwitch returns the message about a switch between profiles with these names.
func describeSwitch(oldName, newName string, isEdit bool) string {
	if newName == oldName {
		return "Profile " + newName + " saved"
	}
	if isEdit {
		return "Profile renamed to " + newName
	}
	return "Switched to profile " + newName
}

// closeProfile closes the pages of the current profile before a switch to the next one, stops
// its downloads and its feed, and saves its state.
func (a *App) closeProfile(next ProfileOptions) tea.Cmd {
	env := a.ws.env
	stopDownloads := env.Profile.Downloads.Leave()
	saveLook := env.Look.SaveUIState()
	unwatch := func() tea.Cmd {
		unwatchClients(env, next)
		return nil
	}
	return tea.Batch(
		closePages(a.ws.pages.allPages()),
		func() tea.Msg {
			stopDownloads()
			return saveLook()
		},
		saveCopy(env),
		page.DoInBackground(env.Profile.Feed.Close, nil),
		env.Clock.After(unwatchTime, doMsg{do: unwatch}),
	)
}

// unwatchTime is how long the request log still records requests of the previous profile after a switch. Some
// requests may have no response yet when the profile is switched.
const unwatchTime = time.Minute

// unwatchClients stops logging the requests of a profile's clients, unless the next profile uses the same
// clients. Otherwise the request log would keep the clients and their keys.
func unwatchClients(env *page.Env, next ProfileOptions) {
	if env.Profile.Client != nil && env.Profile.Client != next.Client {
		env.Profile.RequestLog.Unwatch(env.Profile.Client)
	}
	if env.Profile.Ops != nil && env.Profile.Ops != next.Ops {
		env.Profile.RequestLog.Unwatch(env.Profile.Ops)
	}
}

// prepareProfile prepares the environment of a profile and shows its first section. Without a
// service it shows the connect page.
func (a *App) prepareProfile() {
	env := a.ws.env
	if env.Profile.Setup != nil {
		a.setup = env.Profile.Setup
	}
	a.ws = a.ws.forProfile(env)
	a.setServices(env)
	a.data.addFeed(env.Profile.Feed)
	env.Look.UIState.Get(recentKey, &a.ws.recent)
	env.Look.Units = loadUnits(env.Look.UIState, a.opts.Units)
	if env.Profile.Client == nil {
		a.ws.pages.stackOf[""] = []page.Page{connect.New(env, *env.Profile.Setup, a.connect)}
		return
	}
	env.Drafts = a.data.draftsOf(env.Profile.Profile, a.opts.Drafts, a.opts.Surveys)
	env.Drafts.UseChanges(env.Profile.ChangeLog)
	first := a.firstSection()
	a.ws.pages.section = first.Go
	a.ws.pages.stackOf[first.Go] = []page.Page{first.First(env)}
}

// firstSection returns the section that a profile begins with: the section of Options.Begin, or
// Home, or Inspect if the profile has neither of them.
func (a *App) firstSection() *page.Section {
	begin := findSection(a.opts.Begin)
	if begin != nil && a.ws.missingReason(begin.Go) == "" {
		return begin
	}
	home := &sections[0]
	if a.ws.missingReason(home.Go) == "" {
		return home
	}
	return findSection(action.GoInspect)
}

// setServices connects the environment of pages with the app: navigation, held changes, the scratch folder
// and scrolling.
func (a *App) setServices(env *page.Env) {
	env.Nav = navigator{&a.ws, env}
	env.Changes.Defer = a.ws.holdChange
	env.Changes.PendingFor = a.ws.held.pendingFor
	env.Files.Scratch = a.data.scratch.folder
	env.Clock.IsScrolling = a.limiter.isScrolling
}

// probeScopes asks the service which of the scopes the key has. Without arguments it asks for
// all scopes.
func (ws *workspace) probeScopes(scopes ...api.Scope) tea.Cmd {
	env := ws.env
	ctx := ws.life.Context()
	if env.Profile.Client == nil || env.Profile.NoAccount {
		return nil
	}
	return func() tea.Msg {
		grants, err := env.Profile.Client.Scopes(ctx, scopes...)
		return doMsg{of: env, do: func() tea.Cmd {
			env.Profile.Permissions = env.Profile.Permissions.WithGrants(grants, err)
			return tea.Batch(ws.pages.broadcast(page.PermissionsMsg{}), ws.updateConnection())
		}}
	}
}

// readRole reads the role of the operations key, which decides what the key can change. If the
// role cannot be read, the service still refuses the changes that the role does not allow.
func (ws *workspace) readRole() tea.Cmd {
	env := ws.env
	ctx := ws.life.Context()
	if env.Profile.Ops == nil || env.Profile.Role != "" {
		return nil
	}
	return func() tea.Msg {
		user, err := env.Profile.Ops.Operators.Current(ctx)
		if err != nil {
			return nil
		}
		return doMsg{of: env, do: func() tea.Cmd {
			env.Profile.Role = user.Role
			for _, viewed := range ws.viewed {
				viewed.Profile.Role = user.Role
			}
			return ws.pages.broadcast(page.PermissionsMsg{})
		}}
	}
}

// probeOrders asks the service whether the key can read and write orders, unless that is known. The first row
// of the screen shows the answer. Actions that the key may not perform are disabled.
func (ws *workspace) probeOrders() tea.Cmd {
	if ws.env.Profile.Permissions.IsKnown() {
		return nil
	}
	return ws.probeScopes(api.ScopeOrdersRead, api.ScopeOrdersWrite)
}
