package cli

import (
	"bufio"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
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

// isTerminal reports whether a reader or writer is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

// isQuiet reports whether progress lines are not drawn on a writer.
func isQuiet(w io.Writer) bool { return !isTerminal(w) || os.Getenv("TERM") == "dumb" }

// printValue writes a value as JSON on one line, with terminal control characters escaped, also
// where JSON allows them.
func printValue(w io.Writer, v any) error {
	line, err := api.EncodeRecord(v)
	if err == nil {
		_, err = io.WriteString(w, escapeJSON(string(line))+"\n")
	}
	return err
}

// escapeJSON returns JSON with escapes for characters that control a terminal or change the
// order of text.
func escapeJSON(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r <= '~' || !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp):
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

// terminalWidth returns the width of the terminal in cells, or 0 if there is no terminal.
func terminalWidth(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	width, _, _ := term.GetSize(f.Fd()) // 0 with an error
	return width
}

// paper is a writer for output that people read. It has a theme if it writes to a terminal with
// colours.
type paper struct {
	*bufio.Writer
	theme *theme.Theme // nil for none
	width int          // of the terminal; 0 for none
}

func newPaper(to io.Writer) *paper {
	p := &paper{Writer: bufio.NewWriter(to), width: terminalWidth(to)}
	if !isQuiet(to) && os.Getenv("NO_COLOR") == "" {
		p.theme = theme.ShellTheme()
	}
	return p
}

// paintText writes a text with the colours of a role, or unchanged if there is no theme.
func (p *paper) paintText(role theme.Role, s string) string {
	if p.theme == nil {
		return s
	}
	return p.theme.PaintRole(role, s)
}

// alignRows returns rows as lines with aligned cells. If the lines are wider than the terminal,
// cells are cut where their columns allow it.
func (p *paper) alignRows(rows [][]columns.Cell, in []columns.ColumnSpec) []string {
	widths := make([]int, len(in))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], format.Width(cell.Text))
		}
	}
	fitWidths(widths, in, p.width)
	lines := make([]string, len(rows))
	for n, row := range rows {
		for i, cell := range row {
			fit := format.FitLeft
			if in[i].IsRight() {
				fit = format.FitRight
			}
			text := fit(cell.Text, widths[i])
			if cell.Role != format.Text {
				text = p.paintText(cell.Role, text)
			}
			if widths[i] > 0 { // a column may have no texts
				lines[n] += text + "  "
			}
		}
		lines[n] = strings.TrimRight(lines[n], " ")
	}
	return lines
}

// writeFacts writes pairs of a name and a value, one per line. Pairs without a value are left out.
func (p *paper) writeFacts(facts [][2]string) {
	var rows [][]columns.Cell
	for _, f := range facts {
		if f[1] != "" {
			name := columns.TextCell(format.Clean(f[0])).WithTone(theme.Muted) // also of a member of the service's own
			rows = append(rows, []columns.Cell{name, columns.TextCell(format.Clean(f[1]))})
		}
	}
	for _, line := range p.alignRows(rows, make([]columns.ColumnSpec, 2)) {
		fmt.Fprintln(p, line)
	}
}

// part is a part of the output for people.
type part func(to *paper)

// linePart returns a part with one line.
func linePart(line string) part {
	return func(to *paper) { fmt.Fprintln(to, format.Clean(line)) }
}

// textPart returns a part with lines that are printed unchanged, except for terminal control
// characters.
func textPart(text string) part {
	return func(to *paper) {
		for line := range strings.Lines(text) {
			bare := strings.TrimRight(line, "\r\n")
			fmt.Fprint(to, format.Clean(bare), line[len(bare):])
		}
	}
}

// factsPart returns a part with pairs of a name and a value, one per line.
func factsPart(facts [][2]string) part {
	return func(to *paper) { to.writeFacts(facts) }
}

// PrintParts prints the result of a command: the value as JSON, or the parts for people, with an
// empty line between them.
func (c *Call) PrintParts(value any, parts ...part) error {
	if c.Output == "json" {
		return printValue(c.Out(), value)
	}
	to := newPaper(c.Out())
	for i, write := range parts {
		if i > 0 {
			fmt.Fprintln(to)
		}
		write(to)
	}
	return to.Flush()
}

// PrintAnswer prints the result of a command: the value as JSON, or a line for people.
func (c *Call) PrintAnswer(value any, line string) error { return c.PrintParts(value, linePart(line)) }

// PrintFacts prints the result of a command: the value as JSON, or facts for people.
func (c *Call) PrintFacts(value any, facts [][2]string) error {
	return c.PrintParts(value, factsPart(facts))
}

// Rows iterates over the rows of a list. A pair with an error stands for rows that could not be
// read; more rows can follow it.
type Rows[T any] = iter.Seq2[T, error]

// filterRows returns the rows for which a function returns true, and all errors.
func filterRows[T any](all Rows[T], wanted func(T) bool) Rows[T] {
	return func(yield func(T, error) bool) {
		for row, err := range all {
			if (err != nil || wanted(row)) && !yield(row, err) {
				return
			}
		}
	}
}

// oneRow returns a list of one row. If the row was read only in part, its error follows.
func oneRow[T any](row T, err error) Rows[T] {
	return func(yield func(T, error) bool) {
		if api.IsPartial(err) && !yield(row, nil) {
			return
		}
		yield(row, err)
	}
}

// listRows returns the elements of a slice as Rows.
func listRows[T any](all []T) Rows[*T] {
	return func(yield func(*T, error) bool) {
		for i := range all {
			if !yield(&all[i], nil) {
				return
			}
		}
	}
}

// withFault returns rows followed by an error, or only the rows if the error is nil.
func withFault[T any](rows Rows[T], fault error) Rows[T] {
	return func(yield func(T, error) bool) {
		for row, err := range rows {
			if !yield(row, err) {
				return
			}
		}
		if fault != nil {
			var none T
			yield(none, fault)
		}
	}
}

// orderFacts returns the fields of an order for people.
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

	labels bool // CSV has the words of the app
	now    time.Time
}

// newSheet returns a sheet with the columns of an entity. A table has the named columns first,
// then the columns that are not off by default; CSV has all columns.
func newSheet[T any](one string, all []columns.Column[T], names string) *rowSheet[T] {
	return &rowSheet[T]{
		one:   one,
		many:  format.Plural(one),
		all:   columns.PickFirst(all, names),
		first: len(strings.Fields(names)),
	}
}

// printList prints the rows that --status and --limit select, and stores the names in their first
// columns for completion. JSON and CSV are printed row by row, a table when all rows are read. If
// some rows cannot be read, it prints the others and returns an error that says which are missing.
func printList[T any](c *Call, one string, all []columns.Column[T], names string, rows Rows[T]) error {
	s := newSheet(one, all, names)
	rows = s.filterStatus(c, rows)
	var n atomic.Int64
	done := c.ShowProgress(meterFrame, func() string { return fmt.Sprintf("loading %s, %d…", s.many, n.Load()) })
	defer done()
	limit, _ := c.Cmd.Flags().GetUint("limit")
	out := newPaper(c.Out())
	table := csv.NewWriter(out)
	s.labels, _ = c.Cmd.Flags().GetBool("labels")
	s.now = c.Now()
	if s.labels {
		s.all = columns.InUnits(s.all, c.Units)
	}
	head := sync.OnceFunc(func() {
		if s.labels {
			fmt.Fprint(out, columns.ByteOrderMark)
		}
		_ = table.Write(s.headings())
	}) // no sooner than it is known that there is an answer
	var kept []T
	var missing missingRows
	var fault error // of writing
	for row, err := range rows {
		if err != nil {
			if missing.add(c, err) {
				continue
			}
			break
		}
		missing.inARow = 0
		c.Seen.NoteRow(row)
		switch c.Output {
		case "json":
			fault = printValue(out, row)
		case "csv":
			head()
			fault = table.Write(s.recordOf(row))
		default:
			kept = append(kept, row)
		}
		if fault != nil || n.Add(1) == int64(limit) {
			break
		}
	}
	none := missing.ErrorOrNil() == nil && fault == nil
	switch done(); {
	case c.Output == "csv" && none:
		head()
	case c.Output != "csv" && c.Output != "json" && (none || len(kept) > 0): // what was read is shown
		s.tablePart(c, kept)(out)
	}
	table.Flush()
	return cmp.Or(fault, out.Flush(), missing.describe(s.many, n.Load() > 0))
}

// missingRows collects the errors of rows that could not be read.
type missingRows struct {
	api.PartsError

	inARow int // errors since the last row
}

// Errors in a row after which no more rows are asked for: a service that does not answer
// would be waited for again and again.
const (
	mostRefused = 20
	mostLost    = 3
)

// add adds an error and reports whether more rows can be read.
func (m *missingRows) add(ctx context.Context, err error) bool {
	m.Add(err)
	m.inARow++
	lost, isLost := errors.AsType[*api.TransportError](err)
	switch {
	case ctx.Err() != nil || api.IsStatus(err, http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests):
		return false
	case isLost:
		return lost.Sent && m.inARow < mostLost
	}
	return m.inARow < mostRefused
}

// describe returns the error of a list with missing rows, or nil if none is missing.
func (m *missingRows) describe(rows string, printed bool) error {
	err := m.ErrorOrNil()
	if len(m.Faults) == 1 {
		err = m.Faults[0]
	}
	if err != nil && printed && !errors.As(err, new(*api.IncompleteError)) {
		return fmt.Errorf("not all %s are listed: %w", rows, err)
	}
	return err
}

// filterStatus returns the rows with the status of --status.
func (s *rowSheet[T]) filterStatus(c *Call, rows Rows[T]) Rows[T] {
	at := slices.IndexFunc(s.all, func(c columns.Column[T]) bool { return c.Title == "Status" })
	f := c.Cmd.Flag("status")
	if f == nil || !f.Changed || at < 0 {
		return rows
	}
	return filterRows(rows, func(row T) bool { return s.all[at].ForPrograms(s.all[at].Value(row)) == f.Value.String() })
}

func (s *rowSheet[T]) headings() []string {
	names := make([]string, len(s.all))
	for i := range s.all {
		names[i] = s.all[i].MachineName()
		if s.labels {
			names[i] = s.all[i].SheetHeading(s.all[i].Units.PriceUnit())
		}
	}
	return names
}

func (s *rowSheet[T]) recordOf(row T) []string {
	texts := make([]string, len(s.all))
	for i := range s.all {
		c := &s.all[i]
		text := c.ForPrograms(c.Value(row))
		if s.labels {
			text = c.SheetCell(c.Value(row), c.Units.PriceUnit(), s.now)
		}
		texts[i] = format.InertCell(format.Clean(text))
	}
	return texts
}

// tablePart is a table of rows below titles, and their number below that. What the
// service says more of a row is below the row.
func (s *rowSheet[T]) tablePart(c *Call, rows []T) part {
	return func(to *paper) {
		if len(rows) == 0 {
			fmt.Fprintf(to, "no %s\n", s.many)
			return
		}
		for n, line := range to.alignRows(s.cellsOf(c, rows)) {
			fmt.Fprintln(to, line)
			if n == 0 {
				continue
			}
			if more := columns.UnknownText(columns.MoreOf(rows[n-1])); more != "" {
				fmt.Fprintln(to, to.paintText(theme.Muted, "  "+format.Clean(more)))
			}
		}
		fmt.Fprintf(to, "\n%s%s\n", format.Count(len(rows), s.one, s.many), s.Totals)
	}
}

// cellsOf returns the titles and cells of a table, and its columns.
func (s *rowSheet[T]) cellsOf(c *Call, rows []T) (cells [][]columns.Cell, in []columns.ColumnSpec) {
	wide, now := c.Output == "wide", c.Now()
	if c.Service != nil {
		columns.InUnits(s.all, c.Units)
	}
	cells = make([][]columns.Cell, len(rows)+1)
	for i := range s.all {
		column := &s.all[i]
		title := column.TableHeading()
		if title == "" || column.Off && !wide && i >= s.first {
			continue
		}
		spec := column.ColumnSpec
		if wide { // there nothing is cut
			spec.Least = 0
		}
		in = append(in, spec)
		cells[0] = append(cells[0], columns.TextCell(title).WithTone(theme.Muted))
		for n := range rows {
			cell := column.Value(rows[n])
			cell.Text = format.Clean(cmp.Or(column.InShell(cell, now), format.None))
			cells[n+1] = append(cells[n+1], cell)
		}
	}
	return cells, in
}

// fitWidths narrows the columns of a table that can be cut, starting with the widest, until its
// lines fit a width. A width of 0 means no limit.
func fitWidths(widths []int, in []columns.ColumnSpec, width int) {
	total := 2 * (len(widths) - 1)
	for _, w := range widths {
		total += w
	}
	for ; width > 0 && total > width; total-- {
		widest := -1
		for i, w := range widths {
			if in[i].Least > 0 && w > in[i].Least && (widest < 0 || w > widths[widest]) {
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
func printEndpoints(c *Call, rows Rows[*api.WebhookEndpoint]) error {
	all := columns.HideColumns(columns.Endpoints(), "createdAt")
	return printList(c, "endpoint", all, "uuid url status lastStatus events description", rows)
}

// printCallbacks prints callbacks, without the column of the endpoint if all are of one endpoint.
func printCallbacks(c *Call, ofOne bool, rows Rows[*columns.ListedCallback]) error {
	names := "uuid event orderCode missionCode endpointUrl outcome attempts createdAt"
	if ofOne {
		names = strings.Replace(names, " endpointUrl", "", 1)
	}
	all := columns.HideColumns(columns.Callbacks(), "responseCode", "error", "endpointUrl")
	return printList(c, "callback", all, names, rows)
}
