package domain

import (
	"context"
	"errors"

	"flightdesk/api/server/internal/store"
)

// KeepSecret returns the secret that is kept under a name, encrypted, or keeps
// and returns the one that draft makes: where there is none yet, or isGood
// refuses what there is.
func (d *ServiceParts) KeepSecret(
	ctx context.Context, name string, isGood func(secret string) bool, draft func() (string, error),
) (string, error) {
	name = "secret." + name
	sealed, err := d.Store.Setting(ctx, name)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return "", wrapStoreError(err, "read "+name)
	}
	if err == nil {
		// One that does not open any more is replaced: nobody can know it.
		if secret, err := d.Vault.Open(name, sealed); err == nil && isGood(secret) {
			return secret, nil
		}
	}
	secret, err := draft()
	if err != nil {
		return "", err
	}
	err = d.Store.Write(ctx, func(tx *store.Tx) error {
		// Another process may have made one at the same time.
		now, err := tx.Setting(name)
		if err == nil && now != sealed {
			secret, err = d.Vault.Open(name, now)
			return err
		}
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		return tx.SetSetting(name, d.Vault.Seal(name, secret))
	})
	return secret, wrapStoreError(err, "keep "+name)
}
