package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

// oldestPostgres is the oldest supported version. Older versions are not tested.
const oldestPostgres = 15

// Limits of a migration.
const (
	migrationWait  = 5 * time.Minute        // total time to wait for other processes
	migrationTurn  = 500 * time.Millisecond // time to wait for a lock, because writers wait in the meantime
	migrationPause = 100 * time.Millisecond // time for the writers between two attempts
)

// errPooler refuses connection poolers that do not keep a session's settings and locks.
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

// applyNext applies the next migration, whose text is given. It holds the lock of the writers
// in the meantime, so that no other process writes. Only a migration without a transaction
// runs without the lock: such a migration waits for the open transactions of other processes,
// and these could be waiting for the lock.
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

// betweenStatements applies the next migration between two statements.
func betweenStatements(ctx context.Context, db *sql.DB, before, after string, migrations *goose.Provider) error {
	if _, err := db.ExecContext(ctx, before); err != nil {
		return err
	}
	_, err := migrations.UpByOne(ctx)
	_, afterErr := db.ExecContext(context.WithoutCancel(ctx), after)
	return errors.Join(err, afterErr)
}

// allowsSchema reports whether a program whose last schema version is version may use a
// database with a newer schema. Older programs may use it for a while, so that the processes
// of a service can be replaced one after the other.
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

// checkPostgres refuses a server that the service cannot use.
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
