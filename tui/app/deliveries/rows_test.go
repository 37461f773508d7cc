package deliveries

import (
	"fmt"
	"testing"

	"flightdesk/api"
	"flightdesk/api/fetch"
)

// files are a package's, of "product/name".
func filesOf(names ...string) *DeliveredPackage {
	p := &DeliveredPackage{}
	for i, name := range names {
		f := fetch.File{ID: fmt.Sprint(i), Product: "jpg", Name: name, Size: 1000}
		p.Files = append(p.Files, f)
	}
	return p
}

func series(format string, numbers ...int) (names []string) {
	for _, n := range numbers {
		names = append(names, fmt.Sprintf(format, n))
	}
	return names
}

func TestFilesThatAreNumberedOnAreOneRow(t *testing.T) {
	six := series("IMG_%04d.JPG", 1, 2, 3, 5, 8, 9)
	for name, c := range map[string]struct {
		names []string
		want  string
	}{
		"a run":                 {six, "[0-6]"},
		"too few":               {append([]string{"a.tif", "b.tif"}, six[:2]...), "0 1 2 3"},
		"with others around":    {append(append([]string{"map.tif"}, six...), "readme.txt"), "0 [1-7] 7"},
		"another series":        {append(six[:6:6], series("DJI_%03d.jpg", 1, 2, 3, 4, 5, 6)...), "[0-6] [6-12]"},
		"numbers begin anew":    {append(six[:6:6], six...), "[0-6] [6-12]"},
		"endings of both cases": {append(series("IMG_%04d.jpg", 1, 2, 3), series("IMG_%04d.JPG", 4, 5, 6)...), "[0-6]"},
		"another width":         {append(series("p%02d.jpg", 97, 98, 99), series("p%03d.jpg", 100, 101, 102)...), "[0-3] [3-6]"},
		"one digit":             {series("p%d.jpg", 1, 2, 3, 4, 5, 6), "0 1 2 3 4 5"},
		"a number too long":     {series("p%012d.jpg", 1, 2, 3, 4, 5, 6), "0 1 2 3 4 5"},
		"numbers alone":         {series("%04d", 1, 2, 3, 4, 5, 6), "[0-6]"},
		"nothing":               {nil, ""},
	} {
		got := ""
		for i, r := range filesOf(c.names...).FileRuns() {
			if i > 0 {
				got += " "
			}
			if r.IsRun() {
				got += fmt.Sprintf("[%d-%d]", r.File, r.End)
			} else {
				got += fmt.Sprint(r.File)
			}
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	p := filesOf(six...)
	p.Files[2].Product = api.Deliverable("_2dMap")
	if rows := p.FileRuns(); len(rows) != 4 || rows[3].File != 3 || rows[3].End != 6 {
		t.Errorf("files of two products are %+v", rows)
	}
}

func TestARunIsNamedByItsEnds(t *testing.T) {
	p := filesOf(series("DJI_20261124_%04d.JPG", 7, 8, 9, 10, 11, 400)...)
	r := p.FileRuns()[0]
	if got := r.Name(); got != "DJI_20261124_0007…0400.JPG ×6" {
		t.Errorf("it is %q", got)
	}
	if got := r.DescribeContents(); got != "6 files · 6.0 kB" {
		t.Errorf("it holds %q", got)
	}
	p.Files[3].Size = -1
	if got := r.DescribeContents(); got != "6 files, sizes known after the download" {
		t.Errorf("it holds %q", got)
	}
}

func TestManyPackagesAreCollapsedSoThatEachIsSeen(t *testing.T) {
	packages := make([]*DeliveredPackage, 8)
	for i := range packages {
		packages[i] = filesOf("map.tif", "dsm.tif", "points.las")
		packages[i].ID = fmt.Sprint("package ", i)
	}
	var tree RowTree
	if rows := tree.TreeRows(packages, false); len(rows) != len(packages) {
		t.Errorf("eight packages have %d rows", len(rows))
	}
	if rows := tree.TreeRows(packages[:2], false); len(rows) != 2+6 {
		t.Errorf("two packages have %d rows", len(rows))
	}
	tree.Toggle(tree.TreeRows(packages, false)[0])
	if rows := tree.TreeRows(packages, false); len(rows) != len(packages)+3 {
		t.Errorf("with an opened package there are %d rows", len(rows))
	}
	if rows := tree.TreeRows(packages[:2], false); len(rows) != 2+6 {
		t.Errorf("an opened package is closed if fewer packages are listed: %d rows", len(rows))
	}
	tree.Toggle(tree.TreeRows(packages, false)[0])
	if rows := tree.TreeRows(packages[:2], false); len(rows) != 2+3 {
		t.Errorf("a closed package is opened if fewer packages are listed: %d rows", len(rows))
	}
}

func TestAHighWindowShowsTheFilesOfMorePackages(t *testing.T) {
	var packages []*DeliveredPackage
	for i := range 8 {
		p := filesOf("map.tif", "model.tif", "points.laz")
		p.ID = fmt.Sprint("package ", i)
		packages = append(packages, p)
	}
	const openRows = 8 + 8*3
	for room, want := range map[int]int{0: 8, openRows - 1: 8, openRows: openRows} {
		tree := RowTree{Room: room}
		if rows := tree.TreeRows(packages, false); len(rows) != want {
			t.Errorf("%d rows in a window with room for %d, want %d", len(rows), room, want)
		}
	}
}
