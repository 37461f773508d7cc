//go:build !campaign

package cli

import "time"

// How long the campaign of guests takes in the normal run, and how long a key may take
// while other tests run beside it.
const (
	guestsTime = 5 * time.Second
	guestsKey  = 2 * time.Second
)
