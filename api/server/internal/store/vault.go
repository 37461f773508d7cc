package store

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"flightdesk/config/atomicfile"
)

// vaultFile is the file with the key that encrypts the secrets in the database. The key is in a
// separate file, so that a copy of the database alone does not reveal the secrets. While the key is
// being replaced, the file has the new key on its first line and the earlier key on the second.
const vaultFile = "secrets.key"

const vaultKeyBytes = 32

// Vault encrypts secrets that the service must be able to read again. It encrypts with its
// first key and decrypts with any of its keys.
type Vault struct {
	path string // of the file with the keys; empty if the keys are not in a file

	mu      sync.RWMutex
	keys    [][]byte
	aeads   []cipher.AEAD // of the keys
	version int           // number of times that the keys were set
	state   string        // fileState of the file when its keys were last read
}

// Vault returns the vault of the store. The place of its key depends on the database:
//
//   - For SQLite, the key is in the file secrets.key of the data folder. Vault creates this file
//     if it does not exist.
//   - For SQLite in a temporary data folder, the key is only in memory.
//   - For PostgreSQL, the key is in the database. If the store was opened with a key file, the key
//     is in that file. Every process that uses the database then needs a file with the same key.
func (s *Store) Vault(ctx context.Context) (*Vault, error) {
	path := vaultPath(s)
	state := fileState(path)
	keys, err := loadVaultKeys(ctx, s)
	if err != nil {
		return nil, err
	}
	v := &Vault{path: path, state: state}
	return v, v.setKeys(keys)
}

// vaultPath returns the path of the file with the keys of the vault. It returns "" if the
// data folder is temporary, or if the keys of a shared database are not in a file.
func vaultPath(s *Store) string {
	if shared, ok := s.engine.(*postgresEngine); ok {
		return shared.keyFile
	}
	if s.folder.temporary != nil {
		return ""
	}
	return filepath.Join(s.folder.dir, vaultFile)
}

// fileState returns a text that changes when a file is replaced, or "" if there is no file.
func fileState(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.ModTime().UnixNano(), " ", info.Size())
}

// setKeys sets the keys. The first key encrypts.
func (v *Vault) setKeys(keys [][]byte) error {
	aeads := make([]cipher.AEAD, len(keys))
	for i, key := range keys {
		block, err := aes.NewCipher(key)
		if err != nil {
			return err
		}
		aeads[i], err = cipher.NewGCMWithRandomNonce(block)
		if err != nil {
			return err
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.keys = keys
	v.aeads = aeads
	v.version++
	return nil
}

// Reload reads the file with the keys again if it was replaced, and reports whether the keys have
// changed. The new keys must include the current key, because the secrets in the database are
// encrypted with it. If the file cannot be read, the next call tries again.
func (v *Vault) Reload() (changed bool, err error) {
	state := fileState(v.path)
	v.mu.RLock()
	current := v.keys
	isSame := state == "" || state == v.state
	v.mu.RUnlock()
	if isSame {
		return false, nil
	}
	keys, err := readVaultKeys(v.path)
	if err != nil {
		return false, err
	}
	v.mu.Lock()
	v.state = state
	v.mu.Unlock()
	if slices.EqualFunc(keys, current, bytes.Equal) {
		return false, nil
	}
	if !containsKey(keys, current[0]) {
		return false, fmt.Errorf("%s does not contain the current key; add the new key as a line above it", v.path)
	}
	return true, v.setKeys(keys)
}

// HasEarlierKeys reports whether the vault also decrypts with keys that are being replaced.
func (v *Vault) HasEarlierKeys() bool {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return len(v.keys) > 1
}

// Version returns a number that changes whenever the keys of the vault are set.
func (v *Vault) Version() int {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.version
}

func containsKey(keys [][]byte, key []byte) bool {
	return slices.ContainsFunc(keys, func(k []byte) bool { return bytes.Equal(k, key) })
}

// loadVaultKeys returns the keys of the vault. If there are no keys, it creates a key and saves it.
// It fails if the keys are missing although the database has secrets that need them.
func loadVaultKeys(ctx context.Context, s *Store) ([][]byte, error) {
	if shared, ok := s.engine.(*postgresEngine); ok {
		return loadSharedKeys(ctx, s, shared.keyFile)
	}
	if s.folder.temporary != nil {
		return newVaultKeys(), nil
	}
	path := vaultPath(s)
	keys, err := readVaultKeys(path)
	if err == nil {
		return keys, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return createVaultKeys(ctx, s, path)
}

// createVaultKeys creates a key for the vault and saves it in the file at path, which is missing.
// It fails if the database has webhooks, because their secrets need the lost key. It deletes the
// other secrets, which the service can create again.
func createVaultKeys(ctx context.Context, s *Store, path string) ([][]byte, error) {
	hasWebhooks, err := hasWebhooks(ctx, s)
	if err != nil {
		return nil, err
	}
	if hasWebhooks {
		return nil, fmt.Errorf("%s is missing; restore it, webhook secrets cannot be read without it", path)
	}
	// The secrets in settings cannot be decrypted without the old key. The service creates them
	// again when it needs them.
	err = s.Write(ctx, func(tx *Tx) error {
		return tx.execute(`DELETE FROM settings WHERE name LIKE 'secret.%'`)
	})
	if err != nil {
		return nil, err
	}
	keys := newVaultKeys()
	if err := atomicfile.ReplaceFile(path, formatVaultKeys(keys)); err != nil {
		return nil, err
	}
	return keys, nil
}

// newVaultKeys returns a new key as the only key of a vault.
func newVaultKeys() [][]byte {
	key := make([]byte, vaultKeyBytes)
	_, _ = rand.Read(key) // never fails
	return [][]byte{key}
}

// readVaultKeys returns the keys in a file, one per line.
func readVaultKeys(path string) ([][]byte, error) {
	text, err := atomicfile.ReadSettings(path)
	if err != nil {
		return nil, err
	}
	lines := strings.Fields(string(text))
	keys := make([][]byte, len(lines))
	errNoKey := fmt.Errorf("%s contains no key; restore the file, webhook secrets cannot be read without it", path)
	if len(lines) == 0 {
		return nil, errNoKey
	}
	for i, line := range lines {
		key, err := hex.DecodeString(line)
		if err != nil || len(key) != vaultKeyBytes {
			return nil, errNoKey
		}
		keys[i] = key
	}
	return keys, nil
}

// formatVaultKeys returns the contents of a file with keys.
func formatVaultKeys(keys [][]byte) []byte {
	var text []byte
	for _, key := range keys {
		text = append(hex.AppendEncode(text, key), '\n')
	}
	return text
}

// Settings of a shared database.
const (
	vaultSetting     = "vault.key"  // the key of the secrets, if it is in the database
	vaultHashSetting = "vault.hash" // hash of the key, if it is in files of the processes
)

// loadSharedKeys returns the keys that all processes on a database have.
func loadSharedKeys(ctx context.Context, s *Store, file string) ([][]byte, error) {
	if file == "" {
		hash, err := Setting(ctx, s, vaultHashSetting)
		if err != nil {
			return nil, err
		}
		if hash != "" {
			return nil, errors.New("the key of the secrets in this database is in a file; name it with --secrets, as secrets.key in a folder")
		}
		key, err := s.Secret(ctx, vaultSetting)
		return [][]byte{key}, err
	}
	keys, err := readVaultKeys(file)
	if err != nil {
		return nil, err
	}
	return keys, s.Write(ctx, func(tx *Tx) error { return tx.checkVaultHash(file, keys) })
}

// checkVaultHash returns an error if no key in a file is the key of the database's secrets. The
// database has a hash of this key. In a new database, checkVaultHash saves the hash of the first
// key.
func (tx *Tx) checkVaultHash(file string, keys [][]byte) error {
	hash, err := Setting(tx.ctx, tx, vaultHashSetting)
	if err != nil {
		return err
	}
	if hash != "" {
		hasHash := func(key []byte) bool { return hashVaultKey(key) == hash }
		if !slices.ContainsFunc(keys, hasHash) {
			return fmt.Errorf("%s is not the key that the other processes use; copy the file of one of them", file)
		}
		return nil
	}
	stored, err := Setting(tx.ctx, tx, vaultSetting)
	if err != nil {
		return err
	}
	isStored := func(key []byte) bool { return hex.EncodeToString(key) == stored }
	if stored != "" && !slices.ContainsFunc(keys, isStored) {
		return errors.New("the database has a key of its secrets already; remove secrets.key from the folder of --secrets")
	}
	return tx.SetSetting(vaultHashSetting, hashVaultKey(keys[0]))
}

func hashVaultKey(key []byte) string {
	sum := sha256.Sum256(key)
	return hex.EncodeToString(sum[:])
}

func hasWebhooks(ctx context.Context, q querier) (bool, error) {
	page, err := findRows(ctx, q, webhookTable, `LIMIT 1`)
	return len(page) > 0, err
}

// Seal encrypts a secret. Open decrypts it only with the same owner.
func (v *Vault) Seal(owner, secret string) string {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return base64.StdEncoding.EncodeToString(v.aeads[0].Seal(nil, nil, []byte(secret), []byte(owner)))
}

// Open decrypts a secret that was encrypted by Seal. If no key of the vault fits, Open reads
// the file with the keys again and retries, because another process may have begun to use a
// new key.
func (v *Vault) Open(owner, sealed string) (string, error) {
	secret, _, err := v.open(owner, sealed)
	if err == nil {
		return secret, nil
	}
	if changed, _ := v.Reload(); !changed {
		return "", err
	}
	secret, _, err = v.open(owner, sealed)
	return secret, err
}

// open decrypts a secret and reports whether it was encrypted with the first key.
func (v *Vault) open(owner, sealed string) (secret string, isCurrent bool, err error) {
	b, err := base64.StdEncoding.DecodeString(sealed)
	if err != nil {
		return "", false, errors.New("a secret in the database is damaged")
	}
	v.mu.RLock()
	defer v.mu.RUnlock()
	for i, aead := range v.aeads {
		if secret, err := aead.Open(nil, nil, b, []byte(owner)); err == nil {
			return string(secret), i == 0, nil
		}
	}
	return "", false, errors.New("a secret in the database does not open with the key in " + vaultFile)
}

// sealedColumns has two queries for each column with encrypted secrets. query returns three values
// for each row: a value that identifies the row, the owner of the secret, and the secret. update
// changes the secret of the row $2 from $3 to $1, unless the secret has changed in the meantime.
var sealedColumns = []struct{ query, update string }{
	{
		`SELECT uuid, uuid, secret FROM webhooks`,
		`UPDATE webhooks SET secret = $1 WHERE uuid = $2 AND secret = $3`,
	},
	{
		`SELECT owner, owner, secret FROM order_notifications WHERE secret <> ''`,
		`UPDATE order_notifications SET secret = $1 WHERE owner = $2 AND secret = $3`,
	},
	{
		`SELECT name, name, value FROM settings WHERE name LIKE 'secret.%'`,
		`UPDATE settings SET value = $1 WHERE name = $2 AND value = $3`,
	},
}

type sealedRow struct{ key, owner, secret string }

func scanSealed(rows *sql.Rows, r *sealedRow) error {
	return rows.Scan(&r.key, &r.owner, &r.secret)
}

// KeyReplacement is the result of encrypting the secrets with a new key.
type KeyReplacement struct {
	Replaced   int      // number of secrets that were encrypted again
	Unreadable []string // owners of the secrets that no key of the vault decrypts
}

// ReplaceVaultKey encrypts secrets again with the first key of the vault if they are encrypted
// with an earlier key. It skips secrets that no key decrypts. The earlier keys are not needed
// afterwards.
func (s *Store) ReplaceVaultKey(ctx context.Context, v *Vault) (KeyReplacement, error) {
	var result KeyReplacement
	for _, column := range sealedColumns {
		rows, err := collectRows(ctx, s, scanSealed, column.query)
		if err != nil {
			return result, err
		}
		if err := v.sealAgain(ctx, s, rows, column.update, &result); err != nil {
			return result, err
		}
	}
	if _, isShared := s.engine.(*postgresEngine); !isShared {
		return result, nil
	}
	v.mu.RLock()
	hash := hashVaultKey(v.keys[0])
	v.mu.RUnlock()
	return result, s.Write(ctx, func(tx *Tx) error { return tx.SetSetting(vaultHashSetting, hash) })
}

// sealAgain encrypts the secrets of rows with the first key of the vault, unless they are encrypted
// with this key already. It saves them with the query update and counts them in result.
func (v *Vault) sealAgain(
	ctx context.Context, s *Store, rows []sealedRow, update string, result *KeyReplacement,
) error {
	for _, row := range rows {
		secret, isCurrent, err := v.open(row.owner, row.secret)
		if err != nil {
			result.Unreadable = append(result.Unreadable, row.owner)
			continue
		}
		if isCurrent {
			continue
		}
		err = s.Write(ctx, func(tx *Tx) error {
			return tx.execute(update, v.Seal(row.owner, secret), row.key, row.secret)
		})
		if err != nil {
			return err
		}
		result.Replaced++
	}
	return nil
}
