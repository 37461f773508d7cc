package tui

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/app/webhooks"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/deliveries"
	"flightdesk/tui/page/missions"
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

// newsFeed is what has come since the app began.
type newsFeed struct {
	all  []cache.NewsItem // that has not been gone to, the newest last
	told []cache.NewsItem // what the status row tells of
	rung time.Time        // when somebody was told
}

// tellNews keeps what has come and tells of it: in the status row, with a key that
// goes there, and in the way that is wanted to those who look elsewhere.
func (n *newsFeed) tellNews(come []cache.NewsItem, now time.Time, s *status, way string) tea.Cmd {
	if len(come) == 0 {
		return nil
	}
	n.all = append(n.all, come...)
	n.all = n.all[max(0, len(n.all)-mostNews):]
	rings := now.Sub(n.rung) >= toastTime
	if rings {
		n.told, n.rung = nil, now
	}
	n.told = append(n.told, come...) // what comes with others is told with them
	text := layout.Clean(describeNews(n.told, now))
	cmd := s.show(
		page.ToastMsg{Role: theme.Attention, Text: text + " · " + keyOf(action.ShowNotifications) + " to show"},
	)
	if rings {
		cmd = tea.Batch(cmd, notifyTerminal(way, "flightdesk: "+text))
	}
	return cmd
}

// keyOf returns the key of something that can be done everywhere.
func keyOf(id action.ID) string {
	all := action.ActionsOf(action.Everywhere)
	i := slices.IndexFunc(all, func(act action.Action) bool { return act.ID == id })
	return action.KeyLabel(all[i].Keys[0])
}

// describeNews says what has come: the one thing, or how much of what.
func describeNews(come []cache.NewsItem, now time.Time) string {
	if len(come) == 1 {
		return describeOne(&come[0], now)
	}
	words := map[cache.NewsKind][2]string{
		cache.NewQuote: {
			"quote",
			"quotes",
		},
		cache.NewFlight: {"flight date", "flight dates"},
		cache.NewData:   {"delivery", "deliveries"},
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
	return "New: " + strings.Join(parts, ", ")
}

func describeOne(n *cache.NewsItem, now time.Time) string {
	switch n.Kind {
	case cache.NewQuote:
		text := "◆ New quote: " + quoting.StandingOf(n.Record, now).Name
		if n.Quote.FinalPrice.Known {
			text += ", " + format.Money(n.Quote.FinalPrice.Amount, n.Quote.Currency)
		}
		return text
	case cache.NewFlight:
		return fmt.Sprintf(
			"◎ Flight scheduled: %s %s, %s",
			n.Mission.MissionCode,
			n.Mission.MissionName,
			format.MomentAt(n.Mission.FlightDate.Time, now, n.Mission.FlightZone()),
		)
	default:
		return fmt.Sprintf("◕ Data delivered: %s", strings.TrimSpace(n.Mission.MissionCode+" "+n.Mission.MissionName))
	}
}

// notifyTerminal tells those who look elsewhere.
func notifyTerminal(way, text string) tea.Cmd {
	switch {
	case way == noticesOff:
		return nil
	case way == noticesBell || !canNotify(os.Getenv):
		return tea.Raw("\a")
	}
	return tea.Raw("\a" + ansi.Notify(text))
}

// canNotify tells whether the terminal is known to show a notice that is sent
// with OSC 9. Others would show nothing, or the text where it does not belong.
func canNotify(getenv func(string) string) bool {
	known := []string{"iTerm.app", "WezTerm", "ghostty", "rio", "mintty"}
	term := getenv("TERM")
	return slices.Contains(known, getenv("TERM_PROGRAM")) ||
		strings.HasPrefix(
			term,
			"xterm-kitty",
		) || strings.HasPrefix(term, "xterm-ghostty") || term == "foot" || strings.HasPrefix(term, "foot-")
}

// nextPage returns the page of what has come last, and then of what came before it.
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

// toastTime is how long a line stays in the status row.
const toastTime = 6 * time.Second

// status is what the status row has to say: what runs in the background, and
// for some seconds what was just done.
type status struct {
	toast  page.ToastMsg
	toasts int // numbers them, so that an old one's end does not clear a new one
	work   []page.WorkMsg
	after  func(time.Duration, tea.Msg) tea.Cmd
}

type toastOverMsg struct{ number int }

// show shows a line for some seconds.
func (s *status) show(toast page.ToastMsg) tea.Cmd {
	s.toast = toast
	s.toasts++
	return s.after(toastTime, toastOverMsg{s.toasts})
}

func (s *status) over(msg toastOverMsg) {
	if msg.number == s.toasts {
		s.toast = page.ToastMsg{}
	}
}

// note keeps what is known of work in the background.
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

// line draws the row: work at the left, and at the right what was just done; ""
// where there is nothing.
func (s *status) line(th *theme.Theme, w int) string {
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
		return layout.FitLeft(" "+toast, w)
	case toast == "":
		return layout.FitLeft(" "+work, w)
	default:
		return layout.FitEnds(" "+work, toast+" ", w)
	}
}

// progress returns what the terminal's tab shows: nothing without work, the mean of
// what is done, or that something needs somebody.
func (s *status) progress() *tea.ProgressBar {
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

// newFeed returns what receives events while the app runs. A service on this machine
// with an operations API can reach it by itself.
func (o Options) newFeed() *webhooks.EventFeed {
	options := webhooks.FeedOptions{
		Client:  o.Client,
		Account: o.Profile,
		Runs:    webhooks.RunFolder(o.Listens),
		Log:     webhooks.OpenLog(o.Received),
	}
	if base, err := url.Parse(o.Client.BaseURL()); err == nil && o.Ops != nil && isHere(base.Hostname()) {
		options.Trust = func(ctx context.Context, pem []byte) error {
			_, err := o.Ops.Webhooks.Trust(ctx, pem)
			return err
		}
	}
	if o.Post != nil {
		options.Wake = func() { o.Post(page.HeardMsg{}) }
	}
	return webhooks.NewFeed(options)
}

// isHere reports whether a host is this machine.
func isHere(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// leftFeeds are of profiles that were left, until they have ended.
type leftFeeds []*webhooks.EventFeed

// stopFeed ends the listening of the profile that is left. The app's end waits
// for what that has not done by then.
func (l *leftFeeds) stopFeed(f *webhooks.EventFeed) tea.Cmd {
	if f == nil {
		return nil
	}
	*l = append(slices.DeleteFunc(*l, (*webhooks.EventFeed).IsOver), f)
	return func() tea.Msg {
		if err := f.Close(); err != nil {
			return page.ToastMsg{Role: theme.Bad, Text: err.Error()}
		}
		return nil
	}
}

// closeAll ends all listening, that of the profile on the screen too. It takes as
// long as that does.
func (l *leftFeeds) closeAll(now *webhooks.EventFeed) error {
	l.stopFeed(now)
	var err error
	for _, f := range *l {
		err = errors.Join(err, f.Close())
	}
	return err
}
