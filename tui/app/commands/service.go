package commands

import (
	"context"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
)

// ResendCallback sends a callback once more, under the same id.
func ResendCallback() Command[*api.WebhookDelivery] {
	return Command[*api.WebhookDelivery]{
		Verb: "resend-callback", Subject: "CALLBACK", Doing: "resending the callback",
		Effects: "The callback keeps its ID; receivers that already processed it can ignore it.",
		Run: func(ctx context.Context, ops *api.Ops, callback string) (*api.WebhookDelivery, error) {
			return ops.Webhooks.Resend(ctx, callback)
		},
		Done: func(d *api.WebhookDelivery) string {
			return "callback for " + labels.EventWord(d.Event).Label + " queued again"
		},
	}
}

// ResendNotice sends the notice that an order is complete once more, under the
// same id.
func ResendNotice() Command[*api.CompletionNotice] {
	return Command[*api.CompletionNotice]{
		Verb: "resend-notice", Subject: "NOTICE", Doing: "resending the completion notice",
		Effects: "The notice keeps its ID. A receiver can recognise the duplicate; an e-mail arrives a second time.",
		Run: func(ctx context.Context, ops *api.Ops, notice string) (*api.CompletionNotice, error) {
			return ops.Orders.ResendNotification(ctx, notice)
		},
		Done: func(n *api.CompletionNotice) string {
			return string(api.EventOrderCompleted) + " " + n.UUID + " queued again"
		},
	}
}

// TestEndpoint sends an event of a mission that there is not to an endpoint.
func TestEndpoint(event *api.EventName) Command[*api.WebhookDelivery] {
	return Command[*api.WebhookDelivery]{
		Verb:    "test-endpoint",
		Subject: "ENDPOINT",
		Doing:   "sending a test event",
		Limit:   api.MaxNameLength,
		Effects: "The event is signed, sent and logged like any other, for a mission that does not exist.",
		Fields: []Field{
			{
				Name:     "event",
				Value:    event,
				Label:    "Event",
				Help:     "type of event to send",
				Required: "select an event",
				Arg:      "EVENT",
			},
		},
		Run: func(ctx context.Context, ops *api.Ops, endpoint string) (*api.WebhookDelivery, error) {
			return ops.Webhooks.Test(ctx, endpoint, *event)
		},
		Done: func(d *api.WebhookDelivery) string { return string(d.Event) + " " + d.UUID + " queued" },
	}
}

// AdvanceClock moves the service's clock forward.
func AdvanceClock(by *api.Duration) Command[*api.ServiceClock] {
	return Command[*api.ServiceClock]{
		Verb: "clock", Doing: "advancing the clock", Limit: api.MaxNameLength,
		Effects: "The clock only moves forward. A reset does not turn it back.",
		Fields: []Field{
			{
				Name:     "advance",
				Value:    by,
				Label:    "Advance by",
				Help:     "e.g. 90s, 36h or 7d",
				Like:     "90s, 36h or 7d",
				Required: "enter a duration",
				Flag:     "advance",
				Usage:    "how far to advance, e.g. 90s, 36h or 7d",
			},
		},
		Run: func(ctx context.Context, ops *api.Ops, _ string) (*api.ServiceClock, error) {
			return ops.World.AdvanceClock(ctx, by.Duration)
		},
	}
}

// PaceSimulator has the simulator wait, go on, take a step, or go at another
// speed.
func PaceSimulator(in *api.SimulatorInput) Command[*api.SimulatorState] {
	return Command[*api.SimulatorState]{
		Verb: "simulator", Doing: "updating the simulator",
		Run: func(ctx context.Context, ops *api.Ops, _ string) (*api.SimulatorState, error) {
			return ops.World.SetSimulator(ctx, *in)
		},
	}
}

// FaultValues are the faults that are set, as they are typed.
type FaultValues struct {
	Status    int
	Latency   api.Duration
	Rate      PercentShare
	Path      string
	Callbacks api.CallbackFault // "": requests go wrong
}

// SetFaults has requests of clients, or callbacks, go wrong.
func SetFaults(in *FaultValues) Command[*api.Faults] {
	return Command[*api.Faults]{
		Verb: "faults", Doing: "setting the faults", Limit: api.MaxNameLength,
		Effects: "Client requests, including this app's, or callbacks fail or slow down; the operations API is unaffected. Replaces current faults; F clears them.",
		Fields: []Field{
			{
				Name: "status", Value: &in.Status, Label: "Status", Help: "400 to 599; 0 only delays", Unit: "HTTP", Most: 599,
				Flag: "status", Usage: "HTTP status to answer with, 400 to 599",
			},
			{
				Name: "latency", Value: &in.Latency, Label: "Delay", Help: "e.g. 500ms or 5s, at most " + format.GroupDigits(api.MaxFaultLatency, 0) + "s; optional",
				Like: "500ms or 5s", Most: api.MaxFaultLatency, Flag: "latency", Usage: "delay of each answer, up to 30s",
			},
			{Name: "rate", Value: &in.Rate, Label: "Affected", Help: "of the requests or callbacks", Unit: "%", Flag: "rate", Usage: "share of requests or callbacks affected, 0 to 1"},
			{
				Name: "path", Value: &in.Path, Label: "Path", Help: "prefix of the path, e.g. /orders; empty for all",
				Flag: "path", Usage: "prefix of the paths affected",
			},
			{
				Name: "callbacks", Value: &in.Callbacks, Label: "Callbacks", Help: "what happens to callbacks, instead of requests",
				Flag: "callbacks", Usage: "what happens to callbacks, instead of requests",
			},
		},
		Check: in.checkValues,
		Run: func(ctx context.Context, ops *api.Ops, _ string) (*api.Faults, error) {
			rate := float64(in.Rate)
			return ops.World.SetFaults(ctx, api.FaultsInput{Latency: in.Latency, Status: in.Status, Rate: &rate, Path: in.Path, Callbacks: in.Callbacks})
		},
	}
}

func (in *FaultValues) checkValues() (field, fault string) {
	switch {
	case in.Callbacks != "" && in.Status != 0:
		return "status", "callbacks are not answered; use 0"
	case in.Callbacks != "" && in.Path != "":
		return "path", "callbacks have no path; leave it empty"
	case in.Callbacks != "":
		return "", ""
	case in.Status != 0 && in.Status < 400:
		return "status", "use 400 to 599, or 0"
	case in.Status == 0 && in.Latency.Duration == 0:
		return "latency", "enter a delay or a status"
	case in.Path != "" && in.Path[0] != '/':
		return "path", "must start with a slash"
	}
	return "", ""
}

// EndFaults lets nothing go wrong on purpose any more.
func EndFaults() Command[*api.Faults] {
	return Command[*api.Faults]{
		Verb: "end-faults", Doing: "clearing the faults",
		Run: func(ctx context.Context, ops *api.Ops, _ string) (*api.Faults, error) {
			return ops.World.SetFaults(ctx, api.FaultsInput{})
		},
		Done: func(*api.Faults) string { return "faults cleared" },
	}
}

// ResetWorld goes back to where the service began.
func ResetWorld() Command[*api.ResetResult] {
	return Command[*api.ResetResult]{
		Verb: "reset", Doing: "resetting the service",
		Run: func(ctx context.Context, ops *api.Ops, _ string) (*api.ResetResult, error) {
			return ops.World.Reset(ctx)
		},
		Done: func(r *api.ResetResult) string {
			return "service reset: " + format.Count(r.Orders, "order", "orders")
		},
	}
}

// TakeSnapshot keeps the service's whole state under a name.
func TakeSnapshot(name *string) Command[*api.WorldSnapshot] {
	return Command[*api.WorldSnapshot]{
		Verb: "take-snapshot", Doing: "taking the snapshot", Limit: maxSnapshotName,
		Effects: "Saves everything, including accounts, keys and clock. Replaces a snapshot of the same name.",
		Fields: []Field{
			{
				Name:     "name",
				Value:    name,
				Label:    "Name",
				Help:     "letters, digits, - and _",
				Required: "enter a name",
				Arg:      "NAME",
			},
		},
		Run: func(ctx context.Context, ops *api.Ops, _ string) (*api.WorldSnapshot, error) {
			return ops.World.TakeSnapshot(ctx, *name)
		},
		Done: func(s *api.WorldSnapshot) string { return "snapshot " + s.Name + " taken" },
	}
}

// maxSnapshotName is how many characters the name of a snapshot has at most.
const maxSnapshotName = 64

// RestoreSnapshot brings back the state of a snapshot.
func RestoreSnapshot(name *string) Command[*api.WorldSnapshot] {
	return Command[*api.WorldSnapshot]{
		Verb: "restore-snapshot", Doing: "restoring the snapshot",
		Effects: "Replaces everything, including accounts, keys and clock, with the snapshot. Cannot be undone.",
		Fields: []Field{{
			Name: "name", Value: name, Label: "Snapshot", Required: "select a snapshot", Arg: "NAME",
		}},
		Run: func(ctx context.Context, ops *api.Ops, _ string) (*api.WorldSnapshot, error) {
			return ops.World.RestoreSnapshot(ctx, *name)
		},
		Done: func(s *api.WorldSnapshot) string { return "snapshot " + s.Name + " restored" },
	}
}
