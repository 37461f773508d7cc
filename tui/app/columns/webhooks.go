package columns

import (
	"strconv"
	"strings"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
)

// Endpoints returns the columns of a webhook endpoint, as the service lists it.
func Endpoints() []Column[api.WebhookEndpoint] {
	return FillMembers([]Column[api.WebhookEndpoint]{
		{ColumnSpec{Title: "Endpoint", Name: "uuid"}, nil},
		{ColumnSpec{Title: "Address", Name: "url", Width: 24, Fill: 2, Middle: true, Least: 16}, nil},
		{
			ColumnSpec{Title: "Status", Name: "status"},
			func(e *api.WebhookEndpoint) Cell { return labelOf(e.Status, labels.EndpointWord) },
		},
		{ColumnSpec{Title: "Last", Name: "lastStatus", Kind: Status, Width: 11}, lastOf},
		{ColumnSpec{Title: "Events", Name: "events", Width: 14, Fill: 1, Drop: 1}, nil},
		{ColumnSpec{Title: "Description", Name: "description", Width: 12, Fill: 1, Drop: 2, Least: 11}, nil},
		{ColumnSpec{Title: "Registered", Name: "createdAt", Drop: 3}, nil},
	})
}

// lastOf returns what became of the endpoint's last callback; what the service says
// otherwise stays as it is.
func lastOf(e *api.WebhookEndpoint) Cell {
	switch {
	case e.LastStatus != nil && *e.LastStatus == labels.Delivered.Wire:
		return StateCell(labels.Delivered, 0)
	case e.LastStatus != nil && *e.LastStatus == labels.Failed.Wire:
		return StateCell(labels.Failed, 1)
	default:
		return TextAt(e.LastStatus)
	}
}

// EventNames writes the events that an endpoint gets.
func EventNames(events []api.EventName) string {
	return listCell(events, api.EventNames(), labels.EventWord).Text
}

func successTone(ok bool) labels.Tone {
	if ok {
		return labels.Good
	}
	return labels.Bad
}

// ListedCallback is a callback with its endpoint.
type ListedCallback struct {
	EndpointUID string         `json:"endpointUid"`
	EndpointURL string         `json:"endpointUrl,omitzero"`
	MissionCode string         `json:"missionCode,omitzero"` // "" where it is not known
	History     *CallbackTries `json:"history,omitzero"`     // with the key of the operations API, of services that keep it
	api.WebhookDelivery
}

// CallbackTries are the tries of a callback.
type CallbackTries struct {
	NextAttemptAt api.Time              `json:"nextAttemptAt"`
	Attempts      []ops.CallbackAttempt `json:"attempts"`
}

// Callbacks returns the columns of a callback.
func Callbacks() []Column[ListedCallback] {
	return FillMembers([]Column[ListedCallback]{
		{ColumnSpec{Title: "Callback", Name: "uuid"}, nil},
		{ColumnSpec{Title: "Event", Name: "event"}, nil},
		{ColumnSpec{Title: "Order", Name: "orderCode"}, nil},
		{ColumnSpec{Title: "Mission", Name: "missionCode"}, nil},
		{
			ColumnSpec{Title: "Endpoint", Name: "endpointUrl", Least: 16},
			func(c *ListedCallback) Cell { return TextOr(strings.TrimPrefix(c.EndpointURL, "https://")) },
		},
		{ColumnSpec{Title: "Outcome", Name: "outcome", Least: 16}, func(c *ListedCallback) Cell {
			return TextCell(outcomeText(&c.WebhookDelivery)).WithTone(successTone(c.Success))
		}},
		{ColumnSpec{Name: "success"}, func(c *ListedCallback) Cell { return TextCell(strconv.FormatBool(c.Success)) }},
		{ColumnSpec{Title: "HTTP", Name: "responseCode", Kind: Number}, func(c *ListedCallback) Cell {
			if c.ResponseCode != nil && *c.ResponseCode == 0 {
				return Cell{Text: format.None, Data: "0"} // no answer came
			}
			return NumOf(c.ResponseCode)
		}},
		{ColumnSpec{Title: "Error", Name: "error"}, nil},
		{ColumnSpec{Title: "Attempts", Name: "attempts"}, nil},
		{ColumnSpec{Title: "Created", Name: "createdAt", Ago: true}, nil},
		{ColumnSpec{Name: "endpointUid", Shell: true}, nil},
		{ColumnSpec{Name: "missionUid", Shell: true}, nil},
	})
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

// CallbackStatus returns what became of a callback.
func CallbackStatus(d *api.WebhookDelivery) string {
	switch {
	case d.Success:
		return CallbackDelivered
	case d.IsPending():
		return CallbackSending
	default:
		return CallbackFailed
	}
}

// CallbackState returns what became of a callback as a state; failures come first.
func CallbackState(d *api.WebhookDelivery) Cell {
	switch CallbackStatus(d) {
	case CallbackDelivered:
		return StateCell(labels.Delivered, 2)
	case CallbackSending:
		return StateCell(labels.Sending, 1)
	default:
		return StateCell(labels.Failed, 0)
	}
}

func outcomeText(d *api.WebhookDelivery) string {
	switch {
	case d.Success:
		return labels.Delivered.Label
	case d.IsPending():
		return labels.Sending.Label
	case d.Error != nil && *d.Error != "":
		return labels.Failed.Label + ": " + *d.Error
	case d.ResponseCode != nil && *d.ResponseCode > 0:
		return labels.Failed.Label + ": HTTP " + strconv.Itoa(*d.ResponseCode)
	default:
		return labels.Failed.Label
	}
}
