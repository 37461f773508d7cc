package kmlcsv

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/paulmach/orb"
)

// grouped reports whether rows are to be kept until all of them are read,
// since several may make one placemark.
func (r *csvReader) grouped() bool {
	if r.opts.Join != "" {
		return true
	}
	return r.columns.Sequence >= 0 && (r.columns.ID >= 0 || r.columns.Label >= 0)
}

// corner keeps the record as a vertex; ok tells whether its position could be
// read.
func (r *csvReader) corner(p orb.Point, ok bool, name, country, city string) {
	c := corner{name: name, country: country, city: city, point: p, bad: !ok, kind: r.kind(), row: r.records.row}
	id := r.columns.ID
	if id < 0 {
		id = r.columns.Label
	}
	c.key = string(bytes.TrimSpace(r.cell(id)))
	order := bytes.TrimSpace(r.cell(r.columns.Sequence))
	v, n := number(order, 0)
	if n == 0 || n != len(order) {
		c.key = "" // not one of a sequence
	}
	c.order = v
	r.corners = append(r.corners, c)
}

// join makes placemarks of the corners: one of all with the same id, in the
// order of the sequence, at the place of the first one. Without an id, or
// where the sequence has a number twice, each row is one of its own.
func (r *csvReader) join() {
	if r.opts.Join != "" {
		r.joinAll()
		return
	}
	groups := make(map[string][]int)
	for i, c := range r.corners {
		if c.key != "" {
			groups[c.key] = append(groups[c.key], i)
		}
	}
	for i, c := range r.corners {
		group := groups[c.key]
		switch {
		case len(group) < 2 && c.bad:
		case len(group) < 2:
			r.outline([]int{i}, "")
		case group[0] == i && r.ordered(group):
			r.outline(group, c.kind)
		case group[0] == i:
			r.warn(Warning{
				Code: BadSequence, Line: c.row, Index: -1, Placemark: c.name,
				Message: "the sequence has a number twice, so each row is a placemark of its own",
			})
			delete(groups, c.key)
			if !c.bad {
				r.outline([]int{i}, "")
			}
		}
	}
}

// ordered sorts a group by its sequence, and reports whether no number of it
// comes twice.
func (r *csvReader) ordered(group []int) bool {
	sorted := slices.Clone(group)
	slices.SortStableFunc(sorted, func(a, b int) int {
		switch x, y := r.corners[a].order, r.corners[b].order; {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	for i := 1; i < len(sorted); i++ {
		if r.corners[sorted[i]].order == r.corners[sorted[i-1]].order {
			return false
		}
	}
	copy(group, sorted)
	return true
}

// joinAll makes one placemark of all rows.
func (r *csvReader) joinAll() {
	all := make([]int, len(r.corners))
	for i := range all {
		all[i] = i
		if r.corners[i].name != r.corners[0].name {
			r.corners[0].name = "Placemark 1"
		}
	}
	if r.columns.Sequence >= 0 {
		r.ordered(all)
	}
	r.outline(all, r.opts.Join)
}

// outline adds the placemark of the corners with these indices.
func (r *csvReader) outline(indices []int, kind Kind) {
	since := r.mark()
	c := r.corners[indices[0]]
	points := make([]orb.Point, 0, len(indices)+1)
	for _, i := range indices {
		if r.corners[i].bad {
			r.skip(VertexUnreadable, c.row, fmt.Sprintf("row %d is a vertex of it that cannot be read, so none of it was", r.corners[i].row), nil)
			r.finish(since, c.name, c.country, c.city)
			return
		}
		if p := r.corners[i].point; len(points) == 0 || points[len(points)-1] != p {
			points = append(points, p)
		}
	}
	f := outline(points)
	if kind == Linear && f.kind == polygonFigure {
		f.kind = lineFigure
	}
	f.line = c.row
	r.add(f)
	r.finish(since, c.name, c.country, c.city)
}
