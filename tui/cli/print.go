package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
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

// isQuiet reports whether progress lines and colours are not written to w, because w is not a terminal or the
// terminal does not understand control sequences.
func isQuiet(w io.Writer) bool { return !isTerminal(w) || os.Getenv("TERM") == "dumb" }

// printValue writes a value as JSON on one line. Characters that control a terminal are escaped,
// although JSON allows some of them.
func printValue(w io.Writer, v any) error {
	line, err := api.EncodeRecord(v)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, escapeJSON(string(line))+"\n")
	return err
}

// escapeJSON returns JSON with escapes for characters that control a terminal or change the
// order of text.
func escapeJSON(text string) string {
	var b strings.Builder
	for _, r := range text {
		isHarmless := r <= '~' || !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
		if isHarmless {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// terminalWidth returns the width of the terminal in cells, or 0 if w is not a terminal.
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

// textWriter writes output that people read.
type textWriter struct {
	*bufio.Writer
	theme *theme.Theme // nil unless the output is a terminal with colours
	width int          // width of the terminal in cells; 0 if the output is not a terminal
}

func newTextWriter(to io.Writer) *textWriter {
	p := &textWriter{Writer: bufio.NewWriter(to), width: terminalWidth(to)}
	if !isQuiet(to) && os.Getenv("NO_COLOR") == "" {
		p.theme = theme.ShellTheme()
	}
	return p
}

// paintText returns a text with the colours of a role, or unchanged if there is no theme.
func (p *textWriter) paintText(role theme.Role, s string) string {
	if p.theme == nil {
		return s
	}
	return p.theme.PaintRole(role, s)
}

// alignRows returns rows as lines with aligned cells. If the lines are wider than the terminal, it
// shortens the cells of columns that can be shortened.
func (p *textWriter) alignRows(rows [][]columns.Cell, specs []columns.ColumnSpec) []string {
	widths := make([]int, len(specs))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], format.Width(cell.Text))
		}
	}
	fitWidths(widths, specs, p.width)
	lines := make([]string, len(rows))
	for i, row := range rows {
		lines[i] = p.alignRow(row, specs, widths)
	}
	return lines
}

// alignRow returns a row as a line. Columns without any text, whose width is 0, are left out.
func (p *textWriter) alignRow(row []columns.Cell, specs []columns.ColumnSpec, widths []int) string {
	line := ""
	for i, cell := range row {
		if widths[i] == 0 {
			continue
		}
		fit := format.FitLeft
		if specs[i].IsRight() {
			fit = format.FitRight
		}
		text := fit(cell.Text, widths[i])
		if cell.Role != format.Text {
			text = p.paintText(cell.Role, text)
		}
		line += text + "  "
	}
	return strings.TrimRight(line, " ")
}

// writeFacts writes pairs of a name and a value, one per line. Pairs without a value are left out.
func (p *textWriter) writeFacts(facts [][2]string) {
	var rows [][]columns.Cell
	for _, fact := range facts {
		if fact[1] == "" {
			continue
		}
		name := format.Clean(fact[0]) // names of unknown members are sent by the service
		rows = append(rows, []columns.Cell{
			columns.TextCell(name).WithTone(theme.Muted),
			columns.TextCell(format.Clean(fact[1])),
		})
	}
	for _, line := range p.alignRows(rows, make([]columns.ColumnSpec, 2)) {
		fmt.Fprintln(p, line)
	}
}

// part writes a part of the output for people.
type part func(to *textWriter)

func linePart(line string) part {
	return func(to *textWriter) { fmt.Fprintln(to, format.Clean(line)) }
}

// textPart returns a part with lines that are printed unchanged, except for terminal control
// characters.
func textPart(text string) part {
	return func(to *textWriter) {
		for line := range strings.Lines(text) {
			bare := strings.TrimRight(line, "\r\n")
			fmt.Fprint(to, format.Clean(bare), line[len(bare):])
		}
	}
}

// factsPart returns a part with facts, which are pairs of a name and a value, one per line.
func factsPart(facts [][2]string) part {
	return func(to *textWriter) { to.writeFacts(facts) }
}

// PrintParts prints the result of a command. With --output json it prints the value, otherwise the parts for
// people with an empty line between two parts.
func (c *Call) PrintParts(value any, parts ...part) error {
	if c.Output == "json" {
		return printValue(c.Out(), value)
	}
	to := newTextWriter(c.Out())
	for i, write := range parts {
		if i > 0 {
			fmt.Fprintln(to)
		}
		write(to)
	}
	return to.Flush()
}

// PrintResult prints the result of a command: with --output json the value, otherwise a line for people.
func (c *Call) PrintResult(value any, line string) error {
	return c.PrintParts(value, linePart(line))
}

// PrintFacts prints the result of a command: with --output json the value, otherwise facts for people.
func (c *Call) PrintFacts(value any, facts [][2]string) error {
	return c.PrintParts(value, factsPart(facts))
}

// orderFacts returns the fields of an order for people. quotes is the state of the order's quotes.
func orderFacts(o *api.Order, quotes format.QuoteState, units format.Units) [][2]string {
	quotesOf := func(string) format.QuoteState { return quotes }
	return columns.RowFacts(columns.InUnits(columns.Orders(quotesOf), units), o, time.Time{})
}

// fitWidths narrows the columns of a table until a line has at most width cells. It takes each cell from the
// widest column that can be shortened. A width of 0 means no limit.
func fitWidths(widths []int, specs []columns.ColumnSpec, width int) {
	if width == 0 {
		return
	}
	total := 2 * (len(widths) - 1) // the spaces between the columns
	for _, w := range widths {
		total += w
	}
	for total > width {
		i := widestColumn(widths, specs)
		if i < 0 {
			return
		}
		widths[i]--
		total--
	}
}

// widestColumn returns the index of the widest column that can be shortened, or -1.
func widestColumn(widths []int, specs []columns.ColumnSpec) int {
	widest := -1
	for i, w := range widths {
		canShorten := specs[i].Least > 0 && w > specs[i].Least
		if canShorten && (widest < 0 || w > widths[widest]) {
			widest = i
		}
	}
	return widest
}
