package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
)

// Dataset is a purchased dataset of the data library.
type Dataset struct {
	ID            int64
	UUID          string
	AccountID     int64
	Name          string
	Categories    []string
	Description   string
	SDGGoals      []string
	LocationLabel string
	LocationMap   []api.Point
	DateCompleted string // a day, or ""
	Created       time.Time
}

const datasetColumns = `id, uuid, account_id, name, categories, description, sdg_goals, location_label, location_map,
	date_completed, created`

func scanDataset(rows *sql.Rows) (d Dataset, err error) {
	err = rows.Scan(&d.ID, &d.UUID, &d.AccountID, &d.Name, jsonColumn{&d.Categories}, &d.Description, jsonColumn{&d.SDGGoals},
		&d.LocationLabel, jsonColumn{&d.LocationMap}, &d.DateCompleted, instantColumn{&d.Created})
	return d, err
}

// Datasets returns a page of an account's datasets, newest first: limit of
// them, after so many others.
func (r *storeReader) Datasets(ctx context.Context, accountID, limit, offset int64) ([]Dataset, error) {
	return collectRows(ctx, r, scanDataset, `SELECT `+datasetColumns+` FROM datasets WHERE id IN (SELECT id FROM datasets
		WHERE account_id = $1 ORDER BY id DESC LIMIT $2 + 0 OFFSET $3 + 0) ORDER BY id DESC`, accountID, limit, offset)
}

// DatasetByUUID returns a dataset of any account.
func (r *storeReader) DatasetByUUID(ctx context.Context, uuid string) (Dataset, error) {
	return singleRow(ctx, r, scanDataset, `SELECT `+datasetColumns+` FROM datasets WHERE uuid = $1`, uuid)
}

// DatasetFiles returns a dataset's files as they were added.
func (r *storeReader) DatasetFiles(ctx context.Context, datasetID int64) ([]File, error) {
	return collectRows(ctx, r, scanFile, `SELECT `+qualifiedFileColumns+` FROM dataset_files d JOIN files f ON f.id = d.file_id WHERE d.dataset_id = $1 ORDER BY d.position`,
		datasetID)
}

// InsertDataset adds a dataset with its files, and sets all IDs.
func (tx *Tx) InsertDataset(d *Dataset, files []File) error {
	var lists [3]string
	for i, v := range [...]any{d.Categories, d.SDGGoals, d.LocationMap} {
		text, err := json.Marshal(v)
		if err != nil {
			return err
		}
		lists[i] = string(text)
	}
	err := tx.queryRow(`INSERT INTO datasets (uuid, account_id, name, categories, description, sdg_goals, location_label,
		location_map, date_completed, created) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING id`,
		[]any{
			d.UUID, d.AccountID, d.Name, lists[0], d.Description, lists[1], d.LocationLabel, lists[2], d.DateCompleted,
			toMillis(d.Created),
		}, &d.ID)
	if err != nil {
		return err
	}
	for i := range files {
		f := &files[i]
		f.Created = d.Created
		if err := tx.InsertFile(f); err != nil {
			return err
		}
		err := tx.execute(`INSERT INTO dataset_files (dataset_id, position, file_id) VALUES ($1, $2, $3)`, d.ID, i, f.ID)
		if err != nil {
			return err
		}
	}
	return nil
}
