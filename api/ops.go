package api

import (
	"context"
	"fmt"
	"io"
	"iter"
	"net/url"
	"time"
)

// Account is a client of the service, as Operations sees it.
type Account struct {
	UUID        string       `json:"uuid"`
	CompanyName string       `json:"companyName"`
	ClientName  string       `json:"clientName"`
	ClientEmail string       `json:"clientEmail"`
	Currency    string       `json:"currency"` // ISO 4217
	CreatedAt   Time         `json:"createdAt"`
	Extra       ExtraMembers `json:",embed"`
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
	UUID        string       `json:"uuid"`
	Key         string       `json:"key,omitzero"`
	Hint        string       `json:"hint"` // the key's last four characters
	Scopes      []Scope      `json:"scopes"`
	Description string       `json:"description"`
	CreatedAt   Time         `json:"createdAt"`
	ExpiresAt   Time         `json:"expiresAt"` // zero: never
	RevokedAt   Time         `json:"revokedAt"` // zero: not revoked
	Extra       ExtraMembers `json:",embed"`
}

// KeyInput is what a new key may do.
type KeyInput struct {
	Scopes      []Scope `json:"scopes" check:"required"`
	Description string  `json:"description,omitzero" check:"remark"`
	ExpiresAt   Time    `json:"expiresAt,omitzero" check:"optional"` // zero: never
}

// KeyRequest is an account's request for an API key.
type KeyRequest struct {
	UUID        string           `json:"uuid"`
	AccountUID  string           `json:"accountUid"`
	IntendedUse string           `json:"intendedUse"`
	Scopes      []Scope          `json:"scopes"`
	Status      KeyRequestStatus `json:"status"`
	Reason      *string          `json:"reason"` // of declining
	CreatedAt   Time             `json:"createdAt"`
	DecidedAt   Time             `json:"decidedAt"`
	Extra       ExtraMembers     `json:",embed"`
}

// KeyRequestInput is a new request for an API key.
type KeyRequestInput struct {
	IntendedUse string  `json:"intendedUse" check:"required,text"`
	Scopes      []Scope `json:"scopes" check:"required"`
}

// OpsOrder is an order as Operations sees it. The detail carries
// Account and Missions, a list MissionCount in their place.
type OpsOrder struct {
	Order
	AccountUID string       `json:"accountUid"`
	Account    *Account     `json:"account,omitzero"`
	Missions   []OpsMission `json:"missions,omitzero"`
	OpenQuotes *int         `json:"openQuotes,omitzero"` // of a list only: those that the client can decide now

	// Of the detail only.
	Quotes        []OpsQuote     `json:"quotes,omitzero"` // newest first
	Details       *OrderDetails  `json:"details,omitzero"`
	Notifications *Notifications `json:"notifications,omitzero"` // nil: none were set
}

// OpsMission is a mission with all that belongs to it.
type OpsMission struct {
	Mission
	Planning         []PlanningEntry   `json:"planning"` // newest first
	FlightPermission *FlightPermission `json:"flightPermission"`
	Packages         []DeliveryPackage `json:"packages"` // newest first
}

// OpsOrderFilter chooses orders of the list of Operations; what is empty
// chooses all.
type OpsOrderFilter struct {
	Account string // uuid
	Status  OrderStatus
}

// FlightInput schedules a mission. Texts that are empty are not sent.
type FlightInput struct {
	FlightDate  Time   `json:"flightDate" check:"required"`
	ScheduledBy string `json:"scheduledBy,omitzero" check:"name"`
	Note        string `json:"note,omitzero" check:"text"`
}

// PermissionInput is what is recorded of a flight permission.
type PermissionInput struct {
	Status    PermissionStatus `json:"status" check:"required"`
	Authority string           `json:"authority,omitzero" check:"name"`
	Reference string           `json:"reference,omitzero" check:"name"`
	ValidFrom Time             `json:"validFrom,omitzero" check:"optional"`
	ValidTo   Time             `json:"validTo,omitzero" check:"optional"` // not before ValidFrom
}

// FileInput is a file to upload. Content is read once, to its end.
type FileInput struct {
	Name         string
	MediaType    string      // "" leaves it to the service
	FileDataType Deliverable // of a delivery
	Content      io.Reader   // read while it is sent, not after the call; an [io.Seeker] can be sent again
}

// Ops calls the operations API of a server with its own key. It is
// safe for concurrent use.
type Ops struct {
	c *Client

	Accounts *OpsAccountsService
	Keys     *OpsKeysService
	Orders   *OpsOrdersService
	Missions *OpsMissionsService
	Quotes   *OpsQuotesService
	Webhooks *OpsWebhooksService
	Datasets *OpsDatasetsService
	World    *OpsWorldService
}

// The services of [Ops].
type (
	OpsAccountsService serviceBase // accounts
	OpsKeysService     serviceBase // keys of accounts, and the requests for them
	OpsOrdersService   serviceBase // orders of all accounts, from review to their end
	OpsMissionsService serviceBase // operators, flights, permissions and deliveries
	OpsQuotesService   serviceBase // offers
	OpsWebhooksService serviceBase // endpoints of accounts and what was sent to them
	OpsDatasetsService serviceBase // the data library
	OpsWorldService    serviceBase // clock, faults, simulator and reset, for trying things out
)

// NewOps returns a client of the operations API at opsURL, which ends in
// /api/ops/v1.
func NewOps(opsURL, key string, opts ...Option) (*Ops, error) {
	c, err := NewClient(opsURL, append([]Option{WithKey(key)}, opts...)...)
	if err != nil {
		return nil, err
	}
	s := &serviceBase{c}
	return &Ops{
		c: c, Accounts: (*OpsAccountsService)(s), Keys: (*OpsKeysService)(s), Orders: (*OpsOrdersService)(s),
		Missions: (*OpsMissionsService)(s), Quotes: (*OpsQuotesService)(s), Webhooks: (*OpsWebhooksService)(s),
		Datasets: (*OpsDatasetsService)(s), World: (*OpsWorldService)(s),
	}, nil
}

// String describes the client without its key.
func (o *Ops) String() string { return "api.Ops(" + o.c.base.Redacted() + ")" }

// GoString returns String, so that no format verb prints the key.
func (o *Ops) GoString() string { return o.String() }

// Format writes String for every verb.
func (o *Ops) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(o.String())) }

// List returns one page of all accounts, newest first.
func (s *OpsAccountsService) List(ctx context.Context, opts ListOptions) (*Page[Account], error) {
	return getPage[Account](ctx, s.c, newOperation("list accounts", "GET accounts"), opts)
}

// Create makes an account.
func (s *OpsAccountsService) Create(ctx context.Context, in AccountInput) (*Account, error) {
	return opsCall[Account](ctx, s.c, newOperation("create account", "POST accounts"), in)
}

// Change changes an account.
func (s *OpsAccountsService) Change(ctx context.Context, uuid string, change AccountChange) (*Account, error) {
	return opsCall[Account](ctx, s.c, newOperation("change account", "PATCH accounts/{}", uuid), change)
}

// List returns one page of an account's keys, newest first, without the keys
// themselves.
func (s *OpsKeysService) List(ctx context.Context, accountUUID string, opts ListOptions) (*Page[AccountKey], error) {
	return getPage[AccountKey](ctx, s.c, newOperation("list keys", "GET accounts/{}/keys", accountUUID), opts)
}

// Issue makes a key for an account.
func (s *OpsKeysService) Issue(ctx context.Context, accountUUID string, in KeyInput) (*AccountKey, error) {
	return opsCall[AccountKey](ctx, s.c, newOperation("issue key", "POST accounts/{}/keys", accountUUID), in)
}

// Revoke ends a key at once. Doing it again changes nothing.
func (s *OpsKeysService) Revoke(ctx context.Context, keyUUID string) (*AccountKey, error) {
	return opsCall[AccountKey](ctx, s.c, newOperation("revoke key", "POST keys/{}/revoke", keyUUID).repeatable(), nil)
}

// Requests returns one page of all requests for keys, newest first.
func (s *OpsKeysService) Requests(ctx context.Context, opts ListOptions) (*Page[KeyRequest], error) {
	return getPage[KeyRequest](ctx, s.c, newOperation("list key requests", "GET key-requests"), opts)
}

// Request makes a request for a key.
func (s *OpsKeysService) Request(ctx context.Context, accountUUID string, in KeyRequestInput) (*KeyRequest, error) {
	op := newOperation("request key", "POST accounts/{}/key-requests", accountUUID)
	return opsCall[KeyRequest](ctx, s.c, op, in)
}

// Approve makes the key that was asked for. The answer has the key, once.
func (s *OpsKeysService) Approve(ctx context.Context, requestUUID string) (*AccountKey, error) {
	op := newOperation("approve key", "POST key-requests/{}/approve", requestUUID)
	return opsCall[AccountKey](ctx, s.c, op, nil)
}

// Decline turns a request down.
func (s *OpsKeysService) Decline(ctx context.Context, requestUUID, reason string) (*KeyRequest, error) {
	op := newOperation("decline key", "POST key-requests/{}/decline", requestUUID)
	return opsCall[KeyRequest](ctx, s.c, op, map[string]string{"reason": reason})
}

// List returns one page of the orders of all accounts, newest first.
func (s *OpsOrdersService) List(ctx context.Context, filter OpsOrderFilter, opts ListOptions) (*Page[OpsOrder], error) {
	op := newOperation("list orders", "GET orders")
	op.query = url.Values{}
	if filter.Account != "" {
		op.query.Set("account", filter.Account)
	}
	if filter.Status != "" {
		op.query.Set("status", string(filter.Status))
	}
	return getPage[OpsOrder](ctx, s.c, op, opts)
}

// Get returns an order with all that belongs to it, by its uuid, its code or the
// code of one of its missions.
func (s *OpsOrdersService) Get(ctx context.Context, uuid string) (*OpsOrder, error) {
	return opsCall[OpsOrder](ctx, s.c, newOperation("read order", "GET orders/{}", uuid), nil)
}

// AssignOperator gives a mission its operator. The same name again changes
// nothing.
func (s *OpsMissionsService) AssignOperator(ctx context.Context, missionUUID, operatorName string) (*Mission, error) {
	op := newOperation("assign operator", "POST missions/{}/assign-operator", missionUUID).repeatable()
	return opsCall[Mission](ctx, s.c, op, map[string]string{"operatorName": operatorName})
}

// Schedule sets a mission's flight date. Each time is a version of its
// planning.
func (s *OpsMissionsService) Schedule(ctx context.Context, missionUUID string, in FlightInput) (*Mission, error) {
	return opsCall[Mission](ctx, s.c, newOperation("schedule flight", "POST missions/{}/schedule", missionUUID), in)
}

// SetFlightPermission records a mission's flight permission in place of what
// was recorded before, with its document unless permit is nil.
func (s *OpsMissionsService) SetFlightPermission(
	ctx context.Context, missionUUID string, in PermissionInput, permit *FileInput,
) (*FlightPermission, error) {
	op := newOperation("record flight permission", "PUT missions/{}/flight-permission", missionUUID)
	if permit == nil {
		return opsCall[FlightPermission](ctx, s.c, op, in)
	}
	fields := [][2]string{
		{"status", string(in.Status)},
		{"authority", in.Authority},
		{"reference", in.Reference},
		{"validFrom", formTime(in.ValidFrom)},
		{"validTo", formTime(in.ValidTo)},
	}
	op.setForm(fields, "permit", *permit)
	return opsCall[FlightPermission](ctx, s.c, op, nil)
}

func formTime(t Time) string {
	if t.IsZero() {
		return t.Raw
	}
	return t.Text()
}

// Deliver uploads files as a new package of a mission. They take no memory.
func (s *OpsMissionsService) Deliver(
	ctx context.Context,
	missionUUID string,
	files ...FileInput,
) (*DeliveryPackage, error) {
	op := newOperation("deliver", "POST missions/{}/deliver", missionUUID)
	var fields [][2]string
	for _, f := range files {
		fields = append(fields, [2]string{"fileDataType", string(f.FileDataType)})
	}
	op.setForm(fields, "files", files...)
	op.timeout = 10 * s.c.timeout
	return opsCall[DeliveryPackage](ctx, s.c, op, nil)
}

// GenerateDelivery has the service make sample files of all that the order
// lists, as a new package of a mission.
func (s *OpsMissionsService) GenerateDelivery(ctx context.Context, missionUUID string) (*DeliveryPackage, error) {
	op := newOperation("generate delivery", "POST missions/{}/deliver", missionUUID).within(10 * s.c.timeout)
	return opsCall[DeliveryPackage](ctx, s.c, op, map[string]bool{"generate": true})
}

// AcceptDelivery completes a mission whose data is delivered.
func (s *OpsMissionsService) AcceptDelivery(ctx context.Context, missionUUID string) (*Mission, error) {
	op := newOperation("accept delivery", "POST missions/{}/accept-delivery", missionUUID)
	return opsCall[Mission](ctx, s.c, op, nil)
}

// opsCall performs an operation of Operations, with body as JSON unless it is nil.
func opsCall[T any](ctx context.Context, c *Client, op apiOperation, body any) (*T, error) {
	got, err := c.performJSON(ctx, &op, body)
	if err != nil {
		return nil, err
	}
	records, _, err := readRecords[T](op, got, "")
	if err != nil || len(records) == 0 {
		return new(T), err
	}
	return &records[0], nil
}

// ServiceClock is the clock that every expiry and date of the service follows.
type ServiceClock struct {
	Now        Time         `json:"now"`
	Ahead      Duration     `json:"ahead"`      // what it was advanced by in all
	Adjustable bool         `json:"adjustable"` // the service is one for trying things out
	Extra      ExtraMembers `json:",embed"`
}

// Clock returns the service's clock.
func (s *OpsWorldService) Clock(ctx context.Context) (*ServiceClock, error) {
	return opsCall[ServiceClock](ctx, s.c, newOperation("read clock", "GET clock"), nil)
}

// AdvanceClock moves the service's clock forward by a length of time over 0.
func (s *OpsWorldService) AdvanceClock(ctx context.Context, by time.Duration) (*ServiceClock, error) {
	return opsCall[ServiceClock](ctx, s.c, newOperation("advance clock", "POST clock"),
		map[string]Duration{"advance": {by}})
}

// SetClock moves the service's clock forward to a moment in its future.
func (s *OpsWorldService) SetClock(ctx context.Context, at time.Time) (*ServiceClock, error) {
	return opsCall[ServiceClock](ctx, s.c, newOperation("set clock", "POST clock"), map[string]Time{"at": TimeOf(at)})
}

// MaxFaultLatency is how much later answers may be made to come, in seconds.
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
	Latency   Duration      `json:"latency"`            // answers come so much later, up to MaxFaultLatency
	Status    int           `json:"status"`             // 400 to 599; 0: only Latency is added
	Rate      float64       `json:"rate"`               // share of the requests, 0 to 1
	Path      string        `json:"path"`               // how their paths begin, whole or below the interface's base; "": all
	Injected  int           `json:"injected"`           // requests or callbacks concerned since this was set
	Callbacks CallbackFault `json:"callbacks,omitzero"` // "": requests go wrong
	Extra     ExtraMembers  `json:",embed"`
}

// FaultsInput is what is to go wrong; the zero value ends it.
type FaultsInput struct {
	Latency   Duration      `json:"latency,omitzero" check:"latency"`
	Status    int           `json:"status,omitzero" check:"status"`
	Rate      *float64      `json:"rate,omitzero" check:"share"` // nil: all of them
	Path      string        `json:"path,omitzero" check:"path"`
	Callbacks CallbackFault `json:"callbacks,omitzero" check:"optional"` // instead of requests
}

// Faults returns the faults that are injected.
func (s *OpsWorldService) Faults(ctx context.Context) (*Faults, error) {
	return opsCall[Faults](ctx, s.c, newOperation("read faults", "GET faults"), nil)
}

// SetFaults makes requests fail as described, replacing earlier faults.
func (s *OpsWorldService) SetFaults(ctx context.Context, in FaultsInput) (*Faults, error) {
	return opsCall[Faults](ctx, s.c, newOperation("set faults", "PUT faults"), in)
}

// ResetResult is what there is again after a reset.
type ResetResult struct {
	Orders int          `json:"orders"` // in the seeded world
	Extra  ExtraMembers `json:",embed"`
}

// Reset goes back to the world that the service was first filled with. Accounts
// and keys stay.
func (s *OpsWorldService) Reset(ctx context.Context) (*ResetResult, error) {
	return opsCall[ResetResult](ctx, s.c, newOperation("reset", "POST reset"), map[string]bool{"confirm": true})
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
	Extra     ExtraMembers    `json:",embed"`
}

// ScenarioState is how far the events of a training or a demo are.
type ScenarioState struct {
	Name      string          `json:"name"`
	Title     string          `json:"title"`
	Done      int             `json:"done"`      // events that were played
	Events    int             `json:"events"`    // all of them
	Last      *ScenarioEvent  `json:"last"`      // the one that was played last
	Upcoming  []ScenarioEvent `json:"upcoming"`  // the next ones
	LastError *string         `json:"lastError"` // of an event that failed
	Extra     ExtraMembers    `json:",embed"`
}

// ScenarioEvent is an event of a scenario.
type ScenarioEvent struct {
	Does      string       `json:"does"`      // as the scenario's file says it
	At        Time         `json:"at"`        // by the service's clock
	OrderCode *string      `json:"orderCode"` // of the order that it concerns, once that is placed
	Extra     ExtraMembers `json:",embed"`
}

// SimulatorStep is a move that the simulator is about to make.
type SimulatorStep struct {
	Does        string       `json:"does"` // as in "assignOperator"
	OrderUID    string       `json:"orderUid"`
	OrderCode   string       `json:"orderCode"`
	MissionUID  *string      `json:"missionUid"` // nil where it concerns the whole order
	MissionCode *string      `json:"missionCode"`
	At          Time         `json:"at"` // by the service's clock
	Extra       ExtraMembers `json:",embed"`
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
func (s *OpsWorldService) Simulator(ctx context.Context) (*SimulatorState, error) {
	return opsCall[SimulatorState](ctx, s.c, newOperation("read simulator", "GET simulator"), nil)
}

// SetSimulator paces, pauses or steps the simulator.
func (s *OpsWorldService) SetSimulator(ctx context.Context, in SimulatorInput) (*SimulatorState, error) {
	op := newOperation("set simulator", "POST simulator").within(2 * s.c.timeout)
	return opsCall[SimulatorState](ctx, s.c, op, in)
}

// WorldSnapshot is a kept state of the whole world of a service: accounts, keys and
// clock included.
type WorldSnapshot struct {
	Name    string       `json:"name"`
	TakenAt Time         `json:"takenAt"` // by the machine's clock
	Bytes   int64        `json:"bytes"`
	Extra   ExtraMembers `json:",embed"`
}

// Snapshots returns the snapshots, newest first.
func (s *OpsWorldService) Snapshots(ctx context.Context) ([]WorldSnapshot, error) {
	page, err := getPage[WorldSnapshot](ctx, s.c, newOperation("list snapshots", "GET snapshots"), ListOptions{})
	if err != nil {
		return nil, err
	}
	return page.Items, nil
}

// TakeSnapshot keeps the world under a name of letters, digits, - and _, in place
// of an earlier snapshot of that name.
func (s *OpsWorldService) TakeSnapshot(ctx context.Context, name string) (*WorldSnapshot, error) {
	op := newOperation("take a snapshot", "POST snapshots")
	return opsCall[WorldSnapshot](ctx, s.c, op, map[string]string{"name": name})
}

// RestoreSnapshot restores the world of a snapshot.
func (s *OpsWorldService) RestoreSnapshot(ctx context.Context, name string) (*WorldSnapshot, error) {
	op := newOperation("restore a snapshot", "POST snapshots/{}/restore", name)
	return opsCall[WorldSnapshot](ctx, s.c, op, nil)
}

// Host returns the host and port that the client speaks to.
func (o *Ops) Host() string { return o.c.Host() }

// BaseURL returns Operations' address.
func (o *Ops) BaseURL() string { return o.c.BaseURL() }

// Now returns the time by the service's clock, as its last answer gave it.
func (o *Ops) Now() time.Time { return o.c.Now() }

// Observe has each request that ends from now on shown as [WithObserver] does,
// in place of whom they were shown to before; nil ends that.
func (o *Ops) Observe(observe func(Exchange)) { o.c.Observe(observe) }

// Shown returns when [Client.Shown] does.
func (o *Ops) Shown() { o.c.Shown() }

// Contact reports on the last request as [Client.Contact] does.
func (o *Ops) Contact() (answers int64, err error) { return o.c.Contact() }

// All yields all accounts, newest first, page by page. It stops after
// the first error, which it yields.
func (s *OpsAccountsService) All(ctx context.Context) iter.Seq2[*Account, error] {
	return opsAll(ctx, s.List)
}

// All yields an account's keys, newest first, page by page. It stops after
// the first error, which it yields.
func (s *OpsKeysService) All(ctx context.Context, accountUUID string) iter.Seq2[*AccountKey, error] {
	return opsAll(ctx, func(ctx context.Context, opts ListOptions) (*Page[AccountKey], error) {
		return s.List(ctx, accountUUID, opts)
	})
}

// AllRequests yields all requests for keys, newest first, page by page. It
// stops after the first error, which it yields.
func (s *OpsKeysService) AllRequests(ctx context.Context) iter.Seq2[*KeyRequest, error] {
	return opsAll(ctx, s.Requests)
}

// All yields the orders chosen, newest first, page by page. It stops
// after the first error, which it yields.
func (s *OpsOrdersService) All(ctx context.Context, filter OpsOrderFilter) iter.Seq2[*OpsOrder, error] {
	return opsAll(ctx, func(ctx context.Context, opts ListOptions) (*Page[OpsOrder], error) {
		return s.List(ctx, filter, opts)
	})
}

func opsAll[T any](
	ctx context.Context,
	page func(context.Context, ListOptions) (*Page[T], error),
) iter.Seq2[*T, error] {
	return walkList(ctx, ListOptions{Limit: MaxPageLimit}, page)
}

// CompletionNotice is the message to a client that an order is complete, by one
// of the ways that its notification settings name.
type CompletionNotice struct {
	UUID         string       `json:"uuid"`
	OrderUID     string       `json:"orderUid"`
	Channel      string       `json:"channel"` // webhook or email
	Address      string       `json:"address"` // of the receiver
	Success      bool         `json:"success"`
	ResponseCode int          `json:"responseCode"` // of HTTP; 0 where no answer came
	Attempts     int          `json:"attempts"`
	Error        *string      `json:"error"` // [CallbackPending] until the last try
	CreatedAt    Time         `json:"createdAt"`
	Extra        ExtraMembers `json:",embed"`
}

// IsEmail reports whether it goes to an e-mail address.
func (n *CompletionNotice) IsEmail() bool { return n.Channel == "email" }

// IsPending reports whether it is still being sent.
func (n *CompletionNotice) IsPending() bool {
	return !n.Success && n.Error != nil && *n.Error == CallbackPending
}

// Failed reports whether all attempts to tell the client failed.
func (n *CompletionNotice) Failed() bool { return !n.Success && !n.IsPending() }

// Notifications returns one page of what an order's client was told when it was
// complete, newest first.
func (s *OpsOrdersService) Notifications(
	ctx context.Context,
	orderUUID string,
	opts ListOptions,
) (*Page[CompletionNotice], error) {
	op := newOperation("list notifications", "GET orders/{}/notifications", orderUUID)
	return getPage[CompletionNotice](ctx, s.c, op, opts)
}

// ResendNotification sends a notification again, with the same id. The notice that
// it returns is pending.
func (s *OpsOrdersService) ResendNotification(ctx context.Context, noticeUUID string) (*CompletionNotice, error) {
	op := newOperation("resend notification", "POST notifications/{}/resend", noticeUUID)
	return opsCall[CompletionNotice](ctx, s.c, op, nil)
}
