// The gen program makes basemap.bin from the TopoJSON of the npm package
// world-atlas, which redistributes Natural Earth. Run it with
//
//	go generate ./kmlcsv/basemap
//
// It needs the npm client. The sources are pinned by their SHA-256 and nothing
// depends on time or order of maps, so that the same Go release always makes
// the same bytes.
package main
