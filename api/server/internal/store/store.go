package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"flightdesk/config/atomicfile"
)

// Errors that callers tell apart.
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

// Store keeps everything in one database. It is safe for concurrent use.
type Store struct {
	dataFolder
	storeReader
	writer *sql.DB
	sender int64 // who sends what is made pending here; 0 where this process alone does

	jobs    chan writeJob
	stop    chan struct{} // closed by Close
	stopped chan struct{} // closed when the writer has ended
	closing sync.Once
	closed  error
	last    time.Time // newest creation stamp; the writer's own
	tally   writerTally
	schema  SchemaChange
}

// Schema returns what opening has done to the schema.
func (s *Store) Schema() SchemaChange { return s.schema }

// OldestSchema returns the schema of the oldest programs that can start with the database.
func (s *Store) OldestSchema(ctx context.Context) (string, error) {
	if !s.engine.isShared() {
		return strconv.FormatInt(s.schema.To, 10), nil
	}
	return Setting(ctx, s, "schema.oldest")
}

// storeReader reads outside of writes: it has the queries of everything that is kept.
type storeReader struct {
	engine  databaseEngine
	readers *sql.DB
	queries statementCache // of readers
	reads   readStats
	marks   rankingCache
	keys    keyCache
	long    chan struct{}                          // has an element for each long reading under way
	forms   map[string]func(Order) (string, error) // see [Store.ListAs]; by column
	damaged atomic.Bool                            // something could not be read
}

// dataFolder is where the embedded database is.
type dataFolder struct {
	dir       string                 // "": there is no folder
	temporary *atomicfile.TempFolder // nil: the folder outlives the process
	lock      *atomicfile.Lock
}

// transactionStart is what an engine learns of the database as a transaction begins.
type transactionStart struct {
	newest    time.Time        // the newest creation stamp; zero if only this process sets stamps
	sequences map[string]int64 // the last number of each sequence; nil if they are not read yet
}

// databaseEngine is what the databases differ in; the queries are one text for all.
type databaseEngine interface {
	// text returns a query as the database takes it.
	text(query string) string
	// fits returns an error where the database takes no such arguments.
	fits(query string, args []any) error
	// begin begins a transaction beside which nobody else writes. The mark tells the
	// transaction from this process's others.
	begin(ctx context.Context, conn *sql.Conn, mark int64) (transactionStart, error)
	// commit saves the last number of each sequence that was taken from, commits, and
	// returns once everything is on disk.
	commit(tx *Tx) error
	// isShared reports whether other processes may change the database.
	isShared() bool
	// isKept reports whether the last transaction that was kept has the mark,
	// ErrInDoubt where that is not known any more.
	isKept(ctx context.Context, conn *sql.Conn, mark int64) (bool, error)
	// snapshot is how transactions are begun that only read, all of one state.
	snapshot() *sql.TxOptions
	// patience is how long anything may take, 0 for any time.
	patience() time.Duration
	// close ends what is beside the connections.
	close()
}

// Open opens the store in the folder dir, which it makes and locks. Without a
// folder everything lives in a temporary one that Close removes.
func Open(ctx context.Context, dir string) (*Store, error) {
	s := newStore(sqliteEngine{})
	s.dir = dir
	if err := s.takeFolder(); err != nil {
		return nil, err
	}
	synchronous, cache := "FULL", 1024 // KiB of each connection: the system has the file in memory, too
	if s.temporary != nil {
		synchronous, cache = "OFF", 512 // what does not outlive the process needs no disk
	}
	if s.temporary == nil {
		if err := checkAtStart(ctx, s.dir); err != nil {
			return nil, errors.Join(fmt.Errorf("data folder %s: %w", s.dir, err), s.lock.Unlock())
		}
	}
	var err error
	s.writer, s.readers, err = s.openSQLite(ctx, synchronous, cache)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("data folder %s: %w", s.dir, err), s.leaveFolder())
	}
	if s.temporary != nil {
		s.readers.SetMaxOpenConns(max(2, runtime.GOMAXPROCS(0))) // they never wait for a disk
	}
	s.queries = statementCache{db: s.readers, engine: s.engine}
	if err := s.startWriter(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("data folder %s: %w", s.dir, err), s.Close())
	}
	return s, nil
}

func newStore(e databaseEngine) *Store {
	return &Store{
		storeReader: storeReader{engine: e, long: make(chan struct{}, maxLong())},
		jobs:        make(chan writeJob),
		stop:        make(chan struct{}),
		stopped:     make(chan struct{}),
	}
}

// lockName is the file that locks a data folder.
const lockName = "lock"

func (f *dataFolder) takeFolder() error {
	var err error
	if f.dir == "" {
		f.temporary, err = atomicfile.NewTempFolder("")
		if err == nil {
			f.dir = f.temporary.Path
		}
		return err
	}
	f.dir, err = filepath.Abs(f.dir)
	if err != nil {
		return err
	}
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

func (f *dataFolder) leaveFolder() error {
	if f.temporary != nil {
		return f.temporary.Remove()
	}
	return f.lock.Unlock()
}

// Close waits for the jobs that were taken, then closes the database. Later
// calls answer ErrClosed.
func (s *Store) Close() error {
	s.closing.Do(func() {
		close(s.stop)
		<-s.stopped
		s.engine.close()
		s.closed = errors.Join(s.queries.closeAll(), s.readers.Close(), s.writer.Close())
		if s.dir == "" {
			return
		}
		if s.closed == nil && s.temporary == nil && !s.damaged.Load() {
			s.closed = noteChecked(s.dir)
		}
		s.closed = errors.Join(s.closed, s.leaveFolder())
	})
	return s.closed
}

// statementCache keeps a statement a query, each prepared when first used.
type statementCache struct {
	db     *sql.DB
	engine databaseEngine
	mu     sync.RWMutex
	stmts  map[string]*sql.Stmt
}

// readyStatement returns a query's statement if there is one.
func (p *statementCache) readyStatement(query string) *sql.Stmt {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.stmts[query]
}

// getStatement needs a connection of its own for a query that is new, so nobody who has
// one may call it. For the same reason nothing is locked meanwhile.
func (p *statementCache) getStatement(ctx context.Context, query string) (*sql.Stmt, error) {
	if stmt := p.readyStatement(query); stmt != nil {
		return stmt, nil
	}
	stmt, err := p.db.PrepareContext(ctx, p.engine.text(query))
	if err != nil {
		return nil, mapError(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if earlier := p.stmts[query]; earlier != nil { // another was faster
		return earlier, stmt.Close() //nolint:sqlclosecheck // the other one is kept
	}
	if p.stmts == nil {
		p.stmts = map[string]*sql.Stmt{}
	}
	p.stmts[query] = stmt
	return stmt, nil
}

func (p *statementCache) closeAll() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var err error
	for _, stmt := range p.stmts {
		err = errors.Join(err, stmt.Close())
	}
	p.stmts = nil
	return err
}

// cleared are the tables that a reset empties, those that others refer to
// last. What is in none of the two lists must not be: a test looks.
var cleared = []string{
	"callback_attempts",
	"webhook_deliveries",
	"webhooks",
	"planning",
	"flight_permissions",
	"dataset_files",
	"datasets",
	"files",
	"packages",
	"missions",
	"quotes",
	"notices",
	"order_details",
	"order_notifications",
	"idempotency",
	"orders",
	"key_requests",
}

// retained are the tables that a reset leaves as they are. Sequences only begin
// anew.
var retained = []string{"accounts", "api_keys", "settings", "sequences", "processes", "operators", "audit", "invitations", "requests"}

// Clear drops everything but accounts and keys. Sequences give the numbers
// again that they gave first; ids are not given twice.
func (tx *Tx) Clear() error {
	for _, table := range cleared {
		if err := tx.execute(`DELETE FROM ` + table); err != nil {
			return err
		}
	}
	tx.taken = nil
	tx.sequences = nil
	return tx.execute(`UPDATE sequences SET last = first`)
}

func scanID(rows *sql.Rows, id *int64) error { return rows.Scan(id) }

// FilePlaces returns the places of all files in the file store.
func (tx *Tx) FilePlaces() ([]string, error) {
	return collectRows(tx.ctx, tx, scanText, `SELECT place FROM files`)
}

// WebhookIDs returns the IDs of all endpoints.
func (tx *Tx) WebhookIDs() ([]int64, error) {
	return collectRows(tx.ctx, tx, scanID, `SELECT id FROM webhooks`)
}

// mapError gives the errors that callers tell apart their names.
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
	name := nameSQLite(err)
	if name == nil {
		name = namePostgres(err)
	}
	if name == nil && errors.Is(err, context.DeadlineExceeded) {
		name = ErrBusy
	}
	if name == nil || errors.Is(err, name) {
		return err
	}
	return fmt.Errorf("%w: %w", name, err)
}

// SetFileDigest keeps the digest of a file that was listed without one.
func (tx *Tx) SetFileDigest(id int64, sha256 string) error {
	return tx.execute(`UPDATE files SET sha256 = $1 WHERE id = $2`, sha256, id)
}

// MovedSince returns the orders at work that were placed or moved since a moment,
// those moved last first, and the uuid of the first one placed since then.
func (r *storeReader) MovedSince(
	ctx context.Context, since time.Time, limit int,
) (orders []Order, first string, err error) {
	err = r.viewSnapshot(ctx, func(q querier) (err error) {
		orders, err = findRows(ctx, q, orderTable, `WHERE updated >= $1 AND status IN
			('biddingWithQuote', 'pendingOperator', 'operatorAssigned', 'flyingDateSet', 'completed')
			ORDER BY updated DESC, id DESC LIMIT $2 + 0`, since.UnixMilli(), limit)
		if err != nil {
			return err
		}
		first, err = singleRow(ctx, q, scanText,
			`SELECT uuid FROM orders WHERE created >= $1 ORDER BY created, id LIMIT 1`, since.UnixMilli())
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		return err
	})
	return orders, first, err
}

const settingOf = `SELECT value FROM settings WHERE name = $1`

func scanText(rows *sql.Rows, text *string) error { return rows.Scan(text) }

// Setting returns the value of a setting, "" where it is not set.
func Setting(ctx context.Context, from querier, name string) (string, error) {
	text, err := singleRow(ctx, from, scanText, settingOf, name)
	if errors.Is(err, ErrNotFound) {
		return "", nil
	}
	return text, err
}

// SetSetting keeps a value under a name in place of what was there.
func (tx *Tx) SetSetting(name, value string) error {
	return tx.execute(`INSERT INTO settings (name, value) VALUES ($1, $2)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`, name, value)
}

// DropSetting drops what is kept under a name.
func (tx *Tx) DropSetting(name string) error {
	return tx.execute(`DELETE FROM settings WHERE name = $1`, name)
}

// WriterStats counts what the writer has done since the store was opened.
type WriterStats struct {
	Kept         uint64 // writes that are on disk
	Undone       uint64 // writes that ended with an error
	Transactions uint64 // that the writes shared
	InDoubt      uint64 // transactions of them that were not confirmed at once
}

// writerTally is a Stats that is counted while others read it.
type writerTally struct{ kept, undone, transactions, inDoubt atomic.Uint64 }

// Stats returns what the writer has done so far.
func (s *Store) Stats() WriterStats {
	return WriterStats{
		s.tally.kept.Load(),
		s.tally.undone.Load(),
		s.tally.transactions.Load(),
		s.tally.inDoubt.Load(),
	}
}

// countOutcome adds a transaction with the outcomes of its writes.
func (t *writerTally) countOutcome(outcome []error) {
	undone := uint64(0)
	for _, err := range outcome {
		if err != nil {
			undone++
		}
	}
	t.undone.Add(undone)
	t.kept.Add(uint64(len(outcome)) - undone)
	t.transactions.Add(1)
}

// PoolStats is how the connections to a shared database are used.
type PoolStats struct {
	Open, InUse, Max int
	Waits            int64
	Waited           time.Duration
	Queries          int64         // outside of writes
	Queried          time.Duration // by them
	ClockAhead       time.Duration // of this machine, of the database's
}

// readStats counts queries and their time.
type readStats struct{ queries, nanoseconds atomic.Int64 }

func (r *readStats) addRead(began time.Time) {
	r.queries.Add(1)
	r.nanoseconds.Add(int64(time.Since(began)))
}

// Pool returns how the connections are used, false for the embedded database.
func (s *Store) Pool() (p PoolStats, shared bool) {
	engine, shared := s.engine.(*postgresEngine)
	if !shared {
		return p, false
	}
	readers := s.readers.Stats()
	writer := s.writer.Stats()
	return PoolStats{
		Open:    readers.OpenConnections + writer.OpenConnections,
		InUse:   readers.InUse + writer.InUse,
		Max:     readers.MaxOpenConnections + writer.MaxOpenConnections,
		Waits:   readers.WaitCount,
		Waited:  readers.WaitDuration,
		Queries: s.reads.queries.Load(),
		Queried: time.Duration(s.reads.nanoseconds.Load()),

		ClockAhead: engine.presence.clockAhead(),
	}, true
}
