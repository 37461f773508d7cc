//go:build proj

package crs

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// proj runs PROJ's programs without its grids, whatever is installed.
type proj struct{ env []string }

func newPROJ(t testing.TB) *proj {
	t.Helper()
	out, err := exec.Command("projinfo", "--searchpaths").Output()
	if err != nil {
		t.Fatal("projinfo is needed, of Debian's proj-bin:", err)
	}
	folder := t.TempDir()
	for path := range strings.Lines(string(out)) {
		database := filepath.Join(strings.TrimSpace(path), "proj.db")
		if _, err := os.Stat(database); err != nil {
			continue
		}
		if err := os.Symlink(database, filepath.Join(folder, "proj.db")); err != nil {
			t.Fatal(err)
		}
		return &proj{append(os.Environ(), "PROJ_DATA="+folder, "PROJ_LIB="+folder, "PROJ_NETWORK=OFF")}
	}
	t.Fatal("proj.db is not found")
	return nil
}

// convert converts points by cs2cs, both in the order of the registry. A point that PROJ
// cannot convert is NaN.
func (p *proj) convert(from, to string, points [][2]float64) ([][2]float64, error) {
	var in strings.Builder
	for _, at := range points {
		fmt.Fprintf(&in, "%.12f %.12f\n", at[0], at[1])
	}
	cmd := exec.Command("cs2cs", "-f", "%.12f", from, to)
	cmd.Env = p.env
	cmd.Stdin = strings.NewReader(in.String())
	var problem bytes.Buffer
	cmd.Stderr = &problem
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%v: %s", err, problem.String())
	}
	var converted [][2]float64
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		at := [2]float64{math.NaN(), math.NaN()}
		for i := range at {
			if v, err := strconv.ParseFloat(fields[i], 64); err == nil {
				at[i] = v
			}
		}
		converted = append(converted, at)
	}
	if len(converted) != len(points) {
		return nil, fmt.Errorf("%d of %d points: %s", len(converted), len(points), problem.String())
	}
	return converted, nil
}

// ninePoints are places of a box, longitude first.
func ninePoints(b Box) (points [][2]float64) {
	for _, x := range []float64{.1, .5, .9} {
		for _, y := range []float64{.1, .5, .9} {
			lng := math.Remainder(b.West+x*b.width(), 360)
			points = append(points, [2]float64{lng, b.South + y*(b.North-b.South)})
		}
	}
	return points
}

// result is how far a system is from PROJ, in metres.
type result struct {
	index   int
	refused error
	failed  error   // PROJ itself
	plane   float64 // of the projection alone
	shift   float64 // with the change of datum
	text    string
	golden  string // a line of testdata/points.tsv.gz
}

var update = flag.Bool("update", false, "write testdata/points.tsv.gz")

func (p *proj) compare(g *registry, index int) (r result) {
	r.index = index
	s, err := systemAt(index)
	if err != nil {
		r.refused = err
		return r
	}
	name := g.reference(index)
	points := ninePoints(s.area)
	own := points
	if s.projection != nil {
		base := g.reference(g.records[index].base)
		own, err = p.plane(&r, s, base, name, points)
		if err != nil {
			r.failed = err
			return r
		}
	} else {
		own = nil
		for _, at := range points {
			own = append(own, [2]float64{at[0] - s.frame.meridian, at[1]}) // PROJ's programs want degrees
		}
	}
	want, err := p.convert(name, "EPSG:4326", s.inRegistryOrder(own))
	if err != nil {
		r.failed = err
		return r
	}
	for i, at := range own {
		x, y := at[0], at[1]
		if s.projection == nil {
			x *= radian / s.axes.unit.Factor
			y *= radian / s.axes.unit.Factor
		}
		if i == len(own)/2 && !math.IsNaN(x+y+want[i][0]) {
			r.golden = fmt.Sprintf("%d\t%.4f\t%.4f\t%.8f\t%.8f\n", s.code, x, y, want[i][1], want[i][0])
			if s.projection == nil || s.axes.unit.Factor > 1 {
				r.golden = fmt.Sprintf("%d\t%.9f\t%.9f\t%.8f\t%.8f\n", s.code, x, y, want[i][1], want[i][0])
			}
		}
		lng, lat, err := s.ToWGS84(x, y)
		if math.IsNaN(want[i][0]) || err != nil {
			if math.IsNaN(want[i][0]) != (err != nil) {
				r.text += fmt.Sprintf(" [%v: PROJ %v, here %v]", at, want[i], err)
			}
			continue
		}
		if off := apart(lng, lat, want[i][1], want[i][0]); off > r.shift {
			r.shift = off
			if off > .01 {
				r.text = fmt.Sprintf(" %v: PROJ %.7f %.7f, here %.7f %.7f by %s", points[i], want[i][1], want[i][0], lng, lat, s.AccuracyAt(lng, lat).Operation)
			}
		}
	}
	return r
}

// inRegistryOrder swaps coordinates if files and the registry have another order.
func (s *System) inRegistryOrder(points [][2]float64) [][2]float64 {
	swapped := make([][2]float64, len(points))
	for i, at := range points {
		swapped[i] = at
		if s.order.swapped {
			swapped[i] = [2]float64{at[1], at[0]}
		}
	}
	return swapped
}

// plane compares the projection alone and returns PROJ's coordinates.
func (p *proj) plane(r *result, s *System, base, name string, points [][2]float64) ([][2]float64, error) {
	baseSystem, err := systemAt(loadRegistry().records[r.index].base)
	if err != nil {
		return nil, err
	}
	var geographic [][2]float64
	for _, at := range points {
		geographic = append(geographic, [2]float64{math.Remainder(at[0]-s.frame.meridian, 360), at[1]})
	}
	own, err := p.convert(base, name, baseSystem.inRegistryOrder(geographic))
	if err != nil {
		return nil, err
	}
	own = s.inRegistryOrder(own)
	for i, at := range own {
		lng, lat := (points[i][0]-s.frame.meridian)*radian, points[i][1]*radian
		x, y := s.toAxes(s.projection.forward(normalize(lng), lat))
		if math.IsNaN(at[0]) || math.IsNaN(x) {
			if math.IsNaN(at[0]) != math.IsNaN(x) {
				r.text += fmt.Sprintf(" [%v: PROJ %v, here %v %v]", points[i], at, x, y)
			}
			continue
		}
		off := math.Hypot(x-at[0], y-at[1]) * s.axes.unit.Factor
		backLng, backLat, ok := s.unproject(at[0], at[1])
		if back := apart(backLng/radian, backLat/radian, lng/radian, lat/radian); !ok || back > off {
			off = back
		}
		if off > r.plane {
			r.plane = off
			if off > .001 {
				r.text += fmt.Sprintf(" plane %v: PROJ %v, here %v %v, back %v %v", points[i], at, x, y, backLng/radian, backLat/radian)
			}
		}
	}
	return own, nil
}

func TestEverySystemAgreesWithPROJ(t *testing.T) {
	p := newPROJ(t)
	g := loadRegistry()
	var work []int
	for i, r := range g.records[:g.esri] {
		if !r.deprecated {
			work = append(work, i)
		}
	}
	results := make([]result, len(work))
	next := make(chan int)
	var workers sync.WaitGroup
	for range 3 {
		workers.Go(func() {
			for i := range next {
				results[i] = p.compare(g, work[i])
			}
		})
	}
	for i := range work {
		next <- i
	}
	close(next)
	workers.Wait()
	if *update {
		writeGolden(t, results)
	}
	report(t, g, results)
}

// writeGolden writes a point of each system that agrees with PROJ.
func writeGolden(t *testing.T, results []result) {
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if r.plane > .001 || r.shift > .01 {
			continue
		}
		if _, err := w.Write([]byte(r.golden)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("testdata/points.tsv.gz", packed.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func report(t *testing.T, g *registry, results []result) {
	var refused, failed, plane, shift int
	sort.SliceStable(results, func(i, j int) bool { return results[i].plane > results[j].plane })
	for _, r := range results {
		switch {
		case r.refused != nil:
			refused++
			t.Log(r.refused)
		case r.failed != nil:
			failed++
			t.Log(g.reference(r.index), r.failed)
		}
		if r.plane > .001 {
			plane++
		}
		if r.shift > .01 {
			shift++
		}
		if r.text != "" {
			t.Logf("%s %s: projection %.4f m, with datum %.4f m:%s", g.reference(r.index), loadNames()[r.index], r.plane, r.shift, r.text)
		}
	}
	t.Logf("%d systems: %d refused, PROJ failed %d, projection off by more than 1 mm %d, with datum by more than 1 cm %d",
		len(results), refused, failed, plane, shift)
	if float64(plane) > .001*float64(len(results)) || float64(refused) > .005*float64(len(results)) {
		t.Error("projections differ from PROJ")
	}
	if float64(shift) > .01*float64(len(results)) {
		t.Error("transformations differ from PROJ")
	}
}
