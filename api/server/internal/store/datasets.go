package store

import (
	"context"
	"time"

	"flightdesk/api"
)

// Dataset is a dataset of the data library that an account has bought.
type Dataset struct {
	ID            int64       `column:"id"`
	UUID          string      `column:"uuid"`
	AccountID     int64       `column:"account_id"`
	Name          string      `column:"name"`
	Categories    []string    `column:"categories"`
	Description   string      `column:"description"`
	SDGGoals      []string    `column:"sdg_goals"`
	LocationLabel string      `column:"location_label"`
	LocationMap   []api.Point `column:"location_map"`
	DateCompleted string      `column:"date_completed"` // a day, or ""
	Created       time.Time   `column:"created"`
}

var datasetTable = newRecordTable[*Dataset]("datasets")

// Datasets returns a page of an account's datasets, newest first.
func (r *storeReader) Datasets(ctx context.Context, accountID, limit, offset int64) ([]Dataset, error) {
	return findRows(ctx, r, datasetTable, `WHERE id IN (SELECT id FROM datasets
		WHERE account_id = $1 ORDER BY id DESC LIMIT $2 + 0 OFFSET $3 + 0) ORDER BY id DESC`, accountID, limit, offset)
}

// DatasetFiles returns the files of a dataset in the order in which they were added.
func (r *storeReader) DatasetFiles(ctx context.Context, datasetID int64) ([]File, error) {
	return collectRows(ctx, r, fileTable.scanRow, `SELECT `+fileTable.columnList("f.")+`
		FROM dataset_files d JOIN files f ON f.id = d.file_id WHERE d.dataset_id = $1 ORDER BY d.position`, datasetID)
}

// InsertDataset adds a dataset with its files, and sets all IDs.
func (tx *Tx) InsertDataset(d *Dataset, files []File) error {
	if err := insertRows(tx, datasetTable, d); err != nil {
		return err
	}
	for i := range files {
		f := &files[i]
		f.Created = d.Created
		if err := Insert(tx, f); err != nil {
			return err
		}
		err := tx.execute(`INSERT INTO dataset_files (dataset_id, position, file_id) VALUES ($1, $2, $3)`, d.ID, i, f.ID)
		if err != nil {
			return err
		}
	}
	return nil
}
