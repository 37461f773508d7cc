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
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/deliveries"
	"flightdesk/tui/page/missions"
	"flightdesk/tui/page/quotes"
	"flightdesk/tui/theme"
)

// mostNews is the number of notifications that are kept.
const mostNews = 50

// Values of Options.Notices.
const (
	noticesOff  = "off"
	noticesBell = "bell" // no desktop notification
)

// newsFeed collects notifications.
type newsFeed struct {
	all  []cache.NewsItem // not yet opened, newest last
	told []cache.NewsItem // shown in the status row
	rung time.Time        // time of the last notification
}

// tellNews records news and shows it in the status row, with the key that opens
// it, and as a notification of the terminal unless one was just sent.
func (n *newsFeed) tellNews(come []cache.NewsItem, env *page.Env, s *status, way string) tea.Cmd {
	if len(come) == 0 {
		return nil
	}
	n.all = append(n.all, come...)
	n.all = n.all[max(0, len(n.all)-mostNews):]
	now := env.Now()
	rings := now.Sub(n.rung) >= toastTime
	if rings {
		n.told, n.rung = nil, now
	}
	n.told = append(n.told, come...) // news in quick succession share a message
	text := layout.Clean(describeNews(n.told, env))
	cmd := s.show(
		page.ToastMsg{Role: theme.Attention, Text: text + " · " + keyOf(action.ShowNotifications) + " to show"},
	)
	if rings {
		cmd = tea.Batch(cmd, notifyTerminal(way, "flightdesk: "+text))
	}
	return cmd
}

// keyOf returns the key of an action that works everywhere, "" for none.
func keyOf(id action.ID) string {
	acts := action.ActionsOf(action.Everywhere)
	if i := slices.IndexFunc(acts, func(a action.Action) bool { return a.ID == id }); i >= 0 {
		return action.KeyLabel(acts[i].Keys[0])
	}
	return ""
}

// describeNews describes one item in detail, or counts several by kind.
func describeNews(come []cache.NewsItem, env *page.Env) string {
	if len(come) == 1 {
		return describeOne(&come[0], env)
	}
	var parts []string
	for _, kind := range []struct {
		kind      cache.NewsKind
		one, many string
	}{
		{cache.NewQuote, "quote", "quotes"},
		{cache.NewFlight, "flight date", "flight dates"},
		{cache.NewData, "delivery", "deliveries"},
	} {
		others := slices.DeleteFunc(
			slices.Clone(come),
			func(n cache.NewsItem) bool { return n.Kind != kind.kind },
		)
		if n := len(others); n > 0 {
			parts = append(parts, format.Count(n, kind.one, kind.many))
		}
	}
	return "New: " + strings.Join(parts, ", ")
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
		return fmt.Sprintf(
			"◎ Flight scheduled: %s %s, %s",
			n.Mission.MissionCode,
			n.Mission.MissionName,
			env.Units.MomentAt(n.Mission.FlightDate.Time, env.Now(), n.Mission.SiteZone()),
		)
	default:
		return fmt.Sprintf(
			"◕ Data delivered: %s",
			strings.TrimSpace(n.Mission.MissionCode+" "+n.Mission.MissionName),
		)
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

// nextPage returns the page of the newest item and removes the item.
func (n *newsFeed) nextPage(env *page.Env) page.Page {
	last := len(n.all) - 1
	one := n.all[last]
	n.all = n.all[:last]
	switch one.Kind {
	case cache.NewQuote:
		return quotes.NewCompare(env, one.Record.ID, one.Record)
	case cache.NewData:
		return deliveries.NewOf(env, one.Mission.Order.OrderCode, one.Mission.UUID)
	default:
		return missions.NewMission(env, one.Mission)
	}
}
