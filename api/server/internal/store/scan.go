package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
)

// querier runs queries: the readers' pool, a snapshot or the writer's transaction.
type querier interface {
	queryRows(ctx context.Context, text string, args ...any) (*sql.Rows, error)
	// recordDamage converts the error of a query with [mapError]. If the error means that the
	// database is damaged, recordDamage records this.
	recordDamage(err error) error
	// withQueryTimeout returns the context for a query, with a time limit if there is one.
	withQueryTimeout(ctx context.Context) (context.Context, context.CancelFunc)
}

// recordDamage implements [querier]. After an error that means damage, the next start of the
// service checks the whole database.
func (r *storeReader) recordDamage(err error) error {
	err = mapError(err)
	if errors.Is(err, ErrDamaged) {
		r.damaged.Store(true)
	}
	return err
}

func (v *snapshot) recordDamage(err error) error { return v.r.recordDamage(err) }

func (tx *Tx) recordDamage(err error) error { return tx.s.recordDamage(err) }

func (v *snapshot) withQueryTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	return v.r.withQueryTimeout(ctx)
}

// withQueryTimeout implements [querier]. It returns the context of the transaction, which already
// has a timeout. It ignores the context of the caller, because a job runs to its end even if the
// caller no longer waits for it.
func (tx *Tx) withQueryTimeout(context.Context) (context.Context, context.CancelFunc) {
	return tx.ctx, func() {}
}

// queryRows runs a query. It tries again if the database has closed the connection since
// its last use.
func (r *storeReader) queryRows(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	defer r.reads.addRead(time.Now())
	rows, err := r.queries.queryRows(ctx, text, args) //nolint:sqlclosecheck // the caller closes them
	if errors.Is(mapError(err), ErrAway) {
		return r.queries.queryRows(ctx, text, args) //nolint:sqlclosecheck // the caller closes them
	}
	return rows, err
}

// snapshot runs queries in one transaction, so that all of them see the same state.
type snapshot struct {
	r     *storeReader
	tx    *sql.Tx
	fresh []string // new queries, which are prepared after the snapshot
}

func (v *snapshot) queryRows(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	defer v.r.reads.addRead(time.Now())
	if err := v.r.engine.checkArgs(text, args); err != nil {
		return nil, err
	}
	stmt := v.r.queries.cachedStatement(text)
	if stmt == nil {
		v.fresh = append(v.fresh, text)
		return v.tx.QueryContext(ctx, v.r.engine.translate(text), args...) //nolint:sqlclosecheck // the caller closes them
	}
	return v.tx.StmtContext(ctx, stmt).QueryContext(ctx, args...) //nolint:sqlclosecheck // ends with the transaction
}

// viewSnapshot calls read with a snapshot of the database. A snapshot uses one connection, and
// preparing a query takes another one. If all connections were used by snapshots that wait for
// another connection, they would wait forever. So new queries are prepared only after read has
// returned.
func (r *storeReader) viewSnapshot(ctx context.Context, read func(querier) error) error {
	ctx, cancel := r.withQueryTimeout(ctx)
	defer cancel()
	tx, err := r.readers.BeginTx(ctx, r.engine.snapshot())
	if errors.Is(mapError(err), ErrAway) { // the database has closed the connection since its last use
		tx, err = r.readers.BeginTx(ctx, r.engine.snapshot())
	}
	if err != nil {
		return mapError(err)
	}
	v := &snapshot{r: r, tx: tx}
	defer func() {
		_ = tx.Rollback()
		for _, text := range v.fresh {
			// If this fails, the next query with the text returns the error.
			_, _ = r.queries.getStatement(ctx, text) //nolint:sqlclosecheck // kept for the store's life
		}
	}()
	return read(v)
}

// readEach calls scan for each row of a query.
func readEach(ctx context.Context, q querier, scan func(*sql.Rows) error, text string, args []any) error {
	ctx, cancel := q.withQueryTimeout(ctx)
	defer cancel()
	rows, err := q.queryRows(ctx, text, args...)
	if err != nil {
		return q.recordDamage(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		err := scan(rows)
		if ctx.Err() != nil {
			return mapError(ctx.Err())
		}
		if err != nil {
			return q.recordDamage(fmt.Errorf("%w: %w", ErrDamaged, err))
		}
	}
	return q.recordDamage(rows.Err())
}

// readFirst calls scan for the first row of a query, or returns ErrNotFound if there is
// none.
func readFirst(ctx context.Context, q querier, scan func(*sql.Rows) error, text string, args []any) error {
	found := false
	err := readEach(ctx, q, func(rows *sql.Rows) error {
		if found {
			return nil
		}
		found = true
		return scan(rows)
	}, text, args)
	if err == nil && !found {
		return ErrNotFound
	}
	return err
}

func collectRows[T any](
	ctx context.Context, q querier, scan func(*sql.Rows, *T) error, text string, args ...any,
) ([]T, error) {
	var all []T
	err := readEach(ctx, q, func(rows *sql.Rows) error {
		all = append(all, *new(T))
		return scan(rows, &all[len(all)-1])
	}, text, args)
	return all, err
}

// singleRow returns the first row of a query, or ErrNotFound if there is none.
func singleRow[T any](
	ctx context.Context, q querier, scan func(*sql.Rows, *T) error, text string, args ...any,
) (T, error) {
	var row T
	err := readFirst(ctx, q, func(rows *sql.Rows) error { return scan(rows, &row) }, text, args)
	return row, err
}

// columnCell converts a struct field to and from its form in the database:
//
//   - A time is stored in milliseconds or, if dated is true, as text with its UTC offset.
//   - A duration is stored in milliseconds, and a bool as 0 or 1.
//   - A list of enumeration values is stored as words separated by spaces.
//   - Other lists and structs are stored as JSON.
type columnCell struct {
	field any // a pointer
	dated bool
}

// Scan implements [sql.Scanner]. It sets the field to the value of a column. NULL becomes the zero
// time; other fields cannot be NULL.
func (c columnCell) Scan(v any) error {
	switch stored := v.(type) {
	case nil:
		if field, ok := c.field.(*time.Time); ok && !c.dated {
			*field = time.Time{}
			return nil
		}
	case int64:
		if c.setNumber(stored) {
			return nil
		}
	case string:
		if c.storesText() {
			return c.parseText(stored)
		}
	}
	return fmt.Errorf("%T is stored as %T", c.field, v)
}

// setNumber sets a field that is stored as a number. It returns false for other fields.
func (c columnCell) setNumber(number int64) bool {
	switch field := c.field.(type) {
	case *time.Time:
		if c.dated {
			return false
		}
		*field = time.UnixMilli(number).UTC()
	case *time.Duration:
		*field = time.Duration(number) * time.Millisecond
	case *bool:
		*field = number != 0
	default:
		return false
	}
	return true
}

func (c columnCell) storesText() bool {
	switch c.field.(type) {
	case *time.Time:
		return c.dated
	case *time.Duration, *bool:
		return false
	}
	return true
}

// parseText sets a field that is stored as text.
func (c columnCell) parseText(text string) error {
	switch field := c.field.(type) {
	case *time.Time:
		date, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			return err
		}
		*field = date
	case *[]api.Sensor:
		*field = splitWords[api.Sensor](text)
	case *[]api.Deliverable:
		*field = splitWords[api.Deliverable](text)
	case *[]api.Scope:
		*field = splitWords[api.Scope](text)
	case *[]api.EventName:
		*field = splitWords[api.EventName](text)
	default:
		return json.Unmarshal([]byte(text), c.field)
	}
	return nil
}

// columnValue returns the value to store.
func (c columnCell) columnValue() (any, error) {
	switch field := c.field.(type) {
	case *time.Time:
		if c.dated {
			return field.Format(time.RFC3339Nano), nil
		}
		return toMillis(*field), nil
	case *time.Duration:
		return field.Milliseconds(), nil
	case *bool:
		if *field {
			return 1, nil
		}
		return 0, nil
	case *[]api.Sensor:
		return joinWords(*field), nil
	case *[]api.Deliverable:
		return joinWords(*field), nil
	case *[]api.Scope:
		return joinWords(*field), nil
	case *[]api.EventName:
		return joinWords(*field), nil
	}
	text, err := json.Marshal(c.field)
	return string(text), err
}

func toMillis(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

func splitWords[T ~string](text string) []T {
	list := []T{}
	for word := range strings.FieldsSeq(text) {
		list = append(list, T(word))
	}
	return list
}

func joinWords[T ~string](list []T) string {
	var b strings.Builder
	for i, word := range list {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(string(word))
	}
	return b.String()
}

func scanID(rows *sql.Rows, id *int64) error { return rows.Scan(id) }

func scanText(rows *sql.Rows, text *string) error { return rows.Scan(text) }
