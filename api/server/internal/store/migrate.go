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

// oldestPostgres is the first version that this is tested with.
const oldestPostgres = 15

// Limits of a migration.
const (
	migrationWait  = 5 * time.Minute        // for other processes, in all
	migrationTurn  = 500 * time.Millisecond // for one lock, while writers wait
	migrationPause = 100 * time.Millisecond // in which writers have their turns
)

// errPooler refuses what does not keep a session's settings and locks.
var errPooler = errors.New(
	"a connection pooler such as PgBouncer answers, which does not keep the settings and locks of a session; " +
		"use the address of PostgreSQL itself",
)

// migratePostgres applies what is missing of the schema while no other process
// does, and while others serve.
func migratePostgres(ctx context.Context, config pgx.ConnConfig, files fs.FS) (SchemaChange, error) {
	config.RuntimeParams = map[string]string{
		"application_name": "flightdesk migrations", "lock_timeout": milliseconds(migrationTurn),
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
	return applyMigrations(ctx, db, goose.DialectPostgres, files,
		func(last int64) bool { return servesOlder(ctx, db, last) },
		func(ctx context.Context, migrations *goose.Provider) error {
			return applyBesideWriters(ctx, db, files, migrations)
		})
}

// awaitMigrations waits until no other process migrates. It asks again and again:
// a statement that waited would hold up an index that is made concurrently.
func awaitMigrations(ctx context.Context, db *sql.DB) error {
	for end := time.Now().Add(migrationWait); ; {
		var mine bool
		err := db.QueryRowContext(ctx, `SELECT pg_try_advisory_lock($1)`, int64(migrationLock)).Scan(&mine)
		if err != nil || mine {
			return err
		}
		if time.Now().After(end) {
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

// applyBesideWriters applies one migration after the other, each again where another
// process was in its way. One without a transaction must be such that it can be
// repeated after a part of it.
func applyBesideWriters(ctx context.Context, db *sql.DB, files fs.FS, migrations *goose.Provider) error {
	end := time.Now().Add(migrationWait)
	for {
		next, err := nextMigration(ctx, migrations)
		if err != nil || next == nil {
			return err
		}
		text, err := fs.ReadFile(files, next.Path)
		if err != nil {
			return err
		}
		if strings.Contains(string(text), "-- +goose NO TRANSACTION") {
			err = betweenStatements(ctx, db, `SET lock_timeout = 0`,
				`SET lock_timeout = `+milliseconds(migrationTurn), migrations)
		} else { // which would wait for writers that wait for it
			lock := strconv.Itoa(writersLock)
			err = betweenStatements(ctx, db, `SELECT pg_advisory_lock(`+lock+`)`,
				`SELECT pg_advisory_unlock(`+lock+`)`, migrations)
		}
		if err != nil && (!errors.Is(namePostgres(err), ErrBusy) || time.Now().After(end)) {
			return err
		}
		if err != nil {
			err = pauseMigration(ctx)
		}
		if err != nil {
			return err
		}
	}
}

// nextMigration returns the first migration that is missing, nil for none.
func nextMigration(ctx context.Context, migrations *goose.Provider) (*goose.Source, error) {
	all, err := migrations.Status(ctx)
	for _, one := range all {
		if one.State == goose.StatePending {
			return one.Source, nil
		}
	}
	return nil, err
}

// betweenStatements applies the next migration between two statements.
func betweenStatements(ctx context.Context, db *sql.DB, before, after string, migrations *goose.Provider) error {
	if _, err := db.ExecContext(ctx, before); err != nil {
		return err
	}
	_, err := migrations.UpByOne(ctx)
	_, undone := db.ExecContext(context.WithoutCancel(ctx), after)
	return errors.Join(err, undone)
}

// servesOlder reports whether a newer database says that this program may serve
// from it: for the time in which processes are replaced one after the other.
func servesOlder(ctx context.Context, db *sql.DB, last int64) bool {
	var oldest string
	err := db.QueryRowContext(ctx, settingOf, "schema.oldest").Scan(&oldest)
	version, notANumber := strconv.ParseInt(oldest, 10, 64)
	return err == nil && notANumber == nil && last >= version
}

// checkPostgres refuses a server that cannot keep the service's data.
func checkPostgres(ctx context.Context, db *sql.DB) error {
	var version int
	var encoding, patience string
	err := db.QueryRowContext(ctx, `SELECT current_setting('server_version_num')::int / 10000,
		current_setting('server_encoding'), current_setting('lock_timeout')`).Scan(&version, &encoding, &patience)
	switch {
	case err != nil:
		return err
	case patience != milliseconds(migrationTurn)+"ms":
		return errPooler
	case version < oldestPostgres:
		return fmt.Errorf("PostgreSQL %d or later is required, not %d", oldestPostgres, version)
	case encoding != "UTF8":
		return fmt.Errorf(
			"the encoding is %s; create a UTF-8 database with createdb --encoding UTF8 --template template0",
			encoding,
		)
	}
	return nil
}
