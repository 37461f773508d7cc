package checking_test

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/tui/app/checking"
)

// now is the time of the checks in tests.
func now() time.Time { return time.Date(2026, 6, 20, 12, 0, 0, 0, time.UTC) }

// delivered is a file that was delivered for a mission.
type delivered struct {
	product api.Deliverable
	path    string
}

// deliver returns the packages of files as they are after their download into a folder.
func deliver(t *testing.T, dir, mission string, files ...delivered) fetch.Package {
	t.Helper()
	p := fetch.Package{
		PackageInfo: fetch.PackageInfo{
			ID: "package-" + mission, Kind: "delivery", Name: "v1", Order: "ORD-1", Mission: mission,
			Created: now().Add(-24 * time.Hour),
		},
		Folder: []string{"ORD-1", mission, "v1"},
	}
	for _, f := range files {
		info, err := os.Stat(f.path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(f.path)
		p.Files = append(p.Files, fetch.File{ID: name, Name: name, Product: f.product, Size: info.Size()})
	}
	folder := filepath.Join(append([]string{dir}, p.Folder...)...)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	manifest := fetch.Manifest{PackageInfo: p.PackageInfo}
	for i, f := range files {
		entry := fetch.FetchedFile{ID: p.Files[i].ID, Name: p.Files[i].Name, Path: p.Files[i].Name, Size: p.Files[i].Size}
		for _, sidecar := range sidecars(f.path) {
			link(t, sidecar, filepath.Join(folder, filepath.Base(sidecar)))
		}
		place := filepath.Join(folder, entry.Path)
		link(t, f.path, place)
		info, err := os.Stat(place)
		if err != nil {
			t.Fatal(err)
		}
		entry.Modified = info.ModTime()
		manifest.Files = append(manifest.Files, entry)
	}
	data, err := json.Marshal(manifest)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "manifest.json"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

// sidecars returns the world file, the projection and the overviews beside a file.
func sidecars(path string) (list []string) {
	stem := path[:len(path)-len(filepath.Ext(path))]
	for _, name := range []string{stem + ".tfw", stem + ".prj", path + ".ovr"} {
		if _, err := os.Stat(name); err == nil {
			list = append(list, name)
		}
	}
	return list
}

// link makes a file appear in another folder.
func link(t *testing.T, from, to string) {
	t.Helper()
	if os.Link(from, to) == nil {
		return
	}
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

// checkFile checks a map of a mission.
func checkFile(t *testing.T, m api.Mission, path string) *checking.Report {
	t.Helper()
	dir := t.TempDir()
	p := deliver(t, dir, m.MissionCode, delivered{"_2dMap", path})
	checker := checking.Checker{Dir: dir, Now: now}
	report, err := checker.Check(t.Context(), checking.Delivery{
		Missions: []api.Mission{m}, Packages: []fetch.Package{p},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return report
}
