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

// boundedContext returns the job's context: what it reads does not end with its caller.
func (w *writerSession) boundedContext(context.Context) (context.Context, context.CancelFunc) {
	return w.ctx, func() {}
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

// readEach has scan read each row of a query.
func readEach(ctx context.Context, q querier, scan func(*sql.Rows) error, text string, args []any) error {
	ctx, end := q.boundedContext(ctx)
	defer end()
	rows, err := q.queryRows(ctx, text, args...)
	if err != nil {
		return q.noteDamage(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		err := scan(rows)
		if ctx.Err() != nil {
			return mapError(ctx.Err())
		}
		if err != nil {
			return q.noteDamage(fmt.Errorf("%w: %w", ErrDamaged, err))
		}
	}
	return q.noteDamage(rows.Err())
}

// readFirst has scan read the first row of a query, ErrNotFound without one.
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

// collectRows reads all rows of a query.
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

// singleRow reads the one row of a query, ErrNotFound without one.
func singleRow[T any](
	ctx context.Context, q querier, scan func(*sql.Rows, *T) error, text string, args ...any,
) (T, error) {
	var one T
	err := readFirst(ctx, q, func(rows *sql.Rows) error { return scan(rows, &one) }, text, args)
	return one, err
}

// columnCell is a field that a column has in a form of its own: times in
// milliseconds, or dated as they were sent, lengths of time in milliseconds, words of
// enumerations with spaces between them, and other lists and structures as JSON.
type columnCell struct {
	field any // a pointer
	dated bool
}

// Scan reads a column. NULL is the zero time.
func (c columnCell) Scan(v any) error {
	var err error
	text, isText := v.(string)
	number, isNumber := v.(int64)
	switch field := c.field.(type) {
	case *time.Time:
		if c.dated && isText {
			*field, err = time.Parse(time.RFC3339Nano, text)
			return err
		}
		if !c.dated && v == nil {
			*field = time.Time{}
			return nil
		}
		if !c.dated && isNumber {
			*field = time.UnixMilli(number).UTC()
			return nil
		}
	case *time.Duration:
		*field = time.Duration(number) * time.Millisecond
		if isNumber {
			return nil
		}
	case *bool:
		*field = number != 0
		if isNumber {
			return nil
		}
	default:
		if isText {
			return c.parseText(text)
		}
	}
	return fmt.Errorf("%T is stored as %T", c.field, v)
}

func (c columnCell) parseText(text string) error {
	switch list := c.field.(type) {
	case *[]api.Sensor:
		*list = splitWords[api.Sensor](text)
	case *[]api.Deliverable:
		*list = splitWords[api.Deliverable](text)
	case *[]api.Scope:
		*list = splitWords[api.Scope](text)
	case *[]api.EventName:
		*list = splitWords[api.EventName](text)
	default:
		return json.Unmarshal([]byte(text), c.field)
	}
	return nil
}

// columnValue returns what is kept of the field.
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
