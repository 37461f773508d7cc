package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
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

// presence tells the other processes on a database that this one is there, and
// takes note of those that are gone. What they had to send is marked as not
// sent.
type presence struct {
	s      *Store
	id     int64
	name   string
	skew   atomic.Int64 // how far this machine's clock is ahead of the database's, in nanoseconds
	away   atomic.Bool  // the last beat was not kept
	steady time.Time    // since when all beats were kept; zero: the last one was not

	cancel context.CancelFunc
	done   sync.WaitGroup
}

// appear begins to beat.
func (s *Store) appear(ctx context.Context, name string) (*presence, error) {
	p := &presence{s: s, id: rand.Int64N(1<<62) + 1, name: name}
	s.sender = p.id
	if err := p.beat(ctx); err != nil {
		return nil, err
	}
	if skew := p.ahead(); skew.Abs() > maxSkew {
		return nil, skewError(skew)
	}
	ctx, p.cancel = context.WithCancel(context.WithoutCancel(ctx))
	p.done.Go(func() { p.run(ctx) })
	return p, nil
}

func (p *presence) ahead() time.Duration { return time.Duration(p.skew.Load()) }

func (p *presence) run(ctx context.Context) {
	ticker := time.NewTicker(beatEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			err := p.beat(ctx)
			p.away.Store(err != nil)
			if err != nil {
				p.steady = time.Time{}
			}
		}
	}
}

// beat says that this process is there. It judges others only when it has had
// the database all the time in which it heard nothing of them.
func (p *presence) beat(ctx context.Context) error {
	err := p.s.Write(ctx, func(tx *Tx) error {
		const now = `(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint`
		var seen int64
		before := time.Now()
		err := tx.row(`INSERT INTO processes (id, name, seen) VALUES ($1, $2, `+now+`)
			ON CONFLICT (id) DO UPDATE SET seen = excluded.seen RETURNING seen`, []any{p.id, p.name}, &seen)
		if err != nil {
			return err
		}
		half := time.Since(before) / 2
		p.skew.Store(int64(before.Add(half).Sub(time.UnixMilli(seen))))
		if p.steady.IsZero() || time.Since(p.steady) < goneAfter {
			return nil
		}
		err = tx.exec(`DELETE FROM processes WHERE seen < $1`, seen-goneAfter.Milliseconds())
		for _, statement := range []string{stopDeliveries, stopNotices} {
			if err == nil {
				err = tx.exec(statement, DeliveryStopped, nobody)
			}
		}
		return err
	})
	if err == nil && p.steady.IsZero() {
		p.steady = time.Now()
	}
	return err
}

// end says that this process is gone, as far as that can be said.
func (p *presence) end() {
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
	return fmt.Errorf("this machine's clock is %s %s the database's (limit %s); synchronise both, for example with NTP",
		ahead.Abs().Round(time.Second), direction, maxSkew)
}

// State is "ok" or "away", as this process has found a database that it shares
// the last time; "" for the embedded one.
func (s *Store) State() string {
	p, ok := s.engine.(*postgres)
	switch {
	case !ok:
		return ""
	case p.presence.away.Load():
		return "away"
	default:
		return "ok"
	}
}

// Ready returns an error where the database cannot be used now, or this
// machine's clock is not right.
func (s *Store) Ready(ctx context.Context) error {
	if _, err := s.Setting(ctx, "cursor"); err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	if p, ok := s.engine.(*postgres); ok && p.presence.ahead().Abs() > maxSkew {
		return skewError(p.presence.ahead())
	}
	return nil
}
