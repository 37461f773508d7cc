package cache

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"flightdesk/api"
)

// EntryState is the state of an entry of a collection.
type EntryState struct {
	Loading bool      // the entry is being read or waits to be read
	ReadAt  time.Time // time of the last response; zero if there is none
	Err     error     // error of the last attempt; the value is from an earlier attempt
	Offline bool      // the value is from the offline copy; the service has not responded yet
	Version int       // changes with the value, its age and the error
}

// IsUnread reports whether nothing is known about the entry yet: no value, no error and no offline copy.
func (s EntryState) IsUnread() bool { return s.ReadAt.IsZero() && s.Err == nil && !s.Offline }

// JoinStates combines the states of entries that are displayed together. The result is unread if one
// of the entries is unread. Its ReadAt is the time of the entry that was read first.
func JoinStates(states ...EntryState) (all EntryState) {
	isUnread := false
	for _, s := range states {
		isUnread = isUnread || s.IsUnread()
		all.Loading = all.Loading || s.Loading
		all.Offline = all.Offline || s.Offline
		all.Version += s.Version
		if all.Err == nil {
			all.Err = s.Err
		}
		isOlder := !s.ReadAt.IsZero() && s.ReadAt.Before(all.ReadAt)
		if all.ReadAt.IsZero() || isOlder {
			all.ReadAt = s.ReadAt
		}
	}
	if isUnread {
		return EntryState{Loading: true, Version: all.Version}
	}
	return all
}

// entryReading is the progress of reading one entry. A long list needs several requests. Requests for more urgent
// data can run between these requests.
type entryReading struct {
	key       string
	before    any    // value of the entry before this reading
	readAll   bool   // request all rows, even if before already has them
	continues bool   // request only the rows that follow the rows in before
	depth     int    // number of wanted rows of a list
	value     any    // the part that was read so far
	cursor    string // cursor of the next request; "" before the first and after the last request

	stamp string          // see NeedStamped
	seen  map[string]bool // IDs of the rows in value, for a list
	walk  api.ListWalk
}

// entryTable has the entries of a [Collection] and reads them. It does not depend on the type of the values.
type entryTable struct {
	cache   *Cache
	name    string
	read    func(context.Context, *entryReading) error
	live    bool                           // read again every few seconds if the service is a simulation
	depth   int                            // number of rows of a list that are read by default
	short   func(any, int) bool            // reports whether the service has more rows of a list, and they are wanted
	lacks   func(key string) bool          // reports whether a 404 response is final; nil if it never is
	changed func(key string, now, old any) // called with mu held after a reading; old is nil if it was offline data
	entries map[string]*cacheEntry
	queue   []string // entries to read, in this order
	busy    int      // running requests
	version int
}

type cacheEntry struct {
	value       any
	complete    bool          // value was read to its end, not only in part
	state       EntryState    // without Loading; see currentState
	triedAt     time.Time     // end of the last attempt
	stamp       string        // see NeedStamped; the stamp that value was read with
	wanted      string        // stamp of the next reading
	depth       int           // wanted rows
	due, force  bool          // due: in the queue; force: read everything again
	continues   bool          // the next reading requests only further rows
	generation  int           // number of the reading; responses to earlier readings are dropped
	readChanges int           // Cache.changes at the beginning of the last reading
	busy        chan struct{} // closed when the running request ends; nil if none is running
	unfinished  *entryReading // an incomplete reading, or nil
}

// Collection stores values of one type that were read from the service, by key. It is safe for concurrent use.
type Collection[T any] struct{ entryTable }

func newCollection[T any](
	c *Cache,
	name string,
	ask func(context.Context, string) (T, error),
) *Collection[T] {
	l := &Collection[T]{entryTable{
		cache:   c,
		name:    name,
		read:    readOnce(ask),
		entries: map[string]*cacheEntry{},
		changed: func(string, any, any) {},
	}}
	c.scheduler.addBackground(l.pick)
	return l
}

// valueOf returns the value of an entry, or the zero value.
func (c *Collection[T]) valueOf(e *cacheEntry) T { return typedValue[T](e.value) }

func typedValue[T any](value any) T {
	typed, _ := value.(T)
	return typed
}

// onChange sets the function that is called after an entry was read, while mu is held.
func (c *Collection[T]) onChange(do func(key string, now, old T)) {
	c.changed = func(key string, now, old any) { do(key, typedValue[T](now), typedValue[T](old)) }
}

// readOnce returns a read function that needs a single request.
func readOnce[T any](ask func(context.Context, string) (T, error)) func(context.Context, *entryReading) error {
	return func(ctx context.Context, r *entryReading) error {
		value, err := ask(ctx, r.key)
		r.value = value
		return err
	}
}

// unlessMissing returns a function that calls ask, but succeeds with a nil value if the service answers
// with 404.
func unlessMissing[T any](
	ask func(context.Context, string) (T, error),
) func(context.Context, string) (T, error) {
	return func(ctx context.Context, key string) (T, error) {
		value, err := ask(ctx, key)
		if api.IsStatus(err, http.StatusNotFound) {
			err = nil
		}
		return value, err
	}
}

// Get returns the last value of a key and the state of the entry. The value must not be
// modified.
func (c *Collection[T]) Get(key string) (value T, state EntryState) {
	c.cache.mu.Lock()
	defer c.cache.mu.Unlock()
	e := c.entries[key]
	if e == nil {
		return value, state
	}
	return c.valueOf(e), e.currentState()
}

// Version changes whenever an entry of the collection changes.
func (c *entryTable) Version() int {
	c.cache.mu.Lock()
	defer c.cache.mu.Unlock()
	return c.version
}

// NeedOf returns a [Need] for the entries with the given keys, the most urgent first.
func (c *entryTable) NeedOf(keys ...string) Need { return Need{of: c, keys: keys} }

// NeedRows returns a [Need] for the first depth rows of the list with the given key.
func (c *entryTable) NeedRows(key string, depth int) Need {
	return Need{of: c, keys: []string{key}, depth: depth}
}

// NeedStamped returns a [Need] for an entry that is read again only if its stamp has changed. The stamp is
// a text that changes with the value, such as the time of its last change from a list.
func (c *entryTable) NeedStamped(key string, stamp string) Need {
	return Need{of: c, keys: []string{key}, stamp: stamp}
}

// currentState returns the state of the entry. Loading is true if a reading is running or queued.
func (e *cacheEntry) currentState() EntryState {
	s := e.state
	s.Loading = e.due || e.busy != nil
	return s
}

// entryFor returns the entry of a key. It adds an empty entry if there is none.
func (c *entryTable) entryFor(key string) *cacheEntry {
	e := c.entries[key]
	if e == nil {
		// An entry of this key may have been dropped. The version of the new entry is higher, so that pages
		// do not take the new entry for the dropped one.
		e = &cacheEntry{depth: c.depth, state: EntryState{Version: c.version}}
		c.entries[key] = e
	}
	return e
}

// requestRead puts an entry at the end of the queue, to be read with the given stamp. With force,
// everything is read again, and the response of a request that is running is ignored.
func (c *entryTable) requestRead(key string, stamp string, force bool) {
	e := c.entryFor(key)
	e.wanted = stamp
	if force {
		e.force = true
		e.unfinished = nil
		e.continues = false
		c.abandonRead(e)
	}
	if !e.due && e.busy == nil {
		e.due = true
		c.queue = append(c.queue, key)
	}
}

// abandonRead makes the cache ignore the response of the request that is running.
func (c *entryTable) abandonRead(e *cacheEntry) {
	e.generation++
	if e.busy != nil {
		close(e.busy)
		e.busy = nil
		c.busy--
	}
}

// removeKeys removes the entries with the given keys.
func (c *entryTable) removeKeys(keys map[string]bool) {
	c.removeExcept(func(key string) bool { return !keys[key] })
}

// removeExcept removes the entries whose keys are not wanted.
func (c *entryTable) removeExcept(isWanted func(key string) bool) {
	for key, e := range c.entries {
		if !isWanted(key) {
			c.abandonRead(e)
			e.due = false
			delete(c.entries, key)
			c.markModified(e)
		}
	}
}

func (c *entryTable) markModified(e *cacheEntry) {
	e.state.Version++
	c.version++
	c.cache.version++
}

// pick removes the first entry from the queue. It returns a function that reads it, or nil if the queue is
// empty.
func (c *entryTable) pick() func(context.Context) {
	for len(c.queue) > 0 {
		key := c.queue[0]
		c.queue = c.queue[1:]
		if e := c.entries[key]; e != nil && e.due {
			return c.start(key, e)
		}
	}
	return nil
}

// countWaiting returns how many entries are queued or being read.
func (c *entryTable) countWaiting() int { return len(c.queue) + c.busy }

// start marks an entry as being read. The returned function sends one request and stores the result in the
// entry.
func (c *entryTable) start(key string, e *cacheEntry) func(context.Context) {
	reading := c.nextReading(key, e)
	e.due = false
	e.continues = false
	e.busy = make(chan struct{})
	c.busy++
	c.cache.scheduler.beginRequest()
	generation := e.generation
	return func(ctx context.Context) {
		err := runGuarded(c.name, func() error { return c.read(ctx, reading) })
		c.cache.mu.Lock()
		defer c.cache.mu.Unlock()
		c.cache.scheduler.endRequest()
		if e.generation != generation {
			return // abandonRead was called during the request
		}
		c.handleResult(ctx, key, e, reading, err)
	}
}

// nextReading returns a new reading of an entry, or a copy of its unfinished reading. It is a copy because
// a request changes its reading without holding mu.
func (c *entryTable) nextReading(key string, e *cacheEntry) *entryReading {
	if e.unfinished != nil {
		reading := *e.unfinished
		reading.depth = e.depth // more rows may be wanted by now
		return &reading
	}
	isOutdated := e.readChanges < c.cache.changes // a change was sent after the last reading
	e.readChanges = c.cache.changes
	return &entryReading{
		key:       key,
		before:    e.value,
		readAll:   e.force || !e.complete || isOutdated,
		continues: e.continues && !e.force,
		stamp:     e.wanted,
		depth:     e.depth,
	}
}

// runGuarded turns a panic into an error, because an invalid response must not end the
// program.
func runGuarded(name string, f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("read %s: invalid response: %v", name, r)
		}
	}()
	return f()
}

// handleResult stores the result of a request. If the reading needs more requests, the entry goes back to
// the front of the queue.
func (c *entryTable) handleResult(
	ctx context.Context, key string, e *cacheEntry, r *entryReading, err error,
) {
	close(e.busy)
	e.busy = nil
	c.busy--
	defer c.markModified(e)
	if err != nil && ctx.Err() != nil { // the reader was cancelled; another reader may read the entry
		c.requeue(key, e)
		return
	}
	if err != nil {
		c.handleError(key, e, r, err)
		return
	}
	if r.cursor != "" {
		e.unfinished = r
		c.requeue(key, e)
		c.showPart(key, e, r)
		return
	}
	c.storeValue(key, e, r)
}

// requeue puts an entry at the beginning of the queue.
func (c *entryTable) requeue(key string, e *cacheEntry) {
	e.due = true
	c.queue = slices.Insert(c.queue, 0, key)
}

// handleError records the error of a reading. If some rows of a list were read before the error, it
// publishes them.
func (c *entryTable) handleError(key string, e *cacheEntry, r *entryReading, err error) {
	if api.IsPartial(err) {
		c.showPart(key, e, r)
	}
	e.state.Err = err
	e.triedAt = c.cache.now()
	e.unfinished = nil
	e.force = false
}

// storeValue stores the value when its reading is complete.
func (c *entryTable) storeValue(key string, e *cacheEntry, r *entryReading) {
	var oldValue any
	if e.complete && !e.state.Offline {
		oldValue = e.value
	}
	e.value = r.value
	e.complete = true
	e.unfinished = nil
	e.force = false
	e.stamp = r.stamp
	e.state.Err = nil
	if !r.continues {
		e.triedAt = c.cache.now()
		e.state.ReadAt = e.triedAt
		e.state.Offline = false
	}
	c.changed(key, e.value, oldValue)
}

// showPart publishes the rows that were read so far. It does not replace a complete value that was read
// earlier.
func (c *entryTable) showPart(key string, e *cacheEntry, r *entryReading) {
	if !e.complete || r.continues {
		e.value = r.value
		c.changed(key, e.value, e.value)
	}
}

// LoadNow returns the value of a key. It reads the value unless the value was read a moment ago. If the
// value is being read already, LoadNow waits for it.
func (c *Collection[T]) LoadNow(ctx context.Context, key string) (T, error) {
	return c.getWithLimit(ctx, key, maxRequests)
}

// getWithLimit is LoadNow, but with another limit for the number of concurrent requests.
func (c *Collection[T]) getWithLimit(ctx context.Context, key string, maxRunning int) (T, error) {
	value, err := c.await(ctx, key, maxRunning)
	return typedValue[T](value), err
}

// await returns the value of a key. If the value is not fresh, await reads it first, or waits until a
// running reading has ended. It sends no request while maxRunning requests are running.
func (c *entryTable) await(ctx context.Context, key string, maxRunning int) (any, error) {
	for {
		c.cache.mu.Lock()
		e := c.entryFor(key)
		if c.isSettled(key, e) {
			value := e.value
			err := e.state.Err
			c.cache.mu.Unlock()
			return value, err
		}
		ended, mustWait := c.waitChannel(e, maxRunning)
		if mustWait {
			c.cache.mu.Unlock()
			select {
			case <-ended:
				continue
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		sendRequest := c.start(key, e) // needs the lock, but the request itself runs without it
		c.cache.mu.Unlock()
		sendRequest(ctx)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		// The next round returns the value, or sends the request for the next page of a list.
	}
}

// isSettled reports whether an entry is fresh, and no request for it is queued or running.
func (c *entryTable) isSettled(key string, e *cacheEntry) bool {
	isReading := e.due || e.busy != nil || e.unfinished != nil
	return !isReading && (c.isKnownMissing(key, e) || !c.isOld(e, freshAge))
}

// waitChannel reports whether a request for an entry must wait, because a request for the same entry or
// maxRunning other requests are running. The channel ended is then closed when the next of these requests
// ends.
func (c *entryTable) waitChannel(e *cacheEntry, maxRunning int) (ended <-chan struct{}, mustWait bool) {
	if e.busy != nil {
		return e.busy, true
	}
	if c.cache.scheduler.running >= maxRunning {
		return c.cache.scheduler.freed, true
	}
	return nil, false
}

// reread reads an entry again, even if it is fresh, and returns its value.
func (c *Collection[T]) reread(ctx context.Context, key string, maxRunning int) (T, error) {
	c.cache.mu.Lock()
	c.requestRead(key, c.entryFor(key).wanted, true)
	c.cache.mu.Unlock()
	return c.getWithLimit(ctx, key, maxRunning)
}
