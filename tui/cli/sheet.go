package cli

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
)

// sheet is how the rows of a list are printed: as a table for people, as CSV,
// or as a JSON value a line.
type sheet[T any] struct {
	one, many string // what the rows are
	columns   []cellOf[T]
}

// cellOf is one column of a sheet.
type cellOf[T any] struct {
	title string // over the table; "": in CSV only
	name  string // at the head of the CSV; "": in the table only
	right bool
	least int                 // cells it keeps on a narrow terminal; 0 is never cut
	text  func(*T) string     // for people; nil: as data
	data  func(*T) string     // for programs
	role  func(*T) theme.Role // of text; nil for plain
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
		s.table(out, kept, p.to)
	}
	return out.Flush()
}

func (s *sheet[T]) head() []string {
	var names []string
	for _, c := range s.columns {
		if c.name != "" {
			names = append(names, c.name)
		}
	}
	return names
}

func (s *sheet[T]) record(row *T) []string {
	var texts []string
	for _, c := range s.columns {
		if c.name != "" {
			texts = append(texts, format.Inert(layout.Clean(c.data(row))))
		}
	}
	return texts
}

// table writes rows below titles, and their number below that.
func (s *sheet[T]) table(out *bufio.Writer, rows []*T, to io.Writer) {
	if len(rows) == 0 {
		fmt.Fprintf(out, "no %s\n", s.many)
		return
	}
	th := shellTheme(to)
	var columns []*column
	var of []cellOf[T]
	for _, c := range s.columns {
		if c.title == "" {
			continue
		}
		if c.text == nil {
			c.text = c.data
		}
		shown := &column{title: c.title, right: c.right, least: c.least}
		for _, row := range rows {
			shown.texts = append(shown.texts, layout.Clean(orNone(c.text(row))))
		}
		columns, of = append(columns, shown), append(of, c)
	}
	fit(columns, terminalWidth(to))
	line := func(text func(i int, c *column) string, style func(i int, s string) string) {
		parts := make([]string, len(columns))
		for i, c := range columns {
			fill := layout.Left
			if c.right {
				fill = layout.Right
			}
			part := fill(text(i, c), c.width)
			if i == len(columns)-1 {
				part = strings.TrimRight(part, " ")
			}
			parts[i] = style(i, part)
		}
		fmt.Fprintln(out, strings.TrimRight(strings.Join(parts, "  "), " "))
	}
	line(func(_ int, c *column) string { return c.title }, func(_ int, s string) string { return styled(th, theme.Muted, s) })
	for r, row := range rows {
		line(func(_ int, c *column) string { return c.texts[r] }, func(i int, s string) string {
			if of[i].role == nil {
				return s
			}
			return styled(th, of[i].role(row), s)
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
