package crs

import (
	"testing"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/geo"
)

// places are coordinates of a system, and where GDAL 3.6.2 puts them.
var places = []struct {
	code           int
	x, y, lng, lat float64
}{
	{25832, 512345, 5400000, 9.16795081365063, 48.7528906240485},
	{31467, 3512345, 5400000, 9.16680767324437, 48.7374140449176},
	{31466, 2570000, 5650000, 6.99616762083281, 50.9809500178616},
	{2180, 750000, 180000, 22.4495360248425, 49.435976807902}, // far from the middle
	{2180, 200000, 600000, 14.5083676881309, 53.1804700609962},
	{2157, 480000, 600000, -9.75309321867874, 52.1388122422228},
	{2157, 720000, 730000, -6.19942608120239, 53.30667384748},
	{27700, 651409.903, 313177.270, 1.71605199037504, 52.6579785985798},
	{27700, 180000, 800000, -5.62777543559702, 57.0384388922116},
}

func TestPlacesAreAsNearToThoseOfGDALAsTheAccuracySays(t *testing.T) {
	for _, want := range places {
		s := Find(want.code)
		if s == nil {
			t.Errorf("%d: not known", want.code)
			continue
		}
		got, ok := s.Point(want.x, want.y)
		if off := geo.Distance(got, orb.Point{want.lng, want.lat}); !ok || off > float64(s.Accuracy) {
			t.Errorf("%s: %v, %.2f m off GDAL's %v, %v", s.Name(), got, off, want.lng, want.lat)
		}
	}
}

func TestSystemsAreFoundByTheirNames(t *testing.T) {
	for text, want := range map[string]int{
		"EPSG:25832": 25832, "urn:ogc:def:crs:EPSG::25832": 25832, "urn:ogc:def:crs:OGC:1.3:CRS84": 4326,
		"E (UTM 32N)": 32632, "Ostwert UTM32": 32632, "ETRS89 / UTM zone 32N": 25832, "x_25832": 25832, "x": 0,
		"UTM zone 55S": 32755, "GDA94 MGA zone 55": 28355, "GDA2020 / MGA zone 56": 7856, "Gauß-Krüger 3": 31467,
		"OSGB36": 27700, "Lambert-93": 2154, "RD New": 28992, "Web Mercator": 3857, "Kunde 12345": 0, "order 4711 of 2026": 0,
		`PROJCS["DHDN_3_Degree_Gauss_Zone_3",GEOGCS["GCS_Deutsches_Hauptdreiecksnetz"]]`: 31467,
		`GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984"]]`:                                     4326,
		`GEOGCS["GCS_Deutsches_Hauptdreiecksnetz",DATUM["D_DHDN"]]`:                      0,
		`PROJCS["WGS_1984_Web_Mercator_Auxiliary_Sphere",GEOGCS["GCS_WGS_1984"]]`:        3857,
		`PROJCS["WGS_1984_UTM_Zone_32N",GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984"]]]`:     32632,
		`PROJCS["NAD_1983_UTM_Zone_11N",GEOGCS["GCS_North_American_1983"]]`:              32611,
		`PROJCS["SIRGAS_2000_UTM_Zone_23S",GEOGCS["GCS_SIRGAS_2000"]]`:                   32723,
		`PROJCS["ETRS_1989_Poland_CS92",GEOGCS["ETRF2000-PL"]]`:                          2180,
		`PROJCS["ED_1950_UTM_Zone_32N",GEOGCS["GCS_European_1950"]]`:                     0,
		`PROJCS["NAD_1927_UTM_Zone_11N",GEOGCS["GCS_North_American_1927"]]`:              0,
		`PROJCS["SAD_1969_UTM_Zone_23S",GEOGCS["GCS_South_American_1969"]]`:              0,
		`PROJCS["Tokyo_UTM_Zone_54N",GEOGCS["GCS_Tokyo"]]`:                               0,
		`PROJCS["Pulkovo_1942_GK_Zone_4",GEOGCS["GCS_Pulkovo_1942"]]`:                    0,
		`PROJCS["Pulkovo_1942_Adj_1983_3_Degree_GK_Zone_4",GEOGCS["GCS_Pulkovo_1942"]]`:  0,
	} {
		if got := Named(text); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}

func TestDegreesAreNoCoordinatesOfAProjection(t *testing.T) {
	if p, ok := Find(25832).Point(9.1, 48.7); ok {
		t.Error("9.1, 48.7 was taken for metres:", p)
	}
}
