package table

// FilteredRows returns the rows of the source that the filter leaves, in the order in which
// they are shown.
func (s *Grid) FilteredRows() []int {
	rows := make([]int, 0, s.fitting)
	for _, row := range s.shown {
		if row >= 0 {
			rows = append(rows, row)
		}
	}
	return rows
}
