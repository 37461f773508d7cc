package tui

import (
	"context"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/app/session"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/page"
	"flightdesk/tui/page/connect"
	"flightdesk/tui/page/inspect"
	"flightdesk/tui/page/orders"
	"flightdesk/tui/page/webhooks"
	"flightdesk/tui/theme"
)

// profiles switches between profiles.
type profiles struct {
	opts          *Options // of the current profile
	ctx           context.Context
	status        *status
	blockedReason func() string // why the profile cannot be left now, or ""
	adopt         func(ProfileOptions) tea.Cmd
	before        string // the previous profile, or ""
	asked         int    // numbers the requests to switch
}

// previousProfile returns the previous profile, or the other one of two. Without either it
// is "": the user must choose.
func (p *profiles) previousProfile() string {
	if others := p.otherProfiles(); p.before == "" && len(others) == 1 {
		return others[0]
	}
	return p.before
}

func (p *profiles) otherProfiles() []string {
	return slices.DeleteFunc(
		slices.Clone(p.opts.Profiles),
		func(name string) bool { return name == p.opts.Profile },
	)
}

// paletteEntries returns the entries of the palette for the other profiles.
func (p *profiles) paletteEntries() []paletteEntry {
	var entries []paletteEntry
	for _, name := range p.otherProfiles() {
		entries = append(
			entries,
			paletteEntry{
				label: "profile: " + name,
				hint:  "profile",
				run:   func() tea.Cmd { return p.connect(name) },
			},
		)
	}
	return entries
}

// cannotSwitch begins the message why a profile was not switched.
const cannotSwitch = "Cannot switch profile: "

// switchID identifies the connecting in the status row.
const switchID = "connect"

// connect switches to another profile. The screen stays as it is until the
// connection is ready; reading keys may prompt.
func (p *profiles) connect(name string) tea.Cmd {
	if name == p.opts.Profile {
		return page.ShowToast(theme.Text, "Already using profile "+name)
	}
	return p.startConnecting(name, false)
}

// reopen reconnects the current profile after it was edited or renamed.
func (p *profiles) reopen(name string) tea.Cmd { return p.startConnecting(name, true) }

func (p *profiles) startConnecting(name string, edited bool) tea.Cmd {
	if why := p.blockedReason(); why != "" {
		return page.ShowToast(theme.Attention, cannotSwitch+why)
	}
	p.asked++
	n, ctx, connect := p.asked, p.ctx, p.opts.Switch
	p.status.note(page.WorkMsg{ID: switchID, Text: "Connecting to profile " + name, Done: -1})
	return func() tea.Msg {
		opts, err := connect(ctx, name)
		opts.UIState = session.OpenUIState(opts.Views)
		return doMsg{do: func() tea.Cmd { return p.takeConnection(n, name, edited, opts, err) }}
	}
}

// takeConnection switches to a profile that was connected, and says so. Outdated
// requests are ignored.
func (p *profiles) takeConnection(
	number int,
	name string,
	edited bool,
	opts ProfileOptions,
	err error,
) tea.Cmd {
	if number != p.asked {
		return nil
	}
	p.status.note(page.WorkMsg{ID: switchID, Over: true})
	if err != nil {
		return page.ShowToast(theme.Bad, fmt.Sprintf("Profile %s: %v", name, err))
	}
	if why := p.blockedReason(); why != "" { // something was begun meanwhile
		return page.ShowToast(theme.Attention, cannotSwitch+why)
	}
	said := "Switched to profile " + opts.Profile
	switch {
	case opts.Profile == p.opts.Profile:
		said = "Profile " + opts.Profile + " saved"
	case edited:
		said = "Profile renamed to " + opts.Profile
	default:
		p.before = p.opts.Profile
	}
	return tea.Batch(p.adopt(opts), page.ShowToast(theme.Good, said))
}

// blockedReason returns why the profile cannot be left now: a pending change or a page
// with unsaved work; "" if it can.
func (a *App) blockedReason() string {
	if len(a.pending.waiting) > 0 {
		return "wait for the pending action, or press u to undo it"
	}
	var on []any
	for _, d := range a.dialogs.open {
		on = append(on, d)
	}
	for _, p := range a.stacks.all() {
		on = append(on, p)
	}
	for _, one := range on {
		if s, ok := one.(page.ProfileSwitchBlocker); ok && s.BlocksProfileSwitch() != "" {
			return s.BlocksProfileSwitch()
		}
	}
	return ""
}

// switchProfile closes all pages and starts again with another profile.
func (a *App) switchProfile(next ProfileOptions) tea.Cmd {
	var cmds []tea.Cmd
	for _, p := range a.stacks.all() {
		cmds = append(cmds, p.OnLeave())
		p.PageLifetime().End()
	}
	opts := a.opts
	opts.ProfileOptions, opts.Theme, opts.wire = next, a.appearance.name, a.env.RequestLog
	if opts.Profiles == nil {
		opts.Profiles = a.opts.Profiles
	}
	stop, kept, known := a.downloads.stopAll(), a.env.KeepLook(), a.offline
	cmds = append(
		cmds,
		func() tea.Msg { stop(); return kept() },
		func() tea.Msg { return reportSaved(known.saveCopy()) },
		a.feeds.stopFeed(a.env.Feed),
		a.env.After(forgetTime, doMsg{do: forgetClients(a.env, opts)}),
	)
	look, graphics := a.env.Theme, a.env.Graphics
	a.opts, a.env = opts, opts.env()
	a.env.Theme, a.env.Width, a.env.Height, a.env.Graphics = look, a.frame.w, a.frame.h, graphics
	a.dialogs, a.link, a.pending, a.notifications = dialogStack{}, connectionState{}, pendingChanges{
		numbers: a.pending.numbers,
	}, newsFeed{}
	a.status.work = nil // belonged to the closed pages
	a.startProfile()
	return tea.Batch(append(cmds, a.beginProfile())...)
}

// forgetTime is how long the last requests of a profile that is left are still logged.
const forgetTime = time.Minute

// forgetClients returns a function that drops the clients of the profile, and with them
// their keys, from the request log.
func forgetClients(env *page.Env, next Options) func() tea.Cmd {
	log, client, ops := env.RequestLog, env.Client, env.Ops
	return func() tea.Cmd {
		if client != nil && client != next.Client {
			log.Forget(client)
		}
		if ops != nil && ops != next.Ops {
			log.Forget(ops)
		}
		return nil
	}
}

// startProfile prepares the environment of a profile and shows the first section, or the
// connect page without a service.
func (a *App) startProfile() {
	env := a.env
	a.viewed = map[string]*page.Env{}
	a.dialogs.now = env.Now
	a.pending.clock, a.pending.note, a.pending.broadcast = env.AppClock, a.status.note, a.stacks.broadcast
	a.pending.changed, a.pending.hold = a.reading.markChanged, env.HoldFor()
	a.pending.failed = func(sent page.SentMsg) tea.Cmd { return explainFailure(env, sent) }
	a.setCallbacks(env)
	a.recent = recentEntries{look: &env.PageLook}
	env.UIState.Get(keptRecent, &a.recent.labels)
	a.downloads = downloadFollower{env: env, status: &a.status, broadcast: a.stacks.broadcast}
	a.reading = reading{
		env:    env,
		ctx:    a.life.Context(),
		stacks: &a.stacks,
		watch:  a.offline.saveIfDue,
		drawn: func(all bool) tea.Cmd { // offers what was read in an open palette, and redraws
			if p, ok := a.dialogs.topDialog().(*paletteDialog); ok {
				p.learnEntries(env.Now(), all)
			}
			return a.limiter.markStale()
		},
		ended: a.updateConnection,
	}
	a.offline = offlineCopy{of: a.env.Cache, path: a.opts.Known, keptAt: a.env.Now()}
	a.useUnits()
	a.stacks = stacks{of: map[action.ID][]page.Page{}}
	if a.env.Client == nil {
		a.stacks.setPages([]page.Page{connect.New(a.env, *a.opts.Setup, a.profiles.connect)})
		return
	}
	// One Drafts per folder, kept over switches of the profile: two would
	// overwrite each other.
	place := a.opts.Drafts
	if place == "" {
		place = "of " + a.opts.Profile
	}
	if a.keepers[place] == nil {
		a.keepers[place] = ordering.NewDrafts(a.opts.Drafts)
	}
	a.drafts = a.keepers[place]
	first := offeredSections(a.env)[0]
	if s, ok := findSection(offeredSections(a.env), a.opts.Begin); ok {
		first = s
	}
	a.stacks.now = first.Go
	a.stacks.setPages([]page.Page{first.First(a.env)})
}

// setCallbacks sets the functions of an environment that pages call.
func (a *App) setCallbacks(env *page.Env) {
	env.Open, env.Instead, env.NewOrder = a.stacks.open, a.stacks.replacePage, a.newOrder
	env.Overlay, env.Interrupt = a.dialogs.pushDialog, a.interrupt
	env.OrderPage = func(o *api.Order) page.Page { return orders.NewOrder(env, o) }
	env.OpenMission = func(m *cache.Mission) tea.Cmd { return a.stacks.open(orders.NewMission(env, m)) }
	env.OpenOrder = func(o *api.Order) tea.Cmd { return a.stacks.open(orders.NewOrder(env, o)) }
	env.OrderAgain = func(o *api.Order) tea.Cmd {
		return tea.Batch(page.KeepInBackground(a.drafts.BeginDraft(ordering.Repeat(o)), nil), a.newOrder())
	}
	env.OpenEndpoint = func(uuid string) tea.Cmd { return a.stacks.open(webhooks.NewEndpoint(env, uuid)) }
	env.OpenStory = func(of timeline.StorySubject, at string) tea.Cmd { return a.stacks.open(inspect.NewStory(env, of, at)) }
	env.OpenInspect = func() tea.Cmd { return a.stacks.open(inspect.NewAccount(env)) }
	env.InAccount = a.inAccount
	env.OnTop = func(l *page.Lifetime) bool { return a.terminal.focus != away && a.stacks.top().PageLifetime() == l }
	env.Defer, env.PendingFor = a.pending.holdChange, a.pending.pendingFor
	env.Scratch, env.Go = a.scratch.folder, a.goTo
	env.IsScrolling = a.limiter.isPassing
	env.Probe = a.probeScopes
	env.Drafts = func() func() []ordering.StoredDraft { return a.drafts.ListStored() }
	env.OpenDraft = func(name string) tea.Cmd {
		a.drafts.Wanted = name
		return a.newOrder()
	}
}

// probeScopes asks the service which of the scopes the key has, all scopes if
// none are named.
func (a *App) probeScopes(of ...api.Scope) tea.Cmd {
	env, ctx := a.env, a.life.Context()
	if env.Client == nil {
		return nil
	}
	return func() tea.Msg {
		grants, err := env.Client.Scopes(ctx, of...)
		return doMsg{of: env, do: func() tea.Cmd {
			env.Permissions = env.Permissions.WithGrants(grants, err)
			return tea.Batch(a.stacks.broadcast(page.PermissionsMsg{}), a.updateConnection())
		}}
	}
}

// probeOrders asks whether the key may read and write orders, which the band
// shows and actions depend on.
func (a *App) probeOrders() tea.Cmd {
	if a.env.Permissions.IsKnown() {
		return nil
	}
	return a.probeScopes(api.ScopeOrdersRead, api.ScopeOrdersWrite)
}
