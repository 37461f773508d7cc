package shape_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv"
	"flightdesk/kmlcsv/shape"
)

// spots are places at many latitudes, some of them at the antimeridian.
var spots = []orb.Point{{9.48, 53.6}, {0, 0}, {151.2, -33.9}, {18.9, 69.6}, {179.999, -17.1}, {-180, 65}, {-70, -54}, {25, 84}}

// checkSize compares a size on the ellipsoid with what it should be, within 0.1 %.
func checkSize(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= want*0.001) {
		t.Errorf("%s is %.3f, want %.3f (%+.4f %%)", what, got, want, (got/want-1)*100)
	}
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestACircleHasTheAreaOfItsRadius(t *testing.T) {
	for _, at := range spots {
		for _, radius := range []float64{5, 50, 5000, 40_000} {
			circle := must[orb.Polygon](t)(shape.Circle(at, radius))
			checkSize(t, fmt.Sprint("area at ", at), kmlcsv.AreaOf(circle), math.Pi*radius*radius)
			for _, corner := range circle[0] {
				checkSize(t, fmt.Sprint("radius at ", at), kmlcsv.LengthOf(orb.LineString{at, corner}), radius*1.0006)
			}
		}
	}
}

func TestARectangleHasItsSidesAndBearing(t *testing.T) {
	for _, at := range spots {
		for _, bearing := range []float64{0, 30, 200} {
			r := must[orb.Polygon](t)(shape.Rectangle(at, 200, 100, bearing))
			checkSize(t, fmt.Sprint("area at ", at), kmlcsv.AreaOf(r), 20_000)
			checkSize(t, "width", kmlcsv.LengthOf(orb.LineString(r[0][:2])), 200)
			checkSize(t, "height", kmlcsv.LengthOf(orb.LineString(r[0][1:3])), 100)
		}
	}
	r := must[orb.Polygon](t)(shape.Rectangle(orb.Point{9.48, 53.6}, 10, 1000, 30))
	a, b := r[0][1], r[0][2] // the right side, which runs along the bearing
	east := (b[0] - a[0]) * math.Cos(53.6*math.Pi/180)
	if got := math.Atan2(east, b[1]-a[1]) * 180 / math.Pi; math.Abs(got-30) > 0.2 {
		t.Errorf("the bearing is %.2f, want 30", got)
	}
}

func TestACorridorHasTheAreaOfItsLine(t *testing.T) {
	for _, at := range spots {
		line := orb.LineString{at, shape.Move(at, 3000, 1000)}
		length := kmlcsv.LengthOf(line)
		flat := must[orb.Polygon](t)(shape.Corridor(line, 40, false))
		checkSize(t, fmt.Sprint("flat corridor at ", at), kmlcsv.AreaOf(flat), length*40)
		round := must[orb.Polygon](t)(shape.Corridor(line, 40, true))
		checkSize(t, fmt.Sprint("round corridor at ", at), kmlcsv.AreaOf(round), length*40+math.Pi*20*20)
	}
	// A right angle: the square of the overlap counts once, and the outer corner is a quarter circle.
	at := orb.Point{9.48, 53.6}
	corner := shape.Move(at, 500, 0)
	bent := must[orb.Polygon](t)(shape.Corridor(orb.LineString{at, corner, shape.Move(corner, 0, 500)}, 40, false))
	checkSize(t, "bent corridor", kmlcsv.AreaOf(bent), 2*500*40-20*20+math.Pi*20*20/4)
	// 350 km of a line from west to east.
	far := must[orb.Polygon](t)(shape.Corridor(orb.LineString{{6, 50}, {8.5, 50.2}, {10.9, 50}}, 100, false))
	checkSize(t, "long corridor", kmlcsv.AreaOf(far), 100*kmlcsv.LengthOf(orb.LineString{{6, 50}, {8.5, 50.2}, {10.9, 50}}))
}

func TestACorridorAroundSomethingHasAHole(t *testing.T) {
	at := orb.Point{9.48, 53.6}
	loop := orb.LineString{at, shape.Move(at, 500, 0), shape.Move(at, 500, 500), shape.Move(at, 0, 500), at}
	ring := must[orb.Polygon](t)(shape.Corridor(loop, 20, false))
	if len(ring) != 2 {
		t.Fatalf("the corridor has %d rings, want a boundary and a hole", len(ring))
	}
}

func TestAnAreaGrowsAndShrinksByMetres(t *testing.T) {
	for _, at := range spots[:7] {
		r := must[orb.Polygon](t)(shape.Rectangle(at, 200, 100, 30))
		grown := must[[]orb.Polygon](t)(shape.Grow(r, 20, false))
		if len(grown) != 1 || len(grown[0]) != 1 || len(grown[0][0]) != 5 {
			t.Errorf("the grown rectangle is %v, want four corners", grown)
		}
		checkSize(t, "grown", kmlcsv.AreaOf(grown[0]), 240*140)
		round := must[[]orb.Polygon](t)(shape.Grow(r, 20, true))
		checkSize(t, "grown with round corners", kmlcsv.AreaOf(round[0]), 200*100+2*20*300+math.Pi*20*20)
		shrunk := must[[]orb.Polygon](t)(shape.Grow(r, -20, false))
		checkSize(t, "shrunk", kmlcsv.AreaOf(shrunk[0]), 160*60)
		back := must[[]orb.Polygon](t)(shape.Grow(shrunk[0], 20, false))
		checkSize(t, "shrunk and grown", kmlcsv.AreaOf(back[0]), 20_000)
	}
	r := must[orb.Polygon](t)(shape.Rectangle(spots[0], 200, 100, 0))
	if _, err := shape.Grow(r, -50, false); err == nil || !strings.Contains(err.Error(), "nothing is left") {
		t.Errorf("shrinking to nothing is %v", err)
	}
}

// dumbbell returns two squares of 300 m that a bridge of 20 m joins.
func dumbbell(at orb.Point) orb.Polygon {
	var ring orb.Ring
	for _, p := range [][2]float64{
		{0, 0}, {300, 0}, {300, 140}, {500, 140}, {500, 0}, {800, 0}, {800, 300}, {500, 300}, {500, 160}, {300, 160}, {300, 300}, {0, 300}, {0, 0},
	} {
		ring = append(ring, shape.Move(at, p[0], p[1]))
	}
	return orb.Polygon{ring}
}

func TestShrinkingCanMakeSeveralParts(t *testing.T) {
	parts := must[[]orb.Polygon](t)(shape.Grow(dumbbell(spots[0]), -15, false))
	if len(parts) != 2 {
		t.Fatalf("%d parts, want 2", len(parts))
	}
	for _, part := range parts {
		checkSize(t, "part", kmlcsv.AreaOf(part), 270*270)
	}
}

func TestAHoleShrinksWhileItsAreaGrows(t *testing.T) {
	at := spots[0]
	outer := must[orb.Polygon](t)(shape.Rectangle(at, 200, 200, 0))
	hole := must[orb.Polygon](t)(shape.Rectangle(at, 50, 50, 0))
	grown := must[[]orb.Polygon](t)(shape.Grow(orb.Polygon{outer[0], hole[0]}, 10, false))
	checkSize(t, "grown", kmlcsv.AreaOf(grown[0]), 220*220-30*30)
}

func TestAnAreaIsSplitAlongItsLongSide(t *testing.T) {
	for _, at := range spots[:7] {
		for _, bearing := range []float64{0, 37, 120} {
			field := must[orb.Polygon](t)(shape.Rectangle(at, 1000, 300, bearing)) // 30 ha
			parts := must[[]orb.Polygon](t)(shape.Split(field, 80_000))
			if len(parts) != 4 {
				t.Fatalf("%d parts, want 4", len(parts))
			}
			for _, part := range parts {
				checkSize(t, "part", kmlcsv.AreaOf(part), 75_000)
				if len(part[0]) != 5 {
					t.Errorf("a part has %d corners, want 4", len(part[0])-1)
				}
			}
		}
	}
	exact := must[orb.Polygon](t)(shape.Rectangle(spots[0], 1000, 200, 0))
	if parts := must[[]orb.Polygon](t)(shape.Split(exact, kmlcsv.AreaOf(exact)/2)); len(parts) != 2 {
		t.Errorf("an area of twice the size becomes %d parts", len(parts))
	}
	if parts := must[[]orb.Polygon](t)(shape.Split(exact, 1e9)); len(parts) != 1 {
		t.Errorf("a small area becomes %d parts", len(parts))
	}
}

func TestThePartsOfAConcaveAreaAddUp(t *testing.T) {
	for _, area := range []orb.Polygon{dumbbell(spots[0]), dumbbell(spots[4])} {
		whole := kmlcsv.AreaOf(area)
		parts := must[[]orb.Polygon](t)(shape.Split(area, whole/7))
		sum := 0.0
		for _, part := range parts {
			sum += kmlcsv.AreaOf(part)
			if kmlcsv.AreaOf(part) > whole/7*1.001 {
				t.Errorf("a part of %.0f m² is larger than %.0f m²", kmlcsv.AreaOf(part), whole/7)
			}
		}
		checkSize(t, "the sum of the parts", sum, whole)
	}
	at := spots[0]
	outer, hole := must[orb.Polygon](t)(shape.Rectangle(at, 400, 200, 10)), must[orb.Polygon](t)(shape.Rectangle(at, 100, 100, 10))
	parts := must[[]orb.Polygon](t)(shape.Split(orb.Polygon{outer[0], hole[0]}, 20_000))
	sum := 0.0
	for _, part := range parts {
		sum += kmlcsv.AreaOf(part)
	}
	checkSize(t, "the sum of the parts around a hole", sum, 70_000)
}

func TestAHullEnclosesItsPoints(t *testing.T) {
	for _, at := range spots[:7] {
		var points []orb.Point
		for i := range 5 {
			for k := range 5 {
				points = append(points, shape.Move(at, float64(i)*100, float64(k)*50))
			}
		}
		hull := must[orb.Polygon](t)(shape.Hull(points))
		checkSize(t, "hull", kmlcsv.AreaOf(hull), 400*200)
		if len(hull[0]) != 5 {
			t.Errorf("the hull of a grid has %d corners", len(hull[0])-1)
		}
	}
	for _, points := range [][]orb.Point{{{9, 53}}, {{9, 53}, {9, 54}}, {{9, 53}, {9, 53}, {9, 53}}, nil} {
		if hull, err := shape.Hull(points); err == nil {
			t.Errorf("the hull of %v is %v", points, hull)
		}
	}
}

func TestShapesAreSimplified(t *testing.T) {
	circle := must[orb.Polygon](t)(shape.Circle(spots[0], 500))
	few := must[orb.Geometry](t)(shape.SimplifyTo(circle, 24)).(orb.Polygon)
	if n := len(few[0]) - 1; n != 24 {
		t.Errorf("%d corners, want 24", n)
	}
	within := must[orb.Geometry](t)(shape.SimplifyWithin(circle, 5)).(orb.Polygon)
	if n := len(within[0]) - 1; n < 8 || n > 40 {
		t.Errorf("%d corners within 5 m of a circle of 500 m", n)
	}
	checkedArea := kmlcsv.AreaOf(within)
	if whole := math.Pi * 500 * 500; checkedArea < whole*0.97 || checkedArea > whole*1.01 {
		t.Errorf("the area is %.0f, was %.0f", checkedArea, whole)
	}
	var line orb.LineString
	for i := range 100 {
		line = append(line, shape.Move(spots[0], float64(i)*10, float64(i%2)))
	}
	straight := must[orb.Geometry](t)(shape.SimplifyWithin(line, 2)).(orb.LineString)
	if len(straight) != 2 || straight[0] != line[0] || straight[1] != line[99] {
		t.Errorf("the line is %v", straight)
	}
	if got := must[orb.Geometry](t)(shape.SimplifyTo(line, 10)).(orb.LineString); len(got) != 10 {
		t.Errorf("%d points, want 10", len(got))
	}
}

func TestOddGeometriesAreRefusedWithASentence(t *testing.T) {
	square := must[orb.Polygon](t)(shape.Rectangle(spots[0], 100, 100, 0))
	bow := orb.Polygon{{{9, 53}, {9.01, 53.01}, {9.01, 53}, {9, 53.02}, {9, 53}}}
	polar := orb.Polygon{{{0, 86}, {90, 86}, {180, 86}, {-90, 86}, {0, 86}}}
	around := orb.Polygon{{{0, 80}, {90, 80}, {180, 80}, {-90, 80}, {0, 80}}}
	for says, make := range map[string]func() error{
		"too near a pole":         func() error { _, err := shape.Circle(orb.Point{0, 89.9}, 50); return err },
		"made up to 85° north":    func() error { _, err := shape.Grow(polar, 10, false); return err },
		"up to 400 km":            func() error { _, err := shape.Split(around, 1e6); return err },
		"the radius must be":      func() error { _, err := shape.Circle(spots[0], 0); return err },
		"the radius can be":       func() error { _, err := shape.Circle(spots[0], 1e9); return err },
		"not on the globe":        func() error { _, err := shape.Circle(orb.Point{math.NaN(), 2}, 5); return err },
		"the bearing must be":     func() error { _, err := shape.Rectangle(spots[0], 5, 5, math.NaN()); return err },
		"crosses itself at 53.00": func() error { _, err := shape.Grow(bow, 5, false); return err },
		"needs two points":        func() error { _, err := shape.Corridor(orb.LineString{{1, 2}, {1, 2}}, 5, true); return err },
		"it has no coordinates":   func() error { _, err := shape.Corridor(nil, 5, true); return err },
		"needs three corners":     func() error { _, err := shape.Grow(orb.Polygon{{{1, 2}, {1, 3}, {1, 2}}}, 5, true); return err },
		"at most 500 are made":    func() error { _, err := shape.Split(square, 1); return err },
		"at least 3 points":       func() error { _, err := shape.SimplifyTo(square, 1); return err },
		"nothing would be left":   func() error { _, err := shape.SimplifyWithin(square, 5000); return err },
		"from a point, not an area": func() error {
			_, err := shape.Operation{Kind: shape.CircleKind, Metres: 5}.Apply(square)
			return err
		},
	} {
		if err := make(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("the error is %v, want %q", err, says)
		}
	}
}

func TestALineLikeAScribbleIsRefusedAtOnce(t *testing.T) {
	var line orb.LineString
	for i := range 300 { // each second point is on the other side
		line = append(line, shape.Move(spots[0], float64(i%2)*1000+float64(i*7919%100), float64(i*7919%1000)))
	}
	if _, err := shape.Corridor(line, 40, true); err == nil || !strings.Contains(err.Error(), "simplify it first") {
		t.Errorf("the error is %v", err)
	}
}

func TestCrossingsAreFound(t *testing.T) {
	for _, at := range []float64{9, 179.995} {
		east := math.Remainder(at+0.01, 360)
		bow := orb.Ring{{at, 53}, {east, 53.01}, {east, 53}, {at, 53.01}, {at, 53}}
		points, ok := kmlcsv.Crossings(bow, 10)
		if !ok || len(points) != 1 || math.Abs(math.Remainder(points[0][0]-at-0.005, 360)) > 1e-9 || math.Abs(points[0][1]-53.005) > 1e-9 {
			t.Errorf("the crossings are %v, %v", points, ok)
		}
	}
	loop := []orb.Point{{0, 0}, {2, 0}, {2, 2}, {1, 2}, {1, -1}}
	if points, _ := kmlcsv.Crossings(loop, 10); len(points) != 1 || points[0] != (orb.Point{1, 0}) {
		t.Errorf("the crossings of a line are %v", points)
	}
	if points, _ := kmlcsv.Crossings([]orb.Point{{0, 0}, {1, 0}, {1, 1}, {0, 0}}, 10); points != nil {
		t.Errorf("the crossings of a triangle are %v", points)
	}
}

func TestOperationsAreParsed(t *testing.T) {
	for text, want := range map[string]shape.Operation{
		"circle 50":         {Kind: shape.CircleKind, Metres: 50},
		"Circle  1,5 km":    {Kind: shape.CircleKind, Metres: 1500},
		"rectangle 200x100": {Kind: shape.RectangleKind, Width: 200, Height: 100},
		"rectangle 200 x 100m at 30": {
			Kind: shape.RectangleKind, Width: 200, Height: 100, Bearing: 30,
		},
		"rectangle 0.2x0.1km 7.5°": {Kind: shape.RectangleKind, Width: 200, Height: 100, Bearing: 7.5},
		"corridor 40m":             {Kind: shape.CorridorKind, Metres: 40},
		"corridor 40 m round":      {Kind: shape.CorridorKind, Metres: 40, Round: true},
		"corridor 40 flat":         {Kind: shape.CorridorKind, Metres: 40},
		"grow 20ft":                {Kind: shape.GrowKind, Metres: 6.096},
		"shrink 20":                {Kind: shape.ShrinkKind, Metres: 20},
		"simplify 100 points":      {Kind: shape.SimplifyKind, Points: 100},
		"simplify 2m":              {Kind: shape.SimplifyKind, Metres: 2},
		"split 25 ha":              {Kind: shape.SplitKind, Area: 250_000},
		"split 25":                 {Kind: shape.SplitKind, Area: 250_000},
		"split 1 km2":              {Kind: shape.SplitKind, Area: 1e6},
		"split 5000m2":             {Kind: shape.SplitKind, Area: 5000},
		"split 10 acres":           {Kind: shape.SplitKind, Area: 40468.564224},
		"hull":                     {Kind: shape.HullKind},
	} {
		got, err := shape.Parse(text)
		if err != nil || math.Abs(got.Metres-want.Metres) > 1e-9 {
			t.Errorf("%q is %+v, %v", text, got, err)
		}
		got.Metres = want.Metres
		if got != want {
			t.Errorf("%q is %+v, want %+v", text, got, want)
		}
	}
	for _, text := range []string{"", "circle", "circle x", "square 5", "rectangle 200", "rectangle 200x", "hull 5", "split 5 m", "simplify 0 points", "circle -5", "corridor round"} {
		if got, err := shape.Parse(text); err == nil {
			t.Errorf("%q is %+v", text, got)
		}
	}
}

func TestAnAmbiguousThousandIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"circle 1,000m":          `"1,000" is ambiguous; write 1000 or 1`,
		"circle 1.000 m":         `"1.000" is ambiguous; write 1000 or 1`,
		"split 1,500 m2":         `"1,500" is ambiguous; write 1500 or 1.5`,
		"split 1,500,000 m2":     `"1,500" is ambiguous; write 1500 or 1.5`,
		"rectangle 200x1.250 30": `"1.250" is ambiguous; write 1250 or 1.25`,
		"rectangle 2,500x100":    `"2,500" is ambiguous; write 2500 or 2.5`,
		"corridor 1.000m round":  `"1.000" is ambiguous; write 1000 or 1`,
		"simplify 1,000 points":  `"1,000" is ambiguous; write 1000 or 1`,
	} {
		got, err := shape.Parse(text)
		if err == nil || err.Error() != want {
			t.Errorf("%q is %+v, %v", text, got, err)
		}
	}
	for text, want := range map[string]float64{
		"circle 1,5": 1.5, "circle 1.25": 1.25, "circle 0.125km": 125, "circle 1234.567": 1234.567, "circle 1.2345": 1.2345,
	} {
		if got, err := shape.Parse(text); err != nil || math.Abs(got.Metres-want) > 1e-9 {
			t.Errorf("%q is %+v, %v", text, got, err)
		}
	}
}

func TestAUnitOfOneSideAppliesToBothSides(t *testing.T) {
	for text, want := range map[string][2]float64{
		"rectangle 200ft x 100":   {60.96, 30.48},
		"rectangle 200 x 100ft":   {60.96, 30.48},
		"rectangle 1km x 300m":    {1000, 300},
		"rectangle 200ft x 100ft": {60.96, 30.48},
		"rectangle 200 x 100":     {200, 100},
	} {
		got, err := shape.Parse(text)
		if err != nil || math.Abs(got.Width-want[0]) > 1e-9 || math.Abs(got.Height-want[1]) > 1e-9 {
			t.Errorf("%q is %+v, %v", text, got, err)
		}
	}
}

func FuzzApply(f *testing.F) {
	f.Add("circle 50", 1, []byte{1, 2, 3, 4})
	f.Add("corridor 40 round", 2, []byte{1, 2, 3, 4, 9, 200, 7, 7, 1, 1})
	f.Add("grow 20", 3, []byte{0, 0, 10, 0, 10, 10, 0, 10})
	f.Add("shrink 500 round", 3, []byte{0, 0, 10, 0, 10, 10, 0, 10, 255, 255})
	f.Add("split 2 ha", 3, []byte{0, 0, 100, 0, 100, 10, 50, 5, 0, 10})
	f.Add("simplify 4 points", 3, []byte{0, 0, 100, 0, 100, 10, 50, 5, 0, 10})
	f.Add("hull", 0, []byte{0, 0, 100, 0, 100, 10})
	f.Fuzz(func(t *testing.T, text string, kind int, coordinates []byte) {
		op, err := shape.Parse(text)
		if err != nil || len(coordinates) > 400 {
			return
		}
		var points []orb.Point
		for i := 1; i < len(coordinates); i += 2 {
			points = append(points, orb.Point{179.9 + float64(coordinates[i-1])/1000, 50 + float64(coordinates[i])/1000})
		}
		geometries := []orb.Geometry{orb.MultiPoint(points), orb.Point{}, orb.LineString(points), orb.Polygon{points}}
		shapes, err := op.Apply(geometries[(kind%4+4)%4])
		if err != nil && strings.Contains(err.Error(), "panic") {
			t.Fatal(err)
		}
		for _, g := range shapes {
			area, ok := g.(orb.Polygon)
			if ok && !(kmlcsv.AreaOf(area) >= 0) {
				t.Errorf("the area of %v is %v", g, kmlcsv.AreaOf(area))
			}
		}
	})
}
