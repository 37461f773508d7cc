package cache

import (
	"context"
	"slices"
	"time"

	"flightdesk/api"
)

// One rule says when something is read again, whatever it is.
const (
	atOnce = 4                // requests at the same time
	fresh  = 10 * time.Second // what is younger is not read again where a page comes to the screen
	stale  = 30 * time.Second // what is older is read again while it is shown
	brisk  = 2 * time.Second  // both, for what is live at a service to try things out on
	whole  = 5 * time.Minute  // a list that is older is read from its first row to its last
)

// Need is what somebody wants to have read. Collections make needs.
type Need struct {
	of    *entryTable
	keys  []string
	depth int
	stamp string

	then   *entryTable // of what the entries bring with them, nil for nothing
	marked func()      // is called when it is noted, nil for nothing
}

// mark notes what is to be read of it.
func (n Need) mark(limit time.Duration, force bool) {
	for _, key := range n.keys {
		e := n.of.entryFor(key)
		stamp, due := n.isDue(e, limit)
		e.depth = max(e.depth, n.depth)
		idle := !e.due && e.busy == nil && e.state.Err == nil
		if idle && !due && n.of.short != nil && n.of.short(e.value, e.depth) {
			e.deeper, due = true, true
		}
		if due || force {
			n.of.requestRead(key, stamp, force)
		}
	}
	if n.marked != nil {
		n.marked()
	}
}

// isDue tells whether an entry is to be read, and with which stamp.
func (n Need) isDue(e *cacheEntry, limit time.Duration) (stamp string, due bool) {
	due = n.of.isOld(e, limit) || e.state.Err != nil && limit < stale
	if n.stamp == "" {
		return e.wanted, due
	}
	return n.stamp, e.stamp != n.stamp && (due || e.wanted != n.stamp)
}

// pick claims the first of it that is due.
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

// loading tells whether any of it is being read, or about to be.
func (n Need) loading() bool {
	for _, key := range n.keys {
		if e := n.of.entries[key]; e != nil && (e.due || e.busy != nil) {
			return true
		}
	}
	return n.then != nil && n.then.countWaiting() > 0
}

// isOld tells whether an entry is older than a limit, or than the last change that
// was made to the service.
func (c *entryTable) isOld(e *cacheEntry, limit time.Duration) bool {
	if c.live && c.cache.brisk {
		limit = min(limit, brisk)
	}
	return e.tried.IsZero() || c.cache.now().Sub(e.tried) >= limit || e.asked < c.cache.changes
}

// ShowNeeds says what the page on the screen needs, the most urgent first: that is
// read before all else. What it needs beyond that of the call before is read
// again unless it was read just now; the rest once it is stale.
func (c *Cache) ShowNeeds(page any, needs ...Need) {
	c.mu.Lock()
	defer c.mu.Unlock()
	limit := stale
	if page != c.page {
		limit = fresh
	}
	c.page, c.shown = page, needs
	c.markNeeds(limit, false, needs)
}

// IsLoading reports whether anything is being loaded.
func (c *Cache) IsLoading() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.running > 0
}

// IsPageLoading reports whether anything that the page needs is being loaded or due.
func (c *Cache) IsPageLoading() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(c.shown, Need.loading)
}

// LoadingOrders tells whether orders or their missions are being read, and whether there
// are older ones that are not.
func (c *Cache) LoadingOrders() (loading, older bool) {
	v := c.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.AllMissions().loading(), v.More || v.Left > 0
}

// RereadNeeds has what is needed read again, whatever its age.
func (c *Cache) RereadNeeds(needs ...Need) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.markNeeds(0, true, needs)
}

// WantNeeds has what is needed read, unless that was done just now, after what is
// shown.
func (c *Cache) WantNeeds(needs ...Need) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.markNeeds(fresh, false, needs)
}

// WatchAccount has the orders and the open quotes read, unless that was done just now,
// whatever is shown.
func (c *Cache) WatchAccount() {
	c.RefreshOrders(false)
	c.RefreshQuotes(false)
}

// FillNeeds reads what is needed, for who has no screen: what becomes known may show
// that more is. It ends when nothing of it is missing, or could not be read.
func (c *Cache) FillNeeds(ctx context.Context, needs func() []Need) {
	for ctx.Err() == nil {
		wanted := needs()
		c.ShowNeeds(c, wanted...)
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

// MarkChanged says that something was changed at the service, or may have been:
// what was read before is read again when it is shown.
func (c *Cache) MarkChanged() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changes++
}

func (c *Cache) markNeeds(limit time.Duration, force bool, needs []Need) {
	for _, n := range needs {
		n.mark(limit, force)
	}
}

// NextRead claims what is to be read next: what is shown, and then the rest. It is
// nil where there is nothing, or enough is being read. What it returns has to be
// run; another is asked for after it.
func (c *Cache) NextRead() func(context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running >= atOnce || c.address == "" {
		return nil
	}
	for _, n := range c.shown {
		if job := n.pick(); job != nil {
			return job
		}
	}
	for _, pick := range c.background {
		if job := pick(); job != nil {
			return job
		}
	}
	return nil
}

// noteEnded notes that a request has ended, and that another may begin.
func (c *Cache) noteEnded() {
	c.running--
	close(c.freed)
	c.freed = make(chan struct{})
}

// Version changes when anything that is known does.
func (c *Cache) Version() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.version
}
