package deliveries

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"flightdesk/api/fetch"
	"flightdesk/tui/format"
)

// Shown reports whether the download panel is displayed. Until the user opens or closes the panel, it is
// displayed while downloads are unfinished.
func (d *Downloads) Shown() bool {
	return d.panel == panelOpen || d.panel == panelAuto && d.Unfinished() > 0
}

// IsOpened reports whether the user opened the download panel. The panel is then displayed even in a small
// window.
func (d *Downloads) IsOpened() bool { return d.panel == panelOpen }

// Toggle closes the download panel if it is displayed, and opens it otherwise. shown reports whether the
// panel is currently displayed.
func (d *Downloads) Toggle(shown bool) {
	d.panel = panelOpen
	if shown {
		d.panel = panelClosed
	}
}

// Rows returns the height of the download panel in lines.
func (d *Downloads) Rows() int {
	const otherLines = 2 // the title, and the line about all downloads
	packages := d.countPackages()
	if packages > 1 {
		return otherLines + packages
	}
	return otherLines + max(1, len(d.Items))
}

// countPackages returns the number of packages with files in the queue.
func (d *Downloads) countPackages() int {
	ids := map[string]bool{}
	for i := range d.Items {
		ids[d.Items[i].PackageID] = true
	}
	return len(ids)
}

// PackageProgress is the progress of the files of one package in the queue.
type PackageProgress struct {
	Title string
	Items []fetch.Item
	Sum   fetch.Summary // without Revision and Rate

	remaining int64 // bytes still to download, without paused and failed files
}

// ByPackage returns the progress of each package in the queue, in the order of the queue.
func (d *Downloads) ByPackage() []PackageProgress {
	var packages []PackageProgress
	indexes := map[string]int{} // in packages, by ID
	for i := range d.Items {
		item := &d.Items[i]
		index, isKnown := indexes[item.PackageID]
		if !isKnown {
			index = len(packages)
			indexes[item.PackageID] = index
			packages = append(packages, PackageProgress{
				Title: d.titleOf(item),
				Sum:   fetch.Summary{Count: map[fetch.State]int{}},
			})
		}
		packages[index].add(item)
	}
	for i := range packages {
		packages[i].estimateLeft()
	}
	return packages
}

// setTitle sets the title of a package. An empty title is ignored.
func (d *Downloads) setTitle(packageID, title string) {
	if title != "" {
		d.titles[packageID] = title
	}
}

// titleOf returns the title of the package of an item. If no page has listed the package yet, the title is the name
// that the service gives the package, with the code of its mission or order.
func (d *Downloads) titleOf(item *fetch.Item) string {
	if title := d.titles[item.PackageID]; title != "" {
		return title
	}
	code := item.Mission
	if code == "" {
		code = item.Order
	}
	return strings.TrimSpace(item.PackageName + " " + code)
}

// add adds a file of the package.
func (p *PackageProgress) add(item *fetch.Item) {
	p.Items = append(p.Items, *item)
	p.Sum.Count[item.State]++
	if item.State == fetch.Cancelled {
		return
	}
	p.Sum.Speed += item.Speed
	if item.Size < 0 {
		p.Sum.Unsized++
		return
	}
	p.Sum.Size += item.Size
	p.Sum.Done += item.Done
	if item.State == fetch.Waiting || item.State == fetch.Fetching {
		p.remaining += item.Size - item.Done
	}
}

// estimateLeft sets the remaining time of the package from its current speed.
func (p *PackageProgress) estimateLeft() {
	if p.Sum.Unsized > 0 {
		p.Sum.Left = -1
		return
	}
	p.Sum.Left = fetch.TimeLeft(p.remaining, p.Sum.Speed)
}

// Files returns the number of files that are not cancelled.
func (p *PackageProgress) Files() int { return len(p.Items) - p.Sum.Count[fetch.Cancelled] }

// Fetched returns the number of complete files.
func (p *PackageProgress) Fetched() int { return countFetched(&p.Sum) }

// SizeDone formats the downloaded part of a size, such as "1.7 of 4.2 GB". A negative size is unknown.
func SizeDone(done, size int64) string {
	if size < 0 {
		return format.Bytes(done)
	}
	all := format.Bytes(size)
	part := format.Bytes(done)
	if done == size {
		return all
	}
	number, unit, _ := strings.Cut(part, " ")
	if strings.HasSuffix(all, " "+unit) {
		part = number
	}
	return part + " of " + all
}

// Speed formats a speed in bytes per second, such as "4.2 MB/s", or returns a dash if it is below 1.
func Speed(bytes float64) string {
	if bytes < 1 {
		return format.None
	}
	return format.Bytes(int64(bytes)) + "/s"
}

// Lasts formats a remaining time, such as "1 m 06 s" or "2 h 05 m", or a dash if unknown.
func Lasts(d time.Duration) string {
	s := int(d.Seconds())
	switch {
	case d < 0:
		return format.None
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d m %02d s", s/60, s%60)
	default:
		return fmt.Sprintf("%d h %02d m", s/3600, s/60%60)
	}
}

// Line returns the progress of the queue for the status line.
func (d *Downloads) Line() string { return ProgressLine(&d.Sum) }

// Fetched returns how many files are complete.
func (d *Downloads) Fetched() int { return countFetched(&d.Sum) }

func countFetched(s *fetch.Summary) int { return s.Count[fetch.Done] + s.Count[fetch.Here] }

// ProgressLine returns the progress of a queue in one line.
func ProgressLine(s *fetch.Summary) string {
	files := 0
	for state, count := range s.Count {
		if state != fetch.Cancelled {
			files += count
		}
	}
	text := fmt.Sprintf("↓ %d of %s", countFetched(s), format.Count(files, "file"))
	if s.Size > 0 {
		text += "  " + PercentOf(s.Done, s.Size)
	}
	if s.IsBusy() && s.Speed >= 1 {
		text += "  " + Speed(s.Speed)
	}
	if s.IsBusy() && s.Left > 0 {
		text += "  " + Lasts(s.Left)
	}
	if failed := s.Count[fetch.Failed]; failed > 0 {
		return text + fmt.Sprintf("  %d failed", failed)
	}
	if !s.IsBusy() {
		return text + "  paused"
	}
	return text
}

// DoneShare returns the completed share of all bytes, 0 to 1, or a negative number if unknown.
func (d *Downloads) DoneShare() float64 {
	if d.Sum.Size == 0 {
		return -1
	}
	return float64(d.Sum.Done) / float64(d.Sum.Size)
}

// Stuck reports whether a download has an error that the user must resolve.
func (d *Downloads) Stuck() bool {
	return slices.ContainsFunc(
		d.Items,
		func(it fetch.Item) bool { return it.Err != nil && !it.State.IsFinal() },
	)
}
