package widget

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"io"
	"slices"
	"strings"

	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
)

// Export is what a grid shows at one time: its rows, filtered and sorted, and
// its columns. It can be written while the grid changes.
type Export struct {
	columns []Column
	numbers []int // of the columns in the source
	rows    []int
	source  RowSource
}

// Export takes what the grid shows.
func (s *Grid) Export() Export {
	e := Export{
		source:  s.source,
		numbers: slices.Clone(s.columns),
		rows:    s.FilteredRows(),
	}
	for _, c := range s.columns {
		e.columns = append(e.columns, s.all[c].Column)
	}
	return e
}

// Len returns the number of rows.
func (e Export) Len() int { return len(e.rows) }

// Write writes the rows, for a file's ending .json as an array with an object a row, else
// as CSV. Areas are in square metres, or in the unit that was
// chosen, which is part of the name then; days are times with their zone, numbers have no separators; in a CSV an amount's currency has a column
// of its own, and words that a spreadsheet would take for a formula begin with
// an apostrophe.
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

func (e Export) writeCSV(to *bufio.Writer) error {
	w := csv.NewWriter(to)
	w.UseCRLF = true
	err := w.Write(e.names())
	for i := 0; i < len(e.rows) && err == nil; i++ {
		err = w.Write(e.record(e.rows[i]))
	}
	w.Flush()
	return cmp.Or(err, w.Error())
}

// names returns the names of the columns; an amount's currency has a column of its own.
func (e Export) names() (names []string) {
	for _, c := range e.columns {
		names = append(names, c.OutName())
		if c.Kind == columns.Money {
			names = append(names, c.MachineName()+"Currency")
		}
	}
	return names
}

// record returns the values of a row.
func (e Export) record(row int) []string {
	values := make([]string, 0, len(e.columns)+1)
	for k, c := range e.columns {
		cell := e.source.Cell(row, e.numbers[k])
		value := c.RawCell(cell)
		switch c.Kind {
		case columns.Words, columns.Status:
			value = format.InertCell(value)
		case columns.Money:
			values, value = append(values, value), format.InertCell(cell.Code)
		}
		values = append(values, value)
	}
	return values
}

func (e Export) writeJSON(w *bufio.Writer) error {
	before := "[\n{"
	for _, row := range e.rows {
		for k := range e.columns {
			member := e.columns[k].MemberCell(e.source.Cell(row, e.numbers[k]))
			if _, err := w.WriteString(before + member); err != nil {
				return err
			}
			before = ","
		}
		before = "},\n{"
	}
	end := "}\n]\n"
	if len(e.rows) == 0 {
		end = "[\n]\n"
	}
	_, err := w.WriteString(end)
	return err
}

// CopyCell returns the selected cell as it is copied and the title of its
// column. A row is selected.
func (s *Grid) CopyCell() (text, title string) {
	row, _ := s.Current()
	c := s.columns[max(0, s.Column())]
	return s.all[c].CopyCell(s.source.Cell(row, c), s.all[c].unit, s.now()), s.all[c].Title
}

// CopyRow returns the selected row with tabs between its cells.
func (s *Grid) CopyRow() string {
	row, _ := s.Current()
	return joinByTabs(s.Export().record(row))
}

// CopyTable returns the rows with a line of titles, tabs between the cells, as
// spreadsheets take them, and how many rows there are.
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
