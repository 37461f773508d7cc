package tui

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"sync"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"flightdesk/api"
)

// screen writes frames to a terminal, each as soon as it is drawn. Bubble Tea's own
// renderer looks for one sixty times a second, also while nothing happens. The app does not
// wait for a slow terminal, which gets the newest frame next. It is safe for concurrent use.
type screen struct {
	frames chan tea.View // the next one, if any

	mu       sync.Mutex
	renderer *uv.TerminalRenderer
	out      io.Writer
	work     func(func()) // see Terminal
	console  uv.Console   // of this process; nil for a guest's terminal
	cells    uv.ScreenBuffer
	queue    bytes.Buffer // what the renderer has to write
	shown    tea.View     // on the terminal
	synced   bool         // the terminal shows a frame at once that comes between two codes
	closed   bool
}

// Escape codes that begin and end the app's screen, besides what frames need.
var (
	openScreen = ansi.SetModeAltScreenSaveCursor + ansi.HideCursor + ansi.SetModeBracketedPaste +
		ansi.SetModeFocusEvent + ansi.SetModifyOtherKeys2 + ansi.PushKittyKeyboard(ansi.KittyDisambiguateEscapeCodes|ansi.KittyReportAlternateKeys)
	closeScreen = ansi.ResetModifyOtherKeys + ansi.PopKittyKeyboard(1) + ansi.ResetModeAltScreenSaveCursor +
		ansi.ShowCursor + ansi.ResetModeBracketedPaste + ansi.ResetModeFocusEvent
)

// mouseCodes have the terminal report what is done with the mouse.
var mouseCodes = map[tea.MouseMode]string{
	tea.MouseModeNone:       ansi.ResetModeMouseButtonEvent + ansi.ResetModeMouseAnyEvent + ansi.ResetModeMouseExtSgr,
	tea.MouseModeCellMotion: ansi.ResetModeMouseAnyEvent + ansi.SetModeMouseButtonEvent + ansi.SetModeMouseExtSgr,
	tea.MouseModeAllMotion:  ansi.ResetModeMouseButtonEvent + ansi.SetModeMouseAnyEvent + ansi.SetModeMouseExtSgr,
}

// newScreen returns the screen of a terminal, which is not changed before it is opened.
func newScreen(t *Terminal, colours colorprofile.Profile) *screen {
	s := &screen{frames: make(chan tea.View, 1), out: t.Out, work: t.work, console: t.console}
	s.renderer = uv.NewTerminalRenderer(&s.queue, t.Environ)
	s.renderer.SetFullscreen(true)
	s.renderer.SetScrollOptim(runtime.GOOS != "windows") // some terminals there scroll wrongly
	s.renderer.SetColorProfile(colours)
	s.cells = uv.NewScreenBuffer(t.Size.Width, t.Size.Height)
	return s
}

// open begins with the terminal's other screen, the keys of which are read one by one.
func (s *screen) open() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.console != nil {
		if _, err := s.console.MakeRaw(); err != nil {
			return fmt.Errorf("read the keys of the terminal: %w", err)
		}
	}
	s.shown, s.closed = tea.View{}, false
	s.invalidate()
	_, _ = s.renderer.WriteString(openScreen)
	return nil
}

// close gives the terminal back as it was, with codes that reset what the app has set.
func (s *screen) close(codes string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.changeModes(tea.View{})
	if s.cells.Method == ansi.GraphemeWidth {
		codes += ansi.ResetModeUnicodeCore
	}
	s.write(closeScreen + codes)
	s.closed = true
	if s.console != nil {
		_ = s.console.Restore()
	}
}

// redraw has the next frame drawn as a whole. Without a screen there is nothing to do.
func (s *screen) redraw() {
	if s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.invalidate()
	}
}

// invalidate assumes nothing of what the terminal shows.
func (s *screen) invalidate() {
	s.renderer.Erase()
	s.renderer.SetPosition(-1, -1) // the cursor may be anywhere
}

// show has a frame drawn, in place of one that waits. Without a screen it does nothing.
func (s *screen) show(v tea.View) {
	if s == nil {
		return
	}
	select {
	case <-s.frames:
	default:
	}
	s.frames <- v
}

// drawFrames draws what is shown until ctx ends.
func (s *screen) drawFrames(ctx context.Context) {
	api.Go(func() error {
		for {
			select {
			case v := <-s.frames:
				s.draw(v)
			case <-ctx.Done():
				return nil
			}
		}
	})
}

// draw draws a frame. While the app is suspended it does nothing.
func (s *screen) draw(v tea.View) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.cells.Height() == 0 {
		return
	}
	s.work(func() {
		s.changeModes(v)
		s.cells.Clear()
		uv.NewStyledString(v.Content).Draw(s.cells, s.cells.Bounds())
		s.renderer.Render(s.cells.RenderBuffer)
		if v.Cursor != nil {
			s.renderer.MoveTo(v.Cursor.X, v.Cursor.Y)
		}
	})
	s.write("") // the terminal may be slow
}

// changeModes sets what a frame needs of the terminal besides its text, as far as it
// differs from the frame before.
func (s *screen) changeModes(v tea.View) {
	if v.ForegroundColor != s.shown.ForegroundColor {
		_ = uv.EncodeForegroundColor(s.renderer, v.ForegroundColor)
	}
	if v.BackgroundColor != s.shown.BackgroundColor {
		_ = uv.EncodeBackgroundColor(s.renderer, v.BackgroundColor)
	}
	if v.MouseMode != s.shown.MouseMode {
		_, _ = s.renderer.WriteString(mouseCodes[v.MouseMode])
	}
	if bar := progressOf(v); bar != progressOf(s.shown) {
		_ = uv.EncodeProgressBar(s.renderer, &bar)
	}
	if shown := v.Cursor != nil; shown != (s.shown.Cursor != nil) && !shown {
		_, _ = s.renderer.WriteString(ansi.HideCursor) // it is shown behind the frame
	}
	s.shown = v
}

func progressOf(v tea.View) (bar uv.ProgressBar) {
	if b := v.ProgressBar; b != nil {
		bar = uv.ProgressBar{State: uv.ProgressBarState(b.State), Value: b.Value}
	}
	return bar
}

// write sends codes behind what is in the queue, with the cursor where it belongs.
func (s *screen) write(codes string) {
	_, _ = s.renderer.WriteString(codes)
	_ = s.renderer.Flush()
	if s.queue.Len() == 0 {
		return
	}
	begin, end := "", ""
	if s.shown.Cursor != nil {
		begin, end = ansi.HideCursor, ansi.ShowCursor
	}
	if s.synced {
		begin, end = ansi.SetModeSynchronizedOutput+begin, end+ansi.ResetModeSynchronizedOutput
	}
	_, _ = io.WriteString(s.out, begin+s.queue.String()+end) // a terminal that has gone ends the input
	s.queue.Reset()
}

// takeMessage notes what a message says of the terminal, and reports whether it was for
// the terminal alone.
func (s *screen) takeMessage(msg tea.Msg) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch msg := msg.(type) {
	case tea.RawMsg:
		s.write(fmt.Sprint(msg.Msg))
		return true
	case tea.WindowSizeMsg:
		s.cells.Resize(msg.Width, msg.Height)
		s.cells.Touched = nil
		s.invalidate()
	case tea.ColorProfileMsg:
		s.renderer.SetColorProfile(msg.Profile)
	case tea.ModeReportMsg:
		switch {
		case msg.Mode == ansi.ModeSynchronizedOutput:
			s.synced = msg.Value == ansi.ModeReset
		case hasClusters(msg):
			s.cells.Method = ansi.GraphemeWidth
			s.renderer.SetGraphemeWidth(true)
			s.write(ansi.SetModeUnicodeCore)
		}
	}
	return false
}

// ownTerminal returns the terminal of this process, whose sizes it watches until ctx ends.
func ownTerminal(ctx context.Context) (*Terminal, error) {
	in := os.Stdin
	if !term.IsTerminal(in.Fd()) {
		tty, _, err := uv.OpenTTY()
		if err != nil {
			return nil, fmt.Errorf("open the terminal: %w", err)
		}
		in = tty
	}
	events := make(chan tea.Msg)
	t := &Terminal{
		In:      in,
		Out:     os.Stdout,
		Environ: os.Environ(),
		Events:  events,
	}
	t.console = uv.NewConsole(in, os.Stdout, t.Environ)
	var err error
	if t.Size, err = sizeOf(t.console); err != nil {
		return nil, fmt.Errorf("measure the terminal: %w", err)
	}
	changed := make(chan os.Signal, 1)
	uv.NotifyWinch(changed)
	api.Go(func() error {
		defer signal.Stop(changed)
		for {
			select {
			case <-ctx.Done():
				return nil
			case <-changed:
			}
			if size, err := sizeOf(t.console); err == nil {
				select {
				case events <- size:
				case <-ctx.Done():
				}
			}
		}
	})
	return t, nil
}

func sizeOf(console uv.Console) (size tea.WindowSizeMsg, err error) {
	size.Width, size.Height, err = console.GetSize()
	return size, err
}

// answersModes reports whether the terminal can be asked which modes it has. Apple's shows
// the question, and from far away it cannot be told from others of its TERM.
func answersModes(getenv func(string) string) bool {
	return getenv("TERM_PROGRAM") != "Apple_Terminal" && (getenv("SSH_TTY") == "" || getenv("TERM") != "xterm-256color")
}
