package missions

import (
	"slices"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/table"
)

// column is a column of the list: how it stands, and what a mission has in it.
type column struct {
	table.Column
	cell func(m *cache.Mission, now time.Time) table.Cell
}

func text(s string) table.Cell {
	if s == "" {
		s = format.None
	}
	return table.Cell{Text: s}
}

func orNone(s *string) table.Cell {
	if s == nil {
		return table.None()
	}
	return text(*s)
}

// columns of the list; those that are off can be chosen.
var columns = []column{
	{table.Column{Title: "Mission", Name: "missionCode", Width: 10}, func(m *cache.Mission, _ time.Time) table.Cell { return text(m.MissionCode) }},
	{table.Column{Title: "Name", Name: "missionName", Width: 12, Fill: 1}, func(m *cache.Mission, _ time.Time) table.Cell { return text(m.MissionName) }},
	{table.Column{Title: "Status", Name: "status", Width: 17, Kind: table.Status}, func(m *cache.Mission, _ time.Time) table.Cell { return state(m.Status) }},
	{table.Column{Title: "Flight", Name: "flightDate", Kind: table.Date}, flight},
	{table.Column{Title: "Due", Name: "deadline", Kind: table.Date, Drop: 5}, func(m *cache.Mission, _ time.Time) table.Cell { return at(m.Order.Deadline) }},
	{table.Column{Title: "Country", Name: "country", Width: 11, Drop: 4}, func(m *cache.Mission, _ time.Time) table.Cell { return text(m.Country) }},
	{table.Column{Title: "Operator", Name: "operatorName", Width: 14, Drop: 3}, func(m *cache.Mission, _ time.Time) table.Cell { return orNone(m.OperatorName) }},
	{table.Column{Title: "Order", Name: "orderCode", Width: 10, Drop: 6}, func(m *cache.Mission, _ time.Time) table.Cell { return text(m.Order.OrderCode) }},
	{table.Column{Title: "Late", Name: "late", Width: 24, Drop: 7, Fill: 1}, late},
	{table.Column{Title: "City", Name: "city", Width: 12, Drop: 8, Off: true}, func(m *cache.Mission, _ time.Time) table.Cell { return orNone(m.City) }},
	{table.Column{Title: "Area", Name: "areaSize", Kind: table.Area, Drop: 8, Off: true}, func(m *cache.Mission, _ time.Time) table.Cell {
		if m.AreaSize != nil && *m.AreaSize == 0 {
			return table.None()
		}
		return table.NumOf(m.AreaSize)
	}},
	{table.Column{Title: "Type", Name: "missionType", Width: 8, Drop: 9, Off: true}, func(m *cache.Mission, _ time.Time) table.Cell { return text(string(m.MissionType)) }},
	{table.Column{Title: "Order name", Name: "orderName", Width: 16, Drop: 9, Off: true}, func(m *cache.Mission, _ time.Time) table.Cell { return text(m.Order.OrderName) }},
	{table.Column{Title: "Updated", Name: "updatedAt", Kind: table.Date, Drop: 9, Off: true}, func(m *cache.Mission, _ time.Time) table.Cell { return at(m.UpdatedAt) }},
}

func tableColumns() []table.Column {
	all := make([]table.Column, len(columns))
	for i := range columns {
		all[i] = columns[i].Column
	}
	return all
}

// state is a status, ordered as the life of a mission goes.
func state(s api.MissionStatus) table.Cell {
	rank := slices.Index(api.MissionStatuses(), s)
	if rank < 0 {
		rank = len(api.MissionStatuses())
	}
	st := labels.MissionStatus(s)
	return table.State(st.Glyph, st.Word, st.Role, rank)
}

// at is a time of the wire, or what was sent in place of one.
func at(t api.Time) table.Cell {
	if t.IsZero() && t.Raw != "" {
		return text(t.Raw)
	}
	return table.Day(t.Time)
}

// flight is a mission's, by the clock that its flights are told by.
func flight(m *cache.Mission, _ time.Time) table.Cell {
	cell := at(m.FlightDate)
	if cell.Known {
		cell.Zone = m.Zone()
	}
	return cell
}

// late says what is wrong with a mission.
func late(m *cache.Mission, now time.Time) table.Cell {
	t, ok := m.Trouble(now)
	if !ok {
		return table.Cell{}
	}
	return table.Cell{Text: t.Text, Role: role(t)}
}

func role(t cache.Trouble) theme.Role {
	if t.Late {
		return theme.Bad
	}
	return theme.Attention
}

// source is where the list's rows come from.
func source(missions []*cache.Mission, now func() time.Time, stale bool) table.Source {
	return table.Source{
		Len:  len(missions),
		ID:   func(i int) string { return missions[i].UUID },
		Cell: func(i, c int) table.Cell { return columns[c].cell(missions[i], now()) },
		Look: func(i int) (mark table.Cell, muted bool) {
			if t, ok := missions[i].Trouble(now()); ok {
				mark = table.Cell{Text: "▲", Role: role(t)}
			}
			return mark, stale || labels.MissionStatus(missions[i].Status).Role == theme.Muted
		},
		Stamp: func(i int) string { return table.Stamp(string(missions[i].Status), missions[i].UpdatedAt.Time) },
	}
}
