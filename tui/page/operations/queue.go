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

// taskQueue is what waits for Operations, by what is next, and behind it what waits for
// a client.
type taskQueue struct {
	*listPane[workItem]
	rows   func() []*workItem
	placed string // order that was just placed here, to be selected once it is read
}

// newTaskQueue lists it; name is under which the columns are kept, and client whether
// whose it is stands in a column.
func newTaskQueue(d *operationsPage, name string, client bool, state func() listpage.State[workItem]) *taskQueue {
	o := listpage.Options[workItem]{
		Name: name, Example: "next:quote or client:küste", One: "task", Many: "tasks", Scope: action.OpsQueue,
		Columns: taskColumns(d, client),
		ID:      (*workItem).itemID,
		Stamp:   func(w *workItem) string { return fmt.Sprint(w.step, statusOf(w, d.Now())) },
		Look:    func(w *workItem) (table.Cell, bool) { return table.Cell{}, w.step == stepClient },
		Open:    func(w *workItem) tea.Cmd { return d.Open(newOrderPage(d, w.order.UUID, w.itemID())) },
		Foot: func(w int) []string {
			if !d.world.works.left {
				return nil
			}
			text := " Showing tasks of the newest " + format.GroupDigits(mostLive, 0) + " active orders only."
			return []string{layout.CleanText(d.Theme.Style(theme.Muted), layout.CutLine(text, w))}
		},
		Empty: [2]string{"No open tasks.", "New orders and the next step of each mission appear here."},
	}
	if client { // else it is the client's end that is beside the list
		o.SplitDetail = linesBeside(d.renderAbout)
	}
	source := listpage.Source[workItem]{State: state, Needs: func(int) []cache.Need { return d.world.works.workNeeds() }}
	q := &taskQueue{listPane: newListPane(d, source, o), rows: func() []*workItem { return state().Rows }}
	q.List.Empty = "No matching tasks; "
	return q
}

// statusOf returns how the status of the order or the mission is shown.
func statusOf(w *workItem, now time.Time) labels.StatusLabel {
	if w.mission != nil {
		return labels.MissionStatus(w.mission.Status)
	}
	return labels.OrderState(w.order.Status, quotesOf(w.order, now))
}

// taskColumns returns the columns of what is to be done next.
func taskColumns(d *operationsPage, client bool) []columns.Column[workItem] {
	return []columns.Column[workItem]{
		{ColumnSpec: columns.ColumnSpec{Title: "Code", Name: "code", Width: 10}, Value: func(w *workItem) columns.Cell { return columns.TextCell(w.itemCode()) }},
		{ColumnSpec: columns.ColumnSpec{Title: "Name", Name: "name", Width: 20, Fill: 2}, Value: func(w *workItem) columns.Cell { return columns.TextCell(w.itemName()) }},
		{ColumnSpec: columns.ColumnSpec{Title: "Next", Name: "next", Width: 14}, Value: func(w *workItem) columns.Cell {
			return columns.TextCell(stepWords[w.step].text).WithTone(stepWords[w.step].role)
		}},
		{ColumnSpec: columns.ColumnSpec{Title: "Waits", Name: "since", Width: 6, Right: true}, Value: func(w *workItem) columns.Cell {
			return columns.Cell{Text: formatWaited(w.since, d.Now()), Time: w.since, Known: true}
		}},
		{ColumnSpec: columns.ColumnSpec{Title: "Client", Name: "companyName", Width: 12, Fill: 1, Drop: 1, Off: !client}, Value: func(w *workItem) columns.Cell {
			return columns.TextCell(d.world.companyName(w.order.AccountUID))
		}},
		{ColumnSpec: columns.ColumnSpec{Title: "Status", Name: "status", Width: 19, Drop: 2}, Value: func(w *workItem) columns.Cell {
			return columns.StateCell(statusOf(w, d.Now()), 0)
		}},
		{ColumnSpec: columns.ColumnSpec{Title: "Due", Name: "deadline", Kind: columns.Date, Drop: 3}, Value: func(w *workItem) columns.Cell { return columns.TimeCell(w.order.Deadline) }},
		{ColumnSpec: columns.ColumnSpec{Title: "Order", Name: "orderCode", Width: 10, Off: true, Drop: 4}, Value: func(w *workItem) columns.Cell { return columns.TextCell(w.order.OrderCode) }},
	}
}

// Update selects an order that was just placed, once it is read.
func (q *taskQueue) Update(msg tea.Msg) tea.Cmd {
	cmd := q.listPane.Update(msg)
	if q.placed != "" && q.List.Grid.Select(q.placed) {
		q.placed = ""
	}
	return cmd
}

// scopes returns the list's, and the moves of the selected one.
func (q *taskQueue) ActionScopes() []action.Scope {
	q.Sync() // a key is about what is there by now, drawn or not
	return q.List.ListScopes(action.OpsQueue, action.OpsTask)
}

// taskSubject returns what the moves are about.
func (q *taskQueue) taskSubject() moveSubject {
	w := q.Current()
	if w == nil {
		return moveSubject{}
	}
	return moveSubject{order: w.order, mission: w.mission}
}

func (q *taskQueue) DisabledReason(id action.ID) string {
	if id == action.ShowClientView && q.d.Client == nil {
		return "no client view"
	}
	if why := q.d.moveRefusal(id, q.taskSubject()); why != "" {
		return why
	}
	return q.listPane.DisabledReason(id)
}

func (q *taskQueue) HandleAction(id action.ID) tea.Cmd {
	if id == action.ShowClientView {
		uuid := ""
		if w := q.Current(); w != nil {
			uuid = w.itemID()
		}
		return q.d.Open(newClientViewPage(q.d, uuid))
	}
	if q.d.performMove(id, q.taskSubject()) {
		return nil
	}
	return q.listPane.HandleAction(id)
}

// waitingPlaces returns what waits.
func (q *taskQueue) waitingPlaces() []page.KnownPlace {
	list := q.rows()
	places := make([]page.KnownPlace, len(list))
	for i, w := range list {
		places[i] = page.KnownPlace{
			Name: w.itemCode() + "  " + w.itemName(), Kind: "operations: " + stepWords[w.step].text,
			Open: func() tea.Cmd { return q.d.Open(newOrderPage(q.d, w.order.UUID, w.itemID())) },
		}
	}
	return places
}

// countWaiting shows how much waits, in the parts' titles and behind the section.
func (p *FirstPage) countWaiting() {
	note := func(i, n int) {
		p.tabs.Tabs[i].Note, p.tabs.Tabs[i].Role = "", theme.Attention
		if n > 0 {
			p.tabs.Tabs[i].Note = format.GroupDigits(float64(n), 0)
		}
	}
	waits, pending := countWaiting(p.world.works.workItems()), 0
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

// sinceText says how long something has waited.
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
