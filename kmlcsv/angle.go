package kmlcsv

import (
	"bytes"
	"math"
	"regexp"
	"strings"
)

// angleAxis says whether an angle is a latitude or a longitude. For a longitude it also says what the
// hemisphere letter O stands for: east in German (Ost), west in Spanish (oeste) and French (ouest).
type angleAxis uint8

const (
	latitude       angleAxis = iota
	longitude                // O can mean east or west
	longitudeOEast           // O means east
	longitudeOWest           // O means west
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

// meaningOfO returns the hemisphere that the letter O stands for: "e", "w", or "" if it is not known.
func (a angleAxis) meaningOfO() string {
	switch a {
	case longitudeOEast:
		return "e"
	case longitudeOWest:
		return "w"
	}
	return ""
}

func (a angleAxis) other() angleAxis {
	if a == latitude {
		return longitude
	}
	return latitude
}

// readAngle reads a cell as degrees: a decimal number with a point or a comma, with or without a
// degree sign and a hemisphere letter, or degrees, minutes and seconds.
func readAngle(cell []byte, a angleAxis) (float64, *Error) {
	if v, n := parseNumber(cell, 0); n > 0 && n == len(cell) && !math.IsInf(v, 0) {
		return v, nil
	}
	if inner := bareCell(cell); len(inner) < len(cell) {
		return readAngle(inner, a)
	}
	if len(cell) == 0 {
		return 0, newError(CoordinatesMissing, "the %v is empty", a)
	}
	if isWord(cell) {
		return 0, newError(CoordinatesNotFinite, "the %v is not a finite number: %s", a, cell)
	}
	if len(cell) > maxAngle {
		return 0, newError(CoordinatesUnreadable, "the %v %s: %s", a, notNumber, cell)
	}
	v, code, fault := a.readSexagesimal(unitWords.Replace(strings.ToUpper(dashes.Replace(string(cell)))))
	if code != "" {
		return 0, newError(code, "the %v %s: %s", a, fault, cell)
	}
	return v, nil
}

// maxAngle is the longest text that is read as degrees, minutes and seconds, in bytes.
const maxAngle = 64

// bareCell returns a cell without white space, a comma at its end, and the marks with which spreadsheets
// store a number as text: ="48.71" and '48.71.
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

// dashes replaces variants of the minus sign and of the signs for degrees, minutes and seconds.
var dashes = strings.NewReplacer(
	"−", "-", "–", "-", "º", "°", "˚", "°", "′", "'", "’", "'", "´", "'", "ʹ", "'",
	"″", `"`, "”", `"`, "“", `"`, "ʺ", `"`, "''", `"`, "\u00a0", " ", "\u202f", " ", "\u2009", " ",
)

// unitWords replaces words for hemispheres and units by letters and signs. Exiftool writes deg for
// degrees.
var unitWords = strings.NewReplacer(
	"С.Ш.", "N", "Ю.Ш.", "S", "В.Д.", "E", "З.Д.", "W",
	"ÖST", "E", "Ö", "E", "Ø", "E",
	"NORTH", "N", "SOUTH", "S", "EAST", "E", "WEST", "W",
	"NORD", "N", "OESTE", "W", "OUEST", "W", "OVEST", "W", "ESTE", "E", "EST", "E", "OST", "E",
	"DEGREES", "°", "DEG", "°", "MINUTES", "'", "MIN", "'", "SECONDS", `"`, "SEC", `"`,
)

// sexagesimalText matches an optional sign and one to three numbers, which are separated by units or
// white space.
var sexagesimalText = regexp.MustCompile(`^\s*([-+]?)\s*([0-9.,]+)(?:(?:\s*[°D:]\s*|\s+)([0-9.,]+)` +
	`(?:(?:\s*[':M]\s*|\s+)([0-9.,]+)\s*["S]?|\s*[':M])?|\s*[°D:])?\s*$`)

// readSexagesimal reads degrees, minutes and seconds. If it fails, the code is not "" and fault is
// the end of a sentence about the angle, such as "is not a number".
func (a angleAxis) readSexagesimal(text string) (degrees float64, code Code, fault string) {
	rest, letterSign, code, fault := a.cutHemisphere(strings.TrimSpace(text))
	if code != "" {
		return 0, code, fault
	}
	hasLetter := letterSign != 0
	if hasLetter {
		// Digits and dashes alone can have other meanings. With a letter, they are an angle.
		if packed, ok := packedAngle(rest, a); ok {
			return packed * float64(letterSign), "", ""
		}
		rest = separatedText.ReplaceAllString(rest, "$1 $2 $3")
	}
	m := sexagesimalText.FindStringSubmatch(rest)
	if m == nil {
		return 0, CoordinatesUnreadable, notNumber
	}
	hasMinus := m[1] == "-"
	if hasMinus && hasLetter {
		return 0, CoordinatesUnreadable, "is ambiguous, it has both a sign and a letter"
	}
	degrees, code, fault = sumParts(m[2:])
	if code != "" {
		return 0, code, fault
	}
	if hasMinus || letterSign < 0 {
		return -degrees, "", ""
	}
	return degrees, "", ""
}

// sumParts adds up the degrees, minutes and seconds of an angle. An empty part ends the list. Only the
// last part may have a fraction. If a part cannot be read, the code is not "" and fault is the end of a
// sentence about the angle.
func sumParts(parts []string) (degrees float64, code Code, fault string) {
	unitsInDegree := 1.0
	followsFraction := false
	for i, part := range parts {
		if part == "" {
			break
		}
		if strings.Count(part, ".")+strings.Count(part, ",") > 1 {
			return 0, CoordinatesUnreadable, "is ambiguous, it has more than one decimal separator"
		}
		digits := strings.Replace(part, ",", ".", 1)
		number, end := parseNumber([]byte(digits), 0)
		isNumber := end > 0 && end == len(digits)
		isTooLarge := i > 0 && number >= 60 // minutes and seconds
		if !isNumber || isTooLarge || followsFraction {
			return 0, CoordinatesUnreadable, notNumber
		}
		degrees += number / unitsInDegree
		unitsInDegree *= 60
		followsFraction = strings.Contains(digits, ".")
	}
	return degrees, "", ""
}

var (
	// packedText matches degrees of two or three digits, minutes and optional seconds without signs
	// between them: 404512.5 and 0093015.
	packedText = regexp.MustCompile(`^\s*([0-9]{2,3})([0-5][0-9])([0-5][0-9])?([.,][0-9]+)?\s*$`)
	// separatedText matches degrees, minutes and seconds that are separated by dashes or points.
	separatedText = regexp.MustCompile(`^\s*([0-9]{1,3})[-.]([0-5][0-9])[-.]([0-5][0-9](?:[.,][0-9]+)?)\s*$`)
)

// packedAngle reads degrees, minutes and seconds without separators, such as 404512.5 and 0093015. The
// degrees have two digits, and for a longitude two or three.
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

// Forms of degrees and minutes in one number. They are also values of Options.Unit.
const (
	packedMinutes = "dm"  // 4807.038
	packedSeconds = "dms" // 480702.3
)

// unpackAngle converts a number in the form packedMinutes or packedSeconds to degrees. ok is false if
// the minutes or the seconds are 60 or more.
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

// cutHemisphere removes the letter of the hemisphere from the start or the end of a text. The sign is
// 1 or -1, or 0 if there is no letter. If the letter is wrong, the code is not "" and fault is the end
// of a sentence about the angle.
func (a angleAxis) cutHemisphere(text string) (rest string, sign int, code Code, fault string) {
	if text == "" {
		return "", 0, CoordinatesUnreadable, notNumber
	}
	first := text[0]
	last := text[len(text)-1]
	if isLetter(first) {
		return a.readHemisphere(first, text[1:])
	}
	if !isLetter(last) || last == 'D' {
		return text, 0, "", ""
	}
	rest = text[:len(text)-1]
	if last == 'S' && strings.Contains(rest, "M") {
		return "", 0, CoordinatesUnreadable, "is ambiguous, S can mean seconds or south"
	}
	return a.readHemisphere(last, rest)
}

// readHemisphere finds the sign of a hemisphere letter. Its results are the results of cutHemisphere:
// text is returned as the rest.
func (a angleAxis) readHemisphere(letter byte, text string) (rest string, sign int, code Code, fault string) {
	positive, negative := a.hemisphereLetters()
	if strings.IndexByte(positive, letter) >= 0 {
		return text, 1, "", ""
	}
	if strings.IndexByte(negative, letter) >= 0 {
		return text, -1, "", ""
	}
	if letter == 'O' && a == longitude {
		return "", 0, LetterAmbiguous, "is ambiguous, O can mean east or west"
	}
	if letter == 'O' && a == latitude {
		return "", 0, CoordinatesUnreadable, "is ambiguous, O can mean 0 or a side of the world"
	}
	if strings.IndexByte("NSZEW", letter) >= 0 {
		return "", 0, WrongHemisphere, "has the letter of a " + a.other().String()
	}
	return "", 0, CoordinatesUnreadable, notNumber
}
