package kmlcsv

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/paulmach/orb"
)

// cornerRow is a row with the position of a corner. If no other row belongs to the placemark, the position is the
// placemark.
type cornerRow struct {
	point        orb.Point
	order        float64 // sequence number, by which the corners are sorted
	row          int
	isUnreadable bool // the position cannot be read
}

// cornerGroup has the rows that form one placemark. These are all rows with the same ID, or a single row without an
// ID.
type cornerGroup struct {
	placemarkDraft // describes the first row
	kind           Kind
	corners        []cornerRow
}

// rowGrouping collects rows that together form one placemark, for instance the corners of an area.
type rowGrouping struct {
	out    *resultBuilder
	rows   *tableRows
	layout *tableLayout

	grouped bool // several rows may form one placemark
	groups  []cornerGroup
	byID    map[string]int // index in groups for each ID
	lastKey []byte         // ID of the last row with an ID; if its cell is merged, the rows below have the same ID
	merged  []mergedCells  // rows that share one name cell, from the top down; see findMergedNames
}

func newRowGrouping(out *resultBuilder, rows *tableRows, layout *tableLayout) *rowGrouping {
	return &rowGrouping{out: out, rows: rows, layout: layout, byID: make(map[string]int)}
}

// groupsRows reports whether several rows may form one placemark. If so, placemarks can be made only after all rows
// were read.
func (g *rowGrouping) groupsRows() bool {
	g.findMergedNames()
	c := &g.layout.columns
	hasSequence := c.Sequence >= 0
	areJoined := g.out.opts.Join != "" || !hasSequence && len(g.merged) > 0
	if areJoined {
		return true
	}
	hasName := c.ID >= 0 || c.Label >= 0
	if !hasSequence || !hasName || !c.hasPosition() {
		return false
	}
	if g.areColumnsClear() {
		return true
	}
	if !g.restartsPerName() {
		return false
	}
	g.out.warnFile(PlaceGuessed, "rows with the same name were joined in the order of %q",
		[]byte(g.out.res.Header[c.Sequence]))
	return true
}

// areColumnsClear reports whether the columns show for certain that several rows form one placemark. That is the case
// if the user chose the columns, or if an ID column names the sites. It is also the case if the name of the sequence
// column shows that its numbers count the corners of each site; see isCounter.
func (g *rowGrouping) areColumnsClear() bool {
	if g.out.opts.Columns != nil {
		return true
	}
	c := &g.layout.columns
	names := g.layout.finder.columns
	isIDOfSite := c.ID >= 0 && !slices.Contains([]string{"code", "ref"}, names[c.ID].folded)
	return isIDOfSite || !isCounter(names[c.Sequence].folded)
}

// isCounter reports whether the numbers in a sequence column may simply be row numbers. It returns true for a name such
// as "No", and false for a name such as "Vertex", which shows that the numbers count the corners of each site. folded
// is the name of the column in the form that foldName returns.
func isCounter(folded string) bool {
	switch folded {
	case "n", "no", "nr", "point", "punkt", "pt", "pointid", "pointno", "pointnumber", "punktnr":
		return true
	}
	return false
}

// groupColumn returns the column that says which rows form one placemark: the ID column, otherwise the label column.
// All rows of a placemark have the same value in it.
func (l *tableLayout) groupColumn() int {
	if l.columns.ID >= 0 {
		return l.columns.ID
	}
	return l.columns.Label
}

// restartsPerName reports whether the numbers in the sequence column start again from 1 for each name. There must be
// several names with at least three rows each. If so, the rows with the same name are the corners of a site.
func (g *rowGrouping) restartsPerName() bool {
	counts, isCounted := g.countPerName()
	hasTooFew := func(count nameCount) bool { return count.rows < minCorners }
	return isCounted && len(counts) > 1 && !slices.ContainsFunc(counts, hasTooFew)
}

// nameCount is the number of consecutive rows that have the same name.
type nameCount struct {
	name string
	rows int
}

// countPerName counts how many consecutive rows have each name, in the first rows of the table. If the names and
// sequence numbers are
//
//	A 1, A 2, A 3, B 1, B 2, B 3, B 4
//
// the counts are 3 for A and 4 for B. isCounted is false if the sequence numbers do not count the rows of each name
// from 1.
func (g *rowGrouping) countPerName() (counts []nameCount, isCounted bool) {
	nameColumn := g.layout.groupColumn()
	sequenceColumn := g.layout.columns.Sequence
	counts = []nameCount{{name: ""}} // for rows above the first name; removed at the end
	for _, row := range g.layout.finder.rows {
		if len(row.fields) <= max(nameColumn, sequenceColumn) { // the row lacks one of the two cells
			continue
		}
		current := &counts[len(counts)-1]
		name := string(bytes.TrimSpace(row.fields[nameColumn]))
		_, isMerged := g.mergedRun(row.row)
		if name == "" && isMerged { // the cell is merged with the cell above
			name = current.name
		}
		cell := row.fields[sequenceColumn]
		number, end := parseNumber(cell, 0)
		isWholeCell := end == len(cell) // a later row of the same name may have a letter after its number, as in 2a
		// The first row of a name must have the number 1, and each following row the next number.
		startsName := name != current.name && number == 1 && isWholeCell
		continuesName := name == current.name && number == float64(current.rows+1)
		if startsName {
			counts = append(counts, nameCount{name: name, rows: 1})
		} else if continuesName {
			current.rows++
		} else {
			return nil, false
		}
	}
	return counts[1:], true
}

// addCorner adds the current row to its group as a corner at position p. isReadable is false if the position could
// not be read; p is not used then.
func (g *rowGrouping) addCorner(p orb.Point, isReadable bool) {
	number, isNumbered := g.sequenceNumber()
	group := g.groupOf(isNumbered)
	isFirst := len(group.corners) == 0
	hasOtherName := g.out.draft.name != group.name
	if isFirst {
		group.placemarkDraft = g.out.draft
		group.kind = g.layout.readKind()
	} else if g.out.opts.Join != "" && hasOtherName { // no row can name the placemark
		group.name = "Placemark 1"
	}
	group.corners = append(group.corners, cornerRow{
		point:        p,
		order:        number,
		row:          g.out.draft.line,
		isUnreadable: !isReadable,
	})
}

// sequenceNumber returns the position of the current row among the rows of its placemark. It is the number in the
// sequence column. If the table has no such column, it is the number of the row within a merged cell, counted from 1.
// isNumbered is false if the row has neither.
func (g *rowGrouping) sequenceNumber() (number float64, isNumbered bool) {
	if g.layout.columns.Sequence >= 0 {
		return wholeNumber(g.rows.cellAt(g.layout.columns.Sequence))
	}
	run, isMerged := g.mergedRun(g.rows.current.row)
	return float64(g.rows.current.row - run.first + 1), isMerged
}

// isVertex reports whether the current row may be a corner of a placemark that consists of several rows. It returns
// false for a row without a sequence number, because such a row is a whole placemark.
func (g *rowGrouping) isVertex() bool {
	if !g.grouped || g.out.opts.Join != "" {
		return g.grouped
	}
	_, isNumbered := g.sequenceNumber()
	return isNumbered
}

// groupOf returns the group of the current row, and creates it if necessary. Rows with the same ID are in one group.
// A row for which isNumbered is false has no sequence number, and gets a group of its own. If Options.Join is set,
// all rows are in one group.
func (g *rowGrouping) groupOf(isNumbered bool) *cornerGroup {
	key := g.groupKey()
	canShare := isNumbered || g.out.opts.Join != ""
	if canShare {
		if i, isKnown := g.byID[string(key)]; isKnown {
			return &g.groups[i]
		}
		if len(key) > 0 {
			g.byID[string(key)] = len(g.groups)
		}
	}
	g.groups = append(g.groups, cornerGroup{})
	return &g.groups[len(g.groups)-1]
}

// groupKey returns the ID of the current row, or nil if it has none. A row whose cell is merged with the cell above
// has the ID of the row above. If Options.Join is set, all rows have the same ID.
func (g *rowGrouping) groupKey() []byte {
	if g.out.opts.Join != "" {
		return []byte("all")
	}
	key := bytes.TrimSpace(g.rows.cellAt(g.layout.groupColumn()))
	if len(key) > 0 {
		g.lastKey = append(g.lastKey[:0], key...)
		return key
	}
	if g.isMergedRow() {
		return g.lastKey
	}
	return nil
}

// isMergedRow reports whether the current row belongs to the same site as the row above, although its own name cell is
// blank. This is the case if g.merged has the row and a row above has a name.
func (g *rowGrouping) isMergedRow() bool {
	_, isMerged := g.mergedRun(g.rows.current.row)
	return isMerged && len(g.lastKey) > 0
}

// joinCorners adds a placemark for each group, in the order of their first rows. If a sequence number occurs twice in
// a group, it adds a separate placemark for each row of the group.
func (r *csvReader) joinCorners() {
	for i := range r.grouping.groups {
		g := &r.grouping.groups[i]
		isSkipped := len(g.corners) == 1 && g.corners[0].isUnreadable // a warning was already added
		if isSkipped {
			r.account.Skipped++
			continue
		}
		isSorted := r.grouping.sortCorners(g.corners)
		if isSorted {
			r.addOutline(g, g.corners)
		} else {
			r.addSeparately(g)
		}
	}
}

// addSeparately adds a separate placemark for each row of a group, with a warning. It is used if a sequence number
// occurs twice in the group, so that the order of the corners is not known.
func (r *csvReader) addSeparately(g *cornerGroup) {
	r.out.addWarning(Warning{
		Code: BadSequence, Line: g.corners[0].row, Index: -1, Placemark: g.name,
		Message: "the sequence repeats a number, so each row is a separate placemark",
	})
	for i, corner := range g.corners {
		if corner.isUnreadable {
			r.account.Skipped++
		} else {
			r.addOutline(g, g.corners[i:i+1])
		}
	}
}

// sortCorners sorts corners by their sequence numbers. If a number occurs twice, it changes nothing and returns
// false. If Options.Join is set and there is no sequence column, the corners keep the order of the rows.
func (g *rowGrouping) sortCorners(corners []cornerRow) (isSorted bool) {
	if g.out.opts.Join != "" && g.layout.columns.Sequence < 0 {
		return true
	}
	sorted := slices.Clone(corners)
	slices.SortStableFunc(sorted, func(a, b cornerRow) int { return cmp.Compare(a.order, b.order) })
	for i := 1; i < len(sorted); i++ {
		if sorted[i].order == sorted[i-1].order {
			return false
		}
	}
	copy(corners, sorted)
	return true
}

// addOutline adds a placemark that has the given corners of a group. It counts the rows of the corners as parts of the
// placemark, and a single row as a site. If the placemark could not be added, it counts the rows as skipped.
func (r *csvReader) addOutline(g *cornerGroup, corners []cornerRow) {
	r.out.draft = g.placemarkDraft // describes the first row of the group, which need not be among the corners
	r.out.draft.since = r.out.currentMark()
	r.out.draft.line = slices.MinFunc(corners, func(a, b cornerRow) int { return a.row - b.row }).row
	points, problem := pointsOfCorners(corners)
	if problem != nil {
		r.out.skipPlacemark(problem)
	} else {
		r.out.addFigure(r.grouping.outlineOfGroup(g, points))
	}
	r.out.finishPlacemark()
	isAdded := len(r.out.res.Placemarks) > r.out.draft.since.placemarks
	if !isAdded {
		r.account.Skipped += len(corners)
		return
	}
	if len(corners) == 1 { // the row is a whole site and not a part of one
		r.countRow()
		return
	}
	r.account.Parts += len(corners)
}

// pointsOfCorners returns the positions of corners. It returns an error if a corner could not be read or has no
// position. The slice has room for one more point, so that a ring can be closed without copying.
func pointsOfCorners(corners []cornerRow) ([]orb.Point, *Error) {
	points := make([]orb.Point, 0, len(corners)+1)
	for _, c := range corners {
		if c.isUnreadable {
			return nil, newError(VertexUnreadable,
				"row %d is one of its vertices and cannot be read, so the placemark of rows %s was skipped",
				c.row, rowNumbers(corners))
		}
		points = append(points, c.point)
	}
	if lacksPosition(points) {
		return nil, zeroCorner
	}
	return points, nil
}

// outlineOfGroup returns the shape that the points of a group form. Three or more points form an area, unless the
// options or the type column say that they form a line.
func (g *rowGrouping) outlineOfGroup(group *cornerGroup, points []orb.Point) rawFigure {
	kind := group.kind
	if g.out.opts.Join != "" {
		kind = g.out.opts.Join
	}
	f := outlineOf(slices.Compact(points))
	if f.kind == polygonFigure && kind == Linear {
		f.kind = lineFigure
	}
	return f
}

// rowNumbers lists the row numbers of corners for a message. If there are more than ten, it lists the first ten and
// the last.
func rowNumbers(corners []cornerRow) string {
	rows := make([]int, len(corners))
	for i, c := range corners {
		rows[i] = c.row
	}
	slices.Sort(rows)
	var text []string
	for _, row := range rows[:min(len(rows), 10)] {
		text = append(text, strconv.Itoa(row))
	}
	if len(rows) > 10 {
		text = append(text, "… to "+strconv.Itoa(rows[len(rows)-1]))
	}
	return strings.Join(text, ", ")
}
