package cli

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
)

// Rows iterates over the rows of a list. If a row could not be read, the error is yielded in its place;
// more rows can follow.
type Rows[T any] = iter.Seq2[T, error]

// filterRows returns the rows for which wanted returns true, and all errors.
func filterRows[T any](all Rows[T], wanted func(T) bool) Rows[T] {
	return func(yield func(T, error) bool) {
		for row, err := range all {
			if err == nil && !wanted(row) {
				continue
			}
			if !yield(row, err) {
				return
			}
		}
	}
}

// oneRow returns a list of one row. If only a part of the row could be read, its error follows.
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

// appendError returns rows followed by an error, or only the rows if the error is nil.
func appendError[T any](rows Rows[T], last error) Rows[T] {
	return func(yield func(T, error) bool) {
		for row, err := range rows {
			if !yield(row, err) {
				return
			}
		}
		if last != nil {
			var none T
			yield(none, last)
		}
	}
}

// rowSheet describes how the rows of a list are printed as a table or as CSV.
type rowSheet[T any] struct {
	singular string // what a row is, such as "order"
	plural   string
	Totals   string // printed behind the number of rows
	Nothing  string // printed instead of a table without rows
	all      []columns.Column[T]
	pinned   int // number of leading columns that a table shows even if they are off by default

	labels bool      // CSV has the headings and values of the app
	now    time.Time // for CSV with labels
}

// newSheet returns a sheet with the columns of a kind of rows. A table has the named columns first, then the columns
// that are not off by default; CSV has all columns.
func newSheet[T any](singular string, all []columns.Column[T], names string) *rowSheet[T] {
	plural := format.Plural(singular)
	return &rowSheet[T]{
		singular: singular,
		plural:   plural,
		Nothing:  "no " + plural,
		all:      columns.PickFirst(all, names),
		pinned:   len(strings.Fields(names)),
	}
}

// printFormattedRows prints the rows that --status and --limit select in the format of --output. JSON and CSV rows
// are printed as they arrive, and a table is printed after all rows are read. first has the names of the columns that
// a table begins with. If some rows cannot be read, it prints the others and returns an error that says what is
// missing.
func printFormattedRows[T any](
	c *Call, singular string, all []columns.Column[T], first string, rows Rows[T],
) error {
	s := newSheet(singular, all, first)
	if isFiltered(c.Cmd) {
		s.Nothing = "no matching " + s.plural
	}
	return printSheet(c, s, rows)
}

// filterFlags are the flags that select rows of a list.
var filterFlags = []string{"status", "of", "since", "page", "account", "undecided", "waiting"}

// isFiltered reports whether a flag of the command limits the list to some of the rows, so that an empty list does
// not mean that there are no rows.
func isFiltered(cmd *cobra.Command) bool {
	return slices.ContainsFunc(filterFlags, func(name string) bool {
		flag := cmd.Flag(name)
		isAllPages := name == "page" && flag != nil && flag.Value.String() == strconv.Itoa(allPages)
		return flag != nil && flag.Changed && !isAllPages
	})
}

// printSheet prints rows like printFormattedRows, with the columns and texts of the given sheet.
func printSheet[T any](c *Call, s *rowSheet[T], rows Rows[T]) error {
	s.labels, _ = c.Cmd.Flags().GetBool("labels") // false for commands without the flag
	s.now = c.Service.Now()
	if s.labels { // only list has the flag, and it needs a service
		s.all = columns.InUnits(s.all, c.Service.Units)
	}
	p := newRowPrinter(c, s)
	printErr := p.printWithProgress(s.filterStatus(c, rows))
	isComplete := printErr == nil && p.missing.ErrorOrNil() == nil
	flushErr := p.finish(isComplete)
	if printErr != nil {
		return printErr
	}
	if flushErr != nil {
		return flushErr
	}
	if p.count.Load() == 0 {
		return p.missing.describe()
	}
	return p.missing.describeIncomplete(s.plural)
}

// rowPrinter prints rows in the format of --output.
type rowPrinter[T any] struct {
	call      *Call
	sheet     *rowSheet[T]
	out       *textWriter
	csv       *csv.Writer // writes to out
	tableRows []T         // printed by finish, because the widths of columns depend on all rows
	count     atomic.Int64
	missing   missingRows

	isHeadPrinted bool // whether the CSV has its headings already
}

func newRowPrinter[T any](c *Call, s *rowSheet[T]) *rowPrinter[T] {
	out := newTextWriter(c.Out())
	return &rowPrinter[T]{call: c, sheet: s, out: out, csv: csv.NewWriter(out)}
}

// printWithProgress prints rows up to the limit of --limit, and shows meanwhile how many rows are read.
func (p *rowPrinter[T]) printWithProgress(rows Rows[T]) error {
	stopProgress := p.call.ShowProgress(progressInterval, func() string {
		return fmt.Sprintf("loading %s, %d…", p.sheet.plural, p.count.Load())
	})
	defer stopProgress()
	limit, _ := p.call.Cmd.Flags().GetUint("limit") // 0 for commands without the flag
	return p.printUpTo(limit, rows)
}

// printUpTo prints rows up to a limit; 0 means no limit. It collects the errors of rows that cannot be read, and the
// names in the other rows for the completion in the shell. It returns an error only if it cannot print.
func (p *rowPrinter[T]) printUpTo(limit uint, rows Rows[T]) error {
	for row, err := range rows {
		if err != nil {
			p.missing.addFault(err)
			if !p.missing.canContinue(p.call, err) {
				return nil
			}
			continue
		}
		p.missing.inARow = 0
		p.call.Names.AddRow(row)
		if err := p.printRow(row); err != nil {
			return err
		}
		if p.count.Add(1) == int64(limit) {
			return nil
		}
	}
	return nil
}

// printRow prints a row as JSON or CSV, or keeps it for the table.
func (p *rowPrinter[T]) printRow(row T) error {
	switch p.call.Output {
	case "json":
		return printValue(p.out, row)
	case "csv":
		p.printHead()
		return p.csv.Write(p.sheet.record(row))
	default:
		p.tableRows = append(p.tableRows, row)
		return nil
	}
}

// printHead prints the headings of the CSV unless they are printed already.
func (p *rowPrinter[T]) printHead() {
	if p.isHeadPrinted {
		return
	}
	p.isHeadPrinted = true
	if p.sheet.labels {
		fmt.Fprint(p.out, columns.ByteOrderMark)
	}
	_ = p.csv.Write(p.sheet.headings()) // an error also fails the flush
}

// finish prints the table and flushes the output. If a complete list has no rows, it prints the headings of
// the CSV or, as a table, a line such as "no orders".
func (p *rowPrinter[T]) finish(isComplete bool) error {
	switch p.call.Output {
	case "json":
	case "csv":
		if isComplete {
			p.printHead()
		}
	default:
		if isComplete || len(p.tableRows) > 0 {
			writeTable := p.sheet.tablePart(p.call, p.tableRows)
			writeTable(p.out)
		}
	}
	p.csv.Flush()
	return p.out.Flush()
}

// missingRows collects the errors of rows that could not be read.
type missingRows struct {
	api.PartsError

	inARow int // errors since the last row
}

// A list ends after this many errors in a row, because waiting for a service that does not answer
// would take too long.
const (
	maxErrorsInARow      = 20
	maxLostAnswersInARow = 3
)

// addFault adds the error of a row.
func (m *missingRows) addFault(err error) {
	m.Add(err)
	m.inARow++
}

// canContinue reports whether it makes sense to read more rows after an error. It does not if the command was
// interrupted, the service refuses all requests, or the last rows all had errors.
func (m *missingRows) canContinue(ctx context.Context, err error) bool {
	isRefused := api.IsStatus(err, http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests)
	if ctx.Err() != nil || isRefused {
		return false
	}
	lost, isLost := errors.AsType[*api.TransportError](err)
	if isLost {
		return lost.Sent && m.inARow < maxLostAnswersInARow
	}
	return m.inARow < maxErrorsInARow
}

// describe returns the error that says which rows are missing, or nil if no row is missing.
func (m *missingRows) describe() error {
	if len(m.Faults) == 1 {
		return m.Faults[0]
	}
	return m.ErrorOrNil()
}

// describeIncomplete is like describe, for a list of which some rows were printed. The error also says that not all
// rows are listed. plural is the word for the rows, such as "orders".
func (m *missingRows) describeIncomplete(plural string) error {
	err := m.describe()
	if err == nil {
		return nil
	}
	if errors.As(err, new(*api.IncompleteError)) {
		return err // says it already
	}
	return fmt.Errorf("not all %s are listed: %w", plural, err)
}

// filterStatus returns the rows with the status of --status, which is a status of the service or its label.
func (s *rowSheet[T]) filterStatus(c *Call, rows Rows[T]) Rows[T] {
	flag := c.Cmd.Flag("status")
	if flag == nil || !flag.Changed {
		return rows
	}
	i := slices.IndexFunc(s.all, func(column columns.Column[T]) bool { return column.Title == "Status" })
	if i < 0 {
		return rows
	}
	status := &s.all[i]
	wanted := flag.Value.String()
	return filterRows(rows, func(row T) bool {
		cell := status.Value(row)
		return status.ForPrograms(cell) == wanted || strings.EqualFold(status.InShell(cell, s.now), wanted)
	})
}

func (s *rowSheet[T]) headings() []string {
	headings := make([]string, len(s.all))
	for i := range s.all {
		column := &s.all[i]
		if s.labels {
			headings[i] = column.SheetHeading(column.Units.PriceUnit())
		} else {
			headings[i] = column.MachineName()
		}
	}
	return headings
}

// record returns a row of the CSV.
func (s *rowSheet[T]) record(row T) []string {
	record := make([]string, len(s.all))
	for i := range s.all {
		column := &s.all[i]
		cell := column.Value(row)
		text := column.ForPrograms(cell)
		if s.labels {
			text = column.SheetCell(cell, column.Units.PriceUnit(), s.now)
		}
		record[i] = format.InertCell(format.Clean(text))
	}
	return record
}

// tablePart returns a table of rows with headings, followed by the number of rows. If the JSON of a row has
// members that this program does not know, they are printed in a line below the row.
func (s *rowSheet[T]) tablePart(c *Call, rows []T) part {
	return func(to *textWriter) {
		if len(rows) == 0 {
			fmt.Fprintln(to, s.Nothing)
			return
		}
		lines := to.alignRows(s.tableCells(c, rows))
		fmt.Fprintln(to, lines[0])
		for i, line := range lines[1:] {
			fmt.Fprintln(to, line)
			if more := columns.UnknownText(columns.MoreOf(rows[i])); more != "" {
				fmt.Fprintln(to, to.paintText(theme.Muted, "  "+format.Clean(more)))
			}
		}
		fmt.Fprintf(to, "\n%s%s\n", format.Count(len(rows), s.singular, s.plural), s.Totals)
	}
}

// tableCells returns the headings and cells of a table, and its columns.
func (s *rowSheet[T]) tableCells(c *Call, rows []T) (cells [][]columns.Cell, specs []columns.ColumnSpec) {
	if c.Service != nil { // nil for commands that need no service, such as parse
		columns.InUnits(s.all, c.Service.Units)
	}
	isWide := c.Output == "wide"
	shown := s.tableColumns(isWide)
	headings := make([]columns.Cell, len(shown))
	for i := range shown {
		headings[i] = columns.TextCell(shown[i].TableHeading()).WithTone(theme.Muted)
	}
	cells = append(cells, headings)
	now := c.Service.Now() // the time of this machine if there is no service
	for _, row := range rows {
		cells = append(cells, rowCells(shown, row, now))
	}
	specs = columns.ColumnSpecs(shown)
	if isWide {
		for i := range specs {
			specs[i].Least = 0 // no column is shortened
		}
	}
	return cells, specs
}

func rowCells[T any](shown []columns.Column[T], row T, now time.Time) []columns.Cell {
	cells := make([]columns.Cell, len(shown))
	for i := range shown {
		column := &shown[i]
		cells[i] = column.Value(row)
		cells[i].Text = format.Clean(cmp.Or(column.InShell(cells[i], now), format.None))
	}
	return cells
}

// tableColumns returns the columns of a table: the pinned columns, and the others unless they are
// off by default. A wide table has all columns.
func (s *rowSheet[T]) tableColumns(isWide bool) []columns.Column[T] {
	var shown []columns.Column[T]
	for i := range s.all {
		column := &s.all[i]
		isOn := isWide || i < s.pinned || !column.Off
		if isOn && column.TableHeading() != "" {
			shown = append(shown, *column)
		}
	}
	return shown
}

func printEndpoints(c *Call, rows Rows[*api.WebhookEndpoint]) error {
	all := columns.HideColumns(columns.Endpoints(), "createdAt")
	return printFormattedRows(c, "endpoint", all, "uuid url status lastStatus events description", rows)
}

// printCallbacks prints callbacks. If all callbacks are of one endpoint, the column with the
// endpoint's address is left out.
func printCallbacks(c *Call, isOneEndpoint bool, rows Rows[*columns.ListedCallback]) error {
	names := "uuid event orderCode missionCode endpointUrl outcome attempts createdAt"
	if isOneEndpoint {
		names = "uuid event orderCode missionCode outcome attempts createdAt"
	}
	all := columns.HideColumns(columns.Callbacks(), "responseCode", "error", "endpointUrl")
	return printFormattedRows(c, "callback", all, names, rows)
}
