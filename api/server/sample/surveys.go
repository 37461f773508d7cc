package sample

import (
	"embed"
	"io/fs"
)

//go:embed surveys
var surveys embed.FS

// Surveys returns survey files to try a new order with: a levee as KML with
// polygons, a line, a point and a placemark without a place, and masts as a
// CSV with decimal commas and one row whose coordinates are swapped.
func Surveys() fs.FS {
	sub, err := fs.Sub(surveys, "surveys")
	if err != nil {
		panic(err) // the folder is embedded
	}
	return sub
}
