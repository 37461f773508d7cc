package form

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"flightdesk/tui/format"
)

// ErrNumber says how a number can be typed.
var ErrNumber = errors.New("not a number; use 4880 or 4,880.00")

// ParseNumber reads a number as people type it, perhaps with its unit behind it. A comma
// or a point before groups of three digits divides thousands, the last one before any
// other number of digits begins the decimals; a lone point always does.
func ParseNumber(s, unit string) (float64, error) {
	s = strings.TrimSpace(s)
	digits := strings.TrimRightFunc(s, func(r rune) bool { return !strings.ContainsRune("0123456789.,", r) })
	if name := strings.TrimSpace(s[len(digits):]); name != "" && unit != "" && !strings.EqualFold(name, unit) {
		return 0, errors.New("unknown unit; use " + unit)
	} else if name != "" && unit == "" {
		return 0, ErrNumber
	}
	plain, ok := ungroupNumber(
		strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "", "'", "", "−", "-").Replace(digits),
	)
	n, err := strconv.ParseFloat(plain, 64)
	if !ok || err != nil {
		return 0, ErrNumber
	}
	return n, nil
}

// ungroupNumber takes the marks of thousands away and leaves a point before the
// decimals.
func ungroupNumber(s string) (string, bool) {
	sign := ""
	if rest, ok := strings.CutPrefix(s, "-"); ok {
		sign, s = "-", rest
	}
	if s == "" || strings.Trim(s, "0123456789.,") != "" || strings.Trim(s, ".,") == "" {
		return "", false
	}
	at := strings.LastIndexAny(s, ".,")
	if at < 0 {
		return sign + s, true
	}
	mark, whole, decimals := s[at:at+1], s[:at], s[at+1:]
	other := ","
	if mark == "," {
		other = "."
	}
	switch {
	case strings.Contains(whole, mark): // the same mark again: all are of thousands
		if strings.Contains(whole, other) || !isGrouped(s, mark) {
			return "", false
		}
		return sign + strings.ReplaceAll(s, mark, ""), true
	case strings.Contains(whole, other): // both: the last one begins the decimals
		if !isGrouped(whole, other) {
			return "", false
		}
		return sign + strings.ReplaceAll(whole, other, "") + "." + decimals, true
	case mark == "," && isGrouped(s, mark):
		return sign + whole + decimals, true
	default:
		return sign + whole + "." + decimals, true
	}
}

// isGrouped tells whether the marks divide groups of three digits.
func isGrouped(s, mark string) bool {
	groups := strings.Split(s, mark)
	if len(groups[0]) == 0 || len(groups[0]) > 3 || groups[0] == "0" && len(groups) > 1 {
		return false
	}
	for _, g := range groups[1:] {
		if len(g) != 3 {
			return false
		}
	}
	return true
}

// Number returns the number that a Number field holds.
func (fl *Field) Number() (float64, error) {
	n, err := ParseNumber(fl.line.Value(), fl.Unit)
	switch {
	case err != nil:
		return 0, err
	case fl.Most > fl.Least && (n < fl.Least || n > fl.Most):
		return 0, errors.New("use a number from " + formatNumber(fl.Least) + " to " + formatNumber(fl.Most))
	}
	return n, nil
}

// formatNumber writes a number with as many decimals as it has, two at most.
func formatNumber(n float64) string {
	decimals := 0
	for decimals < 2 && math.Abs(n*math.Pow10(decimals)-math.Round(n*math.Pow10(decimals))) > 1e-9*math.Max(1, math.Abs(n)) {
		decimals++
	}
	return format.GroupDigits(n, decimals)
}
