package store

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"time"
)

// Tx is the current write transaction of the store. Each store has one Tx, which it reuses for all
// transactions. A job must not use the Tx after the job has returned.
type Tx struct {
	ctx      context.Context
	s        *Store
	conn     *sql.Conn // nil until the next transaction opens a connection
	stmts    map[string]*sql.Stmt
	reserved map[string]int64 // last reserved number, for each sequence that the transaction uses

	sequences   map[string]int64 // last number of each sequence when the transaction began; nil if not read yet
	changedKeys bool             // the transaction changed API keys or accounts

	failsTogether bool              // an error of any statement fails all jobs of the transaction
	queued        []queuedStatement // statements that are sent with the commit
}

// queuedStatement is a statement that [Tx.executeLater] has queued.
type queuedStatement struct {
	query string
	args  []any
}

// rollBack rolls back the transaction, if there is one. If the database cannot be reached, it
// closes the connection. It ignores other errors, because SQLite rolls back by itself after some
// errors, and ROLLBACK then fails.
func (tx *Tx) rollBack() {
	tx.queued = nil
	if tx.conn == nil {
		return
	}
	err := tx.execute(`ROLLBACK`)
	if errors.Is(err, ErrAway) || errors.Is(err, ErrBusy) || errors.Is(err, ErrClosed) {
		tx.closeConnection()
	}
}

// runInSavepoint runs one job in a savepoint. The first error is the job's, the second one is an
// error of the transaction itself.
func (tx *Tx) runInSavepoint(run func(*Tx) error) (outcome, broken error) {
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

// StampTime returns the creation time for a new record. This is now in whole milliseconds, but
// never earlier than the previous creation time. Lists are sorted by creation time, so a new record
// never appears behind records that a client has already read.
func (tx *Tx) StampTime(now time.Time) time.Time {
	writer := tx.s.writer
	now = now.Truncate(time.Millisecond)
	if now.After(writer.newestStamp) {
		writer.newestStamp = now
	}
	return writer.newestStamp
}

// preparedStatement returns the statement of a query and prepares it if necessary. It first runs
// the queued statements, because the query may depend on them. It also records whether the query
// changes API keys.
func (tx *Tx) preparedStatement(query string, args []any) (*sql.Stmt, error) {
	if err := tx.s.engine.checkArgs(query, args); err != nil {
		return nil, err
	}
	if err := tx.sendQueued(); err != nil {
		return nil, err
	}
	if changesKeys(query) {
		tx.changedKeys = true
	}
	if stmt := tx.stmts[query]; stmt != nil {
		return stmt, nil
	}
	stmt, err := tx.conn.PrepareContext(tx.ctx, tx.s.engine.translate(query))
	if err != nil {
		return nil, mapError(err)
	}
	tx.stmts[query] = stmt
	return stmt, nil
}

func (tx *Tx) execute(query string, args ...any) error {
	stmt, err := tx.preparedStatement(query, args) //nolint:sqlclosecheck // kept for the writer's life
	if err != nil {
		return err
	}
	_, err = stmt.ExecContext(tx.ctx, args...)
	return mapError(err)
}

// executeLater runs a statement whose result is not needed. On a shared database, which is usually
// far away, it queues the statement: the statement is sent together with the commit, which saves a
// round trip. An error of the statement then fails the whole transaction. So statements of jobs
// that may fail alone are not queued but run at once.
func (tx *Tx) executeLater(query string, args ...any) error {
	if !tx.s.engine.isShared() || !tx.failsTogether {
		return tx.execute(query, args...)
	}
	if err := tx.s.engine.checkArgs(query, args); err != nil {
		return err
	}
	if changesKeys(query) {
		tx.changedKeys = true
	}
	tx.queued = append(tx.queued, queuedStatement{query, args})
	return nil
}

// sendQueued runs the queued statements, because another statement may read what they write.
func (tx *Tx) sendQueued() error {
	queued := tx.queued
	tx.queued = nil
	for _, statement := range queued {
		if err := tx.execute(statement.query, statement.args...); err != nil {
			return err
		}
	}
	return nil
}

func (tx *Tx) queryRows(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	stmt, err := tx.preparedStatement(text, args) //nolint:sqlclosecheck // kept for the writer's life
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(ctx, args...)
}

// queryRow runs a query that returns one row.
func (tx *Tx) queryRow(query string, args []any, into ...any) error {
	stmt, err := tx.preparedStatement(query, args) //nolint:sqlclosecheck // kept for the writer's life
	if err != nil {
		return err
	}
	return mapError(stmt.QueryRowContext(tx.ctx, args...).Scan(into...))
}

// Context returns the context of the job.
func (tx *Tx) Context() context.Context { return tx.ctx }

// closeConnection closes the connection and its prepared statements. The next transaction opens another one.
func (tx *Tx) closeConnection() {
	for _, stmt := range tx.stmts {
		_ = stmt.Close()
	}
	if tx.conn != nil {
		_ = tx.conn.Close()
	}
	tx.conn = nil
	tx.stmts = map[string]*sql.Stmt{}
}
