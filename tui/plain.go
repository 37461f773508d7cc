package tui

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/widget"
)

// Size of the pages in plain mode: one column, and lists of one reading. Lines
// are never cut.
const (
	plainWidth, plainHeight = 99, 60
	plainLine               = 2000
)

// plainPatience is how long to wait for responses before the page is printed
// without them.
const plainPatience = 15 * time.Second

// RunPlain runs the app as lines of text, for screen readers and pipes. Each page
// is printed once; an input line is a key, the name of an action, or text for a
// field. It ends with the input.
func RunPlain(ctx context.Context, opts Options, in io.Reader, out io.Writer) error {
	ctx, over := context.WithCancel(ctx)
	defer over()
	p := &plainMode{
		out:   out,
		msgs:  make(chan tea.Msg, 64),
		lines: make(chan string),
		ctx:   ctx,
	}
	if f, ok := in.(*os.File); ok && term.IsTerminal(f.Fd()) {
		p.terminal = f
		defer p.setEcho(true)
	}
	opts.Theme, opts.plain = "none", true
	opts.After, opts.Post = p.timerOf(opts.After), p.sendMessage
	p.app = New(opts)
	if opts.Terminal != nil {
		opts.Terminal.forwardEvents(p.sendMessage, ctx.Done())
	}
	api.Go(func() error { p.readInput(in); return nil })
	p.takeMessage(tea.WindowSizeMsg{Width: plainWidth, Height: plainHeight})
	p.runCommand(p.app.Init())
	p.runLoop()

	over() // Close may still send messages; drop them
	err := p.app.Close()
	if p.app.crash != nil {
		return p.app.crash
	}
	return cmp.Or(p.failed, err)
}

// plainMode runs the app on lines of text.
type plainMode struct {
	app     *App
	out     io.Writer
	msgs    chan tea.Msg
	lines   chan string     // closed at the end of the input
	readErr error           // set before lines is closed
	ctx     context.Context // ends with the loop
	running int             // number of running commands

	terminal *os.File // the terminal of the input, or nil

	form *widget.Form // printed last

	quit   bool
	failed error // of writing the output
}

// doneMsg carries the message of a finished command.
type doneMsg struct{ msg tea.Msg }

// timerOf returns a timer that does not count as a running command.
func (p *plainMode) timerOf(clock func(time.Duration, tea.Msg) tea.Cmd) func(time.Duration, tea.Msg) tea.Cmd {
	return func(d time.Duration, msg tea.Msg) tea.Cmd {
		if clock == nil {
			time.AfterFunc(d, func() { p.sendMessage(msg) })
			return nil
		}
		passes := clock(d, msg)
		api.Go(func() error { p.sendMessage(passes()); return nil })
		return nil
	}
}

// sendMessage sends a message to the loop, unless the loop has ended.
func (p *plainMode) sendMessage(msg tea.Msg) {
	select {
	case p.msgs <- msg:
	case <-p.ctx.Done():
	}
}

// readInput reads lines of any length, to the end of the input or an error; the last one
// may lack its newline.
func (p *plainMode) readInput(in io.Reader) {
	defer close(p.lines)
	err := api.Guard(func() error {
		for buffered := bufio.NewReader(in); ; {
			line, err := buffered.ReadString('\n')
			if line != "" {
				select {
				case p.lines <- line:
				case <-p.ctx.Done():
					return io.EOF
				}
			}
			if err != nil {
				return err
			}
		}
	})
	if !errors.Is(err, io.EOF) {
		p.readErr = err
	}
}

// setEcho turns the terminal's echo on or off.
func (p *plainMode) setEcho(on bool) {
	if p.terminal != nil {
		_ = setEcho(p.terminal, on) // a terminal that cannot shows what is typed
	}
}

// runCommand starts a command in the background.
func (p *plainMode) runCommand(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	p.running++
	api.Go(func() error {
		p.sendMessage(doneMsg{guardCommand(cmd)()})
		return nil
	})
}

// takeMessage passes a message to the app and starts the resulting command.
func (p *plainMode) takeMessage(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
		return
	case doneMsg:
		p.running--
		p.takeMessage(msg.msg)
		return
	case tea.QuitMsg:
		p.quit = true
		return
	case tea.BatchMsg:
		for _, cmd := range msg {
			p.runCommand(cmd)
		}
		return
	case page.ToastMsg:
		p.printText("-- " + msg.Text)
		return
	}
	p.updateApp(msg)
}

// settleMessages handles messages until no command runs, or plainPatience is
// over.
func (p *plainMode) settleMessages() {
	p.takeUntil(func() bool { return p.running == 0 }, time.After(plainPatience))
}

// takeUntil handles messages until that is done, or too late.
func (p *plainMode) takeUntil(done func() bool, late <-chan time.Time) {
	for !p.quit && !done() {
		select {
		case msg := <-p.msgs:
			p.takeMessage(msg)
		case <-late:
			p.printText("-- still waiting for the service")
			return
		case <-p.ctx.Done():
			p.quit = true
		}
	}
}

func (p *plainMode) runLoop() {
	p.settleMessages()
	p.printPage()
	for !p.quit && p.failed == nil {
		select {
		case msg := <-p.msgs:
			p.takeMessage(msg)
		case line, ok := <-p.lines:
			if !ok {
				p.failed = p.readErr
				return
			}
			p.writeResponse(p.handleLine(strings.TrimSpace(line)))
		case <-p.ctx.Done():
			p.quit = true
		}
	}
}

// writeResponse waits for the effect of a line and prints it.
func (p *plainMode) writeResponse(said plainResponse) {
	p.settleMessages()
	if p.quit {
		return
	}
	f := p.filledIn()
	p.setEcho(f == nil || !f.Focused().Secret)
	switch {
	case said == sayNothing:
		p.prompt()
	case f != nil && f == p.form:
		p.printField(f)
	case said == sayPage:
		p.printPage()
	default:
		p.printSelection()
	}
}

// plainResponse is what to print after a line.
type plainResponse int

const (
	sayNothing plainResponse = iota
	sayRow                   // the selected row
	sayPage
)

// handleLine handles an input line.
func (p *plainMode) handleLine(line string) plainResponse {
	a := p.app
	if d := a.topDialog(); d != nil {
		return p.answerDialog(d, line)
	}
	name, named := strings.CutPrefix(line, ":")
	if a.top().IsTyping() && !named {
		p.writeText(line)
		return sayPage
	}
	line = name
	switch line {
	case "?", "help":
		p.printHelp()
		return sayNothing
	case "wait":
		p.takeUntil(
			func() bool { return p.running+len(a.waiting)+len(a.sending) == 0 && !a.isDownloading() },
			nil,
		)
		return sayPage
	}
	act, ok := p.findAction(line)
	switch {
	case line == "" && named:
		p.printText("-- type : and a name: an order, a mission, a section, an action")
		return sayNothing
	case named:
		return p.jumpTo(line)
	case line == "":
		p.form = nil
		return sayPage
	case !ok:
		p.printText(
			fmt.Sprintf(
				"-- no action %q on this page; type ? for the list, or :%s to search all",
				line,
				line,
			),
		)
		return sayNothing
	}
	return p.performAction(act)
}

// performAction runs an action.
func (p *plainMode) performAction(act action.Action) plainResponse {
	if slices.Contains(ofScreen, act.ID) {
		p.printText("-- not available with --plain")
		return sayNothing
	}
	p.takeMessage(doMsg{do: func() tea.Cmd { return p.app.performAction(act) }})
	if act.ID == action.Filter && p.app.top().IsTyping() {
		p.printText("-- type words, or column:value")
		return sayNothing
	}
	if act.Scope == action.List {
		return sayRow
	}
	return sayPage
}

// ofScreen are the actions that only make sense on a screen.
var ofScreen = []action.ID{
	action.Palette,
	action.Jump,
	action.Profiles,
	action.LastProfile,
	action.Mouse,
	action.Suspend,
	action.FocusMap,
	action.Copied,
}

// findAction returns the action with this key or title, or whose title begins
// with it.
func (p *plainMode) findAction(line string) (action.Action, bool) {
	scopes := p.app.activeScopes()
	if act, ok := action.FindAction(line, scopes...); ok {
		return act, true
	}
	for _, act := range action.ActionsOf(scopes...) {
		if len(line) > 1 && strings.HasPrefix(strings.ToLower(act.Title), strings.ToLower(line)) &&
			isThere(p.app.env, act) {
			return act, true
		}
	}
	return action.Action{}, false
}

// updateApp sends a message to the app, and ends with it.
func (p *plainMode) updateApp(msg tea.Msg) {
	_, cmd := p.app.Update(msg)
	p.runCommand(cmd)
	p.quit = p.quit || p.app.crash != nil
}

// filledIn returns the form being filled in, or nil.
func (p *plainMode) filledIn() *widget.Form {
	var on any = p.app.top()
	if d := p.app.topDialog(); d != nil {
		on = d
	}
	if filling, ok := on.(interface{ FilledIn() *widget.Form }); ok {
		return filling.FilledIn()
	}
	return nil
}

// answerDialog handles an input line for a dialog.
func (p *plainMode) answerDialog(d widget.Dialog, line string) plainResponse {
	word := strings.ToLower(line)
	key, named := namedKeys[word]
	if _, question := d.(*widget.Question); question {
		switch word {
		case "y", "yes", "enter":
			p.updateApp(namedKeys["enter"])
		case "n", "no", "esc":
			p.updateApp(namedKeys["esc"])
		default:
			p.printText("-- answer y or n")
			return sayNothing
		}
		return sayPage
	}
	if !named && line != "" {
		key, named = p.offeredKey(d, line)
	}
	f := p.filledIn()
	switch {
	case named:
		p.updateApp(key)
	case f == nil || f.IsLast():
		p.writeText(line)
	default:
		p.fillField(f, line)
		p.updateApp(namedKeys["tab"])
	}
	return sayPage
}

// offeredKey returns the key that the dialog's footer offers by this name.
func (p *plainMode) offeredKey(d widget.Dialog, name string) (tea.KeyPressMsg, bool) {
	_, hint := p.dialogLines(d)
	for _, part := range footKeys(hint) {
		if key, does, _ := strings.Cut(part, " "); key == name {
			return keyNamed(key, does)
		}
	}
	return tea.KeyPressMsg{}, false
}

// footKeys returns the key hints of a footer.
func footKeys(foot string) []string {
	parts := strings.Split(foot, "  ")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return nonEmpty(parts...)
}

// writeText replaces the text of the focused field and presses enter.
func (p *plainMode) writeText(text string) {
	p.fillField(p.filledIn(), text)
	p.updateApp(namedKeys["enter"])
}

// fillField replaces the text of the focused field, or selects options by name.
// An empty text changes nothing.
func (p *plainMode) fillField(f *widget.Form, text string) {
	switch {
	case text == "":
	case f != nil && len(f.Focused().Options) > 0:
		p.updateApp(tea.PasteMsg{Content: text})
	default:
		p.updateApp(tea.KeyPressMsg{Code: 'e', Mod: tea.ModCtrl}) // go to the end and delete to the beginning
		p.updateApp(tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl})
		for _, r := range text {
			p.updateApp(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
	}
}

// mostMatches is the number of matches listed for an ambiguous name.
const mostMatches = 8

// jumpTo opens the section, order, mission or profile of this name, or runs the
// action, and lists the matches of an ambiguous name.
func (p *plainMode) jumpTo(name string) plainResponse {
	a := p.app
	for _, s := range offeredSections(a.env) {
		if format.Fold(name) == format.Fold(s.Name) {
			p.takeMessage(doMsg{do: func() tea.Cmd { return a.goSection(s) }})
			return sayPage
		}
	}
	if act, ok := p.findAction(name); ok {
		return p.performAction(act)
	}
	if a.env.Cache != nil {
		a.env.Cache.WantNeeds(a.env.Cache.AllMissions())
		p.runCommand(a.readNext())
		p.settleMessages()
	}
	entries := paletteEntries(a.paletteEntries())
	entries.foldTexts()
	found := entries.findMatches(name)
	exact := slices.IndexFunc(found, func(e paletteEntry) bool { return e.isNamed(format.Fold(name)) })
	if exact >= 0 { // the order or mission itself is listed first
		found = found[exact : exact+1]
	}
	switch {
	case len(found) == 0:
		p.printText("-- nothing is named " + name)
	case len(found) > 1:
		p.printText("-- several match; type : and more of the name:")
		for _, e := range found[:min(len(found), mostMatches)] {
			p.printText(strings.Join(nonEmpty(e.label, e.hint), "  "))
		}
	case found[0].off != "":
		p.printText("-- " + found[0].off)
	default:
		p.takeMessage(doMsg{do: found[0].run})
		return sayPage
	}
	return sayNothing
}
