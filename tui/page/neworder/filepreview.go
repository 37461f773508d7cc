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
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/geomap"
)

const (
	maxPreviewBytes = 16 << 20 // of a file that is read for a preview
	maxPreviewTime  = 3 * time.Second
	maxPreviewSites = 5000 // on its map
)

// errNoPreview is the error for a file that takes too long to read for a preview.
var errNoPreview = errors.New("too large for a preview; enter reads the file")

// filePreview is the selected file, read in the background.
type filePreview struct {
	firstRows
	entry   page.FolderEntry
	asked   page.Question
	cancel  context.CancelFunc // ends the reading; nil if none is under way
	siteMap *page.SiteMap
}

// stop ends the reading of a file. A file that was not read to its end is read again later.
func (v *filePreview) stop() {
	if v.cancel != nil {
		v.cancel()
		v.cancel = nil
	}
	if v.asked.IsOpen() {
		v.asked.DropAnswer()
		v.entry = page.FolderEntry{}
	}
}

// followSelection reads the selected file for its preview, if it is another one than before.
func (s *filesStep) followSelection() tea.Cmd {
	v := &s.preview
	entry, ok := s.picker.Current()
	if !s.Env.Look.Theme.IsWide(s.Env.Look.Width, besideMap) || !ok || entry.Folder {
		v.stop()
		v.entry = page.FolderEntry{}
		return nil
	}
	if entry == v.entry || s.reading.IsOpen() {
		return nil
	}
	v.stop()
	v.entry, v.fileQuestion = entry, fileQuestion{}
	ctx, cancel := context.WithTimeout(s.p.base.PageLifetime().Context(), maxPreviewTime)
	v.cancel = cancel
	read := s.previewReader(entry)
	ask := func(context.Context) (fileQuestion, error) {
		defer cancel()
		q := read(ctx)
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			q = fileQuestion{err: errNoPreview}
		}
		return q, nil
	}
	return page.AskInBackground(s.p.base, &v.asked, ask, func(q fileQuestion, _ error) tea.Cmd {
		v.fileQuestion = q
		v.siteMap.Model.SetFeatures(previewFeatures(q.read.Result))
		v.siteMap.Model.FitAll()
		return nil
	})
}

// previewReader returns the function that reads an entry as opening it does.
func (s *filesStep) previewReader(entry page.FolderEntry) func(ctx context.Context) fileQuestion {
	drafts, files, text := s.p.drafts, &s.Env.Files, s.top.text
	near := s.draft.KnownPlaces(s.Env.Profile.Cache.Now().Missions)
	return func(ctx context.Context) (q fileQuestion) {
		switch {
		case entry.Path == clipboardEntry:
			q.read, q.err = drafts.ReadPasted(ctx, "clipboard", text, near)
		case entry.Size > maxPreviewBytes:
			q.err = errNoPreview
		case files.Confine(entry.Path) != nil:
			q.err = files.Confine(entry.Path)
		default:
			q.read, q.err = drafts.ReadFile(ctx, entry.Path, near)
		}
		return q
	}
}

// previewFeatures returns the sites of a file on a map.
func previewFeatures(res *kmlcsv.Result) []geomap.Feature {
	if res == nil {
		return nil
	}
	sites := res.Placemarks[:min(len(res.Placemarks), maxPreviewSites)]
	features := make([]geomap.Feature, len(sites))
	for i, p := range sites {
		features[i] = geomap.Feature{ID: fmt.Sprint(i), Label: p.Name, Geometry: p.Geometry}
		if _, isPoint := p.Geometry.(orb.Point); isPoint {
			features[i].Mark = '◦'
		}
	}
	return features
}

// leastPreviewRows is how many lines the first rows of a file need.
const leastPreviewRows = 5

// renderPreview draws what is in the selected file: its sites and warnings, a map, and its
// first rows.
func (s *filesStep) renderPreview(w, h int) string {
	v := &s.preview
	t := textLines{Theme: s.Env.Look.Theme, w: w}
	entry, ok := s.picker.Current()
	if !ok || entry.Folder || entry.Path != v.entry.Path {
		return format.FitBox(nil, w, h)
	}
	t.title(format.Clean(v.name()), "")
	if v.asked.IsOpen() {
		t.say(theme.Muted, "Reading…")
		return format.FitBox(t.lines, w, h)
	}
	s.renderFound(&t)
	if v.read.Result == nil {
		return format.FitBox(t.lines, w, h)
	}
	rest := h - len(t.lines)
	if rows := min(max(leastPreviewRows, rest*2/5), v.rowCount()+1); rest > minMapHeight+rows && len(v.read.Result.Placemarks) > 0 {
		t.add("")
		t.add(format.SplitLines(v.siteMap.View(t.Theme, w, rest-rows-2))...)
	}
	t.add("")
	v.fillTable(h - len(t.lines))
	if v.table.Len() > 0 && h > len(t.lines) {
		t.add(format.SplitLines(v.table.View(t.Theme, w, min(h-len(t.lines), v.table.Len()+1), false))...)
	}
	return format.FitBox(t.lines, w, h)
}

// rowCount returns how many rows the table of first rows can have.
func (v *filePreview) rowCount() int {
	return max(len(v.read.Result.Layout.Rows), len(v.read.Result.Placemarks))
}

// name returns the name of the entry without its folder.
func (v *filePreview) name() string {
	if v.entry.Path == clipboardEntry {
		return "Clipboard"
	}
	return filepath.Base(v.entry.Path)
}

// renderFound says which sites are in the file, where they are, and what is wrong.
func (s *filesStep) renderFound(t *textLines) {
	v := &s.preview
	res := v.read.Result
	if v.err != nil {
		s.renderNotFound(t)
		return
	}
	t.add(t.PaintText(" " + strings.Join(foundTexts(res, s.Env.Look.Units), " · ")))
	if places := foundPlaces(res); places != "" {
		t.say(theme.Muted, places)
	}
	left, reason := v.read.LeftOut()
	if left != "" {
		t.note(theme.Attention, " ! ", strings.TrimSuffix(left+": "+reason, ": "))
	}
	warnings := slices.DeleteFunc(slices.Clone(res.Warnings), func(w kmlcsv.Warning) bool { return w.Skipped })
	for i, warning := range warnings {
		if i == 2 && len(warnings) > 3 {
			t.say(theme.Attention, "  and "+format.Count(len(warnings)-i, "more warning"))
			break
		}
		t.note(theme.Attention, " ! ", format.Clean(warning.String()))
	}
}

// renderNotFound says why no sites are shown.
func (s *filesStep) renderNotFound(t *textLines) {
	v := &s.preview
	if v.read.IsQuestion(v.err) {
		t.note(theme.Attention, " ? ", s.shortPath(questionText(v.read.Result, v.err, v.entry.Path)))
		t.say(theme.Muted, "enter asks how it is read")
		return
	}
	if errors.Is(v.err, errNoPreview) {
		t.say(theme.Muted, format.CapitalizeFirst(v.err.Error()))
		return
	}
	t.note(theme.Bad, " ! ", s.shortPath(strings.TrimPrefix(v.err.Error(), v.name()+": ")))
}

// questionText returns the question that is open about a file, or why it cannot be read.
func questionText(res *kmlcsv.Result, err error, path string) string {
	if n := len(res.Questions); n > 0 && !res.Questions[n-1].Certain {
		return format.Clean(res.Questions[n-1].Text)
	}
	return strings.TrimPrefix(err.Error(), filepath.Base(path)+": ")
}

// foundTexts counts the sites of a file, and sums them up.
func foundTexts(res *kmlcsv.Result, units format.Units) []string {
	texts := []string{siteCount(len(res.Placemarks))}
	area, length, points := 0.0, 0.0, 0
	for i := range res.Placemarks {
		p := &res.Placemarks[i]
		area += p.Area
		length += p.Length
		if p.Kind() == kmlcsv.Asset {
			points++
		}
	}
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

// foundPlaces names the town of the first site, and the countries of all.
func foundPlaces(res *kmlcsv.Result) string {
	if len(res.Placemarks) == 0 {
		return ""
	}
	first := &res.Placemarks[0]
	var countries []string
	for i := range res.Placemarks {
		country := res.Placemarks[i].Country
		if country != "" && !slices.Contains(countries, country) {
			countries = append(countries, country)
		}
	}
	if len(countries) > 3 {
		countries = append(countries[:3], fmt.Sprintf("and %d more countries", len(countries)-3))
	}
	where := strings.Join(countries, ", ")
	if first.City == "" {
		return where
	}
	return strings.TrimSuffix("near "+first.City+", "+where, ", ")
}

// The entries above those of the folder.
const (
	clipboardEntry = "clipboard" // its path, which is not absolute
	recentFiles    = "recent survey files"
	maxRecent      = 8 // that are remembered
	maxShownRecent = 3
	maxClipboard   = 1 << 20 // bytes of a clipboard that is looked into
)

// topEntries are recently read files and the clipboard.
type topEntries struct {
	asked  page.Question
	recent []page.FolderEntry
	text   string // of the clipboard, if it has sites
	sites  int    // in that text
}

// readTop finds out in the background which recent files still exist, and whether the
// clipboard has sites.
func (s *filesStep) readTop() tea.Cmd {
	var paths []string
	s.Env.Look.UIState.Get(recentFiles, &paths)
	files := &s.Env.Files
	read := func(ctx context.Context) (found topEntries, _ error) {
		for _, path := range paths {
			if e, ok := page.FindFile(files, path); ok {
				found.recent = append(found.recent, e)
			}
		}
		found.text, found.sites = readClipboard(ctx, files.ReadClipboard)
		return found, nil
	}
	return page.AskInBackground(s.p.base, &s.top.asked, read, func(found topEntries, _ error) tea.Cmd {
		found.asked = s.top.asked
		s.top = found
		s.picker.UpdateTop()
		return s.followSelection()
	})
}

// readClipboard returns the text of the clipboard and how many sites it has, or "" if it has
// none. A single path or a text without coordinates is not kept.
func readClipboard(ctx context.Context, read func() (string, error)) (text string, sites int) {
	if read == nil {
		return "", 0
	}
	text, err := read()
	text = cleanPaste(text)
	if err != nil || text == "" || len(text) > maxClipboard || page.IsPath(text) {
		return "", 0
	}
	ctx, cancel := context.WithTimeout(ctx, maxPreviewTime)
	defer cancel()
	res, err := kmlcsv.ParsePasted(ctx, text, kmlcsv.Options{NoPlaces: true})
	if err != nil || len(res.Placemarks) == 0 {
		return "", 0
	}
	return text, len(res.Placemarks)
}

// topEntries returns the clipboard and the recent files of other folders.
func (s *filesStep) topEntries() []page.FolderEntry {
	var entries []page.FolderEntry
	if s.top.sites > 0 {
		entries = append(entries, page.FolderEntry{
			Name: "clipboard: " + siteCount(s.top.sites),
			Path: clipboardEntry,
			Size: int64(len(s.top.text)),
		})
	}
	recent := 0
	for _, e := range s.top.recent {
		if recent == maxShownRecent {
			break
		}
		if !s.picker.IsListed(e.Path) {
			e.Name = s.Env.Files.ShortPath(e.Path)
			entries = append(entries, e)
			recent++
		}
	}
	return entries
}

// rememberFiles adds files that were read to the recent files, the newest first.
func (s *filesStep) rememberFiles(reads []ordering.FileRead) tea.Cmd {
	var paths []string
	state := s.Env.Look.UIState
	state.Get(recentFiles, &paths)
	for _, read := range reads {
		if read.Pasted != "" {
			continue
		}
		paths = slices.DeleteFunc(paths, func(path string) bool { return path == read.Path })
		paths = slices.Insert(paths, 0, read.Path)
	}
	state.Put(recentFiles, paths[:min(len(paths), maxRecent)])
	return s.Env.Look.KeepLook()
}
