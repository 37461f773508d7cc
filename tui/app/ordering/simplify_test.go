package ordering

import (
	"math"
	"strings"
	"testing"

	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/kmlcsv"
)

// round returns a wavy circle of n points, in which no two sections are equal.
func round(n int) (ring orb.Ring) {
	for i := range n + 1 {
		turn := 2 * math.Pi * float64(i%n) / float64(n)
		r := 0.1 + 0.001*math.Sin(40*turn)
		ring = append(ring, orb.Point{10 + r*math.Cos(turn), 50 + r*math.Sin(turn)})
	}
	return ring
}

func TestALineWithoutLengthHasNoFix(t *testing.T) {
	line := kmlcsv.NewPlacemark("Line", make(orb.LineString, api.MaxPoints+1))
	res := &kmlcsv.Result{Placemarks: []kmlcsv.Placemark{line}}
	offerSimplified(res)
	if len(res.Warnings) != 1 || res.Warnings[0].Fixed != nil {
		t.Errorf("%+v", res.Warnings)
	}
}

func TestASimplifiedGeometryIsSuggestedForTooManyPoints(t *testing.T) {
	area, line := kmlcsv.NewPlacemark("Area", orb.Polygon{round(30_000)}), kmlcsv.NewPlacemark("Line", orb.LineString(round(25_000)))
	fits := kmlcsv.NewPlacemark("Fits", orb.Polygon{round(api.MaxPoints)})
	res := &kmlcsv.Result{Placemarks: []kmlcsv.Placemark{fits, area, line}}
	offerSimplified(res)
	if len(res.Warnings) != 2 || len(area.Points()) != 30_000 {
		t.Fatalf("%d warnings, and the area has %d points", len(res.Warnings), len(area.Points()))
	}
	for i, w := range res.Warnings {
		p, was := w.Fixed, res.Placemarks[w.Index]
		n := len(p.Points())
		if n > api.MaxPoints || n < api.MaxPoints-2 || p.Kind() != was.Kind() || !strings.HasPrefix(w.Fix, "simplifies to ") || w.Index != i+1 {
			t.Errorf("%s has %d points: %q", p.Name, n, w.Fix)
		}
		if change := math.Abs(p.Area+p.Length-was.Area-was.Length) / (was.Area + was.Length); change > 1e-4 {
			t.Errorf("the size of %s changes by %v", p.Name, change)
		}
	}
	d := NewDraft()
	d.AddFile(FileRead{Path: "a.kml", Result: res})
	s := d.Sites[1]
	if len(s.FindFaults()) == 0 || s.Fixed == nil {
		t.Fatalf("%+v", s)
	}
	s.Country = "Germany"
	s.ApplyFix()
	s.Country = "Germany"
	if faults := s.FindFaults(); len(faults) > 0 || len(s.Warnings) > 0 {
		t.Errorf("after the fix it %v, %v", faults, s.Warnings)
	}
}
