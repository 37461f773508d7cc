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

// orNone returns the text, or the sign for none.
func orNone(s string) string {
	if s == "" {
		return format.None
	}
	return s
}

// isQuiet reports whether nothing is drawn on a writer.
func isQuiet(w io.Writer) bool { return !isTerminal(w) || os.Getenv("TERM") == "dumb" }

// textOf returns the text, "" for nil.
func textOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// priceOf writes the final price of a quote for people.
func priceOf(q *api.Quote) string {
	if q.FinalPrice.IsUnread() {
		return format.Clean(q.FinalPrice.Raw) + " (not read)"
	}
	if !q.FinalPrice.Known {
		return "no price"
	}
	return format.Money(q.FinalPrice.Amount, q.Currency)
}

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
			fmt.Fprintf(out, "%s  %s\n", styleText(th, theme.Muted, label), format.Clean(f[1]))
		}
	}
}

// pointersTo returns the addresses of all values.
func pointersTo[T any](all []T) []*T {
	list := make([]*T, len(all))
	for i := range all {
		list[i] = &all[i]
	}
	return list
}

// terminalWidth returns how many cells wide the terminal is, 0 for no terminal.
func terminalWidth(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(f.Fd())
	if err != nil {
		return 0
	}
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

// rowsOf returns the rows of a list that are asked for: those that are wanted, up
// to the limit.
func rowsOf[T any](all Rows[T], limit int, wanted func(*T) bool) Rows[T] {
	return func(yield func(*T, error) bool) {
		n := 0
		for row, err := range all {
			if err == nil && wanted != nil && !wanted(row) {
				continue
			}
			if !yield(row, err) || err != nil {
				return
			}
			if n++; n == limit {
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
	Width     int                 // cells of a line; 0 is the terminal's
	all       []columns.Column[T] // for programs
	table     []columns.Column[T] // for people
	now       func() time.Time
}

// newSheet makes a sheet of the columns of an entity. A table has those that are named,
// and behind them the others that are not off; CSV has all.
func newSheet[T any](
	one, many string,
	all []columns.Column[T],
	now func() time.Time,
	names string,
) rowSheet[T] {
	all = columns.PickFirst(all, names)
	n, first := 0, len(strings.Fields(names))
	table := slices.DeleteFunc(slices.Clone(all), func(c columns.Column[T]) bool {
		n++
		return c.TableHeading() == "" || c.Off && n > first
	})
	return rowSheet[T]{one: one, many: many, all: all, table: table, now: now}
}

// StatusOf returns the status of a row as the service has sent it.
func (s *rowSheet[T]) StatusOf(row *T) string {
	i := slices.IndexFunc(s.all, func(c columns.Column[T]) bool { return c.Title == "Status" })
	return s.all[i].ForPrograms(s.all[i].Value(row))
}

// printTarget is where a sheet goes and how.
type printTarget struct {
	To       io.Writer
	Progress io.Writer // tells people how far it is, where it is a terminal
	Format   string    // table, wide, csv or json
}

// printTarget returns the standard output of a command.
func (c *Call) printTarget() printTarget {
	return printTarget{c.Out(), c.Trouble(), c.Output}
}

// Print writes rows as they come, a table once all have. Whatever was written
// before an error stays.
func (s *rowSheet[T]) Print(p printTarget, all Rows[T]) error {
	out := bufio.NewWriter(p.To)
	n, meter := 0, newMeterLine(p.Progress)
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
func (s *rowSheet[T]) rowWriter(format string, out io.Writer) (head func(), write func(*T) error) {
	head = func() {}
	switch format {
	case "wide":
		s.table = slices.DeleteFunc(
			slices.Clone(s.all),
			func(c columns.Column[T]) bool { return c.TableHeading() == "" },
		)
		for i := range s.table {
			s.table[i].Least = 0 // nothing of it is cut
		}
	case "json":
		write = func(row *T) error { return printValue(out, row) }
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

// PrintTable writes rows below titles, and their number below that. What the
// service says more of a row is below the row. The texts are made twice, the first time
// for their widths, for there may be many.
func (s *rowSheet[T]) PrintTable(out *bufio.Writer, rows []*T, to io.Writer) {
	if len(rows) == 0 {
		fmt.Fprintf(out, "no %s\n", s.many)
		return
	}
	th, now := shellTheme(to), s.now()
	text := func(c *columns.Column[T], row *T) (string, format.Tone) {
		if row == nil {
			return c.TableHeading(), theme.Muted
		}
		cell := c.Value(row)
		return format.Clean(orNone(c.InShell(cell, now))), cell.Role
	}
	lines := append([]*T{nil}, rows...)
	widths, least := make([]int, len(s.table)), make([]int, len(s.table))
	for i := range s.table {
		least[i] = s.table[i].Least
		for _, row := range lines {
			part, _ := text(&s.table[i], row)
			widths[i] = max(widths[i], format.Width(part))
		}
	}
	fitWidths(widths, least, cmp.Or(s.Width, terminalWidth(to)))
	for _, row := range lines {
		var line []string
		for i := range s.table {
			part, tone := text(&s.table[i], row)
			if s.table[i].IsRight() {
				part = format.FitRight(part, widths[i])
			} else if part = format.FitLeft(part, widths[i]); i == len(s.table)-1 {
				part = strings.TrimRight(part, " ")
			}
			if tone != format.Text {
				part = styleText(th, tone, part)
			}
			line = append(line, part)
		}
		fmt.Fprintln(out, strings.TrimRight(strings.Join(line, "  "), " "))
		if row == nil {
			continue
		}
		if more := columns.UnknownText(columns.MoreOf(row)); more != "" {
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

// endpointSheet returns how endpoints are printed.
func endpointSheet(now func() time.Time) rowSheet[api.WebhookEndpoint] {
	all := columns.HideColumns(columns.Endpoints(), "createdAt")
	return newSheet("endpoint", "endpoints", all, now, "uuid url status lastStatus events description")
}

// callbackSheet returns how callbacks are printed, those of one endpoint without it.
func callbackSheet(now func() time.Time, ofOne bool) rowSheet[columns.ListedCallback] {
	names := "uuid event orderCode missionCode endpointUrl outcome attempts createdAt"
	if ofOne {
		names = strings.Replace(names, " endpointUrl", "", 1)
	}
	all := columns.HideColumns(columns.Callbacks(), "responseCode", "error", "endpointUrl")
	return newSheet("callback", "callbacks", all, now, names)
}
