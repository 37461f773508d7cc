package columns

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"flightdesk/tui/format"
)

// InShell writes a cell for people in a shell's table, where every value has
// its unit; "" is none.
func (c *ColumnSpec) InShell(cell Cell, now time.Time) string {
	switch {
	case c.Kind == Status && cell.Known: // a shell has no need of glyphs
		_, label, _ := strings.Cut(cell.Text, " ")
		return label
	case cell.Text == format.None:
		return ""
	case cell.Text != "" || !cell.Known:
		return cell.Text
	case c.Kind == Area:
		return format.Area(cell.Num)
	case c.Kind == Date && c.Ago:
		return format.Age(cell.Time, now)
	case c.Kind == Date:
		return format.Day(cell.Time, now)
	case c.Kind == Number:
		return strconv.FormatFloat(cell.Num, 'f', -1, 64)
	default:
		return c.WriteCell(cell, format.Unit{}, now)
	}
}

// ForPrograms writes a cell for programs that a shell runs: as the service has
// sent it, in square metres and bytes; "" is none.
func (c *ColumnSpec) ForPrograms(cell Cell) string {
	switch {
	case cell.Data != "":
		return cell.Data
	case c.Kind == Words:
		return c.RawCell(cell)
	case c.Kind == Area && cell.Known:
		return strconv.FormatFloat(cell.Num, 'f', -1, 64)
	case !cell.Known && cell.Text != format.None:
		return cell.Text
	default:
		return c.RawCell(cell)
	}
}

// TableHeading returns the title over the column in a shell's table.
func (c *ColumnSpec) TableHeading() string { return cmp.Or(c.Full, c.Title) }

// RowFacts returns what columns say of a row, each behind its heading.
func RowFacts[T any](all []Column[T], row *T, now time.Time) [][2]string {
	facts := make([][2]string, len(all))
	for i := range all {
		facts[i] = [2]string{all[i].TableHeading(), all[i].InShell(all[i].Value(row), now)}
	}
	return facts
}
