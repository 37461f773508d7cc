package timeline

import (
	"time"

	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/labels"
)

// Columns are the columns of the entries of a subject.
func Columns(now func() time.Time, of Subject) []columns.Column[Entry] {
	return []columns.Column[Entry]{
		{Spec: columns.Spec{Title: "When", Width: 16}, Value: func(e *Entry) columns.Cell {
			if e.At.IsZero() {
				return columns.Text("not known").In(labels.Muted)
			}
			return columns.Text(e.At.In(now().Location()).Format("2006-01-02 15:04"))
		}},
		{Spec: columns.Spec{Title: "Source", Width: 10, Drop: 2}, Value: func(e *Entry) columns.Cell { return columns.Text(string(e.Source)).In(labels.Muted) }},
		// Everything is about the one mission where there is one.
		{Spec: columns.Spec{Title: "About", Width: 10, Drop: 1, Off: of.Mission != ""}, Value: func(e *Entry) columns.Cell { return columns.Text(e.About) }},
		{Spec: columns.Spec{Title: "What", Width: 36, Fill: 1, Least: 30}, Value: func(e *Entry) columns.Cell { return columns.Text(e.Glyph + " " + e.What).In(e.Role) }},
	}
}
