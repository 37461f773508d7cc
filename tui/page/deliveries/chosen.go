package deliveries

import (
	"flightdesk/api/fetch"
	"flightdesk/tui/app/deliveries"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// rowSelection has the rows that an action applies to: the marked rows, or the selected row if no row is marked.
type rowSelection struct {
	packages *deliveries.PackageList
	current  func() *row     // returns the selected row, or nil
	marked   map[string]bool // marked rows, by the ID of the row
}

func (s *rowSelection) hasMarks() bool { return len(s.marked) > 0 }

// clear removes all marks, and returns false if no row was marked.
func (s *rowSelection) clear() bool {
	hadMarks := s.hasMarks()
	clear(s.marked)
	return hadMarks
}

// toggle marks or unmarks a row.
func (s *rowSelection) toggle(r *row) {
	id := r.ID()
	if s.marked[id] {
		delete(s.marked, id)
	} else {
		s.marked[id] = true
	}
}

// markCell returns the cell with the mark of a row, or an empty cell if it is not marked.
func (s *rowSelection) markCell(r *row) widget.Cell {
	if !s.marked[r.ID()] {
		return widget.Cell{}
	}
	return widget.Cell{Text: "✓", Role: theme.Accent}
}

// mission returns the mission of the selected row if the row is a package of an order and no row is marked.
// Otherwise it returns "".
func (s *rowSelection) mission() string {
	r := s.current()
	if r == nil || !r.IsPackage() || s.hasMarks() {
		return ""
	}
	if r.Package.Kind != "delivery" || r.Package.Order == "" {
		return ""
	}
	return r.Package.Mission
}

// chosenFiles has the files that an action applies to, as indexes into the files of their package.
type chosenFiles map[*deliveries.DeliveredPackage][]int

// chosenFiles returns the files of the marked rows, or of the selected row if no row is marked.
func (s *rowSelection) chosenFiles() chosenFiles {
	chosen := chosenFiles{}
	if !s.hasMarks() {
		if r := s.current(); r != nil {
			chosen.addRow(r)
		}
		return chosen
	}
	expanded := deliveries.RowTree{Open: true}
	for _, r := range expanded.TreeRows(s.packages.Packages, false) {
		if s.marked[r.ID()] {
			chosen.addRow(r)
		}
	}
	return chosen
}

// addRow adds the files of a row, except files that were added with an earlier row, for example with the row of
// their package. Rows must be added from top to bottom.
func (c chosenFiles) addRow(r *row) {
	from, to := r.FileSpan()
	for i := from; i < to; i++ {
		added := c[r.Package]
		if len(added) == 0 || i > added[len(added)-1] {
			c[r.Package] = append(added, i)
		}
	}
}

// count returns the number of files.
func (c chosenFiles) count() int {
	n := 0
	for _, files := range c {
		n += len(files)
	}
	return n
}

// unfinishedItems returns the downloads of the files that are queued and not finished.
func (c chosenFiles) unfinishedItems(downloads *deliveries.Downloads) []fetch.Item {
	var items []fetch.Item
	for pkg, files := range c {
		for _, i := range files {
			item, ok := downloads.Of(pkg.ID, pkg.Files[i].ID)
			if ok && !item.State.IsFinal() {
				items = append(items, item)
			}
		}
	}
	return items
}

// packagesToFetch returns the packages of the chosen files, each with only the files that are neither downloaded
// nor queued. Packages without such files are left out. all are the packages of the page; the result is in the
// order of all.
func (c chosenFiles) packagesToFetch(
	downloads *deliveries.Downloads, all []*deliveries.DeliveredPackage,
) []fetch.Package {
	var packages []fetch.Package
	for _, pkg := range all {
		remaining := pkg.Package
		remaining.Files = nil
		for _, i := range c[pkg] {
			switch pkg.FileState(downloads, i).Status {
			case deliveries.Here, deliveries.Coming, deliveries.Waiting:
			default:
				remaining.Files = append(remaining.Files, pkg.Files[i])
			}
		}
		if len(remaining.Files) > 0 {
			packages = append(packages, remaining)
		}
	}
	return packages
}

// haveUnseen reports whether, for any of the files, the app has not checked yet if the download folder has the file.
func (c chosenFiles) haveUnseen(downloads *deliveries.Downloads) bool {
	for pkg, files := range c {
		for _, i := range files {
			if pkg.FileState(downloads, i).Status == deliveries.Unseen {
				return true
			}
		}
	}
	return false
}

// wereDownloaded reports whether any of the files was downloaded, even if it was changed or deleted
// since.
func (c chosenFiles) wereDownloaded(downloads *deliveries.Downloads) bool {
	for pkg, files := range c {
		for _, i := range files {
			switch pkg.FileState(downloads, i).Status {
			case deliveries.Here, deliveries.Changed, deliveries.Missing:
				return true
			}
		}
	}
	return false
}
