package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// Programs that read the output of --watch get each row once, and again if it changes.
func TestWatchPrintsChangedRows(t *testing.T) {
	var out bytes.Buffer
	cmd := &cobra.Command{}
	cmd.SetOut(&out)
	ctx, stop := context.WithCancel(t.Context())
	looks := []string{"a,1\nb,1\n", "a,1\nb,2\n", "a,1\nb,2\n", "a,1\nb,1\n"}
	call := &Call{Context: ctx, Cmd: cmd, Output: "csv"}
	err := call.watchRepeatedly(time.Nanosecond, func() error {
		if len(looks) == 0 {
			stop()
			return ctx.Err()
		}
		fmt.Fprint(call.Out(), looks[0])
		looks = looks[1:]
		return nil
	})
	if !errors.Is(err, context.Canceled) || out.String() != "a,1\nb,1\nb,2\nb,1\n" {
		t.Errorf("%v: %q", err, out.String())
	}
}
