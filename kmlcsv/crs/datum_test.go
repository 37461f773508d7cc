package crs

import "testing"

func TestDatumsAreFoundByTheirNames(t *testing.T) {
	for name, want := range map[string]int{
		"NAD27": 4267, "nad 27": 4267, "NAD 1927": 4267, "North American Datum 1927": 4267, "D_North_American_1927": 4267,
		"EPSG:4267": 4267, "26713": 4267, "ED50": 4230, "European Datum 1950": 4230, "WGS84": 4326, "WGS 1984": 4326,
		"World Geodetic System 1984": 4326, "ETRS89": 4258, "SAD69": 4618, "AGD66": 4202, "Datum AGD66": 4202, "DHDN": 4314,
		"Tokyo": 4301, "S-JTSK": 4156, "unknown": 0, "": 0, "Site 27": 0,
	} {
		code := 0
		if s := FindDatum(name); s != nil {
			code = s.Code()
		}
		if code != want {
			t.Errorf("%s: EPSG:%d, want EPSG:%d", name, code, want)
		}
	}
}

func TestADatumInATextNeedsAnAbbreviationWithAYear(t *testing.T) {
	for text, want := range map[string]struct {
		code int
		rest string
	}{
		"NAD27 / UTM 13N":     {4267, "  / UTM 13N"},
		"Easting (NAD 27)":    {4267, "Easting ( )"},
		"ED50 30":             {4230, "  30"},
		"SIRGAS 2000 23S":     {4674, "  23S"},
		"Tokyo survey 2026":   {0, "Tokyo survey 2026"},
		"UTM 30N":             {0, "UTM 30N"},
		"Projekt NAD271":      {0, "Projekt NAD271"},
		"Luxembourg 1930 Süd": {0, "Luxembourg 1930 Süd"},
	} {
		code := 0
		s, rest := CutDatum(text)
		if s != nil {
			code = s.Code()
		}
		if code != want.code || rest != want.rest {
			t.Errorf("%s: EPSG:%d and %q, want EPSG:%d and %q", text, code, rest, want.code, want.rest)
		}
	}
}

func TestZonesOfUTMAreFoundOnOtherDatums(t *testing.T) {
	for _, c := range []struct {
		datum string
		zone  int
		south bool
		want  int
	}{
		{"NAD27", 13, false, 26713},
		{"ED50", 30, false, 23030},
		{"SAD69", 23, true, 29193},
		{"AGD66", 55, true, 20255},
		{"GDA94", 55, true, 28355},
		{"ETRS89", 32, false, 25832},
		{"WGS84", 23, true, 32723},
		{"SIRGAS2000", 23, true, 31983},
		{"ED50", 30, true, 0},
		{"NAD27", 45, false, 0},
		{"WGS 72", 10, true, 32310},
	} {
		code := 0
		if s := UTMOn(FindDatum(c.datum), c.zone, c.south); s != nil {
			code = s.Code()
		}
		if code != c.want {
			t.Errorf("%s zone %d: EPSG:%d, want EPSG:%d", c.datum, c.zone, code, c.want)
		}
	}
}
