package run

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
)

// RowSheet is how the rows of a list are printed: as a table for people, as CSV,
// or as a JSON value a line.
type RowSheet[T any] struct {
	one, many string              // what the rows are
	Table     []columns.Column[T] // for people
	csv       []columns.Column[T] // for programs
	wide      []columns.Column[T] // for people who want to see all of them
	now       func() time.Time
}

// NewSheet makes a sheet of the columns of an entity; table and csv name those
// that are printed.
func NewSheet[T any](one, many string, all []columns.Column[T], now func() time.Time, table, csv string) RowSheet[T] {
	titled := slices.DeleteFunc(slices.Clone(all), func(c columns.Column[T]) bool { return c.TableHeading() == "" })
	for i := range titled {
		titled[i].Least = 0 // nothing of it is cut
	}
	return RowSheet[T]{
		one,
		many,
		columns.PickColumns(all, strings.Fields(table)...),
		columns.PickColumns(all, strings.Fields(csv)...),
		titled,
		now,
	}
}

// PrintTarget is where a sheet goes and how.
type PrintTarget struct {
	To       io.Writer
	Progress io.Writer // tells people how far it is, where it is a terminal
	Format   string    // table, wide, csv or json
}

// PrintedOn returns the standard output of a command.
func PrintedOn(cmd *cobra.Command, format string) PrintTarget {
	return PrintTarget{cmd.OutOrStdout(), cmd.ErrOrStderr(), format}
}

// Print writes rows as they come, a table once all have. Whatever was written
// before an error stays.
func (s *RowSheet[T]) Print(p PrintTarget, all Rows[T]) error {
	out := bufio.NewWriter(p.To)
	n, meter := 0, NewMeterLine(p.Progress)
	defer meter.ClearLine()
	var kept []*T
	head, write := s.rowWriter(p.Format, out)
	for row, err := range all {
		switch {
		case err != nil:
		case write == nil:
			kept = append(kept, row)
		default:
			err = write(row)
		}
		if err != nil {
			var incomplete *api.IncompleteError
			if errors.As(err, &incomplete) && len(kept) > 0 { // what was read is shown
				meter.ClearLine()
				s.PrintTable(out, kept, p.To)
			}
			_ = out.Flush()
			return err
		}
		n++
		meter.DrawLine("loading %s, %d…", s.many, n)
	}
	head()
	if write == nil {
		meter.ClearLine()
		s.PrintTable(out, kept, p.To)
	}
	return out.Flush()
}

// rowWriter returns what writes the heading and a row in a format; write is nil for a
// table, which is printed when all its rows are there.
func (s *RowSheet[T]) rowWriter(format string, out io.Writer) (head func(), write func(*T) error) {
	head = func() {}
	switch format {
	case "wide":
		s.Table = s.wide
	case "json":
		write = func(row *T) error { return PrintValue(out, row) }
	case "csv":
		table := csv.NewWriter(out)
		head = sync.OnceFunc(func() { // no sooner than it is known that there is an answer
			_ = table.Write(s.headings())
			table.Flush()
		})
		write = func(row *T) error {
			head()
			_ = table.Write(s.recordOf(row)) // Error tells
			table.Flush()
			return table.Error()
		}
	}
	return head, write
}

func (s *RowSheet[T]) headings() []string {
	names := make([]string, len(s.csv))
	for i := range s.csv {
		names[i] = s.csv[i].MachineName()
	}
	return names
}

func (s *RowSheet[T]) recordOf(row *T) []string {
	texts := make([]string, len(s.csv))
	for i := range s.csv {
		c := &s.csv[i]
		texts[i] = format.InertCell(layout.Clean(c.ForPrograms(c.Value(row))))
	}
	return texts
}

// PrintTable writes rows below titles, and their number below that. What the
// service says more of a row is below the row.
func (s *RowSheet[T]) PrintTable(out *bufio.Writer, rows []*T, to io.Writer) {
	if len(rows) == 0 {
		fmt.Fprintf(out, "no %s\n", s.many)
		return
	}
	th, now := ShellTheme(to), s.now()
	shown := make([]*TableColumn, len(s.Table))
	tones := make([][]labels.Tone, len(s.Table))
	for i := range s.Table {
		c := &s.Table[i]
		shown[i] = &TableColumn{Title: c.TableHeading(), Right: c.IsRight(), Least: c.Least}
		for _, row := range rows {
			cell := c.Value(row)
			shown[i].Texts = append(shown[i].Texts, layout.Clean(OrNone(c.InShell(cell, now))))
			tones[i] = append(tones[i], cell.Role)
		}
	}
	FitColumns(shown, TerminalWidth(to))
	line := func(text func(i int, c *TableColumn) string, style func(i int, s string) string) {
		parts := make([]string, len(shown))
		for i, c := range shown {
			fill := layout.FitLeft
			if c.Right {
				fill = layout.FitRight
			}
			part := fill(text(i, c), c.Width)
			if i == len(shown)-1 {
				part = strings.TrimRight(part, " ")
			}
			parts[i] = style(i, part)
		}
		fmt.Fprintln(out, strings.TrimRight(strings.Join(parts, "  "), " "))
	}
	line(
		func(_ int, c *TableColumn) string { return c.Title },
		func(_ int, s string) string { return StyleText(th, theme.Muted, s) },
	)
	for r := range rows {
		line(func(_ int, c *TableColumn) string { return c.Texts[r] }, func(i int, s string) string {
			if tones[i][r] == labels.Text {
				return s
			}
			return StyleText(th, tones[i][r], s)
		})
		if more := columns.UnknownText(columns.MoreOf(rows[r])); more != "" {
			fmt.Fprintln(out, StyleText(th, theme.Muted, "  "+layout.Clean(more)))
		}
	}
	fmt.Fprintf(out, "\n%s\n", format.Count(len(rows), s.one, s.many))
}

// EndpointSheet returns how endpoints are printed.
func EndpointSheet(now func() time.Time) RowSheet[api.WebhookEndpoint] {
	return NewSheet("endpoint", "endpoints", columns.Endpoints(), now, "uuid url status lastStatus events description",
		"uuid url status lastStatus events description createdAt")
}

// CallbackSheet returns how callbacks are printed, those of one endpoint without it.
func CallbackSheet(now func() time.Time, ofOne bool) RowSheet[columns.ListedCallback] {
	table := "uuid event orderCode missionCode endpointUrl outcome attempts createdAt"
	if ofOne {
		table = strings.Replace(table, " endpointUrl", "", 1)
	}
	return NewSheet(
		"callback",
		"callbacks",
		columns.Callbacks(),
		now,
		table,
		"uuid event orderCode success responseCode error attempts createdAt endpointUid missionCode missionUid endpointUrl",
	)
}

// TableColumn is one column of the table. Numbers stand right, their units below
// each other.
type TableColumn struct {
	Title string
	Right bool
	Least int // cells that it keeps on a narrow terminal
	Width int
	Texts []string
}

// FitColumns sets the columns' widths and narrows those that may be cut, the widest
// first, until the line fits.
func FitColumns(columns []*TableColumn, width int) {
	total := 2 * (len(columns) - 1)
	for _, c := range columns {
		c.Width = layout.Width(c.Title)
		for _, text := range c.Texts {
			c.Width = max(c.Width, layout.Width(text))
		}
		total += c.Width
	}
	for ; width > 0 && total > width; total-- {
		var widest *TableColumn
		for _, c := range columns {
			if c.Least > 0 && c.Width > c.Least && (widest == nil || c.Width > widest.Width) {
				widest = c
			}
		}
		if widest == nil {
			return
		}
		widest.Width--
	}
}
