package deliveries_test

import (
	"os"
	"strings"
	"testing"

	"flightdesk/api"
	"flightdesk/tui/app/checking"
	"flightdesk/tui/app/deliveries"
	"flightdesk/tui/app/session"
)

// fetchedFiles opens Deliveries, fetches everything and returns the paths by file name.
func fetchedFiles(t *testing.T, x *harbour) map[string]string {
	t.Helper()
	x.Press("5", "F")
	x.until(t, "all files", idle)
	paths := make(map[string]string)
	for _, it := range x.App.Downloads().Items {
		paths[it.Name] = it.Path
	}
	return paths
}

func appendJunk(t *testing.T, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("junk"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestADownloadThatIsDeletedOrChangedIsNoticedAndFetchedAgain(t *testing.T) {
	for _, look := range []string{"r", "another section and back"} {
		t.Run(look, func(t *testing.T) {
			x := openDeliveries(t, 160, 40)
			paths := fetchedFiles(t, x)
			if err := os.Remove(paths["photo-0001.jpg"]); err != nil {
				t.Fatal(err)
			}
			appendJunk(t, paths["photo-0002.jpg"])
			if look == "r" {
				x.Press("r")
			} else {
				x.Press("2", "5")
			}
			x.Press("j", "enter", "j")
			x.RequireText("Missing: downloaded earlier, no longer in its folder")
			x.Press("j")
			x.RequireText("Changed since the download")
			x.SeesNot("by the service's digest")
			x.Press("g", "f")
			x.until(t, "the two files", func(d *deliveries.Downloads) bool { return len(d.Items) > 0 && !d.Busy() })
			x.whole(t)
			kept, err := os.ReadFile(strings.TrimSuffix(paths["photo-0002.jpg"], ".jpg") + " (changed).jpg")
			if err != nil || !strings.HasSuffix(string(kept), "junk") {
				t.Errorf("the changed file is not kept: %v", err)
			}
		})
	}
}

func TestACheckComparesDownloadsWithTheirDigests(t *testing.T) {
	x := openDeliveries(t, 160, 40)
	x.Press("5", "V")
	x.RequireText("not downloaded yet")
	paths := fetchedFiles(t, x)
	x.Press("g", "V")
	x.RequireText("5 files unchanged since the download, by digest")
	x.Press("esc")
	info, err := os.Stat(paths["photo-0003.jpg"])
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(paths["photo-0003.jpg"])
	if err != nil {
		t.Fatal(err)
	}
	content[len(content)/2] ^= 1
	if err := os.WriteFile(paths["photo-0003.jpg"], content, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(paths["photo-0003.jpg"], info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	x.Press("r")
	x.SeesNot("changed")
	x.Press("V")
	x.RequireText("photo-0003.jpg changed since it was downloaded", "4 files unchanged")
	x.Press("esc")
	x.RequireText("1 changed")
	x.Press("r")
	x.RequireText("1 changed") // also after another look at size and time
}

func TestACheckShowsItsFindingsAndIsKept(t *testing.T) {
	x := openDeliveries(t, 160, 40)
	x.Press("5")
	fetchedFiles(t, x)
	x.Press("g", "V")
	x.RequireText("Check: 1 problem, 5 files checked", "before the flight of Quay west",
		"2D map covers Quay west (1.50 m, EPSG:32631)", "3 photos taken at Quay west")
	x.Press("esc")
	x.SeesNot("Checking")
	x.RequireText("now  ✓        ✓", "Checked     1 problem: Package")
}

func TestTheColumnOfChecksIsShownInANarrowWindow(t *testing.T) {
	for _, width := range []int{80, 120} {
		x := openDeliveries(t, width, 30)
		fetchedFiles(t, x)
		x.Press("g", "V", "esc")
		x.RequireText("Checked", "1 problem", "✓          ✓")
	}
}

func TestTheMapShowsMissingParts(t *testing.T) {
	x := openDeliveries(t, 160, 40)
	x.App.Downloads().Checks.Add(missingPart())
	x.Press("5")
	x.RequireText("✗", "missing", "Footprint   Surface (DSM)", "Missing     ! 100 m² in the middle")
}

// missingPart is the report of a mission whose surface model misses a part.
func missingPart() *checking.Report {
	return &checking.Report{Missions: []checking.MissionResult{{
		Mission: "MSN-300501", Problems: 1, Parts: []checking.MissingPart{{
			Size: 100, Unit: "m²", Where: "in the middle", Center: api.Point{Lat: 51.958, Lng: 4.0225},
		}},
		Footprints: []checking.Footprint{{Product: "digitalSurfaceModel", Outlines: [][]api.Point{{
			{Lat: 51.9565, Lng: 4.0205}, {Lat: 51.9565, Lng: 4.0245}, {Lat: 51.9595, Lng: 4.0245}, {Lat: 51.9595, Lng: 4.0205},
		}}}},
	}}}
}

func TestTheCheckOfAnotherWindowIsShown(t *testing.T) {
	x := openDeliveries(t, 160, 40)
	x.Press("5")
	x.SeesNot("missing")
	saved := session.OpenUIState(x.views)
	checking.OpenResults(saved).Add(missingPart())
	if err := saved.Flush(); err != nil {
		t.Fatal(err)
	}
	x.Press("2", "5")
	x.RequireText("✗", "missing")
}

// The first package of the mission has what the second one lacks.
func TestACheckOfAMarkedFileKnowsAllPackagesOfItsMission(t *testing.T) {
	x := openDeliveries(t, 160, 40)
	photo := api.FileInput{Name: "late.jpg", FileDataType: api.DeliverableJPG, Content: strings.NewReader("a photo")}
	if _, err := x.ops.Missions.Deliver(t.Context(), x.order.Missions[0].UUID, photo); err != nil {
		t.Fatal(err)
	}
	paths := fetchedFiles(t, x)
	if len(paths) != 6 {
		t.Fatalf("%d files were downloaded", len(paths))
	}
	x.Press("/")
	x.Type("late")
	x.Press("enter", "space", "V")
	x.RequireText("Check: ", "late.jpg")
	x.SeesNot("No 2D map delivered")
}
