package store

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"flightdesk/config/atomicfile"
)

// vaultFile holds the key of the secrets in the database, so that the
// database alone, as in a backup of it, does not give them away.
const vaultFile = "secrets.key"

const vaultKeyBytes = 32

// Vault encrypts what the service must be able to read again.
type Vault struct{ aead cipher.AEAD }

// Vault returns the store's vault. Its key is in a file of the data folder,
// made when first needed; where there is no such folder it is in memory only.
func (s *Store) Vault(ctx context.Context) (*Vault, error) {
	key, err := s.vaultKey(ctx)
	if err != nil {
		return nil, err
	}
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
	fresh := make([]byte, vaultKeyBytes)
	_, _ = rand.Read(fresh) // never fails
	if s.temporary != nil {
		return fresh, nil
	}
	path := filepath.Join(s.dir, vaultFile)
	text, err := os.ReadFile(path)
	if err == nil {
		key, err := hex.DecodeString(strings.TrimSpace(string(text)))
		if err != nil || len(key) != vaultKeyBytes {
			return nil, fmt.Errorf("%s holds no key; put the file back as it was, the webhooks' secrets cannot be read without", path)
		}
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
		return nil, fmt.Errorf("%s is missing; put it back, the webhooks' secrets cannot be read without", path)
	}
	return fresh, atomicfile.Replace(path, []byte(hex.EncodeToString(fresh)+"\n"), 0o600)
}

func (s *Store) hasWebhooks(ctx context.Context) (bool, error) {
	page, err := collect(ctx, s, scanWebhook, `SELECT `+webhookColumns+` FROM webhooks w LIMIT 1`)
	return len(page) > 0, err
}

// Seal encrypts a secret. What is sealed opens with the same owner only.
func (v *Vault) Seal(owner, secret string) string {
	return base64.StdEncoding.EncodeToString(v.aead.Seal(nil, nil, []byte(secret), []byte(owner)))
}

// Open decrypts what Seal has made.
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
