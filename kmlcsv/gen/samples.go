package main

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
)

// samplePlaces writes every 27th populated place of GeoNames with its country.
func samplePlaces(places []place) []byte {
	var b bytes.Buffer
	b.WriteString("longitude,latitude,country\n")
	for i := 0; i < len(places); i += 27 {
		p := places[i]
		fmt.Fprintf(&b, "%.5f,%.5f,%s\n", float64(p.x)/1e5, float64(p.y)/1e5, p.country)
	}
	return b.Bytes()
}

// shore is a stretch of coast of a country.
type shore struct {
	a, b    [2]float64
	country string
}

// shores holds stretches of coast and borders by cells of a degree.
type shores map[[2]int][]shore

// sampleOffshore writes points at sea within 12 km of the coast of Natural
// Earth at 1:10 million, each with the country whose coast it is. It takes
// only points at least three times as far from any other country's, for
// between two coasts the truth is a matter of treaties.
func sampleOffshore(src []byte, w *world) ([]byte, error) {
	coast, err := readShores(src, w)
	if err != nil {
		return nil, err
	}
	var starts []shore
	for x := -180; x < 180; x++ {
		for y := -60; y < 72; y++ {
			starts = append(starts, coast[[2]int{x, y}]...)
		}
	}
	r := rand.New(rand.NewPCG(12, 2000))
	var b bytes.Buffer
	b.WriteString("longitude,latitude,country\n")
	for n := 0; n < 2000; {
		s := starts[r.IntN(len(starts))]
		bearing := 2 * math.Pi * r.Float64()
		far := 0.5 + 11.5*r.Float64()
		p := [2]float64{
			s.a[0] + far*math.Sin(bearing)/kilometres/math.Cos(s.a[1]*math.Pi/180),
			s.a[1] + far*math.Cos(bearing)/kilometres,
		}
		if country, ok := coast.offshore(p); ok {
			fmt.Fprintf(&b, "%.5f,%.5f,%s\n", p[0], p[1], country)
			n++
		}
	}
	return b.Bytes(), nil
}

// kilometres of a degree.
const kilometres = 111.195

// readShores reads the outlines of countries. Those whose overseas parts have
// codes of their own are left out but for their main part.
func readShores(src []byte, w *world) (shores, error) {
	t, err := readTopology(src)
	if err != nil {
		return nil, err
	}
	byNumber := map[string]string{}
	for _, c := range w.countries {
		if c.numeric != "" {
			byNumber[c.numeric] = c.code
		}
	}
	out := shores{}
	for _, g := range t.Objects.Countries.Geometries {
		for _, n := range g.arcs {
			out.add(byNumber[g.ID], t.positions(t.Arcs[n]))
		}
	}
	return out, nil
}

// add cuts an arc into the cells it goes through.
func (s shores) add(country string, arc [][2]float64) {
	for i, p := range arc {
		if i == 0 || math.Abs(p[0]-arc[i-1][0]) >= 10 {
			continue
		}
		from, to := cellOf(arc[i-1]), cellOf(p)
		s[from] = append(s[from], shore{arc[i-1], p, country})
		if to != from {
			s[to] = append(s[to], shore{arc[i-1], p, country})
		}
	}
}

func cellOf(p [2]float64) [2]int {
	return [2]int{int(math.Floor(p[0])), int(math.Floor(p[1]))}
}

// offshore returns the country that a point lies off, if it is at sea within
// 12 km of that country's coast and three times as far from any other's.
func (s shores) offshore(p [2]float64) (country string, ok bool) {
	near, other := math.Inf(1), math.Inf(1)
	var nearest shore
	cell := cellOf(p)
	for x := cell[0] - 1; x <= cell[0]+1; x++ {
		for y := cell[1] - 1; y <= cell[1]+1; y++ {
			for _, e := range s[[2]int{x, y}] {
				d := distance(p, e)
				switch {
				case d < near:
					if e.country != nearest.country {
						other = near
					}
					near, nearest = d, e
				case e.country != nearest.country:
					other = min(other, d)
				}
			}
		}
	}
	if near > 12 || other < 3*near || near < 0.5 || nearest.country == "" || overseas(nearest.country, p) {
		return "", false
	}
	return nearest.country, !s.onLand(p)
}

// overseas reports whether Natural Earth counts a place to a country that has
// its own code there.
func overseas(country string, p [2]float64) bool {
	switch country {
	case "FR":
		return p[0] < -6 || p[0] > 10 || p[1] < 40
	case "NL":
		return p[1] < 50
	case "NO":
		return p[0] < 3
	default:
		return false
	}
}

// onLand counts the outlines between a point and the end of the world to the
// west, each twice where two countries meet.
func (s shores) onLand(p [2]float64) bool {
	crossings := 0
	cell := cellOf(p)
	for x := -180; x <= cell[0]; x++ {
		seen := map[shore]bool{}
		for _, e := range s[[2]int{x, cell[1]}] {
			if (e.a[1] > p[1]) == (e.b[1] > p[1]) || seen[e] {
				continue
			}
			seen[e] = true
			at := e.a[0] + (p[1]-e.a[1])/(e.b[1]-e.a[1])*(e.b[0]-e.a[0])
			if at < p[0] && int(math.Floor(at)) == x {
				crossings++
			}
		}
	}
	return crossings%2 == 1
}

// distance in kilometres from a point to a stretch of coast, on a plane.
func distance(p [2]float64, e shore) float64 {
	cos := math.Cos(p[1] * math.Pi / 180)
	ax, ay := (e.a[0]-p[0])*cos, e.a[1]-p[1]
	dx, dy := (e.b[0]-e.a[0])*cos, e.b[1]-e.a[1]
	t := 0.0
	if l := dx*dx + dy*dy; l > 0 {
		t = min(max(-(ax*dx+ay*dy)/l, 0), 1)
	}
	return kilometres * math.Hypot(ax+t*dx, ay+t*dy)
}
