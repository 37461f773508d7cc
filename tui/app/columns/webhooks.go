package columns

import (
	"strconv"
	"strings"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/format"
)

// Endpoints returns the columns of a table of webhook endpoints.
func Endpoints() []Column[*api.WebhookEndpoint] {
	return MakeColumns("endpoints", Values[*api.WebhookEndpoint]{
		"status":     func(e *api.WebhookEndpoint) Cell { return labelOf(e.Status) },
		"lastStatus": lastStatusCell,
	})
}

// lastStatusCell returns a cell with the result of the endpoint's last callback. Unknown
// results are shown unchanged.
func lastStatusCell(e *api.WebhookEndpoint) Cell {
	switch format.ValueOf(e.LastStatus) {
	case format.Delivered.Wire:
		return StateCell(format.Delivered, 0)
	case format.Failed.Wire:
		return StateCell(format.Failed, 1)
	default:
		return TextAt(e.LastStatus)
	}
}

// EventNames returns the labels of the events to which an endpoint subscribes.
func EventNames(events []api.EventName) string {
	return listCell(events, api.EventNames(), format.WordList).Text
}

func successTone(ok bool) format.Tone {
	if ok {
		return format.Good
	}
	return format.Bad
}

// ListedCallback is a row of a table of callbacks: a callback with its endpoint and mission.
type ListedCallback struct {
	EndpointUID string            `json:"endpointUid"`
	EndpointURL string            `json:"endpointUrl,omitzero"`
	MissionCode string            `json:"missionCode,omitzero"` // "" if unknown
	Missing     bool              `json:"missing,omitzero"`     // not in a log; CreatedAt is the time of the event
	History     *CallbackAttempts `json:"history,omitzero"`     // nil without a key of the operations API
	api.WebhookDelivery
}

// CallbackAttempts has the attempts of the service to send a callback.
type CallbackAttempts struct {
	NextAttemptAt api.Time              `json:"nextAttemptAt"`
	Attempts      []ops.CallbackAttempt `json:"attempts"`
}

// Callbacks returns the columns of a table of callbacks.
func Callbacks() []Column[*ListedCallback] {
	return MakeColumns("callbacks", Values[*ListedCallback]{
		"endpointUrl": func(c *ListedCallback) Cell {
			cell := TextOr(strings.TrimPrefix(c.EndpointURL, "https://"))
			cell.Data = c.EndpointURL
			return cell
		},
		"outcome": func(c *ListedCallback) Cell {
			if c.Missing {
				return TextCell(format.Missing.Label + ": " + format.ValueOf(c.Error)).WithTone(format.Bad)
			}
			return TextCell(outcomeText(&c.WebhookDelivery)).WithTone(successTone(c.Success))
		},
		"success":      func(c *ListedCallback) Cell { return TextCell(strconv.FormatBool(c.Success)) },
		"responseCode": func(c *ListedCallback) Cell { return AnswerCode(&c.WebhookDelivery) },
	})
}

// Notices returns the columns of a table of completion notices, which tell a client that an order is complete.
func Notices() []Column[*ops.CompletionNotice] {
	return MakeColumns("notices", Values[*ops.CompletionNotice]{
		"channel": func(n *ops.CompletionNotice) Cell {
			if n.IsEmail() {
				return LabelCell("E-mail", n.Channel)
			}
			return LabelCell("Webhook", n.Channel)
		},
		"outcome": func(n *ops.CompletionNotice) Cell {
			sent := callbackOf(n)
			text := outcomeText(sent)
			if n.IsEmail() && n.Success {
				text = "Sent" // mail servers do not confirm that it was delivered
			}
			return TextCell(text).WithTone(successTone(n.Success))
		},
		"success":      func(n *ops.CompletionNotice) Cell { return TextCell(strconv.FormatBool(n.Success)) },
		"responseCode": func(n *ops.CompletionNotice) Cell { return AnswerCode(callbackOf(n)) },
	})
}

// NoticeStatus returns the status of a completion notice, which is one of [CallbackStatuses].
func NoticeStatus(n *ops.CompletionNotice) string { return CallbackStatus(callbackOf(n)) }

// callbackOf converts a completion notice to a callback with the same outcome.
func callbackOf(n *ops.CompletionNotice) *api.WebhookDelivery {
	return &api.WebhookDelivery{Success: n.Success, ResponseCode: &n.ResponseCode, Error: n.Error}
}

// AnswerCode returns a cell with the HTTP status with which the endpoint answered a callback.
func AnswerCode(d *api.WebhookDelivery) Cell {
	if d.ResponseCode != nil && *d.ResponseCode == 0 {
		return Cell{Text: format.None, Data: "0"} // no response
	}
	return NumOf(d.ResponseCode)
}

// Statuses of callbacks in filters.
const (
	CallbackDelivered = "delivered"
	CallbackSending   = "sending"
	CallbackFailed    = "failed"
	CallbackMissing   = "missing" // the event happened, but no callback is in the log
)

// CallbackStatuses returns all statuses that a logged callback can have.
func CallbackStatuses() []string {
	return []string{CallbackDelivered, CallbackSending, CallbackFailed}
}

// CallbackStatus returns the status of a callback.
func CallbackStatus(d *api.WebhookDelivery) string {
	if d.Success {
		return CallbackDelivered
	}
	if d.IsPending() {
		return CallbackSending
	}
	return CallbackFailed
}

// CallbackState returns a cell with the status of a callback. Failures are sorted first.
func CallbackState(d *api.WebhookDelivery) Cell {
	switch CallbackStatus(d) {
	case CallbackDelivered:
		return StateCell(format.Delivered, 2)
	case CallbackSending:
		return StateCell(format.Sending, 1)
	default:
		return StateCell(format.Failed, 0)
	}
}

// outcomeText returns the status of a callback, and why it failed.
func outcomeText(d *api.WebhookDelivery) string {
	_, text, _ := strings.Cut(CallbackState(d).Text, " ")
	if CallbackStatus(d) != CallbackFailed {
		return text
	}
	if format.ValueOf(d.Error) != "" {
		return text + ": " + *d.Error
	}
	if format.ValueOf(d.ResponseCode) > 0 {
		return text + ": HTTP " + strconv.Itoa(*d.ResponseCode)
	}
	return text
}
