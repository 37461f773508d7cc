package kmlcsv

import (
	"bytes"
	"math"
	"regexp"
	"strings"
)

// angleAxis is what an angle of a CSV is.
type angleAxis uint8

const (
	latitude angleAxis = iota
	longitude
)

func (a angleAxis) String() string { return [...]string{"latitude", "longitude"}[a] }

// hemisphereLetters returns the hemisphere letters of an axis, positive before negative.
func (a angleAxis) hemisphereLetters() string { return [...]string{"NSZ", "EW"}[a] }

// readAngle reads a cell as degrees: a decimal number with point or comma, with a
// degree sign or a hemisphere letter, or degrees, minutes and seconds. Where it
// cannot, the code is not "" and the message says why.
func readAngle(cell []byte, a angleAxis) (v float64, code Code, message string) {
	if v, n := parseNumber(cell, 0); n > 0 && n == len(cell) && !math.IsInf(v, 0) {
		return v, "", ""
	}
	if trimmed := bytes.TrimSpace(cell); len(trimmed) < len(cell) {
		return readAngle(trimmed, a)
	}
	said := func(what string) string { return "the " + a.String() + " " + what + ": " + oneLine(cell) }
	switch {
	case len(cell) == 0:
		return 0, CoordinatesMissing, "the " + a.String() + " is empty"
	case isWord(cell):
		return 0, CoordinatesNotFinite, said("is not a finite number")
	case len(cell) > 64:
		return 0, CoordinatesUnreadable, said("is not a number")
	}
	s := sexagesimalReader{axis: a}
	v, code = s.readAngle(unitWords.Replace(strings.ToUpper(dashes.Replace(string(cell)))))
	switch {
	case code == "":
		return v, "", ""
	case code == WrongHemisphere:
		return 0, code, said("has the letter of a " + (longitude - a).String())
	case s.why != "":
		return 0, code, said("is ambiguous, " + s.why)
	}
	return 0, code, said("is not a number")
}

// dashes brings the signs of degrees, minutes and seconds to one of each.
var dashes = strings.NewReplacer(
	"−", "-", "–", "-", "º", "°", "˚", "°", "′", "'", "’", "'", "´", "'", "ʹ", "'",
	"″", `"`, "”", `"`, "“", `"`, "ʺ", `"`, "''", `"`, "\u00a0", " ", "\u202f", " ", "\u2009", " ",
)

// unitWords are the units in letters, as exiftool writes degrees.
var unitWords = strings.NewReplacer(
	"DEGREES",
	"°",
	"DEG",
	"°",
	"MINUTES",
	"'",
	"MIN",
	"'",
	"SECONDS",
	`"`,
	"SEC",
	`"`,
)

// sexagesimalReader reads degrees, minutes and seconds.
type sexagesimalReader struct {
	axis angleAxis
	why  string // it is ambiguous
}

// sexagesimalText is a sign, and one to three numbers with units or white space between.
var sexagesimalText = regexp.MustCompile(`^\s*([-+]?)\s*([0-9.,]+)(?:(?:\s*[°D:]\s*|\s+)([0-9.,]+)` +
	`(?:(?:\s*[':M]\s*|\s+)([0-9.,]+)\s*["S]?|\s*[':M])?|\s*[°D:])?\s*$`)

func (s *sexagesimalReader) readAngle(text string) (float64, Code) {
	text, sign, code := s.takeHemisphere(strings.TrimSpace(text))
	if code != "" {
		return 0, code
	}
	m := sexagesimalText.FindStringSubmatch(text)
	if m == nil {
		return 0, CoordinatesUnreadable
	}
	if m[1] == "-" && sign != 0 {
		s.why = "it has both a sign and a letter"
		return 0, CoordinatesUnreadable
	}
	v, size, whole := 0.0, 1.0, true
	for i, part := range m[2:] {
		if part == "" {
			break
		}
		digits := strings.Replace(part, ",", ".", 1)
		if strings.Count(part, ".")+strings.Count(part, ",") > 1 {
			s.why = "it has more than one decimal separator"
		}
		number, n := parseNumber([]byte(digits), 0)
		if n == 0 || n != len(digits) || !whole || i > 0 && number >= 60 {
			return 0, CoordinatesUnreadable // only the last part may have a fraction
		}
		v += number / size
		size, whole = size*60, !strings.Contains(digits, ".")
	}
	if m[1] == "-" || sign < 0 {
		v = -v
	}
	return v, ""
}

// takeHemisphere takes the letter off the start or end of a text. The sign is 0 without
// one.
func (s *sexagesimalReader) takeHemisphere(text string) (rest string, sign int, code Code) {
	if text == "" {
		return "", 0, CoordinatesUnreadable
	}
	letter, last := text[0], text[len(text)-1]
	switch {
	case isLetter(letter):
		rest = text[1:]
	case !isLetter(last) || last == 'D':
		return text, 0, ""
	default:
		letter, rest = last, text[:len(text)-1]
	}
	i := strings.IndexByte(s.axis.hemisphereLetters(), letter)
	switch {
	case letter == 'S' && !isLetter(text[0]) && strings.Contains(rest, "M"):
		s.why = "S can mean seconds or south"
	case i == 0:
		return rest, 1, ""
	case i > 0:
		return rest, -1, ""
	case letter == 'O':
		s.why = "O can mean east or west"
	case strings.IndexByte("NSZEW", letter) >= 0:
		return "", 0, WrongHemisphere
	}
	return "", 0, CoordinatesUnreadable
}
