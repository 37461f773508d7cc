package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// frame is the shortest time between two renderings. Bubble Tea asks for the
// view after every message; a burst of keys would be drawn key by key.
const frame = time.Second / 120

// gate lets one rendering through per frame and remembers what it was.
type gate struct {
	now     func() time.Time
	after   func(time.Duration, tea.Msg) tea.Cmd
	drawn   time.Time
	keyed   time.Time // when a key last had its frame at once
	view    tea.View
	dirty   bool
	pending bool // a frameMsg is on its way
}

// frameMsg says that the frame is over and what changed since can be drawn.
type frameMsg struct{}

// touch marks the view stale. Where the frame is still running it returns the
// command that draws at its end.
func (g *gate) touch() tea.Cmd {
	g.dirty = true
	wait := frame - g.now().Sub(g.drawn)
	if wait <= 0 || g.pending {
		return nil
	}
	g.pending = true
	return g.after(wait, frameMsg{})
}

// key lets a key be seen at once, unless one just was: a frame that an answer
// or a timer began is not to be waited for.
func (g *gate) key() {
	if now := g.now(); now.Sub(g.keyed) >= frame {
		g.keyed, g.drawn = now, time.Time{}
	}
}

// open ends the frame at once.
func (g *gate) open() {
	g.pending = false
	g.drawn = time.Time{}
}

// draw returns the last view, or a new one where that is stale and its frame
// is over.
func (g *gate) draw(render func() tea.View) tea.View {
	now := g.now()
	if g.dirty && now.Sub(g.drawn) >= frame {
		g.view, g.drawn, g.dirty = render(), now, false
	}
	return g.view
}
