package neworder

import (
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
)

// filesStep is step 1: the user types or pastes a path, or selects files in a list of a folder.
type filesStep struct {
	stepPage
	picker     *page.FilePicker
	preview    filePreview
	importer   *siteImporter
	top        topEntries
	loadingTop page.Request // loads the top entries
}

// surveyExtensions lists the extensions of files that almost always contain sites to survey.
var surveyExtensions = []string{
	".kml", ".kmz", ".csv", ".xlsx", ".xlsm", ".ods", ".geojson", ".gpx", ".gpkg", ".shp", ".plan", ".waypoints", ".poly",
}

// otherExtensions lists the extensions of other files that can have sites.
var otherExtensions = []string{".tsv", ".txt", ".wpml", ".json", ".ndjson", ".geojsonl", ".geojsons", ".wkt", ".zip"}

func newFilesStep(p *NewOrder) *filesStep {
	s := &filesStep{}
	s.stepPage = newStepPage(p, "new files", s.renderEntries, s.renderPreview)
	s.preview = filePreview{env: p.env, siteMap: page.NewSiteMap()}
	s.preview.table.Static = true
	s.importer = &siteImporter{parent: p, env: p.env, draft: p.draft}
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
	chooseKey := action.KeyOf(action.ChooseFile, action.NewOrderFiles)
	if len(s.picker.Marked) > 0 {
		return "No matching folder or survey file. " + chooseKey + " opens the marked files."
	}
	if s.typedPlace() != "" {
		return chooseKey + " adds this site"
	}
	if err := s.typedLinkError(); err != nil {
		return format.CapitalizeFirst(err.Error())
	}
	return "No matching folder or survey file. " + chooseKey + " opens the path as typed."
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
		if cmd, isUsed := s.importer.readPaste(paste.Content, true); isUsed {
			return cmd
		}
	}
	cmd, changed := s.picker.Update(msg)
	if changed {
		s.importer.err = nil
		s.importer.unanswered = nil
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

// typedLinkError returns why no place can be read from the typed link. It returns nil if the link has a place, or
// if the typed text is not a link.
func (s *filesStep) typedLinkError() error {
	typed := s.picker.TypedName()
	if !isLink(typed) {
		return nil
	}
	_, err := kmlcsv.ReadTyped(typed)
	return err
}

// HandleAction performs an action and previews the selected file.
func (s *filesStep) HandleAction(id action.ID) tea.Cmd {
	cmd := s.performAction(id)
	return tea.Batch(cmd, s.followSelection())
}

// performAction performs an action. It does not update the preview.
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
		return s.importer.openImportDialogs(s.importer.unanswered)
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
		return s.importer.readFiles(paths...)
	}
	entry, found := s.picker.Current()
	if !found {
		return s.chooseTyped()
	}
	if entry.Folder {
		s.importer.err = nil
		s.importer.unanswered = nil
		return s.picker.EnterFolder(entry.Path)
	}
	if entry.Path == clipboardEntry {
		return s.importer.readPastedText(s.top.clipboard)
	}
	return s.importer.readFiles(entry.Path)
}

// chooseTyped adds the typed place as a site, or reads the file at the typed path. If the typed
// text is a link that cannot be used, it shows the error and returns nil.
func (s *filesStep) chooseTyped() tea.Cmd {
	if s.typedPlace() != "" {
		return s.HandleAction(action.AddSite)
	}
	if err := s.typedLinkError(); err != nil {
		s.importer.err = err
		return nil
	}
	return s.importer.readFiles(s.picker.TypedPath())
}

// View draws the path, and the list of files below it. The preview is next to the list in a wide window,
// otherwise below it.
func (s *filesStep) View(w, h int) string {
	head := s.picker.RenderHead(w, h, s.renderState(w)...)
	s.Head = len(head)
	room := h - len(head)
	if room == 0 {
		return format.FitBox(head, w, h)
	}
	below := s.heightBelow(w, room)
	drawn := format.FitBox(head, w, len(head)) + "\n" + s.DrawPage(w/2, w, room-below)
	if below == 0 {
		return drawn
	}
	rule := s.Env.Look.Theme.Rule.Render(strings.Repeat("─", w))
	return drawn + "\n" + rule + "\n" + s.renderPreview(w, below-1)
}

func (s *filesStep) renderEntries(w, h int) string { return s.picker.RenderEntries(w, h) }

// renderState returns the lines below the path: the state of reading files, what the user can do
// next, and what the user can paste.
func (s *filesStep) renderState(w int) []string {
	t := textLines{Theme: s.Env.Look.Theme, w: w}
	files := &s.Env.Files
	if s.importer.reading.IsRunning() {
		t.addText(theme.Muted, "Reading…")
		return t.lines
	}
	err := s.importer.err
	if err == nil {
		err = s.picker.ListError()
	}
	if err != nil {
		t.addNote(theme.Bad, " ! ", shortPaths(files, err.Error()))
		return t.lines
	}
	if len(s.importer.unanswered) > 0 {
		t.addNote(theme.Bad, " ! ", shortPaths(files, s.importer.unanswered[0].err.Error()))
		t.addKey(action.KeyOf(action.ChooseColumns, action.NewOrderFiles), "choose how it is read")
		return t.lines
	}
	if hint := s.nextHint(); hint != "" {
		t.add(t.PaintMuted(" " + hint))
	}
	t.add(t.PaintMuted(pasteHint(w)))
	return t.lines
}

// nextHint returns what the user can do next, with the key for it: open the marked files, continue with the sites of
// the draft, or open another draft. It returns "" if none of these is possible.
func (s *filesStep) nextHint() string {
	if marked := len(s.picker.Marked); marked > 0 {
		openKey := action.KeyOf(action.ChooseFile, action.NewOrderFiles)
		return format.Count(marked, "file") + " marked · " + openKey + " to open"
	}
	if sites := len(s.draft.Sites); sites > 0 {
		files := inBrackets("", s.draft.SiteOrigins(", "))
		return siteCount(sites) + files + " · " + action.KeyOf(action.NextStep, action.NewOrderFiles) + " to continue"
	}
	if others := len(s.parent.otherDrafts); others > 0 {
		return format.Count(others, "other draft") + " · " + action.KeyOf(action.Drafts, action.NewOrderSteps) + " to open"
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

// shortPaths replaces the user's home folder by ~ in all paths of a text. If the files are confined to a folder, it
// hides the paths.
func shortPaths(files *page.FileAccess, text string) string {
	if files.Confined {
		return files.HidePaths(text)
	}
	if files.Home == "" {
		return text
	}
	slash := string(filepath.Separator)
	// Only a path after a space can begin with the home folder. In /mnt/home/u, for example, /home/u is not at the
	// beginning.
	text = strings.ReplaceAll(" "+text, " "+files.Home+slash, " ~"+slash)
	return text[1:]
}

// HandleMouse selects the clicked entry. A double click opens an entry, and the wheel moves the
// selection.
func (s *filesStep) HandleMouse(m page.MouseInput) tea.Cmd {
	_, handled := s.HandlePaneMouse(m) // on the divider or the preview
	if m.Wheel != 0 {
		s.picker.Table.Move(m.Wheel)
		return s.followSelection()
	}
	if handled || !s.picker.ClickEntry(m.Y) || !m.Double {
		return s.followSelection()
	}
	cmd := s.chooseEntry()
	return tea.Batch(cmd, s.followSelection())
}

// HandleBack goes to the step with the sites. It returns false if the draft has no sites.
func (s *filesStep) HandleBack() (tea.Cmd, bool) {
	if len(s.draft.Sites) == 0 {
		return nil, false
	}
	return s.parent.goTo(ordering.StepSites), true
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
	if id == action.ChooseColumns && len(s.importer.unanswered) == 0 {
		if len(s.draft.Files) > 0 {
			return "no file with an open question"
		}
		return "open a file first"
	}
	if id == action.ChooseFile && s.importer.reading.IsRunning() {
		return "still reading a file"
	}
	return ""
}
