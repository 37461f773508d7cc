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
	mode := newPlainMode(ctx, in, out)
	defer mode.loop.end()
	defer mode.setEcho(true)
	opts.Theme = "none"
	opts.plain = true
	opts.ended = mode.loop.ctx.Done()
	opts.After = mode.loop.uncountedTimer(opts.timer())
	opts.Post = mode.loop.send
	r := &plainRun{app: New(opts), mode: mode, loop: mode.loop}
	r.showApp()       //nolint:contextcheck // reads end with the app's own context
	r.handleInput(in) //nolint:contextcheck // reads end with the app's own context
	err := r.app.Close()
	if r.app.crash != nil {
		return r.app.crash
	}
	if mode.err != nil {
		return mode.err
	}
	return err
}

// plainRun is a run of the app in plain mode. It passes input lines to the app and prints the
// responses.
type plainRun struct {
	app  *App
	mode *plainMode
	loop *messageLoop // the same as mode.loop
}

// showApp starts the app and prints its first page.
func (r *plainRun) showApp() {
	r.mode.hidePaths = func(text string) string { return r.app.ws.env.Files.HidePaths(text) }
	r.loop.update = r.updateApp
	if guest := r.app.opts.Terminal; guest != nil {
		guest.forwardEvents(r.loop.send, r.loop.ctx.Done())
	}
	r.loop.handle(tea.WindowSizeMsg{Width: plainWidth, Height: plainHeight})
	r.loop.start(r.app.Init())
	r.mode.waitForCommands()
	r.printResponse(respondPage)
}

// updateApp passes a message to the app, and ends the loop if the app has crashed. A toast is printed at
// once and not passed to the app.
func (r *plainRun) updateApp(msg tea.Msg) tea.Cmd {
	if toast, ok := msg.(page.ToastMsg); ok {
		r.mode.printText("-- " + toast.Text)
		return nil
	}
	_, cmd := r.app.Update(msg)
	if r.app.crash != nil {
		r.loop.end()
	}
	return cmd
}

// handleInput handles input lines until the input or the loop ends.
func (r *plainRun) handleInput(in io.Reader) {
	lines := make(chan string)
	readErr := api.Go(func() error { return readLines(r.loop.ctx, in, lines) })
	never := func() bool { return false }
	for r.loop.ctx.Err() == nil {
		line, event := r.loop.handleUntil(never, lines, nil)
		switch event {
		case loopLine:
			r.handleLine(strings.TrimSpace(line))
		case loopInputEnd:
			r.mode.fail(<-readErr)
			r.loop.end()
		}
	}
}

// handleLine handles an input line, waits until its commands are done, and prints the response.
func (r *plainRun) handleLine(line string) {
	response := r.performLine(parseLine(line, r.screen()))
	r.mode.waitForCommands()
	if r.loop.ctx.Err() == nil {
		r.printResponse(response)
	}
}

// printResponse prints the response to an input line.
func (r *plainRun) printResponse(response plainResponse) {
	r.mode.respond(response, r.screen())
	r.app.ws.status.toast = page.ToastMsg{}
}

// screen returns the current state of the app, as far as plain mode prints it or an input line can act on it.
func (r *plainRun) screen() *plainScreen {
	env := r.app.ws.env
	screen := &plainScreen{
		theme:          env.Look.Theme,
		pages:          r.app.ws.pages.pages(),
		dialog:         r.app.ws.dialogs.top(),
		toast:          r.app.ws.status.toast.Text,
		scopes:         r.app.activeScopes(),
		footer:         r.app.footerActions(),
		disabledReason: r.app.disabledReason,
	}
	if len(r.app.ws.held.waiting) > 0 {
		screen.countdown = r.app.ws.held.countdown(env.Clock.Now(), plainLineWidth)
	}
	if env.Profile.Downloads.Busy() {
		screen.downloads = strings.TrimPrefix(env.Profile.Downloads.Line(), "↓ ")
	}
	return screen
}

// performLine performs an input line, and returns what to print after it.
func (r *plainRun) performLine(line inputLine) plainResponse {
	switch line.kind {
	case lineKeys:
		for _, key := range line.keys {
			r.loop.handle(key)
		}
		return respondPage
	case lineAction:
		return r.performAction(line.action)
	case lineName:
		return r.goToName(line.name)
	case lineHelp:
		r.mode.printHelp(r.screen())
		return respondNothing
	case lineWait:
		isIdle := func() bool { return r.loop.running == 0 && !r.app.ws.hasBackgroundWork() }
		r.loop.handleUntil(isIdle, nil, nil)
		return respondPage
	case linePage:
		r.mode.form = nil // print the whole page instead of the field
		return respondPage
	default:
		return r.mode.refuse(line.reason)
	}
}

// hasBackgroundWork reports whether a change is held or being sent, or a download runs.
func (ws *workspace) hasBackgroundWork() bool {
	isHolding := len(ws.held.waiting) > 0 || len(ws.held.sending) > 0
	return isHolding || ws.env.Profile.Downloads.Busy()
}

// performAction performs an action.
func (r *plainRun) performAction(act action.Action) plainResponse {
	if slices.Contains(screenActions, act.ID) {
		return r.mode.refuse("not available with --plain")
	}
	r.loop.handle(doMsg{do: func() tea.Cmd { return r.app.performAction(act) }})
	if act.ID == action.Filter && r.app.ws.pages.top().IsTyping() {
		return r.mode.refuse("type words, or column:value")
	}
	if act.Scope == action.List {
		return respondRow
	}
	return respondPage
}

// goToName shows the section with this name, performs the action with this name, or opens the
// order, mission or other place with this name.
func (r *plainRun) goToName(name string) plainResponse {
	for _, s := range sections {
		if format.Fold(name) == format.Fold(s.Name) && r.app.ws.missingReason(s.Go) == "" {
			r.loop.handle(doMsg{do: func() tea.Cmd { return r.app.ws.goSection(&s) }})
			return respondPage
		}
	}
	if act, ok := findPlainAction(name, r.app.activeScopes()); ok {
		return r.performAction(act)
	}
	cache := r.app.ws.env.Profile.Cache
	cache.Prefetch(cache.AllMissions())
	r.loop.start(r.app.ws.readNext())
	r.mode.waitForCommands()
	return r.openMatch(name)
}

// openMatch runs the palette entry with this name. It lists the matches of an ambiguous name, and
// searches all accounts for a name without matches.
func (r *plainRun) openMatch(name string) plainResponse {
	found := r.app.paletteEntries().findNamed(name)
	if len(found) == 0 {
		listChoices := func(choices paletteEntries, _ string) { r.mode.listMatches(choices) }
		search, ok := r.app.ws.search.entry(name, listChoices)
		if !ok {
			return r.mode.refuse("nothing loaded is named " + name)
		}
		r.loop.handle(doMsg{do: search.run})
		return respondPage
	}
	if len(found) > 1 {
		r.mode.listMatches(found)
		return respondNothing
	}
	if found[0].off != "" {
		return r.mode.refuse(found[0].off)
	}
	r.loop.handle(doMsg{do: found[0].run})
	return respondPage
}
