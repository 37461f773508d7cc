package operations

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/table"
)

// newTaskQueue returns the list of tasks of Operations, sorted by next step, followed
// by orders that wait for a client.
func newTaskQueue(d *operationsPage) *listPane[orderItem] {
	o := d.queueOptions("desk-queue", true)
	o.Scope, o.Also = action.OpsQueue, []action.Scope{action.OpsTask}
	o.SplitDetail = linesBeside(d.renderAbout)
	o.Foot = d.renderLeftOut
	o.Acts = append(o.Acts, d.viewAct(func(x *orderItem) string {
		if x == nil {
			return ""
		}
		return x.itemID()
	}))
	source := listpage.Source[orderItem]{
		State: d.world.works.readWork,
		Needs: func(int) []cache.Need { return d.world.works.workNeeds() },
	}
	return newListPane(d, source, o, (*orderItem).inspected)
}

// queueOptions returns the options of a list of tasks. The columns are stored under
// name; client adds a column for the client.
func (d *operationsPage) queueOptions(name string, client bool) listpage.Options[orderItem] {
	return listpage.Options[orderItem]{
		Name: name, Example: "next:quote or client:küste", One: "task", Many: "tasks", Columns: taskColumns(d, client),
		ID:    (*orderItem).itemID,
		Stamp: func(x *orderItem) string { return fmt.Sprint(x.step, statusOf(x, d.Now())) },
		Look:  func(x *orderItem) (table.Cell, bool) { return table.Cell{}, x.step == stepClient },
		Open:  func(x *orderItem) tea.Cmd { return d.Open(newOrderPage(d, x.order.UUID, x.itemID())) },
		Acts:  d.moveActs(func(x *orderItem) *orderItem { return x }),
		Empty: [2]string{"No open tasks.", "New orders and the next step of each mission appear here."},
	}
}

// renderLeftOut reports that only the newest orders are considered.
func (d *operationsPage) renderLeftOut(w int) []string {
	if !d.world.works.left {
		return nil
	}
	text := " Showing tasks of the newest " + format.GroupDigits(mostLive, 0) + " active orders only."
	return []string{d.Theme.PaintMuted(layout.CutLine(text, w))}
}

// statusOf returns the status of the mission, otherwise of the order.
func statusOf(w *orderItem, now time.Time) labels.StatusLabel {
	if w.mission != nil {
		return labels.MissionStatus(w.mission.Status)
	}
	return labels.OrderState(w.order.Status, quotesOf(w.order, now))
}

// taskColumns returns the columns of tasks.
func taskColumns(d *operationsPage, client bool) []columns.Column[orderItem] {
	column := func(spec columns.ColumnSpec, value func(*orderItem) columns.Cell) columns.Column[orderItem] {
		return columns.Column[orderItem]{ColumnSpec: spec, Value: value}
	}
	return []columns.Column[orderItem]{
		column(columns.ColumnSpec{Title: "Code", Name: "code", Width: 10}, func(x *orderItem) columns.Cell {
			code, _ := x.itemName()
			return columns.TextCell(code)
		}),
		column(columns.ColumnSpec{Title: "Name", Name: "name", Width: 20, Fill: 2}, func(x *orderItem) columns.Cell {
			_, name := x.itemName()
			return columns.TextCell(name)
		}),
		column(columns.ColumnSpec{Title: "Next", Name: "next", Width: 14}, func(x *orderItem) columns.Cell {
			return columns.TextCell(stepWords[x.step].text).WithTone(stepWords[x.step].role)
		}),
		column(
			columns.ColumnSpec{Title: "Waits", Name: "since", Width: 6, Right: true},
			func(x *orderItem) columns.Cell {
				return columns.Cell{Text: formatWaited(x.since, d.Now()), Time: x.since, Known: true}
			},
		),
		column(
			columns.ColumnSpec{Title: "Client", Name: "companyName", Width: 12, Fill: 1, Drop: 1, Off: !client},
			func(x *orderItem) columns.Cell {
				return columns.TextCell(d.world.companyName(x.order.AccountUID))
			},
		),
		column(
			columns.ColumnSpec{Title: "Status", Name: "status", Width: 19, Drop: 2},
			func(x *orderItem) columns.Cell {
				return columns.StateCell(statusOf(x, d.Now()), 0)
			},
		),
		column(
			columns.ColumnSpec{Title: "Due", Name: "deadline", Kind: columns.Date, Drop: 3},
			func(x *orderItem) columns.Cell {
				return columns.TimeCell(x.order.Deadline)
			},
		),
		column(
			columns.ColumnSpec{Title: "Order", Name: "orderCode", Width: 10, Off: true, Drop: 4},
			func(x *orderItem) columns.Cell {
				return columns.TextCell(x.order.OrderCode)
			},
		),
	}
}

// KnownPlaces returns the orders and missions with tasks, for the palette.
func (p *FirstPage) KnownPlaces() []page.KnownPlace {
	list := p.world.works.readWork().Rows
	places := make([]page.KnownPlace, len(list))
	for i, x := range list {
		code, name := x.itemName()
		places[i] = page.KnownPlace{
			Name: code + "  " + name, Kind: "operations: " + stepWords[x.step].text,
			Open: func() tea.Cmd { return p.Open(newOrderPage(p.operationsPage, x.order.UUID, x.itemID())) },
		}
	}
	return places
}

// countWaiting shows the number of tasks in the tabs and beside the section's name.
func (p *FirstPage) countWaiting() {
	note := func(i, n int) {
		p.tabs.Tabs[i].Note, p.tabs.Tabs[i].Role = "", theme.Attention
		if n > 0 {
			p.tabs.Tabs[i].Note = format.GroupDigits(float64(n), 0)
		}
	}
	waits, pending := countWaiting(p.world.works.readWork().Rows), 0
	requests, _ := p.world.cache.Requests.Get(cache.Account)
	for _, r := range requests.Items {
		if r.Status == api.KeyRequestPending {
			pending++
		}
	}
	note(partQueue, waits)
	note(partRequests, pending)
	badge := page.SectionBadge{Role: theme.Attention}
	if n := waits + pending; n > 0 {
		badge.Text = format.GroupDigits(float64(n), 0)
	}
	if hasFaults(p.world.serviceState().Faults) {
		badge = page.SectionBadge{Text: "!", Role: theme.Bad}
	}
	p.SetBadge(action.GoOps, badge)
}

// sinceText returns how long something has waited, as ", for 3 h".
func sinceText(since, now time.Time) string {
	switch text := formatWaited(since, now); text {
	case format.None:
		return ""
	case "now":
		return ", just now"
	default:
		return " for " + text
	}
}

// formatWaited returns how long something has waited, in its largest unit.
func formatWaited(since, now time.Time) string {
	switch d := now.Sub(since); {
	case since.IsZero():
		return format.None
	case d < time.Minute:
		return "now"
	case d < 24*time.Hour:
		return format.Age(since, now)
	default:
		return fmt.Sprintf("%d d", d/(24*time.Hour))
	}
}
