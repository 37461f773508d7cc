// The systems program writes the data that package crs embeds. The reference systems of EPSG and
// Esri are in the database of PROJ, and the program projinfo lists the transformations from each
// datum to WGS 84. Run it with
//
//	go generate ./kmlcsv/crs
//
// It needs Debian's proj-bin, proj-data and sqlite3. The bytes depend only on the version of the
// database. The program panics if the database is not as expected.
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
	"strings"
)

func main() {
	log.SetFlags(0)
	database := findDatabase()
	d := readDatabase(database)
	d.readTransformations(database)
	tables, names := d.encode()
	data := appendChunks(nil, tables, names.systems, names.areas, names.aliases)
	check(os.WriteFile(filepath.Join("..", "..", "crs", "systems.bin"), data, 0o644))
	log.Printf(
		"%d systems, %d conversions, %d transformations", len(d.systems), len(d.conversions), len(d.pipelines.items),
	)
}

// findDatabase returns the path of proj.db.
func findDatabase() string {
	folders := []string{os.Getenv("PROJ_DATA"), os.Getenv("PROJ_LIB"), "/usr/share/proj", "/usr/local/share/proj"}
	for _, folder := range folders {
		path := filepath.Join(folder, "proj.db")
		if _, err := os.Stat(path); folder != "" && err == nil {
			return path
		}
	}
	log.Fatal("proj.db is not found: install proj-data")
	return ""
}

// query returns the rows of a query.
func query[row any](database, sql string) (rows []row) {
	out := run(nil, "sqlite3", "-readonly", "-json", database, sql)
	if len(bytes.TrimSpace(out)) > 0 {
		check(json.Unmarshal(out, &rows))
	}
	return rows
}

// run returns the output of a program.
func run(env []string, name string, args ...string) []byte {
	command := exec.CommandContext(context.Background(), name, args...)
	command.Env = append(os.Environ(), env...)
	out, err := command.Output()
	if err != nil {
		log.Fatalf("%s %s: %v: %s", name, strings.Join(args, " "), err, out)
	}
	return out
}

// appendChunks appends chunks of data. Each chunk is deflated, after the length of the deflated data.
func appendChunks(blob []byte, chunks ...[]byte) []byte {
	for i, chunk := range chunks {
		var deflated bytes.Buffer
		w, err := flate.NewWriter(&deflated, flate.BestCompression)
		check(err)
		_, err = w.Write(chunk)
		check(err)
		check(w.Close())
		log.Printf("chunk %d: %d bytes, deflated %d", i, len(chunk), deflated.Len())
		blob = binary.AppendUvarint(blob, uint64(deflated.Len()))
		blob = append(blob, deflated.Bytes()...)
	}
	return blob
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
