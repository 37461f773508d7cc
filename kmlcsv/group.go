package kmlcsv

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/paulmach/orb"
)

// cornerRow is a row that is a vertex of a placemark, or all of one.
type cornerRow struct {
	point orb.Point
	order float64
	row   int
	bad   bool // the position could not be read
}

// cornerGroup are the corners of the same id, or a single one without an id.
type cornerGroup struct {
	placemarkDraft // of the first row
	kind           Kind
	corners        []cornerRow
}

// groupsRows reports whether rows are to be kept until all of them are read, since
// several may make one placemark.
func (r *csvReader) groupsRows() bool {
	r.findMergedNames()
	c := &r.columns
	if r.opts.Join != "" || c.Sequence < 0 && len(r.merged) > 0 {
		return true
	}
	if c.Sequence < 0 || c.ID < 0 && c.Label < 0 || !c.hasPosition() {
		return false
	}
	isShared := c.ID >= 0 && !slices.Contains([]string{"code", "ref"}, r.folded[c.ID])
	if r.opts.Columns == nil && !isShared && isCounter(r.folded[c.Sequence]) { // or it counts the rows
		return r.restartsPerName()
	}
	return true
}

// isCounter reports whether the name of a column can be that of a sequence of corners, or
// of the numbers of the rows.
func isCounter(folded string) bool {
	switch folded {
	case "n", "no", "nr", "point", "punkt", "pt", "pointid", "pointno", "pointnumber", "punktnr":
		return true
	}
	return false
}

// groupColumn returns the column that the rows of one placemark share.
func (r *csvReader) groupColumn() int {
	if r.columns.ID >= 0 {
		return r.columns.ID
	}
	return r.columns.Label
}

// restartsPerName reports whether the sequence counts from 1 for each of several
// names, of three rows or more, as corners are counted; it says so in a warning.
func (r *csvReader) restartsPerName() bool {
	column := r.groupColumn()
	name, count, names := "", 0.0, 0
	for _, row := range r.rows {
		if len(row.fields) <= max(column, r.columns.Sequence) {
			continue
		}
		cell, label := row.fields[r.columns.Sequence], string(bytes.TrimSpace(row.fields[column]))
		if _, isMerged := r.mergedRun(row.row); isMerged && label == "" {
			label = name
		}
		if v, n := parseNumber(cell, 0); n == len(cell) && v == 1 && label != name &&
			(names == 0 || count > 2) {
			name, count, names = label, 1, names+1
		} else if count++; v != count ||
			label != name {
			return false
		}
	}
	if names < 2 || count < 3 {
		return false
	}
	r.warnFile(PlaceGuessed, "rows with the same name were joined in the order of %q",
		[]byte(r.res.Header[r.columns.Sequence]))
	return true
}

// addCorner keeps the record as a vertex; ok tells whether its position could be
// read.
func (r *csvReader) addCorner(p orb.Point, ok bool) {
	v, numbered := r.sequenceNumber()
	g := r.groupOf(numbered)
	if len(g.corners) == 0 {
		g.placemarkDraft, g.kind = r.placemarkDraft, r.readKind()
	} else if r.opts.Join != "" && r.name != g.name {
		g.name = "Placemark 1"
	}
	g.corners = append(g.corners, cornerRow{
		point: p,
		order: v,
		row:   r.line,
		bad:   !ok,
	})
}

// sequenceNumber returns the number of the record in the sequence, and whether it has one.
func (r *csvReader) sequenceNumber() (v float64, numbered bool) {
	if r.columns.Sequence >= 0 {
		return wholeNumber(r.cellAt(r.columns.Sequence))
	}
	run, isMerged := r.mergedRun(r.records.row)
	return float64(r.records.row - run.first + 1), isMerged
}

// isVertex reports whether the record may be one of several that make a placemark;
// one without a number in the sequence is a placemark of its own.
func (r *csvReader) isVertex() bool {
	if !r.grouped || r.opts.Join != "" {
		return r.grouped
	}
	_, numbered := r.sequenceNumber()
	return numbered
}

// groupOf returns the group of the record: that of its id where it has a number
// in the sequence, otherwise a new one. When all rows are joined there is one.
func (r *csvReader) groupOf(numbered bool) *cornerGroup {
	key := bytes.TrimSpace(r.cellAt(r.groupColumn()))
	switch {
	case len(key) > 0:
		r.lastKey = append(r.lastKey[:0], key...)
	case r.isMergedRow():
		key = r.lastKey
	}
	if r.opts.Join != "" {
		key, numbered = []byte("all"), true
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

// isMergedRow reports whether the record has the merged name of a row above it.
func (r *csvReader) isMergedRow() bool {
	_, isMerged := r.mergedRun(r.records.row)
	return isMerged && len(r.lastKey) > 0
}

// joinCorners makes placemarks of the groups, in the order of their first rows.
// Where the sequence has a number twice, each row is a placemark of its own.
func (r *csvReader) joinCorners() {
	for i := range r.groups {
		g := &r.groups[i]
		switch {
		case len(g.corners) == 1 && g.corners[0].bad: // reported as such
			r.account.Skipped++
		case r.sortCorners(g.corners):
			r.addOutline(g, g.corners)
		default:
			r.addWarning(Warning{
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
}

// sortCorners sorts corners by the sequence, and reports whether no number of it
// comes twice. Rows that are joined by hand need no sequence.
func (r *csvReader) sortCorners(corners []cornerRow) bool {
	if r.opts.Join != "" && r.columns.Sequence < 0 {
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

// addOutline adds the placemark of some corners of a group.
func (r *csvReader) addOutline(g *cornerGroup, corners []cornerRow) {
	r.placemarkDraft, r.since = g.placemarkDraft, r.currentMark()
	r.line = slices.MinFunc(corners, func(a, b cornerRow) int { return a.row - b.row }).row
	points := make([]orb.Point, 0, len(corners)+1)
	for _, c := range corners {
		if c.bad {
			r.skipPlacemark(
				newError(
					VertexUnreadable,
					"row %d is one of its vertices and cannot be read, so the placemark of rows %s was skipped",
					c.row,
					rowNumbers(corners),
				))
			r.finishPlacemark()
			r.account.Skipped += len(corners)
			return
		}
		points = append(points, c.point)
	}
	if lacksPosition(points) {
		r.skipPlacemark(zeroCorner)
		r.finishPlacemark()
		r.account.Skipped += len(corners)
		return
	}
	f := outlineOf(slices.Compact(points))
	if f.kind == polygonFigure && (g.kind == Linear && r.opts.Join == "" || r.opts.Join == Linear) {
		f.kind = lineFigure
	}
	r.addFigure(f)
	r.finishPlacemark()
	switch {
	case len(r.res.Placemarks) == r.since.placemarks:
		r.account.Skipped += len(corners)
	case len(corners) == 1:
		r.countSites()
	default:
		r.account.Parts += len(corners)
	}
}

// rowNumbers lists the rows of corners, at most ten.
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
