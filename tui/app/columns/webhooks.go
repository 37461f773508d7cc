package columns

import (
	"strconv"
	"strings"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
)

// Endpoints are the columns of a webhook endpoint, as the service lists it.
func Endpoints() []Column[api.WebhookEndpoint] {
	return []Column[api.WebhookEndpoint]{
		{Spec{Title: "Endpoint", Name: "uuid"}, func(e *api.WebhookEndpoint) Cell { return Text(e.UUID) }},
		{Spec{Title: "Address", Name: "url", Width: 24, Fill: 2, Middle: true, Least: 16}, func(e *api.WebhookEndpoint) Cell { return Text(e.URL) }},
		{Spec{Title: "Status", Name: "status"}, func(e *api.WebhookEndpoint) Cell { return labelOf(e.Status, labels.Endpoint) }},
		{Spec{Title: "Last", Name: "lastStatus", Kind: Status}, lastOf},
		{Spec{Title: "Events", Name: "events"}, func(e *api.WebhookEndpoint) Cell {
			return Cell{Text: Events(e.Events), Data: Join(e.Events)}
		}},
		{Spec{Title: "Description", Name: "description", Least: 11}, func(e *api.WebhookEndpoint) Cell { return Text(e.Description) }},
		{Spec{Title: "Registered", Name: "createdAt", Kind: Date}, func(e *api.WebhookEndpoint) Cell { return At(e.CreatedAt) }},
	}
}

// lastOf is what became of the endpoint's last callback; what the service says
// otherwise stays as it is.
func lastOf(e *api.WebhookEndpoint) Cell {
	switch {
	case e.LastStatus != nil && *e.LastStatus == labels.Delivered.Wire:
		return State(labels.Delivered, 0)
	case e.LastStatus != nil && *e.LastStatus == labels.Failed.Wire:
		return State(labels.Failed, 1)
	default:
		return TextAt(e.LastStatus)
	}
}

// Events writes the events that an endpoint gets.
func Events(events []api.EventName) string {
	if len(events) == len(api.EventNames()) {
		return "all"
	}
	return labels.List(events, labels.Event)
}

func success(ok bool) labels.Tone {
	if ok {
		return labels.Good
	}
	return labels.Bad
}

// ListedCallback is a callback with its endpoint.
type ListedCallback struct {
	EndpointUID string               `json:"endpointUid"`
	EndpointURL string               `json:"endpointUrl,omitzero"`
	MissionCode string               `json:"missionCode,omitzero"` // "" where it is not known
	History     *api.CallbackHistory `json:"history,omitzero"`     // with the key of the operations API, of services that keep it
	api.WebhookDelivery
}

// Callbacks are the columns of a callback.
func Callbacks() []Column[ListedCallback] {
	return []Column[ListedCallback]{
		{Spec{Title: "Callback", Name: "uuid"}, func(c *ListedCallback) Cell { return Text(c.UUID) }},
		{Spec{Title: "Event", Name: "event"}, func(c *ListedCallback) Cell { return labelOf(c.Event, labels.Event) }},
		{Spec{Title: "Order", Name: "orderCode"}, func(c *ListedCallback) Cell { return Text(c.OrderCode) }},
		{Spec{Title: "Mission", Name: "missionCode"}, func(c *ListedCallback) Cell {
			return TextOr(c.MissionCode)
		}},
		{Spec{Title: "Endpoint", Name: "endpointUrl", Least: 16}, func(c *ListedCallback) Cell { return TextOr(strings.TrimPrefix(c.EndpointURL, "https://")) }},
		{Spec{Title: "Outcome", Name: "outcome", Least: 16}, func(c *ListedCallback) Cell { return Text(outcome(&c.WebhookDelivery)).In(success(c.Success)) }},
		{Spec{Name: "success"}, func(c *ListedCallback) Cell { return Text(strconv.FormatBool(c.Success)) }},
		{Spec{Title: "HTTP", Name: "responseCode", Kind: Number}, func(c *ListedCallback) Cell { return NumOf(c.ResponseCode) }},
		{Spec{Title: "Error", Name: "error"}, func(c *ListedCallback) Cell { return TextAt(c.Error) }},
		{Spec{Title: "Attempts", Name: "attempts", Kind: Number}, func(c *ListedCallback) Cell { return NumOf(c.Attempts) }},
		{Spec{Title: "Created", Name: "createdAt", Kind: Date, Ago: true}, func(c *ListedCallback) Cell { return At(c.CreatedAt) }},
		{Spec{Name: "endpointUid", Shell: true}, func(c *ListedCallback) Cell { return Text(c.EndpointUID) }},
		{Spec{Name: "missionUid", Shell: true}, func(c *ListedCallback) Cell { return Text(c.MissionUID) }},
	}
}

// The statuses of callbacks, as they are chosen by.
const (
	CallbackDelivered = "delivered"
	CallbackSending   = "sending"
	CallbackFailed    = "failed"
)

// CallbackStatuses lists them.
func CallbackStatuses() []string {
	return []string{CallbackDelivered, CallbackSending, CallbackFailed}
}

// CallbackStatus is what became of a callback.
func CallbackStatus(d *api.WebhookDelivery) string {
	switch {
	case d.Success:
		return CallbackDelivered
	case d.Pending():
		return CallbackSending
	default:
		return CallbackFailed
	}
}

// CallbackState is what became of a callback as a state; failures come first.
func CallbackState(d *api.WebhookDelivery) Cell {
	switch CallbackStatus(d) {
	case CallbackDelivered:
		return State(labels.Delivered, 2)
	case CallbackSending:
		return State(labels.Sending, 1)
	default:
		return State(labels.Failed, 0)
	}
}

func outcome(d *api.WebhookDelivery) string {
	switch {
	case d.Success:
		return labels.Delivered.Label
	case d.Pending():
		return labels.Sending.Label
	case d.Error != nil && *d.Error != "":
		return labels.Failed.Label + ": " + *d.Error
	case d.ResponseCode != nil && *d.ResponseCode > 0:
		return labels.Failed.Label + ": HTTP " + strconv.Itoa(*d.ResponseCode)
	default:
		return labels.Failed.Label
	}
}
