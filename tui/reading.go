package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/app/cache"
	"flightdesk/tui/page"
	"flightdesk/tui/widget/geomap"
)

const (
	// checkTime is the time between two checks for stale data.
	checkTime = 5 * time.Second
	// watchChecks is the number of checks after which orders and quotes are read, even if the current page
	// does not show them.
	watchChecks = 12
	// saveChecks is the number of checks after which the offline copy is saved.
	saveChecks = 60
	// updateGap is the shortest time between two updates of the page while more data is read.
	updateGap = 250 * time.Millisecond
)

// readProgress decides when the pages are updated with the data that the cache has read.
type readProgress struct {
	checks       int       // number of checks for stale data so far
	updatedAt    time.Time // time of the last update of the pages
	version      int       // version of the cache at that update
	isScheduled  bool      // a timer for the next update is running
	isIncomplete bool      // data that the page needs is missing
}

// countCheck records a check for stale data. isWatchDue is true if orders and quotes must be read now.
// isSaveDue is true if the offline copy must be saved now. Both are true at the first check.
func (p *readProgress) countCheck() (isWatchDue, isSaveDue bool) {
	number := p.checks
	p.checks++
	return number%watchChecks == 0, number%saveChecks == 0
}

// nextUpdate returns how long to wait before the pages are updated with a version of the cache, or 0 to
// update them at once. isNeeded is false if the pages already have this version, or if an update is
// scheduled.
//
// While the cache is reading data (isReading), there is at least updateGap between two updates. There is no
// wait if the last missing data of the shown page has just arrived: isIncomplete was true in the last call
// and is false now.
func (p *readProgress) nextUpdate(
	version int, isReading, isIncomplete bool, now time.Time,
) (wait time.Duration, isNeeded bool) {
	isCompleted := p.isIncomplete && !isIncomplete
	p.isIncomplete = isIncomplete
	if version == p.version {
		return 0, false
	}
	if !isReading || isCompleted {
		return 0, true
	}
	if p.isScheduled {
		return 0, false
	}
	sinceUpdate := now.Sub(p.updatedAt)
	return max(0, updateGap-sinceUpdate), true
}

// update records that the pages are updated with a version of the cache.
func (p *readProgress) update(version int, now time.Time) {
	p.version = version
	p.updatedAt = now
}

// watchCache runs every checkTime: each call schedules the next call as a message. After every message, the
// app reads the stale data of the current page. Every watchChecks-th call also reads orders and quotes, looks
// for unconfirmed changes, and redraws the ages on the screen.
func (ws *workspace) watchCache() tea.Cmd {
	next := ws.env.Clock.After(checkTime, doMsg{of: ws.env, do: ws.watchCache, quiet: true})
	isFirst := ws.reads.checks == 0
	isWatchDue, isSaveDue := ws.reads.countCheck()
	if !isWatchDue {
		return next
	}
	if !isFirst {
		ws.env.Profile.Cache.RefreshAccount()
	}
	if isSaveDue {
		next = tea.Batch(next, saveCopy(ws.env))
	}
	return tea.Batch(next, ws.resolveSent(), ws.probeOrders(), ws.limiter.markStale())
}

// markChanged marks the data in the caches as stale after a change on the service. The current page is then
// read again, and so are the orders and the open quotes.
func (ws *workspace) markChanged() {
	ws.env.Profile.Cache.MarkChanged()
	ws.env.Profile.Cache.RefreshAccount()
	ws.shownCache().MarkChanged()
}

// shownCache returns the cache of the current page. It belongs to the profile, or to another
// account that is read with the operations key.
func (ws *workspace) shownCache() *cache.Cache { return ws.pages.top().ServiceInUse().Cache }

// readNext starts the next reads from the service. If new data has arrived, it also updates the pages, at
// once or after a short wait; see nextUpdate.
func (ws *workspace) readNext() tea.Cmd {
	shown := ws.shownCache()
	cmd := ws.startReads()
	wait, isNeeded := ws.reads.nextUpdate(
		shown.Version(), shown.IsLoading(), shown.IsPageLoading(), ws.env.Clock.Now(),
	)
	if !isNeeded {
		return cmd
	}
	if wait == 0 {
		return tea.Batch(cmd, ws.updatePages(), ws.startReads()) // the new data may need more data
	}
	ws.reads.isScheduled = true
	return tea.Batch(cmd, ws.env.Clock.After(wait, doMsg{do: func() tea.Cmd {
		ws.reads.isScheduled = false
		return nil
	}}))
}

// startReads tells the cache which data the current page needs, and starts its next reads. The
// page's data is read first.
func (ws *workspace) startReads() tea.Cmd {
	shown := ws.shownCache()
	shown.SetPageNeeds(ws.pages.top().PageLifetime(), ws.dataNeeds()...)
	ctx := ws.life.Context()
	var cmds []tea.Cmd
	for read := shown.NextRead(); read != nil; read = shown.NextRead() {
		cmds = append(cmds, func() tea.Msg {
			read(ctx)
			return doMsg{do: ws.updateConnection, quiet: true}
		})
	}
	return tea.Batch(cmds...)
}

// dataNeeds returns the data that the current page needs. If the window does not have the focus, nobody is
// waiting for newer data. dataNeeds then returns nil, unless data is missing on the page.
func (ws *workspace) dataNeeds() []cache.Need {
	top := ws.pages.top()
	isAwaited := ws.reads.isIncomplete || ws.env.Nav.OnTop(top.PageLifetime())
	reader, ok := top.(page.CachedReader)
	if !ok || !isAwaited {
		return nil
	}
	return reader.DataNeeds()
}

// updatePages updates the current page and an open palette with new data, and all pages if the
// cache is not loading any more.
func (ws *workspace) updatePages() tea.Cmd {
	shown := ws.shownCache()
	ws.reads.update(shown.Version(), ws.env.Clock.Now())
	if palette, ok := ws.dialogs.top().(*paletteDialog); ok {
		palette.refreshEntries()
	}
	update := ws.pages.broadcast
	if shown.IsLoading() {
		update = ws.pages.top().Update
	}
	return tea.Batch(update(page.ReadMsg{}), ws.limiter.markStale())
}

// The app loads place names when the first page has its data. Loading them earlier would slow down the first page,
// because it can keep both processors of a small machine busy. The app checks for the page's data every townsTime,
// at most townsTries times.
const (
	townsTime  = 30 * time.Millisecond
	townsTries = 100
)

// loadTowns loads the place names for maps when the first page has its data. It checks for the page's data at most
// tries times.
func (a *App) loadTowns(tries int) tea.Cmd {
	return a.ws.env.Clock.After(townsTime, doMsg{quiet: true, do: func() tea.Cmd {
		if a.ws.reads.isIncomplete && tries > 0 {
			return a.loadTowns(tries - 1)
		}
		return func() tea.Msg {
			geomap.PreloadPlaces()
			return doMsg{}
		}
	}})
}

// loadCopy loads the offline copy that an earlier run saved.
func (ws *workspace) loadCopy() tea.Cmd {
	env := ws.env
	return func() tea.Msg {
		if !env.Profile.Cache.Load(env.Profile.Known) {
			return nil
		}
		return doMsg{of: env, do: func() tea.Cmd { return ws.pages.broadcast(page.ReadMsg{}) }}
	}
}

// saveCopy saves the offline copy of a profile, which the next run shows until the service
// responds.
func saveCopy(env *page.Env) tea.Cmd {
	return page.DoInBackground(func() error { return env.Profile.Cache.Save(env.Profile.Known) }, nil)
}
