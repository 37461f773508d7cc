package kmlcsv

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// describeAt returns the names of sites with their positions to four decimals.
func describeAt(res *Result) string {
	var sites []string
	for _, p := range res.Placemarks {
		points := p.Points()
		sites = append(sites, fmt.Sprintf("%s %s %.4f,%.4f %d", p.Name, p.Kind(), points[0][1], points[0][0], len(points)))
	}
	return strings.Join(sites, "; ")
}

// Tables in forms that people use. An expectation that begins with "?" is the kind of a question and its first
// choice.
func TestTablesAreReadOrAskedAbout(t *testing.T) {
	const stuttgart = "A asset 48.7101,9.1101 1"
	for table, want := range map[string]string{
		"P 1,48.71,9.11\nP 2,48.717,9.121\nP 3,48.724,9.132\n":                               "P 1 asset 48.7100,9.1100 1; P 2 asset 48.7170,9.1210 1; P 3 asset 48.7240,9.1320 1",
		"A,48.7101,9.1101\nName,Lat,Lon\nB,48.7201,9.1201\n":                                 stuttgart + "; B asset 48.7201,9.1201 1",
		"Name;Lat;Lon\nA;48°42'36.36\"N;9°06'36.36\"E\n":                                     stuttgart,
		"Site,Latitude,,,Longitude,,\n,Deg,Min,Sec,Deg,Min,Sec\nA,48,42,36.36,9,6,36.36\n":   stuttgart,
		"Site,Lat D,Lat M,Lat S,N/S,Lon D,Lon M,Lon S,E/W\nA,40,26,46,N,79,58,56,W\n":        "A asset 40.4461,-79.9822 1",
		"Site,Lat Deg,Lat Min,Lon Deg,Lon Min\nA,48,42.606,-9,6.606\n":                       "A asset 48.7101,-9.1101 1",
		"Site,Lat Deg,Lat Min,Lat Sec,Lon Deg,Lon Min,Lon Sec\nA,48,42.6061,,9,6.6061,\n":    "A asset 48.7101,9.1101 1", // decimals of minutes
		"name,X_COORD,Y_COORD,Coord_System\nA,508091,5394868,ETRS89 / UTM zone 32N\n":        "A asset 48.7068,9.1100 1",
		"name,lat,lon\nA,\"48.7101,\",\"9.1101,\"\n":                                         stuttgart,
		"name,lat_e6,lon_e6\nA,48710100,9110100\n":                                           stuttgart,
		"name,lat (gon),lon (gon)\nA,54.1223,10.1223\n":                                      stuttgart,
		"name,lat,lon\nA,48710100,9110100\n":                                                 "?unit e6",
		"name,lat,lon\nA,487101000,91101000\n":                                               stuttgart,
		"name,North Latitude,West Longitude\nA,39.7412,104.9912\n":                           "A asset 39.7412,-104.9912 1",
		"name,N,W\nA,39.7412,104.9912\n":                                                     "A asset 39.7412,-104.9912 1",
		"name,MinLat,MinLon,MaxLat,MaxLon\nA,48.70,9.10,48.71,9.11\n":                        "A area 48.7000,9.1000 4",
		"name,north,south,east,west\nA,48.71,48.70,9.11,9.10\n":                              "A area 48.7000,9.1000 4",
		"name,NE Lat,NE Lon,SW Lat,SW Lon\nA,48.71,9.11,48.70,9.10\n":                        "A area 48.7000,9.1000 4",
		"name,Northing,Easting\nA,48.7101,9.1101\n":                                          stuttgart,
		"name,East,North\nA,9.1101 E,48.7101 N\n":                                            stuttgart,
		"name,Zone,Easting,Northing\nA,32,508091,5394868\n":                                  "?hemisphere north",
		"name,Zone,Hemisphere,Easting,Northing\nA,56,South,334786,6252080\n":                 "A asset -33.8587,151.2140 1",
		"WGS 84 / UTM zone 32N\nname,E,N\nA,508091,5394868\n":                                "A asset 48.7068,9.1100 1",
		"name,E,N\n,UTM 32N,UTM 32N\nA,508091,5394868\n":                                     "A asset 48.7068,9.1100 1",
		"name,E,N\nA,32508091,5394868\n":                                                     "?system EPSG:4647",
		"name,E,N\nA,6487000,1846000\n":                                                      "?system EPSG:2225",
		"1;5394868,12;508091,23;280,1;GCP\n2;5394968,12;508191,23;281,1;GCP\n":               "?system EPSG:25832",
		"Nombre;Latitud;Longitud\nA;40° 25' 00\" N;3° 42' 00\" O\n":                          "A asset 40.4167,-3.7000 1",
		"Standort;Breite;Länge\nA;48° 42' 36.36\" N;9° 6' 36.36\" O\n":                       stuttgart,
		"Name;Lat;Lon\nA;48° 42' 36.36\" N;9° 6' 36.36\" O\nB;48° N;9° W\n":                  stuttgart + "; B asset 48.0000,-9.0000 1",
		"Name;Lat;Lon\nA;48° 42' 36.36\" N;9° 6' 36.36\" O\n":                                "?letterO east",
		"Site,WTG,Lat,Lon\nPark,WTG1,48.7101,9.1101\nPark,WTG2,48.72,9.12\n":                 "Park asset 48.7101,9.1101 1; Park asset 48.7200,9.1200 1",
		"Pole No,Lat,Lon\n17,48.7101,9.1101\n18,48.72,9.12\n":                                "17 asset 48.7101,9.1101 1; 18 asset 48.7200,9.1200 1",
		"Structure ID,Height,Lat,Lon\nT-1,30.5,48.7101,9.1101\n":                             "T-1 asset 48.7101,9.1101 1",
		"Namn;Lat;Lon\nA;48,7101;9,1101\n":                                                   stuttgart,
		"Code,Point ID,Northing,Easting\nX,1,48.1,9.1\nX,2,48.2,9.2\nX,3,48.3,9.3\n":         "1 asset 48.1000,9.1000 1; 2 asset 48.2000,9.2000 1; 3 asset 48.3000,9.3000 1",
		"name,gps\nA,\"48,7101; 9,1101\"\n":                                                  stuttgart,
		"name,gps\nA,POINT (9.1101 48.7101)\nB,0101000000AE47E17A142E2240CDCCCCCCCC5C4840\n": stuttgart + "; B asset 48.7250,9.0900 1",
		"name,where\nA,32U 508091 5394868\n":                                                 "A asset 48.7068,9.1100 1",
		"name,a,b\nA,9.1101,95.5\nB,95.5,9.1101\n":                                           "?axes lat-lng",
		"A,151.21,-33.865\n":                                        "A asset -33.8650,151.2100 1",
		"a;48.7101;9.1101;12.5\nb;48.7201;9.1201;13.5\n":            "a asset 48.7101,9.1101 1; b asset 48.7201,9.1201 1",
		"h;a;b\n12.5;48.710112;9.110112\n13.5;48.720112;9.120112\n": "Row 2 asset 48.7101,9.1101 1; Row 3 asset 48.7201,9.1201 1",
		"Field,Corner,Lat,Lon\nA,1,48.70,9.10\n,2,48.70,9.11\n,3,48.71,9.11\nB,1,48.8,9.2\n,2,48.8,9.21\n,3,48.81,9.21\n": "A area 48.7000,9.1000 3; B area 48.8000,9.2000 3",
		"POLYGON((9.1 48.7,9.2 48.7,9.2 48.8,9.1 48.7))\nPOINT(9.1101 48.7101)\n":                                         "Placemark 1 area 48.7000,9.1000 3; Placemark 2 asset 48.7101,9.1101 1",
	} {
		res, err := Parse([]byte(table), Options{})
		if kind, choice, asks := strings.Cut(strings.TrimPrefix(want, "?"), " "); strings.HasPrefix(want, "?") {
			e, _ := errors.AsType[*Error](err)
			if !asks || e == nil || e.Code != NeedsAnswer && e.Code != ProjectedCoords {
				t.Errorf("%q: %v, want a question", table, err)
				continue
			}
			q := res.Questions[len(res.Questions)-1]
			first := ""
			if len(q.Choices) > 0 {
				first = q.Choices[0].Value
			}
			if string(q.Kind) != kind || first != choice || q.Certain || len(res.Placemarks) > 0 {
				t.Errorf("%q: %+v, want %s", table, q, want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", table, err)
			continue
		}
		if got := describeAt(res); got != want {
			t.Errorf("%q:\n got %s\nwant %s\n%v", table, got, want, res.Warnings)
		}
		checkResult(t, table, res)
	}
}

func TestTextIsReadLineByLine(t *testing.T) {
	for text, want := range map[string]string{
		"Please survey these:\nMast 1: 48.7101, 9.1101\nMast 2: 48.7201, 9.1201\nRegards, Ann": "Mast 1 asset 48.7101,9.1101 1; Mast 2 asset 48.7201,9.1201 1",
		"48.7101, 9.1101\n48.7111, 9.1111":                                                                          "Row 1 asset 48.7101,9.1101 1; Row 2 asset 48.7111,9.1111 1",
		"Mast 1\t48.7101\t9.1101\nMast 2\t48.7111\t9.1111":                                                          "Mast 1 asset 48.7101,9.1101 1; Mast 2 asset 48.7111,9.1111 1",
		"Mast A\n48°42'36.36\"N 9°06'36.36\"E\nMast B\n48°43'36.36\"N 9°07'36.36\"E":                                "Mast A asset 48.7101,9.1101 1; Mast B asset 48.7268,9.1268 1",
		"- Pit (48.7101, 9.1101)\n- Dam (48.7201, 9.1201)":                                                          "Pit asset 48.7101,9.1101 1; Dam asset 48.7201,9.1201 1",
		"1. https://maps.google.com/?q=48.7101,9.1101\n2. https://www.openstreetmap.org/?mlat=48.8&mlon=9.2":        "1 asset 48.7101,9.1101 1; 2 asset 48.8000,9.2000 1",
		"https://maps.google.com/?q=48.7101,9.1101\nhttps://www.openstreetmap.org/?mlat=48.8&mlon=9.2":              "Place 1 asset 48.7101,9.1101 1; Place 2 asset 48.8000,9.2000 1",
		"Mast\nLat: 48.7101\nLon: 9.1101\n":                                                                         "Mast asset 48.7101,9.1101 1",
		"UTM lines\nM1 32U 508091 5394868\nM2 32U 508191 5394968\n":                                                 "M1 asset 48.7068,9.1100 1; M2 asset 48.7077,9.1113 1",
		"The field: 48.70,9.10; 48.70,9.11; 48.71,9.11\n":                                                           "The field area 48.7000,9.1000 3",
		"Site at POINT (9.1101 48.7101) please\n":                                                                   "Site asset 48.7101,9.1101 1",
		"Site: Mast\nLat: 48.7101 N\nLong: 9.1101 E\n\nSite: Dam\nLat: N 48.7201\nLong: E 9.1201\n":                 "Mast asset 48.7101,9.1101 1; Dam asset 48.7201,9.1201 1",
		"48,7101° N, 9,1101° E\n48,7201° N, 9,1201° E":                                                              "Place 1 asset 48.7101,9.1101 1; Place 2 asset 48.7201,9.1201 1",
		"M1 32U 0508091 5394868":                                                                                    "M1 asset 48.7068,9.1100 1",
		"Mast Lat: 48.7101 N, Long: 9.1101 W":                                                                       "Mast asset 48.7101,-9.1101 1",
		`[{"lat":48.7,"lng":9.1},{"lat":48.7,"lng":9.2},{"lat":48.8,"lng":9.2}]`:                                    "Placemark 1 area 48.7000,9.1000 3",
		"Peak: 151.2100, -33.8650":                                                                                  "Peak asset -33.8650,151.2100 1",
		`{"type":"Point","coordinates":[9.1101,48.7101]}`:                                                           "Placemark 1 asset 48.7101,9.1101 1",
		"EPSG:32646\n230622.50 2631108.96 50 3900 2800 a.JPG gcp01\n230622.50 2631108.96 50 1200 800 b.JPG gcp01\n": "gcp01 asset 23.7686,90.3569 1",
	} {
		res, err := ParsePasted(t.Context(), text, Options{})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := describeAt(res); got != want {
			t.Errorf("%q:\n got %s\nwant %s\n%v", text, got, want, res.Warnings)
		}
		checkResult(t, text, res)
	}
	res, err := ParsePasted(t.Context(), "A: 48.7101, 9.1101\nB: 48.7101 / 9.1 101.55x 48.1234.5", Options{NoPlaces: true})
	if err != nil || res.Skipped != 1 || res.Warnings[len(res.Warnings)-1].Line != 2 {
		t.Errorf("a line that cannot be read is not reported: %+v, %v", res, err)
	}
	if _, err = ParsePasted(t.Context(), "https://maps.app.goo.gl/AbCdEf123", Options{}); err == nil || !strings.Contains(err.Error(), "a short link holds no position") {
		t.Errorf("a short link: %v", err)
	}
}

func TestAnswersDecideHowATableIsRead(t *testing.T) {
	for _, c := range []struct {
		table string
		opts  Options
		want  string
	}{
		{"A,48.7101,9.1101\n", Options{Axes: LngLat}, "A asset 9.1101,48.7101 1"},
		{"A;\"48.7101, 9.1101\"\n", Options{Axes: LngLat}, "A asset 9.1101,48.7101 1"},
		{"name,Zone,E,N\nA,56,334786,6252080\n", Options{Hemisphere: Southern}, "A asset -33.8587,151.2140 1"},
		{"UTM zone 32\nname,E,N\nA,508091,5394868\n", Options{Hemisphere: Northern}, "A asset 48.7068,9.1100 1"},
		{"Name;Lat;Lon\nA;40° 25' N;3° 42' O\n", Options{LetterO: OWest}, "A asset 40.4167,-3.7000 1"},
		{"name,lat,lon\nA,48710100,9110100\n", Options{Unit: "e6"}, "A asset 48.7101,9.1101 1"},
		{"1,5394868.123,508091.234,280.10,GCP\n2,5394968.123,508191.234,281.20,GCP\n", Options{CRS: 25832}, "1 asset 48.7068,9.1100 1; 2 asset 48.7077,9.1113 1"},
		{"K\xf6ln;48.7101;9.1101\n", Options{Encoding: "1252"}, "Köln asset 48.7101,9.1101 1"},
	} {
		res, err := Parse([]byte(c.table), c.opts)
		if err != nil || describeAt(res) != c.want {
			t.Errorf("%q: %v, %v, want %s", c.table, res, err, c.want)
		}
	}
}

func TestAPositionAtZeroIsSkippedIfThereAreOthers(t *testing.T) {
	res, err := Parse([]byte("name,lat,lng\nA,48.7,9.1\nB,0,0\n"), Options{NoPlaces: true})
	if err != nil || res.Skipped != 1 || !strings.Contains(res.Warnings[0].Message, "0, 0") {
		t.Errorf("%+v, %v", res, err)
	}
	res, err = Parse([]byte("name,lat,lng\nB,0,0\n"), Options{NoPlaces: true})
	if err != nil || len(res.Placemarks) != 1 {
		t.Errorf("alone: %+v, %v", res, err)
	}
}

func TestTheSizeOfAPointIsReported(t *testing.T) {
	res, err := Parse([]byte("name,lat,lng,Area ha\nA,48.7,9.1,12.5\n"), Options{NoPlaces: true})
	if err != nil || codesOf(res.Warnings) != "area-ignored" {
		t.Errorf("%+v, %v", res, err)
	}
}

// Every row is a site, a part of a site, skipped with a warning, or without data.
func TestEveryRowOfATableIsAccountedFor(t *testing.T) {
	table := "Title,,\n\nname,lat,lng\n,deg,deg\nA,48.7,9.1\n\nB,x,9.1\nC,0,0\nD,48.8,9.2\n"
	res, err := Parse([]byte(table), Options{NoPlaces: true})
	if err != nil || len(res.Accounts) != 1 {
		t.Fatalf("%+v, %v", res, err)
	}
	if got, want := res.Accounts[0], (Account{Unit: "row", Total: 9, Sites: 2, Skipped: 2, Other: 5}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestAWarningHasTheUnreadableLine(t *testing.T) {
	res, err := ParsePasted(t.Context(), "A\t48.71\t9.11\nB\tx\t9.12\nC\t48.73\t9.13\n", Options{NoPlaces: true})
	if err != nil || res.Skipped != 1 || describeAt(res) != "A asset 48.7100,9.1100 1; C asset 48.7300,9.1300 1" {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestSwappingExchangesThePositionsInLines(t *testing.T) {
	res, err := ParsePasted(t.Context(), "Mast: 48.71, 9.11\nField: 48.70,9.10; 48.70,9.11; 48.71,9.11\n", Options{NoPlaces: true, SwapLatLng: true})
	if err != nil || describeAt(res) != "Mast asset 9.1100,48.7100 1; Field area 9.1000,48.7000 3" {
		t.Errorf("%s, %v", describeAt(res), err)
	}
}

// FuzzLines looks for texts whose lines are not all counted.
func FuzzLines(f *testing.F) {
	files, _ := filepath.Glob("testdata/survey/*.txt")
	for _, name := range files {
		if data, err := os.ReadFile(name); err == nil {
			f.Add(string(data))
		}
	}
	f.Add("Mast: 48.7101, 9.1101\nLat 48\nLon 9\nPOINT (1 2) x N48 E9 3° O")
	f.Fuzz(func(t *testing.T, text string) {
		res, _ := parseLines([]byte(text), decoding{}, readOptions{Options: Options{NoPlaces: true}})
		if res != nil {
			checkResult(t, "lines", res)
		}
		if res, err := ParsePasted(t.Context(), text, Options{NoPlaces: true}); err == nil {
			checkResult(t, "pasted", res)
		}
	})
}

func TestMetresBelowTheNameOfADatumAskForTheirSystem(t *testing.T) {
	for _, text := range []string{"WGS84\n10000,10000", "WGS 84\nE,N\n465005,5247003\n", "Datum: NAD27\neasting,northing\n465005,5247003\n"} {
		_, err := Parse([]byte(text), Options{})
		var failed *Error
		if !errors.As(err, &failed) || failed.Code != ProjectedCoords {
			t.Errorf("%q: %v", text, err)
		}
	}
	_, err := Parse([]byte("E,N\n465005,5247003\n"), Options{CRS: 4326})
	if err == nil || !strings.Contains(err.Error(), "are not degrees") {
		t.Error(err)
	}
}

func TestDecimalCommasWithoutQuotesAreReadIfTheyAreUnambiguous(t *testing.T) {
	for table, want := range map[string]string{
		"name,lat,lon\nA,48,7101,9,1101\nB,48,9,1201\nC,48,9\n":                 "A asset 9.1101,48.7101 1; B asset 9.1201,48.0000 1; C asset 9.0000,48.0000 1",
		"A,48,7101,9,1101\nB,48,7201,9,1201\n":                                  "A asset 9.1101,48.7101 1; B asset 9.1201,48.7201 1",
		"lat,lon,height,name\n-23,5467,-46,6361,300,5,A\n":                      "A asset -46.6361,-23.5467 1",
		"name,lat,lon,height,count\nA,48,7101,9,1101,300,5\n":                   "A asset 9.1101,48.7101 1",
		"name,lat,lon,remark\nA,48,7101,9,1101,good, but late\n":                "A asset 9.1101,48.7101 1",
		"name,easting,northing,crs\nA,512345,67,5412345,12,EPSG:25832\n":        "A asset 9.1683,48.8639 1",
		"name,lat,lon,number,count\nA,48.7,9.1,1,2,3\nB,48.8,9.2,1,2\n":         "A asset 9.1000,48.7000 1; B asset 9.2000,48.8000 1",
		"name,lat,lon\n\"A, the first\",48,7101,9,1101\nB,\"48,72\",\"9,12\"\n": "A, the first asset 9.1101,48.7101 1; B asset 9.1200,48.7200 1",
	} {
		res := parseChecked(t, []byte(table), Options{})
		if got := describeSites(res.Placemarks); got != want {
			t.Errorf("%q: %s, want %s, %v", table, got, want, res.Warnings)
		}
	}
}

func TestARowWithAnAmbiguousDecimalCommaIsSkipped(t *testing.T) {
	res := parseChecked(t, []byte("name,lat,lon\nA,48,7101,9,1101\nB,48,9,12\n"), Options{})
	if got := describeSites(res.Placemarks); got != "A asset 9.1101,48.7101 1" {
		t.Error(got)
	}
	if got := fmt.Sprint(res.Warnings); !strings.Contains(got, "48,9,12") {
		t.Error(got)
	}
}

func TestCoordinatesAreConvertedFromTheDatumThatTheTableNames(t *testing.T) {
	for table, want := range map[string]string{
		"Name,Easting,Northing,Zone\nA,500000,4394868,NAD27 13N\n":                 "A asset -105.0006,39.7055 1",
		"Name,Easting,Northing,UTM Zone,Datum\nA,500000,4394868,13,NAD27\n":        "A asset -105.0006,39.7055 1",
		"NAD27 survey\nName,Easting,Northing,Zone\nA,500000,4394868,13N\n":         "A asset -105.0006,39.7055 1",
		"Name,Easting (NAD27),Northing (NAD27),UTM Zone\nA,500000,4394868,13\n":    "A asset -105.0006,39.7055 1",
		"Name,Easting,Northing,Huso\nA,500000,4394868,ED50 30\n":                   "A asset -3.0013,39.7018 1",
		"Name,Easting,Northing,Zone\nA,500000,7394868,SAD69 23S\n":                 "A asset -45.0004,-23.5570 1",
		"Name,Lat,Lon,Datum\nA,40.1,-3.1,ED50\nB,40.1,-3.1,WGS84\nC,40.1,-3.1,?\n": "A asset -3.1013,40.0988 1; B asset -3.1000,40.1000 1; C asset -3.1000,40.1000 1",
		"Datum: European Datum 1950\nName,Lat,Lon\nA,40.1,-3.1\n":                  "A asset -3.1013,40.0988 1",
		"Name,Lat/Lon (ED50)\nA,\"40.1, -3.1\"\n":                                  "A asset -3.1013,40.0988 1",
		"Name,Lat,Lon,EPSG\nA,40.1,-3.1,4230\nB,40.1,-3.1,4326\n":                  "A asset -3.1013,40.0988 1; B asset -3.1000,40.1000 1",
		"Tokyo survey 2026\nName,Lat,Lon\nA,35.6,139.7\n":                          "A asset 139.7000,35.6000 1",
	} {
		res := parseChecked(t, []byte(table), Options{})
		if got := describeSites(res.Placemarks); got != want {
			t.Errorf("%q: %s, want %s, %v", table, got, want, res.Warnings)
		}
	}
}

func TestAZoneWithoutADatumIsReadAsWGS84(t *testing.T) {
	for table, isSaid := range map[string]bool{
		"Name,Easting,Northing,Zone\nA,500000,4394868,13N\n":                                    true,
		"Name,Easting,Northing,Zone\nA,500000,4394868,WGS84 13N\n":                              false,
		"Name,Easting,Northing,Zone,Datum\nA,500000,4394868,13N,NAD83\n":                        false,
		"Name,Lat,Lon\nA,40.1,-3.1\n":                                                           false,
		"Name,Easting,Northing,Zone\nA,500000,4394868,NAD83 13N\nB,500000,4394868,Potsdam 13\n": false,
	} {
		res := parseChecked(t, []byte(table), Options{})
		if got := strings.Contains(fmt.Sprint(res.Warnings), "without a datum were read as WGS 84"); got != isSaid {
			t.Errorf("%q: %v", table, res.Warnings)
		}
	}
}

func TestARowWithAnUnknownDatumIsSkipped(t *testing.T) {
	res := parseChecked(t, []byte("Name,Lat,Lon,Datum\nA,40.1,-3.1,ED50\nB,40.1,-3.1,plant grid\n"), Options{})
	if got := fmt.Sprint(len(res.Placemarks), res.Warnings); !strings.Contains(got, "the datum plant grid is not known") || got[0] != '1' {
		t.Error(got)
	}
}

func TestALetterInAHemisphereColumnIsNotABand(t *testing.T) {
	res := parseChecked(t, []byte("Name,Easting,Northing,Zone,Hemisphere\nUshuaia,540000,3924000,19,S\n"), Options{})
	if got := describeSites(res.Placemarks); got != "Ushuaia asset -68.3773,-54.8295 1" {
		t.Error(got)
	}
}

func TestZonesAfterADatumAreRead(t *testing.T) {
	for table, want := range map[string]string{
		"Sitio;Coordenada X (ETRS89 H30);Coordenada Y (ETRS89 H30)\nA;440000,5;4475000,5\n": "A asset -3.7073,40.4235 1",
		"SIRGAS 2000 fuso 23S\nNome,E,N\nA,683000,7460000\n":                                "A asset -43.2151,-22.9582 1",
		"Tower,Easting,Northing,Grid\nA,530000,180000,British National Grid\n":              "A asset -0.1284,51.5040 1",
		"Sitio,Huso,Banda,X,Y\nA,30,T,440000,4475000\n":                                     "A asset -3.7073,40.4235 1",
	} {
		res, err := Parse([]byte(table), Options{NoPlaces: true})
		if err != nil {
			t.Errorf("%q: %v", table, err)
			continue
		}
		if got := describeSites(res.Placemarks); got != want {
			t.Errorf("%q: %s, want %s, %v", table, got, want, res.Warnings)
		}
	}
}

func TestADatumAloneIsNotAProjectedSystem(t *testing.T) {
	_, err := Parse([]byte("Name,X (ETRS89),Y (ETRS89)\nA,440000,4475000\n"), Options{})
	if err == nil || !strings.Contains(err.Error(), "names no reference system") {
		t.Error(err)
	}
}

func TestTheAssumedOrderOfPairsGivesAWarning(t *testing.T) {
	res := parseChecked(t, []byte("name,coordinates\nA,\"9.1101,48.7101\"\n"), Options{})
	if len(res.Questions) != 1 || res.Questions[0].Kind != AskAxes || !res.Questions[0].Certain {
		t.Error(res.Questions, res.Warnings)
	}
}

func TestAnUnclearLetterOInAPairBelowOtherRowsIsAQuestion(t *testing.T) {
	table := "name,position\nAlpha,48.7N 9.1E\nBeta,48.7N 9.1W\nGamma,48.7N 9.1O\n"
	res, err := Parse([]byte(table), Options{})
	if !errors.As(err, new(*Error)) || len(res.Questions) != 1 || res.Questions[0].Kind != AskLetterO {
		t.Errorf("%v, %v", res, err)
	}
}

func TestARowWithAnUnknownReferenceSystemSaysItsName(t *testing.T) {
	table := "name,easting,northing,epsg\nA,508091,5394868,25832\nB,508091,5394868,Foo\n"
	res, err := Parse([]byte(table), Options{NoPlaces: true})
	if err != nil || len(res.Placemarks) != 1 {
		t.Fatal("not one site:", res, err)
	}
	const want = "the reference system Foo is unknown; give its EPSG code"
	if !slices.ContainsFunc(res.Warnings, func(w Warning) bool { return w.Message == want }) {
		t.Errorf("no warning %q in %+v", want, res.Warnings)
	}
}
