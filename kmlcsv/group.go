package kmlcsv

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/paulmach/orb"
)

// cornerRow is a row that is a vertex of a placemark, or the only row of a placemark.
type cornerRow struct {
	point orb.Point
	order float64 // number in the sequence
	row   int
	bad   bool // the position could not be read
}

// cornerGroup has the rows with the same ID, or a single row without an ID.
type cornerGroup struct {
	placemarkDraft // the first row
	kind           Kind
	corners        []cornerRow
}

// groupsRows reports whether several rows may be one placemark. Placemarks are then made after all rows
// were read.
func (r *csvReader) groupsRows() bool {
	r.findMergedNames()
	c := &r.columns
	if r.out.opts.Join != "" || c.Sequence < 0 && len(r.merged) > 0 {
		return true
	}
	if c.Sequence < 0 || c.ID < 0 && c.Label < 0 || !c.hasPosition() {
		return false
	}
	isShared := c.ID >= 0 && !slices.Contains([]string{"code", "ref"}, r.finder.folded[c.ID])
	if r.out.opts.Columns != nil || isShared || !isCounter(r.finder.folded[c.Sequence]) {
		return true
	}
	if !r.restartsPerName() {
		return false
	}
	r.out.warnFile(PlaceGuessed, "rows with the same name were joined in the order of %q",
		[]byte(r.out.res.Header[c.Sequence]))
	return true
}

// isCounter reports whether a folded column name is ambiguous: the column can number the rows of the
// table, or the corners of a site.
func isCounter(folded string) bool {
	switch folded {
	case "n", "no", "nr", "point", "punkt", "pt", "pointid", "pointno", "pointnumber", "punktnr":
		return true
	}
	return false
}

// groupColumn returns the column whose value the rows of one placemark share.
func (r *csvReader) groupColumn() int {
	if r.columns.ID >= 0 {
		return r.columns.ID
	}
	return r.columns.Label
}

// restartsPerName reports whether the sequence counts from 1 for each of several names, each with at
// least three rows. The rows of a name are then the corners of a site.
func (r *csvReader) restartsPerName() bool {
	counts, isCounted := r.countPerName()
	hasTooFew := func(count int) bool { return count < minCorners }
	return isCounted && len(counts) > 1 && !slices.ContainsFunc(counts, hasTooFew)
}

// countPerName returns how many of the first rows each name has. isCounted is false if the sequence does not count
// the rows of each name from 1.
func (r *csvReader) countPerName() (counts []int, isCounted bool) {
	column := r.groupColumn()
	name := ""        // name of the current site
	counts = []int{0} // the first is for rows above the first name
	for _, row := range r.finder.rows {
		if len(row.fields) <= max(column, r.columns.Sequence) {
			continue
		}
		label := string(bytes.TrimSpace(row.fields[column]))
		if _, isMerged := r.mergedRun(row.row); isMerged && label == "" {
			label = name // the cell is merged with the name above
		}
		cell := row.fields[r.columns.Sequence]
		number, end := parseNumber(cell, 0)
		startsName := end == len(cell) && number == 1 && label != name
		if startsName {
			name = label
			counts = append(counts, 1)
			continue
		}
		last := len(counts) - 1
		isNext := label == name && number == float64(counts[last]+1)
		if !isNext {
			return nil, false
		}
		counts[last]++
	}
	return counts[1:], true
}

// addCorner adds the record to its group. ok reports whether its position could be read.
func (r *csvReader) addCorner(p orb.Point, ok bool) {
	v, numbered := r.sequenceNumber()
	g := r.groupOf(numbered)
	if len(g.corners) == 0 {
		g.placemarkDraft = r.out.draft
		g.kind = r.readKind()
	} else if r.out.opts.Join != "" && r.out.draft.name != g.name {
		g.name = "Placemark 1"
	}
	g.corners = append(g.corners, cornerRow{point: p, order: v, row: r.out.draft.line, bad: !ok})
}

// sequenceNumber returns the number of the record in the sequence, and whether it has one.
func (r *csvReader) sequenceNumber() (v float64, numbered bool) {
	if r.columns.Sequence >= 0 {
		return wholeNumber(r.cellAt(r.columns.Sequence))
	}
	run, isMerged := r.mergedRun(r.records.row)
	return float64(r.records.row - run.first + 1), isMerged
}

// isVertex reports whether the record may be one of several rows of a placemark. A row without a number
// in the sequence is a separate placemark.
func (r *csvReader) isVertex() bool {
	if !r.grouped || r.out.opts.Join != "" {
		return r.grouped
	}
	_, numbered := r.sequenceNumber()
	return numbered
}

// groupOf returns the group of the record. Rows with the same ID share a group if they have a number in
// the sequence; a row without a number gets a new group. With Options.Join, all rows share a group.
func (r *csvReader) groupOf(numbered bool) *cornerGroup {
	key := bytes.TrimSpace(r.cellAt(r.groupColumn()))
	if len(key) > 0 {
		r.lastKey = append(r.lastKey[:0], key...)
	} else if r.isMergedRow() {
		key = r.lastKey
	}
	if r.out.opts.Join != "" {
		key = []byte("all")
		numbered = true
	}
	if i, ok := r.byID[string(key)]; ok && numbered {
		return &r.groups[i]
	}
	if numbered && len(key) > 0 {
		r.byID[string(key)] = len(r.groups)
	}
	r.groups = append(r.groups, cornerGroup{})
	return &r.groups[len(r.groups)-1]
}

// isMergedRow reports whether the cell with the name of the record is merged with a cell above.
func (r *csvReader) isMergedRow() bool {
	_, isMerged := r.mergedRun(r.records.row)
	return isMerged && len(r.lastKey) > 0
}

// joinCorners adds the placemarks of the groups, in the order of their first rows. If a sequence repeats
// a number, each row of the group is a separate placemark.
func (r *csvReader) joinCorners() {
	for i := range r.groups {
		g := &r.groups[i]
		if len(g.corners) == 1 && g.corners[0].bad { // it already has a warning
			r.account.Skipped++
			continue
		}
		if r.sortCorners(g.corners) {
			r.addOutline(g, g.corners)
			continue
		}
		r.out.addWarning(Warning{
			Code: BadSequence, Line: g.corners[0].row, Index: -1, Placemark: g.name,
			Message: "the sequence repeats a number, so each row is a separate placemark",
		})
		for k, c := range g.corners {
			if c.bad {
				r.account.Skipped++
			} else {
				r.addOutline(g, g.corners[k:k+1])
			}
		}
	}
}

// sortCorners sorts corners by the sequence. It reports false if the sequence repeats a number. Without
// a sequence column, rows that are joined by Options.Join stay in their order.
func (r *csvReader) sortCorners(corners []cornerRow) bool {
	if r.out.opts.Join != "" && r.columns.Sequence < 0 {
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

// addOutline adds a placemark with the given corners of a group, and counts their rows.
func (r *csvReader) addOutline(g *cornerGroup, corners []cornerRow) {
	r.out.draft = g.placemarkDraft // of the first row of the group; corners may be only some of its rows
	r.out.draft.since = r.out.currentMark()
	r.out.draft.line = slices.MinFunc(corners, func(a, b cornerRow) int { return a.row - b.row }).row
	points, problem := pointsOfCorners(corners)
	if problem != nil {
		r.out.skipPlacemark(problem)
	} else {
		r.out.addFigure(r.outlineOfGroup(g, points))
	}
	r.out.finishPlacemark()
	isAdded := len(r.out.res.Placemarks) > r.out.draft.since.placemarks
	if !isAdded {
		r.account.Skipped += len(corners)
		return
	}
	if len(corners) == 1 { // the row is a site, and not a part of one
		r.countRow()
		return
	}
	r.account.Parts += len(corners)
}

// pointsOfCorners returns the positions of corners. There is room for the first point again at the end.
func pointsOfCorners(corners []cornerRow) ([]orb.Point, *Error) {
	points := make([]orb.Point, 0, len(corners)+1)
	for _, c := range corners {
		if c.bad {
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

// outlineOfGroup returns the figure of the points. Three or more points are an area, unless the options or
// the group say that they are a line.
func (r *csvReader) outlineOfGroup(g *cornerGroup, points []orb.Point) rawFigure {
	kind := g.kind
	if r.out.opts.Join != "" {
		kind = r.out.opts.Join
	}
	f := outlineOf(slices.Compact(points))
	if f.kind == polygonFigure && kind == Linear {
		f.kind = lineFigure
	}
	return f
}

// rowNumbers lists the row numbers of corners for a message: the first ten and the last.
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
