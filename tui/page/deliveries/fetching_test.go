package deliveries

import (
	"errors"
	"testing"
	"time"

	"flightdesk/api/fetch"
	"flightdesk/tui/app/deliveries"
	"flightdesk/tui/page"
)

func TestCancellingNoDownloadsAsksNothing(t *testing.T) {
	env := &page.Env{}
	env.Profile.Downloads = deliveries.NewDownloads(fetch.Options{Dir: t.TempDir()}, nil)
	selection := &rowSelection{
		packages: &deliveries.PackageList{},
		current:  func() *row { return nil },
		marked:   map[string]bool{},
	}
	fetching := &fetchActions{env: env, packages: selection.packages, selection: selection}
	if cmd := fetching.stopItems(nil); cmd != nil {
		t.Error("a dialog is opened although no file is being downloaded")
	}
}

func TestTheNumberOfFilesToDownloadIsTheMostBeforeTheFolderWasRead(t *testing.T) {
	env := &page.Env{}
	env.Profile.Downloads = deliveries.NewDownloads(fetch.Options{Dir: t.TempDir()}, nil)
	files := []fetch.File{{ID: "1", Name: "map.tif", Size: 1000}, {ID: "2", Name: "dsm.tif", Size: 1000}}
	pkg := &deliveries.DeliveredPackage{Package: fetch.Package{Files: files}}
	selection := &rowSelection{
		packages: &deliveries.PackageList{Packages: []*deliveries.DeliveredPackage{pkg}},
		current:  func() *row { return &row{Package: pkg, File: -1} },
	}
	fetching := &fetchActions{env: env, packages: selection.packages, selection: selection}
	if text := fetching.describeChosen(); text != "download up to 2 files, 2.0 kB" {
		t.Errorf("before the folder was read, the key does %q", text)
	}
	pkg.States = []fetch.FileState{{Whole: true, Known: true}, {}}
	if text := fetching.describeChosen(); text != "download 1 file, 1.0 kB" {
		t.Errorf("after the folder was read, the key does %q", text)
	}
}

func TestQueuedFilesAreAllNewFilesOnlyIfAllAreKnown(t *testing.T) {
	now := time.Now()
	for want, c := range map[string]struct {
		state     deliveries.PackageListState
		hasUnseen bool
	}{
		"every new file is in the download queue":                               {deliveries.PackageListState{ReadAt: now}, false},
		"no new files are known; not all deliveries could be loaded":            {deliveries.PackageListState{ReadAt: now, Err: errors.New("timeout")}, false},
		"deliveries are being loaded":                                           {deliveries.PackageListState{ReadAt: now, Partial: true}, false},
		"the download folder is not read yet":                                   {deliveries.PackageListState{ReadAt: now}, true},
		"every new file of the orders that are loaded is in the download queue": {deliveries.PackageListState{ReadAt: now, More: true}, false},
	} {
		f := &fetchActions{
			packages: &deliveries.PackageList{PackageListState: c.state},
			news:     &newFiles{hasUnseen: c.hasUnseen, queued: queuedFiles{downloading: 1}},
			noun:     "deliveries",
		}
		if reason := f.nothingNew(nil); reason != want {
			t.Errorf("%+v: %q, want %q", c, reason, want)
		}
	}
}
