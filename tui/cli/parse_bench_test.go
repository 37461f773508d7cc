package cli

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"flightdesk/kmlcsv"
)

// BenchmarkParse reads a file of 140,000 points and writes it in each format.
func BenchmarkParse(b *testing.B) {
	var file strings.Builder
	file.WriteString(`<kml xmlns="http://www.opengis.net/kml/2.2"><Document>`)
	r := rand.New(rand.NewPCG(1, 2))
	for range 140_000 {
		fmt.Fprintf(&file, "<Placemark><Point><coordinates>%.1f,%.1f</coordinates></Point></Placemark>", 360*r.Float64()-180, 170*r.Float64()-85)
	}
	file.WriteString("</Document></kml>")
	data := []byte(file.String())
	for _, output := range []string{"table", "json", "csv"} {
		b.Run(output, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				found, err := kmlcsv.Parse(data, kmlcsv.Options{MaxBytes: int64(len(data))})
				if err != nil {
					b.Fatal(err)
				}
				if err := writeParsed(printingCall(io.Discard, output), found); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
