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
	longitudeOEast // O is east
	longitudeOWest // O is west
)

func (a angleAxis) String() string { return [...]string{"latitude", "longitude"}[min(a, longitude)] }

// hemisphereLetters returns the letters of the positive and of the negative hemisphere.
func (a angleAxis) hemisphereLetters() (positive, negative string) {
	switch a {
	case latitude:
		return "N", "SZ"
	case longitudeOEast:
		return "EOL", "W"
	case longitudeOWest:
		return "EL", "WO"
	}
	return "EL", "W"
}

// other returns the other axis.
func (a angleAxis) other() angleAxis {
	if a == latitude {
		return longitude
	}
	return latitude
}

// readAngle reads a cell as degrees: a decimal number with point or comma, with a
// degree sign or a hemisphere letter, or degrees, minutes and seconds.
func readAngle(cell []byte, a angleAxis) (float64, *Error) {
	if v, n := parseNumber(cell, 0); n > 0 && n == len(cell) && !math.IsInf(v, 0) {
		return v, nil
	}
	if inner := bareCell(cell); len(inner) < len(cell) {
		return readAngle(inner, a)
	}
	v, code, what := 0.0, CoordinatesUnreadable, notNumber
	switch {
	case len(cell) == 0:
		return 0, newError(CoordinatesMissing, "the %v is empty", a)
	case isWord(cell):
		code, what = CoordinatesNotFinite, "is not a finite number"
	case len(cell) <= maxAngle:
		v, code, what = a.readSexagesimal(unitWords.Replace(strings.ToUpper(dashes.Replace(string(cell)))))
	}
	if code == "" {
		return v, nil
	}
	return 0, newError(code, "the %v %s: %s", a, what, cell)
}

// maxAngle is the longest text that is tried as degrees, minutes and seconds, in bytes.
const maxAngle = 64

// bareCell takes white space off a cell, a comma at its end, and the marks with which spreadsheets
// keep a number as text: ="48.71" and '48.71.
func bareCell(cell []byte) []byte {
	cell = bytes.TrimRight(bytes.TrimSpace(cell), ",;")
	if inner, ok := bytes.CutPrefix(cell, []byte(`="`)); ok && bytes.HasSuffix(inner, []byte(`"`)) {
		return bytes.TrimSpace(inner[:len(inner)-1])
	}
	if len(cell) > 1 && cell[0] == '\'' && (cell[1] >= '0' && cell[1] <= '9' || cell[1] == '-' || cell[1] == '+') {
		return bytes.TrimSpace(cell[1:])
	}
	return cell
}

const notNumber = "is not a number"

// dashes brings the signs of degrees, minutes and seconds to one of each.
var dashes = strings.NewReplacer(
	"−", "-", "–", "-", "º", "°", "˚", "°", "′", "'", "’", "'", "´", "'", "ʹ", "'",
	"″", `"`, "”", `"`, "“", `"`, "ʺ", `"`, "''", `"`, "\u00a0", " ", "\u202f", " ", "\u2009", " ",
)

// unitWords are the units in letters, as exiftool writes degrees.
var unitWords = strings.NewReplacer(
	"С.Ш.", "N", "Ю.Ш.", "S", "В.Д.", "E", "З.Д.", "W",
	"ÖST", "E", "Ö", "E", "Ø", "E",
	"NORTH", "N", "SOUTH", "S", "EAST", "E", "WEST", "W", "NORD", "N", "OESTE", "W", "OUEST", "W", "OVEST", "W", "ESTE", "E", "EST", "E", "OST", "E",
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

// sexagesimalText is a sign, and one to three numbers with units or white space between.
var sexagesimalText = regexp.MustCompile(`^\s*([-+]?)\s*([0-9.,]+)(?:(?:\s*[°D:]\s*|\s+)([0-9.,]+)` +
	`(?:(?:\s*[':M]\s*|\s+)([0-9.,]+)\s*["S]?|\s*[':M])?|\s*[°D:])?\s*$`)

// readSexagesimal reads degrees, minutes and seconds. Where it cannot, the code is not ""
// and what tells why.
func (a angleAxis) readSexagesimal(text string) (v float64, code Code, what string) {
	text, sign, code, what := a.takeHemisphere(strings.TrimSpace(text))
	if code != "" {
		return 0, code, what
	}
	if sign != 0 {
		if v, ok := packedAngle(text, a); ok {
			return v * float64(sign), "", ""
		}
		text = separatedText.ReplaceAllString(text, "$1 $2 $3")
	}
	m := sexagesimalText.FindStringSubmatch(text)
	if m == nil {
		return 0, CoordinatesUnreadable, notNumber
	}
	if m[1] == "-" && sign != 0 {
		return 0, CoordinatesUnreadable, "is ambiguous, it has both a sign and a letter"
	}
	size, whole := 1.0, true
	for i, part := range m[2:] {
		if part == "" {
			break
		}
		digits := strings.Replace(part, ",", ".", 1)
		if strings.Count(part, ".")+strings.Count(part, ",") > 1 {
			return 0, CoordinatesUnreadable, "is ambiguous, it has more than one decimal separator"
		}
		number, n := parseNumber([]byte(digits), 0)
		if n == 0 || n != len(digits) || !whole || i > 0 && number >= 60 {
			return 0, CoordinatesUnreadable, notNumber // only the last part may have a fraction
		}
		v += number / size
		size, whole = size*60, !strings.Contains(digits, ".")
	}
	if m[1] == "-" || sign < 0 {
		v = -v
	}
	return v, "", ""
}

var (
	// packedText are degrees of two or three digits, minutes and perhaps seconds without anything
	// between: 404512.5 and 0093015.
	packedText = regexp.MustCompile(`^\s*([0-9]{2,3})([0-5][0-9])([0-5][0-9])?([.,][0-9]+)?\s*$`)
	// separatedText are degrees, minutes and seconds with dashes or points between.
	separatedText = regexp.MustCompile(`^\s*([0-9]{1,3})[-.]([0-5][0-9])[-.]([0-5][0-9](?:[.,][0-9]+)?)\s*$`)
)

// packedAngle reads packed degrees. A latitude has two digits for the degrees, a longitude three or
// two.
func packedAngle(text string, a angleAxis) (v float64, ok bool) {
	m := packedText.FindStringSubmatch(text)
	if m == nil || a == latitude && len(m[1]) > 2 {
		return 0, false
	}
	parts := []string{m[1], m[2], m[3]}
	last := 1
	if m[3] != "" {
		last = 2
	}
	parts[last] += strings.Replace(m[4], ",", ".", 1)
	for i, part := range parts[:last+1] {
		number, _ := parseNumber([]byte(part), 0)
		v += number / math.Pow(60, float64(i))
	}
	return v, true
}

// The forms of packed degrees, which are also units of coordinates.
const (
	packedMinutes = "dm"  // 4807.038
	packedSeconds = "dms" // 480702.3
)

// unpackAngle returns the degrees of a number in a form of packed degrees. ok is false if its
// minutes or seconds are 60 or more.
func unpackAngle(v float64, form string) (degrees float64, ok bool) {
	size := math.Abs(v)
	seconds := 0.0
	if form == packedSeconds {
		seconds = math.Mod(size, 100)
		size = math.Trunc(size / 100)
	}
	minutes := math.Mod(size, 100)
	degrees = math.Trunc(size/100) + minutes/60 + seconds/3600
	return math.Copysign(degrees, v), minutes < 60 && seconds < 60
}

// takeHemisphere takes the letter off the start or end of a text. The sign is 0 without
// one.
func (a angleAxis) takeHemisphere(text string) (rest string, sign int, code Code, what string) {
	if text == "" {
		return "", 0, CoordinatesUnreadable, notNumber
	}
	letter, last := text[0], text[len(text)-1]
	switch {
	case isLetter(letter):
		rest = text[1:]
	case !isLetter(last) || last == 'D':
		return text, 0, "", ""
	default:
		letter, rest = last, text[:len(text)-1]
	}
	positive, negative := a.hemisphereLetters()
	what = notNumber
	switch {
	case letter == 'S' && !isLetter(text[0]) && strings.Contains(rest, "M"):
		what = "is ambiguous, S can mean seconds or south"
	case strings.IndexByte(positive, letter) >= 0:
		return rest, 1, "", ""
	case strings.IndexByte(negative, letter) >= 0:
		return rest, -1, "", ""
	case letter == 'O' && a == longitude:
		return "", 0, LetterAmbiguous, "is ambiguous, O can mean east or west"
	case letter == 'O' && a == latitude:
		what = "is ambiguous, O can mean 0 or a side of the world"
	case strings.IndexByte("NSZEW", letter) >= 0:
		return "", 0, WrongHemisphere, "has the letter of a " + a.other().String()
	}
	return "", 0, CoordinatesUnreadable, what
}
