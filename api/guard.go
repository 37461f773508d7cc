package api

import (
	"fmt"
	"runtime/debug"
	"sync"
)

// PanicError is a panic that was turned into an error by [CatchPanic].
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("internal error: %v", e.Value) }

// CatchPanic turns a panic into the error of the function that defers it:
//
//	defer api.CatchPanic(&err)
//
// Without it, a panic in a goroutine ends the process and leaves the terminal unusable.
func CatchPanic(err *error) {
	if value := recover(); value != nil {
		*err = &PanicError{Value: value, Stack: debug.Stack()}
	}
}

// Guard runs do and returns its error, or a [PanicError] if it panics.
func Guard(do func() error) (err error) {
	defer CatchPanic(&err)
	return do()
}

// Go runs a function in a goroutine and sends its error on the channel, a [PanicError] if
// the function panics. The terminal program starts all its goroutines with Go.
func Go(do func() error) <-chan error {
	done := make(chan error, 1)
	go func() { done <- Guard(do) }()
	return done
}

// Group runs functions at the same time and waits for them. If one of them panics, Wait
// panics with a [PanicError], which the caller's guard can catch.
type Group struct {
	wg         sync.WaitGroup
	mu         sync.Mutex
	firstPanic error
}

// Go runs a function in a goroutine.
func (g *Group) Go(f func()) {
	g.wg.Go(func() {
		err := Guard(func() error {
			f()
			return nil
		})
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.firstPanic == nil {
			g.firstPanic = err
		}
	})
}

// Wait returns when all functions have returned.
func (g *Group) Wait() {
	g.wg.Wait()
	if g.firstPanic != nil {
		panic(g.firstPanic)
	}
}
