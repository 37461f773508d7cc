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

// ResentItem is a callback or a completion notice, and what became of sending it again.
type ResentItem struct {
	UUID      string        `json:"uuid"`
	Kind      string        `json:"kind"` // callback or notice
	Event     api.EventName `json:"event"`
	OrderCode string        `json:"orderCode"`
	To        string        `json:"to"`              // the receiver's address
	Result    string        `json:"result"`          // queued, delivered, failed, refused or unconfirmed
	Error     string        `json:"error,omitempty"` // why it failed or was refused
	sent      timeline.UndeliveredItem
	unsure    error // why it is not known whether it is being sent again
}

// What becomes of sending something again.
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
	Since string `flag:"since,failures since then, also of a whole account; such as 2h, 7d or yesterday"`
	All   bool   `flag:"all,with --since, also callbacks and notices that were delivered"`
}

// opsResendFailed resends the failed callbacks and notices of an order, a mission, an endpoint or
// an account.
func opsResendFailed() *opsVerb {
	var f resendFlags
	v := listVerb("resend", func(c *Call) error {
		list, err := c.resend(c.Args[0], f)
		if f.Wait && err == nil {
			err = c.waitSettled(list)
		}
		if len(list) == 0 {
			if err != nil {
				return err
			}
			if c.Output == "table" {
				return c.PrintAnswer(nil, f.describeNothing())
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

func (f *resendFlags) describeNothing() string {
	if f.All {
		return "no callbacks or notices since then"
	}
	return "no failed callbacks or notices"
}

// undeliveredError returns an error if something could not be sent again or did not arrive, or
// if that is not known.
func undeliveredError(list []ResentItem) (err error) {
	n := 0
	for i := range list {
		switch list[i].Result {
		case failed, refused:
			n++
		case unsure:
			err = list[i].unsure
		}
	}
	if n > 0 {
		err = errors.Join(fmt.Errorf("%d of %d not delivered", n, len(list)), err)
	}
	return err
}

// resentItem returns something that is being sent again.
func resentItem(s timeline.UndeliveredItem) ResentItem {
	kind := "callback"
	if s.Notice != "" {
		kind = "notice"
	}
	return ResentItem{
		UUID: s.UUID, Kind: kind, Event: s.Event, OrderCode: s.OrderCode, To: s.To, Result: queued, sent: s,
	}
}

// resend resends the callback or notice with an ID, or what the flags select of an order, a
// mission, an endpoint or an account. It stops once the service cannot be reached.
func (c *Call) resend(name string, f resendFlags) ([]ResentItem, error) {
	if f.Since == "" && strings.Count(name, "-") == 4 {
		item, err := c.resendID(name)
		if item != nil || err != nil {
			return item, err
		}
	}
	selected, err := c.findResendable(name, f)
	if err != nil || len(selected) == 0 {
		return nil, err
	}
	return c.resendItems(selected)
}

// resendID resends the callback or the notice with an ID. It returns nothing if there is none.
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

func (c *Call) resendItems(items []timeline.UndeliveredItem) (list []ResentItem, err error) {
	for i := range items {
		item := &items[i]
		x := resentItem(*item)
		err := item.ResendItem(c, c.Ops)
		var answered *api.Error
		switch {
		case err == nil:
		case errors.As(err, new(*changes.UnconfirmedError)):
			x.Result, x.Error, x.unsure = unsure, err.Error(), err
		case errors.As(err, &answered) && !api.IsStatus(err, http.StatusUnauthorized, http.StatusForbidden):
			x.Result, x.Error = refused, answered.Message
		default:
			return list, err
		}
		list = append(list, x)
	}
	return list, nil
}

// findResendable returns the callbacks and notices that the flags select, oldest first. With
// --since it asks for a confirmation.
func (c *Call) findResendable(name string, f resendFlags) ([]timeline.UndeliveredItem, error) {
	l := &viewedAccount{Call: c}
	if err := l.findAccount(name); err != nil {
		return nil, err
	}
	since, err := parseSince(f.Since, c.Now())
	if err != nil {
		return nil, err
	}
	isWanted := func(item *timeline.UndeliveredItem) bool {
		return (item.Failed() || f.All && !item.IsPending()) && !item.CreatedAt.Before(since)
	}
	var found []timeline.UndeliveredItem
	switch {
	case l.Endpoint != nil:
		found, err = c.readEndpointLog(l.Endpoint, since, isWanted)
	case l.Of.Order != "":
		found, err = c.readOrderLogs(l, name, isWanted)
	case f.Since == "":
		err = fmt.Errorf("%q is an account; name an order, a mission or an endpoint, or use --since", name)
	default:
		found, err = c.readAccountLogs(l.account, since, isWanted)
	}
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(found, func(x, y timeline.UndeliveredItem) int {
		return x.CreatedAt.Compare(y.CreatedAt.Time)
	})
	if f.Since == "" || len(found) == 0 {
		return found, nil
	}
	question := fmt.Sprintf("%s: %s since %s. %s", name, timeline.CountUndelivered(found, f.All),
		columns.FormatMoment(api.TimeOf(since)), commands.ResendCallback().Effects)
	return found, c.confirmChange(question, "resend", "use --yes")
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
	l *viewedAccount, name string, isWanted func(*timeline.UndeliveredItem) bool,
) ([]timeline.UndeliveredItem, error) {
	c.Seen.NoteCode(l.Of.Order)
	facts := l.readFacts()
	for _, fault := range facts.SourceFaults() {
		if slices.Contains([]timeline.EntrySource{timeline.FromOrder, timeline.FromCallback, timeline.FromNotice}, fault.Source) {
			return nil, inName(name, fault.Err)
		}
	}
	return facts.SelectItems(isWanted), c.Err()
}

// settleTime is how long there is between two looks at what is being sent.
const settleTime = 500 * time.Millisecond

// waitSettled waits until nothing is being sent any more, and notes what became of it.
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

// readOutcome notes what became of something that was sent again.
func (c *Call) readOutcome(x *ResentItem) error {
	if err := x.sent.RereadItem(c, c.Ops); err != nil {
		return err
	}
	switch d := &x.sent.WebhookDelivery; {
	case d.Success:
		x.Result = delivered
	case !d.IsPending():
		x.Result = failed
		x.Error = cmp.Or(format.ValueOf(d.Error), fmt.Sprintf("HTTP %d", format.ValueOf(d.ResponseCode)))
	}
	return nil
}

func opsWebhooks() *opsVerb {
	return listVerb("webhooks", func(c *Call) error {
		a, err := commands.FindAccount(c, c.Ops, c.Args[0])
		if err != nil {
			return err
		}
		c.Seen.NoteRow(a)
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
