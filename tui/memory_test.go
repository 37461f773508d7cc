package tui

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestMemoryThatIsNobodysCounts(t *testing.T) {
	debug.FreeOSMemory()
	before, made := idle(), allocated()
	garbage := make([][]byte, 64)
	for i := range garbage {
		garbage[i] = make([]byte, 1<<20)
	}
	if allocated()-made < 60<<20 {
		t.Error("what is allocated is not counted")
	}
	runtime.KeepAlive(garbage)
	runtime.GC()
	if got := idle() - before; int64(got) < 32<<20 {
		t.Errorf("of 64 MB that are garbage %d count", got)
	}
	debug.FreeOSMemory()
	if idle() > before+untidy {
		t.Errorf("%d bytes are left to be given back", idle())
	}
}

func TestTidyEnds(t *testing.T) {
	stop := tidy()
	stop()
	if got := debug.SetGCPercent(100); got != collectAt {
		t.Errorf("the heap is collected at %d percent", got)
	}
}
