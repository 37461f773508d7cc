package domain

import (
	"context"
	"errors"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
)

// Dataset returns one of the caller's datasets.
func (d Records) Dataset(ctx context.Context, c *Caller, uuid string) (store.Dataset, error) {
	set, err := d.Store.DatasetByUUID(ctx, uuid)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return set, refuseRequest(api.CodeNotFound, "dataset not found")
	case err != nil:
		return set, wrapStoreError(err, "read dataset")
	case set.AccountID != c.Account.ID:
		return store.Dataset{}, refuseRequest(api.CodeNotYourResource, "the dataset belongs to another account")
	}
	return set, nil
}

// Datasets returns a page of the caller's datasets, newest first.
func (d Records) Datasets(ctx context.Context, c *Caller, limit, page int) ([]store.Dataset, error) {
	sets, err := d.Store.Datasets(ctx, c.Account.ID, int64(limit), int64(page)*int64(limit))
	return sets, wrapStoreError(err, "list datasets")
}

// DatasetFiles returns a dataset's files.
func (d Records) DatasetFiles(ctx context.Context, set store.Dataset) ([]store.File, error) {
	list, err := d.Store.DatasetFiles(ctx, set.ID)
	return list, wrapStoreError(err, "list files")
}

// AddDataset gives an account a dataset of files that have been kept, and sets
// their IDs.
func (d Records) AddDataset(ctx context.Context, a store.Account, set store.Dataset, files []store.File) (store.Dataset, error) {
	set.Created = d.Now().UTC().Truncate(time.Millisecond)
	set.UUID, set.AccountID = newUUID(set.Created), a.ID
	err := d.Store.Write(ctx, func(tx *store.Tx) error { return tx.InsertDataset(&set, files) })
	return set, wrapStoreError(err, "add dataset")
}
