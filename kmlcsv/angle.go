package kmlcsv

import (
	"bytes"
	"math"
	"strings"
)

// angleAxis tells whether an angle is a latitude or a longitude. For a longitude it also tells whether the hemisphere
// letter O means east, as in German (Ost), or west, as in Spanish (oeste) and French (ouest).
type angleAxis uint8

const (
	latitude       angleAxis = iota
	longitude                // O can mean east or west
	longitudeOEast           // O means east
	longitudeOWest           // O means west
)

func (a angleAxis) String() string { return [...]string{"latitude", "longitude"}[min(a, longitude)] }

// hemisphereLetters returns the letters that mark positive angles (north or east) and the letters that mark negative
// angles (south or west).
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

// meaningOfO returns "e" if the letter O means east, "w" if it means west, or "" if its meaning is not known.
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
		return 0, newError(notNumber.code, "the %v %s: %s", a, notNumber.text, cell)
	}
	v, fault := a.readSexagesimal(unitWords.Replace(strings.ToUpper(dashes.Replace(string(cell)))))
	if fault != nil {
		return 0, newError(fault.code, "the %v %s: %s", a, fault.text, cell)
	}
	return v, nil
}

// angleFault explains why a text is not an angle.
type angleFault struct {
	code Code
	text string // reason that follows the name of the angle in a message, such as "is not a number"
}

var notNumber = &angleFault{CoordinatesUnreadable, "is not a number"}

// maxAngle is the maximum length in bytes of an angle in degrees, minutes and seconds. A longer text is not an angle.
const maxAngle = 64

// bareCell removes what spreadsheets write around a number: white space, a comma or semicolon at the end, and the
// marks for a number that is stored as text. Both ="48.71" and '48.71 become 48.71.
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

// dashes replaces typographic characters by the plain characters that the parser reads. For instance, it replaces an
// en dash by a minus sign, a prime by an apostrophe and a no-break space by a blank.
var dashes = strings.NewReplacer(
	"−", "-", "–", "-", "º", "°", "˚", "°", "′", "'", "’", "'", "´", "'", "ʹ", "'",
	"″", `"`, "”", `"`, "“", `"`, "ʺ", `"`, "''", `"`, "\u00a0", " ", "\u202f", " ", "\u2009", " ",
)

// unitWords replaces words by the short forms that the parser reads: NORTH by N, and DEG, which Exiftool writes, by
// °.
var unitWords = strings.NewReplacer(
	"С.Ш.", "N", "Ю.Ш.", "S", "В.Д.", "E", "З.Д.", "W",
	"ÖST", "E", "Ö", "E", "Ø", "E",
	"NORTH", "N", "SOUTH", "S", "EAST", "E", "WEST", "W",
	"NORD", "N", "OESTE", "W", "OUEST", "W", "OVEST", "W", "ESTE", "E", "EST", "E", "OST", "E",
	"DEGREES", "°", "DEG", "°", "MINUTES", "'", "MIN", "'", "SECONDS", `"`, "SEC", `"`,
)

// sexagesimalText matches an optional sign and up to three numbers: degrees, minutes and seconds. Units or white
// space separate the numbers. Its groups are the sign and the three numbers.
var sexagesimalText = newPattern(`^\s*([-+]?)\s*([0-9.,]+)(?:(?:\s*[°D:]\s*|\s+)([0-9.,]+)` +
	`(?:(?:\s*[':M]\s*|\s+)([0-9.,]+)\s*["S]?|\s*[':M])?|\s*[°D:])?\s*$`)

// readSexagesimal reads degrees, or degrees, minutes and seconds. The angle is negative if it has a minus sign or the
// letter of the southern or western hemisphere, as in -48 42 36 and 48°42'36"S. The caller must have converted the
// text to upper case and its units to the signs ° ' and ". If the text is not an angle, fault is the reason.
func (a angleAxis) readSexagesimal(text string) (degrees float64, fault *angleFault) {
	rest, letterSign, fault := a.cutHemisphere(strings.TrimSpace(text))
	if fault != nil {
		return 0, fault
	}
	hasLetter := letterSign != 0
	if !hasLetter {
		return readSigned(rest)
	}
	size, fault := a.readUnsigned(rest)
	if fault != nil {
		return 0, fault
	}
	return size * float64(letterSign), nil
}

// readSigned reads an angle without a hemisphere letter, such as -48 42 36. If the text is not an angle, fault is the
// reason.
func readSigned(text string) (degrees float64, fault *angleFault) {
	sign, parts, ok := splitAngle(text)
	if !ok {
		return 0, notNumber
	}
	size, fault := sumParts(parts)
	if fault != nil {
		return 0, fault
	}
	if sign == "-" {
		return -size, nil
	}
	return size, nil
}

// readUnsigned reads the rest of an angle after its hemisphere letter was removed, such as 48°42'36". It also reads
// 484236 and 48-42-36 as degrees, minutes and seconds, because the letter shows that the text is an angle and not
// another number or a date. If the text is not an angle, fault is the reason.
func (a angleAxis) readUnsigned(text string) (size float64, fault *angleFault) {
	packed, isPacked := packedAngle(text, a)
	if isPacked {
		return packed, nil
	}
	text = separatedText().ReplaceAllString(text, "$1 $2 $3")
	sign, parts, ok := splitAngle(text)
	if !ok {
		return 0, notNumber
	}
	if sign == "-" {
		return 0, &angleFault{CoordinatesUnreadable, "is ambiguous, it has both a sign and a letter"}
	}
	return sumParts(parts)
}

// splitAngle splits an angle into its sign and its degrees, minutes and seconds. The sign is "-", "+" or "". parts
// always has three elements; missing minutes or seconds are "". ok is false if the text is not an angle.
func splitAngle(text string) (sign string, parts []string, ok bool) {
	match := sexagesimalText().FindStringSubmatch(text)
	if match == nil {
		return "", nil, false
	}
	return match[1], match[2:], true
}

// sumParts adds up the degrees, minutes and seconds of an angle. Missing minutes or seconds are "". It returns a
// fault if a part is not a number, if minutes or seconds are 60 or more, or if a part before the last has a fraction.
func sumParts(parts []string) (degrees float64, fault *angleFault) {
	unitsInDegree := 1.0
	followsFraction := false
	for i, part := range parts {
		if part == "" {
			break
		}
		if strings.Count(part, ".")+strings.Count(part, ",") > 1 {
			return 0, &angleFault{CoordinatesUnreadable, "is ambiguous, it has more than one decimal separator"}
		}
		digits := strings.Replace(part, ",", ".", 1)
		number, end := parseNumber([]byte(digits), 0)
		isNumber := end > 0 && end == len(digits)
		isTooLarge := i > 0 && number >= 60 // minutes and seconds
		if !isNumber || isTooLarge || followsFraction {
			return 0, notNumber
		}
		degrees += number / unitsInDegree
		unitsInDegree *= 60
		followsFraction = strings.Contains(digits, ".")
	}
	return degrees, nil
}

var (
	// packedText matches degrees of two or three digits, minutes and optional seconds without separators: 404512.5 is
	// 40°45'12.5", and 0093015 is 9°30'15". Its groups are degrees, minutes, seconds and the fraction.
	packedText = newPattern(`^\s*([0-9]{2,3})([0-5][0-9])([0-5][0-9])?([.,][0-9]+)?\s*$`)
	// separatedText matches degrees, minutes and seconds that are separated by dashes or points: 40-45-12.5 and
	// 40.45.12. Its groups are degrees, minutes, and seconds with their fraction.
	separatedText = newPattern(`^\s*([0-9]{1,3})[-.]([0-5][0-9])[-.]([0-5][0-9](?:[.,][0-9]+)?)\s*$`)
)

// packedAngle reads degrees, minutes and seconds without separators, such as 404512.5 and 0093015. A latitude has two
// digits for the degrees, a longitude two or three. ok is false for any other text.
func packedAngle(text string, a angleAxis) (v float64, ok bool) {
	match := packedText().FindStringSubmatch(text)
	if match == nil {
		return 0, false
	}
	isTooLong := a == latitude && len(match[1]) > 2
	if isTooLong {
		return 0, false
	}
	parts := []string{match[1], match[2]} // degrees and minutes
	if seconds := match[3]; seconds != "" {
		parts = append(parts, seconds)
	}
	fraction := strings.Replace(match[4], ",", ".", 1)
	parts[len(parts)-1] += fraction
	for i, part := range parts {
		number, _ := parseNumber([]byte(part), 0) // the pattern has checked the digits
		v += number / math.Pow(60, float64(i))
	}
	return v, true
}

// Forms of degrees and minutes in one number. They are also values of Options.Unit.
const (
	packedMinutes = "dm"  // 4807.038
	packedSeconds = "dms" // 480702.3
)

// unpackAngle converts degrees and minutes that are written as one number to degrees. form is packedMinutes or
// packedSeconds: 4807.038 in the form packedMinutes is 48°7.038'. ok is false if the minutes or the seconds are 60 or
// more.
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

// cutHemisphere removes the hemisphere letter from the start or the end of a text. sign is 1 for north and east, -1
// for south and west, and 0 if there is no letter. It returns a fault if the letter is ambiguous or belongs to the
// other axis, such as a W in a latitude.
func (a angleAxis) cutHemisphere(text string) (rest string, sign int, fault *angleFault) {
	if text == "" {
		return "", 0, notNumber
	}
	first := text[0]
	last := text[len(text)-1]
	if isLetter(first) {
		sign, fault = a.signOf(first)
		return text[1:], sign, fault
	}
	if !isLetter(last) || last == 'D' { // D stands for degrees
		return text, 0, nil
	}
	rest = text[:len(text)-1]
	if last == 'S' && strings.Contains(rest, "M") {
		return "", 0, &angleFault{CoordinatesUnreadable, "is ambiguous, S can mean seconds or south"}
	}
	sign, fault = a.signOf(last)
	return rest, sign, fault
}

// signOf returns the sign of a hemisphere letter: 1 for north and east, -1 for south and west. It returns a fault if
// the letter is ambiguous or belongs to the other axis, such as a W in a latitude.
func (a angleAxis) signOf(letter byte) (sign int, fault *angleFault) {
	positive, negative := a.hemisphereLetters()
	if strings.IndexByte(positive, letter) >= 0 {
		return 1, nil
	}
	if strings.IndexByte(negative, letter) >= 0 {
		return -1, nil
	}
	if letter == 'O' && a == longitude {
		return 0, &angleFault{LetterAmbiguous, "is ambiguous, O can mean east or west"}
	}
	if letter == 'O' && a == latitude {
		return 0, &angleFault{CoordinatesUnreadable, "is ambiguous, O can mean 0 or a side of the world"}
	}
	if strings.IndexByte("NSZEW", letter) >= 0 {
		return 0, &angleFault{WrongHemisphere, "has the letter of a " + a.other().String()}
	}
	return 0, notNumber
}
