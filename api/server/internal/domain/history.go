package domain

import (
	"iter"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
)

// SeedWorld is what a store is filled with before it serves anybody, and what a
// reset goes back to.
type SeedWorld struct {
	Accounts    []store.Account     // with their UUIDs
	Keys        []PastKey           // that nobody has any more
	Bulk        iter.Seq[PastOrder] // numbered after Orders, oldest first, without quotes, details and history; nil: none
	Orders      []PastOrder         // oldest first
	Webhooks    []PastWebhook       // oldest first
	KeyRequests []PastKeyRequest    // oldest first
	Datasets    []PastDataset       // oldest first
}

// PastKey is the record of a key.
type PastKey struct {
	AccountUUID string
	store.Key
}

// PastKeyRequest is a request for a key, pending or decided.
type PastKeyRequest struct {
	AccountUUID string
	KeyUUID     string // of the key that approving made; "": none
	store.KeyRequest
}

// PastOrder is an order with a history, taken over as it stands.
type PastOrder struct {
	AccountUUID     string
	UUID            string
	Code            string  // "": the next one
	AreaSize        float64 // of an order without missions, in square metres
	Request         api.CreateOrderRequest
	Status          api.OrderStatus
	RejectionReason *string
	ArchiveReason   *string
	StatusBefore    *api.OrderStatus // of an archived order
	Created         time.Time
	Updated         time.Time
	Missions        []PastMission // one for each of the request
	Quotes          []store.Quote // as they were issued
	Details         *api.RecordDetails
	Notify          *PastNotify // nil: the client is not notified
}

// PastNotify has an order's settings for completion notices and those sent so
// far. Secret is in plain text.
type PastNotify struct {
	store.Notify
	Notices []PastNotice // oldest first
}

// PastNotice is a notice that was sent, or was not. A Letter becomes its body.
type PastNotice struct {
	store.Notice
	Letter *NoticeLetter // of an e-mail; the order's code is filled in
}

// PastMission is what has become of a mission.
type PastMission struct {
	UUID         string
	Status       api.MissionStatus
	City         *string
	OperatorName *string
	FlightDate   time.Time // zero: none
	Updated      time.Time
	Planning     []store.Planning  // first version first
	Permission   *store.Permission // nil: none recorded
	Permit       *store.File       // its document; nil: none
	Packages     []PastPackage     // first version first
}

// PastPackage is a delivery package with its files, whose content is where
// they say.
type PastPackage struct {
	store.Package
	Files []store.File
}

// PastWebhook is an endpoint with its log. Its Secret is as it was issued.
type PastWebhook struct {
	AccountUUID string
	store.Webhook
	Log []PastDelivery // oldest first
}

// PastDelivery is an event of a mission that was sent, or was not.
type PastDelivery struct {
	UUID        string
	Event       api.EventName
	MissionUUID string
	Code        int // HTTP status; 0: no answer came
	Attempts    int
	Error       string // "" for success
	Created     time.Time
}

// PastDataset is a dataset that an account has purchased.
type PastDataset struct {
	AccountUUID string
	store.Dataset
	Files []store.File
}
