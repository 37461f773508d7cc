package kmlcsv

import (
	"math"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/encoding/wkt"
)

// flatten lists the rings of a geometry. A point that no geometry has marks the kind of each part.
func flatten(g orb.Geometry, out [][]orb.Point) [][]orb.Point {
	switch g := g.(type) {
	case orb.Point:
		return append(out, []orb.Point{g})
	case orb.MultiPoint:
		for _, p := range g {
			out = append(out, []orb.Point{p})
		}
	case orb.LineString:
		if len(g) > 0 {
			return append(out, g)
		}
	case orb.MultiLineString:
		for _, l := range g {
			out = flatten(l, out)
		}
	case orb.Polygon:
		for _, r := range g {
			out = append(out, r)
		}
	case orb.MultiPolygon:
		for _, p := range g {
			out = flatten(p, out)
		}
	case orb.Collection:
		for _, c := range g {
			out = flatten(c, out)
		}
	}
	return out
}

func readWKT(text string) ([][]orb.Point, string) {
	var w cellReader
	figures, problem := w.readWKT([]byte(text))
	var out [][]orb.Point
	for _, f := range figures {
		out = append(append(out, f.points), f.holes...)
	}
	if problem == nil {
		return out, ""
	}
	return out, problem.Message
}

// checkWKT compares the result with that of orb, if orb can read the text.
func checkWKT(t *testing.T, text string) {
	t.Helper()
	got, problem := readWKT(text)
	g, err := wkt.Unmarshal(text)
	if err != nil || form(text) != form(wkt.MarshalString(g)) {
		return // orb passes over much that is not well-known text
	}
	want := flatten(g, nil)
	for _, ring := range want {
		for _, p := range ring {
			if math.IsNaN(p[0]+p[1]) || math.IsInf(p[0], 0) || math.IsInf(p[1], 0) {
				return
			}
		}
	}
	if problem != "" || !reflect.DeepEqual(got, want) {
		t.Fatalf("%q: %v %s; orb reads %v", text, got, problem, want)
	}
}

var (
	numberPattern = regexp.MustCompile(`[-+]?(\d+\.?\d*|\.\d+)(E[-+]?\d+)?`)
	gapPattern    = regexp.MustCompile(`[ \t\r\n]*([(),])[ \t\r\n]*`)
)

// form returns a text with one letter for every number, and without white space that has no meaning.
func form(text string) string {
	text = numberPattern.ReplaceAllString(strings.ToUpper(text), "#")
	return strings.Trim(gapPattern.ReplaceAllString(text, "$1"), " \t\r\n")
}

var wkts = []string{
	"POINT (10 50)", "point(10 50)", "POINT EMPTY", "LINESTRING (10 50, 11 51)", "LINESTRING(1 2,3 4,5 6)", "LINESTRING EMPTY",
	"POLYGON ((10 50, 10.01 50, 10.01 50.01, 10 50))", "POLYGON ((0 0, 9 0, 9 9, 0 0), (1 1, 2 1, 2 2, 1 1))", "POLYGON EMPTY",
	"MULTIPOINT ((1 2), (3 4))", "MULTILINESTRING ((1 2, 3 4), (5 6, 7 8))", "MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0)), ((2 2, 3 2, 3 3, 2 2)))",
	"GEOMETRYCOLLECTION (POINT (1 2), LINESTRING (1 2, 3 4))", "GEOMETRYCOLLECTION EMPTY", "POINT (-1.5e1 +2.5E-1)",
	"POINT (1)", "POINT (1 2", "POINT 1 2", "POLYGON (1 2)", "POLYGON (5)", "CIRCLE (1 2)", "POINT (1 2 3)", "MULTIPOINT EMPTY", "MULTIPOLYGON EMPTY",
}

func TestWKTAgainstOrb(t *testing.T) {
	compared := 0
	for _, text := range wkts {
		checkWKT(t, text)
		if g, err := wkt.Unmarshal(text); err == nil && form(text) == form(wkt.MarshalString(g)) {
			compared++
		}
	}
	if compared < 12 {
		t.Errorf("only %d texts are compared", compared)
	}
	for _, text := range wkts[:15] {
		if _, problem := readWKT(text); problem != "" {
			t.Errorf("%q: %s", text, problem)
		}
	}
	for _, text := range wkts[15:21] {
		if _, problem := readWKT(text); problem == "" {
			t.Errorf("%q was read", text)
		}
	}
}

func FuzzWKT(f *testing.F) {
	for _, text := range wkts {
		f.Add(text)
	}
	f.Add("SRID=4326;POLYGON Z ((1 2 3, 4 5 6, 7 8 9, 1 2 3))")
	f.Add(strings.Repeat("GEOMETRYCOLLECTION(", 40))
	f.Fuzz(func(t *testing.T, text string) { checkWKT(t, text) })
}
