package format

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"flightdesk/api"
)

// DayOrTime is a date that a user means: a whole day in a time zone, or a time.
type DayOrTime = api.DayOrTime

// ErrDate is the error for text that is not a date.
var ErrDate = errors.New("is not a date; type 2026-12-01, 1 Dec, tomorrow, in 3 weeks or KW 50")

// dayLayouts are the formats of a day with its year.
var dayLayouts = []string{
	time.DateOnly, "2.1.2006", "2.1. 2006", "2 Jan 2006", "2 January 2006", "Jan 2 2006", "January 2 2006",
	"Jan 2, 2006", "January 2, 2006", "Mon 2 Jan 2006",
}

// yearlessLayouts are the formats of a day without a year, to which a year is appended.
var yearlessLayouts = []string{
	"2 Jan 2006",
	"2 January 2006",
	"Jan 2 2006",
	"January 2 2006",
	"2.1. 2006",
	"Mon 2 Jan 2006",
}

// clockLayouts are the formats of a day and time without an offset.
var clockLayouts = []string{
	"2006-01-02T15:04:05.999999999",
	"2006-01-02T15:04",
	"2006-01-02 15:04:05",
	"2006-01-02 15:04",
}

// offsetLayouts are the formats of a time with its offset.
var offsetLayouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05.999999999Z0700", "2006-01-02T15:04Z0700",
	"2006-01-02 15:04:05Z07:00", "2006-01-02 15:04Z07:00", "2006-01-02 15:04:05 Z07:00", "2006-01-02 15:04 Z07:00",
}

// distance matches "in 3 weeks", "+10 days", "in a month", "+2w", "2w", "3 weeks".
var distance = regexp.MustCompile(`^(?:in |\+)?(\d{1,4}|a |one ) ?(?:(days?|d)|(weeks?|w)|(months?|m)|(years?|y))$`)

// ParseDate parses a date as people type it. A day is a whole day in now's time zone: a
// date in a common format, a date without a year (the next such day), today, tomorrow,
// yesterday, a weekday, or a distance such as "in 3 weeks" or "2w". A period such as "KW 50",
// "next week" or "January" is its first day; "end of January" is a day. A time without an
// offset is in now's time zone; a time with an offset keeps it. Ambiguous text is an error
// with both meanings.
func ParseDate(s string, now time.Time) (DayOrTime, error) { return parseDate(s, now, false) }

// parseDate parses a date, and returns the last day of a period if last is set.
func parseDate(s string, now time.Time, last bool) (DayOrTime, error) {
	s = strings.Join(strings.Fields(s), " ")
	if at, ok := parseOffsetTime(s); ok {
		return api.TimeAt(at), nil
	}
	for _, layout := range clockLayouts {
		at, err := time.Parse(layout, strings.ToUpper(s))
		if err != nil {
			continue
		}
		local, err := LocalTime(at, now.Location())
		return api.TimeAt(local), err
	}
	today := CalendarDay(now)
	if period, ok := parsePeriod(strings.ToLower(s), today); ok {
		day := period.first
		if last {
			day = period.last
		}
		return api.DayAt(noonIn(day, now.Location())), nil
	}
	day, err := parseDay(s, today)
	if err != nil {
		return DayOrTime{}, err
	}
	return api.DayAt(noonIn(day, now.Location())), nil
}

func noonIn(day time.Time, zone *time.Location) time.Time {
	y, m, d := day.Date()
	return time.Date(y, m, d, 12, 0, 0, 0, zone)
}

func parseOffsetTime(s string) (at time.Time, ok bool) {
	for _, layout := range offsetLayouts {
		if at, err := time.Parse(layout, strings.ToUpper(s)); err == nil {
			return at, true
		}
	}
	return at, false
}

// LocalTime returns the time at which clocks in a zone show what at shows in UTC. It is an
// error if that happens never or twice because of daylight saving time.
func LocalTime(at time.Time, zone *time.Location) (time.Time, error) {
	y, m, d := at.Date()
	hour, minute, second := at.Clock()
	local := time.Date(y, m, d, hour, minute, second, at.Nanosecond(), zone)
	if local.Hour() != hour || local.Minute() != minute {
		return time.Time{}, fmt.Errorf("does not exist on %s, when the clocks go forward", at.Format("2 Jan 2006"))
	}
	for _, by := range []time.Duration{-time.Hour, -30 * time.Minute, 30 * time.Minute, time.Hour} {
		other := local.Add(by)
		if other.Hour() == hour && other.Minute() == minute && other.Day() == d {
			const layout = "2006-01-02T15:04Z07:00"
			return time.Time{}, fmt.Errorf("comes twice, when the clocks go back; add the offset, %s or %s",
				local.Format(layout), other.Format(layout))
		}
	}
	return local, nil
}

// parseDay parses a day. Today is the current day as midnight in UTC.
func parseDay(s string, today time.Time) (time.Time, error) {
	lower := strings.ToLower(s)
	switch lower {
	case "today":
		return today, nil
	case "tomorrow":
		return today.AddDate(0, 0, 1), nil
	case "yesterday":
		return today.AddDate(0, 0, -1), nil
	}
	if part := distance.FindStringSubmatch(lower); part != nil {
		return addDistance(today, part), nil
	}
	if strings.Contains(s, "/") {
		return parseSlashed(s, today)
	}
	for _, layout := range dayLayouts {
		if day, err := time.Parse(layout, s); err == nil {
			return day, checkWeekday(s, day)
		}
	}
	if day, ok := parseYearless(s, today); ok {
		return day, checkWeekday(s, day)
	}
	return parseWeekday(lower, today)
}

// addDistance adds the distance matched by the regular expression to a day.
func addDistance(day time.Time, part []string) time.Time {
	n, err := strconv.Atoi(part[1])
	if err != nil {
		n = 1 // "a", "one"
	}
	switch {
	case part[2] != "":
		return day.AddDate(0, 0, n)
	case part[3] != "":
		return day.AddDate(0, 0, 7*n)
	case part[4] != "":
		return AddMonths(day, n)
	default:
		return AddMonths(day, 12*n)
	}
}

func parseLayout(layout, s string) (at time.Time, ok bool) {
	at, err := time.Parse(layout, s)
	return at, err == nil
}

// parseSlashed parses a date with slashes, which begins with the day or the month. Without a
// year it is the next such day. An ambiguous date is an error with both days.
func parseSlashed(s string, today time.Time) (time.Time, error) {
	dayFirst, isDayFirst := parseLayout("2/1/2006", s)
	monthFirst, isMonthFirst := parseLayout("1/2/2006", s)
	if !isDayFirst && !isMonthFirst {
		dayFirst, isDayFirst = parseWithYear("2/1/2006", s+"/", today)
		monthFirst, isMonthFirst = parseWithYear("1/2/2006", s+"/", today)
	}
	if !isDayFirst && !isMonthFirst {
		return time.Time{}, ErrDate
	}
	if !isDayFirst {
		return monthFirst, nil
	}
	if !isMonthFirst || dayFirst.Equal(monthFirst) {
		return dayFirst, nil
	}
	return time.Time{}, fmt.Errorf("can be %s or %s; type %s or %s",
		dayFirst.Format("2 Jan 2006"), monthFirst.Format("2 Jan 2006"),
		dayFirst.Format(time.DateOnly), monthFirst.Format(time.DateOnly))
}

// parseYearless parses a day without a year as the next such day, which may be today.
func parseYearless(s string, today time.Time) (day time.Time, ok bool) {
	for _, layout := range yearlessLayouts {
		if next, isNext := parseWithYear(layout, s+" ", today); isNext && (!ok || next.Before(day)) {
			day, ok = next, true
		}
	}
	return day, ok
}

// parseWithYear parses a text that lacks only its year at the end, as the next such day. 29
// Feb is at most eight years ahead.
func parseWithYear(layout, s string, today time.Time) (day time.Time, ok bool) {
	for year := today.Year(); year <= today.Year()+8; year++ {
		day, ok = parseLayout(layout, s+strconv.Itoa(year))
		if ok && !day.Before(today) {
			return day, true
		}
	}
	return time.Time{}, false
}

// checkWeekday returns an error if a date begins with a wrong weekday.
func checkWeekday(s string, day time.Time) error {
	weekday, _, _ := strings.Cut(s, " ")
	_, isWeekday := parseLayout("Mon", weekday)
	if !isWeekday || strings.EqualFold(weekday, day.Format("Mon")) {
		return nil
	}
	return fmt.Errorf("is not a date: %s is a %s", day.Format("2 Jan 2006"), day.Weekday())
}

// parseWeekday parses "friday" or "next fri" as the next such day after today.
func parseWeekday(s string, today time.Time) (time.Time, error) {
	s = strings.TrimPrefix(s, "next ")
	for ahead := 1; ahead <= 7; ahead++ {
		at := today.AddDate(0, 0, ahead)
		name := strings.ToLower(at.Weekday().String())
		if len(s) >= 3 && strings.HasPrefix(name, s) {
			return at, nil
		}
	}
	return time.Time{}, ErrDate
}

// CalendarDay returns the day of a time in its time zone as midnight in UTC. Days in UTC
// can be added and compared without daylight saving time.
func CalendarDay(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

// FirstMonday returns the Monday on or before the first day of the month.
func FirstMonday(day time.Time) time.Time {
	first := day.AddDate(0, 0, 1-day.Day())
	return first.AddDate(0, 0, -(int(first.Weekday())+6)%7)
}

// AddMonths returns the same day of another month, or the last day of a shorter month.
func AddMonths(day time.Time, n int) time.Time {
	first := day.AddDate(0, n, 1-day.Day())
	return first.AddDate(0, 0, min(day.Day(), first.AddDate(0, 1, -1).Day())-1)
}
