package domain_test

import (
	"errors"
	"strings"
	"testing"

	"flightdesk/api/server/internal/store"
	"flightdesk/api/server/internal/store/files"
)

func TestReferencedFilesAreNotDiscarded(t *testing.T) {
	d, c := open(t)
	ctx := t.Context()
	d.Files = files.NewMemory(1 << 20)
	var kept []store.File
	for _, name := range []string{"taken.jpg", "left.jpg"} {
		f, err := d.Missions.StoreFile(ctx, name, "image/jpeg", strings.NewReader(name))
		if err != nil {
			t.Fatal(err)
		}
		kept = append(kept, f)
	}
	if _, err := d.Records.AddDataset(ctx, c.Account, store.Dataset{Name: "a"}, kept[:1]); err != nil {
		t.Fatal(err)
	}
	if err := d.Missions.DiscardFiles(ctx, kept...); err != nil {
		t.Fatal(err)
	}
	if content, err := d.Files.Open(ctx, kept[0].Place); err != nil {
		t.Errorf("taken: %v", err)
	} else if err := content.Close(); err != nil {
		t.Error(err)
	}
	if _, err := d.Files.Open(ctx, kept[1].Place); !errors.Is(err, files.ErrMissing) {
		t.Errorf("left: %v", err)
	}
}
