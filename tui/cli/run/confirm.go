package run

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"flightdesk/tui/app/guard"
)

// UnsureAdvice ends an error of a change whose answer did not come.
const UnsureAdvice = "the change may have been applied; check before retrying"

// ConfirmChange asks a person to type a word. Where there is no person it is an
// error that says how to do without.
func ConfirmChange(ctx context.Context, cmd *cobra.Command, question, word, without string) (bool, error) {
	in, ok := cmd.InOrStdin().(io.Writer) // a file; a terminal is one
	if !ok || !IsTerminal(in) || !IsTerminal(cmd.ErrOrStderr()) {
		return false, errors.New("cannot ask for confirmation without a terminal; " + without)
	}
	typed, err := AskLine(ctx, cmd, fmt.Sprintf("%s\nType %s to confirm: ", question, word), false)
	return err == nil && strings.EqualFold(typed, word), err
}

// AskLine reads a line from standard input. On a terminal it asks a question first, and
// what is typed is not shown where that is secret.
func AskLine(ctx context.Context, cmd *cobra.Command, question string, secret bool) (string, error) {
	in, stderr := cmd.InOrStdin(), cmd.ErrOrStderr()
	var before *term.State
	f, isFile := in.(*os.File)
	if isFile && IsTerminal(f) {
		fmt.Fprint(stderr, question)
		if secret {
			before, _ = term.GetState(f.Fd())
		}
	}
	typed := ""
	read := guard.Go(func() error {
		if before != nil {
			hidden, err := term.ReadPassword(f.Fd())
			typed = string(hidden)
			return err
		}
		typed, _ = bufio.NewReader(io.LimitReader(in, mostTyped)).ReadString('\n')
		return nil
	})
	select {
	case err := <-read:
		if before != nil {
			fmt.Fprintln(stderr)
		}
		return strings.TrimSpace(typed), err
	case <-ctx.Done():
		if before != nil {
			_ = term.Restore(f.Fd(), before)
		}
		fmt.Fprintln(stderr)
		return "", ctx.Err()
	}
}

// mostTyped is how many bytes of a line are read.
const mostTyped = 64 << 10
