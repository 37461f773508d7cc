package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"time"

	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

//go:embed migrations/*/*.sql
var migrationFiles embed.FS

const databaseFile = "flightdesk.db"

// sqliteEngine is SQLite, with a file that only this process writes.
type sqliteEngine struct{}

func (sqliteEngine) translate(query string) string { return unnumberedQuery(query) }
func (sqliteEngine) checkArgs(string, []any) error { return nil }
func (sqliteEngine) snapshot() *sql.TxOptions      { return &sql.TxOptions{ReadOnly: true} }
func (sqliteEngine) queryTimeout() time.Duration   { return 0 }
func (sqliteEngine) close()                        {}

// insertSize returns the largest power of two up to 16, so that few prepared statements are
// enough for any number of rows.
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

// sqliteSource returns a DSN. It contains the pragmas, so that every connection of a pool
// gets them. busy_timeout is first because the others may have to wait.
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

// openSQLite opens the writer's pool of one connection and the readers' pool, and
// migrates the schema.
func (s *Store) openSQLite(ctx context.Context) (writer, readers *sql.DB, err error) {
	options := s.folder.sqliteOptions()
	path := filepath.Join(s.folder.dir, databaseFile)
	if err := makePrivate(path); err != nil {
		return nil, nil, err
	}
	limit := fmt.Sprintf("cache_size(-%d)", options.cache) // a negative size is in KiB
	// Keep the rollback data of savepoints in memory instead of a temporary file.
	writer, err = sql.Open("sqlite", sqliteSource(path, options.synchronous, limit, "temp_store(MEMORY)"))
	if err != nil {
		return nil, nil, err
	}
	writer.SetMaxOpenConns(1)
	s.schema, err = s.migrateSQLite(ctx, writer)
	if err != nil {
		return nil, nil, errors.Join(err, writer.Close())
	}
	readers, err = sql.Open("sqlite", sqliteSource(path, options.synchronous, limit, "query_only(ON)"))
	if err != nil {
		return nil, nil, errors.Join(err, writer.Close())
	}
	readers.SetMaxOpenConns(options.readers)
	readers.SetMaxIdleConns(options.readers)
	return writer, readers, nil
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

// SchemaChange is the schema version before and after opening a database.
type SchemaChange struct {
	From int64 // 0 for a new database
	To   int64 // equal to From if nothing changed
}

// copyName returns the file name of the copy that is made before a schema version is
// changed.
func copyName(from int64) string { return fmt.Sprintf("before-change-of-schema-%d.db", from) }

// CopyBeforeChange returns the path of the copy that was made before opening changed the
// schema, or "" if there is none.
func (s *Store) CopyBeforeChange() string {
	if s.folder.dir == "" || s.folder.temporary != nil || !s.schema.IsChange() {
		return ""
	}
	return filepath.Join(s.folder.dir, copyName(s.schema.From))
}

// IsChange reports whether the schema of an existing database was changed.
func (c SchemaChange) IsChange() bool { return c.From > 0 && c.From < c.To }

// copyBeforeChange copies the database if migrations are pending, so that the previous
// version of the program can be used again. The copy of an earlier change is removed.
func copyBeforeChange(ctx context.Context, db *sql.DB, dir string, migrations *goose.Provider) error {
	have, newest, err := migrations.GetVersions(ctx)
	if err != nil {
		return err
	}
	if have == 0 || have == newest {
		return nil
	}
	if err := removeEarlierCopies(dir); err != nil {
		return fmt.Errorf("copying the database before: %w", mapError(err))
	}
	if err := vacuumInto(ctx, db, filepath.Join(dir, copyName(have))); err != nil {
		return fmt.Errorf("copying the database before: %w", mapError(err))
	}
	return nil
}

func removeEarlierCopies(dir string) error {
	paths, err := filepath.Glob(filepath.Join(dir, "before-change-of-schema-*.db"))
	for _, path := range paths {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// migrateSQLite applies the pending migrations. It first copies the database, unless the
// database is temporary.
func (s *Store) migrateSQLite(ctx context.Context, writer *sql.DB) (SchemaChange, error) {
	allowsNone := func(int64) bool { return false } // only a shared database allows older programs
	apply := func(ctx context.Context, migrations *goose.Provider) error {
		if s.folder.temporary == nil {
			if err := copyBeforeChange(ctx, writer, s.folder.dir, migrations); err != nil {
				return err
			}
		}
		_, err := migrations.Up(ctx)
		return err
	}
	return applyMigrations(ctx, writer, goose.DialectSQLite3, migrationsOf("sqlite"), allowsNone, apply)
}

// applyMigrations applies the pending migrations with apply. It refuses a database from
// before the first release. It also refuses a database whose schema is newer than this
// program, unless allowsVersion reports that a program with an older schema version may use
// the database.
func applyMigrations(
	ctx context.Context,
	db *sql.DB,
	dialect goose.Dialect,
	files fs.FS,
	allowsVersion func(version int64) bool,
	apply func(context.Context, *goose.Provider) error,
) (SchemaChange, error) {
	migrations, err := goose.NewProvider(dialect, db, files)
	if err != nil {
		return SchemaChange{}, fmt.Errorf("migrations: %w", err)
	}
	have, newest, err := migrations.GetVersions(ctx)
	if err != nil {
		return SchemaChange{}, fmt.Errorf("reading the schema's version: %w", err)
	}
	if have > newest {
		if allowsVersion(newest) {
			return SchemaChange{From: have, To: have}, nil
		}
		return SchemaChange{}, fmt.Errorf(
			"%w: its schema is %d, this version supports up to %d; use a newer flightdesk", ErrNewer, have, newest)
	}
	oldest := migrations.ListSources()[0].Version
	if have > 0 && have < oldest {
		return SchemaChange{}, fmt.Errorf(
			"its schema is %d, from before the first release; use a new folder or database", have)
	}
	if err := apply(ctx, migrations); err != nil {
		return SchemaChange{}, fmt.Errorf("bringing the schema from %d to %d: %w", have, newest, err)
	}
	return SchemaChange{From: have, To: newest}, nil
}

// migrationsOf returns the migration files of an engine.
func migrationsOf(engine string) fs.FS {
	files, err := fs.Sub(migrationFiles, "migrations/"+engine)
	if err != nil {
		panic(err) // the name is not a path
	}
	return files
}

// LimitSize limits the size of the database in bytes; it cannot be smaller than the
// current size. Writes beyond the limit return ErrFull.
func (s *Store) LimitSize(ctx context.Context, bytes int64) error {
	return s.Write(ctx, func(tx *Tx) error {
		var pageSize, maxPages int64
		if err := tx.queryRow(`PRAGMA page_size`, nil, &pageSize); err != nil {
			return err
		}
		return tx.queryRow(fmt.Sprintf(`PRAGMA max_page_count = %d`, max(1, bytes/pageSize)), nil, &maxPages)
	})
}

var numbered = regexp.MustCompile(`\$\d+`)

// unnumberedQuery replaces $1, $2 and so on by ?, if each occurs once and in this order.
// SQLite treats $1 as a name, which the driver looks up in the list of all arguments for
// each argument: in an INSERT of many rows, that is most of the time spent on arguments.
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

// mapSQLiteError returns the sentinel error for an error of SQLite, or nil.
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
