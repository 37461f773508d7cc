package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// querier is what reads run on: the readers' pool or a snapshot of it.
type querier interface {
	queryRows(ctx context.Context, text string, args ...any) (*sql.Rows, error)
	noteDamage(err error) error // of a query; it returns the error, named
	boundedContext(ctx context.Context) (context.Context, context.CancelFunc)
}

// noteDamage remembers that the database is damaged, for the next start to
// look at all of it.
func (r *storeReader) noteDamage(err error) error {
	err = mapError(err)
	if errors.Is(err, ErrDamaged) {
		r.damaged.Store(true)
	}
	return err
}

func (v *snapshot) noteDamage(err error) error { return v.r.noteDamage(err) }

func (w *writerSession) noteDamage(err error) error { return w.s.noteDamage(err) }

func (v *snapshot) boundedContext(ctx context.Context) (context.Context, context.CancelFunc) {
	return v.r.boundedContext(ctx)
}

func (w *writerSession) boundedContext(ctx context.Context) (context.Context, context.CancelFunc) {
	return ctx, func() {}
}

// queryRows reads what one statement finds. A connection that the database has
// ended since its last use is replaced.
func (r *storeReader) queryRows(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	defer r.reads.addRead(time.Now())
	rows, err := r.queryOnce(ctx, text, args) //nolint:sqlclosecheck // the caller closes them
	if errors.Is(mapError(err), ErrAway) {
		return r.queryOnce(ctx, text, args) //nolint:sqlclosecheck // the caller closes them
	}
	return rows, err
}

func (r *storeReader) queryOnce(ctx context.Context, text string, args []any) (*sql.Rows, error) {
	if err := r.engine.fits(text, args); err != nil {
		return nil, err
	}
	stmt, err := r.queries.getStatement(ctx, text) //nolint:sqlclosecheck // kept for the store's life
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(ctx, args...)
}

// snapshot reads on one transaction, so that all its queries see one state.
type snapshot struct {
	r     *storeReader
	tx    *sql.Tx
	fresh []string // queries that had no statement yet
}

func (v *snapshot) queryRows(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	defer v.r.reads.addRead(time.Now())
	if err := v.r.engine.fits(text, args); err != nil {
		return nil, err
	}
	stmt := v.r.queries.readyStatement(text)
	if stmt == nil {
		v.fresh = append(v.fresh, text)
		return v.tx.QueryContext(ctx, v.r.engine.text(text), args...) //nolint:sqlclosecheck // the caller closes them
	}
	return v.tx.StmtContext(ctx, stmt).QueryContext(ctx, args...) //nolint:sqlclosecheck // ends with the transaction
}

// viewSnapshot runs reads that must agree with each other. What they ask for the first
// time is prepared after they have given their connection back: if it were
// before, readers that have all connections could wait for one more for ever.
func (r *storeReader) viewSnapshot(ctx context.Context, read func(querier) error) error {
	ctx, end := r.boundedContext(ctx)
	defer end()
	tx, err := r.readers.BeginTx(ctx, r.engine.snapshot())
	if err != nil && errors.Is(mapError(err), ErrAway) {
		tx, err = r.readers.BeginTx(ctx, r.engine.snapshot())
	}
	if err != nil {
		return mapError(err)
	}
	v := &snapshot{r: r, tx: tx}
	defer func() {
		_ = tx.Rollback()
		for _, text := range v.fresh {
			_, _ = r.queries.getStatement(ctx, text) //nolint:sqlclosecheck // kept for the store's life; the next one finds out if it failed
		}
	}()
	return read(v)
}

// collectRows reads all rows of a query.
func collectRows[T any](ctx context.Context, q querier, scan func(*sql.Rows) (T, error), text string, args ...any) ([]T, error) {
	ctx, end := q.boundedContext(ctx)
	defer end()
	rows, err := q.queryRows(ctx, text, args...)
	if err != nil {
		return nil, q.noteDamage(err)
	}
	defer func() { _ = rows.Close() }()
	var all []T
	for rows.Next() {
		one, err := scan(rows)
		if ctx.Err() != nil {
			return nil, mapError(ctx.Err())
		}
		if err != nil {
			return nil, q.noteDamage(fmt.Errorf("%w: %w", ErrDamaged, err))
		}
		all = append(all, one)
	}
	return all, q.noteDamage(rows.Err())
}

// singleRow reads the one row of a query, ErrNotFound without one.
func singleRow[T any](ctx context.Context, q querier, scan func(*sql.Rows) (T, error), text string, args ...any) (one T, err error) {
	all, err := collectRows(ctx, q, scan, text, args...)
	if err != nil {
		return one, err
	}
	if len(all) == 0 {
		return one, ErrNotFound
	}
	return all[0], nil
}

// instantColumn is a time in a column of milliseconds; NULL is the zero time.
type instantColumn struct{ at *time.Time }

// Scan reads a column.
func (i instantColumn) Scan(v any) error {
	switch ms := v.(type) {
	case nil:
		*i.at = time.Time{}
	case int64:
		*i.at = time.UnixMilli(ms).UTC()
	default:
		return fmt.Errorf("an instant is stored as %T", v)
	}
	return nil
}

func toMillis(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

// datedColumn is a date-time kept as it was sent.
type datedColumn struct{ at *time.Time }

// Scan reads a column.
func (d datedColumn) Scan(v any) (err error) {
	s, ok := v.(string)
	if !ok {
		return fmt.Errorf("a date-time is stored as %T", v)
	}
	*d.at, err = time.Parse(time.RFC3339Nano, s)
	return err
}

// wordsColumn is a list of enumeration values, separated by spaces.
type wordsColumn[T ~string] struct{ list *[]T }

// Scan reads a column.
func (w wordsColumn[T]) Scan(v any) error {
	s, ok := v.(string)
	if !ok {
		return fmt.Errorf("a list is stored as %T", v)
	}
	*w.list = []T{}
	for word := range strings.FieldsSeq(s) {
		*w.list = append(*w.list, T(word))
	}
	return nil
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

// jsonColumn is a value kept as JSON.
type jsonColumn struct{ into any }

// Scan reads a column.
func (d jsonColumn) Scan(v any) error {
	s, ok := v.(string)
	if !ok {
		return fmt.Errorf("a document is stored as %T", v)
	}
	return json.Unmarshal([]byte(s), d.into)
}
