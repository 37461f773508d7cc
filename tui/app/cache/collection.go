package cache

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"flightdesk/api"
)

// EntryState is how an entry of a collection stands.
type EntryState struct {
	Loading bool      // it is being read, or about to be
	ReadAt  time.Time // when the service answered last; zero for never
	Err     error     // why the last reading failed; what was read before holds
	Offline bool      // it is of the offline copy, and the service has not answered yet
	Version int       // changes with the value, its age and the error
}

// IsUnread tells whether nothing is known yet, not even why.
func (s EntryState) IsUnread() bool { return s.ReadAt.IsZero() && s.Err == nil && !s.Offline }

// JoinStates returns how several entries stand that are shown as one: unread as long as one
// of them is, and as old as the oldest that was answered.
func JoinStates(states ...EntryState) (all EntryState) {
	unread := false
	for _, s := range states {
		unread = unread || s.IsUnread()
		all.Loading, all.Offline = all.Loading || s.Loading, all.Offline || s.Offline
		all.Version += s.Version
		if all.ReadAt.IsZero() || !s.ReadAt.IsZero() && s.ReadAt.Before(all.ReadAt) {
			all.ReadAt = s.ReadAt
		}
		all.Err = cmp.Or(all.Err, s.Err)
	}
	if unread {
		return EntryState{Loading: true, Version: all.Version}
	}
	return all
}

// entryReading is an entry on its way. One that takes several requests is read in
// parts, so that something more urgent comes between them.
type entryReading struct {
	key    string
	before any    // the value of the last reading
	whole  bool   // nothing of it is taken for granted
	deeper bool   // only what comes behind before is read
	depth  int    // how many rows are wanted, of a list
	value  any    // what this reading has brought so far
	cursor string // of the next part; "" before the first and after the last

	stamp string
	seen  map[string]bool // ids of the rows of value, of a list
	walk  api.ListWalk
}

// entryTable has the entries of a collection by their keys, whatever type they have.
type entryTable struct {
	cache   *Cache
	name    string
	read    func(context.Context, *entryReading) error
	live    bool                           // it is read more often at a service to try things out on
	depth   int                            // that a list has at least
	short   func(any, int) bool            // whether a list has fewer rows than are wanted, and there are more
	changed func(key string, now, was any) // is called with the lock held when an entry was read; was is of this run
	entries map[string]*cacheEntry
	queue   []string // entries that are due, in the order in which they are read
	busy    int
	version int
}

type cacheEntry struct {
	value      any
	known      bool // value is that of a whole reading
	state      EntryState
	tried      time.Time // when the last reading ended
	stamp      string    // of what value was read
	wanted     string    // of what it is to be read
	depth      int       // rows that are wanted
	due, force bool
	deeper     bool
	generation int // of the reading; the answers of an earlier one are dropped
	asked      int // changes made to the service when the last reading began
	busy       chan struct{}
	partly     *entryReading // a reading of which parts are missing, or nil
}

// Collection has the values of one type that were read, by their keys. What one page has read,
// every page has. It may be used from several goroutines.
type Collection[T any] struct{ entryTable }

func newCollection[T any](
	c *Cache,
	name string,
	ask func(context.Context, string) (T, error),
) *Collection[T] {
	l := &Collection[T]{entryTable{
		cache: c, name: name, read: readOnce(ask), entries: map[string]*cacheEntry{},
		changed: func(string, any, any) {},
	}}
	c.background = append(c.background, l.pick)
	return l
}

// valueOf returns the value of an entry, the zero value where it has none.
func (c *Collection[T]) valueOf(e *cacheEntry) T { return typedValue[T](e.value) }

func typedValue[T any](value any) T {
	typed, _ := value.(T)
	return typed
}

// onChange has a function called when an entry was read, with the lock held.
func (c *Collection[T]) onChange(do func(key string, now, was T)) {
	c.changed = func(key string, now, was any) { do(key, typedValue[T](now), typedValue[T](was)) }
}

// readOnce returns the reading of what one request brings.
func readOnce[T any](ask func(context.Context, string) (T, error)) func(context.Context, *entryReading) error {
	return func(ctx context.Context, r *entryReading) error {
		value, err := ask(ctx, r.key)
		r.value = value
		return err
	}
}

// unlessMissing makes of a request one whose answer is nil where there is nothing.
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

// Get returns the value of a key as it was read last, and how it stands. The value
// is not written to.
func (c *Collection[T]) Get(key string) (value T, state EntryState) {
	c.cache.mu.Lock()
	defer c.cache.mu.Unlock()
	e := c.entries[key]
	if e == nil {
		return value, state
	}
	return c.valueOf(e), e.currentState()
}

// Version changes when anything of the collection does.
func (c *entryTable) Version() int {
	c.cache.mu.Lock()
	defer c.cache.mu.Unlock()
	return c.version
}

// NeedOf returns the need of some entries, the first of them most urgently.
func (c *entryTable) NeedOf(keys ...string) Need { return Need{of: c, keys: keys} }

// NeedRows returns the need of the first rows of a list.
func (c *entryTable) NeedRows(key string, depth int) Need {
	return Need{of: c, keys: []string{key}, depth: depth}
}

// NeedStamped returns the need of an entry that is read again only where a stamp, such
// as the time of its last change, is another.
func (c *entryTable) NeedStamped(key string, stamp string) Need {
	return Need{of: c, keys: []string{key}, stamp: stamp}
}

// currentState returns how the entry stands.
func (e *cacheEntry) currentState() EntryState {
	s := e.state
	s.Loading = e.due || e.busy != nil
	return s
}

func (c *entryTable) entryFor(key string) *cacheEntry {
	e := c.entries[key]
	if e == nil {
		// The version is higher than that of an entry that was dropped.
		e = &cacheEntry{depth: c.depth, state: EntryState{Version: c.version}}
		c.entries[key] = e
	}
	return e
}

// requestRead has an entry read for a stamp, behind those that are due already. By
// force what is being read is read anew.
func (c *entryTable) requestRead(key string, stamp string, force bool) {
	e := c.entryFor(key)
	e.wanted = stamp
	if force {
		e.force, e.partly, e.deeper = true, nil, false
		c.abandonRead(e)
	}
	if !e.due && e.busy == nil {
		e.due = true
		c.queue = append(c.queue, key)
	}
}

// abandonRead makes the answer that is awaited a late one.
func (c *entryTable) abandonRead(e *cacheEntry) {
	e.generation++
	if e.busy != nil {
		close(e.busy)
		e.busy = nil
		c.busy--
	}
}

// keepOnly drops the entries that no longer are.
func (c *entryTable) keepOnly(is func(string) bool) {
	for key, e := range c.entries {
		if !is(key) {
			c.abandonRead(e)
			e.due = false
			delete(c.entries, key)
			c.noteMoved(e)
		}
	}
}

func (c *entryTable) noteMoved(e *cacheEntry) {
	e.state.Version++
	c.version++
	c.cache.version++
}

// pick claims the first entry of those that are due, nil for none.
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

// countWaiting counts the entries that are due or being read.
func (c *entryTable) countWaiting() int { return len(c.queue) + c.busy }

// start claims an entry: what it returns reads it, or a part of it.
func (c *entryTable) start(key string, e *cacheEntry) func(context.Context) {
	r := e.partly
	if r == nil {
		r = &entryReading{
			key:    key,
			before: e.value,
			whole:  e.force || !e.known || e.asked < c.cache.changes,
			deeper: e.deeper && !e.force,
			stamp:  e.wanted,
		}
		e.asked = c.cache.changes
	}
	part := *r
	part.depth = e.depth
	e.due, e.deeper = false, false
	e.busy = make(chan struct{})
	c.busy++
	c.cache.running++
	generation := e.generation
	return func(ctx context.Context) {
		err := runGuarded(c.name, func() error { return c.read(ctx, &part) })
		c.cache.mu.Lock()
		defer c.cache.mu.Unlock()
		c.cache.noteEnded()
		if generation == e.generation {
			c.takeAnswer(ctx, key, e, &part, err)
		}
	}
}

// runGuarded turns a panic into an error: it is about what was read, not about the
// program.
func runGuarded(name string, f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("read %s: invalid response: %v", name, r)
		}
	}()
	return f()
}

// takeAnswer takes what a reading has brought.
func (c *entryTable) takeAnswer(
	ctx context.Context,
	key string,
	e *cacheEntry,
	r *entryReading,
	err error,
) {
	close(e.busy)
	e.busy = nil
	c.busy--
	defer c.noteMoved(e)
	switch {
	case ctx.Err() != nil && err != nil: // who read it has left; somebody else may
		e.due = true
		c.queue = slices.Insert(c.queue, 0, key)
	case err != nil:
		if api.IsPartial(err) {
			c.showPart(key, e, r)
		}
		e.state.Err, e.tried, e.partly, e.force = err, c.cache.now(), nil, false
	case r.cursor != "":
		e.partly, e.due = r, true
		c.queue = slices.Insert(c.queue, 0, key)
		c.showPart(key, e, r)
	default:
		var was any
		if e.known && !e.state.Offline {
			was = e.value
		}
		e.value, e.known, e.partly, e.force, e.stamp = r.value, true, nil, false, r.stamp
		e.state.Err = nil
		if !r.deeper {
			e.tried = c.cache.now()
			e.state.ReadAt, e.state.Offline = e.tried, false
		}
		c.changed(key, e.value, was)
	}
}

// showPart shows what was read so far where nothing more is known.
func (c *entryTable) showPart(key string, e *cacheEntry, r *entryReading) {
	if !e.known || r.deeper {
		e.value = r.value
		c.changed(key, e.value, e.value)
	}
}

// AskNow returns an entry: as it was read a moment ago, or else it is read, and
// every page has it. It waits for a reading that is under way.
func (c *Collection[T]) AskNow(ctx context.Context, key string) (T, error) {
	return c.askAmong(ctx, key, atOnce)
}

// askAmong returns an entry as AskNow does, where fewer than so many requests are under way.
func (c *Collection[T]) askAmong(ctx context.Context, key string, most int) (T, error) {
	value, err := c.await(ctx, key, most)
	return typedValue[T](value), err
}

func (c *entryTable) await(ctx context.Context, key string, most int) (any, error) {
	for {
		c.cache.mu.Lock()
		e := c.entryFor(key)
		if busy := e.busy; busy != nil {
			c.cache.mu.Unlock()
			select {
			case <-busy:
				continue
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		if e.partly == nil && !e.due && !c.isOld(e, fresh) {
			defer c.cache.mu.Unlock()
			return e.value, e.state.Err
		}
		if freed := c.cache.freed; c.cache.running >= most {
			c.cache.mu.Unlock()
			select {
			case <-freed:
				continue
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		job := c.start(key, e)
		c.cache.mu.Unlock()
		if job(ctx); ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
}

// reread has an entry read at once, and returns it.
func (c *Collection[T]) reread(ctx context.Context, key string, most int) (T, error) {
	c.cache.mu.Lock()
	c.requestRead(key, c.entryFor(key).wanted, true)
	c.cache.mu.Unlock()
	return c.askAmong(ctx, key, most)
}
