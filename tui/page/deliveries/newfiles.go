package deliveries

import (
	"flightdesk/api/fetch"
	"flightdesk/tui/app/deliveries"
	"flightdesk/tui/format"
)

// newFiles has the files that were not downloaded before.
type newFiles struct {
	packages  []fetch.Package // packages with only their new files
	hasUnseen bool            // some files may be new: their download folder was not read yet
}

// find finds the new files of the packages on a shelf.
func (n *newFiles) find(shelf *deliveries.PackageShelf) {
	n.packages = nil
	n.hasUnseen = false
	for _, pkg := range shelf.Packages {
		for i := range pkg.Files {
			if pkg.FileState(shelf.Files, i).Step == deliveries.Unseen {
				n.hasUnseen = true
			}
		}
		fresh := pkg.NewFiles(shelf.Files)
		if len(fresh.Files) > 0 {
			n.packages = append(n.packages, fresh)
		}
	}
}

// describe returns the number and the total size of the new files, such as "4 new files · 103.6 kB". If there are
// none, it returns the text of describeNone.
func (n *newFiles) describe(state *deliveries.ShelfState, noun string) string {
	if len(n.packages) == 0 {
		return n.describeNone(state, noun)
	}
	all := joinFiles(n.packages)
	text := format.Count(len(all.Files), "new file")
	if len(n.packages) > 1 {
		text = format.Count(len(n.packages), "new package") + ", " + format.Count(len(all.Files), "file")
	}
	if size := describeSize(all); size != "" {
		return text + " · " + size
	}
	return text
}

// describeNone says that there are no new files, or why it is not known whether there are: for example, the
// deliveries could not be loaded. noun is the noun for the loaded data, such as "deliveries".
func (n *newFiles) describeNone(state *deliveries.ShelfState, noun string) string {
	if state.Err != nil {
		return "not all " + noun + " loaded"
	}
	if n.hasUnseen {
		return "download folder not read yet"
	}
	if state.More {
		return "nothing new in the loaded orders"
	}
	return "nothing new"
}
