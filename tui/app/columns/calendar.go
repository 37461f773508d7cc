package columns

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/format"
)

// MissionsIn returns the missions of orders, as [WriteCalendar] takes them.
func MissionsIn(orders []api.Order) []*cache.Mission {
	var missions []*cache.Mission
	for i := range orders {
		for j := range orders[i].Missions {
			missions = append(missions, cache.MissionOf(&orders[i].Missions[j], &orders[i]))
		}
	}
	return missions
}

const stamp = "20060102T150405Z"

// WriteCalendar writes the flights of missions, an hour each, and the deadlines
// of their orders, each a day, as RFC 5545 has it. The same event has the same
// identity in every file, so that a calendar takes a newer file as a change. It returns how many they are.
func WriteCalendar(to io.Writer, missions []*cache.Mission, now time.Time, host string, units format.Units) (flights, deadlines int, err error) {
	var c calendarText
	c.writeLine(
		"BEGIN:VCALENDAR",
		"VERSION:2.0",
		"PRODID:-//flightdesk//EN",
		"CALSCALE:GREGORIAN",
		"METHOD:PUBLISH",
	)
	made := "DTSTAMP:" + now.UTC().Format(stamp)
	seen := map[string]bool{}
	for _, m := range missions {
		if !m.FlightDate.IsZero() {
			flights++
			at := m.FlightDate.UTC()
			c.writeLine("BEGIN:VEVENT", "UID:flight-"+escapeText(m.UUID)+"@"+escapeText(host), made,
				"DTSTART:"+at.Format(stamp), "DTEND:"+at.Add(time.Hour).Format(stamp),
				"SUMMARY:"+escapeText("Flight: "+m.MissionName), "DESCRIPTION:"+escapeText(aboutMission(m, now, units)))
			if where := PlaceOf(&m.Mission); where != "" {
				c.writeLine("LOCATION:" + escapeText(where))
			}
			if m.Centre != nil {
				c.writeLine(fmt.Sprintf("GEO:%.6f;%.6f", m.Centre.Lat, m.Centre.Lng))
			}
			c.writeLine("END:VEVENT")
		}
		due := m.Deadline()
		if due.IsZero() || seen[m.Order.UUID] {
			continue
		}
		seen[m.Order.UUID] = true
		deadlines++
		day := due.In(now.Location())
		c.writeLine("BEGIN:VEVENT", "UID:deadline-"+escapeText(m.Order.UUID)+"@"+escapeText(host), made,
			"DTSTART;VALUE=DATE:"+day.Format("20060102"), "DTEND;VALUE=DATE:"+day.AddDate(0, 0, 1).Format("20060102"),
			"SUMMARY:"+escapeText("Due: "+m.Order.OrderCode+" "+m.Order.OrderName), "TRANSP:TRANSPARENT", "END:VEVENT")
	}
	c.writeLine("END:VCALENDAR")
	_, err = io.WriteString(to, c.String())
	return flights, deadlines, err
}

// aboutMission tells a calendar's reader what a mission is.
func aboutMission(m *cache.Mission, now time.Time, units format.Units) string {
	lines := []string{
		m.MissionCode + " of " + m.Order.OrderCode + " " + m.Order.OrderName,
		"Status: " + format.Status(m.Status).Label,
	}
	if by := m.OperatorName; by != nil && *by != "" {
		lines = append(lines, "Operator: "+*by)
	}
	if units.Times == format.SiteClock {
		lines = append(lines, "At the site: "+units.MomentAt(m.FlightDate.Time, now, m.SiteZone()))
	}
	return strings.Join(lines, "\n")
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
