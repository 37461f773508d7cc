package tui

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"flightdesk/api/fetch"
	"flightdesk/tui/action"
	"flightdesk/tui/app/deliveries"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

const (
	maxPanelRows    = 7 // rows of the panel in a high window
	maxLowPanelRows = 4 // rows of the panel in a low window
)

// panelRows returns the number of rows of the downloads panel in a window of this height, or 0 if
// the panel is hidden. A very low window has the panel only if the user has opened it.
func panelRows(d *deliveries.Downloads, height int) int {
	if !d.Shown() || !hasRules(height) && !d.IsOpened() {
		return 0
	}
	if height < 36 {
		return min(d.Rows(), maxLowPanelRows)
	}
	return min(d.Rows(), maxPanelRows)
}

// downloadMarks has the glyph and the role of the states of downloads. The panel lists downloads
// by rank: running and failed ones first.
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

// downloadPanel draws the downloads in exactly h lines of w cells. shortPath abbreviates paths.
// It returns no lines if h is 0.
func downloadPanel(
	d *deliveries.Downloads, th *theme.Theme, w, h int, shortPath func(string) string,
) []string {
	if h <= 0 {
		return nil
	}
	lines := []string{downloadTitle(d, th, w, shortPath)}
	if len(d.Items) == 0 {
		lines = append(lines, th.PaintMuted(noDownloads(d)))
	} else {
		bars := downloadBars(d, h-len(lines))
		lines = append(lines, widget.DrawBars(th, bars, w)...)
	}
	return []string{format.FitBox(lines, w, h)}
}

// noDownloads returns the text of a panel without downloads.
func noDownloads(d *deliveries.Downloads) string {
	if d.IsPending() {
		return " The downloads of the last run are not resumed yet."
	}
	return " No downloads. Press " + action.KeyOf(action.Fetch, action.Deliveries) + " in Deliveries to start one."
}

// downloadBars returns at most n bars: of the downloads with the best ranks, and of all downloads together if there is
// room for it.
func downloadBars(d *deliveries.Downloads, n int) []widget.Bar {
	hasTotal := n > 1
	rows := n
	if hasTotal {
		rows--
	}
	items := itemsByRank(d.Items)
	var bars []widget.Bar
	for i := range items[:min(len(items), max(1, rows))] {
		bars = append(bars, downloadBar(&items[i]))
	}
	if hasTotal {
		bars = append(bars, totalBar(d))
	}
	return bars
}

// itemsByRank returns the downloads in the order of the panel.
func itemsByRank(items []fetch.Item) []fetch.Item {
	sorted := slices.Clone(items)
	slices.SortStableFunc(sorted, func(a, b fetch.Item) int {
		return downloadMarks[a.State].rank - downloadMarks[b.State].rank
	})
	return sorted
}

// downloadTitle draws the first line of the panel: the number of downloads at the left, the folder
// and its free space at the right.
func downloadTitle(d *deliveries.Downloads, th *theme.Theme, w int, shortPath func(string) string) string {
	count := " "
	total := len(d.Items) - d.Sum.Count[fetch.Cancelled]
	if total > 0 {
		count = fmt.Sprintf("  %d of %d ", d.Fetched(), total)
	}
	left := format.CleanText(th.Rule, "─ ") + th.PaintTitle("Downloads") + th.PaintMuted(count)

	free := ""
	if d.Free >= 0 {
		free = "  " + format.Bytes(d.Free) + " free"
	}
	room := w - format.Width(left) - format.Width(free) - 8
	folder := format.CutMiddle(format.Clean(shortPath(d.Dir())), max(8, room))
	right := th.PaintMuted(" to " + folder + free + " ")

	ruleWidth := max(0, w-format.Width(left)-format.Width(right))
	rule := format.CleanText(th.Rule, strings.Repeat("─", ruleWidth))
	return format.CutLine(left+rule+right, w)
}

// downloadBar returns the bar of a download.
func downloadBar(item *fetch.Item) widget.Bar {
	mark := downloadMarks[item.State]
	share := 0.0
	if item.Size < 0 {
		share = math.NaN() // the size is unknown
	} else if item.Size > 0 {
		share = float64(item.Done) / float64(item.Size)
	} else if item.State.IsFinal() {
		share = 1
	}
	size := format.FitLeft(deliveries.SizeDone(item.Done, item.Size), 20)
	return widget.Bar{
		Label:  mark.glyph + " " + item.Name,
		Middle: true,
		Role:   mark.role,
		Track:  true,
		Share:  share,
		Text:   widget.PercentDone(share),
		Note:   size + "  " + itemNote(item),
	}
}

// itemNote returns the error or the state of a download, or the speed and the time left if it is
// running.
func itemNote(item *fetch.Item) string {
	if item.Err != nil {
		return item.Err.Error()
	}
	if item.State != fetch.Fetching {
		return item.State.String()
	}
	if item.Note != "" {
		return item.Note
	}
	if item.Done == item.Size {
		return "verifying"
	}
	text := speedText(item.Speed, item.Left)
	if item.Connections > 1 {
		text += "  " + format.Count(item.Connections, "part")
	}
	return text
}

// speedText returns a speed and the time left.
func speedText(speed float64, left time.Duration) string {
	return format.FitRight(deliveries.Speed(speed), 10) + "  " + format.FitRight(deliveries.Lasts(left), 9)
}

// totalShare returns the share of all downloads that is done. While no size is known, it returns 0, or NaN if files
// are being downloaded: the bar then only shows that work is going on.
func totalShare(d *deliveries.Downloads) float64 {
	share := d.DoneShare()
	isKnown := share >= 0
	if isKnown {
		return share
	}
	if d.Sum.IsBusy() {
		return math.NaN()
	}
	return 0
}

// totalBar returns the bar of all downloads together.
func totalBar(d *deliveries.Downloads) widget.Bar {
	sum := &d.Sum
	glyph := "✓ "
	if d.Unfinished() > 0 {
		glyph = "= "
	}
	share := totalShare(d)
	note := format.FitLeft(deliveries.SizeDone(sum.Done, sum.Size), 20) + "  "
	if sum.IsBusy() {
		note += speedText(sum.Speed, sum.Left) + "  "
	}
	if sum.Rate > 0 {
		note += "limit " + deliveries.Speed(float64(sum.Rate))
	} else {
		note += "no limit"
	}
	return widget.Bar{
		Label: glyph + format.Count(len(d.Items)-sum.Count[fetch.Cancelled], "file"),
		Track: true,
		Share: share,
		Text:  widget.PercentDone(share),
		Note:  note,
	}
}
