package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// frameTime is the shortest time between two renderings. Bubble Tea asks for the
// view after every message; a burst of keys would be drawn key by key.
const frameTime = time.Second / 120

// gate lets one rendering through per frame and remembers what it was.
type frameLimiter struct {
	now     func() time.Time
	after   func(time.Duration, tea.Msg) tea.Cmd
	drawn   time.Time
	keyed   time.Time // when a key last had its frame at once
	view    tea.View
	dirty   bool
	slow    bool // the window has no keys: a frame is slowFrame long
	pending bool // a frameMsg is on its way

	rest    time.Duration // keys within it of each other only pass by what they choose; 0 is never
	pressed time.Time     // when the last key came
	gap     time.Duration // from the one before
	passing bool          // that is within rest
	resting bool          // a restMsg is on its way
}

// frameMsg says that the frame is over and what changed since can be drawn.
type frameMsg struct{}

// rest is within which time of each other keys only pass by what they choose:
// it is longer than between the keys of one that is held down, and shorter than
// between those that somebody looks up after.
const rest = 90 * time.Millisecond

// restMsg says that the keys may have come to rest.
type restMsg struct{}

// slowFrame is the frame of a window that has no keys.
const slowFrame = time.Second

func (g *frameLimiter) frameTime() time.Duration {
	if g.slow {
		return slowFrame
	}
	return frameTime
}

// markStale marks the view stale. Where the frame is still running it returns the
// command that draws at its end.
func (g *frameLimiter) markStale() tea.Cmd {
	g.dirty = true
	wait := g.frameTime() - g.now().Sub(g.drawn)
	if wait <= 0 || g.pending {
		return nil
	}
	g.pending = true
	return g.after(wait, frameMsg{})
}

// noteKey lets a key be seen at once, unless one just was: a frame that an answer
// or a timer began is not to be waited for.
func (g *frameLimiter) noteKey() {
	now := g.now()
	if now.Sub(g.keyed) >= frameTime {
		g.keyed, g.drawn = now, time.Time{}
	}
	g.gap, g.pressed = now.Sub(g.pressed), now
	g.passing = g.gap < g.rest
}

// restTime returns how long the keys still have to rest: half as long again as they took
// to come, so that what was typed ahead is soon shown.
func (g *frameLimiter) restTime() time.Duration {
	return min(g.rest, max(2*frameTime, g.gap*3/2)) - g.now().Sub(g.pressed)
}

// settleCommand returns the command that looks whether keys which pass by have come to
// rest, where none is on its way.
func (g *frameLimiter) settleCommand() tea.Cmd {
	if !g.passing || g.resting {
		return nil
	}
	g.resting = true
	return g.after(max(frameTime, g.restTime()), restMsg{})
}

// keysRest reports whether the keys rest; it is called with restMsg.
func (g *frameLimiter) keysRest() bool {
	g.resting = false
	g.passing = g.passing && g.restTime() > 0
	return !g.passing
}

func (g *frameLimiter) isPassing() bool { return g.passing }

// endFrame ends the frame at once.
func (g *frameLimiter) endFrame() {
	g.pending = false
	g.drawn = time.Time{}
}

// drawFrame returns the last view, or a new one where that is stale and its frame
// is over.
func (g *frameLimiter) drawFrame(render func() tea.View) tea.View {
	now := g.now()
	if g.dirty && now.Sub(g.drawn) >= g.frameTime() {
		g.view, g.drawn, g.dirty = render(), now, false
	}
	return g.view
}
