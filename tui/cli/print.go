package cli

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf16"

	"github.com/charmbracelet/x/term"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
)

// isTerminal reports whether a person sees what is written.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

// isQuiet reports whether nothing is drawn on a writer.
func isQuiet(w io.Writer) bool { return !isTerminal(w) || os.Getenv("TERM") == "dumb" }

// printValue writes a value of the wire on one line. What a terminal would
// obey is escaped, also where JSON lets it pass.
func printValue(w io.Writer, v any) error {
	line, err := api.EncodeRecord(v)
	if err == nil {
		_, err = io.WriteString(w, escapeJSON(string(line))+"\n")
	}
	return err
}

// escapeJSON returns JSON with what a terminal would obey, or show in another order,
// as escapes.
func escapeJSON(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r <= '~' || !unicode.In(r, unicode.Cc, unicode.Cf):
			b.WriteRune(r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// writeFacts writes names and what they are, one a line and aligned. Those that
// say nothing are left out.
func writeFacts(out io.Writer, th *theme.Theme, facts [][2]string) {
	width := 0
	for _, f := range facts {
		if f[1] != "" {
			width = max(width, format.Width(format.Clean(f[0])))
		}
	}
	for _, f := range facts {
		if f[1] != "" {
			label := format.FitLeft(format.Clean(f[0]), width) // also the name of a member of the service's own
			fmt.Fprintf(
				out,
				"%s  %s\n",
				styleText(th, theme.Muted, label),
				format.Clean(f[1]),
			)
		}
	}
}

// terminalWidth returns how many cells wide the terminal is, 0 for no terminal.
func terminalWidth(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	width, _, _ := term.GetSize(f.Fd()) // 0 with an error
	return width
}

// names returns the values as texts.
func names[T ~string](values []T) []string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(v)
	}
	return texts
}

// shellTheme returns the look of what is printed: none where nobody would see it as
// it is meant.
func shellTheme(w io.Writer) *theme.Theme {
	if isQuiet(w) || os.Getenv("NO_COLOR") != "" {
		return nil
	}
	return theme.ShellTheme()
}

// styleText writes a text in the look of a role, unchanged without a theme.
func styleText(th *theme.Theme, role theme.Role, s string) string {
	if th == nil {
		return s
	}
	return th.PaintRole(role, s)
}

// Rows are the rows of a list as they come, with an error at the end where they
// break off.
type Rows[T any] = iter.Seq2[*T, error]

// filterRows returns the rows that are wanted.
func filterRows[T any](all Rows[T], wanted func(*T) bool) Rows[T] {
	return func(yield func(*T, error) bool) {
		for row, err := range all {
			if (err != nil || wanted(row)) && !yield(row, err) {
				return
			}
		}
	}
}

// oneRow returns a list of one row.
func oneRow[T any](row *T, err error) Rows[T] {
	return func(yield func(*T, error) bool) { yield(row, err) }
}

// listRows returns rows that are there.
func listRows[T any](all []T) Rows[T] {
	return func(yield func(*T, error) bool) {
		for i := range all {
			if !yield(&all[i], nil) {
				return
			}
		}
	}
}

// orderFacts returns what an order is, for people.
func orderFacts(o *api.Order, units format.Units) [][2]string {
	return columns.RowFacts(columns.InUnits(columns.Orders(nil), units), o, time.Time{})
}

// rowSheet is how the rows of a list are printed: as a table for people, as CSV,
// or as a JSON value a line.
type rowSheet[T any] struct {
	one, many string              // what the rows are
	Totals    string              // follows their number
	all       []columns.Column[T] // for programs
	first     int                 // of them are in a table also if they are off
}

// newSheet makes a sheet of the columns of an entity. A table has those that are named,
// and behind them the others that are not off; CSV has all.
func newSheet[T any](one string, all []columns.Column[T], names string) rowSheet[T] {
	return rowSheet[T]{
		one:   one,
		many:  one + "s",
		all:   columns.PickFirst(all, names),
		first: len(strings.Fields(names)),
	}
}

// printList prints rows of an entity that have the status that is asked for; names are the first columns of their table.
func printList[T any](c *Call, one string, all []columns.Column[T], names string, rows Rows[T]) error {
	s := newSheet(one, columns.InUnits(all, c.Units), names)
	at := slices.IndexFunc(s.all, func(c columns.Column[T]) bool { return c.Title == "Status" })
	if f := c.Cmd.Flag("status"); f != nil && f.Changed && at >= 0 {
		rows = filterRows(rows, func(row *T) bool { return s.all[at].ForPrograms(s.all[at].Value(row)) == f.Value.String() })
	}
	return s.Print(c, rows)
}

// Print writes rows as they come, a table once all have, as far as they are asked for, and notes the names in them.
// Whatever was written before an error stays.
func (s *rowSheet[T]) Print(c *Call, all Rows[T]) error {
	var n atomic.Int64
	done := c.ShowProgress(meterFrame, func() string { return fmt.Sprintf("loading %s, %d…", s.many, n.Load()) })
	defer done()
	limit, _ := c.Cmd.Flags().GetInt("limit")
	out := bufio.NewWriter(c.Out())
	table := csv.NewWriter(out)
	head := sync.OnceFunc(func() { _ = table.Write(s.headings()) }) // no sooner than it is known that there is an answer
	var kept []T
	var fault error
	for row, err := range all {
		if fault = err; err != nil {
			break
		}
		c.Seen.NoteRow(row)
		switch c.Output {
		case "json":
			fault = printValue(out, row)
		case "csv":
			head()
			fault = table.Write(s.recordOf(row))
		default:
			kept = append(kept, *row)
		}
		if fault != nil || n.Add(1) == int64(limit) {
			break
		}
	}
	_, incomplete := errors.AsType[*api.IncompleteError](fault)
	switch done(); {
	case c.Output == "csv" && fault == nil:
		head()
	case c.Output != "csv" && c.Output != "json" && (fault == nil || incomplete && len(kept) > 0): // what was read is shown
		s.writeTable(c, out, terminalWidth(c.Out()), kept)
	}
	table.Flush()
	return cmp.Or(fault, out.Flush())
}

func (s *rowSheet[T]) headings() []string {
	names := make([]string, len(s.all))
	for i := range s.all {
		names[i] = s.all[i].MachineName()
	}
	return names
}

func (s *rowSheet[T]) recordOf(row *T) []string {
	texts := make([]string, len(s.all))
	for i := range s.all {
		c := &s.all[i]
		texts[i] = format.InertCell(format.Clean(c.ForPrograms(c.Value(row))))
	}
	return texts
}

// PrintTable prints rows as a table.
func (s *rowSheet[T]) PrintTable(c *Call, rows []T) error {
	out := bufio.NewWriter(c.Out())
	s.writeTable(c, out, terminalWidth(c.Out()), rows)
	return out.Flush()
}

func (s *rowSheet[T]) shownColumns(wide bool) (shown []columns.Column[T]) {
	for i, column := range s.all {
		if column.TableHeading() != "" && (wide || !column.Off || i < s.first) {
			shown = append(shown, column)
		}
	}
	return shown
}

// writeTable writes rows below titles, and their number below that. What the service says more of a row is below the row.
func (s *rowSheet[T]) writeTable(c *Call, out io.Writer, width int, rows []T) {
	if len(rows) == 0 {
		fmt.Fprintf(out, "no %s\n", s.many)
		return
	}
	wide := c.Output == "wide"
	shown := s.shownColumns(wide)
	lines := make([][]columns.Cell, len(rows)+1)
	widths, least := make([]int, len(shown)), make([]int, len(shown))
	now := c.Now()
	for i := range shown {
		if !wide { // there nothing is cut
			least[i] = shown[i].Least
		}
		for n := range lines {
			cell := columns.Cell{Text: shown[i].TableHeading(), Role: theme.Muted}
			if n > 0 {
				cell = shown[i].Value(&rows[n-1])
				cell.Text = format.Clean(cmp.Or(shown[i].InShell(cell, now), format.None))
			}
			lines[n] = append(lines[n], cell)
			widths[i] = max(widths[i], format.Width(cell.Text))
		}
	}
	fitWidths(widths, least, width)
	th := shellTheme(c.Out())
	for n, line := range lines {
		text := ""
		for i, cell := range line {
			fit := format.FitLeft
			if shown[i].IsRight() {
				fit = format.FitRight
			}
			part := fit(cell.Text, widths[i])
			if cell.Role != format.Text {
				part = styleText(th, cell.Role, part)
			}
			text += part + "  "
		}
		fmt.Fprintln(out, strings.TrimRight(text, " "))
		if n == 0 {
			continue
		}
		if more := columns.UnknownText(columns.MoreOf(&rows[n-1])); more != "" {
			fmt.Fprintln(out, styleText(th, theme.Muted, "  "+format.Clean(more)))
		}
	}
	fmt.Fprintf(out, "\n%s%s\n", format.Count(len(rows), s.one, s.many), s.Totals)
}

// fitWidths narrows the columns of a table that may be cut, the widest first, until its
// lines fit a width; 0 is any. least is how many cells a column keeps, 0 for all.
func fitWidths(widths, least []int, width int) {
	total := 2 * (len(widths) - 1)
	for _, w := range widths {
		total += w
	}
	for ; width > 0 && total > width; total-- {
		widest := -1
		for i, w := range widths {
			if least[i] > 0 && w > least[i] && (widest < 0 || w > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		widths[widest]--
	}
}

// printEndpoints prints endpoints.
func printEndpoints(c *Call, rows Rows[api.WebhookEndpoint]) error {
	all := columns.HideColumns(columns.Endpoints(), "createdAt")
	return printList(
		c,
		"endpoint",
		all,
		"uuid url status lastStatus events description",
		rows,
	)
}

// printCallbacks prints callbacks, those of one endpoint without it.
func printCallbacks(c *Call, ofOne bool, rows Rows[columns.ListedCallback]) error {
	names := "uuid event orderCode missionCode endpointUrl outcome attempts createdAt"
	if ofOne {
		names = strings.Replace(names, " endpointUrl", "", 1)
	}
	s := newSheet(
		"callback",
		columns.HideColumns(columns.Callbacks(), "responseCode", "error", "endpointUrl"),
		names,
	)
	return s.Print(c, rows)
}
