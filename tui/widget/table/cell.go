package table

import (
	"math"
	"strconv"
	"time"

	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
)

// Kind is what the cells of a column are: it says how they are written,
// compared, copied and exported.
type Kind int

// The kinds.
const (
	Words  Kind = iota // Text
	Number             // Num, with the column's Decimals
	Area               // Num in square metres; the column keeps one unit
	Bytes              // Num
	Money              // Num, in the currency Code
	Date               // Time, as a day
	Status             // Text is glyph and word, Code the word alone; Num orders them
)

// numeric tells whether cells are compared by Num.
func (k Kind) numeric() bool { return k != Words && k != Date }

// Cell is the text of a cell and what it means. A sheet writes the text from
// the value by the column's kind where there is none.
type Cell struct {
	Text  string
	Role  theme.Role
	Num   float64
	Time  time.Time
	Zone  *time.Location // whose day Time is shown as, nil for the clock's own
	Code  string
	Known bool // there is a value, Num or Time, behind the text
}

// None is a cell without a value.
func None() Cell { return Cell{Text: format.None} }

// Num is a number, or a size in bytes.
func Num[T int | int64 | float64](v T) Cell { return Cell{Num: float64(v), Known: true} }

// NumOf is the number at v, or none.
func NumOf[T int | int64 | float64](v *T) Cell {
	if v == nil {
		return None()
	}
	return Num(*v)
}

// Amount is an amount of money; without a currency that is said.
func Amount(v float64, currency string) Cell { return Cell{Num: v, Code: currency, Known: true} }

// Day is a time that is shown as its day. The zero time is none.
func Day(t time.Time) Cell {
	if t.IsZero() {
		return None()
	}
	return Cell{Time: t, Known: true}
}

// DayIn is a time that is shown as its day in a time zone, nil for that of the
// clock.
func DayIn(t time.Time, zone *time.Location) Cell {
	cell := Day(t)
	cell.Zone = zone
	return cell
}

// clock is now in the zone that the cell is shown in.
func (cell *Cell) clock(now time.Time) time.Time {
	if cell.Zone == nil {
		return now
	}
	return now.In(cell.Zone)
}

// State is a status: glyph and word in a role, with its place in the order of
// states.
func State(glyph, word string, role theme.Role, rank int) Cell {
	return Cell{Text: glyph + " " + word, Code: word, Role: role, Num: float64(rank), Known: true}
}

// Stamp is the stamp of a row that changes with its state or the time of its
// last change.
func Stamp(state string, at time.Time) string { return state + strconv.FormatInt(at.UnixMilli(), 36) }

// write is the text of a cell in its column.
func (c *Column) write(cell Cell, u format.Unit, now time.Time) string {
	if cell.Text != "" || !cell.Known {
		return cell.Text
	}
	switch c.Kind {
	case Number:
		return format.Group(cell.Num, c.Decimals)
	case Area:
		return format.Group(cell.Num/u.Per, u.Decimals)
	case Bytes:
		return format.Bytes(int64(cell.Num))
	case Money:
		return format.Money(cell.Num, cell.Code)
	case Date:
		return format.ShortDay(cell.Time, cell.clock(now))
	default:
		return cell.Text
	}
}

// copied is a cell as it is copied alone: whole, with its unit, a time with
// the clock and the zone.
func (c *Column) copied(cell Cell, u format.Unit, now time.Time) string {
	switch {
	case !cell.Known:
		return layout.Clean(cell.Text)
	case c.Kind == Area:
		return c.write(cell, u, now) + " " + u.Name
	case c.Kind == Date:
		return cell.Time.In(cell.clock(now).Location()).Format("2006-01-02 15:04:05 -07:00")
	case c.Kind == Status:
		return layout.Clean(cell.Code)
	default:
		return layout.Clean(c.write(cell, u, now))
	}
}

// raw is a cell's value as programs read it; "" is none.
func (c *Column) raw(cell Cell) string {
	switch {
	case c.Kind == Words:
		if cell.Text == format.None {
			return ""
		}
		return cell.Text
	case !cell.Known || math.IsNaN(cell.Num) || math.IsInf(cell.Num, 0):
		return ""
	case c.Kind == Status:
		return cell.Code
	case c.Kind == Date:
		return cell.Time.In(cell.clock(cell.Time).Location()).Format(time.RFC3339)
	case c.Kind == Money:
		return strconv.FormatFloat(cell.Num, 'f', format.Decimals(cell.Code), 64)
	case c.Kind == Area:
		return area(c, cell.Num)
	default:
		return strconv.FormatFloat(cell.Num, 'f', -1, 64)
	}
}

// area is as many square metres in the unit that was chosen, to a square metre
// or better.
func area(c *Column, m2 float64) string {
	per, name := c.outUnit()
	if name == "" {
		return strconv.FormatFloat(m2, 'f', -1, 64)
	}
	return strconv.FormatFloat(m2/per, 'f', 6, 64)
}
