package tui

import (
	"errors"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/action"
	"flightdesk/tui/app/deliveries"
	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/picture"
)

// App is the root model of Bubble Tea. It owns the terminal with its input and its screen, and the workspace
// of the current profile. It does not depend on what the pages show.
//
// Update passes messages of the terminal to routeMessage, which sends keys to pressKey, mouse events to
// routeMouse and pastes to routeText. All other messages go to the workspace's handleMessage.
type App struct {
	ws   workspace // workspace of the current profile
	opts Options   // with the options of the current profile

	// Input.
	sequences sequenceJoiner
	mouse     mouse
	jumps     jumpLabels
	clickable clickAreas // areas in the header and footer of the last frame

	// Output.
	terminal terminal
	look     appearance
	limiter  frameLimiter
	screen   *screen // nil in tests and in plain mode

	// The run.
	crash    *Crash
	data     runData               // files and connections of all profiles that were used
	setup    *session.AccountSetup // adds accounts; nil if there is no configuration
	switches profileSwitches
}

// New returns the app. It begins with the profile in opts and shows the first section of that profile.
func New(opts Options) *App {
	a := &App{
		opts: opts,
		look: newAppearance(&opts),
	}
	a.ws = workspace{
		env:      opts.newEnv(),
		opts:     &a.opts,
		life:     page.NewLifetime(),
		limiter:  &a.limiter,
		terminal: &a.terminal,
	}
	a.limiter = frameLimiter{now: time.Now, after: a.ws.env.Clock.After, isStale: true}
	if opts.Now != nil {
		a.limiter.now = opts.Now
	}
	a.terminal = newTerminal(opts.out, opts.Glyphs, opts.Terminal.Getenv)
	a.prepareProfile()
	return a
}

// Close ends all pages and saves their state. It must be called once the program has ended,
// even after a crash.
func (a *App) Close() error {
	env := a.ws.env
	a.ws.life.End()
	for _, p := range a.ws.pages.allPages() {
		p.PageLifetime().End()
	}
	stopDownloads := env.Profile.Downloads.Leave()
	if a.crash != nil {
		stopDownloads = withinTime(crashTimeout, stopDownloads)
	}
	stopDownloads()
	return errors.Join(
		a.data.close(),
		env.Profile.Cache.Save(env.Profile.Known),
		env.Look.UIState.Flush(),
	)
}

// Downloads returns the downloads of the current profile.
func (a *App) Downloads() *deliveries.Downloads { return a.ws.env.Profile.Downloads }

// Init starts the first page and queries the terminal: its background, its graphics, and the
// properties that must be known before the first frame is drawn.
func (a *App) Init() tea.Cmd {
	a.terminal.queryTerminal(a.look.isAuto())
	return guardCommand(tea.Batch(
		a.startProfileWork(),
		a.look.awaitBackground(a.ws.env.Clock.After),
		a.look.queryGraphics(a.opts.Graphics),
		a.loadTowns(townsTries),
	))
}

// handleFocus pauses animations and background reads when the window loses the focus, and
// resumes them when the window gets it back.
func (a *App) handleFocus(now focus) tea.Cmd {
	hasReturned := a.terminal.focus == away && now != away
	a.terminal.focus = now
	a.limiter.isSlow = now == away
	if !hasReturned {
		return nil
	}
	a.limiter.endFrame()
	return a.ws.pages.top().OnShow()
}

// startProfileWork starts the first page, the downloads and the background reads of a profile.
func (a *App) startProfileWork() tea.Cmd {
	return tea.Batch(
		a.ws.pages.top().OnShow(),
		a.ws.resumeDownloads(),
		a.ws.watchCache(),
		a.ws.loadCopy(),
		a.ws.readRole(),
	)
}

// Update handles a message, or passes it to the open dialog or the page. It then marks the view as stale, so
// that it is rendered again.
func (a *App) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	a.opts.Terminal.work(func() { cmd = a.update(msg) })
	return a, cmd
}

// update implements Update. A panic ends the app.
func (a *App) update(msg tea.Msg) (cmd tea.Cmd) {
	defer a.guardUpdate(&cmd)
	complete, joined := a.sequences.add(msg, a.limiter.now(), !a.mouse.isOff)
	if joined != nil {
		return func() tea.Msg { return joined } // Bubble Tea turns the event into a message
	}
	if complete == nil {
		return nil // msg is a part of an unfinished sequence
	}
	if _, isFrame := complete.(frameMsg); isFrame {
		a.limiter.endFrame()
		return nil
	}
	decoded := decodeMessage(complete)
	a.recordMessage(decoded)
	if a.crash != nil {
		return tea.Quit
	}
	cmd = a.routeMessage(decoded)
	return guardCommand(a.finishUpdate(decoded, cmd))
}

// decodeMessage decodes the content of a paste. It returns all other messages unchanged.
func decodeMessage(msg tea.Msg) tea.Msg {
	if paste, ok := msg.(tea.PasteMsg); ok {
		return tea.PasteMsg{Content: decodePaste(paste.Content)}
	}
	return msg
}

// recordMessage records a crash, or the time at which the user pressed a key or turned the mouse
// wheel.
func (a *App) recordMessage(msg tea.Msg) {
	switch msg := msg.(type) {
	case page.CrashMsg:
		a.recordCrash(msg)
	case tea.KeyPressMsg, tea.MouseWheelMsg:
		a.limiter.recordKeyPress()
	}
}

// finishUpdate does the work that follows every message. It reads data that the page now needs, and updates
// the timers and the window title. It marks the view as stale unless the message is a doMsg with quiet set,
// which changes nothing on the screen. The returned command includes cmd, the command of the message.
func (a *App) finishUpdate(msg tea.Msg, cmd tea.Cmd) tea.Cmd {
	for _, env := range a.ws.viewed {
		env.FollowLook(a.ws.env)
	}
	call, isCall := msg.(doMsg)
	isQuiet := isCall && call.quiet
	if !isQuiet {
		cmd = tea.Batch(cmd, a.limiter.markStale())
	}
	return tea.Batch(
		a.ws.readNext(),
		cmd,
		a.ws.countSeconds(),
		a.limiter.checkScrollEnd(),
		a.updateTitle(),
	)
}

// updateTitle sets the window title to the title of the top page. If the user is a guest, connected over SSH,
// it also reports the title to the SSH server.
func (a *App) updateTitle() tea.Cmd {
	title := format.Clean(a.ws.pages.top().Title())
	guest := a.opts.Terminal
	if guest != nil && guest.OnPlace != nil {
		guest.OnPlace(title)
	}
	return a.terminal.setTitle("flightdesk · " + title)
}

// routeMessage passes input to the dialog or the page, handles what the terminal reports about
// itself, and passes all other messages to the workspace.
func (a *App) routeMessage(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return a.pressKey(msg)
	case tea.MouseMsg:
		return a.routeMouse(msg)
	case tea.PasteMsg:
		return a.routeText(msg)
	case tea.WindowSizeMsg:
		return a.resize(msg)
	case tea.FocusMsg:
		return a.handleFocus(focused)
	case tea.BlurMsg:
		return a.handleFocus(away)
	case tea.SuspendMsg: // Bubble Tea sends it when the program continues
		return a.resume()
	}
	if cmd, isReport := a.handleReport(msg); isReport {
		return cmd
	}
	return a.ws.handleMessage(msg)
}

// handleReport handles a report of the terminal about its colours and its characters. isReport is
// false for other messages, which it ignores.
func (a *App) handleReport(msg tea.Msg) (cmd tea.Cmd, isReport bool) {
	look := &a.ws.env.Look
	switch msg := msg.(type) {
	case tea.ColorProfileMsg:
		a.look.setColours(msg.Profile, look.Theme)
	case tea.BackgroundColorMsg:
		a.look.setBackground(msg.IsDark(), look.Theme)
	case tea.TerminalVersionMsg:
		look.Graphics = picture.GraphicsOf(msg.Name)
	case uv.DarkColorSchemeEvent:
		cmd = a.handleColorScheme(true)
	case uv.LightColorSchemeEvent:
		cmd = a.handleColorScheme(false)
	case tea.CursorPositionMsg, tea.ModeReportMsg:
		cmd = a.handleReply(msg)
	default:
		return nil, false
	}
	return cmd, true
}

// resize adapts the app to a new window size, and draws it without waiting for the next frame.
func (a *App) resize(size tea.WindowSizeMsg) tea.Cmd {
	look := &a.ws.env.Look
	look.Width = size.Width
	look.Height = size.Height
	a.jumps.isShown = false // the parts that the labels mark move
	a.limiter.endFrame()
	return a.ws.pages.broadcast(size)
}

// handleReply handles a reply of the terminal to a query about its characters. If the reply changes how
// characters are drawn or measured, all pages lay out their texts again.
func (a *App) handleReply(msg tea.Msg) tea.Cmd {
	if !a.terminal.handleReply(msg) {
		return nil
	}
	a.screen.redraw()
	look := &a.ws.env.Look
	return a.ws.pages.broadcast(tea.WindowSizeMsg{Width: look.Width, Height: look.Height})
}

// handleColorScheme applies the terminal's new colour scheme. It also asks the terminal for its background,
// because a scheme that is called dark can have a light background.
func (a *App) handleColorScheme(isDark bool) tea.Cmd {
	a.look.setBackground(isDark, a.ws.env.Look.Theme)
	return tea.Raw(ansi.RequestBackgroundColor)
}

// activeScopes returns the scopes of the actions that keys can perform now.
func (a *App) activeScopes() []action.Scope {
	return append(a.ws.pages.top().ActionScopes(), action.Everywhere)
}

// pressKey sends a key to the top dialog if a dialog is open. Otherwise it performs the action of the key. A
// key without an action goes to the page as typed text.
func (a *App) pressKey(key tea.KeyPressMsg) tea.Cmd {
	a.ws.status.toast = page.ToastMsg{} // the toast was about the previous key
	name := key.String()
	if name == "ctrl+c" {
		return a.ws.quitApp()
	}
	if name == "ctrl+z" {
		return a.suspend()
	}
	if a.ws.dialogs.top() != nil {
		return a.ws.dialogs.update(key, a.ws.env.Clock.Now())
	}
	if a.jumps.isShown {
		return a.jumps.jumpTo(name)
	}
	p := a.ws.pages.top()
	if p.IsTyping() && !action.WorksWhileTyping(name) {
		return p.Update(key)
	}
	act, ok := findAction(key, a.activeScopes()...)
	if ok {
		return a.performAction(act)
	}
	if name == "/" {
		return tea.Batch(a.openPalette(), page.ShowToast(theme.Attention, "No filter on this page; palette opened"))
	}
	return p.Update(key)
}

// performAction runs an action, or shows why it is disabled.
func (a *App) performAction(act action.Action) tea.Cmd {
	if reason := a.disabledReason(act); reason != "" {
		return page.ShowToast(theme.Attention, strings.TrimSuffix(act.Title, "…")+": "+reason)
	}
	if act.Scope == action.Everywhere {
		return a.performGlobal(act.ID)
	}
	return a.ws.pages.top().HandleAction(act.ID)
}

// disabledReason returns why an action is disabled, or "" if it is enabled. A page cannot
// disable the actions that work everywhere, so the user can always leave it.
func (a *App) disabledReason(act action.Action) string {
	if a.opts.Terminal != nil && slices.Contains(notOffered, act.ID) {
		return page.NotForGuests
	}
	if act.Scope == action.Everywhere {
		return a.globalDisabledReason(act.ID)
	}
	top := a.ws.pages.top()
	reason := top.ServiceInUse().RefusalOfAction(act)
	if reason == "" {
		reason = top.DisabledReason(act.ID)
	}
	return format.Clean(reason) // a page's reason may quote the service
}

// globalDisabledReason returns why an action that works everywhere is disabled, or "".
func (a *App) globalDisabledReason(id action.ID) string {
	profile := &a.ws.env.Profile
	switch id {
	case action.Profiles, action.LastProfile:
		if len(profile.Profiles) < 2 {
			isGuest := a.opts.Terminal != nil
			return onlyProfileReason(a.setup != nil && !isGuest)
		}
	case action.EditProfile:
		if profile.Client == nil {
			return "not connected to a service yet"
		}
		if profile.Setup == nil {
			return "only profiles of config.toml can be edited"
		}
	case action.AddAccount:
		if a.setup == nil {
			return "this app was not started with a config.toml"
		}
	case action.ShowNotifications:
		if len(a.ws.news.unread) == 0 {
			return "no notifications"
		}
	case action.Copied:
		if a.ws.copied.IsSecret {
			return "a copied secret is not kept"
		}
		if a.ws.copied.Text == "" {
			return "nothing copied yet"
		}
	}
	return a.ws.missingReason(id)
}

// onlyProfileReason returns the text for a user who wants to switch the profile but has only one. The text
// names the key that adds an account if canAddAccount is true. Guests cannot add accounts, and without a
// config.toml nobody can.
func onlyProfileReason(canAddAccount bool) string {
	if !canAddAccount {
		return "only one profile"
	}
	return "only one profile; " + keyOf(action.AddAccount) + " adds an account"
}

// routeText sends a paste to the top dialog, or to the page if no dialog is open.
func (a *App) routeText(msg tea.Msg) tea.Cmd {
	if a.ws.dialogs.top() != nil {
		return a.ws.dialogs.update(msg, a.ws.env.Clock.Now())
	}
	return a.ws.pages.top().Update(msg)
}

// performGlobal runs an action that works everywhere.
func (a *App) performGlobal(id action.ID) tea.Cmd {
	if s := findSection(id); s != nil {
		return a.ws.goSection(s)
	}
	do := map[action.ID]func() tea.Cmd{
		action.Quit:              a.ws.quitApp,
		action.Undo:              a.ws.undoLast,
		action.Redo:              a.ws.history.redo,
		action.Jump:              a.jumps.showLabels,
		action.Suspend:           a.suspend,
		action.Back:              a.ws.goBack,
		action.Mouse:             a.mouse.toggle,
		action.Downloads:         a.ws.toggleDownloads,
		action.Palette:           a.openPalette,
		action.Profiles:          a.chooseProfile,
		action.LastProfile:       a.connectPrevious,
		action.EditProfile:       a.editProfile,
		action.AddAccount:        a.addAccount,
		action.Help:              a.openHelp,
		action.AreaUnits:         a.ws.nextAreaUnit,
		action.SiteTimes:         a.ws.nextClock,
		action.ShowRequests:      a.ws.openRequests,
		action.Copied:            a.ws.openCopied,
		action.ShowNotifications: a.ws.openNews,
	}[id]
	if do == nil {
		return nil
	}
	return do()
}
