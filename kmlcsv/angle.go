package kmlcsv

import (
	"bytes"
	"math"
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
	switch {
	case len(cell) == 0:
		return 0, CoordinatesMissing, "the " + a.String() + " is empty"
	case isWord(cell):
		return 0, CoordinatesNotFinite, "the " + a.String() + " is not a finite number: " + oneLine(cell)
	}
	if len(cell) > 64 {
		return 0, CoordinatesUnreadable, "the " + a.String() + " is not a number: " + oneLine(cell)
	}
	s := sexagesimalReader{text: unitWords.Replace(strings.ToUpper(dashes.Replace(string(cell)))), axis: a}
	v, code = s.readAngle()
	switch {
	case code == "":
		return v, "", ""
	case code == WrongHemisphere:
		return 0, code, "the " + a.String() + " has the letter of a " + (longitude - a).String() + ": " + oneLine(cell)
	case s.why != "":
		return 0, code, "the " + a.String() + " is ambiguous, " + s.why + ": " + oneLine(cell)
	}
	return 0, code, "the " + a.String() + " is not a number: " + oneLine(cell)
}

// dashes brings the signs of degrees, minutes and seconds to one of each.
var dashes = strings.NewReplacer(
	"−", "-", "–", "-", "º", "°", "˚", "°", "′", "'", "’", "'", "´", "'", "ʹ", "'",
	"″", `"`, "”", `"`, "“", `"`, "ʺ", `"`, "''", `"`, "\u00a0", " ", "\u202f", " ", "\u2009", " ",
)

// unitWords are the units in letters, as exiftool writes degrees.
var unitWords = strings.NewReplacer("DEGREES", "°", "DEG", "°", "MINUTES", "'", "MIN", "'", "SECONDS", `"`, "SEC", `"`)

// sexagesimalReader reads degrees, minutes and seconds.
type sexagesimalReader struct {
	text   string
	axis   angleAxis
	why    string // it is ambiguous
	parts  [3]float64
	n      int
	whole  bool // the last part has no fraction
	signed bool // it starts with a '-'
}

func (s *sexagesimalReader) readAngle() (float64, Code) {
	negative, letter, code := s.takeHemisphere()
	if code != "" {
		return 0, code
	}
	s.text = strings.TrimSpace(s.text)
	if s.signed = strings.HasPrefix(s.text, "-"); s.signed || strings.HasPrefix(s.text, "+") {
		s.text = strings.TrimSpace(s.text[1:])
	}
	if s.signed && letter {
		s.why = "it has both a sign and a letter"
		return 0, CoordinatesUnreadable
	}
	s.whole = true
	for s.text != "" {
		if !s.readPart() {
			return 0, CoordinatesUnreadable
		}
	}
	if s.n == 0 || s.n > 1 && (s.parts[1] >= 60 || s.parts[2] >= 60) {
		return 0, CoordinatesUnreadable
	}
	v := s.parts[0] + s.parts[1]/60 + s.parts[2]/3600
	if negative || s.signed {
		v = -v
	}
	return v, ""
}

// takeHemisphere takes the letter off the start or end of the text.
func (s *sexagesimalReader) takeHemisphere() (negative, found bool, code Code) {
	s.text = strings.TrimSpace(s.text)
	if s.text == "" {
		return false, false, CoordinatesUnreadable
	}
	letter := s.text[0]
	if isLetter(letter) {
		s.text = s.text[1:]
	} else if letter = s.text[len(s.text)-1]; isLetter(letter) && letter != 'D' {
		s.text = s.text[:len(s.text)-1]
		if letter == 'S' && strings.Contains(s.text, "M") {
			s.why = "S can mean seconds or south"
			return false, false, CoordinatesUnreadable
		}
	} else {
		return false, false, ""
	}
	i := strings.IndexByte(s.axis.hemisphereLetters(), letter)
	switch {
	case i >= 0:
		return i > 0, true, ""
	case letter == 'O':
		s.why = "O can mean east or west"
		return false, false, CoordinatesUnreadable
	case strings.IndexByte("NSZEW", letter) >= 0:
		return false, false, WrongHemisphere
	}
	return false, false, CoordinatesUnreadable
}

// units are what may follow each part.
var units = [3]string{"°D:", "':M", `"S`}

// readPart reads a number and the sign behind it.
func (s *sexagesimalReader) readPart() bool {
	end := 0
	for end < len(s.text) && (s.text[end] >= '0' && s.text[end] <= '9' || s.text[end] == '.' || s.text[end] == ',') {
		end++
	}
	digits := s.text[:end]
	if points, commas := strings.Count(digits, "."), strings.Count(digits, ","); points+commas > 1 {
		s.why = "it has more than one decimal separator"
		return false
	} else if commas > 0 {
		digits = strings.Replace(digits, ",", ".", 1)
	}
	v, n := parseNumber([]byte(digits), 0)
	if n == 0 || n != len(digits) || s.n == 3 || !s.whole {
		return false // only the last part may have a fraction
	}
	s.parts[s.n] = v
	s.whole = !strings.Contains(digits, ".")
	rest := s.text[end:]
	trimmed := strings.TrimLeft(rest, " ")
	for _, u := range units[s.n] {
		if cut, ok := strings.CutPrefix(trimmed, string(u)); ok {
			trimmed = strings.TrimLeft(cut, " ")
			rest = " " + trimmed
			break
		}
	}
	s.n++
	s.text = trimmed
	return trimmed == "" || rest != trimmed
}
