package tui

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/action"
	"flightdesk/tui/app/deliveries"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/app/webhooks"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/picture"
)

// App is the root model: it owns the terminal, its input and its screen, and the workspace
// of the current profile. It knows nothing of what the pages show.
//
// Update passes messages of the terminal to routeMessage, which sends keys to pressKey,
// mouse events to routeMouse and pastes to routeText. Every other message goes to
// handleMessage of the workspace.
type App struct {
	ws   workspace // of the current profile
	opts Options   // of the current profile

	// Input.
	sequences sequenceJoiner
	mouse     mouse
	jumps     jumpLabels
	hits      []clickArea // what can be clicked in the header and footer of the last frame

	// Output.
	terminal terminal
	look     appearance
	limiter  frameLimiter
	screen   *screen // nil in tests and of lines of text

	// The run.
	crash           *Crash
	scratch         scratch
	previousProfile string                      // or ""
	switches        int                         // numbers the requests to switch the profile
	feeds           []*webhooks.EventFeed       // of every profile shown so far
	drafts          map[string]*ordering.Drafts // of every profile shown so far, by folder
}

// New returns the app, showing its first section.
func New(opts Options) *App {
	a := &App{
		opts:   opts,
		drafts: map[string]*ordering.Drafts{},
		look:   newAppearance(&opts),
	}
	a.ws = workspace{
		env:      opts.newEnv(),
		opts:     &a.opts,
		life:     page.NewLifetime(),
		limiter:  &a.limiter,
		terminal: &a.terminal,
	}
	a.limiter = frameLimiter{now: time.Now, after: a.ws.env.Clock.After, dirty: true}
	if opts.Now != nil {
		a.limiter.now = opts.Now
	}
	a.terminal = newTerminal(opts.out, opts.Glyphs, opts.Terminal.Getenv)
	a.startProfile()
	return a
}

// Close ends all pages and saves their state. It must be called once the program
// has ended, even after a crash.
func (a *App) Close() error {
	a.ws.life.End()
	for _, p := range a.ws.pages.allPages() {
		p.PageLifetime().End()
	}
	stop := a.ws.env.Profile.Downloads.Leave()
	if a.crash != nil {
		stop = withinTime(crashTimeout, stop)
	}
	stop()
	var err error
	for _, feed := range a.feeds {
		err = errors.Join(err, feed.Close())
	}
	for _, drafts := range a.drafts {
		err = errors.Join(err, drafts.Close())
	}
	return errors.Join(err, a.ws.env.Profile.Cache.Save(a.ws.env.Profile.Known), a.ws.env.Look.UIState.Flush(), a.scratch.remove())
}

// Downloads returns the downloads of the current profile.
func (a *App) Downloads() *deliveries.Downloads { return a.ws.env.Profile.Downloads }

// Init starts the first page and queries the terminal: its background, its
// graphics, and what must be asked before the first frame is drawn.
func (a *App) Init() tea.Cmd {
	a.terminal.queryTerminal(a.look.isAuto())
	return guardCommand(tea.Batch(
		a.beginProfile(), a.awaitBackground(), a.queryGraphics(), a.loadTowns(townsTries)))
}

// handleFocus pauses animations and background reads while the window has no
// focus, and resumes them.
func (a *App) handleFocus(is focus) tea.Cmd {
	was := a.terminal.focus
	a.terminal.focus, a.limiter.slow = is, is == away
	if was != away || is == away {
		return nil
	}
	a.limiter.endFrame()
	return a.ws.pages.top().OnShow()
}

// beginProfile starts the first page, the downloads and the background reads of a
// profile.
func (a *App) beginProfile() tea.Cmd {
	return tea.Batch(a.ws.pages.top().OnShow(), a.ws.resumeDownloads(), a.ws.watchCache(), a.ws.loadCopy(), a.ws.readRole())
}

// Update routes a message to the dialog, the page or the root, and marks the view
// as stale.
func (a *App) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	a.opts.Terminal.work(func() { cmd = a.update(msg) })
	return a, cmd
}

// update is Update while the app may work.
func (a *App) update(msg tea.Msg) (cmd tea.Cmd) {
	defer a.guardUpdate(&cmd)
	msg, joined := a.sequences.add(msg, a.limiter.now(), !a.mouse.isOff)
	if joined != nil {
		return func() tea.Msg { return joined } // Bubble Tea turns it into a message
	}
	if msg == nil {
		return nil
	}
	if paste, ok := msg.(tea.PasteMsg); ok {
		msg = tea.PasteMsg{Content: decodePaste(paste.Content)}
	}
	switch msg := msg.(type) {
	case frameMsg:
		a.limiter.endFrame()
		return nil
	case page.CrashMsg:
		a.recordCrash(msg)
	case tea.KeyPressMsg, tea.MouseWheelMsg:
		a.limiter.noteKey()
	}
	if a.crash != nil {
		return tea.Quit
	}
	cmd = a.routeMessage(msg)
	for _, env := range a.ws.viewed {
		env.FollowLook(a.ws.env)
	}
	if do, is := msg.(doMsg); !is || !do.quiet {
		cmd = tea.Batch(cmd, a.limiter.markStale())
	}
	return guardCommand(tea.Batch(
		a.ws.readNext(), cmd, a.ws.countSeconds(), a.limiter.settleCommand(), a.updateTitle()))
}

// updateTitle sets the window title, and tells who watches the terminal what is shown.
func (a *App) updateTitle() tea.Cmd {
	title := format.Clean(a.ws.pages.top().Title())
	if t := a.opts.Terminal; t != nil && t.OnPlace != nil {
		t.OnPlace(title)
	}
	return a.terminal.setTitle("flightdesk · " + title)
}

// routeMessage handles what the terminal sends and passes everything else to
// handleMessage.
func (a *App) routeMessage(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		a.ws.env.Look.Width, a.ws.env.Look.Height, a.jumps.on = msg.Width, msg.Height, false
		a.limiter.endFrame()
		return a.ws.pages.broadcast(msg)
	case tea.ColorProfileMsg:
		a.look.setColours(msg.Profile, a.ws.env.Look.Theme)
	case tea.BackgroundColorMsg:
		a.look.setBackground(msg.IsDark(), a.ws.env.Look.Theme)
	case tea.TerminalVersionMsg:
		a.ws.env.Look.Graphics = picture.GraphicsOf(msg.Name)
	case tea.CursorPositionMsg, tea.ModeReportMsg:
		if a.terminal.takeAnswer(msg) {
			a.screen.redraw()
			return a.ws.pages.broadcast(tea.WindowSizeMsg{Width: a.ws.env.Look.Width, Height: a.ws.env.Look.Height})
		}
	case tea.FocusMsg:
		return a.handleFocus(focused)
	case tea.BlurMsg:
		return a.handleFocus(away)
	case uv.DarkColorSchemeEvent, uv.LightColorSchemeEvent:
		_, isDark := msg.(uv.DarkColorSchemeEvent)
		a.look.setBackground(isDark, a.ws.env.Look.Theme)
		return tea.Raw(ansi.RequestBackgroundColor) // a dark scheme can have a light background
	case tea.SuspendMsg: // it is over
		return a.resume()
	case tea.KeyPressMsg:
		return a.pressKey(msg)
	case tea.MouseMsg:
		return a.routeMouse(msg)
	case tea.PasteMsg:
		return a.routeText(msg)
	default:
		return a.ws.handleMessage(msg)
	}
	return nil
}

// activeScopes returns the scopes whose actions are available now.
func (a *App) activeScopes() []action.Scope {
	return append(a.ws.pages.top().ActionScopes(), action.Everywhere)
}

// pressKey routes a key to the dialog on top, else to the action bound to it,
// else to the page as text.
func (a *App) pressKey(key tea.KeyPressMsg) tea.Cmd {
	a.ws.status.toast = page.ToastMsg{} // it was about the key before
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
	if a.jumps.on {
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
		return tea.Batch(a.openPalette(), page.ShowToast(theme.Attention, "No filter on this page; searching everything"))
	}
	return p.Update(key)
}

// performAction runs an action, or shows why it is disabled.
func (a *App) performAction(act action.Action) tea.Cmd {
	switch {
	case a.disabledReason(act) != "":
		return page.ShowToast(theme.Attention, strings.TrimSuffix(act.Title, "…")+": "+a.disabledReason(act))
	case act.Scope != action.Everywhere:
		return a.ws.pages.top().HandleAction(act.ID)
	}
	return a.performGlobal(act.ID)
}

// disabledReason returns why an action is disabled, "" if it is enabled. Pages
// cannot disable actions that work everywhere, so leaving is always possible.
func (a *App) disabledReason(act action.Action) string {
	switch {
	case a.opts.Terminal != nil && slices.Contains(notOffered, act.ID):
		return page.NotForGuests
	case (act.ID == action.Profiles || act.ID == action.LastProfile) && len(a.ws.env.Profile.Profiles) < 2:
		return "only one profile; add more in config.toml (flightdesk config path)"
	case act.ID == action.EditProfile && (a.ws.env.Profile.Setup == nil || a.ws.env.Profile.Client == nil):
		return "only profiles of config.toml can be edited"
	case act.ID == action.ShowNotifications && len(a.ws.news.unread) == 0:
		return "no notifications"
	case act.ID == action.Copied && a.ws.copied.Text == "":
		return "nothing copied yet; press y to copy"
	case act.Scope == action.Everywhere:
		return a.ws.missingReason(act.ID)
	}
	shown := a.ws.pages.top()
	reason := cmp.Or(shown.ServiceInUse().RefusalOfAction(act), shown.DisabledReason(act.ID))
	return format.Clean(reason) // a page's reason may quote the service
}

// routeText sends a paste to the dialog on top, else to the page.
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
