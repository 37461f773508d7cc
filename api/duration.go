package api

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Duration is a length of time of the wire: a text such as "36h" or "1d12h30m".
type Duration struct{ time.Duration }

// MarshalJSON writes the text, "0s" for none.
func (d Duration) MarshalJSON() ([]byte, error) {
	return quoteText(d.String())
}

// UnmarshalJSON reads a text, or a number of seconds. What is neither
// counts as none.
func (d *Duration) UnmarshalJSON(v []byte) error {
	text := textOf(v)
	if seconds, err := strconv.ParseFloat(text, 64); err == nil {
		d.Duration = time.Duration(seconds * float64(time.Second))
		return nil
	}
	d.Duration, _ = ParseDuration(text)
	return nil
}

// daysFirst is a duration that begins with whole days.
var daysFirst = regexp.MustCompile(`^(\d{1,5})d(.*)$`)

// ParseDuration reads a length of time as [time.ParseDuration] does, with days
// of 24 hours in front if there are any: "90s", "36h", "7d", "1d12h".
func ParseDuration(s string) (time.Duration, error) {
	text, days := strings.TrimSpace(s), time.Duration(0)
	if parts := daysFirst.FindStringSubmatch(text); parts != nil {
		n, _ := strconv.Atoi(parts[1]) // of five digits at most
		days = time.Duration(n) * 24 * time.Hour
		if text = parts[2]; text == "" {
			return days, nil
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil || days != 0 && d < 0 {
		return 0, fmt.Errorf("%q is not a valid duration; use 90s, 36h or 7d", s)
	}
	return days + d, nil
}
