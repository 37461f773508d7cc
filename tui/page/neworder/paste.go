package neworder

import (
	"context"
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/kmlcsv"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// cleanPaste returns a pasted text with the line breaks that all readers know.
func cleanPaste(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.ReplaceAll(text, "\r", "\n")
	return strings.Trim(text, "\n ")
}

// readPaste reads what was pasted or dropped: paths of files, one place, or a text with
// several sites. While a path is typed, one path and any other text of a single line are
// left to the field; isRead is false then.
func (s *filesStep) readPaste(text string, isTyping bool) (cmd tea.Cmd, isRead bool) {
	text = cleanPaste(text)
	paths := s.Env.Files.SeveralPaths(text)
	if len(paths) > 1 || len(paths) == 1 && !isTyping {
		return s.readFiles(paths...), true
	}
	switch {
	case strings.ContainsAny(text, "\n\t"), len(text) > maxPastedLine, isDocument(text):
		return s.readPastedText(text), true
	case page.IsPath(text):
		return nil, false
	}
	_, err := kmlcsv.ReadTyped(text)
	switch {
	case err == nil:
		return s.p.sites.askSite(nil, text), true
	case holdsSites(s.p.base.PageLifetime().Context(), text):
		return s.readPastedText(text), true
	case isTyping:
		return nil, false
	case isLink(text):
		return page.ShowToast(theme.Attention, format.CapitalizeFirst(err.Error())), true
	}
	return page.ShowToast(theme.Attention, "Not a path or coordinates"), true
}

// maxPastedLine is how long a line may be that is read at once, in bytes. Longer ones are
// read in the background.
const maxPastedLine = 10_000

// isDocument reports whether a text is KML or has features of GeoJSON, which have names.
func isDocument(text string) bool {
	return strings.HasPrefix(text, "<") || strings.HasPrefix(text, "{") && strings.Contains(text, `"Feature`)
}

// holdsSites reports whether a line that is not a single place has sites, such as a
// coordinate with a name.
func holdsSites(ctx context.Context, line string) bool {
	res, err := kmlcsv.ParsePasted(ctx, line, kmlcsv.Options{NoPlaces: true})
	return err == nil && len(res.Placemarks) > 0
}

func isLink(text string) bool {
	lower := strings.ToLower(text)
	return strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://") || strings.HasPrefix(lower, "geo:")
}

// typedLinkError says why a typed link is not a place, nil if it is one or no link is typed.
func (s *filesStep) typedLinkError() error {
	typed := s.picker.TypedName()
	if !isLink(typed) {
		return nil
	}
	_, err := kmlcsv.ReadTyped(typed)
	return err
}

// readPastedText reads a text with several sites in the background, and opens the import.
func (s *filesStep) readPastedText(text string) tea.Cmd {
	drafts, name := s.p.drafts, s.draft.NewPastedName()
	near := s.draft.KnownPlaces(s.Env.Profile.Cache.Now().Missions)
	read := func(ctx context.Context) (ordering.FileRead, error) {
		return drafts.ReadPasted(ctx, name, text, near)
	}
	return page.AskInBackground(s.p.base, &s.reading, read, func(read ordering.FileRead, err error) tea.Cmd {
		return s.p.files.showPasted(read, err)
	})
}

// isProse reports whether a text without coordinates has no columns to choose either.
func isProse(res *kmlcsv.Result) bool {
	if res == nil || res.Columns.HasLocation() || len(res.Placemarks) > 0 {
		return false
	}
	isAsked := slices.ContainsFunc(res.Questions, func(q kmlcsv.Question) bool { return q.Kind != kmlcsv.AskColumns })
	isRow := func(row []string) bool { return len(row) > 1 }
	return !isAsked && !slices.ContainsFunc(res.Layout.Rows, isRow)
}

// showPasted opens the import of a pasted text. A text that is a single place after all,
// such as a geometry over several lines, opens the dialog of a site.
func (s *filesStep) showPasted(read ordering.FileRead, err error) tea.Cmd {
	if err == nil || read.IsQuestion(err) && !isProse(read.Result) {
		s.err = nil
		s.Env.Nav.Overlay(newImportDialog(s, fileQuestion{read, err}))
		return nil
	}
	if _, failed := kmlcsv.ReadTyped(read.Pasted); failed == nil {
		return s.p.sites.askSite(nil, read.Pasted)
	}
	if isProse(read.Result) {
		err = errors.New("no coordinates in the pasted text")
	}
	if s.draft.Step == ordering.StepFiles {
		s.err = err
		return nil
	}
	return page.ShowToast(theme.Bad, format.CapitalizeFirst(err.Error()))
}
