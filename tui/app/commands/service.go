package commands

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
)

// ResendCallback sends a callback once more, under the same id.
func ResendCallback() Command {
	return command("resend-callback", tellRequest(
		func(t Target) (*api.WebhookDelivery, error) { return t.Webhooks.Resend(t, t.ID) },
		queuedDone,
	))
}

func queuedDone(d *api.WebhookDelivery) string {
	return "callback for " + format.Word(d.Event).Label + " queued"
}

// ResendNotice sends the notice that an order is complete once more, under the
// same id.
func ResendNotice() Command {
	return command("resend-notice", tellRequest(
		func(t Target) (*ops.CompletionNotice, error) { return t.Orders.ResendNotification(t, t.ID) },
		func(n *ops.CompletionNotice) string { return "notice to " + n.Address + " queued" },
	))
}

// TestEndpoint sends an event of a mission that there is not to an endpoint.
func TestEndpoint(event *api.EventName) Command {
	c := command("test-endpoint", tellRequest(
		func(t Target) (*api.WebhookDelivery, error) { return t.Webhooks.Test(t, t.ID, *event) },
		queuedDone,
	), (*string)(event))
	c.Long += joinNames(api.EventNames(), ", ") + "."
	c.field("event").Known = format.WordOptions(api.EventNames())
	return c
}

// ClockChange is how the clock moves: by a length of time, or to a moment.
type ClockChange struct {
	By api.Duration
	To api.Time
}

// AdvanceClock moves the service's clock forward.
func AdvanceClock(in *ClockChange) Command {
	c := command("clock", tellRequest(func(t Target) (*ops.ServiceClock, error) {
		if t.Look {
			return t.World.Clock(t)
		}
		if in.To.IsZero() {
			return t.World.AdvanceClock(t, in.By.Duration)
		}
		return t.World.SetClock(t, in.To.Time)
	}, func(*ops.ServiceClock) string { return "clock advanced" }, func(c *ops.ServiceClock) [][2]string {
		ahead := "no"
		if c.Ahead.Duration > 0 {
			ahead = format.TimeLeft(c.Now.Add(c.Ahead.Round(time.Minute)), c.Now.Time, false)
		}
		return [][2]string{
			{"Clock", columns.FormatMoment(c.Now)},
			{"Ahead", ahead},
			{"Adjustable", yesNo(c.Adjustable)},
		}
	}), &in.By, &in.To)
	c.Check = func() (field, fault string) {
		if in.By.Duration != 0 && !in.To.IsZero() {
			return "at", "cannot be combined with --advance"
		}
		return "", ""
	}
	return c
}

// Pace is what changes of the simulator.
type Pace struct {
	Pause, Resume, Step bool
	Speed               *float64
}

// PaceSimulator has the simulator wait, go on, take a step, or go at another
// speed.
func PaceSimulator(in *Pace) Command {
	c := command("simulator", tellRequest(func(t Target) (*ops.SimulatorState, error) {
		if t.Look {
			return t.World.Simulator(t)
		}
		sent := ops.SimulatorInput{Step: in.Step, Speed: in.Speed}
		if in.Pause || in.Resume {
			sent.Paused = &in.Pause
		}
		return t.World.SetSimulator(t, sent)
	}, func(s *ops.SimulatorState) string {
		switch {
		case in.Step && s.LastError != nil:
			return "step failed: " + *s.LastError
		case in.Step && s.Scenario != nil && s.Scenario.LastError != nil:
			return "event failed: " + *s.Scenario.LastError
		case in.Step && s.Scenario != nil:
			return "event done: " + DescribeEvent(s.Scenario.Last)
		case in.Step:
			return "step done"
		}
		return "simulator " + PaceText(s)
	}, simulatorReport), &in.Pause, &in.Resume, &in.Step, &in.Speed)
	c.limit("speed", ops.MinSpeed, ops.MaxSpeed)
	c.Check = func() (field, fault string) {
		if in.Pause && in.Resume {
			return "pause", "cannot be combined with --resume"
		}
		return "", ""
	}
	return c
}

// simulatorReport returns the state of the simulator and what comes next.
func simulatorReport(s *ops.SimulatorState) [][2]string {
	facts := SimulatorFacts(s)
	for _, next := range UpcomingSteps(s) {
		facts = append(facts, [2]string{"Next", columns.FormatMoment(next.At) + "  " + next.Does})
	}
	return facts
}

// UpcomingStep is what a scenario or the simulator does next.
type UpcomingStep struct {
	At   api.Time
	Does string
}

// UpcomingSteps returns the events of the scenario, and the steps of the simulator.
func UpcomingSteps(s *ops.SimulatorState) (list []UpcomingStep) {
	if s.Scenario != nil {
		for _, e := range s.Scenario.Upcoming {
			list = append(list, UpcomingStep{e.At, DescribeEvent(&e)})
		}
	}
	for _, step := range s.Upcoming {
		code := cmp.Or(textOf(step.MissionCode), step.OrderCode)
		list = append(list, UpcomingStep{step.At, format.Clean(cmp.Or(stepTitles[step.Does], step.Does)) + " " + code})
	}
	return list
}

// DescribeEvent returns an event of a scenario with its order's code, or its note; ""
// for nil.
func DescribeEvent(e *ops.ScenarioEvent) string {
	if e == nil {
		return ""
	}
	if note, is := strings.CutPrefix(e.Does, "note "); is {
		return format.Clean(strings.Trim(note, `"`))
	}
	if code := textOf(e.OrderCode); code != "" {
		return format.Clean(e.Does + " (" + code + ")")
	}
	return format.Clean(e.Does)
}

var stepTitles = map[string]string{
	"issueQuote":        "quote",
	"reportNotFeasible": "not feasible",
	"assignOperator":    "operator",
	"requestPermission": "request permit",
	"scheduleFlight":    "flight date",
	"grantPermission":   "permit",
	"reschedule":        "new date",
	"acceptDelivery":    "accept",
}

// PaceText says how fast the simulator is.
func PaceText(s *ops.SimulatorState) string {
	decimals := 0
	if s.Speed < 1 {
		decimals = 3
	}
	switch pace := format.GroupDigits(s.Speed, decimals) + "×"; {
	case s.Speed == 0:
		return "off"
	case s.Paused:
		return "paused at " + pace
	default:
		return "runs at " + pace
	}
}

// SimulatorFacts returns the state of the simulator and of the scenario.
func SimulatorFacts(s *ops.SimulatorState) [][2]string {
	facts := [][2]string{
		{"Simulator", PaceText(s) + ", " + format.Count(s.Done, "step") + " done, " + strconv.Itoa(s.Waiting) + " waiting"},
		{"Trouble", format.Clean(textOf(s.LastError))},
	}
	if of := s.Scenario; of != nil {
		done := fmt.Sprintf("%s, %d of %d events done", of.Title, of.Done, of.Events)
		if len(of.Upcoming) == 0 {
			done += "; a reset restarts it"
		}
		facts = append(facts, [][2]string{
			{"Scenario", format.Clean(done)},
			{"Last", DescribeEvent(of.Last)},
			{"Trouble", format.Clean(textOf(of.LastError))},
		}...)
	}
	return slices.DeleteFunc(facts, func(f [2]string) bool { return f[1] == "" })
}

// FaultValues are the faults that are set, as they are typed.
type FaultValues struct {
	ops.FaultsInput
	Rate float64
	Off  bool // there are no more faults
}

// SetFaults has requests of clients, or callbacks, go wrong.
func SetFaults(in *FaultValues) Command {
	c := command("faults", tellRequest(func(t Target) (*ops.Faults, error) {
		if t.Look {
			return t.World.Faults(t)
		}
		if in.Off {
			return t.World.SetFaults(t, ops.FaultsInput{})
		}
		in.FaultsInput.Rate = &in.Rate
		return t.World.SetFaults(t, in.FaultsInput)
	}, func(f *ops.Faults) string {
		if !HasFaults(f) {
			return "faults cleared"
		}
		return "faults set: " + FaultText(f)
	}, FaultFacts), &in.Status, &in.Latency, &in.Rate, &in.Path, (*string)(&in.Callbacks), &in.Off)
	c.limit("status", 0, 599)
	c.limit("latency", 0, ops.MaxFaultLatency)
	c.limit("rate", 0, 1)
	c.field("callbacks").Known = format.WordOptions(ops.CallbackFaults())
	c.Check = in.checkValues
	return c
}

// HasFaults reports whether faults are injected.
func HasFaults(f *ops.Faults) bool {
	return f != nil && (f.Status != 0 || f.Latency.Duration > 0 || f.Callbacks != "")
}

// FaultFacts returns the faults, and how many there were so far.
func FaultFacts(f *ops.Faults) [][2]string {
	if !HasFaults(f) {
		return [][2]string{{"Faults", "no faults set"}}
	}
	injected := format.Count(f.Injected, "request")
	if f.Callbacks != "" {
		injected = format.Count(f.Injected, "callback")
	}
	return [][2]string{{"Faults", FaultText(f) + "; " + injected + " so far"}}
}

// FaultText describes the injected faults, as "30% of requests to /orders: 503, 2s late".
func FaultText(f *ops.Faults) string {
	what := "requests"
	if f.Callbacks != "" {
		what = "callbacks"
	}
	text := format.GroupDigits(100*f.Rate, 0) + "% of " + what
	if f.Path != "" {
		text += " to " + f.Path
	}
	var all []string
	if f.Callbacks != "" {
		all = append(all, strings.ToLower(format.Word(f.Callbacks).Label))
	}
	if f.Status != 0 {
		all = append(all, strconv.Itoa(f.Status))
	}
	if f.Latency.Duration > 0 {
		all = append(all, f.Latency.String()+" late")
	}
	return text + ": " + strings.Join(all, ", ")
}

func (in *FaultValues) checkValues() (field, fault string) {
	none := in.Callbacks == "" && in.Status == 0 && in.Path == "" && in.Latency.Duration == 0
	switch {
	case in.Off && !none:
		return "off", "cannot be combined with other flags"
	case in.Off:
		return "", ""
	case in.Callbacks != "":
		return in.checkCallbacks()
	case in.Status != 0 && in.Status < 400:
		return "status", "use 400 to 599, or 0"
	case in.Status == 0 && in.Latency.Duration == 0:
		return "latency", "enter a delay or a status"
	case in.Path != "" && in.Path[0] != '/':
		return "path", "must start with a slash"
	}
	return "", ""
}

func (in *FaultValues) checkCallbacks() (field, fault string) {
	switch {
	case in.Status != 0:
		return "status", "callbacks are not answered; use 0"
	case in.Path != "":
		return "path", "callbacks have no path; leave it empty"
	}
	return "", ""
}

// EndFaults lets nothing go wrong on purpose any more.
func EndFaults() Command {
	return command("clear-faults", SetFaults(&FaultValues{Off: true}).Run)
}

// ResetWorld goes back to where the service began.
func ResetWorld() Command {
	return command("reset", tellRequest(
		func(t Target) (*ops.ResetResult, error) { return t.World.Reset(t) },
		func(r *ops.ResetResult) string { return "service reset: " + format.Count(r.Orders, "order") },
	))
}

// TakeSnapshot keeps the service's whole state under a name.
func TakeSnapshot(name *string) Command {
	return command("take-snapshot", tellRequest(
		func(t Target) (*ops.WorldSnapshot, error) { return t.World.TakeSnapshot(t, *name) },
		func(s *ops.WorldSnapshot) string { return "snapshot " + s.Name + " taken" },
	), name)
}

// RestoreSnapshot brings back the state of a snapshot.
func RestoreSnapshot(name *string) Command {
	return command("restore-snapshot", tellRequest(
		func(t Target) (*ops.WorldSnapshot, error) { return t.World.RestoreSnapshot(t, *name) },
		func(s *ops.WorldSnapshot) string { return "snapshot " + s.Name + " restored" },
	), name)
}
