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

// queue is what waits for Operations, by what is next, and behind it what waits for
// a client.
type queue struct {
	*lister[work]
	rows   func() []*work
	placed string // order that was just placed here, to be selected once it is read
}

// newQueue lists it; name is under which the columns are kept, and client whether
// whose it is stands in a column.
func newQueue(d *operations, name string, client bool, state func() listpage.State[work]) *queue {
	o := listpage.Options[work]{
		Name: name, Example: "next:quote or client:küste", One: "task", Many: "tasks", Scope: action.OpsQueue,
		Columns: taskColumns(d, client),
		ID:      (*work).id,
		Stamp:   func(w *work) string { return fmt.Sprint(w.step, statusOf(w, d.Now())) },
		Look:    func(w *work) (table.Cell, bool) { return table.Cell{}, w.step == stepClient },
		Open:    func(w *work) tea.Cmd { return d.Open(newOrder(d, w.order.UUID, w.id())) },
		Foot: func(w int) []string {
			if !d.world.works.left {
				return nil
			}
			text := " Showing tasks of the newest " + format.Group(mostLive, 0) + " active orders only."
			return []string{layout.Text(d.Theme.Style(theme.Muted), layout.Cut(text, w))}
		},
		Empty: [2]string{"No open tasks.", "New orders and the next step of each mission appear here."},
	}
	if client { // else it is the client's end that is beside the list
		o.SplitDetail = lines(d.about)
	}
	source := listpage.Source[work]{State: state, Needs: func(int) []cache.Need { return d.world.works.needs() }}
	q := &queue{lister: newLister(d, source, o), rows: func() []*work { return state().Rows }}
	q.List.Empty = "No matching tasks; "
	return q
}

// statusOf is how the status of the order or the mission is shown.
func statusOf(w *work, now time.Time) labels.Status {
	if w.mission != nil {
		return labels.MissionStatus(w.mission.Status)
	}
	return labels.OrderState(w.order.Status, quotesOf(w.order, now))
}

// taskColumns are the columns of what is to be done next.
func taskColumns(d *operations, client bool) []columns.Column[work] {
	return []columns.Column[work]{
		{Spec: columns.Spec{Title: "Code", Name: "code", Width: 10}, Value: func(w *work) columns.Cell { return columns.Text(w.code()) }},
		{Spec: columns.Spec{Title: "Name", Name: "name", Width: 20, Fill: 2}, Value: func(w *work) columns.Cell { return columns.Text(w.name()) }},
		{Spec: columns.Spec{Title: "Next", Name: "next", Width: 14}, Value: func(w *work) columns.Cell {
			return columns.Text(stepWords[w.step].text).In(stepWords[w.step].role)
		}},
		{Spec: columns.Spec{Title: "Waits", Name: "since", Width: 6, Right: true}, Value: func(w *work) columns.Cell {
			return columns.Cell{Text: waited(w.since, d.Now()), Time: w.since, Known: true}
		}},
		{Spec: columns.Spec{Title: "Client", Name: "companyName", Width: 12, Fill: 1, Drop: 1, Off: !client}, Value: func(w *work) columns.Cell {
			return columns.Text(d.world.company(w.order.AccountUID))
		}},
		{Spec: columns.Spec{Title: "Status", Name: "status", Width: 19, Drop: 2}, Value: func(w *work) columns.Cell {
			return columns.State(statusOf(w, d.Now()), 0)
		}},
		{Spec: columns.Spec{Title: "Due", Name: "deadline", Kind: columns.Date, Drop: 3}, Value: func(w *work) columns.Cell { return columns.At(w.order.Deadline) }},
		{Spec: columns.Spec{Title: "Order", Name: "orderCode", Width: 10, Off: true, Drop: 4}, Value: func(w *work) columns.Cell { return columns.Text(w.order.OrderCode) }},
	}
}

// Update selects an order that was just placed, once it is read.
func (q *queue) Update(msg tea.Msg) tea.Cmd {
	cmd := q.lister.Update(msg)
	if q.placed != "" && q.List.Grid.Select(q.placed) {
		q.placed = ""
	}
	return cmd
}

// scopes are the list's, and the moves of the selected one.
func (q *queue) Scopes() []action.Scope {
	q.Sync() // a key is about what is there by now, drawn or not
	return q.List.Scopes(action.OpsQueue, action.OpsWork)
}

// subject is what the moves are about.
func (q *queue) subject() subject {
	w := q.Current()
	if w == nil {
		return subject{}
	}
	return subject{order: w.order, mission: w.mission}
}

func (q *queue) Disabled(id action.ID) string {
	if id == action.ShowBothEnds && q.d.Client == nil {
		return "no client view"
	}
	if why := q.d.off(id, q.subject()); why != "" {
		return why
	}
	return q.lister.Disabled(id)
}

func (q *queue) Do(id action.ID) tea.Cmd {
	if id == action.ShowBothEnds {
		uuid := ""
		if w := q.Current(); w != nil {
			uuid = w.id()
		}
		return q.d.Open(newBoth(q.d, uuid))
	}
	if q.d.move(id, q.subject()) {
		return nil
	}
	return q.lister.Do(id)
}

// places are what waits.
func (q *queue) places() []page.Place {
	list := q.rows()
	places := make([]page.Place, len(list))
	for i, w := range list {
		places[i] = page.Place{
			Name: w.code() + "  " + w.name(), Kind: "operations: " + stepWords[w.step].text,
			Open: func() tea.Cmd { return q.d.Open(newOrder(q.d, w.order.UUID, w.id())) },
		}
	}
	return places
}

// count shows how much waits, in the parts' titles and behind the section.
func (p *Page) count() {
	note := func(i, n int) {
		p.tabs.Tabs[i].Note, p.tabs.Tabs[i].Role = "", theme.Attention
		if n > 0 {
			p.tabs.Tabs[i].Note = format.Group(float64(n), 0)
		}
	}
	waits, pending := waiting(p.world.works.list()), 0
	requests, _ := p.world.cache.Requests.Get(cache.Account)
	for _, r := range requests.Items {
		if r.Status == api.KeyRequestPending {
			pending++
		}
	}
	note(partQueue, waits)
	note(partRequests, pending)
	badge := page.Badge{Role: theme.Attention}
	if n := waits + pending; n > 0 {
		badge.Text = format.Group(float64(n), 0)
	}
	if faulty(p.world.service().Faults) {
		badge = page.Badge{Text: "!", Role: theme.Bad}
	}
	p.SetBadge(action.GoOps, badge)
}

// sinceText says how long something has waited.
func sinceText(since, now time.Time) string {
	switch text := waited(since, now); text {
	case format.None:
		return ""
	case "now":
		return ", just now"
	default:
		return " for " + text
	}
}

// waited is how long something has waited, in its largest unit.
func waited(since, now time.Time) string {
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
