package tui

import (
	"errors"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"flightdesk/api/fetch"
	"flightdesk/tui/action"
	"flightdesk/tui/app/downloads"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// pulseTime is how often the meters move, and freePulses of them pass between
// two looks at the disk.
const (
	pulseTime  = 250 * time.Millisecond
	freePulses = 20
)

// downloadsID is the work that all downloads are, in the status row.
const downloadsID = "downloads"

// downloading follows what is fetched, whatever page is shown, and shows it in a
// panel.
type downloading struct {
	env       *page.Env // of the profile
	status    *status
	broadcast func(tea.Msg) tea.Cmd
	beats     int
	isBeating bool // a pulseMsg is on its way
}

// pulseMsg looks at the downloads while there are some.
type pulseMsg struct{ desk *downloads.State }

// hear takes what is said of the downloads; what is of another profile's comes
// too late.
func (d *downloading) hear(msg tea.Msg) tea.Cmd {
	desk := d.env.Downloads
	switch msg := msg.(type) {
	case downloads.Added:
		if msg.Desk == desk {
			return d.added(msg)
		}
	case page.DownloadsTouchedMsg:
		if msg.Desk == desk {
			return d.follow(desk.Refresh())
		}
	case downloads.FreeSpace:
		if msg.Desk == desk {
			desk.Free = msg.Free
		}
	case pulseMsg:
		if msg.desk == desk {
			return d.beat()
		}
	}
	return nil
}

// beat looks at the downloads, and now and then at the disk.
func (d *downloading) beat() tea.Cmd {
	d.isBeating = false
	d.beats++
	cmd := d.follow(d.env.Downloads.Refresh())
	if d.beats%freePulses == 0 {
		cmd = tea.Batch(cmd, page.Command(d.env.Downloads.AskFree()))
	}
	return cmd
}

// added says what came of fetching.
func (d *downloading) added(msg downloads.Added) tea.Cmd {
	desk := d.env.Downloads
	cmds := []tea.Cmd{d.follow(desk.Take(msg)), page.Keep(&d.env.Look)}
	switch {
	case msg.Err != nil:
		what, advice := labels.Explain(msg.Err)
		if errors.Is(msg.Err, fetch.ErrNoSpace) {
			what, advice = strings.TrimSuffix(what, " in "+desk.Dir()), "Free some space, or press e to select another folder."
		}
		cmds = append(cmds, page.Toast(theme.Bad, strings.TrimSpace(what+". "+advice)))
	case msg.Back && msg.Added > 0:
		cmds = append(cmds, page.Toast(theme.Text, format.Count(msg.Added, "download", "downloads")+" resumed · "+keyOf(action.Downloads)+" to show"))
	}
	return tea.Batch(cmds...)
}

// follow tells of what the downloads have come to, and looks again as long as
// there are some.
func (d *downloading) follow(c downloads.Change) tea.Cmd {
	desk := d.env.Downloads
	d.status.note(page.WorkMsg{
		ID: downloadsID, Text: desk.Line(), Done: desk.Done(), Failed: desk.Stuck() && !desk.Busy(), Over: desk.Unfinished() == 0,
	})
	var cmds []tea.Cmd
	if c.States || c.Ended {
		cmds = append(cmds, d.broadcast(page.DownloadsChangedMsg{Ended: c.Ended}), page.Keep(&d.env.Look))
	}
	if c.Ended && c.Done+c.Failed > 0 || c.Ended && c.Err != nil {
		toast := d.ended(c)
		cmds = append(cmds, d.status.show(toast), page.Command(desk.AskFree()), tea.Raw(ansi.Notify("flightdesk: "+layout.Clean(toast.Text))))
	}
	if desk.Busy() && !d.isBeating {
		d.isBeating = true
		cmds = append(cmds, d.env.After(pulseTime, pulseMsg{desk}))
	}
	return tea.Batch(cmds...)
}

// ended says how the downloads went.
func (d *downloading) ended(c downloads.Change) page.ToastMsg {
	said := fmt.Sprintf("%s (%s) downloaded to %s", format.Count(c.Done, "file", "files"), format.Bytes(c.Bytes), d.short(d.env.Downloads.Dir()))
	switch {
	case c.Err == nil:
		return page.ToastMsg{Role: theme.Good, Text: said}
	case errors.Is(c.Err, fetch.ErrNoSpace):
		return page.ToastMsg{Role: theme.Bad, Text: c.Err.Error() + ". Free some space, then press P; partial files are kept"}
	case c.Done == 0:
		return page.ToastMsg{Role: theme.Bad, Text: fmt.Sprintf("%s failed: %v", format.Count(c.Failed, "file", "files"), c.Err)}
	default:
		return page.ToastMsg{Role: theme.Bad, Text: fmt.Sprintf("%s; %d failed: %v", said, c.Failed, c.Err)}
	}
}

// comeBack goes on with what was being fetched when the app was left.
func (d *downloading) comeBack() tea.Cmd {
	if d.env.Downloads == nil {
		return nil
	}
	return page.Command(d.env.Downloads.ComeBack(d.env.Client))
}

// leave notes what is open, and returns what stops it.
func (d *downloading) leave() (stop func()) {
	if d.env.Downloads == nil {
		return func() {}
	}
	d.status.note(page.WorkMsg{ID: downloadsID, Over: true})
	return d.env.Downloads.Leave()
}

// unfinished says what of it quitting would stop, and of a profile that keeps
// it that it goes on.
func (d *downloading) unfinished(keeps bool) []string {
	if d.env.Downloads == nil || !d.env.Downloads.Busy() {
		return nil
	}
	lines := []string{d.env.Downloads.Line()}
	if keeps {
		lines = append(lines, "Downloads resume at the next start.")
	}
	return lines
}

// lost says what of it lies in a folder that ends with the run.
func (d *downloading) lost(dir string) []string {
	if d.env.Downloads == nil || d.env.Downloads.Dir() != dir {
		return nil
	}
	n := 0
	for i := range d.env.Downloads.Items {
		if state := d.env.Downloads.Items[i].State; state == fetch.Done || state == fetch.Here {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return []string{format.Count(n, "downloaded file", "downloaded files") + " in the demo folder."}
}

// isDownloading reports whether files are being downloaded.
func (a *App) isDownloading() bool { return a.env.Downloads != nil && a.env.Downloads.Busy() }

// toggle shows or hides the panel in a frame.
func (d *downloading) toggle(f *frame) tea.Cmd {
	if d.env.Downloads == nil {
		return page.Toast(theme.Attention, "downloads: not connected to a service yet")
	}
	d.env.Downloads.Toggle(d.height(f) > 0)
	return nil
}

const (
	panelMost = 7 // lines of the panel in a high window
	panelLow  = 4 // and in a low one
)

// height is how many lines the panel has, 0 where it is not shown. Where there
// is little room it is shown when it was asked for.
func (d *downloading) height(f *frame) int {
	desk := d.env.Downloads
	if desk == nil || !desk.Shown() || !f.hasRules() && !desk.Asked() {
		return 0
	}
	most := panelMost
	if f.h < 36 {
		most = panelLow
	}
	return min(desk.Rows(), most)
}

// rows draws what is being fetched, below whatever page is on the screen.
func (d *downloading) rows(f *frame) []string {
	h := d.height(f)
	if h == 0 {
		return nil
	}
	return layout.Lines(downloadPanel(d.env.Downloads, f.th, f.w, h, d.short))
}

// short writes a path for people.
func (d *downloading) short(path string) string { return page.Short(&d.env.Files, path) }
