package kmlcsv

import (
	"strings"
	"testing"
)

func TestLabelledEastingsAndNorthingsAreReadLineByLine(t *testing.T) {
	const site = "48.7068,9.1100 1"
	for text, want := range map[string]string{
		"Mast 1 E 508091 N 5394868 UTM 32N\n":                               "Mast 1 asset " + site,
		"Mast 1: E=508091, N=5394868, zone 32 north\n":                      "Mast 1 asset " + site,
		"Mast 12 E: 508091 m N: 5394868 m 32U\n":                            "Mast 12 asset " + site,
		"N 5394868 E 508091 (ETRS89 / UTM 32N)\n":                           "Row 1 asset " + site,
		"UTM 32N: E 508091, N 5394868\n":                                    "Row 1 asset " + site,
		"A,508091mE,5394868mN,EPSG:25832\n":                                 "A asset " + site,
		"Rechtswert 508091,00 Hochwert 5394868,00 EPSG:25832\n":             "Row 1 asset " + site,
		"A 508091 5394868 zone 32N\nB 5394868 508091 zone 32N\n":            "",
		"A 508091 5394868 zone 32N\nB 508091 5394868 zone 32N\n":            "A asset " + site + "; B asset " + site,
		"Hello,\nall in EPSG:25832\n\nA E 508091 N 5394868\n\nRegards\n":    "A asset " + site,
		"Dear all,\nhere are the masts (UTM 32N):\nA: E508091 / N5394868\n": "A asset " + site,
		"Mast 1 E 508091 N 5394868 (ED50 / UTM zone 32N)\n":                 "Mast 1 asset 48.7050,9.1088 1",
	} {
		res, err := Parse([]byte(text), Options{NoPlaces: true})
		if want == "" {
			if err == nil {
				t.Errorf("%q: %s", text, describeSites(res.Placemarks))
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		checkResult(t, text, res)
		if got := describeAt(res); got != want {
			t.Errorf("%q: %s, want %s, %v", text, got, want, res.Warnings)
		}
	}
}

func TestLabelledCoordinatesWithoutASystemAskForIt(t *testing.T) {
	for text, kind := range map[string]QuestionKind{
		"A E 508091 N 5394868\nB E 508191 N 5394868\n": AskSystem,
		"R 3508091 H 5394868\n":                        AskSystem,
		"A E 508091 N 5394868 zone 32\n":               AskHemisphere,
	} {
		res, err := Parse([]byte(text), Options{})
		if err == nil || res == nil || len(res.Questions) != 1 || res.Questions[0].Kind != kind {
			t.Errorf("%q: %v, %v", text, res, err)
		}
	}
	res, err := Parse([]byte("Hello,\n\nA E 508091 N 5394868\nB E 508191 N 539\n"), Options{CRS: 25832})
	if err == nil && res.Skipped == 0 {
		t.Errorf("a line without a northing: %s", describeSites(res.Placemarks))
	}
}

func TestALabelledListHasTheLineNumbersOfTheText(t *testing.T) {
	res := parseChecked(t, []byte("Hello,\n\nA E 508091 N 5394868\nB E 999999 N 9994868\n"), Options{CRS: 25832})
	var lines []int
	for _, w := range res.Warnings {
		lines = append(lines, w.Line)
	}
	if res.Placemarks[0].Line != 3 || res.Skipped == 0 || lines[len(lines)-1] != 4 {
		t.Errorf("%s, %v at %v", describeSites(res.Placemarks), res.Warnings, lines)
	}
}

func TestDegreesWithoutSeparatorsAreNotALabelledList(t *testing.T) {
	res := parseChecked(t, []byte("N484236 E0090636\n"), Options{NoPlaces: true})
	if got := describeSites(res.Placemarks); !strings.Contains(got, "9.1100,48.7100") {
		t.Error(got)
	}
}

func TestPositionsInSeveralCellsOfARowAreNamedByTheRow(t *testing.T) {
	res := parseChecked(t, []byte("Name,Takeoff,Landing\nMission A,\"48.71, 9.11\",\"48.72, 9.12\"\nMission B,\"48.81, 9.21\",\"48.82, 9.22\"\n"), Options{NoPlaces: true})
	var names []string
	for _, p := range res.Placemarks {
		names = append(names, p.Name)
	}
	if got := strings.Join(names, ", "); got != "Mission A, Mission A 2, Mission B, Mission B 2" {
		t.Error(got)
	}
}

func TestSeveralPairsInALineAreAllRead(t *testing.T) {
	for text, want := range map[string]string{
		"48.71,9.11;48.72,9.12;48.73,9.14\n":                 "Place 1 area 48.7100,9.1100 3",
		"A: 48.71, 9.11; B: 48.72, 9.12\n":                   "A asset 48.7100,9.1100 1; B asset 48.7200,9.1200 1",
		"Mast 1 (48.71, 9.11), Mast 2 (48.72, 9.12)\n":       "Mast 1 asset 48.7100,9.1100 1; Mast 2 asset 48.7200,9.1200 1",
		"A 48,71 9,11\nB 48,72 9,12\n":                       "A asset 48.7100,9.1100 1; B asset 48.7200,9.1200 1",
		"A,48.71,9.11,12.5,3.2\n":                            "A asset 48.7100,9.1100 1",
		"48.71,9.11,48.72,9.12,48.73,9.14\n":                 "several positions",
		"A,48.71,9.11,48.72,9.12\nB,48.81,9.11,48.82,9.12\n": "several positions",
	} {
		res, err := Parse([]byte(text), Options{NoPlaces: true})
		if err != nil {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v, want %s", text, err, want)
			}
			continue
		}
		checkResult(t, text, res)
		if got := describeAt(res); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// None of these lines says for sure which zone or which datum its numbers are on, or the list has
// positions that it would lose.
func TestUncertainZonesInLinesAreNotUsed(t *testing.T) {
	for _, text := range []string{
		"Block 5 N: E 508091 N 5394868\nBlock 6 N: E 508191 N 5394968\n",
		"Turbine 12 S: E 508091 N 5394868\n",
		"Track 7 North: 508091 5394868\n",
		"E 508091 N 9694868 height 35 m\n",
		"E 508091 N 9694868 35M\n",
		"UTM 32N: E 508091 N 5394868 (UTM 33N)\n",
		"E 508091 N 5394868 (UTM 32N, DHDN)\n",
		"E 508091 N 5394868 UTM 32N Bessel ellipsoid\n",
		"Mast 1 (DHDN) UTM 32N E 508091 N 5394868\n",
	} {
		res, err := Parse([]byte(text), Options{NoPlaces: true})
		if err == nil {
			t.Errorf("%q: %s", text, describeAt(res))
		}
	}
	for text, want := range map[string]string{
		"Mast 4: E 508091 N 9694868 H 35 m (UTM 37S)\n":     "Mast 4 asset -2.7606,39.0728 1",
		"Mast 1 (UTM 37S): E 508091 N 9694868, mast 60 m\n": "Mast 1 asset -2.7606,39.0728 1",
		"UTM 32N: E 508091 N 5394868 (Tower 12N)\n":         "Tower 12N asset 48.7068,9.1100 1",
		"Zone 32N: E 508091 N 5394868, 12 m high\n":         "Row 1 asset 48.7068,9.1100 1",
	} {
		res, err := Parse([]byte(text), Options{NoPlaces: true})
		if err != nil || describeAt(res) != want {
			t.Errorf("%q: %v, %v, want %s", text, res, err, want)
		}
	}
	mixed := "Mast 1: E 508091 N 5394868 32U\n48°42'36\" N 9°06'36\" E\n"
	res, err := Parse([]byte(mixed), Options{NoPlaces: true})
	if err == nil && len(res.Placemarks)+res.Skipped != 2 {
		t.Errorf("%q: %v", mixed, res)
	}
}

func TestNumbersInCellsAreNoListOfPairs(t *testing.T) {
	for text, want := range map[string]string{
		"P1;48.710000;9.110000;45.20;0.02\n":            "P1 asset 48.7100,9.1100 1",
		"P1;48.710000;9.110000;145.20;12.25\n":          "P1 asset 48.7100,9.1100 1",
		"P1;48.710000;9.110000;345.20;0.02\n":           "P1 asset 48.7100,9.1100 1",
		"P1|48.710000|9.110000|2026-11-02|45.20|0.02\n": "P1 asset 48.7100,9.1100 1",
		"P1;48,710000;9,110000;45,20;0,02\n":            "P1 asset 48.7100,9.1100 1",
	} {
		res, err := Parse([]byte(text), Options{NoPlaces: true})
		if err != nil || describeAt(res) != want {
			t.Errorf("%q: %v, %v", text, res, err)
		}
	}
}
