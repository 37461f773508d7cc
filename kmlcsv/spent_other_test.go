//go:build !linux

package kmlcsv

import "time"

var start = time.Now()

// spent is the time that has passed.
func spent() time.Duration { return time.Since(start) }
