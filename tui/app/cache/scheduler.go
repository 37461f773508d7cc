package cache

import (
	"context"
	"net/http"
	"slices"
	"time"

	"flightdesk/api"
)

// Limits and intervals for reading data.
const (
	maxRequests   = 4                // maximum number of concurrent requests
	freshAge      = 10 * time.Second // younger data is not read again when a page opens
	staleAge      = 30 * time.Second // older data is read again while it is displayed
	simulationAge = 2 * time.Second  // replaces freshAge and staleAge for live data of a simulation
	fullReadAge   = 5 * time.Minute  // all rows of older lists are requested, not only new rows
)

// Need says which entries of a collection a page or a command needs. Use the methods NeedOf, NeedRows and
// NeedStamped of a collection to create one, and pass it for instance to [Cache.SetPageNeeds].
type Need struct {
	of    *entryTable
	keys  []string
	depth int    // number of wanted rows of a list
	stamp string // see NeedStamped; "" if the age of the entry decides

	then   *entryTable // collection to read after the entries, such as the missions of orders, or nil
	marked func()      // called at the end of mark; may be nil
}

// mark queues the entries that are older than limit, or all entries with force. It also queues lists that
// need more rows.
func (n Need) mark(limit time.Duration, force bool) {
	for _, key := range n.keys {
		e := n.of.entryFor(key)
		stamp, isDue := n.isDue(key, e, limit)
		e.depth = max(e.depth, n.depth)
		if !isDue && n.needsMoreRows(e) {
			e.continues = true
			isDue = true
		}
		if isDue || force {
			n.of.requestRead(key, stamp, force)
		}
	}
	if n.marked != nil {
		n.marked()
	}
}

// needsMoreRows reports whether a list is not being read and has fewer rows than wanted.
func (n Need) needsMoreRows(e *cacheEntry) bool {
	isIdle := !e.due && e.busy == nil && e.state.Err == nil
	return isIdle && n.of.short != nil && n.of.short(e.value, e.depth)
}

// isDue reports whether an entry must be read, and returns the stamp to read it with.
func (n Need) isDue(key string, e *cacheEntry, limit time.Duration) (stamp string, isDue bool) {
	if n.of.isKnownMissing(key, e) {
		return e.wanted, false
	}
	isRetried := e.state.Err != nil && limit < staleAge
	isDue = n.of.isOld(e, limit) || isRetried
	if n.stamp == "" {
		return e.wanted, isDue
	}
	isOutdated := e.stamp != n.stamp
	isRequested := e.wanted == n.stamp
	return n.stamp, isOutdated && (isDue || !isRequested)
}

// pick starts reading the first queued entry. It returns nil if no entry is queued.
func (n Need) pick() func(context.Context) {
	for _, key := range n.keys {
		if e := n.of.entries[key]; e != nil && e.due {
			return n.of.start(key, e)
		}
	}
	if n.then != nil {
		return n.then.pick()
	}
	return nil
}

// loading reports whether any of the entries is queued or being read.
func (n Need) loading() bool {
	for _, key := range n.keys {
		if e := n.of.entries[key]; e != nil && (e.due || e.busy != nil) {
			return true
		}
	}
	return n.then != nil && n.then.countWaiting() > 0
}

// isOld reports whether an entry must be read again: its last reading is older than limit, or this program
// has sent a change to the service since.
func (c *entryTable) isOld(e *cacheEntry, limit time.Duration) bool {
	if c.live && c.cache.isSimulation {
		limit = min(limit, simulationAge)
	}
	return e.triedAt.IsZero() || c.cache.now().Sub(e.triedAt) >= limit || e.readChanges < c.cache.changes
}

// isKnownMissing reports whether the service has answered with 404 and would answer so again. Only a forced
// reading repeats the request.
func (c *entryTable) isKnownMissing(key string, e *cacheEntry) bool {
	return c.lacks != nil && api.IsStatus(e.state.Err, http.StatusNotFound) && c.lacks(key)
}

// isCurrent reports whether an entry was read with the given stamp, so that it has not changed since. It
// returns false if the stamp is "", or if this program has sent a change to the service since the entry
// was read.
func (c *entryTable) isCurrent(key, stamp string) bool {
	e := c.entries[key]
	if e == nil || !e.complete || e.state.Err != nil {
		return false
	}
	return stamp != "" && e.stamp == stamp && e.readChanges >= c.cache.changes
}

// scheduler decides which reading starts next, and counts the running requests.
type scheduler struct {
	page       any                            // page on the screen
	shown      []Need                         // data that the page displays, the most urgent first
	background []func() func(context.Context) // each starts a reading of other data, or returns nil
	running    int                            // number of running requests
	freed      chan struct{}                  // closed when a request ends
}

func newScheduler() scheduler { return scheduler{freed: make(chan struct{})} }

// addBackground adds a function that starts reading data that no page displays, or returns nil if there is
// nothing to read. The functions are called in the sequence in which they were added.
func (s *scheduler) addBackground(pick func() func(context.Context)) {
	s.background = append(s.background, pick)
}

// setPage sets the page on the screen and the data that it displays. It reports whether another page
// was on the screen before.
func (s *scheduler) setPage(page any, needs []Need) (isOther bool) {
	isOther = page != s.page
	s.page = page
	s.shown = needs
	return isOther
}

// isPageLoading reports whether any data of the page is queued or being read.
func (s *scheduler) isPageLoading() bool { return slices.ContainsFunc(s.shown, Need.loading) }

// pick starts the next reading: displayed data first, then other data. It returns nil if there is
// nothing to read, or if maxRequests requests are running.
func (s *scheduler) pick() func(context.Context) {
	if s.running >= maxRequests {
		return nil
	}
	for _, need := range s.shown {
		if read := need.pick(); read != nil {
			return read
		}
	}
	for _, pick := range s.background {
		if read := pick(); read != nil {
			return read
		}
	}
	return nil
}

// beginRequest records that a request has begun.
func (s *scheduler) beginRequest() { s.running++ }

// endRequest records that a request has ended, so another request can begin.
func (s *scheduler) endRequest() {
	s.running--
	close(s.freed)
	s.freed = make(chan struct{})
}

// SetPageNeeds sets what the page on the screen displays, the most urgent first. This data is
// read before all other data. On the first call for a page, data older than freshAge is read again, on
// further calls data older than staleAge.
func (c *Cache) SetPageNeeds(page any, needs ...Need) {
	c.mu.Lock()
	defer c.mu.Unlock()
	limit := staleAge
	if c.scheduler.setPage(page, needs) {
		limit = freshAge
	}
	markNeeds(limit, false, needs)
}

// IsLoading reports whether any request is running.
func (c *Cache) IsLoading() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.scheduler.running > 0
}

// IsPageLoading reports whether any data of the page is queued or being read.
func (c *Cache) IsPageLoading() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.scheduler.isPageLoading()
}

// AreOrdersLoading reports whether orders or their missions are queued or being read.
func (c *Cache) AreOrdersLoading() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.AllMissions().loading()
}

// RefreshNeeds reads data again, even if it is fresh.
func (c *Cache) RefreshNeeds(needs ...Need) {
	c.mu.Lock()
	defer c.mu.Unlock()
	markNeeds(0, true, needs)
}

// Prefetch queues data to be read after the displayed data, unless the data is fresh.
func (c *Cache) Prefetch(needs ...Need) {
	c.mu.Lock()
	defer c.mu.Unlock()
	markNeeds(freshAge, false, needs)
}

// RefreshAccount reads the orders and the open quotes unless they are fresh.
func (c *Cache) RefreshAccount() {
	c.RefreshOrders(false)
	c.RefreshQuotes(false)
}

// LoadNeeds reads all data that a command needs, for programs without a screen. It calls needs again after
// each round, because the data may show that more data is needed. LoadNeeds returns when everything was
// read or has failed.
func (c *Cache) LoadNeeds(ctx context.Context, needs func() []Need) {
	for ctx.Err() == nil {
		wanted := needs()
		c.SetPageNeeds(c, wanted...)
		var running api.Group
		for job := c.NextRead(); job != nil; job = c.NextRead() {
			running.Go(func() { job(ctx) })
		}
		running.Wait()
		if !c.IsPageLoading() && len(needs()) == len(wanted) {
			return
		}
	}
}

// MarkChanged records that this program has changed data on the service. Data that was read before is then
// read again when it is displayed.
func (c *Cache) MarkChanged() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changes++
}

// markNeeds queues the data that is older than limit, or all data with force.
func markNeeds(limit time.Duration, force bool, needs []Need) {
	for _, n := range needs {
		n.mark(limit, force)
	}
}

// NextRead returns the next reading: displayed data first, then other data. It is nil if
// there is nothing to read or enough requests are running. The caller must run it and then
// call NextRead again.
func (c *Cache) NextRead() func(context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.address == "" {
		return nil
	}
	return c.scheduler.pick()
}

// Version changes whenever any data changes.
func (c *Cache) Version() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.version
}
