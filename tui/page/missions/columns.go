package missions

import (
	"time"

	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/table"
)

// source is where the list's rows come from.
func source(missions []*cache.Mission, now func() time.Time, stale bool) table.Source {
	return table.Source{
		Len:  len(missions),
		ID:   func(i int) string { return missions[i].UUID },
		Cell: columns.Cells(columns.MissionsOfOrders(now), func(i int) *cache.Mission { return missions[i] }),
		Look: func(i int) (mark table.Cell, muted bool) {
			if t, ok := missions[i].Trouble(now()); ok {
				mark = table.Cell{Text: "▲", Role: columns.TroubleTone(t)}
			}
			return mark, stale || labels.MissionStatus(missions[i].Status).Role == theme.Muted
		},
		Stamp: func(i int) string { return columns.Stamp(string(missions[i].Status), missions[i].UpdatedAt.Time) },
	}
}
