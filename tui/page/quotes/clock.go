package quotes

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/page"
)

// clock redraws a page each second while the next expiry is less than a day
// away and the page is on the screen. Ages change by the minute without it.
type clock struct{ number int }

// tickMsg is a second that has passed, of the clock's newest start.
type tickMsg struct{ number int }

func (c *clock) start(b page.Base, next *quoting.Offer) tea.Cmd {
	c.number++
	return c.wait(b, next)
}

func (c *clock) tick(b page.Base, msg tickMsg, next *quoting.Offer) tea.Cmd {
	if msg.number != c.number || !b.Shown() {
		return nil
	}
	return c.wait(b, next)
}

func (c *clock) wait(b page.Base, next *quoting.Offer) tea.Cmd {
	if next == nil || api.UrgencyOf(next.ExpiryDate, b.Now()) == api.NotUrgent {
		return nil
	}
	return page.Later(b, time.Second, tickMsg{c.number})
}
