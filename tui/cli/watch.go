package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"
)

// watchInterval is the time between two runs with --watch.
const watchInterval = 5 * time.Second

// clearScreen moves the cursor to the top left and clears the screen.
const clearScreen = "\x1b[H\x1b[2J"

// watchRepeatedly calls printOutput at an interval until the command is interrupted. On a terminal, each
// output replaces the previous output. Otherwise, it prints only the lines that the previous output did
// not have.
func (c *Call) watchRepeatedly(every time.Duration, printOutput func() error) error {
	if isTerminal(c.Out()) {
		return c.repeatEvery(every, func() error {
			fmt.Fprint(c.Out(), clearScreen)
			return printOutput()
		})
	}
	previous := ""
	return c.repeatEvery(every, func() error {
		output, err := c.captureOutput(printOutput)
		if err != nil {
			return err
		}
		_, err = io.WriteString(c.Out(), newLines(output, previous))
		previous = output
		return err
	})
}

// newLines returns the lines of an output that the previous output did not have.
func newLines(output, previous string) string {
	isKnown := map[string]bool{}
	for line := range strings.Lines(previous) {
		isKnown[line] = true
	}
	var added strings.Builder
	for line := range strings.Lines(output) {
		if !isKnown[line] {
			added.WriteString(line)
		}
	}
	return added.String()
}

// repeatEvery calls a function at an interval until it returns an error or the command is interrupted.
func (c *Call) repeatEvery(every time.Duration, call func() error) error {
	for {
		if err := call(); err != nil {
			return err
		}
		select {
		case <-c.Done():
			return c.Err()
		case <-time.After(every):
		}
	}
}

// captureOutput calls a function and returns what it writes to the standard output of the command.
func (c *Call) captureOutput(call func() error) (string, error) {
	out := c.Out()
	var text bytes.Buffer
	c.Cmd.SetOut(&text)
	defer c.Cmd.SetOut(out)
	if err := call(); err != nil {
		return "", err
	}
	return text.String(), nil
}
