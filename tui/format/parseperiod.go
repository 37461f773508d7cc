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
	if week, ok := matchWeek(lower); ok {
		return week.find(today)
	}
	if month, ok := matchMonth(lower); ok {
		return month.find(today)
	}
	return dayPeriod{}, false
}

// weekOf returns the week of a day, from Monday to Sunday.
func weekOf(day time.Time) dayPeriod {
	monday := day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
	return dayPeriod{monday, monday.AddDate(0, 0, 6)}
}

// typedWeek is a week as people type it: "fri week 50 2027" has the weekday "fri".
type typedWeek struct {
	weekday string // "" for the whole week
	number  int
	year    int // 0 if no year is typed
}

// matchWeek matches a text with weekNumber. Each of its three forms has separate groups for the number and the year,
// and the groups of the other two forms are empty.
func matchWeek(lower string) (week typedWeek, ok bool) {
	groups := weekNumber.FindStringSubmatch(lower)
	if groups == nil {
		return typedWeek{}, false
	}
	week.weekday = groups[1]
	week.number, _ = strconv.Atoi(groups[3] + groups[4] + groups[6])
	week.year, _ = strconv.Atoi(groups[2] + groups[5] + groups[7])
	return week, true
}

// find returns the typed week, or a single day of it if a weekday is typed. If no year is typed, it returns
// the first such week that is not over. ok is false if there is no such week or weekday.
func (w typedWeek) find(today time.Time) (p dayPeriod, ok bool) {
	if w.year != 0 {
		p, ok = isoWeek(w.year, w.number)
	} else {
		p, ok = nextWeek(w.number, today)
	}
	if !ok || w.weekday == "" {
		return p, ok
	}
	for day := p.first; !day.After(p.last); day = day.AddDate(0, 0, 1) {
		if isNameOf(w.weekday, day.Weekday().String()) {
			return oneDay(day), true
		}
	}
	return dayPeriod{}, false
}

// nextWeek returns the first week with the given number that is not over. It tries several years, because
// most years have no week 53. It begins with the previous year, whose last week can include today.
func nextWeek(number int, today time.Time) (p dayPeriod, ok bool) {
	for year := today.Year() - 1; year <= today.Year()+8; year++ {
		p, ok = isoWeek(year, number)
		if ok && !p.last.Before(today) {
			return p, true
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

// isNameOf reports whether a text is the name or an abbreviation of it with at least three letters. The text
// must be in lower case.
func isNameOf(lower, name string) bool {
	return len(lower) >= 3 && strings.HasPrefix(strings.ToLower(name), lower)
}

// typedMonth is a month as people type it: "end of january 2027" has the part "end".
type typedMonth struct {
	part   string // "end", "mid", "middle", "start" or "beginning", or "" for the whole month
	isNext bool   // "next month"
	name   string // "" for this or the next month
	year   string // "" if no year is typed
}

// matchMonth matches a text with monthPart.
func matchMonth(lower string) (month typedMonth, ok bool) {
	groups := monthPart.FindStringSubmatch(lower)
	if groups == nil {
		return typedMonth{}, false
	}
	return typedMonth{part: groups[1], isNext: groups[4] != "", name: groups[5], year: groups[6]}, true
}

// find returns the typed month, or the typed part of it: its first, middle or last day. ok is false if there is
// no month with the name, or if the text is "month" or "this month" without a part, which is no date.
func (m typedMonth) find(today time.Time) (p dayPeriod, ok bool) {
	first := today.AddDate(0, 0, 1-today.Day())
	if m.isNext {
		first = first.AddDate(0, 1, 0)
	}
	if m.name != "" {
		first, ok = namedMonth(m.name, m.year, first)
		if !ok {
			return dayPeriod{}, false
		}
	}
	p = dayPeriod{first, first.AddDate(0, 1, -1)}
	switch m.part {
	case "":
		return p, m.isNext || m.name != ""
	case "end":
		return oneDay(p.last), true
	case "mid", "middle":
		return oneDay(first.AddDate(0, 0, 14)), true
	default:
		return oneDay(first), true
	}
}

// namedMonth returns the first day of the named month in the given year. If year is "", it returns the next
// such month that is not over.
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
