package main

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"log"
	"math"
	"os"

	"flightdesk/kmlcsv/basemap/gen/npm"
)

func main() {
	log.SetFlags(0)
	if err := run(context.Background(), "basemap.bin"); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out string) error {
	sources, err := npm.Fetch(ctx, "world-atlas@2.0.2",
		npm.File{Path: "countries-110m.json", SHA256: "2516c915867c7baf18ddec727aec46c315541a07cfb3d79a6559b05d5e94eee8"},
		npm.File{Path: "countries-50m.json", SHA256: "04342cdc1e3016bcd7db1630de95684d67b79fe3c8c460321e87aef469502394"},
	)
	if err != nil {
		return err
	}
	var blob []byte
	for _, src := range sources {
		lines, err := convert(src)
		if err != nil {
			return err
		}
		packed, err := deflate(encode(lines))
		if err != nil {
			return err
		}
		blob = binary.AppendUvarint(blob, uint64(len(packed)))
		blob = append(blob, packed...)
	}
	return os.WriteFile(out, blob, 0o644)
}

// topology is the part of a TopoJSON file that is used here.
type topology struct {
	Transform struct {
		Scale     [2]float64 `json:"scale"`
		Translate [2]float64 `json:"translate"`
	} `json:"transform"`
	Arcs    [][][2]int `json:"arcs"`
	Objects struct {
		Countries struct {
			Geometries []struct {
				Type string          `json:"type"`
				Arcs json.RawMessage `json:"arcs"`
			} `json:"geometries"`
		} `json:"countries"`
	} `json:"objects"`
}

// point is a position in hundredths of a degree.
type point struct{ x, y int }

// line is a run of points that is a border of two countries or a coast.
type line struct {
	border bool
	points []point
}

// convert reads a topology into lines. An arc that two countries use is a
// border between them; all others are coast.
func convert(src []byte) ([]line, error) {
	var t topology
	if err := json.Unmarshal(src, &t); err != nil {
		return nil, err
	}
	uses := make([]int, len(t.Arcs))
	for _, g := range t.Objects.Countries.Geometries {
		polygons, err := polygonArcs(g.Type, g.Arcs)
		if err != nil {
			return nil, err
		}
		for _, rings := range polygons {
			for _, ring := range rings {
				for _, arc := range ring {
					uses[max(arc, ^arc)]++
				}
			}
		}
	}
	var lines []line
	for i, arc := range t.Arcs {
		for _, points := range cut(t.positions(arc)) {
			lines = append(lines, line{border: uses[i] > 1, points: points})
		}
	}
	return lines, nil
}

// polygonArcs returns arc numbers by polygon and ring; ^n stands for arc n
// run backwards.
func polygonArcs(kind string, arcs json.RawMessage) ([][][]int, error) {
	var polygons [][][]int
	switch kind {
	case "MultiPolygon":
		return polygons, json.Unmarshal(arcs, &polygons)
	case "Polygon":
		polygons = make([][][]int, 1)
		return polygons, json.Unmarshal(arcs, &polygons[0])
	default:
		return nil, fmt.Errorf("a country of type %q, want Polygon or MultiPolygon", kind)
	}
}

// positions sums up an arc's differences to degrees.
func (t *topology) positions(arc [][2]int) [][2]float64 {
	var x, y int
	out := make([][2]float64, len(arc))
	for i, d := range arc {
		x, y = x+d[0], y+d[1]
		out[i] = [2]float64{
			float64(x)*t.Transform.Scale[0] + t.Transform.Translate[0],
			float64(y)*t.Transform.Scale[1] + t.Transform.Translate[1],
		}
	}
	return out
}

// cut rounds an arc and cuts it where the source runs along the antimeridian
// or the pole only to close a polygon: nobody should see a coast there. Where
// a coast crosses the antimeridian its longitudes go on beyond 180°.
func cut(arc [][2]float64) [][]point {
	var (
		out  [][]point
		run  []point
		turn int
	)
	flush := func() {
		if len(run) > 1 {
			out = append(out, run)
		}
		run = nil
	}
	for i, p := range arc {
		if i > 0 {
			switch prev := arc[i-1]; {
			case seam(prev, p):
				flush()
				turn = 0
			case p[0]-prev[0] > 180:
				turn -= 36000
			case p[0]-prev[0] < -180:
				turn += 36000
			}
		}
		q := point{int(math.Round(p[0]*100)) + turn, int(math.Round(p[1] * 100))}
		if len(run) == 0 || run[len(run)-1] != q {
			run = append(run, q)
		}
	}
	flush()
	return out
}

// seam reports whether a segment only closes a polygon at the edge of the map.
func seam(a, b [2]float64) bool {
	const edge = 179.995
	return math.Abs(a[0]) > edge && math.Abs(b[0]) > edge || a[1] < -89.9 || b[1] < -89.9
}

// encode writes lines as varints: their number; for each the number of points
// times two plus one for a border; then the points as differences, the first
// to the last point of the line before.
func encode(lines []line) []byte {
	b := binary.AppendUvarint(nil, uint64(len(lines)))
	var last point
	for _, l := range lines {
		head := uint64(len(l.points)) << 1
		if l.border {
			head |= 1
		}
		b = binary.AppendUvarint(b, head)
		for _, p := range l.points {
			b = binary.AppendVarint(b, int64(p.x-last.x))
			b = binary.AppendVarint(b, int64(p.y-last.y))
			last = p
		}
	}
	return b
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
