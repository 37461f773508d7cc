package widget

import (
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"

	"flightdesk/tui/format"
)

// ErrNumber is the error for text that is not a number.
var ErrNumber = errors.New("not a number; use 4880 or 4,880.00")

// Numbers are accepted with a comma or a point before the decimals, and with separators
// between groups of three digits. A single point always starts the decimals.
var (
	plainNumber   = regexp.MustCompile(`^-?\d*[.,]?\d*$`)
	commaGroups   = regexp.MustCompile(`^-?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$`)
	pointGroups   = regexp.MustCompile(`^-?[1-9]\d{0,2}((\.\d{3}){2,}|(\.\d{3})+,\d*)$`)
	numberSpacing = strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "", "'", "", "−", "-")
)

// ParseNumber parses a number as people type it, optionally followed by its unit.
func ParseNumber(s, unit string) (float64, error) {
	s = strings.TrimSpace(s)
	typed := strings.TrimRightFunc(s, func(r rune) bool { return !strings.ContainsRune("0123456789.,", r) })
	typedUnit := strings.TrimSpace(s[len(typed):])
	if typedUnit != "" && unit == "" {
		return 0, ErrNumber
	}
	if typedUnit != "" && !strings.EqualFold(typedUnit, unit) {
		return 0, errors.New("unknown unit; use " + unit)
	}
	n, err := strconv.ParseFloat(normalizeNumber(numberSpacing.Replace(typed)), 64)
	if err != nil {
		return 0, ErrNumber
	}
	return n, nil
}

// normalizeNumber removes the separators between groups of digits and makes the decimals begin with
// a point. It returns "" for text that is not a number.
func normalizeNumber(typed string) string {
	if commaGroups.MatchString(typed) {
		return strings.ReplaceAll(typed, ",", "")
	}
	if pointGroups.MatchString(typed) {
		withoutGroups := strings.ReplaceAll(typed, ".", "")
		return strings.ReplaceAll(withoutGroups, ",", ".")
	}
	if plainNumber.MatchString(typed) {
		return strings.Replace(typed, ",", ".", 1)
	}
	return ""
}

// Number returns the value of a NumberField.
func (fl *Field) Number() (float64, error) {
	n, err := ParseNumber(fl.line.Value(), fl.Unit)
	if err != nil {
		return 0, err
	}
	hasRange := fl.Most > fl.Least
	if hasRange && (n < fl.Least || n > fl.Most) {
		return 0, errors.New("use a number from " + formatNumber(fl.Least) + " to " + formatNumber(fl.Most))
	}
	return n, nil
}

// formatNumber formats a number with at most two decimals and without trailing zeros.
func formatNumber(n float64) string {
	_, decimals, _ := strings.Cut(strconv.FormatFloat(math.Round(100*n)/100, 'f', -1, 64), ".")
	return format.GroupDigits(n, len(decimals))
}
