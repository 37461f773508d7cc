package orders

import (
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/table"
)

func tableColumns(quotes func(uuid string) labels.Quotes) []columns.Column[api.Order] {
	return columns.Screen(columns.Orders(quotes))
}

// day writes a time of the wire as a day, or as it was sent.
func day(t api.Time, now time.Time) string {
	if t.IsZero() && t.Raw != "" {
		return t.Raw
	}
	return format.ShortDay(t.Time, now)
}

// source is where the list's rows come from. The orders are never written to,
// only replaced.
func (l *List) source() table.Source {
	orders, gaps := l.orders, l.gaps
	return table.Source{
		Len:  len(orders),
		ID:   func(i int) string { return identity(&orders[i]) },
		Cell: columns.Cells(l.columns, func(i int) *api.Order { return &orders[i] }),
		Look: func(i int) (table.Cell, bool) {
			return table.Cell{}, labels.OrderStatus(orders[i].Status).Role == theme.Muted || l.err != nil || l.kept
		},
		Stamp:   func(i int) string { return columns.Stamp(string(orders[i].Status), orders[i].UpdatedAt.Time) },
		Gap:     func(i int) bool { return gaps[identity(&orders[i])] != "" },
		More:    l.more != nil,
		Loading: l.older.Open(),
	}
}
