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

// Snapshots are copies of the embedded database beside it, by their names. The
// files that they name stay in the file store.
const (
	snapshotFolder = "snapshots"
	snapshotEnding = ".db"
)

// Snapshot is a kept state of everything in the database.
type Snapshot struct {
	Name  string
	Taken time.Time // by the machine's clock
	Bytes int64
}

func (f *dataFolder) snapshotPath(name string) string {
	return filepath.Join(f.dir, snapshotFolder, name+snapshotEnding)
}

// ErrNoSnapshots tells that a database which others share is not copied.
var ErrNoSnapshots = errors.New("a shared database has no snapshots")

// TakeSnapshot keeps the database as it stands under a name, which is a plain
// file name, in place of an earlier snapshot of that name. ErrNoSnapshots is that
// of a database that others share.
func (s *Store) TakeSnapshot(ctx context.Context, name string) (Snapshot, error) {
	if s.dir == "" {
		return Snapshot{}, ErrNoSnapshots
	}
	path := s.snapshotPath(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return Snapshot{}, fmt.Errorf("snapshot %s: %w", name, err)
	}
	db, err := openToRead(s.dir)
	if err != nil {
		return Snapshot{}, err
	}
	defer func() { _ = db.Close() }()
	fresh := path + ".new-" + strconv.FormatInt(time.Now().UnixNano(), 36)
	err = vacuumInto(ctx, db, fresh)
	if err == nil {
		err = os.Rename(fresh, path)
	}
	if err != nil {
		return Snapshot{}, fmt.Errorf("snapshot %s: %w", name, errors.Join(err, os.RemoveAll(fresh)))
	}
	return s.readSnapshot(name)
}

func (s *Store) readSnapshot(name string) (Snapshot, error) {
	if s.dir == "" {
		return Snapshot{}, ErrNotFound
	}
	info, err := os.Stat(s.snapshotPath(name))
	if errors.Is(err, fs.ErrNotExist) {
		return Snapshot{}, ErrNotFound
	}
	if err != nil {
		return Snapshot{}, err
	}
	return Snapshot{name, info.ModTime(), info.Size()}, nil
}

// Snapshots returns what is kept, the newest first. A database that others share
// has none.
func (s *Store) Snapshots() ([]Snapshot, error) {
	if s.dir == "" {
		return nil, nil
	}
	paths, err := filepath.Glob(s.snapshotPath("*"))
	if err != nil {
		return nil, err
	}
	var all []Snapshot
	for _, path := range paths {
		one, err := s.readSnapshot(strings.TrimSuffix(filepath.Base(path), snapshotEnding))
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Taken.After(all[j].Taken) })
	return all, nil
}

// openSnapshot opens one to be read.
func (s *Store) openSnapshot(name string) (*sql.DB, error) {
	if _, err := s.readSnapshot(name); err != nil {
		return nil, err
	}
	return sql.Open("sqlite", sqliteURI(s.snapshotPath(name), "query_only(true)"))
}

// outliving are the tables that a snapshot does not take back.
var outliving = []string{"operators", "audit", "invitations", "requests"}

// RestoreSnapshot puts everything back as it was when a snapshot was taken, all
// of it or nothing. Callbacks that were pending then are not sent.
func (s *Store) RestoreSnapshot(ctx context.Context, name string) (Snapshot, error) {
	from, err := s.openSnapshot(name)
	if err != nil {
		return Snapshot{}, err
	}
	defer func() { _ = from.Close() }()
	err = s.WriteMuch(ctx, func(tx *Tx) error {
		for _, table := range slices.Concat(cleared, []string{"api_keys", "accounts", "settings"}) {
			if err := tx.execute(`DELETE FROM ` + table + ` WHERE ` + copyQuery(table)); err != nil {
				return err
			}
		}
		for _, table := range copied {
			if slices.Contains(outliving, table) {
				continue
			}
			columns, err := queryTexts(ctx, from, `SELECT name FROM pragma_table_info('`+table+`')`)
			if err == nil {
				err = tx.copyTable(from, table, columns)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", table, err)
			}
		}
		if err := tx.StopDeliveries(); err != nil {
			return err
		}
		return tx.s.loadStamp(ctx, tx.conn)
	})
	s.marks.forgetAll()
	if err != nil {
		return Snapshot{}, fmt.Errorf("snapshot %s: %w", name, err)
	}
	return s.readSnapshot(name)
}

// rowSource is a database or a transaction that rows are copied from.
type rowSource interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// copyTable adds the rows of a table of another database.
func (tx *Tx) copyTable(from rowSource, table string, columns []string) error {
	rows, err := from.QueryContext(tx.ctx,
		`SELECT 0, `+strings.Join(columns, ", ")+` FROM `+table+` WHERE `+copyQuery(table))
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	var some [][]any
	for rows.Next() {
		row, err := scanAny(rows, len(columns)+1)
		if err != nil {
			return err
		}
		some = append(some, row)
		if len(some) == copyAtOnce {
			if err := tx.insertRows(table, columns, some); err != nil {
				return err
			}
			some = some[:0]
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return tx.insertRows(table, columns, some)
}

// snapshotPlaces returns the places of the files that snapshots name.
func (s *Store) snapshotPlaces(ctx context.Context) (map[string]bool, error) {
	all, err := s.Snapshots()
	if err != nil || len(all) == 0 {
		return nil, err
	}
	places := map[string]bool{}
	for _, one := range all {
		db, err := s.openSnapshot(one.Name)
		if err != nil {
			return nil, err
		}
		named, err := queryTexts(ctx, db, `SELECT place FROM files`)
		if err = errors.Join(err, db.Close()); err != nil {
			return nil, fmt.Errorf("snapshot %s: %w", one.Name, err)
		}
		for _, place := range named {
			places[place] = true
		}
	}
	return places, nil
}
