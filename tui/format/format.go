package format

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// None is displayed if there is no value.
const None = "–"

// WarningMark begins a line of text that is a warning.
const WarningMark = "▲ "

// Length formats metres, or kilometres from 1,000 m on.
func Length(m float64) string {
	if m < 0 || math.IsNaN(m) || math.IsInf(m, 0) {
		return None
	}
	if math.Round(m) < 1000 {
		return GroupDigits(math.Round(m), 0) + " m"
	}
	return GroupDigits(m/1000, 2) + " km"
}

// Bytes formats a size in decimal units, or returns a dash if it is negative.
func Bytes(n int64) string {
	if n < 0 {
		return None // not known
	}
	if n < 1000 {
		return strconv.FormatInt(n, 10) + " B"
	}
	size := float64(n) / 1000
	for _, unit := range []string{"kB", "MB", "GB", "TB"} {
		if math.Round(size*10) < 10_000 {
			return GroupDigits(size, 1) + " " + unit
		}
		size /= 1000
	}
	return GroupDigits(size, 1) + " PB"
}

// GroupInt formats an integer with commas between thousands.
func GroupInt(n int) string { return GroupDigits(float64(n), 0) }

// GroupDigits formats a number with decimals and commas between thousands.
func GroupDigits(f float64, decimals int) string {
	s := strconv.FormatFloat(math.Abs(f), 'f', decimals, 64)
	whole, frac, _ := strings.Cut(s, ".")
	var b strings.Builder
	if f < 0 && strings.Trim(s, "0.") != "" {
		b.WriteRune('−')
	}
	for i, digit := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(digit)
	}
	if frac != "" {
		b.WriteString("." + frac)
	}
	return b.String()
}

// CapitalizeFirst capitalizes the first letter.
func CapitalizeFirst(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// Count formats a number with a noun, such as "1 mission" or "1,204 missions". irregular is the plural
// of the noun if [Plural] does not know it. A negative number means unknown and is shown as [None].
func Count(n int, noun string, irregular ...string) string {
	if n == 1 {
		return "1 " + noun
	}
	plural := Plural(noun)
	if len(irregular) > 0 {
		plural = irregular[0]
	}
	if n < 0 {
		return None + " " + plural
	}
	return GroupInt(n) + " " + plural
}

// Plural returns the plural of a noun, or of several nouns joined by "or".
func Plural(singular string) string {
	nouns := strings.Split(singular, " or ")
	for i, noun := range nouns {
		stem, hasY := strings.CutSuffix(noun, "y")
		switch {
		case hasY && !strings.ContainsAny(stem[max(0, len(stem)-1):], "aeiou"):
			nouns[i] = stem + "ies"
		case takesES(noun):
			nouns[i] = noun + "es"
		default:
			nouns[i] = noun + "s"
		}
	}
	return strings.Join(nouns, " or ")
}

// takesES reports whether the plural of a noun ends in "es", because the noun ends in a hissing
// sound.
func takesES(noun string) bool {
	isEnd := func(end string) bool { return strings.HasSuffix(noun, end) }
	return slices.ContainsFunc([]string{"s", "x", "ch", "sh"}, isEnd)
}

// BeyondView describes how many lines are above and below the view, such as "↑ 3 · ↓ 20 more". It
// returns "" if there are none. If isMinimum is true, there may be more lines below than the number
// says.
func BeyondView(above, below int, isMinimum bool) string {
	var parts []string
	if above > 0 {
		parts = append(parts, "↑ "+GroupInt(above))
	}
	if below > 0 {
		count := GroupInt(below)
		if isMinimum {
			count += "+"
		}
		parts = append(parts, "↓ "+count)
	} else if isMinimum {
		parts = append(parts, "↓")
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, " · ") + " more"
}

// justNow is the age below which Age returns "now".
const justNow = 5 * time.Second

// Age formats the age of a time: "now", "<1 m", "12 m", "3 h", "2 d", and the date after a week. It
// returns [None] for the zero time.
func Age(at, now time.Time) string {
	d := now.Sub(at)
	switch {
	case at.IsZero():
		return None
	case d < justNow:
		return "now"
	case d < time.Minute:
		return "<1 m"
	case d < time.Hour:
		return fmt.Sprintf("%d m", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	case d <= 7*24*time.Hour:
		return fmt.Sprintf("%d d", int(d.Hours()/24))
	default:
		return Day(at, now)
	}
}

// Ago formats an age for a sentence: "just now", "<1 m ago", "12 m ago", "on 3 Nov".
func Ago(at, now time.Time) string {
	age := Age(at, now)
	if age == None {
		return "never"
	}
	if age == "now" {
		return "just now"
	}
	if now.Sub(at) <= 7*24*time.Hour {
		return age + " ago"
	}
	return "on " + age
}

// WithAge returns a date with its age after it, such as "24 Nov, 3 d ago". date is the formatted time at, and separator
// is the text before the age. After a week it returns only date, because [Ago] would repeat it.
func WithAge(date, separator string, at, now time.Time) string {
	if now.Sub(at) > 7*24*time.Hour {
		return date
	}
	return date + separator + Ago(at, now)
}

// writeIn formats a time in now's time zone. It uses the layout sameYear if the time is in the current year,
// and otherwise otherYear.
func writeIn(at, now time.Time, sameYear, otherYear string) string {
	if at.IsZero() {
		return None
	}
	at = at.In(now.Location())
	if at.Year() == now.Year() {
		return at.Format(sameYear)
	}
	return at.Format(otherYear)
}

// Day formats a date in now's time zone, such as "24 Nov", with the year unless it is the
// current one.
func Day(at, now time.Time) string { return writeIn(at, now, "2 Jan", "2 Jan 2006") }

// Date formats a full date, such as "Tue 8 Dec 2026".
func Date(at, now time.Time) string { return writeIn(at, now, "Mon 2 Jan 2006", "Mon 2 Jan 2006") }

// ExactDate formats a day or a time with its weekday and year. If the date's time zone and the time zone of now
// have different offsets, the text includes the offset from UTC.
func ExactDate(d DayOrTime, now time.Time) string {
	if d.IsZero() {
		return None
	}
	start := d.Start()
	_, offset := start.Zone()
	_, localOffset := start.In(now.Location()).Zone()
	isLocal := offset == localOffset
	if d.IsDay() && isLocal {
		return start.Format("Mon 2 Jan 2006")
	}
	if d.IsDay() {
		return start.Format("Mon 2 Jan 2006, UTC-07:00")
	}
	if isLocal {
		return start.Format("Mon 2 Jan 2006 15:04")
	}
	return start.Format("Mon 2 Jan 2006 15:04 -07:00")
}

// TimeUntil formats the days until a date: "in 15 d", "today" or "3 d ago".
func TimeUntil(at, now time.Time) string {
	if at.IsZero() {
		return None
	}
	days := DaysUntil(at, now)
	if days == 0 {
		return "today"
	}
	if days > 0 {
		return fmt.Sprintf("in %d d", days)
	}
	return fmt.Sprintf("%d d ago", -days)
}

// DaysUntil returns the number of calendar days until a date in the time zone of now. It is negative if the
// date has passed.
func DaysUntil(at, now time.Time) int {
	today := CalendarDay(now)
	day := CalendarDay(at.In(now.Location()))
	return int(day.Sub(today).Hours() / 24)
}

// Coordinate formats a position with a precision of about ten metres, such as "53.6012 N
// 9.4821 E".
func Coordinate(lat, lng float64) string {
	return Degrees(lat, 4, "N", "S") + " " + Degrees(lng, 4, "E", "W")
}

// Degrees formats an angle in degrees with a letter for its direction, such as "53.60 N". digits is the number of
// decimals. positive is the letter for angles from 0 on, such as N, and negative the letter for angles below 0, such as
// S.
func Degrees(deg float64, digits int, positive, negative string) string {
	text := strconv.FormatFloat(math.Abs(deg), 'f', digits, 64)
	if deg < 0 && strings.Trim(text, "0.") != "" {
		return text + " " + negative
	}
	return text + " " + positive
}

// unfolded maps special letters to the letters that people type instead. Unicode has no decomposition of
// these letters into a base letter and an accent.
var unfolded = map[rune]string{
	'ø': "o",
	'ł': "l",
	'ß': "ss",
	'đ': "d",
	'ð': "d",
	'ħ': "h",
	'ŧ': "t",
	'þ': "th",
	'æ': "ae",
	'œ': "oe",
	'ı': "i",
}

// Fold returns a text in lower case without accents, for comparing a search with texts:
// "Smøla" and "Łukasz" become "smola" and "lukasz". Marks that are not accents, such as
// vowels of Indian scripts, stay.
func Fold(s string) string {
	lower := strings.ToLower(s)
	if !strings.ContainsFunc(lower, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return lower
	}
	var b strings.Builder
	b.Grow(len(lower))
	for _, r := range norm.NFKD.String(lower) {
		if plain, ok := unfolded[r]; ok {
			b.WriteString(plain)
			continue
		}
		isAccent := r >= '\u0300' && r <= '\u036f'
		if !isAccent {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// ValueOf returns the value of a pointer, or the zero value for nil.
func ValueOf[T any](pointer *T) T {
	if pointer == nil {
		var zero T
		return zero
	}
	return *pointer
}
