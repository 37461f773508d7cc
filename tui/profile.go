package tui

import (
	"fmt"
	"slices"
	"sync/atomic"

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
	"flightdesk/tui/page/missions"
	"flightdesk/tui/page/orders"
	"flightdesk/tui/page/webhooks"
	"flightdesk/tui/theme"
)

// lastProfile goes over to the profile that was shown before this one. Of two
// that is the other one; of more, with none before, one is chosen.
func (a *App) lastProfile() tea.Cmd {
	if a.before != "" {
		return a.switchTo(a.before)
	}
	others := slices.DeleteFunc(slices.Clone(a.opts.Profiles), func(name string) bool { return name == a.opts.Profile })
	if len(others) == 1 {
		return a.switchTo(others[0])
	}
	return a.do(action.Profiles)
}

// switchedMsg brings what a profile's connection takes.
type switchedMsg struct {
	number  int
	profile string
	opts    Options
	err     error
}

// switchID is the work that connecting is, in the status row.
const switchID = "connect"

// switchTo connects with another profile. What is on the screen stays until
// that is ready; its keys may have to be asked for.
func (a *App) switchTo(profile string) tea.Cmd {
	switch {
	case len(a.pending.waiting) > 0:
		return page.Toast(theme.Attention, a.pending.waiting[0].Text+" has not been sent yet; wait for it, or u stops it")
	case profile == a.opts.Profile:
		return page.Toast(theme.Text, "this is the profile "+profile)
	case a.stays() != "":
		return page.Toast(theme.Attention, a.stays()+"; switch once that is over")
	}
	a.switches++
	n, connect := a.switches, a.opts.Switch
	a.status.note(page.WorkMsg{ID: switchID, Text: "connecting with the profile " + profile, Done: -1})
	return func() tea.Msg {
		opts, err := connect(a.life.Context(), profile)
		opts.kept = session.OpenUIState(opts.Views)
		return switchedMsg{n, profile, opts, err}
	}
}

// stays says what is on its way, or on the screen, that would be lost with the
// profile; "" for nothing.
func (a *App) stays() string {
	for _, d := range a.dialogs {
		if s, ok := d.(page.ProfileSwitchBlocker); ok && s.BlocksProfileSwitch() != "" {
			return s.BlocksProfileSwitch()
		}
	}
	for _, p := range a.stacks.all() {
		if s, ok := p.(page.ProfileSwitchBlocker); ok && s.BlocksProfileSwitch() != "" {
			return s.BlocksProfileSwitch()
		}
	}
	return ""
}

// switched goes over to another profile, unless another one was asked for
// since.
func (a *App) switched(msg switchedMsg) tea.Cmd {
	if msg.number != a.switches {
		return nil
	}
	a.status.note(page.WorkMsg{ID: switchID, Over: true})
	if msg.err != nil {
		return page.Toast(theme.Bad, fmt.Sprintf("profile %s: %v", msg.profile, msg.err))
	}
	if len(a.pending.waiting) > 0 { // confirmed while the profile connected
		return page.Toast(theme.Attention, a.pending.waiting[0].Text+" has not been sent yet; switch again then")
	}
	if why := a.stays(); why != "" {
		return page.Toast(theme.Attention, why+"; switch once that is over")
	}
	return tea.Batch(a.adopt(msg.opts), page.Toast(theme.Good, "this is the profile "+msg.opts.Profile+" now"))
}

// adopt ends all pages and begins anew on another connection. What belongs to
// the terminal and the user stays: theme, mouse, clock.
func (a *App) adopt(opts Options) tea.Cmd {
	var cmds []tea.Cmd
	for _, p := range a.stacks.all() {
		cmds = append(cmds, p.Leave())
		p.Life().End()
	}
	a.before = a.opts.Profile
	opts.Themes, opts.Theme = a.appearance.themes, a.appearance.name
	opts.Now, opts.After, opts.Folder = a.opts.Now, a.opts.After, a.opts.Folder
	opts.Switch, opts.Clipboard, opts.Opener, opts.Graphics = a.opts.Switch, a.opts.Clipboard, a.opts.Opener, a.opts.Graphics
	opts.Begin = a.opts.Begin
	opts.wire, opts.Post = a.env.RequestLog, a.opts.Post
	if opts.Profiles == nil {
		opts.Profiles = a.opts.Profiles
	}
	stop, kept, known := a.stopDownloads(), flush(a.env.UIState), a.offline
	cmds = append(cmds, func() tea.Msg { stop(); return kept() }, func() tea.Msg { return saved(known.save()) }, a.feeds.leave(a.env.Feed))
	cmds = whenDone(cmds, forget(a.env, opts)) // what these ask is logged, too
	look, graphics := a.env.Theme, a.env.Graphics
	a.opts, a.env = opts, opts.env()
	a.env.Theme, a.env.Width, a.env.Height, a.env.Graphics = look, a.w, a.h, graphics
	a.dialogs, a.link, a.pending, a.notifications = nil, link{}, pending{numbers: a.pending.numbers}, notifications{}
	a.status.work = nil // it was of the pages that have ended
	a.equip()
	return tea.Batch(append(cmds, a.stacks.top().Start(), a.comeBack(), a.reading.begin(a.env), a.offline.load())...)
}

// forget has the log of requests let go of the clients of a profile that is left,
// and so of their keys.
func forget(env *page.Env, next Options) func() {
	log, client, ops := env.RequestLog, env.Client, env.Ops
	return func() {
		if client != nil && client != next.Client {
			log.Forget(client)
		}
		if ops != nil && ops != next.Ops {
			log.Forget(ops)
		}
	}
}

// whenDone has then called once the commands, and those of the batches that
// they return, have ended.
func whenDone(cmds []tea.Cmd, then func()) []tea.Cmd {
	var open atomic.Int64
	var count func([]tea.Cmd) []tea.Cmd
	count = func(cmds []tea.Cmd) []tea.Cmd {
		cmds = slices.DeleteFunc(slices.Clone(cmds), func(cmd tea.Cmd) bool { return cmd == nil })
		open.Add(int64(len(cmds)))
		for i, cmd := range cmds {
			cmds[i] = func() tea.Msg {
				msg := cmd()
				if batch, ok := msg.(tea.BatchMsg); ok {
					msg = tea.BatchMsg(count(batch))
				}
				if open.Add(-1) == 0 {
					then()
				}
				return msg
			}
		}
		return cmds
	}
	return count(cmds)
}

// flush brings how a profile's tables look to disk.
func flush(kept *session.UIState) tea.Cmd {
	return func() tea.Msg {
		if err := kept.Flush(); err != nil {
			return page.ToastMsg{Role: theme.Bad, Text: err.Error()}
		}
		return nil
	}
}

// equip gives the pages what they call of the root, and makes the first one:
// that of the first section, or without a service the one that connects.
func (a *App) equip() {
	env := a.env
	a.pending.clock, a.pending.note, a.pending.broadcast = env.Clock, a.status.note, a.stacks.broadcast
	a.pending.failed = func(sent page.SentMsg) tea.Cmd { return explainFailure(env, sent) }
	a.serve(a.env)
	a.recent = nil
	a.env.UIState.Get(keptRecent, &a.recent)
	a.offline = offlineCopy{of: a.env.Cache, path: a.opts.Known, keptAt: a.env.Now()}
	a.units = units{&a.env.Look, a.opts.Units, a.stacks.broadcast}
	a.units.use()
	a.stacks = stacks{of: map[action.ID][]page.Page{}}
	if a.env.Client == nil {
		a.stacks.setPages([]page.Page{connect.New(a.env, *a.opts.Setup, a.switchTo)})
		return
	}
	// A profile's drafts are kept by one keeper, however often it is come back
	// to: two would undo each other.
	place := a.opts.Drafts
	if place == "" {
		place = "of " + a.opts.Profile
	}
	if a.keepers[place] == nil {
		a.keepers[place] = ordering.NewDrafts(a.opts.Drafts)
	}
	a.drafts = a.keepers[place]
	first := offered(a.env)[0]
	if s, ok := section(offered(a.env), a.opts.Begin); ok {
		first = s
	}
	a.stacks.now = first.Go
	a.stacks.setPages([]page.Page{first.First(a.env)})
}

// serve gives pages what they call of the root.
func (a *App) serve(env *page.Env) {
	env.Open, env.Instead, env.NewOrder = a.stacks.open, a.stacks.instead, a.newOrder
	env.Overlay = func(d page.Dialog) { a.dialogs = append(a.dialogs, d) }
	env.OrderPage = func(o *api.Order) page.Page { return orders.NewOrder(env, o) }
	env.OpenMission = func(m *cache.Mission) tea.Cmd { return a.stacks.open(missions.NewMission(env, m)) }
	env.OpenOrder = func(o *api.Order) tea.Cmd { return a.stacks.open(orders.NewOrder(env, o)) }
	env.OrderAgain = a.orderAgain
	env.OpenEndpoint = func(uuid string) tea.Cmd { return a.stacks.open(webhooks.NewEndpoint(env, uuid)) }
	env.OpenStory = func(of timeline.Subject, at string) tea.Cmd { return a.stacks.open(inspect.NewStory(env, of, at)) }
	env.OnTop = func(l *page.Lifetime) bool { return a.stacks.top().Life() == l }
	env.Defer, env.PendingFor = a.pending.hold, a.pending.of
	env.Scratch, env.Go = a.scratch.folder, a.goTo
	env.IsScrolling = a.limiter.isPassing
	env.Draft = func() func() (ordering.DraftNote, bool) { return a.drafts.Summary() }
}
