package neworder

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/paulmach/orb"

	"flightdesk/kmlcsv"
	"flightdesk/tui/action"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/geomap"
)

const (
	maxPreviewBytes = 16 << 20 // largest file that is read for the preview
	maxPreviewSites = 5000     // number of sites on the map of the preview
)

// maxPreviewTime limits how long a file is read for the preview. Tests set a longer time, because they run on busy
// machines.
var maxPreviewTime = 3 * time.Second

// errNoPreview is the error of a file that is too large, or takes too long to read, for the preview.
var errNoPreview = errors.New("too large or too slow to read for a preview")

// filePreview shows the sites of a file before the user opens the file: their number, the warnings, a map and the
// first rows. For a folder it shows the survey files in the folder. The file or the folder is read in the
// background.
type filePreview struct {
	firstRows
	env     *page.Env
	entry   page.FolderEntry // the file, the clipboard or the folder; the zero value if there is no preview
	folder  folderContents   // contents of the entry, if it is a folder
	reading page.Request
	cancel  context.CancelFunc // stops reading the file; nil before the first file
	siteMap *page.SiteMap
}

// stop stops reading a file. If the file was not read completely, stop clears the preview, so that the file is read
// again when the user selects it.
func (v *filePreview) stop() {
	if v.cancel != nil {
		v.cancel()
		v.cancel = nil
	}
	if v.reading.IsRunning() {
		v.reading.Cancel()
		v.entry = page.FolderEntry{}
	}
}

// load reads an entry in the background with the function read, for at most [maxPreviewTime].
func (v *filePreview) load(base page.Base, entry page.FolderEntry, read func(context.Context) readResult) tea.Cmd {
	v.stop()
	v.entry = entry
	v.readResult = readResult{}
	v.folder = folderContents{}
	ctx, cancel := context.WithTimeout(base.PageLifetime().Context(), maxPreviewTime)
	v.cancel = cancel
	readInTime := func(context.Context) (readResult, error) {
		defer cancel()
		result := read(ctx)
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return readResult{err: errNoPreview}, nil
		}
		return result, nil
	}
	return page.RunInBackground(base, &v.reading, readInTime, v.show)
}

// show shows the result of reading the file.
func (v *filePreview) show(result readResult, _ error) tea.Cmd {
	v.readResult = result
	v.siteMap.Model.SetFeatures(previewFeatures(result.read.Result))
	v.siteMap.Model.FitAll()
	return nil
}

// previewFeatures returns the first [maxPreviewSites] sites of a file as features of a map.
func previewFeatures(res *kmlcsv.Result) []geomap.Feature {
	if res == nil {
		return nil
	}
	sites := res.Placemarks[:min(len(res.Placemarks), maxPreviewSites)]
	features := make([]geomap.Feature, len(sites))
	for i, site := range sites {
		features[i] = geomap.Feature{ID: fmt.Sprint(i), Label: site.Name, Geometry: site.Geometry}
		if _, isPoint := site.Geometry.(orb.Point); isPoint {
			features[i].Mark = '◦'
		}
	}
	return features
}

// followSelection reads the selected file or folder for the preview, unless the preview shows it already.
// In a window without room for the preview it clears the preview.
func (s *filesStep) followSelection() tea.Cmd {
	entry, ok := s.picker.Current()
	if !ok || !s.hasPreview() {
		s.preview.stop()
		s.preview.entry = page.FolderEntry{}
		return nil
	}
	if entry == s.preview.entry || s.importer.reading.IsRunning() {
		return nil
	}
	if entry.Folder {
		return s.preview.loadFolder(s.parent.base, entry)
	}
	return s.preview.load(s.parent.base, entry, s.previewReader(entry))
}

const (
	minPreviewWindow = 24 // least height of a narrow window that has a preview below the files, in lines
	minFilesHeight   = 6  // least height of the list above the preview
	leastPreview     = 6  // least height of the preview below the list
)

// hasPreview reports whether the window has room for the preview, next to the files or below them.
func (s *filesStep) hasPreview() bool {
	look := &s.Env.Look
	if look.Theme.Linear {
		return false
	}
	return look.Width >= splitWidth || look.Height >= minPreviewWindow
}

// heightBelow returns the height of the preview below the files, in lines. This includes the line between files and
// preview. It returns 0 if the preview is next to the files, or if h lines have no room for it.
func (s *filesStep) heightBelow(w, h int) int {
	isBeside := w >= splitWidth
	if isBeside || !s.hasPreview() || h/2 < leastPreview || h-h/2 < minFilesHeight {
		return 0
	}
	return h / 2
}

// previewReader returns a function that reads a file or the clipboard for the preview. It reads the entry in the
// same way as when the user opens the entry, but no files larger than maxPreviewBytes. The function can run in the
// background.
func (s *filesStep) previewReader(entry page.FolderEntry) func(context.Context) readResult {
	drafts := s.parent.drafts
	files := &s.Env.Files
	clipboard := s.top.clipboard
	near := s.draft.KnownPlaces(s.Env.Profile.Cache.Now().Missions)
	return func(ctx context.Context) (result readResult) {
		if entry.Path == clipboardEntry {
			result.read, result.err = drafts.ReadPasted(ctx, "clipboard", clipboard, near)
			return result
		}
		if entry.Size > maxPreviewBytes {
			return readResult{err: errNoPreview}
		}
		if err := files.Confine(entry.Path); err != nil {
			return readResult{err: err}
		}
		result.read, result.err = drafts.ReadFile(ctx, entry.Path, near)
		return result
	}
}

// renderPreview draws the preview, or blank lines if the preview does not show the selected entry.
func (s *filesStep) renderPreview(w, h int) string {
	entry, ok := s.picker.Current()
	if !ok || entry.Path != s.preview.entry.Path {
		return format.FitBox(nil, w, h)
	}
	return s.preview.view(w, h, s.openKey())
}

// openKey returns the key that opens the selected entry. If files are marked, the key would open the marked files
// instead, so openKey returns "".
func (s *filesStep) openKey() string {
	return page.TextIf(len(s.picker.Marked) == 0, action.KeyOf(action.ChooseFile, action.NewOrderFiles))
}

// view draws the preview into h lines of w cells. openKey is the key that opens the entry, or "" for no hint.
func (v *filePreview) view(w, h int, openKey string) string {
	t := textLines{Theme: v.env.Look.Theme, w: w}
	t.addTitle(format.Clean(v.name()), "")
	if v.reading.IsRunning() {
		t.addText(theme.Muted, "Reading…")
		return format.FitBox(t.lines, w, h)
	}
	if v.entry.Folder {
		v.renderFolder(&t, h, openKey)
		return format.FitBox(t.lines, w, h)
	}
	if v.err != nil {
		v.renderError(&t, openKey)
	} else {
		v.renderSummary(&t)
	}
	if v.read.Result != nil {
		v.renderMap(&t, h)
		v.renderTable(&t, h)
	}
	return format.FitBox(t.lines, w, h)
}

// name returns the name of the file, without its folder, or the path of the folder.
func (v *filePreview) name() string {
	if v.entry.Path == clipboardEntry {
		return "Clipboard"
	}
	if v.entry.Folder {
		return v.env.Files.ShortPath(v.entry.Path)
	}
	return filepath.Base(v.entry.Path)
}

// leastPreviewRows is the least height of the table with the first rows, in lines, if the map is
// above the table.
const leastPreviewRows = 5

// renderMap adds the map of the sites if there is room in h lines for the map and the table.
func (v *filePreview) renderMap(t *textLines, h int) {
	room := h - len(t.lines)
	tableHeight := min(max(leastPreviewRows, room*2/5), v.rowCount()+1)
	if len(v.read.Result.Placemarks) == 0 || room <= minMapHeight+tableHeight {
		return
	}
	t.add("")
	t.add(format.SplitLines(v.siteMap.View(t.Theme, t.w, room-tableHeight-2))...)
}

// rowCount returns the number of rows that the table can show: the number of rows in the file, or the number of sites
// if that is larger.
func (v *filePreview) rowCount() int {
	return max(len(v.read.Result.Layout.Rows), len(v.read.Result.Placemarks))
}

// renderTable adds the table with the first rows, in at most h lines. If there is no room for a single row, it adds
// the names of the first sites instead.
func (v *filePreview) renderTable(t *textLines, h int) {
	const leastHeight = 2 // the titles and a row
	room := h - len(t.lines) - 1
	if room < leastHeight {
		v.renderNames(t)
		return
	}
	t.add("")
	v.fillTable(room)
	if v.table.Len() == 0 {
		return
	}
	height := min(room, v.table.Len()+1)
	t.add(format.SplitLines(v.table.View(t.Theme, t.w, height, false))...)
}

// renderNames adds a line with the names of as many sites as it has room for.
func (v *filePreview) renderNames(t *textLines) {
	var names []string
	for i := range v.read.Result.Placemarks {
		names = append(names, format.Clean(v.read.Result.Placemarks[i].Name))
		if len(names) > t.w {
			break
		}
	}
	t.add(t.PaintText(" " + format.CutLine(strings.Join(names, ", "), t.w-2)))
}

// maxPreviewWarnings is the number of warnings that the preview lists. A single further warning is
// listed too, because the line that counts it would take the same room.
const maxPreviewWarnings = 2

// renderSummary adds the number and the size of the sites, the city and the countries where they are, and the
// warnings.
func (v *filePreview) renderSummary(t *textLines) {
	result := v.read.Result
	t.add(t.PaintText(" " + strings.Join(foundTexts(result, v.env.Look.Units), " · ")))
	if places := foundPlaces(result); places != "" {
		t.addText(theme.Muted, places)
	}
	leftOut, reason := v.read.LeftOut()
	if leftOut != "" {
		t.addNote(theme.Attention, " ! ", strings.TrimSuffix(leftOut+": "+reason, ": "))
	}
	isLeftOut := func(w kmlcsv.Warning) bool { return w.Skipped }
	warnings := slices.DeleteFunc(slices.Clone(result.Warnings), isLeftOut)
	for i, warning := range warnings {
		if i == maxPreviewWarnings && len(warnings) > maxPreviewWarnings+1 {
			t.addText(theme.Attention, "  and "+format.Count(len(warnings)-i, "more warning"))
			break
		}
		t.addNote(theme.Attention, " ! ", format.Clean(warning.String()))
	}
}

// renderError adds the reason why the preview has no sites. The reason is an error, or a question that the user must
// answer before the file can be read, such as a question about the reference system.
func (v *filePreview) renderError(t *textLines, openKey string) {
	files := &v.env.Files
	if v.read.IsQuestion(v.err) {
		t.addNote(theme.Attention, " ? ", shortPaths(files, questionText(v.read.Result, v.err, v.entry.Path)))
		if openKey != "" {
			t.addText(theme.Muted, openKey+" asks how it is read")
		}
		return
	}
	if errors.Is(v.err, errNoPreview) {
		hint := page.TextIf(openKey != "", "; "+openKey+" reads the file")
		t.addText(theme.Muted, format.CapitalizeFirst(v.err.Error())+hint)
		return
	}
	t.addNote(theme.Bad, " ! ", shortPaths(files, strings.TrimPrefix(v.err.Error(), v.name()+": ")))
}

// questionText returns the open question about a file. If there is none, it returns the error of reading the file.
// It removes the name of the file from the error.
func questionText(res *kmlcsv.Result, err error, path string) string {
	n := len(res.Questions)
	if n > 0 && !res.Questions[n-1].Certain {
		return format.Clean(res.Questions[n-1].Text)
	}
	return strings.TrimPrefix(err.Error(), filepath.Base(path)+": ")
}

// foundTexts returns the number of sites in a file, their total area and their total length. If only
// some of the sites are points, the number of points follows. Placemarks that could not be read are counted as in the
// list of sites, where the user can correct them.
func foundTexts(res *kmlcsv.Result, units format.Units) []string {
	area := 0.0
	length := 0.0
	points := 0
	for i := range res.Placemarks {
		site := &res.Placemarks[i]
		area += site.Area
		length += site.Length
		if site.Kind() == kmlcsv.Asset {
			points++
		}
	}
	unreadable := 0
	for _, warning := range res.Warnings {
		if warning.Skipped {
			unreadable++
		}
	}
	count := siteCount(len(res.Placemarks) + unreadable)
	if unreadable > 0 {
		count += ", " + groupDigits(len(res.Placemarks)) + " included"
	}
	texts := []string{count}
	if area > 0 {
		texts = append(texts, units.Area(area))
	}
	if length > 0 {
		texts = append(texts, format.Length(length))
	}
	if points > 0 && points < len(res.Placemarks) {
		texts = append(texts, format.Count(points, "point"))
	}
	return texts
}

// foundPlaces returns the city of the first site and the countries of all sites, such as "near
// Stade, Germany", or "" if no place is known.
func foundPlaces(res *kmlcsv.Result) string {
	if len(res.Placemarks) == 0 {
		return ""
	}
	countries := strings.Join(foundCountries(res), ", ")
	city := res.Placemarks[0].City
	if city == "" {
		return countries
	}
	return strings.TrimSuffix("near "+city+", "+countries, ", ")
}

// foundCountries returns the first three countries of the sites, and the number of further countries.
func foundCountries(res *kmlcsv.Result) []string {
	var countries []string
	for i := range res.Placemarks {
		country := res.Placemarks[i].Country
		if country != "" && !slices.Contains(countries, country) {
			countries = append(countries, country)
		}
	}
	if len(countries) > 3 {
		more := "and " + format.Count(len(countries)-3, "more country", "more countries")
		countries = append(countries[:3], more)
	}
	return countries
}
