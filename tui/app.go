package tui

import (
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"flightdesk/tui/action"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/page"
	"flightdesk/tui/page/neworder"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/picture"
)

// Smallest usable size.
const minWidth, minHeight = 60, 18

// App is the root model: the size, the sections' stacks of pages, a stack of
// dialogs and the status row. What the pages are about it does not know.
type App struct {
	env           *page.Env
	life          *page.Lifetime // of the app
	opts          Options
	w, h          int
	stacks        stacks
	dialogs       []page.Dialog
	link          link
	status        status
	pending       pending
	limiter       frameLimiter
	drafts        *ordering.Drafts // of the profile
	scratch       scratch
	notifications notifications
	reading       reading
	quitting      bool                        // what quitting would lose is being read
	keepers       map[string]*ordering.Drafts // of every profile that was shown, by folder
	crash         *Crash
	appearance    appearance
	mouse         mouse
	offline       offlineCopy // of the profile
	units         units       // of the profile
	pulse         pulse
	jumps         jumps
	box           box
	recent        []string // labels of what was run from the palette, the last one first

	switches int    // numbers the profiles that were asked for
	before   string // the profile that was shown before, "" for none
	feeds    leftFeeds
}

// New makes the app; it begins with the first section.
func New(opts Options) *App {
	a := &App{opts: opts, env: opts.env(), life: page.NewLifetime(), keepers: map[string]*ordering.Drafts{}}
	a.appearance = newAppearance(&a.opts, a.env.Theme)
	a.status.after = a.env.After
	a.limiter = frameLimiter{now: time.Now, after: a.env.After, dirty: true}
	if opts.Now != nil {
		a.limiter.now = opts.Now
	}
	a.equip()
	return a
}

// Close ends all pages and brings what they keep to disk. It is called when the
// program has ended, however that came.
func (a *App) Close() error {
	a.life.End()
	for _, p := range a.stacks.all() {
		p.Life().End()
	}
	stop := a.stopDownloads()
	if a.crash != nil {
		stop = within(crashTime, stop)
	}
	stop()
	err := a.feeds.close(a.env.Feed)
	for _, keeper := range a.keepers {
		err = errors.Join(err, keeper.Close())
	}
	return errors.Join(err, a.offline.save(), a.env.UIState.Flush(), a.scratch.remove())
}

// Init starts the first page and asks the terminal for its background.
func (a *App) Init() tea.Cmd {
	return guarded(tea.Batch(a.stacks.top().Start(), a.comeBack(), a.appearance.look(a.env.After), a.appearance.askGraphics(a.opts.Graphics), a.env.After(townsTime, townsMsg{}), a.env.After(time.Minute, minuteMsg{}), a.reading.begin(a.env), a.offline.load()))
}

// Update routes a message to the dialog, the page or the root, and marks the
// view stale.
func (a *App) Update(msg tea.Msg) (m tea.Model, cmd tea.Cmd) {
	defer func() { m = a }() // also after a panic
	defer a.guard(&cmd)
	switch msg := msg.(type) {
	case frameMsg:
		a.limiter.open()
		return a, nil
	case page.CrashMsg:
		a.fail(msg)
	case tea.KeyPressMsg, tea.MouseWheelMsg:
		a.limiter.key()
	}
	if a.crash != nil {
		return a, tea.Quit
	}
	cmd = a.route(msg)
	if !isQuiet(msg) {
		cmd = tea.Batch(cmd, a.limiter.touch())
	}
	return a, guarded(tea.Batch(a.readOn(), cmd, a.limiter.settle()))
}

// route takes what the terminal says; the rest goes on to hear.
func (a *App) route(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		a.w, a.h, a.env.Width, a.env.Height = msg.Width, msg.Height, msg.Width, msg.Height
		a.jumps.on = false
		a.limiter.open()
		return a.stacks.broadcast(msg)
	case tea.ColorProfileMsg:
		a.appearance.colours = msg.Profile
		a.appearance.use(a.appearance.name)
	case tea.BackgroundColorMsg:
		a.appearance.retheme(msg.IsDark())
	case tea.TerminalVersionMsg:
		a.env.Graphics = picture.GraphicsOf(msg.Name)
	case uv.DarkColorSchemeEvent, uv.LightColorSchemeEvent, tea.ResumeMsg:
		return a.appearance.lookAgain(msg)
	case tea.KeyPressMsg:
		return a.press(msg)
	case tea.MouseMotionMsg, tea.MouseReleaseMsg:
		if len(a.dialogs) == 0 {
			return drag(msg.(tea.MouseMsg), a.headHeight(), a.stacks.top())
		}
	case tea.MouseClickMsg, tea.MouseWheelMsg:
		return a.point(msg.(tea.MouseMsg))
	case tea.PasteMsg:
		return a.text(msg)
	default:
		return a.hear(msg)
	}
	return nil
}

// hear takes what pages, timers and the root's own work say.
func (a *App) hear(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.ToPage:
		a.listen()
		return tea.Batch(a.stacks.deliver(msg), a.news())
	case tickMsg, readMsg, tellMsg, keptMsg:
		return a.hearReading(msg)
	case page.PlacedMsg, page.HeardMsg:
		return a.stacks.broadcast(msg)
	case page.ToastMsg:
		return a.status.show(msg)
	case page.WorkMsg:
		a.status.note(msg)
	case page.UndoMsg:
		return a.pending.keepUndo(msg)
	case switchedMsg:
		return a.switched(msg)
	case leaveMsg:
		return a.pending.leave(msg.number)
	case quitMsg:
		return a.askToQuit(msg)
	case leftMsg:
		return a.pending.left(msg)
	case actMsg:
		return a.act(msg.action)
	default:
		return a.due(msg)
	}
	return nil
}

// newOrder goes back to the new order that is on a stack, or opens one: two
// pages on one draft would undo each other.
func (a *App) newOrder() tea.Cmd {
	id, i, ok := a.stacks.find(func(p page.Page) bool { _, is := p.(*neworder.NewOrder); return is })
	if !ok {
		return a.stacks.open(neworder.New(a.env, a.drafts))
	}
	a.stacks.now = id
	return tea.Batch(a.stacks.closeDownTo(i+1), a.stacks.top().Start())
}

// scopes are those that hold now.
func (a *App) scopes() []action.Scope { return append(a.stacks.top().Scopes(), action.Everywhere) }

// press is a key's way: dialog, then action, then text of the page.
func (a *App) press(key tea.KeyPressMsg) tea.Cmd {
	a.status.toast = page.ToastMsg{} // it was about the key before
	name := key.String()
	if name == "ctrl+c" {
		return a.quit()
	}
	if name == "ctrl+z" {
		return a.appearance.suspend(a.opts.Post)
	}
	if len(a.dialogs) > 0 {
		return a.text(key)
	}
	if a.jumps.on {
		return a.jumps.to(name)
	}
	p := a.stacks.top()
	if p.Typing() && !action.Works(name) {
		return p.Update(key)
	}
	act, ok := action.Find(name, a.scopes()...)
	if !ok {
		return p.Update(key)
	}
	return a.act(act)
}

// act performs an action, or says why it is off.
func (a *App) act(act action.Action) tea.Cmd {
	switch {
	case a.off(act) != "":
		return page.Toast(theme.Attention, act.Title+": "+a.off(act))
	case act.Scope != action.Everywhere:
		return a.stacks.top().Do(act.ID)
	}
	return a.do(act.ID)
}

// readOnly is why what changes the service is off.
const readOnly = "this profile is read-only"

// off says why an action is off. What works everywhere is never a page's to
// turn off: one can always leave.
func (a *App) off(act action.Action) string {
	switch {
	case (act.ID == action.Profiles || act.ID == action.LastProfile) && len(a.opts.Profiles) < 2:
		return "there is one profile only; flightdesk config path says where more are written"
	case act.ID == action.News && len(a.notifications.all) == 0:
		return "nothing has come since the app began"
	case act.ID == action.ShowWire && a.env.RequestLog == nil:
		return "there is no service yet"
	case act.Scope == action.Everywhere:
		return missing(a.env, act.ID)
	}
	if why := a.stacks.top().Disabled(act.ID); why != "" || !a.env.ReadOnly || !act.Changes() {
		return why
	}
	return readOnly
}

// text goes to the dialog on top, or else to the page.
func (a *App) text(msg tea.Msg) tea.Cmd {
	if len(a.dialogs) == 0 {
		return a.stacks.top().Update(msg)
	}
	return a.dialog(func(d page.Dialog) (tea.Cmd, bool) { return d.Update(msg) })
}

// do performs what works everywhere.
func (a *App) do(id action.ID) tea.Cmd {
	if s, ok := section(offered(a.env), id); ok {
		return a.goSection(s)
	}
	switch id {
	case action.Quit:
		return a.quit()
	case action.Undo:
		return a.pending.undo()
	case action.Jump:
		a.jumps.on = true
	case action.Suspend:
		return a.appearance.suspend(a.opts.Post)
	case action.Back:
		if !a.stacks.top().Back() {
			return a.stacks.back()
		}
	case action.Mouse:
		return a.mouse.toggle()
	case action.Downloads:
		return a.toggleDownloads()
	case action.Palette, action.Profiles, action.Help:
		return a.overlay(id)
	case action.LastProfile:
		return a.lastProfile()
	case action.ShowWire:
		return a.showWire()
	case action.AreaUnits, action.SiteTimes:
		return a.units.next(id)
	case action.News:
		return a.showNews()
	}
	return nil
}
