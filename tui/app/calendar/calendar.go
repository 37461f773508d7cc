// Package calendar writes flights and deadlines as an iCalendar file (RFC 5545).
package calendar

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
)

// Count returns the number of flights and deadlines that [Write] writes.
func Count(missions []*cache.Mission) (flights, deadlines int) {
	seen := map[string]bool{}
	for _, m := range missions {
		if !m.FlightDate.IsZero() {
			flights++
		}
		if !m.Deadline().IsZero() && !seen[m.Order.UUID] {
			seen[m.Order.UUID] = true
			deadlines++
		}
	}
	return flights, deadlines
}

// OfOrders returns the missions of orders, as [Write] takes them.
func OfOrders(orders []api.Order) []*cache.Mission {
	var missions []*cache.Mission
	for i := range orders {
		for j := range orders[i].Missions {
			missions = append(missions, cache.MissionOf(&orders[i].Missions[j], &orders[i]))
		}
	}
	return missions
}

const stamp = "20060102T150405Z"

// Write writes the flights of missions, an hour each, and the deadlines
// of their orders, each a day, as RFC 5545 has it. The same event has the same
// identity in every file, so that a calendar takes a newer file as a change.
func Write(to io.Writer, missions []*cache.Mission, now time.Time, host string) error {
	c := calendar{to: to}
	c.line("BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//flightdesk//EN", "CALSCALE:GREGORIAN", "METHOD:PUBLISH")
	made := "DTSTAMP:" + now.UTC().Format(stamp)
	seen := map[string]bool{}
	for _, m := range missions {
		if !m.FlightDate.IsZero() {
			at := m.FlightDate.UTC()
			c.line("BEGIN:VEVENT", "UID:flight-"+escape(m.UUID)+"@"+escape(host), made,
				"DTSTART:"+at.Format(stamp), "DTEND:"+at.Add(time.Hour).Format(stamp),
				"SUMMARY:"+escape("Flight: "+m.MissionName), "DESCRIPTION:"+escape(about(m, now)))
			if where := strings.Trim(m.LocationLabel+", "+m.Country, ", "); where != "" {
				c.line("LOCATION:" + escape(where))
			}
			if m.Placed {
				c.line(fmt.Sprintf("GEO:%.6f;%.6f", m.Centre.Lat, m.Centre.Lng))
			}
			c.line("END:VEVENT")
		}
		due := m.Deadline()
		if due.IsZero() || seen[m.Order.UUID] {
			continue
		}
		seen[m.Order.UUID] = true
		day := due.In(now.Location())
		c.line("BEGIN:VEVENT", "UID:deadline-"+escape(m.Order.UUID)+"@"+escape(host), made,
			"DTSTART;VALUE=DATE:"+day.Format("20060102"), "DTEND;VALUE=DATE:"+day.AddDate(0, 0, 1).Format("20060102"),
			"SUMMARY:"+escape("Due: "+m.Order.OrderCode+" "+m.Order.OrderName), "TRANSP:TRANSPARENT", "END:VEVENT")
	}
	c.line("END:VCALENDAR")
	return c.err
}

// about tells a calendar's reader what a mission is.
func about(m *cache.Mission, now time.Time) string {
	lines := []string{m.MissionCode + " of " + m.Order.OrderCode + " " + m.Order.OrderName, "Status: " + labels.MissionStatus(m.Status).Label}
	if by := m.OperatorName; by != nil && *by != "" {
		lines = append(lines, "Operator: "+*by)
	}
	if zone := m.Zone(); zone != nil {
		lines = append(lines, "At the site: "+format.MomentAt(m.FlightDate.Time, now, zone))
	}
	return strings.Join(lines, "\n")
}

// escape makes text fit for a value: what means something in the format is
// escaped, and characters that control, or that reorder their neighbours, are
// left out.
func escape(s string) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(s, "�") {
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\\' || r == ';' || r == ',':
			b.WriteRune('\\')
			b.WriteRune(r)
		case !unicode.IsControl(r) && !unicode.Is(unicode.Bidi_Control, r):
			b.WriteRune(r)
		}
	}
	return b.String()
}

// calendar writes lines, folded to 75 bytes and ended as the format wants.
type calendar struct {
	to  io.Writer
	err error
}

func (c *calendar) line(lines ...string) {
	for _, l := range lines {
		for room := 75; len(l) > room; room = 74 {
			cut := room
			for !utf8.RuneStart(l[cut]) {
				cut--
			}
			c.write(l[:cut] + "\r\n ")
			l = l[cut:]
		}
		c.write(l + "\r\n")
	}
}

func (c *calendar) write(s string) {
	if c.err == nil {
		_, c.err = io.WriteString(c.to, s)
	}
}
