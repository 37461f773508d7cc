//go:build !linux

package server_test

import "time"

var began = time.Now()

// spent is the time that has passed.
func spent() time.Duration { return time.Since(began) }
