package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/app/deliveries"
	"flightdesk/tui/page"
	"flightdesk/tui/page/inspect"
	"flightdesk/tui/page/neworder"
	"flightdesk/tui/theme"
)

// workspace has the pages and dialogs of the current profile, and its background work: changes that can still
// be undone, downloads, and reads from the service. When the profile is switched, the app creates a new
// workspace.
type workspace struct {
	env      *page.Env
	opts     *Options       // options of the current profile
	life     *page.Lifetime // ends with the app
	limiter  *frameLimiter
	terminal *terminal

	pages        stacks
	dialogs      dialogStack
	status       statusRow
	held         heldQueue // changes that wait before they are sent
	history      undoHistory
	quitWhenSent bool // quit once every held change is answered
	isQuitting   bool // the app is checking which drafts quitting would lose
	isCounting   bool // the next one-second tick is scheduled
	news         newsFeed
	downloads    downloadTimer
	reads        readProgress
	connection   connection
	recent       recentLabels
	search       accountSearch
	copied       page.CopiedMsg       // the last copied text, or only its description if it is secret
	viewed       map[string]*page.Env // accounts read with the operations key, by ID
}

// forProfile returns a workspace for another profile, without pages. The new workspace keeps the
// status row, the copied text and the timers that are running.
func (ws *workspace) forProfile(env *page.Env) workspace {
	return workspace{
		env:        env,
		opts:       ws.opts,
		life:       ws.life,
		limiter:    ws.limiter,
		terminal:   ws.terminal,
		status:     ws.status,
		isQuitting: ws.isQuitting,
		isCounting: ws.isCounting,
		copied:     ws.copied,
		search:     accountSearch{env: env, life: ws.life},
		viewed:     map[string]*page.Env{},
		pages:      stacks{stackOf: map[action.ID][]page.Page{}},
	}
}

// doMsg runs a function in the program's loop, for example after background work or a timer.
type doMsg struct {
	of    *page.Env      // the message is dropped if another profile is current; nil for any profile
	do    func() tea.Cmd // nil only redraws
	quiet bool           // the function changes nothing on the screen, so the view is not redrawn
}

// handleMessage handles messages of pages, timers and background work.
func (ws *workspace) handleMessage(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case doMsg:
		return ws.runFunction(msg)
	case page.ToPage:
		return tea.Batch(ws.handleToPage(msg), ws.updateConnection())
	case page.PlacedMsg:
		ws.env.Profile.Cache.AddPlaced(msg.Order)
		return ws.pages.broadcast(msg)
	case page.HeardMsg, page.DraftsMsg:
		return ws.pages.broadcast(msg)
	case page.ToastMsg:
		return ws.showToast(msg)
	case page.NoteMsg:
		ws.showText(theme.Text, msg.Title, msg.Text)
		return notifyTerminal(ws.opts.notices(), msg.Title)
	case page.CopiedMsg:
		return ws.handleCopied(msg)
	case page.WorkMsg:
		ws.status.updateWork(msg)
	case page.CheckScopesMsg:
		return ws.probeScopes()
	case page.UndoMsg:
		return ws.addUndo(msg)
	case deliveries.DownloadWork:
		return ws.handleDownloadWork(msg)
	}
	return nil
}

// runFunction calls the function of a message. It does nothing if the message belongs to a profile that is
// not current any more.
func (ws *workspace) runFunction(msg doMsg) tea.Cmd {
	isForOtherProfile := msg.of != nil && msg.of != ws.env
	if isForOtherProfile || msg.do == nil {
		return nil
	}
	return msg.do()
}

// handleToPage calls the function of a message for a page.
func (ws *workspace) handleToPage(msg page.ToPage) tea.Cmd {
	isRecipient := func(p page.Page) bool { return p.PageLifetime() == msg.Life }
	if slices.ContainsFunc(ws.pages.allPages(), isRecipient) {
		return msg.Do()
	}
	if msg.Closed != nil {
		return msg.Closed()
	}
	return nil
}

// updateConnection records whether the service has responded, and shows news that arrived.
func (ws *workspace) updateConnection() tea.Cmd {
	ws.connection.update(&ws.env.Profile.ProfileOptions, ws.env.Clock.Now())
	items := ws.env.Profile.Cache.News()
	if len(items) == 0 {
		return nil
	}
	return tea.Batch(ws.reportNews(items), ws.limiter.markStale())
}

// openNewOrderPage shows the new order page. It opens the page unless it is open already. There is never
// a second new order page, because the pages would overwrite each other's draft.
func (ws *workspace) openNewOrderPage() tea.Cmd {
	section, i, ok := ws.pages.findPage(isNewOrder)
	if !ok {
		return ws.pages.open(neworder.New(ws.env, ws.env.Drafts))
	}
	ws.pages.section = section
	return tea.Batch(ws.pages.closeDownTo(i+1), ws.pages.top().OnShow())
}

func isNewOrder(p page.Page) bool {
	_, is := p.(*neworder.NewOrder)
	return is
}

// goBack lets the page handle esc, for example to leave a mode. Otherwise it closes the page.
func (ws *workspace) goBack() tea.Cmd {
	if cmd, handled := ws.pages.top().HandleBack(); handled {
		return cmd
	}
	return ws.pages.backTo(len(ws.pages.pages()) - 2)
}

// openRequests opens the request log, unless it is already shown.
func (ws *workspace) openRequests() tea.Cmd {
	if _, isShown := ws.pages.top().(*inspect.RequestsPage); isShown {
		return nil
	}
	return ws.pages.open(inspect.NewRequests(ws.env, ""))
}
