package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
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

// sqliteEngine is SQLite, in a file that this process alone writes.
type sqliteEngine struct{}

func (sqliteEngine) text(query string) string { return unnumberedQuery(query) }
func (sqliteEngine) fits(string, []any) error { return nil }
func (sqliteEngine) snapshot() *sql.TxOptions { return &sql.TxOptions{ReadOnly: true} }
func (sqliteEngine) patience() time.Duration  { return 0 }
func (sqliteEngine) close()                   {}

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

// isKept needs not look: a COMMIT of the embedded database that fails keeps nothing.
func (sqliteEngine) isKept(context.Context, *sql.Conn, int64) (bool, error) { return false, nil }

// sqliteSource returns a DSN. The pragmas are in it so that every connection
// of a pool has them; busy_timeout comes first since the others may wait.
func sqliteSource(path, synchronous string, more ...string) string {
	return sqliteURI(path, append([]string{
		"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(" + synchronous + ")", "foreign_keys(ON)",
	}, more...)...)
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

// openSQLite opens the writer's pool of one connection and the readers' pool,
// and brings the schema up to date. The cache is that of each connection, in KiB.
func (s *Store) openSQLite(ctx context.Context, synchronous string, cache int) (writer, readers *sql.DB, err error) {
	path := filepath.Join(s.dir, databaseFile)
	if err := makePrivate(path); err != nil {
		return nil, nil, err
	}
	limit := fmt.Sprintf("cache_size(-%d)", cache)
	// What a savepoint may have to undo is kept in memory, not in another file.
	writer, err = sql.Open(
		"sqlite",
		sqliteSource(path, synchronous, limit, "temp_store(MEMORY)"),
	)
	if err != nil {
		return nil, nil, err
	}
	writer.SetMaxOpenConns(1)
	newer := func(int64) bool { return false }
	s.schema, err = applyMigrations(
		ctx,
		writer,
		goose.DialectSQLite3,
		migrationsOf("sqlite"),
		newer,
		func(ctx context.Context, migrations *goose.Provider) error {
			if s.temporary == nil {
				if err := copyBeforeChange(ctx, writer, s.dir, migrations); err != nil {
					return err
				}
			}
			return applyAll(ctx, migrations)
		},
	)
	if err != nil {
		return nil, nil, errors.Join(err, writer.Close())
	}
	readers, err = sql.Open("sqlite", sqliteSource(path, synchronous, limit, "query_only(ON)"))
	if err != nil {
		return nil, nil, errors.Join(err, writer.Close())
	}
	pool := max(4, 2*runtime.GOMAXPROCS(0))
	readers.SetMaxOpenConns(pool)
	readers.SetMaxIdleConns(pool)
	return writer, readers, nil
}

// makePrivate makes the file for its owner only, unless it is there. SQLite
// gives the files beside it the same permissions.
func makePrivate(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// SchemaChange says what a start has done to the schema of a database.
type SchemaChange struct {
	From int64 // 0 for a database that was made
	To   int64 // equal to From if nothing was changed
}

// copyName returns the name of the copy of a database that is made before its schema is
// changed from a version.
func copyName(from int64) string { return fmt.Sprintf("before-change-of-schema-%d.db", from) }

// CopyBeforeChange returns the path of the copy that was made before the schema was changed,
// "" if there is none.
func (s *Store) CopyBeforeChange() string {
	if s.dir == "" || s.temporary != nil || !s.schema.IsChange() {
		return ""
	}
	return filepath.Join(s.dir, copyName(s.schema.From))
}

// IsChange reports whether a database that was there has another schema now.
func (c SchemaChange) IsChange() bool { return c.From > 0 && c.From < c.To }

// copyBeforeChange copies the database beside it if its schema is going to be changed, so
// that the program before can be used again. It replaces the copy of the change before.
func copyBeforeChange(ctx context.Context, db *sql.DB, dir string, migrations *goose.Provider) error {
	have, known, err := migrations.GetVersions(ctx)
	if err != nil || have == 0 || have == known {
		return err
	}
	earlier, err := filepath.Glob(filepath.Join(dir, "before-change-of-schema-*.db"))
	for _, path := range earlier {
		err = errors.Join(err, os.Remove(path))
	}
	if err == nil {
		err = vacuumInto(ctx, db, filepath.Join(dir, copyName(have)))
	}
	if err != nil {
		return fmt.Errorf("copying the database before: %w", mapError(err))
	}
	return nil
}

// applyMigrations applies what is missing of the schema. It refuses a database that a
// newer program has changed, unless that lets this one serve, and one of before the
// first release.
func applyMigrations(
	ctx context.Context,
	db *sql.DB,
	dialect goose.Dialect,
	files fs.FS,
	mayServe func(last int64) bool,
	apply func(context.Context, *goose.Provider) error,
) (SchemaChange, error) {
	migrations, err := goose.NewProvider(dialect, db, files)
	if err != nil {
		return SchemaChange{}, fmt.Errorf("migrations: %w", err)
	}
	have, known, err := migrations.GetVersions(ctx)
	first := migrations.ListSources()[0].Version
	switch {
	case err != nil:
		return SchemaChange{}, fmt.Errorf("reading the schema's version: %w", err)
	case have > known && mayServe(known):
		return SchemaChange{have, have}, nil
	case have > known:
		return SchemaChange{}, fmt.Errorf("%w: its schema is %d, this version supports up to %d; use a newer flightdesk",
			ErrNewer, have, known)
	case have > 0 && have < first:
		return SchemaChange{}, fmt.Errorf("its schema is %d, from before the first release; use a new folder or database", have)
	}
	if err := apply(ctx, migrations); err != nil {
		return SchemaChange{}, fmt.Errorf("bringing the schema from %d to %d: %w", have, known, err)
	}
	return SchemaChange{have, known}, nil
}

// migrationsOf returns the migrations of an engine.
func migrationsOf(engine string) fs.FS {
	files, err := fs.Sub(migrationFiles, "migrations/"+engine)
	if err != nil {
		panic(err) // the name is not a path
	}
	return files
}

func applyAll(ctx context.Context, migrations *goose.Provider) error {
	_, err := migrations.Up(ctx)
	return err
}

// LimitSize has the database take so many bytes at most, or as many as it takes
// already. Writes beyond that are ErrFull.
func (s *Store) LimitSize(ctx context.Context, bytes int64) error {
	return s.Write(ctx, func(tx *Tx) error {
		var page, bound int64
		if err := tx.queryRow(`PRAGMA page_size`, nil, &page); err != nil {
			return err
		}
		return tx.queryRow(fmt.Sprintf(`PRAGMA max_page_count = %d`, max(1, bytes/page)), nil, &bound)
	})
}

var numbered = regexp.MustCompile(`\$\d+`)

// unnumberedQuery writes ? for the places of a query, where they are $1, $2 and so
// on in this order, each once. To SQLite $1 is a name, which the driver looks
// up for every argument in a list of them all: in a row of inserts that is most
// of the time that the arguments take.
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

// nameSQLite names SQLite's errors, nil for those that have no name.
func nameSQLite(err error) error {
	var failure *sqlite.Error
	switch {
	case !errors.As(err, &failure):
		return nil
	case failure.Code()&0xff == sqlite3.SQLITE_INTERRUPT:
		return context.Canceled
	case isDamage(err):
		return ErrDamaged
	case failure.Code()&0xff == sqlite3.SQLITE_FULL:
		return ErrFull
	}
	return nil
}
