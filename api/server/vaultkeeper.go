package server

import (
	"context"
	"log/slog"
	"time"

	"flightdesk/api/server/internal/store"
)

// vaultInterval is the interval at which the service checks whether the file with the key of its
// secrets was replaced.
const vaultInterval = time.Second

// vaultKeeper encrypts the secrets in the database with a new key when the key file is replaced,
// while the service runs.
type vaultKeeper struct {
	store *store.Store
	vault *store.Vault
	log   *slog.Logger
	work  backgroundWork

	failing     bool   // encrypting failed and was logged
	reloadError string // text of the error that was logged when the file could not be read
}

// run checks regularly whether the key file was replaced. If it was, run reads the new key and
// encrypts the secrets with it. The earlier keys can then be removed from the file.
func (k *vaultKeeper) run(ctx context.Context) {
	finished := 0 // version of the keys with which the secrets were encrypted
	for {
		version := k.vault.Version()
		isReplaced := version != finished && k.vault.HasEarlierKeys()
		if isReplaced && k.replaceKey(ctx) {
			finished = version
		}
		select {
		case <-time.After(vaultInterval):
		case <-ctx.Done():
			return
		}
		k.reload()
	}
}

// reload reads the key file if it was replaced. It logs each error once.
func (k *vaultKeeper) reload() {
	_, err := k.vault.Reload()
	if err == nil {
		k.reloadError = ""
		return
	}
	if err.Error() != k.reloadError {
		k.log.Warn("the key of the secrets cannot be reloaded; the earlier one is used", "error", err)
	}
	k.reloadError = err.Error()
}

// maxLoggedOwners is the maximum number of owners in one line of the log.
const maxLoggedOwners = 50

// replaceKey encrypts the secrets with the new key. It returns false if this failed and must be
// tried again. It returns true even if some secrets cannot be decrypted, because trying again does
// not help.
func (k *vaultKeeper) replaceKey(ctx context.Context) bool {
	result, err := k.store.ReplaceVaultKey(ctx, k.vault)
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
	if unreadable := result.Unreadable; len(unreadable) > 0 {
		k.log.Warn("the replacement of the key is incomplete: some secrets do not open with any key of the file; "+
			"add the key that they were encrypted with, or register them again",
			"replaced", result.Replaced, "unreadable", len(unreadable),
			"owners", unreadable[:min(len(unreadable), maxLoggedOwners)])
		return true
	}
	k.log.Info("all secrets are encrypted with the new key; the earlier one can be removed from its file",
		"replaced", result.Replaced)
	return true
}
