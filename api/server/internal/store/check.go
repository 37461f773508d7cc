package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"flightdesk/config/atomicfile"
)

// ErrDamaged is returned if the database engine finds damaged data.
var ErrDamaged = errors.New("the database is damaged")

// checkedFile is the name of a file in the data folder. It contains the fingerprint that the
// database had when it was last found undamaged. If the fingerprint is still the same, the next
// start skips the check, which takes long for a large database.
const checkedFile = "checked"

// damageError returns ErrDamaged with the cause and what the user can do.
func damageError(dir string, err error) error {
	return fmt.Errorf("%w: %w; run flightdesk serve --check %s for details, or restore a backup with flightdesk restore",
		ErrDamaged, err, dir)
}

// checkAtStart returns an error if the database is damaged. It skips the check if the
// database has not changed since the last stop.
func checkAtStart(ctx context.Context, dir string) error {
	state := databaseState(dir)
	if state == "" {
		return nil // there is no database yet
	}
	checked, err := os.ReadFile(filepath.Join(dir, checkedFile))
	if err == nil && string(checked) == state {
		return nil
	}
	db, err := openToRead(dir)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	faults, err := queryTexts(ctx, db, `PRAGMA quick_check(3)`)
	if isDamage(err) {
		return damageError(dir, err)
	}
	if err != nil {
		return err
	}
	if len(faults) == 1 && faults[0] == "ok" {
		return nil
	}
	text := strings.ReplaceAll(strings.Join(faults, ", "), "\n", " ")
	return damageError(dir, errors.New(text))
}

// saveChecked saves the fingerprint of an undamaged database. The database must be closed.
func saveChecked(dir string) error {
	return atomicfile.ReplaceFile(filepath.Join(dir, checkedFile), []byte(databaseState(dir)))
}

// databaseState returns a fingerprint that changes whenever the database does, or "" if
// there is no complete database in dir.
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

// isDamage reports whether SQLite found damage in the database file.
func isDamage(err error) bool {
	var failure *sqlite.Error
	if !errors.As(err, &failure) {
		return false
	}
	code := failure.Code() & 0xff
	return code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB
}

// openToRead opens the database of a folder for reading. A store may have it open too.
func openToRead(dir string) (*sql.DB, error) {
	path := filepath.Join(dir, databaseFile)
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(dir); err != nil {
			return nil, fmt.Errorf("%s: folder not found", dir)
		}
		return nil, fmt.Errorf("%s is not a data folder; it has no %s", dir, databaseFile)
	}
	if err != nil {
		return nil, fmt.Errorf("%s is not a data folder: %w", dir, err)
	}
	return sql.Open("sqlite", sqliteURI(path, "busy_timeout(10000)"))
}

// queryTexts returns the first column of all rows of a query.
func queryTexts(ctx context.Context, db *sql.DB, query string) ([]string, error) {
	var all []string
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return all, err
		}
		all = append(all, text)
	}
	return all, rows.Err()
}

// errSchema is the error for a database whose schema this program does not support.
var errSchema = errors.New("this version cannot serve the database")

// checkSchema returns errSchema for a database of a newer program, or from before the
// first release.
func checkSchema(ctx context.Context, db *sql.DB) error {
	var have int64
	err := db.QueryRowContext(ctx, `SELECT COALESCE(MAX(version_id), 0) FROM goose_db_version`).Scan(&have)
	if err != nil {
		return err
	}
	first, last, err := schemaRange()
	if err != nil {
		return err
	}
	if have > last {
		return fmt.Errorf("%w: its schema is %d, this version supports up to %d; use a newer flightdesk",
			errSchema, have, last)
	}
	if have < first {
		return fmt.Errorf("%w: its schema is %d, from before the first release", errSchema, have)
	}
	return nil
}

// schemaRange returns the first and the last schema version of this program.
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

// CheckFolder checks a data folder and returns a line for each fault: damage in the
// database, references to missing rows, secrets that cannot be decrypted, and files that
// are missing or changed. It changes nothing.
func CheckFolder(ctx context.Context, dir string) ([]string, error) {
	db, err := openToRead(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	err = checkSchema(ctx, db)
	if errors.Is(err, errSchema) {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if isDamage(err) {
		return []string{damageFault(err)}, nil
	}
	if err != nil {
		return nil, err
	}
	return runChecks(ctx, db, dir, checkStructure, missingRows, lockedSecrets, damagedFiles)
}

// folderCheck checks a data folder and returns a line for each fault that it finds.
type folderCheck func(ctx context.Context, db *sql.DB, dir string) ([]string, error)

// runChecks runs checks and returns the faults that they find. If a check cannot read the database
// because of damage, runChecks adds the damage as the last fault and skips the remaining checks.
func runChecks(ctx context.Context, db *sql.DB, dir string, checks ...folderCheck) ([]string, error) {
	var faults []string
	for _, check := range checks {
		found, err := check(ctx, db, dir)
		faults = append(faults, found...)
		if isDamage(err) {
			return append(faults, damageFault(err)), nil
		}
		if err != nil {
			return faults, err
		}
	}
	return faults, nil
}

func damageFault(err error) string { return "database: " + err.Error() }

// CheckBackup returns an error if the database of a backup is damaged, or a file is missing
// or has another size. Other faults do not prevent a restore, because the backup may be the
// only copy of the undamaged data.
func CheckBackup(ctx context.Context, dir string) error {
	db, err := openToRead(dir)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	faults, err := runChecks(ctx, db, dir, checkStructure, missingFiles)
	if err != nil {
		return err
	}
	if len(faults) > 0 {
		return fmt.Errorf("%w: errors in the backup %s: %d, for example %s; use another backup",
			ErrDamaged, dir, len(faults), faults[0])
	}
	return nil
}

// checkStructure runs the integrity check of SQLite.
func checkStructure(ctx context.Context, db *sql.DB, _ string) ([]string, error) {
	var faults []string
	found, err := queryTexts(ctx, db, `PRAGMA integrity_check(100)`)
	for _, line := range found {
		for part := range strings.SplitSeq(line, "\n") {
			if part != "ok" {
				faults = append(faults, "database: "+part)
			}
		}
	}
	return faults, err
}

// recordedFile is a file as the database describes it.
type recordedFile struct {
	place  string
	size   int64  // bytes
	sha256 string // hexadecimal; empty if unknown
}

// recordedFiles returns the files that should be in the data folder. Sample files are not
// in a folder.
func recordedFiles(ctx context.Context, db *sql.DB) ([]recordedFile, error) {
	var all []recordedFile
	rows, err := db.QueryContext(ctx, `SELECT place, size, sha256 FROM files WHERE place NOT LIKE 'sample-%'`)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var f recordedFile
		if err := rows.Scan(&f.place, &f.size, &f.sha256); err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, rows.Err()
}

// sizeFault returns a fault if the file is missing or has another size, otherwise "".
func (f *recordedFile) sizeFault(dir string) string {
	info, err := os.Stat(f.path(dir))
	if err != nil {
		return "file " + f.place + " is missing"
	}
	if info.Size() != f.size {
		return fmt.Sprintf("file %s has %d bytes, and should have %d", f.place, info.Size(), f.size)
	}
	return ""
}

// contentFault returns a fault if the digest of the content is not the recorded one,
// otherwise "".
func (f *recordedFile) contentFault(ctx context.Context, dir string) string {
	if f.sha256 == "" {
		return ""
	}
	digest, err := fileDigest(ctx, f.path(dir))
	if err != nil {
		return fmt.Sprintf("file %s cannot be read: %v", f.place, err)
	}
	if digest != f.sha256 {
		return "file " + f.place + " has changed; its SHA-256 is not the recorded one"
	}
	return ""
}

func (f *recordedFile) path(dir string) string { return filepath.Join(dir, "files", f.place) }

// missingFiles lists the files that are missing or have another size.
func missingFiles(ctx context.Context, db *sql.DB, dir string) ([]string, error) {
	var faults []string
	recorded, err := recordedFiles(ctx, db)
	if err != nil {
		return nil, err
	}
	for i := range recorded {
		if fault := recorded[i].sizeFault(dir); fault != "" {
			faults = append(faults, fault)
		}
	}
	return faults, nil
}

// damagedFiles lists the files that are missing or changed. It reads all of them.
func damagedFiles(ctx context.Context, db *sql.DB, dir string) ([]string, error) {
	var faults []string
	recorded, err := recordedFiles(ctx, db)
	if err != nil {
		return nil, err
	}
	for i := range recorded {
		fault := recorded[i].sizeFault(dir)
		if fault == "" {
			fault = recorded[i].contentFault(ctx, dir)
		}
		if ctx.Err() != nil {
			return faults, ctx.Err()
		}
		if fault != "" {
			faults = append(faults, fault)
		}
	}
	return faults, nil
}

// fileDigest returns the SHA-256 digest of a file in hexadecimal.
func fileDigest(ctx context.Context, path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	hash := sha256.New()
	for ctx.Err() == nil {
		_, err := io.CopyN(hash, file, 1<<20)
		if errors.Is(err, io.EOF) {
			return hex.EncodeToString(hash.Sum(nil)), nil
		}
		if err != nil {
			return "", err
		}
	}
	return "", ctx.Err()
}

// missingRows lists the rows that refer to a row that is missing.
func missingRows(ctx context.Context, db *sql.DB, _ string) ([]string, error) {
	return queryTexts(ctx, db, `SELECT
		"table" || ' row ' || COALESCE(rowid, '?') || ': its row of ' || parent || ' is missing'
		FROM pragma_foreign_key_check LIMIT 1000`)
}

// sealedSecrets is a query for all encrypted secrets of a database. Each row is a sealedRow. Its
// key consists of the table and the ID of the database row.
const sealedSecrets = `
	SELECT 'webhooks row ' || id, uuid, secret FROM webhooks
	UNION ALL SELECT 'order_notifications row ' || order_id, owner, secret FROM order_notifications WHERE secret <> ''
	UNION ALL SELECT 'setting ' || name, name, value FROM settings WHERE name LIKE 'secret.%'`

// isSetting reports whether a row of sealedSecrets is a setting.
func (r sealedRow) isSetting() bool { return strings.HasPrefix(r.key, "setting ") }

// lockedSecrets lists the secrets that cannot be decrypted with the encryption key in the data
// folder. If the database is damaged, it checks only the secrets that can be read.
func lockedSecrets(ctx context.Context, db *sql.DB, dir string) ([]string, error) {
	secrets, err := readSealedSecrets(ctx, db)
	return secretFaults(secrets, dir), err
}

// readSealedSecrets returns the encrypted secrets of a database. If it fails, it returns the
// error and the secrets that it has read before.
func readSealedSecrets(ctx context.Context, db *sql.DB) ([]sealedRow, error) {
	rows, err := db.QueryContext(ctx, sealedSecrets)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var secrets []sealedRow
	for rows.Next() {
		var secret sealedRow
		if err := scanSealed(rows, &secret); err != nil {
			return secrets, err
		}
		secrets = append(secrets, secret)
	}
	return secrets, rows.Err()
}

// secretFaults returns a fault for each secret that cannot be decrypted with the encryption key
// in the folder, or a single fault if there is no valid key.
func secretFaults(secrets []sealedRow, dir string) []string {
	vault, err := openVault(dir)
	if errors.Is(err, fs.ErrNotExist) {
		// The store deletes the secrets in settings when it creates a new key.
		secrets = slices.DeleteFunc(secrets, sealedRow.isSetting)
	}
	if len(secrets) == 0 {
		return nil // no key is needed
	}
	if err != nil {
		return []string{"secrets: " + err.Error()}
	}
	var faults []string
	for _, s := range secrets {
		if _, err := vault.Open(s.owner, s.secret); err != nil {
			faults = append(faults, s.key+": its secret does not open with the key in "+vaultFile)
		}
	}
	return faults
}

// openVault returns the vault with the keys in a folder.
func openVault(dir string) (*Vault, error) {
	keys, err := readVaultKeys(filepath.Join(dir, vaultFile))
	if err != nil {
		return nil, err
	}
	v := &Vault{}
	return v, v.setKeys(keys)
}
