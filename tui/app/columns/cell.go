package columns

import (
	"math"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
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
	Status             // Text is glyph and label, Code the wire value; Num orders them
)

// Cell is the text of a cell and what it means. Where there is no text, the
// column's kind writes it from the value.
type Cell struct {
	Text  string
	Role  labels.Tone
	Num   float64
	Time  time.Time
	Zone  *time.Location // whose day Time is shown as, nil for the clock's own
	Code  string         // the currency, or the wire value behind a label
	Known bool           // there is a value, Num or Time, behind the text
	Data  string         // what programs of a shell read, where the kind does not say it
}

// None is a cell without a value.
func None() Cell { return Cell{Text: format.None} }

// Text is a cell of words.
func Text(s string) Cell { return Cell{Text: s} }

// TextOr is a cell of words, none where there are no words.
func TextOr(s string) Cell {
	if s == "" {
		return None()
	}
	return Cell{Text: s}
}

// TextAt is the text at s, none where there is none.
func TextAt(s *string) Cell {
	if s == nil {
		return None()
	}
	return TextOr(*s)
}

// In is the cell in a tone.
func (cell Cell) In(tone labels.Tone) Cell {
	cell.Role = tone
	return cell
}

// Num is a number, or a size in bytes.
func Num[T int | int64 | float64](v T) Cell { return Cell{Num: float64(v), Known: true} }

// NumOf is the number at v, or none.
func NumOf[T int | int64 | float64](v *T) Cell {
	if v == nil {
		return None()
	}
	return Num(*v)
}

// AreaOf is the area at v, none where it is 0: lines and points have none. One
// that could not be read is among the other members, as it was sent.
func AreaOf(v *float64, members api.Extra) Cell {
	if v != nil && *v == 0 {
		return Cell{Text: format.None, Data: "0"}
	}
	return orUnread(NumOf(v), members, "areaSize")
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

// At is a time of the wire, or the text that was sent in place of one.
func At(t api.Time) Cell {
	if t.IsZero() && t.Raw != "" {
		return Text(t.Raw)
	}
	cell := Day(t.Time)
	cell.Data = Moment(t)
	return cell
}

// Moment writes a time of the wire for programs, or what was sent in its place.
func Moment(t api.Time) string {
	if t.IsZero() {
		return t.Raw
	}
	return t.Format(time.RFC3339)
}

// clock is now in the zone that the cell is shown in.
func (cell *Cell) clock(now time.Time) time.Time {
	if cell.Zone == nil {
		return now
	}
	return now.In(cell.Zone)
}

// Label is a value of the service that is shown as its label.
func Label(label, wire string) Cell { return Cell{Text: label, Code: wire} }

// labelOf is a value of the service as its label, none where none was sent.
func labelOf[T ~string](value T, word func(T) labels.Word) Cell {
	if value == "" {
		return None()
	}
	return Label(word(value).Label, string(value))
}

// State is a status: glyph and label in a tone, with its place in the order of
// states.
func State(st labels.Status, rank int) Cell {
	return Cell{Text: st.Glyph + " " + st.Label, Code: st.Wire, Role: st.Role, Num: float64(rank), Known: true}
}

// plainState is a status as its label alone, in its tone.
func plainState(st labels.Status) Cell { return Label(st.Label, st.Wire).In(st.Role) }

// Stamp is the stamp of a row that changes with its state or the time of its
// last change.
func Stamp(state string, at time.Time) string { return state + strconv.FormatInt(at.UnixMilli(), 36) }

// Write writes the text of a cell in its column.
func (c *Spec) Write(cell Cell, u format.Unit, now time.Time) string {
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

// Copied writes a cell that is copied alone: in full, with its unit, a time
// with the clock and the zone.
func (c *Spec) Copied(cell Cell, u format.Unit, now time.Time) string {
	switch {
	case c.Kind == Words && cell.Code != "":
		return layout.Clean(cell.Code)
	case !cell.Known:
		return layout.Clean(cell.Text)
	case c.Kind == Area:
		return c.Write(cell, u, now) + " " + u.Name
	case c.Kind == Date:
		return cell.Time.In(cell.clock(now).Location()).Format("2006-01-02 15:04:05 -07:00")
	case c.Kind == Status:
		return layout.Clean(cell.Code)
	default:
		return layout.Clean(c.Write(cell, u, now))
	}
}

// Raw writes a cell's value for programs; "" is none.
func (c *Spec) Raw(cell Cell) string {
	switch {
	case c.Kind == Words && cell.Code != "":
		return cell.Code
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
		return c.rawArea(cell.Num)
	default:
		return strconv.FormatFloat(cell.Num, 'f', -1, 64)
	}
}

// rawArea writes square metres in the unit that was chosen, to a square metre
// or better.
func (c *Spec) rawArea(m2 float64) string {
	per, name := c.outUnit()
	if name == "" {
		return strconv.FormatFloat(m2, 'f', -1, 64)
	}
	return strconv.FormatFloat(m2/per, 'f', 6, 64)
}

// Member writes a cell as a member of a JSON object.
func (c *Spec) Member(cell Cell) string {
	raw := c.Raw(cell)
	switch {
	case c.Kind == Words && cell.Text == "":
		raw = `""`
	case raw == "":
		raw = "null"
	case c.Kind == Words || c.Kind == Status || c.Kind == Date:
		raw = quote(raw)
	case c.Kind == Money:
		raw = `{"amount":` + raw + `,"currency":` + quote(cell.Code) + "}"
	}
	return quote(c.OutName()) + ":" + raw
}

func quote(s string) string {
	text, _ := jsontext.AppendQuote(nil, s) // invalid UTF-8 is replaced
	return string(text)
}
