package checking_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/kmlcsv"
	"flightdesk/kmlcsv/crs"
	"flightdesk/tui/app/checking"
	"flightdesk/tui/app/checking/internal/tifftest"
	"flightdesk/tui/app/session"
)

// square returns an area in EPSG:32637: its distance from the north-western corner of placed rasters
// and its sides in metres.
func square(t *testing.T, east, south, width, height float64) []api.Point {
	t.Helper()
	system, err := crs.FindCode(32637)
	if err != nil {
		t.Fatal(err)
	}
	var points []api.Point
	for _, corner := range [][2]float64{{0, 0}, {width, 0}, {width, height}, {0, height}} {
		lng, lat, err := system.ToWGS84(745000+east+corner[0], 255000-south-corner[1])
		if err != nil {
			t.Fatal(err)
		}
		points = append(points, api.Point{Lat: lat, Lng: lng})
	}
	return points
}

// block is a mission of 80 × 60 m within a raster of 100 × 80 m.
func block(t *testing.T) api.Mission {
	t.Helper()
	return api.Mission{
		MissionCode: "MSN-1", MissionName: "Block A", MissionType: api.MissionArea, Status: api.MissionDataDelivered,
		LocationMap: square(t, 10, 10, 80, 60),
	}
}

// save writes a raster of 100 × 80 m with data where a function says so.
func save(t *testing.T, name string, hasData func(x, y int) bool, extra ...tifftest.Tag) string {
	t.Helper()
	r := tifftest.Raster{
		Width: 100, Height: 80, Deflate: true,
		Extra: append(append(extra, tifftest.Placed()...), tifftest.Text(42113, "0\x00")),
		Pixels: func(x, y int) byte {
			if hasData(x, y) {
				return 9
			}
			return 0
		},
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, r.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func everywhere(int, int) bool { return true }

// texts returns the findings of a level.
func texts(r *checking.Report, level checking.Level) (list []string) {
	for _, f := range r.Findings {
		if f.Level == level {
			list = append(list, f.Text)
		}
	}
	return list
}

func TestAMapThatCoversItsMissionIsComplete(t *testing.T) {
	r := checkFile(t, block(t), save(t, "map.tif", everywhere))
	if r.Problems != 0 || r.Notes != 0 || *r.Findings[0].Covered != 1 {
		t.Errorf("findings: %+v", r.Findings)
	}
	if got := r.Findings[0].Text; got != "2D map covers Block A (1.00 m, EPSG:32637)" {
		t.Errorf("it says %q", got)
	}
}

func TestAMissingPartIsMeasuredAndPlaced(t *testing.T) {
	corner := func(x, y int) bool { return x < 60 || y >= 30 } // 30 × 20 m of the area are missing
	r := checkFile(t, block(t), save(t, "map.tif", corner))
	f := r.Findings[0]
	if f.Level != checking.Problem || !strings.HasSuffix(f.Text, " m² missing in the north-east (1.00 m, EPSG:32637)") ||
		!strings.HasPrefix(f.Text, "2D map covers 87.5 % of Block A: ") {
		t.Errorf("it says %q", f.Text)
	}
	if len(f.Parts) != 1 || f.Parts[0].Where != "in the north-east" || len(f.Parts[0].Outline) < 4 || f.Missing < 590 || f.Missing > 610 {
		t.Fatalf("the missing parts are %+v", f.Parts)
	}
	// The outline is a rectangle around the missing part.
	want := square(t, 60, 10, 30, 20)
	for _, p := range f.Parts[0].Outline {
		nearest := 1.0
		for _, corner := range want {
			nearest = min(nearest, max(abs(p.Lat-corner.Lat), abs(p.Lng-corner.Lng)))
		}
		if nearest > 2e-5 {
			t.Errorf("%v is no corner of the missing part %v", p, want)
		}
	}
}

func abs(x float64) float64 { return max(x, -x) }

func TestARasterWithoutEmptyPixelsSaysSo(t *testing.T) {
	r := tifftest.Raster{Width: 100, Height: 80, Pixels: func(int, int) byte { return 0 }, Extra: tifftest.Placed()}
	path := filepath.Join(t.TempDir(), "map.tif")
	if err := os.WriteFile(path, r.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	got := checkFile(t, block(t), path).Findings[0].Text
	if !strings.HasSuffix(got, "; it marks no empty pixels, so its rectangle counts as covered") {
		t.Errorf("it says %q", got)
	}
}

func TestTilesOfAMapCoverAMissionTogether(t *testing.T) {
	west := save(t, "west.tif", func(x, _ int) bool { return x < 50 })
	east := save(t, "east.tif", func(x, _ int) bool { return x >= 50 })
	dir := t.TempDir()
	p := deliver(t, dir, "MSN-1", delivered{"_2dMap", west}, delivered{"_2dMap", east})
	r := check(t, dir, nil, []api.Mission{block(t)}, p)
	if r.Problems != 0 || *r.Findings[0].Covered != 1 {
		t.Errorf("findings: %+v", r.Findings)
	}
}

func TestFilesThatAreNotCheckedAreNotMissing(t *testing.T) {
	west := save(t, "west.tif", func(x, _ int) bool { return x < 50 })
	east := save(t, "east.tif", func(x, _ int) bool { return x >= 50 })
	want := "2D map: the checked files cover 50.0 % of Block A (1.00 m, EPSG:32637)"
	for name, choose := range map[string]func(fetch.Package) checking.Delivery{
		"not chosen": func(p fetch.Package) checking.Delivery {
			return checking.Delivery{
				Packages: []fetch.Package{p},
				Chosen:   func(_, fileID string) bool { return fileID == "west.tif" },
			}
		},
		"not downloaded": func(p fetch.Package) checking.Delivery {
			p.Files = append(p.Files, fetch.File{ID: "north.tif", Name: "north.tif", Product: "_2dMap", Size: 9})
			p.Files = slices.Delete(p.Files, 1, 2)
			return checking.Delivery{Packages: []fetch.Package{p}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			p := deliver(t, dir, "MSN-1", delivered{"_2dMap", west}, delivered{"_2dMap", east})
			d := choose(p)
			d.Missions = []api.Mission{block(t)}
			r, err := checking.Checker{Dir: dir, Now: now}.Check(t.Context(), d, nil)
			if err != nil {
				t.Fatal(err)
			}
			if r.Problems != 0 || !slices.Contains(texts(r, checking.Note), want) || r.Files[0].Level != checking.OK {
				t.Errorf("findings: %+v", r.Findings)
			}
		})
	}
}

func TestAFileThatIsTooSlowIsNotChecked(t *testing.T) {
	dir := t.TempDir()
	p := deliver(t, dir, "MSN-1", delivered{"_2dMap", save(t, "map.tif", everywhere)})
	r, err := checking.Checker{Dir: dir, Now: now}.WithTimeout(time.Nanosecond).Check(t.Context(), checking.Delivery{
		Missions: []api.Mission{block(t)}, Packages: []fetch.Package{p},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := "map.tif is not checked: reading it was too slow"
	if r.Problems != 0 || !slices.Equal(texts(r, checking.Note), []string{want}) || len(r.Missions) != 0 {
		t.Errorf("findings: %+v, missions: %+v", r.Findings, r.Missions)
	}
}

func TestAllMissingPlacesAreCounted(t *testing.T) {
	// The area is 80 × 60 m, with a hole of 3 × 3 m in each of its 48 squares of 10 m.
	isHole := func(x, y int) bool { return x%10 >= 3 && x%10 < 6 && y%10 >= 3 && y%10 < 6 }
	f := checkFile(t, block(t), save(t, "map.tif", func(x, y int) bool { return !isHole(x, y) })).Findings[0]
	if !strings.Contains(f.Text, " missing in 48 places, the largest ") || len(f.Parts) != 20 {
		t.Errorf("it says %q and lists %d parts", f.Text, len(f.Parts))
	}
}

func TestALineIsMeasuredByItsLength(t *testing.T) {
	m := block(t)
	m.MissionType = api.MissionLinear
	m.MissionName = "Pipeline"
	m.LocationMap = square(t, 10, 40, 80, 0)[:2]
	r := checkFile(t, m, save(t, "map.tif", func(x, _ int) bool { return x >= 30 }))
	if got := r.Findings[0].Text; !strings.HasPrefix(got, "2D map covers 75.0 % of Pipeline: 20 m missing in the west") {
		t.Errorf("it says %q", got)
	}
}

func TestPointsAreCounted(t *testing.T) {
	m := block(t)
	m.MissionType = api.MissionAsset
	m.MissionName = "Turbines"
	r := checkFile(t, m, save(t, "map.tif", func(x, _ int) bool { return x < 50 }))
	if got := r.Findings[0].Text; !strings.HasPrefix(got, "2D map covers 50.0 % of Turbines: 2 points missing") {
		t.Errorf("it says %q", got)
	}
}

// check checks packages of an order.
func check(t *testing.T, dir string, o *api.Order, missions []api.Mission, packages ...fetch.Package) *checking.Report {
	t.Helper()
	r, err := checking.Checker{Dir: dir, Now: now}.Check(t.Context(), checking.Delivery{
		Order: o, Missions: missions, Packages: packages,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A panic while a file is read is a problem of the file; it does not end the program.
func TestAPanicOfAReaderIsAProblemOfItsFile(t *testing.T) {
	dir := t.TempDir()
	p := deliver(t, dir, "MSN-1", delivered{"_2dMap", save(t, "map.tif", everywhere)})
	report := func(p checking.Progress) {
		if p.Share > 0 {
			panic("it fails")
		}
	}
	checker := checking.Checker{Dir: dir, Now: now}
	r, err := checker.Check(t.Context(), checking.Delivery{Packages: []fetch.Package{p}}, report)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Files[0]; got.Level != checking.Problem || got.Text != "cannot be read" {
		t.Errorf("the file is %s: %q", got.Level, got.Text)
	}
}

func TestMissingAndUnorderedProductsAreReported(t *testing.T) {
	dir := t.TempDir()
	second := block(t)
	second.MissionCode = "MSN-2"
	second.MissionName = "Block B"
	third := second
	third.MissionCode = "MSN-3"
	third.MissionName = "Block C"
	third.Status = api.MissionFlightScheduled
	fourth := second
	fourth.MissionCode = "MSN-4"
	fourth.MissionName = "Block D"
	fourth.Status = api.MissionAwaitingPilot
	o := &api.Order{OrderCode: "ORD-1", Status: api.OrderBiddingWithQuote, Deliverables: []api.Deliverable{"_2dMap", "LiDAR"}}
	p := deliver(t, dir, "MSN-1", delivered{"_2dMap", save(t, "map.tif", everywhere)}, delivered{"ndvi", save(t, "ndvi.tif", everywhere)})
	r := check(t, dir, o, []api.Mission{block(t), second, third, fourth}, p)
	problems := texts(r, checking.Problem)
	for _, want := range []string{"No LiDAR points delivered for Block A", "Nothing was delivered for Block B"} {
		if !slices.Contains(problems, want) {
			t.Errorf("%q is not among %q", want, problems)
		}
	}
	notes := texts(r, checking.Note)
	for _, want := range []string{
		"NDVI was delivered, but not ordered: 1 file", "Nothing was delivered for Block C yet: flight scheduled",
		"Nothing was delivered for Block D yet: in review",
	} {
		if !slices.Contains(notes, want) {
			t.Errorf("%q is not among %q", want, notes)
		}
	}
	if r.Findings[0].Level != checking.Problem || r.Findings[len(r.Findings)-1].Level != checking.OK {
		t.Errorf("the worst is not first: %+v", r.Findings)
	}
}

func TestProductsInDifferentSystemsAreReported(t *testing.T) {
	degrees := []tifftest.Tag{
		tifftest.Doubles(33550, 1e-5, 1e-5, 0), tifftest.Doubles(33922, 0, 0, 0, 41.2, 2.31, 0),
		tifftest.Shorts(34735, 1, 1, 0, 2, 1024, 0, 1, 2, 2048, 0, 1, 4326),
	}
	dir := t.TempDir()
	p := deliver(t, dir, "MSN-1",
		delivered{"_2dMap", save(t, "map.tif", everywhere)},
		delivered{"digitalTerrainModel", save(t, "dtm.tif", everywhere)},
		delivered{"digitalSurfaceModel", save(t, "dsm.tif", everywhere, degrees...)})
	problems := texts(check(t, dir, nil, []api.Mission{block(t)}, p), checking.Problem)
	if want := "Surface (DSM) is in EPSG:4326, 2D map in EPSG:32637"; !slices.Contains(problems, want) {
		t.Errorf("%q is not among %q", want, problems)
	}
}

// inSystem returns tags that put a raster in the same place of another UTM zone.
func inSystem(code uint16) []tifftest.Tag {
	return []tifftest.Tag{tifftest.Shorts(34735, 1, 1, 0, 2, 1024, 0, 1, 1, 3072, 0, 1, code)}
}

func TestMissionsInDifferentZonesAreANote(t *testing.T) {
	dir := t.TempDir()
	second := block(t)
	second.MissionCode = "MSN-2"
	second.MissionName = "Block B"
	second.LocationMap = nil
	first := deliver(t, dir, "MSN-1", delivered{"_2dMap", save(t, "map.tif", everywhere)})
	other := deliver(t, dir, "MSN-2",
		delivered{"_2dMap", save(t, "east.tif", everywhere, inSystem(32638)...)},
		delivered{"_2dMap", save(t, "west.tif", everywhere, inSystem(32638)...)})
	missions := []api.Mission{block(t), second}
	r := check(t, dir, nil, missions, first, other)
	want := "Missions are in different reference systems: Block A in EPSG:32637; Block B in EPSG:32638"
	if r.Problems != 0 || !slices.Equal(texts(r, checking.Note), []string{want}) || r.Files[0].Level != checking.OK {
		t.Errorf("findings: %+v", r.Findings)
	}
	dir = t.TempDir()
	first = deliver(t, dir, "MSN-1", delivered{"_2dMap", save(t, "map.tif", everywhere)})
	mixed := deliver(t, dir, "MSN-2",
		delivered{"_2dMap", save(t, "map.tif", everywhere, inSystem(32638)...)},
		delivered{"ndvi", save(t, "ndvi.tif", everywhere)})
	r = check(t, dir, nil, missions, first, mixed)
	want = "NDVI of Block B is in EPSG:32637, 2D map in EPSG:32638"
	if !slices.Equal(texts(r, checking.Problem), []string{want}) {
		t.Errorf("findings: %+v", r.Findings)
	}
}

func TestFilesThatAreNotDataAreReported(t *testing.T) {
	dir := t.TempDir()
	at := func(name, content string) delivered {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return delivered{"_2dMap", path}
	}
	whole, err := os.ReadFile(save(t, "whole.tif", everywhere))
	if err != nil {
		t.Fatal(err)
	}
	p := deliver(t, dir, "MSN-1",
		at("empty.tif", ""), at("login.tif", "<!DOCTYPE html><html><body>Log in</body></html>"),
		at("cut.tif", string(whole[:len(whole)-20])), at("text.las", "this is text"))
	problems := texts(check(t, dir, nil, []api.Mission{block(t)}, p), checking.Problem)
	for _, want := range []string{
		"empty.tif is empty: 0 bytes", "login.tif is a web page (HTML), not data",
		"cut.tif is truncated: it ends before data that it declares", "text.las does not have the content of a LAS file",
	} {
		if !slices.Contains(problems, want) {
			t.Errorf("%q is not among %q", want, problems)
		}
	}
}

func TestADeliveryBeforeTheFlightIsReported(t *testing.T) {
	m := block(t)
	m.FlightDate = api.TimeOf(now().AddDate(0, 0, 10))
	r := checkFile(t, m, save(t, "map.tif", everywhere))
	want := `Package "v1" was delivered on 19 Jun 2026, before the flight of Block A on 30 Jun 2026`
	if !slices.Contains(texts(r, checking.Problem), want) {
		t.Errorf("findings: %+v", r.Findings)
	}
}

func TestResultsAreKeptUntilTheFileChanges(t *testing.T) {
	dir := t.TempDir()
	p := deliver(t, dir, "MSN-1", delivered{"_2dMap", save(t, "map.tif", func(x, _ int) bool { return x < 50 })})
	path := filepath.Join(t.TempDir(), "state.json")
	saved := session.OpenUIState(path)
	checking.OpenResults(saved).Add(check(t, dir, nil, []api.Mission{block(t)}, p))
	if err := saved.Flush(); err != nil {
		t.Fatal(err)
	}
	results := checking.OpenResults(session.OpenUIState(path))
	mission, ok := results.OfMission("MSN-1")
	if !ok || mission.Problems != 1 || len(mission.Parts) != 1 || !strings.HasPrefix(mission.Worst, "2D map covers 50.0 % of Block A") {
		t.Errorf("the result of the mission is %+v", mission)
	}
	states, err := fetch.InspectFolder(dir, p)
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := results.Of(p.ID, &states[0]); !ok || got.Level != checking.Problem || got.Text != "covers 50.0 % of Block A" {
		t.Errorf("the result is %+v", got)
	}
	if err := os.WriteFile(states[0].At, []byte("changed"), 0o600); err != nil {
		t.Fatal(err)
	}
	states, err = fetch.InspectFolder(dir, p)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := results.Of(p.ID, &states[0]); ok {
		t.Error("the result of the file that was replaced is shown")
	}
}

func TestWindowsKeepEachOthersResults(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.json")
	add := func(r *checking.Results, saved *session.UIState, p fetch.Package, dir string, at time.Time) {
		t.Helper()
		r.Add(checkAt(t, dir, p, at))
		if err := saved.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	first := deliver(t, dir, "MSN-1", delivered{"_2dMap", save(t, "map.tif", everywhere)})
	second := deliver(t, dir, "MSN-2", delivered{"_2dMap", save(t, "map.tif", everywhere)})
	states := map[string]*fetch.FileState{}
	for _, p := range []fetch.Package{first, second} {
		list, err := fetch.InspectFolder(dir, p)
		if err != nil {
			t.Fatal(err)
		}
		states[p.ID] = &list[0]
	}
	aState, bState := session.OpenUIState(path), session.OpenUIState(path)
	a, b := checking.OpenResults(aState), checking.OpenResults(bState)
	add(a, aState, first, dir, now())
	add(b, bState, second, dir, now())
	a.Reload()
	if _, ok := a.Of(second.ID, states[second.ID]); !ok {
		t.Error("the result of the other window is not shown")
	}
	add(b, bState, first, dir, now().Add(-time.Hour))
	again := checking.OpenResults(session.OpenUIState(path))
	for _, p := range []fetch.Package{first, second} {
		result, ok := again.Of(p.ID, states[p.ID])
		if !ok || !result.At.Equal(now()) {
			t.Errorf("the result of %s is %+v", p.ID, result)
		}
	}
}

// checkAt checks a package at a time.
func checkAt(t *testing.T, dir string, p fetch.Package, at time.Time) *checking.Report {
	t.Helper()
	checker := checking.Checker{Dir: dir, Now: func() time.Time { return at }}
	r, err := checker.Check(t.Context(), checking.Delivery{Packages: []fetch.Package{p}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The other files of the mission are known, so a product that none of them has is missing.
func TestAMissingProductIsReportedForChosenFiles(t *testing.T) {
	dir := t.TempDir()
	first := deliver(t, dir, "MSN-1", delivered{"_2dMap", save(t, "map.tif", everywhere)})
	second := first
	second.ID = "package-2"
	second.Files = []fetch.File{{ID: "cloud.las", Name: "cloud.las", Product: "LiDAR", Size: 9}}
	r, err := checking.Checker{Dir: dir, Now: now}.Check(t.Context(), checking.Delivery{
		Order:    &api.Order{OrderCode: "ORD-1", Deliverables: []api.Deliverable{"_2dMap", "LiDAR", "ndvi"}},
		Missions: []api.Mission{block(t)},
		Packages: []fetch.Package{first, second},
		Chosen:   func(_, fileID string) bool { return fileID == "map.tif" },
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if problems := texts(r, checking.Problem); !slices.Equal(problems, []string{"No NDVI delivered for Block A"}) {
		t.Errorf("the problems are %q", problems)
	}
	if notes := texts(r, checking.Note); len(notes) > 0 {
		t.Errorf("the notes are %q", notes)
	}
}

// The rectangle of a raster can be much larger than its data, here a pixel of a metre.
func TestTheFootprintOfASmallPartOfARasterIsExact(t *testing.T) {
	dir := t.TempDir()
	isPart := func(x, y int) bool { return x >= 20 && x < 21 && y >= 40 && y < 41 }
	p := deliver(t, dir, "MSN-1", delivered{"_2dMap", save(t, "map.tif", isPart)})
	outlines := check(t, dir, nil, []api.Mission{block(t)}, p).Findings[0].Footprint
	if len(outlines) != 1 {
		t.Fatalf("there are %d outlines", len(outlines))
	}
	var ring orb.Ring
	for _, point := range outlines[0] {
		ring = append(ring, orb.Point{point.Lng, point.Lat})
	}
	area := kmlcsv.AreaOf(orb.Polygon{append(ring, ring[0])})
	if math.Abs(area-1) > 0.3 {
		t.Errorf("the outline has %.1f m², want 1", area)
	}
}

func TestTheFootprintIsTheGroundThatAProductCovers(t *testing.T) {
	isWest := func(x, y int) bool { return x >= 10 && x < 50 && y >= 20 && y < 60 }
	r := checkFile(t, block(t), save(t, "map.tif", isWest))
	outlines := r.Findings[0].Footprint
	if len(outlines) != 1 || len(outlines[0]) > 12 {
		t.Fatalf("the footprint is %+v", outlines)
	}
	want := square(t, 10, 20, 40, 40)
	for _, p := range outlines[0] {
		nearest := 1.0
		for _, corner := range want {
			nearest = min(nearest, max(abs(p.Lat-corner.Lat), abs(p.Lng-corner.Lng)))
		}
		if nearest > 2e-5 {
			t.Errorf("%v is no corner of %v", p, want)
		}
	}
	if m := r.Missions[0]; len(m.Footprints) != 1 || m.Footprints[0].Product != "_2dMap" || len(m.Results) != 1 {
		t.Errorf("the result of the mission is %+v", m)
	}
}

func TestMissingFilesAreNotCountedAsChecked(t *testing.T) {
	report := checking.Report{Notes: 1, Files: []checking.FileReport{{Path: "a.tif"}, {Path: "b.tif"}, {}}}
	if got := report.Summary(); got != "1 note; 2 of 3 files checked" {
		t.Errorf("the summary is %q", got)
	}
	report.Files = report.Files[:2]
	if got := report.Summary(); got != "1 note; 2 files checked" {
		t.Errorf("the summary of files on disk is %q", got)
	}
}
