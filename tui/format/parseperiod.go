package format

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// ParseLastDay parses a date like [ParseDate], but returns the last day of a period such as
// "KW 50", "next week" or "January".
func ParseLastDay(s string, now time.Time) (DayOrTime, error) { return parseDate(s, now, true) }

// dayPeriod is a period of whole days, as midnights in UTC.
type dayPeriod struct{ first, last time.Time }

func oneDay(day time.Time) dayPeriod { return dayPeriod{day, day} }

var (
	// weekNumber matches "kw 50", "fri week 50", "w50 2027", "50. kw", and ISO's "2026-w50".
	weekNumber = regexp.MustCompile(
		`^(?:([a-z]{3,9}) )?(?:(\d{4})-w(\d{1,2})|(?:kw|cw|week|wk|w) ?(\d{1,2})(?:[ /](\d{4}))?|(\d{1,2})\. ?kw(?: (\d{4}))?)$`)
	// monthPart matches "january", "end of january 2027", "mid feb", "start of next month".
	monthPart = regexp.MustCompile(
		`^(?:(end|start|beginning|mid|middle)(?: of)? )?(?:(?:the|this) (month)|(month)|(next month)|([a-z]{3,9})(?: (\d{4}))?)$`)
)

// parsePeriod parses a period in lower case. A month without a year is the next one that is
// not over.
func parsePeriod(lower string, today time.Time) (p dayPeriod, ok bool) {
	switch lower {
	case "this week":
		return weekOf(today), true
	case "next week":
		return weekOf(today.AddDate(0, 0, 7)), true
	}
	if part := weekNumber.FindStringSubmatch(lower); part != nil {
		return parseWeek(part, today)
	}
	if part := monthPart.FindStringSubmatch(lower); part != nil {
		return parseMonth(part, today)
	}
	return dayPeriod{}, false
}

// weekOf returns the week of a day, from Monday to Sunday.
func weekOf(day time.Time) dayPeriod {
	monday := day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
	return dayPeriod{monday, monday.AddDate(0, 0, 6)}
}

// parseWeek returns the week that the regular expression weekNumber matched, or the day of that week
// if the text has a weekday. Without a year it is the first such week that is not over.
func parseWeek(part []string, today time.Time) (p dayPeriod, ok bool) {
	number, _ := strconv.Atoi(part[3] + part[4] + part[6]) // two of them are empty
	year, _ := strconv.Atoi(part[2] + part[5] + part[7])
	if year != 0 {
		p, ok = isoWeek(year, number)
	} else {
		// A year that begins in the last week of the year before, or has no week 53, is skipped.
		for year = today.Year() - 1; year <= today.Year()+8; year++ {
			p, ok = isoWeek(year, number)
			if ok && !p.last.Before(today) {
				break
			}
		}
	}
	if !ok || part[1] == "" {
		return p, ok
	}
	for day := p.first; !day.After(p.last); day = day.AddDate(0, 0, 1) {
		if isNameOf(part[1], day.Weekday().String()) {
			return oneDay(day), true
		}
	}
	return dayPeriod{}, false
}

// isoWeek returns a week of a year by ISO 8601: week 1 has the year's first Thursday.
func isoWeek(year, number int) (p dayPeriod, ok bool) {
	p = weekOf(time.Date(year, 1, 4, 0, 0, 0, 0, time.UTC).AddDate(0, 0, 7*(number-1)))
	ofYear, ofNumber := p.first.ISOWeek()
	return p, ofYear == year && ofNumber == number
}

// isNameOf reports whether a text in lower case is a name or its first letters, three at
// least.
func isNameOf(lower, name string) bool {
	return len(lower) >= 3 && strings.HasPrefix(strings.ToLower(name), lower)
}

// parseMonth returns the month that the regular expression monthPart matched, or the month's first,
// middle or last day.
func parseMonth(part []string, today time.Time) (p dayPeriod, ok bool) {
	first := today.AddDate(0, 0, 1-today.Day())
	if part[4] != "" {
		first = first.AddDate(0, 1, 0)
	}
	if part[5] != "" {
		if first, ok = namedMonth(part[5], part[6], first); !ok {
			return dayPeriod{}, false
		}
	}
	p = dayPeriod{first, first.AddDate(0, 1, -1)}
	switch part[1] {
	case "":
		return p, part[4] != "" || part[5] != "" // "month" alone is no date
	case "end":
		return oneDay(p.last), true
	case "mid", "middle":
		return oneDay(first.AddDate(0, 0, 14)), true
	default:
		return oneDay(first), true
	}
}

// namedMonth returns the first day of a month by its name, in the year that is typed or else
// the next such month that is not over.
func namedMonth(name, year string, thisMonth time.Time) (first time.Time, ok bool) {
	for ahead := range 12 {
		first = thisMonth.AddDate(0, ahead, 0)
		if !isNameOf(name, first.Month().String()) {
			continue
		}
		if year == "" {
			return first, true
		}
		y, err := strconv.Atoi(year)
		return time.Date(y, first.Month(), 1, 0, 0, 0, 0, time.UTC), err == nil
	}
	return time.Time{}, false
}
