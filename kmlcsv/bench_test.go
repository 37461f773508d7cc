package kmlcsv

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"flightdesk/kmlcsv/places"
)

// The benchmarks read generated files of just under 10 MiB and report, besides
// the usual figures, how many times faster that is than the standard library in the
// same process: "x-tokens". For KML and GeoJSON the library only reads tokens, for CSV
// it keeps the name and the position in each row. Neither checks them. With places,
// "of-bare" is the time to that of reading without them. These figures are of the
// processor's time.

const benchBytes = 10<<20 - 64<<10

// generate repeats item until the file is long enough.
func generate(size int, head, tail string, item func(w *bytes.Buffer, i int, r *rand.Rand)) []byte {
	var w bytes.Buffer
	w.WriteString(head)
	r := rand.New(rand.NewPCG(3, 4))
	for i := 0; w.Len() < size-len(tail); i++ {
		item(&w, i, r)
	}
	w.WriteString(tail)
	return w.Bytes()
}

const kmlHead, kmlTail = `<?xml version="1.0" encoding="UTF-8"?>` + "\n" +
	`<kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2">` + "\n<Document>\n<name>bench</name>\n", "</Document>\n</kml>\n"

func pointsKML() []byte {
	return generate(benchBytes, kmlHead, kmlTail, func(w *bytes.Buffer, i int, r *rand.Rand) {
		fmt.Fprintf(w, "  <Placemark id=\"p%d\">\n    <name>Site %d</name>\n    <description><![CDATA[<b>Mast %d</b><br/>height %d m]]></description>\n"+
			"    <styleUrl>#icon-1899</styleUrl>\n    <Point>\n      <coordinates>%.7f,%.7f,0</coordinates>\n    </Point>\n  </Placemark>\n",
			i, i, i, 20+r.IntN(80), r.Float64()*360-180, r.Float64()*170-85)
	})
}

func polygonsKML() []byte {
	return generate(benchBytes, kmlHead, kmlTail, func(w *bytes.Buffer, i int, r *rand.Rand) {
		fmt.Fprintf(w, "<Placemark><name>Field %d</name><styleUrl>#p</styleUrl><Polygon><tessellate>1</tessellate><outerBoundaryIs><LinearRing><coordinates>\n", i)
		w.Write(ring(r, 120, ",", ",0 "))
		w.WriteString("\n</coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark>\n")
	})
}

// ring writes a closed field boundary of n corners, each with 13 to 15 digits.
func ring(r *rand.Rand, n int, inner, sep string) []byte {
	var w, first bytes.Buffer
	x, y := r.Float64()*340-170, r.Float64()*140-70
	for i := range n {
		t := (float64(i) + 0.5*r.Float64()) / float64(n) * 2 * math.Pi
		d := 0.002 * (1 + 0.4*math.Sin(3*t) + 0.05*r.Float64())
		fmt.Fprintf(&w, "%.12f%s%.12f%s", x+d*math.Cos(t), inner, y+d*math.Sin(t), sep)
		if i == 0 {
			first.Write(w.Bytes())
		}
	}
	w.Write(first.Bytes()[:first.Len()-len(sep)])
	if sep[0] == ',' && len(sep) > 2 {
		w.WriteString(",0")
	}
	return w.Bytes()
}

func linesKML() []byte {
	var x, y float64
	count := 0
	return generate(benchBytes, kmlHead, "</coordinates></LineString></Placemark>\n"+kmlTail, func(w *bytes.Buffer, i int, r *rand.Rand) {
		if count%100_000 == 0 {
			if i > 0 {
				w.WriteString("</coordinates></LineString></Placemark>\n")
			}
			x, y = r.Float64()*300-150, r.Float64()*100-50
			fmt.Fprintf(w, "<Placemark><name>Line %d</name><LineString><coordinates>\n", i)
		}
		count++
		x, y = x+(r.Float64()-0.5)*0.0002, y+(r.Float64()-0.5)*0.0002
		fmt.Fprintf(w, "%.7f,%.7f,%.1f ", x, y, 100+10*r.Float64())
	})
}

func plainCSV() []byte {
	return generate(benchBytes, "site_id,site_name,latitude,longitude,country,city,height_m\r\n", "", func(w *bytes.Buffer, i int, r *rand.Rand) {
		fmt.Fprintf(w, "S%06d,Mast number %d,%.6f,%.6f,Germany,Freising,%d\r\n", i, i, r.Float64()*170-85, r.Float64()*360-180, 20+r.IntN(60))
	})
}

func quotedCSV() []byte {
	return generate(benchBytes, "\"name\",\"notes\",\"lat\",\"lng\"\r\n", "", func(w *bytes.Buffer, i int, r *rand.Rand) {
		fmt.Fprintf(w, "\"Mast \"\"%d\"\", north\",\"line one\nline two, end\",\"%.6f\",\"%.6f\"\r\n", i, r.Float64()*170-85, r.Float64()*360-180)
	})
}

func wktCSV() []byte {
	return generate(benchBytes, "name,wkt\n", "", func(w *bytes.Buffer, i int, r *rand.Rand) {
		fmt.Fprintf(w, "Field %d,\"POLYGON ((%s))\"\n", i, ring(r, 24, " ", ", "))
	})
}

func pointsGeoJSON() []byte {
	return generate(benchBytes, `{"type":"FeatureCollection","features":[`, `{"type":"Feature","properties":null,"geometry":{"type":"Point","coordinates":[9,48]}}]}`,
		func(w *bytes.Buffer, i int, r *rand.Rand) {
			fmt.Fprintf(w, `{"type":"Feature","properties":{"name":"Mast %d","height":%d,"remark":"in the field"},"geometry":{"type":"Point","coordinates":[%.7f,%.7f]}},`+"\n",
				i, 20+r.IntN(80), r.Float64()*360-180, r.Float64()*170-85)
		})
}

func polygonsGeoJSON() []byte {
	return generate(benchBytes, `{"type":"FeatureCollection","features":[`, `{"type":"Feature","properties":null,"geometry":{"type":"Point","coordinates":[9,48]}}]}`,
		func(w *bytes.Buffer, i int, r *rand.Rand) {
			fmt.Fprintf(w, `{"type":"Feature","properties":{"name":"Field %d"},"geometry":{"type":"Polygon","coordinates":[[[%s]]]}},`+"\n", i, ring(r, 120, ",", "],["))
		})
}

// jsonStruct runs encoding/json into a struct over GeoJSON, its coordinates unread.
func jsonStruct(data []byte) error {
	var collection struct {
		Type     string `json:"type"`
		Features []struct {
			Type       string         `json:"type"`
			Properties map[string]any `json:"properties"`
			Geometry   struct {
				Type        string          `json:"type"`
				Coordinates json.RawMessage `json:"coordinates"`
			} `json:"geometry"`
		} `json:"features"`
	}
	return json.Unmarshal(data, &collection)
}

// xmlTokens runs encoding/xml over a document.
func xmlTokens(data []byte) error {
	d := xml.NewDecoder(bytes.NewReader(data))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// csvRecords runs encoding/csv over a file.
func csvRecords(data []byte) error {
	r := csv.NewReader(bytes.NewReader(data))
	r.ReuseRecord, r.FieldsPerRecord = true, -1
	for {
		if _, err := r.Read(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// csvSites returns a loop over encoding/csv that keeps the name and the position in each row.
func csvSites(name, latitude, longitude int) func([]byte) error {
	type site struct {
		name                string
		latitude, longitude float64
	}
	return func(data []byte) error {
		r := csv.NewReader(bytes.NewReader(data))
		if _, err := r.Read(); err != nil {
			return err
		}
		var sites []site
		for {
			row, err := r.Read()
			if errors.Is(err, io.EOF) {
				runtime.KeepAlive(sites)
				return nil
			}
			if err != nil {
				return err
			}
			lat, latErr := strconv.ParseFloat(row[latitude], 64)
			lng, lngErr := strconv.ParseFloat(row[longitude], 64)
			if err := errors.Join(latErr, lngErr); err != nil {
				return err
			}
			sites = append(sites, site{row[name], lat, lng})
		}
	}
}

func BenchmarkParse(b *testing.B) {
	for _, c := range []struct {
		name   string
		data   func() []byte
		tokens func([]byte) error
		places bool
	}{
		{"kml/points", pointsKML, xmlTokens, false},
		{"kml/points with places", pointsKML, xmlTokens, true},
		{"kml/polygons", polygonsKML, xmlTokens, false},
		{"kml/polygons with places", polygonsKML, xmlTokens, true},
		{"kml/lines", linesKML, xmlTokens, false},
		{"kml/lines with places", linesKML, xmlTokens, true},
		{"csv/plain", plainCSV, csvSites(1, 2, 3), false},
		{"csv/plain with places", plainCSV, csvSites(1, 2, 3), true},
		{"csv/quoted", quotedCSV, csvSites(0, 2, 3), false},
		{"csv/quoted with places", quotedCSV, csvSites(0, 2, 3), true},
		{"csv/wkt", wktCSV, csvRecords, false},
		{"csv/wkt with places", wktCSV, csvRecords, true},
		{"geojson/points", pointsGeoJSON, jsonStruct, false},
		{"geojson/points with places", pointsGeoJSON, jsonStruct, true},
		{"geojson/polygons", polygonsGeoJSON, jsonStruct, false},
	} {
		b.Run(c.name, func(b *testing.B) {
			data := c.data()
			places.PreloadData()
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			read := func(opts Options) func() {
				return func() {
					res, err := Parse(data, opts)
					if err != nil || opts.NoPlaces && len(res.Warnings) > 0 {
						b.Fatal(err, res)
					}
				}
			}
			var ours, bare, theirs []time.Duration
			for b.Loop() {
				ours = append(ours, cpuTime(read(Options{NoPlaces: !c.places})))
				if len(theirs) == 10 {
					continue
				}
				b.StopTimer()
				theirs = append(theirs, cpuTime(func() {
					if err := c.tokens(data); err != nil {
						b.Fatal(err)
					}
				}))
				bare = append(bare, cpuTime(read(Options{NoPlaces: true})))
				b.StartTimer()
			}
			b.ReportMetric(median(theirs).Seconds()/median(ours).Seconds(), "x-tokens")
			if c.places {
				b.ReportMetric(median(ours).Seconds()/median(bare).Seconds(), "of-bare")
			}
			b.ReportMetric(float64(len(data))/1e6/slices.Min(ours).Seconds(), "best-MB/s")
		})
	}
}

// TestPlacesCostLittleMemory measures the memory for reading a large file with places, without the memory of
// the result. The result has a point for each placemark, and a copy of a placemark for each correction.
func TestPlacesCostLittleMemory(t *testing.T) {
	data := plainCSV()
	_, _ = Parse(data, Options{}) // inflates the borders and names that it needs
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	res, err := Parse(data, Options{})
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	result := uint64(len(res.Placemarks))
	for _, w := range res.Warnings {
		if w.Fixed != nil {
			result += 3
		}
	}
	if allocs := after.Mallocs - before.Mallocs; allocs > result+2000*moreUnderRace {
		t.Errorf("%d allocations, %d of them the result", allocs, result)
	}
	if size := after.TotalAlloc - before.TotalAlloc; size > 3*uint64(len(data)) {
		t.Errorf("%d bytes for a file of %d", size, len(data))
	}
}

// cpuTime returns the processor time of a function, which does not depend on other programs. It collects
// garbage first.
func cpuTime(do func()) time.Duration {
	runtime.GC()
	began := spent()
	do()
	return spent() - began
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}
