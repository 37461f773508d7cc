package sshserver

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestPeopleShareTheProcessors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		var atOnce, used atomic.Int64
		busy := newWorkShare(1)
		var sessions sync.WaitGroup
		for range maxSessionsOf {
			sessions.Go(func() {
				for ctx.Err() == nil {
					busy.do(ctx, func() {
						if atOnce.Add(1) > 1 {
							t.Error("two sessions of a person work at once")
						}
						time.Sleep(10 * time.Millisecond)
						used.Add(10_000)
						atOnce.Add(-1)
					})
				}
			})
		}
		other := newWorkShare(1)
		for ctx.Err() == nil {
			began := time.Now()
			other.do(ctx, func() {})
			if waited := time.Since(began); waited > 0 {
				t.Fatalf("another person waits for %v", waited)
			}
			time.Sleep(100 * time.Millisecond)
		}
		sessions.Wait()
		if most := int64(20*workRate + workBurst + 50_000); used.Load() > most {
			t.Errorf("a person works for %d µs, more than %d", used.Load(), most)
		}
		if least := int64(20 * workRate); used.Load() < least {
			t.Errorf("a person works for %d µs, less than %d", used.Load(), least)
		}
	})
}

func TestWorkDoesNotWaitAfterItsSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		share := newWorkShare(1)
		share.do(ctx, func() { time.Sleep(time.Hour) })
		cancel()
		began, worked := time.Now(), false
		share.do(ctx, func() { worked = true })
		if !worked || time.Since(began) > 0 {
			t.Errorf("worked %t after %v", worked, time.Since(began))
		}
	})
}
