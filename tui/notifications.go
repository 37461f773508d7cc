package tui

import (
	"fmt"
	"net/http"
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
	"flightdesk/tui/page/orders"
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
	text := format.Clean(describeNews(n.told, env))
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
		return deliveries.NewDeliveriesOf(env, one.Mission.Order.OrderCode, one.Mission.UUID)
	default:
		return orders.NewMission(env, one.Mission)
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
	after  func(time.Duration, tea.Msg) tea.Cmd
}

// show displays a message for toastTime.
func (s *status) show(toast page.ToastMsg) tea.Cmd {
	s.toast = toast
	s.toasts++
	number := s.toasts
	return s.after(toastTime, doMsg{do: func() tea.Cmd {
		if number == s.toasts {
			s.toast = page.ToastMsg{}
		}
		return nil
	}})
}

// note updates an entry of the background work.
func (s *status) note(msg page.WorkMsg) {
	i := slices.IndexFunc(s.work, func(w page.WorkMsg) bool { return w.ID == msg.ID })
	switch {
	case i < 0 && !msg.Over:
		s.work = append(s.work, msg)
	case i >= 0 && msg.Over:
		s.work = slices.Delete(s.work, i, i+1)
	case i >= 0:
		s.work[i] = msg
	}
}

// drawLine renders the row, work at the left and the message at the right; "" if both
// are empty.
func (s *status) drawLine(th *theme.Theme, w int) string {
	toast := th.PaintRole(s.toast.Role, s.toast.Text)
	var parts []string
	for _, work := range s.work {
		role := theme.InProgress
		if work.Failed {
			role = theme.Bad
		}
		parts = append(parts, th.PaintRole(role, work.Text))
	}
	work := strings.Join(parts, "   ")
	switch {
	case work == "" && toast == "":
		return ""
	case work == "":
		return format.FitLeft(" "+toast, w)
	case toast == "":
		return format.FitLeft(" "+work, w)
	default:
		return format.FitEnds(" "+work, toast+" ", w)
	}
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

// connectionState is the state of the connection as shown in the band.
type connectionState struct {
	answers int64
	heard   time.Time // of the last response
	lost    bool      // the last request got no response
	status  int       // of the last response, if it is an error, rejects the key or is a web page; else 0
}

// updateState copies the state from a client, which may be nil.
func (l *connectionState) updateState(client *api.Client, now time.Time) {
	if client == nil {
		return
	}
	answers, err := client.Contact()
	if answers != l.answers {
		l.answers, l.heard = answers, now
	}
	l.lost = err != nil
	l.status = client.ServiceTrouble()
}

// describeState returns the connection state in words and the age of the last
// response.
func (l connectionState) describeState(now time.Time) (state, age string) {
	if !l.heard.IsZero() {
		age = format.Ago(l.heard, now)
	}
	switch {
	case l.lost && age != "":
		return "! no response", "last one " + age
	case l.lost:
		return "! no response", ""
	case l.status == http.StatusUnauthorized:
		return "✗ key rejected", age
	case l.status != 0 && l.status < http.StatusInternalServerError:
		return "! not the service", age
	case l.status != 0:
		return fmt.Sprintf("! service error %d", l.status), age
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
func (a *App) renderBand() string {
	o, f, host, now := &a.opts, &a.frame, a.env.Host, a.env.Now()
	day, hour := now.Format("Mon 2 Jan 15:04 -07"), now.Format("15:04 -07")
	if o.Client == nil {
		return f.th.BandStyle("").Render(format.FitEnds(" flightdesk", hour+" ", f.w))
	}
	mode := a.env.Permissions.OrderRights()
	if o.ReadOnly {
		mode = "READ-ONLY"
	}
	left := format.Clean(" " + strings.Join(nonEmpty(o.Company, o.Profile, mode), " · "))
	short := ""
	if o.ServerMode {
		short, host = "SERVER MODE", "SERVER MODE "+host
	}
	state, age := a.link.describeState(now)
	full := strings.Join(nonEmpty(state, age), ", ")
	glyph, _, _ := strings.Cut(state, " ")
	var right string
	for _, parts := range [][]string{
		{full, host, day}, {full, host, hour}, {full, short, hour}, {state, short, hour}, {state, hour}, {glyph, hour},
	} {
		right = format.Clean(strings.Join(nonEmpty(parts...), "   ")) + " "
		if format.Width(left)+2+format.Width(right) <= f.w {
			break
		}
	}
	return f.th.BandStyle(o.band()).Render(format.FitEnds(left, right, f.w))
}
