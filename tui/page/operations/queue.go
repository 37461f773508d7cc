package operations

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
)

// newTaskQueue returns the list of tasks of Operations, the task that waits longest first. Tasks that wait for a
// client are last.
func newTaskQueue(d *paneTools) *page.List[*orderItem] {
	o := d.queueOptions("operations-tasks", true)
	o.Scope = action.OpsQueue
	source := page.ListSource[*orderItem]{State: d.work.readWork, Needs: d.work.workNeeds}
	return newListPane(d, source, o, (*orderItem).inspected)
}

// queueOptions returns the options of a list of tasks. The layout of its columns is stored
// under name. If showClient is set, there is a column for the client.
func (d *paneTools) queueOptions(name string, showClient bool) page.ListOptions[*orderItem] {
	cols := columns.MakeColumns("queue", columns.Values[*orderItem]{
		"companyName": func(x *orderItem) columns.Cell { return columns.TextCell(d.service.companyName(x.AccountUID)) },
	})
	if !showClient {
		cols = columns.HideColumns(cols, "companyName")
	}
	o := d.itemOptions(name, cols, func(row *orderItem) *orderItem { return row })
	o.Example = "next:quote or client:küste"
	o.Singular = "task"
	o.DescribeCount = d.describeTasks
	o.Open = func(x *orderItem) tea.Cmd { return d.env.Nav.Open(newOrderPage(d, x.UUID, x.ID)) }
	o.PaletteEntry = func(x *orderItem) (name, kind string) {
		return x.Code + "  " + x.Name, "operations: " + stepWords[x.step]
	}
	o.Empty = "No open tasks.\nNew orders and the next step of each mission appear here."
	o.RenderFoot = d.renderIncomplete
	return o
}

// renderIncomplete says below the list that tasks of other orders are missing, or returns nil if none is missing.
func (d *paneTools) renderIncomplete(w int) []string {
	var lines []string
	if d.work.hasMoreActive {
		text := " Showing tasks of " + format.GroupInt(maxActiveOrders) + " active orders only."
		lines = append(lines, d.env.Look.Theme.PaintMuted(text))
	}
	if d.work.hasMoreCompleted {
		text := " Showing tasks of the newest " + format.GroupInt(maxCompletedOrders) + " completed orders only."
		lines = append(lines, d.env.Look.Theme.PaintMuted(text))
	}
	return page.CutLines(lines, w)
}

// workList computes the tasks of Operations from the active orders in the cache. All pages of the
// section share it.
type workList struct {
	cache *cache.OperationsCache
	now   func() time.Time

	orders           []*ops.Order               // active orders with all details
	hasMoreActive    bool                       // the tasks of some active orders are missing
	hasMoreCompleted bool                       // the tasks of some completed orders are missing
	needed           []cache.Need               // data to load for the tasks
	state            page.ListState[*orderItem] // the computed tasks
	version          int                        // version of the cached data from which the tasks were computed
	computedAt       time.Time                  // when the tasks were computed; zero before the first time
}

// describeTasks returns the numbers of open tasks and of tasks that wait for clients, such as
// "34 open, 5 with clients", or "at least 500 open, 5 with clients" if the tasks of some orders are missing.
func (d *paneTools) describeTasks(tasks []*orderItem) string {
	open := countOpenTasks(tasks)
	text := format.GroupInt(open) + " open"
	if d.work.hasMoreActive {
		text = "at least " + text
	}
	if waiting := len(tasks) - open; waiting > 0 {
		text += ", " + format.GroupInt(waiting) + " with clients"
	}
	return text
}

// countOpenTasks returns the number of tasks that do not wait for a client.
func countOpenTasks(tasks []*orderItem) int {
	open := 0
	for _, task := range tasks {
		if task.step != stepClient {
			open++
		}
	}
	return open
}

// workNeeds returns the data that the tasks need: the lists of active and completed orders, and the details of
// each listed order.
func (w *workList) workNeeds(int) []cache.Need {
	w.readWork()
	return w.needed
}

// readWork returns the tasks. It computes them again if the cached orders changed or the tasks
// are older than maxTaskAge.
func (w *workList) readWork() page.ListState[*orderItem] {
	version := w.cache.InHand.Version() + w.cache.Details.Version() // grows if either of them changes
	now := w.now()
	isCurrent := version == w.version && now.Sub(w.computedAt) < maxTaskAge
	if !isCurrent {
		w.version = version
		w.computedAt = now
		w.computeWork(now)
	}
	return w.state
}

// computeWork computes the tasks from the cached orders.
func (w *workList) computeWork(now time.Time) {
	reader := readAllOrders(w.cache)
	w.orders = reader.orders
	w.needed = reader.needs
	w.hasMoreActive = reader.hasMoreActive
	w.hasMoreCompleted = reader.hasMoreCompleted

	lists := cache.JoinStates(reader.lists...)
	state := page.ListState[*orderItem]{Version: w.state.Version + 1, Err: lists.Err}
	if state.Err == nil {
		state.Err = reader.err
	}
	// Before all orders were loaded once, no tasks are listed, so that the first row does not change while the
	// orders are being loaded.
	isFirstLoad := reader.isLoading && w.state.At.IsZero()
	if !isFirstLoad {
		state.Rows = sortWork(w.orders, now)
		state.At = lists.ReadAt
	}
	w.state = state
}

// readAllOrders reads the active orders and the newest completed orders from the cache.
func readAllOrders(c *cache.OperationsCache) *orderReader {
	reader := &orderReader{cache: c}
	remaining := maxActiveOrders
	hasMoreActive := false
	for _, status := range api.LiveOrderStatuses() {
		read, hasMoreOfStatus := reader.readOrders(status, remaining)
		remaining -= read
		hasMoreActive = hasMoreActive || hasMoreOfStatus
	}
	reader.hasMoreActive = hasMoreActive && remaining == 0
	completed, hasMoreCompleted := reader.readOrders(api.OrderCompleted, maxCompletedOrders)
	reader.hasMoreCompleted = hasMoreCompleted && completed == maxCompletedOrders
	reader.needs = append(reader.needs, c.Details.NeedOf(reader.ids...))
	return reader
}

// orderReader reads orders with all details from the cache, and collects the data that still has to be loaded.
type orderReader struct {
	cache     *cache.OperationsCache
	orders    []*ops.Order       // orders with all details
	ids       []string           // IDs of all listed orders
	lists     []cache.EntryState // states of the lists that were read
	needs     []cache.Need       // data to load
	isLoading bool               // the details of some orders are not loaded yet
	err       error              // the first error that occurred when the details of an order were loaded

	hasMoreActive    bool // maxActiveOrders are loaded, and there are more
	hasMoreCompleted bool // maxCompletedOrders are loaded, and there are more
}

// readOrders reads at most maxOrders orders with a status. It returns the number of orders that it read, and
// whether there are more.
func (r *orderReader) readOrders(status api.OrderStatus, maxOrders int) (read int, hasMore bool) {
	rows, state := r.cache.InHand.Get(string(status))
	r.lists = append(r.lists, state)
	r.needs = append(r.needs, r.cache.InHand.NeedRows(string(status), maxOrders))
	read = min(len(rows.Items), maxOrders)
	for i := range read {
		r.ids = append(r.ids, rows.Items[i].UUID)
		r.readOrder(&rows.Items[i])
	}
	return read, rows.More || read < len(rows.Items)
}

// readOrder reads the details of a listed order from the cache. If the details are missing or older than the
// list, it adds them to the data to load.
func (r *orderReader) readOrder(listed *ops.Order) {
	o, state := r.cache.Details.Get(listed.UUID)
	if o != nil {
		r.orders = append(r.orders, o)
	}
	if o == nil || !o.UpdatedAt.Equal(listed.UpdatedAt.Time) || o.Status != listed.Status {
		r.needs = append(r.needs, r.cache.Details.NeedStamped(listed.UUID, cache.OrderStamp(&listed.Order)))
	}
	if api.IsStatus(state.Err, http.StatusNotFound) { // deleted since it was listed
		return
	}
	if o == nil && state.Err == nil {
		r.isLoading = true
	}
	if r.err == nil {
		r.err = state.Err
	}
}

// sortWork returns the tasks of orders. The task that waits longest is first, and tasks that wait for a client are
// last.
func sortWork(orders []*ops.Order, now time.Time) []*orderItem {
	var tasks []*orderItem
	for _, o := range orders {
		tasks = append(tasks, workOf(o, now)...)
	}
	slices.SortFunc(tasks, compareTasks)
	return tasks
}

// compareTasks returns a negative number if task a is before task b in the queue.
func compareTasks(a, b *orderItem) int {
	isClientA := a.step == stepClient
	isClientB := b.step == stepClient
	if isClientA != isClientB {
		if isClientA {
			return 1
		}
		return -1
	}
	if order := a.Since.Time.Compare(b.Since.Time); order != 0 {
		return order
	}
	return cmp.Compare(a.Code, b.Code)
}

// workOf returns the tasks of an order: to issue a quote or wait for the client's decision, or
// the next step of each mission.
func workOf(o *ops.Order, now time.Time) []*orderItem {
	if o.Status == api.OrderBiddingWithQuote {
		return []*orderItem{quoteTask(o, now)}
	}
	if !o.Status.HasAcceptedQuote() {
		return nil
	}
	var tasks []*orderItem
	for i := range o.Missions {
		if task := missionTask(o, &o.Missions[i], now); task != nil {
			tasks = append(tasks, task)
		}
	}
	return tasks
}

// quoteTask returns the task of an order without an accepted quote. The order has been waiting for a quote since
// the last quote expired, or since it was created.
func quoteTask(o *ops.Order, now time.Time) *orderItem {
	task := itemOfOrder(o, now)
	if q := openQuote(o, now); q != nil {
		return task.waitFor(stepClient, q.CreatedAt.Time, now)
	}
	began := o.CreatedAt.Time
	if len(o.Quotes) > 0 {
		began = o.UpdatedAt.Time
	}
	for _, q := range o.Quotes {
		if q.ExpiryDate.After(began) && q.ExpiryDate.Before(now) {
			began = q.ExpiryDate.Time
		}
	}
	return task.waitFor(stepQuote, began, now)
}

// missionTask returns the next step of a mission, or nil if there is none.
func missionTask(o *ops.Order, m *ops.Mission, now time.Time) *orderItem {
	step := stepOf(m, now)
	if step == stepNone {
		return nil
	}
	began := m.UpdatedAt.Time
	if step == stepDeliver && m.FlightDate.After(began) {
		began = m.FlightDate.Time
	}
	return itemOfMission(o, m, now).waitFor(step, began, now)
}

// stepOf returns the next step of a mission.
func stepOf(m *ops.Mission, now time.Time) workStep {
	switch m.Status {
	case api.MissionAwaitingPilot:
		return stepAssign
	case api.MissionPilotAssigned:
		return stepSchedule
	case api.MissionFlightScheduled:
		p := m.FlightPermission
		if (p == nil || p.Status == api.PermissionPending) && m.FlightDate.After(now) {
			return stepPermit
		}
		return stepDeliver
	case api.MissionDataDelivered:
		return stepAccept
	}
	return stepNone
}

// maxTaskAge is how long computed tasks are used. They are then computed again, because a next step can change with
// time.
const maxTaskAge = 10 * time.Second
