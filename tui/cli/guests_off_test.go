//go:build !campaign

package cli

import "time"

// How long the campaign of guests takes in the normal run, and how long a key may take
// while other tests run beside it.
const (
	guestsTime = 5 * time.Second
	guestsKey  = 2 * time.Second

	// how many times longer keys may take beside an attack where they take long without
	// it: other programs use the processors, too
	guestsShare = 3
)
