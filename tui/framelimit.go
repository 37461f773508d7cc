package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

const (
	// frameTime is the shortest time between two frames. Bubble Tea renders after every message. Without a limit, a
	// burst of keys would be drawn key by key.
	frameTime = time.Second / 60
	// slowFrameTime is the frame time of a window without focus.
	slowFrameTime = time.Second
	// scrollGap is the longest gap between two keys of a user who is scrolling past rows. It is longer than the
	// repeat time of a held key, and shorter than the pause of someone who reads.
	scrollGap = 90 * time.Millisecond
)

// frameLimiter renders at most once per frame, and returns the last view in between. It also
// detects whether the user is scrolling past rows.
type frameLimiter struct {
	now   func() time.Time
	after func(time.Duration, tea.Msg) tea.Cmd

	view           tea.View
	drawnAt        time.Time // when the view was rendered; zero if the frame has ended
	keyDrawnAt     time.Time // when a key was last drawn without waiting for the end of a frame
	isStale        bool      // the view must be rendered again
	isSlow         bool      // the window has no focus: frames last slowFrameTime
	isFramePending bool      // a timer will send a frameMsg

	scrollGap      time.Duration // see the constant; 0 never detects scrolling
	pressedAt      time.Time     // time of the last key
	keyGap         time.Duration // time between the last two keys
	isCheckPending bool          // a timer will check whether scrolling has stopped
}

// frameMsg is the message of the timer that ends a frame, so that changes can be drawn.
type frameMsg struct{}

func (l *frameLimiter) frameTime() time.Duration {
	if l.isSlow {
		return slowFrameTime
	}
	return frameTime
}

// markStale marks the view as stale. During a frame it returns the command that redraws at the
// end of the frame.
func (l *frameLimiter) markStale() tea.Cmd {
	l.isStale = true
	wait := l.frameTime() - l.now().Sub(l.drawnAt)
	if wait <= 0 || l.isFramePending {
		return nil
	}
	l.isFramePending = true
	return l.after(wait, frameMsg{})
}

// recordKeyPress records the time of a key press. It also ends the current frame, so that the key is drawn
// immediately. It does not end the frame if another key was drawn within the last frameTime.
func (l *frameLimiter) recordKeyPress() {
	now := l.now()
	if now.Sub(l.keyDrawnAt) >= frameTime {
		l.keyDrawnAt = now
		l.drawnAt = time.Time{}
	}
	l.keyGap = now.Sub(l.pressedAt)
	l.pressedAt = now
}

// scrollTimeLeft returns how long until scrolling counts as stopped. The user scrolls by repeating a key, so
// scrolling has stopped when the next press is late: after one and a half times the gap between the last two
// presses, but not later than scrollGap. Keys that were typed ahead have short gaps, so that the selected row
// is shown soon after them.
func (l *frameLimiter) scrollTimeLeft() time.Duration {
	pause := min(l.scrollGap, max(frameTime, l.keyGap*3/2))
	return pause - l.now().Sub(l.pressedAt)
}

// isScrolling reports whether the user is scrolling past rows without reading them.
func (l *frameLimiter) isScrolling() bool {
	return l.keyGap < l.scrollGap && l.scrollTimeLeft() > 0
}

// checkScrollEnd returns a command that updates the app when scrolling has stopped, because the selected row
// may need data then. It returns nil if the user is not scrolling, or if an earlier command still waits.
func (l *frameLimiter) checkScrollEnd() tea.Cmd {
	if l.isCheckPending || !l.isScrolling() {
		return nil
	}
	l.isCheckPending = true
	return l.after(max(frameTime, l.scrollTimeLeft()), doMsg{do: func() tea.Cmd {
		l.isCheckPending = false
		return nil
	}})
}

// endFrame ends the frame, so that the next change is drawn immediately.
func (l *frameLimiter) endFrame() {
	l.isFramePending = false
	l.drawnAt = time.Time{}
}

// drawFrame returns the last view, or renders a new one if the view is stale and the frame has
// ended.
func (l *frameLimiter) drawFrame(render func() tea.View) tea.View {
	now := l.now()
	if l.isStale && now.Sub(l.drawnAt) >= l.frameTime() {
		l.view = render()
		l.drawnAt = now
		l.isStale = false
	}
	return l.view
}
