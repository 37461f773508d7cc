package crs

import (
	"strings"
	"testing"
)

func TestSystemsAreFoundAsPeopleWriteThem(t *testing.T) {
	for query, want := range map[string]string{
		"EPSG:25832": "EPSG:25832", "25832": "EPSG:25832", "epsg 25832": "EPSG:25832",
		"urn:ogc:def:crs:EPSG::25832":                   "EPSG:25832",
		"urn:ogc:def:crs:EPSG:9.8.6:25832":              "EPSG:25832",
		"http://www.opengis.net/def/crs/EPSG/0/25832":   "EPSG:25832",
		"http://www.opengis.net/gml/srs/epsg.xml#25832": "EPSG:25832",
		"urn:ogc:def:crs:OGC:1.3:CRS84":                 "EPSG:4326",
		"http://www.opengis.net/def/crs/OGC/1.3/CRS84":  "EPSG:4326",
		"ESRI:102003":                      "ESRI:102003",
		"102100":                           "EPSG:3857",
		"900913":                           "EPSG:3857",
		"UTM 32N":                          "EPSG:32632",
		"UTM32":                            "EPSG:32632",
		"UTM zone 55S":                     "EPSG:32755",
		"ETRS89 / UTM zone 32N":            "EPSG:25832",
		"ETRS89 UTM 32":                    "EPSG:25832",
		"NAD_1983_UTM_Zone_11N":            "EPSG:26911",
		"WGS_1984_UTM_Zone_32N":            "EPSG:32632",
		"SIRGAS 2000 / UTM zone 23S":       "EPSG:31983",
		"GK4":                              "EPSG:31468",
		"Gauss-Krüger 4":                   "EPSG:31468",
		"Gauß-Krueger Zone 3":              "EPSG:31467",
		"DHDN_3_Degree_Gauss_Zone_3":       "EPSG:31467",
		"NAD83 / California zone 5 (ftUS)": "EPSG:2229",
		"NAD_1983_StatePlane_California_V_FIPS_0405_Feet": "EPSG:2229",
		"LV95":                              "EPSG:2056",
		"CH1903+ / LV95":                    "EPSG:2056",
		"LV03":                              "EPSG:21781",
		"MGA2020 z55":                       "EPSG:7855",
		"GDA94 / MGA zone 55":               "EPSG:28355",
		"Lambert 93":                        "EPSG:2154",
		"RGF93 / Lambert-93":                "EPSG:2154",
		"RD New":                            "EPSG:28992",
		"British National Grid":             "EPSG:27700",
		"OSGB 1936 / British National Grid": "EPSG:27700",
		"Web Mercator":                      "EPSG:3857",
		"NZTM":                              "EPSG:2193",
		"NZGD2000 / New Zealand Transverse Mercator 2000": "EPSG:2193",
		"WGS 84":                        "EPSG:4326",
		"GCS_North_American_1983":       "EPSG:4269",
		"S-JTSK / Krovak East North":    "EPSG:5514",
		"ETRS89 / Poland CS2000 zone 7": "EPSG:2178",
		"SWEREF99 TM":                   "EPSG:3006",
		"Hong Kong 1980 Grid System":    "EPSG:2326",
		"TWD97 / TM2 zone 121":          "EPSG:3826",
	} {
		s, err := Find(query)
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		if s.Reference() != want {
			t.Errorf("%s: %s (%s), want %s", query, s.Reference(), s.Name(), want)
		}
	}
}

func TestAnAmbiguousQueryListsTheSystems(t *testing.T) {
	_, err := Find("California zone 5")
	if err == nil || !strings.Contains(err.Error(), "EPSG:2229") && !strings.Contains(err.Error(), "EPSG:26945") {
		t.Errorf("%v", err)
	}
	if _, err := Find("no such place"); err == nil || !strings.Contains(err.Error(), "EPSG code") {
		t.Errorf("%v", err)
	}
}

func TestADeprecatedCodeGivesItsSuccessorWithANote(t *testing.T) {
	s, err := FindCode(2036)
	if err != nil {
		t.Fatal(err)
	}
	if s.Code() != 2953 || s.Note() != "EPSG:2036 is replaced by EPSG:2953" {
		t.Errorf("%s, note %q", s.Reference(), s.Note())
	}
}

func TestASystemThatCannotBeComputedIsRefusedByName(t *testing.T) {
	_, err := FindCode(3993)
	if err == nil || !strings.Contains(err.Error(), "EPSG:3993 (Guam 1963 / Guam SPCS)") || !strings.Contains(err.Error(), "Guam Projection") {
		t.Errorf("%v", err)
	}
	if _, err := FindCode(999999); err == nil {
		t.Error("an unknown code is accepted")
	}
}

func TestTextsMentionSystemsOnlyByName(t *testing.T) {
	for text, want := range map[string]string{
		"E (UTM 32N)": "EPSG:32632", "Ostwert UTM32": "EPSG:32632", "ETRS89 / UTM zone 32N": "EPSG:25832",
		"x_25832": "EPSG:25832", "E_25832": "EPSG:25832", "X (EPSG:31468)": "EPSG:31468",
		"Coordinates in NAD83 / California zone 5 (ftUS)": "EPSG:2229",
		"Koordinatensystem: Gauß-Krüger Zone 4":           "EPSG:31468",
		"GDA2020 / MGA zone 56":                           "EPSG:7856",
		"sites_mga2020_z55":                               "EPSG:7855",
		"mast list OSGB36":                                "EPSG:27700",
		"Rechtswert GK4":                                  "EPSG:31468",
		"x":                                               "", "Kunde 12345": "", "order 4711 of 2026": "", "Sites in Tokyo": "", "Site 4326": "",
		"2193 masts": "", "wind farm zone 5": "", "Project 2056": "", "Lot 3": "", "North": "", "GPS height": "",
	} {
		got := ""
		if s := Mentioned(text); s != nil {
			got = s.Reference()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestSearchListsTheBestMatchFirst(t *testing.T) {
	found := Search("california zone 5", 20)
	if len(found) < 3 {
		t.Fatalf("%d systems", len(found))
	}
	for _, m := range found {
		if !strings.Contains(m.Name(), "California") && !strings.Contains(strings.Join(m.Aliases(), " "), "California") {
			t.Errorf("%s %s", m.Reference(), m.Name())
		}
	}
}

func FuzzFind(f *testing.F) {
	for _, query := range []string{"UTM 32N", "utm", "mga", "EPSG:", "ü", "\xff", "a 1 b 2 c 3", "gk"} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, query string) {
		if s, err := Find(query); err == nil && s.Name() == "" {
			t.Errorf("%q: a system without a name", query)
		}
		Mentioned(query)
		Search(query, 3)
	})
}
