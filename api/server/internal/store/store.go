package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"flightdesk/config/atomicfile"
)

// Errors that callers check for.
var (
	ErrNotFound = errors.New("record not found")
	ErrNewer    = errors.New("the database is newer than this program")
	ErrInUse    = errors.New("the data folder is in use")
	ErrFull     = errors.New("the disk is full")
	ErrClosed   = errors.New("the store is closed")
	ErrAway     = errors.New("the database cannot be reached")
	ErrBusy     = errors.New("the database did not respond in time")
	ErrInDoubt  = errors.New("the connection to the database was lost before it confirmed the change")
	ErrText     = errors.New("the database cannot store the character U+0000 in a text")
)

// Store is the database of the service. It is safe for concurrent use.
type Store struct {
	folder dataFolder
	storeReader
	writer *writer
	sender int64 // ID of this process, saved with each callback and notice that it must send; 0 if not shared

	closing sync.Once
	closed  error
	schema  SchemaChange

	Records *RecordReader // orders for the v2 API
}

// Schema returns how opening the store changed the schema.
func (s *Store) Schema() SchemaChange { return s.schema }

// OldestSchema returns the oldest schema version that is still compatible: programs with this
// version or a newer one can use the database.
func (s *Store) OldestSchema(ctx context.Context) (string, error) {
	if !s.engine.isShared() {
		return strconv.FormatInt(s.schema.To, 10), nil
	}
	return Setting(ctx, s, "schema.oldest")
}

// storeReader runs the queries outside of writes.
type storeReader struct {
	engine  databaseEngine
	readers *sql.DB
	queries statementCache // for readers
	reads   readStats
	keys    keyCache
	formats map[string]func(Order) (string, error) // see [Store.ListAs], by column
	damaged atomic.Bool                            // a query found damage
}

// dataFolder is the folder of the embedded database.
type dataFolder struct {
	dir       string                 // "" for a shared database
	temporary *atomicfile.TempFolder // nil unless the folder is removed on close
	lock      *atomicfile.Lock
}

// transactionStart is what an engine reads from the database when a transaction begins.
type transactionStart struct {
	newest    time.Time        // creation time of the newest order; zero if no other process places orders
	sequences map[string]int64 // the last number of each sequence; nil if they are not read yet
}

// databaseEngine implements what differs between SQLite and PostgreSQL. Both run the same queries.
type databaseEngine interface {
	// translate returns a query in the SQL dialect of the engine.
	translate(query string) string
	// checkArgs returns an error if the database cannot store the arguments.
	checkArgs(query string, args []any) error
	// insertSize returns how many of the remaining rows the next INSERT inserts.
	insertSize(rows int) int
	// begin begins a transaction and waits until no other process writes. txNumber identifies
	// the transaction among the transactions of this process.
	begin(ctx context.Context, conn *sql.Conn, txNumber int64) (transactionStart, error)
	// commit saves the last number of each sequence that the transaction used, commits,
	// and returns when everything is on disk.
	commit(tx *Tx) error
	// isShared reports whether other processes can change the database.
	isShared() bool
	// isCommitted reports whether the transaction with the number was committed. It returns
	// ErrInDoubt if that is no longer known.
	isCommitted(ctx context.Context, conn *sql.Conn, txNumber int64) (bool, error)
	// snapshot returns the options of read-only transactions that see one state.
	snapshot() *sql.TxOptions
	// queryTimeout limits every operation; 0 means no limit.
	queryTimeout() time.Duration
	// close stops the background work of the engine.
	close()
}

// Open opens the store in the folder dir, and creates and locks the folder. If dir is "",
// the store is in a temporary folder that Close removes.
func Open(ctx context.Context, dir string) (*Store, error) {
	s := newStore(sqliteEngine{})
	s.folder.dir = dir
	if err := s.folder.openFolder(); err != nil {
		return nil, err
	}
	database, err := s.folder.openDatabase(ctx)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("data folder %s: %w", s.folder.dir, err), s.folder.closeFolder())
	}
	s.schema = database.schema
	s.usePools(database.writer, database.readers)
	if err := s.writer.start(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("data folder %s: %w", s.folder.dir, err), s.Close())
	}
	return s, nil
}

// usePools sets the connection pools of the writer and of the readers.
func (s *Store) usePools(writer, readers *sql.DB) {
	s.writer.pool = writer
	s.readers = readers
	s.queries = statementCache{db: readers, engine: s.engine}
}

func newStore(e databaseEngine) *Store {
	s := &Store{storeReader: storeReader{engine: e}}
	s.writer = newWriter(s)
	s.Records = newRecordReader(&s.storeReader)
	return s
}

// lockName is the lock file of a data folder.
const lockName = "lock"

// openFolder creates and locks the folder. If f.dir is "", it creates a temporary folder, which
// needs no lock.
func (f *dataFolder) openFolder() error {
	if f.dir == "" {
		return f.openTemporary()
	}
	dir, err := filepath.Abs(f.dir)
	if err != nil {
		return err
	}
	f.dir = dir
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return fmt.Errorf("data folder %s: %w", f.dir, err)
	}
	f.lock, err = atomicfile.TryLock(filepath.Join(f.dir, lockName))
	var held *atomicfile.HeldError
	if errors.As(err, &held) {
		return fmt.Errorf("%w: another flightdesk uses %s; stop it or use another folder", ErrInUse, f.dir)
	}
	if err != nil {
		return fmt.Errorf("data folder %s: %w", f.dir, err)
	}
	return nil
}

// openTemporary creates a temporary folder.
func (f *dataFolder) openTemporary() error {
	temporary, err := atomicfile.NewTempFolder("")
	if err != nil {
		return err
	}
	f.temporary = temporary
	f.dir = temporary.Path
	return nil
}

// closeFolder unlocks the folder, or removes a temporary one.
func (f *dataFolder) closeFolder() error {
	if f.temporary != nil {
		return f.temporary.Remove()
	}
	return f.lock.Unlock()
}

// Close waits for the jobs that have begun and closes the database. After that, the other
// methods return ErrClosed.
func (s *Store) Close() error {
	s.closing.Do(func() {
		close(s.writer.stop)
		<-s.writer.stopped
		s.engine.close()
		s.closed = errors.Join(s.queries.closeAll(), s.readers.Close(), s.writer.pool.Close())
		if s.folder.dir == "" {
			return
		}
		if s.closed == nil && s.folder.temporary == nil && !s.damaged.Load() {
			s.closed = saveChecked(s.folder.dir)
		}
		s.closed = errors.Join(s.closed, s.folder.closeFolder())
	})
	return s.closed
}

// mapError converts an error of the database driver to an error of this package that callers check
// for, such as ErrNotFound or ErrBusy. It returns other errors unchanged.
func mapError(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNotFound
	}
	// database/sql has no error values for the two texts.
	text := err.Error()
	if errors.Is(err, sql.ErrConnDone) || text == "sql: database is closed" || text == "sql: statement is closed" {
		return ErrClosed
	}
	sentinel := mapSQLiteError(err)
	if sentinel == nil {
		sentinel = mapPostgresError(err)
	}
	if sentinel == nil && errors.Is(err, context.DeadlineExceeded) {
		sentinel = ErrBusy
	}
	if sentinel == nil || errors.Is(err, sentinel) {
		return err
	}
	return fmt.Errorf("%w: %w", sentinel, err)
}
