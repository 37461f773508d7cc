package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/page"
	"flightdesk/tui/widget/geomap"
)

// The names of towns are read once the first page has what it waits for, which
// has both processors of a small machine to itself until then: it is looked for so
// often, so many times.
const (
	townsTime  = 30 * time.Millisecond
	townsTries = 100
)

type (
	// darkMsg says that the terminal did not tell its background in time.
	darkMsg struct{}
	// townsMsg has what maps are named with read, if it is time, and then says that
	// they can be.
	townsMsg struct {
		tries int
		read  bool
	}
	// minuteMsg redraws the ages once a minute.
	minuteMsg struct{}
	// countMsg redraws a page that counts down.
	countMsg struct{}
)

// countSeconds draws the page on the screen again in a second, where it counts down.
func (a *App) countSeconds() tea.Cmd {
	if c, is := a.stacks.top().(page.SecondCounter); a.counting || !is || !c.CountsSeconds() {
		return nil
	}
	a.counting = true
	return a.env.After(time.Second, countMsg{})
}

// handleTimer does what a timer has called for; the rest goes on to the downloads.
func (a *App) handleTimer(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case darkMsg:
		a.appearance.blank = false
	case foundMsg:
		return a.openFound(msg)
	case restMsg:
		a.limiter.keysRest() // what was passed by is drawn, and the page may need more
	case townsMsg:
		switch {
		case msg.read:
		case a.reading.waiting && msg.tries < townsTries:
			return a.env.After(townsTime, townsMsg{tries: msg.tries + 1})
		default:
			return func() tea.Msg { geomap.PreloadPlaces(); return townsMsg{read: true} }
		}
	case secondMsg:
		return a.pending.tickCommand()
	case toastOverMsg:
		a.status.over(msg)
	case countMsg:
		a.counting = false // until the page is asked again
	case minuteMsg:
		return tea.Batch(a.env.After(time.Minute, minuteMsg{}), a.probeOrders()) // the service may have been away
	default:
		return a.downloads.handleMessage(msg)
	}
	return nil
}
