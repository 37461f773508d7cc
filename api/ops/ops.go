// Package ops is a client for the operations API, which runs the service side: accounts and
// keys, quotes, flights, deliveries and test controls.
//
//	desk, err := ops.NewClient(opsURL, operationsKey)
//	quote, err := desk.Quotes.Issue(ctx, orderUUID, ops.QuoteInput{
//		QuoteName: "Standard", DeliveryBy: 14, // days
//		PriceBeforeDiscount: 1200, ExpiryDate: api.TimeOf(inAWeek),
//	})
//
// Errors are those of package api.
package ops

import (
	"context"
	"iter"
	"time"

	"flightdesk/api"
)

// Account is a client of the service, as Operations sees it.
type Account struct {
	UUID        string           `json:"uuid"`
	CompanyName string           `json:"companyName"`
	ClientName  string           `json:"clientName"`
	ClientEmail string           `json:"clientEmail"`
	Currency    string           `json:"currency"` // ISO 4217
	CreatedAt   api.Time         `json:"createdAt"`
	Extra       api.ExtraMembers `json:",embed"`
}

// AccountInput is a new account. All but the company's name may be empty.
type AccountInput struct {
	CompanyName string `json:"companyName" check:"required,name"`
	ClientName  string `json:"clientName,omitzero" check:"label"`
	ClientEmail string `json:"clientEmail,omitzero" check:"email"`
	Currency    string `json:"currency,omitzero" check:"currency"` // USD if empty
}

// AccountChange is what changes of an account; nil leaves it unchanged.
type AccountChange struct {
	ClientName  *string `json:"clientName,omitzero" check:"clears,label"`
	ClientEmail *string `json:"clientEmail,omitzero" check:"clears,email"`
	Currency    *string `json:"currency,omitzero" check:"currency"`
}

// AccountKey is an API key of an account. Key itself is in the answer that
// issues it, never again.
type AccountKey struct {
	UUID        string           `json:"uuid"`
	Key         string           `json:"key,omitzero"`
	Hint        string           `json:"hint"` // the key's last four characters
	Scopes      []api.Scope      `json:"scopes"`
	Description string           `json:"description"`
	CreatedAt   api.Time         `json:"createdAt"`
	ExpiresAt   api.Time         `json:"expiresAt"` // zero: never
	RevokedAt   api.Time         `json:"revokedAt"` // zero: not revoked
	Extra       api.ExtraMembers `json:",embed"`
}

// KeyInput is what a new key may do.
type KeyInput struct {
	Scopes      []api.Scope `json:"scopes" check:"required"`
	Description string      `json:"description,omitzero" check:"remark"`
	ExpiresAt   api.Time    `json:"expiresAt,omitzero" check:"optional"` // zero: never
}

// KeyRequestStatus is where a request for an API key stands.
type KeyRequestStatus string

// The statuses of a request for an API key.
const (
	KeyRequestPending  KeyRequestStatus = "pending"
	KeyRequestApproved KeyRequestStatus = "approved"
	KeyRequestDeclined KeyRequestStatus = "declined"
)

// KeyRequestStatuses lists the statuses of a request for an API key.
func KeyRequestStatuses() []KeyRequestStatus {
	return []KeyRequestStatus{KeyRequestPending, KeyRequestApproved, KeyRequestDeclined}
}

// KeyRequest is an account's request for an API key.
type KeyRequest struct {
	UUID        string           `json:"uuid"`
	AccountUID  string           `json:"accountUid"`
	IntendedUse string           `json:"intendedUse"`
	Scopes      []api.Scope      `json:"scopes"`
	Status      KeyRequestStatus `json:"status"`
	Reason      *string          `json:"reason"` // of declining
	CreatedAt   api.Time         `json:"createdAt"`
	DecidedAt   api.Time         `json:"decidedAt"`
	Extra       api.ExtraMembers `json:",embed"`
}

// KeyRequestInput is a new request for an API key.
type KeyRequestInput struct {
	IntendedUse string      `json:"intendedUse" check:"required,text"`
	Scopes      []api.Scope `json:"scopes" check:"required"`
}

// Order is an order as Operations sees it. The detail carries
// Account and Missions, a list MissionCount in their place.
type Order struct {
	api.Order
	AccountUID string    `json:"accountUid"`
	Account    *Account  `json:"account,omitzero"`
	Missions   []Mission `json:"missions,omitzero"`
	OpenQuotes *int      `json:"openQuotes,omitzero"` // of a list only: those that the client can decide now

	// Of the detail only.
	Quotes        []Quote            `json:"quotes,omitzero"` // newest first
	Details       *api.RecordDetails `json:"details,omitzero"`
	Notifications *api.Notifications `json:"notifications,omitzero"` // nil: none were set
}

// Mission is a mission with all that belongs to it.
type Mission struct {
	api.Mission
	Planning         []api.PlanningEntry   `json:"planning"` // newest first
	FlightPermission *api.FlightPermission `json:"flightPermission"`
	Packages         []api.DeliveryPackage `json:"packages"` // newest first
}

// OrderFilter chooses orders of the list of Operations; what is empty
// chooses all.
type OrderFilter struct {
	Account string // uuid
	Status  api.OrderStatus
}

// FlightInput schedules a mission. Texts that are empty are not sent.
type FlightInput struct {
	FlightDate  api.Time `json:"flightDate" check:"required"`
	ScheduledBy string   `json:"scheduledBy,omitzero" check:"name"`
	Note        string   `json:"note,omitzero" check:"text"`
}

// PermissionInput is what is recorded of a flight permission.
type PermissionInput struct {
	Status    api.PermissionStatus `json:"status" check:"required"`
	Authority string               `json:"authority,omitzero" check:"name"`
	Reference string               `json:"reference,omitzero" check:"name"`
	ValidFrom api.Time             `json:"validFrom,omitzero" check:"optional"`
	ValidTo   api.Time             `json:"validTo,omitzero" check:"optional"` // not before ValidFrom
}

// Client calls the operations API of a service with its own key. It is safe for
// concurrent use.
type Client struct {
	*api.Connection

	Accounts  *AccountsService
	Keys      *KeysService
	Orders    *OrdersService
	Missions  *MissionsService
	Quotes    *QuotesService
	Webhooks  *WebhooksService
	Datasets  *DatasetsService
	Operators *OperatorsService
	World     *WorldService

	Invitations *InvitationsService
	Requests    *RequestsService
}

// The services of [Client].
type (
	AccountsService serviceBase // accounts
	KeysService     serviceBase // keys of accounts, and the requests for them
	OrdersService   serviceBase // orders of all accounts, from review to their end
	MissionsService serviceBase // operators, flights, permissions and deliveries
	QuotesService   serviceBase // offers
	WebhooksService serviceBase // endpoints of accounts and what was sent to them
	DatasetsService serviceBase // the data library
	WorldService    serviceBase // clock, faults, simulator and reset, for trying things out
)

type serviceBase struct{ c *api.Connection }

// NewClient returns a client of the operations API at opsURL, which ends in
// /api/ops/v1.
func NewClient(opsURL, key string, opts ...api.Option) (*Client, error) {
	c, err := api.NewConnection(opsURL, append([]api.Option{api.WithKey(key)}, opts...)...)
	if err != nil {
		return nil, err
	}
	s := &serviceBase{c}
	return &Client{
		Connection: c, Accounts: (*AccountsService)(s), Keys: (*KeysService)(s), Orders: (*OrdersService)(s),
		Missions: (*MissionsService)(s), Quotes: (*QuotesService)(s), Webhooks: (*WebhooksService)(s),
		Datasets: (*DatasetsService)(s), Operators: (*OperatorsService)(s), World: (*WorldService)(s),
		Invitations: (*InvitationsService)(s), Requests: (*RequestsService)(s),
	}, nil
}

// List returns one page of all accounts, newest first.
func (s *AccountsService) List(ctx context.Context, opts api.ListOptions) (*api.Page[Account], error) {
	return api.CallPage[Account](ctx, s.c, api.NewOperation("list accounts", "GET accounts"), opts)
}

// Create makes an account.
func (s *AccountsService) Create(ctx context.Context, in AccountInput) (*Account, error) {
	return api.CallOne[Account](ctx, s.c, api.NewOperation("create account", "POST accounts"), in)
}

// Change changes an account.
func (s *AccountsService) Change(ctx context.Context, uuid string, change AccountChange) (*Account, error) {
	return api.CallOne[Account](ctx, s.c, api.NewOperation("change account", "PATCH accounts/{}", uuid), change)
}

// List returns one page of an account's keys, newest first, without the keys
// themselves.
func (s *KeysService) List(ctx context.Context, accountUUID string, opts api.ListOptions) (*api.Page[AccountKey], error) {
	return api.CallPage[AccountKey](ctx, s.c, api.NewOperation("list keys", "GET accounts/{}/keys", accountUUID), opts)
}

// Issue makes a key for an account.
func (s *KeysService) Issue(ctx context.Context, accountUUID string, in KeyInput) (*AccountKey, error) {
	return api.CallOne[AccountKey](ctx, s.c, api.NewOperation("issue key", "POST accounts/{}/keys", accountUUID), in)
}

// Revoke ends a key at once. Doing it again changes nothing.
func (s *KeysService) Revoke(ctx context.Context, keyUUID string) (*AccountKey, error) {
	return api.CallOne[AccountKey](ctx, s.c, api.NewOperation("revoke key", "POST keys/{}/revoke", keyUUID).Repeatable(), nil)
}

// Requests returns one page of all requests for keys, newest first.
func (s *KeysService) Requests(ctx context.Context, opts api.ListOptions) (*api.Page[KeyRequest], error) {
	return api.CallPage[KeyRequest](ctx, s.c, api.NewOperation("list key requests", "GET key-requests"), opts)
}

// Request makes a request for a key.
func (s *KeysService) Request(ctx context.Context, accountUUID string, in KeyRequestInput) (*KeyRequest, error) {
	op := api.NewOperation("request key", "POST accounts/{}/key-requests", accountUUID)
	return api.CallOne[KeyRequest](ctx, s.c, op, in)
}

// Approve makes the key that was asked for. The answer has the key, once.
func (s *KeysService) Approve(ctx context.Context, requestUUID string) (*AccountKey, error) {
	op := api.NewOperation("approve key", "POST key-requests/{}/approve", requestUUID)
	return api.CallOne[AccountKey](ctx, s.c, op, nil)
}

// Decline turns a request down.
func (s *KeysService) Decline(ctx context.Context, requestUUID, reason string) (*KeyRequest, error) {
	op := api.NewOperation("decline key", "POST key-requests/{}/decline", requestUUID)
	return api.CallOne[KeyRequest](ctx, s.c, op, map[string]string{"reason": reason})
}

// List returns one page of the orders of all accounts, newest first.
func (s *OrdersService) List(ctx context.Context, filter OrderFilter, opts api.ListOptions) (*api.Page[Order], error) {
	return api.CallPage[Order](ctx, s.c, filter.listOrders(), opts)
}

func (f OrderFilter) listOrders() api.Operation {
	op := api.NewOperation("list orders", "GET orders").WithQuery("account", f.Account)
	return op.WithQuery("status", string(f.Status))
}

// Get returns an order with all that belongs to it, by its uuid or code, or by the uuid or
// code of one of its missions.
func (s *OrdersService) Get(ctx context.Context, uuid string) (*Order, error) {
	return api.CallOne[Order](ctx, s.c, api.NewOperation("read order", "GET orders/{}", uuid), nil)
}

// AssignOperator gives a mission its operator. The same name again changes
// nothing.
func (s *MissionsService) AssignOperator(ctx context.Context, missionUUID, operatorName string) (*api.Mission, error) {
	op := api.NewOperation("assign operator", "POST missions/{}/assign-operator", missionUUID).Repeatable()
	return api.CallOne[api.Mission](ctx, s.c, op, map[string]string{"operatorName": operatorName})
}

// Schedule sets a mission's flight date. Each time is a version of its
// planning.
func (s *MissionsService) Schedule(ctx context.Context, missionUUID string, in FlightInput) (*api.Mission, error) {
	return api.CallOne[api.Mission](ctx, s.c, api.NewOperation("schedule flight", "POST missions/{}/schedule", missionUUID), in)
}

// SetFlightPermission records a mission's flight permission in place of what
// was recorded before, with its document unless permit is nil.
func (s *MissionsService) SetFlightPermission(
	ctx context.Context, missionUUID string, in PermissionInput, permit *api.FileInput,
) (*api.FlightPermission, error) {
	op := api.NewOperation("record flight permission", "PUT missions/{}/flight-permission", missionUUID)
	if permit == nil {
		return api.CallOne[api.FlightPermission](ctx, s.c, op, in)
	}
	fields := [][2]string{
		{"status", string(in.Status)},
		{"authority", in.Authority},
		{"reference", in.Reference},
		{"validFrom", formTime(in.ValidFrom)},
		{"validTo", formTime(in.ValidTo)},
	}
	return api.CallOne[api.FlightPermission](ctx, s.c, op.WithForm(fields, "permit", *permit), nil)
}

func formTime(t api.Time) string {
	if t.IsZero() {
		return t.Raw
	}
	return t.Text()
}

// Deliver uploads files as a new package of a mission. They take no memory.
func (s *MissionsService) Deliver(
	ctx context.Context,
	missionUUID string,
	files ...api.FileInput,
) (*api.DeliveryPackage, error) {
	op := api.NewOperation("deliver", "POST missions/{}/deliver", missionUUID).Slow(10)
	var fields [][2]string
	for _, f := range files {
		fields = append(fields, [2]string{"fileDataType", string(f.FileDataType)})
	}
	return api.CallOne[api.DeliveryPackage](ctx, s.c, op.WithForm(fields, "files", files...), nil)
}

// GenerateDelivery has the service make sample files of all that the order
// lists, as a new package of a mission.
func (s *MissionsService) GenerateDelivery(ctx context.Context, missionUUID string) (*api.DeliveryPackage, error) {
	op := api.NewOperation("generate delivery", "POST missions/{}/deliver", missionUUID).Slow(10)
	return api.CallOne[api.DeliveryPackage](ctx, s.c, op, map[string]bool{"generate": true})
}

// AcceptDelivery completes a mission whose data is delivered.
func (s *MissionsService) AcceptDelivery(ctx context.Context, missionUUID string) (*api.Mission, error) {
	op := api.NewOperation("accept delivery", "POST missions/{}/accept-delivery", missionUUID)
	return api.CallOne[api.Mission](ctx, s.c, op, nil)
}

// ServiceClock is the clock that every expiry and date of the service follows.
type ServiceClock struct {
	Now        api.Time         `json:"now"`
	Ahead      api.Duration     `json:"ahead"`      // what it was advanced by in all
	Adjustable bool             `json:"adjustable"` // the service is one for trying things out
	Extra      api.ExtraMembers `json:",embed"`
}

// Clock returns the service's clock.
func (s *WorldService) Clock(ctx context.Context) (*ServiceClock, error) {
	return api.CallOne[ServiceClock](ctx, s.c, api.NewOperation("read clock", "GET clock"), nil)
}

// AdvanceClock moves the service's clock forward by a length of time over 0.
func (s *WorldService) AdvanceClock(ctx context.Context, by time.Duration) (*ServiceClock, error) {
	return api.CallOne[ServiceClock](ctx, s.c, api.NewOperation("advance clock", "POST clock"),
		map[string]api.Duration{"advance": {Duration: by}})
}

// SetClock moves the service's clock forward to a moment in its future.
func (s *WorldService) SetClock(ctx context.Context, at time.Time) (*ServiceClock, error) {
	return api.CallOne[ServiceClock](ctx, s.c, api.NewOperation("set clock", "POST clock"), map[string]api.Time{"at": api.TimeOf(at)})
}

// MaxFaultLatency is how many seconds later answers may be made to come.
const MaxFaultLatency = 30

// CallbackFault is what goes wrong on purpose with callbacks.
type CallbackFault string

// The faults of callbacks.
const (
	CallbackDrop      CallbackFault = "drop"      // it never leaves; its attempts fail
	CallbackDelay     CallbackFault = "delay"     // it leaves later, by the latency
	CallbackDuplicate CallbackFault = "duplicate" // it arrives twice
	CallbackReorder   CallbackFault = "reorder"   // later ones overtake it
)

// CallbackFaults lists the faults of callbacks.
func CallbackFaults() []CallbackFault {
	return []CallbackFault{CallbackDrop, CallbackDelay, CallbackDuplicate, CallbackReorder}
}

// Faults are injected on purpose: with requests to the two interfaces, or
// where Callbacks names a fault, with callbacks. The zero value is that nothing
// does.
type Faults struct {
	Latency   api.Duration  `json:"latency"`            // answers come so much later, up to MaxFaultLatency
	Status    int           `json:"status"`             // 400 to 599; 0: only Latency is added
	Rate      float64       `json:"rate"`               // share of the requests, 0 to 1
	Path      string        `json:"path"`               // how their paths begin, whole or below the interface's base; "": all
	Injected  int           `json:"injected"`           // requests or callbacks concerned since this was set
	Callbacks CallbackFault `json:"callbacks,omitzero"` // "": requests go wrong

	Unavailable string           `json:"unavailable,omitzero"` // why no faults can be set; "": they can
	Extra       api.ExtraMembers `json:",embed"`
}

// FaultsInput is what is to go wrong; the zero value ends it.
type FaultsInput struct {
	Latency   api.Duration  `json:"latency,omitzero" check:"latency"`
	Status    int           `json:"status,omitzero" check:"status"`
	Rate      *float64      `json:"rate,omitzero" check:"share"` // nil: all of them
	Path      string        `json:"path,omitzero" check:"path"`
	Callbacks CallbackFault `json:"callbacks,omitzero" check:"optional"` // instead of requests
}

// Faults returns the faults that are injected.
func (s *WorldService) Faults(ctx context.Context) (*Faults, error) {
	return api.CallOne[Faults](ctx, s.c, api.NewOperation("read faults", "GET faults"), nil)
}

// SetFaults makes requests fail as described, replacing earlier faults.
func (s *WorldService) SetFaults(ctx context.Context, in FaultsInput) (*Faults, error) {
	return api.CallOne[Faults](ctx, s.c, api.NewOperation("set faults", "PUT faults"), in)
}

// ResetResult is what there is again after a reset.
type ResetResult struct {
	Orders int              `json:"orders"` // in the seeded world
	Extra  api.ExtraMembers `json:",embed"`
}

// Reset goes back to the world that the service was first filled with. Accounts
// and keys stay.
func (s *WorldService) Reset(ctx context.Context) (*ResetResult, error) {
	return api.CallOne[ResetResult](ctx, s.c, api.NewOperation("reset", "POST reset"), map[string]bool{"confirm": true})
}

// ScenarioName is a scenario that can be played.
type ScenarioName struct {
	Name  string           `json:"name"`
	Extra api.ExtraMembers `json:",embed"`
}

// Scenarios returns the names of the scenarios that can be played.
func (s *WorldService) Scenarios(ctx context.Context) ([]ScenarioName, error) {
	page, err := api.CallPage[ScenarioName](ctx, s.c, api.NewOperation("list scenarios", "GET scenarios"), api.ListOptions{})
	if err != nil {
		return nil, err
	}
	return page.Items, nil
}

// PlayInput says for whom a scenario is played.
type PlayInput struct {
	Accounts []string `json:"accounts,omitzero" check:"optional"` // UUIDs of demo accounts; none: the demo's own
}

// PlayScenario begins a scenario, which ends the one that was played before.
func (s *WorldService) PlayScenario(ctx context.Context, name string, in PlayInput) (*SimulatorState, error) {
	op := api.NewOperation("play scenario", "POST scenarios/{}/play", name).Slow(2)
	return api.CallOne[SimulatorState](ctx, s.c, op, in)
}

// DemoAccount is an account with the orders of the first demo account. Key is in the
// answer that makes it, never again.
type DemoAccount struct {
	UUID        string           `json:"uuid"`
	CompanyName string           `json:"companyName"`
	Key         string           `json:"key"`
	Scopes      []api.Scope      `json:"scopes"`
	Extra       api.ExtraMembers `json:",embed"`
}

// DemoAccountInput is a new demo account.
type DemoAccountInput struct {
	CompanyName string `json:"companyName" check:"required,name"`
}

// AddDemoAccount makes an account with the orders of the first demo account.
func (s *WorldService) AddDemoAccount(ctx context.Context, in DemoAccountInput) (*DemoAccount, error) {
	return api.CallOne[DemoAccount](ctx, s.c, api.NewOperation("add demo account", "POST demo-accounts").Slow(2), in)
}

// SimulatorState is the state of the simulator, which makes the service's moves.
type SimulatorState struct {
	Paused    bool            `json:"paused"`
	Speed     float64         `json:"speed"` // times faster than life
	Done      int             `json:"done"`  // steps taken since the start
	Waiting   int             `json:"waiting"`
	Upcoming  []SimulatorStep `json:"upcoming"`  // the first of those waiting, in their order
	LastError *string         `json:"lastError"` // of a step that could not be taken
	Scenario  *ScenarioState  `json:"scenario"`  // what is played besides; nil: nothing

	Unavailable string           `json:"unavailable,omitzero"` // why there is no simulator; "": there is one
	Extra       api.ExtraMembers `json:",embed"`
}

// ScenarioState is how far the events of a training or a demo are.
type ScenarioState struct {
	Name      string           `json:"name"`
	Title     string           `json:"title"`
	Done      int              `json:"done"`      // events that were played
	Events    int              `json:"events"`    // all of them
	Last      *ScenarioEvent   `json:"last"`      // the one that was played last
	Upcoming  []ScenarioEvent  `json:"upcoming"`  // the next ones
	LastError *string          `json:"lastError"` // of an event that failed
	Extra     api.ExtraMembers `json:",embed"`
}

// ScenarioEvent is an event of a scenario.
type ScenarioEvent struct {
	Does      string           `json:"does"`      // as the scenario's file says it
	At        api.Time         `json:"at"`        // by the service's clock
	OrderCode *string          `json:"orderCode"` // of the order that it concerns, once that is placed
	Extra     api.ExtraMembers `json:",embed"`
}

// SimulatorStep is a move that the simulator is about to make.
type SimulatorStep struct {
	Does        string           `json:"does"` // as in "assignOperator"
	OrderUID    string           `json:"orderUid"`
	OrderCode   string           `json:"orderCode"`
	MissionUID  *string          `json:"missionUid"` // nil where it concerns the whole order
	MissionCode *string          `json:"missionCode"`
	At          api.Time         `json:"at"` // by the service's clock
	Extra       api.ExtraMembers `json:",embed"`
}

// SimulatorInput is what changes of the simulator; nil leaves it unchanged.
type SimulatorInput struct {
	Paused *bool    `json:"paused,omitzero" check:"optional"`
	Speed  *float64 `json:"speed,omitzero" check:"speed"`   // MinSpeed to MaxSpeed
	Step   bool     `json:"step,omitzero" check:"optional"` // play the scenario's next event, or take the next step, at once
}

// Limits of the simulator's speed, in times faster than life. At DemoSpeed an
// hour takes a second.
const (
	MinSpeed  = 0.001
	MaxSpeed  = 1e6
	DemoSpeed = 3600
)

// Simulator returns the state of the simulator.
func (s *WorldService) Simulator(ctx context.Context) (*SimulatorState, error) {
	return api.CallOne[SimulatorState](ctx, s.c, api.NewOperation("read simulator", "GET simulator"), nil)
}

// SetSimulator paces, pauses or steps the simulator.
func (s *WorldService) SetSimulator(ctx context.Context, in SimulatorInput) (*SimulatorState, error) {
	op := api.NewOperation("set simulator", "POST simulator").Slow(2)
	return api.CallOne[SimulatorState](ctx, s.c, op, in)
}

// WorldSnapshot is a kept state of the whole world of a service: accounts, keys and
// clock included.
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

// TakeSnapshot keeps the world under a name of letters, digits, - and _, in place
// of an earlier snapshot of that name.
func (s *WorldService) TakeSnapshot(ctx context.Context, name string) (*WorldSnapshot, error) {
	op := api.NewOperation("take a snapshot", "POST snapshots")
	return api.CallOne[WorldSnapshot](ctx, s.c, op, map[string]string{"name": name})
}

// RestoreSnapshot restores the world of a snapshot.
func (s *WorldService) RestoreSnapshot(ctx context.Context, name string) (*WorldSnapshot, error) {
	op := api.NewOperation("restore a snapshot", "POST snapshots/{}/restore", name)
	return api.CallOne[WorldSnapshot](ctx, s.c, op, nil)
}

// All yields all accounts, newest first, page by page. It stops after
// the first error, which it yields.
func (s *AccountsService) All(ctx context.Context) iter.Seq2[*Account, error] {
	return api.WalkList(ctx, api.MaxPageLimit, s.List)
}

// All yields an account's keys, newest first, page by page. It stops after
// the first error, which it yields.
func (s *KeysService) All(ctx context.Context, accountUUID string) iter.Seq2[*AccountKey, error] {
	op := api.NewOperation("list keys", "GET accounts/{}/keys", accountUUID)
	return api.ListAll[AccountKey](ctx, s.c, op, api.MaxPageLimit)
}

// AllRequests yields all requests for keys, newest first, page by page. It
// stops after the first error, which it yields.
func (s *KeysService) AllRequests(ctx context.Context) iter.Seq2[*KeyRequest, error] {
	return api.WalkList(ctx, api.MaxPageLimit, s.Requests)
}

// All yields the orders chosen, newest first, page by page. It stops
// after the first error, which it yields.
func (s *OrdersService) All(ctx context.Context, filter OrderFilter) iter.Seq2[*Order, error] {
	return api.ListAll[Order](ctx, s.c, filter.listOrders(), api.MaxPageLimit)
}

// CompletionNotice is the message to a client that an order is complete, by one
// of the ways that its notification settings name.
type CompletionNotice struct {
	UUID         string           `json:"uuid"`
	OrderUID     string           `json:"orderUid"`
	Channel      string           `json:"channel"` // webhook or email
	Address      string           `json:"address"` // of the receiver
	Success      bool             `json:"success"`
	ResponseCode int              `json:"responseCode"` // of HTTP; 0 where no answer came
	Attempts     int              `json:"attempts"`
	Error        *string          `json:"error"` // [api.CallbackPending] until the last try
	CreatedAt    api.Time         `json:"createdAt"`
	Extra        api.ExtraMembers `json:",embed"`

	History []CallbackAttempt `json:"history"` // the latest tries, oldest first
}

// IsEmail reports whether it goes to an e-mail address.
func (n *CompletionNotice) IsEmail() bool { return n.Channel == "email" }

// IsPending reports whether it is still being sent.
func (n *CompletionNotice) IsPending() bool {
	return !n.Success && n.Error != nil && *n.Error == api.CallbackPending
}

// Failed reports whether all attempts to tell the client failed.
func (n *CompletionNotice) Failed() bool { return !n.Success && !n.IsPending() }

// Notifications returns one page of what an order's client was told when it was
// complete, newest first.
func (s *OrdersService) Notifications(
	ctx context.Context,
	orderUUID string,
	opts api.ListOptions,
) (*api.Page[CompletionNotice], error) {
	op := api.NewOperation("list notifications", "GET orders/{}/notifications", orderUUID)
	return api.CallPage[CompletionNotice](ctx, s.c, op, opts)
}

// OrderChange is a change of an order, its missions, callbacks or notices through the
// operations API.
type OrderChange struct {
	ID        int64            `json:"id"` // changes are numbered in the order in which they were made
	At        api.Time         `json:"at"`
	Operator  string           `json:"operator"`  // name of the user, or [OperationsKey]
	Operation string           `json:"operation"` // method and route, as in "POST /orders/{uuid}/quotes"
	Subject   string           `json:"subject"`   // what was created, otherwise what the route names; orders and missions by their codes
	Parent    string           `json:"parent,omitzero"`
	RequestID string           `json:"requestId"`
	Extra     api.ExtraMembers `json:",embed"`
}

// Changes returns one page of the changes of an order, newest first.
func (s *OrdersService) Changes(
	ctx context.Context,
	orderUUID string,
	opts api.ListOptions,
) (*api.Page[OrderChange], error) {
	return api.CallPage[OrderChange](ctx, s.c, api.NewOperation("list changes", "GET orders/{}/changes", orderUUID), opts)
}

// ResendNotification sends a notification again, with the same id. The notice that
// it returns is pending.
func (s *OrdersService) ResendNotification(ctx context.Context, noticeUUID string) (*CompletionNotice, error) {
	op := api.NewOperation("resend notification", "POST notifications/{}/resend", noticeUUID)
	return api.CallOne[CompletionNotice](ctx, s.c, op, nil)
}
