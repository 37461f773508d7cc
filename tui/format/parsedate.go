package format

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// ErrDate says how a date can be typed.
var ErrDate = errors.New("is not a date; type 2026-12-01, 1 Dec, tomorrow or in 3 weeks")

var dateLayouts = []string{
	time.DateOnly, "2.1.2006", "2.1. 2006", "02/01/2006", "2 Jan 2006", "2 January 2006", "Jan 2 2006", "January 2 2006",
	"Mon 2 Jan 2006",
}

// distance matches "in 3 weeks", "+10 days", "in a month", "+2w".
var distance = regexp.MustCompile(`^(?:in |\+)(\d{1,4}|a |one ) ?(?:(days?|d)|(weeks?|w)|(months?|m)|(years?|y))$`)

// ParseDate reads a day as people type it, at midnight in now's time zone: a
// date in a common form, one without a year (the next such day), today,
// tomorrow, yesterday, a weekday, or a distance as "in 3 weeks".
func ParseDate(s string, now time.Time) (time.Time, error) {
	s = strings.Join(strings.Fields(s), " ")
	lower, today := strings.ToLower(s), MidnightIn(now, now.Location())
	switch lower {
	case "today":
		return today, nil
	case "tomorrow":
		return today.AddDate(0, 0, 1), nil
	case "yesterday":
		return today.AddDate(0, 0, -1), nil
	}
	if part := distance.FindStringSubmatch(lower); part != nil {
		n, err := strconv.Atoi(part[1])
		if err != nil {
			n = 1
		}
		in := func(i int) int { return n * min(1, len(part[i])) }
		return today.AddDate(in(5), in(4), in(2)+7*in(3)), nil
	}
	for _, text := range []string{s, s + " " + strconv.Itoa(now.Year())} {
		for _, layout := range dateLayouts {
			at, err := time.ParseInLocation(layout, text, now.Location())
			if err != nil {
				continue
			}
			if text != s && at.Before(today) {
				at = at.AddDate(1, 0, 0)
			}
			return at, nil
		}
	}
	return parseWeekday(lower, today)
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

// parseWeekday reads "friday" or "next fri" as the next such day after today.
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
