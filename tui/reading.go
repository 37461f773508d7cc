package tui

import (
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
	// watchTicks is after how many of these orders and quotes are read, independent of the
	// page shown, and keepTicks after how many the offline copy is saved.
	watchTicks, keepTicks = 12, 60
	// calm is the shortest time between two updates of the page while more is
	// being read.
	calm = 250 * time.Millisecond
)

// reading is how far the cache has read what the page needs, and everything else in the
// background.
type reading struct {
	app *App // of which it is a part

	ticks   int       // since the profile was opened
	updated time.Time // time of the last update of the page
	seen    int       // cache version of that update
	timer   bool      // an update is scheduled
	lacks   bool      // the page still waits for data
}

// watchCache looks for stale data, now and after each tickTime. Now and once a minute it
// also redraws ages, and tries again what the service did not answer.
func (a *reading) watchCache() tea.Cmd {
	n, cmd := a.ticks, a.app.env.After(tickTime, doMsg{a.app.env, a.watchCache, true})
	a.ticks++
	if n%watchTicks > 0 {
		return cmd
	}
	if n > 0 {
		a.app.env.Cache.WatchAccount()
	}
	if n%keepTicks == 0 {
		cmd = tea.Batch(cmd, saveCopy(a.app.env))
	}
	return tea.Batch(cmd, a.app.settleSent(), a.app.probeOrders(), a.app.limiter.markStale())
}

// markChanged marks everything shown or watched as stale, after a change of the
// service.
func (a *reading) markChanged() {
	a.app.env.Cache.MarkChanged()
	a.app.env.Cache.WatchAccount()
	a.shownCache().MarkChanged()
}

// shownCache returns the cache of the current page: the profile's, or that of an
// account read with the operations key.
func (a *reading) shownCache() *cache.Cache { return a.app.pages.top().ServiceInUse().Cache }

// readNext starts the reads that are due and updates the page with new data.
func (a *reading) readNext() tea.Cmd {
	of, cmd := a.shownCache(), a.startReads()
	waited := a.lacks
	reading, lacks := of.ReadingPage()
	if a.lacks = lacks; of.Version() == a.seen {
		return cmd
	}
	wait := calm - a.app.env.Now().Sub(a.updated)
	if !reading || waited && !lacks || wait <= 0 && !a.timer {
		return tea.Batch(cmd, a.updatePages(), a.startReads()) // the new data may need more data
	}
	if a.timer {
		return cmd
	}
	a.timer = true
	return tea.Batch(cmd, a.app.env.After(wait, doMsg{do: func() tea.Cmd {
		a.timer = false // decided again
		return nil
	}}))
}

// startReads starts the next reads, those of the current page first.
func (a *reading) startReads() tea.Cmd {
	of, ctx, top := a.shownCache(), a.app.life.Context(), a.app.pages.top()
	var needs []cache.Need
	if reader, ok := top.(page.CachedReader); ok && (a.lacks || a.app.env.OnTop(top.PageLifetime())) {
		needs = reader.DataNeeds()
	}
	of.ShowNeeds(top.PageLifetime(), needs...)
	var cmds []tea.Cmd
	for read := of.NextRead(); read != nil; read = of.NextRead() {
		cmds = append(cmds, func() tea.Msg {
			read(ctx)
			return doMsg{do: a.app.updateConnection, quiet: true}
		})
	}
	return tea.Batch(cmds...)
}

// updatePages updates the current page and an open palette with new data, and all pages
// once reading is complete.
func (a *reading) updatePages() tea.Cmd {
	of := a.shownCache()
	a.seen, a.updated = of.Version(), a.app.env.Now()
	reading, _ := of.ReadingPage()
	if p, ok := a.app.dialogs.top().(*paletteDialog); ok {
		p.learnEntries()
	}
	update := a.app.pages.broadcast
	if reading {
		update = a.app.pages.top().Update
	}
	return tea.Batch(update(page.ReadMsg{}), a.app.limiter.markStale())
}

// Place names are loaded after the first page has its data, which needs both
// processors of a small machine until then. It is checked every townsTime, at
// most townsTries times.
const (
	townsTime  = 30 * time.Millisecond
	townsTries = 100
)

// loadTowns loads the place names when it is time.
func (a *reading) loadTowns(tries int) tea.Cmd {
	return a.app.env.After(townsTime, doMsg{quiet: true, do: func() tea.Cmd {
		if a.lacks && tries > 0 {
			return a.loadTowns(tries - 1)
		}
		return func() tea.Msg { geomap.PreloadPlaces(); return doMsg{} }
	}})
}

// countSeconds schedules a redraw in a second if the page has a countdown or a change is
// held, which is sent when it is due.
func (a *reading) countSeconds() tea.Cmd {
	c, is := a.app.pages.top().(page.SecondCounter)
	if a.app.counting || len(a.app.held.waiting) == 0 && (!is || !c.CountsSeconds()) {
		return nil
	}
	a.app.counting = true
	wait := time.Second
	if len(a.app.held.waiting) > 0 {
		wait = min(wait, a.app.held.waiting[0].sendAt.Sub(a.app.env.Now()))
	}
	return a.app.env.After(wait, doMsg{do: func() tea.Cmd {
		a.app.counting = false // decided again
		return a.app.sendChanges(a.app.held.popDue(a.app.env.Now()))
	}})
}

// inAccount returns the environment of pages that show any account, read with the
// operations key. Its cache lives as long as the run.
func (a *reading) inAccount(uuid, company string) *page.Env {
	env := a.app.viewed[uuid]
	if env == nil {
		env = a.app.env.ViewAccount(cache.NewOfAccount(a.app.env.Ops, uuid, a.app.env.Now), company)
		a.app.setCallbacks(env)
		a.app.viewed[uuid] = env
	}
	env.FollowLook(a.app.env)
	return env
}

// findAnywhere searches all accounts for a company, order, mission or endpoint, and
// opens its page.
func (a *reading) findAnywhere(name string) tea.Cmd {
	env, ctx := a.app.env, a.app.life.Context()
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
func (a *reading) openFound(found *commands.FoundAccount) tea.Cmd {
	env := a.inAccount(found.Account.UUID, found.Account.CompanyName)
	switch {
	case found.Mission != nil:
		return env.Show(page.StoryRoute{Subject: timeline.StorySubject{Order: found.Order, Mission: found.Mission.UUID}})
	case found.Order != "":
		return env.Show(page.StoryRoute{Subject: timeline.StorySubject{Order: found.Order}})
	case found.Endpoint != nil:
		return env.Show(page.EndpointRoute{UUID: found.Endpoint.UUID})
	}
	return env.Show(page.AccountRoute{})
}

// anywhereEntry returns the palette entry that searches a name in all accounts.
func (a *reading) anywhereEntry(name string) (e paletteEntry, ok bool) {
	name = strings.TrimSpace(name)
	if a.app.env.Ops == nil || len(name) < 3 || strings.Contains(name, ":") {
		return e, false
	}
	return paletteEntry{
		label: fmt.Sprintf("Find %q in all accounts", name),
		hint:  "operations",
		run:   func() tea.Cmd { return a.findAnywhere(name) },
	}, true
}

// loadCopy loads the copy of an earlier run.
func (a *reading) loadCopy() tea.Cmd {
	env := a.app.env
	return func() tea.Msg {
		if !env.Cache.Load(env.Known) {
			return nil
		}
		return doMsg{of: env, do: func() tea.Cmd { return a.app.pages.broadcast(page.ReadMsg{}) }}
	}
}

// saveCopy saves the copy of a profile that is shown at the next start until the service
// answers.
func saveCopy(env *page.Env) tea.Cmd {
	return page.KeepInBackground(func() error { return env.Cache.Save(env.Known) }, nil)
}
