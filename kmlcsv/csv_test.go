package kmlcsv

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/paulmach/orb"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

func TestCSVShapes(t *testing.T) {
	const koeln = "Köln|asset|6.9603,50.9375"
	const both = koeln + "\nBonn|asset|7.0982,50.7374"
	plain := "name,lat,lng\nKöln,50.9375,6.9603\nBonn,50.7374,7.0982\n"
	utf16 := func(e unicode.Endianness) string {
		return encoded(t, unicode.UTF16(e, unicode.UseBOM), strings.ReplaceAll(plain, ",", "\t"))
	}
	for _, c := range []readCase{
		{"plain", plain, both, "", ""},
		{"longitude first", "name,longitude,latitude\nKöln,6.9603,50.9375\n", koeln, "", ""},
		{"semicolons and decimal commas", "name;lat;lng\nKöln;50,9375;6,9603\nBonn;50,7374;7,0982\n", both, "", ""},
		{"semicolons and points", "name;lat;lng\nKöln;50.9375;6.9603\n", koeln, "", ""},
		{"tabs", "name\tlat\tlng\nKöln\t50.9375\t6.9603\n", koeln, "", ""},
		{"bars", "name|lat|lng\nKöln|50.9375|6.9603\n", koeln, "", ""},
		{"byte order mark and CRLF", "\ufeff" + strings.ReplaceAll(plain, "\n", "\r\n"), both, "", ""},
		{"UTF-16 little-endian", utf16(unicode.LittleEndian), both, "", ""},
		{"UTF-16 big-endian", utf16(unicode.BigEndian), both, "", ""},
		{"windows-1252", encoded(t, charmap.Windows1252, "name;lat;lng\nKöln;50,9375;6,9603\n"), koeln, "encoding-guessed", ""},
		{"sep line", "sep=;\r\nname;lat;lng\r\nKöln;50,9375;6,9603\r\n", koeln, "", ""},
		{"sep line against the rest", "\"sep=;\"\nname;lat;lng\nA,B;50,5;6,5\n", "A,B|asset|6.5,50.5", "", ""},
		{"carriage returns alone", strings.ReplaceAll(plain, "\n", "\r"), both, "", ""},
		{"no line break at the end", strings.TrimSuffix(plain, "\n"), both, "", ""},
		{"line breaks and quotes in quotes", "name,lat,lng,notes\n\"Köln\",50.9375,6.9603,\"line one\nline \"\"two\"\", end\"\nBonn,50.7374,7.0982,\n", both, "", ""},
		{"blank rows", "\n\nname,lat,lng\n\nA,50,10\n,,\n \n", "A|asset|10,50", "", ""},
		{"text behind a closing quote", "name,lat,lng\n\"A\" north,50,10\n", "A north|asset|10,50", "stray-quote", ""},
		{"quotes inside a cell", "name,lat,lng\nA \"north\",50,10\n", "A \"north\"|asset|10,50", "", ""},
		{"rows of other lengths", "name,lat,lng\nA,50,10,extra\nB,51\nC,52,12\n", "A|asset|10,50\nC|asset|12,52", "extra-cells -short-row", ""},
		{"a row short of what is not needed", "lat,lng,name\n50,10\n", "Row 2|asset|10,50", "", ""},
		{"names twice", "name,lat,lng\nmast,50,10\nmast,51,11\n", "mast|asset|10,50\nmast|asset|11,51", "", ""},
		{"headers twice", "name,lat,lat,lng\nA,50,51,10\n", "A|asset|10,50", "duplicate-column", ""},
		{"headers twice that do not matter", "name,note,note,lat,lng\nA,x,y,50,10\n", "A|asset|10,50", "", ""},
		{"formula", "name,lat,lng\n\"=HYPERLINK(\"\"http://x\"\")\",50,10\n", "=HYPERLINK(\"http://x\")|asset|10,50", "", ""},
		{"guarded formula", "name,lat,lng\n'=1+1,50,10\n'tis,50,11\n", "=1+1|asset|10,50\n'tis|asset|11,50", "", ""},
		{"radius", "name,lat,lng,radius_m\nF,50,10,100\n", "F|asset|10,50", "radius-ignored", ""},
		{"no label", "latitude,longitude,altitude(m),heading(deg)\n50,10,40,0\n50,10.01,40,0\n", "Row 2|asset|10,50\nRow 3|asset|10.01,50", "", ""},
		{"id for a label", "site_id,lat,lng\nS1,50,10\n,51,11\n", "S1|asset|10,50\nRow 3|asset|11,51", "", ""},
		{"control characters", "name,lat,lng\n\"A\x1b[31m\nB\",50,10\n", "A[31m B|asset|10,50", "characters-dropped", ""},
		{"a header that starts as archives do", "PK,lat,lng,name\n1,50,10,A\n", "A|asset|10,50", "", ""},
		{"one column of WKT", "wkt\nLINESTRING (10 50, 11 51)\n", "Row 2|linear|10,50 11,51", "", ""},
	} {
		c.run(t, Options{})
	}
}

func TestCSVHeaders(t *testing.T) {
	for header, row := range map[string]string{
		"Site Name,Latitude (deg),Longitude (deg)": "A,50.5,10.5",
		"nombre;latitud;longitud":                  "A;50,5;10,5",
		"Bezeichnung;Breitengrad;Längengrad":       "A;50,5;10,5",
		"nom;latitude;longitude":                   "A;50.5;10.5",
		"Name;Breite;Länge":                        "A;50,5;10,5",
		"nome,latitudine,longitudine":              "A,50.5,10.5",
		"NAME,Y,X":                                 "A,50.5,10.5",
		"名称,LAT,LON":                               "A,50.5,10.5",
		"site,cell_lat,cell_long":                  "A,50.5,10.5",
		"name,lat_wgs84,lon_wgs84":                 "A,50.5,10.5",
		"point name,GPS_Lat,GPS_Lon":               "A,50.5,10.5",
		"WP,Latitude,Longitude,AltitudeAMSL":       "A,50.5,10.5,120",
		"label,location":                           "A,\"50.5,10.5\"",
		"name,Location Coordinates":                `A,"50°30'00.0""N 10°30'00.0""E"`,
		"name,GPS":                                 "A,50.5 10.5",
		"WKT,name,description":                     "\"POINT (10.5 50.5)\",A,",
		"name,the_geom":                            "A,POINT(10.5 50.5)",
		"name,anything":                            "A,POINT(10.5 50.5)",
		"name,whatever":                            `A,"{""type"":""Point"",""coordinates"":[10.5,50.5]}"`,
	} {
		warnings := ""
		if strings.HasSuffix(header, ",location") || strings.HasSuffix(header, ",GPS") { // they do not say which number is the latitude
			warnings = "place-guessed"
		}
		(&readCase{header, header + "\n" + row + "\n", "A|asset|10.5,50.5", warnings, ""}).run(t, Options{})
	}
}

func TestCSVNumbers(t *testing.T) {
	for _, c := range []struct{ lat, lng, want, warnings string }{
		{"50.9375", "6.9603", "6.9603,50.9375", ""},
		{" 50.9375 ", "+6.9603", "6.9603,50.9375", ""},
		{"50,9375", "6,9603", "6.9603,50.9375", ""},
		{"50.9375°", "6.9603 °", "6.9603,50.9375", ""},
		{"50.9375N", "6.9603E", "6.9603,50.9375", ""},
		{"33.865 S", "151.21 E", "151.21,-33.865", ""},
		{"s 33.865", "W151.21", "-151.21,-33.865", ""},
		{"Z 33.5", "10", "10,-33.5", ""},
		{`50°56'15.0"N`, `6°57'37.08"E`, "6.9603,50.9375", ""},
		{"33 51 54 S", "151 12 36 E", "151.21,-33.865", ""},
		{"50° 56,25′", "6º57’37,08”", "6.9603,50.9375", ""},
		{"50:56:15", "-6:57:37.08", "-6.9603,50.9375", ""},
		{"50d 56m 15s N", "6d57m37.08sE", "6.9603,50.9375", ""},
		{"−33.5", "10", "10,-33.5", ""},
		{"0", "0.0", "", "-coordinates-missing"},
		{"W 70.5", "S 10", "", "-wrong-hemisphere?"},
		{"50", "10 N", "", "-wrong-hemisphere?"},
		{"-33.5 S", "10", "", "-coordinates-unreadable"},
		{"50d56m15s", "10", "", "-coordinates-unreadable"},
		{"50 60 0", "10", "", "-coordinates-unreadable"},
		{"50.5 30", "10", "", "-coordinates-unreadable"},
		{"50 10 10 10", "10", "", "-coordinates-unreadable"},
		{"1.234,5", "10", "", "-coordinates-unreadable"},
		{"1.234.567", "10", "", "-coordinates-unreadable"},
		{"abc", "10", "", "-coordinates-unreadable"},
		{"50-30", "10", "", "-coordinates-unreadable"},
		{"N", "10", "", "-coordinates-unreadable"},
		{"=50", "10", "", "-coordinates-unreadable"},
		{"NaN", "1", "", "-coordinates-not-finite"},
		{"50", "-inf", "", "-coordinates-not-finite"},
		{"1e400", "1", "", "-coordinates-unreadable"},
		{"", "", "", "-coordinates-missing"},
		{"50", " ", "", "-coordinates-missing"},
		{"95", "10", "", "-coordinates-swapped?"},
		{"151.21", "-33.865", "", "-coordinates-swapped?"},
		{"95", "100", "", "-coordinates-out-of-range"},
		{"50", "200", "", "-coordinates-out-of-range"},
		{strings.Repeat("5", 100) + "x", "10", "", "-coordinates-unreadable"},
	} {
		quote := func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
		want := "ok|asset|20,10"
		if c.want != "" {
			want = "a|asset|" + c.want + "\n" + want
		}
		(&readCase{c.lat + " / " + c.lng, "name,lat,lng\na," + quote(c.lat) + "," + quote(c.lng) + "\nok,10,20\n", want, c.warnings, ""}).run(t, Options{})
	}
}

func TestCSVRowsOfWarnings(t *testing.T) {
	data := "sep=,\n\nname,lat,lng\n\"two\nlines\",50,x\n\nB,151.21,-33.865\nC,1,2\n"
	res, err := Parse([]byte(data), Options{NoPlaces: true})
	if err != nil || len(res.Warnings) != 2 || res.Placemarks[0].Line != 6 {
		t.Fatalf("%+v, %v", res, err)
	}
	if w := res.Warnings[0]; w.Line != 3 || w.Placemark != "two lines" {
		t.Errorf("%+v", w)
	}
	w := res.Warnings[1]
	if w.Line != 5 || w.Fixed == nil || summary([]Placemark{*w.Fixed}) != "B|asset|151.21,-33.865" {
		t.Errorf("%+v", w)
	}
	res, err = Parse([]byte(data), Options{NoPlaces: true, SwapLatLng: true})
	if err != nil || summary(res.Placemarks) != "B|asset|151.21,-33.865\nC|asset|1,2" {
		t.Errorf("swapped: %s, %v", summary(res.Placemarks), err)
	}
}

func TestCSVGeometries(t *testing.T) {
	const f = "F|area|" + squareWant
	for _, c := range []readCase{
		{"WKT polygon", "POLYGON ((10 50, 10.01 50, 10.01 50.01, 10 50.01, 10 50))", f, "", ""},
		{"lower case without spaces", "polygon((10 50,10.01 50,10.01 50.01,10 50.01,10 50))", f, "", ""},
		{"EWKT with heights, in parts", "SRID=4326;MULTIPOLYGON Z (((10 50 1,10.01 50 1,10.01 50.01 1,10 50 1)),((11 50 1,11.01 50 1,11.01 50.01 1,11 50 1)))", "F (1)|area|10,50 10.01,50 10.01,50.01\nF (2)|area|11,50 11.01,50 11.01,50.01", "", ""},
		{"POINTZM", "POINTZM(10 50 1 2)", "F|asset|10,50", "", ""},
		{"POINT M", "POINT M (10 50 1)", "F|asset|10,50", "", ""},
		{"MULTIPOINT", "MULTIPOINT (10 50, 11 51)", "F (1)|asset|10,50\nF (2)|asset|11,51", "", ""},
		{"MULTIPOINT with brackets", "MULTIPOINT ((10 50), (11 51))", "F (1)|asset|10,50\nF (2)|asset|11,51", "", ""},
		{"MULTILINESTRING", "MULTILINESTRING ((10 50, 11 51))", "F|linear|10,50 11,51", "", ""},
		{"GEOMETRYCOLLECTION", "GEOMETRYCOLLECTION (POINT (10 50), LINESTRING (10 50, 11 51))", "F (1)|asset|10,50\nF (2)|linear|10,50 11,51", "", ""},
		{"WKT with a hole", "POLYGON ((10 50, 10.01 50, 10.01 50.01, 10 50.01, 10 50), (10.002 50.002, 10.004 50.002, 10.004 50.004, 10.002 50.002))", f, "holes-ignored", ""},
		{"WKT with a hole that is none", "POLYGON ((10 50, 10.01 50, 10.01 50.01, 10 50.01, 10 50), (10.002 50.002, 10.004 50.002))", f, "hole-unreadable", ""},
		{"WKT across the antimeridian", "LINESTRING (179 0, 181 0)", "F|linear|179,0 -179,0", "longitude-wrapped", ""},
		{"EMPTY", "POLYGON EMPTY", "", "-coordinates-missing", "no-usable-placemark"},
		{"other SRID", "SRID=99999;POINT (356000 5645000)", "", "-other-reference-system", "no-usable-placemark 99999"},
		{"curves", "POINT_CURVE (1 2)", "", "-geometry-unreadable", "no-usable-placemark"},
		{"WKT cut off", "POLYGON ((10 50, 10.01 50", "", "-geometry-unreadable", "no-usable-placemark ')' is missing"},
		{"WKT with a word", "LINESTRING (10 50, x 51)", "", "-geometry-unreadable", "no-usable-placemark number is missing"},
		{"WKT with half a tuple", "LINESTRING (10 50, 11)", "", "-geometry-unreadable", "no-usable-placemark number is missing"},
		{"WKT with five numbers", "POINT (1 2 3 4 5)", "", "-geometry-unreadable", "no-usable-placemark"},
		{"WKT with decimal commas", "POINT (10,5 50,5)", "", "-geometry-unreadable", "no-usable-placemark"},
		{"WKT and more", "POINT (10 50) x", "", "-geometry-unreadable", "no-usable-placemark follows"},
		{"WKT swapped", "LINESTRING (48 151, 48 152)", "", "-coordinates-swapped?", "no-usable-placemark swapped"},
		{"WKT not finite", "POINT (1e400 50)", "", "-coordinates-out-of-range", "no-usable-placemark"},
		{"collections without end", strings.Repeat("GEOMETRYCOLLECTION (", 5000), "", "-geometry-unreadable", "no-usable-placemark too many collections"},
		{"GeoJSON point", `{"type":"Point","coordinates":[10,50]}`, "F|asset|10,50", "", ""},
		{"GeoJSON feature", `{"type":"Feature","properties":null,"geometry":{"type":"Polygon","coordinates":[[[10,50,3],[10.01,50],[10.01,50.01],[10,50.01],[10,50]]]}}`, f, "", ""},
		{"GeoJSON parts", `{"type":"MultiLineString","coordinates":[[[10,50],[11,51]],[[1,2],[3,4]]]}`, "F (1)|linear|10,50 11,51\nF (2)|linear|1,2 3,4", "", ""},
		{"GeoJSON collection", `{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[10,50]}]}`, "F|asset|10,50", "", ""},
		{"GeoJSON null", `{"type":"Point","coordinates":[null,50]}`, "", "-geometry-unreadable", "no-usable-placemark"},
		{"GeoJSON half a position", `{"type":"Point","coordinates":[10]}`, "", "-geometry-unreadable", "no-usable-placemark"},
		{"GeoJSON of another type", `{"type":"Topology","arcs":[]}`, "", "-geometry-unreadable", "no-usable-placemark"},
		{"GeoJSON cut off", `{"type":"Point","coordinates":[10,`, "", "-geometry-unreadable", "no-usable-placemark not valid"},
		{"list of lat and lng", `[{"lat":50,"lng":10},{"lat":50,"lng":10.01},{"lat":50.01,"lng":10.01},{"lat":50.01,"lng":10}]`, f, "", ""},
		{"list without lng", `[{"lat":50}]`, "", "-geometry-unreadable", "no-usable-placemark lacks lat or lng"},
		{"pairs with commas", "50,10; 50,10.01; 50.01,10.01; 50.01,10", f, "", ""},
		{"pairs with spaces", "50 10; 50 10.01; 50.01 10.01; 50.01 10;", f, "", ""},
		{"pairs in lines", "50, 10\n50, 10.01\r\n50.01, 10.01\n50.01, 10\n50, 10", f, "", ""},
		{"pairs with bars", "50,10|50,10.01|50.01,10.01|50.01,10", f, "", ""},
		{"two pairs", "50,10; 51,11", "F|linear|10,50 11,51", "", ""},
		{"one pair", "50, 10", "F|asset|10,50", "", ""},
		{"pairs of degrees and letters", `50°30'N 10°30'E; 51N 11E`, "F|linear|10.5,50.5 11,51", "", ""},
		{"pairs that may be decimal commas", "50,5 10,5; 51,5 11,5", "", "-geometry-unreadable", "no-usable-placemark not a pair"},
		{"pairs with spaces alone", "50,10 51,11 52,12", "", "-geometry-unreadable", "no-usable-placemark not a pair"},
		{"three numbers", "50,10,5; 51,11,5", "", "-geometry-unreadable", "no-usable-placemark not a pair"},
		{"pairs swapped", "151,-33; 152,-34", "", "-coordinates-swapped?", "no-usable-placemark swapped"},
		{"a word", "north of the barn", "", "-geometry-unreadable", "no-usable-placemark"},
	} {
		c.data = "name,points\nF,\"" + strings.ReplaceAll(c.data, `"`, `""`) + "\"\n"
		// A first row without a geometry keeps the column one of geometries.
		c.data = strings.Replace(c.data, "F,", "Z,POINT EMPTY\nF,", 1)
		c.warnings = strings.TrimSpace("-coordinates-missing " + c.warnings)
		if c.err != "" {
			c.err = "no-usable-placemark"
		}
		c.run(t, Options{})
	}
}

func TestCSVRowsOfOnePlacemark(t *testing.T) {
	for _, c := range []struct {
		readCase
		join Kind
	}{
		{readCase{"vertices in order", "site,seq,lat,lng\nF,1,50,10\nF,3,50.01,10.01\nF,2,50,10.01\nG,1,60,20\n", "F|area|10,50 10.01,50 10.01,50.01\nG|asset|20,60", "", ""}, ""},
		{readCase{"vertices of an id", "id,name,order,lat,lng\n7,F,1,50,10\n8,G,1,60,20\n7,F,2,50,10.01\n", "F|linear|10,50 10.01,50\nG|asset|20,60", "", ""}, ""},
		{readCase{"vertices of a line", "id,type,seq,lat,lng\n7,line,1,50,10\n7,line,2,50,10.01\n7,line,3,50.01,10.01\n", "7|linear|10,50 10.01,50 10.01,50.01", "", ""}, ""},
		{readCase{"the sequence has a number twice", "site,seq,lat,lng\nmast,5,50,10\nmast,5,51,11\n", "mast|asset|10,50\nmast|asset|11,51", "bad-sequence", ""}, ""},
		{readCase{"rows without a number", "id,no,lat,lng\nF,1,50,10\nF,,51,11\nF,2,52,12\n", "F|linear|10,50 12,52\nF|asset|11,51", "", ""}, ""},
		{readCase{"a number that may count rows", "no,name,lat,lng\n1,mast,50,10\n2,mast,51,11\n", "mast|asset|10,50\nmast|asset|11,51", "", ""}, ""},
		{readCase{"no sequence", "site,lat,lng\nF,50,10\nF,51,11\n", "F|asset|10,50\nF|asset|11,51", "", ""}, ""},
		{readCase{"a vertex that cannot be read", "site,seq,lat,lng\nF,1,50,10\nF,2,x,10\nF,3,50.01,10.01\nF,4,50.02,10.03\n", "", "-coordinates-unreadable -vertex-unreadable", "no-usable-placemark"}, ""},
		{readCase{"waypoints", "latitude,longitude\n50,10\n50,10.01\n50.01,10.01\n", "Placemark 1|linear|10,50 10.01,50 10.01,50.01", "", ""}, Linear},
		{readCase{"boundary", "lat,lon\n50,10\n50,10.01\n50.01,10.01\n50.01,10\n50,10\n", "Placemark 1|area|" + squareWant, "", ""}, Area},
		{readCase{"boundary without a header", "50,10\n50,10.01\n50.01,10.01\n50.01,10\n", "Placemark 1|area|" + squareWant, "place-guessed", ""}, Area},
		{readCase{"boundary with a row that cannot be read", "lat,lon\n50,10\nx,10.01\n50.01,10.01\n50.01,10\n", "", "-coordinates-unreadable -vertex-unreadable", "no-usable-placemark"}, Area},
	} {
		c.run(t, Options{Join: c.join})
	}
}

func TestCSVRefuses(t *testing.T) {
	for _, c := range []readCase{
		{"no header", "Köln,50.9375,6.9603\nBonn,50.7374,7.0982\n", "Köln|asset|6.9603,50.9375\nBonn|asset|7.0982,50.7374", "place-guessed", ""},
		{"header alone", "name,lat,lng\n\n,,\n", "", "", "no-rows"},
		{"nothing", "", "", "", "empty-file"},
		{"blank lines", "\n \n", "", "", "empty-file"},
		{"NUL", "name,lat,lng\nA\x00B,50,10\n", "", "", "not-text"},
		{"a quote without end", "name,lat,lng\n\"A,50,10\nB,51,11\n", "", "", "open-quote line 2: "},
		{"UTM", "name,easting,northing\nA,356000,5645000\n", "", "", "projected-coordinates WGS 84"},
		{"x and y that are metres", "name,x,y\nA,5,5\nB,356000,5645000\n", "", "", "projected-coordinates WGS 84"},
		{"KML", inKML(""), "", "", "wrong-type KML"},
		{"PDF", "%PDF-1.4\n", "", "", "wrong-type PDF"},
		{"old workbook", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "", "", "wrong-type old Excel"},
		{"GeoJSON", `{"type":"FeatureCollection","features":[]}`, "", "", "wrong-type GeoJSON"},
		{"swapped throughout", "name,lat,lng\nA,151.21,-33.865\n", "", "-coordinates-swapped?", "no-usable-placemark line 2"},
	} {
		c.run(t, Options{Format: FormatCSV})
	}
}

func TestCSVColumnsByHand(t *testing.T) {
	data := "a,b,c,d,e\nA,10,50,Germany,Köln\nB,11,51,,\n"
	_, err := Parse([]byte(data), Options{})
	var e *Error
	if !errors.As(err, &e) || e.Code != NoColumns {
		t.Fatalf("%v", err)
	}
	columns := EmptyColumns()
	columns.Label, columns.Latitude, columns.Longitude, columns.Country, columns.City = 0, 2, 1, 3, 4
	res, err := Parse([]byte(data), Options{Columns: &columns, NoPlaces: true})
	if err != nil || summary(res.Placemarks) != "A|asset|10,50\nB|asset|11,51" || res.Columns != columns {
		t.Fatalf("%+v, %v", res, err)
	}
	if p := res.Placemarks[0]; p.Country != "Germany" || p.City != "Köln" {
		t.Errorf("%+v", p)
	}
	res, err = Parse([]byte("A,10,50,,\nB,11,51,,\n"), Options{Columns: &columns, NoPlaces: true})
	if err != nil || summary(res.Placemarks) != "A|asset|10,50\nB|asset|11,51" || res.Placemarks[0].Line != 1 {
		t.Errorf("without a header: %+v, %v", res, err)
	}
	columns.Latitude = 5
	res, err = Parse([]byte(data), Options{Columns: &columns})
	if !errors.As(err, &e) || e.Code != NoColumns || len(res.Header) != 5 {
		t.Errorf("beyond the header: %v, %v", res, err)
	}
}

// A column named as a geometry is the geometry, and not the label, even if its first cells are damaged.
func TestGeometryColumnsWithADamagedFirstRow(t *testing.T) {
	for text, want := range map[string]string{
		"points\nx\n\"48.12345,9.12345\"\n":                  "Row 3 9.12345,48.12345",
		"name,points\nA,x\nB,\"48.12345,9.12345\"\n":         "B 9.12345,48.12345",
		"wkt,name\nfoo,A\n\"POINT(9 48)\",B\n":               "B 9,48",
		"points,a,b\nx,48.12345,9.12345\ny,48.2345,9.2345\n": "Row 2 9.12345,48.12345; Row 3 9.2345,48.2345",
		"Point 1;48.12345;9.12345\nPoint 2;48.2345;9.2345\n": "Point 1 9.12345,48.12345; Point 2 9.2345,48.2345",
	} {
		res, err := Parse([]byte(text), Options{NoPlaces: true})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		var got []string
		for _, p := range res.Placemarks {
			got = append(got, fmt.Sprintf("%s %v,%v", p.Name, p.Points()[0][0], p.Points()[0][1]))
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	res, err := Parse([]byte("points;x\nA;48,12345\nB;49,12345\n"), Options{NoPlaces: true})
	if err == nil || res.Columns.Geometry != 0 || res.Columns.Label >= 0 {
		t.Errorf("without any geometry: %v, %+v", err, res.Columns)
	}
}

func TestChosenColumnsMayLackOneOfAPosition(t *testing.T) {
	columns := EmptyColumns()
	columns.Geometry, columns.Latitude = 1, 0
	res, err := Parse([]byte("x,wkt\nx,\"POINT (9 48)\"\nx,\n"), Options{NoPlaces: true, Columns: &columns})
	if err != nil || len(res.Placemarks) != 1 || res.Skipped != 1 {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestASiteCanBeNamedLikeAHemisphere(t *testing.T) {
	west, err := Parse([]byte("a,b,E/W\n48.12345,9.12345,W\n48.2345,9.2345,W\n"), Options{NoPlaces: true})
	if err != nil || west.Placemarks[0].Points()[0] != (orb.Point{-9.12345, 48.12345}) {
		t.Errorf("%+v, %v", west, err)
	}
	res, err := Parse([]byte("name,lat,lng\nS,48,9\nN,49,10\n"), Options{NoPlaces: true})
	if err != nil || res.Placemarks[0].Points()[0] != (orb.Point{9, 48}) {
		t.Errorf("%+v, %v", res, err)
	}
}
