package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

//go:embed migrations/*/*.sql
var migrationFiles embed.FS

// SchemaChange is the schema version before and after opening a database.
type SchemaChange struct {
	From int64 // 0 for a new database
	To   int64 // equal to From if nothing changed
}

// IsChange reports whether the schema of an existing database was changed.
func (c SchemaChange) IsChange() bool { return c.From > 0 && c.From < c.To }

// applyMigrations applies the pending migrations by calling apply. It returns an error for a
// database from before the first release. It also returns an error if the schema of the database
// is newer than this program, unless allowsVersion returns true for the schema version of this
// program.
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

// migrate applies the pending migrations to the database in the folder. It first copies the
// database, unless the folder is temporary.
func (f *dataFolder) migrate(ctx context.Context, writer *sql.DB) (SchemaChange, error) {
	allowsNone := func(int64) bool { return false } // only a shared database allows older programs
	apply := func(ctx context.Context, migrations *goose.Provider) error {
		if f.temporary == nil {
			if err := copyBeforeChange(ctx, writer, f.dir, migrations); err != nil {
				return err
			}
		}
		_, err := migrations.Up(ctx)
		return err
	}
	return applyMigrations(ctx, writer, goose.DialectSQLite3, migrationsOf("sqlite"), allowsNone, apply)
}

// copyName returns the file name of the copy that is made before a schema version is
// changed.
func copyName(from int64) string { return fmt.Sprintf("before-change-of-schema-%d.db", from) }

// CopyBeforeChange returns the path of the copy of the database that was made because opening the
// store changed the schema. It returns "" if there is no copy.
func (s *Store) CopyBeforeChange() string {
	if s.folder.dir == "" || s.folder.temporary != nil || !s.schema.IsChange() {
		return ""
	}
	return filepath.Join(s.folder.dir, copyName(s.schema.From))
}

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

// oldestPostgres is the oldest supported version. Older versions are not tested.
const oldestPostgres = 15

// Limits of a migration.
const (
	migrationWait  = 5 * time.Minute        // total time to wait for other processes
	migrationTurn  = 500 * time.Millisecond // time to wait for a lock; short, because writers wait meanwhile
	migrationPause = 100 * time.Millisecond // time for the writers between two attempts
)

// errPooler is returned for a connection pooler that does not keep the settings and locks of a
// session.
var errPooler = errors.New(
	"a connection pooler such as PgBouncer answers, which does not keep the settings and locks of a session; " +
		"use the address of PostgreSQL itself",
)

// migratePostgres applies the pending migrations. Other processes can use the database in
// the meantime, but not migrate it.
func migratePostgres(ctx context.Context, config pgx.ConnConfig, files fs.FS) (SchemaChange, error) {
	config.RuntimeParams = map[string]string{
		"application_name": "flightdesk migrations",
		"lock_timeout":     milliseconds(migrationTurn),
	}
	db := stdlib.OpenDB(config)
	db.SetMaxOpenConns(1) // the session that has the locks
	defer func() { _ = db.Close() }()
	if err := checkPostgres(ctx, db); err != nil {
		return SchemaChange{}, err
	}
	if err := awaitMigrations(ctx, db); err != nil {
		return SchemaChange{}, err
	}
	allowsVersion := func(version int64) bool { return allowsSchema(ctx, db, version) }
	apply := func(ctx context.Context, migrations *goose.Provider) error {
		return applyOneByOne(ctx, db, files, migrations)
	}
	return applyMigrations(ctx, db, goose.DialectPostgres, files, allowsVersion, apply)
}

// awaitMigrations waits until no other process migrates. It polls, because a waiting
// statement would block CREATE INDEX CONCURRENTLY.
func awaitMigrations(ctx context.Context, db *sql.DB) error {
	deadline := time.Now().Add(migrationWait)
	for {
		var isLocked bool
		err := db.QueryRowContext(ctx, `SELECT pg_try_advisory_lock($1)`, int64(migrationLock)).Scan(&isLocked)
		if err != nil {
			return err
		}
		if isLocked {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%w: another process changes the schema", ErrBusy)
		}
		if err := pauseMigration(ctx); err != nil {
			return err
		}
	}
}

func pauseMigration(ctx context.Context) error {
	select {
	case <-time.After(migrationPause):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// applyOneByOne applies the pending migrations, so that other processes can write between
// two migrations. It repeats a migration that was blocked by another process. A migration
// without a transaction may be partly applied then, so it must be possible to repeat it.
func applyOneByOne(ctx context.Context, db *sql.DB, files fs.FS, migrations *goose.Provider) error {
	deadline := time.Now().Add(migrationWait)
	for {
		next, err := nextMigration(ctx, migrations)
		if err != nil {
			return err
		}
		if next == nil {
			return nil
		}
		text, err := fs.ReadFile(files, next.Path)
		if err != nil {
			return err
		}
		err = applyNext(ctx, db, string(text), migrations)
		if err == nil {
			continue
		}
		mayRetry := errors.Is(mapPostgresError(err), ErrBusy) && !time.Now().After(deadline)
		if !mayRetry {
			return err
		}
		if err := pauseMigration(ctx); err != nil {
			return err
		}
	}
}

// applyNext applies the next migration. text is the SQL of the migration. Meanwhile, applyNext
// holds the lock of the writers, so that no other process writes. Only a migration without a
// transaction runs without the lock: it waits for the open transactions of other processes, and
// those transactions could be waiting for the lock.
func applyNext(ctx context.Context, db *sql.DB, text string, migrations *goose.Provider) error {
	lock := strconv.Itoa(writersLock)
	before := `SELECT pg_advisory_lock(` + lock + `)`
	after := `SELECT pg_advisory_unlock(` + lock + `)`
	if strings.Contains(text, "-- +goose NO TRANSACTION") {
		before = `SET lock_timeout = 0`
		after = `SET lock_timeout = ` + milliseconds(migrationTurn)
	}
	return betweenStatements(ctx, db, before, after, migrations)
}

// nextMigration returns the first pending migration, or nil.
func nextMigration(ctx context.Context, migrations *goose.Provider) (*goose.Source, error) {
	all, err := migrations.Status(ctx)
	if err != nil {
		return nil, err
	}
	for _, migration := range all {
		if migration.State == goose.StatePending {
			return migration.Source, nil
		}
	}
	return nil, nil
}

// betweenStatements runs the statement before, applies the next migration, and runs the statement
// after. It runs after even if the migration fails.
func betweenStatements(ctx context.Context, db *sql.DB, before, after string, migrations *goose.Provider) error {
	if _, err := db.ExecContext(ctx, before); err != nil {
		return err
	}
	_, err := migrations.UpByOne(ctx)
	_, afterErr := db.ExecContext(context.WithoutCancel(ctx), after)
	return errors.Join(err, afterErr)
}

// allowsSchema reports whether a program may use a database with a newer schema. version is the
// last schema version that the program knows. Older programs may use the database for a while, so
// that the processes of a service can be replaced one after the other.
func allowsSchema(ctx context.Context, db *sql.DB, version int64) bool {
	var text string
	if err := db.QueryRowContext(ctx, settingOf, "schema.oldest").Scan(&text); err != nil {
		return false
	}
	oldest, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return false
	}
	return version >= oldest
}

// checkPostgres returns an error unless the server is a supported version of PostgreSQL with the
// encoding UTF-8. It also returns an error if a connection pooler does not keep the settings of the
// session.
func checkPostgres(ctx context.Context, db *sql.DB) error {
	var version int
	var encoding, lockTimeout string
	err := db.QueryRowContext(ctx, `SELECT current_setting('server_version_num')::int / 10000,
		current_setting('server_encoding'), current_setting('lock_timeout')`).Scan(&version, &encoding, &lockTimeout)
	if err != nil {
		return err
	}
	if lockTimeout != milliseconds(migrationTurn)+"ms" {
		return errPooler
	}
	if version < oldestPostgres {
		return fmt.Errorf("PostgreSQL %d or later is required, not %d", oldestPostgres, version)
	}
	if encoding != "UTF8" {
		return fmt.Errorf("the encoding is %s; "+
			"create a UTF-8 database with createdb --encoding UTF8 --template template0", encoding)
	}
	return nil
}
