package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/format"
)

// EndOrder returns the command that ends an order on behalf of the service. move is the way to end
// it. If move is "", it is chosen by the order's status (see [api.EndingMove]).
func EndOrder(why *string, move api.OrderMove) Command {
	verb := map[api.OrderMove]string{api.MoveReject: "reject-order", api.MoveNotFeasible: "not-feasible"}[move]
	c := command(cmp.Or(verb, "end-order"), func(t Target) (any, error) {
		switch move {
		case api.MoveReject:
			return t.Orders.Reject(t, t.ID, *why)
		case api.MoveNotFeasible:
			return t.Orders.NotFeasible(t, t.ID, *why)
		}
		o, err := t.Orders.Get(t, t.ID)
		if err != nil {
			return nil, err
		}
		return t.Orders.End(t, o, *why)
	}, values{"reason": why})
	ends := []api.OrderStatus{move.ResultingStatus()}
	if move == "" {
		ends = []api.OrderStatus{api.OrderRejected, api.OrderNotFeasible}
	}
	c.Watch = watchOrderEnd(ends...)
	c.Confirms = isOrderEnd(ends...)
	return c
}

// DeleteOrder returns the command that deletes an order. Its account no longer sees it.
func DeleteOrder() Command {
	c := command("delete-order", func(t Target) (any, error) { return t.Orders.Delete(t, t.ID) }, nil)
	c.Watch = watchOrderEnd(api.OrderDeleted)
	c.Confirms = isOrderEnd(api.OrderDeleted)
	return c
}

// ExpireQuote returns the command that makes a quote expire by advancing the service's clock. name is
// the ID or name of the quote, or "" for the only open quote of the order.
func ExpireQuote(name *string) Command {
	c := command("expire-quote", func(t Target) (any, error) {
		o, q, err := readQuote(t, *name)
		if err != nil {
			return nil, err
		}
		clock, err := t.Quotes.Expire(t, q)
		if err != nil {
			return nil, err
		}
		return describeExpiry(o, q, clock), nil
	}, values{"[QUOTE]": name})
	c.Watch = func(t Target) (findFunc, error) { return watchExpiry(t, *name) }
	return c
}

// watchExpiry finds out whether the service's clock has passed the expiry of a quote (see watchFunc).
func watchExpiry(t Target, name string) (findFunc, error) {
	o, q, err := readQuote(t, name)
	if err != nil {
		return nil, err
	}
	return func(t Target) (any, error) {
		clock, err := t.World.Clock(t)
		if err != nil {
			return nil, err
		}
		if clock.Now.Before(q.ExpiryDate.Time) {
			return nil, nil
		}
		return describeExpiry(o, q, clock), nil
	}, nil
}

// readQuote reads the order with the target's ID, and returns the order and one of its quotes.
func readQuote(t Target, name string) (*ops.Order, *ops.Quote, error) {
	o, err := t.Orders.Get(t, t.ID)
	if err != nil {
		return nil, nil, err
	}
	q, err := findQuote(o, name)
	return o, q, err
}

func describeExpiry(o *ops.Order, q *ops.Quote, clock *ops.ServiceClock) *Outcome {
	expired := q.QuoteName + " of " + o.OrderCode
	return &Outcome{
		Value: clock,
		Done:  expired + " expired; clock advanced",
		Facts: [][2]string{{"Expired", expired}},
	}
}

// findQuote returns the quote of an order with the given ID or name. If name is "", it returns the only open quote.
func findQuote(o *ops.Order, name string) (*ops.Quote, error) {
	var found []*ops.Quote
	for i := range o.Quotes {
		q := &o.Quotes[i]
		if q.UUID == name {
			return q, nil
		}
		isNamed := name == "" || strings.EqualFold(q.QuoteName, name)
		if isNamed && q.Status == api.QuoteOpen {
			found = append(found, q)
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	if len(found) > 1 {
		return nil, fmt.Errorf("%d open quotes: %s; name one of them", len(found), quoteNames(found))
	}
	if name == "" {
		return nil, errors.New("no open quote")
	}
	return nil, fmt.Errorf("no open quote %q; flightdesk order show %s lists its quotes", name,
		o.OrderCode)
}

// quoteNames returns a list of quotes by name, separated by commas. If two quotes have the same name,
// their IDs are added.
func quoteNames(quotes []*ops.Quote) string {
	seen := map[string]bool{}
	for _, q := range quotes {
		seen[strings.ToLower(q.QuoteName)] = true
	}
	isAmbiguous := len(seen) < len(quotes)
	var names []string
	for _, q := range quotes {
		name := format.Clean(q.QuoteName)
		if isAmbiguous {
			name += " " + q.UUID
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// QuoteFor returns the quote to issue for an order. It takes the values of v. A missing delivery
// time, price, currency, expiry date or name is taken from [ops.Order.SuggestQuote].
func QuoteFor(o *ops.Order, v ops.QuoteInput, now time.Time) ops.QuoteInput {
	in := o.SuggestQuote(v.DeliveryBy, now)
	if v.Currency != "" {
		in.Currency = strings.ToUpper(v.Currency)
		in.PriceBeforeDiscount = o.SuggestPrice(in.DeliveryBy, in.Currency)
	}
	in.PriceBeforeDiscount = cmp.Or(v.PriceBeforeDiscount, in.PriceBeforeDiscount)
	in.ExpiryDate = cmp.Or(v.ExpiryDate, in.ExpiryDate)
	in.QuoteName = cmp.Or(v.QuoteName, in.QuoteName)
	in.DiscountPercent = v.DiscountPercent
	in.ReasonForDiscount = v.ReasonForDiscount
	in.Description = v.Description
	return in
}

// IssueQuote returns the command that issues a quote for an order. The variable in has the values of the quote;
// the command reads it when it runs. If in already has a currency, forms show it as the unit of the price.
func IssueQuote(in *ops.QuoteInput) Command {
	c := command("issue-quote", func(t Target) (any, error) {
		o, err := t.Orders.Get(t, t.ID)
		if err != nil {
			return nil, err
		}
		return t.Quotes.Issue(t, o.UUID, QuoteFor(o, *in, t.Now()))
	}, values{
		"quoteName":           &in.QuoteName,
		"deliveryBy":          &in.DeliveryBy,
		"priceBeforeDiscount": &in.PriceBeforeDiscount,
		"discountPercent":     &in.DiscountPercent,
		"reasonForDiscount":   &in.ReasonForDiscount,
		"expiryDate":          &in.ExpiryDate,
		"description":         &in.Description,
		"currency":            &in.Currency,
	})
	c.Watch = watchOrder(func(before, now *ops.Order) (any, error) {
		return findIssued(before, now, in.QuoteName), nil
	})
	c.limit("deliveryBy", 1, ops.MaxDeliveryDays)
	c.limit("priceBeforeDiscount", 0.01, ops.MaxPrice)
	c.field("priceBeforeDiscount").Unit = in.Currency
	c.Check = func() (field, fault string) {
		if in.ReasonForDiscount != "" && in.DiscountPercent == 0 {
			return "reasonForDiscount", "a reason needs a discount"
		}
		return "", ""
	}
	return c
}

// findIssued returns the quote that was added to the order since it was read before, or nil. Unless
// name is "", only a quote with that name is returned.
func findIssued(before, now *ops.Order, name string) any {
	for i := range now.Quotes {
		q := &now.Quotes[i]
		isOld := slices.ContainsFunc(before.Quotes, func(old ops.Quote) bool { return old.UUID == q.UUID })
		isNamed := name == "" || q.QuoteName == strings.TrimSpace(name)
		if isNamed && !isOld {
			return q
		}
	}
	return nil
}

// DescribeOrderMove returns texts about the effects of a move, which is an action on an order such as
// cancelling it. The texts warn that the move cannot be undone.
func DescribeOrderMove(move api.OrderMove) []string {
	return map[api.OrderMove][]string{
		api.MoveCancel: {
			"Cancels the order and all its missions. Planned flights do not take place.",
			"Cannot be undone once sent; you would have to place a new order.",
		},
		api.MoveArchive: {
			"Archives the order. It stays in the list, read-only; open quotes can no longer be decided.",
			"Cannot be undone once sent.",
		},
		api.MoveReject: {
			"Rejects the order and its missions and closes its quotes.",
			"Cannot be undone once sent; you would have to place a new order.",
		},
	}[move]
}

// IsMoved reports whether the order already has the status that a move leads to.
func IsMoved(o *api.Order, move api.OrderMove) bool { return o.Status == move.ResultingStatus() }

// DoubtOrderMove returns a warning if the service will probably refuse a move, otherwise "". The move
// can be sent nevertheless.
func DoubtOrderMove(o *api.Order, move api.OrderMove) string {
	if o.Status.IsKnown() && !move.IsAllowed(o.Status) {
		return fmt.Sprintf("%s is %s; usually only orders that are %s can be %s. The service may refuse it.",
			o.OrderCode, InText(o.Status), statusList(move.AllowedFrom()), move.PastTense())
	}
	if move != api.MoveCancel {
		return ""
	}
	for i := range o.Missions {
		m := &o.Missions[i]
		if m.Status.IsDelivered() {
			return fmt.Sprintf("Data of %s is already delivered. The service may refuse to cancel %s.",
				m.MissionCode, o.OrderCode)
		}
	}
	return ""
}

// InText returns the label of a status for use in a sentence.
func InText[T ~string](status T) string {
	return strings.ToLower(format.Clean(format.Status(status).Label))
}

func statusList(statuses []api.OrderStatus) string {
	names := make([]string, len(statuses))
	for i, s := range statuses {
		names[i] = InText(s)
	}
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

func requestMove(
	ctx context.Context, client *api.Client, move api.OrderMove, uuid, reason string,
) (*api.Order, error) {
	switch move {
	case api.MoveCancel:
		return client.Orders.Cancel(ctx, uuid)
	case api.MoveArchive:
		return client.Orders.Archive(ctx, uuid, reason)
	case api.MoveReject:
		return client.Orders.Reject(ctx, uuid, reason)
	}
	return nil, fmt.Errorf("a client cannot %s orders", move)
}

// checkAfterRefusal reads the order after a move has failed with the error refused. If the order has
// the status that the move leads to, checkAfterRefusal returns the order, otherwise an error.
func checkAfterRefusal(
	ctx context.Context, client *api.Client, move api.OrderMove, code string, refused error,
) (*api.Order, error) {
	order, err := client.Orders.Get(ctx, code)
	if err != nil && !api.IsPartial(err) {
		return nil, refused
	}
	if order.Status.Means(move.ResultingStatus()) {
		return order, nil
	}
	label := format.Clean(format.Status(order.Status).Label)
	if refusal, ok := errors.AsType[*api.Error](refused); ok {
		return nil, fmt.Errorf("not done: %s; the order is now %s", format.Clean(refusal.Message), label)
	}
	return nil, fmt.Errorf("could not connect; %s is %s", code, label)
}

// RecordChange is a change of an order's details in the v2 API. Nil values stay
// unchanged.
type RecordChange struct {
	Description, OtherMapType *string
	Contact, Phone            *string
	FlightHeight              *float64 // metres; 0 removes it
	GroundControl             *bool
}

// RecordOf returns the current details of an order as a RecordChange, for editing them.
func RecordOf(d *api.RecordDetails) *RecordChange {
	details := withoutNilParts(d)
	return &RecordChange{
		Description:   &details.Description,
		OtherMapType:  &details.OtherMapType,
		Contact:       &details.PointOfContact.PocName,
		Phone:         &details.PointOfContact.PocPhone,
		FlightHeight:  cmp.Or(details.AdvancedOption.FlightHeight, new(float64)),
		GroundControl: &details.AdvancedOption.GCP,
	}
}

// withoutNilParts returns a copy of the details in which the contact and the advanced options are not
// nil. Empty values replace missing ones.
func withoutNilParts(d *api.RecordDetails) api.RecordDetails {
	details := *cmp.Or(d, &api.RecordDetails{})
	details.PointOfContact = new(*cmp.Or(details.PointOfContact, &api.PointOfContact{}))
	details.AdvancedOption = new(*cmp.Or(details.AdvancedOption, &api.AdvancedOption{}))
	return details
}

// applyTo returns a copy of the details d with the change.
func (c *RecordChange) applyTo(d *api.RecordDetails) api.RecordDetails {
	now := withoutNilParts(d)
	contact := now.PointOfContact
	option := now.AdvancedOption
	setIfGiven(&now.Description, c.Description)
	setIfGiven(&now.OtherMapType, c.OtherMapType)
	setIfGiven(&contact.PocName, c.Contact)
	setIfGiven(&contact.PocPhone, c.Phone)
	setIfGiven(&option.GCP, c.GroundControl)
	option.FlightHeight = cmp.Or(c.FlightHeight, option.FlightHeight)
	if h := option.FlightHeight; h != nil && *h == 0 {
		option.FlightHeight = nil
	}
	if contact.PocName == "" && contact.PocPhone == "" {
		now.PointOfContact = nil
	}
	if option.FlightHeight == nil && !option.GCP {
		now.AdvancedOption = nil
	}
	return now
}

func setIfGiven[T any](field, given *T) {
	if given != nil {
		*field = *given
	}
}

// SetRecord returns the command that changes details of an order, such as the contact. Only the v2
// API has these details.
func SetRecord(in *RecordChange) Command {
	send := func(t Target) (any, error) {
		o, err := t.Orders.Get(t, t.ID)
		if err != nil {
			return nil, err
		}
		return t.Orders.SetDetails(t, o.UUID, in.applyTo(o.Details)) // replaces all details
	}
	c := command("set-details", send, values{
		"description":                 &in.Description,
		"otherMapType":                &in.OtherMapType,
		"pointOfContact.pocName":      &in.Contact,
		"pointOfContact.pocPhone":     &in.Phone,
		"advancedOption.flightHeight": &in.FlightHeight,
		"advancedOption.gcp":          &in.GroundControl,
	})
	c.Watch = watchOrder(in.findEffect)
	return c
}

// findEffect returns the details of the order if they show the change, otherwise nil. It is used if the response of
// the service was lost: before and now are the order before and after the request.
func (c *RecordChange) findEffect(before, now *ops.Order) (any, error) {
	wanted := c.applyTo(before.Details)
	isApplied := reflect.DeepEqual(withoutNilParts(&wanted), withoutNilParts(now.Details))
	if !isApplied {
		return nil, nil
	}
	if now.Details == nil { // the change removed all details, but AnswerFacts needs a record
		return &api.RecordDetails{}, nil
	}
	return now.Details, nil
}

// SetNotifications returns the command that sets how the client is notified when an order is complete.
func SetNotifications(in *ops.NotificationInput) Command {
	c := command("set-notices", func(t Target) (any, error) {
		return t.Orders.SetNotifications(t, t.ID, *in)
	}, values{"webhook": &in.Webhook, "email": &in.Email})
	c.Watch = watchOrder(func(_, now *ops.Order) (any, error) {
		current := cmp.Or(now.Notifications, &api.Notifications{})
		if current.Webhook != in.Webhook || current.Email != in.Email {
			return nil, nil
		}
		if current.Webhook != "" {
			return nil, &LostSecretError{
				"the notices are set, but the response with the secret was lost; set them again to see it",
			}
		}
		return &ops.NotificationSettings{Email: current.Email}, nil
	})
	c.Check = func() (field, fault string) {
		if in.Webhook != "" && !isSafeURL(in.Webhook) {
			return "webhook", "must be https, without a password"
		}
		return "", ""
	}
	return c
}

// isSafeURL reports whether a text is an https URL without a user name and a password.
func isSafeURL(text string) bool {
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	return u.Scheme == "https" && u.Host != "" && u.User == nil
}

func formatBool(value bool) string {
	if value {
		return "yes"
	}
	return "no"
}
