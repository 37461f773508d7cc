package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/bits"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

const databaseFile = "flightdesk.db"

// sqliteEngine is SQLite, with a file that only this process writes.
type sqliteEngine struct{}

func (sqliteEngine) translate(query string) string { return unnumberedQuery(query) }
func (sqliteEngine) checkArgs(string, []any) error { return nil }
func (sqliteEngine) snapshot() *sql.TxOptions      { return &sql.TxOptions{ReadOnly: true} }
func (sqliteEngine) queryTimeout() time.Duration   { return 0 }
func (sqliteEngine) close()                        {}

// insertSize implements databaseEngine. It returns a power of two, at most 16 and at most rows. A
// few prepared statements are then enough for any number of rows.
func (sqliteEngine) insertSize(rows int) int {
	const largest = 4 // 16 rows
	return 1 << min(bits.Len(uint(rows))-1, largest)
}

func (sqliteEngine) begin(ctx context.Context, conn *sql.Conn, _ int64) (transactionStart, error) {
	_, err := conn.ExecContext(ctx, `BEGIN IMMEDIATE`)
	return transactionStart{}, err
}

func (sqliteEngine) commit(tx *Tx) error {
	if err := tx.saveSequences(); err != nil {
		return err
	}
	return tx.execute(`COMMIT`)
}

func (sqliteEngine) isShared() bool { return false }

// isCommitted returns false: if a COMMIT of SQLite fails, nothing is committed.
func (sqliteEngine) isCommitted(context.Context, *sql.Conn, int64) (bool, error) { return false, nil }

// sqliteSource returns the DSN of a database file. The DSN contains the pragmas, so that every
// connection of a pool sets them. busy_timeout comes first, because setting the other pragmas may
// have to wait for another connection.
func sqliteSource(path, synchronous string, more ...string) string {
	pragmas := []string{
		"busy_timeout(10000)",
		"journal_mode(WAL)",
		"synchronous(" + synchronous + ")",
		"foreign_keys(ON)",
	}
	return sqliteURI(path, append(pragmas, more...)...)
}

func sqliteURI(path string, pragmas ...string) string {
	q := url.Values{"_pragma": pragmas}
	path = filepath.ToSlash(path)
	if filepath.VolumeName(path) != "" {
		path = "/" + path
	}
	return (&url.URL{
		Scheme:   "file",
		OmitHost: true,
		Path:     path,
		RawQuery: q.Encode(),
	}).String()
}

// sqliteOptions are the options of an embedded database that depend on its folder.
type sqliteOptions struct {
	synchronous string // "FULL", or "OFF" if the database need not be on disk
	cache       int    // cache size of each connection in KiB; the operating system caches the file too
	readers     int    // maximum number of connections of the readers
}

// sqliteOptions returns the options for the database in the folder.
func (f *dataFolder) sqliteOptions() sqliteOptions {
	processors := runtime.GOMAXPROCS(0)
	if f.temporary != nil { // removed on close
		return sqliteOptions{synchronous: "OFF", cache: 512, readers: max(2, processors)}
	}
	// There are more readers than processors, because some of them wait for the disk.
	return sqliteOptions{synchronous: "FULL", cache: 1024, readers: max(4, 2*processors)}
}

// sqliteDatabase is an open embedded database.
type sqliteDatabase struct {
	writer  *sql.DB // has one connection
	readers *sql.DB
	schema  SchemaChange
}

// openDatabase checks the database in the folder, opens it and migrates its schema. A temporary
// folder is not checked.
func (f *dataFolder) openDatabase(ctx context.Context) (sqliteDatabase, error) {
	if f.temporary == nil {
		if err := checkAtStart(ctx, f.dir); err != nil {
			return sqliteDatabase{}, err
		}
	}
	options := f.sqliteOptions()
	path := filepath.Join(f.dir, databaseFile)
	if err := makePrivate(path); err != nil {
		return sqliteDatabase{}, err
	}
	limit := fmt.Sprintf("cache_size(-%d)", options.cache) // a negative size is in KiB
	// Keep the rollback data of savepoints in memory instead of a temporary file.
	writer, err := sql.Open("sqlite", sqliteSource(path, options.synchronous, limit, "temp_store(MEMORY)"))
	if err != nil {
		return sqliteDatabase{}, err
	}
	writer.SetMaxOpenConns(1)
	schema, err := f.migrate(ctx, writer)
	if err != nil {
		return sqliteDatabase{}, errors.Join(err, writer.Close())
	}
	readers, err := sql.Open("sqlite", sqliteSource(path, options.synchronous, limit, "query_only(ON)"))
	if err != nil {
		return sqliteDatabase{}, errors.Join(err, writer.Close())
	}
	readers.SetMaxOpenConns(options.readers)
	readers.SetMaxIdleConns(options.readers)
	return sqliteDatabase{writer: writer, readers: readers, schema: schema}, nil
}

// makePrivate creates the file readable by its owner only, if it does not exist. SQLite
// creates its other files with the same permissions.
func makePrivate(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// LimitSize limits the size of an embedded database in bytes. If the database is larger already, its
// current size is the limit. Writes that need more space return ErrFull.
func (s *Store) LimitSize(ctx context.Context, bytes int64) error {
	return s.Write(ctx, func(tx *Tx) error {
		var pageSize int64
		if err := tx.queryRow(`PRAGMA page_size`, nil, &pageSize); err != nil {
			return err
		}
		maxPages := max(1, bytes/pageSize)
		var newLimit int64 // the result of the statement; not needed
		return tx.queryRow(fmt.Sprintf(`PRAGMA max_page_count = %d`, maxPages), nil, &newLimit)
	})
}

var numbered = regexp.MustCompile(`\$\d+`)

// unnumberedQuery replaces $1, $2 and so on with ?, if each occurs once and in this order.
// Otherwise it returns the query unchanged. The driver is faster with ?: SQLite treats $1 as a
// name, and the driver searches all arguments for each name.
func unnumberedQuery(query string) string {
	n := 0
	for _, place := range numbered.FindAllString(query, -1) {
		n++
		if place != "$"+strconv.Itoa(n) {
			return query
		}
	}
	return numbered.ReplaceAllLiteralString(query, "?")
}

// mapSQLiteError returns the error of this package for an error of SQLite, such as ErrFull. It
// returns nil if this package has no error for it.
func mapSQLiteError(err error) error {
	var failure *sqlite.Error
	if !errors.As(err, &failure) {
		return nil
	}
	switch failure.Code() & 0xff {
	case sqlite3.SQLITE_INTERRUPT:
		return context.Canceled
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return ErrDamaged
	case sqlite3.SQLITE_FULL:
		return ErrFull
	default:
		return nil
	}
}
