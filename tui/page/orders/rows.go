package orders

import (
	"slices"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/table"
)

// column is a column of the list: how it stands, and what an order has in it.
type column struct {
	table.Column
	cell func(o *api.Order) table.Cell
}

func text(s string) table.Cell { return table.Cell{Text: s} }

// columns of the list; those that are off can be chosen.
var columns = []column{
	{table.Column{Title: "Code", Name: "orderCode", Width: 10}, func(o *api.Order) table.Cell { return text(o.OrderCode) }},
	{table.Column{Title: "Name", Name: "orderName", Width: 14, Fill: 1}, func(o *api.Order) table.Cell { return text(o.OrderName) }},
	{table.Column{Title: "Status", Name: "status", Width: 18, Kind: table.Status}, func(o *api.Order) table.Cell { return state(o.Status, false) }},
	{table.Column{Title: "Sites", Name: "missionCount", Kind: table.Number, Drop: 3}, func(o *api.Order) table.Cell { return table.NumOf(o.MissionCount) }},
	{table.Column{Title: "Area", Name: "areaSize", Kind: table.Area, Drop: 2}, func(o *api.Order) table.Cell {
		if o.AreaSize != nil && *o.AreaSize == 0 {
			return table.None() // an order of lines and points
		}
		return table.NumOf(o.AreaSize)
	}},
	{table.Column{Title: "Due", Name: "deadline", Kind: table.Date, Drop: 1}, func(o *api.Order) table.Cell { return at(o.Deadline) }},
	{table.Column{Title: "Placed", Name: "createdAt", Kind: table.Date, Drop: 4, Off: true}, func(o *api.Order) table.Cell { return at(o.CreatedAt) }},
	{table.Column{Title: "Updated", Name: "updatedAt", Kind: table.Date, Drop: 5, Off: true}, func(o *api.Order) table.Cell { return at(o.UpdatedAt) }},
	{table.Column{Title: "Start", Name: "startDate", Kind: table.Date, Drop: 5, Off: true}, func(o *api.Order) table.Cell { return at(o.StartDate) }},
	{table.Column{Title: "Type", Name: "orderType", Width: 14, Drop: 7, Off: true}, func(o *api.Order) table.Cell { return text(string(o.OrderType)) }},
	{table.Column{Title: "Objective", Name: "missionObjective", Width: 16, Drop: 6, Off: true}, func(o *api.Order) table.Cell { return text(string(o.MissionObjective)) }},
	{table.Column{Title: "Asset", Name: "industryAssetType", Width: 16, Drop: 6, Off: true}, func(o *api.Order) table.Cell { return text(string(o.IndustryAssetType)) }},
	{table.Column{Title: "Company", Name: "companyName", Width: 16, Drop: 8, Off: true}, func(o *api.Order) table.Cell { return text(o.CompanyName) }},
	{table.Column{Title: "Reason", Name: "reason", Width: 20, Drop: 8, Off: true}, func(o *api.Order) table.Cell { return text(reason(o)) }},
}

func tableColumns() []table.Column {
	all := make([]table.Column, len(columns))
	for i := range columns {
		all[i] = columns[i].Column
	}
	return all
}

// state is a status, ordered as the life of an order goes.
func state(s api.OrderStatus, quoted bool) table.Cell {
	rank := slices.Index(api.OrderStatuses(), s)
	if rank < 0 {
		rank = len(api.OrderStatuses())
	}
	st := labels.OrderState(s, quoted)
	return table.State(st.Glyph, st.Word, st.Role, rank)
}

// at is a time of the wire, or what was sent in place of one.
func at(t api.Time) table.Cell {
	if t.IsZero() && t.Raw != "" {
		return text(t.Raw)
	}
	return table.Day(t.Time)
}

// day writes a time of the wire as a day, or as it was sent.
func day(t api.Time, now time.Time) string {
	if t.IsZero() && t.Raw != "" {
		return t.Raw
	}
	return format.ShortDay(t.Time, now)
}

// reason is why an order was rejected or archived, "" where it was not.
func reason(o *api.Order) string {
	for _, r := range []*string{o.ArchiveReason, o.RejectionReason} {
		if r != nil && *r != "" {
			return *r
		}
	}
	return ""
}

// source is where the list's rows come from. The orders are never written to,
// only replaced.
func (l *List) source() table.Source {
	orders, gaps := l.orders, l.gaps
	return table.Source{
		Len: len(orders),
		ID:  func(i int) string { return identity(&orders[i]) },
		Cell: func(i, c int) table.Cell {
			if o := &orders[i]; columns[c].Kind == table.Status {
				return state(o.Status, l.Quoted(o.UUID))
			}
			return columns[c].cell(&orders[i])
		},
		Look: func(i int) (table.Cell, bool) {
			return table.Cell{}, labels.OrderStatus(orders[i].Status).Role == theme.Muted || l.err != nil || l.kept
		},
		Stamp:   func(i int) string { return table.Stamp(string(orders[i].Status), orders[i].UpdatedAt.Time) },
		Gap:     func(i int) bool { return gaps[identity(&orders[i])] != "" },
		More:    l.more != nil,
		Loading: l.older.Open(),
	}
}
