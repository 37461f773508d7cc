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

// Keys of advisory locks. Each database has its own.
const (
	writersLock   = 0x666c6967687401 // held by a transaction that writes
	migrationLock = 0x666c6967687402 // held by the process that migrates the schema
)

// Timeouts of one operation.
const (
	postgresTimeout = 10 * time.Second // for a connection, the turn to write, or a response
	connectTimeout  = 3 * time.Second

	maxConnectTimeout = time.Minute // a longer connect_timeout is replaced by connectTimeout
)

// postgresEngine runs the store on a PostgreSQL database that several processes can use. Only one
// process writes at a time. This has three effects:
//
//   - What a job has read does not change before the job is committed.
//   - No transaction has to be repeated because of another process.
//   - The creation times from [Tx.StampTime] increase across all processes.
type postgresEngine struct {
	id       int64 // identifies this process
	presence *processPresence
	keyFile  string
	timeout  time.Duration // see queryTimeout
}

// SharedDatabase is the configuration of a database that several processes share.
type SharedDatabase struct {
	// URL is an address such as postgres://user@host:5432/name. The standard environment
	// variables such as PGPASSWORD supply what is missing in it. Its option pool_max_conns
	// sets Connections, unless Connections is set.
	URL string

	Password     string                 // optional if the URL or the environment contains it
	ReadPassword func() (string, error) `json:"-"` // reads the password for each new connection; nil uses Password
	Connections  int                    // maximum number of open connections; 0 means 16
	Name         string                 // name of this process

	// KeyFile is a file with the key that encrypts the secrets in the database, such as the secrets
	// of webhooks. All processes must have the same key. If KeyFile is "", the key is in the
	// database.
	KeyFile string
}

const (
	defaultConnections = 16
	minConnections     = 2 // one of them writes
)

// OpenShared opens a PostgreSQL database and migrates its schema.
func OpenShared(ctx context.Context, shared SharedDatabase) (*Store, error) {
	config, connections, err := shared.connConfig()
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
		timeout: postgresTimeout,
	}
	s := newStore(engine)
	s.sender = engine.id
	s.schema = schema
	writer := stdlib.OpenDB(*config, stdlib.OptionBeforeConnect(shared.addPassword))
	writer.SetMaxOpenConns(1)
	readers := stdlib.OpenDB(*config, stdlib.OptionBeforeConnect(shared.addPassword))
	readers.SetMaxOpenConns(connections - 1)
	readers.SetMaxIdleConns(connections - 1)
	s.usePools(writer, readers)
	if err := s.writer.start(ctx); err != nil {
		return fail(errors.Join(err, s.Close()))
	}
	engine.presence, err = startPresence(ctx, s, shared.Name)
	if err != nil {
		return fail(errors.Join(err, s.Close()))
	}
	return s, nil
}

// Place returns the name, host and port of the database as a text for messages. It returns "" if
// shared.URL is empty.
func (shared SharedDatabase) Place() string {
	config, err := pgx.ParseConfig(shared.URL)
	if shared.URL == "" || err != nil {
		return ""
	}
	return config.Database + " at " + net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port)))
}

// addPassword sets the current password for a new connection, so that the password can change while
// the service runs. If the password cannot be read, the connection uses the password in config.
func (shared SharedDatabase) addPassword(_ context.Context, config *pgx.ConnConfig) error {
	if shared.ReadPassword == nil {
		return nil
	}
	if password, err := shared.ReadPassword(); err == nil {
		config.Password = password
	}
	return nil
}

// connConfig returns the connection settings and the maximum number of connections. Its errors
// do not contain the password.
func (shared SharedDatabase) connConfig() (config *pgx.ConnConfig, connections int, err error) {
	if !strings.HasPrefix(shared.URL, "postgres://") && !strings.HasPrefix(shared.URL, "postgresql://") {
		return nil, 0, errors.New("not a valid database address; use one such as postgres://user@host:5432/name")
	}
	config, err = pgx.ParseConfig(shared.URL)
	if err != nil {
		return nil, 0, errors.New("not a valid database address, or an unknown option in it; " +
			"use one such as postgres://user@host:5432/name")
	}
	if shared.Password != "" {
		config.Password = shared.Password
	}
	connections, err = shared.maxConnections(config.RuntimeParams[poolOption])
	if err != nil {
		return nil, 0, err
	}
	delete(config.RuntimeParams, poolOption)
	// If the URL has no connect_timeout, the library sets 2 minutes.
	if config.ConnectTimeout == 0 || config.ConnectTimeout > maxConnectTimeout {
		config.ConnectTimeout = connectTimeout
	}
	defaults := map[string]string{
		"application_name":                    strings.TrimSpace("flightdesk " + shared.Name),
		"statement_timeout":                   milliseconds(postgresTimeout),
		"lock_timeout":                        milliseconds(postgresTimeout / 2),
		"idle_in_transaction_session_timeout": milliseconds(postgresTimeout),
	}
	for name, value := range defaults {
		if _, isSet := config.RuntimeParams[name]; !isSet {
			config.RuntimeParams[name] = value
		}
	}
	return config, connections, nil
}

// poolOption is the URL option with the maximum number of connections. The package pgxpool uses the
// same name.
const poolOption = "pool_max_conns"

// maxConnections returns the maximum number of connections to the database. It is the field
// Connections if that is set, otherwise option, otherwise defaultConnections. option is the
// value of [poolOption] in the address of the database, or "". maxConnections returns an error
// if option is used and is not a number, or if the number is less than minConnections.
func (shared SharedDatabase) maxConnections(option string) (int, error) {
	connections := shared.Connections
	if connections == 0 && option == "" {
		return defaultConnections, nil
	}
	if connections == 0 {
		number, err := strconv.Atoi(option)
		if err != nil {
			return 0, fmt.Errorf("%s in the database address must be a number", poolOption)
		}
		connections = number
	}
	if connections < minConnections {
		return 0, fmt.Errorf("at least %d database connections are needed, not %d", minConnections, connections)
	}
	return connections, nil
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// adviseError adds to a connection error what the user can do about it.
func adviseError(err error, config *pgx.ConnConfig) error {
	var refusal *pgconn.PgError
	if errors.As(err, &refusal) {
		return adviseRefusal(err, refusal, config)
	}
	var failure *pgconn.ConnectError
	if errors.As(err, &failure) {
		return fmt.Errorf("%w: %w; check that it is running and accepts connections from this machine",
			ErrAway, lastLine(failure.Unwrap()))
	}
	return err
}

// adviseRefusal is like adviseError, for an error that the database server has sent. err wraps this
// error, and refusal is the error itself.
func adviseRefusal(err error, refusal *pgconn.PgError, config *pgx.ConnConfig) error {
	switch refusal.Code {
	case "57P03": // cannot connect now
		return fmt.Errorf("%w: %s", ErrAway, refusal.Message)
	case "08P01": // protocol violation
		if strings.Contains(refusal.Message, "startup parameter") {
			return errPooler
		}
		return err
	case "28P01", "28000": // invalid password, invalid authorization
		return fmt.Errorf("user %s rejected: %s; give the password in PGPASSWORD or a file",
			config.User, refusal.Message)
	case "3D000": // invalid catalog name
		return fmt.Errorf("database not found; create it with createdb %s", config.Database)
	case "42501": // insufficient privilege
		return fmt.Errorf("user %s cannot create or change its tables: %s; make the user its owner",
			config.User, refusal.Message)
	}
	return err
}

// lastLine returns the last line of the text of err. If a host has several addresses, the text has
// a line for each address that could not be reached.
func lastLine(err error) error {
	lines := strings.Split(strings.TrimSpace(err.Error()), "\n")
	return errors.New(strings.TrimSpace(lines[len(lines)-1]))
}

var bound = regexp.MustCompile(`(\$\d+) \+ 0\b`)

// translate converts a query from the SQL of SQLite to the SQL of PostgreSQL:
//
//   - A parameter such as $1 + 0 in LIMIT or OFFSET becomes a bigint. Otherwise PostgreSQL would
//     treat it as a 32-bit integer because of the sum.
//   - inList and inTexts, which use the function json_each of SQLite, become comparisons with
//     arrays.
func (*postgresEngine) translate(query string) string {
	query = bound.ReplaceAllString(query, "$1::bigint")
	query = strings.ReplaceAll(query, inList, ` = ANY (translate($1, '[]', '{}')::bigint[])`)
	return strings.ReplaceAll(query, inTexts, ` = ANY (ARRAY(SELECT json_array_elements_text($2::text::json)))`)
}

// checkArgs refuses texts that PostgreSQL cannot store: texts that contain U+0000 or invalid UTF-8.
// For a SELECT with such a text, it returns ErrNotFound, because no record can contain the text.
// For other statements, it returns ErrText.
func (*postgresEngine) checkArgs(query string, args []any) error {
	for _, arg := range args {
		if isStorable(arg) {
			continue
		}
		if strings.HasPrefix(query, "SELECT") {
			return ErrNotFound
		}
		return ErrText
	}
	return nil
}

// isStorable reports whether PostgreSQL can store an argument of a query.
func isStorable(arg any) bool {
	switch text := arg.(type) {
	case string:
		return isText(text)
	case *string:
		return text == nil || isText(*text)
	}
	return true
}

func isText(s string) bool { return strings.IndexByte(s, 0) < 0 && utf8.ValidString(s) }

// postgresBegin begins a transaction, and postgresLast reads the number of the last
// transaction. Both wait for the turn to write, and read what other processes have written
// before.
//
// A transaction writes its number to the column mark of its process. A transaction ID would not do:
// after a crash the database assigns the ID of a lost transaction again.
//
// The turn to write ends with the transaction, and a second commit then waits for the
// disk. So the next process can write in the meantime, and one wait can serve several
// transactions. Readers can see changes a few milliseconds before they are on disk, and a
// crash of the database would undo them. This does not affect responses to clients: every
// write waits until everything before it is on disk.
const (
	writersTurn   = `BEGIN; SET LOCAL synchronous_commit = off; SELECT pg_advisory_xact_lock(%d); `
	waitForDisk   = `SELECT pg_logical_emit_message(true, '', '')`
	postgresBegin = writersTurn + `INSERT INTO processes (id, name, seen, mark) VALUES (%d, '', %s, %d)
		ON CONFLICT (id) DO UPDATE SET mark = excluded.mark; SELECT created FROM orders ORDER BY id DESC LIMIT 1;
		SELECT name, last FROM sequences`
	postgresLast = writersTurn + `SELECT mark FROM processes WHERE id = %d; COMMIT; ` + waitForDisk
)

// Indexes of the results of postgresBegin that have rows.
const (
	newestOrderResult = 4
	sequencesResult   = 5
)

// lastNumberResult is the index of the number among the results of postgresLast.
const lastNumberResult = 3

// begin implements databaseEngine. In one round trip, it begins the transaction, waits until no
// other process writes, and reads the sequences and the creation time of the newest order.
func (p *postgresEngine) begin(ctx context.Context, conn *sql.Conn, txNumber int64) (transactionStart, error) {
	results, err := runBatch(ctx, conn, fmt.Sprintf(postgresBegin, int64(writersLock), p.id, databaseNow, txNumber))
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

// commit implements databaseEngine. In one round trip, it runs the queued statements, saves the
// sequences and commits. It uses only one round trip because other processes cannot write until it
// has finished. If a statement fails, PostgreSQL skips the statements after it, including COMMIT.
func (p *postgresEngine) commit(tx *Tx) error {
	var batch pgx.Batch
	for _, statement := range tx.queued {
		batch.Queue(p.translate(statement.query), statement.args...)
	}
	for sequence, last := range tx.reserved {
		batch.Queue(`UPDATE sequences SET last = $1 WHERE name = $2`, last, sequence)
	}
	saved := batch.Len()
	batch.Queue(`COMMIT`)
	batch.Queue(waitForDisk)
	err := tx.conn.Raw(func(driverConn any) error {
		return p.sendCommit(tx.ctx, driverConn.(*stdlib.Conn).Conn(), &batch, saved)
	})
	return mapError(err)
}

// sendCommit runs a batch of statements that contains COMMIT. saved is the number of statements
// before COMMIT. If PostgreSQL refuses one of these, sendCommit returns an uncommittedError.
func (*postgresEngine) sendCommit(ctx context.Context, conn *pgx.Conn, batch *pgx.Batch, saved int) error {
	results := conn.SendBatch(ctx, batch)
	for range saved {
		_, err := results.Exec()
		if err == nil {
			continue
		}
		_ = results.Close()
		refusal, isRefused := errors.AsType[*pgconn.PgError](err)
		if isRefused && refusal.SeverityUnlocalized == "ERROR" {
			return uncommittedError{err}
		}
		return err // after a lost connection, PostgreSQL may still have run the rest of the batch
	}
	return results.Close()
}

func (*postgresEngine) isShared() bool { return true }

// maxInsertedRows is the maximum number of rows that one statement inserts. Even for the table with
// the most columns, the statement has far fewer than the 65,535 parameters that PostgreSQL allows.
const maxInsertedRows = 64

// insertSize implements databaseEngine. It returns as many rows as possible, up to maxInsertedRows,
// because another round trip to the database takes longer than preparing another statement.
func (*postgresEngine) insertSize(rows int) int { return min(rows, maxInsertedRows) }

func (p *postgresEngine) isCommitted(ctx context.Context, conn *sql.Conn, txNumber int64) (bool, error) {
	results, err := runBatch(ctx, conn, fmt.Sprintf(postgresLast, int64(writersLock), p.id))
	if err != nil {
		return false, err
	}
	rows := results[lastNumberResult].Rows
	if len(rows) == 0 { // another process has removed the row of this process
		return false, ErrInDoubt
	}
	return string(rows[0][0]) == strconv.FormatInt(txNumber, 10), nil
}

// runBatch runs several statements in one round trip.
func runBatch(ctx context.Context, conn *sql.Conn, statements string) (results []*pgconn.Result, err error) {
	err = conn.Raw(func(driverConn any) error {
		results, err = driverConn.(*stdlib.Conn).Conn().PgConn().Exec(ctx, statements).ReadAll()
		return err
	})
	return results, err
}

func (*postgresEngine) snapshot() *sql.TxOptions {
	return &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
}

func (p *postgresEngine) queryTimeout() time.Duration { return p.timeout }

func (p *postgresEngine) close() {
	if p.presence != nil {
		p.presence.stop()
	}
}

// mapPostgresError returns the error of this package for an error of PostgreSQL, such as ErrAway if
// the connection was lost. It returns nil if this package has no error for it.
func mapPostgresError(err error) error {
	var refusal *pgconn.PgError
	var network net.Error
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	if errors.As(err, &refusal) {
		return mapSQLState(refusal.Code)
	}
	isClosed := errors.Is(err, driver.ErrBadConn) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	isUnreachable := errors.As(err, &network) || errors.As(err, new(*pgconn.ConnectError))
	if isClosed || isUnreachable || pgconn.SafeToRetry(err) {
		return ErrAway
	}
	return nil
}

// errUndone means that the database rolled a transaction back because of other
// transactions.
var errUndone = fmt.Errorf("%w: too many concurrent writes", ErrBusy)

// mapSQLState returns the error of this package for an SQLSTATE code of PostgreSQL, such as
// ErrFull. It returns nil if this package has no error for the code.
func mapSQLState(code string) error {
	switch code {
	case "40001", "40P01": // serialization failure, deadlock
		return errUndone
	case "55P03", "57014", "53300", "53200":
		// Lock timeout, statement timeout, too many connections, out of memory.
		return ErrBusy
	case "53100":
		return ErrFull
	case "XX001", "XX002":
		return ErrDamaged
	case "57P01", "57P02", "57P03", "57P05", "25P03", "25006", "28P01", "28000":
		// Shutting down, crashed, starting up, idle for too long, became a read-only replica,
		// password rejected.
		return ErrAway
	}
	if strings.HasPrefix(code, "08") {
		return ErrAway
	}
	return nil
}

// mayRepeat reports whether the jobs of a failed transaction can run again. That is possible if the
// database has rolled the transaction back, or if the connection was lost before the commit.
func mayRepeat(err error) bool {
	return (errors.Is(err, errUndone) || errors.Is(err, ErrAway)) && !errors.Is(err, ErrInDoubt)
}
