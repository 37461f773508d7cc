package commands

import (
	"cmp"
	"context"
	"net/url"
	"strings"

	"flightdesk/api"
)

// RecordChange is what changes of an order's record; what is nil stays.
type RecordChange struct {
	Description, OtherProduct, Contact, Phone *string
	FlightHeight                              *float64 // metres; 0 removes it
	GroundControl                             *bool
}

// RecordOf returns a record as it is, to be edited.
func RecordOf(d *api.OrderDetails) RecordChange {
	d = cmp.Or(d, &api.OrderDetails{})
	contact, option := cmp.Or(d.PointOfContact, &api.PointOfContact{}), cmp.Or(d.AdvancedOption, &api.AdvancedOption{})
	return RecordChange{
		&d.Description,
		&d.OtherMapType,
		&contact.PocName,
		&contact.PocPhone,
		cmp.Or(option.FlightHeight, new(float64)),
		&option.GCP,
	}
}

// applyTo returns a record with the change.
func (c *RecordChange) applyTo(d *api.OrderDetails) (now api.OrderDetails) {
	if d != nil {
		now = *d
	}
	setIfGiven(&now.Description, c.Description)
	setIfGiven(&now.OtherMapType, c.OtherProduct)
	if contact := *cmp.Or(now.PointOfContact, &api.PointOfContact{}); c.Contact != nil || c.Phone != nil {
		setIfGiven(&contact.PocName, c.Contact)
		setIfGiven(&contact.PocPhone, c.Phone)
		now.PointOfContact = &contact
		if contact.PocName == "" && contact.PocPhone == "" {
			now.PointOfContact = nil
		}
	}
	if option := *cmp.Or(now.AdvancedOption, &api.AdvancedOption{}); c.FlightHeight != nil || c.GroundControl != nil {
		setIfGiven(&option.GCP, c.GroundControl)
		if h := c.FlightHeight; h != nil {
			if option.FlightHeight = h; *h == 0 {
				option.FlightHeight = nil
			}
		}
		now.AdvancedOption = &option
		if option.FlightHeight == nil && !option.GCP {
			now.AdvancedOption = nil
		}
	}
	return now
}

func setIfGiven[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

// SetRecord changes what only the v2 API shows of an order.
func SetRecord(in *RecordChange) Command[*api.OrderDetails] {
	return Command[*api.OrderDetails]{
		Verb: "set-details", Subject: "ORDER", Doing: "changing the order's record", Limit: api.MaxTextLength,
		Effects: "Visible to the client at once. An empty field is removed.",
		Fields: []Field{
			{
				Name:  "description",
				Value: &in.Description,
				Label: "Description",
				Long:  true,
				Help:  "what the order is about",
				Flag:  "description",
				Usage: "description of the order",
			},
			{
				Name:  "otherMapType",
				Value: &in.OtherProduct,
				Label: "Other",
				Help:  "a product that is not in the list",
				Flag:  "other-map-type",
				Usage: "product that is not in the list",
			},
			{
				Name: "pocName", Value: &in.Contact, Label: "Contact", Help: "name of the point of contact",
				Flag: "contact", Usage: "name of the point of contact",
			},
			{
				Name: "pocPhone", Value: &in.Phone, Label: "Phone", Help: "phone number of the point of contact",
				Flag: "phone", Usage: "phone number of the point of contact",
			},
			{
				Name:  "flightHeight",
				Value: &in.FlightHeight,
				Label: "Height",
				Help:  "above ground, in metres; 0 for none",
				Unit:  "m",
				Most:  maxFlightHeight,
				Flag:  "flight-height",
				Usage: "flight height above ground in metres; 0 for none",
			},
			{
				Name: "gcp", Value: &in.GroundControl, Label: "GCPs", Help: "whether ground control points are placed",
				Flag: "gcp", Usage: "use ground control points",
			},
		},
		Run: func(ctx context.Context, ops *api.Ops, order string) (*api.OrderDetails, error) {
			o, err := ops.Orders.Get(ctx, order)
			if err != nil {
				return nil, err
			}
			return ops.Orders.SetDetails(ctx, o.UUID, in.applyTo(o.Details))
		},
	}
}

// maxFlightHeight is far above what a survey drone flies at, in metres.
const maxFlightHeight = 10_000

// SetNotifications sets how the client of an order is told that it is complete.
func SetNotifications(in *api.NotificationInput) Command[*api.NotificationSettings] {
	return Command[*api.NotificationSettings]{
		Verb: "set-notifications", Subject: "ORDER", Doing: "setting the notifications",
		Effects: "Replaces the current settings. A webhook gets a new signing secret, shown once.",
		Fields: []Field{
			{
				Name: "webhook", Value: &in.Webhook, Label: "Webhook", Help: "https URL to notify; empty for none",
				Flag: "webhook", Usage: "https URL to notify",
			},
			{
				Name: "email", Value: &in.Email, Label: "E-mail", Help: "whether the account's address gets an e-mail",
				Flag: "email", Usage: "send an e-mail to the account's address",
			},
		},
		Check: func() (field, fault string) {
			u, err := url.Parse(in.Webhook)
			if in.Webhook == "" || err == nil && strings.EqualFold(u.Scheme, "https") && u.Host != "" && u.User == nil {
				return "", ""
			}
			return "webhook", "not an https URL"
		},
		Run: func(ctx context.Context, ops *api.Ops, order string) (*api.NotificationSettings, error) {
			return ops.Orders.SetNotifications(ctx, order, *in)
		},
	}
}
