package kmlcsv

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"flightdesk/kmlcsv/crs"
)

// labelledList is a text in which each site has a line with an easting and a northing. The numbers have labels, as in
// "Mast 4: E 508091 N 5394868 (UTM 32N)", or a UTM zone without labels, as in "Mast 4: 508091 5394868 32N". The text is
// converted to a table that is then read like a CSV. The header of the table has the labels.
type labelledList struct {
	table []byte // lines separated by line breaks, cells by tabs
	above int    // number of lines above the header of the table; the text itself has no header
}

// maxLabelledLine is the maximum length of a line of a labelled list in bytes.
const maxLabelledLine = 1000

const gridNumberForm = `[0-9]{5,8}(?:[.][0-9]+|,[0-9]{1,3}\b)?`

var (
	axisLabels = [2]string{
		`northing|north|hochwert|hoch|norte|nord|hw|n|h`,
		`easting|east|rechtswert|rechts|este|ost|est|rw|e|r`,
	}
	labelFirst = newPattern(`(?i)(?:^|[\s(,;:/|])(` + axisLabels[0] + `|` + axisLabels[1] + `)\s*[:=.]?\s*` +
		`(` + gridNumberForm + `)(?:\s*m\b)?`)
	labelLast = newPattern(`(?i)(?:^|[\s(,;:/|])(` + gridNumberForm + `)\s*m?\s*` +
		`(` + axisLabels[0] + `|` + axisLabels[1] + `)\b`)
	northLabel = newPattern(`(?i)^(?:` + axisLabels[0] + `)$`)

	bareNumber = newPattern(`(?:^|[\s(,;:/|])(` + gridNumberForm + `)(?:\s*m\b)?`)
	gridNumber = newPattern(`(?:^|[^0-9.,])` + gridNumberForm)
	// zoneInLine matches a UTM zone together with the word UTM or zone: "UTM 32N", "zone 32 north".
	zoneInLine = newPattern(
		`(?i)\b(?:utm[\s-]*(?:zone\s*)?|zone\s*)((?:[1-5][0-9]|60|[1-9])\s?(?:north|south|[c-hj-np-x])?)\b`)
	// zoneAlone matches words that are only a UTM zone with the letter of its latitude band: 32U. It does not match the
	// band M, because 35M means metres.
	zoneAlone  = newPattern(`^[\s,;:|(]*((?:[1-5][0-9]|60|[1-9])[C-HJ-LNP-X])[\s,;:|).]*$`)
	codeInLine = newPattern(`(?i)\bEPSG\s*:{0,2}\s*([0-9]{4,6})\b`)

	// heightInLine matches a height after the easting and the northing.
	heightInLine = newPattern(`(?i)\b(?:h|z|height|höhe|alt|altitude|elev|elevation)\s*[:=]?\s*-?[0-9]{1,4}(?:[.,][0-9]+)?\s*m?\b`)
	// otherLabel matches a label such as N or Easting before a number of any length. The pattern labelFirst only
	// matches labels before numbers that are long enough for an easting or a northing.
	otherLabel = newPattern(`(?i)(?:^|[\s(,;:/|])(?:` + axisLabels[0] + `|` + axisLabels[1] + `)\s*[:=.]?\s*[0-9]`)
	// otherDatum matches the name of a datum or a projection. In a line with such a name, "zone 3" is probably not a
	// UTM zone on WGS 84.
	otherDatum = newPattern(`(?i)\b(?:datum|dhdn|potsdam|rauenberg|bessel|krass?ow|pulkovo|clarke|hayford|airy|everest|helmert|` +
		`ellipsoid|gau(?:ss|ß)|gk|mgi|rd|ntf|ch1903|lv03|lv95|osgb|bng|nad|tokyo|indian|adindan|arc|cape|corrego|s-?jtsk|stereo)\w*`)
)

// labelledLine is a line of a labelled list.
type labelledLine struct {
	labels [2]string // labels of the two numbers, in the order of the line
	values [2]string // the two numbers, in the order of the line; both are "" for a line without a position
	name   string
	system string // UTM zone or EPSG code, "" for none
	isCode bool   // system is an EPSG code
}

// hasPosition reports whether the line has an easting and a northing.
func (l *labelledLine) hasPosition() bool { return l.values[0] != "" }

// findLabelledList converts a list of labelled eastings and northings to a table, such as
//
//	Masts of the northern line, UTM 32N
//	Mast 4: E 508091 N 5394868
//	Mast 5: E 508177 N 5394901
//
// Lines without a position, such as the first, become blank rows of the table, but they can name the reference system.
// ok is false if the text is not such a list, or if the lines with positions have different labels.
func findLabelledList(text []byte) (list labelledList, ok bool) {
	lines, ok := readLabelledLines(text)
	if !ok {
		return list, false
	}
	list.above = slices.IndexFunc(lines, func(l labelledLine) bool { return l.hasPosition() })
	list.table = labelledTable(lines, list.above)
	return list, true
}

// readLabelledLines reads the lines of a labelled list. ok is false if no line has a position, or if a line has other
// labels than the first line with a position. ok is also false if another reader may understand more of the text: a
// line may have a position in another form, or a line above the first position may be the header of a table.
func readLabelledLines(text []byte) (lines []labelledLine, ok bool) {
	var first *labelledLine // the first line with a position
	for row := range bytes.Lines(text) {
		isAboveList := first == nil
		startsTooLate := isAboveList && len(lines) >= maxHeadRows
		if startsTooLate || len(row) > maxLabelledLine {
			return nil, false
		}
		rowText := string(bytes.TrimSpace(row))
		line, hasPosition := readLabelledLine(rowText)
		if !hasPosition {
			if mayBePosition(rowText) || isAboveList && mayBeHeader(rowText) {
				return nil, false
			}
			// Lines without a position are kept, so that the index of a line always gives its number in the text.
			lines = append(lines, labelledLine{name: rowText})
			continue
		}
		if isAboveList {
			first = &line
		}
		if !line.hasLabelsOf(first) {
			return nil, false
		}
		if line.name == "" {
			line.name = "Row " + strconv.Itoa(len(lines)+1)
		}
		lines = append(lines, line)
	}
	return lines, first != nil
}

// hasLabelsOf reports whether a line has the same labels as another line, in the same order.
func (l *labelledLine) hasLabelsOf(other *labelledLine) bool {
	return strings.EqualFold(l.labels[0], other.labels[0]) && strings.EqualFold(l.labels[1], other.labels[1])
}

// mayBePosition reports whether a line without labelled numbers may have a position in another form. The text is then
// not read as a labelled list, because this position would be lost.
func mayBePosition(text string) bool {
	return hasGridNumber([]byte(text)) || otherLabel().MatchString(text) || suspicious().MatchString(text) ||
		len(findPlaces(text)) > 0
}

// mayBeHeader reports whether a line may be the header of a table, because it has several short cells. The text is
// then not read as a labelled list, because a header tells more about the columns than the labels.
func mayBeHeader(text string) bool {
	cells := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",;|\t", r) })
	isLong := func(cell string) bool { return len(strings.Fields(cell)) > 2 }
	return len(cells) > 1 && !slices.ContainsFunc(cells, isLong)
}

// numberInLine is a number in a line of text, together with its label.
type numberInLine struct {
	label      string // "" for a number without a label
	value      string // the number
	start, end int    // start and end in the line of the number and its label
}

// findNumberPair returns the two numbers of a line. It looks for two numbers with labels before them, then for two
// with labels after them, then for two without labels. ok is false if it does not find exactly two numbers in one of
// these forms.
func findNumberPair(text string) (numbers [2]numberInLine, ok bool) {
	const noGroup = 0
	forms := []struct {
		pattern                func() *regexp.Regexp
		labelGroup, valueGroup int // groups of the pattern that match the label and the number
	}{
		{labelFirst, 1, 2},
		{labelLast, 2, 1},
		{bareNumber, noGroup, 1},
	}
	for _, form := range forms {
		matches := form.pattern().FindAllStringSubmatchIndex(text, -1)
		if len(matches) != 2 {
			continue
		}
		for i, match := range matches {
			numbers[i] = numberInLine{value: groupOf(text, match, form.valueGroup), start: match[0], end: match[1]}
			if form.labelGroup != noGroup {
				numbers[i].label = groupOf(text, match, form.labelGroup)
			}
		}
		return numbers, true
	}
	return numbers, false
}

// groupOf returns the text that a group of a regular expression matched. match has the indexes that the expression
// returned for text.
func groupOf(text string, match []int, group int) string {
	return text[match[2*group]:match[2*group+1]]
}

// readLabelledLine reads the northing and the easting of a line. ok is false if it is not clear which number is the
// northing, because there are no labels and no UTM zone.
func readLabelledLine(text string) (line labelledLine, ok bool) {
	numbers, ok := findNumberPair(text)
	if !ok {
		return line, false
	}
	line.values = [2]string{numbers[0].value, numbers[1].value}
	words, isSystemClear := line.cutSystem(wordsAround(text, numbers))
	if !isSystemClear {
		return line, false
	}
	hasThirdNumber := gridNumber().MatchString(strings.Join(words[:], " "))
	if hasThirdNumber || line.mayBePacked() {
		return line, false
	}
	if !line.setLabels(numbers) {
		return line, false
	}
	line.name = words.siteName()
	return line, true
}

// lineWords are the words before, between and behind the two numbers of a line.
type lineWords [3]string

// The indexes of lineWords.
const (
	beforeNumbers  = 0
	betweenNumbers = 1
	behindNumbers  = 2
)

// wordsAround returns the words around the numbers of a line. A height after the numbers, such as "h 430 m", is left
// out.
func wordsAround(text string, numbers [2]numberInLine) lineWords {
	return lineWords{
		beforeNumbers:  text[:numbers[0].start],
		betweenNumbers: text[numbers[0].end:numbers[1].start],
		behindNumbers:  heightInLine().ReplaceAllString(text[numbers[1].end:], ""),
	}
}

// siteName returns the words before the numbers as the name of the site. If there are none, it returns the words after
// the numbers, unless they begin with a digit.
func (w *lineWords) siteName() string {
	name := strings.Trim(w[beforeNumbers], lineMarks)
	if name != "" {
		return name
	}
	behind := strings.Trim(w[behindNumbers], lineMarks)
	if behind != "" && !isDigit(behind[0]) {
		return behind
	}
	return ""
}

// setLabels sets the labels of the two numbers. If the line has no labels, it sets labels that fit the UTM zone. It
// returns false if it is not clear which number is the northing.
func (l *labelledLine) setLabels(numbers [2]numberInLine) bool {
	first := numbers[0].label
	second := numbers[1].label
	if first == "" {
		return l.labelByZone()
	}
	l.labels = [2]string{first, second}
	areBothSame := northLabel().MatchString(first) == northLabel().MatchString(second) // two northings or two eastings
	return !areBothSame
}

// labelByZone sets the labels of the numbers in a line with a UTM zone. It returns false if the line has no zone, or
// if the numbers do not show which of them is the easting.
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

// isUTMEasting reports whether a number has six digits before its decimals, as eastings in UTM zones have.
func isUTMEasting(value string) bool {
	return strings.IndexAny(value+".", ".,") == len("500000")
}

// mayBePacked reports whether the numbers can be degrees, minutes and seconds without separators, as in N 484236 E
// 0090636.
func (l *labelledLine) mayBePacked() bool {
	for _, value := range l.values {
		if strings.IndexAny(value+".", ".,") >= len("5394868") && value[0] != '0' {
			return false
		}
	}
	return true
}

// cutSystem finds the EPSG code or the UTM zone in the words of a line. It sets the reference system, and returns the
// words without the code or zone. If there is none, it returns the words unchanged. ok is false if it is not clear
// which system is meant.
func (l *labelledLine) cutSystem(words lineWords) (rest lineWords, ok bool) {
	at, count := l.findSystem(words)
	if count == 0 {
		return words, true
	}
	if count > 1 {
		return words, false
	}
	if l.isCode {
		words[at] = codeInLine().ReplaceAllString(words[at], "")
		return words, true
	}
	return l.cutZone(words, at)
}

// findSystem finds the EPSG code or the UTM zone in the words of a line, and sets the reference system to it. count is
// the number of codes and zones in the words. at is the index of the words with the code or zone. The system and at can
// only be used if count is 1.
func (l *labelledLine) findSystem(words lineWords) (at, count int) {
	for i, text := range words {
		codes := codeInLine().FindAllStringSubmatch(text, -1)
		zones := zoneInLine().FindAllStringSubmatch(text, -1)
		count += len(codes) + len(zones)
		if len(codes) > 0 {
			at = i
			l.isCode = true
			l.system = codes[0][1]
		} else if len(zones) > 0 {
			at = i
			l.system = zones[0][1]
		}
	}
	if count > 0 {
		return at, count
	}
	at, isZone := l.findBand(words)
	if !isZone {
		return 0, 0
	}
	return at, 1
}

// findBand sets the reference system to a UTM zone with the letter of its latitude band, such as 32U. There must be no
// other words on the same side of the numbers. at is the index of the words with the zone. ok is false if there is no
// such zone.
func (l *labelledLine) findBand(words lineWords) (at int, ok bool) {
	for _, i := range []int{behindNumbers, beforeNumbers} {
		match := zoneAlone().FindStringSubmatch(words[i])
		if match != nil {
			l.system = match[1]
			return i, true
		}
	}
	return 0, false
}

// cutZone removes the UTM zone and the name of its datum from words[at]. ok is false if other words of the line may
// name another datum.
func (l *labelledLine) cutZone(words lineWords, at int) (rest lineWords, ok bool) {
	text := words[at]
	if datum, withoutDatum := crs.CutDatum(text); datum != nil {
		l.system = strings.Trim(text, lineMarks)
		words[at] = ""
		otherWords := strings.Trim(zoneInLine().ReplaceAllString(withoutDatum, ""), lineMarks)
		return words, otherWords == ""
	}
	words[at] = zoneAlone().ReplaceAllString(zoneInLine().ReplaceAllString(text, ""), "")
	hasOtherWords := strings.Trim(words[at], lineMarks+".") != ""
	canBeName := at == beforeNumbers
	if hasOtherWords && !canBeName {
		return words, false
	}
	for _, text := range words {
		if datum, _ := crs.CutDatum(text); datum != nil || otherDatum().MatchString(text) {
			return words, false
		}
	}
	return words, true
}

// lineMarks are the characters that separate the parts of a line.
const lineMarks = " \t,;:|()/-"

// labelledTable writes the lines as a table with tabs between the cells. above is the index of the first line with a
// position; the header of the table is written before it. A line without a position becomes a blank row, unless it is
// above the header and names the reference system.
func labelledTable(lines []labelledLine, above int) []byte {
	t := labelledWriter{
		hasZones: slices.ContainsFunc(lines, func(l labelledLine) bool { return l.system != "" && !l.isCode }),
		hasCodes: slices.ContainsFunc(lines, func(l labelledLine) bool { return l.isCode }),
	}
	for i := range lines {
		if i == above {
			t.writeCells("Name", lines[i].labels, "Zone", "EPSG")
		}
		if lines[i].hasPosition() {
			t.writeLine(&lines[i])
			continue
		}
		isSystem := i < above && namesSystem([]byte(lines[i].name))
		if isSystem {
			t.text.WriteString(withoutQuotes(lines[i].name))
		}
		t.text.WriteString("\n")
	}
	return []byte(t.text.String())
}

// labelledWriter writes the table of a labelled list.
type labelledWriter struct {
	text     strings.Builder
	hasZones bool // the table has a column with UTM zones
	hasCodes bool // the table has a column with EPSG codes
}

// writeLine writes a line with a position.
func (t *labelledWriter) writeLine(line *labelledLine) {
	if line.isCode {
		t.writeCells(line.name, line.values, "", line.system)
	} else {
		t.writeCells(line.name, line.values, line.system, "")
	}
}

// writeCells writes a row. It leaves out the zone and the code if the table has no columns for them.
func (t *labelledWriter) writeCells(name string, coordinates [2]string, zone, code string) {
	cells := []string{withoutQuotes(name), coordinates[0], coordinates[1]}
	if t.hasZones {
		cells = append(cells, zone)
	}
	if t.hasCodes {
		cells = append(cells, code)
	}
	for i, cell := range cells {
		cells[i] = strings.ReplaceAll(cell, "\t", " ")
	}
	t.text.WriteString(strings.Join(cells, "\t") + "\n")
}

func withoutQuotes(text string) string { return strings.ReplaceAll(text, `"`, "") }

// parse reads the table of the list. The table has a header that is not in the text, so parse corrects the line numbers
// and the number of lines in the result.
func (l *labelledList) parse(decoded decoding, opts readOptions) (*Result, *Error) {
	res, failed := parseDelimited(l.table, decoded, opts)
	if failed != nil {
		shifted := *failed // a copy, because several files can share failed
		shifted.Line = l.lineInText(failed.Line)
		failed = &shifted
	}
	if res != nil {
		l.removeHeader(res)
	}
	return res, failed
}

// removeHeader corrects a result that was read from the table, whose header is not in the text. It reduces the line
// numbers below the header by one, and the number of lines in the accounts, too.
func (l *labelledList) removeHeader(res *Result) {
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
}

// lineInText returns the line number in the text for a line number in the table.
func (l *labelledList) lineInText(line int) int {
	if line > l.above { // the header or below it
		return line - 1
	}
	return line
}
