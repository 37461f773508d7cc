package kmlcsv

import (
	"fmt"
	"strings"
	"testing"
)

// A row with several positions is one site, with many names of its columns.
func TestTheCornersOfARowAreOneSite(t *testing.T) {
	const (
		triangle  = "A area 48.71,9.11 48.71,9.12 48.72,9.12"
		square    = "A area 48.72,9.11 48.72,9.12 48.71,9.12 48.71,9.11"
		rectangle = "A area 48.71,9.11 48.71,9.12 48.72,9.12 48.72,9.11"
		line      = "A linear 48.71,9.11 48.71,9.12"
		pairs     = "\nA,\"48.71, 9.11\",\"48.71, 9.12\",\"48.72, 9.12\"\n"
		two       = "\nA,\"48.71, 9.11\",\"48.71, 9.12\"\n"
		opposite  = "\nA;48.72, 9.11;48.71, 9.12\n"
		degrees   = "\nA,48.71,9.11,48.71,9.12,48.72,9.12\n"
	)
	for table, want := range map[string]string{
		"Site,Corner 1,Corner 2,Corner 3" + pairs:                                                                       triangle,
		"Site,Corner A,Corner B,Corner C" + pairs:                                                                       triangle,
		"Site,1st corner,2nd corner,3rd corner" + pairs:                                                                 triangle,
		"Feld,Eckpunkt 1,Eckpunkt 2,Eckpunkt 3" + pairs:                                                                 triangle,
		"Site,Vertex1,Vertex2,Vertex3" + pairs:                                                                          triangle,
		"Nom,Coin 1,Coin 2,Coin 3" + pairs:                                                                              triangle,
		"Site,P1,P2,P3" + pairs:                                                                                         triangle,
		"Site,1,2,3" + pairs:                                                                                            triangle,
		"Site,GPS 1,GPS 2,GPS 3" + pairs:                                                                                triangle,
		"Site,Coordinates,Coordinates 2,Coordinates 3" + pairs:                                                          triangle,
		"Site,P1,P2,P3,Type\nA,48.71 9.11,48.71 9.12,48.72 9.12,line\n":                                                 "A linear 48.71,9.11 48.71,9.12 48.72,9.12",
		"Site,P1,P2,P3\nA,\"48,71; 9,11\",\"48,71; 9,12\",\"48,72; 9,12\"\n":                                            triangle,
		"Site,P1,P2,P3\nA,POINT(9.11 48.71),POINT(9.12 48.71),POINT(9.12 48.72)":                                        triangle,
		"Site,P1,P2,P3\nA,48°42'36\"N 9°06'36\"E,48°42'36\"N 9°07'12\"E,48°43'12\"N 9°07'12\"E\n":                       triangle,
		"Site,P1,P2,P3\nA,32U 508092 5395224,32U 508827 5395225,32U 508826 5396337\n":                                   triangle,
		"Site,P1,P2,P3\nA,32UNU 0809295224,32UNU 0882795225,32UNU 0882696337\n":                                         triangle,
		"Site,Corner 1 (lon/lat),Corner 2 (lon/lat),Corner 3 (lon/lat)\nA,9.11 48.71,9.12 48.71,9.12 48.72":             triangle,
		"Site,P1,P2,P3\nA,\"151.21,-33.8\",\"151.22,-33.8\",\"151.22,-33.9\"\n":                                         "A area -33.80,151.21 -33.80,151.22 -33.90,151.22",
		"Site,NW,NE,SE,SW\nA,48.72 9.11,48.72 9.12,48.71 9.12,48.71 9.11\n":                                             square,
		"Site,NW,NE,SW,SE\nA,48.72 9.11,48.72 9.12,48.71 9.11,48.71 9.12\n":                                             square,
		"Feld,NW,NO,SW,SO\nA,48.72 9.11,48.72 9.12,48.71 9.11,48.71 9.12\n":                                             square,
		"Nom,NO,NE,SO,SE\nA,48.72 9.11,48.72 9.12,48.71 9.11,48.71 9.12\n":                                              square,
		"Site,NW Lat,NW Lon,NE Lat,NE Lon,SW Lat,SW Lon,SE Lat,SE Lon\nA,48.72,9.11,48.72,9.12,48.71,9.11,48.71,9.12\n": square,
		"Site;NW;SE" + opposite:                                                                                         rectangle,
		"Nom;NO;SE" + opposite:                                                                                          rectangle,
		"Site;NW corner;SE corner" + opposite:                                                                           rectangle,
		"Site;Upper left;Lower right" + opposite:                                                                        rectangle,
		"Site;Corner 1;Corner 2" + opposite:                                                                             rectangle,
		"Site,Corner NW Lat,Corner NW Lon,Corner SE Lat,Corner SE Lon\nA,48.72,9.11,48.71,9.12\n":                       rectangle,
		"Site,North West Lat,North West Lon,South East Lat,South East Lon\nA,48.72,9.11,48.71,9.12\n":                   rectangle,
		"Site,Start,End" + two:                                                                                          line,
		"Site,From,To" + two:                                                                                            line,
		"Site,lat1,lon1,lat2,lon2\nA,48.71,9.11,48.71,9.12\n":                                                           line,
		"Site,lat1,lon1,lat2,lon2,lat3,lon3" + degrees:                                                                  triangle,
		"Site,Corner 1 Lat,Corner 1 Lon,Corner 2 Lat,Corner 2 Lon,Corner 3 Lat,Corner 3 Lon" + degrees:                  triangle,
		"Site,Corner 1,,Corner 2,,Corner 3,\n,Lat,Lon,Lat,Lon,Lat,Lon" + degrees:                                        triangle,
		"Site,N1,E1,N2,E2,N3,E3" + degrees:                                                                              triangle,
		"Site,E1,N1,E2,N2,E3,N3,EPSG\nA,508092,5395224,508827,5395225,508826,5396337,25832\n":                           triangle,
	} {
		res, err := Parse([]byte(table), Options{NoPlaces: true})
		if err != nil {
			t.Errorf("%q: %v", table, err)
			continue
		}
		if got := describeCorners(res); got != want {
			t.Errorf("%q:\n got %s\nwant %s\n%v", table, got, want, res.Warnings)
		}
		checkResult(t, table, res)
		columns := res.Columns
		again, err := Parse([]byte(table), Options{NoPlaces: true, Columns: &columns, HeaderRow: res.Layout.HeaderRow})
		if err != nil || describeCorners(again) != want {
			t.Errorf("%q with the columns chosen: %v, %v", table, again, err)
		}
	}
}

func TestNumbersWithDecimalCommasAreNotCorners(t *testing.T) {
	res, err := Parse([]byte("Objekt;Koord1;Koord2\nA;48,7;9,1\nB;48,8;9,2\n"), Options{NoPlaces: true})
	if err != nil || describeCorners(res) != "A asset 48.70,9.10; B asset 48.80,9.20" {
		t.Errorf("%v, %v", res, err)
	}
}

func describeCorners(res *Result) string {
	var text strings.Builder
	for i, p := range res.Placemarks {
		if i > 0 {
			text.WriteString("; ")
		}
		fmt.Fprintf(&text, "%s %s", p.Name, p.Kind())
		for _, q := range p.Points() {
			fmt.Fprintf(&text, " %.2f,%.2f", q[1], q[0])
		}
	}
	return text.String()
}

func TestARowWithTwoCornersGivesAWarning(t *testing.T) {
	table := "Site,P1,P2,P3\nA,48.71 9.11,48.71 9.12,\nB,48.71 9.11,,\nC,48.71 9.11,?,48.72 9.12\nD,,,\n"
	res, err := Parse([]byte(table), Options{NoPlaces: true})
	if err != nil || describeCorners(res) != "A linear 48.71,9.11 48.71,9.12; B asset 48.71,9.11" {
		t.Fatalf("%v, %v", res, err)
	}
	if got, want := codesOf(res.Warnings), "place-guessed corners-missing corners-missing -geometry-unreadable -coordinates-missing"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	checkResult(t, table, res)
}

func TestOneOfSeveralColumnsWithCornersCanBeChosen(t *testing.T) {
	columns := EmptyColumns()
	columns.Label, columns.Geometry = 0, 2
	res, err := Parse([]byte("Site,P1,P2,P3\nA,48.71 9.11,48.71 9.12,48.72 9.12\n"), Options{NoPlaces: true, Columns: &columns})
	if err != nil || describeCorners(res) != "A asset 48.71,9.12" {
		t.Errorf("%v, %v", res, err)
	}
}

func TestDecimalCommasAroundASemicolonAreOnePosition(t *testing.T) {
	for table, want := range map[string]string{
		"name,gps\nA,\"48,71; 9,11\"\n":    "A asset 48.71,9.11",
		"name,gps\nA,\"48,71|9,11\"\n":     "A asset 48.71,9.11",
		"name,points\nA,\"48,71; 9,11\"\n": "A linear 48.00,71.00 9.00,11.00",
	} {
		res, err := Parse([]byte(table), Options{NoPlaces: true})
		if err != nil || describeCorners(res) != want {
			t.Errorf("%q: %v, %v", table, res, err)
		}
	}
	if res, err := Parse([]byte("name,gps\nA,\"48,71 - 9,11\"\n"), Options{}); err == nil {
		t.Errorf("a dash that may be a sign: %s", describeCorners(res))
	}
}
