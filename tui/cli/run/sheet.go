package run

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
)

// Sheet is how the rows of a list are printed: as a table for people, as CSV,
// or as a JSON value a line.
type Sheet[T any] struct {
	one, many string              // what the rows are
	Table     []columns.Column[T] // for people
	csv       []columns.Column[T] // for programs
	wide      []columns.Column[T] // for people who want to see all of them
	now       func() time.Time
}

// NewSheet makes a sheet of the columns of an entity; table and csv name those
// that are printed.
func NewSheet[T any](one, many string, all []columns.Column[T], now func() time.Time, table, csv string) Sheet[T] {
	titled := slices.DeleteFunc(slices.Clone(all), func(c columns.Column[T]) bool { return c.Heading() == "" })
	for i := range titled {
		titled[i].Least = 0 // nothing of it is cut
	}
	return Sheet[T]{one, many, columns.Pick(all, strings.Fields(table)...), columns.Pick(all, strings.Fields(csv)...), titled, now}
}

// Printed is where a sheet goes and how.
type Printed struct {
	To       io.Writer
	Progress io.Writer // tells people how far it is, where it is a terminal
	Format   string    // table, wide, csv or json
}

// PrintedOn is the standard output of a command.
func PrintedOn(cmd *cobra.Command, format string) Printed {
	return Printed{cmd.OutOrStdout(), cmd.ErrOrStderr(), format}
}

// Print writes rows as they come, a table once all have. Whatever was written
// before an error stays.
func (s *Sheet[T]) Print(p Printed, all Rows[T]) error {
	out := bufio.NewWriter(p.To)
	count := NewTally(p.Progress, s.many)
	defer count.Clear()
	var kept []*T
	var write func(*T) error
	head := func() {}
	switch p.Format {
	case "wide":
		s.Table = s.wide
	case "json":
		write = func(row *T) error { return PrintValue(out, row) }
	case "csv":
		table := csv.NewWriter(out)
		headed := false
		head = func() { // no sooner than it is known that there is an answer
			if !headed {
				headed = true
				_ = table.Write(s.head())
				table.Flush()
			}
		}
		write = func(row *T) error {
			head()
			_ = table.Write(s.record(row)) // Error tells
			table.Flush()
			return table.Error()
		}
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
			var incomplete *api.IncompleteError
			if errors.As(err, &incomplete) && len(kept) > 0 { // what was read is shown
				count.Clear()
				s.PrintTable(out, kept, p.To)
			}
			_ = out.Flush()
			return err
		}
		count.Add()
	}
	head()
	if write == nil {
		count.Clear()
		s.PrintTable(out, kept, p.To)
	}
	return out.Flush()
}

func (s *Sheet[T]) head() []string {
	names := make([]string, len(s.csv))
	for i := range s.csv {
		names[i] = s.csv[i].Key()
	}
	return names
}

func (s *Sheet[T]) record(row *T) []string {
	texts := make([]string, len(s.csv))
	for i := range s.csv {
		c := &s.csv[i]
		texts[i] = format.Inert(layout.Clean(c.ForPrograms(c.Value(row))))
	}
	return texts
}

// PrintTable writes rows below titles, and their number below that. What the
// service says more of a row is below the row.
func (s *Sheet[T]) PrintTable(out *bufio.Writer, rows []*T, to io.Writer) {
	if len(rows) == 0 {
		fmt.Fprintf(out, "no %s\n", s.many)
		return
	}
	th, now := ShellTheme(to), s.now()
	shown := make([]*Column, len(s.Table))
	tones := make([][]labels.Tone, len(s.Table))
	for i := range s.Table {
		c := &s.Table[i]
		shown[i] = &Column{Title: c.Heading(), Right: c.IsRight(), Least: c.Least}
		for _, row := range rows {
			cell := c.Value(row)
			shown[i].Texts = append(shown[i].Texts, layout.Clean(OrNone(c.InShell(cell, now))))
			tones[i] = append(tones[i], cell.Role)
		}
	}
	Fit(shown, TerminalWidth(to))
	line := func(text func(i int, c *Column) string, style func(i int, s string) string) {
		parts := make([]string, len(shown))
		for i, c := range shown {
			fill := layout.Left
			if c.Right {
				fill = layout.Right
			}
			part := fill(text(i, c), c.Width)
			if i == len(shown)-1 {
				part = strings.TrimRight(part, " ")
			}
			parts[i] = style(i, part)
		}
		fmt.Fprintln(out, strings.TrimRight(strings.Join(parts, "  "), " "))
	}
	line(func(_ int, c *Column) string { return c.Title }, func(_ int, s string) string { return Styled(th, theme.Muted, s) })
	for r := range rows {
		line(func(_ int, c *Column) string { return c.Texts[r] }, func(i int, s string) string {
			if tones[i][r] == labels.Text {
				return s
			}
			return Styled(th, tones[i][r], s)
		})
		if more := columns.UnknownText(columns.MoreOf(rows[r])); more != "" {
			fmt.Fprintln(out, Styled(th, theme.Muted, "  "+layout.Clean(more)))
		}
	}
	fmt.Fprintf(out, "\n%s\n", format.Count(len(rows), s.one, s.many))
}

// Tally tells on a terminal how many rows were read, while it lasts.
type Tally struct {
	w     io.Writer
	what  string
	n     int
	drawn time.Time // last; at first when the reading began
	shown bool
}

// NewTally counts rows of a kind, and tells a terminal.
func NewTally(w io.Writer, what string) *Tally { return &Tally{w: w, what: what, drawn: time.Now()} }

// Add counts a row.
func (t *Tally) Add() {
	t.n++
	if IsQuiet(t.w) || time.Since(t.drawn) < MeterFrame {
		return
	}
	t.drawn, t.shown = time.Now(), true
	fmt.Fprintf(t.w, "\rloading %s, %d…\x1b[K", t.what, t.n)
}

// Clear takes the count off the terminal.
func (t *Tally) Clear() {
	if t.shown {
		fmt.Fprint(t.w, "\r\x1b[K")
		t.shown = false
	}
}

// MeterFrame is how often a meter is drawn.
const MeterFrame = time.Second / 5

// EndpointSheet is how endpoints are printed.
func EndpointSheet(now func() time.Time) Sheet[api.WebhookEndpoint] {
	return NewSheet("endpoint", "endpoints", columns.Endpoints(), now, "uuid url status lastStatus events description",
		"uuid url status lastStatus events description createdAt")
}

// CallbackSheet is how callbacks are printed, those of one endpoint without it.
func CallbackSheet(now func() time.Time, ofOne bool) Sheet[columns.ListedCallback] {
	table := "uuid event orderCode missionCode endpointUrl outcome attempts createdAt"
	if ofOne {
		table = strings.Replace(table, " endpointUrl", "", 1)
	}
	return NewSheet("callback", "callbacks", columns.Callbacks(), now, table,
		"uuid event orderCode success responseCode error attempts createdAt endpointUid missionCode missionUid endpointUrl")
}

// Column is one column of the table. Numbers stand right, their units below
// each other.
type Column struct {
	Title string
	Right bool
	Least int // cells that it keeps on a narrow terminal
	Width int
	Texts []string
}

// Fit sets the columns' widths and narrows those that may be cut, the widest
// first, until the line fits.
func Fit(columns []*Column, width int) {
	total := 2 * (len(columns) - 1)
	for _, c := range columns {
		c.Width = layout.Width(c.Title)
		for _, text := range c.Texts {
			c.Width = max(c.Width, layout.Width(text))
		}
		total += c.Width
	}
	for ; width > 0 && total > width; total-- {
		var widest *Column
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
