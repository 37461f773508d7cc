// Package ops is a client for the operations API, which runs the service side: accounts and
// keys, quotes, flights, deliveries and test controls.
//
//	client, err := ops.NewClient(opsURL, operationsKey)
//	quote, err := client.Quotes.Issue(ctx, orderUUID, ops.QuoteInput{
//		QuoteName: "Standard", DeliveryBy: 14, // days
//		PriceBeforeDiscount: 1200, ExpiryDate: api.TimeOf(inAWeek),
//	})
//
// Calls return the errors of package api.
package ops

import (
	"context"
	"iter"
	"time"

	"flightdesk/api"
)

// Account is a client account of the service.
type Account struct {
	UUID        string           `json:"uuid"`
	CompanyName string           `json:"companyName"`
	ClientName  string           `json:"clientName"`
	ClientEmail string           `json:"clientEmail"`
	Currency    string           `json:"currency"` // ISO 4217
	CreatedAt   api.Time         `json:"createdAt"`
	Extra       api.ExtraMembers `json:",embed"`
}

// AccountInput is the request to create an account. Only the company name is required.
type AccountInput struct {
	CompanyName string `json:"companyName" check:"required,name"`
	ClientName  string `json:"clientName,omitzero" check:"label"`
	ClientEmail string `json:"clientEmail,omitzero" check:"email"`
	Currency    string `json:"currency,omitzero" check:"currency"` // USD if empty
}

// AccountChange is a change of an account; nil fields stay unchanged.
type AccountChange struct {
	ClientName  *string `json:"clientName,omitzero" check:"clears,label"`
	ClientEmail *string `json:"clientEmail,omitzero" check:"clears,email"`
	Currency    *string `json:"currency,omitzero" check:"currency"`
}

// AccountKey is an API key of an account. Only the response that issues a key contains Key.
type AccountKey struct {
	UUID        string           `json:"uuid"`
	Key         string           `json:"key,omitzero"`
	Hint        string           `json:"hint"` // last four characters of the key
	Scopes      []api.Scope      `json:"scopes"`
	Description string           `json:"description"`
	CreatedAt   api.Time         `json:"createdAt"`
	ExpiresAt   api.Time         `json:"expiresAt"` // zero if it never expires
	RevokedAt   api.Time         `json:"revokedAt"` // zero unless revoked
	Extra       api.ExtraMembers `json:",embed"`
}

// KeyInput is the request to issue a key.
type KeyInput struct {
	Scopes      []api.Scope `json:"scopes" check:"required"`
	Description string      `json:"description,omitzero" check:"remark"`
	ExpiresAt   api.Time    `json:"expiresAt,omitzero" check:"optional"` // zero if it never expires
}

// KeyRequestStatus is the status of a request for an API key.
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
	Reason      *string          `json:"reason"` // reason for declining
	CreatedAt   api.Time         `json:"createdAt"`
	DecidedAt   api.Time         `json:"decidedAt"`
	Extra       api.ExtraMembers `json:",embed"`
}

// KeyRequestInput is the request of an account for an API key.
type KeyRequestInput struct {
	IntendedUse string      `json:"intendedUse" check:"required,text"`
	Scopes      []api.Scope `json:"scopes" check:"required"`
}

// Order is an order with the data that only Operations can read. A single order has Account and
// Missions; an order in a list has MissionCount instead.
type Order struct {
	api.Order
	AccountUID string    `json:"accountUid"`
	Account    *Account  `json:"account,omitzero"`
	Missions   []Mission `json:"missions,omitzero"`
	OpenQuotes *int      `json:"openQuotes,omitzero"` // only in lists: number of quotes that the client can decide now

	// Only in a single order:
	Quotes        []Quote            `json:"quotes,omitzero"` // newest first
	Details       *api.RecordDetails `json:"details,omitzero"`
	Notifications *api.Notifications `json:"notifications,omitzero"` // nil if no notifications are set
}

// Mission is a mission with its planning, permission and deliveries.
type Mission struct {
	api.Mission
	Planning         []api.PlanningEntry   `json:"planning"` // newest first
	FlightPermission *api.FlightPermission `json:"flightPermission"`
	Packages         []api.DeliveryPackage `json:"packages"` // newest first
}

// OrderFilter selects orders of a list; empty fields select all orders.
type OrderFilter struct {
	Account string // UUID
	Status  api.OrderStatus
}

// FlightInput is the request to schedule a mission. Empty texts are not sent.
type FlightInput struct {
	FlightDate  api.Time `json:"flightDate" check:"required"`
	ScheduledBy string   `json:"scheduledBy,omitzero" check:"name"`
	Note        string   `json:"note,omitzero" check:"text"`
}

// PermissionInput is the request to record a flight permission.
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

// The services of a [Client].
type (
	AccountsService serviceBase // accounts
	KeysService     serviceBase // keys of accounts, and the requests for them
	OrdersService   serviceBase // orders of all accounts
	MissionsService serviceBase // operators, flights, permissions and deliveries
	QuotesService   serviceBase // offers
	WebhooksService serviceBase // endpoints of accounts and their callbacks
	DatasetsService serviceBase // the data library
	WorldService    serviceBase // test controls: clock, faults, simulator and reset
)

type serviceBase struct{ c *api.Connection }

// NewClient returns a client of the operations API at opsURL, which ends in /api/ops/v1.
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

// Create creates an account.
func (s *AccountsService) Create(ctx context.Context, in AccountInput) (*Account, error) {
	return api.CallOne[Account](ctx, s.c, api.NewOperation("create account", "POST accounts"), in)
}

// Change changes an account.
func (s *AccountsService) Change(ctx context.Context, uuid string, change AccountChange) (*Account, error) {
	return api.CallOne[Account](ctx, s.c, api.NewOperation("change account", "PATCH accounts/{}", uuid), change)
}

// List returns one page of an account's keys, newest first. Key is empty.
func (s *KeysService) List(ctx context.Context, accountUUID string, opts api.ListOptions) (*api.Page[AccountKey], error) {
	return api.CallPage[AccountKey](ctx, s.c, api.NewOperation("list keys", "GET accounts/{}/keys", accountUUID), opts)
}

// Issue issues a key for an account. Only this response contains the key.
func (s *KeysService) Issue(ctx context.Context, accountUUID string, in KeyInput) (*AccountKey, error) {
	return api.CallOne[AccountKey](ctx, s.c, api.NewOperation("issue key", "POST accounts/{}/keys", accountUUID), in)
}

// Revoke revokes a key at once. Repeating it changes nothing.
func (s *KeysService) Revoke(ctx context.Context, keyUUID string) (*AccountKey, error) {
	return api.CallOne[AccountKey](ctx, s.c, api.NewOperation("revoke key", "POST keys/{}/revoke", keyUUID).Repeatable(), nil)
}

// Requests returns one page of all requests for keys, newest first.
func (s *KeysService) Requests(ctx context.Context, opts api.ListOptions) (*api.Page[KeyRequest], error) {
	return api.CallPage[KeyRequest](ctx, s.c, api.NewOperation("list key requests", "GET key-requests"), opts)
}

// Request creates a request for a key.
func (s *KeysService) Request(ctx context.Context, accountUUID string, in KeyRequestInput) (*KeyRequest, error) {
	op := api.NewOperation("request key", "POST accounts/{}/key-requests", accountUUID)
	return api.CallOne[KeyRequest](ctx, s.c, op, in)
}

// Approve approves a request and issues its key. Only this response contains the key.
func (s *KeysService) Approve(ctx context.Context, requestUUID string) (*AccountKey, error) {
	op := api.NewOperation("approve key", "POST key-requests/{}/approve", requestUUID)
	return api.CallOne[AccountKey](ctx, s.c, op, nil)
}

// Decline declines a request.
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

// Get returns an order with all its data. uuid is the UUID or code of the order or of one of its
// missions.
func (s *OrdersService) Get(ctx context.Context, uuid string) (*Order, error) {
	return api.CallOne[Order](ctx, s.c, api.NewOperation("read order", "GET orders/{}", uuid), nil)
}

// AssignOperator assigns an operator to a mission. Repeating it with the same name changes nothing.
func (s *MissionsService) AssignOperator(ctx context.Context, missionUUID, operatorName string) (*api.Mission, error) {
	op := api.NewOperation("assign operator", "POST missions/{}/assign-operator", missionUUID).Repeatable()
	return api.CallOne[api.Mission](ctx, s.c, op, map[string]string{"operatorName": operatorName})
}

// Schedule sets a mission's flight date, which adds a version to its planning.
func (s *MissionsService) Schedule(ctx context.Context, missionUUID string, in FlightInput) (*api.Mission, error) {
	return api.CallOne[api.Mission](ctx, s.c, api.NewOperation("schedule flight", "POST missions/{}/schedule", missionUUID), in)
}

// SetFlightPermission records a mission's flight permission, with its document unless permit is
// nil. It replaces the previous permission.
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

// Deliver uploads files as a new package of a mission. It streams the files.
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

// GenerateDelivery creates a new package of a mission at the service, with sample files of all
// deliverables of the order.
func (s *MissionsService) GenerateDelivery(ctx context.Context, missionUUID string) (*api.DeliveryPackage, error) {
	op := api.NewOperation("generate delivery", "POST missions/{}/deliver", missionUUID).Slow(10)
	return api.CallOne[api.DeliveryPackage](ctx, s.c, op, map[string]bool{"generate": true})
}

// AcceptDelivery accepts the delivery of a mission, which completes it.
func (s *MissionsService) AcceptDelivery(ctx context.Context, missionUUID string) (*api.Mission, error) {
	op := api.NewOperation("accept delivery", "POST missions/{}/accept-delivery", missionUUID)
	return api.CallOne[api.Mission](ctx, s.c, op, nil)
}

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

// SimulatorState is the state of the simulator, which makes moves as Operations would.
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

// All yields all accounts, newest first. It yields the first error and stops.
func (s *AccountsService) All(ctx context.Context) iter.Seq2[*Account, error] {
	return api.WalkList(ctx, api.MaxPageLimit, s.List)
}

// All yields an account's keys, newest first. It yields the first error and stops.
func (s *KeysService) All(ctx context.Context, accountUUID string) iter.Seq2[*AccountKey, error] {
	op := api.NewOperation("list keys", "GET accounts/{}/keys", accountUUID)
	return api.ListAll[AccountKey](ctx, s.c, op, api.MaxPageLimit)
}

// AllRequests yields all requests for keys, newest first. It yields the first error and stops.
func (s *KeysService) AllRequests(ctx context.Context) iter.Seq2[*KeyRequest, error] {
	return api.WalkList(ctx, api.MaxPageLimit, s.Requests)
}

// All yields the selected orders, newest first. It yields the first error and stops.
func (s *OrdersService) All(ctx context.Context, filter OrderFilter) iter.Seq2[*Order, error] {
	return api.ListAll[Order](ctx, s.c, filter.listOrders(), api.MaxPageLimit)
}

// CompletionNotice is a message that tells a client that an order is complete. It is sent over one of the
// channels in the order's notification settings.
type CompletionNotice struct {
	UUID         string           `json:"uuid"`
	OrderUID     string           `json:"orderUid"`
	OrderCode    string           `json:"orderCode"`
	Channel      string           `json:"channel"` // webhook or email
	Address      string           `json:"address"` // address of the receiver
	Success      bool             `json:"success"`
	ResponseCode int              `json:"responseCode"` // HTTP status; 0 without a response
	Attempts     int              `json:"attempts"`
	Error        *string          `json:"error"` // [api.CallbackPending] until the last attempt
	CreatedAt    api.Time         `json:"createdAt"`
	Extra        api.ExtraMembers `json:",embed"`

	History []CallbackAttempt `json:"history"` // latest attempts, oldest first
}

// IsEmail reports whether the notification is an e-mail.
func (n *CompletionNotice) IsEmail() bool { return n.Channel == "email" }

// IsPending reports whether the notification is still being sent.
func (n *CompletionNotice) IsPending() bool {
	return !n.Success && n.Error != nil && *n.Error == api.CallbackPending
}

// Failed reports whether all attempts to notify the client failed.
func (n *CompletionNotice) Failed() bool { return !n.Success && !n.IsPending() }

// Notifications returns one page of the completion notifications of an order, newest first.
func (s *OrdersService) Notifications(
	ctx context.Context,
	orderUUID string,
	opts api.ListOptions,
) (*api.Page[CompletionNotice], error) {
	op := api.NewOperation("list notifications", "GET orders/{}/notifications", orderUUID)
	return api.CallPage[CompletionNotice](ctx, s.c, op, opts)
}

// NoticeFilter selects completion notices of an account.
type NoticeFilter struct {
	Failed bool // only notices whose attempts all failed
}

// Notifications returns one page of the completion notifications of an account's orders, newest
// first.
func (s *AccountsService) Notifications(
	ctx context.Context,
	accountUUID string,
	filter NoticeFilter,
	opts api.ListOptions,
) (*api.Page[CompletionNotice], error) {
	return api.CallPage[CompletionNotice](ctx, s.c, filter.operation(accountUUID), opts)
}

// AllNotifications yields the completion notifications of an account's orders, newest first. It
// yields the first error and stops.
func (s *AccountsService) AllNotifications(
	ctx context.Context, accountUUID string, filter NoticeFilter,
) iter.Seq2[*CompletionNotice, error] {
	return api.ListAll[CompletionNotice](ctx, s.c, filter.operation(accountUUID), api.MaxPageLimit)
}

func (f NoticeFilter) operation(accountUUID string) api.Operation {
	op := api.NewOperation("list notifications", "GET accounts/{}/notifications", accountUUID)
	if f.Failed {
		op = op.WithQuery("failed", "true")
	}
	return op
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

// ResendNotification sends a notification again, with the same ID. The returned notice is pending.
func (s *OrdersService) ResendNotification(ctx context.Context, noticeUUID string) (*CompletionNotice, error) {
	op := api.NewOperation("resend notification", "POST notifications/{}/resend", noticeUUID)
	return api.CallOne[CompletionNotice](ctx, s.c, op, nil)
}
