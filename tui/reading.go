package tui

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/geomap"
)

const (
	// tickTime is how often it is looked what has become stale.
	tickTime = 5 * time.Second
	// watchTime is how often orders and quotes are read, whatever is shown.
	watchTime = time.Minute
	// calm is how long the page on the screen is told of nothing new at least,
	// while there is more to read: each telling draws it.
	calm = 250 * time.Millisecond
)

// reading has the cache read what is shown, and the rest behind it.
type reading struct {
	env     *page.Env // of the profile
	ctx     context.Context
	stacks  *stacks
	watch   func(now time.Time) tea.Cmd // is called each time that all was looked at
	drawn   func(all bool) tea.Cmd      // is called when pages were told of something new, or of all
	watched time.Time                   // when all was looked at, whatever is shown
	told    time.Time                   // when the page on the screen was told of something new
	seen    int                         // version of the cache that it was told of
	timer   bool                        // it is told in a moment
	waiting bool                        // something that it shows was not read yet
}

type (
	// tickMsg looks what has become stale.
	tickMsg struct{ of *cache.Cache }
	// readMsg says that something was read.
	readMsg struct{ of *cache.Cache }
	// tellMsg tells the page on the screen what was read in the last moments.
	tellMsg struct{ of *cache.Cache }
	// keptMsg says that what an earlier run has kept is known.
	keptMsg struct{ of *cache.Cache }
)

// begin reads from now on.
func (r *reading) begin() tea.Cmd {
	r.watched = r.env.Now()
	if r.env.Cache == nil {
		return nil
	}
	return r.env.After(tickTime, tickMsg{r.env.Cache})
}

// isQuiet tells whether a message changes nothing that is drawn: what was read
// is drawn once the page is told of it.
func isQuiet(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case tickMsg, readMsg:
		return true
	case townsMsg:
		return !msg.read
	}
	return false
}

// hear takes what is said of the cache; what is of another profile's comes too
// late.
func (r *reading) hear(msg tea.Msg) tea.Cmd {
	of := r.env.Cache
	switch msg := msg.(type) {
	case tickMsg:
		if msg.of == of {
			return tea.Batch(r.env.After(tickTime, msg), r.lookIfDue(r.env.Now()))
		}
	case keptMsg:
		if msg.of == of {
			return r.stacks.broadcast(page.KeptMsg{})
		}
	case tellMsg:
		if r.timer = false; msg.of == r.shown() {
			return r.tell()
		}
	}
	return nil
}

// lookIfDue has all read that is stale, whatever is shown.
func (r *reading) lookIfDue(now time.Time) tea.Cmd {
	if now.Sub(r.watched) < watchTime {
		return nil
	}
	r.watched = now
	r.env.Cache.WatchAccount()
	return r.watch(now)
}

// changed has read again what a change of the service may have made old: what is
// shown, and what is watched.
func (r *reading) changed() {
	if of := r.env.Cache; of != nil {
		of.MarkChanged()
		of.WatchAccount()
		if shown := r.shown(); shown != of {
			shown.MarkChanged()
		}
	}
}

// shown returns the cache that the page on the screen shows: of the profile's account,
// or of one that is read with the key of the operations API.
func (r *reading) shown() *cache.Cache {
	return inUse(r.env, r.stacks.top()).Cache
}

// next has the cache read what the page on the screen needs, and what else is
// due, and tells the page what was read.
func (r *reading) next() tea.Cmd {
	of := r.shown()
	if of == nil {
		return nil
	}
	cmd := r.run()
	version, waited := of.Version(), r.waiting
	reading, waiting := of.ReadingPage()
	if r.waiting = waiting; version == r.seen {
		return cmd
	}
	wait := calm - r.env.Now().Sub(r.told)
	if !reading || waited && !waiting || wait <= 0 && !r.timer {
		return tea.Batch(cmd, r.tell(), r.run()) // it may need more, now that it knows this
	}
	if r.timer {
		return cmd
	}
	r.timer = true
	return tea.Batch(cmd, r.env.After(wait, tellMsg{of}))
}

// run begins what is to be read next: what the page on the screen needs comes
// first.
func (r *reading) run() tea.Cmd {
	of, ctx := r.shown(), r.ctx
	var needs []cache.Need
	top := r.stacks.top()
	if reader, ok := top.(page.CachedReader); ok && (r.waiting || r.env.OnTop(top.PageLifetime())) {
		needs = reader.DataNeeds()
	}
	of.ShowNeeds(top.PageLifetime(), needs...)
	var cmds []tea.Cmd
	for read := of.NextRead(); read != nil; read = of.NextRead() {
		cmds = append(cmds, func() tea.Msg {
			read(ctx)
			return readMsg{of}
		})
	}
	return tea.Batch(cmds...)
}

// tell tells the page on the screen that something was read; all pages where
// that is all for now.
func (r *reading) tell() tea.Cmd {
	r.seen, r.told = r.shown().Version(), r.env.Now()
	reading, _ := r.shown().ReadingPage()
	drawn := r.drawn(!reading)
	if reading {
		return tea.Batch(r.stacks.top().Update(page.ReadMsg{}), drawn)
	}
	return tea.Batch(r.stacks.broadcast(page.ReadMsg{}), drawn)
}

// The names of towns are read once the first page has what it waits for, which
// has both processors of a small machine to itself until then: it is looked for so
// often, so many times.
const (
	townsTime  = 30 * time.Millisecond
	townsTries = 100
)

type (
	// darkMsg says that the terminal did not tell its background in time.
	darkMsg struct{}
	// townsMsg has what maps are named with read, if it is time, and then says that
	// they can be.
	townsMsg struct {
		tries int
		read  bool
	}
	// minuteMsg redraws the ages once a minute.
	minuteMsg struct{}
	// countMsg redraws a page that counts down.
	countMsg struct{}
)

// countSeconds draws the page on the screen again in a second, where it counts down.
func (a *App) countSeconds() tea.Cmd {
	if c, is := a.stacks.top().(page.SecondCounter); a.counting || !is || !c.CountsSeconds() {
		return nil
	}
	a.counting = true
	return a.env.After(time.Second, countMsg{})
}

// handleTimer does what a timer has called for; the rest goes on to the downloads.
func (a *App) handleTimer(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case darkMsg:
		a.appearance.blank = false
	case foundMsg:
		return a.openFound(msg)
	case restMsg:
		a.limiter.keysRest() // what was passed by is drawn, and the page may need more
	case townsMsg:
		switch {
		case msg.read:
		case a.reading.waiting && msg.tries < townsTries:
			return a.env.After(townsTime, townsMsg{tries: msg.tries + 1})
		default:
			return func() tea.Msg { geomap.PreloadPlaces(); return townsMsg{read: true} }
		}
	case secondMsg:
		return a.pending.tickCommand()
	case toastOverMsg:
		a.status.over(msg)
	case countMsg:
		a.counting = false // until the page is asked again
	case minuteMsg:
		return tea.Batch(a.env.After(time.Minute, minuteMsg{}), a.probeOrders()) // the service may have been away
	default:
		return a.downloads.handleMessage(msg)
	}
	return nil
}

// inAccount returns the environment for the pages of any account, which are read with the key of the
// operations API. What was read of it stays known for the run.
func (a *App) inAccount(uuid, company string) *page.Env {
	env := a.viewed[uuid]
	if env == nil {
		env = a.env.ViewAccount(cache.NewOfAccount(a.env.Ops, uuid, a.env.Now), company)
		a.serve(env)
		a.viewed[uuid] = env
	}
	env.FollowLook(a.env)
	return env
}

// followLooks draws the pages of other accounts as those of the profile's.
func (a *App) followLooks() {
	for _, env := range a.viewed {
		env.FollowLook(a.env)
	}
}

// inUse returns the account that a page shows: the profile's, or one that is viewed
// with the key of the operations API.
func inUse(env *page.Env, p page.Page) *page.ProfileService {
	if of, ok := p.(page.AccountShower); ok && of.ServiceInUse().Viewed {
		return of.ServiceInUse()
	}
	return &env.ProfileService
}

// foundMsg is what a search in all accounts has found.
type foundMsg struct {
	of    *api.Ops // that was asked
	found *commands.FoundAccount
	err   error
}

// findAnywhere searches a company, an order, a mission or an endpoint in all
// accounts.
func (a *App) findAnywhere(name string) tea.Cmd {
	ops, ctx := a.env.Ops, a.life.Context()
	return func() tea.Msg {
		found, err := commands.Find(ctx, ops, name)
		return foundMsg{ops, found, err}
	}
}

// openFound goes to what a search has found.
func (a *App) openFound(msg foundMsg) tea.Cmd {
	if msg.of != a.env.Ops {
		return nil // of another profile
	}
	if msg.err != nil {
		what, _ := labels.ExplainError(msg.err)
		return page.ShowToast(theme.Bad, what)
	}
	env := a.inAccount(msg.found.Account.UUID, msg.found.Account.CompanyName)
	switch f := msg.found; {
	case f.Mission != nil:
		return env.OpenStory(timeline.StorySubject{Order: f.Order, Mission: f.Mission.UUID}, "")
	case f.Order != "":
		return env.OpenStory(timeline.StorySubject{Order: f.Order}, "")
	case f.Endpoint != nil:
		return env.OpenEndpoint(f.Endpoint.UUID)
	}
	return env.OpenInspect()
}

// anywhereEntry returns the entry of the palette that searches a name in all accounts.
func (a *App) anywhereEntry(name string) (e paletteEntry, ok bool) {
	name = strings.TrimSpace(name)
	if a.env.Ops == nil || a.env.Cache == nil || len(name) < 3 || strings.Contains(name, ":") {
		return e, false
	}
	return paletteEntry{
		label: fmt.Sprintf("Find %q in all accounts", name),
		hint:  "operations",
		run:   func() tea.Cmd { return a.findAnywhere(name) },
	}, true
}

// keepTime is how often what the service says is brought to disk, besides at
// the end.
const keepTime = 5 * time.Minute

// offlineCopy is what the service says, kept in a file for when it is away.
type offlineCopy struct {
	of     *cache.Cache
	path   string // "" is nowhere
	keptAt time.Time
}

// loadCopy shows what an earlier run has kept, until the service answers.
func (o *offlineCopy) loadCopy() tea.Cmd {
	of, path := o.of, o.path
	if of == nil || path == "" {
		return nil
	}
	return func() tea.Msg {
		if of.Load(path) {
			return keptMsg{of}
		}
		return nil
	}
}

// saveIfDue saves the copy where the last one is some time old.
func (o *offlineCopy) saveIfDue(now time.Time) tea.Cmd {
	if now.Sub(o.keptAt) < keepTime {
		return nil
	}
	o.keptAt = now
	copied := *o
	return func() tea.Msg { return reportSaved(copied.saveCopy()) }
}

func (o offlineCopy) saveCopy() error {
	if o.of == nil || o.path == "" {
		return nil
	}
	return o.of.Save(o.path)
}

// reportSaved tells what went wrong with it.
func reportSaved(err error) tea.Msg {
	if err == nil {
		return nil
	}
	return page.ToastMsg{Role: theme.Attention, Text: err.Error()}
}
