//go:build campaign

package cli

import "time"

// How long the campaign of guests takes with -tags campaign, and how long a key may take.
const (
	guestsTime = time.Minute
	guestsKey  = 50 * time.Millisecond
)
