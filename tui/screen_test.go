package tui

import (
	"bytes"
	"image/color"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/app/session"
)

// openedScreen returns an open screen of 20x3 cells, and the output to its terminal.
func openedScreen(t *testing.T) (*screen, *bytes.Buffer) {
	t.Helper()
	var out bytes.Buffer
	terminal := &Terminal{
		Out:     &out,
		Environ: []string{"TERM=xterm-256color"},
		Size:    tea.WindowSizeMsg{Width: 20, Height: 3},
	}
	s := newScreen(terminal, colorprofile.TrueColor)
	if err := s.open(); err != nil {
		t.Fatal(err)
	}
	return s, &out
}

// wrote returns the content of out and clears it.
func wrote(out *bytes.Buffer) string {
	text := out.String()
	out.Reset()
	return text
}

func fullFrame(text string) tea.View {
	v := tea.NewView(text)
	v.MouseMode, v.Cursor = tea.MouseModeCellMotion, tea.NewCursor(2, 1)
	v.BackgroundColor, v.ForegroundColor = color.Black, color.White
	v.ProgressBar = tea.NewProgressBar(tea.ProgressBarDefault, 40)
	return v
}

func TestFrameWritesOnlyDifferences(t *testing.T) {
	s, out := openedScreen(t)
	if got := wrote(out); got != "" {
		t.Errorf("before the first frame %q is written", got)
	}
	s.draw(fullFrame("one\ntwo"))
	first := wrote(out)
	for _, want := range []string{
		openingCodes, "one", "two", mouseCodes[tea.MouseModeCellMotion], ansi.SetProgressBar(40),
		ansi.SetBackgroundColor("#000000"), ansi.SetForegroundColor("#ffffff"),
	} {
		if !strings.Contains(first, want) {
			t.Errorf("%q is not in %q", want, first)
		}
	}
	if !strings.HasSuffix(first, ansi.ShowCursor) {
		t.Errorf("the cursor is not shown behind %q", first)
	}
	s.draw(fullFrame("one\ntoo"))
	if got := wrote(out); !strings.Contains(got, "o") || strings.Contains(got, "one") || strings.Contains(got, openingCodes) || strings.Contains(got, ansi.SetProgressBar(40)) {
		t.Errorf("a frame with one other character is %q", got)
	}
	s.draw(fullFrame("one\ntoo"))
	if got := wrote(out); got != "" {
		t.Errorf("the same frame is %q", got)
	}
	s.draw(tea.NewView("one\ntoo"))
	if got := wrote(out); !strings.Contains(got, ansi.HideCursor) || strings.Contains(got, ansi.ShowCursor) || !strings.Contains(got, mouseCodes[tea.MouseModeNone]) {
		t.Errorf("a frame without cursor and mouse is %q", got)
	}
	s.redraw()
	s.draw(tea.NewView("one\ntoo"))
	if got := wrote(out); !strings.Contains(got, "one") {
		t.Errorf("drawn as a whole it is %q", got)
	}
}

// written is a writer that sends each write to the channel.
type written chan string

func (w written) Write(p []byte) (int, error) {
	w <- string(p)
	return len(p), nil
}

func TestOnlyTheLastWaitingFrameIsDrawn(t *testing.T) {
	s, _ := openedScreen(t)
	out := make(written)
	s.out = out
	for _, text := range []string{"one", "two", "three"} {
		s.show(tea.NewView(text))
	}
	s.drawFrames(t.Context())
	if got := <-out; !strings.Contains(got, "three") || strings.Contains(got, "one") {
		t.Errorf("of three frames %q is drawn", got)
	}
	s.show(tea.NewView("four"))
	if got := <-out; !strings.Contains(got, "four") {
		t.Errorf("of the next frame %q is drawn", got)
	}
}

func TestCloseRestoresTheTerminal(t *testing.T) {
	s, out := openedScreen(t)
	s.draw(fullFrame("one"))
	s.handleMessage(tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeReset})
	wrote(out)
	s.close("codes")
	got := wrote(out)
	for _, want := range []string{
		closingCodes + "codes", mouseCodes[tea.MouseModeNone], ansi.ResetProgressBar, ansi.ResetBackgroundColor,
		ansi.ResetForegroundColor, ansi.ResetModeUnicodeCore,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
	s.close("codes")
	s.draw(fullFrame("two"))
	if got := wrote(out); got != "" {
		t.Errorf("once it is given back, %q is written", got)
	}
	if err := s.open(); err != nil {
		t.Fatal(err)
	}
	s.draw(fullFrame("two"))
	got = wrote(out)
	for _, want := range []string{openingCodes, mouseCodes[tea.MouseModeCellMotion], "two"} {
		if !strings.Contains(got, want) {
			t.Errorf("after opening again %q is not in %q", want, got)
		}
	}
}

func TestScreenHandlesTerminalMessages(t *testing.T) {
	s, out := openedScreen(t)
	if !s.handleMessage(tea.RawMsg{Msg: "\a"}) || !strings.HasSuffix(wrote(out), "\a") {
		t.Error("a code is not written at once")
	}
	if s.handleMessage(tea.WindowSizeMsg{Width: 30, Height: 2}) || s.cells.Width() != 30 || s.cells.Height() != 2 {
		t.Errorf("the size is %dx%d", s.cells.Width(), s.cells.Height())
	}
	s.handleMessage(tea.ColorProfileMsg{Profile: colorprofile.ASCII})
	s.handleMessage(tea.ModeReportMsg{Mode: ansi.ModeSynchronizedOutput, Value: ansi.ModeReset})
	s.draw(tea.NewView("\x1b[31mred\x1b[m"))
	got := wrote(out)
	if !strings.HasPrefix(got, ansi.SetModeSynchronizedOutput) || !strings.HasSuffix(got, ansi.ResetModeSynchronizedOutput) {
		t.Errorf("a frame is not written as one: %q", got)
	}
	if strings.Contains(got, "\x1b[31m") {
		t.Errorf("without colours a frame is %q", got)
	}
}

func TestSuspensionRestoresTheTerminalFirst(t *testing.T) {
	t.Setenv("NO_COLOR", "")
	a := New(Options{ProfileOptions: ProfileOptions{Setup: &session.AccountSetup{}}, Folder: t.TempDir()})
	defer a.Close()
	var out *bytes.Buffer
	a.screen, out = openedScreen(t)
	if msg := a.filterMessage(a.suspend()()); msg != (tea.SuspendMsg{}) {
		t.Errorf("the program gets %v", msg)
	}
	if got := wrote(out); !strings.HasSuffix(got, closingCodes+ansi.ResetModeLightDark) {
		t.Errorf("before, the terminal gets %q", got)
	}
}

func TestModesAreQueriedOnlyWhereTheQueryIsInvisible(t *testing.T) {
	for _, tt := range []struct {
		vars map[string]string
		want bool
	}{
		{map[string]string{"TERM": "xterm-256color"}, true},
		{map[string]string{"TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"}, false},
		{map[string]string{"TERM": "xterm-256color", "SSH_TTY": "/dev/pts/1"}, false},
		{map[string]string{"TERM": "xterm-kitty", "SSH_TTY": "/dev/pts/1"}, true},
	} {
		if got := canQueryModes(variables(tt.vars)); got != tt.want {
			t.Errorf("%v: %v", tt.vars, got)
		}
	}
}
