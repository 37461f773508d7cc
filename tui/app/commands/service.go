package commands

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/format"
)

// ResendCallback sends a callback once more, under the same id.
func ResendCallback() Command {
	c := command("resend-callback", func(t Target) (any, error) { return t.Webhooks.Resend(t, t.ID) }, nil)
	c.Watch = watchResend
	return c
}

// ResendNotice sends the notice that an order is complete once more, under the
// same id.
func ResendNotice() Command {
	c := command("resend-notice", func(t Target) (any, error) { return t.Orders.ResendNotification(t, t.ID) }, nil)
	c.Watch = watchNotice
	return c
}

// TestEndpoint sends an event of a mission that there is not to an endpoint.
func TestEndpoint(event *api.EventName) Command {
	c := command("test-endpoint", func(t Target) (any, error) {
		return t.Webhooks.Test(t, t.ID, *event)
	}, values{"event": (*string)(event)})
	c.Long += strings.Join(format.PlainTexts(api.EventNames()), ", ") + "."
	c.Watch = watchTest(event)
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
	c := command("clock", func(t Target) (any, error) {
		if t.Look {
			return t.World.Clock(t)
		}
		if in.To.IsZero() {
			return t.World.AdvanceClock(t, in.By.Duration)
		}
		return t.World.SetClock(t, in.To.Time)
	}, values{"advance": &in.By, "at": &in.To})
	c.Watch = func(t Target) (findFunc, error) {
		before, err := t.World.Clock(t)
		if err != nil {
			return nil, err
		}
		return func(t Target) (any, error) {
			now, err := t.World.Clock(t)
			if err != nil {
				return nil, err
			}
			if !in.isReached(before, now) {
				return nil, nil
			}
			return now, nil
		}, nil
	}
	c.Check = func() (field, fault string) {
		if in.By.Duration != 0 && !in.To.IsZero() {
			return "at", "cannot be combined with --advance"
		}
		return "", ""
	}
	return c
}

// isReached reports whether the clock was moved as wanted.
func (in *ClockChange) isReached(before, now *ops.ServiceClock) bool {
	to := in.To.Time
	if to.IsZero() {
		to = before.Now.Add(in.By.Duration)
	}
	return now.Ahead.Duration > before.Ahead.Duration && !now.Now.Before(to)
}

// Pace is what changes of the simulator.
type Pace struct {
	Pause, Resume, Step bool
	Speed               *float64
}

// PaceSimulator has the simulator wait, go on, take a step, or go at another
// speed.
func PaceSimulator(in *Pace) Command {
	c := command("simulator", func(t Target) (any, error) {
		if t.Look {
			return t.World.Simulator(t)
		}
		sent := ops.SimulatorInput{Step: in.Step, Speed: in.Speed}
		if in.Pause || in.Resume {
			sent.Paused = &in.Pause
		}
		s, err := t.World.SetSimulator(t, sent)
		if err != nil {
			return nil, err
		}
		return &Outcome{Value: s, Done: in.describeDone(s)}, nil
	}, values{
		"pause":  &in.Pause,
		"resume": &in.Resume,
		"step":   &in.Step,
		"speed":  &in.Speed,
	})
	c.Watch = func(t Target) (findFunc, error) {
		before, err := t.World.Simulator(t)
		if err != nil {
			return nil, err
		}
		return func(t Target) (any, error) {
			now, err := t.World.Simulator(t)
			if err != nil {
				return nil, err
			}
			if !in.isReached(before, now) {
				return nil, nil
			}
			return &Outcome{Value: now, Done: in.describeDone(now)}, nil
		}, nil
	}
	c.limit("speed", ops.MinSpeed, ops.MaxSpeed)
	c.Check = func() (field, fault string) {
		if in.Pause && in.Resume {
			return "pause", "cannot be combined with --resume"
		}
		return "", ""
	}
	return c
}

// isReached reports whether the simulator is as wanted.
func (in *Pace) isReached(before, now *ops.SimulatorState) bool {
	if (in.Pause || in.Resume) && now.Paused != in.Pause {
		return false
	}
	if in.Speed != nil && now.Speed != *in.Speed {
		return false
	}
	return !in.Step || countSteps(now) > countSteps(before)
}

// countSteps returns how many steps and events were done.
func countSteps(s *ops.SimulatorState) int {
	if s.Scenario == nil {
		return s.Done
	}
	return s.Done + s.Scenario.Done
}

// describeDone says what the simulator does, or what came of its step.
func (in *Pace) describeDone(s *ops.SimulatorState) string {
	switch {
	case !in.Step:
		return "simulator " + PaceText(s)
	case s.LastError != nil:
		return "step failed: " + *s.LastError
	case s.Scenario == nil:
		return "step done"
	case s.Scenario.LastError != nil:
		return "event failed: " + *s.Scenario.LastError
	}
	return "event done: " + DescribeEvent(s.Scenario.Last)
}

// UpcomingStep is what a scenario or the simulator does next.
type UpcomingStep struct {
	At   api.Time
	Does string
}

// UpcomingSteps returns the events of the scenario, and the steps of the simulator.
func UpcomingSteps(s *ops.SimulatorState) []UpcomingStep {
	var list []UpcomingStep
	if s.Scenario != nil {
		for _, e := range s.Scenario.Upcoming {
			list = append(list, UpcomingStep{e.At, DescribeEvent(&e)})
		}
	}
	for _, step := range s.Upcoming {
		code := cmp.Or(format.ValueOf(step.MissionCode), step.OrderCode)
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
	if code := format.ValueOf(e.OrderCode); code != "" {
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
	case s.Unavailable != "":
		return "not available"
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
	if s.Unavailable != "" {
		return [][2]string{{"Simulator", PaceText(s) + ": " + format.Clean(s.Unavailable)}}
	}
	facts := [][2]string{
		{"Simulator", PaceText(s) + ", " + format.Count(s.Done, "step") + " done, " + strconv.Itoa(s.Waiting) + " waiting"},
		{"Trouble", format.Clean(format.ValueOf(s.LastError))},
	}
	if of := s.Scenario; of != nil {
		done := fmt.Sprintf("%s, %d of %d events done", of.Title, of.Done, of.Events)
		if len(of.Upcoming) == 0 {
			done += "; a reset restarts it"
		}
		facts = append(facts, [][2]string{
			{"Scenario", format.Clean(done)},
			{"Last", DescribeEvent(of.Last)},
			{"Trouble", format.Clean(format.ValueOf(of.LastError))},
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
	c := command("faults", func(t Target) (any, error) {
		if t.Look {
			return t.World.Faults(t)
		}
		in.FaultsInput.Rate = &in.Rate
		if in.Off {
			in.FaultsInput = ops.FaultsInput{}
		}
		f, err := t.World.SetFaults(t, in.FaultsInput)
		if err != nil {
			return nil, err
		}
		return describeFaults(f), nil
	}, values{
		"status":    &in.Status,
		"latency":   &in.Latency,
		"rate":      &in.Rate,
		"path":      &in.Path,
		"callbacks": (*string)(&in.Callbacks),
		"off":       &in.Off,
	})
	c.Watch = func(Target) (findFunc, error) {
		return func(t Target) (any, error) {
			now, err := t.World.Faults(t)
			if err != nil {
				return nil, err
			}
			if !in.isReached(now) {
				return nil, nil
			}
			return describeFaults(now), nil
		}, nil
	}
	c.limit("latency", 0, ops.MaxFaultLatency)
	c.field("callbacks").Known = format.WordOptions(ops.CallbackFaults())
	c.Check = in.checkValues
	return c
}

func describeFaults(f *ops.Faults) *Outcome {
	o := &Outcome{Value: f, Done: "faults cleared"}
	if HasFaults(f) {
		o.Done = "faults set: " + FaultText(f)
	}
	return o
}

// isReached reports whether the faults are set as wanted.
func (in *FaultValues) isReached(now *ops.Faults) bool {
	sent := in.FaultsInput
	if in.Off || in.Rate == 0 {
		return !HasFaults(now)
	}
	return now.Status == sent.Status && now.Latency == sent.Latency && now.Path == sent.Path &&
		now.Callbacks == sent.Callbacks && now.Rate == in.Rate
}

// HasFaults reports whether faults are injected.
func HasFaults(f *ops.Faults) bool {
	return f != nil && (f.Status != 0 || f.Latency.Duration > 0 || f.Callbacks != "")
}

// FaultFacts returns the faults, and how many there were so far.
func FaultFacts(f *ops.Faults) [][2]string {
	if !HasFaults(f) {
		return [][2]string{{"Faults", noFaultsText(f)}}
	}
	what := "request"
	if f.Callbacks != "" {
		what = "callback"
	}
	return [][2]string{{"Faults", FaultText(f) + "; " + format.Count(f.Injected, what) + " so far"}}
}

// noFaultsText says that there are no faults, and why if the service allows none.
func noFaultsText(f *ops.Faults) string {
	if f != nil && f.Unavailable != "" {
		return "not available: " + format.Clean(f.Unavailable)
	}
	return "no faults set"
}

// FaultText describes the injected faults, as "30% of requests to /orders: 503, 2s late".
func FaultText(f *ops.Faults) string {
	what := "requests"
	var all []string
	if f.Callbacks != "" {
		what = "callbacks"
		all = append(all, strings.ToLower(format.Word(f.Callbacks).Label))
	}
	text := format.GroupDigits(100*f.Rate, 0) + "% of " + what
	if f.Path != "" {
		text += " to " + f.Path
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
	switch {
	case in.Off && in.FaultsInput != (ops.FaultsInput{}):
		return "off", "cannot be combined with other flags"
	case in.Off:
		return "", ""
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
func EndFaults() Command {
	faults := SetFaults(&FaultValues{Off: true})
	c := command("clear-faults", faults.Request, nil)
	c.Watch = faults.Watch
	return c
}

// ResetWorld goes back to where the service began.
func ResetWorld() Command {
	c := command("reset", func(t Target) (any, error) { return t.World.Reset(t) }, nil)
	c.Watch = watchAudit("POST /reset", func(t Target, _ *ops.AuditEntry) (any, error) {
		orders := 0
		for _, err := range t.Orders.All(t, ops.OrderFilter{}) {
			if err != nil {
				return nil, err
			}
			orders++
		}
		return &ops.ResetResult{Orders: orders}, nil
	})
	return c
}

// TakeSnapshot keeps the service's whole state under a name.
func TakeSnapshot(name *string) Command {
	c := command("take-snapshot", func(t Target) (any, error) {
		return t.World.TakeSnapshot(t, *name)
	}, values{"name": name})
	c.Watch = func(t Target) (findFunc, error) {
		before, err := findSnapshot(t, *name)
		if err != nil {
			return nil, err
		}
		return func(t Target) (any, error) {
			now, err := findSnapshot(t, *name)
			if err != nil {
				return nil, err
			}
			if now == nil || before != nil && now.TakenAt.Equal(before.TakenAt.Time) {
				return nil, nil
			}
			return now, nil
		}, nil
	}
	return c
}

// findSnapshot returns the snapshot of a name, or nil.
func findSnapshot(t Target, name string) (*ops.WorldSnapshot, error) {
	all, err := t.World.Snapshots(t)
	for i := range all {
		if all[i].Name == name {
			return &all[i], err
		}
	}
	return nil, err
}

// RestoreSnapshot brings back the state of a snapshot.
func RestoreSnapshot(name *string) Command {
	c := command("restore-snapshot", func(t Target) (any, error) {
		return t.World.RestoreSnapshot(t, *name)
	}, values{"name": name})
	c.Watch = watchAudit("POST /snapshots/{name}/restore", func(t Target, _ *ops.AuditEntry) (any, error) {
		snapshot, err := findSnapshot(t, *name)
		if err != nil {
			return nil, err
		}
		if snapshot == nil {
			return nil, nil
		}
		return snapshot, nil
	})
	return c
}

// TrustCertificate has the service trust the certificates of a receiver of callbacks.
func TrustCertificate(t Target, pem []byte) (*ops.TrustResult, error) {
	c := Command{
		Doing:   "trusting the certificate",
		Request: func(t Target) (any, error) { return t.Webhooks.Trust(t, pem) },
		Watch: watchAudit("POST /webhook-trust", func(Target, *ops.AuditEntry) (any, error) {
			return &ops.TrustResult{Trusted: bytes.Count(pem, []byte("-----BEGIN CERTIFICATE"))}, nil
		}),
	}
	answer, err := c.requestAnswer(t)
	if err != nil {
		return nil, err
	}
	return answer.(*ops.TrustResult), nil
}

// AddDataset adds a dataset to an account: of the target's files, or with none of sample files.
func AddDataset(t Target, in *ops.DatasetInput) (*ops.Dataset, error) {
	c := Command{
		Doing: "adding the dataset",
		Request: func(t Target) (any, error) {
			if len(t.Files) == 0 {
				return t.Datasets.Generate(t, t.ID, *in)
			}
			return t.Datasets.Add(t, t.ID, *in, t.Files...)
		},
		Watch: watchAudit("POST /accounts/{uuid}/datasets", func(_ Target, e *ops.AuditEntry) (any, error) {
			found := &ops.Dataset{UUID: e.Subject}
			found.DatasetName = in.DatasetName
			return found, nil
		}),
	}
	answer, err := c.requestAnswer(t)
	if err != nil {
		return nil, err
	}
	return answer.(*ops.Dataset), nil
}
