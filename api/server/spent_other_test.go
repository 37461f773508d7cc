//go:build !linux

package server_test

import "time"

var began = time.Now()

// spent returns the time that has passed, because the processor time is not known.
func spent() time.Duration { return time.Since(began) }
