package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
)

func TestDatasetsAreReadAsSaved(t *testing.T) {
	s := open(t, "")
	ctx := context.Background()
	a := account("A")
	other := account("B")
	made := time.UnixMilli(1773480413590).UTC()
	dataset := func(owner *store.Account, n int) *store.Dataset {
		return &store.Dataset{
			UUID: fmt.Sprint("dataset-", n, owner.UUID), AccountID: owner.ID, Name: "Coast", Categories: []string{"coast", "ice, snow"}, Description: "d",
			SDGGoals: []string{}, LocationLabel: "Sylt", LocationMap: []api.Point{{Lat: 54.9, Lng: 8.3}}, DateCompleted: "2025-11-02",
			Created: made,
		}
	}
	var sets []*store.Dataset
	write(t, s, func(tx *store.Tx) error {
		for _, owner := range []*store.Account{a, other} {
			if err := store.Insert(tx, owner); err != nil {
				return err
			}
		}
		for n, owner := range []*store.Account{a, other, a, a} {
			d := dataset(owner, n)
			sets = append(sets, d)
			files := []store.File{{UUID: fmt.Sprint("a", n), Place: "p", Kind: "jpg"}, {UUID: fmt.Sprint("b", n), Place: "q", Kind: "LiDAR"}}
			if err := tx.InsertDataset(d, files); err != nil {
				return err
			}
		}
		return nil
	})
	page, err := s.Datasets(ctx, a.ID, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	same(t, page, []store.Dataset{*sets[2], *sets[0]})
	one, err := store.ByUUID[store.Dataset](ctx, s, sets[1].UUID)
	if err != nil {
		t.Fatal(err)
	}
	same(t, one, *sets[1])
	files, err := s.DatasetFiles(ctx, sets[2].ID)
	if err != nil || len(files) != 2 || files[0].UUID != "a2" || files[1].Kind != "LiDAR" || !files[0].Created.Equal(made) {
		t.Errorf("%+v, %v", files, err)
	}
}
