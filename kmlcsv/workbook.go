package kmlcsv

import (
	"archive/zip"
	"path"
	"slices"
	"strings"
)

// workbook is a spreadsheet document. Its sheets are read as tables.
type workbook struct {
	opts   readOptions
	sheets []sheetInfo
	read   func(s *sheetInfo) (*sheetTable, *Error)

	account  Account
	warnings []Warning // warnings about sheets that were not read
	used     []string  // names of the sheets that have sites
}

// sheetInfo describes a sheet of a workbook.
type sheetInfo struct {
	name   string
	part   string // path in the archive, "" for a chart
	index  int    // index in the list of sheets
	hidden bool
}

// sheetTable is a sheet as comma separated values. The rows have the same numbers as in the spreadsheet.
type sheetTable struct {
	text       []byte
	rows       int // number of rows in text
	merged     []mergedCells
	formulas   int // number of formulas without a stored value
	hiddenRows int // number of hidden rows
}

// mergedCells are the merged cells of one column, from a first to a last row. Columns and rows are counted from 1.
type mergedCells struct{ column, first, last int }

// missingValue is the text that a cell gets if it has a formula and the workbook does not store the value.
const missingValue = "(formula without value)"

// readSheets reads the sheets that are visible, or the chosen sheet, and joins their
// sites. If no sheet can be read, it returns the error that helps the user most.
func (w *workbook) readSheets() (*Result, *Error) {
	w.account = Account{Container: "workbook", Unit: "sheet", Total: len(w.sheets)}
	names := w.sheetNames()
	if w.opts.Sheet != "" && !slices.Contains(names, w.opts.Sheet) {
		return nil, newError(NoRows, "no sheet named %s; the workbook has %s",
			[]byte(w.opts.Sheet), []byte(strings.Join(names, ", ")))
	}
	var all *Result             // the sites of all sheets that were read, or nil
	var mostTelling failedSheet // of the sheets that could not be read
	seen := make(map[string]bool)
	for i := range w.sheets {
		s := &w.sheets[i]
		if w.isLeftOut(s, seen) {
			continue
		}
		seen[s.part] = true
		res, failed := w.readSheet(s, names)
		if failed == nil {
			all = w.addSheet(all, res, s.name)
			continue
		}
		if isExhausted(failed) || failed.Code == BadArchive { // other sheets cannot be read either
			return nil, failed
		}
		w.warnFailed(s, failed)
		if isMoreTelling(failed, mostTelling.failed) {
			mostTelling = failedSheet{res, failed}
		}
	}
	if all == nil {
		return w.finishFailed(mostTelling)
	}
	return w.finishSites(all), nil
}

// failedSheet is a sheet without usable sites: its error, and its result if there is one.
type failedSheet struct {
	res    *Result // can be nil
	failed *Error
}

func (w *workbook) sheetNames() []string {
	var names []string
	for _, s := range w.sheets {
		names = append(names, s.name)
	}
	return names
}

// isMoreTelling reports whether the error of a sheet helps the user more than the error of an earlier sheet. earlier is
// nil if there was no earlier error. Errors for which wasUnderstood returns true help most, because they come with a
// result. Of these, NoColumns helps least.
func isMoreTelling(err, earlier *Error) bool {
	if earlier == nil {
		return true
	}
	if !wasUnderstood(err) {
		return false
	}
	return !wasUnderstood(earlier) || earlier.Code == NoColumns && err.Code != NoColumns
}

// isLeftOut reports whether a sheet is not to be read. If so, it also counts the sheet in the account. It leaves out
// charts and sheets that the user did not choose. It also leaves out hidden sheets, unless the user chose the sheet,
// and sheets with the same file in the archive as an earlier sheet. About these it adds a warning. The keys of seen are
// the files of the sheets that were read.
func (w *workbook) isLeftOut(s *sheetInfo, seen map[string]bool) bool {
	isChart := s.part == ""
	isOther := w.opts.Sheet != "" && s.name != w.opts.Sheet
	if isChart || isOther {
		w.account.Other++
		return true
	}
	if seen[s.part] {
		w.skipSheet(s, "the sheet %s was not read: it is the same as another sheet")
		return true
	}
	if s.hidden && w.opts.Sheet == "" {
		w.skipSheet(s, "the hidden sheet %s was not read; choose it with --sheet if it has sites")
		return true
	}
	return false
}

// skipSheet counts a sheet as skipped and warns about it. format is the warning, with %s for the name of the sheet.
func (w *workbook) skipSheet(s *sheetInfo, format string) {
	w.account.Skipped++
	w.warnings = append(w.warnings, Warning{
		Code: SheetSkipped, Index: -1, Message: writeMessage(format, []byte(s.name)),
	})
}

// warnFailed counts a sheet that could not be read, and adds a warning about it. An empty sheet gets no warning.
func (w *workbook) warnFailed(s *sheetInfo, err *Error) {
	if err.Code == EmptyFile {
		w.account.Other++
		return
	}
	w.account.Skipped++
	w.warnings = append(w.warnings, Warning{
		Code: SheetSkipped, Index: -1,
		Message: writeMessage("the sheet %s was not read: %s", []byte(s.name), err.Message),
	})
}

// readSheet reads the sites of a sheet. names are the names of all sheets of the workbook, which readSheet stores in
// Layout.Sheets. If there is an error, the result can be nil, or it has the layout and the warnings of the sheet.
func (w *workbook) readSheet(s *sheetInfo, names []string) (*Result, *Error) {
	table, failed := w.read(s)
	if failed != nil {
		return nil, failed
	}
	opts := w.opts
	opts.isSheet = true
	opts.merged = table.merged
	opts.Separator = ','
	res, failed := parseCSV(table.text, opts)
	if res != nil {
		res.Layout.Sheet = s.name
		res.Layout.Sheets = names
	}
	if failed == nil {
		w.warnTable(res, table)
		return res, nil
	}
	if table.formulas > 0 && wasUnderstood(failed) { // the missing values are the likeliest reason for the error
		failed = newError(failed.Code,
			"%d cells of the sheet hold formulas without values; open the workbook in Excel or LibreOffice and save it",
			table.formulas)
	}
	return res, failed
}

// warnTable warns about formulas without values and about hidden rows.
func (w *workbook) warnTable(res *Result, table *sheetTable) {
	if table.formulas > 0 {
		res.Warnings = append(res.Warnings, Warning{
			Code: FormulaWithoutValue, Index: -1,
			Message: writeMessage("%d cells hold formulas without values; open the workbook in Excel or LibreOffice and save it",
				table.formulas),
		})
	}
	if table.hiddenRows > 0 {
		res.Warnings = append(res.Warnings, Warning{
			Code: HiddenRows, Index: -1,
			Message: writeMessage("%d hidden rows were read too", table.hiddenRows),
		})
	}
}

// addSheet adds the sites of a sheet to the joined result, and returns the joined result. all is nil for the first
// sheet.
func (w *workbook) addSheet(all, res *Result, name string) *Result {
	w.account.Sites++
	w.used = append(w.used, name)
	if all == nil {
		all = &Result{
			Format: res.Format, Columns: res.Columns, Header: res.Header, Layout: res.Layout, Systems: res.Systems,
		}
	}
	res.joinTo(all, name)
	w.opts.work.checkSites(len(all.Placemarks))
	return all
}

// finishFailed returns the result and the error for a workbook in which no sheet has sites. sheet is the sheet with the
// most telling error. If sheet.failed is nil, no sheet was read.
func (w *workbook) finishFailed(sheet failedSheet) (*Result, *Error) {
	if sheet.failed == nil {
		return nil, newError(NoPlacemarks, "the workbook has no visible sheet with cells")
	}
	if sheet.res != nil {
		sheet.res.Accounts = append(sheet.res.Accounts, w.account)
		sheet.res.Warnings = append(sheet.res.Warnings, w.warningsExcept(sheet.failed)...)
	}
	return sheet.res, sheet.failed
}

// finishSites completes the result with the sites of all sheets. It adds the names of the sheets, and the account and
// the warnings of the workbook. If several sheets have sites, it also asks which sheet to read.
func (w *workbook) finishSites(all *Result) *Result {
	all.nameParts()
	if len(w.used) > 1 {
		all.Warnings = append(all.Warnings, Warning{
			Code: SeveralSheets, Index: -1,
			Message: writeMessage("the sites of %d sheets were read: %s; choose one with --sheet",
				len(w.used), []byte(strings.Join(w.used, ", "))),
		})
		all.Questions = append(all.Questions, w.sheetQuestion())
	}
	all.Warnings = append(all.Warnings, w.warnings...)
	all.Accounts = append(all.Accounts, w.account)
	all.cutWarnings(w.opts.MaxWarnings)
	return all
}

// warningsExcept returns the warnings about sheets, without the warning for the error failed. The user already sees
// this error.
func (w *workbook) warningsExcept(failed *Error) []Warning {
	var kept []Warning
	for _, warning := range w.warnings {
		if !strings.HasSuffix(warning.Message, failed.Message) {
			kept = append(kept, warning)
		}
	}
	return kept
}

// sheetQuestion asks which sheet should be read. The choices are the sheets that have sites.
func (w *workbook) sheetQuestion() Question {
	q := Question{Kind: AskSheet, Certain: true, Text: "Several sheets have sites; all were read."}
	for _, name := range w.used {
		q.Choices = append(q.Choices, Choice{Value: name, Label: name})
	}
	return q
}

// parseWorkbook reads an Excel workbook.
func parseWorkbook(archive *zip.Reader, opts readOptions) (*Result, *Error) {
	x := &xlsxReader{opts: opts, parts: make(map[string]*zip.File, len(archive.File))}
	for _, f := range archive.File {
		name := memberName(f)
		if x.parts[name] == nil { // the first file with a name counts
			x.parts[name] = f
		}
	}
	sheets, failed := x.openBook()
	if failed != nil {
		return nil, failed
	}
	w := &workbook{opts: opts, sheets: sheets, read: x.readSheet}
	return w.readSheets()
}

// resolvePart returns the path of the file in the workbook that a reference names. target is the path in the reference.
// from is the path of the file that contains the reference. A relative target starts in the folder of from.
func resolvePart(from, target string) string {
	target = strings.ToLower(strings.ReplaceAll(target, `\`, "/"))
	if rooted, ok := strings.CutPrefix(target, "/"); ok {
		return path.Clean(rooted)
	}
	return path.Join(path.Dir(from), target)
}
