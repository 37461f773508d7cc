package tui

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"flightdesk/api/fetch"
	"flightdesk/tui/action"
	"flightdesk/tui/app/deliveries"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// pulseTime is how often progress is redrawn; free disk space is checked every
// freePulses of these.
const (
	pulseTime  = 250 * time.Millisecond
	freePulses = 20
	resumeTime = 30 * time.Second // until what could not be resumed is tried again; then twice that, and so on
)

// downloadPulse is how downloads are followed.
type downloadPulse struct {
	app *App // of which it is a part

	beats     int
	isBeating bool // a refresh is scheduled
	resumed   int  // how often the last run's downloads could not all be resumed
}

// checkDownloads refreshes the progress, and from time to time the free disk
// space.
func (a *downloadPulse) checkDownloads() tea.Cmd {
	a.isBeating = false
	a.beats++
	cmd := a.reportDownloads(a.app.env.Downloads.Refresh())
	if a.beats%freePulses == 0 {
		cmd = tea.Batch(cmd, page.BackgroundCommand(a.app.env.Downloads.AskFree()))
	}
	return cmd
}

// reportWork shows what came of work on the downloads; of those of another profile it is
// late and ignored.
func (a *downloadPulse) reportWork(msg deliveries.DownloadWork) tea.Cmd {
	desk := a.app.env.Downloads
	if msg.Desk != desk {
		return nil
	}
	cmds := []tea.Cmd{a.reportDownloads(desk.Take(msg)), a.app.env.KeepLook()}
	again := msg.Back && desk.IsPending()
	if again {
		cmds = append(cmds, a.app.env.After(resumeTime<<min(a.resumed, 5), doMsg{of: a.app.env, do: a.resumeDownloads}))
		a.resumed++
	}
	switch {
	case again && a.resumed > 1: // was said
	case msg.Err != nil:
		text := format.FaultText(msg.Err)
		if errors.Is(msg.Err, fetch.ErrNoSpace) {
			text = strings.ReplaceAll(text, " in "+desk.Dir(), "")
			text += " Free some space, or press e to select another folder."
		}
		cmds = append(cmds, page.ShowToast(theme.Bad, text))
	case msg.Back && msg.Added > 0:
		text := format.Count(msg.Added, "download") + " resumed · " + keyOf(action.Downloads) + " to show"
		cmds = append(cmds, page.ShowToast(theme.Text, text))
	}
	return tea.Batch(cmds...)
}

// reportDownloads announces changes of the downloads and schedules the next refresh
// while any are running.
func (a *downloadPulse) reportDownloads(c deliveries.DownloadChange) tea.Cmd {
	desk := a.app.env.Downloads
	a.app.status.updateWork(page.WorkMsg{
		ID:     "downloads",
		Text:   desk.Line(),
		Done:   desk.Done(),
		Failed: desk.Stuck() && !desk.Busy(),
		Over:   desk.Unfinished() == 0,
	})
	var cmds []tea.Cmd
	if c.States || c.Ended {
		cmds = append(cmds, a.app.pages.broadcast(page.DownloadsChangedMsg{Ended: c.Ended}), a.app.env.KeepLook())
	}
	if c.Ended && (desk.Fetched()+desk.Sum.Count[fetch.Failed] > 0 || c.Err != nil) {
		toast := a.describeEnded(c)
		cmds = append(cmds, a.app.showToast(toast), page.BackgroundCommand(desk.AskFree()),
			tea.Raw(ansi.Notify("flightdesk: "+format.Clean(toast.Text))))
	}
	if desk.Busy() && !a.isBeating {
		a.isBeating = true
		cmds = append(cmds, a.app.env.After(pulseTime, doMsg{of: a.app.env, do: a.checkDownloads}))
	}
	return tea.Batch(cmds...)
}

// describeEnded returns the message shown when all downloads have ended.
func (a *downloadPulse) describeEnded(c deliveries.DownloadChange) page.ToastMsg {
	desk := a.app.env.Downloads
	done, failed := desk.Fetched(), desk.Sum.Count[fetch.Failed]
	said := fmt.Sprintf("%s (%s) downloaded to %s",
		format.Count(done, "file"), format.Bytes(c.Bytes), a.app.env.ShortPath(desk.Dir()))
	switch {
	case c.Err == nil:
		return page.ToastMsg{Role: theme.Good, Text: said}
	case errors.Is(c.Err, fetch.ErrNoSpace):
		said = c.Err.Error() + ". Free some space, then press P; partial files are kept"
	case done == 0:
		said = fmt.Sprintf("%s failed: %v", format.Count(failed, "file"), c.Err)
	default:
		said = fmt.Sprintf("%s; %d failed: %v", said, failed, c.Err)
	}
	return page.ToastMsg{Role: theme.Bad, Text: said}
}

// resumeDownloads resumes the downloads of the last run.
func (a *downloadPulse) resumeDownloads() tea.Cmd {
	return page.BackgroundCommand(a.app.env.Downloads.ComeBack(a.app.env.Client))
}

// describeDownloads says which downloads quitting would stop, and whether they
// resume at the next start, and which downloaded files a demo deletes.
func (a *downloadPulse) describeDownloads() (lines []string) {
	d, isDemo := a.app.env.Downloads, a.app.opts.isDemo()
	if d.Busy() {
		lines = append(lines, d.Line())
		if !isDemo {
			lines = append(lines, "Downloads resume at the next start.")
		}
	}
	if !isDemo || d.Dir() != a.app.env.Fetch.Dir {
		return lines
	}
	if n := d.Fetched(); n > 0 {
		lines = append(lines, format.Count(n, "downloaded file")+" in the demo folder.")
	}
	return lines
}

// togglePanel shows or hides the downloads panel.
func (a *downloadPulse) togglePanel() tea.Cmd {
	a.app.env.Downloads.Toggle(a.panelHeight() > 0)
	return nil
}

const (
	panelMost = 7 // lines of the panel in a high window
	panelLow  = 4 // and in a low one
)

// panelHeight returns the number of lines of the panel, 0 if hidden. In a low
// window it is only shown on request.
func (a *downloadPulse) panelHeight() int {
	desk := a.app.env.Downloads
	if !desk.Shown() || !a.app.hasRules() && !desk.Asked() {
		return 0
	}
	most := panelMost
	if a.app.env.Height < 36 {
		most = panelLow
	}
	return min(desk.Rows(), most)
}

// drawDownloads draws the panel, or nothing if it is hidden.
func (a *downloadPulse) drawDownloads() []string {
	return downloadPanel(a.app.env.Downloads, a.app.env.Theme, a.app.env.Width, a.panelHeight(), a.app.env.ShortPath)
}

// downloadMarks are how states are drawn, and their rank in the panel: running and
// failed downloads come first.
var downloadMarks = map[fetch.State]struct {
	glyph string
	role  theme.Role
	rank  int
}{
	fetch.Fetching:  {"↓", theme.InProgress, 0},
	fetch.Failed:    {"!", theme.Bad, 1},
	fetch.Paused:    {"=", theme.Pending, 2},
	fetch.Waiting:   {"·", theme.Pending, 3},
	fetch.Done:      {"✓", theme.Good, 4},
	fetch.Here:      {"✓", theme.Good, 5},
	fetch.Cancelled: {"–", theme.Muted, 6},
}

// downloadPanel draws the downloads in exactly h lines of w cells; short
// abbreviates paths.
func downloadPanel(d *deliveries.Downloads, th *theme.Theme, w, h int, short func(string) string) []string {
	if h <= 0 {
		return nil
	}
	lines := []string{downloadTitle(d, th, w, short)}
	if len(d.Items) == 0 {
		lines = append(lines, th.PaintMuted(" No downloads. Press f in Deliveries to start one."))
		return []string{format.FitBox(lines, w, h)}
	}
	items := slices.Clone(d.Items)
	sort.SliceStable(items, func(i, j int) bool {
		return downloadMarks[items[i].State].rank < downloadMarks[items[j].State].rank
	})
	room := max(1, h-2)
	bars := make([]widget.Bar, 0, room+1)
	for i := range items[:min(room, len(items))] {
		bars = append(bars, downloadBar(&items[i]))
	}
	if h > 2 {
		bars = append(bars, totalBar(d))
	}
	return []string{format.FitBox(append(lines, widget.DrawBars(th, bars, w)...), w, h)}
}

func downloadTitle(d *deliveries.Downloads, th *theme.Theme, w int, short func(string) string) string {
	count := " "
	if n := len(d.Items) - d.Sum.Count[fetch.Cancelled]; n > 0 {
		count = fmt.Sprintf("  %d of %d ", d.Fetched(), n)
	}
	left := format.CleanText(th.Rule, "─ ") + th.PaintTitle("Downloads") + th.PaintMuted(count)
	free := ""
	if d.Free >= 0 {
		free = "  " + format.Bytes(d.Free) + " free"
	}
	dir := format.Clean(short(d.Dir()))
	dir = format.CutMiddle(dir, max(8, w-format.Width(left)-format.Width(free)-8))
	right := th.PaintMuted(" to " + dir + free + " ")
	rule := max(0, w-format.Width(left)-format.Width(right))
	return format.CutLine(left+format.CleanText(th.Rule, strings.Repeat("─", rule))+right, w)
}

func downloadBar(it *fetch.Item) widget.Bar {
	mark, share := downloadMarks[it.State], 0.0
	switch {
	case it.Size < 0:
		share = math.NaN() // not known
	case it.Size > 0:
		share = float64(it.Done) / float64(it.Size)
	case it.State.IsFinal():
		share = 1
	}
	return widget.Bar{
		Label: mark.glyph + " " + it.Name, Middle: true, Role: mark.role, Track: true,
		Share: share, Text: widget.PercentDone(share),
		Note: format.FitLeft(deliveries.Share(it.Done, it.Size), 20) + "  " + itemNote(it),
	}
}

// itemNote describes a download besides its size: its state, speed, time left.
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
	text := speedText(it.Speed, it.Left)
	if it.Connections > 1 {
		text += "  " + format.Count(it.Connections, "part")
	}
	return text
}

// speedText returns a speed and the time left.
func speedText(speed float64, left time.Duration) string {
	return format.FitRight(deliveries.Speed(speed), 10) + "  " + format.FitRight(deliveries.Lasts(left), 9)
}

// totalBar returns the progress of all downloads together.
func totalBar(d *deliveries.Downloads) widget.Bar {
	s := &d.Sum
	limit := "no limit"
	if s.Rate > 0 {
		limit = "limit " + deliveries.Speed(float64(s.Rate))
	}
	label := "✓ "
	if d.Unfinished() > 0 {
		label = "= "
	}
	label += format.Count(len(d.Items)-s.Count[fetch.Cancelled], "file")
	share := max(0, d.Done())
	if s.Size == 0 && s.IsBusy() {
		share = math.NaN() // not known
	}
	note := format.FitLeft(deliveries.Share(s.Done, s.Size), 20) + "  "
	if s.IsBusy() {
		note += speedText(s.Speed, s.Left) + "  "
	}
	note += limit
	return widget.Bar{
		Label: label,
		Track: true,
		Share: share,
		Text:  widget.PercentDone(share),
		Note:  note,
	}
}
