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
	ctx, end := context.WithCancel(ctx)
	defer end()
	p := &plainMode{out: out, msgs: make(chan tea.Msg, 64), ctx: ctx, end: end}
	if f, ok := in.(*os.File); ok && term.IsTerminal(f.Fd()) {
		p.terminal = f
		defer p.setEcho(true)
	}
	opts.Theme, opts.plain = "none", true
	opts.ended = ctx.Done()
	opts.After, opts.Post = p.timerOf(opts.timer()), p.sendMessage
	p.app = New(opts)
	if opts.Terminal != nil {
		opts.Terminal.forwardEvents(p.sendMessage, ctx.Done())
	}
	lines := make(chan string)
	input := api.Go(func() error { return p.readInput(in, lines) })
	p.takeMessage(tea.WindowSizeMsg{Width: plainWidth, Height: plainHeight})
	p.runCommand(p.app.Init())
	p.settleMessages()
	p.printPage()
	for ctx.Err() == nil {
		line, over := p.takeUntil(func() bool { return false }, lines, nil)
		switch {
		case over:
			p.failed = cmp.Or(p.failed, <-input)
			end()
		case ctx.Err() == nil:
			p.writeResponse(p.handleLine(strings.TrimSpace(line)))
		}
	}
	err := p.app.Close()
	if p.app.crash != nil {
		return p.app.crash
	}
	return cmp.Or(p.failed, err)
}

// plainMode runs the app on lines of text.
type plainMode struct {
	app *App

	out     io.Writer
	msgs    chan tea.Msg
	ctx     context.Context // ends with the loop
	end     func()          // ends the loop
	running int             // number of running commands

	terminal *os.File // the terminal of the input, or nil

	form *widget.Form // printed last

	failed error // of writing the output
}

// doneMsg carries the message of a finished command.
type doneMsg struct{ msg tea.Msg }

// timerOf returns a timer that does not count as a running command.
func (p *plainMode) timerOf(clock func(time.Duration, tea.Msg) tea.Cmd) func(time.Duration, tea.Msg) tea.Cmd {
	return func(d time.Duration, msg tea.Msg) tea.Cmd {
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
func (p *plainMode) readInput(in io.Reader, lines chan<- string) error {
	defer close(lines)
	for buffered := bufio.NewReader(in); ; {
		line, err := buffered.ReadString('\n')
		if line != "" {
			select {
			case lines <- line:
			case <-p.ctx.Done():
				return nil
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
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
	case doneMsg:
		p.running--
		p.takeMessage(msg.msg)
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
		if p.runCommand(cmd); p.app.crash != nil {
			p.end()
		}
	}
}

// settleMessages handles messages until no command runs, or plainPatience is
// over.
func (p *plainMode) settleMessages() {
	p.takeUntil(func() bool { return p.running == 0 }, nil, time.After(plainPatience))
}

// takeUntil handles messages until that is done, or too late, or a line comes; over is
// whether there are no more lines.
func (p *plainMode) takeUntil(
	done func() bool, lines <-chan string, late <-chan time.Time,
) (line string, over bool) {
	for p.ctx.Err() == nil && !done() {
		select {
		case msg := <-p.msgs:
			p.takeMessage(msg)
		case line, ok := <-lines:
			return line, !ok
		case <-late:
			p.printText("-- still waiting for the service")
			return "", false
		case <-p.ctx.Done():
		}
	}
	return "", false
}

// writeResponse waits for the effect of a line and prints it.
func (p *plainMode) writeResponse(said plainResponse) {
	p.settleMessages()
	if p.ctx.Err() != nil {
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
	if d := p.app.ws.dialogs.top(); d != nil {
		return p.answerDialog(d, line)
	}
	name, named := strings.CutPrefix(line, ":")
	act, ok := p.findAction(name)
	switch {
	case p.app.ws.pages.top().IsTyping() && !named:
		p.writeText(line)
	case name == "?" || name == "help":
		p.printHelp()
		return sayNothing
	case name == "wait":
		p.takeUntil(func() bool {
			return p.running+len(p.app.ws.held.waiting)+len(p.app.ws.held.sending) == 0 && !p.app.ws.env.Profile.Downloads.Busy()
		}, nil, nil)
	case name == "" && named:
		return p.saySorry("type : and a name: an order, a mission, a section, an action")
	case named:
		return p.jumpTo(name)
	case line == "":
		p.form = nil
	case !ok:
		what := fmt.Sprintf("no action %q on this page", line)
		return p.saySorry(what + "; type ? for the list, or :" + line + " to search all")
	default:
		return p.runAction(act)
	}
	return sayPage
}

// saySorry prints why a line does nothing.
func (p *plainMode) saySorry(why string) plainResponse {
	p.printText("-- " + why)
	return sayNothing
}

// runAction runs an action.
func (p *plainMode) runAction(act action.Action) plainResponse {
	if slices.Contains(ofScreen, act.ID) {
		return p.saySorry("not available with --plain")
	}
	p.takeMessage(doMsg{do: func() tea.Cmd { return p.app.performAction(act) }})
	switch {
	case act.ID == action.Filter && p.app.ws.pages.top().IsTyping():
		return p.saySorry("type words, or column:value")
	case act.Scope == action.List:
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
		if len(line) > 1 && strings.HasPrefix(strings.ToLower(act.Title), strings.ToLower(line)) {
			return act, true
		}
	}
	return action.Action{}, false
}

// filledIn returns the form being filled in, or nil.
func (p *plainMode) filledIn() *widget.Form {
	var on any = p.app.ws.pages.top()
	if d := p.app.ws.dialogs.top(); d != nil {
		on = d
	}
	if filling, ok := on.(interface{ FilledIn() *widget.Form }); ok {
		return filling.FilledIn()
	}
	return nil
}

// answers are the keys that answer a question.
var answers = map[string]string{
	"y":   "enter",
	"yes": "enter",
	"n":   "esc",
	"no":  "esc",
}

// dialogKeys are the keys that are typed by name for a dialog.
var dialogKeys = strings.Fields("esc tab down up space enter")

// answerDialog handles an input line for a dialog.
func (p *plainMode) answerDialog(d widget.Dialog, line string) plainResponse {
	word := strings.ToLower(line)
	_, question := d.(*widget.Question)
	if question {
		word = cmp.Or(answers[word], word)
	}
	key, _ := action.KeyPress(word)
	named := slices.Contains(dialogKeys, word)
	if !named && line != "" {
		key, named = p.offeredKey(d, line)
	}
	f := p.filledIn()
	switch {
	case named:
		p.takeMessage(key)
	case question:
		return p.saySorry("answer y or n")
	case f == nil || f.IsLast():
		p.writeText(line)
	default:
		p.fillField(f, line)
		p.takeMessage(tea.KeyPressMsg{Code: tea.KeyTab})
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
	p.takeMessage(tea.KeyPressMsg{Code: tea.KeyEnter})
}

// fillField replaces the text of the focused field, or selects options by name.
// An empty text changes nothing.
func (p *plainMode) fillField(f *widget.Form, text string) {
	if text == "" {
		return
	}
	if f == nil || len(f.Focused().Options) == 0 { // go to the end and delete to the beginning
		p.takeMessage(tea.KeyPressMsg{Code: 'e', Mod: tea.ModCtrl})
		p.takeMessage(tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl})
	}
	p.takeMessage(tea.PasteMsg{Content: text})
}

// mostMatches is the number of matches listed for an ambiguous name.
const mostMatches = 8

// jumpTo opens the section, order, mission or profile of this name, or runs the
// action, and lists the matches of an ambiguous name.
func (p *plainMode) jumpTo(name string) plainResponse {
	for _, s := range sections {
		if format.Fold(name) == format.Fold(s.Name) && p.app.ws.missingReason(s.Go) == "" {
			p.takeMessage(doMsg{do: func() tea.Cmd { return p.app.ws.goSection(&s) }})
			return sayPage
		}
	}
	if act, ok := p.findAction(name); ok {
		return p.runAction(act)
	}
	p.app.ws.env.Profile.Cache.WantNeeds(p.app.ws.env.Profile.Cache.AllMissions())
	p.runCommand(p.app.ws.readNext())
	p.settleMessages()
	found := p.app.paletteEntries(false).findMatches(name)
	exact := slices.IndexFunc(found, func(e paletteEntry) bool { return e.isNamed(format.Fold(name)) })
	if exact >= 0 { // the order or mission itself is listed first
		found = found[exact : exact+1]
	}
	elsewhere, canSearch := p.app.ws.accountsEntry(name, func(choices paletteEntries, _ string) { p.listMatches(choices) })
	switch {
	case len(found) == 0 && canSearch:
		p.takeMessage(doMsg{do: elsewhere.run})
		return sayPage
	case len(found) == 0:
		return p.saySorry("nothing is named " + name)
	case len(found) > 1:
		p.listMatches(found)
		return sayNothing
	case found[0].off != "":
		return p.saySorry(found[0].off)
	}
	p.takeMessage(doMsg{do: found[0].run})
	return sayPage
}

// listMatches lists the entries that an ambiguous name can mean.
func (p *plainMode) listMatches(found paletteEntries) {
	p.printText("-- several match; type : and more of the name:")
	for _, e := range found[:min(len(found), mostMatches)] {
		p.printText(strings.Join(nonEmpty(e.label, e.hint), "  "))
	}
}
