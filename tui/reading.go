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
	// tickTime is how often stale data is looked for.
	tickTime = 5 * time.Second
	// watchTime is how often orders and quotes are read, independent of the page
	// shown.
	watchTime = time.Minute
	// calm is the shortest time between two updates of the page while more is
	// being read.
	calm = 250 * time.Millisecond
)

// reading makes the cache read what the page needs, and everything else in the
// background.
type reading struct {
	env     *page.Env // of the current profile
	ctx     context.Context
	stacks  *stacks
	watch   func(now time.Time) tea.Cmd // called after each WatchAccount
	drawn   func(all bool) tea.Cmd      // called when pages were updated; all is set when reading is complete
	watched time.Time                   // time of the last WatchAccount
	told    time.Time                   // time of the last update of the page
	seen    int                         // cache version of that update
	timer   bool                        // an update is scheduled
	waiting bool                        // the page still waits for data
}

type (
	// tickMsg looks for stale data.
	tickMsg struct{ of *cache.Cache }
	// readMsg reports that a read has ended.
	readMsg struct{ of *cache.Cache }
	// tellMsg updates the page with what was read in the last moments.
	tellMsg struct{ of *cache.Cache }
	// keptMsg reports that the offline copy was loaded.
	keptMsg struct{ of *cache.Cache }
)

// startTimer starts the timer that looks for stale data.
func (r *reading) startTimer() tea.Cmd {
	r.watched = r.env.Now()
	if r.env.Cache == nil {
		return nil
	}
	return r.env.After(tickTime, tickMsg{r.env.Cache})
}

// isQuiet reports whether a message changes nothing on the screen. New data is
// drawn once the page is told of it.
func isQuiet(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case tickMsg, readMsg:
		return true
	case townsMsg:
		return !msg.read
	}
	return false
}

// handleMessage handles messages about the cache. Messages of another profile are late and
// ignored.
func (r *reading) handleMessage(msg tea.Msg) tea.Cmd {
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
		if r.timer = false; msg.of == r.shownCache() {
			return r.updatePages()
		}
	}
	return nil
}

// lookIfDue marks orders and quotes for reading once a watchTime.
func (r *reading) lookIfDue(now time.Time) tea.Cmd {
	if now.Sub(r.watched) < watchTime {
		return nil
	}
	r.watched = now
	r.env.Cache.WatchAccount()
	return r.watch(now)
}

// markChanged marks everything shown or watched as stale, after a change of the
// service.
func (r *reading) markChanged() {
	if of := r.env.Cache; of != nil {
		of.MarkChanged()
		of.WatchAccount()
		if shown := r.shownCache(); shown != of {
			shown.MarkChanged()
		}
	}
}

// shownCache returns the cache of the current page: the profile's, or that of an
// account read with the operations key.
func (r *reading) shownCache() *cache.Cache {
	return inUse(r.env, r.stacks.top()).Cache
}

// readNext starts the reads that are due and updates the page with new data.
func (r *reading) readNext() tea.Cmd {
	of := r.shownCache()
	if of == nil {
		return nil
	}
	cmd := r.startReads()
	version, waited := of.Version(), r.waiting
	reading, waiting := of.ReadingPage()
	if r.waiting = waiting; version == r.seen {
		return cmd
	}
	wait := calm - r.env.Now().Sub(r.told)
	if !reading || waited && !waiting || wait <= 0 && !r.timer {
		return tea.Batch(cmd, r.updatePages(), r.startReads()) // the new data may need more data
	}
	if r.timer {
		return cmd
	}
	r.timer = true
	return tea.Batch(cmd, r.env.After(wait, tellMsg{of}))
}

// startReads starts the next reads, those of the current page first.
func (r *reading) startReads() tea.Cmd {
	of, ctx := r.shownCache(), r.ctx
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

// updatePages updates the current page with new data, and all pages once reading is
// complete.
func (r *reading) updatePages() tea.Cmd {
	r.seen, r.told = r.shownCache().Version(), r.env.Now()
	reading, _ := r.shownCache().ReadingPage()
	drawn := r.drawn(!reading)
	if reading {
		return tea.Batch(r.stacks.top().Update(page.ReadMsg{}), drawn)
	}
	return tea.Batch(r.stacks.broadcast(page.ReadMsg{}), drawn)
}

// Place names are loaded after the first page has its data, which needs both
// processors of a small machine until then. It is checked every townsTime, at
// most townsTries times.
const (
	townsTime  = 30 * time.Millisecond
	townsTries = 100
)

type (
	// darkMsg reports that the terminal did not answer which background it has.
	darkMsg struct{}
	// townsMsg loads the place names when it is time, and then reports that they
	// are loaded.
	townsMsg struct {
		tries int
		read  bool
	}
	// minuteMsg redraws ages once a minute.
	minuteMsg struct{}
	// countMsg redraws a page with a countdown.
	countMsg struct{}
)

// countSeconds schedules a redraw in a second if the page has a countdown.
func (a *App) countSeconds() tea.Cmd {
	if c, is := a.stacks.top().(page.SecondCounter); a.counting || !is || !c.CountsSeconds() {
		return nil
	}
	a.counting = true
	return a.env.After(time.Second, countMsg{})
}

// handleTimer handles timer messages and passes everything else to the downloads.
func (a *App) handleTimer(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case darkMsg:
		a.appearance.blank = false
	case foundMsg:
		return a.openFound(msg)
	case restMsg:
		a.limiter.keysRest() // the selected row may need data
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
		a.status.clearToast(msg)
	case countMsg:
		a.counting = false // countSeconds decides again
	case minuteMsg:
		return tea.Batch(a.env.After(time.Minute, minuteMsg{}), a.settleSent(), a.probeOrders()) // the service may have been unreachable
	default:
		return a.downloads.handleMessage(msg)
	}
	return nil
}

// inAccount returns the environment of pages that show any account, read with the
// operations key. Its cache lives as long as the run.
func (a *App) inAccount(uuid, company string) *page.Env {
	env := a.viewed[uuid]
	if env == nil {
		env = a.env.ViewAccount(cache.NewOfAccount(a.env.Ops, uuid, a.env.Now), company)
		a.setCallbacks(env)
		a.viewed[uuid] = env
	}
	env.FollowLook(a.env)
	return env
}

// followLooks copies theme and layouts of the profile to the environments of
// other accounts.
func (a *App) followLooks() {
	for _, env := range a.viewed {
		env.FollowLook(a.env)
	}
}

// inUse returns the account that a page shows: the profile's, or one read with
// the operations key.
func inUse(env *page.Env, p page.Page) *page.ProfileService {
	if of, ok := p.(page.AccountShower); ok && of.ServiceInUse().Viewed {
		return of.ServiceInUse()
	}
	return &env.ProfileService
}

// foundMsg carries the result of a search in all accounts.
type foundMsg struct {
	of    *api.Ops // the API searched
	found *commands.FoundAccount
	err   error
}

// findAnywhere searches all accounts for a company, order, mission or endpoint.
func (a *App) findAnywhere(name string) tea.Cmd {
	ops, ctx := a.env.Ops, a.life.Context()
	return func() tea.Msg {
		found, err := commands.Find(ctx, ops, name)
		return foundMsg{ops, found, err}
	}
}

// openFound opens the page of a search result.
func (a *App) openFound(msg foundMsg) tea.Cmd {
	if msg.of != a.env.Ops {
		return nil // late answer of another profile
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

// anywhereEntry returns the palette entry that searches a name in all accounts.
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

// keepTime is how often the offline copy is saved, besides at the end.
const keepTime = 5 * time.Minute

// offlineCopy saves the cache to a file and shows it at the next start until the
// service answers.
type offlineCopy struct {
	of     *cache.Cache
	path   string // "" saves nothing
	keptAt time.Time
}

// loadCopy loads the copy of an earlier run.
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

// saveIfDue saves the copy if the last one is older than keepTime.
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

// reportSaved returns a message if saving failed.
func reportSaved(err error) tea.Msg {
	if err == nil {
		return nil
	}
	return page.ToastMsg{Role: theme.Attention, Text: err.Error()}
}
