package api

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"flightdesk/api/internal/tolerant"
)

// Time is an ISO 8601 date-time in JSON. A text that cannot be parsed is kept in Raw, with the
// zero time; null and "" are the zero Time. If Raw is set, it is written instead of the time.
type Time struct {
	time.Time
	Raw string

	// DateOnly reports that the JSON had a date without a time and a time zone. The time is
	// then midnight in UTC.
	DateOnly bool
}

// TimeOf returns t as a Time.
func TimeOf(t time.Time) Time { return Time{Time: t} }

// IsRead reports whether a time was parsed. If not, Raw can have a text.
func (t Time) IsRead() bool { return t.Unix() != time.Time{}.Unix() }

// timeLayouts are the layouts of date-times that services send, with the specified layout
// first.
var timeLayouts = []string{
	time.RFC3339Nano,
	"2006-01-02T15:04:05.999999999",
	time.DateOnly,
	"2006-01-02T15:04:05.999999999Z0700",
	"2006-01-02T15:04:05.999999999Z07",
	"2006-01-02T15:04Z07:00",
	"2006-01-02T15:04Z0700",
	"2006-01-02T15:04",
	"2006-01-02 15:04:05.999999999Z07:00",
	"2006-01-02 15:04:05.999999999 Z07:00",
	"2006-01-02 15:04:05.999999999Z0700",
	"2006-01-02 15:04:05.999999999 -0700 MST",
	"2006-01-02 15:04:05.999999999 -0700",
	"2006-01-02 15:04:05.999999999 MST",
	"2006-01-02 15:04:05.999999999Z07",
	"2006-01-02 15:04:05.999999999",
	"2006-01-02 15:04Z07:00",
	"2006-01-02 15:04",
	"20060102T150405Z0700",
	"20060102T150405",
	time.RFC1123,
	time.RFC1123Z,
	time.RFC850,
	time.ANSIC,
	time.UnixDate,
}

// epoch matches a number of seconds or milliseconds since 1970. Shorter numbers, which would be
// times soon after 1970, mean something else.
var epoch = regexp.MustCompile(`^(\d{9,10})(?:\.\d+)?$|^\d{12,13}$`)

// TimeLayout returns the layout to format t with. It is RFC 3339. A time in UTC gets exactly three decimals, so that
// texts in alphabetical order are in the order of their times.
func TimeLayout(t time.Time) string {
	if _, offset := t.Zone(); offset == 0 {
		return "2006-01-02T15:04:05.000Z07:00"
	}
	return time.RFC3339Nano
}

// Text returns the time in the layout of [TimeLayout], or the date if DateOnly is set.
func (t Time) Text() string {
	if t.DateOnly {
		return t.Format(time.DateOnly)
	}
	return t.Format(TimeLayout(t.Time))
}

// MarshalJSON writes RFC 3339 with an offset, Raw if it is set, or null for the zero Time.
func (t Time) MarshalJSON() ([]byte, error) {
	if t.Raw != "" {
		return quoteText(t.Raw)
	}
	if t.IsZero() {
		return []byte("null"), nil
	}
	return quoteText(t.Text())
}

// UnmarshalJSON accepts any JSON value.
func (t *Time) UnmarshalJSON(v []byte) error {
	*t = parseTime(tolerant.Text(v))
	return nil
}

// isZoneKnown reports whether the time zone of a parsed text is known. If the layout has an abbreviation
// of a time zone, such as CEST, Go accepts any abbreviation and gives unknown ones the offset 0.
func isZoneKnown(parsed time.Time, layout string) bool {
	if !strings.HasSuffix(layout, "MST") || strings.Contains(layout, "-0700") {
		return true
	}
	name, offset := parsed.Zone()
	return offset != 0 || name == "UTC" || name == "GMT" || name == "Z"
}

// Texts that RFC 3339 and ISO 8601 allow but Go does not parse.
var (
	smallLetters = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}[Tt]\d`)
	leapSecond   = regexp.MustCompile(`^(\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}):60(.*)$`)
	hour24       = regexp.MustCompile(`^(\d{4}-\d{2}-\d{2}[T ])24(:00(?::00(?:[.,]0+)?)?(?:$| ?[Z+-].*))`)
)

// parseUnusual parses a time with lower-case letters, second 60 or hour 24. ok is false for other texts.
func parseUnusual(text string) (parsed Time, ok bool) {
	if smallLetters.MatchString(text) {
		text = strings.ToUpper(text)
	}
	var add time.Duration
	if part := leapSecond.FindStringSubmatch(text); part != nil {
		text = part[1] + ":59" + part[2]
		add = time.Second
	}
	if part := hour24.FindStringSubmatch(text); part != nil {
		text = part[1] + "00" + part[2]
		add = 24 * time.Hour
	}
	parsed, ok = parseLayouts(text)
	parsed.Time = parsed.Add(add)
	return parsed, ok
}

// parseLayouts parses a time in one of the layouts. ok is false if the text has none of them, or if its time zone is
// not known.
func parseLayouts(text string) (parsed Time, ok bool) {
	for _, layout := range timeLayouts {
		if parsed, err := time.Parse(layout, text); err == nil && isZoneKnown(parsed, layout) {
			return Time{Time: parsed, DateOnly: layout == time.DateOnly}, true
		}
	}
	return Time{}, false
}

// parseTime parses a time in any form. If it cannot parse the text, the time is zero and has the text as its Raw.
func parseTime(s string) Time {
	text := strings.TrimSpace(s)
	if parsed, ok := parseLayouts(text); ok {
		return parsed
	}
	if parsed, ok := parseUnusual(text); ok {
		return parsed
	}
	if parsed, ok := parseEpoch(text); ok {
		return parsed
	}
	return Time{Raw: s}
}

// parseEpoch parses a number of seconds since 1970, such as 1764489600.5, or of milliseconds, such as 1764489600500.
// ok is false for other texts.
func parseEpoch(text string) (parsed Time, ok bool) {
	if !epoch.MatchString(text) {
		return Time{}, false
	}
	milliseconds, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return Time{}, false
	}
	areSeconds := milliseconds < 1e11
	if areSeconds {
		milliseconds *= 1000
	}
	return Time{Time: time.UnixMilli(int64(math.Round(milliseconds))).UTC()}, true
}

// Duration is a duration in JSON: a text such as "36h" or "1d12h30m".
type Duration struct{ time.Duration }

// MarshalJSON writes the duration as a text, "0s" for zero.
func (d Duration) MarshalJSON() ([]byte, error) {
	return quoteText(d.String())
}

// UnmarshalJSON accepts a text or a number of seconds. Other values count as zero.
func (d *Duration) UnmarshalJSON(v []byte) error {
	text := tolerant.Text(v)
	if seconds, err := strconv.ParseFloat(text, 64); err == nil {
		d.Duration = time.Duration(seconds * float64(time.Second))
		return nil
	}
	d.Duration, _ = ParseDuration(text)
	return nil
}

// daysFirst matches a duration that begins with whole days.
var daysFirst = regexp.MustCompile(`^(\d{1,5})d(.*)$`)

// ParseDuration parses a duration like [time.ParseDuration], optionally preceded by days of 24
// hours: "90s", "36h", "7d", "1d12h".
func ParseDuration(s string) (time.Duration, error) {
	text := strings.TrimSpace(s)
	var days time.Duration
	if parts := daysFirst.FindStringSubmatch(text); parts != nil {
		n, _ := strconv.Atoi(parts[1]) // no error: at most five digits
		days = time.Duration(n) * 24 * time.Hour
		text = parts[2]
		if text == "" {
			return days, nil
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil || days != 0 && d < 0 {
		return 0, fmt.Errorf("%q is not a valid duration; use 90s, 36h or 7d", s)
	}
	return days + d, nil
}
