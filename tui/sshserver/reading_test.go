package sshserver

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"flightdesk/api"
	"flightdesk/tui"
	"flightdesk/tui/action"
	"flightdesk/tui/page"
)

// openAppRoom opens a server whose guests see the app with an empty service.
func openAppRoom(t *testing.T) *testRoom {
	t.Helper()
	service := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(service.Close)
	return openTestRoom(t, func(o *Options) {
		o.Open = func(context.Context, *Login) (tui.Options, error) {
			client, err := api.NewClient(service.URL, api.WithKey("k"))
			return tui.Options{Begin: action.GoHome, ProfileOptions: page.ProfileOptions{Client: client}}, err
		}
	})
}

// countGoroutines counts the goroutines that are in the function with a name.
func countGoroutines(function string) int {
	stacks := make([]byte, 8<<20)
	return strings.Count(string(stacks[:runtime.Stack(stacks, true)]), function)
}

func TestReadingEndsWithItsSession(t *testing.T) {
	r := openAppRoom(t)
	c := r.login(t, "user1")
	if err := putFile(openSFTP(t, c), "sites.csv", "name,lat,lng\nA,48.71,9.11\n"); err != nil {
		t.Fatal(err)
	}
	for range maxReadings { // nobody else can read
		r.readings <- struct{}{}
	}
	s, err := c.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	screen := new(lockedLog)
	s.Stdout = screen
	keys, err := s.StdinPipe()
	if err := errors.Join(err, s.RequestPty("xterm-256color", 24, 80, nil), s.Shell()); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ keys, shows string }{{"", "Home"}, {"n", "sites.csv"}} {
		if _, err := io.WriteString(keys, step.keys); err != nil {
			t.Fatal(err)
		}
		waitFor(t, step.shows, func() bool { return strings.Contains(ansi.Strip(screen.String()), step.shows) })
	}
	if _, err := io.WriteString(
		keys, "\x1b[200~"+filepath.Join(r.Dir, "user1", "files", "sites.csv")+"\x1b[201~\r",
	); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the file waits to be read", func() bool { return countGoroutines("guest).waitToRead") == 1 })
	_ = c.Close()
	waitFor(t, "no reading is left", func() bool { return countGoroutines("ordering.(*FileReader)") == 0 })
	if len(r.readings) != maxReadings {
		t.Errorf("%d files are read", len(r.readings))
	}
}

// A session that ends while keys wait for the app leaves no goroutine behind.
func TestUnreadKeysEndWithTheirSession(t *testing.T) {
	r := openAppRoom(t)
	for range 8 {
		c := r.login(t, "user1")
		s, err := c.NewSession()
		if err != nil {
			t.Fatal(err)
		}
		screen := new(lockedLog)
		s.Stdout = screen
		keys, err := s.StdinPipe()
		if err := errors.Join(err, s.RequestPty("xterm-256color", 24, 80, nil), s.Shell()); err != nil {
			t.Fatal(err)
		}
		waitFor(t, "the app is shown", func() bool { return strings.Contains(ansi.Strip(screen.String()), "Home") })
		g := r.listGuests()[0]
		g.client.person.work.do(t.Context(), func() { // the app cannot handle keys meanwhile
			if _, err := io.WriteString(keys, strings.Repeat("j", 100)); err != nil {
				t.Fatal(err)
			}
			waitFor(t, "keys wait for the app", func() bool { return countGoroutines("TerminalReader).sendEvents") > 0 })
			_ = c.Close()
			<-g.ctx.Done()
		})
		waitFor(t, "the session ends", func() bool { return len(r.listGuests()) == 0 })
	}
	waitFor(t, "no reader of keys is left", func() bool { return countGoroutines("TerminalReader)") == 0 })
}

func TestOneSurveyFilePerPersonIsReadAtATime(t *testing.T) {
	room := openTestRoom(t, nil)
	guestOf := func(p *person) *guest {
		g := newFuzzGuest(room.Server, nil)
		g.client.person = p
		return g
	}
	waits := func(g *guest) bool {
		ended, end := context.WithCancel(t.Context())
		end()
		for range 100 { // a select takes any of the ways that are open
			done, err := g.waitToRead(ended)
			if err == nil {
				done()
				return false
			}
		}
		return true
	}
	first := newPerson(&Login{User: "user1"})
	done, err := guestOf(first).waitToRead(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !waits(guestOf(first)) {
		t.Error("a second file of a person is read")
	}
	second := newPerson(&Login{User: "user2"})
	doneToo, err := guestOf(second).waitToRead(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	third := newPerson(&Login{User: "user3"})
	if !waits(guestOf(third)) || len(third.readings) > 0 {
		t.Error("a third file is read")
	}
	done()
	doneToo()
	if waits(guestOf(third)) || len(room.readings) > 0 {
		t.Error("the turn of a reader is not given back")
	}
}
