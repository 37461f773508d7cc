package ops

import (
	"context"
	"time"

	"flightdesk/api"
)

// ServiceClock is the service's clock, on which all its dates and expiries are based.
type ServiceClock struct {
	Now        api.Time         `json:"now"`
	Ahead      api.Duration     `json:"ahead"`      // total time by which the clock was advanced
	Adjustable bool             `json:"adjustable"` // the clock can be set, because the service is for tests
	Extra      api.ExtraMembers `json:",embed"`
}

// Clock returns the service's clock.
func (s *WorldService) Clock(ctx context.Context) (*ServiceClock, error) {
	return api.CallOne[ServiceClock](ctx, s.c, api.NewOperation("read clock", "GET clock"), nil)
}

// AdvanceClock moves the service's clock forward by a positive duration.
func (s *WorldService) AdvanceClock(ctx context.Context, by time.Duration) (*ServiceClock, error) {
	return api.CallOne[ServiceClock](ctx, s.c, api.NewOperation("advance clock", "POST clock"),
		map[string]api.Duration{"advance": {Duration: by}})
}

// SetClock moves the service's clock forward to a later time.
func (s *WorldService) SetClock(ctx context.Context, at time.Time) (*ServiceClock, error) {
	return api.CallOne[ServiceClock](ctx, s.c, api.NewOperation("set clock", "POST clock"), map[string]api.Time{"at": api.TimeOf(at)})
}

// MaxFaultLatency is the maximum delay of responses in seconds.
const MaxFaultLatency = 30

// CallbackFault is a fault that is injected into callbacks.
type CallbackFault string

// The callback faults.
const (
	CallbackDrop      CallbackFault = "drop"      // is not sent; its attempts fail
	CallbackDelay     CallbackFault = "delay"     // is sent later, by the latency
	CallbackDuplicate CallbackFault = "duplicate" // is sent twice
	CallbackReorder   CallbackFault = "reorder"   // is sent after later callbacks
)

// CallbackFaults lists the callback faults.
func CallbackFaults() []CallbackFault {
	return []CallbackFault{CallbackDrop, CallbackDelay, CallbackDuplicate, CallbackReorder}
}

// Faults are the injected faults. They affect requests to the two client interfaces, or callbacks
// if Callbacks names a fault. The zero value injects no faults.
type Faults struct {
	Latency   api.Duration  `json:"latency"`            // delay of responses, up to MaxFaultLatency
	Status    int           `json:"status"`             // 400 to 599; 0 to only add Latency
	Rate      float64       `json:"rate"`               // share of the affected requests, 0 to 1
	Path      string        `json:"path"`               // prefix of the affected paths, with or without the base of an interface
	Injected  int           `json:"injected"`           // number of affected requests or callbacks since the faults were set
	Callbacks CallbackFault `json:"callbacks,omitzero"` // if it is empty, requests are affected

	Unavailable string           `json:"unavailable,omitzero"` // why no faults can be set; empty if they can
	Extra       api.ExtraMembers `json:",embed"`
}

// FaultsInput is the request to inject faults. The zero value ends them.
type FaultsInput struct {
	Latency   api.Duration  `json:"latency,omitzero" check:"latency"`
	Status    int           `json:"status,omitzero" check:"status"`
	Rate      *float64      `json:"rate,omitzero" check:"share"` // nil for all requests
	Path      string        `json:"path,omitzero" check:"path"`
	Callbacks CallbackFault `json:"callbacks,omitzero" check:"optional"` // affect callbacks instead of requests
}

// Faults returns the injected faults.
func (s *WorldService) Faults(ctx context.Context) (*Faults, error) {
	return api.CallOne[Faults](ctx, s.c, api.NewOperation("read faults", "GET faults"), nil)
}

// SetFaults replaces the injected faults.
func (s *WorldService) SetFaults(ctx context.Context, in FaultsInput) (*Faults, error) {
	return api.CallOne[Faults](ctx, s.c, api.NewOperation("set faults", "PUT faults"), in)
}

// ResetResult describes the world after a reset.
type ResetResult struct {
	Orders int              `json:"orders"` // number of orders
	Extra  api.ExtraMembers `json:",embed"`
}

// Reset replaces all orders and their data by the initial orders. Accounts and keys remain.
func (s *WorldService) Reset(ctx context.Context) (*ResetResult, error) {
	return api.CallOne[ResetResult](ctx, s.c, api.NewOperation("reset", "POST reset"), map[string]bool{"confirm": true})
}

// ScenarioName describes a scenario that can be played.
type ScenarioName struct {
	Name  string           `json:"name"`
	Extra api.ExtraMembers `json:",embed"`
}

// Scenarios lists the scenarios that can be played.
func (s *WorldService) Scenarios(ctx context.Context) ([]ScenarioName, error) {
	page, err := api.CallPage[ScenarioName](ctx, s.c, api.NewOperation("list scenarios", "GET scenarios"), api.ListOptions{})
	if err != nil {
		return nil, err
	}
	return page.Items, nil
}

// PlayInput selects the accounts for which a scenario is played.
type PlayInput struct {
	Accounts []string `json:"accounts,omitzero" check:"optional"` // UUIDs of demo accounts; none for the default demo accounts
}

// PlayScenario starts a scenario. If another scenario is playing, it ends.
func (s *WorldService) PlayScenario(ctx context.Context, name string, in PlayInput) (*SimulatorState, error) {
	op := api.NewOperation("play scenario", "POST scenarios/{}/play", name).Slow(2)
	return api.CallOne[SimulatorState](ctx, s.c, op, in)
}

// DemoAccount is an account with copies of the first demo account's orders. Only the response that
// creates the account contains Key.
type DemoAccount struct {
	UUID        string           `json:"uuid"`
	CompanyName string           `json:"companyName"`
	Key         string           `json:"key"`
	Scopes      []api.Scope      `json:"scopes"`
	Extra       api.ExtraMembers `json:",embed"`
}

// DemoAccountInput is the request to create a demo account.
type DemoAccountInput struct {
	CompanyName string `json:"companyName" check:"required,name"`
}

// AddDemoAccount creates an account with copies of the first demo account's orders.
func (s *WorldService) AddDemoAccount(ctx context.Context, in DemoAccountInput) (*DemoAccount, error) {
	return api.CallOne[DemoAccount](ctx, s.c, api.NewOperation("add demo account", "POST demo-accounts").Slow(2), in)
}

// SimulatorState is the state of the simulator, which carries out orders like the operations team:
// it issues quotes, schedules flights and so on.
type SimulatorState struct {
	Paused    bool            `json:"paused"`
	Speed     float64         `json:"speed"` // multiple of real time
	Done      int             `json:"done"`  // steps since the start
	Waiting   int             `json:"waiting"`
	Upcoming  []SimulatorStep `json:"upcoming"`  // the next steps, in order
	LastError *string         `json:"lastError"` // why the last step failed; nil if it succeeded
	Scenario  *ScenarioState  `json:"scenario"`  // scenario being played; nil if none

	Unavailable string           `json:"unavailable,omitzero"` // why there is no simulator; empty if there is one
	Extra       api.ExtraMembers `json:",embed"`
}

// ScenarioState is the progress of a training or demo scenario.
type ScenarioState struct {
	Name      string           `json:"name"`
	Title     string           `json:"title"`
	Done      int              `json:"done"`      // number of events played
	Events    int              `json:"events"`    // number of all events
	Last      *ScenarioEvent   `json:"last"`      // last event played
	Upcoming  []ScenarioEvent  `json:"upcoming"`  // next events
	LastError *string          `json:"lastError"` // line, event and error of the last event that failed
	Extra     api.ExtraMembers `json:",embed"`
}

// ScenarioEvent is an event of a scenario.
type ScenarioEvent struct {
	Does      string           `json:"does"`      // text from the scenario's file
	At        api.Time         `json:"at"`        // by the service's clock
	OrderCode *string          `json:"orderCode"` // order of the event, once it is placed
	Extra     api.ExtraMembers `json:",embed"`
}

// SimulatorStep is an upcoming move of the simulator.
type SimulatorStep struct {
	Does        string           `json:"does"` // such as "assignOperator"
	OrderUID    string           `json:"orderUid"`
	OrderCode   string           `json:"orderCode"`
	MissionUID  *string          `json:"missionUid"` // nil if the step concerns the whole order
	MissionCode *string          `json:"missionCode"`
	At          api.Time         `json:"at"` // by the service's clock
	Extra       api.ExtraMembers `json:",embed"`
}

// SimulatorInput is a change of the simulator; nil fields stay unchanged.
type SimulatorInput struct {
	Paused *bool    `json:"paused,omitzero" check:"optional"`
	Speed  *float64 `json:"speed,omitzero" check:"speed"`   // MinSpeed to MaxSpeed
	Step   bool     `json:"step,omitzero" check:"optional"` // play the scenario's next event, or make the next step, at once
}

// Limits of the simulator's speed, as multiples of real time. At DemoSpeed an hour takes a second.
const (
	MinSpeed  = 0.001
	MaxSpeed  = 1e6
	DemoSpeed = 3600
)

// Simulator returns the state of the simulator.
func (s *WorldService) Simulator(ctx context.Context) (*SimulatorState, error) {
	return api.CallOne[SimulatorState](ctx, s.c, api.NewOperation("read simulator", "GET simulator"), nil)
}

// SetSimulator changes the speed of the simulator, pauses it or makes a step.
func (s *WorldService) SetSimulator(ctx context.Context, in SimulatorInput) (*SimulatorState, error) {
	op := api.NewOperation("set simulator", "POST simulator").Slow(2)
	return api.CallOne[SimulatorState](ctx, s.c, op, in)
}

// WorldSnapshot is a saved state of all data of a service, including accounts, keys and clock.
type WorldSnapshot struct {
	Name    string           `json:"name"`
	TakenAt api.Time         `json:"takenAt"` // by the machine's clock
	Bytes   int64            `json:"bytes"`
	Extra   api.ExtraMembers `json:",embed"`
}

// Snapshots returns the snapshots, newest first.
func (s *WorldService) Snapshots(ctx context.Context) ([]WorldSnapshot, error) {
	page, err := api.CallPage[WorldSnapshot](ctx, s.c, api.NewOperation("list snapshots", "GET snapshots"), api.ListOptions{})
	if err != nil {
		return nil, err
	}
	return page.Items, nil
}

// TakeSnapshot saves the world under a name of letters, digits, - and _. It replaces an earlier
// snapshot with the name.
func (s *WorldService) TakeSnapshot(ctx context.Context, name string) (*WorldSnapshot, error) {
	op := api.NewOperation("take a snapshot", "POST snapshots")
	return api.CallOne[WorldSnapshot](ctx, s.c, op, map[string]string{"name": name})
}

// RestoreSnapshot restores the world from a snapshot.
func (s *WorldService) RestoreSnapshot(ctx context.Context, name string) (*WorldSnapshot, error) {
	op := api.NewOperation("restore a snapshot", "POST snapshots/{}/restore", name)
	return api.CallOne[WorldSnapshot](ctx, s.c, op, nil)
}
