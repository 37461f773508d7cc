package kmlcsv

import (
	"archive/zip"
	"cmp"
	"path"
	"slices"
	"strings"
)

// workbook is a spreadsheet document whose sheets are read as tables.
type workbook struct {
	opts   Options
	sheets []sheetInfo
	read   func(s *sheetInfo) (*sheetTable, *Error)

	account  Account
	warnings []Warning
	with     []string // names of the sheets that gave sites
}

// sheetInfo describes a sheet of a workbook.
type sheetInfo struct {
	name   string
	part   string // path in the archive, "" for a chart
	index  int
	hidden bool
}

// sheetTable is a sheet as comma separated values. Each row is in the line with the number that
// the row has in the spreadsheet.
type sheetTable struct {
	text       []byte
	rows       int // rows in text
	merged     []mergedCells
	formulas   int // formulas without a stored value
	hiddenRows int
}

// mergedCells are merged cells of one column, with their first and last row. Columns and rows
// count from 1.
type mergedCells struct{ column, first, last int }

// missingValue is the text of a cell with a formula whose value is not stored.
const missingValue = "(formula without value)"

// readSheets reads the sheets that are visible, or the chosen sheet, and joins their
// sites.
func (w *workbook) readSheets() (*Result, *Error) {
	w.account = Account{Container: "workbook", Unit: "sheet", Total: len(w.sheets)}
	var names []string
	for i := range w.sheets {
		names = append(names, w.sheets[i].name)
	}
	if w.opts.Sheet != "" && !slices.Contains(names, w.opts.Sheet) {
		return nil, newError(NoRows, "no sheet named %s; the workbook has %s",
			[]byte(w.opts.Sheet), []byte(strings.Join(names, ", ")))
	}
	var all, first *Result
	var failed *Error
	seen := make(map[string]bool)
	for i := range w.sheets {
		s := &w.sheets[i]
		if !w.isWanted(s, seen) {
			continue
		}
		res, err := w.readSheet(s, names)
		if err != nil && (isExhausted(err) || err.Code == BadArchive) {
			return nil, err
		}
		if err == nil {
			all = w.addSheet(all, res, s.name)
			continue
		}
		w.skipFailed(s, err)
		if isMoreTelling(err, failed) {
			first = res
			failed = err
		}
	}
	return w.finish(all, first, failed)
}

// isMoreTelling reports whether the error of a sheet is better for the user than the error of an
// earlier sheet, which is nil if there was none. Errors of sheets that were understood are the
// best, but among them an error about missing columns is the worst.
func isMoreTelling(err, earlier *Error) bool {
	if earlier == nil {
		return true
	}
	if !hasResult(err) {
		return false
	}
	return !hasResult(earlier) || earlier.Code == NoColumns && err.Code != NoColumns
}

// isWanted reports whether a sheet is to be read. It counts the sheet if not. If two sheets have
// the same file, only the first is read.
func (w *workbook) isWanted(s *sheetInfo, seen map[string]bool) bool {
	isChart := s.part == ""
	if isChart || w.opts.Sheet != "" && s.name != w.opts.Sheet {
		w.account.Other++
		return false
	}
	if seen[s.part] {
		w.skipSheet(s, "the sheet %s was not read: it is the same as another sheet")
		return false
	}
	if s.hidden && w.opts.Sheet == "" {
		w.skipSheet(s, "the hidden sheet %s was not read; choose it with --sheet if it has sites")
		return false
	}
	seen[s.part] = true
	return true
}

func (w *workbook) skipSheet(s *sheetInfo, format string) {
	w.account.Skipped++
	w.warnings = append(w.warnings, Warning{
		Code: SheetSkipped, Index: -1, Message: writeMessage(format, []byte(s.name)),
	})
}

// skipFailed counts a sheet that was not read and warns about it, unless the sheet is empty.
func (w *workbook) skipFailed(s *sheetInfo, err *Error) {
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

// readSheet reads the sites of a sheet.
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
	if failed != nil && table.formulas > 0 && hasResult(failed) {
		failed = newError(failed.Code,
			"%d cells of the sheet hold formulas without values; open the workbook in Excel or LibreOffice and save it",
			table.formulas)
	}
	if failed == nil {
		w.warnTable(res, table)
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

// addSheet adds the sites of a sheet to the result of all sheets, which is nil before the first
// sheet.
func (w *workbook) addSheet(all, res *Result, name string) *Result {
	w.account.Sites++
	w.with = append(w.with, name)
	if all == nil {
		all = &Result{
			Format: res.Format, Columns: res.Columns, Header: res.Header, Layout: res.Layout, Systems: res.Systems,
		}
	}
	res.joinTo(all, name)
	w.opts.work.checkSites(len(all.Placemarks))
	return all
}

// finish returns the result of all sheets, or the most telling failure if there is none.
func (w *workbook) finish(all, first *Result, failed *Error) (*Result, *Error) {
	if all == nil {
		if first != nil {
			first.Accounts = append(first.Accounts, w.account)
			first.Warnings = append(first.Warnings, w.warningsExcept(failed)...)
		}
		if failed == nil {
			failed = newError(NoPlacemarks, "the workbook has no visible sheet with cells")
		}
		return first, failed
	}
	all.nameParts()
	if len(w.with) > 1 {
		all.Warnings = append(all.Warnings, Warning{
			Code: SeveralSheets, Index: -1,
			Message: writeMessage("the sites of %d sheets were read: %s; choose one with --sheet",
				len(w.with), []byte(strings.Join(w.with, ", "))),
		})
		all.Questions = append(all.Questions, w.sheetQuestion())
	}
	all.Warnings = append(all.Warnings, w.warnings...)
	all.Accounts = append(all.Accounts, w.account)
	all.cutWarnings(w.opts.MaxWarnings)
	return all, nil
}

// warningsExcept returns the warnings about sheets, except the warning with the message of the
// error.
func (w *workbook) warningsExcept(failed *Error) []Warning {
	var kept []Warning
	for _, warning := range w.warnings {
		if failed == nil || !strings.HasSuffix(warning.Message, failed.Message) {
			kept = append(kept, warning)
		}
	}
	return kept
}

func (w *workbook) sheetQuestion() Question {
	q := Question{Kind: AskSheet, Certain: true, Text: "Several sheets have sites; all were read."}
	for _, name := range w.with {
		q.Choices = append(q.Choices, Choice{Value: name, Label: name})
	}
	return q
}

// parseWorkbook reads an Excel workbook.
func parseWorkbook(archive *zip.Reader, opts Options) (*Result, *Error) {
	x := &xlsxReader{opts: opts, parts: make(map[string]*zip.File, len(archive.File))}
	for _, f := range archive.File {
		name := memberName(f)
		x.parts[name] = cmp.Or(x.parts[name], f)
	}
	sheets, failed := x.openBook()
	if failed != nil {
		return nil, failed
	}
	w := &workbook{opts: opts, sheets: sheets, read: x.readSheet}
	return w.readSheets()
}

// partOf returns the path of a part to which another part refers as target.
func partOf(from, target string) string {
	target = strings.ToLower(strings.ReplaceAll(target, `\`, "/"))
	if rooted, ok := strings.CutPrefix(target, "/"); ok {
		return path.Clean(rooted)
	}
	return path.Join(path.Dir(from), target)
}
