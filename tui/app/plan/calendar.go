package plan

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
)

const stamp = "20060102T150405Z"

// WriteCalendar writes events in the format of RFC 5545: flights with an hour each,
// deadlines as days, expiries and deliveries as moments. An event has the same identity in
// every file, so a calendar takes a newer file as a change.
func WriteCalendar(to io.Writer, events []Event, now time.Time, host string, units format.Units) error {
	var c calendarText
	c.writeLine(
		"BEGIN:VCALENDAR",
		"VERSION:2.0",
		"PRODID:-//flightdesk//EN",
		"CALSCALE:GREGORIAN",
		"METHOD:PUBLISH",
	)
	for i := range events {
		e := &events[i]
		c.writeLine(
			"BEGIN:VEVENT",
			"UID:"+escapeText(e.ID()+"@"+host),
			"DTSTAMP:"+now.UTC().Format(stamp),
		)
		c.writeLine(e.timeLines()...)
		if e.Kind == Flight {
			c.writeLine(e.flightLines(now, units)...)
		}
		c.writeLine("SUMMARY:"+escapeText(e.summary()), "END:VEVENT")
	}
	c.writeLine("END:VCALENDAR")
	_, err := io.WriteString(to, c.String())
	return err
}

// timeLines returns when the event is. A deadline does not make its day busy.
func (e *Event) timeLines() []string {
	switch e.Kind {
	case Deadline:
		return []string{
			"DTSTART;VALUE=DATE:" + e.Day.Format("20060102"),
			"DTEND;VALUE=DATE:" + e.Day.AddDate(0, 0, 1).Format("20060102"),
			"TRANSP:TRANSPARENT",
		}
	case Flight:
		at := e.At.UTC()
		return []string{"DTSTART:" + at.Format(stamp), "DTEND:" + at.Add(time.Hour).Format(stamp)}
	default:
		return []string{"DTSTART:" + e.At.UTC().Format(stamp), "TRANSP:TRANSPARENT"}
	}
}

// summary returns the title of the event in a calendar.
func (e *Event) summary() string {
	switch e.Kind {
	case Flight:
		return "Flight: " + e.Name()
	case Expiry:
		return "Quote expires: " + e.Name() + ", " + e.Order.OrderCode + " " + e.Order.OrderName
	case Delivery:
		return "Data delivered: " + e.Name()
	default:
		return "Due: " + e.Order.OrderCode + " " + e.Order.OrderName
	}
}

// flightLines returns the mission, its place and its position.
func (e *Event) flightLines(now time.Time, units format.Units) []string {
	m := e.Mission
	about := []string{
		m.MissionCode + " of " + m.Order.OrderCode + " " + m.Order.OrderName,
		"Status: " + format.Status(m.Status).Label,
	}
	if by := format.ValueOf(m.OperatorName); by != "" {
		about = append(about, "Operator: "+by)
	}
	if units.Times == format.SiteClock {
		about = append(about, "At the site: "+units.MomentAt(m.FlightDate.Time, now, m.SiteZone()))
	}
	lines := []string{"DESCRIPTION:" + escapeText(strings.Join(about, "\n"))}
	if m.Status == api.MissionCancelled {
		lines = append(lines, "STATUS:CANCELLED")
	}
	if where := columns.PlaceOf(&m.Mission); where != "" {
		lines = append(lines, "LOCATION:"+escapeText(where))
	}
	if m.Centre != nil {
		lines = append(lines, fmt.Sprintf("GEO:%.6f;%.6f", m.Centre.Lat, m.Centre.Lng))
	}
	return lines
}

var escapes = strings.NewReplacer("\\", `\\`, ";", `\;`, ",", `\,`, "\n", `\n`)

// escapeText makes text fit for a value: what means something in the format is
// escaped, and characters that control, or that reorder their neighbours, are
// left out.
func escapeText(s string) string {
	return escapes.Replace(strings.Map(func(r rune) rune {
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "�")))
}

// calendarText is lines, folded to 75 bytes and ended as the format wants.
type calendarText struct{ strings.Builder }

func (c *calendarText) writeLine(lines ...string) {
	for _, l := range lines {
		for room := 75; len(l) > room; room = 74 {
			cut := room
			for !utf8.RuneStart(l[cut]) {
				cut--
			}
			c.WriteString(l[:cut] + "\r\n ")
			l = l[cut:]
		}
		c.WriteString(l + "\r\n")
	}
}
