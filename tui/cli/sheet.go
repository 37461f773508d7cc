package cli

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
)

// sheet is how the rows of a list are printed: as a table for people, as CSV,
// or as a JSON value a line.
type sheet[T any] struct {
	one, many string              // what the rows are
	table     []columns.Column[T] // for people
	csv       []columns.Column[T] // for programs
	now       func() time.Time
}

// sheetOf makes a sheet of the columns of an entity; table and csv name those
// that are printed.
func sheetOf[T any](one, many string, all []columns.Column[T], now func() time.Time, table, csv string) sheet[T] {
	return sheet[T]{one, many, columns.Pick(all, strings.Fields(table)...), columns.Pick(all, strings.Fields(csv)...), now}
}

// printed is where a sheet goes and how.
type printed struct {
	to       io.Writer
	progress io.Writer // tells people how far it is, where it is a terminal
	format   string    // table, csv or json
}

// print writes rows as they come, a table once all have. Whatever was written
// before an error stays.
func (s *sheet[T]) print(p printed, all rows[T]) error {
	out := bufio.NewWriter(p.to)
	count := &tally{w: p.progress, what: s.many, drawn: time.Now()}
	defer count.clear()
	var kept []*T
	var write func(*T) error
	switch p.format {
	case "json":
		write = func(row *T) error { return printValue(out, row) }
	case "csv":
		table := csv.NewWriter(out)
		write = func(row *T) error {
			_ = table.Write(s.record(row)) // Error tells
			table.Flush()
			return table.Error()
		}
		_ = table.Write(s.head())
		table.Flush()
	}
	for row, err := range all {
		switch {
		case err != nil:
		case write == nil:
			kept = append(kept, row)
		default:
			err = write(row)
		}
		if err != nil {
			_ = out.Flush()
			return err
		}
		count.add()
	}
	if p.format == "table" {
		count.clear()
		s.printTable(out, kept, p.to)
	}
	return out.Flush()
}

func (s *sheet[T]) head() []string {
	names := make([]string, len(s.csv))
	for i := range s.csv {
		names[i] = s.csv[i].Key()
	}
	return names
}

func (s *sheet[T]) record(row *T) []string {
	texts := make([]string, len(s.csv))
	for i := range s.csv {
		c := &s.csv[i]
		texts[i] = format.Inert(layout.Clean(c.ForPrograms(c.Value(row))))
	}
	return texts
}

// printTable writes rows below titles, and their number below that.
func (s *sheet[T]) printTable(out *bufio.Writer, rows []*T, to io.Writer) {
	if len(rows) == 0 {
		fmt.Fprintf(out, "no %s\n", s.many)
		return
	}
	th, now := shellTheme(to), s.now()
	shown := make([]*column, len(s.table))
	tones := make([][]labels.Tone, len(s.table))
	for i := range s.table {
		c := &s.table[i]
		shown[i] = &column{title: c.Heading(), right: c.IsRight(), least: c.Least}
		for _, row := range rows {
			cell := c.Value(row)
			shown[i].texts = append(shown[i].texts, layout.Clean(orNone(c.InShell(cell, now))))
			tones[i] = append(tones[i], cell.Role)
		}
	}
	fit(shown, terminalWidth(to))
	line := func(text func(i int, c *column) string, style func(i int, s string) string) {
		parts := make([]string, len(shown))
		for i, c := range shown {
			fill := layout.Left
			if c.right {
				fill = layout.Right
			}
			part := fill(text(i, c), c.width)
			if i == len(shown)-1 {
				part = strings.TrimRight(part, " ")
			}
			parts[i] = style(i, part)
		}
		fmt.Fprintln(out, strings.TrimRight(strings.Join(parts, "  "), " "))
	}
	line(func(_ int, c *column) string { return c.title }, func(_ int, s string) string { return styled(th, theme.Muted, s) })
	for r := range rows {
		line(func(_ int, c *column) string { return c.texts[r] }, func(i int, s string) string {
			if tones[i][r] == labels.Text {
				return s
			}
			return styled(th, tones[i][r], s)
		})
	}
	fmt.Fprintf(out, "\n%s\n", format.Count(len(rows), s.one, s.many))
}

// shellTheme is the look of what is printed: none where nobody would see it as
// it is meant.
func shellTheme(w io.Writer) *theme.Theme {
	if isQuiet(w) || os.Getenv("NO_COLOR") != "" {
		return nil
	}
	return theme.Shell()
}

func styled(th *theme.Theme, role theme.Role, s string) string {
	if th == nil {
		return s
	}
	return layout.Text(th.Style(role), s)
}

// tally tells on a terminal how many rows were read, while it lasts.
type tally struct {
	w     io.Writer
	what  string
	n     int
	drawn time.Time // last; at first when the reading began
	shown bool
}

func (t *tally) add() {
	t.n++
	if isQuiet(t.w) || time.Since(t.drawn) < meterFrame {
		return
	}
	t.drawn, t.shown = time.Now(), true
	fmt.Fprintf(t.w, "\rreading %s: %d\x1b[K", t.what, t.n)
}

func (t *tally) clear() {
	if t.shown {
		fmt.Fprint(t.w, "\r\x1b[K")
		t.shown = false
	}
}
