package tui

import (
	"fmt"
	"os"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
	"flightdesk/tui/widget"
)

const quitTitle = "Quit"

// isDemo reports whether the run is a demo. A demo deletes all its data on exit.
func (o *Options) isDemo() bool { return o.ServerMode && o.Profile == session.Demo }

// quitApp quits. It first asks the user if a change is not sent yet, or if a draft or download would be lost.
// If the user quits again while it asks or still looks for drafts, the app ends immediately: held changes are
// dropped, and quitApp does not wait for a slow disk.
func (ws *workspace) quitApp() tea.Cmd {
	question, ok := ws.dialogs.top().(*widget.Question)
	isAsking := ok && question.Title == quitTitle
	if ws.isQuitting || isAsking {
		return tea.Quit
	}
	if ws.env.Drafts == nil {
		return ws.confirmQuit(nil)
	}
	ws.isQuitting = true
	describe := ws.describeLostDrafts()
	return func() tea.Msg {
		drafts := describe()
		return doMsg{do: func() tea.Cmd {
			ws.isQuitting = false
			return ws.confirmQuit(drafts)
		}}
	}
}

// describeLostDrafts returns a function that describes the drafts that quitting would lose. The function
// first saves the current draft, so it must be called in the background. It describes the draft only if it
// cannot be saved. In a demo it describes all drafts, because a demo deletes its drafts on exit.
func (ws *workspace) describeLostDrafts() func() []string {
	if ws.opts.isDemo() {
		return ws.describeDemoDrafts()
	}
	rescueFolders := []string{ws.opts.Folder, ws.env.Files.Home, os.TempDir()}
	if ws.opts.Terminal != nil { // a guest's drafts must not be saved in other folders
		rescueFolders = rescueFolders[:1]
	}
	rescue := ws.env.Drafts.Rescue(rescueFolders...)
	shortPath := ws.env.Files.ShortPath
	draftFolder := shortPath(ws.opts.Drafts)
	return func() []string {
		copies, err := rescue()
		if err == nil {
			return nil // all drafts are saved
		}
		for i := range copies {
			copies[i] = shortPath(copies[i])
		}
		return describeUnsaved(err, copies, draftFolder)
	}
}

// describeUnsaved describes a draft that could not be saved in draftFolder. copies are the paths where copies
// of the draft were saved instead, if any.
func describeUnsaved(err error, copies []string, draftFolder string) []string {
	lines := []string{"The draft could not be saved: " + format.DescribeFileFault(err) + "."}
	if len(copies) == 0 {
		return append(lines, "No other folder could be written. Quitting loses its unsaved changes.")
	}
	for _, path := range copies {
		lines = append(lines, "Saved a copy: "+path)
	}
	return append(lines, "To continue with it later, move it to "+draftFolder+".")
}

// describeDemoDrafts returns a function that describes all drafts of a demo.
func (ws *workspace) describeDemoDrafts() func() []string {
	list := ws.env.Drafts.ListStored()
	return func() []string {
		var lines []string
		for _, draft := range list() {
			state := "is not placed"
			if !draft.Sent.IsZero() {
				state = "was sent and is not confirmed"
			}
			sites := format.Count(draft.Sites, "site")
			lines = append(lines, fmt.Sprintf("Draft %s (%s) %s.", draft.Title, sites, state))
		}
		return lines
	}
}

// describeDemoLoss returns a sentence about what is deleted at the end of a demo. Downloads are deleted only if
// they are in the demo's folder, and kept if the user has chosen another folder.
func describeDemoLoss(inDemoFolder bool) string {
	if inDemoFolder {
		return "The demo deletes drafts and downloads on exit."
	}
	return "The demo deletes drafts on exit; downloads stay in their folder."
}

// confirmQuit quits, or asks the user first if changes are held or something would be lost. drafts
// describes the drafts that would be lost.
func (ws *workspace) confirmQuit(drafts []string) tea.Cmd {
	var pending []string
	for _, change := range ws.held.waiting {
		pending = append(pending, "Pending: "+change.Text)
	}
	losses := ws.describeLosses(drafts)
	if len(pending) == 0 && len(losses) == 0 {
		return tea.Quit
	}
	yes := "quit"
	if len(pending) > 0 {
		yes = "send and quit"
	}
	ws.dialogs.push(&widget.Question{
		Title: quitTitle,
		Lines: append(pending, losses...),
		Yes:   yes,
		No:    "back",
		OnYes: ws.sendNextOrQuit,
	})
	return nil
}

// describeLosses describes what quitting would lose: the downloads that it stops, the given drafts, and in a demo
// the data that is deleted at its end. It returns nil if nothing would be lost.
func (ws *workspace) describeLosses(drafts []string) []string {
	profile := &ws.env.Profile
	losses := describeUnfinished(profile.Downloads, ws.opts.isDemo(), profile.Fetch.Dir)
	losses = append(losses, drafts...)
	if ws.opts.isDemo() && len(losses) > 0 {
		inDemoFolder := profile.Downloads.Dir() == profile.Fetch.Dir
		losses = append(losses, describeDemoLoss(inDemoFolder))
	}
	return losses
}

// sendNextOrQuit sends the oldest held change. It quits if no change is held and none is being
// sent. handleSent calls it again after each response, so that the app quits after the last one.
func (ws *workspace) sendNextOrQuit() tea.Cmd {
	ws.quitWhenSent = true
	if len(ws.held.waiting) > 0 {
		return ws.sendChanges(ws.held.pop(1))
	}
	if len(ws.held.sending) > 0 {
		return nil
	}
	return tea.Quit
}
