package crs

import (
	_ "embed"
	"fmt"
	"maps"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

//go:embed testdata/definitions.tsv
var definitionLines string

// definitions are systems as PROJ 9.1.1 writes them in each form.
var definitions = readDefinitions()

type definitionCase struct {
	code       int
	form, text string
}

func readDefinitions() (cases []definitionCase) {
	for line := range strings.Lines(definitionLines) {
		fields := strings.SplitN(strings.TrimSpace(line), "\t", 3)
		code, _ := strconv.Atoi(fields[0])
		cases = append(cases, definitionCase{code, fields[1], fields[2]})
	}
	return cases
}

var identifiers = regexp.MustCompile(`,(?:AUTHORITY|ID)\["EPSG","?[0-9]+"?\]|,"id":\{"authority":"EPSG","code":[0-9]+\}`)

func TestDefinitionsAreComputedWithAndWithoutTheirCodes(t *testing.T) {
	if len(definitions) < 30 {
		t.Errorf("%d definitions", len(definitions))
	}
	for _, c := range definitions {
		want, err := FindCode(c.code)
		if err != nil {
			t.Error(err)
			continue
		}
		lng, lat := want.Bounds().Centre()
		x, y, err := want.FromWGS84(lng, lat)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, text := range []string{c.text, identifiers.ReplaceAllString(c.text, "")} {
			got, err := Parse(text)
			if err != nil {
				t.Errorf("EPSG:%d %s: %v", c.code, c.form, err)
				continue
			}
			gotLng, gotLat, err := got.ToWGS84(x, y)
			if off := apart(gotLng, gotLat, lng, lat); err != nil || !(off < .05) {
				t.Errorf("EPSG:%d %s: %s %.3f m off, %v", c.code, c.form, got.Reference(), off, err)
			}
		}
	}
}

const customGrid = `PROJCS["Mine grid",GEOGCS["%s",DATUM["%s",SPHEROID["%s",%s]%s],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]],
	PROJECTION["Transverse_Mercator"],PARAMETER["latitude_of_origin",0],PARAMETER["central_meridian",11],PARAMETER["scale_factor",1],
	PARAMETER["false_easting",%v],PARAMETER["false_northing",0],UNIT["%s",%v]]`

func TestASystemWithoutACodeIsComputedFromItsParameters(t *testing.T) {
	metres, err := Parse(fmt.Sprintf(customGrid, "ETRS89", "European_Terrestrial_Reference_System_1989", "GRS 1980", "6378137,298.257222101", "", 50000, "metre", 1))
	if err != nil {
		t.Fatal(err)
	}
	feet, err := Parse(fmt.Sprintf(customGrid, "ETRS89", "European_Terrestrial_Reference_System_1989", "GRS 1980", "6378137,298.257222101", "", 164041.666666667, "US survey foot", 1200./3937))
	if err != nil {
		t.Fatal(err)
	}
	if metres.Code() != 0 || metres.Name() != "Mine grid" {
		t.Errorf("%d %s", metres.Code(), metres.Name())
	}
	lng, lat, err := metres.ToWGS84(51_000, 5_300_000)
	if err != nil {
		t.Fatal(err)
	}
	footLng, footLat, err := feet.ToWGS84(51_000*3937./1200, 5_300_000*3937./1200)
	if err != nil || apart(lng, lat, footLng, footLat) > .001 {
		t.Errorf("%v, %v in metres, %v, %v in feet, %v", lng, lat, footLng, footLat, err)
	}
	if lng < 11.0133 || lng > 11.0135 {
		t.Errorf("longitude %v", lng)
	}
}

func TestTheTransformationOfAFileIsUsedForItsDatum(t *testing.T) {
	shift := `,TOWGS84[598.1,73.7,418.2,0.202,0.045,-2.455,6.7]`
	s, err := Parse(fmt.Sprintf(customGrid, "local", "local datum", "Bessel 1841", "6377397.155,299.1528128", shift, 50000, "metre", 1))
	if err != nil {
		t.Fatal(err)
	}
	lng, lat, err := s.ToWGS84(50_000, 5_400_000)
	if err != nil {
		t.Fatal(err)
	}
	known, err := Parse(fmt.Sprintf(customGrid, "DHDN", "Deutsches_Hauptdreiecksnetz", "Bessel 1841", "6377397.155,299.1528128", "", 50000, "metre", 1))
	if err != nil {
		t.Fatal(err)
	}
	knownLng, knownLat, err := known.ToWGS84(50_000, 5_400_000)
	if err != nil || apart(lng, lat, knownLng, knownLat) > .001 {
		t.Errorf("%v, %v by the file, %v, %v by the registry, %v", lng, lat, knownLng, knownLat, err)
	}
}

func TestThePrimeMeridianOfAFileIsInDegreesOrGrads(t *testing.T) {
	for name, greenwichLng := range map[string]float64{
		`PRIMEM["Paris",2.5969213]`:    2.33722917, // grads
		`PRIMEM["Paris",2.3372291667]`: 2.33722917,
		`PRIMEM["Paris",2.337]`:        2.337, // degrees, rounded
	} {
		text := `GEOGCS["NTF (Paris)",DATUM["local datum",SPHEROID["Clarke 1880 (IGN)",6378249.2,293.4660212936269],` +
			`TOWGS84[0,0,0]],` + name + `,UNIT["grad",0.0157079632679489]]`
		s, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		lng, _, err := s.ToWGS84(0, 50)
		if err != nil || math.Abs(lng-greenwichLng) > 1e-6 {
			t.Errorf("%s: longitude %v, want %v, %v", name, lng, greenwichLng, err)
		}
	}
}

func TestAnUnknownDatumIsRefusedByName(t *testing.T) {
	_, err := Parse(fmt.Sprintf(customGrid, "local", "Mine datum", "Bessel 1841", "6377397.155,299.1528128", "", 50000, "metre", 1))
	if err == nil || !strings.Contains(err.Error(), "the datum Mine datum is not known") {
		t.Errorf("%v", err)
	}
	_, err = Parse("+proj=tmerc +lon_0=35.2 +ellps=GRS80 +units=m")
	if err == nil || !strings.Contains(err.Error(), "names no datum") {
		t.Errorf("%v", err)
	}
}

func TestPROJStringsAreRead(t *testing.T) {
	for text, want := range map[string][2]float64{
		"+proj=utm +zone=32 +datum=WGS84 +units=m +no_defs":                                                   {9.16795, 48.75289},
		"+proj=utm +zone=32 +ellps=GRS80 +towgs84=0,0,0,0,0,0,0 +units=m +type=crs":                           {9.16795, 48.75289},
		"+proj=tmerc +lat_0=0 +lon_0=9 +k=0.9996 +x_0=500000 +y_0=0 +datum=WGS84 +units=m":                    {9.16795, 48.75289},
		"+proj=tmerc +lat_0=0 +lon_0=9 +k=0.9996 +x_0=500000 +y_0=0 +a=6378137 +rf=298.257223563 +to_meter=1": {9.16795, 48.75289},
		"+init=epsg:25832": {9.16795, 48.75289},
	} {
		s, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		lng, lat, err := s.ToWGS84(512345, 5400000)
		if err != nil || apart(lng, lat, want[0], want[1]) > 2 {
			t.Errorf("%s: %v, %v, %v", text, lng, lat, err)
		}
	}
}

// A string can have parameters that other projections read instead of the projection in the string.
func TestPROJStringsUseTheParametersThatTheirProjectionReads(t *testing.T) {
	for text, same := range map[string]string{
		"+proj=omerc +lat_0=4 +lonc=115 +lon_0=0 +alpha=53 +azi=10 +k=0.99984": "+proj=omerc +lat_0=4 +lonc=115 +alpha=53 +k=0.99984",
		"+proj=labrd +lat_0=-18.9 +lon_0=46 +lonc=0 +azi=18.9 +alpha=50":       "+proj=labrd +lat_0=-18.9 +lon_0=46 +azi=18.9",
		"+proj=lcc +lat_1=49 +lat_2=44 +lat_ts=10 +lat_0=46 +lon_0=3":          "+proj=lcc +lat_1=49 +lat_2=44 +lat_0=46 +lon_0=3",
		"+proj=stere +lat_0=90 +lat_ts=70 +lat_1=10 +lon_0=-45":                "+proj=stere +lat_0=90 +lat_ts=70 +lon_0=-45",
		"+proj=merc +lon_0=10 +lonc=20 +lat_ts=56 +lat_1=10":                   "+proj=merc +lon_0=10 +lat_ts=56",
	} {
		for range 20 { // the order of a map would be another each time
			got, err := parsePROJ(text + " +datum=WGS84")
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			want, err := parsePROJ(same + " +datum=WGS84")
			if err != nil {
				t.Fatalf("%s: %v", same, err)
			}
			if got.method != want.method || !maps.Equal(got.roles, want.roles) {
				t.Errorf("%s: %s %v, not %s %v", text, got.method, got.roles, want.method, want.roles)
				break
			}
		}
	}
}

func TestHostileDefinitionsAreRefused(t *testing.T) {
	for name, text := range map[string]string{
		"too deep":      strings.Repeat("PROJCS[", 10_000),
		"too long":      `PROJCS["` + strings.Repeat("x", maxDefinition) + `"]`,
		"too many":      `PROJCS["x",` + strings.Repeat("A[],", 15_000) + `]`,
		"nested bounds": strings.Repeat("BOUNDCRS[SOURCECRS[", 10) + `GEOGCRS["x"]`,
		"open quote":    `GEOGCS["x`,
		"no ellipsoid":  `GEOGCS["x",DATUM["y"]]`,
		"not a number":  fmt.Sprintf(customGrid, "WGS 84", "WGS_1984", "WGS 84", "nan,inf", "", 0, "metre", 1),
		"no unit":       fmt.Sprintf(customGrid, "WGS 84", "WGS_1984", "WGS 84", "6378137,298.257223563", "", 0, "metre", 0),
		"infinite":      fmt.Sprintf(customGrid, "WGS 84", "WGS_1984", "WGS 84", "6378137,298.257223563", "", "1e999", "metre", 1),
		"only heights":  `VERT_CS["x",VERT_DATUM["y",2005],UNIT["metre",1]]`,
		"geocentric":    `GEODCRS["x",DATUM["y",ELLIPSOID["z",6378137,298]],CS[Cartesian,3]]`,
		"broken JSON":   `{"type":"ProjectedCRS"`,
		"empty JSON":    `{}`,
		"UTM zone 99":   "+proj=utm +zone=99 +datum=WGS84",
		"robinson":      "+proj=robin +datum=WGS84",
	} {
		if s, err := Parse(text); err == nil {
			t.Errorf("%s: %s is accepted", name, s.Name())
		}
	}
}

func TestCoordinatesBeyondTheProjectionAreErrors(t *testing.T) {
	for _, code := range []int{25832, 2154, 3035, 3857, 2056, 28992, 5514, 27200, 32661, 2065, 3116, 29101} {
		s, err := FindCode(code)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, v := range []float64{1e8, 1e12, 1e300, -1e300} {
			lng, lat, err := s.ToWGS84(v, v)
			if err != nil {
				continue
			}
			if x, y, err := s.FromWGS84(lng, lat); err != nil || x < v-1e-3*v || y < v-1e-3*v {
				t.Errorf("EPSG:%d: %v became %v, %v, and back %v, %v, %v", code, v, lng, lat, x, y, err)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range definitions {
		f.Add(c.text, 512345., 5400000.)
	}
	f.Fuzz(func(t *testing.T, text string, x, y float64) {
		s, err := Parse(text)
		if err != nil {
			return
		}
		lng, lat, err := s.ToWGS84(x, y)
		if err == nil && !(lng >= -180 && lng <= 180 && lat >= -90 && lat <= 90) {
			t.Errorf("%v, %v", lng, lat)
		}
		s.AccuracyAt(lng, lat)
	})
}
