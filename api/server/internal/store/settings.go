package store

import (
	"context"
	"errors"
)

const settingOf = `SELECT value FROM settings WHERE name = $1`

// Setting returns the value of a setting, or "" if it is not set.
func Setting(ctx context.Context, from querier, name string) (string, error) {
	text, err := singleRow(ctx, from, scanText, settingOf, name)
	if errors.Is(err, ErrNotFound) {
		return "", nil
	}
	return text, err
}

// SetSetting sets or replaces a setting.
func (tx *Tx) SetSetting(name, value string) error {
	return tx.execute(`INSERT INTO settings (name, value) VALUES ($1, $2)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`, name, value)
}

// DropSetting removes a setting.
func (tx *Tx) DropSetting(name string) error {
	return tx.execute(`DELETE FROM settings WHERE name = $1`, name)
}
