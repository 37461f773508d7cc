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
func (c *Call) watchRepeatedly(every time.Duration, look func(printTarget) error) error {
	to := c.Out()
	before := map[string]bool{}
	for {
		p := c.printTarget()
		var text bytes.Buffer
		if isTerminal(to) {
			if _, err := io.WriteString(to, "\x1b[H\x1b[2J"); err != nil {
				return err
			}
		} else {
			p.To = &text
		}
		if err := look(p); err != nil {
			return err
		}
		if err := printChanged(to, text.String(), before); err != nil {
			return err
		}
		select {
		case <-c.Done():
			return c.Err()
		case <-time.After(every):
		}
	}
}

// printChanged writes the lines that were not there before, and notes those that
// are there now.
func printChanged(to io.Writer, text string, before map[string]bool) error {
	var changed strings.Builder
	now := map[string]bool{}
	for line := range strings.Lines(text) {
		if now[line] = true; !before[line] {
			changed.WriteString(line)
		}
	}
	clear(before)
	for line := range now {
		before[line] = true
	}
	_, err := io.WriteString(to, changed.String())
	return err
}

// meterFrame is how often a meter is drawn.
const meterFrame = time.Second / 5

// meterLine is a line on a terminal that tells how far something is, while it lasts.
type meterLine struct {
	W io.Writer // nil where nobody sees it

	mu    sync.Mutex
	drawn time.Time // last; at first when it began
	shown bool
}

// newMeterLine returns a line that is drawn on a terminal only.
func newMeterLine(w io.Writer) *meterLine {
	if isQuiet(w) {
		w = nil
	}
	return &meterLine{W: w, drawn: time.Now()}
}

// DrawLine draws a text, unless the line was drawn a moment ago.
func (m *meterLine) DrawLine(format string, args ...any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.W == nil || time.Since(m.drawn) < meterFrame {
		return
	}
	m.drawn, m.shown = time.Now(), true
	fmt.Fprintf(m.W, "\r"+format+"\x1b[K", args...)
}

// ClearLine takes the line off the terminal for good.
func (m *meterLine) ClearLine() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.shown {
		fmt.Fprint(m.W, "\r\x1b[K")
	}
	m.W, m.shown = nil, false
}

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
	return newMeterLine(c.Trouble()).drawEvery(every, text)
}

func (m *meterLine) drawEvery(every time.Duration, text func() string) (done func()) {
	over := make(chan struct{})
	var all api.Group
	all.Go(func() {
		ticks := time.NewTicker(every)
		defer ticks.Stop()
		defer m.ClearLine()
		for {
			select {
			case <-ticks.C:
				m.DrawLine("%s", text())
			case <-over:
				return
			}
		}
	})
	return func() {
		close(over)
		all.Wait()
	}
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
func eachOf[T, U any](all Rows[T], inside func(*T) ([]U, error)) Rows[U] {
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
			if err != nil {
				yield(nil, err)
			}
			return err == nil
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

// single returns what belongs to a row where that is one value.
func single[T any](value *T, err error) ([]T, error) {
	if err != nil {
		return nil, err
	}
	return []T{*value}, nil
}
