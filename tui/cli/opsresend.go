package cli

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/changes"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
)

// ResentItem is a callback or a completion notice with the result of sending it again.
type ResentItem struct {
	UUID      string        `json:"uuid"`
	Kind      string        `json:"kind"` // callback or notice
	Event     api.EventName `json:"event"`
	OrderCode string        `json:"orderCode"`
	To        string        `json:"to"`              // the receiver's address
	Result    string        `json:"result"`          // queued, delivered, failed, refused or unconfirmed
	Error     string        `json:"error,omitempty"` // why it failed or was refused
	item      timeline.UndeliveredItem
	unsureErr error // why the result is unconfirmed; nil for other results
}

// The results of sending a callback or notice again.
const (
	resultQueued      = "queued"
	resultDelivered   = columns.CallbackDelivered
	resultFailed      = columns.CallbackFailed
	resultRefused     = "refused"
	resultUnconfirmed = "unconfirmed"
)

// resentColumns returns the columns of callbacks and notices that were sent again.
func resentColumns() []columns.Column[*ResentItem] {
	return columns.MakeColumns("resent", columns.Values[*ResentItem]{
		"result": func(r *ResentItem) columns.Cell {
			tones := map[string]format.Tone{
				resultDelivered:   format.Good,
				resultFailed:      format.Bad,
				resultRefused:     format.Bad,
				resultUnconfirmed: format.Attention,
			}
			return columns.TextCell(r.Result).WithTone(tones[r.Result])
		},
	})
}

// resendFlags are the flags of the command that resends callbacks and notices.
type resendFlags struct {
	Wait  bool   `flag:"wait,wait until each is delivered or has failed again"`
	Since string `flag:"since,only failures since this time, such as 2h, 7d or yesterday; for an account only callbacks"`
	All   bool   `flag:"all,with --since, also callbacks and notices that were delivered"`
}

// opsResend returns the command that resends the failed callbacks and notices of an order or a
// mission, or the failed callbacks of an endpoint or an account.
func opsResend() *opsCommand {
	var f resendFlags
	v := newListCommand("resend", func(c *Call) error {
		r := &resendRun{call: c, flags: f, name: c.Args[0], view: &accountView{call: c}}
		return r.resendAndPrint()
	})
	addFlags(v.cmd, &f)
	confirmFlag(v.cmd)
	v.checks = append(v.checks, func([]string) error {
		if f.All && f.Since == "" {
			return errors.New("--all needs --since")
		}
		return nil
	})
	return v
}

// resendRun is one run of the command that resends callbacks and notices.
type resendRun struct {
	call  *Call
	flags resendFlags
	name  string       // of an order, a mission, an endpoint or an account, or the ID of a callback or notice
	view  *accountView // the object with the name, unless the name is the ID of a callback or notice
	since time.Time    // time of --since by the service's clock; zero if the flag is not set
}

// resendAndPrint resends the callbacks and notices that the name and the flags select, and prints each with
// its result. The error joins everything that went wrong.
func (r *resendRun) resendAndPrint() error {
	list, err := r.resend()
	if len(list) == 0 && err != nil {
		return err
	}
	if len(list) == 0 && r.call.Output == "table" {
		return r.call.PrintResult(nil, r.describeNothing())
	}
	if r.flags.Wait && err == nil {
		err = r.waitForResults(list)
	}
	// After an error the list is printed too: it has the items that were sent before the error.
	printErr := printFormattedRows(r.call, "callback or notice", resentColumns(),
		"kind event orderCode to result error", listRows(list))
	return errors.Join(printErr, err, undeliveredError(list))
}

// describeNothing returns a message that there are no items to resend.
func (r *resendRun) describeNothing() string {
	kinds := "callbacks"
	if r.isAboutOrder() {
		kinds = "callbacks or notices"
	}
	text := "no failed " + kinds
	if r.flags.All {
		text = "no " + kinds
	}
	if r.flags.Since != "" {
		text += " since then"
	}
	return text
}

// undeliveredError returns an error if items failed, were refused or have an unknown result.
func undeliveredError(list []ResentItem) error {
	undelivered := 0
	var unknownErr error
	for i := range list {
		switch list[i].Result {
		case resultFailed, resultRefused:
			undelivered++
		case resultUnconfirmed:
			unknownErr = list[i].unsureErr
		}
	}
	if undelivered == 0 {
		return unknownErr
	}
	return errors.Join(fmt.Errorf("%d of %d not delivered", undelivered, len(list)), unknownErr)
}

// newResentItem returns the row of a callback or notice that is sent again. The result of the row is resultQueued
// until another result is known.
func newResentItem(item timeline.UndeliveredItem) ResentItem {
	kind := "callback"
	if item.Notice != "" {
		kind = "notice"
	}
	return ResentItem{
		UUID:      item.UUID,
		Kind:      kind,
		Event:     item.Event,
		OrderCode: item.OrderCode,
		To:        item.To,
		Result:    resultQueued,
		item:      item,
	}
}

// resend resends callbacks and notices and returns them. The name is an argument of the command. If it is the
// ID of a callback or a notice, and --since is not set, resend resends only this callback or notice. Otherwise the
// name is of an order, a mission, an endpoint or an account, and resend resends the callbacks and notices of this
// object that the flags select.
func (r *resendRun) resend() ([]ResentItem, error) {
	isID := strings.Count(r.name, "-") == 4
	if isID && r.flags.Since == "" {
		list, err := r.resendID()
		if len(list) > 0 || err != nil {
			return list, err
		}
	}
	if err := r.findObject(); err != nil {
		return nil, err
	}
	items, err := r.readItems()
	if err != nil || len(items) == 0 {
		return nil, err
	}
	if r.flags.Since != "" { // an unknown number of items can have been selected
		if err := r.confirm(items); err != nil {
			return nil, err
		}
	}
	return r.resendItems(items)
}

// confirm asks the user to confirm the number of items.
func (r *resendRun) confirm(items []timeline.UndeliveredItem) error {
	question := fmt.Sprintf("%s: %s since %s. %s", r.name, timeline.CountUndelivered(items, r.flags.All),
		columns.FormatMoment(api.TimeOf(r.since)), commands.ResendCallback().Effects)
	return r.call.confirmChange(question, "resend", "use --yes")
}

// resendID resends the callback or notice whose ID is the name. It returns an empty list if neither exists.
func (r *resendRun) resendID() ([]ResentItem, error) {
	for _, item := range []timeline.UndeliveredItem{
		timeline.CallbackSending(&api.WebhookDelivery{UUID: r.name}, ""),
		timeline.NoticeSending(&ops.CompletionNotice{UUID: r.name}, ""),
	} {
		err := item.ResendItem(commands.Target{Context: r.call, Client: r.call.Service.Ops})
		if err == nil {
			return []ResentItem{newResentItem(item)}, nil
		}
		if errors.As(err, new(*changes.UnconfirmedError)) || !api.IsStatus(err, http.StatusNotFound) {
			return nil, err
		}
	}
	return nil, nil
}

// resendItems resends items. It stops at an error that is not about a single item, such as a lost connection or
// a missing permission. It then returns the items that were sent before the error, and the error.
func (r *resendRun) resendItems(items []timeline.UndeliveredItem) ([]ResentItem, error) {
	var list []ResentItem
	for i := range items {
		if err := r.call.program.Interruption.CheckContinue(); err != nil {
			return list, err
		}
		resent := newResentItem(items[i])
		err := items[i].ResendItem(commands.Target{Context: r.call, Client: r.call.Service.Ops})
		if err != nil && !resent.setError(err) {
			return list, err
		}
		list = append(list, resent)
	}
	return list, nil
}

// setError sets the result of an item to the error of sending it again. It reports whether the error is
// about this item only.
func (r *ResentItem) setError(err error) bool {
	if _, ok := errors.AsType[*changes.UnconfirmedError](err); ok {
		r.Result = resultUnconfirmed
		r.Error = err.Error()
		r.unsureErr = err
		return true
	}
	refusal, ok := errors.AsType[*api.Error](err)
	if !ok || api.IsStatus(err, http.StatusUnauthorized, http.StatusForbidden) {
		return false
	}
	r.Result = resultRefused
	r.Error = refusal.Message
	return true
}

// findObject finds the order, mission, endpoint or account with the name. Then it parses --since, which needs the
// time of the service, and this is known only after the first response.
func (r *resendRun) findObject() error {
	if err := r.view.findAccount(r.name); err != nil {
		return err
	}
	since, err := parseSince(r.flags.Since, r.call.Service.Now())
	if err != nil {
		return err
	}
	r.since = since
	return nil
}

// isAboutOrder reports whether the name belongs to an order or a mission. Notices are searched only for these
// objects, because the operations API lists notices by order.
func (r *resendRun) isAboutOrder() bool { return r.view.Subject.Order != "" }

// readItems returns the callbacks and notices of the object that the flags select, oldest first.
func (r *resendRun) readItems() ([]timeline.UndeliveredItem, error) {
	items, err := r.readLogs()
	slices.SortStableFunc(items, func(x, y timeline.UndeliveredItem) int {
		return x.CreatedAt.Compare(y.CreatedAt.Time)
	})
	return items, err
}

// readLogs returns the callbacks and notices of the object that the flags select.
func (r *resendRun) readLogs() ([]timeline.UndeliveredItem, error) {
	if r.isAboutOrder() {
		return r.readOrderLogs()
	}
	if r.view.Endpoint != nil {
		return r.readEndpointLog(r.view.Endpoint)
	}
	if r.flags.Since == "" {
		return nil, fmt.Errorf("%q is an account; name an order, a mission or an endpoint, or use --since", r.name)
	}
	return r.readAccountLogs(r.view.account)
}

// isWanted reports whether the flags select a callback or notice: it must have failed or, with --all, have been sent
// with any result, and it must not be older than --since.
func (r *resendRun) isWanted(item *timeline.UndeliveredItem) bool {
	isSelected := item.Failed() || r.flags.All && !item.IsPending()
	return isSelected && !item.CreatedAt.Before(r.since)
}

// readEndpointLog returns the callbacks to an endpoint that the flags select.
func (r *resendRun) readEndpointLog(e *api.WebhookEndpoint) ([]timeline.UndeliveredItem, error) {
	isTooOld := func(d *api.WebhookDelivery) bool { return d.CreatedAt.Before(r.since) }
	log := r.call.Service.Ops.Webhooks.AllDeliveries(r.call, e.UUID)
	var items []timeline.UndeliveredItem
	for delivery, err := range rowsUntil(log, isTooOld) {
		if err != nil {
			return nil, err
		}
		item := timeline.CallbackSending(delivery, e.URL)
		if r.isWanted(&item) {
			items = append(items, item)
		}
	}
	return items, nil
}

// readAccountLogs returns the callbacks to all endpoints of an account that the flags select.
func (r *resendRun) readAccountLogs(account string) ([]timeline.UndeliveredItem, error) {
	var all []timeline.UndeliveredItem
	for endpoint, err := range r.call.Service.Ops.Webhooks.All(r.call, account) {
		if err != nil {
			return nil, err
		}
		items, err := r.readEndpointLog(endpoint)
		if err != nil {
			return nil, prefixError(endpoint.URL, err)
		}
		all = append(all, items...)
	}
	return all, nil
}

// readOrderLogs returns the callbacks and notices of the order or mission that the flags select. It fails if the
// order, its callbacks or its notices could not be read.
func (r *resendRun) readOrderLogs() ([]timeline.UndeliveredItem, error) {
	r.call.Names.AddCodes(r.view.Subject.Order)
	facts := r.view.readFacts()
	needed := []timeline.EntrySource{timeline.FromOrder, timeline.FromCallback, timeline.FromNotice}
	for _, fault := range facts.SourceFaults() {
		if slices.Contains(needed, fault.Source) {
			return nil, prefixError(r.name, fault.Err)
		}
	}
	return facts.SelectItems(r.isWanted), r.call.Err()
}

// resultInterval is the time between two requests for the results of items.
const resultInterval = 500 * time.Millisecond

// waitForResults waits until the service has sent all items, and updates their results.
func (r *resendRun) waitForResults(list []ResentItem) error {
	isQueued := func(item ResentItem) bool { return item.Result == resultQueued }
	for {
		for i := range list {
			if !isQueued(list[i]) {
				continue
			}
			if err := r.updateResult(&list[i]); err != nil {
				return err
			}
		}
		if !slices.ContainsFunc(list, isQueued) {
			return nil
		}
		select {
		case <-r.call.Done():
			return r.call.Err()
		case <-time.After(resultInterval):
		}
	}
}

// updateResult reads a callback or notice again and updates its result.
func (r *resendRun) updateResult(resent *ResentItem) error {
	if err := resent.item.RereadItem(r.call, r.call.Service.Ops); err != nil {
		return err
	}
	delivery := &resent.item.WebhookDelivery
	if delivery.Success {
		resent.Result = resultDelivered
		return nil
	}
	if !delivery.IsPending() {
		status := fmt.Sprintf("HTTP %d", format.ValueOf(delivery.ResponseCode))
		resent.Result = resultFailed
		resent.Error = cmp.Or(format.ValueOf(delivery.Error), status)
	}
	return nil
}
