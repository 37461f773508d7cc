package kmlcsv

import (
	"strings"
	"testing"

	"github.com/paulmach/orb"
)

// firstChoices returns the towns of the first choices for the system.
func firstChoices(t *testing.T, table string, opts Options, n int) string {
	t.Helper()
	res, err := Parse([]byte(table), opts)
	if err == nil || res == nil || len(res.Questions) == 0 {
		t.Fatalf("%q: %v", table, err)
	}
	var towns []string
	for _, c := range res.Questions[0].Choices[:min(n, len(res.Questions[0].Choices))] {
		towns = append(towns, c.Value+" "+c.Town)
	}
	return strings.Join(towns, "; ")
}

func TestSystemsNearTheCustomersSitesAreFirst(t *testing.T) {
	const grid = "name,easting,northing\nA,512345,5412345\n"
	for _, c := range []struct {
		table, name string
		near        []orb.Point
		want        string
	}{
		{"name,easting,northing,country\nA,512345,5412345,Austria\n", "", nil, "EPSG:25833 near Heidenreichstein"},
		{grid, "masts_canada_2026.csv", nil, "EPSG:26915 near Fort Frances"},
		{grid, "C:\\Users\\me\\Czech Republic\\Austria masts.xlsx", nil, "EPSG:25833 near Heidenreichstein"},
		{grid, "", []orb.Point{{147, -41.5}}, "EPSG:28355 near Launceston"},
		{grid, "masts.csv", nil, "EPSG:25832 near Kornwestheim"},
	} {
		got := firstChoices(t, c.table, Options{Name: c.name, Near: c.near}, 1)
		if got != c.want {
			t.Errorf("%q %s %v: %s, want %s", c.table, c.name, c.near, got, c.want)
		}
	}
}

func TestWithHintsAllSystemsOfTheRegistryAreCandidates(t *testing.T) {
	got := firstChoices(t, "name,easting,northing,country\nA,677000,7466000,Brazil\n", Options{}, 40)
	for _, code := range []string{"EPSG:31983 ", "EPSG:32723 "} {
		if !strings.Contains(got, code) {
			t.Errorf("%s is not among %s", code, got)
		}
	}
}

func TestWebMercatorIsACandidate(t *testing.T) {
	got := firstChoices(t, "name,x,y\nA,1014000,6224000\n", Options{}, 30)
	if !strings.Contains(got, "EPSG:3857 near ") {
		t.Error(got)
	}
}
