package domain

import (
	"context"
	"errors"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
)

// Snapshots returns the kept states of the whole world, the newest first.
func (d Upkeep) Snapshots() ([]store.Snapshot, error) {
	all, err := d.Store.Snapshots()
	return all, wrapStoreError(err, "list snapshots")
}

// TakeSnapshot keeps the whole world, accounts, keys and clock included.
func (d Upkeep) TakeSnapshot(ctx context.Context, name string) (store.Snapshot, error) {
	taken, err := d.Store.TakeSnapshot(ctx, name)
	return taken, wrapStoreError(err, "take a snapshot")
}

// RestoreSnapshot brings the whole world back as it was. It returns the places
// of files that nothing names any more, to be tidied up.
func (d Upkeep) RestoreSnapshot(ctx context.Context, name string) (s store.Snapshot, unnamed []string, err error) {
	var webhooks []int64
	var places []string
	err = d.Store.Write(ctx, func(tx *store.Tx) (err error) {
		if webhooks, err = tx.WebhookIDs(); err == nil {
			places, err = tx.FilePlaces()
		}
		return err
	})
	if err == nil {
		s, err = d.Store.RestoreSnapshot(ctx, name)
	}
	if errors.Is(err, store.ErrNotFound) {
		return s, nil, refuseRequest(api.CodeNotFound, "no snapshot %q", name)
	}
	if err == nil {
		d.forgetEndpoints(webhooks)
		unnamed, err = d.Store.UnnamedFiles(ctx, places)
	}
	return s, unnamed, wrapStoreError(err, "restore a snapshot")
}
