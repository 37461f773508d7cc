package tui

import (
	"errors"
	"fmt"
	"slices"
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
	"flightdesk/tui/widget"
)

// pulseTime is how often the meters move, and freePulses of them pass between
// two looks at the disk.
const (
	pulseTime  = 250 * time.Millisecond
	freePulses = 20
)

// downloadsID is the work that all downloads are, in the status row.
const downloadsID = "downloads"

// downloadFollower follows what is fetched, whatever page is shown, and shows it in a
// panel.
type downloadFollower struct {
	env       *page.Env // of the profile
	status    *status
	broadcast func(tea.Msg) tea.Cmd
	beats     int
	isBeating bool // a pulseMsg is on its way
}

// pulseMsg looks at the downloads while there are some.
type pulseMsg struct{ desk *downloads.State }

// handleMessage takes what is said of the downloads; what is of another profile's comes
// too late.
func (d *downloadFollower) handleMessage(msg tea.Msg) tea.Cmd {
	desk := d.env.Downloads
	switch msg := msg.(type) {
	case downloads.Added:
		if msg.Desk == desk {
			return d.reportAdded(msg)
		}
	case page.DownloadsTouchedMsg:
		if msg.Desk == desk {
			return d.reportChange(desk.Refresh())
		}
	case downloads.FreeSpace:
		if msg.Desk == desk {
			desk.Free = msg.Free
		}
	case pulseMsg:
		if msg.desk == desk {
			return d.checkDownloads()
		}
	}
	return nil
}

// checkDownloads looks at the downloads, and now and then at the disk.
func (d *downloadFollower) checkDownloads() tea.Cmd {
	d.isBeating = false
	d.beats++
	cmd := d.reportChange(d.env.Downloads.Refresh())
	if d.beats%freePulses == 0 {
		cmd = tea.Batch(cmd, page.BackgroundCommand(d.env.Downloads.AskFree()))
	}
	return cmd
}

// reportAdded says what came of fetching.
func (d *downloadFollower) reportAdded(msg downloads.Added) tea.Cmd {
	desk := d.env.Downloads
	cmds := []tea.Cmd{d.reportChange(desk.Take(msg)), page.KeepLook(&d.env.PageLook)}
	switch {
	case msg.Err != nil:
		what, advice := labels.ExplainError(msg.Err)
		if errors.Is(msg.Err, fetch.ErrNoSpace) {
			what = strings.TrimSuffix(what, " in "+desk.Dir())
			advice = "Free some space, or press e to select another folder."
		}
		cmds = append(cmds, page.ShowToast(theme.Bad, strings.TrimSpace(what+". "+advice)))
	case msg.Back && msg.Added > 0:
		text := format.Count(msg.Added, "download", "downloads") + " resumed · " + keyOf(action.Downloads) + " to show"
		cmds = append(cmds, page.ShowToast(theme.Text, text))
	}
	return tea.Batch(cmds...)
}

// reportChange tells of what the downloads have come to, and looks again as long as
// there are some.
func (d *downloadFollower) reportChange(c downloads.Change) tea.Cmd {
	desk := d.env.Downloads
	d.status.note(page.WorkMsg{
		ID:     downloadsID,
		Text:   desk.Line(),
		Done:   desk.Done(),
		Failed: desk.Stuck() && !desk.Busy(),
		Over:   desk.Unfinished() == 0,
	})
	var cmds []tea.Cmd
	if c.States || c.Ended {
		cmds = append(cmds, d.broadcast(page.DownloadsChangedMsg{Ended: c.Ended}), page.KeepLook(&d.env.PageLook))
	}
	if c.Ended && c.Done+c.Failed > 0 || c.Ended && c.Err != nil {
		toast := d.reportEnded(c)
		cmds = append(
			cmds,
			d.status.show(toast),
			page.BackgroundCommand(desk.AskFree()),
			tea.Raw(ansi.Notify("flightdesk: "+layout.Clean(toast.Text))),
		)
	}
	if desk.Busy() && !d.isBeating {
		d.isBeating = true
		cmds = append(cmds, d.env.After(pulseTime, pulseMsg{desk}))
	}
	return tea.Batch(cmds...)
}

// reportEnded says how the downloads went.
func (d *downloadFollower) reportEnded(c downloads.Change) page.ToastMsg {
	said := fmt.Sprintf(
		"%s (%s) downloaded to %s",
		format.Count(c.Done, "file", "files"),
		format.Bytes(c.Bytes),
		d.shortPath(d.env.Downloads.Dir()),
	)
	switch {
	case c.Err == nil:
		return page.ToastMsg{Role: theme.Good, Text: said}
	case errors.Is(c.Err, fetch.ErrNoSpace):
		return page.ToastMsg{
			Role: theme.Bad,
			Text: c.Err.Error() + ". Free some space, then press P; partial files are kept",
		}
	case c.Done == 0:
		return page.ToastMsg{
			Role: theme.Bad,
			Text: fmt.Sprintf("%s failed: %v", format.Count(c.Failed, "file", "files"), c.Err),
		}
	default:
		return page.ToastMsg{Role: theme.Bad, Text: fmt.Sprintf("%s; %d failed: %v", said, c.Failed, c.Err)}
	}
}

// comeBack goes on with what was being fetched when the app was left.
func (d *downloadFollower) comeBack() tea.Cmd {
	if d.env.Downloads == nil {
		return nil
	}
	return page.BackgroundCommand(d.env.Downloads.ComeBack(d.env.Client))
}

// stopAll notes what is open, and returns what stops it.
func (d *downloadFollower) stopAll() (stop func()) {
	if d.env.Downloads == nil {
		return func() {}
	}
	d.status.note(page.WorkMsg{ID: downloadsID, Over: true})
	return d.env.Downloads.Leave()
}

// describeUnfinished says what of it quitting would stop, and of a profile that keeps
// it that it goes on.
func (d *downloadFollower) describeUnfinished(keeps bool) []string {
	if d.env.Downloads == nil || !d.env.Downloads.Busy() {
		return nil
	}
	lines := []string{d.env.Downloads.Line()}
	if keeps {
		lines = append(lines, "Downloads resume at the next start.")
	}
	return lines
}

// describeLost says what of it lies in a folder that ends with the run.
func (d *downloadFollower) describeLost(dir string) []string {
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

// togglePanel shows or hides the panel in a frame.
func (d *downloadFollower) togglePanel(f *pageFrame) tea.Cmd {
	if d.env.Downloads == nil {
		return page.ShowToast(theme.Attention, "downloads: not connected to a service yet")
	}
	d.env.Downloads.Toggle(d.panelHeight(f) > 0)
	return nil
}

const (
	panelMost = 7 // lines of the panel in a high window
	panelLow  = 4 // and in a low one
)

// panelHeight returns how many lines the panel has, 0 where it is not shown. Where there
// is little room it is shown when it was asked for.
func (d *downloadFollower) panelHeight(f *pageFrame) int {
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

// drawRows draws what is being fetched, below whatever page is on the screen.
func (d *downloadFollower) drawRows(f *pageFrame) []string {
	h := d.panelHeight(f)
	if h == 0 {
		return nil
	}
	return layout.SplitLines(downloadPanel(d.env.Downloads, f.th, f.w, h, d.shortPath))
}

// shortPath writes a path for people.
func (d *downloadFollower) shortPath(path string) string {
	return page.ShortPath(&d.env.FileAccess, path)
}

// downloadMarks are what states are told by, besides their words.
var downloadMarks = map[fetch.State]struct {
	glyph string
	role  theme.Role
}{
	fetch.Waiting:  {"·", theme.Pending},
	fetch.Fetching: {"↓", theme.InProgress},
	fetch.Paused:   {"=", theme.Pending},
	fetch.Failed: {
		"!",
		theme.Bad,
	},
	fetch.Cancelled: {"–", theme.Muted},
	fetch.Done:      {"✓", theme.Good},
	fetch.Here:      {"✓", theme.Good},
}

// downloadRank is the order in which the panel shows states: what moves or needs
// somebody comes first.
var downloadRank = map[fetch.State]int{
	fetch.Fetching:  0,
	fetch.Failed:    1,
	fetch.Waiting:   3,
	fetch.Paused:    2,
	fetch.Done:      4,
	fetch.Here:      5,
	fetch.Cancelled: 6,
}

// downloadPanel draws the downloads into exactly h lines of w cells; short
// writes a path for people.
func downloadPanel(d *downloads.State, th *theme.Theme, w, h int, short func(string) string) string {
	if h <= 0 {
		return ""
	}
	lines := []string{downloadTitle(d, th, w, short)}
	if len(d.Items) == 0 {
		lines = append(lines, th.PaintMuted(" No downloads. Press f in Deliveries to start one."))
		return layout.FitBox(lines, w, h)
	}
	items := slices.Clone(d.Items)
	slices.SortStableFunc(items, func(a, b fetch.Item) int { return downloadRank[a.State] - downloadRank[b.State] })
	room := max(1, h-2)
	meters := make([]widget.Meter, 0, room+1)
	for i := range items[:min(room, len(items))] {
		meters = append(meters, downloadMeter(&items[i]))
	}
	if h > 2 {
		meters = append(meters, totalMeter(d))
	}
	return layout.FitBox(append(lines, layout.SplitLines(widget.ViewMeters(th, meters, w, len(meters)))...), w, h)
}

func downloadTitle(d *downloads.State, th *theme.Theme, w int, short func(string) string) string {
	count := " "
	if n := len(d.Items) - d.Sum.Count[fetch.Cancelled]; n > 0 {
		count = fmt.Sprintf("  %d of %d ", d.Sum.Count[fetch.Done]+d.Sum.Count[fetch.Here], n)
	}
	left := layout.CleanText(th.Rule, "─ ") + th.PaintTitle("Downloads") + th.PaintMuted(count)
	free := ""
	if d.Free >= 0 {
		free = "  " + format.Bytes(d.Free) + " free"
	}
	dir := layout.Clean(short(d.Dir()))
	right := th.PaintMuted(
		" to " + layout.CutMiddle(dir, max(8, w-layout.Width(left)-layout.Width(free)-8)) + free + " ",
	)
	rule := max(0, w-layout.Width(left)-layout.Width(right))
	return layout.CutLine(left+layout.CleanText(th.Rule, strings.Repeat("─", rule))+right, w)
}

func downloadMeter(it *fetch.Item) widget.Meter {
	mark := downloadMarks[it.State]
	m := widget.Meter{Label: mark.glyph + " " + it.Name, Middle: true, Role: mark.role, Unknown: it.Size < 0}
	if it.Size > 0 {
		m.Share = float64(it.Done) / float64(it.Size)
	}
	if it.Size == 0 && it.State.IsFinal() {
		m.Share = 1
	}
	m.Note = layout.FitLeft(downloads.Share(it.Done, it.Size), 20) + "  " + itemNote(it)
	return m
}

// itemNote returns what there is to say of an item besides its size.
func itemNote(it *fetch.Item) string {
	switch {
	case it.Err != nil:
		return it.Err.Error()
	case it.State != fetch.Fetching:
		return it.State.String()
	case it.Note != "":
		return it.Note
	case it.Done == it.Size:
		return "verifying"
	}
	text := layout.FitRight(downloads.Speed(it.Speed), 10) + "  " + layout.FitRight(downloads.Lasts(it.Left), 9)
	if it.Connections > 1 {
		text += "  " + format.Count(it.Connections, "part", "parts")
	}
	return text
}

// totalMeter returns the meter of everything together.
func totalMeter(d *downloads.State) widget.Meter {
	s := &d.Sum
	limit := "no limit"
	if s.Rate > 0 {
		limit = "limit " + downloads.Speed(float64(s.Rate))
	}
	label := "✓ "
	if d.Unfinished() > 0 {
		label = "= "
	}
	label += format.Count(len(d.Items)-s.Count[fetch.Cancelled], "file", "files")
	m := widget.Meter{Label: label, Role: theme.Accent}
	if m.Share = max(0, d.Done()); s.Size == 0 {
		m.Unknown = s.IsBusy()
	}
	m.Note = layout.FitLeft(downloads.Share(s.Done, s.Size), 20) + "  "
	if s.IsBusy() {
		m.Note += layout.FitRight(downloads.Speed(s.Speed), 10) + "  "
		m.Note += layout.FitRight(downloads.Lasts(s.Left), 9) + "  "
	}
	m.Note += limit
	return m
}
