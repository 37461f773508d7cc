package kmlcsv

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"flightdesk/kmlcsv/crs"
)

// labelledList is a list with labelled eastings and northings in every line, such as
// "Mast 4: E 508091 N 5394868 (UTM 32N)", or with a UTM zone, such as
// "Mast 4: 508091 5394868 32N". It is converted to a table whose header has the labels.
type labelledList struct {
	table []byte // lines separated by line breaks, cells by tabs
	above int    // lines above the header, which is not in the text
}

// maxLabelledLine is the longest line of a labelled list, in bytes.
const maxLabelledLine = 1000

const gridNumberForm = `[0-9]{5,8}(?:[.][0-9]+|,[0-9]{1,3}\b)?`

var (
	axisLabels = [2]string{
		`northing|north|hochwert|hoch|norte|nord|hw|n|h`,
		`easting|east|rechtswert|rechts|este|ost|est|rw|e|r`,
	}
	labelFirst = regexp.MustCompile(`(?i)(?:^|[\s(,;:/|])(` + axisLabels[0] + `|` + axisLabels[1] + `)\s*[:=.]?\s*` +
		`(` + gridNumberForm + `)(?:\s*m\b)?`)
	labelLast = regexp.MustCompile(`(?i)(?:^|[\s(,;:/|])(` + gridNumberForm + `)\s*m?\s*` +
		`(` + axisLabels[0] + `|` + axisLabels[1] + `)\b`)
	northLabel = regexp.MustCompile(`(?i)^(?:` + axisLabels[0] + `)$`)

	bareNumber = regexp.MustCompile(`(?:^|[\s(,;:/|])(` + gridNumberForm + `)(?:\s*m\b)?`)
	gridNumber = regexp.MustCompile(`(?:^|[^0-9.,])` + gridNumberForm)
	// zoneInLine is a UTM zone that is named as one: UTM 32N, zone 32 north.
	zoneInLine = regexp.MustCompile(
		`(?i)\b(?:utm[\s-]*(?:zone\s*)?|zone\s*)((?:[1-5][0-9]|60|[1-9])\s?(?:north|south|[c-hj-np-x])?)\b`)
	// zoneAlone is a part of a line that is only a UTM zone with its band: 32U. The band M is left out,
	// because 35M means metres.
	zoneAlone  = regexp.MustCompile(`^[\s,;:|(]*((?:[1-5][0-9]|60|[1-9])[C-HJ-LNP-X])[\s,;:|).]*$`)
	codeInLine = regexp.MustCompile(`(?i)\bEPSG\s*:{0,2}\s*([0-9]{4,6})\b`)

	// heightInLine is a height behind the easting and the northing.
	heightInLine = regexp.MustCompile(`(?i)\b(?:h|z|height|höhe|alt|altitude|elev|elevation)\s*[:=]?\s*-?[0-9]{1,4}(?:[.,][0-9]+)?\s*m?\b`)
	// otherLabel is a label before a number of any length.
	otherLabel = regexp.MustCompile(`(?i)(?:^|[\s(,;:/|])(?:` + axisLabels[0] + `|` + axisLabels[1] + `)\s*[:=.]?\s*[0-9]`)
	// otherDatum is the name of a datum or a projection that the zone of the line is not on.
	otherDatum = regexp.MustCompile(`(?i)\b(?:datum|dhdn|potsdam|rauenberg|bessel|krass?ow|pulkovo|clarke|hayford|airy|everest|helmert|` +
		`ellipsoid|gau(?:ss|ß)|gk|mgi|rd|ntf|ch1903|lv03|lv95|osgb|bng|nad|tokyo|indian|adindan|arc|cape|corrego|s-?jtsk|stereo)\w*`)
)

// labelledLine is a line of a labelled list.
type labelledLine struct {
	labels [2]string // labels in the order of the line
	values [2]string // numbers in the order of the line
	name   string
	system string // UTM zone or EPSG code, "" for none
	isCode bool   // system is an EPSG code
}

// findLabelledList converts a list of labelled eastings and northings to a table. ok is false unless
// every line with an easting and a northing has the same two labels in the same order.
func findLabelledList(text []byte) (list labelledList, ok bool) {
	var lines []labelledLine
	var first *labelledLine
	number := 0
	for row := range bytes.Lines(text) {
		number++
		startsTooLate := first == nil && number > maxHeadRows
		if startsTooLate || len(row) > maxLabelledLine {
			return list, false
		}
		rowText := string(bytes.TrimSpace(row))
		line, isLabelled := readLabelledLine(rowText)
		if !isLabelled {
			hasHeader := first == nil && mayBeHeader(rowText)
			if hasHeader || mayBePosition(rowText) {
				return list, false
			}
			lines = append(lines, labelledLine{name: rowText})
			continue
		}
		if line.name == "" {
			line.name = "Row " + strconv.Itoa(number)
		}
		if first == nil {
			first = &line
			list.above = len(lines)
		}
		if !line.hasLabelsOf(first) {
			return list, false
		}
		lines = append(lines, line)
	}
	if first == nil {
		return list, false
	}
	list.table = labelledTable(lines, list.above)
	return list, true
}

// hasLabelsOf reports whether a line has the same labels as another line, in the same order.
func (l *labelledLine) hasLabelsOf(other *labelledLine) bool {
	return strings.EqualFold(l.labels[0], other.labels[0]) && strings.EqualFold(l.labels[1], other.labels[1])
}

// mayBePosition reports whether a line without labelled numbers may have a position in another form.
// The text is then not read as a list, because the position would be lost.
func mayBePosition(text string) bool {
	return hasGridNumber([]byte(text)) || otherLabel.MatchString(text) || suspicious.MatchString(text) ||
		len(findPlaces(text)) > 0
}

// mayBeHeader reports whether a line may be the header of a table, because it has several short cells.
// The text is then not read as a list, because the header says more about the columns than the labels.
func mayBeHeader(text string) bool {
	cells := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",;|\t", r) })
	isLong := func(cell string) bool { return len(strings.Fields(cell)) > 2 }
	return len(cells) > 1 && !slices.ContainsFunc(cells, isLong)
}

// numberInLine is a number in a line of text with its label.
type numberInLine struct {
	label      string // has no meaning for a number without a label
	value      string // the number
	start, end int    // offsets in the line
}

// findNumberPair returns the two numbers of a line. It prefers numbers with a label before them,
// then numbers with a label behind them, then numbers without labels. It returns nil if a line has
// more or fewer numbers.
func findNumberPair(text string) (numbers []numberInLine, isLabelled bool) {
	if found := labelFirst.FindAllStringSubmatchIndex(text, -1); len(found) == 2 {
		return numbersOf(text, found, 1, 2), true
	}
	if found := labelLast.FindAllStringSubmatchIndex(text, -1); len(found) == 2 {
		return numbersOf(text, found, 2, 1), true
	}
	if found := bareNumber.FindAllStringSubmatchIndex(text, -1); len(found) == 2 {
		return numbersOf(text, found, 1, 1), false
	}
	return nil, false
}

// numbersOf returns the numbers at the matches of a regular expression. labelGroup and valueGroup are the
// groups of the expression that match the label and the number.
func numbersOf(text string, matches [][]int, labelGroup, valueGroup int) []numberInLine {
	var numbers []numberInLine
	for _, m := range matches {
		numbers = append(numbers, numberInLine{
			label: text[m[2*labelGroup]:m[2*labelGroup+1]],
			value: text[m[2*valueGroup]:m[2*valueGroup+1]],
			start: m[0],
			end:   m[1],
		})
	}
	return numbers
}

// readLabelledLine reads the northing and the easting of a line. ok is false unless their
// labels or the UTM zone in the line say which is which.
func readLabelledLine(text string) (line labelledLine, ok bool) {
	numbers, hasLabels := findNumberPair(text)
	if len(numbers) != 2 {
		return line, false
	}
	for i, n := range numbers {
		line.labels[i] = n.label
		line.values[i] = n.value
	}
	areBothSame := northLabel.MatchString(line.labels[0]) == northLabel.MatchString(line.labels[1])
	if hasLabels && areBothSame { // two northings or two eastings
		return line, false
	}
	before := text[:numbers[0].start]
	between := text[numbers[0].end:numbers[1].start]
	behind := heightInLine.ReplaceAllString(text[numbers[1].end:], "")
	rests, isClear := line.cutSystem([3]string{before, between, behind})
	if !isClear {
		return line, false
	}
	hasThirdNumber := gridNumber.MatchString(strings.Join(rests[:], " "))
	if hasThirdNumber || line.mayBePacked() {
		return line, false
	}
	if !hasLabels {
		hasLabels = line.labelByZone()
	}
	if !hasLabels {
		return line, false
	}
	line.name = strings.Trim(rests[0], lineMarks)
	behindName := strings.Trim(rests[2], lineMarks)
	if line.name == "" && behindName != "" && !isDigit(behindName[0]) {
		line.name = behindName
	}
	return line, true
}

// labelByZone labels the numbers of a line with a UTM zone. It reports false if there is no
// zone, or if it is not clear which number is the easting.
func (l *labelledLine) labelByZone() bool {
	isUTM := l.system != ""
	if l.isCode {
		code, _ := strconv.Atoi(l.system)
		system, failed := findSystem(code)
		isUTM = failed == nil && system.UTMZone() > 0
	}
	if !isUTM || isUTMEasting(l.values[0]) == isUTMEasting(l.values[1]) {
		return false
	}
	if isUTMEasting(l.values[0]) {
		l.labels = [2]string{"Easting", "Northing"}
	} else {
		l.labels = [2]string{"Northing", "Easting"}
	}
	return true
}

// isUTMEasting reports whether a number has the six digits of an easting in its UTM zone.
func isUTMEasting(value string) bool {
	return strings.IndexAny(value+".", ".,") == len("500000")
}

// mayBePacked reports whether the numbers can be degrees, minutes and seconds without signs
// between them: N 484236 E 0090636.
func (l *labelledLine) mayBePacked() bool {
	for _, value := range l.values {
		if strings.IndexAny(value+".", ".,") >= len("5394868") && value[0] != '0' {
			return false
		}
	}
	return true
}

// cutSystem sets the reference system to the EPSG code or the UTM zone that the parts of a line before,
// between and behind its numbers name. It returns the parts without the system. ok is false if the system
// is not clear.
func (l *labelledLine) cutSystem(parts [3]string) (rests [3]string, ok bool) {
	where, ok := l.findSystem(parts)
	if !ok {
		return parts, false
	}
	if where < 0 { // the line names no system
		return parts, true
	}
	if l.isCode {
		parts[where] = codeInLine.ReplaceAllString(parts[where], "")
		return parts, true
	}
	return l.cutZone(parts, where)
}

// findSystem sets the reference system to the EPSG code or the UTM zone in the parts of a line. where is
// the index of the part, or -1 if no part names a system. ok is false if several systems are named.
func (l *labelledLine) findSystem(parts [3]string) (where int, ok bool) {
	where = -1
	for i, part := range parts {
		codes := codeInLine.FindAllStringSubmatch(part, -1)
		zones := zoneInLine.FindAllStringSubmatch(part, -1)
		if len(codes)+len(zones) == 0 {
			continue
		}
		hasEarlier := where >= 0
		if hasEarlier || len(codes)+len(zones) > 1 {
			return -1, false
		}
		where = i
		if len(codes) == 1 {
			l.isCode = true
			l.system = codes[0][1]
		} else {
			l.system = zones[0][1]
		}
	}
	if where < 0 {
		where = l.findBand(parts)
	}
	return where, true
}

// findBand sets the reference system to a UTM zone with its band, such as 32U, if it is all of the part
// before or behind the numbers. It returns the index of the part, or -1.
func (l *labelledLine) findBand(parts [3]string) int {
	for _, i := range []int{2, 0} {
		m := zoneAlone.FindStringSubmatch(parts[i])
		if m != nil {
			l.system = m[1]
			return i
		}
	}
	return -1
}

// cutZone removes the UTM zone, with its datum, from the part of a line at index where. ok is false if it
// is not clear whether the zone is on another datum.
func (l *labelledLine) cutZone(parts [3]string, where int) (rests [3]string, ok bool) {
	part := parts[where]
	if datum, withoutDatum := crs.CutDatum(part); datum != nil {
		l.system = strings.Trim(part, lineMarks)
		parts[where] = ""
		otherWords := strings.Trim(zoneInLine.ReplaceAllString(withoutDatum, ""), lineMarks)
		return parts, otherWords == ""
	}
	parts[where] = zoneAlone.ReplaceAllString(zoneInLine.ReplaceAllString(part, ""), "")
	hasOtherWords := strings.Trim(parts[where], lineMarks+".") != ""
	if where > 0 && hasOtherWords { // only the part before the numbers can also be the name of the site
		return parts, false
	}
	for _, part := range parts {
		if datum, _ := crs.CutDatum(part); datum != nil || otherDatum.MatchString(part) {
			return parts, false
		}
	}
	return parts, true
}

// lineMarks are the characters that separate the parts of a line.
const lineMarks = " \t,;:|()/-"

// labelledTable writes the lines as a table with tabs. It adds a header above the first line
// with a position, which is at index above. A line without a position becomes a blank row,
// unless it is above the header and names the reference system.
func labelledTable(lines []labelledLine, above int) []byte {
	hasZones := slices.ContainsFunc(lines, func(l labelledLine) bool { return l.system != "" && !l.isCode })
	hasCodes := slices.ContainsFunc(lines, func(l labelledLine) bool { return l.isCode })
	var table strings.Builder
	writeRow := func(l *labelledLine, zone, code string) {
		cells := []string{strings.ReplaceAll(l.name, `"`, ""), l.values[0], l.values[1]}
		if hasZones {
			cells = append(cells, zone)
		}
		if hasCodes {
			cells = append(cells, code)
		}
		for i, cell := range cells {
			cells[i] = strings.ReplaceAll(cell, "\t", " ")
		}
		table.WriteString(strings.Join(cells, "\t") + "\n")
	}
	for i := range lines {
		line := &lines[i]
		if i == above {
			writeRow(&labelledLine{name: "Name", values: line.labels}, "Zone", "EPSG")
		}
		if line.values[0] == "" {
			if i < above && namesSystem([]byte(line.name)) {
				table.WriteString(strings.ReplaceAll(line.name, `"`, ""))
			}
			table.WriteString("\n")
			continue
		}
		if line.isCode {
			writeRow(line, "", line.system)
		} else {
			writeRow(line, line.system, "")
		}
	}
	return []byte(table.String())
}

// parse reads the table of the list. The table has a header that is not in the text, so the header is not
// counted, and the line numbers below it are reduced by one.
func (l *labelledList) parse(decoded decoding, opts Options) (*Result, *Error) {
	res, _, failed := parseDecoded(l.table, decoded, opts)
	if failed != nil {
		shifted := *failed // failed can be shared by several files
		shifted.Line = l.lineInText(failed.Line)
		failed = &shifted
	}
	if res == nil {
		return nil, failed
	}
	for i := range res.Placemarks {
		res.Placemarks[i].Line-- // all placemarks are below the header
	}
	for i := range res.Warnings {
		res.Warnings[i].Line = l.lineInText(res.Warnings[i].Line)
	}
	for i := range res.Questions {
		res.Questions[i].Line = l.lineInText(res.Questions[i].Line)
	}
	for i := range res.Accounts {
		res.Accounts[i].Total--
		res.Accounts[i].Other-- // headers are counted as other records
	}
	return res, failed
}

// lineInText returns the number of a line of the table in the text.
func (l *labelledList) lineInText(line int) int {
	if line > l.above { // not above the header
		return line - 1
	}
	return line
}
