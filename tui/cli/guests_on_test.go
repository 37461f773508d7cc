//go:build campaign

package cli

import "time"

// The duration of the campaign of guests with -tags campaign, and its limits.
const (
	guestsTime = time.Minute
	guestsKey  = 50 * time.Millisecond

	// cutPatience is how long an attacker can go on before the server ends the connection.
	cutPatience = 2 * time.Minute
	// cutsHungReaders is whether the run is long enough to fill the window of a client that
	// reads nothing, which has 2 MiB.
	cutsHungReaders = true

	// guestsShare is how many times longer keys may take during an attack, if they already take
	// long without an attack because other programs use the processors.
	guestsShare = 3
)
