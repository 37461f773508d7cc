package commands

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"reflect"
	"slices"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/changes"
)

// watchFunc is called before a request is sent. It reads the state of the object to change. The function that it
// returns can then find out whether the request has changed that state.
type watchFunc func(Target) (findFunc, error)

// findFunc looks on the service for the effect of a request whose response was lost. If the change was made, findFunc
// returns the result that Command.Request would have returned, or a [*LostSecretError]. Otherwise it returns nil.
type findFunc func(Target) (any, error)

// LostSecretError is returned if a change was made, but the response with a new key or secret was lost. The service
// does not return the secret a second time.
type LostSecretError struct{ Text string }

func (e *LostSecretError) Error() string { return e.Text }

// requestAnswer sends the request and returns the result. If the response is lost or does not prove the change,
// it looks for the effect several times. It returns an [*changes.UnconfirmedError] if it finds no effect.
func (c *Command) requestAnswer(t Target) (any, error) {
	if t.Look || c.Watch == nil { // the request changes nothing, or its effect cannot be found
		return c.Request(t)
	}
	find, err := c.startWatch(t)
	if err != nil {
		return nil, err
	}
	answer, err := c.Request(t)
	if err != nil {
		if !api.MaybeApplied(err) {
			return nil, err
		}
		return findEffect(t, find, err)
	}
	if c.isConfirmed(answer) {
		return answer, nil
	}
	// The service may have made the change without showing it in the response, or a proxy has answered.
	return findEffect(t, find, &api.Error{
		Op:      c.Doing,
		Status:  http.StatusOK,
		Foreign: true,
		Message: "the response does not show the change",
	})
}

// startWatch calls c.Watch before the request is sent. find is nil if the state could not be read; the request
// can be sent nevertheless. An error means that the command was cancelled, so the request must not be sent.
func (c *Command) startWatch(t Target) (find findFunc, err error) {
	find, watchErr := c.Watch(t)
	isCancelled := t.Err() != nil
	if isCancelled && watchErr != nil {
		return nil, watchErr
	}
	if isCancelled {
		return nil, t.Err()
	}
	if watchErr != nil {
		find = nil
	}
	return find, nil
}

// isConfirmed reports whether the result of a request proves the change. An empty record proves nothing.
func (c *Command) isConfirmed(answer any) bool {
	record := answer
	if o, isOutcome := answer.(*Outcome); isOutcome {
		record = o.Value
	}
	if reflect.Indirect(reflect.ValueOf(record)).IsZero() {
		return false
	}
	return c.Confirms == nil || c.Confirms(answer)
}

// findEffect looks for the effect of a request that failed with err, because the service may have made the
// change nevertheless. It returns an [*changes.UnconfirmedError] if it finds no effect, or if find is nil.
func findEffect(t Target, find findFunc, err error) (any, error) {
	if find == nil {
		return nil, &changes.UnconfirmedError{Err: err}
	}
	var answer any
	look := func(ctx context.Context) (settled bool, findErr error) {
		again := t
		again.Context = ctx
		answer, findErr = find(again)
		_, isSecretLost := errors.AsType[*LostSecretError](findErr)
		return answer != nil || isSecretLost, findErr
	}
	settled, findErr := t.LookSchedule.LookRepeatedly(t, look)
	if !settled {
		return nil, &changes.UnconfirmedError{Err: err}
	}
	return answer, findErr
}

// watchState returns a watchFunc that calls read before and after the request, and passes both states to find. find
// returns the result of the request if the states show that the request was applied, otherwise nil.
func watchState[T any](read func(Target) (T, error), find func(before, now T) (any, error)) watchFunc {
	return func(t Target) (findFunc, error) {
		before, err := read(t)
		if err != nil {
			return nil, err
		}
		return func(t Target) (any, error) {
			now, err := read(t)
			if err != nil {
				return nil, err
			}
			return find(before, now)
		}, nil
	}
}

// watchAfter returns a watchFunc for an effect that can be found without knowing the state before the request.
func watchAfter(find findFunc) watchFunc {
	return func(Target) (findFunc, error) { return find, nil }
}

// readMission reads the mission with the ID of the target.
func readMission(t Target) (*ops.Mission, error) {
	o, err := t.Orders.Get(t, t.ID)
	if err != nil {
		return nil, err
	}
	for i := range o.Missions {
		m := &o.Missions[i]
		if m.UUID == t.ID || m.MissionCode == t.ID {
			return m, nil
		}
	}
	return nil, errors.New("mission not found")
}

// watchMission returns a watchFunc that reads the target's mission before and after the request, and passes both
// versions to find. find returns the result of the request if the versions show that the request was applied, otherwise
// nil.
func watchMission(find func(before, now *ops.Mission) any) watchFunc {
	return watchState(readMission, func(before, now *ops.Mission) (any, error) { return find(before, now), nil })
}

// watchOrder returns a watchFunc that reads the target's order before and after the request, and passes both versions
// to find. find returns the result of the request if the versions show that the request was applied, otherwise nil.
func watchOrder(find func(before, now *ops.Order) (any, error)) watchFunc {
	readOrder := func(t Target) (*ops.Order, error) { return t.Orders.Get(t, t.ID) }
	return watchState(readOrder, find)
}

// watchOrderEnd returns a watchFunc that finds out whether the target's order has ended with one of the statuses.
func watchOrderEnd(ends ...api.OrderStatus) watchFunc {
	return watchOrder(func(_, now *ops.Order) (any, error) {
		for _, end := range ends {
			if now.Status.Means(end) {
				return &now.Order, nil
			}
		}
		return nil, nil
	})
}

// isOrderEnd returns a function for Command.Confirms. It reports whether the response is an order
// with one of the statuses, or with a status that this program does not know.
func isOrderEnd(ends ...api.OrderStatus) func(any) bool {
	return func(answer any) bool {
		o, isOrder := answer.(*api.Order)
		if !isOrder || o.Status == "" {
			return false
		}
		return slices.Contains(ends, o.Status) || !o.Status.IsKnown()
	}
}

// recordList reads a list of the service, to find the effect of a request in it.
type recordList[T any] struct {
	all func(Target) iter.Seq2[*T, error] // reads the list
	id  func(*T) string                   // returns the ID of a record
}

// watchForNew returns a watchFunc that looks in the list for a record that was not there before and
// for which matches returns true. answer turns the record into the result of the request.
func (l recordList[T]) watchForNew(matches func(Target, *T) bool, answer func(*T) (any, error)) watchFunc {
	return func(t Target) (findFunc, error) {
		known := map[string]bool{}
		for record, err := range l.all(t) {
			if err != nil {
				return nil, err
			}
			known[l.id(record)] = true
		}
		return func(t Target) (any, error) {
			for record, err := range l.all(t) {
				if err != nil {
					return nil, err
				}
				if !known[l.id(record)] && matches(t, record) {
					return answer(record)
				}
			}
			return nil, nil
		}, nil
	}
}

// watchForChanged returns a watchFunc that looks in the list for the record with the target's ID, if
// matches returns true for it. answer turns the record into the result of the request.
func (l recordList[T]) watchForChanged(matches func(*T) bool, answer func(*T) (any, error)) watchFunc {
	return watchAfter(func(t Target) (any, error) {
		for record, err := range l.all(t) {
			if err != nil {
				return nil, err
			}
			if l.id(record) == t.ID && matches(record) {
				return answer(record)
			}
		}
		return nil, nil
	})
}

// returnRecord returns the record as the result of the request.
func returnRecord[T any](record *T) (any, error) { return record, nil }

// reportLostSecret returns a function that returns a [*LostSecretError] with the text of describe. It is used for
// requests whose response has a secret, because the lists of the service have no secrets.
func reportLostSecret[T any](describe func(*T) string) func(*T) (any, error) {
	return func(record *T) (any, error) { return nil, &LostSecretError{describe(record)} }
}

var (
	accountList = recordList[ops.Account]{
		all: func(t Target) iter.Seq2[*ops.Account, error] { return t.Accounts.All(t) },
		id:  func(a *ops.Account) string { return a.UUID },
	}
	accountKeys = recordList[ops.AccountKey]{
		all: func(t Target) iter.Seq2[*ops.AccountKey, error] { return t.Keys.All(t, t.ID) },
		id:  func(k *ops.AccountKey) string { return k.UUID },
	}
	allKeys = recordList[ops.AccountKey]{
		all: listAllKeys,
		id:  func(k *ops.AccountKey) string { return k.UUID },
	}
	keyRequests = recordList[ops.KeyRequest]{
		all: func(t Target) iter.Seq2[*ops.KeyRequest, error] { return t.Keys.AllRequests(t) },
		id:  func(r *ops.KeyRequest) string { return r.UUID },
	}
	operatorList = recordList[ops.Operator]{
		all: func(t Target) iter.Seq2[*ops.Operator, error] { return t.Operators.All(t) },
		id:  func(o *ops.Operator) string { return o.UUID },
	}
	invitationList = recordList[ops.Invitation]{
		all: func(t Target) iter.Seq2[*ops.Invitation, error] { return t.Invitations.All(t) },
		id:  func(i *ops.Invitation) string { return i.UUID },
	}
)

// listAllKeys yields the keys of all accounts. It stops at the first error and yields it.
func listAllKeys(t Target) iter.Seq2[*ops.AccountKey, error] {
	return func(yield func(*ops.AccountKey, error) bool) {
		for account, err := range t.Accounts.All(t) {
			if err != nil {
				yield(nil, err)
				return
			}
			for key, err := range t.Keys.All(t, account.UUID) {
				isWanted := yield(key, err)
				if err != nil || !isWanted {
					return
				}
			}
		}
	}
}

// watchAudit returns a watchFunc that looks in the audit trail for a new entry of an operation, such as "POST
// /reset". answer turns the entry into the result of the request. Only administrators can read the audit trail.
func watchAudit(operation string, answer func(Target, *ops.AuditEntry) (any, error)) watchFunc {
	return func(t Target) (findFunc, error) {
		lastID, err := lastAuditID(t)
		if err != nil {
			return nil, err
		}
		return func(t Target) (any, error) {
			entry, err := findAudit(t, operation, lastID)
			if err != nil {
				return nil, err
			}
			if entry == nil {
				return nil, nil
			}
			return answer(t, entry)
		}, nil
	}
}

// lastAuditID returns the ID of the newest entry of the audit trail, or 0 if it has none.
func lastAuditID(t Target) (int64, error) {
	page, err := t.Operators.Audit(t, api.ListOptions{Limit: 1})
	if err != nil {
		return 0, err
	}
	if len(page.Items) == 0 {
		return 0, nil
	}
	return page.Items[0].ID, nil
}

// findAudit returns the newest change by an operation, if its entry has a higher ID than lastID.
// Otherwise it returns nil.
func findAudit(t Target, operation string, lastID int64) (*ops.AuditEntry, error) {
	for e, err := range t.Operators.AllAudit(t) {
		if err != nil {
			return nil, err
		}
		if e.ID <= lastID {
			return nil, nil
		}
		if e.Operation == operation && e.Kind == ops.AuditChange {
			return e, nil
		}
	}
	return nil, nil
}

// watchResend finds out whether the service has sent a callback again, or will do so (see watchFunc).
func watchResend(t Target) (findFunc, error) {
	readHistory := func(t Target) (*ops.CallbackHistory, error) { return t.Webhooks.History(t, t.ID) }
	watch := watchState(readHistory, func(before, now *ops.CallbackHistory) (any, error) {
		if now.Delivery.IsPending() || lastAttempt(now.Attempts) > lastAttempt(before.Attempts) {
			return &now.Delivery, nil
		}
		return nil, nil
	})
	return watch(t)
}

// lastAttempt returns the number of the last attempt, or 0 if there is none.
func lastAttempt(attempts []ops.CallbackAttempt) int {
	if len(attempts) == 0 {
		return 0
	}
	return attempts[len(attempts)-1].Number
}

// watchNotice finds out whether the service has sent a completion notice again, or will do so (see watchFunc).
func watchNotice(t Target) (findFunc, error) {
	before, err := findNotice(t)
	if err != nil {
		return nil, err
	}
	return func(t Target) (any, error) {
		t.OrderUID = before.OrderUID
		now, err := findNotice(t)
		if err != nil {
			return nil, err
		}
		if now.IsPending() || lastAttempt(now.History) > lastAttempt(before.History) {
			return now, nil
		}
		return nil, nil
	}, nil
}

// findNotice finds the completion notice with the target's ID in its order. If the order is unknown,
// it searches the completed orders.
func findNotice(t Target) (*ops.CompletionNotice, error) {
	if t.OrderUID != "" {
		return findNoticeOf(t, t.OrderUID)
	}
	for o, err := range t.Orders.All(t, ops.OrderFilter{}) {
		if err != nil {
			return nil, err
		}
		if o.Status != api.OrderCompleted && o.Status != api.OrderArchived {
			continue
		}
		notice, err := findNoticeOf(t, o.UUID)
		if err == nil {
			return notice, nil
		}
		if !errors.Is(err, errNoNotice) {
			return nil, err
		}
	}
	return nil, errNoNotice
}

var errNoNotice = errors.New("notification not found")

func findNoticeOf(t Target, order string) (*ops.CompletionNotice, error) {
	page, err := t.Orders.Notifications(t, order, api.ListOptions{Limit: api.MaxPageLimit})
	if err != nil {
		return nil, err
	}
	for i := range page.Items {
		if page.Items[i].UUID == t.ID {
			return &page.Items[i], nil
		}
	}
	return nil, errNoNotice
}

// watchTest returns a watchFunc that looks in the log of an endpoint for a new test callback of the event.
func watchTest(event *api.EventName) watchFunc {
	newest := recordList[api.WebhookDelivery]{
		all: func(t Target) iter.Seq2[*api.WebhookDelivery, error] {
			return firstPage(t.Webhooks.Deliveries(t, t.ID, api.ListOptions{Limit: api.MaxPageLimit}))
		},
		id: func(d *api.WebhookDelivery) string { return d.UUID },
	}
	return newest.watchForNew(
		func(_ Target, d *api.WebhookDelivery) bool { return d.Event == *event && d.OrderCode == testOrder },
		returnRecord,
	)
}

// firstPage yields the rows of a page, or its error.
func firstPage[T any](page *api.Page[T], err error) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		if err != nil {
			yield(nil, err)
			return
		}
		for i := range page.Items {
			if !yield(&page.Items[i], nil) {
				return
			}
		}
	}
}
