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
	sent      timeline.UndeliveredItem
	unsure    error // why the result is not known, if it is unconfirmed
}

// The results of sending a callback or notice again.
const (
	queued    = "queued"
	delivered = columns.CallbackDelivered
	failed    = columns.CallbackFailed
	refused   = "refused"
	unsure    = "unconfirmed"
)

func resentColumns() []columns.Column[*ResentItem] {
	return columns.MakeColumns("resent", columns.Values[*ResentItem]{
		"result": func(x *ResentItem) columns.Cell {
			tones := map[string]format.Tone{
				delivered: format.Good,
				failed:    format.Bad,
				refused:   format.Bad,
				unsure:    format.Attention,
			}
			return columns.TextCell(x.Result).WithTone(tones[x.Result])
		},
	})
}

// resendFlags select what is resent.
type resendFlags struct {
	Wait  bool   `flag:"wait,wait until each is delivered or has failed again"`
	Since string `flag:"since,failures since then; of an account only callbacks; such as 2h, 7d or yesterday"`
	All   bool   `flag:"all,with --since, also callbacks and notices that were delivered"`
}

// opsResendFailed resends the failed callbacks and notices of an order or a mission, or the
// failed callbacks of an endpoint or an account.
func opsResendFailed() *opsVerb {
	var f resendFlags
	v := listVerb("resend", func(c *Call) error {
		list, kinds, err := c.resend(c.Args[0], f)
		if f.Wait && err == nil {
			err = c.waitSettled(list)
		}
		if len(list) == 0 {
			if err != nil {
				return err
			}
			if c.Output == "table" {
				return c.PrintAnswer(nil, f.describeNothing(kinds))
			}
		}
		return errors.Join(
			printList(c, "callback or notice", resentColumns(),
				"kind event orderCode to result error", listRows(list)),
			err,
			undeliveredError(list),
		)
	})
	addFlags(v.Command, &f)
	confirmFlag(v.Command)
	v.checks = append(v.checks, func([]string) error {
		if f.All && f.Since == "" {
			return errors.New("--all needs --since")
		}
		return nil
	})
	return v
}

// Kinds of items that are searched for failures. The operations API lists notices only by order.
const (
	callbacksOnly       = "callbacks"
	callbacksAndNotices = "callbacks or notices"
)

// describeNothing reports that no items of the kinds were selected.
func (f *resendFlags) describeNothing(kinds string) string {
	if f.All {
		return "no " + kinds + " since then"
	}
	return "no failed " + kinds
}

// undeliveredError returns an error if items failed, were refused or have an unknown result.
func undeliveredError(list []ResentItem) error {
	undelivered := 0
	var unknownErr error
	for i := range list {
		switch list[i].Result {
		case failed, refused:
			undelivered++
		case unsure:
			unknownErr = list[i].unsure
		}
	}
	if undelivered == 0 {
		return unknownErr
	}
	return errors.Join(fmt.Errorf("%d of %d not delivered", undelivered, len(list)), unknownErr)
}

// resentItem returns an item that the service is sending again.
func resentItem(s timeline.UndeliveredItem) ResentItem {
	kind := "callback"
	if s.Notice != "" {
		kind = "notice"
	}
	return ResentItem{
		UUID: s.UUID, Kind: kind, Event: s.Event, OrderCode: s.OrderCode, To: s.To, Result: queued, sent: s,
	}
}

// resend resends the callback or notice with an ID, or the callbacks and notices that the
// flags select of an order, a mission, an endpoint or an account. It returns the kinds of
// items that it searched for. It stops if the service cannot be reached.
func (c *Call) resend(name string, f resendFlags) (list []ResentItem, kinds string, err error) {
	if f.Since == "" && strings.Count(name, "-") == 4 {
		item, err := c.resendID(name)
		if item != nil || err != nil {
			return item, "", err
		}
	}
	selected, kinds, err := c.findResendable(name, f)
	if err != nil || len(selected) == 0 {
		return nil, kinds, err
	}
	list, err = c.resendItems(selected)
	return list, kinds, err
}

// resendID resends the callback or notice with an ID. It returns nil if neither exists.
func (c *Call) resendID(id string) ([]ResentItem, error) {
	for _, item := range []timeline.UndeliveredItem{
		timeline.CallbackSending(&api.WebhookDelivery{UUID: id}, ""),
		timeline.NoticeSending(&ops.CompletionNotice{UUID: id}, ""),
	} {
		err := item.ResendItem(c, c.Ops)
		if err == nil {
			return []ResentItem{resentItem(item)}, nil
		}
		if errors.As(err, new(*changes.UnconfirmedError)) || !api.IsStatus(err, http.StatusNotFound) {
			return nil, err
		}
	}
	return nil, nil
}

// resendItems resends items. It stops at an error that is not about an item, such as a lost
// connection or a missing permission, and returns the items before it.
func (c *Call) resendItems(items []timeline.UndeliveredItem) ([]ResentItem, error) {
	var list []ResentItem
	for i := range items {
		resent := resentItem(items[i])
		err := items[i].ResendItem(c, c.Ops)
		if err != nil && !resent.setError(err) {
			return list, err
		}
		list = append(list, resent)
	}
	return list, nil
}

// setError sets the result of an item from the error of sending it again. It reports whether
// the error is about this item only.
func (x *ResentItem) setError(err error) bool {
	if _, ok := errors.AsType[*changes.UnconfirmedError](err); ok {
		x.Result = unsure
		x.Error = err.Error()
		x.unsure = err
		return true
	}
	refusal, ok := errors.AsType[*api.Error](err)
	if !ok || api.IsStatus(err, http.StatusUnauthorized, http.StatusForbidden) {
		return false
	}
	x.Result = refused
	x.Error = refusal.Message
	return true
}

// findResendable returns the callbacks and notices that the flags select, oldest first, and the
// kinds of items that it searched for. With --since it asks for a confirmation.
func (c *Call) findResendable(
	name string, f resendFlags,
) (found []timeline.UndeliveredItem, kinds string, err error) {
	l := &accountView{Call: c}
	if err := l.findAccount(name); err != nil {
		return nil, "", err
	}
	since, err := parseSince(f.Since, c.Now())
	if err != nil {
		return nil, "", err
	}
	isWanted := func(item *timeline.UndeliveredItem) bool {
		return (item.Failed() || f.All && !item.IsPending()) && !item.CreatedAt.Before(since)
	}
	kinds = callbacksOnly
	switch {
	case l.Endpoint != nil:
		found, err = c.readEndpointLog(l.Endpoint, since, isWanted)
	case l.Subject.Order != "":
		kinds = callbacksAndNotices
		found, err = c.readOrderLogs(l, name, isWanted)
	case f.Since == "":
		err = fmt.Errorf("%q is an account; name an order, a mission or an endpoint, or use --since", name)
	default:
		found, err = c.readAccountLogs(l.account, since, isWanted)
	}
	if err != nil {
		return nil, "", err
	}
	slices.SortStableFunc(found, func(x, y timeline.UndeliveredItem) int {
		return x.CreatedAt.Compare(y.CreatedAt.Time)
	})
	if f.Since == "" || len(found) == 0 {
		return found, kinds, nil
	}
	question := fmt.Sprintf("%s: %s since %s. %s", name, timeline.CountUndelivered(found, f.All),
		columns.FormatMoment(api.TimeOf(since)), commands.ResendCallback().Effects)
	return found, kinds, c.confirmChange(question, "resend", "use --yes")
}

// readEndpointLog returns the wanted callbacks of an endpoint's log since a time.
func (c *Call) readEndpointLog(
	e *api.WebhookEndpoint, since time.Time, isWanted func(*timeline.UndeliveredItem) bool,
) (found []timeline.UndeliveredItem, err error) {
	log := rowsUntil(c.Ops.Webhooks.AllDeliveries(c, e.UUID), func(d *api.WebhookDelivery) bool {
		return d.CreatedAt.Before(since)
	})
	for d, err := range log {
		if err != nil {
			return nil, err
		}
		if item := timeline.CallbackSending(d, e.URL); isWanted(&item) {
			found = append(found, item)
		}
	}
	return found, nil
}

// readAccountLogs returns the wanted callbacks of all endpoints of an account since a time.
func (c *Call) readAccountLogs(
	account string, since time.Time, isWanted func(*timeline.UndeliveredItem) bool,
) (found []timeline.UndeliveredItem, err error) {
	for e, err := range c.Ops.Webhooks.All(c, account) {
		if err != nil {
			return nil, err
		}
		ofEndpoint, err := c.readEndpointLog(e, since, isWanted)
		if err != nil {
			return nil, inName(e.URL, err)
		}
		found = append(found, ofEndpoint...)
	}
	return found, nil
}

// readOrderLogs returns the wanted callbacks and notices of an order or a mission.
func (c *Call) readOrderLogs(
	l *accountView, name string, isWanted func(*timeline.UndeliveredItem) bool,
) ([]timeline.UndeliveredItem, error) {
	c.Names.AddCodes(l.Subject.Order)
	facts := l.readFacts()
	for _, fault := range facts.SourceFaults() {
		if slices.Contains([]timeline.EntrySource{timeline.FromOrder, timeline.FromCallback, timeline.FromNotice}, fault.Source) {
			return nil, inName(name, fault.Err)
		}
	}
	return facts.SelectItems(isWanted), c.Err()
}

// settleTime is the time between two requests for the results of items.
const settleTime = 500 * time.Millisecond

// waitSettled waits until no item is queued, and updates the results of the items.
func (c *Call) waitSettled(list []ResentItem) error {
	for {
		pending := false
		for i := range list {
			if list[i].Result != queued {
				continue
			}
			if err := c.readOutcome(&list[i]); err != nil {
				return err
			}
			pending = pending || list[i].Result == queued
		}
		if !pending {
			return nil
		}
		select {
		case <-c.Done():
			return c.Err()
		case <-time.After(settleTime):
		}
	}
}

// readOutcome reads an item again and updates its result.
func (c *Call) readOutcome(x *ResentItem) error {
	if err := x.sent.RereadItem(c, c.Ops); err != nil {
		return err
	}
	delivery := &x.sent.WebhookDelivery
	if delivery.Success {
		x.Result = delivered
		return nil
	}
	if !delivery.IsPending() {
		status := fmt.Sprintf("HTTP %d", format.ValueOf(delivery.ResponseCode))
		x.Result = failed
		x.Error = cmp.Or(format.ValueOf(delivery.Error), status)
	}
	return nil
}

func opsWebhooks() *opsVerb {
	return listVerb("webhooks", func(c *Call) error {
		a, err := commands.FindAccount(c, c.Ops, c.Args[0])
		if err != nil {
			return err
		}
		c.Names.AddRow(a)
		return printEndpoints(c, c.Ops.Webhooks.All(c, a.UUID))
	})
}

func opsDeliveries() *opsVerb {
	v := listVerb("callbacks", func(c *Call) error {
		log := c.Ops.Webhooks.AllDeliveries(c, c.Args[0])
		return printCallbacks(c, true, eachOf(log, func(d *api.WebhookDelivery) ([]columns.ListedCallback, error) {
			return []columns.ListedCallback{{EndpointUID: c.Args[0], WebhookDelivery: *d}}, nil
		}))
	})
	return v.withLimit()
}

func opsWebhookTrust() *opsVerb {
	return newVerb("webhook-trust", func(c *Call) error {
		certificate, err := c.readInput(c.Args[0])
		if err != nil {
			return err
		}
		trusted, err := commands.TrustCertificate(commands.Target{Context: c, Client: c.Ops}, certificate)
		if err != nil {
			return inName(c.Args[0], err)
		}
		return c.PrintAnswer(trusted, fmt.Sprint("trusted until the service stops: ", trusted.Trusted))
	})
}
