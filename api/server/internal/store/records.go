package store

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api"
)

// Account is one client of the service.
type Account struct {
	ID          int64     `column:"id"`
	UUID        string    `column:"uuid"`
	CompanyName string    `column:"company_name"`
	ClientName  string    `column:"client_name"`
	ClientEmail string    `column:"client_email"`
	Currency    string    `column:"currency"` // ISO 4217
	Created     time.Time `column:"created"`
}

// Key is an API key without its secret.
type Key struct {
	ID          int64       `column:"id"`
	UUID        string      `column:"uuid"`
	AccountID   int64       `column:"account_id"`
	Hash        string      `column:"hash"` // SHA-256 of the key, hexadecimal
	Hint        string      `column:"hint"` // the key's last four characters
	Scopes      []api.Scope `column:"scopes"`
	Description string      `column:"description"`
	Created     time.Time   `column:"created"`
	Expires     time.Time   `column:"expires"`      // zero: never
	ExpiresZone int         `column:"expires_zone"` // seconds east of UTC, as sent
	Revoked     time.Time   `column:"revoked"`      // zero: not revoked
}

// Order is an order without its missions. Instants have whole milliseconds;
// StartDate and Deadline are as the caller sent them, offset included.
type Order struct {
	ID                int64                 `column:"id"`
	AccountID         int64                 `column:"account_id"`
	UUID              string                `column:"uuid"`
	Code              string                `column:"code"`
	Status            api.OrderStatus       `column:"status"`
	Name              string                `column:"name"`
	CompanyName       string                `column:"company_name"`
	Type              api.OrderType         `column:"order_type"`
	Sensors           []api.Sensor          `column:"sensors"`
	Deliverables      []api.Deliverable     `column:"deliverables"`
	MissionObjective  api.MissionObjective  `column:"mission_objective"`
	IndustryAssetType api.IndustryAssetType `column:"industry_asset_type"`
	StartDate         time.Time             `column:"start_date,dated"`
	Deadline          time.Time             `column:"deadline,dated"`
	AreaSize          float64               `column:"area_size"`     // square metres, of all missions
	MissionCount      int                   `column:"mission_count"` // 0: the order exists only in the v2 API
	RejectionReason   *string               `column:"rejection_reason"`
	ArchiveReason     *string               `column:"archive_reason"`
	StatusBefore      *api.OrderStatus      `column:"status_before"` // of an archived order
	Created           time.Time             `column:"created"`
	Updated           time.Time             `column:"updated"`
}

// Mission is one mission of an order.
type Mission struct {
	ID            int64             `column:"id"`
	OrderID       int64             `column:"order_id"`
	Position      int               `column:"position"` // from 0, as placed
	UUID          string            `column:"uuid"`
	Code          string            `column:"code"`
	Status        api.MissionStatus `column:"status"`
	Name          string            `column:"name"`
	Type          api.MissionType   `column:"mission_type"`
	Country       string            `column:"country"`
	City          *string           `column:"city"`
	LocationLabel string            `column:"location_label"`
	AreaSize      float64           `column:"area_size"` // square metres
	LocationMap   []api.Point       `column:"location_map"`
	OperatorName  *string           `column:"operator_name"`
	FlightDate    time.Time         `column:"flight_date"` // zero: none yet
	Created       time.Time         `column:"created"`
	Updated       time.Time         `column:"updated"`
}

// RememberedOutcome is the outcome of a request that carried an idempotency key.
type RememberedOutcome struct {
	AccountID int64          `column:"account_id"`
	Name      string         `column:"name"` // the key
	BodyHash  string         `column:"body_hash"`
	Result    jsontext.Value `column:"result"`
	Created   time.Time      `column:"created"`
}
