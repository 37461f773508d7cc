package deliveries

import (
	"testing"

	"flightdesk/api/fetch"
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
	shelf := &PackageShelf{Files: d}
	shelf.Packages = []*DeliveredPackage{first, second, third}

	totals := shelf.TotalsByOrder()
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
