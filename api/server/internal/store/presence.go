package store

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

const (
	heartbeatInterval = 5 * time.Second
	heartbeatTimeout  = 30 * time.Second // without a heartbeat, a process counts as stopped
	maxSkew           = 30 * time.Second // maximum difference between this machine's clock and the database's
	noProcess         = -1               // no process has this ID
)

// databaseNow is the database's time in milliseconds since 1970.
const databaseNow = `(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint`

// processPresence sends heartbeats to the database, so that other processes know that this process
// is running. It also removes processes that have stopped. If a removed process still had callbacks
// or notices to send, they are marked as not sent.
type processPresence struct {
	s      *Store
	id     int64
	name   string
	skew   atomic.Int64 // how far this machine's clock is ahead of the database's, in nanoseconds
	away   atomic.Bool  // whether the last heartbeat failed
	steady time.Time    // since when all heartbeats have succeeded; zero if the last heartbeat failed

	cancel context.CancelFunc
	done   sync.WaitGroup
}

// startPresence sends the first heartbeat, and then sends heartbeats in the background. It returns
// an error if this machine's clock differs too much from the clock of the database.
func startPresence(ctx context.Context, s *Store, name string) (*processPresence, error) {
	p := &processPresence{s: s, id: s.sender, name: name}
	if err := p.sendHeartbeat(ctx); err != nil {
		return nil, err
	}
	if skew := p.clockAhead(); skew.Abs() > maxSkew {
		return nil, skewError(skew)
	}
	ctx, p.cancel = context.WithCancel(context.WithoutCancel(ctx))
	p.done.Go(func() { p.run(ctx) })
	return p, nil
}

func (p *processPresence) clockAhead() time.Duration { return time.Duration(p.skew.Load()) }

// run sends heartbeats until ctx ends.
func (p *processPresence) run(ctx context.Context) {
	ticker := time.NewTicker(heartbeatInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			err := p.sendHeartbeat(ctx)
			p.away.Store(err != nil)
			if err != nil {
				p.steady = time.Time{}
			}
		}
	}
}

// sendHeartbeat sends a heartbeat, and removes processes that have stopped. It removes none
// until its own heartbeats have succeeded for heartbeatTimeout: after an outage of the database,
// the heartbeats of the other processes are old, too, although they have not stopped.
func (p *processPresence) sendHeartbeat(ctx context.Context) error {
	isSteady := !p.steady.IsZero() && time.Since(p.steady) >= heartbeatTimeout
	err := p.s.Write(ctx, func(tx *Tx) error {
		now, err := p.saveHeartbeat(tx)
		if err != nil {
			return err
		}
		if !isSteady {
			return nil
		}
		return removeStoppedProcesses(tx, now-heartbeatTimeout.Milliseconds())
	})
	if err != nil {
		return err
	}
	if p.steady.IsZero() {
		p.steady = time.Now()
	}
	return nil
}

// saveHeartbeat saves a heartbeat, and measures how far this machine's clock is ahead of the
// database's. It returns the time of the database in milliseconds.
func (p *processPresence) saveHeartbeat(tx *Tx) (now int64, err error) {
	before := time.Now()
	err = tx.queryRow(`UPDATE processes SET name = $2, seen = `+databaseNow+` WHERE id = $1 RETURNING seen`,
		[]any{p.id, p.name}, &now)
	if err != nil {
		return 0, err
	}
	// The database has presumably read its clock in the middle of the query.
	middle := before.Add(time.Since(before) / 2)
	p.skew.Store(int64(middle.Sub(time.UnixMilli(now))))
	return now, nil
}

// removeStoppedProcesses removes the processes whose last heartbeat is older than a time in
// milliseconds, and marks the callbacks and notices that they had to send as not sent.
func removeStoppedProcesses(tx *Tx, before int64) error {
	if err := tx.execute(`DELETE FROM processes WHERE seen < $1`, before); err != nil {
		return err
	}
	if err := tx.execute(stopDeliveries, DeliveryStopped, noProcess); err != nil {
		return err
	}
	return tx.execute(stopNotices, DeliveryStopped, noProcess)
}

// stop stops the heartbeats and tries to remove this process from the database.
func (p *processPresence) stop() {
	p.cancel()
	p.done.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_, _ = p.s.readers.ExecContext(ctx, `DELETE FROM processes WHERE id = $1`, p.id)
}

// skewError returns the error for a machine clock that differs too much from the clock of the
// database. ahead is the difference; it is negative if the machine clock is behind.
func skewError(ahead time.Duration) error {
	direction := "ahead of"
	if ahead < 0 {
		direction = "behind"
	}
	return fmt.Errorf("this machine's clock is %s %s the database's (limit %s); synchronise both, for example with NTP",
		ahead.Abs().Round(time.Second), direction, maxSkew)
}

// State returns "ok" if the last heartbeat reached the shared database, and "away" if it did not.
// It returns "" for the embedded database, which has no heartbeats.
func (s *Store) State() string {
	shared, isShared := s.engine.(*postgresEngine)
	if !isShared {
		return ""
	}
	if shared.presence.away.Load() {
		return "away"
	}
	return "ok"
}

// Ready returns an error if the database cannot be used now, or if this machine's clock
// is wrong.
func (s *Store) Ready(ctx context.Context) error {
	if _, err := Setting(ctx, s, "cursor"); err != nil {
		return err
	}
	shared, isShared := s.engine.(*postgresEngine)
	if !isShared {
		return nil
	}
	if skew := shared.presence.clockAhead(); skew.Abs() > maxSkew {
		return skewError(skew)
	}
	return nil
}
