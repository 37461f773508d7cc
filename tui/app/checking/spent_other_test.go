//go:build !linux

package checking_test

import "time"

var start = time.Now()

// spent returns the time that has passed, because the processor time is not available.
func spent() time.Duration { return time.Since(start) }
