package cli

import (
	"cmp"
	"context"
	"os"

	"github.com/spf13/cobra"

	"flightdesk/tui"
	"flightdesk/tui/cli/run"
)

// plainFlag adds the flag for the linear form.
func plainFlag(cmd *cobra.Command) {
	cmd.Flags().
		Bool("plain", false, "text lines for screen readers and pipes; default if TERM is dumb")
}

// newAppRun returns a run of the app by a command.
func newAppRun(c *run.Call) *appRun {
	plain, _ := c.Cmd.Flags().GetBool("plain")
	return &appRun{Program: c.Program, cmd: c.Cmd, plain: plain || os.Getenv("TERM") == "dumb"}
}

// show shows the app as it was asked for.
func (s *appRun) show(ctx context.Context, o tui.Options) (err error) {
	if s.plain {
		err = tui.RunPlain(ctx, o, s.cmd.InOrStdin(), s.cmd.OutOrStdout())
	} else {
		err = showScreen(ctx, o)
	}
	return cmp.Or(ctx.Err(), err)
}
