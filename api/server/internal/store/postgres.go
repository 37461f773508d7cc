package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// Keys of advisory locks, which hold in one database.
const (
	writersLock   = 0x666c6967687401 // held by a transaction that writes
	migrationLock = 0x666c6967687402 // held by who brings the schema up to date
)

// Limits of what one caller waits for.
const (
	postgresPatience = 10 * time.Second // for a connection, a turn to write, or an answer
	connectTimeout   = 3 * time.Second
)

// postgresEngine is a PostgreSQL database that other processes may use, too. The
// writers of all take turns: what a job has read nobody changes before it is
// kept, so there is nothing to repeat because of others, and creation stamps
// rise over all processes.
type postgresEngine struct {
	id       int64 // of this process
	presence *processPresence
	keyFile  string
	waits    time.Duration // the patience
}

// SharedDatabase says which database processes share.
type SharedDatabase struct {
	URL          string                 // as postgres://user@host:5432/name; PGPASSWORD and the like fill in what it leaves out
	Password     string                 // unless the URL or the environment has it
	ReadPassword func() (string, error) `json:"-"` // reads the password for each new connection; nil uses Password
	Connections  int                    // how many this process may have open; 0 is 16
	Name         string                 // of this process
	KeyFile      string                 // holds the key of the secrets, the same for all processes; "": the database has it
}

const (
	defaultConnections = 16
	minConnections     = 2 // one of them writes
)

// OpenShared opens a PostgreSQL database, and brings its schema up to date.
func OpenShared(ctx context.Context, shared SharedDatabase) (*Store, error) {
	config, err := shared.connConfig()
	if err != nil {
		return nil, err
	}
	place := net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port)))
	fail := func(err error) (*Store, error) {
		return nil, fmt.Errorf("database %s at %s: %w", config.Database, place,
			mapError(adviseError(err, config)))
	}
	schema, err := migratePostgres(ctx, *config, migrationsOf("postgres"))
	if err != nil {
		return fail(err)
	}
	engine := &postgresEngine{
		id:      rand.Int64N(1<<62) + 1,
		keyFile: shared.KeyFile,
		waits:   postgresPatience,
	}
	s := newStore(engine)
	s.sender = engine.id
	s.schema = schema
	connections := shared.Connections
	if connections == 0 {
		connections = defaultConnections
	}
	s.writer = stdlib.OpenDB(*config, stdlib.OptionBeforeConnect(shared.addPassword))
	s.readers = stdlib.OpenDB(*config, stdlib.OptionBeforeConnect(shared.addPassword))
	s.writer.SetMaxOpenConns(1)
	s.readers.SetMaxOpenConns(max(minConnections, connections) - 1)
	s.readers.SetMaxIdleConns(max(minConnections, connections) - 1)
	s.queries = statementCache{db: s.readers, engine: s.engine}
	if err := s.startWriter(ctx); err != nil {
		return fail(errors.Join(err, s.Close()))
	}
	engine.presence, err = s.startPresence(ctx, shared.Name)
	if err != nil {
		return fail(errors.Join(err, s.Close()))
	}
	return s, nil
}

// Place returns which database it is and where, without secrets; "" without a URL.
func (shared SharedDatabase) Place() string {
	config, err := pgx.ParseConfig(shared.URL)
	if shared.URL == "" || err != nil {
		return ""
	}
	return config.Database + " at " + net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port)))
}

// addPassword sets the password of a new connection to the current one, so that it can be
// changed while the service runs. If it cannot be read, the earlier one is tried.
func (shared SharedDatabase) addPassword(_ context.Context, config *pgx.ConnConfig) error {
	if shared.ReadPassword == nil {
		return nil
	}
	password, err := shared.ReadPassword()
	if err == nil {
		config.Password = password
	}
	return nil
}

// connConfig returns how to connect. Its errors do not have the password.
func (shared SharedDatabase) connConfig() (*pgx.ConnConfig, error) {
	if !strings.HasPrefix(shared.URL, "postgres://") && !strings.HasPrefix(shared.URL, "postgresql://") {
		return nil, errors.New("not a valid database address; use one such as postgres://user@host:5432/name")
	}
	config, err := pgx.ParseConfig(shared.URL)
	if err != nil {
		return nil, errors.New(
			"not a valid database address, or an unknown option in it; use one such as postgres://user@host:5432/name",
		)
	}
	if shared.Password != "" {
		config.Password = shared.Password
	}
	if shared.Connections != 0 && shared.Connections < minConnections {
		return nil, fmt.Errorf("at least %d database connections are needed, not %d",
			minConnections, shared.Connections)
	}
	if config.ConnectTimeout == 0 || config.ConnectTimeout > time.Minute { // the library's own is 2 minutes
		config.ConnectTimeout = connectTimeout
	}
	for name, value := range map[string]string{
		"application_name":  strings.TrimSpace("flightdesk " + shared.Name),
		"statement_timeout": milliseconds(postgresPatience), "lock_timeout": milliseconds(postgresPatience / 2),
		"idle_in_transaction_session_timeout": milliseconds(postgresPatience),
	} {
		if _, set := config.RuntimeParams[name]; !set {
			config.RuntimeParams[name] = value
		}
	}
	return config, nil
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// adviseError says what to do about a database that cannot be used.
func adviseError(err error, config *pgx.ConnConfig) error {
	var refusal *pgconn.PgError
	if !errors.As(err, &refusal) {
		var failed *pgconn.ConnectError
		if errors.As(err, &failed) {
			return fmt.Errorf(
				"%w: %w; check that it is running and accepts connections from this machine",
				ErrAway,
				lastLine(failed.Unwrap()),
			)
		}
		return err
	}
	switch refusal.Code {
	case "57P03":
		return fmt.Errorf("%w: %s", ErrAway, refusal.Message)
	case "08P01":
		if strings.Contains(refusal.Message, "startup parameter") {
			return errPooler
		}
	case "28P01", "28000":
		return fmt.Errorf("user %s rejected: %s; give the password in PGPASSWORD or a file",
			config.User, refusal.Message)
	case "3D000":
		return fmt.Errorf("database not found; create it with createdb %s", config.Database)
	case "42501":
		return fmt.Errorf(
			"user %s cannot create or change its tables: %s; make the user its owner",
			config.User,
			refusal.Message,
		)
	}
	return err
}

// lastLine returns the last of the reasons why none of a host's addresses answered.
func lastLine(err error) error {
	lines := strings.Split(strings.TrimSpace(err.Error()), "\n")
	return errors.New(strings.TrimSpace(lines[len(lines)-1]))
}

var bound = regexp.MustCompile(`(\$\d+) \+ 0\b`)

// text writes what only SQLite knows as PostgreSQL does: the members of a JSON
// list of numbers, and bounds of pages, whose sums would be of 32 bits.
func (*postgresEngine) text(query string) string {
	query = bound.ReplaceAllString(query, "$1::bigint")
	return strings.ReplaceAll(query, `IN (SELECT value FROM json_each($1))`,
		`= ANY (translate($1, '[]', '{}')::bigint[])`)
}

// fits refuses texts that PostgreSQL cannot keep: one with U+0000, or not in
// UTF-8. There is no record that has one.
func (*postgresEngine) fits(query string, args []any) error {
	for _, arg := range args {
		switch text := arg.(type) {
		case string:
			if isText(text) {
				continue
			}
		case *string:
			if text == nil || isText(*text) {
				continue
			}
		default:
			continue
		}
		if strings.HasPrefix(query, "SELECT") {
			return ErrNotFound
		}
		return ErrText
	}
	return nil
}

func isText(s string) bool { return strings.IndexByte(s, 0) < 0 && utf8.ValidString(s) }

// What a transaction that writes begins with, and what tells of the last one. Both
// wait for their turn, and what they read another process may have written before.
//
// The mark is a row that the transaction writes, since the database gives the id of
// a transaction that it lost in a crash to another one.
//
// The turn ends with the transaction, and the disk is waited for after it, by a commit
// of its own. So the next process writes meanwhile, and one wait serves several. What is
// waited for is visible before: a reader may see for some milliseconds what a crash of
// the database then undoes. No change is acknowledged or refused on such grounds, since
// each waits for all that is before it.
const (
	writersTurn   = `BEGIN; SET LOCAL synchronous_commit = off; SELECT pg_advisory_xact_lock(%d); `
	waitForDisk   = `SELECT pg_logical_emit_message(true, '', '')`
	postgresBegin = writersTurn + `INSERT INTO processes (id, name, seen, mark) VALUES (%d, '', %s, %d)
		ON CONFLICT (id) DO UPDATE SET mark = excluded.mark; SELECT created FROM orders ORDER BY id DESC LIMIT 1;
		SELECT name, last FROM sequences`
	postgresLast = writersTurn + `SELECT mark FROM processes WHERE id = %d; COMMIT; ` + waitForDisk
)

// The results of the statements of postgresBegin that have rows.
const (
	newestOrderResult = 4
	sequencesResult   = 5
)

func (p *postgresEngine) begin(ctx context.Context, conn *sql.Conn, mark int64) (transactionStart, error) {
	results, err := runBatch(ctx, conn, fmt.Sprintf(postgresBegin, int64(writersLock), p.id, databaseNow, mark))
	if err != nil {
		return transactionStart{}, err
	}
	start := transactionStart{sequences: make(map[string]int64)}
	for _, row := range results[sequencesResult].Rows {
		last, err := strconv.ParseInt(string(row[1]), 10, 64)
		if err != nil {
			return transactionStart{}, err
		}
		start.sequences[string(row[0])] = last
	}
	for _, row := range results[newestOrderResult].Rows {
		stamp, err := strconv.ParseInt(string(row[0]), 10, 64)
		if err != nil {
			return transactionStart{}, err
		}
		start.newest = time.UnixMilli(stamp)
	}
	return start, nil
}

// commit takes one round trip: all that is done while the writers' lock is held costs every
// process the time to the database.
func (*postgresEngine) commit(tx *Tx) error {
	var statements strings.Builder
	for sequence, last := range tx.taken {
		fmt.Fprintf(&statements, "UPDATE sequences SET last = %d WHERE name = '%s'; ", last, sequence)
	}
	statements.WriteString("COMMIT; " + waitForDisk)
	_, err := runBatch(tx.ctx, tx.conn, statements.String())
	return mapError(err)
}

func (*postgresEngine) isShared() bool { return true }

func (p *postgresEngine) isKept(ctx context.Context, conn *sql.Conn, mark int64) (bool, error) {
	results, err := runBatch(ctx, conn, fmt.Sprintf(postgresLast, int64(writersLock), p.id))
	if err == nil && len(results[3].Rows) == 0 { // others have taken this process for gone
		err = ErrInDoubt
	}
	if err != nil {
		return false, err
	}
	return string(results[3].Rows[0][0]) == strconv.FormatInt(mark, 10), nil
}

// runBatch runs statements in one round trip.
func runBatch(ctx context.Context, conn *sql.Conn, statements string) (results []*pgconn.Result, err error) {
	err = conn.Raw(func(of any) error {
		results, err = of.(*stdlib.Conn).Conn().PgConn().Exec(ctx, statements).ReadAll()
		return err
	})
	return results, err
}

func (*postgresEngine) snapshot() *sql.TxOptions {
	return &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
}

func (p *postgresEngine) patience() time.Duration { return p.waits }

func (p *postgresEngine) close() {
	if p.presence != nil {
		p.presence.endPresence()
	}
}

// namePostgres names PostgreSQL's errors, nil for those that have no name.
func namePostgres(err error) error {
	var refusal *pgconn.PgError
	var network net.Error
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	if errors.As(err, &refusal) {
		return nameState(refusal.Code)
	}
	isClosed := errors.Is(err, driver.ErrBadConn) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	isUnreachable := errors.As(err, &network) || errors.As(err, new(*pgconn.ConnectError))
	if isClosed || isUnreachable || pgconn.SafeToRetry(err) {
		return ErrAway
	}
	return nil
}

// errUndone is what a database says that has undone a transaction because of
// others.
var errUndone = fmt.Errorf("%w: too many concurrent writes", ErrBusy)

func nameState(code string) error {
	switch code {
	case "40001", "40P01": // could not be put in a row with others, deadlock
		return errUndone
	case "55P03", "57014", "53300", "53200":
		// Waited too long, took too long, too many connections, out of memory.
		return ErrBusy
	case "53100":
		return ErrFull
	case "XX001", "XX002":
		return ErrDamaged
	case "57P01", "57P02", "57P03", "57P05", "25P03", "25006", "28P01", "28000":
		// Stops, crashed, starts, sat idle, became a copy that is read only, wants another
		// password.
		return ErrAway
	}
	if strings.HasPrefix(code, "08") {
		return ErrAway
	}
	return nil
}

// mayRepeat reports whether a transaction has come to nothing because of the
// database, so that its jobs may be run again.
func mayRepeat(err error) bool {
	return (errors.Is(err, errUndone) || errors.Is(err, ErrAway)) && !errors.Is(err, ErrInDoubt)
}
