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

// stamp is the layout of times in a calendar file.
const stamp = "20060102T150405Z"

// WriteCalendar writes events as a calendar file (RFC 5545). A flight takes one hour, a deadline a
// whole day, and other events have no duration. An event has the same UID in every file, so
// importing a newer file updates the events of a calendar.
func WriteCalendar(to io.Writer, events []Event, now time.Time, host string, units format.Units) error {
	var c calendarText
	c.writeLines(
		"BEGIN:VCALENDAR",
		"VERSION:2.0",
		"PRODID:-//flightdesk//EN",
		"CALSCALE:GREGORIAN",
		"METHOD:PUBLISH",
	)
	for i := range events {
		e := &events[i]
		c.writeLines(
			"BEGIN:VEVENT",
			"UID:"+escapeText(e.ID()+"@"+host),
			"DTSTAMP:"+now.UTC().Format(stamp),
		)
		c.writeLines(e.timeLines()...)
		if e.Kind == Flight {
			c.writeLines(e.flightLines(now, units)...)
		}
		c.writeLines("SUMMARY:"+escapeText(e.summary()), "END:VEVENT")
	}
	c.writeLines("END:VCALENDAR")
	_, err := io.WriteString(to, c.String())
	return err
}

// timeLines returns the lines of a calendar file with the start and the end of the event. In the calendar,
// only flights mark the user as busy.
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

// summary returns the title of the event in the calendar, such as "Flight: Stade north".
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

// flightLines returns the lines with the description, the place and the position of a flight.
func (e *Event) flightLines(now time.Time, units format.Units) []string {
	m := e.Mission
	about := []string{
		m.MissionCode + " of " + m.Order.OrderCode + " " + m.Order.OrderName,
		"Status: " + e.Status.Label,
	}
	if operator := format.ValueOf(m.OperatorName); operator != "" {
		about = append(about, "Operator: "+operator)
	}
	if units.Times == format.SiteClock {
		about = append(about, "At the site: "+units.MomentAt(m.FlightDate.Time, now, m.SiteZone()))
	}
	lines := []string{"DESCRIPTION:" + escapeText(strings.Join(about, "\n"))}
	if m.Status == api.MissionCancelled {
		lines = append(lines, "STATUS:CANCELLED")
	}
	if place := columns.PlaceOf(&m.Mission); place != "" {
		lines = append(lines, "LOCATION:"+escapeText(place))
	}
	if m.Centre != nil {
		lines = append(lines, fmt.Sprintf("GEO:%.6f;%.6f", m.Centre.Lat, m.Centre.Lng))
	}
	return lines
}

var escapes = strings.NewReplacer("\\", `\\`, ";", `\;`, ",", `\,`, "\n", `\n`)

// escapeText returns text as a value of a calendar file: it escapes separators and line breaks, and
// removes control characters and characters that change the direction of the text.
func escapeText(s string) string {
	clean := strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "�"))
	return escapes.Replace(clean)
}

// calendarText is the text of a calendar file. Its lines end with CRLF, and lines of more than 75
// bytes continue on the next line after a space.
type calendarText struct{ strings.Builder }

// writeLines writes each line, folded if it is too long.
func (c *calendarText) writeLines(lines ...string) {
	for _, line := range lines {
		room := 75
		for len(line) > room {
			cut := room
			for !utf8.RuneStart(line[cut]) {
				cut--
			}
			c.WriteString(line[:cut] + "\r\n ")
			line = line[cut:]
			room = 74 // after the space
		}
		c.WriteString(line + "\r\n")
	}
}
