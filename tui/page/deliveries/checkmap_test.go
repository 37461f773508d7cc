package deliveries

import (
	"testing"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/tui/app/checking"
)

// quad returns a square of a side in degrees.
func quad(lat, lng, side float64) []api.Point {
	return []api.Point{{Lat: lat, Lng: lng}, {Lat: lat, Lng: lng + side}, {Lat: lat + side, Lng: lng + side}, {Lat: lat + side, Lng: lng}}
}

func TestAFootprintOfNoProductHasALabel(t *testing.T) {
	features := joinFootprints([]checking.Footprint{{Outlines: [][]api.Point{quad(50, 7, 0.01)}}})
	if len(features) != 1 || features[0].Label != "Files" {
		t.Errorf("%+v", features)
	}
}

func TestAlmostEqualFootprintsAreDrawnOnce(t *testing.T) {
	features := joinFootprints([]checking.Footprint{
		{Product: "_2dMap", Outlines: [][]api.Point{quad(50, 7, 0.01), quad(51, 7, 0.001)}},
		{Product: "digitalSurfaceModel", Outlines: [][]api.Point{quad(50.00001, 7, 0.01)}},
		{Product: "ndvi", Outlines: [][]api.Point{quad(50, 7, 0.005), {{Lat: 1, Lng: 1}}}},
	})
	var labels []string
	for _, f := range features {
		labels = append(labels, f.Label)
	}
	if len(labels) != 3 || labels[0] != "2D map, Surface (DSM)" || labels[1] != "2D map" || labels[2] != "NDVI" {
		t.Errorf("the outlines are labelled %q", labels)
	}
}

func TestChosenPackagesOutsideMissionsAreChecked(t *testing.T) {
	j := &checkJob{code: "ORD-1", isPartial: true}
	j.Order = &api.Order{OrderCode: "ORD-1", Missions: []api.Mission{{MissionCode: "MSN-1"}}}
	j.Packages = []fetch.Package{{PackageInfo: fetch.PackageInfo{ID: "loose"}}}
	if err := j.load(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if len(j.Packages) != 1 {
		t.Error("the chosen package is not checked")
	}
}
