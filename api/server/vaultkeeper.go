package server

import (
	"context"
	"log/slog"
	"time"

	"flightdesk/api/server/internal/store"
)

// vaultInterval is the interval at which the service checks whether the key of its
// secrets was replaced.
const vaultInterval = time.Second

// vaultKeeper replaces the key of the secrets while the service runs.
type vaultKeeper struct {
	store *store.Store
	vault *store.Vault
	log   *slog.Logger
	work  backgroundWork

	failing bool // encrypting failed and was logged
}

// run checks whether the key file was replaced. If so, it reads the new key and encrypts
// the secrets with it, so that earlier keys can be removed from the file.
func (k *vaultKeeper) run(ctx context.Context) {
	isNew := k.vault.HasEarlierKeys()
	for {
		if isNew && k.vault.HasEarlierKeys() {
			isNew = !k.replaceKey(ctx)
		}
		select {
		case <-time.After(vaultInterval):
		case <-ctx.Done():
			return
		}
		changed, err := k.vault.Reload()
		if err != nil {
			k.log.Warn("the key of the secrets cannot be reloaded; the earlier one is used", "error", err)
		}
		isNew = isNew || changed
	}
}

// replaceKey encrypts the secrets with the new key and reports whether that succeeded.
func (k *vaultKeeper) replaceKey(ctx context.Context) bool {
	replaced, err := k.store.ReplaceVaultKey(ctx, k.vault)
	if ctx.Err() != nil {
		return false
	}
	if err != nil {
		if !k.failing {
			k.log.Warn("secrets cannot be encrypted with the new key", "error", err)
		}
		k.failing = true
		return false
	}
	k.failing = false
	k.log.Info("all secrets are encrypted with the new key; the earlier one can be removed from its file",
		"replaced", replaced)
	return true
}
