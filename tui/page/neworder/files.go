package neworder

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/kmlcsv"
	"flightdesk/tui/action"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// filesStep is step 1: the user types or pastes a path, or selects files in a list of a folder.
type filesStep struct {
	stepPage
	picker     *page.FilePicker
	preview    filePreview
	top        topEntries
	err        error        // error of the last reading
	unanswered []readResult // files that cannot be read before the user answers a question

	reading    page.Question // of files that the user opened
	loadingTop page.Question // of the top entries
}

// surveyExtensions lists the extensions of files that almost always have sites.
var surveyExtensions = []string{
	".kml", ".kmz", ".csv", ".xlsx", ".xlsm", ".ods", ".geojson", ".gpx", ".gpkg", ".shp", ".plan", ".waypoints", ".poly",
}

// otherExtensions lists the extensions of other files that can have sites.
var otherExtensions = []string{".tsv", ".txt", ".wpml", ".json", ".ndjson", ".geojsonl", ".geojsons", ".wkt", ".zip"}

func newFilesStep(p *NewOrder) *filesStep {
	s := &filesStep{}
	s.stepPage = newStepPage(p, "new files", s.renderEntries, s.renderPreview)
	s.preview = filePreview{env: p.env, siteMap: page.NewSiteMap()}
	s.picker = page.NewFilePicker(p.base, page.FilePickerOptions{
		Hint:    "type or paste a path (KML, CSV, XLSX, GIS) or coordinates",
		None:    s.noMatchText,
		Accepts: canHaveSites,
		Likely:  func(name string) bool { return hasExtension(name, surveyExtensions) },
		Samples: p.env.Files.Samples,
		Top:     s.topEntries,
		Follow:  s.followSelection,
	})
	lastFolder := p.draft.LastFolder()
	if lastFolder != "" && lastFolder != p.env.Files.Samples {
		s.picker.StartFrom(lastFolder)
	}
	return s
}

// noMatchText returns what enter does if no file matches the typed text, or why a typed link
// cannot be used.
func (s *filesStep) noMatchText() string {
	if s.typedPlace() != "" {
		return "enter adds this site"
	}
	if err := s.typedLinkError(); err != nil {
		return format.CapitalizeFirst(err.Error())
	}
	return "No matching folder or survey file. enter opens the path as typed."
}

// canHaveSites reports whether a file with the given name can have sites.
func canHaveSites(name string) bool {
	return hasExtension(name, surveyExtensions) || hasExtension(name, otherExtensions)
}

// hasExtension reports whether the extension of a file name, in lower case, is one of extensions.
func hasExtension(name string, extensions []string) bool {
	return slices.Contains(extensions, strings.ToLower(filepath.Ext(name)))
}

// OnShow lists the files of the folder, and the clipboard and recent files above them.
func (s *filesStep) OnShow() tea.Cmd { return tea.Batch(s.picker.ShowFolder(), s.loadTopEntries()) }

// Update handles typed, pasted and dropped text. It reads pasted files and sites; any other text goes
// to the path.
func (s *filesStep) Update(msg tea.Msg) tea.Cmd {
	if paste, ok := msg.(tea.PasteMsg); ok {
		if cmd, isUsed := s.readPaste(paste.Content, true); isUsed {
			return cmd
		}
	}
	cmd, changed := s.picker.Update(msg)
	if changed {
		s.err = nil
		s.unanswered = nil
	}
	return tea.Batch(cmd, s.followSelection())
}

// typedPlace returns the text that the user typed after the folder if it is a place, otherwise "".
func (s *filesStep) typedPlace() string {
	typed := s.picker.TypedName()
	if _, err := kmlcsv.ReadTyped(typed); err != nil {
		return ""
	}
	return typed
}

// HandleAction performs an action and previews the selected file.
func (s *filesStep) HandleAction(id action.ID) tea.Cmd {
	cmd := s.performAction(id)
	return tea.Batch(cmd, s.followSelection())
}

func (s *filesStep) performAction(id action.ID) tea.Cmd {
	switch id {
	case action.ChooseFile:
		return s.chooseEntry()
	case action.MarkSite:
		s.picker.MarkFile()
		s.picker.Table.Move(1)
	case action.Complete:
		return s.picker.CompletePath()
	case action.ChooseColumns:
		return s.openImportDialogs(s.unanswered)
	case action.AddSite:
		return s.parent.sites.editor.openSiteForm(nil, s.typedPlace())
	default:
		page.MoveList(&s.picker.Table, id)
	}
	return nil
}

// chooseEntry reads the marked files, or opens the selected entry if no file is marked. If no
// entry matches the typed text, it adds the typed place as a site or reads the typed path.
func (s *filesStep) chooseEntry() tea.Cmd {
	if len(s.picker.Marked) > 0 {
		paths := make([]string, len(s.picker.Marked))
		for i, marked := range s.picker.Marked {
			paths[i] = marked.Path
		}
		return s.readFiles(paths...)
	}
	entry, found := s.picker.Current()
	if !found {
		return s.chooseTyped()
	}
	if entry.Folder {
		s.err = nil
		s.unanswered = nil
		return s.picker.EnterFolder(entry.Path)
	}
	if entry.Path == clipboardEntry {
		return s.readPastedText(s.top.clipboard)
	}
	return s.readFiles(entry.Path)
}

// chooseTyped adds the typed place as a site, or reads the file at the typed path. If the typed
// text is a link that cannot be used, it shows the error and returns nil.
func (s *filesStep) chooseTyped() tea.Cmd {
	if s.typedPlace() != "" {
		return s.HandleAction(action.AddSite)
	}
	if err := s.typedLinkError(); err != nil {
		s.err = err
		return nil
	}
	return s.readFiles(s.picker.TypedPath())
}

// readResult is the result of reading a file. If err is a question, the file can be read after the
// user has answered it.
type readResult struct {
	read ordering.FileRead
	err  error
}

// readFiles reads files in the background. It stops the preview, because only one file is read at a
// time.
func (s *filesStep) readFiles(paths ...string) tea.Cmd {
	s.preview.stop()
	drafts := s.parent.drafts
	files := &s.Env.Files
	near := s.draft.KnownPlaces(s.Env.Profile.Cache.Now().Missions)
	readOne := func(ctx context.Context, path string) readResult {
		if err := files.Confine(path); err != nil {
			return readResult{err: fmt.Errorf("%s: %w", path, err)}
		}
		read, err := drafts.ReadFile(ctx, path, near)
		if read.Folder && len(paths) > 1 {
			err = fmt.Errorf("%s is a folder; open it and mark files with shift+↓", path)
		}
		return readResult{read, err}
	}
	return s.readInBackground(func(ctx context.Context) ([]readResult, error) {
		results := make([]readResult, len(paths))
		for i, path := range paths {
			results[i] = readOne(ctx, path)
		}
		return results, nil
	})
}

// readInBackground calls read in the background and passes the results to [filesStep.handleResults].
func (s *filesStep) readInBackground(read func(context.Context) ([]readResult, error)) tea.Cmd {
	handle := func(results []readResult, _ error) tea.Cmd { return s.parent.files.handleResults(results) }
	return page.AskInBackground(s.parent.base, &s.reading, read, handle)
}

// sortResults splits the results of reading files into files that were read, files with a question,
// and the errors of the other files.
func sortResults(results []readResult) (reads []ordering.FileRead, questions []readResult, errs []error) {
	for _, result := range results {
		if result.err == nil {
			reads = append(reads, result.read)
		} else if result.read.IsQuestion(result.err) {
			questions = append(questions, result)
		} else {
			errs = append(errs, result.err)
		}
	}
	return reads, questions, errs
}

// handleResults adds the sites of files that were read to the draft and goes to the sites. It opens a
// dialog for each file with a question. If several files were opened, it lists the files that could
// not be read, so that the user does not miss their sites in the order.
func (s *filesStep) handleResults(results []readResult) tea.Cmd {
	reads, questions, errs := sortResults(results)
	s.err = nil
	s.picker.Marked = nil
	if len(errs) > 0 {
		s.err = errs[0]
	}
	if len(errs) > 0 && len(results) > 1 {
		s.showNotRead(errs)
	} else if len(errs) > 0 && s.draft.Step != ordering.StepFiles {
		return page.ShowToast(theme.Bad, shortPaths(&s.Env.Files, s.err.Error()))
	}
	if len(reads) > 0 && reads[0].Folder {
		return s.picker.EnterFolder(reads[0].Path)
	}
	var cmd tea.Cmd
	if len(reads) > 0 {
		remember := rememberFiles(&s.Env.Look, reads)
		cmd = tea.Batch(remember, s.addReads(reads...), s.parent.goTo(ordering.StepSites))
	}
	s.unanswered = questions
	return tea.Batch(cmd, s.openImportDialogs(questions))
}

// openImportDialogs opens a dialog for each file with a question, the dialog of the first file on
// top.
func (s *filesStep) openImportDialogs(questions []readResult) tea.Cmd {
	cmds := make([]tea.Cmd, len(questions))
	for i, question := range slices.Backward(questions) {
		dialog := newImportDialog(s, question)
		s.Env.Nav.Overlay(dialog)
		cmds[i] = dialog.readFile()
	}
	return tea.Batch(cmds...)
}

// showNotRead opens a dialog with the errors of the files that could not be read.
func (s *filesStep) showNotRead(errs []error) {
	facts := make([]widget.Fact, len(errs))
	for i, err := range errs {
		facts[i] = widget.Fact{Value: shortPaths(&s.Env.Files, err.Error()), Role: theme.Bad}
	}
	s.Env.ShowFacts(format.Count(len(errs), "file")+" not read", 0, facts...)
}

// addReads adds the sites of the files to the draft and selects the first added site. If a file
// was read again, the selection stays on the same row.
func (s *filesStep) addReads(reads ...ordering.FileRead) tea.Cmd {
	if err := s.parent.drafts.Reader.CheckDraft(s.draft, reads...); err != nil {
		s.err = err
		return page.ShowToast(theme.Bad, format.CapitalizeFirst(err.Error()))
	}
	addAll := func() (first *ordering.Site) {
		for _, read := range reads {
			site := s.draft.AddFile(read)
			if first == nil {
				first = site
			}
		}
		return first
	}
	sites := s.parent.sites
	grid := sites.list.Grid
	selectedRow := grid.Cursor()
	cmd := sites.editor.arrangeSites(describeReads(reads), addAll)
	grid.LeadSelected()
	if reads[0].Again {
		grid.Move(selectedRow - grid.Cursor())
		sites.followSelection()
	}
	return cmd
}

// describeReads returns the text of the message that the sites of the files were added: their
// number, the names of the files, and what was left out.
func describeReads(reads []ordering.FileRead) string {
	if reads[0].Again {
		return "reloaded " + filepath.Base(reads[0].Path)
	}
	sites := 0
	isKnown := false
	var names []string
	for _, read := range reads {
		names = append(names, filepath.Base(read.Path))
		sites += len(read.Result.Placemarks)
		isKnown = isKnown || read.Known
	}
	text := "added " + siteCount(sites) + " of " + strings.Join(names, ", ") + describeLeftOut(reads)
	if isKnown {
		text += ", read as you chose for its header"
	}
	return text
}

// describeLeftOut returns how much of the files was left out, with the first reason, as the end of a
// sentence. It returns "" if nothing was left out.
func describeLeftOut(reads []ordering.FileRead) string {
	var counts []string
	firstReason := ""
	for _, read := range reads {
		count, reason := read.LeftOut()
		if count == "" {
			continue
		}
		if len(counts) == 0 {
			firstReason = reason
		}
		counts = append(counts, count)
	}
	if len(counts) == 0 {
		return ""
	}
	return ", " + strings.Join(counts, ", ") + " (W lists them): " + firstReason
}

// View draws the path, and the list of files below it. In a wide window the preview is next to the
// list.
func (s *filesStep) View(w, h int) string {
	head := s.picker.RenderHead(w, h, s.renderState(w)...)
	s.Head = len(head)
	if len(head) == h {
		return format.FitBox(head, w, h)
	}
	return format.FitBox(head, w, len(head)) + "\n" + s.DrawPage(w/2, w, h-len(head))
}

func (s *filesStep) renderEntries(w, h int) string { return s.picker.RenderEntries(w, h) }

// renderState returns the lines below the path: the state of reading files, what the user can do
// next, and what the user can paste.
func (s *filesStep) renderState(w int) []string {
	t := textLines{Theme: s.Env.Look.Theme, w: w}
	files := &s.Env.Files
	if s.reading.IsOpen() {
		t.addText(theme.Muted, "Reading the file…")
		return t.lines
	}
	if err := cmp.Or(s.err, s.picker.ListError()); err != nil {
		t.addNote(theme.Bad, " ! ", shortPaths(files, err.Error()))
		return t.lines
	}
	if len(s.unanswered) > 0 {
		t.addNote(theme.Bad, " ! ", shortPaths(files, s.unanswered[0].err.Error()))
		t.addKey("ctrl+g", "choose how it is read")
		return t.lines
	}
	if hint := s.nextHint(); hint != "" {
		t.add(t.PaintMuted(" " + hint))
	}
	t.add(t.PaintMuted(pasteHint(w)))
	return t.lines
}

// nextHint returns the key for the next step and what it applies to, or "".
func (s *filesStep) nextHint() string {
	if marked := len(s.picker.Marked); marked > 0 {
		return format.Count(marked, "file") + " marked · enter to open"
	}
	if sites := len(s.draft.Sites); sites > 0 {
		files := inBrackets("", s.draft.SiteOrigins(", "))
		return siteCount(sites) + files + " · ctrl+s to continue"
	}
	if others := len(s.parent.otherDrafts); others > 0 {
		return format.Count(others, "other draft") + " · ctrl+l to open"
	}
	return ""
}

// pasteHint returns a line of at most w cells that lists what can be typed or pasted.
func pasteHint(w int) string {
	const hint = " Type or paste a path, coordinates, map links, table rows"
	const more = ", WKT, GeoJSON, KML or the text of a mail"
	if w <= len(hint+more) {
		return format.CutLine(hint, w)
	}
	return hint + more
}

// shortPaths returns a text with the user's home folder replaced by ~ in all paths. If the files are
// confined to a folder, it hides the paths.
func shortPaths(files *page.FileAccess, text string) string {
	if files.Confined {
		return files.HidePaths(text)
	}
	if files.Home == "" {
		return text
	}
	slash := string(filepath.Separator)
	// Only a path after a space can begin with the home folder: /mnt/home/u does not.
	text = strings.ReplaceAll(" "+text, " "+files.Home+slash, " ~"+slash)
	return text[1:]
}

// HandleMouse selects the clicked entry. A double click opens an entry, and the wheel moves the
// selection.
func (s *filesStep) HandleMouse(m page.MouseInput) tea.Cmd {
	_, isOutside := s.TakeMouse(m) // on the divider or the preview
	if m.Wheel != 0 {
		s.picker.Table.Move(m.Wheel)
		return s.followSelection()
	}
	if isOutside || !s.picker.ClickEntry(m.Y) || !m.Double {
		return s.followSelection()
	}
	cmd := s.chooseEntry()
	return tea.Batch(cmd, s.followSelection())
}

// HandleBack returns to the sites, or returns false if the draft has no sites.
func (s *filesStep) HandleBack() bool {
	if len(s.draft.Sites) == 0 {
		return false
	}
	s.draft.Step = ordering.StepSites
	s.parent.enterStep()
	return true
}

// Cursor returns the text cursor in the path.
func (s *filesStep) Cursor() *tea.Cursor { return s.picker.Cursor() }

// IsTyping returns true: keys always go to the path.
func (s *filesStep) IsTyping() bool { return true }

// ActionScopes returns the scopes of the step.
func (s *filesStep) ActionScopes() []action.Scope {
	return []action.Scope{action.NewOrderFiles, action.NewOrderSteps}
}

// DisabledReason returns why an action is disabled, or "".
func (s *filesStep) DisabledReason(id action.ID) string {
	if id == action.NextStep && len(s.draft.Sites) == 0 {
		return "no sites yet; open a file first"
	}
	if id == action.ChooseColumns && s.unanswered == nil {
		return "open a file first"
	}
	if id == action.ChooseFile && s.reading.IsOpen() {
		return "still reading a file"
	}
	return ""
}
