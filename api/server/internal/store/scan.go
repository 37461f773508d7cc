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
	query(ctx context.Context, text string, args ...any) (*sql.Rows, error)
	noteDamage(err error) error // of a query; it returns the error, named
	bounded(ctx context.Context) (context.Context, context.CancelFunc)
}

// noteDamage remembers that the database is damaged, for the next start to
// look at all of it.
func (r *reader) noteDamage(err error) error {
	err = mapped(err)
	if errors.Is(err, ErrDamaged) {
		r.damaged.Store(true)
	}
	return err
}

func (v *snapshot) noteDamage(err error) error { return v.r.noteDamage(err) }

func (w *session) noteDamage(err error) error { return w.s.noteDamage(err) }

func (v *snapshot) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return v.r.bounded(ctx)
}

func (w *session) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return ctx, func() {}
}

// query reads what one statement finds. A connection that the database has
// ended since its last use is replaced.
func (r *reader) query(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	defer r.reads.add(time.Now())
	rows, err := r.queryOnce(ctx, text, args) //nolint:sqlclosecheck // the caller closes them
	if errors.Is(mapped(err), ErrAway) {
		return r.queryOnce(ctx, text, args) //nolint:sqlclosecheck // the caller closes them
	}
	return rows, err
}

func (r *reader) queryOnce(ctx context.Context, text string, args []any) (*sql.Rows, error) {
	if err := r.engine.fits(text, args); err != nil {
		return nil, err
	}
	stmt, err := r.queries.get(ctx, text) //nolint:sqlclosecheck // kept for the store's life
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(ctx, args...)
}

// snapshot reads on one transaction, so that all its queries see one state.
type snapshot struct {
	r     *reader
	tx    *sql.Tx
	fresh []string // queries that had no statement yet
}

func (v *snapshot) query(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	defer v.r.reads.add(time.Now())
	if err := v.r.engine.fits(text, args); err != nil {
		return nil, err
	}
	stmt := v.r.queries.ready(text)
	if stmt == nil {
		v.fresh = append(v.fresh, text)
		return v.tx.QueryContext(ctx, v.r.engine.text(text), args...) //nolint:sqlclosecheck // the caller closes them
	}
	return v.tx.StmtContext(ctx, stmt).QueryContext(ctx, args...) //nolint:sqlclosecheck // ends with the transaction
}

// view runs reads that must agree with each other. What they ask for the first
// time is prepared after they have given their connection back: if it were
// before, readers that have all connections could wait for one more for ever.
func (r *reader) view(ctx context.Context, read func(querier) error) error {
	ctx, end := r.bounded(ctx)
	defer end()
	tx, err := r.readers.BeginTx(ctx, r.engine.snapshot())
	if err != nil && errors.Is(mapped(err), ErrAway) {
		tx, err = r.readers.BeginTx(ctx, r.engine.snapshot())
	}
	if err != nil {
		return mapped(err)
	}
	v := &snapshot{r: r, tx: tx}
	defer func() {
		_ = tx.Rollback()
		for _, text := range v.fresh {
			_, _ = r.queries.get(ctx, text) //nolint:sqlclosecheck // kept for the store's life; the next one finds out if it failed
		}
	}()
	return read(v)
}

// collect reads all rows of a query.
func collect[T any](ctx context.Context, q querier, scan func(*sql.Rows) (T, error), text string, args ...any) ([]T, error) {
	ctx, end := q.bounded(ctx)
	defer end()
	rows, err := q.query(ctx, text, args...)
	if err != nil {
		return nil, q.noteDamage(err)
	}
	defer func() { _ = rows.Close() }()
	var all []T
	for rows.Next() {
		one, err := scan(rows)
		if ctx.Err() != nil {
			return nil, mapped(ctx.Err())
		}
		if err != nil {
			return nil, q.noteDamage(fmt.Errorf("%w: %w", ErrDamaged, err))
		}
		all = append(all, one)
	}
	return all, q.noteDamage(rows.Err())
}

// single reads the one row of a query, ErrNotFound without one.
func single[T any](ctx context.Context, q querier, scan func(*sql.Rows) (T, error), text string, args ...any) (one T, err error) {
	all, err := collect(ctx, q, scan, text, args...)
	if err != nil {
		return one, err
	}
	if len(all) == 0 {
		return one, ErrNotFound
	}
	return all[0], nil
}

// instant is a time in a column of milliseconds; NULL is the zero time.
type instant struct{ at *time.Time }

// Scan reads a column.
func (i instant) Scan(v any) error {
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

func millis(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

// dated is a date-time kept as it was sent.
type dated struct{ at *time.Time }

// Scan reads a column.
func (d dated) Scan(v any) (err error) {
	s, ok := v.(string)
	if !ok {
		return fmt.Errorf("a date-time is stored as %T", v)
	}
	*d.at, err = time.Parse(time.RFC3339Nano, s)
	return err
}

// words is a list of enumeration values, separated by spaces.
type words[T ~string] struct{ list *[]T }

// Scan reads a column.
func (w words[T]) Scan(v any) error {
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

func joined[T ~string](list []T) string {
	var b strings.Builder
	for i, word := range list {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(string(word))
	}
	return b.String()
}

// document is a value kept as JSON.
type document struct{ into any }

// Scan reads a column.
func (d document) Scan(v any) error {
	s, ok := v.(string)
	if !ok {
		return fmt.Errorf("a document is stored as %T", v)
	}
	return json.Unmarshal([]byte(s), d.into)
}
