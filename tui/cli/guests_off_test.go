//go:build !campaign

package cli

import "time"

// How long the campaign of guests takes in the normal run, and how long a key may take
// while other tests run beside it.
const (
	guestsTime = 5 * time.Second
	guestsKey  = 2 * time.Second

	// cutPatience is how long an attacker may go on before the server ends the connection.
	cutPatience = 20 * time.Second
	// cutsHungReaders reports whether the run lasts until the window of a client that reads
	// nothing, 2 MiB, is full of frames.
	cutsHungReaders = false

	// how many times longer keys may take beside an attack where they take long without
	// it: other programs use the processors, too
	guestsShare = 3
)
