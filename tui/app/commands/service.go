package commands

import (
	"context"
	"strconv"

	"flightdesk/api"
	"flightdesk/tui/format"
)

// ResendCallback sends a callback once more, under the same id.
func ResendCallback() Command[*api.WebhookDelivery] {
	return Command[*api.WebhookDelivery]{
		Verb: "resend-callback", Subject: "CALLBACK", Doing: "sending the callback again",
		Means: "It is sent under the same id, which receivers that saw it take for a repetition.",
		Run: func(ctx context.Context, ops *api.Ops, callback string) (*api.WebhookDelivery, error) {
			return ops.Webhooks.Resend(ctx, callback)
		},
		Done: func(d *api.WebhookDelivery) string { return string(d.Event) + " " + d.UUID + " is being sent again" },
	}
}

// TestEndpoint sends an event of a mission that there is not to an endpoint.
func TestEndpoint(event *api.EventName) Command[*api.WebhookDelivery] {
	return Command[*api.WebhookDelivery]{
		Verb: "test-endpoint", Subject: "ENDPOINT", Doing: "sending a test event", Limit: api.MaxNameLength,
		Means:  "It is signed and sent like any other, of a mission that there is not, and stands in the log.",
		Fields: []Field{{Name: "event", Value: event, Label: "Event", Help: "as it happens to a mission", Required: "name the event", Arg: "EVENT"}},
		Run: func(ctx context.Context, ops *api.Ops, endpoint string) (*api.WebhookDelivery, error) {
			return ops.Webhooks.Test(ctx, endpoint, *event)
		},
		Done: func(d *api.WebhookDelivery) string { return string(d.Event) + " " + d.UUID + " is being sent" },
	}
}

// AdvanceClock moves the service's clock forward.
func AdvanceClock(by *api.Duration) Command[*api.ServiceClock] {
	return Command[*api.ServiceClock]{
		Verb: "clock", Doing: "moving the clock", Limit: api.MaxNameLength,
		Means: "The clock only moves forward. Only a reset undoes what it passes; the clock itself stays.",
		Fields: []Field{{
			Name: "advance", Value: by, Label: "Ahead by", Help: "as 90s, 36h or 7d", Like: "90s, 36h or 7d", Required: "say how far it goes",
			Flag: "advance", Usage: "how far it goes forward, as 90s, 36h or 7d",
		}},
		Run: func(ctx context.Context, ops *api.Ops, _ string) (*api.ServiceClock, error) {
			return ops.World.AdvanceClock(ctx, by.Duration)
		},
	}
}

// PaceSimulator has the simulator wait, go on, take a step, or go at another
// speed.
func PaceSimulator(in *api.SimulatorInput) Command[*api.Simulator] {
	return Command[*api.Simulator]{
		Verb: "simulator", Doing: "pacing the simulator",
		Run: func(ctx context.Context, ops *api.Ops, _ string) (*api.Simulator, error) {
			return ops.World.SetSimulator(ctx, *in)
		},
	}
}

// FaultValues are the faults that are set, as they are typed.
type FaultValues struct {
	Status  int
	Latency api.Duration
	Rate    Share
	Path    string
}

// SetFaults has requests of clients go wrong.
func SetFaults(in *FaultValues) Command[*api.Faults] {
	return Command[*api.Faults]{
		Verb: "faults", Doing: "setting the faults", Limit: api.MaxNameLength,
		Means: "Requests of clients then go wrong, this app's among them; the desk's own do not. It takes the place of what is set now, and F ends it.",
		Fields: []Field{
			{
				Name: "status", Value: &in.Status, Label: "Answer", Help: "400 to 599; 0 only delays", Unit: "HTTP", Most: 599,
				Flag: "status", Usage: "the status that is answered with, 400 to 599",
			},
			{
				Name: "latency", Value: &in.Latency, Label: "Later by", Help: "as 500ms or 5s, at most " + format.Group(api.MaxFaultLatency, 0) + "s; empty for not",
				Like: "500ms or 5s", Most: api.MaxFaultLatency, Flag: "latency", Usage: "how much later answers come, up to 30s",
			},
			{Name: "rate", Value: &in.Rate, Label: "Share", Help: "of the requests", Unit: "%", Flag: "rate", Usage: "share of the requests, 0 to 1"},
			{
				Name: "path", Value: &in.Path, Label: "Path", Help: "how their paths begin, as /orders; empty for all",
				Flag: "path", Usage: "how the paths of the requests begin",
			},
		},
		Check: in.check,
		Run: func(ctx context.Context, ops *api.Ops, _ string) (*api.Faults, error) {
			rate := float64(in.Rate)
			return ops.World.SetFaults(ctx, api.FaultsInput{Latency: in.Latency, Status: in.Status, Rate: &rate, Path: in.Path})
		},
	}
}

func (in *FaultValues) check() (field, fault string) {
	switch {
	case in.Status != 0 && in.Status < 400:
		return "status", strconv.Itoa(in.Status) + " is not from 400 to 599"
	case in.Status == 0 && in.Latency.Duration == 0:
		return "latency", "say how late answers come, or with which status"
	case in.Path != "" && in.Path[0] != '/':
		return "path", "begin it with a slash"
	}
	return "", ""
}

// EndFaults lets nothing go wrong on purpose any more.
func EndFaults() Command[*api.Faults] {
	return Command[*api.Faults]{
		Verb: "end-faults", Doing: "ending the faults",
		Run: func(ctx context.Context, ops *api.Ops, _ string) (*api.Faults, error) {
			return ops.World.SetFaults(ctx, api.FaultsInput{})
		},
		Done: func(*api.Faults) string { return "requests are answered rightly again" },
	}
}

// Reset goes back to where the service began.
func Reset() Command[*api.ResetResult] {
	return Command[*api.ResetResult]{
		Verb: "reset", Doing: "going back to the beginning",
		Run: func(ctx context.Context, ops *api.Ops, _ string) (*api.ResetResult, error) {
			return ops.World.Reset(ctx)
		},
		Done: func(r *api.ResetResult) string {
			return "all is as at the beginning: " + format.Count(r.Orders, "order", "orders")
		},
	}
}
