package deliveries

import (
	"path/filepath"
	"testing"
	"time"

	"flightdesk/api/fetch"
	"flightdesk/tui/app/checking"
	"flightdesk/tui/app/session"
)

func TestTotalsCountTheFilesOfEachOrder(t *testing.T) {
	d := NewDownloads(fetch.Options{Dir: t.TempDir()}, nil)
	first := filesOf("map.tif", "dsm.tif", "points.las")
	first.Order = "ORD-1"
	first.States = []fetch.FileState{{Whole: true, Known: true}, {Known: true}, {}}
	second := filesOf("a.tif")
	second.ID = "second"
	second.Order = "ORD-2"
	second.Files[0].Size = -1
	second.States = []fetch.FileState{{}}
	third := filesOf("b.tif", "c.tif")
	third.ID = "third"
	third.Order = "ORD-1"
	third.States = []fetch.FileState{{}, {}}
	list := &PackageList{Files: d}
	list.Packages = []*DeliveredPackage{first, second, third}

	totals := list.TotalsByOrder()
	want := []OrderTotals{
		{Order: "ORD-1", FileTotals: FileTotals{Packages: 2, Files: 5, Size: 5000, New: 3, Downloaded: 1, Missing: 1}},
		{Order: "ORD-2", FileTotals: FileTotals{Packages: 1, Files: 1, HasUnknownSize: true, New: 1}},
	}
	if len(totals) != 2 || totals[0] != want[0] || totals[1] != want[1] {
		t.Errorf("the totals are %+v, want %+v", totals, want)
	}
	sum := FileTotals{Packages: 3, Files: 6, Size: 5000, HasUnknownSize: true, New: 4, Downloaded: 1, Missing: 1}
	if got := SumTotals(totals); got != sum {
		t.Errorf("the sum is %+v, want %+v", got, sum)
	}
}

func TestTotalsOfUnreadFoldersAreUnknown(t *testing.T) {
	list := &PackageList{Files: NewDownloads(fetch.Options{Dir: t.TempDir()}, nil)}
	list.Packages = []*DeliveredPackage{filesOf("map.tif", "dsm.tif")}
	total := SumTotals(list.TotalsByOrder())
	if !total.HasUnseen || total.New != 0 {
		t.Errorf("before the folder was read, the totals are %+v", total)
	}
	list.Packages[0].States = make([]fetch.FileState, 2)
	total = SumTotals(list.TotalsByOrder())
	if total.HasUnseen || total.New != 2 {
		t.Errorf("after the folder was read, the totals are %+v", total)
	}
}

func TestTheProblemsOfAMissionAreCountedOnceInTotals(t *testing.T) {
	checked := time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC)
	saved := session.OpenUIState(filepath.Join(t.TempDir(), "state"))
	result := checking.Result{Digest: "d", Level: checking.OK, At: checked}
	saved.Put("checks", map[string]any{
		"files":    map[string]map[string]checking.Result{"v1": {"0": result}, "v2": {"0": result}},
		"missions": map[string]checking.MissionResult{"MSN-1": {Mission: "MSN-1", Problems: 2, At: checked}},
	})
	list := &PackageList{Files: NewDownloads(fetch.Options{Dir: t.TempDir()}, saved)}
	for _, id := range []string{"v1", "v2", "empty"} {
		p := filesOf("map.tif")
		p.ID = id
		p.Order = "ORD-1"
		p.Mission = "MSN-1"
		file := fetch.FileState{File: p.Files[0], Whole: true, Known: true}
		file.Entry.SHA256 = "d"
		p.States = []fetch.FileState{file}
		list.Packages = append(list.Packages, p)
	}
	empty := list.Packages[2]
	empty.Files = nil
	empty.States = nil
	empty.Mission = "MSN-2"

	totals := list.TotalsByOrder()
	if len(totals) != 1 || totals[0].Checked != 2 || totals[0].Problems != 2 {
		t.Errorf("the totals are %+v", totals)
	}
}

func TestFilesInTheDownloadQueueAreNeitherNewNorDownloaded(t *testing.T) {
	p := filesOf("map.tif", "dsm.tif", "points.las", "tiles.zip", "photo.jpg", "index.csv")
	p.States = make([]fetch.FileState, len(p.Files))
	d := NewDownloads(fetch.Options{Dir: t.TempDir()}, nil)
	states := []fetch.State{fetch.Waiting, fetch.Fetching, fetch.Paused, fetch.Failed, fetch.Done}
	for i, state := range states {
		d.Items = append(d.Items, fetch.Item{PackageID: p.ID, FileID: p.Files[i].ID, State: state})
		d.indexes[[2]string{p.ID, p.Files[i].ID}] = i
	}
	list := &PackageList{Files: d}
	list.Packages = []*DeliveredPackage{p}
	total := SumTotals(list.TotalsByOrder())
	if total.New != 1 || total.Queued != 4 || total.Downloaded != 1 {
		t.Errorf("the totals are %+v", total)
	}
	if total.New+total.Queued+total.Downloaded+total.Missing != total.Files {
		t.Errorf("the counts do not add up to the %d files", total.Files)
	}
}
