package widget

import (
	"slices"
	"strings"

	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
)

// ColumnPlace says whether the column with a name is hidden. A list of them also gives
// the order of the columns.
type ColumnPlace struct {
	Name string `json:"name"`
	Off  bool   `json:"off,omitempty"`
}

// ColumnPlaces returns the order of the columns and which of them are hidden.
func (s *Grid) ColumnPlaces() []ColumnPlace {
	places := make([]ColumnPlace, len(s.order))
	for i, c := range s.order {
		places[i] = ColumnPlace{s.all[c].MachineName(), s.all[c].hidden}
	}
	return places
}

// ArrangeColumns orders and hides the columns. The places may come from an older version
// of the grid: unknown names are ignored, and a column that is missing keeps its default
// position. If every column is hidden, all columns are shown.
func (s *Grid) ArrangeColumns(places []ColumnPlace) {
	s.order = s.order[:0]
	for _, place := range places {
		c := s.findColumn(place.Name)
		if c < 0 || slices.Contains(s.order, c) {
			continue
		}
		s.order = append(s.order, c)
		s.all[c].hidden = place.Off
	}
	for c := range s.all {
		if !slices.Contains(s.order, c) {
			s.order = slices.Insert(s.order, min(c, len(s.order)), c)
			s.all[c].hidden = s.all[c].Off
		}
	}
	if s.areAllHidden() {
		for c := range s.all {
			s.all[c].hidden = false
		}
	}
	s.placeColumns()
}

func (s *Grid) areAllHidden() bool {
	for c := range s.all {
		if !s.all[c].hidden {
			return false
		}
	}
	return true
}

// findColumn returns the index of the column with the given name in s.all, or -1.
func (s *Grid) findColumn(name string) int {
	return slices.IndexFunc(s.all, func(c gridColumn) bool { return strings.EqualFold(c.MachineName(), name) })
}

// ColumnTitle returns the title of the column with the given name, or "".
func (s *Grid) ColumnTitle(name string) string {
	if c := s.findColumn(name); c >= 0 {
		return s.titleWithUnit(c)
	}
	return ""
}

// InView reports whether the last view had room for the column with the given name.
func (s *Grid) InView(name string) bool {
	k := slices.Index(s.columns, s.findColumn(name))
	return k >= 0 && k < len(s.spans) && s.spans[k].Len > 0
}

// maxWantedWidth limits how many cells WantedWidth counts for the texts of a column.
const maxWantedWidth = 48

// WantedWidth returns how many cells the columns need to show texts of a usual length
// uncut, or 0 if there are no rows to measure.
func (s *Grid) WantedWidth() int {
	if s.source.Len == 0 {
		return 0
	}
	widths := make([]int, len(s.Columns))
	for i, column := range s.Columns {
		width := column.Width
		if column.Longest > 0 {
			width = min(column.Longest, maxWantedWidth)
		}
		widths[i] = max(width, format.Width(s.columnTitle(i)))
	}
	return margin + totalWidth(widths) + 1
}

// titleWithUnit returns the title of a column. Columns of areas include the unit.
func (s *Grid) titleWithUnit(c int) string {
	if s.all[c].Kind == columns.Area {
		return s.all[c].Title + " " + s.all[c].unit.Name
	}
	return s.all[c].Title
}

// placeColumns passes the visible columns to the table in their current order.
func (s *Grid) placeColumns() {
	s.Columns = s.Columns[:0]
	s.columns = s.columns[:0]
	for _, c := range s.order {
		if s.all[c].hidden {
			continue
		}
		column := s.all[c].Column
		column.Title = s.titleWithUnit(c)
		if fitted := s.all[c].fitted; fitted > 0 {
			column.Width = max(fitted, format.Width(column.Title))
		}
		if column.Off {
			column.Drop = 1 // the user chose to show it, so it is left out last
		}
		column.Right = column.IsRight()
		column.Same = column.Same && column.Fill > 0 && !column.Middle
		s.Columns = append(s.Columns, column)
		s.columns = append(s.columns, c)
	}
	s.MarkSorted(slices.Index(s.columns, s.sortBy), s.reverse)
}
