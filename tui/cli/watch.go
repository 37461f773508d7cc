package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"flightdesk/api"
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

// progressInterval is the time between two updates of a progress line.
const progressInterval = time.Second / 5

// ShowWaiting shows a text and the elapsed seconds on a terminal, starting after the first
// second, until done is called.
func (c *Call) ShowWaiting(text string) (done func()) {
	seconds := 0
	return c.ShowProgress(time.Second, func() string {
		seconds++
		return fmt.Sprintf("%s, %d s", text, seconds)
	})
}

// ShowProgress shows a line on the terminal and updates it at an interval until done is
// called. It shows nothing if standard error is not a terminal.
func (c *Call) ShowProgress(every time.Duration, text func() string) (done func()) {
	if isQuiet(c.Stderr()) {
		return func() {}
	}
	return drawEvery(c.Stderr(), every, text)
}

// drawEvery draws a line at an interval. The returned function done stops the drawing and erases the line.
func drawEvery(to io.Writer, every time.Duration, text func() string) (done func()) {
	stop := make(chan struct{})
	var drawing api.Group
	drawing.Go(func() {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		isDrawn := false
		for {
			select {
			case <-ticker.C:
				fmt.Fprint(to, "\r"+text()+"\x1b[K")
				isDrawn = true
			case <-stop:
				if isDrawn {
					fmt.Fprint(to, "\r\x1b[K")
				}
				return
			}
		}
	})
	return sync.OnceFunc(func() {
		close(stop)
		drawing.Wait()
	})
}

// maxParallelCalls is the largest number of calls that eachOf runs at the same time.
const maxParallelCalls = 8

// expandedRow is the result of calling a function with a row in the background.
type expandedRow[U any] struct {
	list []U          // may be read after receiving from done
	done <-chan error // sends the error of the call, or nil, when the call ends
}

// startExpanding starts a call of expand with a row in the background. err is the error of reading the row.
// If err is not nil, expand is not called and the result has err.
func startExpanding[T, U any](row T, err error, expand func(T) ([]U, error)) *expandedRow[U] {
	expanded := &expandedRow[U]{}
	expanded.done = api.Go(func() error {
		if err != nil {
			return err
		}
		var expandErr error
		expanded.list, expandErr = expand(row)
		return expandErr
	})
	return expanded
}

// yieldTo waits for the result and passes the list, and then the error if there is one, to yield. It
// reports whether yield wants more.
func (r *expandedRow[U]) yieldTo(yield func(*U, error) bool) bool {
	err := <-r.done
	for i := range r.list {
		if !yield(&r.list[i], nil) {
			return false
		}
	}
	if err != nil {
		return yield(nil, err)
	}
	return true
}

// eachOf calls expand for each row of a list, such as for the missions of each order, and
// returns the results in the order of the rows. Up to maxParallelCalls calls run at the same time.
// When the returned iterator ends, no call is running.
func eachOf[T, U any](rows Rows[T], expand func(T) ([]U, error)) Rows[*U] {
	return func(yield func(*U, error) bool) {
		var running expandQueue[U]
		defer running.wait()
		for row, err := range rows {
			running = append(running, startExpanding(row, err, expand))
			isFull := len(running) == maxParallelCalls
			if isFull && !running.takeFirst().yieldTo(yield) {
				return
			}
		}
		for len(running) > 0 {
			if !running.takeFirst().yieldTo(yield) {
				return
			}
		}
	}
}

// expandQueue has the calls whose results were not yielded, in the order of the rows.
type expandQueue[U any] []*expandedRow[U]

// takeFirst removes the first call from the queue and returns it.
func (q *expandQueue[U]) takeFirst() *expandedRow[U] {
	first := (*q)[0]
	*q = (*q)[1:]
	return first
}

// wait waits until all calls in the queue have ended.
func (q *expandQueue[U]) wait() {
	for _, row := range *q {
		<-row.done
	}
}

// singleValue returns a list with the value, and err, the error of reading it. If err means that only a part of
// the value is missing, the list still has the value. After any other error the list is empty.
func singleValue[T any](value *T, err error) ([]T, error) {
	if err != nil && !api.IsPartial(err) {
		return nil, err
	}
	return []T{*value}, err
}
