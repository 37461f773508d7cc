package cli

import (
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"

	"flightdesk/tui"
)

// plainFlag adds the flag for the linear form.
func plainFlag(cmd *cobra.Command) *bool {
	return cmd.Flags().
		Bool("plain", false, "show the app as lines of text, for screen readers and pipes; the default if TERM is dumb")
}

// shown is where and how the app is shown.
type shown struct {
	plain bool
	in    io.Reader
	out   io.Writer
}

func shownOn(cmd *cobra.Command, plain bool) shown {
	return shown{plain || os.Getenv("TERM") == "dumb", cmd.InOrStdin(), cmd.OutOrStdout()}
}

// run shows the app as it was asked for.
func (s shown) run(ctx context.Context, o tui.Options) error {
	if !s.plain {
		return show(ctx, o)
	}
	err := tui.RunPlain(ctx, o, s.in, s.out)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}
