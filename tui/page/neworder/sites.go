package neworder

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"flightdesk/tui/app/ordering"

	tea "charm.land/bubbletea/v2"

	"flightdesk/kmlcsv"
	"flightdesk/tui/action"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/filepicker"
	"flightdesk/tui/theme"
)

// sites is step 1: a path typed or pasted, or folders walked.
type sites struct {
	p       *NewOrder
	files   *filepicker.Picker
	reading page.Question // of a file
	err     error
	unread  *ordering.File // a CSV whose columns are to be chosen by hand
	adding  bool           // a file to the sites, which esc goes back to
}

func newSites(p *NewOrder) *sites {
	s := &sites{p: p}
	s.files = filepicker.New(p.Base, filepicker.Options{
		Hint:    "type or paste a path (KML, KMZ, CSV) or coordinates",
		None:    s.none,
		Accepts: func(name string) bool { return hasEnding(name, ".kml", ".kmz", ".csv", ".tsv", ".txt", ".wpml") },
		Likely:  func(name string) bool { return hasEnding(name, ".kml", ".kmz", ".csv") },
		Samples: p.Samples,
	})
	if from := p.draft.Folder(); from != "" && from != p.Samples {
		s.files.From(from)
	}
	return s
}

// none says what enter does where no entry has what is typed.
func (s *sites) none() string {
	if s.place() != "" {
		return "enter adds this site"
	}
	return "No matching folder or survey file. enter opens the path as typed."
}

func hasEnding(name string, endings ...string) bool {
	return slices.Contains(endings, strings.ToLower(filepath.Ext(name)))
}

func (s *sites) enter() tea.Cmd { return s.files.Start() }

func (s *sites) update(msg tea.Msg) tea.Cmd {
	if read, ok := msg.(page.Answer[ordering.FileRead]); ok {
		return s.took(read)
	}
	if paste, ok := msg.(tea.PasteMsg); ok {
		if cmd, taken := s.pasted(strings.TrimSpace(paste.Content)); taken {
			return cmd
		}
	}
	cmd, changed := s.files.Update(msg)
	if changed {
		s.err, s.unread = nil, nil
	}
	return cmd
}

// pasted takes several paths or a place; one path, and what is neither, is typed.
func (s *sites) pasted(text string) (cmd tea.Cmd, taken bool) {
	if paths := filepicker.SeveralPaths(text, s.p.Home, s.p.Folder); len(paths) > 1 {
		return s.readAll(paths), true
	}
	if filepicker.IsPath(text) {
		return nil, false
	}
	return s.pastedPlace(text)
}

// pastedPlace opens the dialog of a place that was pasted. Of several lines it
// takes those that can be read, and names the others.
func (s *sites) pastedPlace(text string) (cmd tea.Cmd, taken bool) {
	text, bad := readable(text)
	if text == "" {
		return nil, false
	}
	s.p.Overlay(s.missions().editor(nil, text))
	if len(bad) > 0 {
		return page.Toast(theme.Attention, "Could not read: "+strings.Join(bad, "; ")), true
	}
	return nil, true
}

// readable is the text where it is a place; else those of its lines that are,
// and what is wrong with the others. It is "" where none is.
func readable(text string) (places string, bad []string) {
	if _, err := kmlcsv.ReadTyped(text); err == nil {
		return text, nil
	}
	var good []string
	n := 0
	for line := range strings.Lines(text) {
		n++
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if _, err := kmlcsv.ReadTyped(line); err != nil {
			bad = append(bad, fmt.Sprintf("line %d, %s: %s", n, layout.Cut(layout.Clean(line), 30), err))
			continue
		}
		good = append(good, line)
	}
	return strings.Join(good, "; "), bad
}

func (s *sites) missions() *missions { return s.p.steps[ordering.StepMissions].(*missions) }

// place is the place that is typed behind the folder, "" for none.
func (s *sites) place() string {
	typed := s.files.Typed()
	if _, err := kmlcsv.ReadTyped(typed); err != nil {
		return ""
	}
	return typed
}

func (s *sites) do(id action.ID) tea.Cmd {
	switch id {
	case action.ChooseFile:
		return s.choose()
	case action.MarkSite:
		s.files.Mark()
		s.files.Table().Move(1)
	case action.Complete:
		return s.files.Complete()
	case action.ChooseColumns:
		s.p.Overlay(s.columns(s.unread))
	case action.ByHand:
		s.p.Overlay(s.missions().editor(nil, s.place()))
	default:
		page.Move(s.files.Table(), id)
	}
	return nil
}

// choose takes the selected entry, or the path as typed where nothing matches.
func (s *sites) choose() tea.Cmd {
	if marked := s.files.Marked(); len(marked) > 0 {
		paths := make([]string, len(marked))
		for i, e := range marked {
			paths[i] = e.Path
		}
		return s.readAll(paths)
	}
	path := s.files.Path()
	if e, ok := s.files.Current(); ok {
		if e.Folder {
			s.err, s.unread = nil, nil
			return s.files.Enter(e.Path)
		}
		path = e.Path
	} else if place := s.place(); place != "" {
		s.p.Overlay(s.missions().editor(nil, place))
		return nil
	}
	return page.Ask(s.p.Base, &s.reading, func(ctx context.Context) (ordering.FileRead, error) {
		return ordering.ReadFile(ctx, path, kmlcsv.Options{})
	})
}

// reread reads a file again with the assigned columns, in the background.
func (s *sites) reread(path string, opts kmlcsv.Options) tea.Cmd {
	return page.Ask(s.p.Base, &s.reading, func(ctx context.Context) (ordering.FileRead, error) {
		read, err := ordering.ReadFile(ctx, path, opts)
		read.Again = true
		return read, err
	})
}

// took adds a file's sites to the draft and goes on to them.
func (s *sites) took(answer page.Answer[ordering.FileRead]) tea.Cmd {
	if !answer.Take() {
		return nil
	}
	read := answer.Value
	s.err, s.unread = answer.Err, nil
	switch {
	case s.err != nil:
		if read.Result != nil && len(read.Result.Header) > 0 {
			s.unread = &ordering.File{Path: read.Path, Header: read.Result.Header}
		}
		if s.p.draft.Step != ordering.StepSites {
			return page.Toast(theme.Bad, s.short(s.err.Error()))
		}
		return nil
	case read.Folder:
		return s.files.Enter(read.Path)
	}
	return tea.Batch(s.add(read), s.p.goTo(ordering.StepMissions))
}

// add takes what was read of files into the draft, and shows the first site of
// it.
func (s *sites) add(reads ...ordering.FileRead) tea.Cmd {
	var first *ordering.Site
	names, count, unread := make([]string, len(reads)), 0, 0
	for i, read := range reads {
		names[i] = filepath.Base(read.Path)
		count += len(read.Result.Placemarks)
		unread += read.Result.Skipped
	}
	done := "added " + format.Count(count, "site", "sites") + " of " + strings.Join(names, ", ")
	if unread > 0 {
		done += ", " + group(unread) + " could not be read"
	}
	again := reads[0].Again
	if again {
		done = "read " + names[0] + " again with the assigned columns"
	}
	m := s.missions()
	selected := m.list.Grid.Cursor()
	cmd := m.apply(page.UndoMsg{Text: done}, nil, func() {
		for _, read := range reads {
			if site := s.p.draft.AddFile(read); first == nil {
				first = site
			}
		}
	})
	if m.arrived(first); again {
		m.list.Grid.Move(selected - m.list.Grid.Cursor())
		m.follow()
	}
	return cmd
}

func (s *sites) view(w, h int) string {
	return s.files.View(w, h, s.state(w)...)
}

// state is what is to be said below the path.
func (s *sites) state(w int) []string {
	th := s.p.Theme
	muted := func(text string) []string { return []string{layout.Text(th.Style(theme.Muted), " "+text)} }
	err := cmp.Or(s.err, s.files.Err())
	switch {
	case s.reading.Open():
		return muted("Reading the file…")
	case err != nil:
		return s.fault(err, w)
	case len(s.files.Marked()) > 0:
		return muted(format.Count(len(s.files.Marked()), "file", "files") + " marked · enter to open")
	case len(s.p.draft.Sites) > 0:
		return muted(format.Count(len(s.p.draft.Sites), "site", "sites") +
			inBrackets("", s.p.draft.Origins(", ")) + " · ctrl+s to continue")
	case s.p.twins.aside > 0:
		return muted(format.Count(s.p.twins.aside, "other draft", "other drafts") + " · ctrl+l to open")
	}
	return []string{""}
}

// fault is why a file or folder could not be read.
func (s *sites) fault(err error, w int) (lines []string) {
	th := s.p.Theme
	for i, part := range layout.Wrap(s.short(err.Error()), w-4) {
		mark := "  "
		if i == 0 {
			mark = "! "
		}
		lines = append(lines, layout.Text(th.Style(theme.Bad), " "+mark+part))
	}
	if s.unread != nil {
		lines = append(lines, "   "+layout.Text(th.Key, "ctrl+g")+layout.Text(th.Style(theme.Muted), " assign the columns manually"))
	}
	return lines
}

// short writes the user's folder as ~.
func (s *sites) short(text string) string {
	if s.p.Home == "" {
		return text
	}
	return strings.ReplaceAll(text, s.p.Home+string(filepath.Separator), "~"+string(filepath.Separator))
}

// mouse selects an entry, takes it with a second click, and moves with the wheel.
func (s *sites) mouse(m page.Mouse) tea.Cmd {
	switch {
	case m.Wheel != 0:
		s.files.Table().Move(m.Wheel)
	case s.files.Click(m.Y) && m.Double:
		return s.choose()
	}
	return nil
}

func (s *sites) cursor() *tea.Cursor    { return s.files.Cursor() }
func (s *sites) typing() bool           { return true }
func (s *sites) scopes() []action.Scope { return []action.Scope{action.Sites, action.Steps} }

func (s *sites) disabled(id action.ID) string {
	switch {
	case id == action.NextStep && len(s.p.draft.Sites) == 0:
		return "no sites yet; open a file first"
	case id == action.ChooseColumns && s.unread == nil:
		return "no CSV file to assign columns for"
	case id == action.ChooseFile && s.reading.Open():
		return "still reading a file"
	}
	return ""
}
