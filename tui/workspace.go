package tui

import (
	"flightdesk/tui/action"
	"flightdesk/tui/page"
)

// workspace is what the app shows of the current profile, and the work in the background:
// pages, dialogs, changes that are held back, downloads and reads. Another profile starts
// with an empty one.
type workspace struct {
	env      *page.Env
	opts     *Options       // of the current profile
	life     *page.Lifetime // ends with the app
	limiter  *frameLimiter
	terminal *terminal

	pages        stacks
	dialogs      dialogStack
	status       statusRow
	held         heldQueue
	history      undoHistory
	quitWhenSent bool // quit once every held change is answered
	isQuitting   bool // reading which drafts quitting would lose
	isCounting   bool // the end of a second is waited for
	news         newsFeed
	downloads    downloadTimer
	reads        readProgress
	connection   connection
	recent       recentLabels
	copied       page.CopiedMsg       // the last one; without its text if that is secret
	viewed       map[string]*page.Env // accounts read with the operations key, by ID
}

// forProfile returns an empty workspace for another profile. The status row, the copied
// text and pending timers stay as they are.
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
		viewed:     map[string]*page.Env{},
		pages:      stacks{stackOf: map[action.ID][]page.Page{}},
	}
}
