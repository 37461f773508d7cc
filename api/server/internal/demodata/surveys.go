package demodata

import (
	"embed"
	"io/fs"
)

//go:embed surveys
var surveys embed.FS

// Surveys returns example survey files for a new order: a harbour as KML, a levee as KML
// with a placemark without a location, pylons as CSV, and masts as CSV with decimal
// commas and a row whose coordinates are swapped.
func Surveys() fs.FS {
	sub, err := fs.Sub(surveys, "surveys")
	if err != nil {
		panic(err) // the folder is embedded
	}
	return sub
}
