package cli

import (
	"cmp"
	"sort"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
)

// listCallbacks prints the callbacks in the logs of endpoints, newest first. With --status missing, it prints
// the callbacks that should be in a log and are in none.
func listCallbacks(l *listing) error {
	a, err := l.call.ViewAccount(l.Of)
	if err != nil {
		return err
	}
	since, err := parseSince(l.Since, a.call.Service.Now())
	if err != nil {
		return err
	}
	var rows Rows[*columns.ListedCallback]
	if l.Status == columns.CallbackMissing {
		found, err := l.missingCallbacks(a, since)
		rows = appendError(listRows(found), err)
	} else {
		found, err := l.callbacksOf(a, since)
		rows = l.withCallbackDetails(a, appendError(listRows(found), err))
	}
	isOneEndpoint := a.Endpoint != nil
	return printCallbacks(l.call, isOneEndpoint, rows)
}

// withCallbackDetails returns the callbacks with their details; see addCallbackDetails.
func (l *listing) withCallbackDetails(
	a *accountView, callbacks Rows[*columns.ListedCallback],
) Rows[*columns.ListedCallback] {
	return eachOf(callbacks, func(callback *columns.ListedCallback) ([]columns.ListedCallback, error) {
		l.addCallbackDetails(a, callback)
		return singleValue(*callback, l.call.Err())
	})
}

// addCallbackDetails adds the code of the mission to a callback. For JSON, it also adds the attempts to send
// the callback, if the profile has a key of the operations API. Details that cannot be read stay empty.
func (l *listing) addCallbackDetails(a *accountView, callback *columns.ListedCallback) {
	l.call.Names.AddCodes(callback.OrderCode)
	if callback.OrderCode != "" {
		order, err := a.Cache.Details.LoadNow(l.call, callback.OrderCode)
		if err == nil {
			mission := columns.FindMission(order, callback.MissionUID)
			callback.MissionCode = format.ValueOf(mission).MissionCode
		}
	}
	if l.call.Output != "json" || a.call.Service.Ops == nil {
		return
	}
	history, _ := a.Cache.Operations.Histories.LoadNow(l.call, callback.UUID)
	if history != nil {
		callback.History = &columns.CallbackAttempts{
			NextAttemptAt: history.NextAttemptAt,
			Attempts:      history.Attempts,
		}
	}
}

// callbacksOf returns the callbacks that the flags select from the logs of the account's endpoints, newest first. It
// reads each log only until it has found --limit callbacks or an entry older than since. If some callbacks cannot be
// read, it returns the others and an error.
func (l *listing) callbacksOf(a *accountView, since time.Time) ([]columns.ListedCallback, error) {
	order, err := l.loadSubjectOrder(a)
	if err != nil {
		return nil, err
	}
	var all []columns.ListedCallback
	var missing missingRows
	for endpoint, endpointErr := range a.SelectedEndpoints() {
		if endpointErr != nil {
			missing.addFault(endpointErr)
			break
		}
		rows, logErr := l.readLog(a, endpoint, order, since)
		all = append(all, rows...)
		if logErr == nil {
			continue
		}
		logErr = prefixError("endpoint "+cmp.Or(endpoint.URL, endpoint.UUID), logErr)
		missing.addFault(logErr)
		if !missing.canContinue(l.call, logErr) {
			break
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].CreatedAt.After(all[j].CreatedAt.Time) })
	return all, missing.describe()
}

// loadSubjectOrder returns the order that the flag --of selects, or nil if the flag selects no order. The order
// may lack missions that could not be read.
func (l *listing) loadSubjectOrder(a *accountView) (*api.Order, error) {
	if a.Subject.Order == "" {
		return nil, nil
	}
	order, err := a.Cache.Details.LoadNow(l.call, a.Subject.Order)
	if err != nil && !api.IsPartial(err) {
		return nil, err
	}
	return order, nil
}

// readLog returns the callbacks that the flags select from the log of an endpoint. If an error ends the
// log early, it also returns the callbacks before the error. order is the order that the flag --of selects,
// or nil if the flag selects no order.
func (l *listing) readLog(
	a *accountView, e *api.WebhookEndpoint, order *api.Order, since time.Time,
) ([]columns.ListedCallback, error) {
	var rows []columns.ListedCallback
	isEnd := func(d *api.WebhookDelivery) bool {
		isLimit := l.Limit > 0 && len(rows) == int(l.Limit)
		isTooOld := !d.CreatedAt.IsZero() && d.CreatedAt.Before(since)
		return isLimit || isTooOld
	}
	for d, err := range rowsUntil(a.Log(e.UUID), isEnd) {
		if err != nil {
			return rows, err
		}
		if l.isWanted(a, order, d) {
			rows = append(rows, columns.ListedCallback{EndpointUID: e.UUID, EndpointURL: e.URL, WebhookDelivery: *d})
		}
	}
	return rows, nil
}

// isWanted reports whether a callback has the status of --status and is about the mission or order of
// --of.
func (l *listing) isWanted(a *accountView, order *api.Order, d *api.WebhookDelivery) bool {
	if l.Status != "" && columns.CallbackStatus(d) != l.Status {
		return false
	}
	if a.Subject.Mission != "" {
		return d.MissionUID == a.Subject.Mission
	}
	if order == nil {
		return true
	}
	if d.MissionUID != "" {
		return columns.FindMission(order, d.MissionUID) != nil
	}
	return d.OrderCode == order.OrderCode
}

// rowsUntil returns the rows before the first row for which isEnd is true.
func rowsUntil[T any](rows Rows[T], isEnd func(T) bool) Rows[T] {
	return func(yield func(T, error) bool) {
		for row, err := range rows {
			if err == nil && isEnd(row) {
				return
			}
			if !yield(row, err) {
				return
			}
		}
	}
}
