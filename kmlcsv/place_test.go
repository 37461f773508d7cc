package kmlcsv_test

import (
	"testing"

	"flightdesk/kmlcsv"
)

func TestCountryAndCityInTheFileWin(t *testing.T) {
	res, err := kmlcsv.Parse([]byte("name,lat,lng,country,city\n"+
		"suggested,48.3987,11.7466,,\n"+
		"given,48.3987,11.7466,Bavaria,Home\n"+
		"code,48.3987,11.7466,DE,\n"+
		"conflict,48.3987,11.7466,France,\n"+
		"ocean,-48.5,-120.5,,\n"), kmlcsv.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][2]string{{"Germany", "Freising"}, {"Bavaria", "Home"}, {"Germany", "Freising"}, {"France", ""}, {"", ""}} {
		if p := res.Placemarks[i]; p.Country != want[0] || p.City != want[1] {
			t.Errorf("%s: %q %q, want %q", p.Name, p.Country, p.City, want)
		}
	}
	want := map[int]kmlcsv.Code{3: kmlcsv.CountryConflict, 4: kmlcsv.NoCountry}
	for _, w := range res.Warnings {
		if want[w.Index] != w.Code {
			t.Errorf("unexpected warning %+v", w)
		}
		delete(want, w.Index)
	}
	for i, code := range want {
		t.Errorf("no warning %s for %s", code, res.Placemarks[i].Name)
	}
}

func TestASiteFarFromAnyTownMayBeSwapped(t *testing.T) {
	res, err := kmlcsv.Parse([]byte("name,points\nfield,\"11.7,48.4; 11.7,48.41; 11.71,48.41\"\n"), kmlcsv.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Warnings) != 1 || res.Warnings[0].Code != kmlcsv.MaybeSwapped || res.Warnings[0].Fixed == nil {
		t.Fatalf("warnings %+v", res.Warnings)
	}
	fixed := res.Warnings[0].Fixed
	if fixed.Country != "Germany" || fixed.Area < 200_000 || fixed.Points()[0].Lat() != 48.4 {
		t.Errorf("the fix is %+v", fixed)
	}
}

func TestNoPlacesLooksUpNoCountryOrCity(t *testing.T) {
	res, err := kmlcsv.Parse([]byte("name,lat,lng\na,48.3987,11.7466\n"), kmlcsv.Options{NoPlaces: true})
	if err != nil || res.Placemarks[0].Country != "" || len(res.Warnings) != 0 {
		t.Errorf("%+v, %v", res, err)
	}
}

// The positions are at sea, and near a town if they are swapped. After enough warnings, the swapped positions are
// not looked up any more, and the number of warnings is a lower bound.
func TestNothingIsLookedUpForWarningsThatAreNotListed(t *testing.T) {
	swapped, nowhere := "a,11.7466,48.3987\n", "b,-48.5,-120.5\n"
	for rows, want := range map[string]string{
		swapped + swapped:                     "",
		swapped + swapped + nowhere:           "1 more warnings",
		swapped + swapped + nowhere + swapped: "at least 1 more warnings",
		swapped + swapped + swapped:           "more warnings possible",
	} {
		res, err := kmlcsv.Parse([]byte("name,lat,lng\n"+rows), kmlcsv.Options{MaxWarnings: 2})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, w := range res.Warnings[2:] {
			got += w.Message
		}
		if got != want {
			t.Errorf("%q: %q, want %q", rows, got, want)
		}
	}
}
