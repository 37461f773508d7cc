package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/page/deliveries"
	"flightdesk/tui/page/quotes"
	"flightdesk/tui/theme"
)

// maxNotifications is the number of notifications that are kept.
const maxNotifications = 50

// Values of Options.Notices.
const (
	noticesOff  = "off"
	noticesBell = "bell" // no desktop notification
)

// newsFeed has the notifications that the user has not opened yet. The status row shows a message
// about new ones.
type newsFeed struct {
	unread    []cache.NewsItem // newest last
	message   []cache.NewsItem // the items of the last message in the status row
	messageAt time.Time        // when that message was first shown
}

// add adds items, and returns the items to show in the status row: items that arrive within toastTime share a
// message. isFirst is true if the items begin a new message.
func (f *newsFeed) add(items []cache.NewsItem, now time.Time) (message []cache.NewsItem, isFirst bool) {
	f.unread = append(f.unread, items...)
	f.unread = f.unread[max(0, len(f.unread)-maxNotifications):]
	isFirst = now.Sub(f.messageAt) >= toastTime
	if isFirst {
		f.message = nil
		f.messageAt = now
	}
	f.message = append(f.message, items...)
	return f.message, isFirst
}

// popNewest removes and returns the newest item. The feed must not be empty.
func (f *newsFeed) popNewest() cache.NewsItem {
	last := len(f.unread) - 1
	item := f.unread[last]
	f.unread = f.unread[:last]
	return item
}

// reportNews shows new items in the status row, with the key that opens them. It also shows a notification of
// the terminal, unless the window has the focus or a notification was shown just before.
func (ws *workspace) reportNews(items []cache.NewsItem) tea.Cmd {
	message, isFirst := ws.news.add(items, ws.env.Clock.Now())
	text := format.Clean(describeNews(message, ws.env))
	shown := text + " · " + keyOf(action.ShowNotifications) + " to show"
	cmd := ws.showToast(page.ToastMsg{Role: theme.Attention, Text: shown})
	if isFirst && ws.terminal.focus != focused {
		cmd = tea.Batch(cmd, notifyTerminal(ws.opts.notices(), "flightdesk: "+text))
	}
	return cmd
}

// openNews opens the page of the newest notification and removes the notification.
func (ws *workspace) openNews() tea.Cmd {
	item := ws.news.popNewest()
	switch item.Kind {
	case cache.NewQuote:
		return ws.pages.open(quotes.NewCompare(ws.env, item.Record.ID, item.Record))
	case cache.NewData, cache.UpdatedData:
		return ws.pages.open(deliveries.NewDeliveriesOf(ws.env, item.Mission.Order.OrderCode, item.Mission.UUID))
	default:
		return ws.env.Nav.Show(page.MissionRoute{Mission: item.Mission})
	}
}

// describeNews describes a single item in detail, or counts several items by kind.
func describeNews(items []cache.NewsItem, env *page.Env) string {
	if len(items) == 1 {
		return describeItem(&items[0], env)
	}
	counts := map[cache.NewsKind]int{}
	for _, item := range items {
		counts[item.Kind]++
	}
	var parts []string
	if n := counts[cache.NewQuote]; n > 0 {
		parts = append(parts, format.Count(n, "quote"))
	}
	if n := counts[cache.NewFlight]; n > 0 {
		parts = append(parts, format.Count(n, "flight date"))
	}
	if n := counts[cache.NewData]; n > 0 {
		parts = append(parts, format.Count(n, "delivery", "deliveries"))
	}
	if n := counts[cache.UpdatedData]; n > 0 {
		parts = append(parts, format.Count(n, "update")+" after delivery")
	}
	return "New: " + strings.Join(parts, ", ")
}

// describeItem describes a quote with its price, or a mission with its flight date.
func describeItem(item *cache.NewsItem, env *page.Env) string {
	mission := item.Mission
	switch item.Kind {
	case cache.NewQuote:
		text := "◆ New quote: " + quoting.OrderName(item.Record)
		if price := item.Quote.FinalPrice; price.Known {
			text += ", " + format.Money(price.Amount, item.Quote.Currency)
		}
		return text
	case cache.NewFlight:
		flight := env.Look.Units.MomentAt(mission.FlightDate.Time, env.Clock.Now(), mission.SiteZone())
		return fmt.Sprintf("◎ %s: %s %s, %s", describeFlight(item), mission.MissionCode, mission.MissionName, flight)
	case cache.UpdatedData:
		return "◕ Updated after delivery: " + strings.TrimSpace(mission.MissionCode+" "+mission.MissionName)
	default:
		return "◕ Data delivered: " + strings.TrimSpace(mission.MissionCode+" "+mission.MissionName)
	}
}

// describeFlight describes how a flight date has changed. A date does not mean that the flight is scheduled:
// the date can be a proposal, or a correction after the flight.
func describeFlight(item *cache.NewsItem) string {
	if item.Mission.Status != api.MissionFlightScheduled {
		return "New flight date"
	}
	if item.WasScheduled {
		return "Flight rescheduled"
	}
	return "Flight scheduled"
}

// notifyTerminal returns the command that rings the bell and shows a desktop notification. Mode
// noticesBell only rings the bell, and noticesOff does nothing.
func notifyTerminal(mode, text string) tea.Cmd {
	switch mode {
	case noticesOff:
		return nil
	case noticesBell:
		return tea.Raw("\a")
	}
	return tea.Raw("\a" + ansi.Notify(text))
}

// canNotify reports whether the terminal is known to show notifications with OSC 9. Other
// terminals could ignore them, or print their text.
func canNotify(getenv func(string) string) bool {
	programs := []string{"iTerm.app", "WezTerm", "ghostty", "rio", "mintty"}
	if slices.Contains(programs, getenv("TERM_PROGRAM")) {
		return true
	}
	term := getenv("TERM") + "-" // so that "foot" and "foot-direct" have the same prefix
	prefixes := []string{"xterm-kitty", "xterm-ghostty", "foot-"}
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(term, prefix) })
}
