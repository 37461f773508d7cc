package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
)

var (
	accountTable = newRecordTable[*Account]("accounts").listed(`WHERE id > $1`, "id", descending)
	keyTable     = newRecordTable[*Key]("api_keys").listed(`WHERE account_id = $1`, "id", descending)
)

// Accounts returns all accounts, oldest first.
func (r *storeReader) Accounts(ctx context.Context) ([]Account, error) {
	return allAccounts(ctx, r)
}

func allAccounts(ctx context.Context, q querier) ([]Account, error) {
	return findRows(ctx, q, accountTable, `ORDER BY id`)
}

// KeyHolder is a key and its account.
type KeyHolder struct {
	Key     Key
	Account Account
}

func scanHolder(rows *sql.Rows, h *KeyHolder) error {
	return rows.Scan(append(keyTable.scanPlaces(&h.Key), accountTable.scanPlaces(&h.Account)...)...)
}

var holderOfHash = `SELECT ` + keyTable.columnList("k.") + `, ` + accountTable.columnList("a.") + `
	FROM api_keys k JOIN accounts a ON a.id = k.account_id WHERE k.hash = $1`

// KeyByHash returns the key with the SHA-256 hash and its account. The key can be expired
// or revoked.
func (r *storeReader) KeyByHash(ctx context.Context, hash string) (KeyHolder, error) {
	if r.engine.isShared() {
		return singleRow(ctx, r, scanHolder, holderOfHash, hash)
	}
	cached, generation := r.keys.get(hash)
	if cached != nil {
		return *cached, nil
	}
	holder, err := singleRow(ctx, r, scanHolder, holderOfHash, hash)
	if err != nil {
		return KeyHolder{}, err
	}
	r.keys.put(hash, holder, generation)
	return holder, nil
}

// Secret returns the 32 random bytes in the setting with the name. It creates them on
// first use.
func (s *Store) Secret(ctx context.Context, name string) ([]byte, error) {
	var text string
	err := s.Write(ctx, func(tx *Tx) error {
		var err error
		text, err = Setting(tx.ctx, tx, name)
		if err != nil {
			return err
		}
		if text != "" {
			return nil
		}
		secret := make([]byte, 32)
		_, _ = rand.Read(secret) // never fails
		text = hex.EncodeToString(secret)
		return tx.SetSetting(name, text)
	})
	if err != nil {
		return nil, err
	}
	return hex.DecodeString(text)
}
