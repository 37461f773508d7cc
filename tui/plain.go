package tui

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/guard"
	"flightdesk/tui/page"
	"flightdesk/tui/widget/dialog"
)

// The linear form: narrow enough for one column, and as high as lists are read
// in one go.
const plainWidth, plainHeight = 99, 60

// plainPatience is how long an answer is waited for before the page is shown
// as it is.
const plainPatience = 15 * time.Second

// RunPlain runs the app as lines of text, for screen readers and pipes: what a
// page shows is written once, a line read is a key, the name of an action, or
// text where text is typed. The actions are those of the table. It ends with
// the input.
func RunPlain(ctx context.Context, opts Options, in io.Reader, out io.Writer) error {
	p := &plain{out: out, msgs: make(chan tea.Msg, 64), lines: make(chan string), over: make(chan struct{}), stop: ctx.Done()}
	if f, ok := in.(*os.File); ok && term.IsTerminal(f.Fd()) {
		p.terminal = f
		defer p.echo(true)
	}
	over := sync.OnceFunc(func() { close(p.over) })
	defer over()
	opts.Theme, opts.plain = "none", true
	opts.After, opts.Post = p.after, p.send
	p.app = New(opts)
	guard.Go(func() error { p.read(in); return nil })
	p.take(tea.WindowSizeMsg{Width: plainWidth, Height: plainHeight}) //nolint:contextcheck // a profile is connected with for as long as the app runs
	p.run(p.app.Init())                                               //nolint:contextcheck // downloads end with the app's Close, and save what they have
	p.loop()                                                          //nolint:contextcheck // as above

	over() // nobody takes messages any more, and what Close ends may still have some to say
	err := p.app.Close()
	if p.app.crash != nil {
		return p.app.crash
	}
	if p.failed != nil {
		return p.failed
	}
	return err
}

// plain drives the app from lines.
type plain struct {
	app     *App
	out     io.Writer
	msgs    chan tea.Msg
	lines   chan string   // closed at the end of the input
	readErr error         // of the input; set before lines is closed
	over    chan struct{} // closed at the end of the loop
	stop    <-chan struct{}
	running int // commands whose message has not come

	terminal *os.File // that lines are typed at; nil if the input is none
	hidden   bool     // what is typed there is not shown

	quit   bool
	failed error // of writing
}

// actMsg performs an action that was named.
type actMsg struct{ action action.Action }

// doneMsg is a command's end, with what it brought.
type doneMsg struct{ msg tea.Msg }

func (p *plain) after(d time.Duration, msg tea.Msg) tea.Cmd {
	time.AfterFunc(d, func() { p.send(msg) })
	return nil
}

// send brings a message to the loop, as long as there is one.
func (p *plain) send(msg tea.Msg) {
	select {
	case p.msgs <- msg:
	case <-p.over:
	}
}

// read reads the input, to its end or to what went wrong.
func (p *plain) read(in io.Reader) {
	defer close(p.lines)
	if err := api.Guard(func() error { return p.readLines(in) }); !errors.Is(err, io.EOF) {
		p.readErr = err
	}
}

// readLines reads lines of any length; the last one may lack its end.
func (p *plain) readLines(in io.Reader) error {
	for buffered := bufio.NewReader(in); ; {
		line, err := buffered.ReadString('\n')
		if err == nil || line != "" {
			select {
			case p.lines <- line:
			case <-p.stop:
				return nil
			case <-p.over:
				return nil
			}
		}
		if err != nil {
			return err
		}
	}
}

// echo has the terminal show what is typed, or not.
func (p *plain) echo(on bool) {
	if p.terminal == nil || p.hidden == !on {
		return
	}
	if err := setEcho(p.terminal, on); err == nil {
		p.hidden = !on
	}
}

// typesSecret reports whether what is typed is a secret.
func (p *plain) typesSecret() bool {
	var on any = p.app.dialogs.top()
	if on == nil {
		on = p.app.stacks.top()
	}
	secret, ok := on.(interface{ TypesSecret() bool })
	return ok && secret.TypesSecret()
}

// run starts a command in the background.
func (p *plain) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	p.running++
	guard.Go(func() error {
		p.send(doneMsg{guarded(cmd)()})
		return nil
	})
}

// take gives a message to the app and starts what comes of it.
func (p *plain) take(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
		return
	case doneMsg:
		p.running--
		p.take(msg.msg)
		return
	case tea.QuitMsg:
		p.quit = true
		return
	case tea.BatchMsg:
		for _, cmd := range msg {
			p.run(cmd)
		}
		return
	case page.ToastMsg:
		p.say("-- " + msg.Text)
		return
	}
	_, cmd := p.app.Update(msg)
	p.run(cmd)
}

// settle takes messages until nothing runs any more, or patience ends.
func (p *plain) settle() {
	late := time.After(plainPatience)
	for p.running > 0 && !p.quit {
		select {
		case msg := <-p.msgs:
			p.take(msg)
		case <-late:
			p.say("-- still waiting for the service")
			return
		case <-p.stop:
			p.quit = true
		}
	}
}

func (p *plain) loop() {
	p.settle()
	p.show()
	for !p.quit && p.failed == nil {
		select {
		case msg := <-p.msgs:
			p.take(msg)
			if p.app.crash != nil {
				return
			}
		case line, ok := <-p.lines:
			if !ok {
				p.failed = p.readErr
				return
			}
			whole := p.line(strings.TrimSpace(line))
			p.settle()
			if p.app.crash != nil {
				return
			}
			if p.quit {
				continue
			}
			p.echo(!p.typesSecret())
			if whole {
				p.show()
			} else {
				p.showRow()
			}
		case <-p.stop:
			p.quit = true
		}
	}
}

// line does what a line asks for, and reports whether the page is to be shown
// as a whole then.
func (p *plain) line(line string) (whole bool) {
	a := p.app
	if d := a.dialogs.top(); d != nil {
		p.answer(d, line)
		return true
	}
	typing := a.stacks.top().Typing()
	if typing {
		command, is := strings.CutPrefix(line, ":")
		if !is {
			p.write(line)
			return true
		}
		line = command
	}
	if line == "?" || line == "help" {
		p.help()
		return false
	}
	act, ok := p.find(line)
	switch {
	case line == "":
		return true
	case !ok:
		p.say(fmt.Sprintf("-- no action %q on this page; type ? for the list", line))
		return false
	case ofScreen(act.ID):
		p.say("-- not available in plain mode")
		return false
	}
	p.take(actMsg{act})
	return act.Scope != action.List
}

// ofScreen tells whether an action is about a screen, which there is none of.
func ofScreen(id action.ID) bool {
	return id == action.Palette || id == action.Jump || id == action.Profiles || id == action.LastProfile || id == action.Mouse || id == action.Suspend
}

// find is the action of a key, of a title, or of its beginning.
func (p *plain) find(line string) (action.Action, bool) {
	scopes := p.app.scopes()
	if act, ok := action.Find(line, scopes...); ok {
		return act, true
	}
	for _, act := range action.In(scopes...) {
		if len(line) > 1 && strings.HasPrefix(strings.ToLower(act.Title), strings.ToLower(line)) && isThere(p.app.env, act) {
			return act, true
		}
	}
	return action.Action{}, false
}

// answer is a line for a dialog: yes and no for a question, and else a key by
// its name, or text.
func (p *plain) answer(d page.Dialog, line string) {
	keys := map[string]tea.KeyPressMsg{
		"esc": {Code: tea.KeyEscape}, "tab": {Code: tea.KeyTab}, "down": {Code: tea.KeyDown}, "up": {Code: tea.KeyUp},
		"space": {Code: tea.KeySpace, Text: " "}, "enter": {Code: tea.KeyEnter}, "": {Code: tea.KeyEnter},
	}
	_, question := d.(*dialog.Question)
	if question {
		no, yes := keys["esc"], keys["enter"]
		keys = map[string]tea.KeyPressMsg{"no": no, "n": no, "esc": no, "yes": yes, "y": yes}
	}
	key, named := keys[strings.ToLower(line)]
	switch {
	case named:
		p.key(key)
	case question:
		p.say("-- type yes or no")
	default:
		p.write(line)
	}
}

// write replaces the text that is being typed, and goes on.
func (p *plain) write(text string) {
	if text != "" {
		p.key(tea.KeyPressMsg{Code: 'e', Mod: tea.ModCtrl}) // to the end, then all before it goes
		p.key(tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl})
		for _, r := range text {
			p.key(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
	}
	p.key(tea.KeyPressMsg{Code: tea.KeyEnter})
}

func (p *plain) key(key tea.KeyPressMsg) {
	_, cmd := p.app.Update(key)
	p.run(cmd)
}

func (p *plain) say(text string) {
	if _, err := io.WriteString(p.out, linear(text)+"\n"); err != nil && p.failed == nil {
		p.failed = err
	}
}

// show writes the page, or the dialog over it, and what can be done.
func (p *plain) show() {
	a := p.app
	if d := a.dialogs.top(); d != nil {
		box := strings.Split(ansi.Strip(d.View(plainWidth, plainHeight)), "\n")
		for _, l := range box {
			p.sayLine(strings.TrimRight(strings.Trim(l, "│┌┐└┘─ "), " "))
		}
		_, _ = io.WriteString(p.out, "> ")
		return
	}
	titles := make([]string, 0, 4)
	for _, on := range a.stacks.pages() {
		titles = append(titles, on.Title())
	}
	p.say("")
	p.say("== " + strings.Join(nonEmpty(strings.Join(titles, " > "), ansi.Strip(a.stacks.top().Corner())), " - ") + " ==")
	for _, l := range p.body() {
		p.sayLine(l)
	}
	var keys []string
	for _, act := range a.footer() {
		keys = append(keys, strings.TrimPrefix(act.Shown(a.stacks.top().Typing()), ":")+" "+act.Title)
	}
	prompt := "Keys: "
	if a.stacks.top().Typing() {
		prompt = "Type text, or : and a key: "
	}
	p.say(prompt + strings.Join(keys, ", "))
	_, _ = io.WriteString(p.out, "> ")
}

// body is the page's text, without its empty lines.
func (p *plain) body() []string {
	a := p.app
	return strings.Split(ansi.Strip(a.stacks.top().View(plainWidth, plainHeight)), "\n")
}

// showRow writes only what is marked, after a move in a list.
func (p *plain) showRow() {
	for _, l := range p.body() {
		if strings.Contains(l, "▸") {
			p.sayLine(l)
		}
	}
	_, _ = io.WriteString(p.out, "> ")
}

func (p *plain) sayLine(l string) {
	if l = strings.TrimRight(l, " "); strings.Trim(l, " ─│┃") != "" {
		p.say(l)
	}
}

// help writes every action that holds now.
func (p *plain) help() {
	for _, act := range action.In(p.app.scopes()...) {
		if !isThere(p.app.env, act) || ofScreen(act.ID) {
			continue
		}
		line := fmt.Sprintf("%s: %s - %s", act.KeyLabels(), act.Title, act.Help)
		if why := p.app.off(act); why != "" {
			line += " (unavailable: " + why + ")"
		}
		p.say(line)
	}
}

// shapes are what glyphs are in plain text: the statuses of the table in words,
// and what only draws.
var shapes = strings.NewReplacer(
	"◇", "~", "◆", "*", "◌", ".", "◔", "o", "◎", "@", "◕", "%", "●", "#", "△", "^", "✗", "x", "⊖", "-", "□", "=", "⊗", "X", "▷", ">", "■", "#",
	"▸", ">", "┃", "|", "│", "|", "─", "-", "┄", "-", "✓", "+", "…", "...", "–", "-", "·", "-", "›", ">", "▴", "^", "▾", "v", "░", ".",
	"▲", "!", "▪", "*", "▫", "-", "○", "o", "⋯", "...", "✎", "*", "↔", "<->",
	"━", "=", "╸", "-", "█", "=", "▉", "=", "▊", "=", "▋", "=", "▌", "=", "▍", " ", "▎", " ", "▏", " ", "▒", ".", "▓", "#",
	"↑", "up", "↓", "down", "←", "<-", "→", "->", "◦", "o", "×", "x",
)

func linear(s string) string { return shapes.Replace(s) }
