package format

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"flightdesk/api"
)

// DayOrTime is a date as a user types it: a whole day in a time zone, or a day with a time.
type DayOrTime = api.DayOrTime

// ErrDate is the error for text that is not a date.
var ErrDate = errors.New("is not a date; type 2026-12-01, 1 Dec, tomorrow, in 3 weeks or KW 50")

// dayLayouts are the formats of a day with its year.
var dayLayouts = []string{
	time.DateOnly, "2.1.2006", "2.1. 2006", "2 Jan 2006", "2 January 2006", "Jan 2 2006", "January 2 2006",
	"Jan 2, 2006", "January 2, 2006", "Mon 2 Jan 2006",
}

// yearlessLayouts are the formats of a day that the user types without a year. A year is appended to the
// typed text before the text is parsed.
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

// ParseDate parses a date as people type it:
//   - a day in a common format; without a year it is the next such day
//   - "today", "tomorrow", "yesterday", a weekday, "in 3 weeks", "2w", or "end of January"
//   - a period such as "KW 50", "next week" or "January", which counts as its first day
//   - a day with a time
//
// Days, and times without an offset, are in now's time zone. The error for ambiguous text names both
// meanings.
func ParseDate(s string, now time.Time) (DayOrTime, error) { return parseDate(s, now, false) }

// parseDate parses a date. A period counts as its last day if wantLast is true, otherwise as its
// first day.
func parseDate(s string, now time.Time, wantLast bool) (DayOrTime, error) {
	s = strings.Join(strings.Fields(s), " ")
	if at, ok := parseTime(s, offsetLayouts); ok {
		return api.TimeAt(at), nil
	}
	if shown, ok := parseTime(s, clockLayouts); ok {
		local, err := LocalTime(shown, now.Location())
		return api.TimeAt(local), err
	}
	day, err := parseDayOrPeriod(s, CalendarDay(now), wantLast)
	if err != nil {
		return DayOrTime{}, err
	}
	return api.DayAt(noonIn(day, now.Location())), nil
}

// parseDayOrPeriod parses a day, or a period as its last or first day.
func parseDayOrPeriod(s string, today time.Time, wantLast bool) (time.Time, error) {
	period, ok := parsePeriod(strings.ToLower(s), today)
	if !ok {
		return parseDay(s, today)
	}
	if wantLast {
		return period.last, nil
	}
	return period.first, nil
}

func noonIn(day time.Time, zone *time.Location) time.Time {
	y, m, d := day.Date()
	return time.Date(y, m, d, 12, 0, 0, 0, zone)
}

// parseTime parses a time by the first of the layouts that matches, in upper or lower case.
func parseTime(s string, layouts []string) (at time.Time, ok bool) {
	for _, layout := range layouts {
		at, ok = parseLayout(layout, strings.ToUpper(s))
		if ok {
			return at, true
		}
	}
	return time.Time{}, false
}

// LocalTime returns the time at which the clocks in a time zone show a date and a time of day. shown has this date and
// time of day; its own time zone is ignored. LocalTime returns an error if the clocks never show this time or show it
// twice, because daylight saving time begins or ends.
func LocalTime(shown time.Time, zone *time.Location) (time.Time, error) {
	y, m, d := shown.Date()
	hour, minute, second := shown.Clock()
	local := time.Date(y, m, d, hour, minute, second, shown.Nanosecond(), zone)
	if local.Hour() != hour || local.Minute() != minute {
		return time.Time{}, fmt.Errorf("does not exist on %s, when the clocks go forward", shown.Format("2 Jan 2006"))
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

// parseDay parses a day. today is the current day, as midnight in UTC.
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

// addDistance adds a number of days, weeks, months or years to a day. part has the matches of the
// regular expression distance.
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

// parseSlashed parses a date with slashes. If the date can mean two days, it returns an error that names both
// days.
func parseSlashed(s string, today time.Time) (time.Time, error) {
	days := slashedDays(s, today)
	switch len(days) {
	case 0:
		return time.Time{}, ErrDate
	case 1:
		return days[0], nil
	default:
		return time.Time{}, fmt.Errorf("can be %s or %s; type %s or %s",
			days[0].Format("2 Jan 2006"), days[1].Format("2 Jan 2006"),
			days[0].Format(time.DateOnly), days[1].Format(time.DateOnly))
	}
}

// slashedDays returns the days that a date with slashes can mean. The first number can be the day or the
// month: 3/4/2027 is 3 April or 4 March, but 30/4/2027 can only be 30 April. A date without a year means the
// next such day.
func slashedDays(s string, today time.Time) []time.Time {
	hasYear := strings.Count(s, "/") == 2
	var days []time.Time
	for _, layout := range []string{"2/1/2006", "1/2/2006"} {
		day, ok := parseLayout(layout, s)
		if !hasYear {
			day, ok = parseWithYear(layout, s+"/", today)
		}
		if ok && !slices.ContainsFunc(days, day.Equal) {
			days = append(days, day)
		}
	}
	return days
}

// parseYearless parses a day without a year as the next such day, which may be today.
func parseYearless(s string, today time.Time) (day time.Time, ok bool) {
	for _, layout := range yearlessLayouts {
		next, isDay := parseWithYear(layout, s+" ", today)
		if !isDay {
			continue
		}
		if !ok || next.Before(day) {
			day = next
			ok = true
		}
	}
	return day, ok
}

// parseWithYear parses a day without a year. layout ends with the year, which parseWithYear appends to s. It
// returns the next such day, which may be today. It tries the eight following years, because the next 29 Feb
// can be that far ahead.
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

// FirstMonday returns the Monday with which the calendar of the month of day begins: the first day of the
// month, or the last Monday before it.
func FirstMonday(day time.Time) time.Time {
	first := day.AddDate(0, 0, 1-day.Day())
	return first.AddDate(0, 0, -(int(first.Weekday())+6)%7)
}

// AddMonths returns the same day n months later, or earlier if n is negative. If that month is too short, it
// returns the last day of the month.
func AddMonths(day time.Time, n int) time.Time {
	first := day.AddDate(0, n, 1-day.Day())
	return first.AddDate(0, 0, min(day.Day(), first.AddDate(0, 1, -1).Day())-1)
}
