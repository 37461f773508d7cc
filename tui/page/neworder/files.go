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

// filesStep is step 1: the user types or pastes a path, or picks files in folders.
type filesStep struct {
	stepPage
	picker  *page.FilePicker
	reading page.Question // reading of files
	preview filePreview
	top     topEntries
	err     error          // error of the last reading
	unread  []fileQuestion // files that cannot be read before the user answers a question
}

// surveyEndings lists the extensions of files that almost always have sites.
var surveyEndings = []string{
	".kml", ".kmz", ".csv", ".xlsx", ".xlsm", ".ods", ".geojson", ".gpx", ".gpkg", ".shp", ".plan", ".waypoints", ".poly",
}

// otherEndings lists the extensions of other files that can have sites.
var otherEndings = []string{".tsv", ".txt", ".wpml", ".json", ".ndjson", ".geojsonl", ".geojsons", ".wkt", ".zip"}

func newFilesStep(p *NewOrder) *filesStep {
	s := &filesStep{}
	s.stepPage = stepPage{page.NewDetail(p.env, "new files", besideMap, s.renderEntries, s.renderPreview), p, p.draft}
	s.preview.siteMap = page.NewSiteMap()
	s.picker = page.NewFilePicker(p.base, page.FilePickerOptions{
		Hint:    "type or paste a path (KML, CSV, XLSX, GIS) or coordinates",
		None:    s.noMatchText,
		Accepts: canHaveSites,
		Likely:  func(name string) bool { return hasEnding(name, surveyEndings...) },
		Samples: p.env.Files.Samples,
		Top:     s.topEntries,
		Follow:  s.followSelection,
	})
	if from := p.draft.LastFolder(); from != "" && from != p.env.Files.Samples {
		s.picker.StartFrom(from)
	}
	return s
}

// noMatchText returns what enter does if no file matches the typed text, or why the typed link
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
	return hasEnding(name, surveyEndings...) || hasEnding(name, otherEndings...)
}

// hasEnding reports whether the extension of name, in lower case, is one of endings.
func hasEnding(name string, endings ...string) bool {
	return slices.Contains(endings, strings.ToLower(filepath.Ext(name)))
}

// OnShow lists the files of the folder and the entries above them.
func (s *filesStep) OnShow() tea.Cmd { return tea.Batch(s.picker.ShowFolder(), s.readTop()) }

// Update handles typed, pasted and dropped text. Pasted sites are added at once; any other text
// goes to the path.
func (s *filesStep) Update(msg tea.Msg) tea.Cmd {
	if paste, ok := msg.(tea.PasteMsg); ok {
		if cmd, isRead := s.readPaste(paste.Content, true); isRead {
			return cmd
		}
	}
	cmd, changed := s.picker.Update(msg)
	if changed {
		s.err = nil
		s.unread = nil
	}
	return tea.Batch(cmd, s.followSelection())
}

// typedPlace returns the text typed behind the folder if it can be parsed as a place, otherwise
// "".
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
		return s.askQuestions(s.unread)
	case action.AddSite:
		return s.p.sites.askSite(nil, s.typedPlace())
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
		s.unread = nil
		return s.picker.EnterFolder(entry.Path)
	}
	if entry.Path == clipboardEntry {
		return s.readPastedText(s.top.text)
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

// fileQuestion is the result of reading a file. If err is a question, the file can be read after
// the user answers it.
type fileQuestion struct {
	read ordering.FileRead
	err  error
}

// readFiles reads files in the background. It stops the preview, because only one file is read
// at a time.
func (s *filesStep) readFiles(paths ...string) tea.Cmd {
	s.preview.stop()
	drafts := s.p.drafts
	files := &s.Env.Files
	near := s.draft.KnownPlaces(s.Env.Profile.Cache.Now().Missions)
	readOne := func(ctx context.Context, path string) (q fileQuestion) {
		if err := files.Confine(path); err != nil {
			q.err = fmt.Errorf("%s: %w", path, err)
			return q
		}
		q.read, q.err = drafts.ReadFile(ctx, path, near)
		if q.read.Folder && len(paths) > 1 {
			q.err = fmt.Errorf("%s is a folder; open it and mark files with shift+↓", path)
		}
		return q
	}
	return s.askFiles(func(ctx context.Context) (all []fileQuestion, _ error) {
		for _, path := range paths {
			all = append(all, readOne(ctx, path))
		}
		return all, nil
	})
}

// askFiles calls read in the background and passes the files that it returns to
// [filesStep.takeRead].
func (s *filesStep) askFiles(read func(context.Context) ([]fileQuestion, error)) tea.Cmd {
	take := func(all []fileQuestion, _ error) tea.Cmd { return s.p.files.takeRead(all) }
	return page.AskInBackground(s.p.base, &s.reading, read, take)
}

// sortRead splits the results of reading files into read files, files with a question, and the
// errors of the other files.
func sortRead(all []fileQuestion) (reads []ordering.FileRead, questions []fileQuestion, errs []error) {
	for _, q := range all {
		if q.err == nil {
			reads = append(reads, q.read)
		} else if q.read.IsQuestion(q.err) {
			questions = append(questions, q)
		} else {
			errs = append(errs, q.err)
		}
	}
	return reads, questions, errs
}

// takeRead adds the sites of the read files to the draft and goes on to the sites. It opens a
// dialog for each file with a question and lists the files that could not be read, so that the
// user does not miss their sites in the order. A path of a folder opens the folder.
func (s *filesStep) takeRead(all []fileQuestion) tea.Cmd {
	reads, questions, errs := sortRead(all)
	s.err = nil
	s.picker.Marked = nil
	if len(errs) > 0 {
		s.err = errs[0]
		if len(all) > 1 {
			s.showNotRead(errs)
		} else if s.draft.Step != ordering.StepFiles {
			return page.ShowToast(theme.Bad, s.shortPath(s.err.Error()))
		}
	}
	var cmd tea.Cmd
	if len(reads) > 0 {
		first := reads[0]
		if first.Folder {
			return s.picker.EnterFolder(first.Path)
		}
		cmd = tea.Batch(s.rememberFiles(reads), s.addReads(reads...), s.p.goTo(ordering.StepSites))
	}
	current := s.p.files // goTo may have replaced the step
	current.unread = questions
	return tea.Batch(cmd, current.askQuestions(questions))
}

// askQuestions opens a dialog for each file with a question, the dialog of the first file on
// top.
func (s *filesStep) askQuestions(questions []fileQuestion) tea.Cmd {
	cmds := make([]tea.Cmd, len(questions))
	for i, q := range slices.Backward(questions) {
		d := newImportDialog(s, q)
		s.Env.Nav.Overlay(d)
		cmds[i] = d.readFile()
	}
	return tea.Batch(cmds...)
}

// showNotRead opens a dialog with the errors of the files that could not be read.
func (s *filesStep) showNotRead(errs []error) {
	facts := make([]widget.Fact, len(errs))
	for i, err := range errs {
		facts[i] = widget.Fact{Value: s.shortPath(err.Error()), Role: theme.Bad}
	}
	s.Env.ShowFacts(format.Count(len(errs), "file")+" not read", 0, facts...)
}

// addReads adds the sites of the files to the draft and selects the first added site. If a file
// was read again, the selection stays on the same row.
func (s *filesStep) addReads(reads ...ordering.FileRead) tea.Cmd {
	if err := s.p.drafts.Reader.CheckDraft(s.draft, reads...); err != nil {
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
	sites := s.p.sites
	selected := sites.Grid.Cursor()
	cmd := sites.arrangeSites(describeReads(reads), addAll)
	sites.Grid.LeadSelected()
	if reads[0].Again {
		sites.Grid.Move(selected - sites.Grid.Cursor())
		sites.followSelection()
	}
	return cmd
}

// describeReads returns the text of the message that the sites of the files were added: their
// number, the names of the files, and what was left out.
func describeReads(reads []ordering.FileRead) string {
	if reads[0].Again {
		return "read " + filepath.Base(reads[0].Path) + " again"
	}
	var names, leftOut, reasons []string
	sites := 0
	isKnown := false
	for _, read := range reads {
		names = append(names, filepath.Base(read.Path))
		sites += len(read.Result.Placemarks)
		if read.Known {
			isKnown = true
		}
		if left, reason := read.LeftOut(); left != "" {
			leftOut = append(leftOut, left)
			reasons = append(reasons, reason)
		}
	}
	text := "added " + siteCount(sites) + " of " + strings.Join(names, ", ")
	if len(leftOut) > 0 {
		text += ", " + strings.Join(leftOut, ", ") + " (W lists them): " + reasons[0]
	}
	if isKnown {
		text += ", read as you chose for its header"
	}
	return text
}

// View draws the path above the list of files, which is beside the preview in a wide window.
func (s *filesStep) View(w, h int) string {
	head := s.picker.RenderHead(w, h, s.renderState(w)...)
	s.Head = len(head)
	if len(head) == h {
		return format.FitBox(head, w, h)
	}
	return format.FitBox(head, w, len(head)) + "\n" + s.DrawPage(w/2, w, h-len(head))
}

func (s *filesStep) renderEntries(w, h int) string { return s.picker.RenderEntries(w, h) }

// renderState returns the lines below the path: the state of the reading or its error, a hint
// on what enter does, and a hint on what can be pasted.
func (s *filesStep) renderState(w int) []string {
	t := textLines{Theme: s.Env.Look.Theme, w: w}
	marked, sites := len(s.picker.Marked), len(s.draft.Sites)
	err := cmp.Or(s.err, s.picker.ListError())
	switch {
	case s.reading.IsOpen():
		t.say(theme.Muted, "Reading the file…")
	case err != nil:
		t.note(theme.Bad, " ! ", s.shortPath(err.Error()))
	case len(s.unread) > 0:
		t.note(theme.Bad, " ! ", s.shortPath(s.unread[0].err.Error()))
		t.key("ctrl+g", "choose how it is read")
	case marked > 0:
		t.say(theme.Muted, format.Count(marked, "file")+" marked · enter to open")
	case sites > 0:
		from := inBrackets("", s.draft.SiteOrigins(", "))
		t.add(t.PaintMuted(" " + siteCount(sites) + from + " · ctrl+s to continue"))
	case len(s.p.others) > 0:
		t.say(theme.Muted, format.Count(len(s.p.others), "other draft")+" · ctrl+l to open")
	}
	if !s.reading.IsOpen() && err == nil && len(s.unread) == 0 {
		t.add(t.PaintMuted(pasteHint(w)))
	}
	return t.lines
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

// shortPath returns text with the user's home folder replaced by ~. If the files are confined to
// a folder, it hides the paths instead.
func (s *filesStep) shortPath(text string) string {
	if s.Env.Files.Confined {
		return s.Env.Files.HidePaths(text)
	}
	if s.Env.Files.Home == "" {
		return text
	}
	slash := string(filepath.Separator)
	// The spaces keep the folder from being replaced in the middle of another path.
	text = strings.ReplaceAll(" "+text, " "+s.Env.Files.Home+slash, " ~"+slash)
	return text[1:]
}

// HandleMouse selects the clicked entry, opens an entry on a double click, and scrolls with the
// wheel.
func (s *filesStep) HandleMouse(m page.MouseInput) tea.Cmd {
	var cmd tea.Cmd
	_, isHandled := s.TakeMouse(m) // on the divider or the preview
	if m.Wheel != 0 {
		s.picker.Table.Move(m.Wheel)
	} else if !isHandled {
		isEntry := s.picker.ClickEntry(m.Y)
		if isEntry && m.Double {
			cmd = s.chooseEntry()
		}
	}
	return tea.Batch(cmd, s.followSelection())
}

// HandleBack returns to the sites, or returns false if the draft has no sites.
func (s *filesStep) HandleBack() bool {
	if len(s.draft.Sites) == 0 {
		return false
	}
	s.draft.Step = ordering.StepSites
	s.p.enterStep()
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
	if id == action.ChooseColumns && s.unread == nil {
		return "open a file first"
	}
	if id == action.ChooseFile && s.reading.IsOpen() {
		return "still reading a file"
	}
	return ""
}

// showList opens a dialog with a row for each element of list. Enter calls take with the selected
// element, delete calls remove, and newKey calls create. Take reports whether the dialog closes;
// remove reports whether the element was removed.
func showList[T any](
	p *NewOrder, l *widget.ListDialog, list []T, say func(T) widget.ListRow,
	newKey string, create func() tea.Cmd, take, remove func(T) (tea.Cmd, bool),
) tea.Cmd {
	l.Rows = func() (rows []widget.ListRow) {
		for _, element := range list {
			rows = append(rows, say(element))
		}
		return rows
	}
	l.Take = func(i int) (tea.Cmd, bool) { return take(list[i]) }
	removeRow := func(i int) (tea.Cmd, bool) { //nolint:unparam // the signature of a key of the dialog
		if i < 0 {
			return nil, false
		}
		cmd, removed := remove(list[i])
		if removed {
			list = slices.Delete(list, i, i+1)
		}
		return cmd, false
	}
	l.Keys = map[string]func(int) (tea.Cmd, bool){
		newKey:      func(int) (tea.Cmd, bool) { return create(), true },
		"delete":    removeRow,
		"backspace": removeRow,
	}
	p.env.Nav.Overlay(l)
	return nil
}

// maxDifferences is how many differences the dialog of a comparison lists.
const maxDifferences = 200

// askReading lets the service read the file of a site, and shows how the service's reading
// differs from the reading on this machine.
func (m *sitesStep) askReading(s *ordering.Site) tea.Cmd {
	client := m.Env.Profile.Client
	opts := m.draft.FindFile(s.File).Options
	reader := m.p.drafts.Reader
	compare := func(ctx context.Context) (*ordering.ServiceReading, error) {
		return reader.CompareFile(ctx, client, s.File, opts)
	}
	return askDialog(m.p, compare, m.readingDialog)
}

// readingDialog opens a dialog with the result of the comparison, and with the values on this
// machine and on the service for each difference.
func (m *sitesStep) readingDialog(r *ordering.ServiceReading) tea.Cmd {
	facts := widget.Texts("File", m.p.files.shortPath(r.File), "Result", r.CountSummary())
	if r.Message != "" {
		facts = append(facts, widget.Text("Service says", r.Message))
	}
	for i, d := range r.Differences {
		if i == maxDifferences {
			more := groupDigits(len(r.Differences)-i) + " more; flightdesk parse --remote lists them all"
			facts = append(facts, widget.Text("", more))
			break
		}
		facts = append(facts, widget.Toned(d.Placemark, d.What, theme.Attention))
		facts = append(facts, widget.Texts("  here", d.Here, "  service", d.Service)...)
	}
	return m.Env.ShowFacts("Read by the service", 14, facts...)
}
