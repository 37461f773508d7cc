package run

import (
	"fmt"
	"io"
	"time"

	"flightdesk/tui/app/guard"
)

// ShowWaiting tells on a terminal what takes long, from the first second on, until
// it is done.
func ShowWaiting(w io.Writer, what string) (done func()) {
	if IsQuiet(w) {
		return func() {}
	}
	return tellWaiting(w, what)
}

func tellWaiting(w io.Writer, what string) (done func()) {
	over := make(chan struct{})
	var all guard.Group
	all.Go(func() {
		ticks := time.NewTicker(time.Second)
		defer ticks.Stop()
		for seconds := 0; ; {
			select {
			case <-ticks.C:
				seconds++
				fmt.Fprintf(w, "\r%s, %d s\x1b[K", what, seconds)
			case <-over:
				if seconds > 0 {
					fmt.Fprint(w, "\r\x1b[K")
				}
				return
			}
		}
	})
	return func() {
		close(over)
		all.Wait()
	}
}
