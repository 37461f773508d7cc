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

// filesStep is step 1: a path typed or pasted, or folders walked.
type filesStep struct {
	stepPage
	picker  *page.FilePicker
	reading page.Question // of a file
	preview filePreview
	top     topEntries
	err     error
	unread  []fileQuestion // those that are not answered yet
}

// surveyEndings are those of files that hardly hold anything but sites.
var surveyEndings = []string{
	".kml", ".kmz", ".csv", ".xlsx", ".xlsm", ".ods", ".geojson", ".gpx", ".gpkg", ".shp", ".plan", ".waypoints", ".poly",
}

// otherEndings are those of files that can hold sites.
var otherEndings = []string{".tsv", ".txt", ".wpml", ".json", ".ndjson", ".geojsonl", ".geojsons", ".wkt", ".zip"}

func newFilesStep(p *NewOrder) *filesStep {
	s := &filesStep{}
	s.stepPage = stepPage{page.NewDetail(p.env, "new files", besideMap, s.renderEntries, s.renderPreview), p, p.draft}
	s.preview.siteMap = page.NewSiteMap()
	s.picker = page.NewFilePicker(p.base, page.FilePickerOptions{
		Hint: "type or paste a path (KML, CSV, XLSX, GIS) or coordinates",
		None: func() string {
			if s.typedPlace() != "" {
				return "enter adds this site"
			}
			if err := s.typedLinkError(); err != nil {
				return format.CapitalizeFirst(err.Error())
			}
			return "No matching folder or survey file. enter opens the path as typed."
		},
		Accepts: func(name string) bool {
			return hasEnding(name, slices.Concat(surveyEndings, otherEndings)...)
		},
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

func hasEnding(name string, endings ...string) bool {
	return slices.Contains(endings, strings.ToLower(filepath.Ext(name)))
}

// OnShow shows the folder.
func (s *filesStep) OnShow() tea.Cmd { return tea.Batch(s.picker.ShowFolder(), s.readTop()) }

// Update takes what is typed, pasted or dropped.
func (s *filesStep) Update(msg tea.Msg) tea.Cmd {
	if paste, ok := msg.(tea.PasteMsg); ok {
		if cmd, isRead := s.readPaste(paste.Content, true); isRead {
			return cmd
		}
	}
	cmd, changed := s.picker.Update(msg)
	if changed {
		s.err, s.unread = nil, nil
	}
	return tea.Batch(cmd, s.followSelection())
}

// typedPlace returns the place that is typed behind the folder, "" for none.
func (s *filesStep) typedPlace() string {
	typed := s.picker.TypedName()
	if _, err := kmlcsv.ReadTyped(typed); err != nil {
		return ""
	}
	return typed
}

// HandleAction performs an action on the files.
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

// chooseEntry takes the marked files or the selected entry, or what is typed where
// nothing matches.
func (s *filesStep) chooseEntry() tea.Cmd {
	e, found := s.picker.Current()
	switch marked := s.picker.Marked; {
	case len(marked) > 0:
		paths := make([]string, len(marked))
		for i, e := range marked {
			paths[i] = e.Path
		}
		return s.readFiles(paths...)
	case found && e.Folder:
		s.err, s.unread = nil, nil
		return s.picker.EnterFolder(e.Path)
	case found && e.Path == clipboardEntry:
		return s.readPastedText(s.top.text)
	case found:
		return s.readFiles(e.Path)
	case s.typedPlace() != "":
		return s.HandleAction(action.AddSite)
	case s.typedLinkError() != nil:
		s.err = s.typedLinkError()
		return nil
	}
	return s.readFiles(s.picker.TypedPath())
}

// fileQuestion is a file that was read, or could not be, perhaps until a person has
// chosen how.
type fileQuestion struct {
	read ordering.FileRead
	err  error
}

// readFiles reads files in the background.
func (s *filesStep) readFiles(paths ...string) tea.Cmd {
	s.preview.stop() // a person may have only one file read at a time
	drafts, files := s.p.drafts, &s.Env.Files
	near := s.draft.KnownPlaces(s.Env.Profile.Cache.Now().Missions)
	return s.askFiles(func(ctx context.Context) (all []fileQuestion, _ error) {
		for _, path := range paths {
			var q fileQuestion
			if err := files.Confine(path); err != nil {
				q.err = fmt.Errorf("%s: %w", path, err)
			} else if q.read, q.err = drafts.ReadFile(ctx, path, near); q.read.Folder && len(paths) > 1 {
				q.err = fmt.Errorf("%s is a folder; open it and mark files with shift+↓", path)
			}
			all = append(all, q)
		}
		return all, nil
	})
}

func (s *filesStep) askFiles(read func(context.Context) ([]fileQuestion, error)) tea.Cmd {
	return page.AskInBackground(s.p.base, &s.reading, read, func(all []fileQuestion, _ error) tea.Cmd {
		return s.p.files.takeRead(all)
	})
}

// takeRead adds what could be read of files to the draft, and goes on to the sites;
// what could not be is asked about or listed, so that its sites are not missed in the
// order.
func (s *filesStep) takeRead(all []fileQuestion) tea.Cmd {
	var reads []ordering.FileRead
	var errs []error
	var questions []fileQuestion
	for _, q := range all {
		switch {
		case q.err == nil:
			reads = append(reads, q.read)
		case q.read.IsQuestion(q.err):
			questions = append(questions, q)
		default:
			errs = append(errs, q.err)
		}
	}
	s.err = cmp.Or(errs...)
	s.picker.Marked = nil
	var cmd tea.Cmd
	switch {
	case s.err != nil && len(all) > 1:
		s.showNotRead(errs)
	case s.err != nil && s.draft.Step != ordering.StepFiles:
		return page.ShowToast(theme.Bad, s.shortPath(s.err.Error()))
	}
	if len(reads) > 0 {
		if first := reads[0]; first.Folder {
			return s.picker.EnterFolder(first.Path)
		}
		cmd = tea.Batch(s.rememberFiles(reads), s.addReads(reads...), s.p.goTo(ordering.StepSites))
	}
	s = s.p.files
	s.unread = questions
	return tea.Batch(cmd, s.askQuestions(questions))
}

// askQuestions asks how files are read, the first one first.
func (s *filesStep) askQuestions(questions []fileQuestion) tea.Cmd {
	cmds := make([]tea.Cmd, len(questions))
	for i, q := range slices.Backward(questions) {
		d := newImportDialog(s, q)
		s.Env.Nav.Overlay(d)
		cmds[i] = d.readFile()
	}
	return tea.Batch(cmds...)
}

// showNotRead lists why files could not be read.
func (s *filesStep) showNotRead(errs []error) {
	facts := make([]widget.Fact, len(errs))
	for i, err := range errs {
		facts[i] = widget.Fact{Value: s.shortPath(err.Error()), Role: theme.Bad}
	}
	s.Env.ShowFacts(format.Count(len(errs), "file")+" not read", 0, facts...)
}

// addReads takes what was read of files into the draft, and shows the first site of
// it.
func (s *filesStep) addReads(reads ...ordering.FileRead) tea.Cmd {
	if err := s.p.drafts.Reader.CheckDraft(s.draft, reads...); err != nil {
		s.err = err
		return page.ShowToast(theme.Bad, format.CapitalizeFirst(err.Error()))
	}
	names, count, known := make([]string, len(reads)), 0, false
	var leftOut, reasons []string
	for i, read := range reads {
		names[i] = filepath.Base(read.Path)
		count += len(read.Result.Placemarks)
		known = known || read.Known
		if left, reason := read.LeftOut(); left != "" {
			leftOut = append(leftOut, left)
			reasons = append(reasons, reason)
		}
	}
	done := "added " + siteCount(count) + " of " + strings.Join(names, ", ")
	if len(leftOut) > 0 {
		done += ", " + strings.Join(leftOut, ", ") + " (W lists them): " + reasons[0]
	}
	if known {
		done += ", read as you chose for its header"
	}
	again := reads[0].Again
	if again {
		done = "read " + names[0] + " again"
	}
	m := s.p.sites
	selected := m.Grid.Cursor()
	cmd := m.arrangeSites(done, func() (first *ordering.Site) {
		for _, read := range reads {
			first = cmp.Or(first, s.draft.AddFile(read))
		}
		return first
	})
	if m.Grid.LeadSelected(); again {
		m.Grid.Move(selected - m.Grid.Cursor())
		m.followSelection()
	}
	return cmd
}

// View draws the path over the folder, which is beside the preview in a wide window.
func (s *filesStep) View(w, h int) string {
	head := s.picker.RenderHead(w, h, s.renderState(w)...)
	s.Head = len(head)
	if len(head) == h {
		return format.FitBox(head, w, h)
	}
	return format.FitBox(head, w, len(head)) + "\n" + s.DrawPage(w/2, w, h-len(head))
}

func (s *filesStep) renderEntries(w, h int) string { return s.picker.RenderEntries(w, h) }

// renderState returns what is to be said below the path.
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

// pasteHint says what can be typed or pasted, in one line.
func pasteHint(w int) string {
	const hint = " Type or paste a path, coordinates, map links, table rows"
	const more = ", WKT, GeoJSON, KML or the text of a mail"
	if w <= len(hint+more) {
		return format.CutLine(hint, w)
	}
	return hint + more
}

// shortPath writes the user's folder as ~.
func (s *filesStep) shortPath(text string) string {
	if s.Env.Files.Confined {
		return s.Env.Files.HidePaths(text)
	}
	if s.Env.Files.Home == "" {
		return text
	}
	slash := string(filepath.Separator)
	text = strings.ReplaceAll(" "+text, " "+s.Env.Files.Home+slash, " ~"+slash) // not within another path
	return text[1:]
}

// HandleMouse selects an entry, takes it with a second click, and moves with the wheel.
func (s *filesStep) HandleMouse(m page.MouseInput) tea.Cmd {
	var cmd tea.Cmd
	_, taken := s.TakeMouse(m)
	switch {
	case m.Wheel != 0:
		s.picker.Table.Move(m.Wheel)
	case taken: // the divider or the preview
	case s.picker.ClickEntry(m.Y) && m.Double:
		cmd = s.chooseEntry()
	}
	return tea.Batch(cmd, s.followSelection())
}

// HandleBack returns to the sites, if there are any.
func (s *filesStep) HandleBack() bool {
	any := len(s.draft.Sites) > 0
	if any {
		s.draft.Step = ordering.StepSites
		s.p.enterStep()
	}
	return any
}

// Cursor is in the path.
func (s *filesStep) Cursor() *tea.Cursor { return s.picker.Cursor() }

// IsTyping returns true.
func (s *filesStep) IsTyping() bool { return true }

// ActionScopes returns the files'.
func (s *filesStep) ActionScopes() []action.Scope {
	return []action.Scope{action.NewOrderFiles, action.NewOrderSteps}
}

// DisabledReason says why an action is off.
func (s *filesStep) DisabledReason(id action.ID) string {
	switch {
	case id == action.NextStep && len(s.draft.Sites) == 0:
		return "no sites yet; open a file first"
	case id == action.ChooseColumns && s.unread == nil:
		return "open a file first"
	case id == action.ChooseFile && s.reading.IsOpen():
		return "still reading a file"
	}
	return ""
}

// showList shows rows of which one is taken or removed, or a new one made by a key. Take
// and remove report whether that was done.
func showList[T any](
	p *NewOrder, l *widget.ListDialog, list []T, say func(T) widget.ListRow,
	newKey string, create func() tea.Cmd, take, remove func(T) (tea.Cmd, bool),
) tea.Cmd {
	l.Rows = func() (rows []widget.ListRow) {
		for _, one := range list {
			rows = append(rows, say(one))
		}
		return rows
	}
	l.Take = func(at int) (tea.Cmd, bool) { return take(list[at]) }
	erase := func(at int) (cmd tea.Cmd, done bool) { //nolint:unparam // as the keys of a list are
		if at < 0 {
			return nil, false
		}
		if cmd, done = remove(list[at]); done {
			list = slices.Delete(list, at, at+1)
		}
		return cmd, false
	}
	l.Keys = map[string]func(int) (tea.Cmd, bool){
		newKey: func(int) (tea.Cmd, bool) { return create(), true }, "delete": erase, "backspace": erase,
	}
	p.env.Nav.Overlay(l)
	return nil
}

// maxDifferences is how many differences are listed.
const maxDifferences = 200

// askReading has the service read the file of a site, and shows what that reads,
// compared.
func (m *sitesStep) askReading(s *ordering.Site) tea.Cmd {
	client, opts, drafts := m.Env.Profile.Client, m.draft.FindFile(s.File).Options, m.p.drafts
	return askDialog(m.p, func(ctx context.Context) (*ordering.ServiceReading, error) {
		return drafts.Reader.CompareFile(ctx, client, s.File, opts)
	}, m.readingDialog)
}

// readingDialog shows the comparison and, for each difference, both sides.
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
