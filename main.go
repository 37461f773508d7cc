// Command flightdesk is a terminal app for drone-survey orders.
package main

import (
	"os"
	"runtime/debug"
	"time"

	"flightdesk/tui/cli"
)

func main() {
	// A tenth of the time to the first frame would go into collecting the little garbage of a
	// start.
	percent := debug.SetGCPercent(1000)
	time.AfterFunc(time.Second, func() { debug.SetGCPercent(percent) })
	os.Exit(cli.Main())
}
