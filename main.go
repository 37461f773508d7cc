// Command flightdesk is a terminal app for drone-survey orders.
package main

import (
	"os"
	"runtime/debug"
	"time"

	"flightdesk/tui/cli"
)

const (
	firstFrameTime = 1 * time.Second // until the first frame is drawn, at most
	startTime      = 2 * time.Second // until everything that a start needs is loaded
)

func main() {
	// A tenth of the time to the first frame would go into collecting the little garbage of a
	// start. It is collected afterwards, so that the demo needs 3 MB less.
	percent := debug.SetGCPercent(1000)
	time.AfterFunc(firstFrameTime, func() { debug.SetGCPercent(percent) })
	time.AfterFunc(startTime, debug.FreeOSMemory)
	os.Exit(cli.Main())
}
