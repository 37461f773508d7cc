package main

import (
	"context"
	"encoding/binary"
	"math"
	"os"
)

// generateBasemap writes basemap.bin: for each scale the length of its lines,
// compressed, then these.
func generateBasemap(ctx context.Context) error {
	sources, err := fetch(ctx, worldAtlas,
		file{Path: "countries-110m.json", SHA256: "2516c915867c7baf18ddec727aec46c315541a07cfb3d79a6559b05d5e94eee8"},
		file{Path: "countries-50m.json", SHA256: "04342cdc1e3016bcd7db1630de95684d67b79fe3c8c460321e87aef469502394"},
	)
	if err != nil {
		return err
	}
	var blob []byte
	for _, src := range sources {
		lines, err := readLines(src)
		if err != nil {
			return err
		}
		packed, err := deflate(encodeLines(lines))
		if err != nil {
			return err
		}
		blob = binary.AppendUvarint(blob, uint64(len(packed)))
		blob = append(blob, packed...)
	}
	return os.WriteFile("../basemap/basemap.bin", blob, 0o644)
}

// line is a run of points, in hundredths of a degree, that is a border of two countries or a coast.
type line struct {
	border bool
	points []point
}

// readLines reads a topology into lines. An arc that two countries use is a
// border between them; all others are coast.
func readLines(src []byte) ([]line, error) {
	t, err := readTopology(src)
	if err != nil {
		return nil, err
	}
	uses := make([]int, len(t.Arcs))
	for _, g := range t.Objects.Countries.Geometries {
		for _, arc := range g.arcs {
			uses[arc]++
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

// encodeLines writes lines as varints: their number; for each the number of points
// times two plus one for a border; then the points as differences, the first
// to the last point of the line before.
func encodeLines(lines []line) []byte {
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
