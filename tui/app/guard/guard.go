// Package guard keeps a panic of a goroutine from ending the program while the
// terminal is in raw mode.
package guard

import (
	"sync"

	"flightdesk/api"
)

// Go runs a function beside its caller, and brings its error. A panic is an
// [api.PanicError]. Every goroutine of the terminal program begins here.
func Go(do func() error) <-chan error {
	done := make(chan error, 1)
	go func() { done <- api.Guard(do) }()
	return done
}

// Group waits for functions that run at the same time. A panic of one of them
// is raised again by Wait, as an [api.PanicError], where whoever runs the group
// is guarded.
type Group struct {
	wg    sync.WaitGroup
	mu    sync.Mutex
	first error
}

// Go runs a function at the same time as the others.
func (g *Group) Go(f func()) {
	g.wg.Go(func() {
		err := api.Guard(func() error { f(); return nil })
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.first == nil {
			g.first = err
		}
	})
}

// Wait returns once all functions have.
func (g *Group) Wait() {
	g.wg.Wait()
	if g.first != nil {
		panic(g.first)
	}
}
