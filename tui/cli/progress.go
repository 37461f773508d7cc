package cli

import (
	"fmt"
	"io"
	"sync"
	"time"

	"flightdesk/api"
)

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
