package kmlcsv

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"flightdesk/kmlcsv/crs"
)

// csvReader reads a table in a delimited text, such as CSV. It finds out what the columns mean, and makes placemarks
// of the rows. It delegates most of the work to the readers in its fields. They all share rows, which has the current
// row, and layout, which has the meaning of the columns.
type csvReader struct {
	out         *resultBuilder
	rows        *tableRows
	layout      *tableLayout
	coordinates *coordinateReader
	geometries  *geometryReader
	grouping    *rowGrouping
	description *descriptionReader

	minFields int // minimum number of cells that a row needs to be readable
	radius    int // column with a radius, which only causes a warning, or -1
	area      int // column with the sizes of areas, or -1

	account Account
	failed  *Error // damage that makes the rest of the rows unreadable, or nil
}

// parseCSV reads a table in a delimited text. It detects the encoding of the text first.
func parseCSV(data []byte, opts readOptions) (*Result, *Error) {
	text, decoded, failed := decodeTable(data, opts.Encoding)
	if failed != nil {
		return nil, failed
	}
	return parseDelimited(text, decoded, opts)
}

// parseDelimited reads a table in a text that was decoded to UTF-8. If the encoding was guessed and the guess is not
// certain, it does not read the table, but returns an error that asks the user for the encoding.
func parseDelimited(text []byte, decoded decoding, opts readOptions) (*Result, *Error) {
	if bytes.IndexByte(text, 0) >= 0 {
		return nil, newError(NotText, "this is not a text file; export the sites as KML or CSV")
	}
	if question := decoded.question; question != nil && !question.Certain {
		b := newResultBuilder(opts, FormatCSV)
		b.res.Layout.Encoding = decoded.name
		return b.res, b.ask(*question)
	}
	table := readDelimited(text, decoded, opts)
	return table.result, table.failed
}

// delimitedTable is the outcome of reading a delimited text: a result, an error, or both, as [Parse] returns them.
type delimitedTable struct {
	result  *Result
	failed  *Error
	byValue bool // the columns were found by their values, so they may be wrong
}

// readDelimited reads a table whose delimiter may not be known. It tries the possible delimiters, the likeliest first,
// and returns the first table in which it finds columns with coordinates. If there is no such table, it returns the
// table and the error for the likeliest delimiter. decoded says how the text was decoded.
func readDelimited(text []byte, decoded decoding, opts readOptions) delimitedTable {
	delims, rows := possibleDelimiters(text, opts)
	likeliest := readWithDelimiter(rows, delims[0], decoded, opts)
	if likeliest.hasColumns() {
		return likeliest
	}
	for _, delim := range delims[1:] {
		table := readWithDelimiter(rows, delim, decoded, opts)
		if table.hasColumns() {
			return table
		}
	}
	return likeliest
}

// hasColumns reports whether columns with coordinates were found in the table. It returns true even if the table was
// rejected for another reason.
func (t *delimitedTable) hasColumns() bool { return t.failed == nil || !t.failed.isOf(NoColumns) }

// readWithDelimiter reads a table whose cells are separated by the given delimiter.
func readWithDelimiter(rows []byte, delim byte, decoded decoding, opts readOptions) delimitedTable {
	r := newDelimitedReader(rows, delim, opts)
	r.out.addDecoding(decoded)
	if failed := r.readHeader(); failed != nil {
		return delimitedTable{result: r.out.res, failed: failed}
	}
	r.readRows()
	result, failed := r.csvResult()
	return delimitedTable{result, failed, r.layout.byValue}
}

// possibleDelimiters returns the delimiters that a text may have, the likeliest first. It returns only one if the
// user chose it, or if the text starts with a line such as "sep=;". table is the text without this line.
func possibleDelimiters(text []byte, opts readOptions) (delims, table []byte) {
	named, table := delimiterHint(text)
	if opts.Separator != 0 {
		return []byte{opts.Separator}, table
	}
	if named != 0 {
		return []byte{named}, table
	}
	return delimitersOf(table), table
}

// newDelimitedReader returns a reader for a table with the given delimiter. If the delimiter is a comma, it first
// puts numbers with decimal commas in quotes, because they would be split otherwise.
func newDelimitedReader(table []byte, delim byte, opts readOptions) *csvReader {
	if delim == ',' && !opts.isSheet {
		if quoted, ok := quoteDecimalCommas(table); ok {
			r := newCSVReader(quoted, delim, opts)
			r.out.warnFile(DecimalCommas,
				"numbers with decimal commas were put together from two cells, since they have no quotes")
			return r
		}
	}
	return newCSVReader(table, delim, opts)
}

func newCSVReader(text []byte, delim byte, opts readOptions) *csvReader {
	out := newResultBuilder(opts, FormatCSV)
	rows := newTableRows(text, delim)
	layout := newTableLayout(rows, opts.HeaderRow)
	out.progress = func() float64 { return float64(rows.current.pos) / float64(len(text)) }
	coordinates := newCoordinateReader(out, rows, layout)
	return &csvReader{
		out:         out,
		rows:        rows,
		layout:      layout,
		coordinates: coordinates,
		geometries:  &geometryReader{out: out, rows: rows, layout: layout, coordinates: coordinates},
		grouping:    newRowGrouping(out, rows, layout),
		description: &descriptionReader{out: out, rows: rows, layout: layout},
		account:     Account{Unit: "row"},
	}
}

// addDecoding adds the encoding of the text to the result. If the encoding was guessed, it also adds the warning and
// the question about it.
func (b *resultBuilder) addDecoding(d decoding) {
	b.res.Layout.Encoding = d.name
	if d.note != nil {
		b.warnFile(d.note.Code, "%s", d.note.Message)
	}
	if d.question != nil {
		b.res.Questions = append(b.res.Questions, *d.question)
	}
}

// readHeader finds the header and the columns, and decides how the rows are read. It returns an error if the table
// cannot be read, or if the user has to answer a question first.
func (r *csvReader) readHeader() *Error {
	r.rows.readHead()
	r.out.res.Layout.Rows = r.rows.firstRows()
	r.out.res.Layout.Separator = r.rows.current.delim
	if len(r.rows.head) == 0 {
		return r.failAtEnd(newError(EmptyFile, "the file is empty"))
	}
	// Only the first row must not have more than maxColumns columns. If a later row has too many cells, they only get a
	// warning.
	if r.rows.head[0].extraFields > 0 {
		return newError(TooComplex, "more than %d columns", maxColumns)
	}
	r.layout.findHeader()
	r.setResultHeader()
	if failed := r.chooseColumns(); failed != nil {
		return failed
	}
	isHeaderLast := r.rows.header >= 0 && r.rows.header+1 == len(r.rows.head)
	if isHeaderLast && !r.layout.hasDataAbove() {
		return r.failAtEnd(newError(NoRows, "no rows below the header"))
	}
	return r.prepareRows()
}

// setResultHeader copies the names of the columns and the row number of the header to the result.
func (r *csvReader) setResultHeader() {
	r.out.res.Header = r.layout.finder.titles()
	r.out.res.Layout.HeaderRow = -1
	if r.rows.header >= 0 {
		r.out.res.Layout.HeaderRow = r.rows.head[r.rows.header].row
	}
}

// prepareRows decides how the rows are read: for instance, whether several rows form one placemark, and in which
// order the coordinates are. It returns an error if the meaning of the columns is not clear, or if the user has to
// answer a question first.
func (r *csvReader) prepareRows() *Error {
	r.grouping.grouped = r.grouping.groupsRows()
	r.radius = r.layout.finder.findColumn(radiusNames)
	r.area = r.layout.finder.areaColumn()
	if failed := r.completeColumns(); failed != nil {
		return failed
	}
	r.warnHeader() // needs all fields that were set above
	r.minFields = 1 + max(r.layout.columns.Latitude, r.layout.columns.Longitude)
	if !r.layout.columns.hasPosition() {
		r.minFields = 1 + r.layout.columns.Geometry
	}
	return r.settleOrder() // last, because it reads rows
}

// failAtEnd reads the rest of the file and then returns problem. If the rest has a quoted cell without a closing quote,
// it returns an error about this cell instead, because the missing quote probably caused the problem.
func (r *csvReader) failAtEnd(problem *Error) *Error {
	for r.nextRecord() {
	}
	if r.failed != nil {
		return r.failed
	}
	return problem
}

// chooseColumns uses the columns in the options, otherwise the columns that were found in the header. Then it finds
// the reference system of the coordinates. It returns an error if no columns have coordinates, or if the user has to
// choose the reference system.
func (r *csvReader) chooseColumns() *Error {
	if r.out.opts.Columns != nil {
		r.useColumns(*r.out.opts.Columns)
	} else if r.out.opts.Join != "" && !r.layout.columns.HasLocation() && len(r.layout.finder.columns) == 2 {
		r.layout.useBothColumns()
	}
	r.out.res.Columns = r.layout.columns
	isBeyond := slices.Max(r.layout.columns.all()) >= len(r.layout.finder.columns)
	if r.out.opts.Columns != nil && (isBeyond || !r.layout.columns.HasLocation()) {
		return newError(NoColumns, "the assigned columns do not match the file, which has %d", len(r.layout.finder.columns))
	}
	if !r.layout.columns.HasLocation() {
		return r.askColumns()
	}
	return r.chooseSystem()
}

// askColumns asks the user which columns have the coordinates, because none were found. It sets the columns of the
// result to a guess, which the user can correct.
func (r *csvReader) askColumns() *Error {
	r.layout.useHeader(r.layout.likelyHeader())
	r.setResultHeader()
	r.out.res.Columns = r.layout.finder.guessColumns(r.layout.columns)
	line := r.rows.head[max(r.rows.header, 0)].row
	message := `no columns with coordinates: the header must name "latitude" and "longitude", or "points", or "wkt"`
	if r.layout.severalPositions {
		message = `the rows have several positions, and no header says what they are: ` +
			`name the columns, such as "NW lat" and "NW lon"`
	}
	r.out.res.Questions = append(r.out.res.Questions, Question{
		Kind: AskColumns,
		Line: line,
		Text: "Which columns have the coordinates?",
	})
	return &Error{Code: NoColumns, Line: line, Message: message}
}

// useColumns uses the columns that the user chose.
func (r *csvReader) useColumns(c Columns) {
	r.layout.columns = c
	if r.rows.header < 0 && r.out.opts.HeaderRow == 0 && c.hasPosition() {
		r.useHeaderAboveData()
	}
	// The meaning and the order of the columns are not assumptions any more.
	r.layout.byValue = false
	r.layout.orderAssumed = false
	r.layout.orderMixed = false
	r.layout.orderOpen = false
	if len(r.layout.finder.corners) > 0 && c.Geometry != r.layout.finder.corners[0] {
		r.layout.finder.corners = nil
	}
	if c.hasPosition() {
		r.layout.usePosition(c.Latitude, c.Longitude)
	} else {
		r.layout.positions = nil
	}
}

// useHeaderAboveData looks for the first row with a position in the current columns. If a row above it can be the
// header, this row is used as the header.
func (r *csvReader) useHeaderAboveData() {
	first := slices.IndexFunc(r.rows.head, func(row recordReader) bool {
		north := cellOf(row.fields, r.layout.columns.Latitude)
		east := cellOf(row.fields, r.layout.columns.Longitude)
		_, problem := readDegrees(north, east)
		_, isMetric := metres(north)
		return problem == nil || isMetric
	})
	r.layout.useHeader(r.layout.headerAbove(first))
	r.setResultHeader()
}

// usesNamesakeOf reports whether the layout uses another column that has the same name as the given column.
func (l *tableLayout) usesNamesakeOf(column int) bool {
	name := l.finder.columns[column].folded
	isNamesake := func(used int) bool {
		isFound := used >= 0
		return isFound && used != column && l.finder.columns[used].folded == name
	}
	return slices.ContainsFunc(l.columns.all(), isNamesake)
}

// warnHeader warns about duplicate columns and about columns that are not used.
func (r *csvReader) warnHeader() {
	if r.rows.header >= 0 {
		r.out.draft.line = r.rows.head[r.rows.header].row
	}
	for _, i := range r.layout.finder.duplicates {
		if r.layout.usesNamesakeOf(i) {
			r.out.warnLine(
				DuplicateColumn,
				"several columns are named %q; only the first is used",
				[]byte(r.out.res.Header[i]),
			)
		}
	}
	if r.radius >= 0 {
		r.out.warnFile(RadiusIgnored, "the radius column is not used; each row is a point")
	}
	areRowsPoints := r.layout.columns.Geometry < 0 && !r.grouping.grouped && len(r.layout.positions) == 1
	if r.area >= 0 && areRowsPoints {
		r.out.warnFile(AreaIgnored, "the column %q is not used; each row is a point without an area",
			[]byte(r.out.res.Header[r.area]))
	}
}

// nextRecord goes to the next record that is not blank. It returns false at the end of the table. It also returns
// false if reading must stop, for instance because a quote is not closed, and then sets r.failed.
func (r *csvReader) nextRecord() bool {
	if r.out.stop != nil {
		r.failed = r.out.stop
		return false
	}
	for r.rows.current.nextRecord() {
		if !r.rows.current.isBlank() {
			return true
		}
		r.account.Other++
	}
	if r.rows.current.hasOpenQuote {
		r.failed = &Error{
			Code:    OpenQuote,
			Line:    r.rows.current.row,
			Message: "a quoted cell has no closing quote",
		}
	}
	return false
}

// readRows reads all rows of the table. If several rows form one placemark, it combines them after the last row.
func (r *csvReader) readRows() {
	header := 0 // number of the row, 0 for none
	if r.rows.header >= 0 {
		header = r.rows.head[r.rows.header].row
	}
	for r.nextRecord() {
		row := r.rows.current.row
		isHeader := row == header
		isTitle := row < header && !r.isDataAboveHeader()
		if isHeader || isTitle {
			r.account.Other++
			continue
		}
		r.readRow()
	}
	r.out.draft.line = r.rows.current.stray // row of the first closing quote with text after it, or 0
	if r.rows.current.stray > 0 {
		r.out.warnLine(StrayQuote, "text after a closing quote was read as part of the cell")
	}
	if r.failed == nil && len(r.grouping.groups) > 0 {
		r.joinCorners()
	}
	r.account.Total = r.rows.current.row
}

// isDataAboveHeader reports whether the current record, which is above the header, is a row of data. Such a row has
// numbers in both coordinate columns, or a geometry.
func (r *csvReader) isDataAboveHeader() bool {
	if r.out.opts.HeaderRow != 0 {
		return false
	}
	c := &r.layout.columns
	if !c.hasPosition() {
		return isPlace(r.rows.cellAt(c.Geometry))
	}
	lat := bytes.TrimSpace(r.rows.cellAt(c.Latitude))
	lng := bytes.TrimSpace(r.rows.cellAt(c.Longitude))
	return startsNumber(lat) && startsNumber(lng)
}

// readRow reads the current row. The row becomes a placemark, or it is stored to be combined with other rows into one
// placemark. readRow ignores rows that are headings.
func (r *csvReader) readRow() {
	r.out.startPlacemark(r.rows.current.row)
	if r.isHeading() {
		r.account.Other++
		return
	}
	r.description.readDescription()
	if r.geometries.hasCornerCell() {
		r.geometries.addCornerCells()
		r.finishRow()
		return
	}
	geometry := bytes.TrimSpace(r.rows.cellAt(r.layout.columns.Geometry))
	if len(geometry) > 0 {
		r.geometries.addGeometry(geometry)
		r.finishRow()
		return
	}
	if missing := r.missingPosition(); missing != nil {
		r.out.skipPlacemark(missing)
		r.finishRow()
		return
	}
	if r.grouping.grouped {
		r.addRowToGroup() // the row is finished and counted with its group
		return
	}
	r.addRow()
	r.finishRow()
}

// finishRow sets the name of the placemarks that the current row added, and counts the row.
func (r *csvReader) finishRow() {
	r.warnExtraCells()
	r.out.finishPlacemark()
	r.countRow()
}

// missingPosition returns an error if the current row is too short to have a position, or if the table has no
// position columns. Otherwise it returns nil.
func (r *csvReader) missingPosition() *Error {
	if len(r.rows.current.fields) < r.minFields {
		return newError(ShortRow, "only %d of the header's %d columns", len(r.rows.current.fields), len(r.out.res.Header))
	}
	if len(r.layout.positions) == 0 {
		return noCoordinates
	}
	return nil
}

// countRow counts the current row as a site if it added a placemark, otherwise as skipped.
func (r *csvReader) countRow() {
	added := r.out.res.Placemarks[r.out.draft.since.placemarks:]
	if len(added) == 0 {
		r.account.Skipped++
		return
	}
	r.account.Sites++
	if r.out.hasZero && allAtZero(added) {
		accountIndex := len(r.out.res.Accounts) // csvResult will add the account at this index
		r.out.zeroes = append(r.out.zeroes, accountIndex)
	}
}

// addRowToGroup stores the position in the current row as a corner of a placemark that consists of several rows.
func (r *csvReader) addRowToGroup() {
	p, ok := r.readPosition(0)
	r.grouping.addCorner(p, ok)
	if ok {
		r.out.detachWarnings()
	} else {
		r.out.finishPlacemark()
	}
}

// addRow adds a placemark for the current row. If the row has several positions, they are combined into one line or
// area.
func (r *csvReader) addRow() {
	p, ok := r.readPosition(0)
	if !ok {
		return
	}
	if len(r.layout.positions) > 1 {
		r.addCorners(p)
	} else {
		r.out.addPlacemark(Placemark{Geometry: p, Line: r.out.draft.line})
	}
}

// warnExtraCells warns if the current row has more cells than the header.
func (r *csvReader) warnExtraCells() {
	extra := len(r.rows.current.fields) + r.rows.current.extraFields - len(r.out.res.Header)
	if extra > 0 && r.rows.header >= 0 && len(r.out.res.Placemarks) > r.out.draft.since.placemarks {
		r.out.addWarning(Warning{
			Code: ExtraCells, Line: r.out.draft.line, Index: len(r.out.res.Placemarks) - 1,
			Message: extraText(extra),
		})
	}
}

// extraText returns the warning for a row that has n more values than the header.
func extraText(n int) string {
	if n == 1 {
		return "the row has one value more than the header; it was left out"
	}
	return "the row has " + strconv.Itoa(n) + " values more than the header; they were left out"
}

// unitTexts are the texts that a row of units below the header can have in the coordinate columns.
var unitTexts = map[string]bool{
	"°": true, "deg": true, "degree": true, "degrees": true, "dd": true, "decimal degrees": true,
	"dezimalgrad": true, "grad": true, "m": true, "meter": true, "meters": true, "metre": true, "metres": true,
	"wgs84": true, "wgs 84": true,
}

// maxUnit is the maximum length of a cell with a unit. It is enough for the longest text in unitTexts with brackets
// and blanks around it.
const maxUnit = 32

// isUnit reports whether a cell has the name of a unit instead of a number. It is called for many rows, so it has to
// be fast.
func isUnit(cell []byte) bool {
	if len(cell) > maxUnit {
		return false
	}
	return unitTexts[strings.Trim(strings.ToLower(string(cell)), "[]() \t\r\n")]
}

// isHeading reports whether the current row has no site but describes the columns: it repeats the header, or it has
// the units or the reference system of the columns.
func (r *csvReader) isHeading() bool {
	hasHeader := r.rows.header >= 0
	isChosenByUser := !hasHeader && !r.layout.byValue // the user chose the columns of a table without a header
	if isChosenByUser {                               // every row is data
		return false
	}
	isAboveSites := len(r.out.res.Placemarks) == 0 && len(r.grouping.groups) == 0
	if isAboveSites && r.isSystemLine() {
		return true
	}
	if !r.layout.columns.hasPosition() {
		return false
	}
	lat := r.rows.cellAt(r.layout.columns.Latitude)
	lng := r.rows.cellAt(r.layout.columns.Longitude)
	isBlankOrNumber := len(lat) == 0 || startsLikeNumber(lat)
	if isBlankOrNumber { // most rows end here, which saves the slower checks
		return false
	}
	if r.areTitles(lat, lng) {
		return true
	}
	if isUnit(lat) && isUnit(lng) {
		return true
	}
	return isAboveSites && namesSystem(lat) && namesSystem(lng)
}

// isSystemLine reports whether the current row is only a reference system, such as "ETRS89 / UTM 32N", and has not
// enough cells for a position.
func (r *csvReader) isSystemLine() bool {
	isShort := len(r.rows.current.fields) < r.minFields
	return isShort && namesSystem(r.rows.cellAt(0))
}

// startsLikeNumber reports whether a cell starts with a minus sign, a point, a slash or a digit. The cell must not be
// empty. It is faster than startsNumber, but less exact.
func startsLikeNumber(cell []byte) bool { return cell[0] >= '-' && cell[0] <= '9' }

// areTitles reports whether the two cells of a position repeat the titles of their columns.
func (r *csvReader) areTitles(lat, lng []byte) bool {
	if r.rows.header < 0 {
		return false
	}
	titles := r.out.res.Header
	return string(lat) == titles[r.layout.columns.Latitude] && string(lng) == titles[r.layout.columns.Longitude]
}

// namesSystem reports whether a cell names a reference system.
func namesSystem(cell []byte) bool {
	text := string(bytes.TrimSpace(cell))
	isWords := len(text) > 0 && len(text) < maxTitle && isLetter(text[0])
	return isWords && (len(systemNamedBy(text)) > 0 || mentionedCode(text) != 0)
}

// systemOrDatum returns the reference system for the current row: the system of the table, otherwise the geographic
// system of the row's datum. The result is nil for WGS 84.
func (c *coordinateReader) systemOrDatum() (*crs.System, *Error) {
	if c.out.system != nil {
		return c.out.system, nil
	}
	return c.datumOfRow()
}

// csvResult returns the result of the table. It returns an error if the table could not be read, has no placemarks,
// or needs an answer of the user.
func (r *csvReader) csvResult() (*Result, *Error) {
	if r.failed != nil {
		return nil, r.failed
	}
	if r.coordinates.unclearO {
		failed := r.askLetterO()
		r.out.res.Placemarks = nil
		r.out.res.Warnings = nil
		return r.out.res, failed
	}
	r.out.res.Accounts = append(r.out.res.Accounts, r.account)
	return r.out.finishResult(newError(NoRows, "no rows below the header"))
}
