package widget

import (
	"bufio"
	"encoding/csv"
	"io"
	"slices"
	"strings"
	"time"

	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
)

// Export is a snapshot of the rows and columns that a grid shows, filtered and sorted. It
// can be written while the grid changes.
type Export struct {
	columns []Column
	numbers []int         // column indexes in the source, parallel to columns
	units   []format.Unit // of areas, parallel to columns
	rows    []int
	source  RowSource
	now     time.Time
}

// Export returns a snapshot of the filtered and sorted rows.
func (s *Grid) Export() Export {
	e := Export{
		source:  s.cells.source,
		numbers: slices.Clone(s.visible),
		rows:    s.FilteredRows(),
		now:     s.cells.now(),
	}
	for _, c := range s.visible {
		e.columns = append(e.columns, s.cells.columns[c].Column)
		e.units = append(e.units, s.cells.columns[c].unit)
	}
	return e
}

func (e Export) Len() int { return len(e.rows) }

// Write writes the rows as a JSON array of objects if ending is ".json", otherwise as CSV. Numbers have no
// separators. A day is written as a time with its offset. Areas are in square metres. If the user selected another
// unit, areas are in that unit, and the name of the column includes it. In CSV, the currency of an amount has a
// separate column, and an apostrophe is put before text that a spreadsheet would evaluate as a formula.
func (e Export) Write(to io.Writer, ending string) error {
	w := bufio.NewWriter(to)
	write := e.writeCSV
	if strings.EqualFold(ending, ".json") {
		write = e.writeJSON
	}
	if err := write(w); err != nil {
		return err
	}
	return w.Flush()
}

// WriteSheet writes the rows as CSV for people: with the titles and labels of the screen, with numbers in the units
// of the screen, and with a byte order mark, by which spreadsheets recognise UTF-8.
func (e Export) WriteSheet(to io.Writer) error {
	buffered := bufio.NewWriter(to)
	if _, err := buffered.WriteString(columns.ByteOrderMark); err != nil {
		return err
	}
	w := csv.NewWriter(buffered)
	w.UseCRLF = true
	if err := w.Write(e.sheetHeadings()); err != nil {
		return err
	}
	for _, row := range e.rows {
		if err := w.Write(e.sheetRecord(row)); err != nil {
			return err
		}
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return err
	}
	return buffered.Flush()
}

// sheetHeadings returns the headings of WriteSheet. A column of amounts is followed by a
// column with their currency.
func (e Export) sheetHeadings() (headings []string) {
	for k := range e.columns {
		c := &e.columns[k]
		headings = append(headings, c.SheetHeading(e.units[k]))
		if c.Kind == columns.Money {
			headings = append(headings, "Currency")
		}
	}
	return headings
}

// sheetRecord returns the values of a row of the spreadsheet that WriteSheet writes, below the
// headings of sheetHeadings.
func (e Export) sheetRecord(row int) (values []string) {
	for k := range e.columns {
		c := &e.columns[k]
		cell := e.source.Cell(row, e.numbers[k])
		value := format.Clean(c.SheetCell(cell, e.units[k], e.now))
		if !cell.Known || c.Kind == columns.Words || c.Kind == columns.Status {
			value = format.InertCell(value)
		}
		values = append(values, value)
		if c.Kind == columns.Money {
			values = append(values, format.InertCell(cell.Code))
		}
	}
	return values
}

func (e Export) writeCSV(to *bufio.Writer) error {
	w := csv.NewWriter(to)
	w.UseCRLF = true
	if err := w.Write(e.names()); err != nil {
		return err
	}
	for _, row := range e.rows {
		if err := w.Write(e.record(row)); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

// names returns the column names. A column of amounts is followed by a column with their
// currency.
func (e Export) names() []string {
	var names []string
	for _, c := range e.columns {
		names = append(names, c.OutName())
		if c.Kind == columns.Money {
			names = append(names, c.MachineName()+"Currency")
		}
	}
	return names
}

// record returns the CSV values of a row.
func (e Export) record(row int) []string {
	values := make([]string, 0, len(e.columns)+1)
	for k, column := range e.columns {
		cell := e.source.Cell(row, e.numbers[k])
		value := column.RawCell(cell)
		switch column.Kind {
		case columns.Words, columns.Status:
			values = append(values, format.InertCell(value))
		case columns.Money:
			values = append(values, value, format.InertCell(cell.Code))
		default:
			values = append(values, value)
		}
	}
	return values
}

// writeJSON writes the rows as an array with one object per line. It ignores the errors of single writes, because a
// bufio.Writer keeps its first error and returns it from every later call.
func (e Export) writeJSON(w *bufio.Writer) error {
	_, _ = w.WriteString("[\n")
	for i, row := range e.rows {
		if i > 0 {
			_, _ = w.WriteString(",\n")
		}
		_, _ = w.WriteString("{" + e.jsonMembers(row) + "}")
	}
	if len(e.rows) > 0 {
		_, _ = w.WriteString("\n")
	}
	_, err := w.WriteString("]\n")
	return err
}

// jsonMembers returns the members of the JSON object of a row, separated by commas.
func (e Export) jsonMembers(row int) string {
	members := make([]string, len(e.columns))
	for k := range e.columns {
		cell := e.source.Cell(row, e.numbers[k])
		members[k] = e.columns[k].MemberCell(cell)
	}
	return strings.Join(members, ",")
}

// CopyCell returns the clipboard text of the selected cell and the title of its column. A
// row must be selected.
func (s *Grid) CopyCell() (text, title string) {
	row, _ := s.Current()
	c := s.visible[max(0, s.Column())]
	column := &s.cells.columns[c]
	return column.CopyCell(s.cells.source.Cell(row, c), column.unit, s.cells.now()), column.Title
}

// CopyRow returns the cells of the selected row, separated by tabs.
func (s *Grid) CopyRow() string {
	row, _ := s.Current()
	return joinByTabs(s.Export().record(row))
}

// CopyTable returns a line of titles and a line per row, with cells separated by tabs as
// spreadsheets expect, and the number of rows.
func (s *Grid) CopyTable() (text string, rows int) {
	e := s.Export()
	lines := []string{joinByTabs(e.names())}
	for _, row := range e.rows {
		lines = append(lines, joinByTabs(e.record(row)))
	}
	return strings.Join(lines, "\n") + "\n", len(e.rows)
}

func joinByTabs(values []string) string {
	for i, v := range values {
		values[i] = format.Clean(v)
	}
	return strings.Join(values, "\t")
}
