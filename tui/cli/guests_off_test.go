//go:build !campaign

package cli

import "time"

// The duration of the campaign of guests in a normal run, and limits that allow for other tests at
// the same time.
const (
	guestsTime = 5 * time.Second
	guestsKey  = 2 * time.Second

	// cutPatience is how long an attacker can go on before the server ends the connection.
	cutPatience = time.Minute
	// cutsHungReaders is whether the run is long enough to fill the window of a client that
	// reads nothing, which has 2 MiB.
	cutsHungReaders = false

	// guestsShare is how many times longer keys may take during an attack, if they already take
	// long without an attack because other programs use the processors.
	guestsShare = 3
)
