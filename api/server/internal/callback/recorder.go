package callback

import (
	"context"
	"sync"
	"time"
)

const (
	recordBatchSize    = 256                   // outcomes per write, so that other writes do not wait long
	maxPendingOutcomes = 4096                  // unsaved outcomes from which on sending pauses
	retryPause         = time.Second           // before a failed write or load is repeated
	recordInterval     = 50 * time.Millisecond // minimum time between two writes, so that each has many outcomes
)

// outcomeRecorder saves outcomes in batches.
type outcomeRecorder struct {
	s    *Sender
	wake chan struct{}
	quit chan struct{}
	done chan struct{}

	wrote time.Time // time of the last write

	mu      sync.Mutex
	pending []Outcome
}

func (r *outcomeRecorder) start(s *Sender) {
	r.s = s
	r.wake = make(chan struct{}, 1)
	r.quit = make(chan struct{})
	r.done = make(chan struct{})
	go r.run()
}

func (r *outcomeRecorder) addOutcome(o Outcome) {
	r.mu.Lock()
	r.pending = append(r.pending, o)
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default: // run is already woken
	}
}

// isBehind reports whether too many outcomes wait to be saved.
func (r *outcomeRecorder) isBehind() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.pending) >= maxPendingOutcomes
}

// close waits until all outcomes are saved, or saving fails. No outcomes may be added
// afterwards.
func (r *outcomeRecorder) close() {
	close(r.quit)
	<-r.done
}

// nextOutcomes returns the oldest unsaved outcomes, up to the size of a batch.
func (r *outcomeRecorder) nextOutcomes() []Outcome {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.pending[:min(len(r.pending), recordBatchSize)]
}

// run saves outcomes until the sender is closed and all outcomes are saved.
func (r *outcomeRecorder) run() {
	defer close(r.done)
	for r.waitForOutcomes() {
		r.gatherOutcomes()
		batch := r.nextOutcomes()
		if err := r.s.Deliveries.Record(context.Background(), batch); err != nil {
			isClosed := !r.pauseAfter(len(batch), err)
			if isClosed {
				return
			}
			continue
		}
		r.wrote = time.Now()
		r.markRecorded(len(batch))
	}
}

func (r *outcomeRecorder) hasOutcomes() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.pending) > 0
}

// waitForOutcomes waits until there are unsaved outcomes. It returns false if the sender was
// closed and all outcomes are saved.
func (r *outcomeRecorder) waitForOutcomes() bool {
	for !r.hasOutcomes() {
		select {
		case <-r.wake:
		case <-r.quit:
			return r.hasOutcomes() // an outcome may have been added just before
		}
	}
	return true
}

// gatherOutcomes waits until recordInterval has passed since the last write, so that more
// outcomes are saved at once. It stops waiting if there are enough for a batch, or if the sender
// is closed.
func (r *outcomeRecorder) gatherOutcomes() {
	pause := recordInterval - time.Since(r.wrote)
	if pause <= 0 {
		return
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for len(r.nextOutcomes()) < recordBatchSize {
		select {
		case <-timer.C:
			return
		case <-r.wake: // there are more outcomes
		case <-r.quit:
			return
		}
	}
}

// pauseAfter logs that a batch of outcomes could not be saved, for example because the disk
// is full, and waits before the next attempt to save it. It returns false if the sender was
// closed.
func (r *outcomeRecorder) pauseAfter(batchSize int, err error) bool {
	r.s.Log.Error("callback outcomes cannot be stored", "outcomes", batchSize, "error", err)
	timer := time.NewTimer(retryPause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.quit:
		return false
	}
}

// markRecorded removes the n oldest outcomes, and resumes sending if it was paused.
func (r *outcomeRecorder) markRecorded(n int) {
	r.mu.Lock()
	wasBehind := len(r.pending) >= maxPendingOutcomes
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
