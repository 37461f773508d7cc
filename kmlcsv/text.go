package kmlcsv

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/paulmach/orb"
)

// ParsePasted reads a text that a user pasted or dropped: coordinates from an e-mail, rows
// of a spreadsheet, links to maps, well-known text, GeoJSON or KML. [Result.Accounts] counts
// its lines like the rows of a file. It returns the same errors as [ParseContext].
func ParsePasted(ctx context.Context, text string, opts Options) (*Result, error) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	opts.Format = FormatAuto
	return ParseContext(ctx, []byte(text), opts)
}

// parseTable reads a text that is neither markup nor GeoJSON: well-known text, a labelled
// list, a list of control points, a table, or lines with coordinates in them.
func parseTable(data []byte, opts Options) (*Result, *Error) {
	text, decoded, failed := decodeTable(data, opts.Encoding)
	if failed != nil {
		return nil, failed
	}
	if question := decoded.question; question != nil && !question.Certain {
		res, _, failed := parseDecoded(text, decoded, opts)
		return res, failed
	}
	if list, ok := findLabelledList(text); ok {
		return list.parse(decoded, opts)
	}
	isLaidOut := opts.Columns != nil || opts.HeaderRow != 0 || opts.Separator != 0 || opts.Join != ""
	if bytes.IndexByte(text, 0) >= 0 || isLaidOut {
		res, _, failed := parseDecoded(text, decoded, opts)
		return res, failed
	}
	if res, failed, ok := parseWellKnownText(text, decoded, opts); ok {
		return res, failed
	}
	if isLinkList(text) || areLines(text, isPairList) {
		return parseLines(text, decoded, opts)
	}
	if list, ok := findControlList(text); ok {
		return list.parse(decoded, opts)
	}
	return parseTableOrLines(text, decoded, opts)
}

// parseTableOrLines reads a text as a table. If that fails, or leaves rows out although the
// columns were only found by their values, it also tries the text line by line.
func parseTableOrLines(text []byte, decoded decoding, opts Options) (*Result, *Error) {
	table, byValue, failed := parseDecoded(text, decoded, opts)
	if failed == nil {
		if byValue && table.Skipped > 0 {
			return fullerResult(table, text, decoded, opts), nil
		}
		return table, nil
	}
	// Columns without a single usable position were probably guessed wrongly.
	hasWrongColumns := byValue && failed.isOf(NothingUsable) && !hasOtherDatum(table)
	isTable := !failed.isOf(NoColumns) && !hasWrongColumns
	if isTable || isWideTable(text) {
		return table, failed // its error says what to change in the table
	}
	if res, otherFailed, ok := parseLinesOrSpaced(text, decoded, opts); ok {
		return res, otherFailed
	}
	return table, failed
}

// fullerResult returns the table that a text was read as, or the result of reading the text line
// by line if that gives more sites.
func fullerResult(table *Result, text []byte, decoded decoding, opts Options) *Result {
	lines, failed := parseLines(text, decoded, opts)
	if failed == nil && isFuller(lines, table, text) {
		return lines
	}
	return table
}

// parseLinesOrSpaced reads a text that is not a table with delimiters: line by line, otherwise as
// a table whose columns are separated by blanks. ok is false if it is neither. If ok is true,
// failed says what is wrong with the lines or with the columns.
func parseLinesOrSpaced(text []byte, decoded decoding, opts Options) (res *Result, failed *Error, ok bool) {
	lines, failed := parseLines(text, decoded, opts)
	if failed == nil || failed.isOf(NeedsAnswer) {
		return lines, failed, true
	}
	hasPositions := lines != nil && lines.Skipped > 0
	if hasPositions { // none can be read, and the warnings say why
		return lines, failed, true
	}
	spaced, isSpaced := spacedTable(text)
	if !isSpaced {
		return nil, nil, false
	}
	res, _, failed = parseDecoded(spaced, decoded, opts)
	if failed.isOf(NoColumns) { // the error of the original text is clearer
		return nil, nil, false
	}
	return res, failed, true
}

// hasOtherDatum reports whether a row was skipped because of its reference system. Reading
// line by line would ignore the system.
func hasOtherDatum(res *Result) bool {
	return slices.ContainsFunc(res.Warnings, func(w Warning) bool { return w.Skipped && w.Code == OtherReference })
}

// isLinkList reports whether each line begins with a link. The commas in links do not
// separate cells, so such a list is not a table.
func isLinkList(text []byte) bool {
	links := 0
	for line := range bytes.Lines(text) {
		line = bytes.ToLower(bytes.TrimSpace(line))
		if len(line) == 0 {
			continue
		}
		if !startsWithLink(line) {
			return false
		}
		links++
	}
	return links > 0
}

// startsWithLink reports whether a line in lower case begins with a link or a geo: address.
func startsWithLink(line []byte) bool {
	for _, scheme := range []string{"http://", "https://", "geo:"} {
		if bytes.HasPrefix(line, []byte(scheme)) {
			return true
		}
	}
	return false
}

// isFuller reports whether the lines of a text give more sites than the table. If both give
// the same number of sites, the table is preferred, because it names the rows that it leaves
// out, unless these rows are the titles of positions.
func isFuller(lines, table *Result, text []byte) bool {
	if len(lines.Placemarks) != len(table.Placemarks) {
		return len(lines.Placemarks) > len(table.Placemarks)
	}
	return lines.Skipped < table.Skipped && areTitled(splitLines(text))
}

// isWideTable reports whether most rows of a text have the same number of cells, at least
// three. Such a text is a table with unknown columns and not prose. A text of positions such
// as 48,7101° N, 9,1101° E is not a table, whatever its commas.
func isWideTable(text []byte) bool {
	if haveLetters(text) || areLines(text, isNamedPair) {
		return false
	}
	widths := make(map[int]int)
	rows := 0
	r := recordReader{data: text, delim: delimiterOf(text)}
	for rows < maxHeadRows && r.nextRecord() {
		if r.isBlank() {
			continue
		}
		if slices.ContainsFunc(r.fields, isPlaceCell) {
			return false
		}
		widths[len(r.fields)]++
		rows++
	}
	for width, count := range widths {
		if width >= 3 && count*10 >= rows*8 {
			return true
		}
	}
	return false
}

// haveLetters reports whether most of the first lines of a text have a position with letters.
func haveLetters(text []byte) bool {
	rows, lettered := 0, 0
	for line := range bytes.Lines(text) {
		if rows == maxHeadRows {
			break
		}
		line = bytes.TrimSpace(line)
		if len(line) == 0 || len(line) > maxPair {
			continue
		}
		rows++
		if slices.ContainsFunc(findPlaces(string(line)), func(p textPlace) bool { return !p.isBare }) {
			lettered++
		}
	}
	return lettered > 0 && lettered*10 >= rows*8
}

// areLines reports whether isKind is true for all of the first lines of a text.
func areLines(text []byte, isKind func(line string) bool) bool {
	rows := 0
	for line := range bytes.Lines(text) {
		if rows == maxHeadRows {
			break
		}
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		rows++
		if bytes.IndexByte(line, '\r') >= 0 || len(line) > maxPairList || !isKind(string(line)) {
			return false
		}
	}
	return rows > 0
}

// maxPairList is the longest line that is read as a list of positions, in bytes.
const maxPairList = 1 << 14

// isPairList reports whether a line has several positions and no other decimal numbers, as
// in A: 48.71, 9.11; B: 48.72, 9.12. More than a comma has to separate the positions.
func isPairList(line string) bool {
	places := findPlaces(line)
	if len(places) < 2 {
		return false
	}
	end := 0
	for i, place := range places {
		between := line[end:place.start]
		end = place.end
		isCell := strings.ContainsAny(line[place.start:place.end], ";|") // its numbers are cells of a table
		if isCell || strings.Contains(between, ".") || i > 0 && !pairBreak.MatchString(between) {
			return false
		}
	}
	return strings.Trim(line[end:], " ;,])|.") == ""
}

// isNamedPair reports whether a line is a name and one position, as in A 48,71 9,11. A name
// with separators of cells does not count.
func isNamedPair(line string) bool {
	places := findPlaces(line)
	return len(places) == 1 && places[0].end == len(line) && !strings.ContainsAny(line[:places[0].start], ",;|\t")
}

// pairBreak matches a separator between two positions of a list.
var pairBreak = regexp.MustCompile(`[;|\])]`)

// spacedTable converts a table whose columns are separated by blanks to one with tabs. ok is
// false unless most rows have the same number of words, at least three.
func spacedTable(text []byte) (spaced []byte, ok bool) {
	widths := make(map[int]int)
	rows := 0
	for line := range bytes.Lines(text) {
		if words := len(bytes.Fields(line)); words > 0 {
			widths[words]++
			rows++
		}
	}
	isTable := false
	for width, count := range widths {
		isTable = isTable || width >= 3 && count*10 >= rows*8
	}
	if !isTable {
		return nil, false
	}
	for line := range bytes.Lines(text) {
		spaced = append(spaced, bytes.Join(bytes.Fields(line), []byte("\t"))...)
		spaced = append(spaced, '\n')
	}
	return spaced, true
}

// parseWellKnownText reads a file of geometries in well-known text. A geometry can span
// several lines. ok is false if the text is something else.
func parseWellKnownText(text []byte, decoded decoding, opts Options) (res *Result, failed *Error, ok bool) {
	rest := bytes.TrimLeft(text, " \t\r\n")
	if !wktStart.Match(rest) {
		return nil, nil, false
	}
	b := newResultBuilder(opts, FormatCSV)
	b.addDecoding(decoded)
	account := Account{Unit: "geometry"}
	line := 1 + bytes.Count(text[:len(text)-len(rest)], []byte{'\n'})
	var cells cellReader
	for len(rest) > 0 {
		if !wktStart.Match(rest) {
			return nil, nil, false
		}
		end := endOfWKT(rest)
		geometry := rest[:end]
		account.Total++
		b.startPlacemark(line)
		b.name = "Placemark " + strconv.Itoa(account.Total)
		b.addWKT(&cells, geometry)
		b.finishPlacemark()
		if len(b.res.Placemarks) > b.since.placemarks {
			account.Sites++
		} else {
			account.Skipped++
		}
		next := bytes.TrimLeft(rest[end:], " \t\r\n;,")
		line += bytes.Count(rest[:len(rest)-len(next)], []byte{'\n'})
		rest = next
	}
	b.res.Accounts = append(b.res.Accounts, account)
	res, failed = b.finishResult(newError(NoPlacemarks, "no geometry in the file"))
	return res, failed, true
}

// wktStart matches the start of a geometry in well-known text up to its first bracket.
var wktStart = regexp.MustCompile(
	`(?i)^(?:SRID=[0-9]*;)?\s*(?:(?:MULTI)?(?:POINT|LINESTRING|POLYGON)|GEOMETRYCOLLECTION)\s*(?:ZM|Z|M)?\s*(?:\(|EMPTY\b)`,
)

// addWKT adds the figures of well-known text. They are in the reference system that the text
// names, otherwise in the system of the options.
func (b *resultBuilder) addWKT(cells *cellReader, text []byte) {
	declared := b.system
	defer func() { b.system = declared }()
	figures, problem := cells.readCell(text)
	if problem != nil {
		b.skipPlacemark(problem)
		return
	}
	if len(figures) == 0 {
		b.skipPlacemark(noCoordinates)
		return
	}
	if cells.system != nil {
		b.system = cells.system
	} else if b.opts.CRS != 0 {
		system, problem := findSystem(b.opts.CRS)
		if problem != nil {
			b.skipPlacemark(problem)
			return
		}
		b.system = system
	}
	for _, f := range figures {
		b.addChecked(f)
	}
}

// endOfWKT returns the index after a geometry: after the bracket that closes its first
// bracket, or at the end of the line if it has no brackets.
func endOfWKT(text []byte) int {
	depth := 0
	for i, c := range text {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
			if depth <= 0 {
				return i + 1
			}
		case '\n':
			if depth == 0 && !bytes.HasPrefix(bytes.TrimLeft(text[i:], " \t\r\n"), []byte("(")) {
				return i
			}
		}
	}
	return len(text)
}

// textPlace is a text in a line that looks like a position.
type textPlace struct {
	start, end int
	isBare     bool // the text is two numbers without a letter or label that names them
}

const (
	angleForm = `[NSEWOZ]?\s*[-+−]?[0-9]{1,3}\s*[°ºd]\s*` + // degrees
		`(?:[0-9]{1,2}(?:[.,][0-9]+)?\s*['′’´m]?\s*)?` + // minutes
		`(?:[0-9]{1,2}(?:[.,][0-9]+)?\s*(?:["″”s]|''|′′)?)?\s*[NSEWOZ]?` // seconds
	digitsForm = `(?:[01]?[0-9]{1,6})` // degrees, also packed as in 0093015
	letterForm = `(?:[NSEWOZ]\s*` + digitsForm + `(?:[.,][0-9]+)?\s*°?|` +
		digitsForm + `(?:[.,][0-9]+)?\s*°?\s*[NSEWOZ])`
	bareForm  = `[-+−]?[0-9]{1,3}[.,][0-9]{2,}°?\s*(?:[,;/|]\s*|\s+)[-+−]?[0-9]{1,3}[.,][0-9]{2,}°?`
	briefForm = `[-+−]?[0-9]{1,3}[.][0-9]+°?\s*(?:[,;/|]\s*|\s+)[-+−]?[0-9]{1,3}[.][0-9]+°?`
	latForm   = `(?:latitude|lat|breitengrad|breite|latitud)\.?\s*[:=]?\s*`
	lngForm   = `(?:longitude|long|lon|lng|längengrad|länge|longitud)\.?\s*[:=]?\s*`
	valueForm = `[NSEWO]?\s*[-+−]?[0-9]{1,3}(?:[.,][0-9]+)?[^a-z,;\n]{0,24}?[NSEWO]?`
)

// placeForm is a form of positions in a line of text.
type placeForm struct {
	pattern *regexp.Regexp
	needs   string // a text that matches has at least one of these characters
}

// findAll returns the start and the end of each position of the form. Most lines have none
// of the needed characters, and looking for them is ten times faster than the pattern.
func (f *placeForm) findAll(line string) [][]int {
	if !strings.ContainsAny(line, f.needs) {
		return nil
	}
	return f.pattern.FindAllStringIndex(line, -1)
}

// placeForms are the forms of positions, the clearest forms first.
var placeForms = []placeForm{
	{linkPlace, ":"},
	{wktPlace, "("},
	{latLngPlace, "lLbB"},
	{lngLatPlace, "lLbB"},
	{anglePlace, "°ºd"},
	{letterPlace, "NSEWOZ"},
	{utmPlace, bands},
	{mgrsPlace, bands},
	{plusCodePlace, "+"},
	{barePlace, ".,"},
	{briefPlace, "."},
}

var (
	linkPlace = regexp.MustCompile(`(?i)\bhttps?://[^\s<>"]+|\bgeo:[^\s<>"]+`)
	wktPlace  = regexp.MustCompile(
		`(?i)(?:SRID=[0-9]+;)?\b(?:MULTI)?(?:POINT|LINESTRING|POLYGON)\s*(?:ZM|Z|M)?\s*\([^a-z]*\)`)
	latLngPlace = regexp.MustCompile(`(?i)\b` + latForm + valueForm + `[\s,;/|]*` +
		lngForm + `[EWO]?\s*[-+−]?[0-9]{1,3}(?:[.,][0-9]+)?[^a-z,;\n]*[NSEWO]?`)
	lngLatPlace = regexp.MustCompile(`(?i)\b` + lngForm + valueForm + `[\s,;/|]*` +
		latForm + `[NS]?\s*[-+−]?[0-9]{1,3}(?:[.,][0-9]+)?[^a-z,;\n]*[NS]?`)
	anglePlace  = regexp.MustCompile(angleForm + `\s*[,;/|]?\s*` + angleForm)
	letterPlace = regexp.MustCompile(letterForm + `\s*[,;/|]?\s*` + letterForm)
	utmPlace    = regexp.MustCompile(`\b(?:UTM\s*)?[0-9]{1,2}\s?[C-HJ-NP-X]\s+` +
		`E?\s*0?[0-9]{6}(?:[.][0-9]+)?\s*m?E?[\s,]+N?\s*[0-9]{6,7}(?:[.][0-9]+)?`)
	mgrsPlace = regexp.MustCompile(`\b[0-9]{1,2}[C-HJ-NP-X]\s?[A-HJ-NP-Z][A-HJ-NP-V]\s?` +
		`(?:[0-9]{3,5}\s[0-9]{3,5}|[0-9]{6}|[0-9]{8}|[0-9]{10})\b`)
	plusCodePlace = regexp.MustCompile(`\b[2-9CFGHJMPQRVWX]{8}\+[2-9CFGHJMPQRVWX]{2,3}\b`)

	barePlace  = regexp.MustCompile(bareForm)
	briefPlace = regexp.MustCompile(`(?:^|[:=]\s*)` + briefForm + `\s*$`)
	latLine    = regexp.MustCompile(`(?i)^\s*` + latForm + `[NS]?[^a-z]*[NS]?\s*$`)
	lngLine    = regexp.MustCompile(`(?i)^\s*` + lngForm + `[EWO]?[^a-z]*[EWO]?\s*$`)
	suspicious = regexp.MustCompile(`[0-9]{1,3}[.,][0-9]{3,}.*[^0-9].*[0-9]{1,3}[.,][0-9]{3,}|[0-9]\s*[°º]\s*[0-9]|` +
		`\b[0-9]{6,7}(?:[.,][0-9]+)?\b.*\b[0-9]{6,8}\b`)
)

// findPlaces finds the texts in a line that look like positions, in their order.
func findPlaces(line string) []textPlace {
	var found []textPlace
	for i := range placeForms {
		form := &placeForms[i]
		for _, m := range form.findAll(line) {
			place := form.trim(line, m[0], m[1])
			isCut := isWithinDigits(line, place.start) || isWithinDigits(line, place.end) // N 539486 of N 5394868
			if isCut || place.isBare && isWithinNumber(line, place.start, place.end) {
				continue
			}
			if place.end > place.start && !slices.ContainsFunc(found, place.overlaps) {
				found = append(found, place)
			}
		}
	}
	slices.SortFunc(found, func(a, b textPlace) int { return a.start - b.start })
	return found
}

// trim returns the position in a match, without blanks and punctuation around it.
func (f *placeForm) trim(line string, start, end int) textPlace {
	for f.pattern == briefPlace && strings.ContainsRune(":= \t", rune(line[start])) {
		start++
	}
	closing := " \t.,;)|"
	if strings.Contains(line[start:end], "(") {
		closing = " \t.,;|"
	}
	end = start + len(strings.TrimRight(line[start:end], closing))
	start = end - len(strings.TrimLeft(line[start:end], " \t"))
	return textPlace{start: start, end: end, isBare: f.pattern == barePlace || f.pattern == briefPlace}
}

func (p textPlace) overlaps(other textPlace) bool { return p.start < other.end && p.end > other.start }

// isWithinDigits reports whether there is a digit at i, and a digit or a letter before it.
func isWithinDigits(line string, i int) bool {
	return i > 0 && i < len(line) && isDigit(line[i]) && (isDigit(line[i-1]) || isLetter(line[i-1]))
}

// isWithinNumber reports whether a pair of numbers is a part of a longer number, such as
// a version or an address of a network.
func isWithinNumber(line string, start, end int) bool {
	hasDigit := func(i int) bool { return i >= 0 && i < len(line) && isDigit(line[i]) }
	before := start > 0 && (hasDigit(start-1) || strings.IndexByte(".,", line[start-1]) >= 0 && hasDigit(start-2))
	after := hasDigit(end) || end < len(line) && line[end] == '.' && hasDigit(end+1)
	return before || after
}

// textLine is a line of text without the blanks around it, and the positions in it.
type textLine struct {
	text   string
	places []textPlace
}

func newTextLine(text string) textLine {
	text = strings.TrimSpace(text)
	return textLine{text, findPlaces(text)}
}

// splitLines returns the lines of a text with the positions in them. The positions are found
// once, because finding them takes most of the time of reading.
func splitLines(text []byte) (lines []textLine) {
	for line := range strings.SplitSeq(strings.TrimSuffix(string(text), "\n"), "\n") {
		lines = append(lines, newTextLine(line))
	}
	return lines
}

// lineReader reads lines of text with positions in them.
type lineReader struct {
	*resultBuilder
	account  Account
	order    AxisOrder
	lngAxis  angleAxis
	unclearO bool   // a longitude has an O that can mean east or west
	title    string // the line above, if it can be a name
	count    int    // sites without a name
}

// parseLines reads a text line by line: each position in a line is a site, named by the
// words in the same line or in the line above.
func parseLines(text []byte, decoded decoding, opts Options) (*Result, *Error) {
	r := &lineReader{
		resultBuilder: newResultBuilder(opts, FormatCSV),
		account:       Account{Unit: "line"},
		order:         opts.Axes,
		lngAxis:       longitude,
	}
	switch opts.LetterO {
	case OEast:
		r.lngAxis = longitudeOEast
	case OWest:
		r.lngAxis = longitudeOWest
	}
	r.addDecoding(decoded)
	lines := splitLines(text)
	if failed := r.settleOrder(lines); failed != nil {
		return r.res, failed
	}
	hasTitles := areTitled(lines)
	r.account.Total = len(lines)
	for i := 0; i < len(lines); {
		r.startPlacemark(i + 1)
		line, count := joinPosition(lines[i:])
		r.readLine(line, count)
		if !hasTitles {
			r.title = ""
		}
		i += count
	}
	if r.unclearO {
		return r.askLetterO(text, decoded)
	}
	r.res.Accounts = append(r.res.Accounts, r.account)
	return r.finishResult(newError(NoPlacemarks, "no coordinates in the text"))
}

// joinPosition returns the first line, joined with the second one if one is a latitude and the
// other its longitude. count is the number of lines that were joined.
func joinPosition(lines []textLine) (line textLine, count int) {
	first := lines[0]
	if len(lines) == 1 || !latLine.MatchString(first.text) || !lngLine.MatchString(lines[1].text) {
		return first, 1
	}
	return newTextLine(first.text + ", " + lines[1].text), 2
}

// areTitled reports whether every position is alone in its line, with its name in the line
// above.
func areTitled(lines []textLine) bool {
	places := 0
	titled := 0
	for i, line := range lines {
		found := line.places
		if len(found) == 0 && !latLine.MatchString(line.text) {
			continue
		}
		places++
		isAlone := len(found) == 0 || len(found) == 1 && nameBeside(line.text, found[0], 0, len(line.text)) == ""
		if i > 0 && isAlone && lines[i-1].text != "" && len(lines[i-1].places) == 0 {
			titled++
		}
	}
	return places > 0 && places == titled
}

// readLine reads the positions of a line. count is the number of lines of the text that were
// joined to it.
func (r *lineReader) readLine(line textLine, count int) {
	if len(line.places) == 0 {
		r.readProse(line.text, count)
		return
	}
	if isPointList(line.text, line.places) {
		r.readPointList(line.text, line.places)
	} else {
		r.readPlaces(line.text, line.places)
	}
	r.title = ""
	added := r.res.Placemarks[r.since.placemarks:]
	if len(added) == 0 {
		r.account.Skipped += count
		return
	}
	if count > 1 {
		r.account.Parts += count
		return
	}
	r.account.Sites++
	if allAtZero(added) {
		r.zeroes = append(r.zeroes, len(r.res.Accounts)) // the account is added at the end
	}
}

// readPlaces adds a site for each position of a line, named by the words before it. The
// words after a position are its name only if it is alone in the line.
func (r *lineReader) readPlaces(line string, found []textPlace) {
	first := ""
	for i, place := range found {
		from := 0
		if i > 0 {
			from = found[i-1].end
		}
		to := len(line)
		if len(found) > 1 {
			to = place.end
		}
		name := nameBeside(line, place, from, to)
		if i == 0 {
			first = name
		} else if name == "" && first != "" {
			name = first + " " + strconv.Itoa(i+1) // Mission A, Mission A 2
		}
		r.readPlace(line[place.start:place.end], name)
	}
}

// readProse counts a line without a position. If the line has numbers that look like
// coordinates, it warns that the line was skipped.
func (r *lineReader) readProse(line string, lines int) {
	r.title = line
	if !suspicious.MatchString(line) {
		r.account.Other += lines
		return
	}
	r.name = r.fallbackName(line)
	r.skipPlacemark(newError(CoordinatesUnreadable, "its coordinates cannot be read: %s", []byte(line)))
	r.finishPlacemark()
	r.account.Skipped += lines
}

// readPlace adds a site whose position is written in text. If name is "", the site is named by the
// line above, otherwise by a number.
func (r *lineReader) readPlace(text, name string) {
	mark := r.since
	r.placemarkDraft = placemarkDraft{line: r.line, since: r.currentMark()}
	if name == "" {
		name = r.title
	}
	name = siteLabel.ReplaceAllString(name, "")
	r.name = r.makeName([]byte(strings.TrimRight(name, ":")))
	if r.name == "" {
		r.count++
		r.name = "Place " + strconv.Itoa(r.count)
	}
	r.addPlace(text)
	r.finishPlacemark()
	r.since = mark
}

// addPlace reads the position or the shape that is written in text and adds it to the current site.
func (r *lineReader) addPlace(text string) {
	if isWKT([]byte(text)) {
		r.addWKT(new(cellReader), []byte(text))
		return
	}
	typed, err := readTypedAs(text, r.order == LngLat, r.lngAxis)
	if err != nil {
		code := CoordinatesUnreadable
		if r.lngAxis == longitude && strings.ContainsAny(text, "Oo") && r.isReadable(text) {
			r.unclearO = true
			code = LetterAmbiguous
		}
		r.skipPlacemark(newError(code, "%v", err))
		return
	}
	if typed.Note != "" {
		r.warnPlacemark(PlaceGuessed, "%s", typed.Note)
	}
	for _, geometry := range typed.Geometries {
		if point, isPoint := geometry.(orb.Point); isPoint {
			exchanged, err := r.exchange(point)
			if err != nil {
				r.skipPlacemark(newError(CoordinatesUnreadable, "%v", err))
				return
			}
			geometry = exchanged
		}
		p := Placemark{Geometry: geometry, Line: r.line}
		p.measure()
		r.addPlacemark(p)
	}
}

// exchange swaps the coordinates of a point if the options say so.
func (r *lineReader) exchange(p orb.Point) (orb.Point, error) {
	if !r.opts.SwapLatLng {
		return p, nil
	}
	return onGlobe(orb.Point{p[1], p[0]})
}

// isReadable reports whether a text is a position if an O means west.
func (r *lineReader) isReadable(text string) bool {
	_, err := readTypedAs(text, r.order == LngLat, longitudeOWest)
	return err == nil
}

// isPointList reports whether only separators are between the positions of a line. The
// positions are then the corners of one line or boundary.
func isPointList(line string, found []textPlace) bool {
	if len(found) < 2 {
		return false
	}
	for i := 1; i < len(found); i++ {
		if strings.Trim(line[found[i-1].end:found[i].start], " \t;|,()[]") != "" {
			return false
		}
	}
	return true
}

// readPointList adds the line or boundary of the positions of a line.
func (r *lineReader) readPointList(line string, found []textPlace) {
	r.name = r.fallbackName(nameBeside(line, found[0], 0, found[0].end))
	var points []orb.Point
	for _, place := range found {
		p, err := r.readPoint(line[place.start:place.end])
		if err != nil {
			r.skipPlacemark(newError(CoordinatesUnreadable, "%v", err))
			r.finishPlacemark()
			return
		}
		points = append(points, p)
	}
	r.addFigure(outlineOf(slices.Compact(points)))
	r.finishPlacemark()
}

// readPoint reads a position that has to be a single point.
func (r *lineReader) readPoint(text string) (orb.Point, error) {
	typed, err := readTypedAs(text, r.order == LngLat, r.lngAxis)
	if err != nil {
		return orb.Point{}, err
	}
	errMixed := errors.New("the line mixes points with other geometries")
	if len(typed.Geometries) != 1 {
		return orb.Point{}, errMixed
	}
	p, isPoint := typed.Geometries[0].(orb.Point)
	if !isPoint {
		return orb.Point{}, errMixed
	}
	return r.exchange(p)
}

// fallbackName returns a name, or the number of the site if it is empty.
func (r *lineReader) fallbackName(name string) string {
	made := r.makeName([]byte(name))
	if made == "" {
		r.count++
		made = "Place " + strconv.Itoa(r.count)
	}
	return made
}

var (
	bulletText = regexp.MustCompile(`^\s*(?:[-*•–>·]+\s*|[0-9]{1,3}[.)]\s+|\([0-9a-z]\)\s+)`)
	joinText   = regexp.MustCompile(`(?i)^\s*(?:and|und|et|y|e|sowie|&|\+)\s+|` +
		`\s+(?:at|bei|à|en|ist|is|liegt|@|coordinates?|koordinaten|gps|position|coords?)\s*[:=]?\s*$`)
)

// siteLabel matches the labels that people write before the name of a site.
var siteLabel = regexp.MustCompile(
	`(?i)^(?:site|name|site name|standort|bezeichnung|location|nom|nombre|nome|naam)\s*:\s*`)

// nameBeside returns the words before a position, otherwise the words after it, within
// line[from:to].
func nameBeside(line string, place textPlace, from, to int) string {
	clean := func(text string) string {
		text = bulletText.ReplaceAllString(text, "")
		text = joinText.ReplaceAllString(strings.Trim(text, " \t,;:=-–|()[].\"'"), "")
		return strings.Trim(text, " \t,;:=-–|()[].\"'@")
	}
	before := clean(line[from:place.start])
	if wordOrDigit.MatchString(before) {
		return before
	}
	if number := strings.Trim(line[from:place.start], " \t:.)("); wordOrDigit.MatchString(number) {
		return number
	}
	behind := heightText.ReplaceAllString(line[place.end:max(to, place.end)], "")
	return clean(behind)
}

var (
	wordOrDigit = regexp.MustCompile(`[\p{L}0-9]`)
	heightText  = regexp.MustCompile(`^\s*[,;/]?\s*-?[0-9]+(?:[.,][0-9]+)?\s*m?\s*(?:[,;]|$)`)
)

// settleOrder finds out whether bare pairs have the latitude first, judged by the range of
// all pairs. It warns about an assumption, and asks if the pairs contradict each other.
func (r *lineReader) settleOrder(lines []textLine) *Error {
	if r.order != "" {
		return nil
	}
	latFirst := 0 // pairs whose latitude must be first
	lngFirst := 0 // pairs whose longitude must be first
	unclear := "" // the first pair that can be read in both orders
	for _, line := range lines {
		for _, place := range line.places {
			text := line.text[place.start:place.end]
			a, b, ok := barePair([]byte(text))
			if !place.isBare || !ok {
				continue
			}
			if a > 90 && b <= 90 {
				lngFirst++
			} else if b > 90 && a <= 90 {
				latFirst++
			} else if unclear == "" {
				unclear = text
			}
		}
	}
	if latFirst > 0 && lngFirst > 0 {
		return r.ask(pairQuestion(unclear, "Some pairs have the latitude first, others the longitude. Which is right?"))
	}
	if lngFirst > 0 {
		r.order = LngLat
		r.warnFile(PlaceGuessed, "the pairs were read as longitude and latitude by their values")
		return nil
	}
	if latFirst == 0 && unclear != "" {
		r.assumeOrder(unclear)
	}
	return nil
}

// assumeOrder warns that the latitude is assumed to be first in bare pairs, and lets the
// user choose.
func (r *lineReader) assumeOrder(pair string) {
	q := pairQuestion(pair, "Which coordinate is first?")
	q.Certain = true
	place := ""
	if !r.opts.NoPlaces && q.Choices[0].Town != "" {
		place = ": the first site is " + q.Choices[0].Town
	}
	r.warnFile(PlaceGuessed,
		"the pairs of numbers were read as latitude and longitude, in this order%s; they can be swapped", place)
	r.res.Questions = append(r.res.Questions, q)
}

// pairQuestion returns the question which number of a pair is the latitude.
func pairQuestion(pair, text string) Question {
	q := Question{Kind: AskAxes, Text: text, Choices: []Choice{
		{Value: string(LatLng), Label: "latitude first"},
		{Value: string(LngLat), Label: "longitude first"},
	}}
	for i, isTurned := range []bool{false, true} {
		if p, _, err := readPairAs(pair, isTurned, longitude); err == nil {
			q.Choices[i].Town = townOf(p)
		}
	}
	return q
}

// askLetterO asks what an O in a longitude means. If other longitudes of the text have an E
// or a W, they decide, and the text is read accordingly.
func (r *lineReader) askLetterO(text []byte, decoded decoding) (*Result, *Error) {
	hasEast := eastLetter.Match(text)
	hasWest := westLetter.Match(text)
	opts := r.opts
	var choices []Choice
	for _, value := range []LetterO{OWest, OEast} {
		opts.LetterO = value
		res, failed := parseLines(text, decoded, opts)
		if failed == nil && (value == OWest && hasEast && !hasWest || value == OEast && hasWest && !hasEast) {
			return res, nil
		}
		label := map[LetterO]string{OWest: "west (Oeste, Ouest)", OEast: "east (Ost)"}[value]
		choice := Choice{Value: string(value), Label: label}
		if failed == nil && len(res.Placemarks) > 0 {
			choice.Town = townOf(res.Placemarks[0].Points()[0])
		}
		choices = append(choices, choice)
	}
	sortByTown(choices)
	r.res.Placemarks, r.res.Warnings = nil, nil
	return r.res, r.ask(Question{Kind: AskLetterO, Text: "Does O mean east or west?", Choices: choices})
}

var (
	eastLetter = regexp.MustCompile(`[0-9°'"′″]\s*E\b`)
	westLetter = regexp.MustCompile(`[0-9°'"′″]\s*W\b`)
)
