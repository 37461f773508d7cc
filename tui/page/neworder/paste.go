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

// cleanPaste returns a pasted text with \n at the end of its lines. Spaces and blank lines at both
// ends are removed.
func cleanPaste(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.ReplaceAll(text, "\r", "\n")
	return strings.Trim(text, "\n ")
}

// readPaste reads a pasted or dropped text: the files whose paths are in the text, or otherwise the sites in the text.
// If isTyping is true, the user is typing a path. Then a single path, and a text without sites, are not read: isUsed is
// false, and the caller inserts the text into the field.
func (im *siteImporter) readPaste(text string, isTyping bool) (cmd tea.Cmd, isUsed bool) {
	text = cleanPaste(text)
	paths := im.env.Files.SeveralPaths(text)
	belongsIntoField := len(paths) == 1 && isTyping
	if len(paths) > 0 && !belongsIntoField {
		return im.readFiles(paths...), true
	}
	hasRows := strings.ContainsAny(text, "\n\t")
	if hasRows || isDocument(text) || len(text) > maxPastedLine {
		return im.readPastedText(text), true
	}
	if page.IsPath(text) {
		return nil, false
	}
	return im.readPastedLine(text, isTyping)
}

// readPastedLine is the part of readPaste for a single line that is not a path. If the line is a place, such as
// coordinates, it opens the form of a new site. If the line has no sites, it shows a message, or returns isUsed
// false if isTyping is true.
func (im *siteImporter) readPastedLine(line string, isTyping bool) (cmd tea.Cmd, isUsed bool) {
	_, typedErr := kmlcsv.ReadTyped(line)
	if typedErr == nil {
		return im.parent.sites.editor.openSiteForm(nil, line), true
	}
	if hasSites(im.parent.base.PageLifetime().Context(), line) {
		return im.readPastedText(line), true
	}
	if isTyping {
		return nil, false
	}
	message := "Not a path or coordinates"
	if isLink(line) {
		message = format.CapitalizeFirst(typedErr.Error())
	}
	return page.ShowToast(theme.Attention, message), true
}

// maxPastedLine is the length of the longest line, in bytes, that is read at once. Longer lines are read in the
// background.
const maxPastedLine = 10_000

// isDocument reports whether a text is KML, or GeoJSON with features. The sites in both can have names. For GeoJSON
// that is only a geometry, isDocument returns false.
func isDocument(text string) bool {
	if strings.HasPrefix(text, "<") {
		return true
	}
	return strings.HasPrefix(text, "{") && strings.Contains(text, `"Feature`)
}

// hasSites reports whether a line has sites, such as a coordinate with a name.
func hasSites(ctx context.Context, line string) bool {
	res, err := kmlcsv.ParsePasted(ctx, line, kmlcsv.Options{NoPlaces: true})
	return err == nil && len(res.Placemarks) > 0
}

// isLink reports whether a text is a web link or a geo URI.
func isLink(text string) bool {
	lower := strings.ToLower(text)
	for _, scheme := range []string{"http://", "https://", "geo:"} {
		if strings.HasPrefix(lower, scheme) {
			return true
		}
	}
	return false
}

// readPastedText reads a text with several sites in the background, and then shows the result.
func (im *siteImporter) readPastedText(text string) tea.Cmd {
	drafts := im.parent.drafts
	name := im.draft.NewPastedName()
	near := im.draft.KnownPlaces(im.env.Profile.Cache.Now().Missions)
	read := func(ctx context.Context) (ordering.FileRead, error) {
		return drafts.ReadPasted(ctx, name, text, near)
	}
	show := func(read ordering.FileRead, err error) tea.Cmd {
		return im.parent.files.importer.showPasted(read, err)
	}
	return page.RunInBackground(im.parent.base, &im.reading, read, show)
}

// isProse reports whether a pasted text is not survey data: it has no sites, it is not a table, and there is no
// question about it that the user could answer.
func isProse(res *kmlcsv.Result) bool {
	if res == nil || res.Columns.HasLocation() || len(res.Placemarks) > 0 {
		return false
	}
	canAnswer := func(q kmlcsv.Question) bool { return q.Kind != kmlcsv.AskColumns }
	if slices.ContainsFunc(res.Questions, canAnswer) {
		return false
	}
	hasColumns := func(row []string) bool { return len(row) > 1 }
	return !slices.ContainsFunc(res.Layout.Rows, hasColumns)
}

// showPasted opens the import dialog for a pasted text. If the text is a single place, such as a geometry in
// several lines, it opens the form of a new site instead. If the text cannot be read, it shows the error.
func (im *siteImporter) showPasted(read ordering.FileRead, err error) tea.Cmd {
	if err == nil || read.IsQuestion(err) && !isProse(read.Result) {
		im.err = nil
		im.env.Nav.Overlay(newImportDialog(im, readResult{read, err}))
		return nil
	}
	if _, placeErr := kmlcsv.ReadTyped(read.Pasted); placeErr == nil {
		return im.parent.sites.editor.openSiteForm(nil, read.Pasted)
	}
	if isProse(read.Result) {
		err = errors.New("no coordinates in the pasted text")
	}
	if im.draft.Step != ordering.StepFiles {
		return page.ShowToast(theme.Bad, format.CapitalizeFirst(err.Error()))
	}
	im.err = err
	return nil
}
