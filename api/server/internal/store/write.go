package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxGroup is the largest number of jobs that share a transaction: enough to
// share the disk's time out, few enough to keep the first from waiting.
const maxGroup = 64

// writeJob is one write and the place for its outcome.
type writeJob struct {
	run   func(*Tx) error
	done  chan error  // buffered
	alone bool        // shares its transaction with no other
	joint *JointWrite // nil unless it can be done together with others
	item  any         // what the joint write is of
}

// Tx is the writer's transaction, for the length of one job.
type Tx struct{ writerSession }

// writerSession is the writer's connection, with the transaction that is under way.
type writerSession struct {
	ctx   context.Context
	s     *Store
	conn  *sql.Conn // nil: the next transaction takes one
	own   map[string]*sql.Stmt
	taken map[string]int64 // the last number of each sequence that the transaction took from
	mark  int64            // of the transaction; each has another

	sequences   map[string]int64 // the last numbers as the transaction began; nil if not read yet
	changedKeys bool             // the transaction has changed API keys or accounts
}

// Write runs a job in a transaction and returns once it is on disk. The job's
// error undoes the job, and is returned as it is.
func (s *Store) Write(ctx context.Context, run func(*Tx) error) error {
	return s.runJob(ctx, writeJob{run: run, done: make(chan error, 1)})
}

// WriteMuch runs a job of many thousand statements as Write does. The job has a
// transaction to itself: inside a savepoint SQLite would walk all that the
// savepoint may have to undo after each statement.
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
		j.joint = nil // its entry of the audit trail is written with it alone
	}
	ctx, end := s.boundedContext(ctx)
	defer end()
	select {
	case s.jobs <- j:
		err := <-j.done // the job is soon done; leaving it now would leave its outcome unknown
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

// boundedContext bounds how long something may take with the database.
func (r *storeReader) boundedContext(ctx context.Context) (context.Context, context.CancelFunc) {
	if patience := r.engine.patience(); patience > 0 {
		return context.WithTimeout(ctx, patience)
	}
	return ctx, func() {}
}

func (s *Store) startWriter(ctx context.Context) error {
	tx := &Tx{writerSession{ctx: context.WithoutCancel(ctx), s: s, own: map[string]*sql.Stmt{}}}
	var err error
	tx.conn, err = s.writer.Conn(ctx)
	if err == nil {
		err = s.loadStamp(ctx, tx.conn)
	}
	if err != nil {
		close(s.stopped)
		tx.closeSession()
		return err
	}
	go s.writeJobs(tx) //nolint:contextcheck // it outlasts the opening
	return nil
}

// loadStamp finds the newest creation stamp. Stamps never fall, so the last
// order inserted has it.
func (s *Store) loadStamp(ctx context.Context, conn *sql.Conn) error {
	var ms int64
	err := conn.QueryRowContext(ctx, `SELECT created FROM orders ORDER BY id DESC LIMIT 1`).Scan(&ms)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	s.last = time.UnixMilli(ms)
	return nil
}

// writeJobs runs the one writer until the store closes.
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

// gatherJobs adds the jobs that wait right now to a group, up to one that shares its
// transaction with none, which it returns beside them.
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

// commitTries is how often a group is tried whose transaction the database has
// undone, so that nothing of it is kept.
const commitTries = 5

// commitGroup runs a job and those that wait with it in one transaction, and tells each
// its outcome. If the transaction itself breaks, as on a full disk, all of them have
// failed. It returns the job that comes next, if that has been taken.
func (s *Store) commitGroup(tx *Tx, first writeJob) *writeJob {
	var outcome []error
	var err error
	separately := false
	group, next := s.gatherJobs([]writeJob{first})
	for n := range commitTries {
		err = tx.beginWrite()
		if n == 0 && errors.Is(err, ErrAway) {
			continue // with another connection: the database has ended that one
		}
		if err == nil {
			if next == nil { // more have come while the turn was waited for
				group, next = s.gatherJobs(group)
			}
			sortJointFirst(group)
			outcome = make([]error, len(group))
			joint := !separately && len(group) > 1 && jointLength(group) == len(group)
			if joint {
				err = tx.tryJointGroup(group)
			} else {
				err = tx.tryGroup(group, outcome)
			}
			if joint && err != nil && !mayRepeat(err) && !errors.Is(err, ErrInDoubt) {
				separately = true // nothing was kept; find out whose error it is
				continue
			}
		}
		if !mayRepeat(err) {
			break
		}
	}
	if err != nil {
		outcome = slices.Repeat([]error{err}, len(group))
	}
	if tx.changedKeys { // also if it was rolled back: clearing too often does no harm
		s.keys.clear()
		tx.changedKeys = false
	}
	s.tally.countOutcome(outcome)
	for i, j := range group {
		j.done <- outcome[i]
	}
	return next
}

// beginWrite begins a transaction, on another connection where the last one has
// ended.
func (w *writerSession) beginWrite() error {
	var err error
	ctx, end := w.s.boundedContext(w.ctx)
	defer end()
	if w.conn == nil {
		w.conn, err = w.s.writer.Conn(ctx)
	}
	var start transactionStart
	w.mark++
	if err == nil {
		start, err = w.s.engine.begin(ctx, w.conn, w.mark)
	}
	if err != nil {
		err = mapError(err)
		w.rollBack()
		return err
	}
	if start.newest.After(w.s.last) {
		w.s.last = start.newest
	}
	w.taken = nil
	w.sequences = start.sequences
	return nil
}

// tryGroup runs each job in a savepoint, or joint jobs in one, and commits. Its error is the
// transaction's own; what a job alone returns is put into outcome.
func (tx *Tx) tryGroup(group []writeJob, outcome []error) error {
	if len(group) == 1 { // which needs no savepoint
		run := func() error {
			outcome[0] = guardJob(tx, group[0].run)
			return outcome[0]
		}
		if group[0].alone {
			return tx.commitAfter(run)
		}
		return tx.withinPatience(func() error { return tx.commitAfter(run) })
	}
	return tx.withinPatience(func() error {
		return tx.commitAfter(func() error { return tx.runGroup(group, outcome) })
	})
}

// tryJointGroup runs a group of one joint write and commits. It needs no savepoint: an error
// is the transaction's own.
func (tx *Tx) tryJointGroup(group []writeJob) error {
	return tx.withinPatience(func() error {
		return tx.commitAfter(func() error { return guardJob(tx, runJoint(group)) })
	})
}

// runGroup runs the jobs of a group, each in a savepoint. Neighbours of one joint write share
// a savepoint; if that fails, each of them is run again alone.
func (tx *Tx) runGroup(group []writeJob, outcome []error) error {
	for i := 0; i < len(group); {
		n := jointLength(group[i:])
		if n > 1 {
			failed, err := tx.runJob(runJoint(group[i : i+n]))
			if err != nil {
				return err
			}
			if failed == nil {
				i += n
				continue
			}
		}
		for end := i + n; i < end; i++ {
			var err error
			outcome[i], err = tx.runJob(group[i].run)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// withinPatience runs f with the time that the engine allows for a transaction.
func (tx *Tx) withinPatience(f func() error) error {
	unlimited := tx.ctx
	limited, end := tx.s.boundedContext(unlimited)
	defer end()
	tx.ctx = limited
	defer func() { tx.ctx = unlimited }()
	return f()
}

// commitAfter runs f and commits, or rolls back if f or the commit returns an error.
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
	if errors.Is(err, ErrAway) || errors.Is(err, ErrBusy) {
		return tx.settleCommit(err)
	}
	return err
}

// settlePause is how long is waited before it is asked again what was kept.
const settlePause = 200 * time.Millisecond

// settleCommit finds out what became of a COMMIT that the database did not confirm,
// however long the database is away: until then nobody can say what holds. It returns
// nil where the transaction was kept, and ErrAway, so that it is repeated, where not.
func (w *writerSession) settleCommit(lost error) error {
	w.s.tally.inDoubt.Add(1)
	for {
		kept, err := w.askKept()
		if errors.Is(err, ErrInDoubt) {
			return fmt.Errorf("%w: %w", err, lost)
		}
		if err == nil && kept {
			return nil
		}
		if err == nil {
			return fmt.Errorf("%w: %w", ErrAway, lost)
		}
		select {
		case <-time.After(settlePause):
		case <-w.s.stop:
			return fmt.Errorf("%w: %w", ErrInDoubt, lost)
		}
	}
}

// askKept asks on a connection of its own whether the last transaction was kept.
func (w *writerSession) askKept() (bool, error) {
	w.closeSession()
	ctx, end := w.s.boundedContext(context.Background())
	defer end()
	conn, err := w.s.writer.Conn(ctx)
	if err != nil {
		return false, mapError(err)
	}
	w.conn = conn
	return w.s.engine.isKept(ctx, conn, w.mark)
}

// rollBack undoes what there is of a transaction. A connection that cannot do
// that is given up. After some errors SQLite has rolled back by itself and says
// so, which is no such error.
func (w *writerSession) rollBack() {
	if w.conn == nil {
		return
	}
	err := w.execute(`ROLLBACK`)
	if errors.Is(err, ErrAway) || errors.Is(err, ErrBusy) || errors.Is(err, ErrClosed) {
		w.closeSession()
	}
}

// runJob runs one job inside a savepoint. The second error is the
// transaction's own.
func (tx *Tx) runJob(run func(*Tx) error) (outcome, broken error) {
	if err := tx.execute(`SAVEPOINT job`); err != nil {
		return nil, err
	}
	taken := maps.Clone(tx.taken)
	outcome = guardJob(tx, run)
	if outcome != nil {
		tx.taken = taken
		if mayRepeat(outcome) {
			return nil, outcome
		}
		if err := tx.execute(`ROLLBACK TO job`); err != nil {
			return nil, errors.Join(outcome, err)
		}
	}
	return outcome, tx.execute(`RELEASE job`)
}

// guardJob turns a panic of a job into its error, so that the writer lives.
func guardJob(tx *Tx, run func(*Tx) error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic in a write: %v\n%s", r, debug.Stack())
		}
	}()
	return run(tx)
}

// StampTime returns the creation time for something made at now: now in whole
// milliseconds, but never before an earlier stamp. Lists are sorted by it, so
// nothing is ever inserted behind what a reader has seen.
func (tx *Tx) StampTime(now time.Time) time.Time {
	now = now.Truncate(time.Millisecond)
	if now.After(tx.s.last) {
		tx.s.last = now
	}
	return tx.s.last
}

func (w *writerSession) preparedStatement(query string, args []any) (*sql.Stmt, error) {
	if err := w.s.engine.fits(query, args); err != nil {
		return nil, err
	}
	if changesKeys(query) {
		w.changedKeys = true
	}
	if stmt := w.own[query]; stmt != nil {
		return stmt, nil
	}
	stmt, err := w.conn.PrepareContext(w.ctx, w.s.engine.text(query))
	if err != nil {
		return nil, mapError(err)
	}
	w.own[query] = stmt
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

func (w *writerSession) queryRows(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	stmt, err := w.preparedStatement(text, args) //nolint:sqlclosecheck // kept for the writer's life
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(ctx, args...)
}

// queryRow runs a query that gives one row.
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
	for _, stmt := range w.own {
		_ = stmt.Close()
	}
	if w.conn != nil {
		_ = w.conn.Close()
	}
	w.conn = nil
	w.own = map[string]*sql.Stmt{}
}

// batchQueries are the texts of a query for 1, 2, 4, 8 and 16 items, so that few
// prepared statements serve any number of them.
type batchQueries [5]string

func newBatchQueries(text func(items int) string) batchQueries {
	var b batchQueries
	for i := range b {
		b[i] = text(1 << i)
	}
	return b
}

// firstBatch returns the text for as many of n items as one has, and their number.
func (b *batchQueries) firstBatch(n int) (text string, items int) {
	i := min(bits.Len(uint(n)), len(b)) - 1
	return b[i], 1 << i
}

// placeholders returns ($from, …), n of them.
func placeholders(from, n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = "$" + strconv.Itoa(from+i)
	}
	return "(" + strings.Join(list, ", ") + ")"
}

// rowPlaceholders returns the placeholders of rows, one after the other.
func rowPlaceholders(rows, columns int) string {
	list := make([]string, rows)
	for i := range list {
		list[i] = placeholders(1+i*columns, columns)
	}
	return strings.Join(list, ", ")
}

// inList chooses by the JSON list of ids that is a query's first argument.
const inList = ` IN (SELECT value FROM json_each($1))`

// listIDs returns ids as a JSON list.
func listIDs(ids []int64) string { return strings.ReplaceAll(fmt.Sprint(ids), " ", ",") }
