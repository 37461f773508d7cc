// Package session has what it takes to work with an account of a service.
package session

import (
	"context"

	"flightdesk/api"
)

// Account is what is typed: where the service is, and the key.
type Account struct {
	Name      string // of the profile
	BaseURL   string
	LegacyURL string // "" for none
	Key       string
	Band      string // live, test or ""
}

// Fault is something wrong with what was typed, at a field.
type Fault struct{ Field, Problem string }

// Error is what is wrong.
func (f Fault) Error() string { return f.Problem }

// The fields, as a [Fault] names them.
const (
	FieldName      = "name"
	FieldBaseURL   = "base_url"
	FieldLegacyURL = "legacy_base_url"
	FieldKey       = "key"
	FieldBand      = "band"
)

// Setup is how an account is connected with for the first time. All of it takes
// time and runs in the background.
type Setup struct {
	// Try asks the service what the key may do. Nothing is kept or changed.
	Try func(ctx context.Context, a Account) ([]api.ScopeGrant, error)
	// Keep writes the account into the configuration and says in a line where
	// its key is now, and whether somebody should look after it.
	Keep func(ctx context.Context, a Account) (notice Notice, err error)
	// Demo starts a service in this process.
	Demo func(ctx context.Context) error
}

// Notice says where something was kept.
type Notice struct {
	Text string
	Warn bool // it is not as safe as it could be
}

// Demo is the name of the profile of the demo.
const Demo = "demo"
