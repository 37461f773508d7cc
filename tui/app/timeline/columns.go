package timeline

import (
	"time"

	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/labels"
)

// EntryColumns returns the columns of the entries of a subject.
func EntryColumns(now func() time.Time, of StorySubject) []columns.Column[TimelineEntry] {
	return []columns.Column[TimelineEntry]{
		{ColumnSpec: columns.ColumnSpec{Title: "When", Width: 16}, Value: func(e *TimelineEntry) columns.Cell {
			if e.At.IsZero() {
				return columns.TextCell("not known").WithTone(labels.Muted)
			}
			return columns.TextCell(e.At.In(now().Location()).Format("2006-01-02 15:04"))
		}},
		{ColumnSpec: columns.ColumnSpec{Title: "Source", Width: 10, Drop: 2}, Value: func(e *TimelineEntry) columns.Cell { return columns.TextCell(string(e.Source)).WithTone(labels.Muted) }},
		// Everything is about the one mission where there is one.
		{ColumnSpec: columns.ColumnSpec{Title: "About", Width: 10, Drop: 1, Off: of.Mission != ""}, Value: func(e *TimelineEntry) columns.Cell { return columns.TextCell(e.About) }},
		{ColumnSpec: columns.ColumnSpec{Title: "What", Width: 36, Fill: 1, Least: 30}, Value: func(e *TimelineEntry) columns.Cell { return columns.TextCell(e.Glyph + " " + e.What).WithTone(e.Role) }},
	}
}
