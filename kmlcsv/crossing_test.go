package kmlcsv

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/paulmach/orb"
)

// everyPair checks for crossings by comparing all pairs of edges.
func everyPair(ring orb.Ring) bool {
	n := len(ring) - 1
	for i := range n {
		for j := i + 2; j < n; j++ {
			if i == 0 && j == n-1 {
				continue
			}
			a, b, p, q := ring[i], ring[i+1], ring[j], ring[j+1]
			if haveOppositeSigns(sideOfLine(a, b, p), sideOfLine(a, b, q)) && haveOppositeSigns(sideOfLine(p, q, a), sideOfLine(p, q, b)) {
				return true
			}
		}
	}
	return false
}

func TestCrossing(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	seen := make(map[*Error]int)
	stars := 0
	for i := range 20_000 {
		ring := make(orb.Ring, 0, 20)
		for k, n := 0, 4+r.IntN(14); k < n; k++ {
			turn := (float64(k) + float64(i%4)*r.Float64()) / float64(n) * 2 * math.Pi
			d := 1 + 3*r.Float64()
			ring = append(ring, orb.Point{10 + d*math.Cos(turn), 50 + d*math.Sin(turn)})
		}
		ring = append(ring, ring[0])
		c := crossingFinder{checksLeft: crossChecks}
		got, want := c.checkRing(ring, ring.Bound()), (*Error)(nil)
		if everyPair(ring) {
			want = crosses
		}
		if got != want {
			t.Fatalf("verdict %v, want %v of %v", got, want, ring)
		}
		seen[got]++
		if isStarShaped(ring, ring.Bound()) {
			stars++
		}
	}
	if seen[nil] < 1000 || seen[crosses] < 1000 || stars < 1000 {
		t.Errorf("the rings are too much alike: %v", seen)
	}
}

func TestCrossingKnown(t *testing.T) {
	for name, c := range map[string]struct {
		ring orb.Ring
		want *Error
	}{
		"triangle":                  {orb.Ring{{0, 0}, {1, 0}, {0, 1}, {0, 0}}, nil},
		"bow tie":                   {orb.Ring{{0, 0}, {1, 1}, {1, 0}, {0, 2}, {0, 0}}, crosses},
		"keyhole":                   {orb.Ring{{0, 0}, {9, 0}, {9, 9}, {0, 9}, {0, 0}, {3, 3}, {3, 6}, {6, 6}, {6, 3}, {3, 3}, {0, 0}}, nil},
		"touching a corner":         {orb.Ring{{0, 0}, {4, 0}, {2, 2}, {4, 4}, {0, 4}, {2, 2}, {0, 0}}, nil},
		"on one line":               {orb.Ring{{0, 0}, {1, 1}, {2, 2}, {0, 0}}, flat},
		"on one line, unevenly":     {orb.Ring{{10.1, 50.1}, {10.2, 50.3}, {10.3, 50.5}, {10.1, 50.1}}, flat},
		"U across the antimeridian": {orb.Ring{{179, 0}, {-179, 0}, {-179, 3}, {-179.5, 3}, {-179.5, 1}, {179.5, 1}, {179.5, 3}, {179, 3}, {179, 0}}, nil},
		"8 across the antimeridian": {orb.Ring{{179, 0}, {-179, 2}, {-179, 0}, {179, 3}, {179, 0}}, crosses},
	} {
		d := crossingFinder{checksLeft: crossChecks}
		if got := d.checkRing(c.ring, c.ring.Bound()); got != c.want {
			t.Errorf("%s: verdict %v, want %v", name, got, c.want)
		}
	}
}

// A comb of long teeth makes every pair of edges overlap along the sweep.
func TestCrossingGivesUp(t *testing.T) {
	var ring orb.Ring
	for i := range 40_000 {
		x := float64(i) * 1e-4
		ring = append(ring, orb.Point{x, 0.1}, orb.Point{x + 5e-5, 50})
	}
	ring = append(ring, orb.Point{4, 0}, orb.Point{0, 0}, ring[0])
	c := crossingFinder{checksLeft: crossChecks}
	if got := c.checkRing(ring, ring.Bound()); got != intricate {
		t.Errorf("verdict %v, want %v", got, intricate)
	}
	bow := orb.Ring{{0, 0}, {1, 1}, {1, 0}, {0, 2}, {0, 0}}
	if got := c.checkRing(bow, bow.Bound()); got != intricate {
		t.Errorf("the bound is not that of the whole file: verdict %v", got)
	}
}
