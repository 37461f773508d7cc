package store

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

const (
	beatEvery = 5 * time.Second
	goneAfter = 30 * time.Second // without a beat
	maxSkew   = 30 * time.Second // of this machine's clock
	nobody    = -1               // no process has this id
)

// databaseNow is the database's clock, in milliseconds since 1970.
const databaseNow = `(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint`

// processPresence tells the other processes on a database that this one is there, and
// takes note of those that are gone. What they had to send is marked as not
// sent.
type processPresence struct {
	s      *Store
	id     int64
	name   string
	skew   atomic.Int64 // how far this machine's clock is ahead of the database's, in nanoseconds
	away   atomic.Bool  // the last beat was not kept
	steady time.Time    // since when all beats were kept; zero: the last one was not

	cancel context.CancelFunc
	done   sync.WaitGroup
}

// startPresence begins to beat.
func (s *Store) startPresence(ctx context.Context, name string) (*processPresence, error) {
	p := &processPresence{s: s, id: s.sender, name: name}
	if err := p.sendBeat(ctx); err != nil {
		return nil, err
	}
	if skew := p.clockAhead(); skew.Abs() > maxSkew {
		return nil, skewError(skew)
	}
	ctx, p.cancel = context.WithCancel(context.WithoutCancel(ctx))
	p.done.Go(func() { p.runPresence(ctx) })
	return p, nil
}

func (p *processPresence) clockAhead() time.Duration { return time.Duration(p.skew.Load()) }

func (p *processPresence) runPresence(ctx context.Context) {
	ticker := time.NewTicker(beatEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			err := p.sendBeat(ctx)
			p.away.Store(err != nil)
			if err != nil {
				p.steady = time.Time{}
			}
		}
	}
}

// sendBeat says that this process is there. It judges others only when it has had
// the database all the time in which it heard nothing of them.
func (p *processPresence) sendBeat(ctx context.Context) error {
	err := p.s.Write(ctx, func(tx *Tx) error {
		var seen int64
		before := time.Now()
		err := tx.queryRow(
			`UPDATE processes SET name = $2, seen = `+databaseNow+` WHERE id = $1 RETURNING seen`,
			[]any{p.id, p.name},
			&seen,
		)
		if err != nil {
			return err
		}
		half := time.Since(before) / 2
		p.skew.Store(int64(before.Add(half).Sub(time.UnixMilli(seen))))
		if p.steady.IsZero() || time.Since(p.steady) < goneAfter {
			return nil
		}
		err = tx.execute(`DELETE FROM processes WHERE seen < $1`, seen-goneAfter.Milliseconds())
		for _, statement := range []string{stopDeliveries, stopNotices} {
			if err == nil {
				err = tx.execute(statement, DeliveryStopped, nobody)
			}
		}
		return err
	})
	if err == nil && p.steady.IsZero() {
		p.steady = time.Now()
	}
	return err
}

// endPresence says that this process is gone, as far as that can be said.
func (p *processPresence) endPresence() {
	p.cancel()
	p.done.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_, _ = p.s.readers.ExecContext(ctx, `DELETE FROM processes WHERE id = $1`, p.id)
}

// skewError says that a clock is wrong.
func skewError(ahead time.Duration) error {
	direction := "ahead of"
	if ahead < 0 {
		direction = "behind"
	}
	return fmt.Errorf(
		"this machine's clock is %s %s the database's (limit %s); synchronise both, for example with NTP",
		ahead.Abs().Round(time.Second),
		direction,
		maxSkew,
	)
}

// State returns "ok" or "away", as this process has found a database that it shares
// the last time; "" for the embedded one.
func (s *Store) State() string {
	p, ok := s.engine.(*postgresEngine)
	if !ok {
		return ""
	}
	if p.presence.away.Load() {
		return "away"
	}
	return "ok"
}

// Ready returns an error where the database cannot be used now, or this
// machine's clock is not right.
func (s *Store) Ready(ctx context.Context) error {
	if _, err := Setting(ctx, s, "cursor"); err != nil {
		return err
	}
	if p, ok := s.engine.(*postgresEngine); ok && p.presence.clockAhead().Abs() > maxSkew {
		return skewError(p.presence.clockAhead())
	}
	return nil
}
