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

// ResendCallback returns the command that makes the service send a callback again. The callback keeps its ID.
func ResendCallback() Command {
	c := command("resend-callback", func(t Target) (any, error) { return t.Webhooks.Resend(t, t.ID) }, nil)
	c.Watch = watchResend
	return c
}

// ResendNotice returns the command that makes the service send a completion notice again. The notice keeps its ID.
func ResendNotice() Command {
	c := command("resend-notice", func(t Target) (any, error) { return t.Orders.ResendNotification(t, t.ID) }, nil)
	c.Watch = watchNotice
	return c
}

// TestEndpoint returns the command that makes the service send a test event to an endpoint. The
// mission in the event does not exist.
func TestEndpoint(event *api.EventName) Command {
	c := command("test-endpoint", func(t Target) (any, error) {
		return t.Webhooks.Test(t, t.ID, *event)
	}, values{"event": (*string)(event)})
	c.Long += strings.Join(format.PlainTexts(api.EventNames()), ", ") + "."
	c.Watch = watchTest(event)
	c.field("event").Known = format.WordOptions(api.EventNames())
	return c
}

// ClockChange says how far to advance the service's clock: by a duration, or to a time.
type ClockChange struct {
	By api.Duration
	To api.Time
}

// AdvanceClock returns the command that advances the service's clock.
func AdvanceClock(in *ClockChange) Command {
	c := command("clock", in.request, values{"advance": &in.By, "at": &in.To})
	readClock := func(t Target) (*ops.ServiceClock, error) { return t.World.Clock(t) }
	c.Watch = watchState(readClock, func(before, now *ops.ServiceClock) (any, error) {
		if !in.isApplied(before, now) {
			return nil, nil
		}
		return now, nil
	})
	c.Check = func() (field, fault string) {
		if in.By.Duration != 0 && !in.To.IsZero() {
			return "at", "cannot be combined with --advance"
		}
		return "", ""
	}
	return c
}

// request advances the clock. If t.Look is true, it only reads the clock.
func (in *ClockChange) request(t Target) (any, error) {
	if t.Look {
		return t.World.Clock(t)
	}
	if in.To.IsZero() {
		return t.World.AdvanceClock(t, in.By.Duration)
	}
	return t.World.SetClock(t, in.To.Time)
}

// isApplied reports whether the clock was advanced as requested. It compares the clock before the request and now.
func (in *ClockChange) isApplied(before, now *ops.ServiceClock) bool {
	wanted := in.To.Time
	if wanted.IsZero() {
		wanted = before.Now.Add(in.By.Duration)
	}
	return now.Ahead.Duration > before.Ahead.Duration && !now.Now.Before(wanted)
}

// Pace says how to change the simulator. Speed is nil to keep the speed.
type Pace struct {
	Pause, Resume, Step bool
	Speed               *float64
}

// PaceSimulator returns the command that pauses or resumes the simulator, runs one step, or changes its speed.
func PaceSimulator(in *Pace) Command {
	c := command("simulator", in.request, values{
		"pause":  &in.Pause,
		"resume": &in.Resume,
		"step":   &in.Step,
		"speed":  &in.Speed,
	})
	readSimulator := func(t Target) (*ops.SimulatorState, error) { return t.World.Simulator(t) }
	c.Watch = watchState(readSimulator, func(before, now *ops.SimulatorState) (any, error) {
		if !in.isApplied(before, now) {
			return nil, nil
		}
		return in.outcome(now), nil
	})
	c.limit("speed", ops.MinSpeed, ops.MaxSpeed)
	c.Check = func() (field, fault string) {
		if in.Pause && in.Resume {
			return "pause", "cannot be combined with --resume"
		}
		return "", ""
	}
	return c
}

// request changes the simulator. If t.Look is true, it only reads its state.
func (in *Pace) request(t Target) (any, error) {
	if t.Look {
		return t.World.Simulator(t)
	}
	input := ops.SimulatorInput{Step: in.Step, Speed: in.Speed}
	if in.Pause || in.Resume {
		input.Paused = &in.Pause
	}
	state, err := t.World.SetSimulator(t, input)
	if err != nil {
		return nil, err
	}
	return in.outcome(state), nil
}

// outcome returns the result of the command, with a text about the state of the simulator or the step that was run.
func (in *Pace) outcome(s *ops.SimulatorState) *Outcome {
	return &Outcome{Value: s, Done: in.describeDone(s)}
}

// isApplied reports whether the simulator has changed as requested. It compares the states before the
// request and now.
func (in *Pace) isApplied(before, now *ops.SimulatorState) bool {
	if (in.Pause || in.Resume) && now.Paused != in.Pause {
		return false
	}
	if in.Speed != nil && now.Speed != *in.Speed {
		return false
	}
	return !in.Step || countSteps(now) > countSteps(before)
}

// countSteps returns how many steps and events the simulator has run.
func countSteps(s *ops.SimulatorState) int {
	if s.Scenario == nil {
		return s.Done
	}
	return s.Done + s.Scenario.Done
}

// describeDone returns a text about the state of the simulator, or about the step that was run. It is
// not called if the step itself failed, because the response is an error then.
func (in *Pace) describeDone(s *ops.SimulatorState) string {
	if !in.Step {
		return "simulator " + PaceText(s)
	}
	if s.Scenario == nil {
		return "step done"
	}
	if hasLastEventFailed(s.Scenario) {
		return "event failed: " + *s.Scenario.LastError
	}
	return "event done: " + DescribeEvent(s.Scenario.Last)
}

// hasLastEventFailed reports whether the last event of a scenario has failed. The field LastError can be about an
// earlier event, so its text is compared with the last event. Such a text is "line 7: deliver-data ORD-7: no files".
func hasLastEventFailed(scenario *ops.ScenarioState) bool {
	if scenario.LastError == nil || scenario.Last == nil {
		return false
	}
	_, failure, _ := strings.Cut(*scenario.LastError, ": ")
	return strings.HasPrefix(failure, scenario.Last.Does+": ")
}

// UpcomingStep is a future step of the simulator or event of a scenario.
type UpcomingStep struct {
	At   api.Time
	Does string // description
}

// UpcomingSteps returns the next events of the scenario and the next steps of the
// simulator.
func UpcomingSteps(s *ops.SimulatorState) []UpcomingStep {
	var list []UpcomingStep
	if s.Scenario != nil {
		for _, e := range s.Scenario.Upcoming {
			list = append(list, UpcomingStep{e.At, DescribeEvent(&e)})
		}
	}
	for _, step := range s.Upcoming {
		title := cmp.Or(stepTitles[step.Does], step.Does)
		code := cmp.Or(format.ValueOf(step.MissionCode), step.OrderCode)
		list = append(list, UpcomingStep{step.At, format.Clean(title) + " " + code})
	}
	return list
}

// DescribeEvent returns a text about an event of a scenario, such as "deliver data (ORD-7)" for the
// verb deliver-data. For a note it returns the text of the note, and "" for nil.
func DescribeEvent(e *ops.ScenarioEvent) string {
	if e == nil {
		return ""
	}
	if note, isNote := strings.CutPrefix(e.Does, "note "); isNote {
		return format.Clean(strings.Trim(note, `"`))
	}
	verb, rest, _ := strings.Cut(e.Does, " ")
	text := strings.TrimSpace(strings.ReplaceAll(verb, "-", " ") + " " + rest)
	if code := format.ValueOf(e.OrderCode); code != "" {
		text += " (" + code + ")"
	}
	return format.Clean(text)
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

// PaceText returns a text about the speed of the simulator.
func PaceText(s *ops.SimulatorState) string {
	decimals := 0
	if s.Speed < 1 {
		decimals = 3
	}
	pace := format.GroupDigits(s.Speed, decimals) + "×"
	if s.Unavailable != "" {
		return "not available"
	}
	if s.Speed == 0 {
		return "off"
	}
	if s.Paused {
		return "paused at " + pace
	}
	return "runs at " + pace
}

// SimulatorFacts returns labels and values for the state of the simulator and its scenario.
func SimulatorFacts(s *ops.SimulatorState) [][2]string {
	if s.Unavailable != "" {
		return [][2]string{{"Simulator", PaceText(s) + ": " + format.Clean(s.Unavailable)}}
	}
	state := fmt.Sprintf("%s, %s done, %d waiting", PaceText(s), format.Count(s.Done, "step"), s.Waiting)
	facts := [][2]string{
		{"Simulator", state},
		{"Failure", format.Clean(format.ValueOf(s.LastError))},
	}
	if scenario := s.Scenario; scenario != nil {
		done := fmt.Sprintf("%s, %d of %d events done", scenario.Title, scenario.Done, scenario.Events)
		if len(scenario.Upcoming) == 0 {
			done += "; a reset restarts it"
		}
		facts = append(facts, [][2]string{
			{"Scenario", format.Clean(done)},
			{"Last", DescribeEvent(scenario.Last)},
			{"Failed at", format.Clean(format.ValueOf(scenario.LastError))},
		}...)
	}
	return slices.DeleteFunc(facts, func(f [2]string) bool { return f[1] == "" })
}

// FaultValues has the values of the command that sets the faults to inject.
type FaultValues struct {
	ops.FaultsInput         // without its rate
	Rate            float64 // share of the requests or callbacks that fail, from 0 to 1
	Off             bool    // remove all faults
}

// SetFaults returns the command that makes the service inject faults: it fails or delays a share of
// the clients' requests, or of the callbacks.
func SetFaults(in *FaultValues) Command {
	c := command("faults", in.request, values{
		"status":    &in.Status,
		"latency":   &in.Latency,
		"rate":      &in.Rate,
		"path":      &in.Path,
		"callbacks": (*string)(&in.Callbacks),
		"off":       &in.Off,
	})
	c.Watch = watchAfter(func(t Target) (any, error) {
		faults, err := t.World.Faults(t)
		if err != nil {
			return nil, err
		}
		if !in.isApplied(faults) {
			return nil, nil
		}
		return describeFaults(faults), nil
	})
	c.limit("latency", 0, ops.MaxFaultLatency)
	c.field("callbacks").Known = format.WordOptions(ops.CallbackFaults())
	c.Check = in.checkValues
	return c
}

// request sets the faults. If t.Look is true, it only reads them.
func (in *FaultValues) request(t Target) (any, error) {
	if t.Look {
		return t.World.Faults(t)
	}
	faults, err := t.World.SetFaults(t, in.input())
	if err != nil {
		return nil, err
	}
	return describeFaults(faults), nil
}

// input returns the body of the request. It is empty for removing all faults.
func (in *FaultValues) input() ops.FaultsInput {
	if in.Off {
		return ops.FaultsInput{}
	}
	input := in.FaultsInput
	input.Rate = &in.Rate
	return input
}

func describeFaults(f *ops.Faults) *Outcome {
	o := &Outcome{Value: f, Done: "faults cleared"}
	if HasFaults(f) {
		o.Done = "faults set: " + FaultText(f)
	}
	return o
}

// isApplied reports whether the service injects the requested faults.
func (in *FaultValues) isApplied(now *ops.Faults) bool {
	if in.Off || in.Rate == 0 {
		return !HasFaults(now)
	}
	isSameEffect := now.Status == in.Status && now.Latency == in.Latency && now.Callbacks == in.Callbacks
	isSameScope := now.Path == in.Path && now.Rate == in.Rate
	return isSameEffect && isSameScope
}

// HasFaults reports whether the service injects faults.
func HasFaults(f *ops.Faults) bool {
	return f != nil && (f.Status != 0 || f.Latency.Duration > 0 || f.Callbacks != "")
}

// FaultFacts returns labels and values for the injected faults, with the number of faults so far.
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

// noFaultsText returns the text for a service that injects no faults, with the reason if the service
// does not allow faults.
func noFaultsText(f *ops.Faults) string {
	if f != nil && f.Unavailable != "" {
		return "not available: " + format.Clean(f.Unavailable)
	}
	return "no faults set"
}

// FaultText returns a text about injected faults, such as "30% of requests to /orders: 503, 2s late".
func FaultText(f *ops.Faults) string {
	subject := "requests"
	var effects []string
	if f.Callbacks != "" {
		subject = "callbacks"
		effects = append(effects, strings.ToLower(format.Word(f.Callbacks).Label))
	}
	if f.Path != "" {
		subject += " to " + f.Path
	}
	if f.Status != 0 {
		effects = append(effects, strconv.Itoa(f.Status))
	}
	if f.Latency.Duration > 0 {
		effects = append(effects, f.Latency.String()+" late")
	}
	percent := format.GroupDigits(100*f.Rate, 0)
	return percent + "% of " + subject + ": " + strings.Join(effects, ", ")
}

// checkValues checks whether the values fit together. It returns the field to correct and what is
// wrong with it, or two empty texts.
func (in *FaultValues) checkValues() (field, fault string) {
	if in.Off {
		if in.FaultsInput != (ops.FaultsInput{}) {
			return "off", "cannot be combined with other flags"
		}
		return "", ""
	}
	if in.Callbacks != "" {
		if in.Status != 0 {
			return "status", "callbacks are not answered; use 0"
		}
		if in.Path != "" {
			return "path", "callbacks have no path; leave it empty"
		}
		return "", ""
	}
	if in.Status != 0 && in.Status < 400 {
		return "status", "use 400 to 599, or 0"
	}
	if in.Status == 0 && in.Latency.Duration == 0 {
		return "latency", "enter a delay or a status"
	}
	if in.Path != "" && in.Path[0] != '/' {
		return "path", "must start with a slash"
	}
	return "", ""
}

// EndFaults returns the command that removes all faults.
func EndFaults() Command {
	faults := SetFaults(&FaultValues{Off: true})
	c := command("clear-faults", faults.Request, nil)
	c.Watch = faults.Watch
	return c
}

// ResetWorld returns the command that resets the service to its initial data.
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

// TakeSnapshot returns the command that saves the whole state of the service under a name.
func TakeSnapshot(name *string) Command {
	c := command("take-snapshot", func(t Target) (any, error) {
		return t.World.TakeSnapshot(t, *name)
	}, values{"name": name})
	readSnapshot := func(t Target) (*ops.WorldSnapshot, error) { return findSnapshot(t, *name) }
	c.Watch = watchState(readSnapshot, func(before, now *ops.WorldSnapshot) (any, error) {
		isOld := before != nil && now != nil && now.TakenAt.Equal(before.TakenAt.Time)
		if now == nil || isOld {
			return nil, nil
		}
		return now, nil
	})
	return c
}

// findSnapshot returns the snapshot with the given name, or nil.
func findSnapshot(t Target, name string) (*ops.WorldSnapshot, error) {
	all, err := t.World.Snapshots(t)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if all[i].Name == name {
			return &all[i], nil
		}
	}
	return nil, nil
}

// RestoreSnapshot returns the command that restores the state of a snapshot.
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

// TrustCertificate makes the service accept TLS certificates when it sends callbacks. pem has the
// certificates of the receiver, in PEM.
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

// AddDataset adds a dataset with the target's files to an account. Without files, the service creates sample files.
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
