package api

import "time"

// Limits of the service, as its specification and decisions give them. The
// server refuses what is over them and the forms say so while one types.
const (
	MaxNameLength     = 200   // characters of a name or label
	MaxTextLength     = 2000  // characters of a description or reason
	MaxMissions       = 1000  // missions of an order
	MaxPoints         = 20000 // points of a mission's locationMap
	MaxBodyBytes      = 5 << 20
	MaxUploadBytes    = 10 << 20 // a KML, KMZ or CSV file
	MaxPageLimit      = 100
	DefaultPageLimit  = 20
	MaxIdempotencyKey = 255
	MaxRequestID      = 128
	MaxURLLength      = 2048 // characters of a webhook endpoint's address
	MaxWebhooks       = 20   // endpoints of an account
)

// DefaultTimeout bounds one try of a call unless [WithTimeout] says otherwise.
const DefaultTimeout = 15 * time.Second
