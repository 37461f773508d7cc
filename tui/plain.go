package tui

import (
	"bufio"
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

const (
	// plainWidth and plainHeight are the size of pages in plain mode. In this width they have
	// one column, and in this height lists show as many rows as are read at once.
	plainWidth  = 99
	plainHeight = 60
	// plainLine is the width of dialogs and of pages when they are printed. No line is that
	// long, so no line is cut.
	plainLine = 2000
	// plainTimeout is how long to wait for responses before a page is printed without them.
	plainTimeout = 15 * time.Second
)

// RunPlain runs the app in plain mode, as lines of text for screen readers and pipes. Each page
// is printed once. An input line is a key, the name of an action, or text for a field. RunPlain
// returns at the end of the input.
func RunPlain(ctx context.Context, opts Options, in io.Reader, out io.Writer) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	p := &plainMode{
		out:  out,
		msgs: make(chan tea.Msg, 64),
		ctx:  ctx,
		end:  end,
	}
	if f, ok := in.(*os.File); ok && term.IsTerminal(f.Fd()) {
		p.terminal = f
		defer p.setEcho(true)
	}
	opts.Theme = "none"
	opts.plain = true
	opts.ended = ctx.Done()
	opts.After = p.timerOf(opts.timer())
	opts.Post = p.sendMessage
	p.app = New(opts)
	if opts.Terminal != nil {
		opts.Terminal.forwardEvents(p.sendMessage, ctx.Done())
	}
	p.handleMessage(tea.WindowSizeMsg{Width: plainWidth, Height: plainHeight})
	p.runCommand(p.app.Init())
	p.waitForCommands()
	p.printPage()
	p.handleInput(in)
	err := p.app.Close()
	if p.app.crash != nil {
		return p.app.crash
	}
	if p.err != nil {
		return p.err
	}
	return err
}

// plainMode runs the app as lines of text.
type plainMode struct {
	app *App

	out     io.Writer
	msgs    chan tea.Msg
	ctx     context.Context // ends with the loop
	end     func()          // ends the loop
	running int             // number of running commands

	terminal *os.File     // the terminal of the input, or nil
	form     *widget.Form // the form that was printed last, or nil
	err      error        // the first error of reading the input or writing the output
}

// doneMsg has the message of a finished command.
type doneMsg struct{ msg tea.Msg }

// timerOf wraps a timer so that a pending timer does not count as a running command.
func (p *plainMode) timerOf(
	timer func(time.Duration, tea.Msg) tea.Cmd,
) func(time.Duration, tea.Msg) tea.Cmd {
	return func(d time.Duration, msg tea.Msg) tea.Cmd {
		wait := timer(d, msg)
		api.Go(func() error {
			p.sendMessage(wait())
			return nil
		})
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

// handleInput handles input lines until the input or the loop ends.
func (p *plainMode) handleInput(in io.Reader) {
	lines := make(chan string)
	readErr := api.Go(func() error { return p.readInput(in, lines) })
	for p.ctx.Err() == nil {
		line, isEnd := p.handleUntil(func() bool { return false }, lines, nil)
		if isEnd {
			if err := <-readErr; p.err == nil {
				p.err = err
			}
			p.end()
		} else if p.ctx.Err() == nil {
			p.writeResponse(p.handleLine(strings.TrimSpace(line)))
		}
	}
}

// readInput sends the lines of the input to the channel, and closes it at the end of the input.
// Lines can have any length, and the last one need not end with a newline.
func (p *plainMode) readInput(in io.Reader, lines chan<- string) error {
	defer close(lines)
	reader := bufio.NewReader(in)
	for {
		line, err := reader.ReadString('\n')
		if line != "" {
			select {
			case lines <- line:
			case <-p.ctx.Done():
				return nil
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// setEcho turns the terminal's echo on or off. A terminal that cannot do so shows what is typed.
func (p *plainMode) setEcho(on bool) {
	if p.terminal != nil {
		_ = setEcho(p.terminal, on)
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

// handleMessage passes a message to the app and starts the command that the app returns.
func (p *plainMode) handleMessage(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
	case doneMsg:
		p.running--
		p.handleMessage(msg.msg)
	case tea.QuitMsg:
		p.end()
	case tea.BatchMsg:
		for _, cmd := range msg {
			p.runCommand(cmd)
		}
	case page.ToastMsg:
		p.printText("-- " + msg.Text)
	default:
		_, cmd := p.app.Update(msg)
		p.runCommand(cmd)
		if p.app.crash != nil {
			p.end()
		}
	}
}

// waitForCommands handles messages until no command runs, at most for plainTimeout.
func (p *plainMode) waitForCommands() {
	p.handleUntil(func() bool { return p.running == 0 }, nil, time.After(plainTimeout))
}

// handleUntil handles messages until isDone returns true, the timeout is over, the loop ends, or
// a line arrives. It returns that line; isEnd says that the input has ended instead.
func (p *plainMode) handleUntil(
	isDone func() bool, lines <-chan string, timeout <-chan time.Time,
) (line string, isEnd bool) {
	for p.ctx.Err() == nil && !isDone() {
		select {
		case msg := <-p.msgs:
			p.handleMessage(msg)
		case line, ok := <-lines:
			return line, !ok
		case <-timeout:
			p.printText("-- still waiting for the service")
			return "", false
		case <-p.ctx.Done():
		}
	}
	return "", false
}

// plainResponse is what to print after an input line.
type plainResponse int

const (
	respondNothing plainResponse = iota
	respondRow                   // the selected row
	respondPage
)

// writeResponse waits until the commands of an input line are done, and prints the response.
// The terminal does not show what is typed into a secret field.
func (p *plainMode) writeResponse(response plainResponse) {
	p.waitForCommands()
	if p.ctx.Err() != nil {
		return
	}
	form := p.openForm()
	p.setEcho(form == nil || !form.Focused().Secret)
	if response == respondNothing {
		p.prompt()
	} else if form != nil && form == p.form {
		p.printField(form)
	} else if response == respondPage {
		p.printPage()
	} else {
		p.printSelection()
	}
}

// handleLine handles an input line: an answer to a dialog, text for a field, or a command. A
// colon before a name makes it a command even while text is typed.
func (p *plainMode) handleLine(line string) plainResponse {
	if d := p.app.ws.dialogs.top(); d != nil {
		return p.handleAnswer(d, line)
	}
	name, hasColon := strings.CutPrefix(line, ":")
	if p.app.ws.pages.top().IsTyping() && !hasColon {
		p.writeText(line)
		return respondPage
	}
	switch name {
	case "?", "help":
		p.printHelp()
		return respondNothing
	case "wait":
		p.handleUntil(p.isIdle, nil, nil)
		return respondPage
	case "":
		if hasColon {
			return p.refuse("type : and a name: an order, a mission, a section, an action")
		}
		p.form = nil // print the whole page instead of the field
		return respondPage
	}
	if hasColon {
		return p.jumpTo(name)
	}
	act, ok := p.findAction(name)
	if !ok {
		return p.refuse(fmt.Sprintf(
			"no action %q on this page; type ? for the list, or :%s to search all", line, line))
	}
	return p.runAction(act)
}

// isIdle reports whether no command runs, no change is held or being sent, and no download runs.
func (p *plainMode) isIdle() bool {
	held := &p.app.ws.held
	isHolding := len(held.waiting) > 0 || len(held.sending) > 0
	return p.running == 0 && !isHolding && !p.app.ws.env.Profile.Downloads.Busy()
}

// refuse prints why a line has no effect.
func (p *plainMode) refuse(reason string) plainResponse {
	p.printText("-- " + reason)
	return respondNothing
}

// runAction performs an action.
func (p *plainMode) runAction(act action.Action) plainResponse {
	if slices.Contains(screenActions, act.ID) {
		return p.refuse("not available with --plain")
	}
	p.handleMessage(doMsg{do: func() tea.Cmd { return p.app.performAction(act) }})
	if act.ID == action.Filter && p.app.ws.pages.top().IsTyping() {
		return p.refuse("type words, or column:value")
	}
	if act.Scope == action.List {
		return respondRow
	}
	return respondPage
}

// screenActions are the actions that only make sense on a screen.
var screenActions = []action.ID{
	action.Palette,
	action.Jump,
	action.Profiles,
	action.LastProfile,
	action.Mouse,
	action.Suspend,
	action.FocusMap,
	action.Copied,
}

// findAction returns the action with this key or title, or the first action whose title begins
// with this name.
func (p *plainMode) findAction(name string) (action.Action, bool) {
	scopes := p.app.activeScopes()
	if act, ok := action.FindAction(name, scopes...); ok {
		return act, true
	}
	if len(name) < 2 {
		return action.Action{}, false
	}
	for _, act := range action.ActionsOf(scopes...) {
		if strings.HasPrefix(strings.ToLower(act.Title), strings.ToLower(name)) {
			return act, true
		}
	}
	return action.Action{}, false
}

// openForm returns the form of the top dialog or page, or nil.
func (p *plainMode) openForm() *widget.Form {
	filling, ok := p.app.ws.topmost().(interface{ FilledIn() *widget.Form })
	if !ok {
		return nil
	}
	return filling.FilledIn()
}

// questionKeys are the keys of the answers to a question.
var questionKeys = map[string]string{
	"y":   "enter",
	"yes": "enter",
	"n":   "esc",
	"no":  "esc",
}

// dialogKeys are the keys that the user can type by name in every dialog.
var dialogKeys = []string{"esc", "tab", "down", "up", "space", "enter"}

// handleAnswer handles an input line for a dialog: the name of a key, or text for a field. After
// the text of the last field it presses enter, after another field tab.
func (p *plainMode) handleAnswer(d widget.Dialog, line string) plainResponse {
	if key, ok := p.keyOfAnswer(d, line); ok {
		p.handleMessage(key)
		return respondPage
	}
	if _, isQuestion := d.(*widget.Question); isQuestion {
		return p.refuse("answer y or n")
	}
	form := p.openForm()
	if form == nil || form.IsLast() {
		p.writeText(line)
		return respondPage
	}
	p.fillField(form, line)
	p.handleMessage(tea.KeyPressMsg{Code: tea.KeyTab})
	return respondPage
}

// keyOfAnswer returns the key that an input line names in a dialog: the answer to a question, one
// of dialogKeys, or a key in the dialog's footer.
func (p *plainMode) keyOfAnswer(d widget.Dialog, line string) (tea.KeyPressMsg, bool) {
	word := strings.ToLower(line)
	if _, isQuestion := d.(*widget.Question); isQuestion && questionKeys[word] != "" {
		word = questionKeys[word]
	}
	if slices.Contains(dialogKeys, word) {
		return action.KeyPress(word)
	}
	if line == "" {
		return tea.KeyPressMsg{}, false
	}
	_, footer := p.dialogLines(d)
	for _, hint := range splitHints(footer) {
		name, does, _ := strings.Cut(hint, " ")
		if name == line {
			return keyOfHint(name, does)
		}
	}
	return tea.KeyPressMsg{}, false
}

// splitHints returns the key hints of a dialog's footer.
func splitHints(footer string) []string {
	parts := strings.Split(footer, "  ")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return nonEmpty(parts...)
}

// writeText replaces the text of the focused field and presses enter.
func (p *plainMode) writeText(text string) {
	p.fillField(p.openForm(), text)
	p.handleMessage(tea.KeyPressMsg{Code: tea.KeyEnter})
}

// fillField replaces the text of the focused field, or selects its options by name. An empty text
// changes nothing. form is nil for a page that has a single field.
func (p *plainMode) fillField(form *widget.Form, text string) {
	if text == "" {
		return
	}
	hasOptions := form != nil && len(form.Focused().Options) > 0
	if !hasOptions { // go to the end of the text and delete back to its beginning
		p.handleMessage(tea.KeyPressMsg{Code: 'e', Mod: tea.ModCtrl})
		p.handleMessage(tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl})
	}
	p.handleMessage(tea.PasteMsg{Content: text})
}

// maxMatches is the number of matches that are listed for an ambiguous name.
const maxMatches = 8

// jumpTo shows the section with this name, performs the action with this name, or opens the
// order, mission or other place with this name.
func (p *plainMode) jumpTo(name string) plainResponse {
	for _, s := range sections {
		if format.Fold(name) == format.Fold(s.Name) && p.app.ws.missingReason(s.Go) == "" {
			p.handleMessage(doMsg{do: func() tea.Cmd { return p.app.ws.goSection(&s) }})
			return respondPage
		}
	}
	if act, ok := p.findAction(name); ok {
		return p.runAction(act)
	}
	cache := p.app.ws.env.Profile.Cache
	cache.WantNeeds(cache.AllMissions())
	p.runCommand(p.app.ws.readNext())
	p.waitForCommands()
	return p.openMatch(name)
}

// openMatch runs the palette entry with this name. It lists the matches of an ambiguous name, and
// searches all accounts for a name without matches.
func (p *plainMode) openMatch(name string) plainResponse {
	found := p.app.paletteEntries().findMatches(name)
	isExact := func(e paletteEntry) bool { return e.isNamed(format.Fold(name)) }
	if i := slices.IndexFunc(found, isExact); i >= 0 {
		found = found[i : i+1] // an order or mission is before its timeline
	}
	if len(found) == 0 {
		listChoices := func(choices paletteEntries, _ string) { p.listMatches(choices) }
		search, ok := p.app.ws.accountsEntry(name, listChoices)
		if !ok {
			return p.refuse("nothing is named " + name)
		}
		p.handleMessage(doMsg{do: search.run})
		return respondPage
	}
	if len(found) > 1 {
		p.listMatches(found)
		return respondNothing
	}
	if found[0].off != "" {
		return p.refuse(found[0].off)
	}
	p.handleMessage(doMsg{do: found[0].run})
	return respondPage
}

// listMatches lists the entries that an ambiguous name can mean.
func (p *plainMode) listMatches(found paletteEntries) {
	p.printText("-- several match; type : and more of the name:")
	for _, e := range found[:min(len(found), maxMatches)] {
		p.printText(strings.Join(nonEmpty(e.label, e.hint), "  "))
	}
}
