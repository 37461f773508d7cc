package table

import (
	"bufio"
	"encoding/csv"
	"io"
	"slices"
	"strings"

	"flightdesk/tui/format"
	"flightdesk/tui/layout"
)

// Format is how an export is written.
type Format int

// The formats.
const (
	CSV  Format = iota
	JSON        // an array, an object a row
)

// Export is what a sheet shows at one time: its rows, filtered and sorted, and
// its columns. It can be written while the sheet goes on.
type Export struct {
	columns []Column
	numbers []int // of the columns in the source
	rows    []int
	source  Source
}

// Export takes what the sheet shows.
func (s *Grid) Export() Export {
	e := Export{source: s.source}
	for _, c := range s.order {
		if c >= 0 {
			e.columns, e.numbers = append(e.columns, s.all[c]), append(e.numbers, c)
		}
	}
	e.rows = slices.DeleteFunc(slices.Clone(s.shown), func(row int) bool { return row < 0 })
	return e
}

// Len returns the number of rows.
func (e Export) Len() int { return len(e.rows) }

// Write writes the rows. Areas are in square metres, or in the unit that was
// chosen, which is part of the name then; days are times with their zone, numbers have no separators; in a CSV an amount's currency has a column
// of its own, and words that a spreadsheet would take for a formula begin with
// an apostrophe.
func (e Export) Write(to io.Writer, f Format) error {
	w := bufio.NewWriter(to)
	write := e.writeCSV
	if f == JSON {
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
	var record []string
	for _, c := range e.columns {
		record = append(record, c.OutName())
		if c.Kind == Money {
			record = append(record, c.MachineName()+"Currency")
		}
	}
	if err := w.Write(record); err != nil {
		return err
	}
	for _, row := range e.rows {
		record = record[:0]
		for k, c := range e.columns {
			cell := e.source.Cell(row, e.numbers[k])
			value := c.RawCell(cell)
			if c.Kind == Words || c.Kind == Status {
				value = format.InertCell(value)
			}
			record = append(record, value)
			if c.Kind == Money {
				record = append(record, format.InertCell(cell.Code))
			}
		}
		if err := w.Write(record); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
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
// column; ok is false where no row is selected.
func (s *Grid) CopyCell() (text, title string, ok bool) {
	row, ok := s.Current()
	if !ok {
		return "", "", false
	}
	c := s.columnIndex(max(0, s.Column()))
	return s.all[c].CopyCell(s.source.Cell(row, c), s.units[c], s.now()), s.all[c].Title, true
}

// CopyRow returns the selected row with tabs between its cells.
func (s *Grid) CopyRow() (text string, ok bool) {
	row, ok := s.Current()
	if !ok {
		return "", false
	}
	e := s.Export()
	return e.writeLine(row), true
}

// CopyTable returns the rows with a line of titles, tabs between the cells, as
// spreadsheets take them, and how many rows there are.
func (s *Grid) CopyTable() (text string, rows int) {
	e := s.Export()
	names := make([]string, len(e.columns))
	for k, c := range e.columns {
		names[k] = c.OutName()
	}
	var b strings.Builder
	b.WriteString(strings.Join(names, "\t") + "\n")
	for _, row := range e.rows {
		b.WriteString(e.writeLine(row) + "\n")
	}
	return b.String(), len(e.rows)
}

func (e Export) writeLine(row int) string {
	values := make([]string, len(e.columns))
	for k, c := range e.columns {
		cell := e.source.Cell(row, e.numbers[k])
		values[k] = layout.Clean(c.RawCell(cell))
		if c.Kind == Words || c.Kind == Status {
			values[k] = format.InertCell(values[k])
		} else if c.Kind == Money && cell.Known {
			values[k] = strings.TrimSpace(values[k] + " " + layout.Clean(cell.Code))
		}
	}
	return strings.Join(values, "\t")
}
