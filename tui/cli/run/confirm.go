package run

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/tui/app/guard"
)

// UnsureAdvice ends an error of a change whose answer did not come.
const UnsureAdvice = "it may have been done all the same: look before you do it again"

// Confirm asks a person to type a word. Where there is no person it is an
// error that says how to do without.
func Confirm(ctx context.Context, cmd *cobra.Command, question, word, without string) (bool, error) {
	in, ok := cmd.InOrStdin().(io.Writer) // a file; a terminal is one
	if !ok || !IsTerminal(in) || !IsTerminal(cmd.ErrOrStderr()) {
		return false, errors.New("no terminal to ask on; " + without)
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%s\nType %s to do it: ", question, word)
	typed := ""
	read := guard.Go(func() error {
		line, _ := bufio.NewReader(cmd.InOrStdin()).ReadString('\n')
		typed = strings.TrimSpace(line)
		return nil
	})
	select {
	case err := <-read:
		return err == nil && strings.EqualFold(typed, word), err
	case <-ctx.Done():
		fmt.Fprintln(cmd.ErrOrStderr())
		return false, ctx.Err()
	}
}
