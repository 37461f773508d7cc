package cli

import (
	"fmt"
	"io"
	"iter"
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

// IsTerminal reports whether a person sees what is written.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

// OrNone returns the text, or the sign for none.
func OrNone(s string) string {
	if s == "" {
		return format.None
	}
	return s
}

// IsQuiet reports whether nothing is drawn on a writer.
func IsQuiet(w io.Writer) bool { return !IsTerminal(w) || os.Getenv("TERM") == "dumb" }

// TextOf returns the text, "" for nil.
func TextOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// PriceOf writes the final price of a quote for people.
func PriceOf(q *api.Quote) string {
	if q.FinalPrice.IsUnread() {
		return format.Clean(q.FinalPrice.Raw) + " (not read)"
	}
	if !q.FinalPrice.Known {
		return "no price"
	}
	return format.Money(q.FinalPrice.Amount, q.Currency)
}

// PrintValue writes a value of the wire on one line. What a terminal would
// obey is escaped, also where JSON lets it pass.
func PrintValue(w io.Writer, v any) error {
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

// WriteFacts writes names and what they are, one a line and aligned. Those that
// say nothing are left out.
func WriteFacts(out io.Writer, th *theme.Theme, facts [][2]string) {
	width := 0
	for _, f := range facts {
		if f[1] != "" {
			width = max(width, format.Width(format.Clean(f[0])))
		}
	}
	for _, f := range facts {
		if f[1] != "" {
			label := format.FitLeft(format.Clean(f[0]), width) // also the name of a member of the service's own
			fmt.Fprintf(out, "%s  %s\n", StyleText(th, theme.Muted, label), format.Clean(f[1]))
		}
	}
}

// PointersTo returns the addresses of all values.
func PointersTo[T any](all []T) []*T {
	list := make([]*T, len(all))
	for i := range all {
		list[i] = &all[i]
	}
	return list
}

// TerminalWidth returns how many cells wide the terminal is, 0 for no terminal.
func TerminalWidth(w io.Writer) int {
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

// Names returns the values as texts.
func Names[T ~string](values []T) []string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(v)
	}
	return texts
}

// ShellTheme returns the look of what is printed: none where nobody would see it as
// it is meant.
func ShellTheme(w io.Writer) *theme.Theme {
	if IsQuiet(w) || os.Getenv("NO_COLOR") != "" {
		return nil
	}
	return theme.ShellTheme()
}

// StyleText writes a text in the look of a role, unchanged without a theme.
func StyleText(th *theme.Theme, role theme.Role, s string) string {
	if th == nil {
		return s
	}
	return th.PaintRole(role, s)
}

// Rows are the rows of a list as they come, with an error at the end where they
// break off.
type Rows[T any] = iter.Seq2[*T, error]

// RowsOf returns the rows of a list that are asked for: those that are wanted, up
// to the limit.
func RowsOf[T any](all Rows[T], limit int, wanted func(*T) bool) Rows[T] {
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

// OneRow returns a list of one row.
func OneRow[T any](row *T, err error) Rows[T] {
	return func(yield func(*T, error) bool) { yield(row, err) }
}

// ListRows returns rows that are there.
func ListRows[T any](all []T) Rows[T] {
	return func(yield func(*T, error) bool) {
		for i := range all {
			if !yield(&all[i], nil) {
				return
			}
		}
	}
}

// OrderFacts returns what an order is, for people.
func OrderFacts(o *api.Order, units format.Units) [][2]string {
	return columns.RowFacts(columns.InUnits(columns.Orders(nil), units), o, time.Time{})
}
