package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"flightdesk/config/atomicfile"
)

// ErrDamaged is the error for what cannot be read because it is not what was
// written.
var ErrDamaged = errors.New("the database is damaged")

// checkedFile says which database was found whole, so that the next start need
// not look at all of a large one again.
const checkedFile = "checked"

// damageError says that a database is damaged, and how to go on.
func damageError(dir string, err error) error {
	return fmt.Errorf(
		"%w: %w; run flightdesk serve --check %s for details, or restore a backup with flightdesk restore",
		ErrDamaged,
		err,
		dir,
	)
}

// checkAtStart refuses a damaged database. One that is as the last stop left it
// is not read again.
func checkAtStart(ctx context.Context, dir string) error {
	state := databaseState(dir)
	if state == "" {
		return nil // there is none yet
	}
	if noted, err := os.ReadFile(filepath.Join(dir, checkedFile)); err == nil && string(noted) == state {
		return nil
	}
	db, err := openToRead(dir)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	faults, err := queryTexts(ctx, db, `PRAGMA quick_check(3)`)
	switch {
	case isDamage(err):
		return damageError(dir, err)
	case err != nil:
		return err
	case len(faults) == 1 && faults[0] == "ok":
		return nil
	}
	return damageError(dir, errors.New(strings.ReplaceAll(strings.Join(faults, ", "), "\n", " ")))
}

// noteChecked keeps which database is whole, once it is closed.
func noteChecked(dir string) error {
	return atomicfile.ReplaceFile(filepath.Join(dir, checkedFile), []byte(databaseState(dir)))
}

// databaseState tells a database from what it was before and after a change; ""
// where there is none, or a part of it is elsewhere.
func databaseState(dir string) string {
	path := filepath.Join(dir, databaseFile)
	info, err := os.Stat(path)
	if err != nil || info.Size() == 0 {
		return ""
	}
	log := int64(0)
	if wal, err := os.Stat(path + "-wal"); err == nil {
		log = wal.Size()
	}
	return fmt.Sprintf("%d bytes, log of %d, changed %d\n", info.Size(), log, info.ModTime().UnixNano())
}

// isDamage reports whether SQLite could not read what it has written.
func isDamage(err error) bool {
	var failure *sqlite.Error
	if !errors.As(err, &failure) {
		return false
	}
	code := failure.Code() & 0xff
	return code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB
}

// openToRead opens a folder's database without changing it, beside a store that
// may have it open.
func openToRead(dir string) (*sql.DB, error) {
	path := filepath.Join(dir, databaseFile)
	switch _, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Stat(dir); err != nil {
			return nil, fmt.Errorf("%s: folder not found", dir)
		}
		return nil, fmt.Errorf("%s is not a data folder; it has no %s", dir, databaseFile)
	case err != nil:
		return nil, fmt.Errorf("%s is not a data folder: %w", dir, err)
	}
	return sql.Open("sqlite", sqliteURI(path, "busy_timeout(10000)"))
}

func queryTexts(ctx context.Context, db *sql.DB, query string, args ...any) (all []string, err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var one string
		if err := rows.Scan(&one); err != nil {
			return all, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

// errSchema is the error for a database with a schema that this program refuses.
var errSchema = errors.New("this version cannot serve the database")

// checkSchema refuses a database that this program would not serve: one of a newer program,
// or from before the first release.
func checkSchema(ctx context.Context, db *sql.DB) error {
	var have int64
	err := db.QueryRowContext(ctx, `SELECT COALESCE(MAX(version_id), 0) FROM goose_db_version`).Scan(&have)
	if err != nil {
		return err
	}
	first, last, err := schemaRange()
	switch {
	case err != nil:
		return err
	case have > last:
		return fmt.Errorf("%w: its schema is %d, this version supports up to %d; use a newer flightdesk",
			errSchema, have, last)
	case have < first:
		return fmt.Errorf("%w: its schema is %d, from before the first release", errSchema, have)
	}
	return nil
}

// schemaRange returns the first and the last schema of this program.
func schemaRange() (first, last int64, err error) {
	entries, err := fs.ReadDir(migrationsOf("sqlite"), ".")
	if err != nil {
		return 0, 0, err
	}
	for i, entry := range entries {
		number, _, _ := strings.Cut(entry.Name(), "_")
		version, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return 0, 0, err
		}
		if i == 0 {
			first = version
		}
		last = version
	}
	return first, last, nil
}

// CheckFolder looks at everything that a data folder keeps, down to each value, and
// returns what is wrong with it in lines. It changes nothing.
func CheckFolder(ctx context.Context, dir string) (faults []string, err error) {
	db, err := openToRead(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	if err := checkSchema(ctx, db); err != nil {
		if errors.Is(err, errSchema) {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
		return endCheck(nil, err)
	}
	faults, err = checkParts(ctx, db, dir)
	if err == nil {
		var values []string
		values, err = damagedValues(ctx, db, dir)
		faults = append(faults, values...)
	}
	return endCheck(faults, err)
}

// CheckBackup returns an error where a backup is not whole: the structure of its
// database, or one of its files. A value that cannot be read does not keep a backup from
// being restored, since the rest may be all that there is.
func CheckBackup(ctx context.Context, dir string) error {
	db, err := openToRead(dir)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	faults, err := endCheck(checkParts(ctx, db, dir))
	if err == nil && len(faults) > 0 {
		err = fmt.Errorf("%w: errors in the backup %s: %d, for example %s; use another backup",
			ErrDamaged, dir, len(faults), faults[0])
	}
	return err
}

// endCheck makes damage that ended a check, where something is not readable at all, the
// last of its faults.
func endCheck(faults []string, err error) ([]string, error) {
	if isDamage(err) {
		return append(faults, "database: "+err.Error()), nil
	}
	return faults, err
}

// checkParts looks whether the database's structure is whole and all files are there.
func checkParts(ctx context.Context, db *sql.DB, dir string) (faults []string, err error) {
	found, err := queryTexts(ctx, db, `PRAGMA integrity_check(100)`)
	for _, line := range found {
		for part := range strings.SplitSeq(line, "\n") {
			if part != "ok" {
				faults = append(faults, "database: "+part)
			}
		}
	}
	if err != nil {
		return faults, err
	}
	missing, err := missingFiles(ctx, db, dir)
	return append(faults, missing...), err
}

// missingFiles lists the files that the database names and the folder lacks.
// Sample files are in no folder.
func missingFiles(ctx context.Context, db *sql.DB, dir string) (faults []string, err error) {
	places, err := queryTexts(ctx, db, `SELECT place || ' ' || size FROM files WHERE place NOT LIKE 'sample-%'`)
	if err != nil {
		return nil, err
	}
	for _, line := range places {
		place, size, _ := strings.Cut(line, " ")
		info, err := os.Stat(filepath.Join(dir, "files", place))
		switch {
		case err != nil:
			faults = append(faults, "file "+place+" is missing")
		case fmt.Sprint(info.Size()) != size:
			faults = append(
				faults,
				fmt.Sprintf("file %s has %d bytes, and should have %s", place, info.Size(), size),
			)
		}
	}
	return faults, nil
}
