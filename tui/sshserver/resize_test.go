package sshserver

import (
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	gossh "golang.org/x/crypto/ssh"
)

// sizeRequest returns the request of a client whose terminal has a new size.
func sizeRequest(columns, rows uint32) *gossh.Request {
	payload := gossh.Marshal(struct{ Columns, Rows, Width, Height uint32 }{columns, rows, 0, 0})
	return &gossh.Request{Type: windowChange, Payload: payload}
}

// Of many sizes at once the app gets only a few, including the last one.
func TestOnlyTheNewestSizeWaits(t *testing.T) {
	t.Parallel()
	s := &Server{connections: newConnectionTable(time.Hour), Options: Options{Log: discardLog()}}
	g := newFuzzGuest(s, nil)
	defer g.end()
	g.hasStarted = true
	g.initialSize = g.resize(tea.WindowSizeMsg{Width: 80, Height: 24})
	go g.passSizes()
	began := time.Now()
	for n := range uint32(1000) {
		if !g.handleTerminalRequest(sizeRequest(81+n%100, 25)) {
			t.Fatal("a size is refused")
		}
	}
	g.handleTerminalRequest(sizeRequest(120, 40))
	last := tea.WindowSizeMsg{Width: 120, Height: 40}
	passed := 0
	for msg := range g.events {
		passed++
		if msg == last {
			break
		}
	}
	if most := resizeBurst + 1 + int(time.Since(began).Seconds()*resizeRate); passed > most {
		t.Errorf("the app gets %d sizes, more than %d", passed, most)
	}
	if len(g.events)+len(g.newSize) > 0 {
		t.Error("an older size follows the last one")
	}
}

// The app draws few frames for a flood of sizes, and then fills the terminal in its last size.
func TestFloodOfSizesDrawsFewFrames(t *testing.T) {
	t.Parallel()
	r := openAppRoom(t)
	s, err := r.login(t, "user1").NewSession()
	if err != nil {
		t.Fatal(err)
	}
	screen := new(lockedLog)
	s.Stdout = screen
	if err := errors.Join(s.RequestPty("xterm-256color", 24, 80, nil), s.Shell()); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the app is shown", func() bool { return strings.Contains(ansi.Strip(screen.String()), "Home") })
	seen := len(screen.String())
	began := time.Now()
	for n := range 1000 {
		if err := s.WindowChange(30, 100+n%50); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.WindowChange(45, 160); err != nil {
		t.Fatal(err)
	}
	lastRule := strings.Repeat("─", 160)
	waitFor(t, "the last size is drawn", func() bool { return strings.Contains(screen.String()[seen:], lastRule) })
	frames := strings.Count(screen.String()[seen:], ansi.EraseEntireScreen)
	if most := resizeBurst + 2 + int(time.Since(began).Seconds()*resizeRate); frames == 0 || frames > most {
		t.Errorf("%d frames are drawn, want at most %d", frames, most)
	}
}
