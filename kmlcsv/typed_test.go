package kmlcsv_test

import (
	"math"
	"strings"
	"testing"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv"
)

func TestAPointIsReadInEveryTypedForm(t *testing.T) {
	zurich := orb.Point{8.5417, 47.3769}
	for _, text := range []string{
		"47.3769, 8.5417", "47.3769,8.5417", "47.3769 8.5417", " (47.3769, 8.5417) ", "47.3769;8.5417", "47.3769/8.5417",
		"47,3769 8,5417", "47,3769; 8,5417", "47,3769, 8,5417", "47,3769,8,5417", "+47.3769, +8.5417",
		"47.3769N 8.5417E", "N47.3769 E8.5417", "N 47.3769, E 8.5417", "47.3769° N, 8.5417° E", "47.3769N8.5417E",
		"8.5417E 47.3769N", "E8.5417, N47.3769", "8.5417° E, 47.3769° N",
		"lat 47.3769 lon 8.5417", "Latitude: 47.3769, Longitude: 8.5417", "lng=8.5417, lat=47.3769", "lon: 8.5417 lat: 47.3769",
		`47°22'36.84"N 8°32'30.12"E`, `47° 22′ 36.84″ N, 8° 32′ 30.12″ E`, "47 22 36.84 N 8 32 30.12 E", "47 22 36.84, 8 32 30.12",
		"47:22:36.84N, 8:32:30.12E", "47°22.614'N 8°32.502'E", "47 22.614 8 32.502", "N 47° 22.614 E 008° 32.502",
		"geo:47.3769,8.5417", "geo:47.3769,8.5417,433;u=35", "GEO:47.3769,8.5417;crs=wgs84", "geo:0,0?q=47.3769,8.5417(Z%C3%BCrich)",
		"https://www.google.com/maps/@47.3769,8.5417,15z", "https://maps.google.com/?q=47.3769,8.5417",
		"https://www.google.com/maps/place/Z%C3%BCrich/@47.1,8.1,12z/data=!3m1!4b1!4m6!3m5!1s0x0!8m2!3d47.3769!4d8.5417!16zL20",
		"https://www.google.com/maps/search/47.3769,+8.5417?entry=tts", "https://www.google.com/maps/search/?api=1&query=47.3769%2C8.5417",
		"https://www.openstreetmap.org/#map=16/47.3769/8.5417", "https://www.openstreetmap.org/?mlat=47.3769&mlon=8.5417#map=16/1/2",
		"https://maps.apple.com/?ll=47.3769,8.5417&q=Z", "https://www.bing.com/maps?cp=47.3769~8.5417&lvl=15",
		"POINT (8.5417 47.3769)", "SRID=4326;POINT(8.5417 47.3769)", "point z (8.5417 47.3769 433)",
		`{"type":"Point","coordinates":[8.5417,47.3769]}`, `{"type":"Feature","geometry":{"type":"Point","coordinates":[8.5417,47.3769,433]}}`,
		"47.3769, 8.5417, 433",
	} {
		got, err := kmlcsv.ReadTyped(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		p, ok := got.Geometries[0].(orb.Point)
		if !ok || len(got.Geometries) != 1 || math.Abs(p[0]-zurich[0]) > 1e-9 || math.Abs(p[1]-zurich[1]) > 1e-9 {
			t.Errorf("%s: %v", text, got)
		}
	}
	for text, want := range map[string]orb.Point{
		"-33.8688, 151.2093": {151.2093, -33.8688}, "33.8688S 151.2093E": {151.2093, -33.8688}, "151.2093, -33.8688": {151.2093, -33.8688},
		"N 40° 26′ 46″, W 79° 58′ 56″": {-79.982222222, 40.446111111}, "47, 8": {8, 47}, "0 0": {0, 0}, "47,8": {8, 47},
		"32T 465400 5247100": {8.5420, 47.3762}, "56H 334369 6250948": {151.2093, -33.8688}, "UTM 33 U 391779 5820090": {13.4050, 52.5200},
		"32TMT6540047100": {8.5420, 47.3762}, "32T MT 65400 47100": {8.5420, 47.3762}, "MGRS: 56HLH 34369 50948": {151.2093, -33.8688},
		"33UUU9177920090": {13.4050, 52.5200}, "18SUJ2337106519": {-77.0365, 38.8898}, "4QFJ12345678": {-157.9168, 21.3095},
		`8 deg 27' 55.22" N, 98 deg 31' 12.60" E`: {98.520167, 8.465339}, "S8D27M36S, E98D31M12S": {98.52, -8.46},
	} {
		got, err := kmlcsv.ReadTyped(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if p, ok := got.Geometries[0].(orb.Point); !ok || math.Abs(p[0]-want[0]) > 1e-3 || math.Abs(p[1]-want[1]) > 1e-3 {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

func TestUTMIsReadToTheMillimetre(t *testing.T) {
	// The corners of zone 31 on the equator, and where the zones end in the north.
	for text, want := range map[string]orb.Point{
		"31N 166021.443 0": {0, 0}, "31N 833978.557 0": {6, 0}, "31N 500000 0": {3, 0}, "60X 500000 9328093.831": {177, 84},
	} {
		got, err := kmlcsv.ReadTyped(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if p := got.Geometries[0].(orb.Point); math.Abs(p[0]-want[0]) > 1e-7 || math.Abs(p[1]-want[1]) > 1e-7 {
			t.Errorf("%s: %v, want %v", text, p, want)
		}
	}
}

func TestTheBandOfUTMMustAgreeWithTheNorthing(t *testing.T) {
	for text, want := range map[string]struct {
		at   orb.Point
		note string
	}{
		"56S 334369 6250948": {orb.Point{151.2093, -33.8688}, "S read as the southern hemisphere"},
		"32n 465400 5247100": {orb.Point{8.5420, 47.3762}, "N read as the northern hemisphere"},
		"32S 500000 4000000": {orb.Point{9, 36.1447}, ""},
		"32T 465400 5247100": {orb.Point{8.5420, 47.3762}, ""},
		"32U 500000 5305000": {orb.Point{9, 47.8974}, ""}, // at the edge of the band
	} {
		got, err := kmlcsv.ReadTyped(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		p, ok := got.Geometries[0].(orb.Point)
		if !ok || math.Abs(p[0]-want.at[0]) > 1e-3 || math.Abs(p[1]-want.at[1]) > 1e-3 {
			t.Errorf("%s: %v, want %v", text, p, want.at)
		}
		if (got.Note == "") != (want.note == "") || !strings.HasPrefix(got.Note, want.note) {
			t.Errorf("%s: note %q, want %q", text, got.Note, want.note)
		}
	}
	for text, want := range map[string]string{
		"32C 465005 5247003":    "is not in band C, which covers latitudes -80 to -72",
		"32X 465005 5247003":    "is not in band X, which covers latitudes 72 to 84",
		"32X 465005 5247003.00": "the northing 5247003.00 is not in band X", // as typed
		"32N 465005 9900000":    "is not in band N",
		"32S 465005 1000000":    "is not in band S", // 80.99 south is beyond the bands
		"61T 465005 5247003":    "UTM zone 61 does not exist",
	} {
		if got, err := kmlcsv.ReadTyped(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v, want %q", text, got, err, want)
		}
	}
}

func TestManyPlacesAreTypedAtOnce(t *testing.T) {
	text := "MULTIPOINT (" + strings.Repeat("8.5 47.1, ", 99) + "8.5 47.1)"
	if got, err := kmlcsv.ReadTyped(text); err != nil || len(got.Geometries) != 100 {
		t.Errorf("%d places, %v", len(got.Geometries), err)
	}
}

func TestLinesAndBoundariesAreTypedToo(t *testing.T) {
	for text, kind := range map[string]kmlcsv.Kind{
		"47.1, 8.5; 47.2, 8.5; 47.2, 8.6":                         kmlcsv.Area,
		"47.1 8.5\n47.2 8.5":                                      kmlcsv.Linear,
		"47.1, 8.5 | 47.2, 8.5 | 47.2, 8.6 | 47.1, 8.5":           kmlcsv.Area,
		"LINESTRING (8.5 47.1, 8.6 47.2)":                         kmlcsv.Linear,
		"POLYGON((8.5 47.1,8.6 47.1,8.6 47.2,8.5 47.1))":          kmlcsv.Area,
		`[{"lat":47.1,"lng":8.5},{"lat":47.2,"lng":8.6}]`:         kmlcsv.Linear,
		`{"type":"LineString","coordinates":[[8.5,47],[8.6,47]]}`: kmlcsv.Linear,
	} {
		got, err := kmlcsv.ReadTyped(text)
		if err != nil || len(got.Geometries) != 1 {
			t.Errorf("%s: %v, %v", text, got, err)
			continue
		}
		if p := (kmlcsv.Placemark{Geometry: got.Geometries[0]}); p.Kind() != kind {
			t.Errorf("%s is %s, want %s", text, p.Kind(), kind)
		}
	}
	several, err := kmlcsv.ReadTyped("MULTIPOINT (8.5 47.1, 8.6 47.2)")
	if err != nil || len(several.Geometries) != 2 {
		t.Errorf("several points are %v, %v", several, err)
	}
}

func TestErrorsSayWhatATypedPlaceLacks(t *testing.T) {
	for text, want := range map[string]string{
		"": "type it like", "Zürich": "type it like", "47.3769": "the longitude is missing",
		"91.5, 200": "latitude 91.5 is not between", "47.1, 400": "longitude 400 is not between", "100, 100": "latitude 100",
		"47,1,8": "ambiguous: ", "47.1N 8.5N": "is not a latitude and longitude", "https://goo.gl/maps/x": "a short link holds no position", "https://maps.app.goo.gl/AbCdEf123": "a short link holds no position",
		"https://www.google.com/maps/place/Depot/@48.75,9.2,13z": "only the centre of the map", "https://example.org/x": "the link has no coordinates",
		"geo:here": "the geo: address has no latitude", "geo:1,2;crs=moon": "WGS 84",
		"SRID=99999;POINT(465400 5247100)": "WGS 84", "POINT (8.5)": "a number is missing",
		"47.1, 8.5; x": "point 2:", `{"type":"Point"}`: "unreadable coordinates", "POINT (8.5 97.1)": "out of range", "POINT EMPTY": "no coordinates",
		"47 75 10 N 8 10 10 E": "is not a latitude and longitude", "99T 465400 5247100": "UTM zone 99 does not exist",
	} {
		got, err := kmlcsv.ReadTyped(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, want %q", text, got, err, want)
		}
	}
}

func TestAssumptionsAboutATypedPlaceAreNoted(t *testing.T) {
	for text, want := range map[string]string{
		"151.2, -33.8": "read as longitude, latitude", "47.1, 8.5, 433": "height", "47.1, 8.5; 47.2, 8.6": "a line", "47.1, 8.5": "",
		"https://www.google.com/maps/@47.3769,8.5417,15z": "the centre of the link's map",
	} {
		got, err := kmlcsv.ReadTyped(text)
		if err != nil || !strings.Contains(got.Note, want) || want == "" && got.Note != "" {
			t.Errorf("%q: %q, %v, want %q", text, got.Note, err, want)
		}
	}
}

func FuzzReadTyped(f *testing.F) {
	for _, seed := range []string{"47.1, 8.5", "N47 E8", "geo:1,2", "POINT (1 2)", "32T 465400 5247100", "https://x/@1,2", "1;2|3", "\xff°'"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := kmlcsv.ReadTyped(text)
		if err != nil && strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("%q: the error is %q", text, err)
		}
		if err == nil && len(got.Geometries) == 0 {
			t.Errorf("%q is nothing, without an error", text)
		}
		for _, g := range got.Geometries {
			for _, p := range (kmlcsv.Placemark{Geometry: g}).Points() {
				if !(math.Abs(p[0]) <= 180 && math.Abs(p[1]) <= 90) {
					t.Errorf("%q is read as %v", text, p)
				}
			}
		}
	})
}

func TestErrorsExplainImpossibleGridReferences(t *testing.T) {
	for text, want := range map[string]string{
		"61TMT6540047100": "MGRS zone 61 does not exist", "32TMT654047100": "differ in length", "32T MT 654 47100": "differ in length",
		"32TST6540047100": "no square ST", "32UMT6540047100": "not in band U",
	} {
		if got, err := kmlcsv.ReadTyped(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v, want %q", text, got, err, want)
		}
	}
	for text, want := range map[string]string{"4QFJ1267": "a square of 1000 m", "32TMT65404710": "", "32TMT": "100000 m"} {
		if got, err := kmlcsv.ReadTyped(text); err != nil || !strings.Contains(got.Note, want) || want == "" && got.Note != "" {
			t.Errorf("%s: %q, %v, want %q", text, got.Note, err, want)
		}
	}
}
