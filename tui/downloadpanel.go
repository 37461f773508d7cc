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

// panelRows returns the number of rows of the downloads panel in a window of this height, or 0 if the panel
// is hidden. In a very low window the panel is hidden unless the user has opened it.
func panelRows(d *deliveries.Downloads, height int) int {
	if !d.Shown() || !hasRules(height) && !d.IsOpened() {
		return 0
	}
	if height < 36 {
		return min(d.Rows(), maxLowPanelRows)
	}
	return min(d.Rows(), maxPanelRows)
}

// downloadMarks has the glyph, the role and the rank of each state of a download. The panel lists downloads
// by rank, so running and failed downloads are first.
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
// room for it. If files of several packages are in the queue, each package has a bar, because packages often have
// files with the same names. Otherwise each file has a bar.
func downloadBars(d *deliveries.Downloads, n int) []widget.Bar {
	hasTotal := n > 1
	rows := n
	if hasTotal {
		rows--
	}
	packages := d.ByPackage()
	var bars []widget.Bar
	if len(packages) > 1 {
		sortPackages(packages)
		for i := range packages[:min(len(packages), max(1, rows))] {
			bars = append(bars, packageBar(&packages[i]))
		}
	} else {
		items := itemsByRank(d.Items)
		for i := range items[:min(len(items), max(1, rows))] {
			bars = append(bars, downloadBar(&items[i]))
		}
	}
	if hasTotal {
		bars = append(bars, totalBar(d, len(packages)))
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

// sortPackages sorts packages into the order of the panel.
func sortPackages(packages []deliveries.PackageProgress) {
	rank := func(p *deliveries.PackageProgress) int { return downloadMarks[leadingItem(p).State].rank }
	slices.SortStableFunc(packages, func(a, b deliveries.PackageProgress) int { return rank(&a) - rank(&b) })
}

// leadingItem returns the file of a package with the best rank. Its state is shown as the state of the package.
func leadingItem(p *deliveries.PackageProgress) *fetch.Item {
	lead := &p.Items[0]
	for i := range p.Items {
		if downloadMarks[p.Items[i].State].rank < downloadMarks[lead.State].rank {
			lead = &p.Items[i]
		}
	}
	return lead
}

// packageBar returns the bar of the files of a package.
func packageBar(p *deliveries.PackageProgress) widget.Bar {
	lead := leadingItem(p)
	mark := downloadMarks[lead.State]
	share := math.NaN() // the size is unknown
	isSizeKnown := p.Sum.Size > 0 && p.Sum.Unsized == 0
	if isSizeKnown {
		share = float64(p.Sum.Done) / float64(p.Sum.Size)
	} else if lead.State.IsFinal() {
		share = 1
	}
	return widget.Bar{
		Label:  mark.glyph + " " + p.Title,
		Middle: true,
		Role:   mark.role,
		Track:  true,
		Share:  share,
		Text:   widget.PercentDone(share),
		Note:   filesNote(p.Fetched(), p.Files()) + "  " + packageNote(p, lead),
	}
}

// filesNote returns the number of complete files, such as "12 of 18", in a column of the panel.
func filesNote(fetched, files int) string {
	return format.FitLeft(fmt.Sprintf("%d of %d", fetched, files), 8)
}

// sizeNote returns the downloaded part of a size, such as "544.3 kB of 1.0 MB", in a column of the panel.
func sizeNote(done, size int64) string { return format.FitLeft(deliveries.SizeDone(done, size), 18) }

// packageNote returns the text beside the bar of a package. During a download, this is the size and the time left.
// Otherwise it is the size and the state. If a file has failed and no other file is being downloaded, it is the name of
// the failed file and the error. lead is the file whose state is shown as the state of the package, from leadingItem.
func packageNote(p *deliveries.PackageProgress, lead *fetch.Item) string {
	isFailed := func(item fetch.Item) bool { return item.Err != nil && !item.State.IsFinal() }
	failed := slices.IndexFunc(p.Items, isFailed)
	if failed >= 0 && lead.State != fetch.Fetching {
		return p.Items[failed].Name + ": " + p.Items[failed].Err.Error()
	}
	size := sizeNote(p.Sum.Done, p.Sum.Size) + "  "
	if lead.State != fetch.Fetching {
		return size + lead.State.String()
	}
	note := size + leftText(p.Sum.Left)
	if count := p.Sum.Count[fetch.Failed]; count > 0 {
		note += fmt.Sprintf("  %d failed", count)
	}
	return note
}

// downloadTitle draws the first line of the panel: the number of downloads and the speed limit at the left, the
// folder and its free space at the right. In a narrow window it leaves out the free space, and then the folder.
func downloadTitle(d *deliveries.Downloads, th *theme.Theme, w int, shortPath func(string) string) string {
	count := " "
	total := len(d.Items) - d.Sum.Count[fetch.Cancelled]
	if total > 0 {
		count = fmt.Sprintf("  %d of %d · %s ", d.Fetched(), total, limitText(d.Sum.Rate))
	}
	left := format.CleanText(th.Rule, "─ ") + th.PaintTitle("Downloads") + th.PaintMuted(count)

	free := ""
	if d.Free >= 0 {
		free = "  " + format.Bytes(d.Free) + " free"
	}
	const minFolderWidth = 8
	const rules = 8 // cells for " to " and the rule
	room := w - format.Width(left) - rules
	if room-format.Width(free) < minFolderWidth {
		free = ""
	}
	right := ""
	if folderWidth := room - format.Width(free); folderWidth >= minFolderWidth {
		folder := format.CutMiddle(format.Clean(shortPath(d.Dir())), folderWidth)
		right = th.PaintMuted(" to " + folder + free + " ")
	}

	ruleWidth := max(0, w-format.Width(left)-format.Width(right))
	rule := format.CleanText(th.Rule, strings.Repeat("─", ruleWidth))
	return format.CutLine(left+rule+right, w)
}

// limitText returns a speed limit in bytes per second as text.
func limitText(rate int64) string {
	if rate > 0 {
		return "limit " + deliveries.Speed(float64(rate))
	}
	return "no limit"
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
	return widget.Bar{
		Label:  mark.glyph + " " + item.Name,
		Middle: true,
		Role:   mark.role,
		Track:  true,
		Share:  share,
		Text:   widget.PercentDone(share),
		Note:   sizeNote(item.Done, item.Size) + "  " + itemNote(item),
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

// speedText formats a speed and the time left.
func speedText(speed float64, left time.Duration) string {
	return format.FitRight(deliveries.Speed(speed), 10) + "  " + leftText(left)
}

// leftText returns the time left in a column of the panel.
func leftText(left time.Duration) string { return format.FitRight(deliveries.Lasts(left), 9) }

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

// totalBar returns the bar of all downloads together. Its label begins below the labels of the other bars, which have
// a glyph, and its note has the same columns as their notes.
func totalBar(d *deliveries.Downloads, packages int) widget.Bar {
	sum := &d.Sum
	files := len(d.Items) - sum.Count[fetch.Cancelled]
	label := "All " + format.Count(files, "file")
	if files == 1 {
		label = "1 file"
	}
	note := sizeNote(sum.Done, sum.Size)
	if packages > 1 {
		note = filesNote(d.Fetched(), files) + "  " + note
	}
	if sum.IsBusy() && packages > 1 {
		note += "  " + leftText(sum.Left)
	} else if sum.IsBusy() {
		note += "  " + speedText(sum.Speed, sum.Left)
	}
	share := totalShare(d)
	return widget.Bar{
		Label: "  " + label,
		Track: true,
		Share: share,
		Text:  widget.PercentDone(share),
		Note:  note,
	}
}
