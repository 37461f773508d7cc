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
	"flightdesk/tui/page/inspect"
	"flightdesk/tui/page/neworder"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/picture"
)

// App is the root model. It owns a stack of pages for each section, the open
// dialogs and the status row, and knows nothing of what the pages show. Its parts have
// their own state and reach the rest through it.
type App struct {
	profileState
	status   statusRow
	look     appearance
	mouse    mouse
	env      *page.Env
	life     *page.Lifetime // ends with the app
	opts     Options        // of the current profile; look has the chosen theme
	limiter  frameLimiter
	terminal terminal
	screen   *screen // nil in tests and of lines of text

	sequences sequenceJoiner
	jumps     jumpLabels
	hits      []clickArea // what can be clicked in the header and footer of the last frame
	counting  bool        // the end of a second is waited for
	scratch   scratch
	quitting  bool                        // reading which drafts quitting would lose
	keepers   map[string]*ordering.Drafts // of every profile shown so far, by folder
	crash     *Crash
	copied    page.CopiedMsg        // the last one; without its text if that is secret
	before    string                // the previous profile, or ""
	asked     int                   // numbers the requests to switch the profile
	feeds     []*webhooks.EventFeed // of every profile shown so far
}

// profileState is what the app holds of the current profile; another profile starts with an empty one.
type profileState struct {
	pages        stacks
	dialogs      dialogStack
	held         heldQueue
	history      undoHistory
	quitWhenSent bool // quit once every held change is answered
	news         newsFeed
	downloads    downloadTimer
	reads        readProgress
	drafts       *ordering.Drafts
	recent       recentLabels
	viewed       map[string]*page.Env // accounts read with the operations key, by ID

	connection connection
}

// New returns the app, showing its first section.
func New(opts Options) *App {
	a := &App{
		opts:    opts,
		env:     opts.newEnv(),
		life:    page.NewLifetime(),
		keepers: map[string]*ordering.Drafts{},
		look:    newAppearance(&opts),
	}
	a.limiter = frameLimiter{now: time.Now, after: a.env.After, dirty: true}
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
	a.life.End()
	for _, p := range a.pages.allPages() {
		p.PageLifetime().End()
	}
	stop := a.env.Downloads.Leave()
	if a.crash != nil {
		stop = withinTime(crashTimeout, stop)
	}
	stop()
	var err error
	for _, feed := range a.feeds {
		err = errors.Join(err, feed.Close())
	}
	for _, keeper := range a.keepers {
		err = errors.Join(err, keeper.Close())
	}
	return errors.Join(err, a.env.Cache.Save(a.env.Known), a.env.UIState.Flush(), a.scratch.remove())
}

// Downloads returns the downloads of the current profile.
func (a *App) Downloads() *deliveries.Downloads { return a.env.Downloads }

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
	return a.pages.top().OnShow()
}

// beginProfile starts the first page, the downloads and the background reads of a
// profile.
func (a *App) beginProfile() tea.Cmd {
	return tea.Batch(a.pages.top().OnShow(), a.resumeDownloads(), a.watchCache(), a.loadCopy())
}

// Update routes a message to the dialog, the page or the root, and marks the view
// as stale.
func (a *App) Update(msg tea.Msg) (m tea.Model, cmd tea.Cmd) {
	defer func() { m = a }() // also after a panic
	defer a.guardUpdate(&cmd)
	msg, joined := a.sequences.add(msg, a.limiter.now(), !a.mouse.isOff)
	if joined != nil {
		return a, func() tea.Msg { return joined } // Bubble Tea turns it into a message
	}
	if msg == nil {
		return a, nil
	}
	if paste, ok := msg.(tea.PasteMsg); ok {
		msg = tea.PasteMsg{Content: decodePaste(paste.Content)}
	}
	switch msg := msg.(type) {
	case frameMsg:
		a.limiter.endFrame()
		return a, nil
	case page.CrashMsg:
		a.recordCrash(msg)
	case tea.KeyPressMsg, tea.MouseWheelMsg:
		a.limiter.noteKey()
	}
	if a.crash != nil {
		return a, tea.Quit
	}
	cmd = a.routeMessage(msg)
	for _, env := range a.viewed {
		env.FollowLook(a.env)
	}
	if do, is := msg.(doMsg); !is || !do.quiet {
		cmd = tea.Batch(cmd, a.limiter.markStale())
	}
	return a, guardCommand(tea.Batch(
		a.readNext(), cmd, a.countSeconds(), a.limiter.settleCommand(), a.tellPlace()))
}

// tellPlace sets the window title, and tells who watches the terminal what is shown.
func (a *App) tellPlace() tea.Cmd {
	title := format.Clean(a.pages.top().Title())
	if t := a.opts.Terminal; t != nil && t.OnPlace != nil {
		t.OnPlace(title)
	}
	return a.terminal.setTitle("flightdesk · " + title)
}

// routeMessage handles what the terminal sends and passes everything else to
// handleAppMessage.
func (a *App) routeMessage(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		a.env.Width, a.env.Height, a.jumps.on = msg.Width, msg.Height, false
		a.limiter.endFrame()
		return a.pages.broadcast(msg)
	case tea.ColorProfileMsg:
		a.look.setColours(msg.Profile, a.env.Theme)
	case tea.BackgroundColorMsg:
		a.look.setBackground(msg.IsDark(), a.env.Theme)
	case tea.TerminalVersionMsg:
		a.env.Graphics = picture.GraphicsOf(msg.Name)
	case tea.CursorPositionMsg, tea.ModeReportMsg:
		if a.terminal.takeAnswer(msg) {
			a.screen.redraw()
			return a.pages.broadcast(tea.WindowSizeMsg{Width: a.env.Width, Height: a.env.Height})
		}
	case tea.FocusMsg:
		return a.handleFocus(focused)
	case tea.BlurMsg:
		return a.handleFocus(away)
	case uv.DarkColorSchemeEvent, uv.LightColorSchemeEvent:
		_, isDark := msg.(uv.DarkColorSchemeEvent)
		a.look.setBackground(isDark, a.env.Theme)
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
		return a.handleAppMessage(msg)
	}
	return nil
}

// doMsg runs a function in the program's loop: the result of background work, or the
// end of a timer.
type doMsg struct {
	of    *page.Env      // the profile that it is about; it is dropped in another one. Nil for any.
	do    func() tea.Cmd // nil only redraws
	quiet bool           // it changes nothing on the screen
}

// handleAppMessage handles messages of pages, timers and background work.
func (a *App) handleAppMessage(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case doMsg:
		if msg.do != nil && (msg.of == nil || msg.of == a.env) {
			return msg.do()
		}
	case page.ToPage:
		if slices.ContainsFunc(a.pages.allPages(), func(p page.Page) bool { return p.PageLifetime() == msg.Life }) {
			return tea.Batch(msg.Do(), a.updateConnection())
		}
		if msg.Closed != nil {
			return tea.Batch(msg.Closed(), a.updateConnection())
		}
		return a.updateConnection()
	case page.PlacedMsg:
		a.env.Cache.AddPlaced(msg.Order)
		return a.pages.broadcast(msg)
	case page.HeardMsg, page.DraftsMsg:
		return a.pages.broadcast(msg)
	case page.ToastMsg:
		return a.showToast(msg)
	case page.NoteMsg:
		a.showText(theme.Text, msg.Title, msg.Text)
		return notifyTerminal(a.opts.notices(), msg.Title)
	case page.CopiedMsg:
		return a.handleCopied(msg)
	case page.WorkMsg:
		a.status.updateWork(msg)
	case page.UndoMsg:
		return a.addUndo(msg)
	case deliveries.DownloadWork:
		return a.handleDownloadWork(msg)
	}
	return nil
}

// updateConnection records whether the service has responded, and reports news that arrived.
func (a *App) updateConnection() tea.Cmd {
	a.connection.update(a.env.Client, a.env.Now())
	items := a.env.Cache.News()
	if len(items) == 0 {
		return nil
	}
	return tea.Batch(a.reportNews(items), a.limiter.markStale())
}

// newOrder shows the new order page, or opens one. There is never a second: two
// pages would overwrite each other's draft.
func (a *App) newOrder() tea.Cmd {
	section, i, ok := a.pages.findPage(isNewOrder)
	if !ok {
		return a.pages.open(neworder.New(a.env, a.drafts))
	}
	a.pages.section = section
	return tea.Batch(a.pages.closeDownTo(i+1), a.pages.top().OnShow())
}

func isNewOrder(p page.Page) bool {
	_, is := p.(*neworder.NewOrder)
	return is
}

// activeScopes returns the scopes whose actions are available now.
func (a *App) activeScopes() []action.Scope {
	return append(a.pages.top().ActionScopes(), action.Everywhere)
}

// pressKey routes a key to the dialog on top, else to the action bound to it,
// else to the page as text.
func (a *App) pressKey(key tea.KeyPressMsg) tea.Cmd {
	a.status.toast = page.ToastMsg{} // it was about the key before
	name := key.String()
	if name == "ctrl+c" {
		return a.quitApp()
	}
	if name == "ctrl+z" {
		return a.suspend()
	}
	if a.dialogs.top() != nil {
		return a.dialogs.update(key, a.env.Now())
	}
	if a.jumps.on {
		return a.jumps.jumpTo(name)
	}
	p := a.pages.top()
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
		return a.pages.top().HandleAction(act.ID)
	}
	return a.performGlobal(act.ID)
}

// disabledReason returns why an action is disabled, "" if it is enabled. Pages
// cannot disable actions that work everywhere, so leaving is always possible.
func (a *App) disabledReason(act action.Action) string {
	switch {
	case a.opts.Terminal != nil && slices.Contains(notOffered, act.ID):
		return page.NotForGuests
	case (act.ID == action.Profiles || act.ID == action.LastProfile) && len(a.env.Profiles) < 2:
		return "only one profile; add more in config.toml (flightdesk config path)"
	case act.ID == action.EditProfile && (a.env.Setup == nil || a.env.Client == nil):
		return "only profiles of config.toml can be edited"
	case act.ID == action.ShowNotifications && len(a.news.unread) == 0:
		return "no notifications"
	case act.ID == action.Copied && a.copied.Text == "":
		return "nothing copied yet; press y to copy"
	case act.Scope == action.Everywhere:
		return a.missingReason(act.ID)
	}
	return cmp.Or(a.pages.top().ServiceInUse().RefusalOf(act.ChangeKind()), a.pages.top().DisabledReason(act.ID))
}

// routeText sends a paste to the dialog on top, else to the page.
func (a *App) routeText(msg tea.Msg) tea.Cmd {
	if a.dialogs.top() != nil {
		return a.dialogs.update(msg, a.env.Now())
	}
	return a.pages.top().Update(msg)
}

// performGlobal runs an action that works everywhere.
func (a *App) performGlobal(id action.ID) tea.Cmd {
	if s := findSection(id); s != nil {
		return a.goSection(s)
	}
	do := map[action.ID]func() tea.Cmd{
		action.Quit:              a.quitApp,
		action.Undo:              a.undoLast,
		action.Redo:              a.history.redo,
		action.Jump:              a.jumps.showLabels,
		action.Suspend:           a.suspend,
		action.Back:              a.goBack,
		action.Mouse:             a.mouse.toggle,
		action.Downloads:         a.toggleDownloads,
		action.Palette:           a.openPalette,
		action.Profiles:          a.chooseProfile,
		action.LastProfile:       a.connectPrevious,
		action.EditProfile:       a.editProfile,
		action.Help:              a.openHelp,
		action.AreaUnits:         a.nextAreaUnit,
		action.SiteTimes:         a.nextClock,
		action.ShowRequests:      a.openRequests,
		action.Copied:            a.openCopied,
		action.ShowNotifications: a.openNews,
	}[id]
	if do == nil {
		return nil
	}
	return do()
}

// goBack closes what the page has open, or else the page.
func (a *App) goBack() tea.Cmd {
	if a.pages.top().HandleBack() {
		return nil
	}
	return a.pages.backTo(len(a.pages.pages()) - 2)
}

// openRequests opens the request log, once.
func (a *App) openRequests() tea.Cmd {
	if _, is := a.pages.top().(*inspect.RequestsPage); is {
		return nil
	}
	return a.pages.open(inspect.NewRequests(a.env, ""))
}
