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

// EndOrder ends an order on behalf of the service. If no move is given, the order's
// status determines it ([api.EndingMove]).
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

// DeleteOrder deletes an order, so that its account no longer sees it.
func DeleteOrder() Command {
	c := command("delete-order", func(t Target) (any, error) { return t.Orders.Delete(t, t.ID) }, nil)
	c.Watch = watchOrderEnd(api.OrderDeleted)
	c.Confirms = isOrderEnd(api.OrderDeleted)
	return c
}

// ExpireQuote makes a quote expire by advancing the clock. name is the quote's ID or
// name, or "" for the only open quote of the order.
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

// watchExpiry watches the clock until a quote of the command's order has expired.
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

// readQuote returns the order of a command and one of its quotes.
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

// findQuote returns a quote of an order by ID or name. If name is "", it returns the only
// open quote.
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

// quoteNames returns the names of quotes, separated by commas. IDs follow if two quotes have the
// same name.
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

// QuoteFor returns the quote to issue for an order. Zero values are replaced by the values of
// the service's formula.
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

// IssueQuote issues a quote for an order. The fields of the command write to in, which is read when the command runs. If
// in has a currency already, it is the unit of the price in forms.
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

// findIssued returns a quote that the order did not have before, or nil. If name is not "", the quote must
// have that name.
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

// DescribeOrderMove returns the effects of a move, and that it cannot be undone.
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

// IsMoved reports whether an order already has the status after the move.
func IsMoved(o *api.Order, move api.OrderMove) bool { return o.Status == move.ResultingStatus() }

// DoubtOrderMove returns why the service will probably refuse a move of an order, or "".
// Only the service decides.
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

// InText returns the label of a status for use within a sentence.
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

// checkAfterRefusal reads the order after a move that was refused or not sent. It returns
// the order if the order has the wanted status all the same, otherwise an error with the reason.
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

// RecordOf returns the current details of an order, to be edited.
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

// withoutNilParts returns a copy of the details in which a missing contact or advanced option is an empty one, so that
// details can be compared and edited.
func withoutNilParts(d *api.RecordDetails) api.RecordDetails {
	details := *cmp.Or(d, &api.RecordDetails{})
	details.PointOfContact = new(*cmp.Or(details.PointOfContact, &api.PointOfContact{}))
	details.AdvancedOption = new(*cmp.Or(details.AdvancedOption, &api.AdvancedOption{}))
	return details
}

// applyTo returns the details with the change.
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

// SetRecord changes details of an order, such as the point of contact. Only the v2 API has these details.
func SetRecord(in *RecordChange) Command {
	c := command("set-details", func(t Target) (any, error) {
		o, err := t.Orders.Get(t, t.ID)
		if err != nil {
			return nil, err
		}
		return t.Orders.SetDetails(t, o.UUID, in.applyTo(o.Details))
	}, values{
		"description":                 &in.Description,
		"otherMapType":                &in.OtherMapType,
		"pointOfContact.pocName":      &in.Contact,
		"pointOfContact.pocPhone":     &in.Phone,
		"advancedOption.flightHeight": &in.FlightHeight,
		"advancedOption.gcp":          &in.GroundControl,
	})
	c.Watch = watchOrder(func(before, now *ops.Order) (any, error) {
		wanted := in.applyTo(before.Details)
		isApplied := reflect.DeepEqual(withoutNilParts(&wanted), withoutNilParts(now.Details))
		if !isApplied {
			return nil, nil // the change is not visible yet
		}
		if now.Details == nil { // the change removed all details; AnswerFacts needs a record
			return &api.RecordDetails{}, nil
		}
		return now.Details, nil
	})
	return c
}

// SetNotifications sets how the client is notified when an order is complete.
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

// isSafeURL reports whether a text is an https URL without a user name and password.
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
