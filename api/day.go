package api

import "time"

// DayOrTime is a date as people give it: a whole day in a time zone, or a time. The zero value
// is neither.
type DayOrTime struct {
	at    time.Time // the time, or noon of the day
	whole bool
}

// DayAt returns the whole day of t, in the time zone of t.
func DayAt(t time.Time) DayOrTime {
	y, m, d := t.Date()
	return DayOrTime{at: time.Date(y, m, d, 12, 0, 0, 0, t.Location()), whole: true}
}

// TimeAt returns t as a time.
func TimeAt(t time.Time) DayOrTime { return DayOrTime{at: t} }

// StartDay interprets t as the start of a period. If t is midnight, the period starts with a whole day, and StartDay
// returns the day. Otherwise it returns the time.
//
// StartDay compares t with midnight at the UTC offset of t. If t is in UTC, the service may have lost the offset, and
// midnight in the reader's time zone counts as well.
func (t Time) StartDay(reader *time.Location) DayOrTime { return t.dayOrTime(reader, isMidnight) }

// EndDay interprets t as the end of a period, such as a deadline. If t is midnight or in the last minute of a day,
// the period ends with that whole day, and EndDay returns the day. Otherwise it returns the time.
//
// EndDay uses the days at the UTC offset of t. If t is in UTC, the service may have lost the offset, and the last
// minute of a day in the reader's time zone counts as well.
func (t Time) EndDay(reader *time.Location) DayOrTime { return t.dayOrTime(reader, isLastMinute) }

// dayOrTime returns a day if t has no time of day, if t is midnight, or if isEdge returns true for t. isEdge recognises
// the first or the last minute of a day. If the UTC offset of t is 0, dayOrTime also calls isEdge with t in the time
// zone of the reader. In all other cases it returns t as a time.
func (t Time) dayOrTime(reader *time.Location, isEdge func(time.Time) bool) DayOrTime {
	if !t.IsRead() {
		return DayOrTime{}
	}
	if t.DateOnly {
		return TimeAt(t.Time).dayIn(reader)
	}
	if isMidnight(t.Time) || isEdge(t.Time) {
		return DayAt(t.Time)
	}
	_, offset := t.Zone()
	if offset == 0 && isEdge(t.In(reader)) {
		return DayAt(t.In(reader))
	}
	return TimeAt(t.Time)
}

func isMidnight(t time.Time) bool {
	hour, minute, second := t.Clock()
	return hour+minute+second+t.Nanosecond() == 0
}

func isLastMinute(t time.Time) bool {
	hour, minute, _ := t.Clock()
	return hour == 23 && minute == 59
}

// IsZero reports whether there is neither a day nor a time.
func (d DayOrTime) IsZero() bool { return d.at.IsZero() }

// IsDay reports whether d is a whole day.
func (d DayOrTime) IsDay() bool { return d.whole }

// Start returns the first second of the day if d is a day. If d is a time, it returns that time.
func (d DayOrTime) Start() time.Time {
	if !d.whole {
		return d.at
	}
	return firstSecond(d.at)
}

// End returns the last second of the day if d is a day. If d is a time, it returns that time.
func (d DayOrTime) End() time.Time {
	if !d.whole {
		return d.at
	}
	return firstSecond(d.at.AddDate(0, 0, 1)).Add(-time.Second)
}

// firstSecond returns the first second of the day with the given noon. A day does not always begin 12
// hours before noon: in some time zones the clocks change at midnight, so that the first hour of a day
// is missing or occurs twice.
func firstSecond(noon time.Time) time.Time {
	first := noon.Add(-12 * time.Hour)
	for first.Day() != noon.Day() {
		first = first.Add(time.Minute)
	}
	for first.Add(-time.Minute).Day() == noon.Day() {
		first = first.Add(-time.Minute)
	}
	return first
}

// String returns the date in the form 2026-12-31, or "" for the zero value.
func (d DayOrTime) String() string {
	if d.IsZero() {
		return ""
	}
	return d.at.Format(time.DateOnly)
}

// NoonIn returns noon of the same date in the reader's time zone, or the zero time for the zero value.
// It is for code that shows or compares the date of a time in the reader's time zone.
func (d DayOrTime) NoonIn(reader *time.Location) time.Time {
	if d.IsZero() {
		return time.Time{}
	}
	return d.dayIn(reader).at
}

// dayIn returns the day with the same date in another time zone.
func (d DayOrTime) dayIn(zone *time.Location) DayOrTime {
	y, m, day := d.at.Date()
	return DayOrTime{at: time.Date(y, m, day, 12, 0, 0, 0, zone), whole: true}
}
