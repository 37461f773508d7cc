package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"time"

	"flightdesk/api"
)

const accountColumns = `a.id, a.uuid, a.company_name, a.client_name, a.client_email, a.currency, a.created`

func (a *Account) scanPlaces() []any {
	return []any{&a.ID, &a.UUID, &a.CompanyName, &a.ClientName, &a.ClientEmail, &a.Currency, instantColumn{&a.Created}}
}

func scanAccount(rows *sql.Rows) (a Account, err error) {
	err = rows.Scan(a.scanPlaces()...)
	return a, err
}

// Accounts returns all accounts, oldest first.
func (r *storeReader) Accounts(ctx context.Context) ([]Account, error) {
	return collectRows(ctx, r, scanAccount, `SELECT `+accountColumns+` FROM accounts a ORDER BY a.id`)
}

// AccountByUUID returns one account.
func (r *storeReader) AccountByUUID(ctx context.Context, uuid string) (Account, error) {
	return singleRow(ctx, r, scanAccount, `SELECT `+accountColumns+` FROM accounts a WHERE a.uuid = $1`, uuid)
}

// InsertAccount adds an account and sets its ID.
func (tx *Tx) InsertAccount(a *Account) error {
	return tx.queryRow(`INSERT INTO accounts (uuid, company_name, client_name, client_email, currency, created)
		VALUES ($1, $2, $3, $4, $5, $6) RETURNING id`,
		[]any{a.UUID, a.CompanyName, a.ClientName, a.ClientEmail, a.Currency, toMillis(a.Created)}, &a.ID)
}

// KeyHolder is a key with the account that it stands for.
type KeyHolder struct {
	Key     Key
	Account Account
}

func scanHolder(rows *sql.Rows) (h KeyHolder, err error) {
	k := &h.Key
	err = rows.Scan(append([]any{
		&k.ID, &k.UUID, &k.AccountID, &k.Hash, &k.Hint,
		wordsColumn[api.Scope]{&k.Scopes},
		&k.Description,
		instantColumn{&k.Created},
		instantColumn{&k.Expires},
		instantColumn{&k.Revoked},
	}, h.Account.scanPlaces()...)...)
	return h, err
}

// KeyByHash returns the key with the SHA-256 hash, expired or revoked as it
// may be, and its account.
func (r *storeReader) KeyByHash(ctx context.Context, hash string) (KeyHolder, error) {
	return singleRow(ctx, r, scanHolder, `SELECT k.id, k.uuid, k.account_id, k.hash, k.hint, k.scopes, k.description,
		k.created, k.expires, k.revoked, `+accountColumns+`
		FROM api_keys k JOIN accounts a ON a.id = k.account_id WHERE k.hash = $1`, hash)
}

// InsertKey adds a key and sets its ID.
func (tx *Tx) InsertKey(k *Key) error {
	return tx.queryRow(`INSERT INTO api_keys (uuid, account_id, hash, hint, scopes, description, created, expires, revoked)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id`,
		[]any{
			k.UUID, k.AccountID, k.Hash, k.Hint, joinWords(k.Scopes), k.Description,
			toMillis(k.Created), toMillis(k.Expires), toMillis(k.Revoked),
		}, &k.ID)
}

// RevokeKey marks a key as revoked; one revoked before keeps its time.
func (tx *Tx) RevokeKey(uuid string, at time.Time) error {
	var id int64
	return tx.queryRow(`UPDATE api_keys SET revoked = COALESCE(revoked, $1) WHERE uuid = $2 RETURNING id`,
		[]any{toMillis(at), uuid}, &id)
}

// Secret returns the random 32 bytes kept under the name, made when first
// asked for.
func (s *Store) Secret(ctx context.Context, name string) ([]byte, error) {
	var text string
	err := s.Write(ctx, func(tx *Tx) error {
		err := tx.queryRow(`SELECT value FROM settings WHERE name = $1`, []any{name}, &text)
		if !errors.Is(err, ErrNotFound) {
			return err
		}
		secret := make([]byte, 32)
		_, _ = rand.Read(secret) // never fails
		text = hex.EncodeToString(secret)
		return tx.execute(`INSERT INTO settings (name, value) VALUES ($1, $2)`, name, text)
	})
	if err != nil {
		return nil, err
	}
	return hex.DecodeString(text)
}
