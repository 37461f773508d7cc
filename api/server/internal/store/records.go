package store

import (
	"time"

	"flightdesk/api"
)

// Account is one client of the service.
type Account struct {
	ID          int64
	UUID        string
	CompanyName string
	ClientName  string
	ClientEmail string
	Currency    string // ISO 4217
	Created     time.Time
}

// Key is an API key without its secret.
type Key struct {
	ID          int64
	UUID        string
	AccountID   int64
	Hash        string // SHA-256 of the key, hexadecimal
	Hint        string // the key's last four characters
	Scopes      []api.Scope
	Description string
	Created     time.Time
	Expires     time.Time // zero: never
	Revoked     time.Time // zero: not revoked
}

// Order is an order without its missions. Instants have whole milliseconds;
// StartDate and Deadline are as the caller sent them, offset included.
type Order struct {
	ID                int64
	AccountID         int64
	UUID              string
	Code              string
	Status            api.OrderStatus
	Name              string
	CompanyName       string
	Type              api.OrderType
	Sensors           []api.Sensor
	Deliverables      []api.Deliverable
	MissionObjective  api.MissionObjective
	IndustryAssetType api.IndustryAssetType
	StartDate         time.Time
	Deadline          time.Time
	AreaSize          float64 // square metres, of all missions
	MissionCount      int     // 0: the order exists only in the v2 API
	RejectionReason   *string
	ArchiveReason     *string
	StatusBefore      *api.OrderStatus // of an archived order
	Created           time.Time
	Updated           time.Time
}

// Mission is one mission of an order.
type Mission struct {
	ID            int64
	OrderID       int64
	Position      int // from 0, as placed
	UUID          string
	Code          string
	Status        api.MissionStatus
	Name          string
	Type          api.MissionType
	Country       string
	City          *string
	LocationLabel string
	AreaSize      float64 // square metres
	LocationMap   []api.Point
	OperatorName  *string
	FlightDate    time.Time // zero: none yet
	Created       time.Time
	Updated       time.Time
}

// RememberedOutcome is the outcome of a request that carried an idempotency key.
type RememberedOutcome struct {
	AccountID int64
	Name      string // the key
	BodyHash  string
	Result    []byte // JSON
	Created   time.Time
}
