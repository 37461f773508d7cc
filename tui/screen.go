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

// screen writes frames to a terminal. It replaces Bubble Tea's renderer, which checks for a new frame sixty times a
// second even if nothing happens. A separate goroutine draws the frames, so that the app does not wait for a slow
// terminal. If the terminal is too slow, frames are skipped. A screen is safe for concurrent use, except that only
// one goroutine may call show.
type screen struct {
	frames chan tea.View // the next frame to draw; it has room for one

	// mu protects the fields below. It is also held while output is written, so that no other escape
	// codes are written within a frame.
	mu       sync.Mutex
	renderer *uv.TerminalRenderer
	out      io.Writer
	work     func(func()) // see Terminal.Work
	console  uv.Console   // the console of this process; nil for a guest's terminal
	cells    uv.ScreenBuffer
	queue    bytes.Buffer // output of the renderer that is not written yet
	shown    tea.View     // the frame on the terminal
	isSynced bool         // the terminal supports synchronized output
	isClosed bool
}

// Escape codes that open and close the app's screen. Frames have further escape codes.
var (
	openingCodes = ansi.SetModeAltScreenSaveCursor +
		ansi.HideCursor +
		ansi.SetModeBracketedPaste +
		ansi.SetModeFocusEvent +
		ansi.SetModifyOtherKeys2 +
		ansi.PushKittyKeyboard(ansi.KittyDisambiguateEscapeCodes|ansi.KittyReportAlternateKeys)
	closingCodes = ansi.ResetModifyOtherKeys +
		ansi.PopKittyKeyboard(1) +
		ansi.ResetModeAltScreenSaveCursor +
		ansi.ShowCursor +
		ansi.ResetModeBracketedPaste +
		ansi.ResetModeFocusEvent
)

// mouseCodes are the escape codes that make the terminal report mouse events.
var mouseCodes = map[tea.MouseMode]string{
	tea.MouseModeNone: ansi.ResetModeMouseButtonEvent +
		ansi.ResetModeMouseAnyEvent +
		ansi.ResetModeMouseExtSgr,
	tea.MouseModeCellMotion: ansi.ResetModeMouseAnyEvent +
		ansi.SetModeMouseButtonEvent +
		ansi.SetModeMouseExtSgr,
	tea.MouseModeAllMotion: ansi.ResetModeMouseButtonEvent +
		ansi.SetModeMouseAnyEvent +
		ansi.SetModeMouseExtSgr,
}

// newScreen returns the screen of a terminal. It writes nothing to the terminal; see open.
func newScreen(t *Terminal, colours colorprofile.Profile) *screen {
	s := &screen{
		frames:  make(chan tea.View, 1),
		out:     t.Out,
		work:    t.work,
		console: t.console,
		cells:   uv.NewScreenBuffer(t.Size.Width, t.Size.Height),
	}
	s.renderer = uv.NewTerminalRenderer(&s.queue, t.Environ)
	s.renderer.SetFullscreen(true)
	s.renderer.SetScrollOptim(runtime.GOOS != "windows") // some terminals of Windows scroll wrongly
	s.renderer.SetColorProfile(colours)
	return s
}

// openScreen opens the screen of a terminal, and draws frames until ctx ends.
func openScreen(ctx context.Context, t *Terminal, colours colorprofile.Profile) (*screen, error) {
	s := newScreen(t, colours)
	if err := s.open(); err != nil {
		return nil, err
	}
	s.drawFrames(ctx)
	return s, nil
}

// open switches to the terminal's alternate screen, and to raw input.
func (s *screen) open() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.console != nil {
		if _, err := s.console.MakeRaw(); err != nil {
			return fmt.Errorf("read the keys of the terminal: %w", err)
		}
	}
	s.shown = tea.View{}
	s.isClosed = false
	s.invalidate()
	_, _ = s.renderer.WriteString(openingCodes)
	return nil
}

// close restores the terminal. codes are more escape codes to write, for example to restore the window title.
func (s *screen) close(codes string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isClosed {
		return
	}
	s.changeModes(tea.View{})
	if s.cells.Method == ansi.GraphemeWidth {
		codes += ansi.ResetModeUnicodeCore
	}
	s.write(closingCodes + codes)
	s.isClosed = true
	if s.console != nil {
		_ = s.console.Restore()
	}
}

// redraw makes the next frame be drawn completely. It does nothing if s is nil.
func (s *screen) redraw() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.invalidate()
}

// invalidate makes the renderer forget the contents and the cursor of the terminal.
func (s *screen) invalidate() {
	s.renderer.Erase()
	s.renderer.SetPosition(-1, -1)
}

// show hands a frame to drawFrames. If drawFrames has not drawn the previous frame yet, that frame is dropped. show
// never blocks. It does nothing if s is nil.
func (s *screen) show(v tea.View) {
	if s == nil {
		return
	}
	select {
	case <-s.frames: // drop the previous frame
	default:
	}
	s.frames <- v // there is room: nobody else sends frames
}

// drawFrames draws frames in the background until ctx ends.
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
	if s.isClosed || s.cells.Height() == 0 {
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
	s.write("") // not within work: a slow terminal must not take a guest's turn
}

// changeModes sets the colours, the mouse mode, the progress bar and the cursor of a frame. It writes only what
// differs from the previous frame.
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
	bar := progressOf(v)
	if bar != progressOf(s.shown) {
		_ = uv.EncodeProgressBar(s.renderer, &bar)
	}
	if v.Cursor == nil && s.shown.Cursor != nil {
		_, _ = s.renderer.WriteString(ansi.HideCursor) // write shows a cursor after the frame
	}
	s.shown = v
}

// progressOf returns the progress bar of a frame. The zero value hides the bar.
func progressOf(v tea.View) uv.ProgressBar {
	if v.ProgressBar == nil {
		return uv.ProgressBar{}
	}
	return uv.ProgressBar{State: uv.ProgressBarState(v.ProgressBar.State), Value: v.ProgressBar.Value}
}

// write writes the queue and then codes to the terminal. It hides the cursor while it writes. Errors are ignored:
// if the terminal is gone, its input ends too, which ends the app.
func (s *screen) write(codes string) {
	_, _ = s.renderer.WriteString(codes)
	_ = s.renderer.Flush()
	if s.queue.Len() == 0 {
		return
	}
	output := s.queue.String()
	s.queue.Reset()
	if s.shown.Cursor != nil {
		output = ansi.HideCursor + output + ansi.ShowCursor
	}
	if s.isSynced {
		output = ansi.SetModeSynchronizedOutput + output + ansi.ResetModeSynchronizedOutput
	}
	_, _ = io.WriteString(s.out, output)
}

// handleMessage applies a message of the terminal, such as a new window size, to the screen. isHandled is
// true if the app does not need the message.
func (s *screen) handleMessage(msg tea.Msg) (isHandled bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch msg := msg.(type) {
	case tea.RawMsg:
		s.write(fmt.Sprint(msg.Msg))
		return true
	case tea.WindowSizeMsg:
		s.resize(msg.Width, msg.Height)
	case tea.ColorProfileMsg:
		s.renderer.SetColorProfile(msg.Profile)
	case tea.ModeReportMsg:
		s.handleMode(msg)
	}
	return false
}

// resize makes the next frame fill a window of another size.
func (s *screen) resize(w, h int) {
	s.cells.Resize(w, h)
	s.cells.Touched = nil
	s.invalidate()
}

// handleMode records which modes the terminal supports: synchronized output, and measuring text in grapheme
// clusters. If the terminal can measure in clusters, handleMode turns that on.
func (s *screen) handleMode(report tea.ModeReportMsg) {
	if report.Mode == ansi.ModeSynchronizedOutput {
		s.isSynced = report.Value == ansi.ModeReset
		return
	}
	if hasClusters(report) {
		s.cells.Method = ansi.GraphemeWidth
		s.renderer.SetGraphemeWidth(true)
		s.write(ansi.SetModeUnicodeCore)
	}
}

// ownTerminal returns the terminal of this process. Its Events report each new window size until
// ctx ends.
func ownTerminal(ctx context.Context) (*Terminal, error) {
	in := os.Stdin
	if !term.IsTerminal(in.Fd()) {
		tty, _, err := uv.OpenTTY()
		if err != nil {
			return nil, fmt.Errorf("open the terminal: %w", err)
		}
		in = tty
	}
	environ := os.Environ()
	console := uv.NewConsole(in, os.Stdout, environ)
	size, err := sizeOf(console)
	if err != nil {
		return nil, fmt.Errorf("measure the terminal: %w", err)
	}
	events := make(chan tea.Msg)
	watchSize(ctx, console, events)
	return &Terminal{
		In:      in,
		Out:     os.Stdout,
		Environ: environ,
		Size:    size,
		Events:  events,
		console: console,
	}, nil
}

// watchSize sends each new size of the console's window in the background until ctx ends.
func watchSize(ctx context.Context, console uv.Console, events chan<- tea.Msg) {
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
			size, err := sizeOf(console)
			if err != nil {
				continue
			}
			select {
			case events <- size:
			case <-ctx.Done():
				return nil
			}
		}
	})
}

func sizeOf(console uv.Console) (tea.WindowSizeMsg, error) {
	width, height, err := console.GetSize()
	return tea.WindowSizeMsg{Width: width, Height: height}, err
}

// canQueryModes reports whether the app may ask the terminal which modes it supports. Apple's Terminal would
// print the question on the screen. It is recognized by TERM_PROGRAM. SSH does not pass on that variable, so
// over SSH all terminals with the same TERM as Apple's are excluded.
func canQueryModes(getenv func(string) string) bool {
	if getenv("TERM_PROGRAM") == "Apple_Terminal" {
		return false
	}
	return getenv("SSH_TTY") == "" || getenv("TERM") != "xterm-256color"
}
