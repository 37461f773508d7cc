package main

import (
	"bytes"
	"encoding/json"
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
	var t struct {
		Transform struct {
			Scale     [2]float64 `json:"scale"`
			Translate [2]float64 `json:"translate"`
		} `json:"transform"`
		Arcs    [][][2]int `json:"arcs"`
		Objects struct {
			Countries struct {
				Geometries []struct {
					Type string          `json:"type"`
					ID   string          `json:"id"`
					Arcs json.RawMessage `json:"arcs"`
				} `json:"geometries"`
			} `json:"countries"`
		} `json:"objects"`
	}
	if err := json.Unmarshal(src, &t); err != nil {
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
		var polygons [][][]int
		var err error
		if g.Type == "Polygon" {
			polygons = make([][][]int, 1)
			err = json.Unmarshal(g.Arcs, &polygons[0])
		} else {
			err = json.Unmarshal(g.Arcs, &polygons)
		}
		if err != nil {
			return nil, err
		}
		for _, rings := range polygons {
			for _, ring := range rings {
				for _, n := range ring {
					out.add(byNumber[g.ID], t.Arcs[max(n, ^n)], t.Transform.Scale, t.Transform.Translate)
				}
			}
		}
	}
	return out, nil
}

// add cuts an arc into the cells it goes through.
func (s shores) add(country string, arc [][2]int, scale, translate [2]float64) {
	var x, y int
	var last [2]float64
	for i, d := range arc {
		x, y = x+d[0], y+d[1]
		p := [2]float64{float64(x)*scale[0] + translate[0], float64(y)*scale[1] + translate[1]}
		if i > 0 && math.Abs(p[0]-last[0]) < 10 {
			from, to := cellOf(last), cellOf(p)
			s[from] = append(s[from], shore{last, p, country})
			if to != from {
				s[to] = append(s[to], shore{last, p, country})
			}
		}
		last = p
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
