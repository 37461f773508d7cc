package store

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"flightdesk/config/atomicfile"
)

// vaultFile is the file with the key of the secrets in the database. It is a separate
// file, so that a copy of the database alone does not reveal them.
const vaultFile = "secrets.key"

const vaultKeyBytes = 32

// Vault encrypts secrets that the service must be able to read again.
type Vault struct{ aead cipher.AEAD }

// Vault returns the vault of the store. Its key is in a file of the data folder, which is
// created when first needed. Without a permanent data folder, the key is only in memory.
// Processes that share a database use the key in the database, or the same key in a file.
func (s *Store) Vault(ctx context.Context) (*Vault, error) {
	key, err := s.vaultKey(ctx)
	if err != nil {
		return nil, err
	}
	return newVault(key)
}

func newVault(key []byte) (*Vault, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, err
	}
	return &Vault{aead}, nil
}

func (s *Store) vaultKey(ctx context.Context) ([]byte, error) {
	if shared, ok := s.engine.(*postgresEngine); ok {
		return s.sharedKey(ctx, shared.keyFile)
	}
	fresh := make([]byte, vaultKeyBytes)
	_, _ = rand.Read(fresh) // never fails
	if s.temporary != nil {
		return fresh, nil
	}
	path := filepath.Join(s.dir, vaultFile)
	key, err := readVaultKey(path)
	if err == nil {
		return key, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	sealed, err := s.hasWebhooks(ctx)
	if err != nil {
		return nil, err
	}
	if sealed {
		return nil, fmt.Errorf("%s is missing; restore it, webhook secrets cannot be read without it", path)
	}
	return fresh, atomicfile.ReplaceFile(path, []byte(hex.EncodeToString(fresh)+"\n"))
}

func readVaultKey(path string) ([]byte, error) {
	text, err := atomicfile.ReadSettings(path)
	if err != nil {
		return nil, err
	}
	key, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(key) != vaultKeyBytes {
		return nil, fmt.Errorf("%s contains no key; restore the file, webhook secrets cannot be read without it", path)
	}
	return key, nil
}

// Settings of a shared database: the key itself, or the hash of the key in files.
const (
	vaultSetting     = "vault.key"
	vaultHashSetting = "vault.hash"
)

// sharedKey returns the key that all processes of a shared database use.
func (s *Store) sharedKey(ctx context.Context, file string) ([]byte, error) {
	if file == "" {
		hash, err := Setting(ctx, s, vaultHashSetting)
		if err != nil {
			return nil, err
		}
		if hash != "" {
			return nil, errors.New("the key of the secrets in this database is in a file; name it with --secrets-key")
		}
		return s.Secret(ctx, vaultSetting)
	}
	key, err := readVaultKey(file)
	if err != nil {
		return nil, err
	}
	err = s.Write(ctx, func(tx *Tx) error { return tx.checkKeyFile(file, key) })
	if err != nil {
		return nil, err
	}
	return key, nil
}

// checkKeyFile returns an error if the other processes use another key than the one in the
// file. The first process saves the hash of its key.
func (tx *Tx) checkKeyFile(file string, key []byte) error {
	sum := sha256.Sum256(key)
	hash := hex.EncodeToString(sum[:])
	saved, err := Setting(tx.ctx, tx, vaultHashSetting)
	if err != nil {
		return err
	}
	if saved == hash {
		return nil
	}
	if saved != "" {
		return fmt.Errorf("%s is not the key that the other processes use; copy the file of one of them", file)
	}
	inDatabase, err := Setting(tx.ctx, tx, vaultSetting)
	if err != nil {
		return err
	}
	if inDatabase != "" && inDatabase != hex.EncodeToString(key) {
		return errors.New("the database has a key of its secrets already; leave --secrets-key out")
	}
	return tx.SetSetting(vaultHashSetting, hash)
}

func (r *storeReader) hasWebhooks(ctx context.Context) (bool, error) {
	page, err := findRows(ctx, r, webhookTable, `LIMIT 1`)
	return len(page) > 0, err
}

// Seal encrypts a secret. Open decrypts it only for the same owner.
func (v *Vault) Seal(owner, secret string) string {
	return base64.StdEncoding.EncodeToString(v.aead.Seal(nil, nil, []byte(secret), []byte(owner)))
}

// Open decrypts a secret that Seal encrypted for the owner.
func (v *Vault) Open(owner, sealed string) (string, error) {
	b, err := base64.StdEncoding.DecodeString(sealed)
	if err != nil {
		return "", errors.New("a secret in the database is damaged")
	}
	secret, err := v.aead.Open(nil, nil, b, []byte(owner))
	if err != nil {
		return "", errors.New("a secret in the database does not open with the key in " + vaultFile)
	}
	return string(secret), nil
}
