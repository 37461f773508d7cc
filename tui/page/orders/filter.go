package orders

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/cells"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/field"
	"flightdesk/tui/widget/table"
)

// filter is which of the orders are shown, in which order, and the line where
// that is typed.
type filter struct {
	table.Lens
	line   *field.Field
	typing bool
}

func newFilter() filter {
	f := filter{Lens: table.Lens{Sort: -1}, line: field.New(200)}
	f.line.Hint = "words, or column:word as in status:completed"
	return f
}

// The columns of the list, as its texts and comparisons know them.
const (
	codeColumn = iota
	nameColumn
	statusColumn
	sitesColumn
	areaColumn
	dueColumn
)

// text is what a row shows in a column.
func (l *List) text(i, column int) string {
	o := &l.orders[i]
	switch column {
	case codeColumn:
		return o.OrderCode
	case nameColumn:
		return o.OrderName
	case statusColumn:
		return string(o.Status)
	case sitesColumn:
		return l.sites(i)
	case areaColumn:
		return l.area(i)
	default:
		return day(o.Deadline, l.Now())
	}
}

// compare orders two rows by a column: statuses as a life goes, numbers and
// dates by their value.
func (l *List) compare(a, b, column int) int {
	x, y := &l.orders[a], &l.orders[b]
	switch column {
	case statusColumn:
		return stage(x.Status) - stage(y.Status)
	case sitesColumn:
		return cmp.Compare(value(x.MissionCount), value(y.MissionCount))
	case areaColumn:
		return cmp.Compare(value(x.AreaSize), value(y.AreaSize))
	case dueColumn:
		return x.Deadline.Compare(y.Deadline.Time)
	default:
		return strings.Compare(strings.ToLower(l.text(a, column)), strings.ToLower(l.text(b, column)))
	}
}

func stage(s api.OrderStatus) int {
	if i := slices.Index(api.OrderStatuses(), s); i >= 0 {
		return i
	}
	return len(api.OrderStatuses())
}

func value[T int | float64](v *T) T {
	if v == nil {
		return -1
	}
	return *v
}

// doFilter performs the actions of filter and sort and reports whether it was
// one.
func (l *List) doFilter(id action.ID) bool {
	switch id {
	case action.Filter:
		l.filter.typing = true
	case action.KeepFilter:
		l.filter.typing = false
	case action.SortNext:
		l.filter.Turn(1, len(l.table.Columns))
	case action.SortPrev:
		l.filter.Turn(-1, len(l.table.Columns))
	case action.SortReverse:
		l.filter.Reverse = !l.filter.Reverse
	default:
		return false
	}
	l.rows()
	return true
}

// typed gives a key or a paste to the filter's line. The orders follow at once.
func (l *List) typed(msg tea.Msg) tea.Cmd {
	l.filter.line.Update(msg)
	if query := l.filter.line.Value(); query != l.filter.Query {
		l.filter.Query = query
		l.rows()
		return l.selected()
	}
	return nil
}

// clearFilter takes the filter away and reports whether there was one.
func (l *List) clearFilter() bool {
	if !l.filter.typing && l.filter.Query == "" {
		return false
	}
	l.filter.typing, l.filter.Query = false, ""
	l.filter.line.Set("")
	l.rows()
	return true
}

// filterLine is the line at the list's foot while there is a filter.
func (l *List) filterLine(w int) string {
	th := l.Theme
	right := format.Group(float64(len(l.shown)), 0) + " of " + format.Group(float64(len(l.orders)), 0)
	if l.more != nil {
		right += " read so far"
	}
	room := max(0, w-cells.Width(right)-5)
	line := " " + cells.Text(th.Key, "/") + " " + l.filter.line.View(room, th.Style(theme.Text), th.Style(theme.Muted))
	return cells.Ends(line, cells.Text(th.Style(theme.Muted), right)+" ", w)
}
