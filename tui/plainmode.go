package tui

import (
	"context"
	"io"
	"os"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"flightdesk/tui/action"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

const (
	// plainWidth and plainHeight are the size of pages in plain mode. At this width, pages have a single
	// column. At this height, lists show as many rows as a user wants to hear at once.
	plainWidth  = 99
	plainHeight = 60
	// plainLineWidth is the width of dialogs and of pages when they are printed. No line is that
	// long, so no line is cut.
	plainLineWidth = 2000
	// plainTimeout is how long to wait for responses before a page is printed without them.
	plainTimeout = 15 * time.Second
)

// plainMode prints pages as lines of text, and runs the app's loop instead of Bubble Tea. A plainRun connects
// it with the app.
type plainMode struct {
	loop      *messageLoop
	out       io.Writer
	hidePaths func(string) string // removes private paths from printed text
	terminal  *os.File            // the terminal of the input, or nil
	form      *widget.Form        // the form that was printed last, or nil
	err       error               // the first error of reading the input or writing the output
}

// newPlainMode returns plain mode for an input and an output. It ends with ctx.
func newPlainMode(ctx context.Context, in io.Reader, out io.Writer) *plainMode {
	p := &plainMode{
		loop:      newMessageLoop(ctx),
		out:       out,
		hidePaths: func(text string) string { return text },
	}
	if f, ok := in.(*os.File); ok && term.IsTerminal(f.Fd()) {
		p.terminal = f
	}
	return p
}

// fail records the first error.
func (p *plainMode) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// setEcho turns the terminal's echo on or off. A terminal that cannot do so shows what is typed.
func (p *plainMode) setEcho(on bool) {
	if p.terminal != nil {
		_ = setEcho(p.terminal, on)
	}
}

// waitForCommands handles messages until no command runs, at most for plainTimeout.
func (p *plainMode) waitForCommands() {
	hasFinished := func() bool { return p.loop.running == 0 }
	_, event := p.loop.handleUntil(hasFinished, nil, time.After(plainTimeout))
	if event == loopTimeout {
		p.printText("-- still waiting for the service")
	}
}

// plainScreen is what plain mode prints, and what an input line acts on: the top dialog, or the
// current page if no dialog is open.
type plainScreen struct {
	theme          *theme.Theme
	pages          []page.Page    // the current stack; the last page is shown
	dialog         widget.Dialog  // the top dialog, or nil
	toast          string         // the result of background work, or ""
	countdown      string         // countdown of the next held change, or ""
	downloads      string         // progress of downloads, or ""
	scopes         []action.Scope // scopes of the actions that an input line can name
	footer         []action.Action
	disabledReason func(action.Action) string
}

// top returns the page that is shown.
func (s *plainScreen) top() page.Page { return s.pages[len(s.pages)-1] }

// form returns the form of the dialog or page, or nil.
func (s *plainScreen) form() *widget.Form {
	var shown any = s.top()
	if s.dialog != nil {
		shown = s.dialog
	}
	filling, ok := shown.(interface{ EditedForm() *widget.Form })
	if !ok {
		return nil
	}
	return filling.EditedForm()
}

// dialogLines returns the lines of the dialog, and its footer.
func (s *plainScreen) dialogLines() (lines []string, footer string) {
	view := s.dialog.View(s.theme, plainLineWidth, plainHeight)
	lines = strings.Split(ansi.Strip(view), "\n")
	last := len(lines) - 1
	return lines[:last], lines[last]
}

// pageLines returns the lines of the page.
func (s *plainScreen) pageLines() []string {
	return strings.Split(ansi.Strip(s.top().View(plainLineWidth, plainHeight)), "\n")
}

// plainResponse is what to print after an input line.
type plainResponse int

const (
	respondNothing plainResponse = iota
	respondRow                   // the selected row
	respondPage
)

// respond prints the result of background work, if there is one, and then the response to an input
// line. If the next line is for a secret field, respond also turns off the terminal's echo.
func (p *plainMode) respond(response plainResponse, screen *plainScreen) {
	form := screen.form()
	p.setEcho(form == nil || !form.Focused().Secret)
	if screen.toast != "" {
		p.printText("-- " + screen.toast)
	}
	if response == respondNothing {
		p.prompt()
	} else if form != nil && form == p.form {
		p.printField(form)
	} else if response == respondPage {
		p.printPage(screen)
	} else {
		p.printSelection(screen)
	}
}

// refuse prints why a line has no effect.
func (p *plainMode) refuse(reason string) plainResponse {
	p.printText("-- " + reason)
	return respondNothing
}
