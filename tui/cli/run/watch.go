package run

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"flightdesk/tui/app/guard"
)

// WatchTime is how long there is between two looks.
const WatchTime = 5 * time.Second

// WatchRepeatedly prints again and again until it is interrupted: on a terminal in place of
// what was there, elsewhere only the lines that the last look did not have.
func WatchRepeatedly(
	ctx context.Context,
	cmd *cobra.Command,
	every time.Duration,
	output string,
	look func(PrintTarget) error,
) error {
	to := cmd.OutOrStdout()
	before := map[string]bool{}
	for {
		p := PrintedOn(cmd, output)
		var text bytes.Buffer
		if IsTerminal(to) {
			if _, err := io.WriteString(to, "\x1b[H\x1b[2J"); err != nil {
				return err
			}
		} else {
			p.To = &text
		}
		if err := look(p); err != nil {
			return err
		}
		if err := printChanged(to, text.String(), before); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(every):
		}
	}
}

// printChanged writes the lines that were not there before, and notes those that
// are there now.
func printChanged(to io.Writer, text string, before map[string]bool) error {
	var changed strings.Builder
	now := map[string]bool{}
	for line := range strings.Lines(text) {
		if now[line] = true; !before[line] {
			changed.WriteString(line)
		}
	}
	clear(before)
	for line := range now {
		before[line] = true
	}
	_, err := io.WriteString(to, changed.String())
	return err
}

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
