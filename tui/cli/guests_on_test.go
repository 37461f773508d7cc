//go:build campaign

package cli

import "time"

// How long the campaign of guests takes with -tags campaign, and how long a key may take.
const (
	guestsTime = time.Minute
	guestsKey  = 50 * time.Millisecond

	// cutPatience is how long an attacker may go on before the server ends the connection.
	cutPatience = 2 * time.Minute
	// cutsHungReaders reports whether the run lasts until the window of a client that reads
	// nothing, 2 MiB, is full of frames.
	cutsHungReaders = true

	// how many times longer keys may take beside an attack where they take long without
	// it: other programs use the processors, too
	guestsShare = 3
)
