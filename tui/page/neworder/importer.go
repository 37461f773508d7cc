package neworder

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// siteImporter reads survey files and pasted texts, and adds their sites to a draft.
type siteImporter struct {
	parent *NewOrder
	env    *page.Env
	draft  *ordering.Draft

	reading    page.Request // reads files or a pasted text
	err        error        // error of the last reading, or why a typed link cannot be read
	unanswered []readResult // files that cannot be read before the user answers a question
}

// readResult is the result of reading a file. If err is a question, the file can be read after the
// user has answered it.
type readResult struct {
	read ordering.FileRead
	err  error
}

// readFiles reads files in the background. It stops the preview, because only one file is read at a
// time.
func (im *siteImporter) readFiles(paths ...string) tea.Cmd {
	im.parent.files.preview.stop()
	drafts := im.parent.drafts
	access := &im.env.Files
	near := im.draft.KnownPlaces(im.env.Profile.Cache.Now().Missions)
	markKey := action.KeyOf(action.MarkSite, action.NewOrderFiles)
	readOne := func(ctx context.Context, path string) readResult {
		if err := access.Confine(path); err != nil {
			return readResult{err: fmt.Errorf("%s: %w", path, err)}
		}
		read, err := drafts.ReadFile(ctx, path, near)
		if read.Folder && len(paths) > 1 {
			err = fmt.Errorf("%s is a folder; open it and mark files with %s", path, markKey)
		}
		return readResult{read, err}
	}
	return im.readInBackground(func(ctx context.Context) ([]readResult, error) {
		results := make([]readResult, len(paths))
		for i, path := range paths {
			results[i] = readOne(ctx, path)
		}
		return results, nil
	})
}

// readInBackground calls read in the background and passes the results to [siteImporter.handleResults].
func (im *siteImporter) readInBackground(read func(context.Context) ([]readResult, error)) tea.Cmd {
	handle := func(results []readResult, _ error) tea.Cmd { return im.parent.files.importer.handleResults(results) }
	return page.RunInBackground(im.parent.base, &im.reading, read, handle)
}

// sortedResults are the results of reading several files.
type sortedResults struct {
	reads     []ordering.FileRead // files that were read
	questions []readResult        // files that cannot be read before the user answers a question
	errs      []error             // errors of the other files
}

// sortResults sorts the results of reading files into files that were read, questions and errors.
func sortResults(results []readResult) sortedResults {
	var sorted sortedResults
	for _, result := range results {
		if result.err == nil {
			sorted.reads = append(sorted.reads, result.read)
		} else if result.read.IsQuestion(result.err) {
			sorted.questions = append(sorted.questions, result)
		} else {
			sorted.errs = append(sorted.errs, result.err)
		}
	}
	return sorted
}

// handleResults adds the sites of the files that were read to the draft, and shows the sites. It opens a dialog for
// each file with a question. If one of several files could not be read, a dialog lists the errors, so that the user
// notices that sites are missing. If the first result is a folder, the file picker shows the folder instead.
func (im *siteImporter) handleResults(results []readResult) tea.Cmd {
	sorted := sortResults(results)
	im.parent.files.picker.Marked = nil
	im.err = nil
	if len(sorted.errs) > 0 {
		im.err = sorted.errs[0]
	}
	if im.err != nil && len(results) == 1 {
		return im.showOnlyError()
	}
	if im.err != nil {
		im.showNotRead(sorted.errs)
	}
	if len(sorted.reads) > 0 && sorted.reads[0].Folder {
		return im.parent.files.picker.EnterFolder(sorted.reads[0].Path)
	}
	im.unanswered = sorted.questions
	return tea.Batch(im.addAndShow(sorted.reads), im.openImportDialogs(sorted.questions))
}

// showOnlyError shows the error of the only file that was opened. The Files step draws the error; in other steps a
// toast shows it.
func (im *siteImporter) showOnlyError() tea.Cmd {
	if im.draft.Step == ordering.StepFiles {
		im.unanswered = nil
		return nil
	}
	return page.ShowToast(theme.Bad, shortPaths(&im.env.Files, im.err.Error()))
}

// addAndShow adds the sites of files to the draft, goes to the sites, and adds the files to the list of recent
// files.
func (im *siteImporter) addAndShow(reads []ordering.FileRead) tea.Cmd {
	if len(reads) == 0 {
		return nil
	}
	remember := rememberFiles(&im.env.Look, reads)
	return tea.Batch(remember, im.addReads(reads...), im.parent.goTo(ordering.StepSites))
}

// openImportDialogs opens a dialog for each file with a question, the dialog of the first file on
// top.
func (im *siteImporter) openImportDialogs(questions []readResult) tea.Cmd {
	cmds := make([]tea.Cmd, len(questions))
	for i, question := range slices.Backward(questions) {
		dialog := newImportDialog(im, question)
		im.env.Nav.Overlay(dialog)
		cmds[i] = dialog.readFile()
	}
	return tea.Batch(cmds...)
}

// showNotRead opens a dialog with the errors of the files that could not be read.
func (im *siteImporter) showNotRead(errs []error) {
	facts := make([]widget.Fact, len(errs))
	for i, err := range errs {
		facts[i] = widget.Fact{Value: shortPaths(&im.env.Files, err.Error()), Role: theme.Bad}
	}
	im.env.ShowFacts(format.Count(len(errs), "file")+" not read", 0, facts...)
}

// addReads adds the sites of one or more files to the draft and selects the first added site. If a file was read again,
// the selection stays on the same row instead.
func (im *siteImporter) addReads(reads ...ordering.FileRead) tea.Cmd {
	if err := im.parent.drafts.Reader.CheckDraft(im.draft, reads...); err != nil {
		im.err = err
		return page.ShowToast(theme.Bad, format.CapitalizeFirst(err.Error()))
	}
	sites := im.parent.sites
	previousRow := sites.list.Grid.Cursor()
	addFiles := func() *ordering.Site { return im.draft.AddFiles(reads) }
	cmd := sites.editor.arrangeSites(describeReads(reads), addFiles) // selects the first added site
	sites.list.Grid.ScrollToSelected()                               // shows the added sites below it
	isReadAgain := reads[0].Again                                    // files are read again one at a time
	if isReadAgain {
		sites.selectRow(previousRow)
	}
	return cmd
}

// describeReads returns a message about the files that were added to the draft: the number of their sites, how much
// was left out, and the key that shows why. The names of the files are in the message only if nothing was left out: the message must fit
// into a line of a narrow window, and the names are above the list of sites.
func describeReads(reads []ordering.FileRead) string {
	if reads[0].Again {
		return "reloaded " + filepath.Base(reads[0].Path)
	}
	sites := 0
	isRemembered := false
	var names []string
	for _, read := range reads {
		names = append(names, filepath.Base(read.Path))
		sites += len(read.Result.Placemarks)
		isRemembered = isRemembered || read.Remembered
	}
	text := "added " + siteCount(sites)
	leftOut := countLeftOut(reads)
	if leftOut != "" {
		text += ", " + leftOut
	} else {
		text += " of " + strings.Join(names, ", ")
	}
	if isRemembered {
		text += ", read as you chose for its header"
	}
	if leftOut != "" {
		text += " · " + action.KeyOf(action.ShowWarnings, action.NewOrderSites) + " why"
	}
	return text
}

// countLeftOut returns how much of each file was left out, such as "1 of 5 placemarks left out", or "" if nothing was
// left out.
func countLeftOut(reads []ordering.FileRead) string {
	var counts []string
	for _, read := range reads {
		if count, _ := read.LeftOut(); count != "" {
			counts = append(counts, count)
		}
	}
	return strings.Join(counts, ", ")
}
