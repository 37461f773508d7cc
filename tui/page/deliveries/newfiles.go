package deliveries

import (
	"strings"

	"flightdesk/api/fetch"
	"flightdesk/tui/app/deliveries"
	"flightdesk/tui/format"
)

// newFiles has the files that are not on this machine yet.
type newFiles struct {
	packages  []fetch.Package // packages with only the files that were never downloaded
	hasUnseen bool            // the app has not looked for some files in the download folder yet; they may be new, too
	queued    queuedFiles
	awaited   int // number of packages with new or queued files
}

// queuedFiles counts the unfinished files in the download queue.
type queuedFiles struct {
	downloading int // running or waiting
	paused      int
	failed      int
}

// total returns the number of all unfinished files in the queue.
func (q *queuedFiles) total() int { return q.downloading + q.paused + q.failed }

// find finds the new and the queued files of the packages.
func (n *newFiles) find(packages *deliveries.PackageList) {
	*n = newFiles{}
	for _, pkg := range packages.Packages {
		queued := n.queued.total()
		for i := range pkg.Files {
			n.count(pkg.FileState(packages.Files, i).Status)
		}
		fresh := pkg.NewFiles(packages.Files)
		hasNew := len(fresh.Files) > 0
		if hasNew {
			n.packages = append(n.packages, fresh)
		}
		if hasNew || n.queued.total() > queued {
			n.awaited++
		}
	}
}

// count counts a file with the given download status.
func (n *newFiles) count(status deliveries.DownloadStatus) {
	switch status {
	case deliveries.Unseen:
		n.hasUnseen = true
	case deliveries.Coming, deliveries.Waiting:
		n.queued.downloading++
	case deliveries.Paused:
		n.queued.paused++
	case deliveries.Failed:
		n.queued.failed++
	}
}

// describe returns the number and the total size of the new files, such as "4 new files · 103.6 kB". If there are
// none, it returns the text of describeNone.
func (n *newFiles) describe(state *deliveries.PackageListState, noun string) string {
	if n.queued.total() > 0 {
		return n.describeQueued()
	}
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

// describeQueued returns the numbers of files in the download queue and of new files, such as
// "44 files downloading, 1 failed, 2 new".
func (n *newFiles) describeQueued() string {
	counts := []struct {
		files int
		state string
	}{
		{n.queued.downloading, "downloading"},
		{n.queued.paused, "paused"},
		{n.queued.failed, "failed"},
		{len(joinFiles(n.packages).Files), "new"},
	}
	var parts []string
	for _, count := range counts {
		if count.files == 0 {
			continue
		}
		number := format.GroupInt(count.files)
		if len(parts) == 0 {
			number = format.Count(count.files, "file")
		}
		parts = append(parts, number+" "+count.state)
	}
	return strings.Join(parts, ", ")
}

// describeNone returns the text to show if no new files were found. The text is "nothing new", unless some files could
// not be checked. In that case the text says why, for example because the deliveries could not be loaded. noun names
// the loaded data, such as "deliveries".
func (n *newFiles) describeNone(state *deliveries.PackageListState, noun string) string {
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
