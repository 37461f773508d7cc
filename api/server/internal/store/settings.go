package store

import (
	"context"
	"database/sql"
)

const settingOf = `SELECT value FROM settings WHERE name = $1`

func scanText(rows *sql.Rows) (text string, err error) {
	err = rows.Scan(&text)
	return text, err
}

// Setting returns what is kept under a name, ErrNotFound where it is nothing.
func (r *storeReader) Setting(ctx context.Context, name string) (string, error) {
	return singleRow(ctx, r, scanText, settingOf, name)
}

// Setting returns what is kept under a name, ErrNotFound where it is nothing.
func (tx *Tx) Setting(name string) (string, error) {
	return singleRow(tx.ctx, tx, scanText, settingOf, name)
}

// SetSetting keeps a value under a name in place of what was there.
func (tx *Tx) SetSetting(name, value string) error {
	return tx.execute(`INSERT INTO settings (name, value) VALUES ($1, $2)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`, name, value)
}

// DropSetting drops what is kept under a name.
func (tx *Tx) DropSetting(name string) error {
	return tx.execute(`DELETE FROM settings WHERE name = $1`, name)
}
