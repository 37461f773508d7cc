package columns

import (
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api"
	"flightdesk/tui/format"
)

// ColumnKind is what the cells of a column are: it says how they are written,
// compared, copied and exported.
type ColumnKind string

// The kinds.
const (
	Words  ColumnKind = ""       // Text
	Number ColumnKind = "number" // Num
	Area   ColumnKind = "area"   // Num in square metres; the column keeps one unit
	Bytes  ColumnKind = "bytes"  // Num
	Money  ColumnKind = "money"  // Num, in the currency Code
	Date   ColumnKind = "date"   // Time, as a day
	Status ColumnKind = "status" // Text is glyph and label, Code the wire value; Num orders them
)

// Cell is the text of a cell and what it means. Where there is no text, the
// column's kind writes it from the value.
type Cell struct {
	Text  string
	Role  format.Tone
	Num   float64
	Time  time.Time
	Zone  *time.Location // of the site, whose clock may be chosen for Time; nil for none
	Day   DayEdge        // what Time is of a day that is the same in every zone
	Code  string         // the currency, or the wire value behind a label
	Known bool           // there is a value, Num or Time, behind the text
	Data  string         // what programs of a shell read, where the kind does not say it
}

// DayEdge is what a time is of a day that was sent.
type DayEdge int

// The edges. A day is shown as it was sent, whatever the reader's time zone.
const (
	NoDay    DayEdge = iota // a time, shown on the day that it is on in the reader's zone
	DayStart                // the start of a period
	DayEnd                  // the end of a period, as a deadline
)

// ShownTime returns a time of the zone in which a cell is read, with the day that is shown:
// noon of a day, or the cell's time.
func (c *ColumnSpec) ShownTime(cell Cell, now time.Time) time.Time {
	zone := c.Units.ClockAt(now, cell.Zone).Location()
	wire := api.TimeOf(cell.Time)
	switch cell.Day {
	case DayStart:
		return wire.StartDay(zone).NoonIn(zone)
	case DayEnd:
		return wire.EndDay(zone).NoonIn(zone)
	default:
		return cell.Time.In(zone)
	}
}

// NoCell returns a cell without a value.
func NoCell() Cell { return Cell{Text: format.None} }

// TextCell returns a cell of words.
func TextCell(s string) Cell { return Cell{Text: s} }

// TextOr returns a cell of words, none where there are no words.
func TextOr(s string) Cell {
	if s == "" {
		return NoCell()
	}
	return Cell{Text: s}
}

// TextAt returns the text at s, none where there is none.
func TextAt(s *string) Cell { return TextOr(format.ValueOf(s)) }

// WithTone returns the cell in a tone.
func (cell Cell) WithTone(tone format.Tone) Cell {
	cell.Role = tone
	return cell
}

// NumberCell returns a number, or a size in bytes.
func NumberCell[T int | int64 | float64](v T) Cell { return Cell{Num: float64(v), Known: true} }

// NumOf returns the number at v, or none.
func NumOf[T int | int64 | float64](v *T) Cell {
	if v == nil {
		return NoCell()
	}
	return NumberCell(*v)
}

// AreaOf returns the area at v, none where it is 0: lines and points have none. One
// that could not be read is among the other members, as it was sent.
func AreaOf(v *float64, members api.ExtraMembers) Cell {
	if v != nil && *v == 0 {
		return Cell{Text: format.None, Data: "0"}
	}
	return orUnread(NumOf(v), members, "areaSize")
}

// PriceCell returns a price, marked as it was sent where it could not be read.
func PriceCell(p api.Price, currency string) Cell {
	if p.IsUnread() {
		return Cell{Text: format.Clean(p.Raw) + " (unreadable)", Data: p.Raw}
	}
	if !p.Known || math.IsInf(p.Amount, 0) {
		return NoCell()
	}
	return Cell{Num: p.Amount, Code: currency, Known: true}
}

// DaysCell returns a number of days in words, or the text that was sent in place of one.
func DaysCell(d api.Days) Cell {
	cell := TextOr(d.String())
	cell.Num = float64(d.Count)
	cell.Known = d.Known
	return cell
}

// DayCell returns a time that is shown as its day. The zero time is none.
func DayCell(t time.Time) Cell {
	if t.IsZero() {
		return NoCell()
	}
	return Cell{Time: t, Known: true}
}

// TimeCell returns a time of the wire, or the text that was sent in place of one.
func TimeCell(t api.Time) Cell {
	if t.IsZero() && t.Raw != "" {
		return TextCell(t.Raw)
	}
	cell := DayCell(t.Time)
	cell.Data = FormatMoment(t)
	return cell
}

// StartCell returns the start of a period, shown as the day that was sent.
func StartCell(t api.Time) Cell {
	cell := TimeCell(t)
	cell.Day = DayStart
	return cell
}

// EndCell returns the end of a period, as a deadline, shown as the day that was sent.
func EndCell(t api.Time) Cell {
	cell := TimeCell(t)
	cell.Day = DayEnd
	return cell
}

// dateCell returns a day of the wire, or the text that was sent in place of one.
func dateCell(d api.Date) Cell {
	if d.IsZero() {
		return TextOr(d.Raw)
	}
	cell := DayCell(d.Time)
	cell.Day = DayStart
	cell.Data = d.String()
	return cell
}

// FormatMoment writes a time of the wire for programs, or what was sent in its place.
func FormatMoment(t api.Time) string {
	if t.IsZero() {
		return t.Raw
	}
	if t.DateOnly {
		return t.Text()
	}
	return t.Format(time.RFC3339)
}

// LabelCell returns a value of the service that is shown as its label.
func LabelCell(label, wire string) Cell { return Cell{Text: label, Code: wire} }

// labelOf returns a value of the service as its label, none where none was sent.
func labelOf[T ~string](value T) Cell {
	if value == "" {
		return NoCell()
	}
	return LabelCell(format.Word(value).Label, string(value))
}

// StateCell returns a status: glyph and label in a tone, with its place in the order of
// states.
func StateCell(st format.StatusLabel, rank int) Cell {
	return Cell{
		Text:  st.Glyph + " " + st.Label,
		Code:  st.Wire,
		Role:  st.Role,
		Num:   float64(rank),
		Known: true,
	}
}

// RowStamp returns the stamp of a row that changes with its state or the time of its
// last change.
func RowStamp(state string, at time.Time) string {
	return state + strconv.FormatInt(at.UnixMilli(), 36)
}

// WriteCell writes the text of a cell in its column.
func (c *ColumnSpec) WriteCell(cell Cell, u format.Unit, now time.Time) string {
	if cell.Text != "" || !cell.Known {
		return cell.Text
	}
	switch c.Kind {
	case Number:
		return format.GroupDigits(cell.Num, 0)
	case Area:
		return format.GroupDigits(cell.Num/u.Per, u.Decimals)
	case Bytes:
		return format.Bytes(int64(cell.Num))
	case Money:
		return format.Money(cell.Num, cell.Code)
	case Date:
		at := c.ShownTime(cell, now)
		now = now.In(at.Location())
		if c.Clock {
			return format.ShortMoment(at, now)
		}
		return format.Day(at, now)
	default:
		return cell.Text
	}
}

// CopyCell writes a cell that is copied alone: in full, with its unit, a time
// with the clock and the zone.
func (c *ColumnSpec) CopyCell(cell Cell, u format.Unit, now time.Time) string {
	switch {
	case c.Kind == Words && cell.Code != "":
		return format.Clean(cell.Code)
	case !cell.Known:
		return format.Clean(cell.Text)
	case c.Kind == Area:
		return c.WriteCell(cell, u, now) + " " + u.Name
	case c.Kind == Date && cell.Day != NoDay:
		return cell.Data
	case c.Kind == Date:
		return cell.Time.In(c.Units.ClockAt(now, cell.Zone).Location()).Format("2006-01-02 15:04:05 -07:00")
	case c.Kind == Status:
		return format.Clean(cell.Code)
	default:
		return format.Clean(c.WriteCell(cell, u, now))
	}
}

// RawCell writes a cell's value for programs; "" is none.
func (c *ColumnSpec) RawCell(cell Cell) string {
	switch {
	case c.Kind == Words && cmp.Or(cell.Code, cell.Text) == format.None:
		return ""
	case c.Kind == Words:
		return cmp.Or(cell.Code, cell.Text)
	case !cell.Known || math.IsNaN(cell.Num) || math.IsInf(cell.Num, 0):
		return ""
	case c.Kind == Status:
		return cell.Code
	case c.Kind == Date && cell.Day != NoDay:
		return cell.Data
	case c.Kind == Date:
		return c.Units.ClockAt(cell.Time, cell.Zone).Format(time.RFC3339)
	case c.Kind == Money:
		return strconv.FormatFloat(cell.Num, 'f', format.Decimals(cell.Code), 64)
	default:
		per, _ := c.outUnit()
		return strconv.FormatFloat(cell.Num/per, 'f', -1, 64)
	}
}

// MemberCell writes a cell as a member of a JSON object.
func (c *ColumnSpec) MemberCell(cell Cell) string {
	raw := c.RawCell(cell)
	switch {
	case c.Kind == Words && cell.Text == "":
		raw = `""`
	case raw == "":
		raw = "null"
	case c.Kind == Words || c.Kind == Status || c.Kind == Date:
		raw = quoteText(raw)
	case c.Kind == Money:
		raw = `{"amount":` + raw + `,"currency":` + quoteText(cell.Code) + "}"
	}
	return quoteText(c.OutName()) + ":" + raw
}

func quoteText(s string) string {
	text, _ := jsontext.AppendQuote(nil, s) // invalid UTF-8 is replaced
	return string(text)
}

// UnknownMembers returns the members of a record that this program does not know, by
// name: each as the service sent it, a text without its quotes and what a name says is
// secret masked. Those that it knows and could not read are marked.
func UnknownMembers(members api.ExtraMembers) [][2]string {
	var all [][2]string
	for _, name := range slices.Sorted(maps.Keys(members)) {
		text := UnreadMember(members, name)
		if text == "" {
			head := quoteText(name) + ":"
			member := strings.TrimPrefix(api.Mask(head+string(members[name])), head)
			text = sentText(json.RawMessage(member))
		}
		all = append(all, [2]string{"+ " + name, text})
	}
	return all
}

// sentText returns a member as it was sent, a text without its quotes.
func sentText(member json.RawMessage) string {
	var text string
	if json.Unmarshal(member, &text) != nil {
		return string(member)
	}
	return text
}

// mostUnread is how many cells of a member that could not be read are shown: a
// place may have thousands of points.
const mostUnread = 160

// UnreadMember returns a member that could not be read, as it was sent and marked; "" where
// there is none.
func UnreadMember(members api.ExtraMembers, name string) string {
	member, is := members[name]
	if !is || !api.IsUnread(name) {
		return ""
	}
	return format.CutLine(format.Clean(sentText(member)), mostUnread) + " (unreadable)"
}

// orUnread returns a cell, in whose place a member stands that could not be read.
func orUnread(cell Cell, members api.ExtraMembers, name string) Cell {
	if text := UnreadMember(members, name); text != "" {
		return Cell{Text: text, Data: sentText(members[name])}
	}
	return cell
}

// UnknownText returns [Unknown] in one line.
func UnknownText(members api.ExtraMembers) string {
	var parts []string
	for _, field := range UnknownMembers(members) {
		parts = append(parts, field[0]+" "+field[1])
	}
	return strings.Join(parts, "  ")
}
