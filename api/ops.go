package api

import (
	"context"
	"fmt"
	"io"
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
	Currency    *string `json:"currency,omitzero" check:"clears,currency"`
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
	return t.Format(time.RFC3339Nano)
}

// Deliver uploads files as a new package of a mission. They take no memory.
func (s *OpsMissionsService) Deliver(ctx context.Context, missionUUID string, files ...FileInput) (*DeliveryPackage, error) {
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
