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

// outcomeRecorder keeps outcomes in the book, many at once.
type outcomeRecorder struct {
	s    *Sender
	wake chan struct{}
	quit chan struct{}
	done chan struct{}

	wrote time.Time // when outcomes were last kept

	mu      sync.Mutex
	pending []Outcome
}

func (r *outcomeRecorder) startRecording(s *Sender) {
	r.s = s
	r.wake = make(chan struct{}, 1)
	r.quit = make(chan struct{})
	r.done = make(chan struct{})
	go r.runRecorder()
}

func (r *outcomeRecorder) addOutcome(o Outcome) {
	r.mu.Lock()
	r.pending = append(r.pending, o)
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// isBehind reports whether too much waits to be kept.
func (r *outcomeRecorder) isBehind() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.pending) >= recordBehind
}

// closeRecorder returns when all is kept, or cannot be. Nothing is added any more.
func (r *outcomeRecorder) closeRecorder() {
	close(r.quit)
	<-r.done
}

func (r *outcomeRecorder) nextOutcomes() []Outcome {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.pending[:min(len(r.pending), recordAtOnce)]
}

func (r *outcomeRecorder) runRecorder() {
	defer close(r.done)
	for {
		if len(r.nextOutcomes()) == 0 {
			select {
			case <-r.wake:
				continue
			case <-r.quit:
			}
			if len(r.nextOutcomes()) == 0 {
				return
			}
		}
		r.gatherOutcomes()
		batch := r.nextOutcomes()
		if err := r.s.Book.Record(context.Background(), batch); err != nil {
			if !r.pauseAfter(len(batch), err) {
				return
			}
			continue
		}
		r.wrote = time.Now()
		r.markKept(len(batch))
	}
}

// gatherOutcomes lets outcomes come together, unless nothing was written of late.
func (r *outcomeRecorder) gatherOutcomes() {
	wait := recordEvery - time.Since(r.wrote)
	if wait <= 0 {
		return
	}
	over := time.NewTimer(wait)
	defer over.Stop()
	for len(r.nextOutcomes()) < recordAtOnce {
		select {
		case <-over.C:
			return
		case <-r.wake:
		case <-r.quit:
			return
		}
	}
}

// pauseAfter waits before outcomes that could not be written, as on a full disk,
// are tried again. It reports false where the sender has closed.
func (r *outcomeRecorder) pauseAfter(outcomes int, err error) bool {
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

// markKept takes outcomes off the list, and has sending go on that waited for it.
func (r *outcomeRecorder) markKept(n int) {
	r.mu.Lock()
	wasBehind := len(r.pending) >= recordBehind
	r.pending = r.pending[n:]
	if len(r.pending) == 0 {
		r.pending = nil
	}
	r.mu.Unlock()
	if wasBehind {
		r.s.mu.Lock()
		defer r.s.mu.Unlock()
		r.s.startAttempts()
	}
}
