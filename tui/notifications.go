package tui

import (
	"fmt"
	"net/http"
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

// mostNews is the number of notifications that are kept.
const mostNews = 50

// Values of Options.Notices.
const (
	noticesOff  = "off"
	noticesBell = "bell" // no desktop notification
)

// newsFeed collects notifications.
type newsFeed struct {
	app *App // of which it is a part

	news []cache.NewsItem // not yet opened, newest last
	told []cache.NewsItem // shown in the status row
	rung time.Time        // time of the last notification
}

// tellNews records news and shows it in the status row, with the key that opens
// it, and as a notification of the terminal unless one was just sent or somebody looks at
// the status row.
func (a *newsFeed) tellNews(come []cache.NewsItem) tea.Cmd {
	a.news = append(a.news, come...)
	a.news = a.news[max(0, len(a.news)-mostNews):]
	now := a.app.env.Now()
	rings := now.Sub(a.rung) >= toastTime
	if rings {
		a.told, a.rung = nil, now
	}
	a.told = append(a.told, come...) // news in quick succession share a message
	text := format.Clean(describeNews(a.told, a.app.env))
	shown := text + " · " + keyOf(action.ShowNotifications) + " to show"
	cmd := a.showToast(page.ToastMsg{Role: theme.Attention, Text: shown})
	if rings && a.app.terminal.focus != focused {
		cmd = tea.Batch(cmd, notifyTerminal(a.app.opts.notices(), "flightdesk: "+text))
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
		flight := env.Units.MomentAt(n.Mission.FlightDate.Time, env.Now(), n.Mission.SiteZone())
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

// openNews opens the page of the newest item and removes the item.
func (a *newsFeed) openNews() tea.Cmd {
	last := len(a.news) - 1
	one := a.news[last]
	a.news = a.news[:last]
	switch one.Kind {
	case cache.NewQuote:
		return a.app.pages.open(quotes.NewCompare(a.app.env, one.Record.ID, one.Record))
	case cache.NewData:
		return a.app.pages.open(deliveries.NewDeliveriesOf(a.app.env, one.Mission.Order.OrderCode, one.Mission.UUID))
	default:
		return a.app.env.Show(page.MissionRoute{Mission: one.Mission})
	}
}

// toastTime is how long a message stays in the status row.
const toastTime = 6 * time.Second

// status is the content of the status row: background work and, for some seconds,
// the last message.
type status struct {
	toast  page.ToastMsg
	toasts int // numbers the messages; an old timer must not clear a new message
	work   []page.WorkMsg
}

// showToast displays a message for toastTime.
func (a *newsFeed) showToast(toast page.ToastMsg) tea.Cmd {
	a.app.status.toast = toast
	a.app.status.toasts++
	number := a.app.status.toasts
	return a.app.env.After(toastTime, doMsg{do: func() tea.Cmd {
		if number == a.app.status.toasts {
			a.app.status.toast = page.ToastMsg{}
		}
		return nil
	}})
}

// note updates an entry of the background work.
func (s *status) note(msg page.WorkMsg) {
	i := slices.IndexFunc(s.work, func(w page.WorkMsg) bool { return w.ID == msg.ID })
	if i < 0 {
		i, s.work = len(s.work), append(s.work, msg)
	}
	if s.work[i] = msg; msg.Over {
		s.work = slices.Delete(s.work, i, i+1)
	}
}

// drawStatus renders the row: work at the left and the message at the right, or in its
// place.
func (a *newsFeed) drawStatus() string {
	th, w := a.app.env.Theme, a.app.env.Width
	var parts []string
	for _, work := range a.app.status.work {
		role := theme.InProgress
		if work.Failed {
			role = theme.Bad
		}
		parts = append(parts, th.PaintRole(role, work.Text))
	}
	work, toast := strings.Join(parts, "   "), th.PaintRole(a.app.status.toast.Role, a.app.status.toast.Text)
	if work == "" || toast == "" {
		return format.FitLeft(" "+work+toast, w)
	}
	return format.FitEnds(" "+work, toast+" ", w)
}

// progressBar returns the progress bar of the terminal's tab: the mean of all work,
// or an error state if any failed; nil without work.
func (s *status) progressBar() *tea.ProgressBar {
	if len(s.work) == 0 {
		return nil
	}
	state, sum := tea.ProgressBarDefault, 0.0
	for _, work := range s.work {
		switch {
		case work.Failed:
			state = tea.ProgressBarError
		case work.Done < 0 && state == tea.ProgressBarDefault:
			state = tea.ProgressBarIndeterminate
		}
		sum += min(1, max(0, work.Done))
	}
	return tea.NewProgressBar(state, int(100*sum/float64(len(s.work))))
}

// describeConnection returns the state of the connection in words and the age of the last
// response; status is that of the last response if it is an error, rejects the key or is a
// web page, else 0.
func describeConnection(heard, now time.Time, lost bool, status int) (state, age string) {
	if !heard.IsZero() {
		age = format.Ago(heard, now)
	}
	switch {
	case lost && age != "":
		return "! no response", "last one " + age
	case lost:
		return "! no response", ""
	case status == http.StatusUnauthorized:
		return "✗ key rejected", age
	case status != 0 && status < http.StatusInternalServerError:
		return "! not the service", age
	case status != 0:
		return fmt.Sprintf("! service error %d", status), age
	case age != "":
		return "● connected", age
	default:
		return "○ connecting", ""
	}
}

// renderBand renders the first row, in the colour of the profile: account,
// profile and rights at the left, connection, host and time at the right. In a
// narrow window the host goes first, then the date, the age of the last response,
// and its word.
func (a *newsFeed) renderBand() string {
	o, th, w, host, now := &a.app.opts, a.app.env.Theme, a.app.env.Width, a.app.env.Host, a.app.env.Now()
	hour := strings.TrimSuffix(now.Format("15:04 -07:00"), ":00")
	day := now.Format("Mon 2 Jan ") + hour
	if o.Client == nil {
		return th.BandStyle("").Render(format.FitEnds(" flightdesk", hour+" ", w))
	}
	mode := a.app.env.Permissions.OrderRights()
	if o.ReadOnly {
		mode = "READ-ONLY"
	}
	left := format.Clean(" " + strings.Join(nonEmpty(o.Company, o.Profile, mode), " · "))
	short := ""
	if o.ServerMode {
		short, host = "SERVER MODE", "SERVER MODE "+host
	}
	_, err := o.Client.Contact()
	state, age := describeConnection(a.app.heard, now, err != nil, o.Client.ServiceTrouble())
	full := strings.Join(nonEmpty(state, age), ", ")
	glyph, _, _ := strings.Cut(state, " ")
	var right string
	for _, parts := range [][]string{
		{full, host, day}, {full, host, hour}, {full, short, hour}, {state, short, hour}, {state, hour}, {glyph, hour},
	} {
		right = format.Clean(strings.Join(nonEmpty(parts...), "   ")) + " "
		if format.Width(left)+2+format.Width(right) <= w {
			break
		}
	}
	return th.BandStyle(o.band()).Render(format.FitEnds(left, right, w))
}
