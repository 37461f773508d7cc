package tui

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/app/session"
	"flightdesk/tui/page"
	"flightdesk/tui/page/connect"
	"flightdesk/tui/theme"
)

func (a *App) otherProfiles() []string {
	return slices.DeleteFunc(slices.Clone(a.ws.env.Profile.Profiles), func(name string) bool { return name == a.ws.env.Profile.Profile })
}

// connectPrevious switches to the previous profile, or the other one of two. Without
// either the user chooses.
func (a *App) connectPrevious() tea.Cmd {
	others := a.otherProfiles()
	switch {
	case a.previousProfile != "":
		return a.connect(a.previousProfile)
	case len(others) == 1:
		return a.connect(others[0])
	}
	return a.chooseProfile()
}

// editProfile opens the form of the current profile.
func (a *App) editProfile() tea.Cmd {
	return a.ws.pages.open(connect.EditPage(a.ws.env, *a.ws.env.Profile.Setup, a.ws.env.Profile.Profile, func(name string) tea.Cmd {
		return a.startConnecting(name, true)
	}))
}

// connect switches to another profile. The screen stays as it is until the
// connection is ready; reading keys may prompt.
func (a *App) connect(name string) tea.Cmd {
	if name == a.ws.env.Profile.Profile {
		return page.ShowToast(theme.Text, "Already using profile "+name)
	}
	return a.startConnecting(name, false)
}

// startConnecting switches to a profile, the current one after it was edited or renamed,
// and says so. Outdated requests are ignored.
func (a *App) startConnecting(name string, edited bool) tea.Cmd {
	if why := a.ws.blockedReason(); why != "" {
		return page.ShowToast(theme.Attention, why)
	}
	a.switches++
	n, ctx, connect := a.switches, a.ws.life.Context(), a.opts.Switch
	work := page.WorkMsg{
		ID:   "connect",
		Text: "Connecting to profile " + name,
		Done: -1,
	}
	a.ws.status.updateWork(work)
	return func() tea.Msg {
		opts, err := connect(ctx, name)
		opts.UIState = session.OpenUIState(opts.Views)
		return doMsg{do: func() tea.Cmd {
			if n != a.switches {
				return nil
			}
			work.Over = true
			a.ws.status.updateWork(work)
			if err != nil {
				return page.ShowToast(theme.Bad, fmt.Sprintf("Profile %s: %v", name, err))
			}
			if why := a.ws.blockedReason(); why != "" { // something was begun meanwhile
				return page.ShowToast(theme.Attention, why)
			}
			return a.switchProfile(opts, edited)
		}}
	}
}

// blockedReason says why the profile cannot be left now: a pending change or a page
// with unsaved work; "" if it can.
func (ws *workspace) blockedReason() string {
	why := ""
	look := func(on any) {
		if s, ok := on.(page.ProfileSwitchBlocker); ok && why == "" {
			why = s.BlocksProfileSwitch()
		}
	}
	for _, d := range ws.dialogs.dialogs {
		look(d)
	}
	for _, p := range ws.pages.allPages() {
		look(p)
	}
	if len(ws.held.waiting) > 0 {
		why = "wait for the pending action, or press u to undo it"
	}
	if why == "" {
		return ""
	}
	return "Cannot switch profile: " + why
}

// switchProfile closes all pages and starts again with another profile, or with the one
// that was edited.
func (a *App) switchProfile(next ProfileOptions, edited bool) tea.Cmd {
	said := "Switched to profile " + next.Profile
	switch {
	case next.Profile == a.ws.env.Profile.Profile:
		said = "Profile " + next.Profile + " saved"
	case edited:
		said = "Profile renamed to " + next.Profile
	default:
		a.previousProfile = a.ws.env.Profile.Profile
	}
	if next.Profiles == nil {
		next.Profiles = a.ws.env.Profile.Profiles
	}
	old := a.ws.env
	stop, keep := old.Profile.Downloads.Leave(), old.Look.KeepLook()
	cmds := []tea.Cmd{
		closePages(a.ws.pages.allPages()),
		func() tea.Msg { stop(); return keep() },
		saveCopy(old),
		page.KeepInBackground(old.Profile.Feed.Close, nil),
		old.Clock.After(forgetTime, doMsg{do: func() tea.Cmd { forgetClients(old, next); return nil }}),
	}
	a.opts.ProfileOptions, a.opts.wire = next, old.Profile.RequestLog
	a.ws.env = a.opts.newEnv()
	a.ws.env.Look.Theme, a.ws.env.Look.Width, a.ws.env.Look.Height, a.ws.env.Look.Graphics = old.Look.Theme, old.Look.Width, old.Look.Height, old.Look.Graphics
	a.ws.status.work = nil // belonged to the closed pages
	a.startProfile()
	return tea.Batch(append(cmds, a.beginProfile(), page.ShowToast(theme.Good, said))...)
}

// forgetTime is how long the last requests of a profile that is left are still logged.
const forgetTime = time.Minute

// forgetClients drops the clients of a profile, and with them their keys, from the request
// log.
func forgetClients(env *page.Env, next ProfileOptions) {
	if env.Profile.Client != nil && env.Profile.Client != next.Client {
		env.Profile.RequestLog.Forget(env.Profile.Client)
	}
	if env.Profile.Ops != nil && env.Profile.Ops != next.Ops {
		env.Profile.RequestLog.Forget(env.Profile.Ops)
	}
}

// startProfile prepares the environment of a profile and shows the first section, or the
// connect page without a service.
func (a *App) startProfile() {
	env := a.ws.env
	a.ws = a.ws.forProfile(env)
	a.setServices(env)
	a.feeds = append(a.feeds, env.Profile.Feed)
	env.Look.UIState.Get(keptRecent, &a.ws.recent)
	env.Look.Units = loadUnits(env.Look.UIState, a.opts.Units)
	if env.Profile.Client == nil {
		a.ws.pages.stackOf[""] = []page.Page{connect.New(env, *a.ws.env.Profile.Setup, a.connect)}
		return
	}
	// One Drafts per folder, kept over switches of the profile: two would
	// overwrite each other.
	place := cmp.Or(a.opts.Drafts, "of "+a.ws.env.Profile.Profile)
	if a.drafts[place] == nil {
		a.drafts[place] = ordering.NewDrafts(a.opts.Drafts)
		a.drafts[place].Reader = a.opts.Surveys
	}
	a.ws.env.Drafts = a.drafts[place]
	a.ws.env.Drafts.UseLedger(env.Profile.Decisions)
	first := findSection(a.opts.Begin)
	if first == nil || a.ws.missingReason(first.Go) != "" {
		first = &sections[0]
	}
	if a.ws.missingReason(first.Go) != "" {
		first = findSection(action.GoInspect)
	}
	a.ws.pages.section = first.Go
	a.ws.pages.stackOf[first.Go] = []page.Page{first.First(env)}
}

// setServices sets the services of an environment that the app offers to pages.
func (a *App) setServices(env *page.Env) {
	env.Nav = navigator{&a.ws, env}
	env.Changes.Defer = a.ws.holdChange
	env.Changes.PendingFor = a.ws.held.pendingFor
	env.Files.Scratch = a.scratch.folder
	env.Clock.IsScrolling = a.limiter.isPassing
}

// probeScopes asks the service which of the scopes the key has, all scopes if
// none are named.
func (ws *workspace) probeScopes(of ...api.Scope) tea.Cmd {
	env, ctx := ws.env, ws.life.Context()
	if env.Profile.Client == nil || env.Profile.NoAccount {
		return nil
	}
	return func() tea.Msg {
		grants, err := env.Profile.Client.Scopes(ctx, of...)
		return doMsg{of: env, do: func() tea.Cmd {
			env.Profile.Permissions = env.Profile.Permissions.WithGrants(grants, err)
			return tea.Batch(ws.pages.broadcast(page.PermissionsMsg{}), ws.updateConnection())
		}}
	}
}

// readRole asks the operations API for the role of its key, which decides what can be
// changed there. A service that does not tell it refuses what the role does not allow.
func (ws *workspace) readRole() tea.Cmd {
	env, ctx := ws.env, ws.life.Context()
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

// probeOrders asks whether the key may read and write orders, which the band
// shows and actions depend on.
func (ws *workspace) probeOrders() tea.Cmd {
	if ws.env.Profile.Permissions.IsKnown() {
		return nil
	}
	return ws.probeScopes(api.ScopeOrdersRead, api.ScopeOrdersWrite)
}
