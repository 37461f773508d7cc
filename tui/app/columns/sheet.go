package columns

import (
	"cmp"
	"math"
	"strconv"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/format"
)

// ByteOrderMark at the beginning of a CSV file makes spreadsheets read the file as UTF-8.
const ByteOrderMark = "\uFEFF"

// SheetHeading returns the heading of the column in an exported spreadsheet: its title with the unit
// of its numbers. u is the unit of areas.
func (c *ColumnSpec) SheetHeading(u format.Unit) string {
	heading := cmp.Or(c.Title, c.TableHeading(), c.MachineName())
	switch c.Kind {
	case Area:
		return heading + " (" + u.Name + ")"
	case Bytes:
		return heading + " (bytes)"
	default:
		return heading
	}
}

// SheetCell returns the text of a cell in an exported spreadsheet, or "" if there is no value. Values
// have labels as in the app, numbers have no separators, and dates are in the user's time zone.
func (c *ColumnSpec) SheetCell(cell Cell, u format.Unit, now time.Time) string {
	switch {
	case cell.Text == format.None:
		return ""
	case c.Kind == Status && cell.Known:
		_, label, _ := strings.Cut(cell.Text, " ")
		return label
	case c.Kind == Words || !cell.Known || math.IsNaN(cell.Num) || math.IsInf(cell.Num, 0):
		return cell.Text
	case c.Kind == Area:
		return strconv.FormatFloat(math.Round(cell.Num/u.Per*1e4)/1e4, 'f', -1, 64)
	case c.Kind == Date:
		return c.sheetDate(cell, now)
	default:
		return c.RawCell(cell)
	}
}

// sheetDate formats a day, or a time in the user's time zone.
func (c *ColumnSpec) sheetDate(cell Cell, now time.Time) string {
	shown := c.ShownTime(cell, now)
	wire := api.TimeOf(cell.Time)
	var day api.DayOrTime
	switch cell.Day {
	case DayStart:
		day = wire.StartDay(shown.Location())
	case DayEnd:
		day = wire.EndDay(shown.Location())
	}
	if day.IsDay() {
		return shown.Format(time.DateOnly)
	}
	return cell.Time.In(shown.Location()).Format("2006-01-02 15:04")
}
