package product

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"

	"flightdesk/api"
)

const (
	contourLines      = 12
	mostContourLines  = 400
	contourBytes      = 57_000    // of a small file
	mostContourPixels = 2_000_000 // whose heights are in memory
)

// contourFiles returns lines on the grid that the terrain model has, as long as that
// is not too large.
func (s *surveyedSite) contourFiles(name string) []File {
	// Twice as many lines on a grid twice as fine are four times as long.
	grow := math.Sqrt(max(1, float64(s.size)/contourBytes))
	pixels := min(elevationPixels*grow*grow, mostContourPixels)
	lines := min(int(contourLines*grow*grow/math.Sqrt(pixels/elevationPixels)), mostContourLines)
	g := s.ground.Grid(int(pixels), leastMap)
	return []File{{Name: name, MediaType: "application/geo+json", write: func(w io.Writer) error {
		heights := s.heightGrid(g)
		low, high := heights.Range()
		step := ContourInterval(low, high, lines)
		b := bufio.NewWriter(w)
		fmt.Fprintf(b, `{"type":"FeatureCollection","name":%s,"features":[`, quoteJSON(s.Code+" contours"))
		comma := ""
		for k := int(math.Ceil(low / step)); float64(k)*step <= high; k++ {
			for _, line := range heights.Lines(float64(k) * step) {
				fmt.Fprintf(b, `%s{"type":"Feature","properties":{"elevation":%s,"unit":"m","index":%t},"geometry":`,
					comma, strconv.FormatFloat(float64(k)*step, 'f', -1, 32), k%5 == 0)
				s.writeGeometry(b, g, line)
				fmt.Fprint(b, "}")
				comma = ",\n"
			}
		}
		fmt.Fprint(b, "]}\n")
		return b.Flush()
	}}}
}

// quoteJSON returns text as JSON has it.
func quoteJSON(text string) string {
	b, _ := json.Marshal(text) // any text can be written
	return string(b)
}

// heightGrid returns those of the terrain model.
func (s *surveyedSite) heightGrid(g SampleGrid) *ContourGrid {
	h := &ContourGrid{Width: g.Width, Height: g.Height, Heights: make([]float32, g.Width*g.Height)}
	for i := range h.Heights {
		h.Heights[i] = float32(math.NaN())
	}
	for row := range g.Height {
		g.Columns(row, func(c int) {
			h.Heights[row*g.Width+c] = metres(s.land.At(g.X(c), g.Y(row)).Ground)
		})
	}
	return h
}

// writeGeometry writes a line, cut where it crosses the antimeridian.
func (s *surveyedSite) writeGeometry(b *bufio.Writer, g SampleGrid, line []ContourPoint) {
	parts := [][]api.Point{{}}
	for i, p := range line {
		at := s.ground.Point(g.Left+(p.Column+0.5)*g.Pixel, g.Top-(p.Row+0.5)*g.Pixel)
		last := &parts[len(parts)-1]
		if n := len(*last); i > 0 && math.Abs(at.Lng-(*last)[n-1].Lng) > 180 {
			before := (*last)[n-1]
			edge := math.Copysign(180, before.Lng)
			across := 360 - math.Abs(at.Lng-before.Lng)
			lat := before.Lat
			if across > 0 {
				lat += (at.Lat - before.Lat) * (180 - math.Abs(before.Lng)) / across
			}
			*last = append(*last, api.Point{Lat: lat, Lng: edge})
			parts = append(parts, []api.Point{{Lat: lat, Lng: -edge}})
			last = &parts[len(parts)-1]
		}
		*last = append(*last, at)
	}
	if len(parts) == 1 {
		fmt.Fprint(b, `{"type":"LineString","coordinates":`)
		writeCoordinates(b, parts[0])
		fmt.Fprint(b, "}")
		return
	}
	fmt.Fprint(b, `{"type":"MultiLineString","coordinates":[`)
	for i, part := range parts {
		if i > 0 {
			fmt.Fprint(b, ",")
		}
		writeCoordinates(b, part)
	}
	fmt.Fprint(b, "]}")
}

func writeCoordinates(b *bufio.Writer, line []api.Point) {
	var room [64]byte
	fmt.Fprint(b, "[")
	for i, p := range line {
		at := append(room[:0], '[')
		if i > 0 {
			at = append(room[:0], ",["...)
		}
		at = strconv.AppendFloat(at, p.Lng, 'f', 7, 64)
		at = append(at, ',')
		at = strconv.AppendFloat(at, p.Lat, 'f', 7, 64)
		_, _ = b.Write(append(at, ']')) // Flush tells
	}
	fmt.Fprint(b, "]")
}
