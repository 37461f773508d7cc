package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/app/cache"
	"flightdesk/tui/page"
	"flightdesk/tui/widget/geomap"
)

const (
	// checkTime is how often stale data is looked for.
	checkTime = 5 * time.Second
	// After every watchChecks-th check orders and quotes are read, independent of the
	// page shown, and after every saveChecks-th the offline copy is saved.
	watchChecks, saveChecks = 12, 60
	// updateGap is the shortest time between two updates of the page while more is
	// being read.
	updateGap = 250 * time.Millisecond
)

// readProgress has how far the cache has read what the page needs, and which of it the page
// shows.
type readProgress struct {
	checks       int       // for stale data, since the profile was opened
	updatedAt    time.Time // time of the last update of the page
	version      int       // of the cache at that update
	isScheduled  bool      // a decision about the next update is scheduled
	isIncomplete bool      // the page still waits for data
}

// countCheck records a check for stale data and returns what else is due with it. The first
// check makes both due.
func (p *readProgress) countCheck() (isWatchDue, isSaveDue bool) {
	number := p.checks
	p.checks++
	return number%watchChecks == 0, number%saveChecks == 0
}

// nextUpdate decides when pages are updated with a version of the cache: now, after a wait,
// or, if isDue is false and wait 0, not at all or as scheduled before. isReading says that
// the cache is reading for the page, isIncomplete that data is missing which the page needs.
func (p *readProgress) nextUpdate(version int, isReading, isIncomplete bool, now time.Time) (isDue bool, wait time.Duration) {
	isCompleted := p.isIncomplete && !isIncomplete
	p.isIncomplete = isIncomplete
	if version == p.version {
		return false, 0
	}
	wait = updateGap - now.Sub(p.updatedAt)
	if !isReading || isCompleted {
		return true, 0
	}
	if p.isScheduled {
		return false, 0
	}
	if wait <= 0 {
		return true, 0
	}
	p.isScheduled = true
	return false, wait
}

// update records that pages are updated with a version of the cache.
func (p *readProgress) update(version int, now time.Time) {
	p.version = version
	p.updatedAt = now
}

// watchCache looks for stale data, now and after each checkTime. Now and once a minute it
// also redraws ages, and tries again what the service did not answer.
func (ws *workspace) watchCache() tea.Cmd {
	next := ws.env.Clock.After(checkTime, doMsg{ws.env, ws.watchCache, true})
	isFirst := ws.reads.checks == 0
	isWatchDue, isSaveDue := ws.reads.countCheck()
	if !isWatchDue {
		return next
	}
	if !isFirst {
		ws.env.Profile.Cache.WatchAccount()
	}
	if isSaveDue {
		next = tea.Batch(next, saveCopy(ws.env))
	}
	return tea.Batch(next, ws.settleSent(), ws.probeOrders(), ws.limiter.markStale())
}

// markChanged marks everything shown or watched as stale, after a change of the
// service.
func (ws *workspace) markChanged() {
	ws.env.Profile.Cache.MarkChanged()
	ws.env.Profile.Cache.WatchAccount()
	ws.shownCache().MarkChanged()
}

// shownCache returns the cache of the current page: the profile's, or that of an
// account read with the operations key.
func (ws *workspace) shownCache() *cache.Cache { return ws.pages.top().ServiceInUse().Cache }

// readNext starts the reads that are due and updates the page with new data.
func (ws *workspace) readNext() tea.Cmd {
	shown := ws.shownCache()
	cmd := ws.startReads()
	isDue, wait := ws.reads.nextUpdate(
		shown.Version(), shown.IsLoading(), shown.IsPageLoading(), ws.env.Clock.Now(),
	)
	if isDue {
		return tea.Batch(cmd, ws.updatePages(), ws.startReads()) // the new data may need more data
	}
	if wait == 0 {
		return cmd
	}
	return tea.Batch(cmd, ws.env.Clock.After(wait, doMsg{do: func() tea.Cmd {
		ws.reads.isScheduled = false // decided again
		return nil
	}}))
}

// startReads starts the next reads, those of the current page first.
func (ws *workspace) startReads() tea.Cmd {
	shown := ws.shownCache()
	ctx := ws.life.Context()
	top := ws.pages.top()
	var needs []cache.Need
	if reader, ok := top.(page.CachedReader); ok && (ws.reads.isIncomplete || ws.env.Nav.OnTop(top.PageLifetime())) {
		needs = reader.DataNeeds()
	}
	shown.ShowNeeds(top.PageLifetime(), needs...)
	var cmds []tea.Cmd
	for read := shown.NextRead(); read != nil; read = shown.NextRead() {
		cmds = append(cmds, func() tea.Msg {
			read(ctx)
			return doMsg{do: ws.updateConnection, quiet: true}
		})
	}
	return tea.Batch(cmds...)
}

// updatePages updates the current page and an open palette with new data, and all pages
// once reading is complete.
func (ws *workspace) updatePages() tea.Cmd {
	shown := ws.shownCache()
	ws.reads.update(shown.Version(), ws.env.Clock.Now())
	if p, ok := ws.dialogs.top().(*paletteDialog); ok {
		p.refreshEntries()
	}
	update := ws.pages.broadcast
	if shown.IsLoading() {
		update = ws.pages.top().Update
	}
	return tea.Batch(update(page.ReadMsg{}), ws.limiter.markStale())
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
	return a.ws.env.Clock.After(townsTime, doMsg{quiet: true, do: func() tea.Cmd {
		if a.ws.reads.isIncomplete && tries > 0 {
			return a.loadTowns(tries - 1)
		}
		return func() tea.Msg { geomap.PreloadPlaces(); return doMsg{} }
	}})
}

// loadCopy loads the copy of an earlier run.
func (ws *workspace) loadCopy() tea.Cmd {
	env := ws.env
	return func() tea.Msg {
		if !env.Profile.Cache.Load(env.Profile.Known) {
			return nil
		}
		return doMsg{of: env, do: func() tea.Cmd { return ws.pages.broadcast(page.ReadMsg{}) }}
	}
}

// saveCopy saves the copy of a profile that is shown at the next start until the service
// answers.
func saveCopy(env *page.Env) tea.Cmd {
	return page.KeepInBackground(func() error { return env.Profile.Cache.Save(env.Profile.Known) }, nil)
}
