package run

import (
	"bytes"
	"context"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// WatchTime is how long there is between two looks.
const WatchTime = 5 * time.Second

// WatchRepeatedly prints again and again until it is interrupted: on a terminal in place of
// what was there, elsewhere only the lines that the last look did not have.
func WatchRepeatedly(ctx context.Context, cmd *cobra.Command, every time.Duration, output string, look func(PrintTarget) error) error {
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
