package tui

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/app/cache"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

func TestNewsInQuickSuccessionShareAMessage(t *testing.T) {
	now := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	var f newsFeed
	for _, tt := range []struct {
		after   time.Duration
		inAll   int
		isFirst bool
	}{{0, 1, true}, {time.Second, 2, false}, {toastTime, 1, true}} {
		message, isFirst := f.add([]cache.NewsItem{{Kind: cache.NewData}}, now.Add(tt.after))
		if len(message) != tt.inAll || isFirst != tt.isFirst {
			t.Errorf("after %v the message has %d items, is first: %v", tt.after, len(message), isFirst)
		}
	}
	if len(f.unread) != 3 {
		t.Errorf("%d notifications are unread", len(f.unread))
	}
}

func TestNewestNotificationsAreKept(t *testing.T) {
	var f newsFeed
	f.add(make([]cache.NewsItem, maxNotifications), time.Now())
	f.add([]cache.NewsItem{{Kind: cache.NewFlight}}, time.Now())
	if len(f.unread) != maxNotifications {
		t.Errorf("%d notifications are kept", len(f.unread))
	}
	if item := f.popNewest(); item.Kind != cache.NewFlight || len(f.unread) != maxNotifications-1 {
		t.Errorf("the newest is %v, %d are left", item.Kind, len(f.unread))
	}
}

func TestOldTimerDoesNotClearANewMessage(t *testing.T) {
	var s statusRow
	first := s.show(page.ToastMsg{Text: "Copied"})
	second := s.show(page.ToastMsg{Text: "Saved"})
	s.clear(first)
	if s.toast.Text != "Saved" {
		t.Errorf("after the timer of the first message the row says %q", s.toast.Text)
	}
	s.clear(second)
	if s.toast.Text != "" {
		t.Errorf("after its timer the row says %q", s.toast.Text)
	}
}

func TestStatusRowShowsWorkAndMessage(t *testing.T) {
	th, err := theme.NamedTheme("dark", true)
	if err != nil {
		t.Fatal(err)
	}
	var s statusRow
	s.updateWork(page.WorkMsg{ID: "a", Text: "1 download", Done: 0.2})
	s.updateWork(page.WorkMsg{ID: "b", Text: "Cancelling ORD-1", Done: -1})
	s.updateWork(page.WorkMsg{ID: "a", Text: "2 downloads", Done: 0.5})
	s.show(page.ToastMsg{Text: "Saved"})
	if got, want := ansi.Strip(s.renderMessage(th, 50)), " 2 downloads   Cancelling ORD-1             Saved "; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	if bar := s.progressBar(); bar.State != tea.ProgressBarIndeterminate {
		t.Errorf("the progress bar is %+v", bar)
	}
	s.updateWork(page.WorkMsg{ID: "b", Over: true})
	if bar := s.progressBar(); bar.State != tea.ProgressBarDefault || bar.Value != 50 {
		t.Errorf("the progress bar is %+v", bar)
	}
	s.updateWork(page.WorkMsg{ID: "a", Over: true})
	if s.progressBar() != nil {
		t.Error("there is a progress bar without work")
	}
}
