package operations

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/guard"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

const (
	atOnce    = 4                // orders read at the same time
	mostLive  = 500              // orders under way that are looked at
	mostEnded = 100              // completed orders that are looked at for deliveries to accept
	rereadIn  = 20 * time.Second // what an order's list does not tell is read again
)

// next step of an order or a mission.
type step int

const (
	stepQuote step = iota
	stepAssign
	stepSchedule
	stepPermit
	stepDeliver
	stepAccept
	stepClient // the client decides
)

var stepWords = map[step]struct {
	text string
	role theme.Role
}{
	stepQuote: {"quote it", theme.Attention}, stepAssign: {"assign", theme.Attention}, stepSchedule: {"schedule", theme.Attention},
	stepPermit: {"permit", theme.Attention}, stepDeliver: {"deliver", theme.Attention}, stepAccept: {"accept", theme.Attention},
	stepClient: {"client decides", theme.Pending},
}

// work is an order or a mission with what is to be done next.
type work struct {
	order   *api.OpsOrder
	mission *api.OpsMission // nil where it is the whole order
	step    step
	since   time.Time // it waits
}

// id names the order or the mission.
func (w *work) id() string {
	if w.mission != nil {
		return w.mission.UUID
	}
	return w.order.UUID
}

func (w *work) code() string {
	if w.mission != nil {
		return w.mission.MissionCode
	}
	return w.order.OrderCode
}

func (w *work) name() string {
	if w.mission != nil {
		return w.mission.MissionName
	}
	return w.order.OrderName
}

// file is an order as it was read in full.
type file struct {
	order *api.OpsOrder
	at    time.Time
}

// works are the orders that the desk has in hand.
type works struct {
	files map[string]file // by order
	list  []*work
	left  int // not 0: there are too many orders to look at all
	at    time.Time
	err   error
	asked page.Question
}

// forget has an order be read anew, or all of them.
func (w *works) forget(uuid string) {
	if uuid != "" {
		delete(w.files, uuid)
		return
	}
	for id, f := range w.files {
		f.at = time.Time{}
		w.files[id] = f
	}
}

// waiting counts what waits for the desk.
func (w *works) waiting() int {
	n := 0
	for _, one := range w.list {
		if one.step != stepClient {
			n++
		}
	}
	return n
}

// found is what a reading brought.
type found struct {
	files map[string]file
	left  int
	now   time.Time
}

type foundAnswer = page.Answer[found]

// read has the orders read, unless that is under way.
func (w *works) read(b page.Base) tea.Cmd {
	if w.asked.Open() {
		return nil
	}
	ops, known, now := b.Ops, maps.Clone(w.files), b.Now()
	return page.Ask(b, &w.asked, func(ctx context.Context) (found, error) {
		var heads []api.OpsOrder
		left := 0
		for _, status := range api.LiveOrderStatuses() {
			some, more, err := newest(ctx, ops, status, mostLive-len(heads))
			if err != nil {
				return found{}, err
			}
			heads, left = append(heads, some...), left+more
		}
		ended, _, err := newest(ctx, ops, api.OrderCompleted, mostEnded)
		if err != nil {
			return found{}, err
		}
		files, err := inFull(ctx, ops, append(heads, ended...), known, now)
		return found{files, left, now}, err
	})
}

// newest returns the newest orders of a status, and 1 where it left some out.
func newest(ctx context.Context, ops *api.Ops, status api.OrderStatus, most int) (orders []api.OpsOrder, left int, err error) {
	for o, err := range ops.Orders.All(ctx, api.OpsOrderFilter{Status: status}) {
		switch {
		case err != nil:
			return nil, 0, err
		case len(orders) >= most:
			return orders, 1, nil
		}
		orders = append(orders, *o)
	}
	return orders, 0, nil
}

// inFull reads the orders that were not read as they stand, some at a time.
func inFull(ctx context.Context, ops *api.Ops, heads []api.OpsOrder, known map[string]file, now time.Time) (map[string]file, error) {
	files := map[string]file{}
	var due []string
	for i := range heads {
		h := &heads[i]
		f, ok := known[h.UUID]
		if ok && f.order.UpdatedAt.Equal(h.UpdatedAt.Time) && f.order.Status == h.Status && now.Sub(f.at) < rereadIn {
			files[h.UUID] = f
			continue
		}
		due = append(due, h.UUID)
	}
	got, errs := make([]*api.OpsOrder, len(due)), make([]error, len(due))
	var running guard.Group
	for lane := range atOnce {
		running.Go(func() {
			for i := lane; i < len(due); i += atOnce {
				got[i], errs[i] = ops.Orders.Get(ctx, due[i])
			}
		})
	}
	running.Wait()
	for i, o := range got {
		switch {
		case api.IsStatus(errs[i], 404): // gone since
		case errs[i] != nil:
			return nil, errs[i]
		default:
			files[due[i]] = file{o, now}
		}
	}
	return files, nil
}

// take takes what was read, and reports whether it was that.
func (w *works) take(msg tea.Msg) bool {
	got, ok := msg.(foundAnswer)
	if !ok || !got.Of(&w.asked) {
		return false
	}
	if !got.Take() {
		return true
	}
	if w.err = got.Err; w.err == nil {
		w.files, w.left, w.at = got.Value.files, got.Value.left, got.Value.now
		w.sort(w.at)
	}
	return true
}

// put takes an order that was read by itself.
func (w *works) put(o *api.OpsOrder, now time.Time) {
	if w.files == nil {
		return
	}
	w.files = maps.Clone(w.files)
	w.files[o.UUID] = file{o, now}
	w.sort(now)
}

// sort lists what is to be done in the order of an order's life, the oldest of
// each step first, and last what waits for a client.
func (w *works) sort(now time.Time) {
	w.list = nil
	for _, f := range w.files {
		w.list = append(w.list, worksOf(f.order, now)...)
	}
	slices.SortFunc(w.list, func(a, b *work) int {
		return cmp.Or(cmp.Compare(a.step, b.step), a.since.Compare(b.since), cmp.Compare(a.code(), b.code()))
	})
}

// worksOf is what is to be done of an order.
func worksOf(o *api.OpsOrder, now time.Time) []*work {
	switch {
	case o.Status == api.OrderBiddingWithQuote:
		w := &work{order: o, step: stepQuote, since: o.CreatedAt.Time}
		if q := openQuote(o, now); q != nil {
			w.step, w.since = stepClient, q.CreatedAt.Time
		} else if len(o.Quotes) > 0 {
			w.since = o.UpdatedAt.Time
		}
		return []*work{w}
	case o.Status.HasAcceptedQuote():
		var list []*work
		for i := range o.Missions {
			m := &o.Missions[i]
			if s, ok := stepOf(m, now); ok {
				list = append(list, &work{order: o, mission: m, step: s, since: m.UpdatedAt.Time})
			}
		}
		return list
	}
	return nil
}

// stepOf is the next step of a mission whose order is carried out.
func stepOf(m *api.OpsMission, now time.Time) (step, bool) {
	switch m.Status {
	case api.MissionAwaitingPilot:
		return stepAssign, true
	case api.MissionPilotAssigned:
		return stepSchedule, true
	case api.MissionFlightScheduled:
		p := m.FlightPermission
		if (p == nil || p.Status == api.PermissionPending) && m.FlightDate.After(now) {
			return stepPermit, true
		}
		return stepDeliver, true
	case api.MissionDataDelivered:
		return stepAccept, true
	}
	return 0, false
}

// quotesOf is the state of the quotes of an order.
func quotesOf(o *api.OpsOrder, now time.Time) labels.Quotes {
	isOpen := func(q api.OpsQuote) bool { return q.Status == api.QuoteOpen }
	switch {
	case openQuote(o, now) != nil:
		return labels.QuotesReady
	case slices.ContainsFunc(o.Quotes, isOpen):
		return labels.QuotesExpired
	default:
		return labels.QuotesNone
	}
}

// openQuote is the open quote of an order that expires first, of those that have
// not; nil for none.
func openQuote(o *api.OpsOrder, now time.Time) (first *api.OpsQuote) {
	for i := range o.Quotes {
		q := &o.Quotes[i]
		if q.IsDecidable(now) && (first == nil || q.ExpiryDate.Before(first.ExpiryDate.Time)) {
			first = q
		}
	}
	return first
}
