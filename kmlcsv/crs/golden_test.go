package crs

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"math"
	"os"
	"testing"
)

// point is a point of a system and where PROJ 9.1.1 puts it without grids.
type point struct {
	code           int
	x, y, lng, lat float64
}

// readPoints reads testdata/points.tsv.gz, which TestEverySystemAgreesWithPROJ writes.
func readPoints(t *testing.T) (points []point) {
	t.Helper()
	file, err := os.Open("testdata/points.tsv.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(unpacked)
	for lines.Scan() {
		var p point
		if _, err := fmt.Sscan(lines.Text(), &p.code, &p.x, &p.y, &p.lng, &p.lat); err != nil {
			t.Fatalf("%q: %v", lines.Text(), err)
		}
		points = append(points, p)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return points
}

func TestAPointOfEverySystemIsWherePROJPutsIt(t *testing.T) {
	points := readPoints(t)
	if len(points) < 5600 {
		t.Errorf("%d systems", len(points))
	}
	for _, p := range points {
		s, err := FindCode(p.code)
		if err != nil {
			t.Errorf("EPSG:%d: %v", p.code, err)
			continue
		}
		lng, lat, err := s.ToWGS84(p.x, p.y)
		if off := apart(lng, lat, p.lng, p.lat); err != nil || !(off < .01) {
			t.Errorf("EPSG:%d %s: %v, %v, %v: %.3f m from PROJ's %v, %v", p.code, s.Name(), lng, lat, err, off, p.lng, p.lat)
			continue
		}
		x, y, err := s.FromWGS84(lng, lat)
		if off := math.Hypot(x-p.x, y-p.y) * s.metresPerUnit(); err != nil || !(off < .05) {
			t.Errorf("EPSG:%d %s: back at %v, %v, %v: %.3f m from %v, %v", p.code, s.Name(), x, y, err, off, p.x, p.y)
		}
	}
}

// metresPerUnit returns what a unit of the system is at most in metres.
func (s *System) metresPerUnit() float64 {
	if s.IsGeographic() {
		return s.axes.unit.Factor * modernRadius
	}
	return s.axes.unit.Factor
}
