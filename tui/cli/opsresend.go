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
	Since string `flag:"since,failures since then; of an account only callbacks; such as 2h, 7d or yesterday"`
	All   bool   `flag:"all,with --since, also callbacks and notices that were delivered"`
}

// opsResend returns the command that resends the failed callbacks and notices of an order or a
// mission, or the failed callbacks of an endpoint or an account.
func opsResend() *opsCommand {
	var f resendFlags
	v := newListCommand("resend", f.resendAndPrint)
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

// resendAndPrint resends the callbacks and notices that the argument and the flags select, and prints each with
// its result. The error joins everything that went wrong.
func (f *resendFlags) resendAndPrint(c *Call) error {
	list, kinds, err := c.resend(c.Args[0], *f)
	if len(list) == 0 && err != nil {
		return err
	}
	if len(list) == 0 && c.Output == "table" {
		return c.PrintResult(nil, f.describeNothing(kinds))
	}
	if f.Wait && err == nil {
		err = c.waitForResults(list)
	}
	// After an error the list is printed too: it has the items that were sent before the error.
	printErr := printFormattedRows(c, "callback or notice", resentColumns(),
		"kind event orderCode to result error", listRows(list))
	return errors.Join(printErr, err, undeliveredError(list))
}

// The kinds of items that resend searches, for messages. The operations API lists notices only by order.
const (
	callbacksOnly       = "callbacks"
	callbacksAndNotices = "callbacks or notices"
)

// describeNothing returns a message that no items of the kinds were found.
func (f *resendFlags) describeNothing(kinds string) string {
	text := "no failed " + kinds
	if f.All {
		text = "no " + kinds
	}
	if f.Since != "" {
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

// resend resends a single callback or notice if the name is its ID. Otherwise the name is an order, a mission, an
// endpoint or an account, and resend resends all its callbacks and notices that the flags select. kinds is
// callbacksOnly or callbacksAndNotices, depending on what was searched.
func (c *Call) resend(name string, f resendFlags) (list []ResentItem, kinds string, err error) {
	if f.Since == "" && strings.Count(name, "-") == 4 {
		item, err := c.resendID(name)
		if item != nil || err != nil {
			return item, "", err
		}
	}
	selected, err := c.findResendable(name, f)
	if err != nil {
		return nil, "", err
	}
	if len(selected.items) == 0 {
		return nil, selected.kinds, nil
	}
	if f.Since != "" { // an unknown number of items can have been selected
		if err := c.confirmResending(name, selected, f.All); err != nil {
			return nil, "", err
		}
	}
	list, err = c.resendItems(selected.items)
	return list, selected.kinds, err
}

// confirmResending asks the user to confirm the number of selected items. withDelivered says whether items that
// were delivered are among them.
func (c *Call) confirmResending(name string, selected *resendSelection, withDelivered bool) error {
	question := fmt.Sprintf("%s: %s since %s. %s", name, timeline.CountUndelivered(selected.items, withDelivered),
		columns.FormatMoment(api.TimeOf(selected.since)), commands.ResendCallback().Effects)
	return c.confirmChange(question, "resend", "use --yes")
}

// resendID resends the callback or notice with an ID. It returns nil if neither exists.
func (c *Call) resendID(id string) ([]ResentItem, error) {
	for _, item := range []timeline.UndeliveredItem{
		timeline.CallbackSending(&api.WebhookDelivery{UUID: id}, ""),
		timeline.NoticeSending(&ops.CompletionNotice{UUID: id}, ""),
	} {
		err := item.ResendItem(commands.Target{Context: c, Client: c.Service.Ops})
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
func (c *Call) resendItems(items []timeline.UndeliveredItem) ([]ResentItem, error) {
	var list []ResentItem
	for i := range items {
		if err := c.program.Interruption.CheckContinue(); err != nil {
			return list, err
		}
		resent := newResentItem(items[i])
		err := items[i].ResendItem(commands.Target{Context: c, Client: c.Service.Ops})
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

// resendSelection has the callbacks and notices that the flags of resend select.
type resendSelection struct {
	items []timeline.UndeliveredItem // oldest first
	kinds string                     // callbacksOnly or callbacksAndNotices: what was searched
	since time.Time                  // value of --since; zero if not set
}

// findResendable finds the object with a name, and returns the callbacks and notices of the object that the
// flags select.
func (c *Call) findResendable(name string, f resendFlags) (*resendSelection, error) {
	a := &accountView{call: c}
	if err := a.findAccount(name); err != nil {
		return nil, err
	}
	since, err := parseSince(f.Since, c.Service.Now())
	if err != nil {
		return nil, err
	}
	found, kinds, err := a.readResendable(name, since, f)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(found, func(x, y timeline.UndeliveredItem) int {
		return x.CreatedAt.Compare(y.CreatedAt.Time)
	})
	return &resendSelection{items: found, kinds: kinds, since: since}, nil
}

// readResendable returns the callbacks and notices that the flags select. It reads them for the order, mission,
// endpoint or account that findAccount has found. kinds is the kinds of items that were searched.
func (a *accountView) readResendable(
	name string, since time.Time, f resendFlags,
) (found []timeline.UndeliveredItem, kinds string, err error) {
	isWanted := func(item *timeline.UndeliveredItem) bool {
		isSelected := item.Failed() || f.All && !item.IsPending()
		return isSelected && !item.CreatedAt.Before(since)
	}
	if a.Endpoint != nil {
		found, err = a.call.readEndpointLog(a.Endpoint, since, isWanted)
		return found, callbacksOnly, err
	}
	if a.Subject.Order != "" {
		found, err = a.readOrderLogs(name, isWanted)
		return found, callbacksAndNotices, err
	}
	if f.Since == "" {
		return nil, "", fmt.Errorf("%q is an account; name an order, a mission or an endpoint, or use --since", name)
	}
	found, err = a.call.readAccountLogs(a.account, since, isWanted)
	return found, callbacksOnly, err
}

// readEndpointLog returns the callbacks to an endpoint that were created since a time and are wanted.
func (c *Call) readEndpointLog(
	e *api.WebhookEndpoint, since time.Time, isWanted func(*timeline.UndeliveredItem) bool,
) (found []timeline.UndeliveredItem, err error) {
	log := rowsUntil(c.Service.Ops.Webhooks.AllDeliveries(c, e.UUID), func(d *api.WebhookDelivery) bool {
		return d.CreatedAt.Before(since)
	})
	for d, err := range log {
		if err != nil {
			return nil, err
		}
		item := timeline.CallbackSending(d, e.URL)
		if isWanted(&item) {
			found = append(found, item)
		}
	}
	return found, nil
}

// readAccountLogs returns the callbacks to all endpoints of an account that were created since a time and are
// wanted.
func (c *Call) readAccountLogs(
	account string, since time.Time, isWanted func(*timeline.UndeliveredItem) bool,
) (found []timeline.UndeliveredItem, err error) {
	for e, err := range c.Service.Ops.Webhooks.All(c, account) {
		if err != nil {
			return nil, err
		}
		items, err := c.readEndpointLog(e, since, isWanted)
		if err != nil {
			return nil, prefixError(e.URL, err)
		}
		found = append(found, items...)
	}
	return found, nil
}

// readOrderLogs returns the callbacks and notices of the order or mission in the view for which isWanted is
// true. If the order, its callbacks or its notices could not be read, it returns an error that begins with the
// given name.
func (a *accountView) readOrderLogs(
	name string, isWanted func(*timeline.UndeliveredItem) bool,
) ([]timeline.UndeliveredItem, error) {
	a.call.Names.AddCodes(a.Subject.Order)
	facts := a.readFacts()
	needed := []timeline.EntrySource{timeline.FromOrder, timeline.FromCallback, timeline.FromNotice}
	for _, fault := range facts.SourceFaults() {
		if slices.Contains(needed, fault.Source) {
			return nil, prefixError(name, fault.Err)
		}
	}
	return facts.SelectItems(isWanted), a.call.Err()
}

// resultInterval is the time between two requests for the results of items.
const resultInterval = 500 * time.Millisecond

// waitForResults waits until the service has sent all items, and updates their results.
func (c *Call) waitForResults(list []ResentItem) error {
	isQueued := func(r ResentItem) bool { return r.Result == resultQueued }
	for {
		for i := range list {
			if !isQueued(list[i]) {
				continue
			}
			if err := c.updateResult(&list[i]); err != nil {
				return err
			}
		}
		if !slices.ContainsFunc(list, isQueued) {
			return nil
		}
		select {
		case <-c.Done():
			return c.Err()
		case <-time.After(resultInterval):
		}
	}
}

// updateResult reads an item again and updates its result.
func (c *Call) updateResult(r *ResentItem) error {
	if err := r.item.RereadItem(c, c.Service.Ops); err != nil {
		return err
	}
	delivery := &r.item.WebhookDelivery
	if delivery.Success {
		r.Result = resultDelivered
		return nil
	}
	if !delivery.IsPending() {
		status := fmt.Sprintf("HTTP %d", format.ValueOf(delivery.ResponseCode))
		r.Result = resultFailed
		r.Error = cmp.Or(format.ValueOf(delivery.Error), status)
	}
	return nil
}

func opsWebhooks() *opsCommand {
	return newListCommand("webhooks", func(c *Call) error {
		a, err := commands.FindAccount(c, c.Service.Ops, c.Args[0])
		if err != nil {
			return err
		}
		c.Names.AddRow(a)
		return printEndpoints(c, c.Service.Ops.Webhooks.All(c, a.UUID))
	})
}

func opsCallbacks() *opsCommand {
	v := newListCommand("callbacks", func(c *Call) error {
		log := c.Service.Ops.Webhooks.AllDeliveries(c, c.Args[0])
		return printCallbacks(c, true, eachOf(log, func(d *api.WebhookDelivery) ([]columns.ListedCallback, error) {
			return []columns.ListedCallback{{EndpointUID: c.Args[0], WebhookDelivery: *d}}, nil
		}))
	})
	return v.withLimit()
}

func opsWebhookTrust() *opsCommand {
	return newCustomCommand("webhook-trust", func(c *Call) error {
		certificate, err := c.readInput(c.Args[0])
		if err != nil {
			return err
		}
		trusted, err := commands.TrustCertificate(commands.Target{Context: c, Client: c.Service.Ops}, certificate)
		if err != nil {
			return prefixError(c.Args[0], err)
		}
		return c.PrintResult(trusted, fmt.Sprint("trusted until the service stops: ", trusted.Trusted))
	})
}
