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

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"flightdesk/config/atomicfile"
)

// copied are the tables that move to another database, those that others refer
// to first.
var copied = []string{
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

// What a copy under way keeps in the settings: how far each table is.
const (
	copyState   = "copy.state"
	copyOfTable = "copy.table."
	copyAtOnce  = 100 // rows in a statement
)

// ownSettings are those that each database has for itself.
const ownSettings = `name NOT LIKE 'copy.%' AND name NOT LIKE 'vault.%' AND name NOT LIKE 'schema.%' AND name NOT LIKE 'files.%'`

// CopiedTable is what is known of a table after a copy.
type CopiedTable struct {
	Table string
	Rows  int64
}

// IsFilling reports whether a copy into the database has begun and not ended.
func (s *Store) IsFilling(ctx context.Context) (bool, error) {
	state, err := Setting(ctx, s, copyState)
	return state != "", err
}

// CopyFrom copies all that an embedded store keeps into a shared one that is
// empty, and compares the two. A copy that was cut off goes on where it was.
func (s *Store) CopyFrom(ctx context.Context, from *Store) ([]CopiedTable, error) {
	c := storeCopy{from: from, to: s}
	if err := c.beginCopy(ctx); err != nil {
		return nil, err
	}
	for _, table := range copied {
		if err := c.copyTable(ctx, table); err != nil {
			return nil, fmt.Errorf("copying %s: %w", strings.ReplaceAll(table, "_", " "), err)
		}
	}
	var all []CopiedTable
	for _, table := range copied {
		was, err := sumOf(ctx, from, table)
		if err != nil {
			return nil, err
		}
		is, err := sumOf(ctx, s, table)
		if err != nil {
			return nil, err
		}
		if was != is {
			return nil, fmt.Errorf(
				"%s: the copied rows do not match (%d of %d); run serve --copy-from again with an empty database",
				table,
				is.rows,
				was.rows,
			)
		}
		all = append(all, CopiedTable{table, is.rows})
	}
	return all, nil
}

// EndCopy says that all is copied, so that the database can be served from.
func (s *Store) EndCopy(ctx context.Context) error {
	return s.Write(ctx, func(tx *Tx) error {
		for _, table := range copied {
			// Ids go on behind those that were copied.
			var isNumbered int
			err := tx.queryRow(
				`SELECT COUNT(*) FROM information_schema.columns WHERE table_schema = current_schema()
				AND table_name = $1 AND column_name = 'id'`,
				[]any{table},
				&isNumbered,
			)
			if err != nil {
				return err
			}
			if isNumbered == 0 {
				continue
			}
			var last int64
			err = tx.queryRow(
				`SELECT setval(pg_get_serial_sequence('`+table+`', 'id'), COALESCE((SELECT MAX(id) FROM `+table+`), 0) + 1, false)`,
				nil,
				&last,
			)
			if err != nil {
				return err
			}
		}
		return tx.execute(`DELETE FROM settings WHERE name LIKE 'copy.%'`)
	})
}

// storeCopy copies an embedded store into a shared one.
type storeCopy struct{ from, to *Store }

func (c storeCopy) beginCopy(ctx context.Context) error {
	ahead, err := Setting(ctx, c.from, "clock.ahead")
	if err != nil {
		return err
	}
	if ahead != "" && ahead != "0" {
		return errors.New("its clock was advanced; a shared database uses real time, so it cannot be copied")
	}
	key, err := c.from.vaultKey(ctx)
	if err != nil {
		return err
	}
	filling, err := c.to.IsFilling(ctx)
	if err != nil {
		return err
	}
	if !filling {
		if accounts, err := c.to.Accounts(ctx); err != nil || len(accounts) > 0 {
			return errors.Join(err, errors.New("the database is not empty; create another with createdb"))
		}
	}
	if file := c.to.engine.(*postgresEngine).keyFile; file != "" {
		have, err := readVaultKey(file)
		if err == nil && string(have) != string(key) {
			err = fmt.Errorf("%s does not match the folder's secrets; use its %s", file, vaultFile)
		}
		if err != nil {
			return err
		}
	}
	return c.to.Write(ctx, func(tx *Tx) error {
		err := tx.SetSetting(copyState, "under way")
		if c.to.engine.(*postgresEngine).keyFile == "" {
			err = errors.Join(err, tx.SetSetting(vaultSetting, hex.EncodeToString(key)))
		}
		return err
	})
}

// embeddedColumns returns the columns of a table of the embedded database.
func embeddedColumns(ctx context.Context, s *Store, table string) ([]string, error) {
	return collectRows(ctx, s, scanText, `SELECT name FROM pragma_table_info('`+table+`')`)
}

func copyQuery(table string) string {
	if table == "settings" {
		return ownSettings
	}
	return "1 = 1"
}

// copyTable copies a table in one transaction, unless an earlier call has.
func (c storeCopy) copyTable(ctx context.Context, table string) error {
	columns, err := embeddedColumns(ctx, c.from, table)
	if err != nil {
		return err
	}
	if done, err := Setting(ctx, c.to, copyOfTable+table); err != nil || done != "" {
		return err
	}
	return c.to.WriteMuch(ctx, func(tx *Tx) error {
		if err := tx.copyTable(c.from.readers, table, columns); err != nil {
			return err
		}
		return tx.SetSetting(copyOfTable+table, "copied")
	})
}

// insertRows adds rows that have a place before their columns. Of what is there
// from the start the copied value takes the place.
func (w *writerSession) insertRows(table string, columns []string, rows [][]any) error {
	conflict := ""
	switch table {
	case "sequences":
		conflict = ` ON CONFLICT (name) DO UPDATE SET last = excluded.last, first = excluded.first`
	case "settings":
		conflict = ` ON CONFLICT (name) DO UPDATE SET value = excluded.value`
	}
	for len(rows) > 0 {
		some := rows[:min(copyAtOnce, len(rows))]
		var args []any
		for _, row := range some {
			args = append(args, row[1:]...)
		}
		err := w.execute(
			`INSERT INTO `+table+` (`+strings.Join(columns, ", ")+`) VALUES `+rowPlaceholders(
				len(some),
				len(columns),
			)+conflict,
			args...)
		if err != nil {
			return err
		}
		rows = rows[len(some):]
	}
	return nil
}

func scanAny(rows *sql.Rows, n int) ([]any, error) {
	values := make([]any, n)
	into := make([]any, n)
	for i := range values {
		into[i] = &values[i]
	}
	err := rows.Scan(into...)
	return values, err
}

// tableSummary tells what a table has, in any order.
type tableSummary struct {
	rows int64
	sum  [4]uint64 // of the rows' digests
}

// sumOf reads a whole table. The columns are those of the embedded database, which
// a shared one has, too.
func sumOf(ctx context.Context, s *Store, table string) (total tableSummary, err error) {
	var columns []string
	if _, shared := s.engine.(*postgresEngine); shared {
		columns, err = collectRows(ctx, s, scanText, `SELECT column_name FROM information_schema.columns
			WHERE table_schema = current_schema() AND table_name = '`+table+`'`)
	} else {
		columns, err = embeddedColumns(ctx, s, table)
	}
	if err != nil {
		return total, err
	}
	slices.Sort(columns)
	// It takes as long as it takes, and is not kept in memory.
	rows, err := s.readers.QueryContext(ctx,
		`SELECT `+strings.Join(columns, ", ")+` FROM `+table+` WHERE `+copyQuery(table))
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

func (t *tableSummary) addRow(row []any) {
	var text []byte
	for _, value := range row {
		switch v := value.(type) {
		case nil:
			text = append(text, 'n')
		case int64:
			text = binary.BigEndian.AppendUint64(append(text, 'i'), uint64(v))
		case float64:
			text = binary.BigEndian.AppendUint64(append(text, 'f'), math.Float64bits(v))
		default:
			s := fmt.Sprint(v)
			text = append(binary.BigEndian.AppendUint64(append(text, 's'), uint64(len(s))), s...)
		}
	}
	digest := sha256.Sum256(text)
	for i := range t.sum {
		t.sum[i] += binary.BigEndian.Uint64(digest[8*i:])
	}
	t.rows++
}

// BackUp copies all that a shared store keeps, as it stands at one moment, into the
// embedded database of a new data folder, and beside it the key of the secrets.
func (s *Store) BackUp(ctx context.Context, to *Store, dir string) error {
	key, err := s.vaultKey(ctx)
	if err != nil {
		return err
	}
	if err := atomicfile.ReplaceFile(
		filepath.Join(dir, vaultFile),
		[]byte(hex.EncodeToString(key)+"\n"),
	); err != nil {
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
		for _, table := range copied {
			columns, err := embeddedColumns(ctx, to, table)
			if err == nil {
				err = tx.copyTable(from, table, columns)
			}
			if err != nil {
				return fmt.Errorf("copying %s: %w", strings.ReplaceAll(table, "_", " "), mapError(err))
			}
		}
		return nil
	})
}

// NamedFiles returns the size of each file that a database names, by its place: the
// shared one if it has a URL, else that of the data folder. It changes nothing.
func NamedFiles(ctx context.Context, shared SharedDatabase, dir string) (map[string]int64, error) {
	var err error
	var db *sql.DB
	config := new(pgx.ConnConfig)
	if shared.URL == "" {
		db, err = openToRead(dir)
	} else if config, err = shared.connConfig(); err == nil {
		db = stdlib.OpenDB(*config)
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	rows, err := db.QueryContext(ctx, `SELECT place, size FROM files WHERE place NOT LIKE 'sample-%'`)
	if err != nil {
		return nil, mapError(adviseError(err, config))
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

// EachFile calls each with every file of the store, and ends with its error.
func (s *Store) EachFile(ctx context.Context, each func(File) error) error {
	for after := int64(0); ; {
		some, err := findRows(ctx, s, fileTable, `WHERE id > $1 ORDER BY id LIMIT 500`, after)
		if err != nil || len(some) == 0 {
			return err
		}
		for _, f := range some {
			if err := each(f); err != nil {
				return err
			}
			after = f.ID
		}
	}
}
