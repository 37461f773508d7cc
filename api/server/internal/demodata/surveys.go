package demodata

import (
	"embed"
	"io/fs"
)

//go:embed surveys
var surveys embed.FS

// Surveys returns survey files to try a new order with: a harbour as KML, a
// levee as KML with a placemark without a place, pylons as CSV, and masts as a
// CSV with decimal commas and one row whose coordinates are swapped.
func Surveys() fs.FS {
	sub, err := fs.Sub(surveys, "surveys")
	if err != nil {
		panic(err) // the folder is embedded
	}
	return sub
}
