package tui

import (
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
	of      *cache.Cache
	watched time.Time // when all was looked at, whatever is shown
	told    time.Time // when the page on the screen was told of something new
	seen    int       // version of the cache that it was told of
	timer   bool      // it is told in a moment
	waiting bool      // something that it shows was not read yet
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

// begin reads for a cache from now on.
func (r *reading) begin(env *page.Env) tea.Cmd {
	*r = reading{of: env.Cache, watched: env.Now()}
	if r.of == nil {
		return nil
	}
	return env.After(tickTime, tickMsg{r.of})
}

// isQuiet tells whether a message changes nothing that is drawn: what was read
// is drawn once the page is told of it.
func isQuiet(msg tea.Msg) bool {
	switch msg.(type) {
	case tickMsg, readMsg:
		return true
	}
	return false
}

// hearReading takes what is said of the cache; what is of another profile's
// comes too late.
func (a *App) hearReading(msg tea.Msg) tea.Cmd {
	r := &a.reading
	switch msg := msg.(type) {
	case tickMsg:
		if msg.of != r.of {
			return nil
		}
		cmd := a.env.After(tickTime, msg)
		if now := a.env.Now(); now.Sub(r.watched) >= watchTime {
			r.watched = now
			r.of.Refresh(false)
			r.of.RefreshQuotes(false)
			cmd = tea.Batch(cmd, a.offline.saveIfDue(now))
		}
		return cmd
	case readMsg:
		a.listen()
		if msg.of == r.of {
			return a.news()
		}
	case keptMsg:
		if msg.of == r.of {
			return a.stacks.broadcast(page.KeptMsg{})
		}
	case tellMsg:
		if r.timer = false; msg.of == r.of {
			return a.tellRead()
		}
	}
	return nil
}

// readOn has the cache read what the page on the screen needs, and what else is
// due, and tells the page what was read.
func (a *App) readOn() tea.Cmd {
	r := &a.reading
	if r.of == nil || r.of != a.env.Cache || a.crash != nil {
		return nil
	}
	cmd := a.run()
	version, waited := r.of.Version(), r.waiting
	reading, waiting := r.of.Reading()
	if r.waiting = waiting; version == r.seen {
		return cmd
	}
	wait := calm - a.env.Now().Sub(r.told)
	if !reading || waited && !waiting || wait <= 0 && !r.timer {
		return tea.Batch(cmd, a.tellRead(), a.run()) // it may need more, now that it knows this
	}
	if r.timer {
		return cmd
	}
	r.timer = true
	return tea.Batch(cmd, a.env.After(wait, tellMsg{r.of}))
}

// run begins what is to be read next: what the page on the screen needs comes
// first.
func (a *App) run() tea.Cmd {
	of, ctx := a.reading.of, a.life.Context()
	var needs []cache.Need
	top := a.stacks.top()
	if reader, ok := top.(page.Reader); ok {
		needs = reader.Needs()
	}
	of.Show(top.Life(), needs...)
	var cmds []tea.Cmd
	for read := of.Next(); read != nil; read = of.Next() {
		cmds = append(cmds, func() tea.Msg {
			read(ctx)
			return readMsg{of}
		})
	}
	return tea.Batch(cmds...)
}

// tellRead tells the page on the screen, and the palette, that something was
// read; all pages where that is all for now.
func (a *App) tellRead() tea.Cmd {
	r := &a.reading
	r.seen, r.told = r.of.Version(), a.env.Now()
	reading, _ := r.of.Reading()
	a.learn(!reading)
	if reading {
		return tea.Batch(a.stacks.top().Update(page.ReadMsg{}), a.limiter.touch())
	}
	return tea.Batch(a.stacks.broadcast(page.ReadMsg{}), a.limiter.touch())
}
