//go:build campaign

package cli

import "time"

// How long the campaign of guests takes with -tags campaign, and how long a key may take.
const (
	guestsTime = time.Minute
	guestsKey  = 50 * time.Millisecond

	// how many times longer keys may take beside an attack where they take long without
	// it: other programs use the processors, too
	guestsShare = 3
)
