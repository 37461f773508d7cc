package kmlcsv

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
	"modernc.org/sqlite/vfs"
)

// packageDatabase is a GeoPackage that SQLite has opened in memory. The file is not trusted: SQLite may only read, its
// limits are low, and only columns that are stored in tables are read, so no SQL in the file is executed.
type packageDatabase struct {
	files *vfs.FS
	pool  *sql.DB
	conn  *sql.Conn
	work  *work // limits the total size of the rows that are read
}

// packageSettings are the settings of a connection that only reads a file that is not trusted. They also make SQLite
// report damaged pages instead of reading on.
const packageSettings = "&mode=ro&immutable=1&_defensive=1" +
	"&_pragma=trusted_schema(0)&_pragma=cell_size_check(1)&_pragma=query_only(1)"

// openPackage opens the database in data. The caller must close it.
func openPackage(ctx context.Context, data []byte, w *work) (*packageDatabase, error) {
	name, files, err := vfs.New(packageFiles{ctx, data})
	if err != nil {
		return nil, err
	}
	d := &packageDatabase{files: files, work: w}
	if err := d.connect(ctx, name, len(data)); err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

// connect opens the connection. system is the name of the file system with the database, and size the size of the
// database in bytes.
func (d *packageDatabase) connect(ctx context.Context, system string, size int) error {
	pool, err := sql.Open("sqlite", "file:"+packageName+"?vfs="+system+packageSettings)
	if err != nil {
		return err
	}
	d.pool = pool
	conn, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	d.conn = conn
	return limitDatabase(conn, size)
}

// close closes the database. Errors are ignored, because nothing was written.
func (d *packageDatabase) close() {
	if d.conn != nil {
		_ = d.conn.Close()
	}
	if d.pool != nil {
		_ = d.pool.Close()
	}
	_ = d.files.Close()
}

// limitDatabase sets the limits of SQLite to the lowest values with which tables can be read, because the database is
// not trusted. size is the size of the database in bytes.
func limitDatabase(conn *sql.Conn, size int) error {
	for id, value := range map[int]int{
		sqlite3.SQLITE_LIMIT_LENGTH:              min(size, maxUnpacked),
		sqlite3.SQLITE_LIMIT_SQL_LENGTH:          1 << 20,
		sqlite3.SQLITE_LIMIT_COLUMN:              2000,
		sqlite3.SQLITE_LIMIT_EXPR_DEPTH:          100,
		sqlite3.SQLITE_LIMIT_COMPOUND_SELECT:     3,
		sqlite3.SQLITE_LIMIT_VDBE_OP:             100_000,
		sqlite3.SQLITE_LIMIT_FUNCTION_ARG:        8,
		sqlite3.SQLITE_LIMIT_ATTACHED:            0,
		sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 100,
		sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER:     8,
		sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH:       1,
		sqlite3.SQLITE_LIMIT_WORKER_THREADS:      0,
	} {
		if _, err := sqlite.Limit(conn, id, value); err != nil {
			return err
		}
	}
	return nil
}

// storedColumns returns the columns of a table whose values are stored. It leaves out generated columns, because
// SQLite would evaluate an expression from the file to read them. For the same reason, it returns no columns for a
// view or a virtual table. It also returns no columns if the table does not exist.
func (d *packageDatabase) storedColumns(ctx context.Context, table string) (columns []string, err error) {
	query := fmt.Sprintf(`SELECT name FROM pragma_table_xinfo(%s) WHERE hidden = 0
		AND EXISTS (SELECT 1 FROM sqlite_schema WHERE name = %[1]s COLLATE NOCASE AND type = 'table'
			AND substr(ltrim(sql), 1, 12) = 'CREATE TABLE' COLLATE NOCASE)`, quoteSQL(table, "'"))
	addColumn := func(values []any) error {
		columns = append(columns, fmt.Sprint(values[0]))
		return nil
	}
	err = d.eachRow(ctx, query, addColumn)
	return columns, err
}

// rowCost is the number of bytes that each row counts in addition to its values, so that many short rows also reach the
// limit of unpacked data; see rowSize.
const rowCost = 16

// eachRow runs a query and calls visit for each row. The values are only valid until visit returns.
func (d *packageDatabase) eachRow(ctx context.Context, query string, visit func(values []any) error) error {
	rows, err := d.conn.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // rows.Err returns the same error
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	values := make([]any, len(columns))
	into := make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		if !d.work.useBytes(rowSize(values)) {
			return d.work.tooLarge("the GeoPackage")
		}
		if err := visit(values); err != nil {
			return err
		}
	}
	return rows.Err()
}

// rowSize returns how many bytes a row counts against the limit of unpacked data.
func rowSize(values []any) int64 {
	size := rowCost
	for _, v := range values {
		switch v := v.(type) {
		case []byte:
			size += len(v)
		case string:
			size += len(v)
		}
	}
	return int64(size)
}

// quoteSQL quotes a name or a text from the file, so that it can be used in an SQL query.
func quoteSQL(text, quote string) string {
	return quote + strings.ReplaceAll(text, quote, quote+quote) + quote
}

// hasColumns reports whether columns has all wanted names. It ignores the case of letters.
func hasColumns(columns []string, wanted ...string) bool {
	for _, name := range wanted {
		isWanted := func(column string) bool { return strings.EqualFold(column, name) }
		if !slices.ContainsFunc(columns, isWanted) {
			return false
		}
	}
	return true
}
