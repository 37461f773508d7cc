package cli

import (
	"strings"
	"testing"

	"flightdesk/kmlcsv/crs"
)

// parse --crs accepts the full name of a deprecated system, so crs lists the system.
func TestADeprecatedSystemIsListedByItsName(t *testing.T) {
	out, err := ran(t, "crs", "Pulkovo 1942 / Gauss-Kruger 13N")
	if err != nil || !strings.Contains(out, "EPSG:28473") {
		t.Errorf("printed %q, %v", out, err)
	}
	if out, err := ran(t, "crs", "no such system"); err == nil || out != "" {
		t.Errorf("an unknown system: printed %q, %v", out, err)
	}
}

func TestASystemIsListedWithItsAreaUnitAndAccuracy(t *testing.T) {
	for query, want := range map[string][4]string{
		"EPSG:2229": {"EPSG:2229", "NAD83 / California zone 5 (ftUS)", "US survey foot", "4 m"},
		"LV95":      {"EPSG:2056", "CH1903+ / LV95", "metre", "1 m"},
		"OSGB36":    {"EPSG:27700", "OSGB36 / British National Grid", "metre", "5 m"},
	} {
		found := crs.Search(query, 1)
		if len(found) != 1 {
			t.Errorf("%s: %d systems", query, len(found))
			continue
		}
		s := describeSystem(found[0].System)
		if got := [4]string{s.Code, s.Name, s.Unit, s.describeAccuracy()}; got != want {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
		if s.Area == "" || s.Bounds.West >= s.Bounds.East {
			t.Errorf("%s: area %q, %v", query, s.Area, s.Bounds)
		}
	}
}
