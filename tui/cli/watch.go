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

// watchTime is how long there is between two looks.
const watchTime = 5 * time.Second

// watchRepeatedly prints again and again until it is interrupted: on a terminal in place of
// what was there, elsewhere only the lines that the last look did not have.
func (c *Call) watchRepeatedly(every time.Duration, look func() error) error {
	to, before := c.Out(), map[string]bool{}
	for {
		var text bytes.Buffer
		if isTerminal(to) {
			fmt.Fprint(to, "\x1b[H\x1b[2J")
		} else {
			c.Cmd.SetOut(&text)
		}
		if err := look(); err != nil {
			return err
		}
		now := map[string]bool{}
		for line := range strings.Lines(text.String()) {
			if now[line] = true; before[line] {
				continue
			}
			if _, err := io.WriteString(to, line); err != nil {
				return err
			}
		}
		before = now
		select {
		case <-c.Done():
			return c.Err()
		case <-time.After(every):
		}
	}
}

// meterFrame is how often a meter is drawn.
const meterFrame = time.Second / 5

// ShowWaiting tells on a terminal what takes long, from the first second on, until
// it is done.
func (c *Call) ShowWaiting(what string) (done func()) {
	seconds := 0
	return c.ShowProgress(time.Second, func() string {
		seconds++
		return fmt.Sprintf("%s, %d s", what, seconds)
	})
}

// ShowProgress draws on a terminal again and again how far something is, until it is done.
func (c *Call) ShowProgress(every time.Duration, text func() string) (done func()) {
	if isQuiet(c.Trouble()) {
		return func() {}
	}
	return drawEvery(c.Trouble(), every, text)
}

// drawEvery draws a line again and again, and takes it off the terminal in the end.
func drawEvery(to io.Writer, every time.Duration, text func() string) (done func()) {
	over := make(chan struct{})
	var all api.Group
	all.Go(func() {
		ticks, clear := time.NewTicker(every), ""
		defer ticks.Stop()
		for {
			select {
			case <-ticks.C:
				clear = "\r\x1b[K"
				fmt.Fprint(to, "\r"+text()+"\x1b[K")
			case <-over:
				fmt.Fprint(to, clear)
				return
			}
		}
	})
	return sync.OnceFunc(func() {
		close(over)
		all.Wait()
	})
}

// callsAhead is how many rows of a list are asked about at once, before the
// first of them is printed.
const callsAhead = 8

// foundRow is what belongs to a row, once done brings its error.
type foundRow[U any] struct {
	list []U
	done <-chan error
}

// eachOf walks what belongs to every row of another list, in that one's order.
// A few rows are asked about at once, so inside is called side by side; once
// the walk ends, no call is under way any more.
func eachOf[T, U any](all Rows[T], inside func(T) ([]U, error)) Rows[*U] {
	return func(yield func(*U, error) bool) {
		var ahead []*foundRow[U]
		yieldFirst := func() bool {
			first := ahead[0]
			ahead = ahead[1:]
			err := <-first.done
			for i := range first.list {
				if !yield(&first.list[i], nil) {
					return false
				}
			}
			return err == nil || yield(nil, err)
		}
		defer func() {
			for _, row := range ahead {
				<-row.done
			}
		}()
		for row, err := range all {
			found := &foundRow[U]{}
			found.done = api.Go(func() error {
				if err == nil {
					found.list, err = inside(row)
				}
				return err
			})
			if ahead = append(ahead, found); len(ahead) == callsAhead && !yieldFirst() {
				return
			}
		}
		for len(ahead) > 0 && yieldFirst() {
			continue
		}
	}
}

// single returns what belongs to a row if that is one value, also if the value was read in
// part.
func single[T any](value *T, err error) ([]T, error) {
	if err != nil && !api.IsPartial(err) {
		return nil, err
	}
	return []T{*value}, err
}
