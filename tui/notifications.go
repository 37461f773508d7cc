package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

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

// newsFeed collects notifications.
type newsFeed struct {
	unread    []cache.NewsItem // newest last
	message   []cache.NewsItem // what the last message in the status row is about
	messageAt time.Time        // when that message was shown first
}

// add adds news, and returns what the message in the status row is about: news in quick
// succession share a message. isFirst says that the message is a new one.
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

// popNewest removes and returns the newest item; there must be one.
func (f *newsFeed) popNewest() cache.NewsItem {
	last := len(f.unread) - 1
	item := f.unread[last]
	f.unread = f.unread[:last]
	return item
}

// reportNews shows news in the status row, with the key that opens it, and as a
// notification of the terminal unless one was just sent or the window has the focus.
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
	case cache.NewData:
		return ws.pages.open(deliveries.NewDeliveriesOf(ws.env, item.Mission.Order.OrderCode, item.Mission.UUID))
	default:
		return ws.env.Nav.Show(page.MissionRoute{Mission: item.Mission})
	}
}

// describeNews describes one item in detail, or counts several by kind.
func describeNews(come []cache.NewsItem, env *page.Env) string {
	if len(come) == 1 {
		return describeOne(&come[0], env)
	}
	count := func(kind cache.NewsKind, one string, many ...string) string {
		n := 0
		for i := range come {
			if come[i].Kind == kind {
				n++
			}
		}
		if n == 0 {
			return ""
		}
		return format.Count(n, one, many...)
	}
	return "New: " + strings.Join(nonEmpty(
		count(cache.NewQuote, "quote"), count(cache.NewFlight, "flight date"), count(cache.NewData, "delivery", "deliveries"),
	), ", ")
}

func describeOne(n *cache.NewsItem, env *page.Env) string {
	switch n.Kind {
	case cache.NewQuote:
		text := "◆ New quote: " + quoting.OrderName(n.Record)
		if n.Quote.FinalPrice.Known {
			text += ", " + format.Money(n.Quote.FinalPrice.Amount, n.Quote.Currency)
		}
		return text
	case cache.NewFlight:
		flight := env.Look.Units.MomentAt(n.Mission.FlightDate.Time, env.Clock.Now(), n.Mission.SiteZone())
		return fmt.Sprintf("◎ Flight scheduled: %s %s, %s", n.Mission.MissionCode, n.Mission.MissionName, flight)
	default:
		return "◕ Data delivered: " + strings.TrimSpace(n.Mission.MissionCode+" "+n.Mission.MissionName)
	}
}

// notifyTerminal rings the bell or sends a desktop notification.
func notifyTerminal(way, text string) tea.Cmd {
	switch way {
	case noticesOff:
		return nil
	case noticesBell:
		return tea.Raw("\a")
	}
	return tea.Raw("\a" + ansi.Notify(text))
}

// canNotify reports whether the terminal is known to show OSC 9 notifications.
// Others would show nothing, or print the text.
func canNotify(getenv func(string) string) bool {
	programs := []string{"iTerm.app", "WezTerm", "ghostty", "rio", "mintty"}
	terms := []string{"xterm-kitty", "xterm-ghostty", "foot-"}
	term := getenv("TERM") + "-"
	return slices.Contains(programs, getenv("TERM_PROGRAM")) ||
		slices.ContainsFunc(terms, func(known string) bool { return strings.HasPrefix(term, known) })
}
