package main

import (
	"encoding/json"
	"fmt"
)

// worldAtlas is the npm package with Natural Earth's countries.
const worldAtlas = "world-atlas@2.0.2"

// topology is the part of a TopoJSON file that is used here.
type topology struct {
	Transform struct {
		Scale     [2]float64 `json:"scale"`
		Translate [2]float64 `json:"translate"`
	} `json:"transform"`
	Arcs    [][][2]int `json:"arcs"`
	Objects struct {
		Countries struct {
			Geometries []geometry `json:"geometries"`
		} `json:"countries"`
	} `json:"objects"`
}

// geometry is a country.
type geometry struct {
	Type string          `json:"type"`
	Arcs json.RawMessage `json:"arcs"`

	arcs []int // the numbers of the arcs of all its rings, in their order
}

func readTopology(src []byte) (*topology, error) {
	t := &topology{}
	if err := json.Unmarshal(src, t); err != nil {
		return nil, err
	}
	for i := range t.Objects.Countries.Geometries {
		if err := t.Objects.Countries.Geometries[i].flatten(); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// flatten reads the arcs of a country. ^n stands for arc n run backwards.
func (g *geometry) flatten() (err error) {
	var polygons [][][]int
	switch g.Type {
	case "MultiPolygon":
		err = json.Unmarshal(g.Arcs, &polygons)
	case "Polygon":
		polygons = make([][][]int, 1)
		err = json.Unmarshal(g.Arcs, &polygons[0])
	default:
		return fmt.Errorf("a country of type %q, want Polygon or MultiPolygon", g.Type)
	}
	for _, rings := range polygons {
		for _, ring := range rings {
			for _, n := range ring {
				g.arcs = append(g.arcs, max(n, ^n))
			}
		}
	}
	return err
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
