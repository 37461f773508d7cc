package domain

import (
	"iter"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
)

// SeedWorld is the data with which a store is filled before the service starts. A reset restores
// the same data.
type SeedWorld struct {
	Accounts []store.Account // with their UUIDs
	Keys     []PastKey       // records of keys; nobody has the keys themselves
	// Bulk are more orders, oldest first. Their codes follow the codes of Orders. They have
	// no quotes, details or history. Bulk is nil if there are none.
	Bulk        iter.Seq[PastOrder]
	Orders      []PastOrder      // oldest first
	Webhooks    []PastWebhook    // oldest first
	KeyRequests []PastKeyRequest // oldest first
	Datasets    []PastDataset    // oldest first
}

// PastKey is the record of a key.
type PastKey struct {
	AccountUUID string
	store.Key
}

// PastKeyRequest is a request for a key, pending or decided.
type PastKeyRequest struct {
	AccountUUID string
	KeyUUID     string // key issued on approval; empty if none
	store.KeyRequest
}

// PastOrder is an order with its history.
type PastOrder struct {
	AccountUUID     string
	UUID            string
	Code            string  // "" assigns the next code
	AreaSize        float64 // square metres; only for an order without missions
	Request         api.CreateOrderRequest
	Status          api.OrderStatus
	RejectionReason *string
	ArchiveReason   *string
	StatusBefore    *api.OrderStatus // status before it was archived
	Created         time.Time
	Updated         time.Time
	Missions        []PastMission // in the order of the missions in Request
	Quotes          []store.Quote // in the order in which they were issued
	Details         *api.RecordDetails
	Notify          *PastNotify // nil if the client is not notified
}

// PastNotify has the notification settings of an order and the notices sent so far.
// Secret is in plain text.
type PastNotify struct {
	store.Notify
	Notices []PastNotice // oldest first
}

// PastNotice is a notice that was sent or has failed. If Letter is not nil, it replaces the body
// of the notice.
type PastNotice struct {
	store.Notice
	Letter *NoticeLetter // data of an email; the order code is filled in later
}

// PastMission is the state and the history of a mission.
type PastMission struct {
	UUID         string
	Status       api.MissionStatus
	City         *string
	OperatorName *string
	FlightDate   time.Time // zero if no flight is scheduled
	Updated      time.Time
	Planning     []store.Planning  // first version first
	Permission   *store.Permission // nil if none is recorded
	Permit       *store.File       // document of the permission; nil if there is none
	Packages     []PastPackage     // first version first
}

// PastPackage is a delivery package with its files, whose content is already in the file
// store.
type PastPackage struct {
	store.Package
	Files []store.File
}

// PastWebhook is an endpoint with its log. Secret is in plain text.
type PastWebhook struct {
	AccountUUID string
	store.Webhook
	Log []PastDelivery // oldest first
}

// PastDelivery is a callback of a mission that was sent or failed.
type PastDelivery struct {
	UUID        string
	Event       api.EventName
	MissionUUID string
	Code        int // HTTP status; 0 without a response
	Attempts    int
	Error       string // "" for success
	Created     time.Time
}

// PastDataset is a dataset that an account has bought.
type PastDataset struct {
	AccountUUID string
	store.Dataset
	Files []store.File
}
