package tui

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/deliveries"
	"flightdesk/tui/page/quotes"
	"flightdesk/tui/theme"
)

// mostNews is how many are remembered to go to.
const mostNews = 50

// What tells of news besides the screen.
const (
	noticesOff  = "off"
	noticesBell = "bell" // and no notice of the terminal's
)

// come is what has come since the app began.
type notifications struct {
	all  []cache.News // that has not been gone to, the newest last
	told []cache.News // what the status row tells of
	rung time.Time    // when somebody was told
}

// news tells of what has come: in the status row, with a key that goes there,
// and by the bell and a notice of the terminal's.
func (a *App) news() tea.Cmd {
	if a.env.Cache == nil {
		return nil
	}
	come := a.env.Cache.News()
	if len(come) == 0 {
		return nil
	}
	c, now := &a.notifications, a.env.Now()
	c.all = append(c.all, come...)
	c.all = c.all[max(0, len(c.all)-mostNews):]
	rings := now.Sub(c.rung) >= toastTime
	if rings {
		c.told, c.rung = nil, now
	}
	c.told = append(c.told, come...) // what comes with others is told with them
	text := layout.Clean(told(c.told, now))
	cmd := a.status.show(page.ToastMsg{Role: theme.Attention, Text: text + " · " + keyOf(action.News) + " shows it"})
	if rings {
		cmd = tea.Batch(cmd, a.ring("flightdesk: "+text))
	}
	return tea.Batch(cmd, a.limiter.touch())
}

// keyOf is the key of something that can be done everywhere.
func keyOf(id action.ID) string {
	all := action.In(action.Everywhere)
	i := slices.IndexFunc(all, func(act action.Action) bool { return act.ID == id })
	return action.Label(all[i].Keys[0])
}

// told says what has come: the one thing, or how much of what.
func told(come []cache.News, now time.Time) string {
	if len(come) == 1 {
		return one(&come[0], now)
	}
	words := map[cache.NewsKind][2]string{
		cache.NewQuote: {"quote", "quotes"}, cache.NewFlight: {"flight date", "flight dates"}, cache.NewData: {"delivery", "deliveries"},
	}
	var parts []string
	for _, kind := range []cache.NewsKind{cache.NewQuote, cache.NewFlight, cache.NewData} {
		n := 0
		for i := range come {
			if come[i].Kind == kind {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, format.Count(n, words[kind][0], words[kind][1]))
		}
	}
	return "new: " + strings.Join(parts, ", ")
}

func one(n *cache.News, now time.Time) string {
	switch n.Kind {
	case cache.NewQuote:
		text := "◆ " + quoting.StandingOf(n.Record, now).Name + " has a new quote"
		if n.Quote.FinalPrice.Known {
			text += ", " + format.Money(n.Quote.FinalPrice.Amount, n.Quote.Currency)
		}
		return text
	case cache.NewFlight:
		return fmt.Sprintf("◎ %s %s flies %s", n.Mission.MissionCode, n.Mission.MissionName, format.MomentAt(n.Mission.FlightDate.Time, now, n.Mission.Zone()))
	default:
		return fmt.Sprintf("◕ the data of %s is there", strings.TrimSpace(n.Mission.MissionCode+" "+n.Mission.MissionName))
	}
}

// ring tells those who look elsewhere.
func (a *App) ring(text string) tea.Cmd {
	switch {
	case a.opts.Notices == noticesOff || a.opts.plain:
		return nil
	case a.opts.Notices == noticesBell || !notifies(os.Getenv):
		return tea.Raw("\a")
	}
	return tea.Raw("\a" + ansi.Notify(text))
}

// notifies tells whether the terminal is known to show a notice that is sent
// with OSC 9. Others would show nothing, or the text where it does not belong.
func notifies(getenv func(string) string) bool {
	known := []string{"iTerm.app", "WezTerm", "ghostty", "rio", "mintty"}
	term := getenv("TERM")
	return slices.Contains(known, getenv("TERM_PROGRAM")) ||
		strings.HasPrefix(term, "xterm-kitty") || strings.HasPrefix(term, "xterm-ghostty") || term == "foot" || strings.HasPrefix(term, "foot-")
}

// showNews goes to what has come last, and then to what came before it.
func (a *App) showNews() tea.Cmd {
	last := len(a.notifications.all) - 1
	n := a.notifications.all[last]
	a.notifications.all = a.notifications.all[:last]
	switch n.Kind {
	case cache.NewQuote:
		return a.stacks.open(quotes.NewCompare(a.env, n.Record.ID, n.Record))
	case cache.NewData:
		return a.stacks.open(deliveries.NewOf(a.env, n.Mission.Order.OrderCode, n.Mission.UUID))
	default:
		return a.env.OpenMission(n.Mission)
	}
}
