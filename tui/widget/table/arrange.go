package table

import (
	"slices"

	"flightdesk/tui/layout"
)

// ColumnPlace is how a column stands in a sheet: where, and whether. The places
// of a sheet are kept by the columns' names.
type ColumnPlace struct {
	Name string `json:"name"`
	Off  bool   `json:"off,omitempty"`
}

// ColumnPlaces returns how the columns stand.
func (s *Grid) ColumnPlaces() []ColumnPlace {
	places := make([]ColumnPlace, len(s.order))
	for i, c := range s.order {
		if off := c < 0; off {
			c = ^c
			places[i].Off = true
		}
		places[i].Name = s.all[c].MachineName()
	}
	return places
}

// ArrangeColumns puts the columns into places, such as Places gave, perhaps of another
// time: what is no column is dropped, a column that is not named stands where
// it did at first. Where all were off, all are on.
func (s *Grid) ArrangeColumns(places []ColumnPlace) {
	s.order = s.order[:0]
	taken := make([]bool, len(s.all))
	on := 0
	for _, p := range places {
		c := s.findColumn(p.Name)
		if c < 0 || taken[c] {
			continue
		}
		taken[c] = true
		if p.Off {
			s.order = append(s.order, ^c)
			continue
		}
		s.order = append(s.order, c)
		on++
	}
	for c := range s.all {
		if taken[c] {
			continue
		}
		at := min(c, len(s.order))
		if s.all[c].Off {
			s.order = slices.Insert(s.order, at, ^c)
			continue
		}
		s.order = slices.Insert(s.order, at, c)
		on++
	}
	if on == 0 {
		for i, c := range s.order {
			s.order[i] = max(c, ^c)
		}
	}
	s.placeColumns()
}

// findColumn returns which column of all has a name, -1 for none.
func (s *Grid) findColumn(name string) int {
	return slices.IndexFunc(s.all, func(c Column) bool { return c.MachineName() == name })
}

// ColumnTitle returns the title of the column of a name, "" for none.
func (s *Grid) ColumnTitle(name string) string {
	if c := s.findColumn(name); c >= 0 {
		return s.titleWithUnit(c)
	}
	return ""
}

// InView reports whether the column of a name had room in the last view.
func (s *Grid) InView(name string) bool {
	c := s.findColumn(name)
	if c < 0 {
		return false
	}
	k := s.shownIndex(c)
	return k >= 0 && k < len(s.at) && s.at[k] >= 0
}

// mostWanted are the cells that a column wants at most for its texts.
const mostWanted = 48

// WantedWidth returns how many cells the columns need in which no usual text is cut, 0 while
// there are no rows to measure.
func (s *Grid) WantedWidth() int {
	if s.source.Len == 0 {
		return 0
	}
	widths := make([]int, len(s.Columns))
	for i := range widths {
		if widths[i] = s.Columns[i].Width; s.natural[i] > 0 {
			widths[i] = min(s.natural[i], mostWanted)
		}
		widths[i] = max(widths[i], s.titleWidth(i))
	}
	return margin + totalWidth(widths) + 1
}

// titleWithUnit returns a column's title, with the unit of areas.
func (s *Grid) titleWithUnit(c int) string {
	if s.all[c].Kind == Area {
		return s.all[c].Title + " " + s.units[c].Name
	}
	return s.all[c].Title
}

// placeColumns gives the table its columns as they stand.
func (s *Grid) placeColumns() {
	s.Columns, s.natural, s.same = s.Columns[:0], s.natural[:0], s.same[:0]
	for _, c := range s.order {
		if c < 0 {
			continue
		}
		column, natural := s.all[c], s.longest[c]
		column.Title = s.titleWithUnit(c)
		if s.fitted[c] > 0 {
			column.Width = max(s.fitted[c], layout.Width(column.Title))
		}
		if column.Off {
			column.Drop = min(column.Drop, 1) // what was chosen stays for long
		}
		column.Right = column.IsRight()
		s.Columns, s.natural, s.same = append(
			s.Columns,
			column,
		), append(
			s.natural,
			natural,
		), append(
			s.same,
			s.uniform[c] && column.Fill > 0 && !column.Middle,
		)
	}
	s.MarkSorted(s.shownIndex(s.sortBy), s.reverse)
}

// shownIndex returns where a column of all stands among those shown, -1 for nowhere.
func (s *Grid) shownIndex(c int) int {
	k := 0
	for _, o := range s.order {
		if o == c && c >= 0 {
			return k
		}
		if o >= 0 {
			k++
		}
	}
	return -1
}

// columnIndex returns the column of all that is the k-th of those shown.
func (s *Grid) columnIndex(k int) int {
	for _, c := range s.order {
		if c >= 0 {
			if k == 0 {
				return c
			}
			k--
		}
	}
	return -1
}
