package commands

import (
	"cmp"
	"net/url"
	"strings"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
)

// RecordChange is what changes of an order's record; what is nil stays.
type RecordChange struct {
	Description, OtherMapType *string
	Contact, Phone            *string
	FlightHeight              *float64 // metres; 0 removes it
	GroundControl             *bool
}

// RecordOf returns a record as it is, to be edited.
func RecordOf(d *api.RecordDetails) *RecordChange {
	whole := wholeDetails(d)
	return &RecordChange{
		Description:  &whole.Description,
		OtherMapType: &whole.OtherMapType,
		Contact:      &whole.PointOfContact.PocName,
		Phone:        &whole.PointOfContact.PocPhone,
		FlightHeight: cmp.Or(
			whole.AdvancedOption.FlightHeight,
			new(float64),
		),
		GroundControl: &whole.AdvancedOption.GCP,
	}
}

// wholeDetails returns a copy of the details that has all of them.
func wholeDetails(d *api.RecordDetails) api.RecordDetails {
	whole := *cmp.Or(d, &api.RecordDetails{})
	whole.PointOfContact = new(*cmp.Or(whole.PointOfContact, &api.PointOfContact{}))
	whole.AdvancedOption = new(*cmp.Or(whole.AdvancedOption, &api.AdvancedOption{}))
	return whole
}

// applyTo returns a record with the change.
func (c *RecordChange) applyTo(d *api.RecordDetails) api.RecordDetails {
	now := wholeDetails(d)
	contact, option := now.PointOfContact, now.AdvancedOption
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

func setIfGiven[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

// SetRecord changes what only the v2 API shows of an order.
func SetRecord(in *RecordChange) Command {
	return Command{
		Verb:    "set-details",
		Subject: "ORDER",
		Title:   "Edit order",
		Doing:   "changing the order's record",
		Short:   "Set the details that only the v2 API shows",
		Long: `Changes the description, free-text product, point of contact and flight options of an order. Only the fields
you name change; an empty text or a height of 0 clears one.`,
		Example: "# a contact on site, flight height and ground control points\nflightdesk ops set-details ORD-1042 --contact \"Bo Ek\" --phone \"+46 8 123\" --flight-height 80 --gcp",
		Effects: "Visible to the client at once. An empty field is removed.",
		Fields: []Field{
			{
				Name:  "description",
				Value: &in.Description,
				Label: "Description",
				Help:  "description of the order",
				Flag:  "description",
				Long:  true,
			},
			option(
				"otherMapType",
				&in.OtherMapType,
				"Other product",
				"another product, as free text",
				"other-map-type",
			),
			option("pointOfContact.pocName", &in.Contact, "Contact", "name of the point of contact", "contact"),
			option(
				"pointOfContact.pocPhone",
				&in.Phone,
				"Phone",
				"phone number of the point of contact",
				"phone",
			),
			{
				Name:  "advancedOption.flightHeight",
				Value: &in.FlightHeight,
				Label: "Height",
				Help:  "flight height above ground, in metres; 0 for none",
				Unit:  "m",
				Most:  maxFlightHeight,
				Flag:  "flight-height",
			},
			option("advancedOption.gcp", &in.GroundControl, "GCPs", "use ground control points", "gcp"),
		},
		Run: tellRequest(func(t Target) (*api.RecordDetails, error) {
			o, err := t.Orders.Get(t, t.ID)
			if err != nil {
				return nil, err
			}
			return t.Orders.SetDetails(t, o.UUID, in.applyTo(o.Details))
		}, func(*api.RecordDetails) string { return "details saved" }, columns.DetailFacts),
	}
}

// maxFlightHeight is far above what a survey drone flies at, in metres.
const maxFlightHeight = 10_000

// SetNotifications sets how the client of an order is told that it is complete.
func SetNotifications(in *ops.NotificationInput) Command {
	return Command{
		Verb:    "set-notices",
		Alias:   "set-notifications",
		Subject: "ORDER",
		Title:   "Set completion notices",
		Doing:   "setting the notices",
		Short:   "Set where completion notices are sent",
		Long: `Sets where completion notices are sent when an order is complete (v2 API), and prints the secret that signs
them. It replaces the previous setting; --none removes it.`,
		Example: "# by webhook and e-mail\nflightdesk ops set-notices ORD-1042 --webhook https://client.example/done --email",
		Effects: "Replaces the current settings. A webhook gets a new signing secret, shown once.",
		Fields: []Field{
			option(
				"webhook",
				&in.Webhook,
				"Webhook",
				"address for completion notices (https); empty for none",
				"webhook",
			),
			option(
				"email",
				&in.Email,
				"E-mail",
				"send completion notices to the account's e-mail address",
				"email",
			),
		},
		Check: func() (field, fault string) {
			u, err := url.Parse(in.Webhook)
			if in.Webhook == "" ||
				err == nil && strings.EqualFold(u.Scheme, "https") && u.Host != "" && u.User == nil {
				return "", ""
			}
			return "webhook", "not an https URL"
		},
		Run: tellRequest(func(t Target) (*ops.NotificationSettings, error) {
			return t.Orders.SetNotifications(t, t.ID, *in)
		}, func(*ops.NotificationSettings) string {
			return "completion notices saved"
		}, func(set *ops.NotificationSettings) [][2]string {
			return [][2]string{
				{"Webhook", cmp.Or(set.Webhook, format.None)},
				{"Secret", set.Secret},
				{"E-mail", yesNo(set.Email)},
			}
		}),
	}
}

func yesNo(is bool) string { return map[bool]string{true: "yes", false: "no"}[is] }
