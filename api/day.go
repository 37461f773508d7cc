package api

import "time"

// DayOrTime is a date as people mean it: a whole day in a time zone, or one time with its
// offset. The zero value is neither.
type DayOrTime struct {
	at    time.Time // the time, or noon of the day
	whole bool
}

// DayAt returns the whole day that t is on by its own clock, in the zone of t.
func DayAt(t time.Time) DayOrTime {
	y, m, d := t.Date()
	return DayOrTime{at: time.Date(y, m, d, 12, 0, 0, 0, t.Location()), whole: true}
}

// TimeAt returns one time.
func TimeAt(t time.Time) DayOrTime { return DayOrTime{at: t} }

// StartDay returns what the start of a period means. It is a whole day if it is midnight by
// its own offset. A service that answers in UTC has lost the offset: then a midnight of the
// reader's zone is a whole day too.
func (t Time) StartDay(reader *time.Location) DayOrTime { return t.dayOrTime(reader, isMidnight) }

// EndDay returns what the end of a period means, as a deadline. It is a whole day if it is
// the first or the last minute of a day by its own offset. A service that answers in UTC has
// lost the offset: then the last minute of a day of the reader's zone is a whole day too.
func (t Time) EndDay(reader *time.Location) DayOrTime { return t.dayOrTime(reader, isLastMinute) }

func (t Time) dayOrTime(reader *time.Location, isEdge func(time.Time) bool) DayOrTime {
	_, offset := t.Zone()
	switch {
	case !t.IsRead():
		return DayOrTime{}
	case t.DateOnly:
		return TimeAt(t.Time).dayIn(reader)
	case isMidnight(t.Time) || isEdge(t.Time):
		return DayAt(t.Time)
	case offset == 0 && isEdge(t.In(reader)):
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

// IsDay reports whether it is a whole day.
func (d DayOrTime) IsDay() bool { return d.whole }

// Start returns the first second of the day, or the time.
func (d DayOrTime) Start() time.Time {
	if !d.whole {
		return d.at
	}
	return firstSecond(d.at)
}

// End returns the last second of the day, or the time.
func (d DayOrTime) End() time.Time {
	if !d.whole {
		return d.at
	}
	return firstSecond(d.at.AddDate(0, 0, 1)).Add(-time.Second)
}

// firstSecond returns the first second of the day of a noon. It is not always midnight: in
// some zones the clocks change at midnight, which is then missing or comes twice.
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

// String returns the date by its own clock, as 2026-12-31; "" if there is none.
func (d DayOrTime) String() string {
	if d.IsZero() {
		return ""
	}
	return d.at.Format(time.DateOnly)
}

// NoonIn returns noon of the same date in a reader's zone, the zero time if there is no date.
// What shows or compares only the day of a time in that zone has the right day by it.
func (d DayOrTime) NoonIn(reader *time.Location) time.Time {
	if d.IsZero() {
		return time.Time{}
	}
	return d.dayIn(reader).at
}

// dayIn returns the day of the same date in another zone.
func (d DayOrTime) dayIn(zone *time.Location) DayOrTime {
	y, m, day := d.at.Date()
	return DayOrTime{at: time.Date(y, m, day, 12, 0, 0, 0, zone), whole: true}
}
