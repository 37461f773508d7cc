package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
)

// Snapshots are copies of the embedded database in a subfolder. The files that they refer
// to stay in the file store.
const (
	snapshotFolder = "snapshots"
	snapshotEnding = ".db"
)

// Snapshot is a saved state of the whole database.
type Snapshot struct {
	Name  string
	Taken time.Time // by the machine's clock
	Bytes int64
}

func (f *dataFolder) snapshotPath(name string) string {
	return filepath.Join(f.dir, snapshotFolder, name+snapshotEnding)
}

// ErrNoSnapshots is returned by [Store.TakeSnapshot] if the database is shared.
var ErrNoSnapshots = errors.New("a shared database has no snapshots")

// TakeSnapshot saves the current state of the database under a name, which must be a
// plain file name. It replaces an earlier snapshot with the same name. It returns
// ErrNoSnapshots for a shared database.
func (s *Store) TakeSnapshot(ctx context.Context, name string) (Snapshot, error) {
	if s.folder.dir == "" {
		return Snapshot{}, ErrNoSnapshots
	}
	path := s.folder.snapshotPath(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return Snapshot{}, fmt.Errorf("snapshot %s: %w", name, err)
	}
	db, err := openToRead(s.folder.dir)
	if err != nil {
		return Snapshot{}, err
	}
	defer func() { _ = db.Close() }()
	if err := vacuumAndRename(ctx, db, path); err != nil {
		return Snapshot{}, fmt.Errorf("snapshot %s: %w", name, err)
	}
	return s.folder.readSnapshot(name)
}

// vacuumAndRename copies a database to the file at path. It replaces an existing file only
// when the copy is complete.
func vacuumAndRename(ctx context.Context, db *sql.DB, path string) error {
	temporary := path + ".new-" + strconv.FormatInt(time.Now().UnixNano(), 36)
	if err := vacuumInto(ctx, db, temporary); err != nil {
		return errors.Join(err, os.RemoveAll(temporary))
	}
	if err := os.Rename(temporary, path); err != nil {
		return errors.Join(err, os.RemoveAll(temporary))
	}
	return nil
}

// readSnapshot returns the name, time and size of a snapshot, or ErrNotFound.
func (f *dataFolder) readSnapshot(name string) (Snapshot, error) {
	if f.dir == "" {
		return Snapshot{}, ErrNotFound
	}
	info, err := os.Stat(f.snapshotPath(name))
	if errors.Is(err, fs.ErrNotExist) {
		return Snapshot{}, ErrNotFound
	}
	if err != nil {
		return Snapshot{}, err
	}
	return Snapshot{
		Name:  name,
		Taken: info.ModTime(),
		Bytes: info.Size(),
	}, nil
}

// Snapshots returns the snapshots, newest first. A shared database has none.
func (s *Store) Snapshots() ([]Snapshot, error) { return s.folder.listSnapshots() }

// listSnapshots returns the name, time and size of all snapshots, newest first.
func (f *dataFolder) listSnapshots() ([]Snapshot, error) {
	if f.dir == "" {
		return nil, nil
	}
	paths, err := filepath.Glob(f.snapshotPath("*"))
	if err != nil {
		return nil, err
	}
	var all []Snapshot
	for _, path := range paths {
		snapshot, err := f.readSnapshot(strings.TrimSuffix(filepath.Base(path), snapshotEnding))
		if err != nil {
			return nil, err
		}
		all = append(all, snapshot)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Taken.After(all[j].Taken) })
	return all, nil
}

// openSnapshot opens a snapshot for reading.
func (f *dataFolder) openSnapshot(name string) (*sql.DB, error) {
	if _, err := f.readSnapshot(name); err != nil {
		return nil, err
	}
	return sql.Open("sqlite", sqliteURI(f.snapshotPath(name), "query_only(true)"))
}

// unrestoredTables are the tables that restoring a snapshot does not change.
var unrestoredTables = []string{"operators", "audit", "invitations", "requests"}

// RestoreSnapshot restores the state of a snapshot, in one transaction. Callbacks that
// were pending in that state are not sent.
func (s *Store) RestoreSnapshot(ctx context.Context, name string) (Snapshot, error) {
	from, err := s.folder.openSnapshot(name)
	if err != nil {
		return Snapshot{}, err
	}
	defer func() { _ = from.Close() }()
	err = s.WriteMuch(ctx, func(tx *Tx) error { return tx.restoreFrom(ctx, from) })
	s.Records.rankings.removeAll()
	if err != nil {
		return Snapshot{}, fmt.Errorf("snapshot %s: %w", name, err)
	}
	return s.folder.readSnapshot(name)
}

// restoreFrom replaces the rows of all restored tables with the rows of a snapshot.
func (tx *Tx) restoreFrom(ctx context.Context, from *sql.DB) error {
	for _, table := range slices.Concat(clearedTables, []string{"api_keys", "accounts", "settings"}) {
		if err := tx.execute(`DELETE FROM ` + table + ` WHERE ` + copyCondition(table)); err != nil {
			return err
		}
	}
	for _, table := range copiedTables {
		if slices.Contains(unrestoredTables, table) {
			continue
		}
		columns, err := queryTexts(ctx, from, `SELECT name FROM pragma_table_info('`+table+`')`)
		if err != nil {
			return fmt.Errorf("%s: %w", table, err)
		}
		if err := tx.copyTable(from, table, columns); err != nil {
			return fmt.Errorf("%s: %w", table, err)
		}
	}
	if err := tx.StopDeliveries(); err != nil {
		return err
	}
	return tx.s.writer.loadStamp(ctx)
}

// rowSource is a database or a transaction that rows are copied from.
type rowSource interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// copyTable adds the rows of a table of another database.
func (tx *Tx) copyTable(from rowSource, table string, columns []string) error {
	query := `SELECT ` + strings.Join(columns, ", ") + ` FROM ` + table + ` WHERE ` + copyCondition(table)
	rows, err := from.QueryContext(tx.ctx, query)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	var batch [][]any
	for rows.Next() {
		row, err := scanAny(rows, len(columns))
		if err != nil {
			return err
		}
		batch = append(batch, row)
		if len(batch) < copyBatchSize {
			continue
		}
		if err := tx.insertRows(table, columns, batch); err != nil {
			return err
		}
		batch = batch[:0]
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return tx.insertRows(table, columns, batch)
}

// snapshotPlaces returns the keys in the file store of all files that snapshots refer to.
func (f *dataFolder) snapshotPlaces(ctx context.Context) (map[string]bool, error) {
	all, err := f.listSnapshots()
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, nil
	}
	places := map[string]bool{}
	for _, snapshot := range all {
		db, err := f.openSnapshot(snapshot.Name)
		if err != nil {
			return nil, err
		}
		placesOfSnapshot, err := queryTexts(ctx, db, `SELECT place FROM files`)
		err = errors.Join(err, db.Close())
		if err != nil {
			return nil, fmt.Errorf("snapshot %s: %w", snapshot.Name, err)
		}
		for _, place := range placesOfSnapshot {
			places[place] = true
		}
	}
	return places, nil
}
