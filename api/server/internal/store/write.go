package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxGroup is the maximum number of jobs in a transaction. It is large enough to share
// the time that the disk takes, and small enough to not delay the first job.
const maxGroup = 64

// writeJob is a write that waits for its transaction.
type writeJob struct {
	run   func(*Tx) error
	done  chan error  // receives the result; buffered
	alone bool        // has a transaction to itself
	joint *JointWrite // nil unless it can be combined with other jobs
	item  any         // the item of the joint write
}

// Tx is the writer's transaction. A job must not use it after the job has returned.
type Tx struct{ writerSession }

// writerSession is the writer's connection and its current transaction.
type writerSession struct {
	ctx      context.Context
	s        *Store
	conn     *sql.Conn // nil until the next transaction opens a connection
	stmts    map[string]*sql.Stmt
	reserved map[string]int64 // last reserved number, for each sequence that the transaction uses
	mark     int64            // identifies the transaction; unique in this process

	sequences   map[string]int64 // last number of each sequence when the transaction began; nil if not read yet
	changedKeys bool             // the transaction changed API keys or accounts

	failsTogether bool              // an error of any statement fails all jobs of the transaction
	queued        []queuedStatement // statements that are sent with the commit
}

// queuedStatement is a statement that [writerSession.executeLater] has queued.
type queuedStatement struct {
	query string
	args  []any
}

// Write runs a job in a transaction and returns when it is on disk. If the job returns an
// error, its changes are rolled back and Write returns the error unchanged.
func (s *Store) Write(ctx context.Context, run func(*Tx) error) error {
	return s.runJob(ctx, writeJob{run: run, done: make(chan error, 1)})
}

// WriteMuch is Write for jobs of many thousand statements. The job has a transaction to
// itself: after each statement in a savepoint, SQLite would walk everything that the
// savepoint may have to roll back.
func (s *Store) WriteMuch(ctx context.Context, run func(*Tx) error) error {
	return s.runJob(ctx, writeJob{
		run:   run,
		done:  make(chan error, 1),
		alone: true,
	})
}

func (s *Store) runJob(ctx context.Context, j writeJob) error {
	j, entry := j.audit(ctx)
	if entry != nil {
		j.joint = nil // the audit entry belongs to this job alone
	}
	ctx, cancel := s.withQueryTimeout(ctx)
	defer cancel()
	select {
	case s.jobs <- j:
		err := <-j.done // wait even if ctx ends: otherwise the caller would not know the result
		if err != nil && entry != nil {
			entry.ID = 0
		}
		return err
	case <-s.stop:
		return ErrClosed
	case <-ctx.Done():
		return mapError(ctx.Err())
	}
}

// withQueryTimeout limits an operation to the engine's timeout, if it has one.
func (r *storeReader) withQueryTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	if timeout := r.engine.queryTimeout(); timeout > 0 {
		return context.WithTimeout(ctx, timeout)
	}
	return ctx, func() {}
}

func (s *Store) startWriter(ctx context.Context) error {
	tx := &Tx{writerSession{ctx: context.WithoutCancel(ctx), s: s, stmts: map[string]*sql.Stmt{}}}
	if err := tx.connectFirst(ctx); err != nil {
		close(s.stopped)
		tx.closeSession()
		return err
	}
	go s.writeJobs(tx) //nolint:contextcheck // the writer outlives the context of Open
	return nil
}

// connectFirst opens the first connection of the writer and reads the newest creation stamp.
func (w *writerSession) connectFirst(ctx context.Context) error {
	conn, err := w.s.writer.Conn(ctx)
	if err != nil {
		return err
	}
	w.conn = conn
	return w.s.loadStamp(ctx, conn)
}

// loadStamp reads the newest creation stamp. Stamps never decrease from one order to the next,
// so the newest stamp is that of the order with the highest ID.
func (s *Store) loadStamp(ctx context.Context, conn *sql.Conn) error {
	var ms int64
	err := conn.QueryRowContext(ctx, `SELECT created FROM orders ORDER BY id DESC LIMIT 1`).Scan(&ms)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	s.last = time.UnixMilli(ms)
	return nil
}

// writeJobs runs jobs until the store is closed.
func (s *Store) writeJobs(tx *Tx) {
	defer close(s.stopped)
	defer tx.closeSession()
	for {
		select {
		case first := <-s.jobs:
			for next := &first; next != nil; {
				next = s.commitGroup(tx, *next)
			}
		case <-s.stop:
			return
		}
	}
}

// gatherJobs adds the jobs that are waiting now to a group. It stops at a job that needs
// a transaction to itself, and returns that job separately.
func (s *Store) gatherJobs(group []writeJob) (all []writeJob, alone *writeJob) {
	for len(group) < maxGroup && !group[0].alone {
		select {
		case j := <-s.jobs:
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

// maxCommitAttempts is how often a group is tried if the database rolls its transaction
// back.
const maxCommitAttempts = 5

// jobGroup are jobs that run in one transaction.
type jobGroup struct {
	jobs    []writeJob
	outcome []error   // result of each job
	next    *writeJob // job that was received but belongs to the next group, or nil
}

// commitGroup runs a job, and the jobs that wait at the same time, in one transaction,
// and sends each its result. If the transaction itself fails, for example on a full disk,
// all its jobs fail. It returns the next job to run if it has received one already.
func (s *Store) commitGroup(tx *Tx, first writeJob) *writeJob {
	var g jobGroup
	g.jobs, g.next = s.gatherJobs([]writeJob{first})
	if err := tx.runUntilCommitted(&g); err != nil {
		g.outcome = slices.Repeat([]error{err}, len(g.jobs))
	}
	if tx.changedKeys { // even after a rollback, because clearing too often does no harm
		s.keys.clear()
		tx.changedKeys = false
	}
	s.counters.countOutcome(g.outcome)
	for i, j := range g.jobs {
		j.done <- g.outcome[i]
	}
	return g.next
}

// runUntilCommitted runs the jobs of a group in a transaction, and sets the result of each job
// in g.outcome. If the database rolls the transaction back, runUntilCommitted repeats it, up to
// maxCommitAttempts times in total. If the transaction itself fails, runUntilCommitted returns
// the error, which is the result of all jobs.
func (tx *Tx) runUntilCommitted(g *jobGroup) error {
	var lastErr error
	allowJoint := true
	for range maxCommitAttempts {
		jointFailed, err := tx.attemptGroup(g, allowJoint)
		if jointFailed {
			allowJoint = false // to find out which of the jobs fails
		} else if !mayRepeat(err) {
			return err
		}
		lastErr = err
	}
	return lastErr
}

// attemptGroup runs the jobs of a group in a transaction and commits. If all jobs are of one
// joint write and allowJoint is true, they run together. jointFailed is true if this failed
// because of the jobs, and nothing was committed.
func (tx *Tx) attemptGroup(g *jobGroup, allowJoint bool) (jointFailed bool, err error) {
	if err := tx.beginWrite(); err != nil {
		return false, err
	}
	if g.next == nil { // more jobs may have arrived while this process waited for its turn
		g.jobs, g.next = tx.s.gatherJobs(g.jobs)
	}
	sortJointFirst(g.jobs)
	g.outcome = make([]error, len(g.jobs))
	isJoint := len(g.jobs) > 1 && jointLength(g.jobs) == len(g.jobs)
	tx.failsTogether = len(g.jobs) == 1 || isJoint && allowJoint
	if !isJoint || !allowJoint {
		return false, tx.tryGroup(g.jobs, g.outcome)
	}
	err = tx.tryJointGroup(g.jobs)
	if err == nil || mayRepeat(err) || errors.Is(err, ErrInDoubt) {
		return false, err
	}
	return true, err
}

// beginWrite begins a transaction. It opens another connection if the last one was
// closed.
func (w *writerSession) beginWrite() error {
	ctx, cancel := w.s.withQueryTimeout(w.ctx)
	defer cancel()
	if w.conn == nil {
		conn, err := w.s.writer.Conn(ctx)
		if err != nil {
			return mapError(err)
		}
		w.conn = conn
	}
	w.mark++
	start, err := w.s.engine.begin(ctx, w.conn, w.mark)
	if err != nil {
		err = mapError(err)
		w.rollBack()
		return err
	}
	if start.newest.After(w.s.last) {
		w.s.last = start.newest
	}
	w.reserved = nil
	w.queued = nil
	w.sequences = start.sequences
	return nil
}

// tryGroup runs the jobs of a group, in savepoints if there are several, and commits. It sets
// the elements of outcome, which are nil before, to the errors of the jobs. It returns an error
// if the transaction fails, as it does if its only job fails.
func (tx *Tx) tryGroup(group []writeJob, outcome []error) error {
	if len(group) == 1 { // no savepoint needed
		run := func() error {
			outcome[0] = guardJob(tx, group[0].run)
			return outcome[0]
		}
		if group[0].alone {
			return tx.commitAfter(run)
		}
		return tx.withTransactionTimeout(func() error { return tx.commitAfter(run) })
	}
	return tx.withTransactionTimeout(func() error {
		return tx.commitAfter(func() error { return tx.runGroup(group, outcome) })
	})
}

// tryJointGroup runs a group of one joint write and commits. It needs no savepoint,
// because any error fails the whole transaction.
func (tx *Tx) tryJointGroup(group []writeJob) error {
	return tx.withTransactionTimeout(func() error {
		return tx.commitAfter(func() error { return guardJob(tx, runJoint(group)) })
	})
}

// runGroup runs each job of a group in a savepoint. Adjacent jobs of one joint write
// share a savepoint.
func (tx *Tx) runGroup(group []writeJob, outcome []error) error {
	for len(group) > 0 {
		n := jointLength(group)
		if err := tx.runAdjacent(group[:n], outcome[:n]); err != nil {
			return err
		}
		group = group[n:]
		outcome = outcome[n:]
	}
	return nil
}

// runAdjacent runs one job, or the jobs of one joint write, in a savepoint. If the joint
// write fails, each of its jobs runs again in its own savepoint. runAdjacent sets the elements
// of outcome, which are nil before, to the errors of the jobs. It returns an error only if the
// transaction itself fails.
func (tx *Tx) runAdjacent(jobs []writeJob, outcome []error) error {
	if len(jobs) > 1 {
		failure, err := tx.runJob(runJoint(jobs))
		if err != nil {
			return err
		}
		if failure == nil {
			return nil
		}
	}
	for i, j := range jobs {
		var err error
		outcome[i], err = tx.runJob(j.run)
		if err != nil {
			return err
		}
	}
	return nil
}

// withTransactionTimeout limits f to the engine's timeout.
func (tx *Tx) withTransactionTimeout(f func() error) error {
	unlimited := tx.ctx
	limited, cancel := tx.s.withQueryTimeout(unlimited)
	defer cancel()
	tx.ctx = limited
	defer func() { tx.ctx = unlimited }()
	return f()
}

// commitAfter runs f and commits. It rolls back if f or the commit fails.
func (tx *Tx) commitAfter(f func() error) error {
	if err := f(); err != nil {
		tx.rollBack()
		return err
	}
	err := tx.s.engine.commit(tx)
	if err == nil {
		return nil
	}
	tx.rollBack()
	isUncommitted := errors.As(err, new(uncommittedError))
	if !isUncommitted && (errors.Is(err, ErrAway) || errors.Is(err, ErrBusy)) {
		return tx.resolveCommit(err)
	}
	return err
}

// uncommittedError is the error of a statement that the database refused before it executed COMMIT. The transaction is
// certainly not committed.
type uncommittedError struct{ error }

func (e uncommittedError) Unwrap() error { return e.error }

// resolveInterval is the pause between two checks whether the database has committed.
const resolveInterval = 200 * time.Millisecond

// resolveCommit finds out whether the database executed a COMMIT that it did not confirm. It
// waits until the database can be reached again. If the transaction was committed, it returns
// nil. Otherwise it returns ErrAway, so that the transaction is repeated.
func (w *writerSession) resolveCommit(lost error) error {
	w.s.counters.inDoubt.Add(1)
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
		case <-w.s.stop:
			return fmt.Errorf("%w: %w", ErrInDoubt, lost)
		}
	}
}

// checkCommitted opens a new connection and reports whether the last transaction was committed.
func (w *writerSession) checkCommitted() (bool, error) {
	w.closeSession()
	ctx, cancel := w.s.withQueryTimeout(context.Background())
	defer cancel()
	conn, err := w.s.writer.Conn(ctx)
	if err != nil {
		return false, mapError(err)
	}
	w.conn = conn
	return w.s.engine.isCommitted(ctx, conn, w.mark)
}

// rollBack rolls back the transaction, if there is one. A connection on which that fails
// is closed. After some errors SQLite has already rolled back, and the error that it then
// returns is ignored.
func (w *writerSession) rollBack() {
	w.queued = nil
	if w.conn == nil {
		return
	}
	err := w.execute(`ROLLBACK`)
	if errors.Is(err, ErrAway) || errors.Is(err, ErrBusy) || errors.Is(err, ErrClosed) {
		w.closeSession()
	}
}

// runJob runs one job in a savepoint. The first error is the job's, the second one is an
// error of the transaction itself.
func (tx *Tx) runJob(run func(*Tx) error) (outcome, broken error) {
	if err := tx.execute(`SAVEPOINT job`); err != nil {
		return nil, err
	}
	reserved := maps.Clone(tx.reserved)
	outcome = guardJob(tx, run)
	if outcome != nil {
		tx.reserved = reserved
		if mayRepeat(outcome) {
			return nil, outcome
		}
		if err := tx.execute(`ROLLBACK TO job`); err != nil {
			return nil, errors.Join(outcome, err)
		}
	}
	return outcome, tx.execute(`RELEASE job`)
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

// StampTime returns the creation time of something created now: now in whole
// milliseconds, but never before an earlier stamp. Lists are sorted by it, so a new item
// never appears behind items that a client has already read.
func (tx *Tx) StampTime(now time.Time) time.Time {
	now = now.Truncate(time.Millisecond)
	if now.After(tx.s.last) {
		tx.s.last = now
	}
	return tx.s.last
}

func (w *writerSession) preparedStatement(query string, args []any) (*sql.Stmt, error) {
	if err := w.s.engine.checkArgs(query, args); err != nil {
		return nil, err
	}
	if err := w.sendQueued(); err != nil {
		return nil, err
	}
	if changesKeys(query) {
		w.changedKeys = true
	}
	if stmt := w.stmts[query]; stmt != nil {
		return stmt, nil
	}
	stmt, err := w.conn.PrepareContext(w.ctx, w.s.engine.translate(query))
	if err != nil {
		return nil, mapError(err)
	}
	w.stmts[query] = stmt
	return stmt, nil
}

func (w *writerSession) execute(query string, args ...any) error {
	stmt, err := w.preparedStatement(query, args) //nolint:sqlclosecheck // kept for the writer's life
	if err != nil {
		return err
	}
	_, err = stmt.ExecContext(w.ctx, args...)
	return mapError(err)
}

// executeLater runs a statement whose result is not needed. If several processes share the database, which is usually
// far away, the statement is sent together with the commit to save a round trip. An error of the statement then fails
// the transaction, so statements of jobs that may fail alone are run at once.
func (w *writerSession) executeLater(query string, args ...any) error {
	if !w.s.engine.isShared() || !w.failsTogether {
		return w.execute(query, args...)
	}
	if err := w.s.engine.checkArgs(query, args); err != nil {
		return err
	}
	if changesKeys(query) {
		w.changedKeys = true
	}
	w.queued = append(w.queued, queuedStatement{query, args})
	return nil
}

// sendQueued runs the queued statements, because another statement may read what they write.
func (w *writerSession) sendQueued() error {
	queued := w.queued
	w.queued = nil
	for _, statement := range queued {
		if err := w.execute(statement.query, statement.args...); err != nil {
			return err
		}
	}
	return nil
}

func (w *writerSession) queryRows(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	stmt, err := w.preparedStatement(text, args) //nolint:sqlclosecheck // kept for the writer's life
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(ctx, args...)
}

// queryRow runs a query that returns one row.
func (w *writerSession) queryRow(query string, args []any, into ...any) error {
	stmt, err := w.preparedStatement(query, args) //nolint:sqlclosecheck // kept for the writer's life
	if err != nil {
		return err
	}
	return mapError(stmt.QueryRowContext(w.ctx, args...).Scan(into...))
}

// Context returns the context of the job.
func (w *writerSession) Context() context.Context { return w.ctx }

func (w *writerSession) closeSession() {
	for _, stmt := range w.stmts {
		_ = stmt.Close()
	}
	if w.conn != nil {
		_ = w.conn.Close()
	}
	w.conn = nil
	w.stmts = map[string]*sql.Stmt{}
}

// placeholders returns the list ($from, $from+1, …) with n placeholders.
func placeholders(from, n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = "$" + strconv.Itoa(from+i)
	}
	return "(" + strings.Join(list, ", ") + ")"
}

// rowPlaceholders returns the placeholder lists of several rows, separated by commas.
func rowPlaceholders(rows, columns int) string {
	list := make([]string, rows)
	for i := range list {
		list[i] = placeholders(1+i*columns, columns)
	}
	return strings.Join(list, ", ")
}

// inList is a condition on a column: its value is in the JSON list of IDs in $1.
const inList = ` IN (SELECT value FROM json_each($1))`

// inTexts is a condition on a column: its value is in the JSON list of texts in $2.
const inTexts = ` IN (SELECT value FROM json_each($2))`

// listIDs returns IDs as a JSON list.
func listIDs(ids []int64) string { return strings.ReplaceAll(fmt.Sprint(ids), " ", ",") }
