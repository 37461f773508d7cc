package format

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// ErrDate says how a date can be typed.
var ErrDate = errors.New("is not a date; type 2026-12-01, 1 Dec, tomorrow or in 3 weeks")

var dateLayouts = []string{
	time.DateOnly, "2.1.2006", "02/01/2006", "2 Jan 2006", "2 January 2006", "Jan 2 2006", "Mon 2 Jan 2006",
}

var dayLayouts = []string{"2 Jan", "2 January", "Jan 2", "January 2", "Mon 2 Jan", "2.1."}

// ParseDate reads a day as people type it, at midnight in now's time zone: a
// date in a common form, one without a year (the next such day), today,
// tomorrow, yesterday, a weekday, or a distance as "in 3 weeks".
func ParseDate(s string, now time.Time) (time.Time, error) {
	s = strings.Join(strings.Fields(s), " ")
	today := MidnightIn(now, now.Location())
	switch lower := strings.ToLower(s); {
	case lower == "":
		return time.Time{}, ErrDate
	case lower == "today":
		return today, nil
	case lower == "tomorrow":
		return today.AddDate(0, 0, 1), nil
	case lower == "yesterday":
		return today.AddDate(0, 0, -1), nil
	case strings.HasPrefix(lower, "in ") || strings.HasPrefix(lower, "+"):
		return parseDistance(strings.TrimPrefix(strings.TrimPrefix(lower, "in "), "+"), today)
	}
	for _, layout := range dateLayouts {
		if at, err := time.ParseInLocation(layout, s, now.Location()); err == nil {
			return at, nil
		}
	}
	for _, layout := range dayLayouts {
		if at, err := time.ParseInLocation(layout+" 2006", s+" "+strconv.Itoa(now.Year()), now.Location()); err == nil {
			if at.Before(today) {
				at = at.AddDate(1, 0, 0)
			}
			return at, nil
		}
	}
	return parseWeekday(s, today)
}

// SwappedDate returns the other day that a date can mean: the one of 03/04/2027, which is
// read as 3 April, is 4 March. Not ok where it can mean only one.
func SwappedDate(s string) (other time.Time, ok bool) {
	read, err := time.Parse("02/01/2006", strings.TrimSpace(s))
	if err != nil {
		return other, false
	}
	other, err = time.Parse("01/02/2006", strings.TrimSpace(s))
	return other, err == nil && !other.Equal(read)
}

// parseDistance reads "3 weeks", "10 days", "a month", "2w".
func parseDistance(s string, today time.Time) (time.Time, error) {
	cut := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	if cut < 0 {
		return time.Time{}, ErrDate
	}
	count, unit := s[:cut], strings.TrimSpace(s[cut:])
	if count == "" {
		if first, rest, ok := strings.Cut(unit, " "); ok && (first == "a" || first == "one") {
			count, unit = "1", rest
		}
	}
	n, err := strconv.Atoi(count)
	if err != nil || n > 10_000 {
		return time.Time{}, ErrDate
	}
	switch strings.TrimSuffix(unit, "s") {
	case "d", "day":
		return today.AddDate(0, 0, n), nil
	case "w", "week":
		return today.AddDate(0, 0, 7*n), nil
	case "m", "month":
		return today.AddDate(0, n, 0), nil
	case "y", "year":
		return today.AddDate(n, 0, 0), nil
	default:
		return time.Time{}, ErrDate
	}
}

// parseWeekday reads "friday" or "next fri" as the next such day after today.
func parseWeekday(s string, today time.Time) (time.Time, error) {
	s = strings.TrimPrefix(strings.ToLower(s), "next ")
	for ahead := 1; ahead <= 7; ahead++ {
		at := today.AddDate(0, 0, ahead)
		name := strings.ToLower(at.Weekday().String())
		if len(s) >= 3 && strings.HasPrefix(name, s) {
			return at, nil
		}
	}
	return time.Time{}, ErrDate
}

// MidnightIn returns midnight in a zone of the day that a time is on by its own clock.
func MidnightIn(t time.Time, zone *time.Location) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, zone)
}

// FirstMonday returns the Monday on or before the first day of a day's month.
func FirstMonday(day time.Time) time.Time {
	first := day.AddDate(0, 0, 1-day.Day())
	return first.AddDate(0, 0, -(int(first.Weekday())+6)%7)
}

// AddMonths returns the same day of another month, or the last one of a shorter month.
func AddMonths(day time.Time, n int) time.Time {
	first := day.AddDate(0, n, 1-day.Day())
	return first.AddDate(0, 0, min(day.Day(), first.AddDate(0, 1, -1).Day())-1)
}
