package tui

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
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
	ended   func() tea.Cmd              // called after each read
	watched time.Time                   // time of the last WatchAccount
	told    time.Time                   // time of the last update of the page
	seen    int                         // cache version of that update
	timer   bool                        // an update is scheduled
	waiting bool                        // the page still waits for data
}

// watchCache looks for stale data, now and after each tickTime, and marks orders and
// quotes for reading once a watchTime.
func (r *reading) watchCache() tea.Cmd {
	if r.env.Cache == nil {
		return nil
	}
	now := r.env.Now()
	if r.watched.IsZero() {
		r.watched = now
	}
	again := r.env.After(tickTime, doMsg{r.env, r.watchCache, true})
	if now.Sub(r.watched) < watchTime {
		return again
	}
	r.watched = now
	r.env.Cache.WatchAccount()
	return tea.Batch(again, r.watch(now))
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
	return tea.Batch(cmd, r.env.After(wait, doMsg{do: func() tea.Cmd {
		if r.timer = false; of != r.shownCache() {
			return nil
		}
		return r.updatePages()
	}}))
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
			return doMsg{do: r.ended, quiet: true}
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

// loadTowns loads the place names when it is time.
func (a *App) loadTowns(tries int) tea.Cmd {
	return a.env.After(townsTime, doMsg{quiet: true, do: func() tea.Cmd {
		if a.reading.waiting && tries > 0 {
			return a.loadTowns(tries - 1)
		}
		return func() tea.Msg { geomap.PreloadPlaces(); return doMsg{} }
	}})
}

// everyMinute redraws ages, and tries again what the service did not answer.
func (a *App) everyMinute() tea.Cmd {
	return tea.Batch(a.env.After(time.Minute, doMsg{do: a.everyMinute}), a.settleSent(), a.probeOrders())
}

// countSeconds schedules a redraw in a second if the page has a countdown.
func (a *App) countSeconds() tea.Cmd {
	if c, is := a.stacks.top().(page.SecondCounter); a.counting || !is || !c.CountsSeconds() {
		return nil
	}
	a.counting = true
	return a.env.After(time.Second, doMsg{do: func() tea.Cmd {
		a.counting = false // decided again
		return nil
	}})
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

// inUse returns the account that a page shows: the profile's, or one read with
// the operations key.
func inUse(env *page.Env, p page.Page) *page.ProfileService {
	if of, ok := p.(page.AccountShower); ok && of.ServiceInUse().Viewed {
		return of.ServiceInUse()
	}
	return &env.ProfileService
}

// findAnywhere searches all accounts for a company, order, mission or endpoint, and
// opens its page.
func (a *App) findAnywhere(name string) tea.Cmd {
	env, ctx := a.env, a.life.Context()
	return func() tea.Msg {
		found, err := commands.Find(ctx, env.Ops, name)
		if err != nil {
			what, _ := format.ExplainError(err)
			return page.ToastMsg{Role: theme.Bad, Text: what}
		}
		return doMsg{of: env, do: func() tea.Cmd { return a.openFound(found) }}
	}
}

// openFound opens the page of a search result.
func (a *App) openFound(found *commands.FoundAccount) tea.Cmd {
	env := a.inAccount(found.Account.UUID, found.Account.CompanyName)
	switch {
	case found.Mission != nil:
		return env.OpenStory(timeline.StorySubject{Order: found.Order, Mission: found.Mission.UUID}, "")
	case found.Order != "":
		return env.OpenStory(timeline.StorySubject{Order: found.Order}, "")
	case found.Endpoint != nil:
		return env.OpenEndpoint(found.Endpoint.UUID)
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
func (a *App) loadCopy() tea.Cmd {
	env, path := a.env, a.opts.Known
	if env.Cache == nil || path == "" {
		return nil
	}
	return func() tea.Msg {
		if !env.Cache.Load(path) {
			return nil
		}
		return doMsg{of: env, do: func() tea.Cmd { return a.stacks.broadcast(page.ReadMsg{}) }}
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
