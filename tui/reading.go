package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/app/cache"
	"flightdesk/tui/page"
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
