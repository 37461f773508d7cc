package kmlcsv

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/paulmach/orb"
)

// controlList is a list of ground control points in the format of OpenDroneMap. The first line names the reference
// system. Each further line describes a point that is visible in a photo: the three coordinates of the point, the
// column and the row of the point in the photo, and the file name of the photo. Blanks or tabs separate these fields.
type controlList struct {
	lines  []string
	header int    // index of the line with the reference system, -1 for none
	system string // reference system as written in the file
}

var (
	imageName  = newPattern(`(?i)^[^\s]+\.(jpe?g|tiff?|png|dng|raw|arw|cr2|nef)$`)
	projText   = newPattern(`^\+(?:proj|init)=`)
	systemLine = newPattern(`(?i)^(?:EPSG\s*:?\s*[0-9]{4,6}|[0-9]{4,6}|\+(?:proj|init)=.*|WGS ?84.*|.*\bUTM\b.*)$`)
)

// The start of a text in which findControlList looks for a list.
const (
	controlHead    = 50      // lines
	maxControlHead = 1 << 14 // bytes
)

// findControlList recognises a list of control points by its first lines. ok is false if the text is not such a list.
func findControlList(text []byte) (list controlList, ok bool) {
	list.header = -1
	rows := 0        // lines except blank lines, comments and the header
	controlRows := 0 // rows with a point in a photo
	for i, line := range firstLines(text) {
		if isBlankOrComment(line) {
			continue
		}
		line = strings.TrimSpace(line)
		isFirst := rows == 0 && list.header < 0
		if isFirst && isSystemLine(line) {
			list.header = i
			list.system = line
			continue
		}
		rows++
		if isControlRow(strings.Fields(line)) {
			controlRows++
		}
	}
	if controlRows == 0 || !isMost(controlRows, rows) {
		return list, false
	}
	list.lines = strings.Split(string(text), "\n")
	return list, true
}

// firstLines returns the first lines of a text. It leaves out a last line that is incomplete.
func firstLines(text []byte) []string {
	start := text[:min(len(text), maxControlHead)]
	lines := strings.SplitN(string(start), "\n", controlHead+1)
	isCut := len(lines) > controlHead || len(start) < len(text)
	if isCut {
		return lines[:len(lines)-1]
	}
	return lines
}

// isSystemLine reports whether a line names a reference system. It returns false for a line that starts with two
// numbers, because it describes a point.
func isSystemLine(line string) bool {
	return systemLine().MatchString(line) && numbersAtStart(strings.Fields(line)) < 2
}

// isControlRow reports whether a row describes a control point: its easting, northing and height, its column and row
// in a photo, and the file name of the photo.
func isControlRow(fields []string) bool {
	const photo = 5 // index of the name of the photo
	return len(fields) > photo && numbersAtStart(fields) >= photo && imageName().MatchString(fields[photo])
}

// numbersAtStart returns how many fields at the start of a row are numbers.
func numbersAtStart(fields []string) int {
	for i, field := range fields {
		if _, err := strconv.ParseFloat(field, 64); err != nil {
			return i
		}
	}
	return len(fields)
}

// systemCode returns the EPSG code of the reference system that the list names, or 0 if the system
// is not known.
func (l *controlList) systemCode() int {
	if projText().MatchString(l.system) {
		return projCode(l.system)
	}
	if code := mentionedCode(l.system); code != 0 {
		return code
	}
	if folded := foldName(l.system); folded == "wgs84" {
		return 4326
	}
	return 0
}

// projCode returns the EPSG code of the system that a PROJ string describes. The string can name a code. Otherwise it
// must describe a UTM zone or degrees, and its datum must be WGS 84 or nearly the same. For any other string, projCode
// returns 0.
func projCode(text string) int {
	params := parsePROJ(text)
	if _, code, ok := strings.Cut(strings.ToLower(params["init"]), "epsg:"); ok {
		n, _ := strconv.Atoi(code)
		return n
	}
	isMetres := params["units"] == "" || params["units"] == "m"
	if !isNearWGS84(params) || !isMetres {
		return 0
	}
	switch params["proj"] {
	case "longlat", "latlong":
		return 4326
	case "utm":
		zone, _ := strconv.Atoi(params["zone"])
		_, isSouth := params["south"]
		return utmCodeOnWGS84(zone, isSouth)
	}
	return 0
}

// parsePROJ returns the parameters of a PROJ string. For +proj=utm +zone=32, these are "proj" and "zone" with their
// values.
func parsePROJ(text string) map[string]string {
	params := make(map[string]string)
	for word := range strings.FieldsSeq(text) {
		name, value, _ := strings.Cut(strings.TrimPrefix(word, "+"), "=")
		params[name] = value
	}
	return params
}

// isNearWGS84 reports whether the datum of a PROJ string is WGS 84 or nearly the same. That is the case if the string
// names WGS 84, or if it names no datum but the ellipsoid of WGS 84 or GRS 80.
func isNearWGS84(params map[string]string) bool {
	if params["datum"] != "" {
		return strings.EqualFold(params["datum"], "WGS84")
	}
	return params["ellps"] == "WGS84" || params["ellps"] == "GRS80"
}

// utmCodeOnWGS84 returns the EPSG code of a UTM zone on WGS 84, or 0 if there is no such zone.
func utmCodeOnWGS84(zone int, isSouth bool) int {
	if zone < 1 || zone > 60 {
		return 0
	}
	if isSouth {
		return 32700 + zone
	}
	return 32600 + zone
}

// controlName is the index of the field with the name of the control point. The field may be missing.
const controlName = 6

// controlKey returns a key for the control point in a line: its name, otherwise its coordinates. Several lines with
// the same key describe the same point in different photos.
func controlKey(fields []string) string {
	if len(fields) > controlName {
		return fields[controlName]
	}
	return strings.Join(fields[:min(2, len(fields))], " ")
}

// parse reads the list. If several lines describe the same point, they give one site at the position in the first of
// these lines. If the list names no reference system, parse asks for it as soon as it has read a position. decoded says
// how the text of the list was decoded.
func (l *controlList) parse(decoded decoding, opts readOptions) (*Result, *Error) {
	b := newResultBuilder(opts, FormatCSV)
	b.addDecoding(decoded)
	hasSystem, failed := l.useSystem(b)
	if failed != nil {
		return b.res, failed
	}
	account := Account{Unit: "line", Total: len(l.lines)}
	points := make(map[string]bool) // keys of the points so far, from controlKey
	for i, line := range l.lines {
		if i == l.header || isBlankOrComment(line) {
			account.Other++
			continue
		}
		b.startPlacemark(i + 1) // also needed for a repeated point, because it checks whether reading takes too long
		fields := strings.Fields(line)
		position, hasPosition := parseControlPosition(fields)
		if !hasSystem && hasPosition {
			return b.res, b.askSystem(position[0], position[1])
		}
		key := controlKey(fields)
		if points[key] {
			account.Parts++
			continue
		}
		points[key] = true
		defaultName := "GCP " + strconv.Itoa(len(points))
		isAdded := addControlPoint(b, line, defaultName)
		if isAdded {
			account.Sites++
		} else {
			account.Skipped++
		}
	}
	b.res.Accounts = append(b.res.Accounts, account)
	return b.finishResult(newError(NoRows, "no control points below the reference system"))
}

// isBlankOrComment reports whether a line has no control point because it is blank or a comment. Comments begin with
// #.
func isBlankOrComment(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || line[0] == '#'
}

// useSystem chooses the reference system of the coordinates: the system in the options, otherwise the system in the
// first line of the list. hasSystem is false if neither names a system. If the list names a system that is not known,
// failed asks the user for it.
func (l *controlList) useSystem(b *resultBuilder) (hasSystem bool, failed *Error) {
	code := b.opts.CRS
	if code == 0 && l.header >= 0 {
		code = l.systemCode()
		if code == 0 {
			return false, l.askForUnknown(b)
		}
	}
	const wgs84 = 4326 // needs no conversion
	if code == 0 || code == wgs84 {
		return code == wgs84, nil
	}
	return true, b.useSystemCode(code)
}

// addControlPoint adds the control point in a line as a placemark. If the line has no name for the point, name is
// used. If the line cannot be read, addControlPoint adds a warning and returns false.
func addControlPoint(b *resultBuilder, line, name string) bool {
	fields := strings.Fields(line)
	b.draft.name = name
	if len(fields) > controlName {
		b.draft.name = b.makeName([]byte(fields[controlName]))
	}
	p, hasPosition := parseControlPosition(fields)
	if hasPosition {
		b.addChecked(rawFigure{points: []orb.Point{p}})
	} else {
		b.skipPlacemark(newError(CoordinatesUnreadable, "it does not begin with two numbers: %s", []byte(line)))
	}
	b.finishPlacemark()
	return len(b.res.Placemarks) > b.draft.since.placemarks
}

// parseControlPosition returns the position of a control point. Its two coordinates are the first two fields of its
// line. ok is false if the fields are missing or not numbers.
func parseControlPosition(fields []string) (p orb.Point, ok bool) {
	if len(fields) < 2 {
		return p, false
	}
	for i, field := range fields[:2] {
		v, end := parseNumber([]byte(field), 0)
		if end != len(field) {
			return p, false
		}
		p[i] = v
	}
	return p, true
}

// askForUnknown asks the user for the reference system, because the list names a system that is not known.
func (l *controlList) askForUnknown(b *resultBuilder) *Error {
	b.res.Questions = append(b.res.Questions, Question{
		Kind: AskSystem,
		Text: writeMessage("The reference system %s is not known. Which one is it?", []byte(l.system)),
	})
	return newError(ProjectedCoords, "the reference system %s is not known; select it by its EPSG code",
		bytes.TrimSpace([]byte(l.system)))
}
