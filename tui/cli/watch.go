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

// watchRepeatedly calls printRows at an interval until the command is interrupted. On a terminal, each
// output replaces the previous output. Otherwise, it prints only the lines that the previous output did
// not have.
func (c *Call) watchRepeatedly(every time.Duration, printRows func() error) error {
	out := c.Out()
	printed := map[string]bool{} // lines of the previous output
	for {
		var text bytes.Buffer
		if isTerminal(out) {
			fmt.Fprint(out, "\x1b[H\x1b[2J")
		} else {
			c.Cmd.SetOut(&text)
		}
		if err := printRows(); err != nil {
			return err
		}
		lines := map[string]bool{}
		for line := range strings.Lines(text.String()) {
			lines[line] = true
			if printed[line] {
				continue
			}
			if _, err := io.WriteString(out, line); err != nil {
				return err
			}
		}
		printed = lines
		select {
		case <-c.Done():
			return c.Err()
		case <-time.After(every):
		}
	}
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

// drawEvery draws a line at an interval until done is called, which erases the line.
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

// expandedRow is the result of a call by eachOf. The list is complete when done has delivered the error
// of the call.
type expandedRow[U any] struct {
	list []U
	done <-chan error
}

// startExpanding starts a call of expand with a row, which runs in the background. If err, the error of
// the row, is not nil, expand is not called and err is the error of the result.
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
		var pending []*expandedRow[U]
		defer func() {
			for _, row := range pending {
				<-row.done
			}
		}()
		yieldFirst := func() bool {
			first := pending[0]
			pending = pending[1:]
			return first.yieldTo(yield)
		}
		for row, err := range rows {
			pending = append(pending, startExpanding(row, err, expand))
			if len(pending) == maxParallelCalls && !yieldFirst() {
				return
			}
		}
		for len(pending) > 0 {
			if !yieldFirst() {
				return
			}
		}
	}
}

// singleValue returns a list with the value, and err. If err says that the value could not be read at
// all, and not that a part is missing, the list is empty.
func singleValue[T any](value *T, err error) ([]T, error) {
	if err != nil && !api.IsPartial(err) {
		return nil, err
	}
	return []T{*value}, err
}
