package tolerant

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

var (
	plainNumber = regexp.MustCompile(`^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$`)
	// grouped matches a number with thousands separators, with or without decimals: 1,388.43,
	// 1.388.430,5, 1 388 and 1'388.43.
	grouped = regexp.MustCompile(`^[+-]?\d{1,3}(?:([ '’,.])\d{3})+(?:([.,])\d+)?$`)
	// lakhs matches a number with groups of two digits above the thousands: 1,38,843.00.
	lakhs        = regexp.MustCompile(`^[+-]?\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?$`)
	decimalComma = regexp.MustCompile(`^[+-]?\d+,\d+$`)
	// ambiguous matches a number with a separator before three digits, which can be thousands or
	// decimals.
	ambiguous = regexp.MustCompile(`^[+-]?[1-9]\d{0,2}[.,]\d{3}$`)
	ownUnit   = regexp.MustCompile(`(?i)\s*(?:m2|m²|sqm|m|°|%|bytes|b)$`)
)

// PlainSpaces replaces no-break and thin spaces with plain spaces, and the minus sign with a
// hyphen.
var PlainSpaces = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\u2009", " ", "\u2212", "-")

// ParseNumber parses a text that consists of a number. It returns false for other texts and for ambiguous numbers:
// 1,388 can be a thousand or a little over one.
func ParseNumber(text string) (float64, bool) {
	text = strings.TrimSpace(PlainSpaces.Replace(text))
	if !plainNumber.MatchString(text) {
		plain, ok := withoutMarks(text)
		if !ok {
			return 0, false
		}
		text = plain
	}
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil && !math.IsInf(f, 0) && !math.IsNaN(f)
}

// IsAmbiguous reports whether the separator in a number can separate thousands or decimals.
func IsAmbiguous(text string) bool { return ambiguous.MatchString(strings.TrimSpace(text)) }

// withoutMarks removes the thousands separators of a number and puts a point before its decimals: both "1.234,5" and
// "1,234.5" become "1234.5", and "12,34,567" becomes "1234567". It returns false if the text is no number or can be
// read in two ways.
func withoutMarks(text string) (plain string, ok bool) {
	if lakhs.MatchString(text) {
		return strings.ReplaceAll(text, ",", ""), true
	}
	if decimalComma.MatchString(text) && !ambiguous.MatchString(text) && !grouped.MatchString(text) {
		return strings.ReplaceAll(text, ",", "."), true
	}
	parts := grouped.FindStringSubmatch(text)
	if parts == nil {
		return "", false
	}
	thousands := parts[1]
	decimal := parts[2] // "" if the number has no decimals
	isAmbiguous := decimal == "" && ambiguous.MatchString(text)
	if thousands == decimal || isAmbiguous {
		return "", false
	}
	plain = strings.ReplaceAll(text, thousands, "")
	hasOtherComma := strings.Contains(plain, ",") && decimal != ","
	if strings.ContainsAny(plain, " '’") || hasOtherComma {
		return "", false // two kinds of thousands separators
	}
	return strings.ReplaceAll(plain, ",", "."), true
}

// Number returns the value of a JSON number, or of a text that contains a number. The text may end
// with the unit that the specification uses, such as "m²". Number returns false for other values.
func Number(v jsontext.Value) (float64, bool) {
	switch v.Kind() {
	case '0':
		if f, err := strconv.ParseFloat(string(v), 64); err == nil {
			return f, true
		}
	case '"':
		if f, ok := ParseNumber(ownUnit.ReplaceAllString(strings.TrimSpace(Text(v)), "")); ok {
			return f, true
		}
	}
	return 0, false
}

// Whole returns a number like [Number], without its decimals. It also returns false if the number is too large.
func Whole(v jsontext.Value) (int64, bool) {
	f, ok := Number(v)
	if !ok || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int64(f), true
}
