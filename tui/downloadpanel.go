package tui

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"time"

	"flightdesk/api/fetch"
	"flightdesk/tui/app/deliveries"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

const (
	panelMost = 7 // lines of the panel in a high window
	panelLow  = 4 // and in a low one
)

// panelRows returns the number of rows of the downloads panel in a window of a height, 0 if
// it is hidden. In a low window it is only shown on request.
func panelRows(d *deliveries.Downloads, height int) int {
	if !d.Shown() || !hasRules(height) && !d.Asked() {
		return 0
	}
	most := panelMost
	if height < 36 {
		most = panelLow
	}
	return min(d.Rows(), most)
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
