package tui

import (
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// The runtime gives memory back to the system slowly, and collects only when
// the heap has doubled: after a large list is read, half of the program's
// memory is nobody's.
const (
	tidyTime  = 5 * time.Second // between two looks
	untidy    = 4 << 20         // bytes that are worth it
	collectAt = 50              // growth of the heap, in percent, at which it is collected
)

// tidy gives memory back that is not in use any more, now and again until the
// function that it returns is called.
func tidy() (stop func()) {
	before := debug.SetGCPercent(collectAt)
	if before != 100 { // the user's own
		debug.SetGCPercent(before)
	}
	ticker, done := time.NewTicker(tidyTime), make(chan struct{})
	go func() {
		defer ticker.Stop()
		for last := uint64(0); ; {
			select {
			case <-done:
				return
			case <-ticker.C:
			}
			if made := allocated(); made != last && idle() > untidy {
				debug.FreeOSMemory()
				last = allocated()
			}
		}
	}()
	return func() { close(done) }
}

// idle is how many bytes could be given back: free, or at most garbage.
func idle() uint64 {
	m := []metrics.Sample{{Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(m)
	free, objects, live := m[0].Value.Uint64(), m[1].Value.Uint64(), m[2].Value.Uint64()
	return free + max(objects, live) - live
}

func allocated() uint64 {
	m := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(m)
	return m[0].Value.Uint64()
}
