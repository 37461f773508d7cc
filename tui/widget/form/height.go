package form

import "flightdesk/tui/layout"

// Height returns how many lines of w cells the form takes at most, whichever field is
// in focus: one a field, its fault, and what the one in focus takes besides.
func (f *Form) Height(w int) int {
	lines, most := 0, 0
	for _, fl := range f.Fields {
		lines++
		if fl.area != nil {
			lines += fl.area.Height(w-labelWidth) - 1
		}
		if fl.Error != "" {
			lines++
		}
		if fl.Kind != Note {
			most = max(most, fl.optionLines(w-labelWidth))
		}
	}
	if f.picking {
		most = max(most, calendarHeight)
	}
	return lines + most
}

// optionLines returns how many lines a field takes besides its first one while it is
// in focus: the rest of its options, and help.
func (fl *Field) optionLines(w int) int {
	if len(fl.Options) == 0 {
		return 1
	}
	widest := 0
	for _, o := range fl.Options {
		widest = max(widest, layout.Width(o.Label))
	}
	perLine := max(1, w/(widest+4))
	return (len(fl.Options) + perLine - 1) / perLine
}
