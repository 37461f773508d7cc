package callback

import (
	"context"
	"sync"
	"time"
)

const (
	recordAtOnce = 256  // outcomes in one write, so that it does not hold others up
	recordBehind = 4096 // outcomes that wait before sending pauses
	recordPause  = time.Second
	recordEvery  = 50 * time.Millisecond // so that one write keeps many
)

// recorder keeps outcomes in the book, many at once.
type recorder struct {
	s    *Sender
	wake chan struct{}
	quit chan struct{}
	done chan struct{}

	wrote time.Time // when outcomes were last kept

	mu      sync.Mutex
	pending []Outcome
}

func (r *recorder) start(s *Sender) {
	r.s = s
	r.wake, r.quit, r.done = make(chan struct{}, 1), make(chan struct{}), make(chan struct{})
	go r.run()
}

func (r *recorder) add(o Outcome) {
	r.mu.Lock()
	r.pending = append(r.pending, o)
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// behind reports whether too much waits to be kept.
func (r *recorder) behind() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.pending) >= recordBehind
}

// close returns when all is kept, or cannot be. Nothing is added any more.
func (r *recorder) close() {
	close(r.quit)
	<-r.done
}

func (r *recorder) next() []Outcome {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.pending[:min(len(r.pending), recordAtOnce)]
}

func (r *recorder) run() {
	defer close(r.done)
	for {
		if len(r.next()) == 0 {
			select {
			case <-r.wake:
				continue
			case <-r.quit:
			}
			if len(r.next()) == 0 {
				return
			}
		}
		r.gather()
		batch := r.next()
		if err := r.s.Book.Record(context.Background(), batch); err != nil {
			if !r.pause(len(batch), err) {
				return
			}
			continue
		}
		r.wrote = time.Now()
		r.kept(len(batch))
	}
}

// gather lets outcomes come together, unless nothing was written of late.
func (r *recorder) gather() {
	wait := recordEvery - time.Since(r.wrote)
	if wait <= 0 {
		return
	}
	over := time.NewTimer(wait)
	defer over.Stop()
	for len(r.next()) < recordAtOnce {
		select {
		case <-over.C:
			return
		case <-r.wake:
		case <-r.quit:
			return
		}
	}
}

// pause waits before outcomes that could not be written, as on a full disk,
// are tried again. It reports false where the sender has closed.
func (r *recorder) pause(outcomes int, err error) bool {
	r.s.Log.Error("callback outcomes cannot be stored", "outcomes", outcomes, "error", err)
	again := time.NewTimer(recordPause)
	defer again.Stop()
	select {
	case <-again.C:
		return true
	case <-r.quit:
		return false
	}
}

// kept takes outcomes off the list, and has sending go on that waited for it.
func (r *recorder) kept(n int) {
	r.mu.Lock()
	wasBehind := len(r.pending) >= recordBehind
	if r.pending = r.pending[n:]; len(r.pending) == 0 {
		r.pending = nil
	}
	r.mu.Unlock()
	if wasBehind {
		r.s.mu.Lock()
		defer r.s.mu.Unlock()
		r.s.schedule()
	}
}
