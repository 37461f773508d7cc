package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/tui/app/ordering"
)

// readInput reads a survey file, or standard input if the path is "-". If the file is larger than the parser allows,
// it returns one byte more than the limit, and the parser reports the error. It returns at once if the command is
// interrupted, even while it waits for a pipe. Errors begin with the name of the file.
func (c *Call) readInput(path string) ([]byte, error) {
	data, err := readInterruptibly(c, func() ([]byte, error) { return c.readFileOrStdin(path) })
	return data, prefixError(fileLabel(path), err)
}

// readInterruptibly calls a function that reads input and returns its result. If the command is interrupted
// first, it returns an error at once, although the function still runs.
func readInterruptibly[T any](c *Call, read func() (T, error)) (T, error) {
	var result T
	done := api.Go(func() error {
		var err error
		result, err = read()
		return err
	})
	select {
	case err := <-done:
		return result, err
	case <-c.Done():
		var none T
		return none, c.Err()
	}
}

// readFileOrStdin reads a survey file, or standard input if the path is "-".
func (c *Call) readFileOrStdin(path string) ([]byte, error) {
	input := c.Cmd.InOrStdin()
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return nil, explainFileError(err)
		}
		defer func() { _ = file.Close() }()
		input = file
	}
	data, err := new(ordering.FileReader).ReadSurvey(input)
	return data, explainFileError(err)
}

// confirmFlag adds --yes, which skips the question of [Call.confirmChange].
func confirmFlag(cmd *cobra.Command) {
	cmd.Flags().Bool("yes", false, "skip the confirmation")
}

// confirmChange prints a question and asks the user to type a word, unless --yes is set. Without a
// terminal it returns an error that ends with the advice.
func (c *Call) confirmChange(question, word, advice string) error {
	isConfirmed, _ := c.Cmd.Flags().GetBool("yes")
	if isConfirmed {
		return nil
	}
	if !isTerminal(c.Cmd.InOrStdin()) || !isTerminal(c.Stderr()) {
		return errors.New("cannot ask for confirmation without a terminal; " + advice)
	}
	out := newTextWriter(c.Stderr())
	writeQuestion := textPart(question + "\n")
	writeQuestion(out)
	if err := out.Flush(); err != nil {
		return err
	}
	typed, err := c.readLine(fmt.Sprintf("Type %s to confirm: ", word), false)
	if err != nil {
		return err
	}
	if !strings.EqualFold(typed, word) {
		return errors.New("not confirmed; nothing was sent")
	}
	return nil
}

// readLine reads a line from standard input and trims it. On a terminal it prints the question first,
// and hides what the user types if isSecret is set.
func (c *Call) readLine(question string, isSecret bool) (string, error) {
	input := c.Cmd.InOrStdin()
	isAsked := isTerminal(input)
	if isAsked {
		fmt.Fprint(c.Stderr(), question)
	}
	var line string
	var err error
	if isAsked && isSecret {
		line, err = c.readHiddenLine(input.(*os.File))
	} else {
		line, err = c.readPlainLine(input)
	}
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(line), nil
}

// readHiddenLine reads a line from a terminal that does not show what the user types.
func (c *Call) readHiddenLine(terminal *os.File) (string, error) {
	state, stateErr := term.GetState(terminal.Fd())
	secret, err := readInterruptibly(c, func() ([]byte, error) { return term.ReadPassword(terminal.Fd()) })
	if err != nil && stateErr == nil {
		_ = term.Restore(terminal.Fd(), state) // an interrupted ReadPassword does not restore it
	}
	fmt.Fprintln(c.Stderr()) // the terminal has not shown the line end that the user typed
	return string(secret), err
}

// maxLineBytes is the maximum length of a line. The rest of a longer line is not read.
const maxLineBytes = 64 << 10

// readPlainLine reads a line from an input. The end of the input ends the line.
func (c *Call) readPlainLine(input io.Reader) (string, error) {
	line, err := readInterruptibly(c, func() (string, error) {
		text, _ := bufio.NewReader(io.LimitReader(input, maxLineBytes)).ReadString('\n')
		return text, nil
	})
	if err != nil { // interrupted
		fmt.Fprintln(c.Stderr())
		return "", err
	}
	return line, nil
}
