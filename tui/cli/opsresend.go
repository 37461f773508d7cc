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
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/ordering"
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

// opsResendFailed sends again what failed of something.
func opsResendFailed() *opsVerb {
	var wait bool
	v := listVerb("resend", func(c *Call) error {
		list, err := c.resendFailed(c.Args[0])
		if wait && err == nil {
			err = c.waitSettled(list)
		}
		switch {
		case len(list) > 0:
		case err != nil:
			return err
		case c.Output == "table":
			return c.PrintAnswer(nil, "no failed callbacks or notices")
		}
		return errors.Join(
			printList(c, "callback or notice", resentColumns(),
				"kind event orderCode to result error", listRows(list)),
			err,
			undeliveredError(list),
		)
	})
	addFlag(v.Command, "wait,wait until each is delivered or has failed again", &wait)
	return v
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

// resendFailed sends the callback or the notice of an ID again, or what failed of an
// order, a mission or an endpoint. Where the service cannot be asked any more, it stops.
func (c *Call) resendFailed(name string) (list []ResentItem, err error) {
	if strings.Count(name, "-") == 4 {
		for _, s := range []timeline.UndeliveredItem{
			timeline.CallbackSending(&api.WebhookDelivery{UUID: name}, ""),
			timeline.NoticeSending(&ops.CompletionNotice{UUID: name}, ""),
		} {
			switch err := s.ResendItem(c, c.Ops); {
			case err == nil:
				return []ResentItem{resentItem(s)}, nil
			case errors.As(err, new(*ordering.UnconfirmedError)):
				return nil, err
			case !api.IsStatus(err, http.StatusNotFound):
				return nil, err
			}
		}
	}
	failures, err := c.findFailures(name)
	if err != nil {
		return nil, err
	}
	for i := range failures {
		f := &failures[i]
		x := resentItem(*f)
		err := f.ResendItem(c, c.Ops)
		var answered *api.Error
		switch {
		case err == nil:
		case errors.As(err, new(*ordering.UnconfirmedError)):
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

// findFailures returns the callbacks and notices that failed of what is named.
func (c *Call) findFailures(name string) (list []timeline.UndeliveredItem, err error) {
	l := &viewedAccount{Call: c}
	if err := l.findAccount(name); err != nil {
		return nil, err
	}
	switch {
	case l.Endpoint != nil:
		for d, err := range c.Ops.Webhooks.AllDeliveries(c, l.Endpoint.UUID) {
			if err != nil {
				return nil, err
			}
			if s := timeline.CallbackSending(d, l.Endpoint.URL); s.Failed() {
				list = append(list, s)
			}
		}
		return list, nil
	case l.Of.Order == "":
		return nil, fmt.Errorf("%q is an account; name an order, a mission or an endpoint", name)
	}
	c.Seen.NoteCode(l.Of.Order)
	f := l.readFacts()
	for _, fault := range f.SourceFaults() {
		if slices.Contains([]timeline.EntrySource{timeline.FromOrder, timeline.FromCallback, timeline.FromNotice}, fault.Source) {
			return nil, inName(name, fault.Err)
		}
	}
	return f.UndeliveredItems(), c.Err()
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
