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

	"flightdesk/kmlcsv/crs"
)

// ParsePasted reads a text that a user pasted or dropped: coordinates from an e-mail, rows of a spreadsheet, links to
// maps, well-known text, GeoJSON or KML. [Result.Accounts] counts its lines like the rows of a file. It returns the
// same errors as [ParseContext].
func ParsePasted(ctx context.Context, text string, opts Options) (*Result, error) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	opts.Format = FormatAuto
	return ParseContext(ctx, []byte(text), opts)
}

// parseTable reads a text that is neither markup nor GeoJSON: well-known text, a labelled
// list, a list of control points, a table, or lines with coordinates in them.
func parseTable(data []byte, opts readOptions) (*Result, *Error) {
	text, decoded, failed := decodeTable(data, opts.Encoding)
	if failed != nil {
		return nil, failed
	}
	needsEncoding := decoded.question != nil && !decoded.question.Certain
	if needsEncoding { // parseDelimited asks for it
		return parseDelimited(text, decoded, opts)
	}
	if list, ok := findLabelledList(text); ok { // first, because chosen columns are columns of its table
		return list.parse(decoded, opts)
	}
	isBinary := bytes.IndexByte(text, 0) >= 0 // parseDelimited returns the error
	isChosenTable := opts.Columns != nil || opts.HeaderRow != 0 || opts.Separator != 0 || opts.Join != ""
	if isBinary || isChosenTable {
		return parseDelimited(text, decoded, opts)
	}
	if isWellKnownText(text) {
		return parseWellKnownText(text, decoded, opts)
	}
	if isLinkList(text) || areLines(text, isPairList) { // the commas would make it a table
		return parseLines(text, decoded, opts)
	}
	if list, ok := findControlList(text); ok {
		return list.parse(decoded, opts)
	}
	return parseTableOrLines(text, decoded, opts)
}

// parseTableOrLines reads a text as a table. If this fails and the text does not look like a table, it reads the text
// line by line. If the columns were guessed from their values and some rows were skipped, it reads the text in both
// ways, and returns the better result.
func parseTableOrLines(text []byte, decoded decoding, opts readOptions) (*Result, *Error) {
	table := readDelimited(text, decoded, opts)
	if table.failed == nil {
		if table.byValue && table.result.Skipped > 0 {
			return betterResult(table.result, text, decoded, opts), nil
		}
		return table.result, nil
	}
	isTable := table.hasColumns() && !table.hasWrongColumns()
	if isTable || isWideTable(text) {
		return table.result, table.failed // the error says what to change in the table
	}
	if res, failed, ok := parseLinesOrSpaced(text, decoded, opts); ok {
		return res, failed
	}
	return table.result, table.failed
}

// hasWrongColumns reports whether the columns of a table were probably guessed wrongly: no row has a usable position.
// If rows were skipped because of their reference system, it returns false. Their positions are in the right columns,
// and reading line by line would ignore the system.
func (t *delimitedTable) hasWrongColumns() bool {
	return t.byValue && t.failed.isOf(NothingUsable) && !hasOtherDatum(t.result)
}

// betterResult reads the text of a table line by line, too. It returns the result of reading by lines if isFuller
// prefers this result. Otherwise it returns table.
func betterResult(table *Result, text []byte, decoded decoding, opts readOptions) *Result {
	lines, failed := parseLines(text, decoded, opts)
	if failed == nil && isFuller(lines, table, text) {
		return lines
	}
	return table
}

// parseLinesOrSpaced reads a text that is not a table with delimiters. It first reads the text line by line. If no line
// has a position, it reads the text as a table with blanks between the columns. ok is false if the text has no
// positions in either form. If ok is true, failed is nil, or says why the positions or the columns cannot be used.
func parseLinesOrSpaced(text []byte, decoded decoding, opts readOptions) (res *Result, failed *Error, ok bool) {
	lines, failed := parseLines(text, decoded, opts)
	if failed == nil || failed.isOf(NeedsAnswer) {
		return lines, failed, true
	}
	hasPositions := lines != nil && lines.Skipped > 0
	if hasPositions { // all positions were skipped; the warnings say why
		return lines, failed, true
	}
	spaced, isSpaced := spacedTable(text)
	if !isSpaced {
		return nil, nil, false
	}
	table := readDelimited(spaced, decoded, opts)
	if !table.hasColumns() { // the caller has a clearer error
		return nil, nil, false
	}
	return table.result, table.failed, true
}

// hasOtherDatum reports whether a row was skipped because of its reference system.
func hasOtherDatum(res *Result) bool {
	return slices.ContainsFunc(res.Warnings, func(w Warning) bool { return w.Skipped && w.Code == OtherReference })
}

// isLinkList reports whether every line begins with a link, apart from blank lines.
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

// isFuller reports whether reading a text line by line gives a better result than reading it as a table. The result
// with more sites is better. If both have the same number of sites, the table is better, because it has warnings about
// skipped rows. There is one exception: if every position has its name in the line above, as areTitled reports, the
// table skips these names, and the lines are better.
func isFuller(lines, table *Result, text []byte) bool {
	if len(lines.Placemarks) != len(table.Placemarks) {
		return len(lines.Placemarks) > len(table.Placemarks)
	}
	return lines.Skipped < table.Skipped && areTitled(splitLines(text))
}

// isWideTable reports whether most rows of a text have the same number of cells, and this number is at least three.
// Such a text is a table with unknown columns and not prose. isWideTable returns false for lines of positions such as
// 48,7101° N, 9,1101° E, although they have many commas.
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
	return isRegular(widths, rows)
}

// isRegular reports whether most rows have the same number of cells, and this number is at least three. widths has the
// number of rows for each number of cells.
func isRegular(widths map[int]int, rows int) bool {
	for width, count := range widths {
		if width >= 3 && isMost(count, rows) {
			return true
		}
	}
	return false
}

// isMost reports whether count is at least 80 % of total.
func isMost(count, total int) bool { return count*10 >= total*8 }

// haveLetters reports whether most of the first lines of a text have a position with hemisphere letters or labels.
func haveLetters(text []byte) bool {
	rows := 0
	lettered := 0
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
	return lettered > 0 && isMost(lettered, rows)
}

// areLines reports whether isKind is true for all of the first lines of a text that are not blank.
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

// maxPairList is the maximum length in bytes of a line that is read as a list of positions.
const maxPairList = 1 << 14

// isPairList reports whether a line has several positions and no other decimal numbers, as in A: 48.71, 9.11; B:
// 48.72, 9.12. Between the positions there must be a separator such as a semicolon, because commas are also between
// the numbers.
func isPairList(line string) bool {
	places := findPlaces(line)
	if len(places) < 2 {
		return false
	}
	end := 0
	for i, place := range places {
		before := line[end:place.start] // the text between the last position and this one
		end = place.end
		isInCells := strings.ContainsAny(line[place.start:place.end], ";|") // the numbers are in different cells
		isSeparated := i == 0 || pairBreak().MatchString(before)
		hasOtherNumber := strings.Contains(before, ".")
		if isInCells || !isSeparated || hasOtherNumber {
			return false
		}
	}
	return strings.Trim(line[end:], " ;,])|.") == ""
}

// isNamedPair reports whether a line is a name followed by one position, as in A 48,71 9,11. If there is a separator
// in the name, it returns false, because then the line is a row of a table.
func isNamedPair(line string) bool {
	places := findPlaces(line)
	return len(places) == 1 && places[0].end == len(line) && !strings.ContainsAny(line[:places[0].start], ",;|\t")
}

// pairBreak matches a separator between two positions of a list.
var pairBreak = newPattern(`[;|\])]`)

// spacedTable replaces the blanks between the columns of a table by tabs. In a table, most rows have the same number of
// words, and this number is at least three. ok is false for any other text.
func spacedTable(text []byte) (spaced []byte, ok bool) {
	widths := make(map[int]int)
	rows := 0
	for line := range bytes.Lines(text) {
		if words := len(bytes.Fields(line)); words > 0 {
			widths[words]++
			rows++
		}
	}
	if !isRegular(widths, rows) {
		return nil, false
	}
	for line := range bytes.Lines(text) {
		spaced = append(spaced, bytes.Join(bytes.Fields(line), []byte("\t"))...)
		spaced = append(spaced, '\n')
	}
	return spaced, true
}

// isWellKnownText reports whether a text consists only of geometries in well-known text.
func isWellKnownText(text []byte) bool {
	geometries := newWKTScanner(text)
	found := 0
	for geometries.next() {
		found++
	}
	return found > 0 && len(geometries.rest) == 0
}

// wktScanner splits a text into geometries in well-known text. A geometry can extend over several lines.
type wktScanner struct {
	rest     []byte // the text after the geometry
	geometry []byte // the current geometry
	line     int    // number of its first line
	nextLine int    // number of the line at which rest begins
}

func newWKTScanner(text []byte) *wktScanner {
	s := &wktScanner{rest: text, nextLine: 1}
	s.skip(whiteSpace)
	return s
}

// next goes to the next geometry. It returns false if the text does not go on with a geometry.
func (s *wktScanner) next() bool {
	if !wktStart().Match(s.rest) {
		return false
	}
	end := endOfWKT(s.rest)
	s.geometry = s.rest[:end]
	s.line = s.nextLine
	s.nextLine += countLineFeeds(s.geometry)
	s.rest = s.rest[end:]
	s.skip(whiteSpace + ";,")
	return true
}

// skip removes the given characters from the start of s.rest.
func (s *wktScanner) skip(characters string) {
	trimmed := bytes.TrimLeft(s.rest, characters)
	s.nextLine += countLineFeeds(s.rest[:len(s.rest)-len(trimmed)])
	s.rest = trimmed
}

func countLineFeeds(text []byte) int { return bytes.Count(text, []byte{'\n'}) }

// parseWellKnownText reads a text of geometries in well-known text. The caller must have checked the text with
// isWellKnownText.
func parseWellKnownText(text []byte, decoded decoding, opts readOptions) (*Result, *Error) {
	b := newResultBuilder(opts, FormatCSV)
	b.addDecoding(decoded)
	account := Account{Unit: "geometry"}
	var cells cellReader
	for geometries := newWKTScanner(text); geometries.next(); {
		account.Total++
		b.startPlacemark(geometries.line)
		b.draft.name = "Placemark " + strconv.Itoa(account.Total)
		cells.addWellKnownText(b, geometries.geometry)
		b.finishPlacemark()
		if len(b.res.Placemarks) > b.draft.since.placemarks {
			account.Sites++
		} else {
			account.Skipped++
		}
	}
	b.res.Accounts = append(b.res.Accounts, account)
	return b.finishResult(newError(NoPlacemarks, "no geometry in the file"))
}

// wktStart matches the start of a geometry in well-known text up to its first bracket.
var wktStart = newPattern(
	`(?i)^(?:SRID=[0-9]*;)?\s*(?:(?:MULTI)?(?:POINT|LINESTRING|POLYGON)|GEOMETRYCOLLECTION)\s*(?:ZM|Z|M)?\s*(?:\(|EMPTY\b)`,
)

// addWellKnownText adds the shapes in well-known text to the current placemark. If the text cannot be read, it skips
// the placemark.
func (c *cellReader) addWellKnownText(out *resultBuilder, text []byte) {
	figures, problem := c.readCell(text)
	if problem == nil && len(figures) == 0 {
		problem = noCoordinates
	}
	if problem != nil {
		out.skipPlacemark(problem)
		return
	}
	system, problem := c.systemFor(out)
	if problem != nil {
		out.skipPlacemark(problem)
		return
	}
	for _, f := range figures {
		out.addFromSystem(f, system)
	}
}

// systemFor returns the reference system of the cell that was read last, or nil for WGS 84. It uses the system that the
// cell names. If the cell names none, it uses the system in the options, or else the system of the file.
func (c *cellReader) systemFor(out *resultBuilder) (*crs.System, *Error) {
	if c.system != nil {
		return c.system, nil
	}
	if out.opts.CRS != 0 {
		return findSystem(out.opts.CRS)
	}
	return out.system, nil
}

// endOfWKT returns the index after the geometry at the start of a text. A geometry ends with its last bracket, which
// can be in a later line. Without brackets, as in POINT EMPTY, it ends with its line.
func endOfWKT(text []byte) int {
	depth := 0 // open brackets
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '(':
			depth++
		case ')':
			depth--
			if depth <= 0 {
				return i + 1
			}
		case '\n':
			if depth > 0 {
				continue
			}
			next := skipSpace(text, i)
			hasBracket := next < len(text) && text[next] == '('
			if !hasBracket {
				return i
			}
			i = next - 1 // the bracket is read next
		}
	}
	return len(text)
}

// textPlace is a part of a line that looks like a position.
type textPlace struct {
	start, end int
	isBare     bool // the position is two numbers without letters or labels
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

// placeForm is a way to write a position in a line of text, such as a link or degrees with letters.
type placeForm struct {
	pattern func() *regexp.Regexp
	needs   string // a line must have one of these characters to match
	lead    string // characters that the pattern can match before the position
	isBare  bool   // the position is two numbers without letters or labels
}

// findAll returns the start and the end of each text in a line that matches the pattern.
func (f *placeForm) findAll(line string) [][]int {
	if !strings.ContainsAny(line, f.needs) { // true for most lines, and ten times faster than the pattern
		return nil
	}
	return f.pattern().FindAllStringIndex(line, -1)
}

// placeForms are the forms of positions, beginning with the clearest.
var placeForms = []placeForm{
	{pattern: linkPlace, needs: ":"},
	{pattern: wktPlace, needs: "("},
	{pattern: latLngPlace, needs: "lLbB"},
	{pattern: lngLatPlace, needs: "lLbB"},
	{pattern: anglePlace, needs: "°ºd"},
	{pattern: letterPlace, needs: "NSEWOZ"},
	{pattern: utmPlace, needs: bands},
	{pattern: mgrsPlace, needs: bands},
	{pattern: plusCodePlace, needs: "+"},
	{pattern: barePlace, needs: ".,", isBare: true},
	{pattern: briefPlace, needs: ".", lead: ":= \t", isBare: true},
}

var (
	linkPlace = newPattern(`(?i)\bhttps?://[^\s<>"]+|\bgeo:[^\s<>"]+`)
	wktPlace  = newPattern(
		`(?i)(?:SRID=[0-9]+;)?\b(?:MULTI)?(?:POINT|LINESTRING|POLYGON)\s*(?:ZM|Z|M)?\s*\([^a-z]*\)`)
	latLngPlace = newPattern(`(?i)\b` + latForm + valueForm + `[\s,;/|]*` +
		lngForm + `[EWO]?\s*[-+−]?[0-9]{1,3}(?:[.,][0-9]+)?[^a-z,;\n]*[NSEWO]?`)
	lngLatPlace = newPattern(`(?i)\b` + lngForm + valueForm + `[\s,;/|]*` +
		latForm + `[NS]?\s*[-+−]?[0-9]{1,3}(?:[.,][0-9]+)?[^a-z,;\n]*[NS]?`)
	anglePlace  = newPattern(angleForm + `\s*[,;/|]?\s*` + angleForm)
	letterPlace = newPattern(letterForm + `\s*[,;/|]?\s*` + letterForm)
	utmPlace    = newPattern(`\b(?:UTM\s*)?[0-9]{1,2}\s?[C-HJ-NP-X]\s+` +
		`E?\s*0?[0-9]{6}(?:[.][0-9]+)?\s*m?E?[\s,]+N?\s*[0-9]{6,7}(?:[.][0-9]+)?`)
	mgrsPlace = newPattern(`\b[0-9]{1,2}[C-HJ-NP-X]\s?[A-HJ-NP-Z][A-HJ-NP-V]\s?` +
		`(?:[0-9]{3,5}\s[0-9]{3,5}|[0-9]{6}|[0-9]{8}|[0-9]{10})\b`)
	plusCodePlace = newPattern(`\b[2-9CFGHJMPQRVWX]{8}\+[2-9CFGHJMPQRVWX]{2,3}\b`)

	barePlace  = newPattern(bareForm)
	briefPlace = newPattern(`(?:^|[:=]\s*)` + briefForm + `\s*$`)
	latLine    = newPattern(`(?i)^\s*` + latForm + `[NS]?[^a-z]*[NS]?\s*$`)
	lngLine    = newPattern(`(?i)^\s*` + lngForm + `[EWO]?[^a-z]*[EWO]?\s*$`)
	suspicious = newPattern(`[0-9]{1,3}[.,][0-9]{3,}.*[^0-9].*[0-9]{1,3}[.,][0-9]{3,}|[0-9]\s*[°º]\s*[0-9]|` +
		`\b[0-9]{6,7}(?:[.,][0-9]+)?\b.*\b[0-9]{6,8}\b`)
)

// findPlaces finds the texts in a line that look like positions, from left to right. If two of them overlap, it keeps
// the text that placeForms lists first.
func findPlaces(line string) []textPlace {
	var found []textPlace
	for i := range placeForms {
		form := &placeForms[i]
		for _, match := range form.findAll(line) {
			place := form.trim(line, match[0], match[1])
			if place.start == place.end || place.isPartOfWord(line) {
				continue
			}
			if !slices.ContainsFunc(found, place.overlaps) {
				found = append(found, place)
			}
		}
	}
	slices.SortFunc(found, func(a, b textPlace) int { return a.start - b.start })
	return found
}

// isPartOfWord reports whether the text begins or ends inside a longer number or word of the line. An example is N
// 539486 in N 5394868.
func (p textPlace) isPartOfWord(line string) bool {
	if isWithinDigits(line, p.start) || isWithinDigits(line, p.end) {
		return true
	}
	return p.isBare && isWithinNumber(line, p.start, p.end)
}

// trim returns the matched part of a line, without the blanks and punctuation around the position.
func (f *placeForm) trim(line string, start, end int) textPlace {
	closing := " \t.,;)|"
	if strings.Contains(line[start:end], "(") { // a bracket at the end belongs to it
		closing = " \t.,;|"
	}
	end = start + len(strings.TrimRight(line[start:end], closing))
	start = end - len(strings.TrimLeft(line[start:end], f.lead+" \t"))
	return textPlace{start: start, end: end, isBare: f.isBare}
}

func (p textPlace) overlaps(other textPlace) bool { return p.start < other.end && p.end > other.start }

// isWithinDigits reports whether the index i is inside a number or word: the line has a digit at i, and a digit or a
// letter before it.
func isWithinDigits(line string, i int) bool {
	return i > 0 && i < len(line) && isDigit(line[i]) && (isDigit(line[i-1]) || isLetter(line[i-1]))
}

// isWithinNumber reports whether line[start:end] is a part of a longer number, such as a version or an IP address.
func isWithinNumber(line string, start, end int) bool {
	hasDigit := func(i int) bool { return i >= 0 && i < len(line) && isDigit(line[i]) }
	if hasDigit(start-1) || hasDigit(end) {
		return true
	}
	isMarkBefore := start > 0 && strings.IndexByte(".,", line[start-1]) >= 0
	isPointAfter := end < len(line) && line[end] == '.'
	return isMarkBefore && hasDigit(start-2) || isPointAfter && hasDigit(end+1)
}

// textLine is a line of text without blanks around it, together with the positions in it.
type textLine struct {
	text   string
	places []textPlace
}

func newTextLine(text string) textLine {
	text = strings.TrimSpace(text)
	return textLine{text, findPlaces(text)}
}

// splitLines returns the lines of a text with their positions. Finding the positions takes most of the reading time,
// so it must be done only once.
func splitLines(text []byte) (lines []textLine) {
	for line := range strings.SplitSeq(strings.TrimSuffix(string(text), "\n"), "\n") {
		lines = append(lines, newTextLine(line))
	}
	return lines
}

// lineReader reads lines of text with positions in them.
type lineReader struct {
	out      *resultBuilder
	account  Account
	order    AxisOrder // order in pairs of numbers without letters or labels, "" if it is not decided yet
	lngAxis  angleAxis // meaning of O in a longitude: longitudeOEast, longitudeOWest, or longitude if it is not known
	unclearO bool      // a longitude has a letter O that can mean east or west, so parseLines reads the text again
	title    string    // the line above, if it can be a name
	count    int       // number of sites without a name so far
}

// parseLines reads a text line by line. Each position in a line becomes a site. The site is named by the words in the
// same line or in the line above.
func parseLines(text []byte, decoded decoding, opts readOptions) (*Result, *Error) {
	r := newLineReader(opts)
	r.out.addDecoding(decoded)
	lines := splitLines(text)
	if failed := r.settleOrder(lines); failed != nil {
		return r.out.res, failed
	}
	r.readLines(lines)
	if r.unclearO {
		return r.decideLetterO(text, decoded)
	}
	r.out.res.Accounts = append(r.out.res.Accounts, r.account)
	return r.out.finishResult(newError(NoPlacemarks, "no coordinates in the text"))
}

func newLineReader(opts readOptions) *lineReader {
	return &lineReader{
		out:     newResultBuilder(opts, FormatCSV),
		account: Account{Unit: "line"},
		order:   opts.Axes,
		lngAxis: opts.LetterO.longitudeAxis(),
	}
}

// longitudeAxis returns the axis with which readAngle reads longitudes: longitudeOEast or longitudeOWest if the meaning
// of O is known, otherwise longitude.
func (o LetterO) longitudeAxis() angleAxis {
	switch o {
	case OEast:
		return longitudeOEast
	case OWest:
		return longitudeOWest
	}
	return longitude
}

// readLines adds the sites of all lines.
func (r *lineReader) readLines(lines []textLine) {
	r.account.Total = len(lines)
	hasTitles := areTitled(lines)
	for i := 0; i < len(lines); {
		r.out.startPlacemark(i + 1)
		line, count := joinPosition(lines[i:])
		r.readLine(line, count)
		if !hasTitles {
			r.title = "" // a name above a blank line does not belong to the position below
		}
		i += count
	}
}

// joinPosition returns the first line, and 1 as count. There is one exception: if the first line is a labelled
// latitude and the second a labelled longitude, it joins them into one line, and count is 2.
func joinPosition(lines []textLine) (line textLine, count int) {
	first := lines[0]
	if len(lines) == 1 || !latLine().MatchString(first.text) || !lngLine().MatchString(lines[1].text) {
		return first, 1
	}
	return newTextLine(first.text + ", " + lines[1].text), 2
}

// areTitled reports whether each position of a text is alone in its line and has its name in the line above.
func areTitled(lines []textLine) bool {
	hasPosition := false
	for i, line := range lines {
		isLatitude := len(line.places) == 0 && latLine().MatchString(line.text)
		if len(line.places) == 0 && !isLatitude {
			continue
		}
		hasPosition = true
		isAlone := isLatitude || line.isOnePlace()
		isNamedAbove := i > 0 && lines[i-1].text != "" && len(lines[i-1].places) == 0
		if !isAlone || !isNamedAbove {
			return false
		}
	}
	return hasPosition
}

// isOnePlace reports whether the line is one position without a name.
func (l *textLine) isOnePlace() bool {
	return len(l.places) == 1 && nameBeside(l.text, l.places[0], 0, len(l.text)) == ""
}

// readLine reads the positions of a line. count is 2 if the line was joined from two lines of the text, otherwise 1.
func (r *lineReader) readLine(line textLine, count int) {
	if len(line.places) == 0 {
		r.readProse(line.text, count)
		return
	}
	sitesBefore := len(r.out.res.Placemarks)
	if isPointList(line.text, line.places) {
		r.readPointList(line.text, line.places)
	} else {
		r.readPlaces(line.text, line.places)
	}
	r.title = "" // it named only the positions of this line
	r.countLines(count, r.out.res.Placemarks[sitesBefore:])
}

// countLines adds a line with positions to the account. count is 2 if the line was joined from two lines of the text,
// otherwise 1. added are the sites of the line; if there are none, the line counts as skipped.
func (r *lineReader) countLines(count int, added []Placemark) {
	if len(added) == 0 {
		r.account.Skipped += count
		return
	}
	if count > 1 { // the lines are parts of one site
		r.account.Parts += count
		return
	}
	r.account.Sites++ // the account counts lines, so a line with several sites counts once
	if r.out.hasZero && allAtZero(added) {
		accountIndex := len(r.out.res.Accounts) // parseLines will add the account at this index
		r.out.zeroes = append(r.out.zeroes, accountIndex)
	}
}

// readPlaces adds a site for each position of a line. The words before a position name its site. If the line has only
// one position, the words after it can also name it. A site without words gets the name of the first site and a
// number: Mission A, Mission A 2.
func (r *lineReader) readPlaces(line string, found []textPlace) {
	first := ""   // name of the first site
	nameFrom := 0 // index where the words for the name of the current site begin
	for i, place := range found {
		nameTo := len(line)
		if len(found) > 1 {
			nameTo = place.end
		}
		name := nameBeside(line, place, nameFrom, nameTo)
		if i == 0 {
			first = name
		} else if name == "" && first != "" {
			name = first + " " + strconv.Itoa(i+1)
		}
		r.readPlace(line[place.start:place.end], name)
		nameFrom = place.end
	}
}

// readProse counts a line without a position. If the line has numbers that look like coordinates, it adds a warning
// that these numbers cannot be read. lines is 2 if the line was joined from two lines of the text, otherwise 1.
func (r *lineReader) readProse(line string, lines int) {
	r.title = line
	if !suspicious().MatchString(line) {
		r.account.Other += lines
		return
	}
	r.out.draft.name = r.nameOrNumber(line)
	r.out.skipPlacemark(newError(CoordinatesUnreadable, "its coordinates cannot be read: %s", []byte(line)))
	r.out.finishPlacemark()
	r.account.Skipped += lines
}

// readPlace adds a site with the position in text. If name is "", the site gets the name in the line above. If there
// is none, it gets a number.
func (r *lineReader) readPlace(text, name string) {
	r.out.draft = placemarkDraft{line: r.out.draft.line, since: r.out.currentMark()}
	if name == "" {
		name = r.title
	}
	name = siteLabel().ReplaceAllString(name, "")
	r.out.draft.name = r.nameOrNumber(strings.TrimRight(name, ":"))
	r.addPlace(text)
	r.out.finishPlacemark()
}

// addPlace reads the position or the shape in text, and adds it to the current site. If the text cannot be read, it
// skips the site.
func (r *lineReader) addPlace(text string) {
	if isWKT([]byte(text)) {
		new(cellReader).addWellKnownText(r.out, []byte(text))
		return
	}
	typed, err := readTypedAs(text, r.order, r.lngAxis)
	if err != nil && r.hasUnclearO(text) {
		r.unclearO = true
		r.out.skipPlacemark(newError(LetterAmbiguous, "%v", err))
		return
	}
	if err != nil {
		r.out.skipPlacemark(newError(CoordinatesUnreadable, "%v", err))
		return
	}
	if typed.Note != "" {
		r.out.warnPlacemark(PlaceGuessed, "%s", typed.Note)
	}
	for _, geometry := range typed.Geometries {
		isAdded := r.addGeometry(geometry)
		if !isAdded {
			return
		}
	}
}

// addGeometry adds a geometry to the current site. It returns false if it skipped the geometry: the options exchange
// latitude and longitude, and a point is then not on the globe.
func (r *lineReader) addGeometry(geometry orb.Geometry) bool {
	if point, isPoint := geometry.(orb.Point); isPoint {
		exchanged, err := r.exchange(point)
		if err != nil {
			r.out.skipPlacemark(newError(CoordinatesUnreadable, "%v", err))
			return false
		}
		geometry = exchanged
	}
	p := Placemark{Geometry: geometry, Line: r.out.draft.line}
	p.measure()
	r.out.addPlacemark(p)
	return true
}

// exchange returns a point with latitude and longitude exchanged if the options say so. It returns an error if the
// exchanged point is not on the globe.
func (r *lineReader) exchange(p orb.Point) (orb.Point, error) {
	if !r.out.opts.SwapLatLng {
		return p, nil
	}
	return onGlobe(orb.Point{p[1], p[0]})
}

// hasUnclearO reports whether a text that could not be read is a position with a letter O that can mean east (Ost in
// German) or west (oeste in Spanish).
func (r *lineReader) hasUnclearO(text string) bool {
	isKnown := r.lngAxis != longitude
	if isKnown || !strings.ContainsAny(text, "Oo") {
		return false
	}
	_, err := readTypedAs(text, r.order, longitudeOWest)
	return err == nil
}

// isPointList reports whether a line has several positions and nothing but separators between them. The positions are
// then the corners of one site.
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

// readPointList adds one site that has the positions of a line as its corners. Two positions make a line, and more
// make the boundary of an area.
func (r *lineReader) readPointList(line string, found []textPlace) {
	r.out.draft.name = r.nameOrNumber(nameBeside(line, found[0], 0, found[0].end))
	var points []orb.Point
	for _, place := range found {
		p, err := r.readPoint(line[place.start:place.end])
		if err != nil {
			r.out.skipPlacemark(newError(CoordinatesUnreadable, "%v", err))
			r.out.finishPlacemark()
			return
		}
		points = append(points, p)
	}
	r.out.addFigure(outlineOf(slices.Compact(points)))
	r.out.finishPlacemark()
}

// readPoint reads a position of a point list. It returns an error if the position is a line or an area.
func (r *lineReader) readPoint(text string) (orb.Point, error) {
	typed, err := readTypedAs(text, r.order, r.lngAxis)
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

// nameOrNumber returns the cleaned name. If the name is empty, it returns "Place" and a number.
func (r *lineReader) nameOrNumber(name string) string {
	cleaned := r.out.makeName([]byte(name))
	if cleaned == "" {
		r.count++
		return "Place " + strconv.Itoa(r.count)
	}
	return cleaned
}

var (
	bulletText = newPattern(`^\s*(?:[-*•–>·]+\s*|[0-9]{1,3}[.)]\s+|\([0-9a-z]\)\s+)`)
	joinText   = newPattern(`(?i)^\s*(?:and|und|et|y|e|sowie|&|\+)\s+|` +
		`\s+(?:at|bei|à|en|ist|is|liegt|@|coordinates?|koordinaten|gps|position|coords?)\s*[:=]?\s*$`)
)

// siteLabel matches the labels that people write before the name of a site.
var siteLabel = newPattern(
	`(?i)^(?:site|name|site name|standort|bezeichnung|location|nom|nombre|nome|naam)\s*:\s*`)

// nameBeside returns the text that can name a position: the words before it, otherwise a number before it, otherwise
// the words after it. It only looks at line[from:to].
func nameBeside(line string, place textPlace, from, to int) string {
	clean := func(text string) string {
		text = bulletText().ReplaceAllString(text, "")
		text = joinText().ReplaceAllString(strings.Trim(text, " \t,;:=-–|()[].\"'"), "")
		return strings.Trim(text, " \t,;:=-–|()[].\"'@")
	}
	before := clean(line[from:place.start])
	if wordOrDigit().MatchString(before) {
		return before
	}
	if number := strings.Trim(line[from:place.start], " \t:.)("); wordOrDigit().MatchString(number) {
		return number
	}
	after := heightText().ReplaceAllString(line[place.end:max(to, place.end)], "")
	return clean(after)
}

var (
	wordOrDigit = newPattern(`[\p{L}0-9]`)
	heightText  = newPattern(`^\s*[,;/]?\s*-?[0-9]+(?:[.,][0-9]+)?\s*m?\s*(?:[,;]|$)`)
)

// settleOrder decides whether the latitude or the longitude is first in pairs of numbers without letters or labels. A
// number over 90 must be a longitude. If there is no such number, it assumes that the latitude is first, and adds a
// warning. If the pairs contradict each other, it asks the user.
func (r *lineReader) settleOrder(lines []textLine) *Error {
	if r.order != "" {
		return nil
	}
	counts, unclear := countBarePairs(lines)
	if counts.areMixed() {
		return r.out.ask(pairQuestion(unclear, "Some pairs have the latitude first, others the longitude. Which is right?"))
	}
	if counts.lngFirst > 0 {
		r.order = LngLat
		r.out.warnFile(PlaceGuessed, "the pairs were read as longitude and latitude by their values")
		return nil
	}
	if counts.latFirst == 0 && counts.unclear > 0 {
		r.assumeOrder(unclear)
	}
	return nil
}

// countBarePairs counts the pairs of numbers without letters or labels in lines of text, by the possible order of
// latitude and longitude. unclear is the first pair that is possible in both orders, or "".
func countBarePairs(lines []textLine) (counts pairCounts, unclear string) {
	for _, line := range lines {
		for _, place := range line.places {
			text := line.text[place.start:place.end]
			first, second, ok := barePair([]byte(text))
			if !place.isBare || !ok {
				continue
			}
			order := orderOfNumbers(first, second)
			counts.countPair(order)
			if order == "" && unclear == "" {
				unclear = text
			}
		}
	}
	return counts, unclear
}

// assumeOrder adds a warning that the latitude is assumed to be first. It also asks the user which coordinate is first.
// The question shows the town near the position of pair, once for each order.
func (r *lineReader) assumeOrder(pair string) {
	q := pairQuestion(pair, "Which coordinate is first?")
	q.Certain = true
	place := ""
	if !r.out.opts.NoPlaces && q.Choices[0].Town != "" {
		place = ": the first site is " + q.Choices[0].Town
	}
	r.out.warnFile(PlaceGuessed,
		"the pairs of numbers were read as latitude and longitude, in this order%s; they can be swapped", place)
	r.out.res.Questions = append(r.out.res.Questions, q)
}

// pairQuestion returns a question with two choices: every pair of numbers has the latitude first, or has the longitude
// first. Each choice shows the town near the position that pair would then have.
func pairQuestion(pair, text string) Question {
	q := Question{Kind: AskAxes, Text: text, Choices: []Choice{
		{Value: string(LatLng), Label: "latitude first"},
		{Value: string(LngLat), Label: "longitude first"},
	}}
	for i, order := range []AxisOrder{LatLng, LngLat} {
		p, _, err := readPairAs(pair, order, longitude)
		if err == nil {
			q.Choices[i].Town = townOf(p)
		}
	}
	return q
}

// decideLetterO finds out from the other longitudes in a text whether O means east or west, and reads the text again.
// If the other longitudes do not show the meaning, or if the text still cannot be read, it asks the user.
func (r *lineReader) decideLetterO(text []byte, decoded decoding) (*Result, *Error) {
	if meaning := meaningOfOIn(text); meaning != "" {
		res, failed := r.parseWithO(meaning, text, decoded)
		if failed == nil {
			return res, nil
		}
	}
	choices := []Choice{
		{Value: string(OWest), Label: "west (Oeste, Ouest)"},
		{Value: string(OEast), Label: "east (Ost)"},
	}
	for i := range choices {
		res, failed := r.parseWithO(LetterO(choices[i].Value), text, decoded)
		if failed == nil && len(res.Placemarks) > 0 {
			choices[i].Town = townOf(res.Placemarks[0].Points()[0])
		}
	}
	sortByTown(choices)
	r.out.res.Placemarks = nil // without the positions that have an O, they are incomplete
	r.out.res.Warnings = nil
	return r.out.res, r.out.ask(Question{Kind: AskLetterO, Text: "Does O mean east or west?", Choices: choices})
}

// meaningOfOIn finds out whether O means east or west in a text. If other longitudes of the text have E and none has W,
// E is used for east, so O means west. If other longitudes have W and none has E, O means east. Otherwise the result is
// "".
func meaningOfOIn(text []byte) LetterO {
	hasEast := eastLetter().Match(text)
	hasWest := westLetter().Match(text)
	if hasEast && !hasWest {
		return OWest
	}
	if hasWest && !hasEast {
		return OEast
	}
	return ""
}

// parseWithO reads the text again with the given meaning of O. No O is unclear then, so decideLetterO is not called
// again.
func (r *lineReader) parseWithO(meaning LetterO, text []byte, decoded decoding) (*Result, *Error) {
	opts := r.out.opts
	opts.LetterO = meaning
	return parseLines(text, decoded, opts)
}

var (
	eastLetter = newPattern(`[0-9°'"′″]\s*E\b`)
	westLetter = newPattern(`[0-9°'"′″]\s*W\b`)
)
