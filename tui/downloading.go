package tui

import (
	"errors"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"flightdesk/api/fetch"
	"flightdesk/tui/app/downloads"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// Downloads are what is fetched, whatever page is shown; nil without a service.
func (a *App) Downloads() *downloads.State { return a.env.Downloads }

// pulseTime is how often the meters move, and freePulses of them pass between
// two looks at the disk.
const (
	pulseTime  = 250 * time.Millisecond
	freePulses = 20
)

// downloadsID is the work that all downloads are, in the status row.
const downloadsID = "downloads"

// pulse is the look at the downloads while there are some.
type pulse struct {
	on bool // a pulseMsg is on its way
	n  int
}

type pulseMsg struct{ desk *downloads.State }

// downloading takes what is said of the downloads; what is of another profile's
// comes too late.
func (a *App) downloading(msg tea.Msg) tea.Cmd {
	desk := a.env.Downloads
	switch msg := msg.(type) {
	case downloads.Added:
		if msg.Desk == desk {
			return a.added(msg)
		}
	case page.DownloadsTouchedMsg:
		if msg.Desk == desk {
			return a.follow(desk.Refresh())
		}
	case downloads.FreeSpace:
		if msg.Desk == desk {
			desk.Free = msg.Free
		}
	case pulseMsg:
		if msg.desk == desk {
			return a.beat()
		}
	}
	return nil
}

// beat looks at the downloads, and now and then at the disk.
func (a *App) beat() tea.Cmd {
	a.pulse.on = false
	a.pulse.n++
	cmd := a.follow(a.env.Downloads.Refresh())
	if a.pulse.n%freePulses == 0 {
		cmd = tea.Batch(cmd, page.Command(a.env.Downloads.AskFree()))
	}
	return cmd
}

// added says what came of fetching.
func (a *App) added(msg downloads.Added) tea.Cmd {
	desk := a.env.Downloads
	cmds := []tea.Cmd{a.follow(desk.Take(msg)), page.Keep(&a.env.Look)}
	switch {
	case msg.Err != nil:
		what, advice := labels.Explain(msg.Err)
		if errors.Is(msg.Err, fetch.ErrNoSpace) {
			what, advice = strings.TrimSuffix(what, " in "+desk.Dir()), "Free some; e chooses another folder."
		}
		cmds = append(cmds, page.Toast(theme.Bad, strings.TrimSpace(what+". "+advice)))
	case msg.Back && msg.Added > 0:
		cmds = append(cmds, page.Toast(theme.Text, format.Count(msg.Added, "download goes", "downloads go")+" on where it was left; D shows it"))
	}
	return tea.Batch(cmds...)
}

// follow tells of what the downloads have come to, and looks again as long as
// there are some.
func (a *App) follow(c downloads.Change) tea.Cmd {
	desk := a.env.Downloads
	a.status.note(page.WorkMsg{
		ID: downloadsID, Text: desk.Line(), Done: desk.Done(), Failed: desk.Stuck() && !desk.Busy(), Over: desk.Unfinished() == 0,
	})
	var cmds []tea.Cmd
	if c.States || c.Ended {
		cmds = append(cmds, a.stacks.broadcast(page.DownloadsChangedMsg{Ended: c.Ended}), page.Keep(&a.env.Look))
	}
	if c.Ended && c.Done+c.Failed > 0 || c.Ended && c.Err != nil {
		toast := a.ended(c)
		cmds = append(cmds, a.status.show(toast), page.Command(desk.AskFree()), tea.Raw(ansi.Notify("flightdesk: "+layout.Clean(toast.Text))))
	}
	if desk.Busy() && !a.pulse.on {
		a.pulse.on = true
		cmds = append(cmds, a.env.After(pulseTime, pulseMsg{desk}))
	}
	return tea.Batch(cmds...)
}

// ended says how the downloads went.
func (a *App) ended(c downloads.Change) page.ToastMsg {
	said := fmt.Sprintf("fetched %s, %s, to %s", format.Count(c.Done, "file", "files"), format.Bytes(c.Bytes), page.Short(&a.env.Files, a.env.Downloads.Dir()))
	switch {
	case c.Err == nil:
		return page.ToastMsg{Role: theme.Good, Text: said}
	case errors.Is(c.Err, fetch.ErrNoSpace):
		return page.ToastMsg{Role: theme.Bad, Text: c.Err.Error() + "; what is there is kept, P goes on"}
	case c.Done == 0:
		return page.ToastMsg{Role: theme.Bad, Text: fmt.Sprintf("%s failed: %v", format.Count(c.Failed, "file", "files"), c.Err)}
	default:
		return page.ToastMsg{Role: theme.Bad, Text: fmt.Sprintf("%s; %d failed: %v", said, c.Failed, c.Err)}
	}
}

// comeBack goes on with what was being fetched when the app was left.
func (a *App) comeBack() tea.Cmd {
	if a.env.Downloads == nil {
		return nil
	}
	return page.Command(a.env.Downloads.ComeBack(a.env.Client))
}

// stopDownloads notes what is open, and returns what stops it.
func (a *App) stopDownloads() (stop func()) {
	if a.env.Downloads == nil {
		return func() {}
	}
	a.pulse.on = false
	a.status.note(page.WorkMsg{ID: downloadsID, Over: true})
	return a.env.Downloads.Leave()
}

// unfinished says what of the downloads quitting would stop.
func (a *App) unfinished() []string {
	if a.env.Downloads == nil || !a.env.Downloads.Busy() {
		return nil
	}
	if a.isDemo() {
		return []string{a.env.Downloads.Line()}
	}
	return []string{a.env.Downloads.Line(), "What is here is kept; it goes on when you come back."}
}

// toggleDownloads shows or hides the panel.
func (a *App) toggleDownloads() tea.Cmd {
	if a.env.Downloads == nil {
		return page.Toast(theme.Attention, "downloads: there is no service yet to fetch from")
	}
	a.env.Downloads.Toggle(a.panelHeight() > 0)
	return nil
}

const (
	panelMost = 7 // lines of the panel in a high window
	panelLow  = 4 // and in a low one
)

// panelHeight is how many lines the panel of the downloads has, 0 where it is
// not shown. Where there is little room it is shown when it was asked for.
func (a *App) panelHeight() int {
	desk := a.env.Downloads
	if desk == nil || !desk.Shown() || !a.rules() && !desk.Asked() {
		return 0
	}
	most := panelMost
	if a.h < 36 {
		most = panelLow
	}
	return min(desk.Rows(), most)
}

// panel draws what is being fetched, below whatever page is on the screen.
func (a *App) panel() []string {
	h := a.panelHeight()
	if h == 0 {
		return nil
	}
	return layout.Lines(downloadPanel(a.env.Downloads, a.env.Theme, a.w, h, func(path string) string { return page.Short(&a.env.Files, path) }))
}
