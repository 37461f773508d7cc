package widget

import (
	"slices"

	"flightdesk/tui/format"
)

// ColumnPlace is the saved state of a column: its name, and whether it is hidden. In a slice of places, the order of
// the places is the order of the columns.
type ColumnPlace struct {
	Name string `json:"name"`
	Off  bool   `json:"off,omitempty"`
}

// ColumnPlaces returns the places of all columns in their current order, to be saved.
func (s *Grid) ColumnPlaces() []ColumnPlace {
	places := make([]ColumnPlace, len(s.order))
	for i, c := range s.order {
		places[i] = ColumnPlace{s.cells.columns[c].MachineName(), s.cells.columns[c].hidden}
	}
	return places
}

// ArrangeColumns puts the columns in the order of the places and hides those that a place marks as off. Saved places
// can be from another version of the program: unknown names are ignored, and a column without a place keeps its
// default position. If all columns would be hidden, all are shown.
func (s *Grid) ArrangeColumns(places []ColumnPlace) {
	s.order = s.order[:0]
	for _, place := range places {
		c := s.cells.findColumn(place.Name)
		isKnown := c >= 0
		if isKnown && !slices.Contains(s.order, c) {
			s.order = append(s.order, c)
			s.cells.columns[c].hidden = place.Off
		}
	}
	s.insertMissingColumns()
	if s.cells.areAllHidden() {
		for c := range s.cells.columns {
			s.cells.columns[c].hidden = false
		}
	}
	s.placeColumns()
}

// insertMissingColumns adds the columns that s.order does not have yet. It inserts each of them at its default
// position, and hides it if it is hidden by default.
func (s *Grid) insertMissingColumns() {
	for c := range s.cells.columns {
		if slices.Contains(s.order, c) {
			continue
		}
		position := min(c, len(s.order))
		s.order = slices.Insert(s.order, position, c)
		s.cells.columns[c].hidden = s.cells.columns[c].Off
	}
}

// ColumnTitle returns the title of the column with the given name, or "".
func (s *Grid) ColumnTitle(name string) string {
	if c := s.cells.findColumn(name); c >= 0 {
		return s.cells.titleWithUnit(c)
	}
	return ""
}

// InView reports whether the last view had room for the column with the given name.
func (s *Grid) InView(name string) bool {
	k := slices.Index(s.visible, s.cells.findColumn(name))
	return k >= 0 && k < len(s.spans) && s.spans[k].Len > 0
}

// IsBlank reports whether no row has a value in the column with the given name.
func (s *Grid) IsBlank(name string) bool {
	c := s.cells.findColumn(name)
	return c >= 0 && s.cells.columns[c].Blank
}

// maxWantedWidth is the maximum width that WantedWidth assumes for a single column of texts, however long its texts
// are.
const maxWantedWidth = 48

// WantedWidth returns the width in cells at which the grid cuts no text, except for texts longer than maxWantedWidth.
// Columns without any value are not counted. It returns 0 if there are no rows to measure.
func (s *Grid) WantedWidth() int {
	if s.cells.source.Len == 0 {
		return 0
	}
	widths := make([]int, len(s.Columns))
	titles := s.columnTitles()
	for i, column := range s.Columns {
		if column.Blank {
			continue
		}
		width := column.Width
		if column.Longest > 0 {
			width = min(column.Longest, maxWantedWidth)
		}
		widths[i] = max(width, column.Steady, format.Width(titles[i]))
	}
	return margin + totalWidth(widths) + 1
}

// placeColumns passes the visible columns to the table, in the order that the user has chosen.
func (s *Grid) placeColumns() {
	s.Columns = s.Columns[:0]
	s.visible = s.visible[:0]
	for _, c := range s.order {
		if s.cells.columns[c].hidden {
			continue
		}
		column := s.cells.columns[c].Column
		column.Title = s.cells.titleWithUnit(c)
		if fitted := s.cells.columns[c].fitted; fitted > 0 {
			column.Width = max(fitted, format.Width(column.Title))
		}
		if column.Off {
			column.Drop = 1 // the user chose to show the column, so it is left out last
		}
		column.Right = column.IsRight()
		s.Columns = append(s.Columns, column)
		s.visible = append(s.visible, c)
	}
	s.sort = s.findSort()
}

// HiddenSort returns an arrow and the title of the column by which the rows are sorted, such as "▾ Placed". It returns
// "" if the header of the last view shows this arrow, or if the order of the rows is not known. The header does not
// show the arrow if there was no room for the column or for the arrow.
func (s *Grid) HiddenSort() string {
	source := &s.cells.source
	if s.sortBy < 0 && source.SortTitle != "" {
		mark := sortMark{isDescending: source.Descending != s.reverse}
		return mark.arrow() + source.SortTitle
	}
	column := s.sortBy
	if column < 0 {
		column = s.cells.findColumn(source.SortedBy)
	}
	if column < 0 {
		return ""
	}
	isInHeader := s.InView(s.cells.columns[column].MachineName()) && !s.noArrow
	if isInHeader {
		return ""
	}
	return s.findSort().arrow() + s.cells.columns[column].Title
}

// findSort returns the column by which the rows are sorted: the column that the user has chosen, or otherwise the
// column by which the source says that its rows are sorted.
func (s *Grid) findSort() sortMark {
	if s.sortBy >= 0 {
		return sortMark{number: slices.Index(s.visible, s.sortBy) + 1, isDescending: s.reverse, isChosen: true}
	}
	source := &s.cells.source
	if source.SortedBy == "" {
		return sortMark{}
	}
	column := s.cells.findColumn(source.SortedBy)
	isDescending := source.Descending != s.reverse
	return sortMark{number: slices.Index(s.visible, column) + 1, isDescending: isDescending}
}
