package deliveries

import (
	"flightdesk/api/fetch"
	"flightdesk/tui/action"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// renderFoot returns the lines below the rows: what the download key downloads, and to which folder. If the
// selected row is a downloaded file, and its details are not next to the list, the lines have the path of the file
// instead.
func (p *Page) renderFoot(w int) []string {
	env := p.Env
	r := p.Current()
	hasDetails := env.Look.Width >= page.Wide
	if !p.selection.hasMarks() && !hasDetails && isLocal(env.Profile.Downloads, r) {
		return renderPath(env, "Path", r.RowState(env.Profile.Downloads).Path, w)
	}
	return []string{p.fetching.renderPlan(w)}
}

// renderPlan returns the line about the next download, such as "f download 4 marked files, 103.6 kB → ~/data". If
// no chosen file can be downloaded, the line says what the key for new files downloads, or why there is nothing to
// download.
func (f *fetchActions) renderPlan(w int) string {
	th := f.env.Look.Theme
	line := " " + th.PaintMuted(format.CapitalizeFirst(f.nothingToFetch())+"; folder ")
	if text := f.describeChosen(); text != "" {
		line = " " + th.PaintHint(fetchKey(), text) + th.PaintMuted(" → ")
	} else if len(f.news.packages) > 0 {
		key := action.KeyOf(action.FetchNew, action.Deliveries)
		text := "download all " + describeFiles(f.news.packages, "new file")
		line = " " + th.PaintHint(key, text) + th.PaintMuted(" → ")
	}
	folder := f.env.Profile.Downloads.Dir()
	shown := format.CutMiddle(format.Clean(f.env.Files.ShortPath(folder)), max(1, w-format.Width(line)-1))
	return format.CutLine(line+f.env.Look.FileLink(theme.Text, shown, folder), w)
}

// describeChosen returns what the download key does, such as "download 4 marked files, 103.6 kB", or "" if no
// chosen file can be downloaded. If the download folder was not read yet, some of the files may be in it already,
// so the number can be too high.
func (f *fetchActions) describeChosen() string {
	chosen := f.selection.chosenFiles()
	packages := chosen.packagesToFetch(f.env.Profile.Downloads, f.packages.Packages)
	if len(packages) == 0 {
		return ""
	}
	verb := "download "
	if chosen.haveUnseen(f.env.Profile.Downloads) {
		verb = "download up to "
	}
	if f.selection.hasMarks() {
		return verb + describeFiles(packages, "marked file")
	}
	return verb + describeFiles(packages, "file")
}

// describeFiles returns the number and the size of the files of packages, such as "4 new files, 103.6 kB". noun is the
// noun for a file.
func describeFiles(packages []fetch.Package, noun string) string {
	files := joinFiles(packages)
	text := format.Count(len(files.Files), noun)
	if size := describeSize(files); size != "" {
		return text + ", " + size
	}
	return text
}

// joinFiles returns a package with the files of all packages.
func joinFiles(packages []fetch.Package) fetch.Package {
	var all fetch.Package
	for _, pkg := range packages {
		all.Files = append(all.Files, pkg.Files...)
	}
	return all
}

// describeSize returns the total size of the files of a package, such as "103.6 kB". If some sizes are not known, it
// appends "or more". If no size is known, it returns "".
func describeSize(files fetch.Package) string {
	size, isExact := files.TotalSize()
	if isExact {
		return format.Bytes(size)
	}
	if size > 0 {
		return format.Bytes(size) + " or more"
	}
	return ""
}
