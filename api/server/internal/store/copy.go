package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/stdlib"

	"flightdesk/config/atomicfile"
)

// copiedTables are the tables that are copied to another database, in an order that
// respects foreign keys.
var copiedTables = []string{
	"accounts",
	"api_keys",
	"key_requests",
	"orders",
	"missions",
	"planning",
	"packages",
	"files",
	"flight_permissions",
	"quotes",
	"order_details",
	"order_notifications",
	"idempotency",
	"webhooks",
	"webhook_deliveries",
	"callback_attempts",
	"notices",
	"datasets",
	"dataset_files",
	"operators",
	"audit",
	"invitations",
	"requests",
	"sequences",
	"settings",
}

// Settings that a copy in progress saves.
const (
	copyState   = "copy.state"  // set while the copy is not finished
	copyOfTable = "copy.table." // prefix of the settings of the tables that are copied
)

// copyBatchSize is the number of rows that one statement copies.
const copyBatchSize = 100

// settingsToCopy is the SQL condition for the settings to copy. The other settings are only valid
// in their own database.
const settingsToCopy = `name NOT LIKE 'copy.%' AND name NOT LIKE 'vault.%' AND
	name NOT LIKE 'schema.%' AND name NOT LIKE 'files.%'`

// CopiedTable is the result of copying a table.
type CopiedTable struct {
	Table string
	Rows  int64
}

// IsFilling reports whether CopyFrom has begun to copy data into the database, and the copy is
// not finished.
func (s *Store) IsFilling(ctx context.Context) (bool, error) {
	state, err := Setting(ctx, s, copyState)
	return state != "", err
}

// CopyFrom copies everything from an embedded store (SQLite) into an empty shared store
// (PostgreSQL), and compares the two. It continues a copy that was interrupted.
func (s *Store) CopyFrom(ctx context.Context, from *Store) ([]CopiedTable, error) {
	c := storeCopy{from: from, to: s}
	if err := c.beginCopy(ctx); err != nil {
		return nil, err
	}
	for _, table := range copiedTables {
		if err := c.copyTable(ctx, table); err != nil {
			return nil, fmt.Errorf("copying %s: %w", strings.ReplaceAll(table, "_", " "), err)
		}
	}
	var all []CopiedTable
	for _, table := range copiedTables {
		rows, err := c.compareTable(ctx, table)
		if err != nil {
			return nil, err
		}
		all = append(all, CopiedTable{Table: table, Rows: rows})
	}
	return all, nil
}

// compareTable compares a copied table with the original and returns the number of its rows.
func (c storeCopy) compareTable(ctx context.Context, table string) (int64, error) {
	original, err := digestTable(ctx, c.from, table)
	if err != nil {
		return 0, err
	}
	copied, err := digestTable(ctx, c.to, table)
	if err != nil {
		return 0, err
	}
	if original != copied {
		return 0, fmt.Errorf(
			"%s: the copied rows do not match (%d of %d); run flightdesk restore again with an empty database",
			table, copied.rows, original.rows)
	}
	return copied.rows, nil
}

// EndCopy marks the copy as finished, so that the database can be used.
func (s *Store) EndCopy(ctx context.Context) error {
	return s.Write(ctx, func(tx *Tx) error {
		for _, table := range copiedTables {
			if err := tx.continueIDs(table); err != nil {
				return err
			}
		}
		return tx.execute(`DELETE FROM settings WHERE name LIKE 'copy.%'`)
	})
}

// continueIDs sets the ID sequence of a table, so that new rows get higher IDs than the copied rows.
func (tx *Tx) continueIDs(table string) error {
	var idColumns int
	err := tx.queryRow(`SELECT COUNT(*) FROM information_schema.columns
		WHERE table_schema = current_schema() AND table_name = $1 AND column_name = 'id'`,
		[]any{table}, &idColumns)
	if err != nil {
		return err
	}
	if idColumns == 0 {
		return nil
	}
	var next int64
	return tx.queryRow(`SELECT setval(pg_get_serial_sequence('`+table+`', 'id'),
		COALESCE((SELECT MAX(id) FROM `+table+`), 0) + 1, false)`, nil, &next)
}

// storeCopy copies an embedded store into a shared one.
type storeCopy struct{ from, to *Store }

// beginCopy checks that the copy is possible and marks it as begun. It copies the encryption key
// of the secrets into the shared database, unless a file contains the key.
func (c storeCopy) beginCopy(ctx context.Context) error {
	ahead, err := Setting(ctx, c.from, "clock.ahead")
	if err != nil {
		return err
	}
	if ahead != "" && ahead != "0" {
		return errors.New("its clock was advanced; a shared database uses real time, so it cannot be copied")
	}
	key, err := c.originalKey(ctx)
	if err != nil {
		return err
	}
	if err := c.checkTarget(ctx); err != nil {
		return err
	}
	markBegun := func(tx *Tx) error { return tx.SetSetting(copyState, "under way") }
	keyFile := c.to.engine.(*postgresEngine).keyFile
	if keyFile != "" {
		if err := checkKeyFile(keyFile, key); err != nil {
			return err
		}
		return c.to.Write(ctx, markBegun)
	}
	return c.to.Write(ctx, func(tx *Tx) error {
		if err := markBegun(tx); err != nil {
			return err
		}
		return tx.SetSetting(vaultSetting, hex.EncodeToString(key))
	})
}

// originalKey returns the encryption key of the secrets in the embedded store.
func (c storeCopy) originalKey(ctx context.Context) ([]byte, error) {
	keys, err := loadVaultKeys(ctx, c.from)
	if err != nil {
		return nil, err
	}
	if len(keys) > 1 {
		return nil, fmt.Errorf("%s has several keys; finish replacing the key first", vaultFile)
	}
	return keys[0], nil
}

// checkTarget returns an error unless the shared database is empty or an interrupted copy
// can be continued.
func (c storeCopy) checkTarget(ctx context.Context) error {
	isFilling, err := c.to.IsFilling(ctx)
	if err != nil {
		return err
	}
	if isFilling {
		return nil
	}
	accounts, err := c.to.Accounts(ctx)
	if err != nil {
		return err
	}
	if len(accounts) > 0 {
		return errors.New("the database is not empty; create another with createdb")
	}
	return nil
}

// checkKeyFile returns an error unless the file at path contains the key.
func checkKeyFile(path string, key []byte) error {
	keys, err := readVaultKeys(path)
	if err != nil {
		return err
	}
	if !containsKey(keys, key) {
		return fmt.Errorf("%s does not match the folder's secrets; use its %s", path, vaultFile)
	}
	return nil
}

// embeddedColumns returns the columns of a table of the embedded database.
func embeddedColumns(ctx context.Context, s *Store, table string) ([]string, error) {
	return collectRows(ctx, s, scanText, `SELECT name FROM pragma_table_info('`+table+`')`)
}

// sharedColumns returns the columns of a table of a shared database.
func sharedColumns(ctx context.Context, s *Store, table string) ([]string, error) {
	return collectRows(ctx, s, scanText, `SELECT column_name FROM information_schema.columns
		WHERE table_schema = current_schema() AND table_name = '`+table+`'`)
}

// copyCondition returns the SQL condition that selects the rows to copy from a table. These are
// all rows, except in the table of settings.
func copyCondition(table string) string {
	if table == "settings" {
		return settingsToCopy
	}
	return "1 = 1"
}

// copyTable copies a table in one transaction, unless an earlier call has done it.
func (c storeCopy) copyTable(ctx context.Context, table string) error {
	columns, err := embeddedColumns(ctx, c.from, table)
	if err != nil {
		return err
	}
	copied, err := Setting(ctx, c.to, copyOfTable+table)
	if err != nil {
		return err
	}
	if copied != "" {
		return nil
	}
	return c.to.WriteMuch(ctx, func(tx *Tx) error {
		if err := tx.copyTable(c.from.readers, table, columns); err != nil {
			return err
		}
		return tx.SetSetting(copyOfTable+table, "copied")
	})
}

// insertRows adds rows of another database to a table. In the tables sequences and settings it
// replaces rows with the same name, because a new database already contains some.
func (tx *Tx) insertRows(table string, columns []string, rows [][]any) error {
	conflict := ""
	switch table {
	case "sequences":
		conflict = ` ON CONFLICT (name) DO UPDATE SET last = excluded.last, first = excluded.first`
	case "settings":
		conflict = ` ON CONFLICT (name) DO UPDATE SET value = excluded.value`
	}
	insert := `INSERT INTO ` + table + ` (` + strings.Join(columns, ", ") + `) VALUES `
	for batch := range slices.Chunk(rows, copyBatchSize) {
		var args []any
		for _, row := range batch {
			args = append(args, row...)
		}
		err := tx.execute(insert+rowPlaceholders(len(batch), len(columns))+conflict, args...)
		if err != nil {
			return err
		}
	}
	return nil
}

// scanAny returns the values of a row with n columns.
func scanAny(rows *sql.Rows, n int) ([]any, error) {
	values := make([]any, n)
	destinations := make([]any, n)
	for i := range values {
		destinations[i] = &values[i]
	}
	err := rows.Scan(destinations...)
	return values, err
}

// tableDigest summarizes the rows of a table. It does not depend on their order.
type tableDigest struct {
	rows int64
	sum  [4]uint64 // sum of the rows' digests
}

// digestTable returns the digest of the copied rows of a table. A table with the same rows has
// the same digest in SQLite and in PostgreSQL.
func digestTable(ctx context.Context, s *Store, table string) (total tableDigest, err error) {
	listColumns := embeddedColumns
	if s.engine.isShared() {
		listColumns = sharedColumns
	}
	columns, err := listColumns(ctx, s, table)
	if err != nil {
		return total, err
	}
	slices.Sort(columns)
	// The query has no timeout, and its rows are not collected in memory.
	rows, err := s.readers.QueryContext(ctx,
		`SELECT `+strings.Join(columns, ", ")+` FROM `+table+` WHERE `+copyCondition(table))
	if err != nil {
		return total, mapError(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		row, err := scanAny(rows, len(columns))
		if err != nil {
			return total, err
		}
		total.addRow(row)
	}
	return total, mapError(rows.Err())
}

func (t *tableDigest) addRow(row []any) {
	var text []byte
	for _, value := range row {
		text = appendDigested(text, value)
	}
	digest := sha256.Sum256(text)
	for i := range t.sum {
		t.sum[i] += binary.BigEndian.Uint64(digest[8*i:])
	}
	t.rows++
}

// appendDigested appends the text of a value for a digest. Different values have different
// texts: the text begins with the type and, if the value is a text, with its length.
func appendDigested(text []byte, value any) []byte {
	switch v := value.(type) {
	case nil:
		return append(text, 'n')
	case int64:
		text = append(text, 'i')
		return binary.BigEndian.AppendUint64(text, uint64(v))
	case float64:
		text = append(text, 'f')
		return binary.BigEndian.AppendUint64(text, math.Float64bits(v))
	default:
		s := fmt.Sprint(v)
		text = append(text, 's')
		text = binary.BigEndian.AppendUint64(text, uint64(len(s)))
		return append(text, s...)
	}
}

// BackUp copies a consistent state of a shared store into the embedded database of a new data
// folder. It also writes the encryption key of the secrets into the folder.
func (s *Store) BackUp(ctx context.Context, to *Store, dir string) error {
	keys, err := loadVaultKeys(ctx, s)
	if err != nil {
		return err
	}
	if err := atomicfile.ReplaceFile(filepath.Join(dir, vaultFile), formatVaultKeys(keys)); err != nil {
		return err
	}
	from, err := s.readers.BeginTx(ctx, s.engine.snapshot())
	if err != nil {
		return mapError(err)
	}
	defer func() { _ = from.Rollback() }()
	_, err = from.ExecContext(ctx,
		`SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0`)
	if err != nil {
		return mapError(err)
	}
	return to.WriteMuch(ctx, func(tx *Tx) error {
		for _, table := range copiedTables {
			if err := tx.backUpTable(from, table); err != nil {
				return fmt.Errorf("copying %s: %w", strings.ReplaceAll(table, "_", " "), mapError(err))
			}
		}
		return nil
	})
}

// backUpTable copies a table of a shared database into the embedded database of tx.
func (tx *Tx) backUpTable(from rowSource, table string) error {
	columns, err := embeddedColumns(tx.ctx, tx.s, table)
	if err != nil {
		return err
	}
	return tx.copyTable(from, table, columns)
}

// NamedFiles returns the files that a database refers to: the size of each file in bytes, by its
// key in the file store. It reads the shared database or, if shared has no URL, the database in
// the data folder dir. It changes nothing.
func NamedFiles(ctx context.Context, shared SharedDatabase, dir string) (map[string]int64, error) {
	if shared.URL == "" {
		db, err := openToRead(dir)
		if err != nil {
			return nil, err
		}
		defer func() { _ = db.Close() }()
		return namedFiles(ctx, db)
	}
	config, _, err := shared.connConfig()
	if err != nil {
		return nil, err
	}
	db := stdlib.OpenDB(*config)
	defer func() { _ = db.Close() }()
	sizes, err := namedFiles(ctx, db)
	if err != nil {
		return nil, mapError(adviseError(err, config))
	}
	return sizes, nil
}

// namedFiles is like NamedFiles, but for an open database. It leaves out sample files, because
// they are not stored but created when they are read.
func namedFiles(ctx context.Context, db *sql.DB) (map[string]int64, error) {
	rows, err := db.QueryContext(ctx, `SELECT place, size FROM files WHERE place NOT LIKE 'sample-%'`)
	if err != nil {
		return nil, mapError(err)
	}
	defer func() { _ = rows.Close() }()
	sizes := map[string]int64{}
	for rows.Next() {
		var place string
		var size int64
		if err := rows.Scan(&place, &size); err != nil {
			return nil, err
		}
		sizes[place] = size
	}
	return sizes, mapError(rows.Err())
}

// EachFile calls yield for each file in the database. If yield fails, EachFile returns its
// error.
func (s *Store) EachFile(ctx context.Context, yield func(File) error) error {
	last := int64(0)
	for {
		batch, err := findRows(ctx, s, fileTable, `WHERE id > $1 ORDER BY id LIMIT 500`, last)
		if err != nil {
			return err
		}
		if len(batch) == 0 {
			return nil
		}
		for _, f := range batch {
			if err := yield(f); err != nil {
				return err
			}
		}
		last = batch[len(batch)-1].ID
	}
}
