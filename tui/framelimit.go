package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// frameTime is the shortest time between two frames. Bubble Tea renders after
// every message, so a burst of keys would be drawn key by key.
const frameTime = time.Second / 60

// frameLimiter renders at most once a frame and returns the last view in between.
type frameLimiter struct {
	now     func() time.Time
	after   func(time.Duration, tea.Msg) tea.Cmd
	drawn   time.Time
	keyed   time.Time // when a key was last drawn without waiting
	view    tea.View
	dirty   bool
	slow    bool // the window has no focus: use slowFrame
	pending bool // a frameMsg is pending

	rest    time.Duration // see const rest; 0 disables it
	pressed time.Time     // time of the last key
	gap     time.Duration // between the last two keys
	passing bool          // gap is below rest
	resting bool          // a check is pending
}

// frameMsg ends the frame, so that changes can be drawn.
type frameMsg struct{}

// rest is the gap between keys below which the user is scrolling past rows:
// longer than the repeat time of a held key, shorter than the pause of someone
// who reads.
const rest = 90 * time.Millisecond

// slowFrame is the frame time of a window without focus.
const slowFrame = time.Second

func (g *frameLimiter) frameTime() time.Duration {
	if g.slow {
		return slowFrame
	}
	return frameTime
}

// markStale marks the view as stale. During a frame it returns the command that
// redraws at its end.
func (g *frameLimiter) markStale() tea.Cmd {
	g.dirty = true
	wait := g.frameTime() - g.now().Sub(g.drawn)
	if wait <= 0 || g.pending {
		return nil
	}
	g.pending = true
	return g.after(wait, frameMsg{})
}

// noteKey lets the next key be drawn immediately, even within a frame that a
// response or a timer began.
func (g *frameLimiter) noteKey() {
	now := g.now()
	if now.Sub(g.keyed) >= frameTime {
		g.keyed, g.drawn = now, time.Time{}
	}
	g.gap, g.pressed = now.Sub(g.pressed), now
	g.passing = g.gap < g.rest
}

// restTime returns how long until scrolling counts as stopped: one and a half
// times the last gap, so that typed-ahead keys are shown soon.
func (g *frameLimiter) restTime() time.Duration {
	return min(g.rest, max(frameTime, g.gap*3/2)) - g.now().Sub(g.pressed)
}

// settleCommand returns the command that checks later whether scrolling has
// stopped, unless one is pending.
func (g *frameLimiter) settleCommand() tea.Cmd {
	if !g.passing || g.resting {
		return nil
	}
	g.resting = true
	return g.after(max(frameTime, g.restTime()), doMsg{do: func() tea.Cmd {
		g.checkScrolling() // the selected row may need data
		return nil
	}})
}

// checkScrolling notes and reports whether scrolling has stopped. It is called after each
// restTime.
func (g *frameLimiter) checkScrolling() bool {
	g.resting = false
	g.passing = g.passing && g.restTime() > 0
	return !g.passing
}

func (g *frameLimiter) isPassing() bool { return g.passing }

// endFrame ends the frame, so that the next change is drawn immediately.
func (g *frameLimiter) endFrame() {
	g.pending = false
	g.drawn = time.Time{}
}

// drawFrame returns the last view, or renders a new one if it is stale and the
// frame has ended.
func (g *frameLimiter) drawFrame(render func() tea.View) tea.View {
	now := g.now()
	if g.dirty && now.Sub(g.drawn) >= g.frameTime() {
		g.view, g.drawn, g.dirty = render(), now, false
	}
	return g.view
}
