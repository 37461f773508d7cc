package tui

import (
	"context"
	"io"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
)

// RunPlain runs the app in plain mode, as lines of text for screen readers and pipes. Each page
// is printed once. An input line is a key, the name of an action, or text for a field. RunPlain
// returns at the end of the input.
func RunPlain(ctx context.Context, opts Options, in io.Reader, out io.Writer) error {
	p := newPlainMode(ctx, in, out)
	defer p.loop.end()
	defer p.setEcho(true)
	opts.Theme = "none"
	opts.plain = true
	opts.ended = p.loop.ctx.Done()
	opts.After = p.loop.uncountedTimer(opts.timer())
	opts.Post = p.loop.send
	app := New(opts)
	app.startPlain(p)
	app.handleInput(p, in) //nolint:contextcheck // reads end with the app's own context
	err := app.Close()
	if app.crash != nil {
		return app.crash
	}
	if p.err != nil {
		return p.err
	}
	return err
}

// startPlain shows the app in plain mode and prints its first page.
func (a *App) startPlain(p *plainMode) {
	p.hidePaths = func(text string) string { return a.ws.env.Files.HidePaths(text) }
	p.loop.update = func(msg tea.Msg) tea.Cmd {
		if toast, ok := msg.(page.ToastMsg); ok {
			p.printText("-- " + toast.Text)
			return nil
		}
		_, cmd := a.Update(msg)
		if a.crash != nil {
			p.loop.end()
		}
		return cmd
	}
	if guest := a.opts.Terminal; guest != nil {
		guest.forwardEvents(p.loop.send, p.loop.ctx.Done())
	}
	p.loop.handle(tea.WindowSizeMsg{Width: plainWidth, Height: plainHeight})
	p.loop.start(a.Init())
	p.waitForCommands()
	a.printResponse(p, respondPage)
}

// handleInput handles input lines until the input or the loop ends.
func (a *App) handleInput(p *plainMode, in io.Reader) {
	lines := make(chan string)
	readErr := api.Go(func() error { return readLines(p.loop.ctx, in, lines) })
	never := func() bool { return false }
	for p.loop.ctx.Err() == nil {
		line, event := p.loop.handleUntil(never, lines, nil)
		switch event {
		case loopLine:
			a.handleLine(p, strings.TrimSpace(line))
		case loopInputEnd:
			p.fail(<-readErr)
			p.loop.end()
		}
	}
}

// handleLine handles an input line, waits until its commands are done, and prints the response.
func (a *App) handleLine(p *plainMode, line string) {
	response := a.performLine(p, parseLine(line, a.plainScreen()))
	p.waitForCommands()
	if p.loop.ctx.Err() == nil {
		a.printResponse(p, response)
	}
}

// printResponse prints the response to an input line.
func (a *App) printResponse(p *plainMode, response plainResponse) {
	p.respond(response, a.plainScreen())
	a.ws.status.toast = page.ToastMsg{}
}

// plainScreen returns what plain mode prints, and what an input line acts on.
func (a *App) plainScreen() *plainScreen {
	env := a.ws.env
	screen := &plainScreen{
		theme:          env.Look.Theme,
		pages:          a.ws.pages.pages(),
		dialog:         a.ws.dialogs.top(),
		toast:          a.ws.status.toast.Text,
		scopes:         a.activeScopes(),
		footer:         a.footerActions(),
		disabledReason: a.disabledReason,
	}
	if len(a.ws.held.waiting) > 0 {
		screen.countdown = a.ws.held.countdown(env.Clock.Now(), plainLineWidth)
	}
	if env.Profile.Downloads.Busy() {
		screen.downloads = strings.TrimPrefix(env.Profile.Downloads.Line(), "↓ ")
	}
	return screen
}

// performLine performs an input line, and returns what to print after it.
func (a *App) performLine(p *plainMode, line inputLine) plainResponse {
	switch line.kind {
	case lineKeys:
		for _, key := range line.keys {
			p.loop.handle(key)
		}
		return respondPage
	case lineAction:
		return a.performPlain(p, line.action)
	case lineName:
		return a.goToName(p, line.name)
	case lineHelp:
		p.printHelp(a.plainScreen())
		return respondNothing
	case lineWait:
		isIdle := func() bool { return p.loop.running == 0 && !a.ws.hasBackgroundWork() }
		p.loop.handleUntil(isIdle, nil, nil)
		return respondPage
	case linePage:
		p.form = nil // print the whole page instead of the field
		return respondPage
	default:
		return p.refuse(line.reason)
	}
}

// hasBackgroundWork reports whether a change is held or being sent, or a download runs.
func (ws *workspace) hasBackgroundWork() bool {
	isHolding := len(ws.held.waiting) > 0 || len(ws.held.sending) > 0
	return isHolding || ws.env.Profile.Downloads.Busy()
}

// performPlain performs an action.
func (a *App) performPlain(p *plainMode, act action.Action) plainResponse {
	if slices.Contains(screenActions, act.ID) {
		return p.refuse("not available with --plain")
	}
	p.loop.handle(doMsg{do: func() tea.Cmd { return a.performAction(act) }})
	if act.ID == action.Filter && a.ws.pages.top().IsTyping() {
		return p.refuse("type words, or column:value")
	}
	if act.Scope == action.List {
		return respondRow
	}
	return respondPage
}

// goToName shows the section with this name, performs the action with this name, or opens the
// order, mission or other place with this name.
func (a *App) goToName(p *plainMode, name string) plainResponse {
	for _, s := range sections {
		if format.Fold(name) == format.Fold(s.Name) && a.ws.missingReason(s.Go) == "" {
			p.loop.handle(doMsg{do: func() tea.Cmd { return a.ws.goSection(&s) }})
			return respondPage
		}
	}
	if act, ok := findPlainAction(name, a.activeScopes()); ok {
		return a.performPlain(p, act)
	}
	cache := a.ws.env.Profile.Cache
	cache.Prefetch(cache.AllMissions())
	p.loop.start(a.ws.readNext())
	p.waitForCommands()
	return a.openMatch(p, name)
}

// openMatch runs the palette entry with this name. It lists the matches of an ambiguous name, and
// searches all accounts for a name without matches.
func (a *App) openMatch(p *plainMode, name string) plainResponse {
	found := a.paletteEntries().findNamed(name)
	if len(found) == 0 {
		listChoices := func(choices paletteEntries, _ string) { p.listMatches(choices) }
		search, ok := a.ws.accountsEntry(name, listChoices)
		if !ok {
			return p.refuse("nothing loaded is named " + name)
		}
		p.loop.handle(doMsg{do: search.run})
		return respondPage
	}
	if len(found) > 1 {
		p.listMatches(found)
		return respondNothing
	}
	if found[0].off != "" {
		return p.refuse(found[0].off)
	}
	p.loop.handle(doMsg{do: found[0].run})
	return respondPage
}
