package tui

import (
	"fmt"
	"slices"
	"strings"

	"flightdesk/api/fetch"
	"flightdesk/tui/app/downloads"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// downloadMarks are what states are told by, besides their words.
var downloadMarks = map[fetch.State]struct {
	glyph string
	role  theme.Role
}{
	fetch.Waiting: {"·", theme.Pending}, fetch.Fetching: {"↓", theme.InProgress}, fetch.Paused: {"=", theme.Pending},
	fetch.Failed: {"!", theme.Bad}, fetch.Cancelled: {"–", theme.Muted}, fetch.Done: {"✓", theme.Good}, fetch.Here: {"✓", theme.Good},
}

// downloadRank is the order in which the panel shows states: what moves or needs
// somebody comes first.
var downloadRank = map[fetch.State]int{fetch.Fetching: 0, fetch.Failed: 1, fetch.Waiting: 3, fetch.Paused: 2, fetch.Done: 4, fetch.Here: 5, fetch.Cancelled: 6}

// downloadPanel draws the downloads into exactly h lines of w cells; short
// writes a path for people.
func downloadPanel(d *downloads.State, th *theme.Theme, w, h int, short func(string) string) string {
	if h <= 0 {
		return ""
	}
	lines := []string{downloadTitle(d, th, w, short)}
	if len(d.Items) == 0 {
		lines = append(lines, layout.CleanText(th.Style(theme.Muted), " No downloads. Press f in Deliveries to start one."))
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
	left := layout.CleanText(th.Rule, "─ ") + layout.CleanText(th.Title, "Downloads") + layout.CleanText(th.Style(theme.Muted), count)
	free := ""
	if d.Free >= 0 {
		free = "  " + format.Bytes(d.Free) + " free"
	}
	dir := layout.Clean(short(d.Dir()))
	right := layout.CleanText(th.Style(theme.Muted), " to "+layout.CutMiddle(dir, max(8, w-layout.Width(left)-layout.Width(free)-8))+free+" ")
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
	m := widget.Meter{Label: map[bool]string{true: "= ", false: "✓ "}[d.Unfinished() > 0] + format.Count(len(d.Items)-s.Count[fetch.Cancelled], "file", "files"), Role: theme.Accent}
	if m.Share = max(0, d.Done()); s.Size == 0 {
		m.Unknown = s.IsBusy()
	}
	m.Note = layout.FitLeft(downloads.Share(s.Done, s.Size), 20) + "  "
	if s.IsBusy() {
		m.Note += layout.FitRight(downloads.Speed(s.Speed), 10) + "  " + layout.FitRight(downloads.Lasts(s.Left), 9) + "  "
	}
	m.Note += limit
	return m
}
