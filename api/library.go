package api

import (
	"context"
	"iter"
)

// MaxLibraryFilters is how many fileDataType values the library takes.
const MaxLibraryFilters = 10

// Dataset is a purchased dataset of the data library.
type Dataset struct {
	ID            string         `json:"id"`
	DatasetName   string         `json:"datasetName"`
	Categories    []string       `json:"categories"`
	Description   string         `json:"description"`
	SDGGoals      []string       `json:"sdgGoals"`
	LocationLabel string         `json:"locationLabel"`
	LocationMap   []Point        `json:"locationMap"`
	DateCompleted Date           `json:"dateCompleted"`
	DeliveryFiles *DeliveryFiles `json:"deliveryFiles,omitzero"`
	Extra         ExtraMembers   `json:",embed"`
}

// DatasetListOptions choose a page of datasets. The zero value is the newest
// page of the service's default size.
type DatasetListOptions struct {
	FileDataType []Deliverable // at most [MaxLibraryFilters]; none: base files only
	Limit        int           // 1 to [MaxPageLimit]; 0: not sent
	Page         int           // from 0
}

// LibraryService reads purchased datasets.
type LibraryService serviceBase

// List returns one page of the account's datasets, newest first.
func (s *LibraryService) List(ctx context.Context, opts DatasetListOptions) ([]Dataset, error) {
	op := legacyRead("list datasets", "POST datalibraryorders")
	return listRecords[Dataset](ctx, s.c, op, filterBody{
		FileDataType: opts.FileDataType, Limit: opts.Limit, Page: opts.Page,
	})
}

// Get returns a dataset. Without fileDataType it has its base files only; with
// it, the products named and no base files.
func (s *LibraryService) Get(ctx context.Context, id string, fileDataType ...Deliverable) (*Dataset, error) {
	op := legacyRead("read dataset", "POST datalibraryorders/{}", id)
	return onlyOne[Dataset](ctx, s.c, op, filterBody{FileDataType: fileDataType})
}

// All yields the account's datasets, newest first, page by page, each once.
// opts.Page is where it begins. It stops after the first error, which it
// yields.
func (s *LibraryService) All(ctx context.Context, opts DatasetListOptions) iter.Seq2[*Dataset, error] {
	if opts.Limit == 0 {
		opts.Limit = MaxPageLimit
	}
	page := func(n int) ([]Dataset, error) {
		opts := opts
		opts.Page += n
		return s.List(ctx, opts)
	}
	return walkPages(page, func(d *Dataset) string { return d.ID + "\x00" + d.DatasetName })
}
