package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"
)

// maxGroup is the maximum number of jobs in a transaction. Jobs in one transaction wait for the
// disk only once, so it should not be too small. With too many jobs, the first job would wait too
// long.
const maxGroup = 64

// writeJob is a write that waits for its transaction.
type writeJob struct {
	run   func(*Tx) error
	done  chan error  // receives the result; buffered
	alone bool        // has a transaction to itself
	joint *JointWrite // nil unless it can be combined with other jobs of the same joint write
	item  any         // the item of the joint write
}

// writer runs the writes of a store, which are called jobs. It runs one transaction at a time. The
// jobs that wait at the same time share a transaction.
type writer struct {
	engine databaseEngine
	pool   *sql.DB   // has one connection
	keys   *keyCache // is cleared when API keys or accounts change
	tx     *Tx       // the connection and its transaction; only the goroutine of the writer uses it

	jobs    chan writeJob
	stop    chan struct{} // closed by [Store.Close]
	stopped chan struct{} // closed when the goroutine has ended

	txNumber    int64     // number of the current transaction; unique in this process
	newestStamp time.Time // newest creation time, see [Tx.StampTime]
	counters    writerCounters
}

// newWriter returns the writer of a store. The caller must set its pool before it calls start.
func newWriter(s *Store) *writer {
	return &writer{
		engine:  s.engine,
		keys:    &s.keys,
		tx:      &Tx{s: s, stmts: map[string]*sql.Stmt{}},
		jobs:    make(chan writeJob),
		stop:    make(chan struct{}),
		stopped: make(chan struct{}),
	}
}

// Write runs a job in a transaction and returns when the transaction is on disk. If the job returns
// an error, its changes are rolled back and Write returns the error unchanged.
func (s *Store) Write(ctx context.Context, run func(*Tx) error) error {
	return s.runJob(ctx, writeJob{run: run, done: make(chan error, 1)})
}

// WriteMuch is Write for jobs of many thousand statements. The job does not share its transaction
// with other jobs. In a shared transaction it would run in a savepoint, and each statement would be
// slow, because SQLite then checks everything that the savepoint may have to roll back.
func (s *Store) WriteMuch(ctx context.Context, run func(*Tx) error) error {
	return s.runJob(ctx, writeJob{
		run:   run,
		done:  make(chan error, 1),
		alone: true,
	})
}

// runJob runs a job in one of the next transactions. It returns the result of the job when the
// transaction is on disk. If ctx ends before the writer has received the job, the job does not run.
func (s *Store) runJob(ctx context.Context, j writeJob) error {
	j, entry := j.audit(ctx)
	if entry != nil {
		j.joint = nil // the audit entry belongs to this job alone
	}
	ctx, cancel := s.withQueryTimeout(ctx)
	defer cancel()
	select {
	case s.writer.jobs <- j:
		err := <-j.done // wait even if ctx ends: otherwise the caller would not know the result
		if err != nil && entry != nil {
			entry.ID = 0 // the entry is not saved, even if the job had inserted it
		}
		return err
	case <-s.writer.stop:
		return ErrClosed
	case <-ctx.Done():
		return mapError(ctx.Err())
	}
}

// withQueryTimeout implements [querier]. It limits an operation to the engine's timeout, if it has
// one.
func (r *storeReader) withQueryTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	return withEngineTimeout(ctx, r.engine)
}

// withEngineTimeout limits an operation to the engine's timeout, if it has one.
func withEngineTimeout(ctx context.Context, engine databaseEngine) (context.Context, context.CancelFunc) {
	if timeout := engine.queryTimeout(); timeout > 0 {
		return context.WithTimeout(ctx, timeout)
	}
	return ctx, func() {}
}

// start opens the connection of the writer and starts its goroutine.
func (w *writer) start(ctx context.Context) error {
	w.tx.ctx = context.WithoutCancel(ctx)
	if err := w.connectFirst(ctx); err != nil {
		close(w.stopped)
		w.tx.closeConnection()
		return err
	}
	go w.runJobs() //nolint:contextcheck // the writer outlives the context of Open
	return nil
}

// connectFirst opens the first connection of the writer and reads the newest creation time.
func (w *writer) connectFirst(ctx context.Context) error {
	conn, err := w.pool.Conn(ctx)
	if err != nil {
		return err
	}
	w.tx.conn = conn
	return w.loadStamp(ctx)
}

// loadStamp reads the newest creation time from the database. An order with a higher ID never has
// an earlier creation time, so this is the creation time of the order with the highest ID.
func (w *writer) loadStamp(ctx context.Context) error {
	var ms int64
	err := w.tx.conn.QueryRowContext(ctx, `SELECT created FROM orders ORDER BY id DESC LIMIT 1`).Scan(&ms)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	w.newestStamp = time.UnixMilli(ms)
	return nil
}

// runJobs runs jobs until the store is closed.
func (w *writer) runJobs() {
	defer close(w.stopped)
	defer w.tx.closeConnection()
	for {
		select {
		case first := <-w.jobs:
			for next := &first; next != nil; {
				next = w.commitGroup(*next)
			}
		case <-w.stop:
			return
		}
	}
}

// gatherJobs adds the jobs that are waiting now to a group, up to maxGroup jobs. If it receives a
// job that needs a transaction to itself, it adds no more jobs and returns this job as alone.
func (w *writer) gatherJobs(group []writeJob) (all []writeJob, alone *writeJob) {
	for len(group) < maxGroup && !group[0].alone {
		select {
		case j := <-w.jobs:
			if j.alone {
				return group, &j
			}
			group = append(group, j)
		default:
			return group, nil
		}
	}
	return group, nil
}

// letCallersSend lets other goroutines run first, because some of them are about to send a job.
// Without it, the first job would start a transaction alone, and the other jobs would wait for the
// next transaction. If 64 connections place orders, it increases the number of orders in a
// transaction from 9 to 26.
func letCallersSend() { runtime.Gosched() }

// maxCommitAttempts is how often a group is tried if the database rolls its transaction
// back.
const maxCommitAttempts = 5

// jobGroup are jobs that run in one transaction.
type jobGroup struct {
	jobs    []writeJob
	outcome []error   // result of each job
	next    *writeJob // job that was received but belongs to the next group, or nil
}

// commitGroup runs a job, and the jobs that wait at the same time, in one transaction. Each job
// gets its result. If the transaction itself fails, for example on a full disk, all its jobs fail.
// If commitGroup has received a job for the next transaction, it returns this job, otherwise nil.
func (w *writer) commitGroup(first writeJob) *writeJob {
	letCallersSend()
	var g jobGroup
	g.jobs, g.next = w.gatherJobs([]writeJob{first})
	if err := w.runUntilCommitted(&g); err != nil {
		g.outcome = slices.Repeat([]error{err}, len(g.jobs))
	}
	if w.tx.changedKeys { // even after a rollback, because clearing too often does no harm
		w.keys.clear()
		w.tx.changedKeys = false
	}
	w.counters.countOutcome(g.outcome)
	for i, j := range g.jobs {
		j.done <- g.outcome[i]
	}
	return g.next
}

// runUntilCommitted runs the jobs of a group in a transaction, and saves the result of each job in
// g.outcome. If the database rolls the transaction back, it runs the jobs again, up to
// maxCommitAttempts times in total. If the transaction fails, it returns the error; all jobs of the
// group have then failed.
func (w *writer) runUntilCommitted(g *jobGroup) error {
	var lastErr error
	allowJoint := true
	for range maxCommitAttempts {
		jointFailed, err := w.attemptGroup(g, allowJoint)
		if jointFailed {
			allowJoint = false // to find out which of the jobs fails
		} else if !mayRepeat(err) {
			return err
		}
		lastErr = err
	}
	return lastErr
}

// attemptGroup runs the jobs of a group in a transaction and commits. If all jobs belong to the
// same [JointWrite] and allowJoint is true, they run together. jointFailed is true if one of these
// jobs failed and nothing was committed. The caller can then run the jobs separately.
func (w *writer) attemptGroup(g *jobGroup, allowJoint bool) (jointFailed bool, err error) {
	if err := w.beginTransaction(); err != nil {
		return false, err
	}
	if g.next == nil { // more jobs may have arrived while this process waited for its turn
		g.jobs, g.next = w.gatherJobs(g.jobs)
	}
	sortJointFirst(g.jobs)
	g.outcome = make([]error, len(g.jobs))
	isJoint := len(g.jobs) > 1 && jointLength(g.jobs) == len(g.jobs)
	w.tx.failsTogether = len(g.jobs) == 1 || isJoint && allowJoint
	if !isJoint || !allowJoint {
		return false, w.tryGroup(g.jobs, g.outcome)
	}
	err = w.tryJointGroup(g.jobs)
	if err == nil || mayRepeat(err) || errors.Is(err, ErrInDoubt) {
		return false, err
	}
	return true, err
}

// beginTransaction begins a transaction in the database and initializes w.tx for it. It opens a new connection if the
// last one was closed.
func (w *writer) beginTransaction() error {
	tx := w.tx
	ctx, cancel := withEngineTimeout(tx.ctx, w.engine)
	defer cancel()
	if err := w.reconnect(ctx); err != nil {
		return mapError(err)
	}
	w.txNumber++ // checkCommitted looks for this number if the database does not confirm the commit
	start, err := w.engine.begin(ctx, tx.conn, w.txNumber)
	if err != nil {
		tx.rollBack() // the database may have begun the transaction before the error
		return mapError(err)
	}
	// Stamps must not decrease, and another process may have placed newer orders.
	if start.newest.After(w.newestStamp) {
		w.newestStamp = start.newest
	}
	tx.sequences = start.sequences
	// The last transaction may have left reserved numbers and queued statements.
	tx.reserved = nil
	tx.queued = nil
	return nil
}

// reconnect opens a connection if the last one was closed, for example after an error.
func (w *writer) reconnect(ctx context.Context) error {
	if w.tx.conn != nil {
		return nil
	}
	conn, err := w.pool.Conn(ctx)
	if err != nil {
		return err
	}
	w.tx.conn = conn
	return nil
}

// tryGroup runs the jobs of a group and commits. If there are several jobs, each runs in a
// savepoint, so that one can fail alone. The error of a job is saved in outcome, whose elements
// must be nil before. tryGroup returns an error if the transaction fails. If the only job of a
// group fails, the transaction fails, too.
func (w *writer) tryGroup(group []writeJob, outcome []error) error {
	runAll := func() error { return w.runGroup(group, outcome) }
	if len(group) == 1 { // no savepoint needed
		runAll = func() error {
			outcome[0] = guardJob(w.tx, group[0].run)
			return outcome[0]
		}
	}
	if group[0].alone {
		return w.commitAfter(runAll)
	}
	return w.withTransactionTimeout(func() error { return w.commitAfter(runAll) })
}

// tryJointGroup runs a group of one joint write and commits. It needs no savepoint,
// because any error fails the whole transaction.
func (w *writer) tryJointGroup(group []writeJob) error {
	return w.withTransactionTimeout(func() error {
		return w.commitAfter(func() error { return guardJob(w.tx, runJoint(group)) })
	})
}

// runGroup runs each job of a group in a savepoint. Neighboring jobs that belong to the same
// [JointWrite] share a savepoint.
func (w *writer) runGroup(group []writeJob, outcome []error) error {
	for len(group) > 0 {
		n := jointLength(group)
		if err := w.runAdjacent(group[:n], outcome[:n]); err != nil {
			return err
		}
		group = group[n:]
		outcome = outcome[n:]
	}
	return nil
}

// runAdjacent runs one job, or several jobs of the same [JointWrite], in a savepoint. If the joint
// write fails, each job runs again in its own savepoint. The error of a job is saved in outcome,
// whose elements must be nil before. runAdjacent returns an error only if the transaction itself
// fails.
func (w *writer) runAdjacent(jobs []writeJob, outcome []error) error {
	if len(jobs) > 1 {
		failure, err := w.tx.runInSavepoint(runJoint(jobs))
		if err != nil {
			return err
		}
		if failure == nil {
			return nil
		}
	}
	for i, j := range jobs {
		var err error
		outcome[i], err = w.tx.runInSavepoint(j.run)
		if err != nil {
			return err
		}
	}
	return nil
}

// withTransactionTimeout limits f to the engine's timeout.
func (w *writer) withTransactionTimeout(f func() error) error {
	unlimited := w.tx.ctx
	limited, cancel := withEngineTimeout(unlimited, w.engine)
	defer cancel()
	w.tx.ctx = limited
	defer func() { w.tx.ctx = unlimited }()
	return f()
}

// commitAfter runs f and commits. It rolls back if f or the commit fails.
func (w *writer) commitAfter(f func() error) error {
	if err := f(); err != nil {
		w.tx.rollBack()
		return err
	}
	err := w.engine.commit(w.tx)
	if err == nil {
		return nil
	}
	w.tx.rollBack()
	isUncommitted := errors.As(err, new(uncommittedError))
	if !isUncommitted && (errors.Is(err, ErrAway) || errors.Is(err, ErrBusy)) {
		return w.resolveCommit(err)
	}
	return err
}

// uncommittedError is the error of a statement that the database refused before COMMIT. The
// transaction is then certainly not committed.
type uncommittedError struct{ error }

func (e uncommittedError) Unwrap() error { return e.error }

// resolveInterval is the pause between two checks whether the database has committed.
const resolveInterval = 200 * time.Millisecond

// resolveCommit finds out whether a transaction was committed if the database has not confirmed the
// COMMIT. It waits until the database can be reached. It returns nil if the transaction was
// committed, ErrAway if it was rolled back, so that it is repeated, and ErrInDoubt if this cannot
// be found out.
func (w *writer) resolveCommit(lost error) error {
	w.counters.inDoubt.Add(1)
	for {
		isCommitted, err := w.checkCommitted()
		if errors.Is(err, ErrInDoubt) {
			return fmt.Errorf("%w: %w", err, lost)
		}
		if err == nil && isCommitted {
			return nil
		}
		if err == nil { // the database has rolled back
			return fmt.Errorf("%w: %w", ErrAway, lost)
		}
		select { // the database cannot be reached
		case <-time.After(resolveInterval):
		case <-w.stop:
			return fmt.Errorf("%w: %w", ErrInDoubt, lost)
		}
	}
}

// checkCommitted opens a new connection and reports whether the last transaction was committed.
func (w *writer) checkCommitted() (bool, error) {
	w.tx.closeConnection()
	ctx, cancel := withEngineTimeout(context.Background(), w.engine)
	defer cancel()
	conn, err := w.pool.Conn(ctx)
	if err != nil {
		return false, mapError(err)
	}
	w.tx.conn = conn
	return w.engine.isCommitted(ctx, conn, w.txNumber)
}

// guardJob returns a panic of a job as an error, so that the writer continues.
func guardJob(tx *Tx, run func(*Tx) error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic in a write: %v\n%s", r, debug.Stack())
		}
	}()
	return run(tx)
}

// WriterStats has the numbers of writes and of transactions since the store was opened.
type WriterStats struct {
	Kept         uint64 // writes that were committed
	Undone       uint64 // writes that returned an error
	Transactions uint64 // transactions that contained the writes
	InDoubt      uint64 // transactions whose commit was not confirmed at once
}

// writerCounters counts what [WriterStats] reports.
type writerCounters struct{ kept, undone, transactions, inDoubt atomic.Uint64 }

// Stats returns the counts of writes since the store was opened.
func (s *Store) Stats() WriterStats {
	return WriterStats{
		Kept:         s.writer.counters.kept.Load(),
		Undone:       s.writer.counters.undone.Load(),
		Transactions: s.writer.counters.transactions.Load(),
		InDoubt:      s.writer.counters.inDoubt.Load(),
	}
}

// countOutcome counts a transaction and the results of its writes.
func (t *writerCounters) countOutcome(outcome []error) {
	t.transactions.Add(1)
	for _, err := range outcome {
		if err == nil {
			t.kept.Add(1)
		} else {
			t.undone.Add(1)
		}
	}
}
