package kmlcsv_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv"
)

func ExampleParse() {
	file := []byte("name;lat;lng\nNorth mast;50,9375;6,9603\nSouth mast;95;6,96\n")
	res, err := kmlcsv.Parse(file, kmlcsv.Options{NoPlaces: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range res.Placemarks {
		fmt.Println(p.Name, p.Kind(), p.Points())
	}
	for _, w := range res.Warnings {
		fmt.Println(w, w.Fixed.Points())
	}
	// Output:
	// North mast asset [[6.9603 50.9375]]
	// line 3: "South mast": latitude 95 is out of range; latitude and longitude look swapped [[95 6.96]]
}

func ExampleError() {
	_, err := kmlcsv.Parse([]byte("<kml>\n<Document></kml>"), kmlcsv.Options{})
	var e *kmlcsv.Error
	if errors.As(err, &e) {
		fmt.Println(e.Code, e.Line, e.Column, e)
	}
	// Output:
	// bad-xml 2 11 2:11: </kml> found where </Document> was expected
}

func ExampleWriteCSV() {
	var out strings.Builder
	err := kmlcsv.WriteCSV(&out, []kmlcsv.Placemark{
		kmlcsv.NewPlacemark("Mast", orb.Point{6.9603, 50.9375}),
		kmlcsv.NewPlacemark("Line", orb.LineString{{10, 50}, {10.5, 50}}),
	})
	fmt.Println(err)
	fmt.Print(strings.ReplaceAll(out.String(), "\r\n", "\n"))
	// Output:
	// <nil>
	// locationLabel,latitude,longitude,points,country,city
	// Mast,50.9375,6.9603,,,
	// Line,,,"LINESTRING(10 50,10.5 50)",,
}
