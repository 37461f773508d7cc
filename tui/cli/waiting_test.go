package cli

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/cobra"
)

func TestWaitingIsShownAfterTheFirstSecond(t *testing.T) {
	for after, want := range map[time.Duration]string{
		900 * time.Millisecond:  "",
		1100 * time.Millisecond: "\rmaking files, 1 s\x1b[K\r\x1b[K",
		2500 * time.Millisecond: "\rmaking files, 1 s\x1b[K\rmaking files, 2 s\x1b[K\r\x1b[K",
	} {
		synctest.Test(t, func(t *testing.T) {
			var seen strings.Builder
			seconds := 0
			done := drawEvery(&seen, time.Second, func() string {
				seconds++
				return fmt.Sprintf("making files, %d s", seconds)
			})
			time.Sleep(after) // in a bubble of synctest, which has its own clock
			done()
			if seen.String() != want {
				t.Errorf("after %s: %q, want %q", after, seen.String(), want)
			}
		})
	}
	var pipe strings.Builder
	cmd := &cobra.Command{}
	cmd.SetErr(&pipe)
	(&Call{Cmd: cmd}).ShowWaiting("making files")()
	if pipe.String() != "" {
		t.Errorf("a pipe is told %q", pipe.String())
	}
}
