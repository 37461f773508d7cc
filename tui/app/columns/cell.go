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

// ColumnKind is the type of a column's values. It determines how they are formatted, compared, copied and exported.
type ColumnKind string

// Kinds of columns, with the fields of [Cell] that have the value.
const (
	Words  ColumnKind = ""       // Text
	Number ColumnKind = "number" // Num
	Area   ColumnKind = "area"   // Num in square metres; the column uses one unit
	Bytes  ColumnKind = "bytes"  // Num
	Money  ColumnKind = "money"  // Num, in the currency Code
	Date   ColumnKind = "date"   // Time, as a day
	Status ColumnKind = "status" // Text is glyph and label, Code the wire value; sorted by Num
)

// Cell is the content of a table cell. If Text is "", the text is formatted from the
// value according to the column's kind.
type Cell struct {
	Text  string         // text to show
	Role  format.Tone    // colour of the text
	Num   float64        // number, area, size or price; sort key of a status
	Time  time.Time      // value of a date column
	Zone  *time.Location // time zone of the mission's site, for users who prefer it; nil for other times
	Day   DayEdge        // set if the service sent a date without a time of day
	Code  string         // currency of a price, or the value of the service for the label in Text
	Known bool           // Num or Time is set
	Data  string         // value for copies and exports; "" to derive it from the other fields
}

// DayEdge is used for dates that the service sent without a time of day. It says whether the cell's time is the start
// or the end of that day. Such a date is not converted to other time zones.
type DayEdge int

// The edges of a day.
const (
	NoDay    DayEdge = iota // a time, shown in the user's time zone
	DayStart                // start of a period
	DayEnd                  // end of a period, such as a deadline
)

// ShownTime returns the time of a cell in the time zone that the column shows. If the service sent
// only a date, ShownTime returns noon of that day.
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

// NoCell returns the cell for a missing value.
func NoCell() Cell { return Cell{Text: format.None} }

// TextCell returns a cell with a text.
func TextCell(s string) Cell { return Cell{Text: s} }

// TextOr returns a cell with a text, or NoCell if the text is "".
func TextOr(s string) Cell {
	if s == "" {
		return NoCell()
	}
	return Cell{Text: s}
}

// TextAt returns a cell with the text to which s points, or NoCell if s is nil or the text is "".
func TextAt(s *string) Cell { return TextOr(format.ValueOf(s)) }

// WithTone returns the cell with a tone.
func (cell Cell) WithTone(tone format.Tone) Cell {
	cell.Role = tone
	return cell
}

// NumberCell returns a cell with a number. A column of the kind Bytes shows it as a size.
func NumberCell[T int | int64 | float64](v T) Cell { return Cell{Num: float64(v), Known: true} }

// NumOf returns a cell with the number to which v points, or NoCell if v is nil.
func NumOf[T int | int64 | float64](v *T) Cell {
	if v == nil {
		return NoCell()
	}
	return NumberCell(*v)
}

// AreaOf returns a cell with an area in m². Lines and points have the area 0, for which the cell
// shows no value. If the service sent an area that could not be read, the cell shows it unchanged;
// unread has the unread members of the mission or order.
func AreaOf(v *float64, unread api.ExtraMembers) Cell {
	if v != nil && *v == 0 {
		return Cell{Text: format.None, Data: "0"}
	}
	return orUnread(NumOf(v), unread, "areaSize")
}

// PriceCell returns a cell with a price. A price that could not be read is shown as the service sent
// it, with the note "(unreadable)".
func PriceCell(p api.Price, currency string) Cell {
	if p.IsUnread() {
		return Cell{Text: format.Clean(p.Raw) + " (unreadable)", Data: p.Raw}
	}
	if !p.Known || math.IsInf(p.Amount, 0) {
		return NoCell()
	}
	return Cell{Num: p.Amount, Code: currency, Known: true}
}

// DaysCell returns a cell with a number of days in words. If the service sent a text instead of a
// number, the cell shows that text.
func DaysCell(d api.Days) Cell {
	cell := TextOr(d.String())
	cell.Num = float64(d.Count)
	cell.Known = d.Known
	return cell
}

// DayCell returns a cell with the day of a time, or NoCell for the zero time.
func DayCell(t time.Time) Cell {
	if t.IsZero() {
		return NoCell()
	}
	return Cell{Time: t, Known: true}
}

// TimeCell returns a cell with a time. A text of the service that is not a time is shown unchanged.
func TimeCell(t api.Time) Cell {
	if t.IsZero() && t.Raw != "" {
		return TextCell(t.Raw)
	}
	cell := DayCell(t.Time)
	cell.Data = FormatMoment(t)
	return cell
}

// StartCell returns a cell with the start of a period. The column shows the date that the service sent, without
// converting it to the user's time zone.
func StartCell(t api.Time) Cell {
	cell := TimeCell(t)
	cell.Day = DayStart
	return cell
}

// EndCell returns a cell with the end of a period, such as a deadline. The column shows the date that the service sent,
// without converting it to the user's time zone.
func EndCell(t api.Time) Cell {
	cell := TimeCell(t)
	cell.Day = DayEnd
	return cell
}

// dateCell returns a cell with a date. A text of the service that is not a date is shown unchanged.
func dateCell(d api.Date) Cell {
	if d.IsZero() {
		return TextOr(d.Raw)
	}
	cell := DayCell(d.Time)
	cell.Day = DayStart
	cell.Data = d.String()
	return cell
}

// FormatMoment formats a time for exports: as a date if it has no time of day, otherwise in RFC 3339.
// A text of the service that is not a time is returned unchanged.
func FormatMoment(t api.Time) string {
	if t.IsZero() {
		return t.Raw
	}
	if t.DateOnly {
		return t.Text()
	}
	return t.Format(time.RFC3339)
}

// LabelCell returns a cell that shows a label for the value that the service sent.
func LabelCell(label, wire string) Cell { return Cell{Text: label, Code: wire} }

// labelOf returns a cell with the label for a value of the service, or NoCell if the value is "".
func labelOf[T ~string](value T) Cell {
	if value == "" {
		return NoCell()
	}
	return LabelCell(format.Word(value).Label, string(value))
}

// StateCell returns a cell with a status, its glyph and label. The cells of a column are sorted by rank.
func StateCell(st format.StatusLabel, rank int) Cell {
	return Cell{
		Text:  st.Glyph + " " + st.Label,
		Code:  st.Wire,
		Role:  st.Role,
		Num:   float64(rank),
		Known: true,
	}
}

// RowStamp returns a text that changes whenever the state or the time of a row changes.
func RowStamp(state string, at time.Time) string {
	return state + strconv.FormatInt(at.UnixMilli(), 36)
}

// WriteCell returns the text that a table shows for a cell.
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
		shown := c.ShownTime(cell, now)
		now = now.In(shown.Location())
		if c.Clock {
			return format.ShortMoment(shown, now)
		}
		return format.Day(shown, now)
	default:
		return cell.Text
	}
}

// CopyCell returns the text for copying a single cell, with the unit and the full time.
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

// RawCell returns the value of a cell for exports, or "" if there is no value.
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

// MemberCell returns a cell as a member of a JSON object, for instance "country":"DE".
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

// UnknownMembers returns the members of a JSON record that this program does not know or could not read, as
// pairs of name and value, sorted by name. A value is JSON, but a string has no quotes. Values whose name
// suggests a secret are masked. The value of a member that could not be read comes from [UnreadMember].
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

// sentText returns the JSON text of a member. If the member is a JSON string, it returns the string
// without quotes.
func sentText(member json.RawMessage) string {
	var text string
	if json.Unmarshal(member, &text) != nil {
		return string(member)
	}
	return text
}

// maxUnreadLength is the maximum width of the text that is shown for an unreadable member, in
// terminal cells. Without a limit, the points of a location could fill the screen.
const maxUnreadLength = 160

// UnreadMember returns the text that the service sent for a member that could not be read, followed
// by "(unreadable)". It returns "" if the member could be read or does not exist.
func UnreadMember(members api.ExtraMembers, name string) string {
	member, exists := members[name]
	if !exists || !api.IsUnread(name) {
		return ""
	}
	return format.CutLine(format.Clean(sentText(member)), maxUnreadLength) + " (unreadable)"
}

// orUnread returns cell, unless the named member could not be read. Then it returns a cell with the
// text that the service sent for the member.
func orUnread(cell Cell, members api.ExtraMembers, name string) Cell {
	text := UnreadMember(members, name)
	if text == "" {
		return cell
	}
	return Cell{Text: text, Data: sentText(members[name])}
}

// UnknownText returns the names and values of [UnknownMembers] as one line.
func UnknownText(members api.ExtraMembers) string {
	var parts []string
	for _, field := range UnknownMembers(members) {
		parts = append(parts, field[0]+" "+field[1])
	}
	return strings.Join(parts, "  ")
}
