package geomap_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/paulmach/orb"

	"flightdesk/tui/theme"
	"flightdesk/tui/widget/geomap"
)

// sites returns two fields, a road and two stations on the lower Elbe.
func sites() []geomap.Feature {
	return []geomap.Feature{
		{ID: "km3", Label: "Levee km 3", Geometry: orb.Polygon{{{9.40, 53.60}, {9.43, 53.61}, {9.45, 53.595}, {9.42, 53.585}, {9.40, 53.60}}}},
		{ID: "km4", Label: "Levee km 4", Geometry: orb.Polygon{
			{{9.47, 53.61}, {9.52, 53.615}, {9.52, 53.605}, {9.47, 53.600}, {9.47, 53.61}},
			{{9.49, 53.609}, {9.50, 53.609}, {9.50, 53.607}, {9.49, 53.607}, {9.49, 53.609}},
		}},
		{ID: "road", Label: "Access road", Geometry: orb.LineString{
			{9.46, 53.59}, {9.48, 53.595}, {9.50, 53.59}, {9.52, 53.593},
		}},
		{ID: "pump", Label: "Pump station", Geometry: orb.Point{9.46, 53.583}, Mark: '◎', Role: theme.InProgress},
		{ID: "gate", Label: "水門 gate", Geometry: orb.Point{9.50, 53.583}, Mark: '◌', Role: theme.Pending},
	}
}

// colours is a theme with colours, to make the runs of cells visible.
func colours() *theme.Theme {
	th, err := theme.NamedTheme("dark", true)
	if err != nil {
		panic(err)
	}
	return th
}

// requireRectangle fails unless view has h lines of w cells and no control sequences
// except colours.
func requireRectangle(t *testing.T, view string, w, h int) {
	t.Helper()
	if w <= 0 || h <= 0 {
		if view != "" {
			t.Fatalf("%dx%d: %q, want nothing", w, h, view)
		}
		return
	}
	lines := strings.Split(view, "\n")
	if len(lines) != h {
		t.Fatalf("%dx%d: %d lines", w, h, len(lines))
	}
	for i, l := range lines {
		if n := ansi.StringWidth(l); n != w {
			t.Fatalf("%dx%d: line %d is %d cells: %q", w, h, i, n, l)
		}
		for _, r := range ansi.Strip(l) {
			if r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x200b && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
				t.Fatalf("%dx%d: line %d has %U: %q", w, h, i, r, l)
			}
		}
	}
}

func TestSelectionFollowsItsID(t *testing.T) {
	m := geomap.New()
	m.SetFeatures(sites())
	m.SetSelected("road")
	m.SetFeatures(sites()[2:])
	if got := m.Selected(); got != "road" {
		t.Errorf("after new features %q is selected", got)
	}
	if got := m.SelectNext(1); got != "pump" {
		t.Errorf("next is %q", got)
	}
	if got := m.SelectNext(-2); got != "gate" {
		t.Errorf("two back, going round, is %q", got)
	}
	m.SetFeatures(nil)
	if got := m.Selected() + m.SelectNext(1); got != "" {
		t.Errorf("of nothing %q is selected", got)
	}
	m.SetFeatures(sites())
	if got := m.SelectNext(1); got != "km3" {
		t.Errorf("the first is %q", got)
	}
	m.SetSelected("no such")
	if got := m.SelectNext(-1); got != "gate" {
		t.Errorf("the last is %q", got)
	}
}

func TestFitShowsEverything(t *testing.T) {
	m := geomap.New()
	m.SetFeatures(sites())
	for _, size := range [][2]int{{60, 18}, {200, 60}, {20, 40}, {30, 12}} {
		m.View(size[0], size[1])
		seen := map[string]bool{}
		for y := range size[1] {
			for x := range size[0] {
				if id, ok := m.FeatureAt(x, y); ok {
					seen[id] = true
				}
			}
		}
		if size[0] >= 60 && len(seen) != 5 {
			t.Errorf("%v: only %v to be seen", size, seen)
		}
		corner, _ := m.CoordinateAt(0, 0)
		if corner[0] > 9.40 || corner[1] < 53.615 {
			t.Errorf("%v: the top left is %v, within the sites", size, corner)
		}
	}
}

func TestAPoleDoesNotHideOtherSites(t *testing.T) {
	m := geomap.New()
	m.SetFeatures([]geomap.Feature{
		{ID: "pole", Geometry: orb.Point{0, -90}}, {ID: "city", Geometry: orb.Point{10, 53.5}}, {ID: "far north", Geometry: orb.Point{-62, 82.5}},
	})
	screen := m.View(40, 30)
	if n := strings.Count(screen, "●"); n != 2 {
		t.Errorf("%d sites to be seen:\n%s", n, screen)
	}
}

func TestFitOfAPointShowsItsNeighbourhood(t *testing.T) {
	m := geomap.New()
	m.SetFeatures([]geomap.Feature{{ID: "a", Geometry: orb.Point{10.2, 54.4}}})
	m.View(80, 24)
	left, _ := m.CoordinateAt(0, 12)
	right, _ := m.CoordinateAt(79, 12)
	if d := right[0] - left[0]; d < 0.3 || d > 1.5 {
		t.Errorf("it is %v° wide", d)
	}
	m.SetFeatures(nil)
	m.View(80, 24)
	if left, ok := m.CoordinateAt(1, 12); !ok || left[0] > -170 {
		t.Errorf("of nothing the left is %v, not the world's", left)
	}
}

func TestFitContinuesUntilTheViewIsMoved(t *testing.T) {
	m := geomap.New()
	m.View(80, 24)
	m.SetFeatures(sites())
	m.View(80, 24)
	near, _ := m.CoordinateAt(40, 12)
	if math.Hypot(near[0]-9.46, near[1]-53.6) > 0.05 {
		t.Fatalf("the centre is %v, not at the sites", near)
	}
	m.Pan(10, 0)
	m.View(80, 24)
	away, _ := m.CoordinateAt(40, 12)
	m.SetFeatures(sites()[:1])
	m.View(80, 24)
	if still, _ := m.CoordinateAt(40, 12); still != away {
		t.Errorf("new features moved a view set by hand from %v to %v", away, still)
	}
	m.SetSelected("km3")
	m.FitSelected()
	m.View(80, 24)
	if at, _ := m.CoordinateAt(40, 12); math.Hypot(at[0]-9.425, at[1]-53.597) > 0.01 {
		t.Errorf("fitted to a field, the centre is %v", at)
	}
}

func TestPanAndZoomMoveByTheGivenAmount(t *testing.T) {
	m := geomap.New()
	m.SetFeatures(sites())
	m.View(80, 24)
	before, _ := m.CoordinateAt(60, 12)
	m.Pan(0.25, 0)
	if got, _ := m.CoordinateAt(40, 12); dist(got, before) > 1e-9 {
		t.Errorf("a quarter to the right brings %v to the centre, want %v", got, before)
	}
	m.Pan(0, -0.5)
	if got, _ := m.CoordinateAt(40, 12); got[1] <= before[1] {
		t.Errorf("half up leads to %v", got)
	}
	before, _ = m.CoordinateAt(13, 5)
	m.ZoomAt(13, 5, 1.5)
	if got, _ := m.CoordinateAt(13, 5); dist(got, before) > 1e-9 {
		t.Errorf("zoomed at %v it became %v", before, got)
	}
	before, _ = m.CoordinateAt(40, 12)
	for range 200 {
		m.Zoom(1.5)
	}
	requireRectangle(t, m.View(80, 24), 80, 24)
	for range 200 {
		m.Zoom(1 / 1.5)
	}
	requireRectangle(t, m.View(80, 24), 80, 24)
	if got, ok := m.CoordinateAt(40, 12); !ok || math.Abs(got[0]-before[0]) > 5 {
		t.Errorf("far in and out again the centre went from %v to %v", before, got)
	}
}

func dist(a, b orb.Point) float64 { return math.Hypot(a[0]-b[0], a[1]-b[1]) }

func TestFitAllCrossesTheAntimeridian(t *testing.T) {
	m := geomap.New()
	m.SetFeatures([]geomap.Feature{
		{ID: "west", Geometry: orb.Point{179, -17}},
		{ID: "east", Geometry: orb.Point{-179, -16.5}},
		{ID: "both", Geometry: orb.Polygon{{{179.5, -17}, {-179.5, -17}, {-179.5, -16}, {179.5, -16}, {179.5, -17}}}},
	})
	m.View(100, 30)
	left, ok := m.CoordinateAt(0, 15)
	right, ok2 := m.CoordinateAt(99, 15)
	if !ok || !ok2 || left[0] < 170 || right[0] > -170 {
		t.Errorf("the pane goes from %v to %v", left, right)
	}
	if id, _ := m.FeatureAt(50, 14); id != "both" {
		t.Errorf("in the middle is %q", id)
	}
}

func TestMapsNearThePolesAreValid(t *testing.T) {
	m := geomap.New()
	m.SetFeatures([]geomap.Feature{
		{ID: "a", Geometry: orb.Point{0, -80}},
		{ID: "b", Geometry: orb.Point{120, -80}},
		{ID: "c", Geometry: orb.Point{-120, -80}},
	})
	m.View(100, 40)
	found := map[string]bool{}
	for y := range 40 {
		for x := range 100 {
			if id, ok := m.FeatureAt(x, y); ok {
				found[id] = true
			}
		}
	}
	if len(found) != 3 {
		t.Errorf("of three sites %v are to be seen", found)
	}
	for range 100 {
		m.Pan(0, -0.5)
		requireRectangle(t, m.View(60, 20), 60, 20)
	}
	for range 100 {
		m.Pan(0.3, 0.5)
		requireRectangle(t, m.View(60, 20), 60, 20)
	}
}

// TestCoordinateAtMatchesTheDrawing fits single points and finds each one at its
// coordinates, with north above it and east to its right at the same scale.
func TestCoordinateAtMatchesTheDrawing(t *testing.T) {
	for _, at := range []orb.Point{
		{0, 0}, {9.4, 53.6}, {179.999, 10}, {-180, -45}, {100, 74.9}, {100, 75.1}, {-120, 80}, {20, 89}, {-60, -80}, {150, -74.9}, {-179.99, -88},
	} {
		m := geomap.New()
		m.SetFeatures([]geomap.Feature{{ID: "a", Geometry: at}})
		m.View(81, 25)
		if id, _ := m.FeatureAt(40, 12); id != "a" {
			t.Errorf("%v is not in the middle", at)
		}
		// A cell is one or two kilometres wide; the length of a degree of longitude varies.
		cos := math.Cos(at[1] * math.Pi / 180)
		offset := func(x, y int) (east, north float64) {
			p, ok := m.CoordinateAt(x, y)
			if !ok {
				t.Fatalf("%v: nothing at %d %d", at, x, y)
			}
			return math.Remainder(p[0]-at[0], 360) * cos, p[1] - at[1]
		}
		if e, n := offset(40, 12); math.Hypot(e, n) > 0.03 {
			t.Errorf("the middle is %v° %v° from %v", e, n, at)
		}
		e0, n0 := offset(40, 12)
		e1, n1 := offset(40, 7)
		e2, n2 := offset(50, 12)
		up, right := n1-n0, e2-e0
		if up <= 0 || math.Abs(e1-e0) > up/5 || math.Abs(n2-n0) > right/5 {
			t.Errorf("%v: up is %v° %v°, right %v° %v°", at, e1-e0, n1-n0, e2-e0, n2-n0)
		}
		if math.Abs(right/up-1) > 0.1 { // ten cells across are as far as five down
			t.Errorf("%v: shapes are stretched by %v", at, right/up)
		}
	}
}

func TestUnchangedMapIsNotDrawnAgain(t *testing.T) {
	m := geomap.New()
	m.SetFeatures(sites())
	m.SetTheme(colours())
	m.View(120, 40)
	if n := testing.AllocsPerRun(10, func() { m.View(120, 40) }); n != 0 {
		t.Errorf("%v allocations for an unchanged map", n)
	}
	before := m.View(120, 40)
	m.SetTheme(nil)
	if m.View(120, 40) == before {
		t.Error("new styles changed nothing")
	}
}

func TestHoverShowsCoordinates(t *testing.T) {
	m := geomap.New()
	m.SetFeatures(sites())
	m.View(80, 24)
	m.Hover(10, 3)
	at, _ := m.CoordinateAt(10, 3)
	if want := geomap.FormatCoordinates(at, 3); !strings.Contains(m.View(80, 24), want) {
		t.Errorf("%q is not to be seen", want)
	}
	m.Hover(80, 3)
	if strings.Contains(m.View(80, 24), geomap.FormatCoordinates(at, 3)) {
		t.Error("coordinates stay though the pointer has left")
	}
	if got := geomap.FormatCoordinates(orb.Point{-9.5, -33.25}, 2); got != "33.25 S   9.50 W" {
		t.Errorf("south west is %q", got)
	}
	if got := geomap.FormatCoordinates(orb.Point{-0.001, 0}, 1); got != "0.0 N   0.0 E" {
		t.Errorf("nearly zero is %q", got)
	}
}

func TestSelectionShowsWithoutColour(t *testing.T) {
	m := geomap.New()
	m.SetFeatures(sites())
	before := m.View(80, 24)
	for _, id := range []string{"km3", "pump", "road"} {
		m.SetSelected(id)
		if m.View(80, 24) == before {
			t.Errorf("that %s is selected shows only in colour", id)
		}
	}
	m.SetTheme(colours())
	if coloured := ansi.Strip(m.View(80, 24)); strings.Contains(coloured, "·") {
		t.Error("a fill with a background is dotted as well")
	}
}

func TestPartsOfAFeatureHaveOneLabel(t *testing.T) {
	m := geomap.New()
	m.SetFeatures([]geomap.Feature{{ID: "a", Label: "Reefs", Geometry: orb.MultiPoint{{10, 50}, {10.0001, 50}, {12, 50}}}})
	view := m.View(80, 24)
	if strings.Count(view, "Reefs") != 1 || strings.Count(view, "●") != 2 || strings.Contains(view, "●2") {
		t.Errorf("two marks and one label are wanted:\n%s", view)
	}
}

func TestOnlyTheFirstMarkOfTheSelectedFeatureHasTheCursor(t *testing.T) {
	m := geomap.New()
	m.SetTheme(colours())
	masts := orb.MultiPoint{{10, 50}, {11, 50}, {12, 50}}
	m.SetFeatures([]geomap.Feature{{ID: "a", Label: "Masts", Geometry: masts, Mark: '◌', Role: theme.Pending}})
	plain := m.View(80, 24)
	m.SetSelected("a")
	selected := m.View(80, 24)
	if count := strings.Count(ansi.Strip(selected), "▸"); count != 1 {
		t.Errorf("%d cursors, want 1:\n%s", count, ansi.Strip(selected))
	}
	status, _, _ := strings.Cut(plain, "◌")
	status = status[strings.LastIndex(status, "\x1b["):]
	foreground := strings.TrimSuffix(strings.TrimPrefix(status, "\x1b["), "m")
	if !strings.Contains(selected, foreground) {
		t.Errorf("the other marks have lost the colour %q of the status:\n%q", foreground, selected)
	}
}

func TestTheLabelOfASelectedClusterCountsTheOthers(t *testing.T) {
	m := geomap.New()
	m.SetFeatures([]geomap.Feature{
		{ID: "a", Label: "North", Geometry: orb.Point{10, 50}, Mark: '◌'},
		{ID: "b", Label: "South", Geometry: orb.Point{10.0001, 50}, Mark: '◎'},
		{ID: "c", Label: "Far", Geometry: orb.Point{20, 55}, Mark: '◎'},
	})
	m.SetSelected("b")
	if view := m.View(80, 24); !strings.Contains(view, "▸◎ South +1") {
		t.Errorf("the cluster does not count the other site:\n%s", view)
	}
	if view := m.View(29, 20); !strings.Contains(view, "▸◎+1") {
		t.Errorf("the cluster of a map without labels does not count the other site:\n%s", view)
	}
}

func TestLabelsDoNotTouchLinesIfThereIsRoom(t *testing.T) {
	m := geomap.New()
	m.SetFeatures(sites())
	view := m.View(140, 40)
	for _, line := range strings.Split(view, "\n") {
		_, after, hasLabel := strings.Cut(line, "Access road")
		if hasLabel && !strings.HasPrefix(after, " ") {
			t.Errorf("a line touches the label in %q", strings.TrimSpace(line))
		}
	}
}

func TestAMapInFocusHasCorners(t *testing.T) {
	m := geomap.New()
	m.SetFeatures(sites())
	before := m.View(80, 24)
	m.Focused = true
	lines := strings.Split(m.View(80, 24), "\n")
	first := lines[0]
	last := lines[len(lines)-1]
	hasCorners := strings.HasPrefix(first, "┌") && strings.HasSuffix(first, "┐") &&
		strings.HasPrefix(last, "└") && strings.HasSuffix(last, "┘")
	if !hasCorners || strings.Contains(before, "┌") {
		t.Errorf("the first and last lines of a map in focus are\n%s\n%s", first, last)
	}
}

func TestMarksPrecedeTheLabelsOfAreas(t *testing.T) {
	m := geomap.New()
	fs := sites()
	fs[0].Mark, fs[0].Role = '✗', theme.Bad
	fs[2].Mark = '◕'
	m.SetFeatures(fs)
	m.SetSelected("road")
	view := m.View(80, 24)
	for _, want := range []string{"✗ Levee km 3", "▸ ◕ Access road"} {
		if !strings.Contains(view, want) {
			t.Errorf("%q is not to be seen:\n%s", want, view)
		}
	}
}

func TestASCIIIsASCII(t *testing.T) {
	m := geomap.New()
	m.Glyphs = geomap.ASCII
	m.SetFeatures(sites())
	m.SetSelected("gate")
	for _, r := range m.View(100, 30) {
		if r > 0x7e {
			t.Fatalf("%q is not ASCII", r)
		}
	}
	if g := geomap.Braille.Next().Next().Next(); g != geomap.Braille {
		t.Errorf("three sets further is %q", g)
	}
}

func TestAFitKeepsMarksAboveTheScaleBar(t *testing.T) {
	for height := 5; height <= 16; height++ {
		m := geomap.New()
		m.SetFeatures([]geomap.Feature{
			{ID: "north", Geometry: orb.Point{9.0, 53.9}, Mark: '◎'},
			{ID: "south-west", Geometry: orb.Point{8.99, 53.5}, Mark: '◌'},
		})
		view := ansi.Strip(m.View(30, height))
		if !strings.Contains(view, "◎") || !strings.Contains(view, "◌") {
			t.Errorf("a mark is not drawn in %d lines:\n%s", height, view)
		}
	}
}

func TestNearbyMarksFormAClusterWithACount(t *testing.T) {
	m := geomap.New()
	var fs []geomap.Feature
	for i := range 12 {
		fs = append(fs, geomap.Feature{ID: string(rune('a' + i)), Geometry: orb.Point{10 + float64(i)*0.001, 50}, Mark: '◕'})
	}
	fs = append(fs, geomap.Feature{ID: "far", Geometry: orb.Point{20, 55}, Mark: '✗', Label: "Far"})
	m.SetFeatures(fs)
	view := m.View(80, 24)
	if !strings.Contains(view, "◕12") || !strings.Contains(view, "✗ Far") {
		t.Errorf("no cluster of 12 and one beside it:\n%s", view)
	}
}

// TestMapsStayInTheirRectangle draws maps of any size, view and data.
func TestMapsStayInTheirRectangle(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	labels := []string{
		"", "Site", "水門 dam", "e\u0301te\u0301", "\u0301\u0302", "a\x1b[31mred\x1b]8;;x\a", "\u202eright to left\u202c", "שלום עולם",
		"👩‍👩‍👧‍👦 family", "🇩🇪🇫🇷🇩", "tab\tnew\nline\r", "\u0600\u0d4e", "\xff\xfe", "ตำแหน่ง", "﷽﷽", strings.Repeat("long ", 30), "\u200bzero", "각각", "\U000e0001tag", "ａｂ",
	}
	number := func() float64 {
		switch r.IntN(12) {
		case 0:
			return math.NaN()
		case 1:
			return math.Inf(1 - 2*r.IntN(2))
		case 2:
			return (r.Float64() - 0.5) * 1e300
		case 3:
			return float64(r.IntN(9)-4) * 45
		default:
			return (r.Float64() - 0.5) * 360
		}
	}
	point := func() orb.Point { return orb.Point{number(), number() / 2} }
	points := func() []orb.Point {
		out := make([]orb.Point, r.IntN(8))
		near := r.IntN(2) == 0
		for i := range out {
			out[i] = point()
			if near && i > 0 {
				out[i] = orb.Point{out[0][0] + r.Float64()*0.02, out[0][1] + r.Float64()*0.02}
			}
		}
		return out
	}
	geometry := func() orb.Geometry {
		switch r.IntN(6) {
		case 0:
			return nil
		case 1:
			return point()
		case 2:
			return orb.MultiPoint(points())
		case 3:
			return orb.LineString(points())
		case 4:
			return orb.Polygon{points(), points()}
		default:
			return orb.Polygon{}
		}
	}
	marks := []rune{0, '◆', 'x'}
	for round := range 400 {
		m := geomap.New()
		if round%2 == 0 {
			m.SetTheme(colours())
		}
		w, h := r.IntN(70)-1, r.IntN(30)-1
		for range r.IntN(8) {
			fs := make([]geomap.Feature, r.IntN(12))
			for i := range fs {
				fs[i] = geomap.Feature{
					ID:       string(rune('a' + i)),
					Label:    labels[r.IntN(len(labels))],
					Geometry: geometry(),
					Mark:     marks[r.IntN(len(marks))],
					Role:     theme.Role(r.IntN(8)),
				}
			}
			m.SetFeatures(fs)
			m.SetSelected(string(rune('a' + r.IntN(14))))
			m.Glyphs = []geomap.Glyphs{geomap.Braille, geomap.Blocks, geomap.ASCII, "odd"}[r.IntN(4)]
			m.Graticule = r.IntN(3) == 0
			for range r.IntN(6) {
				switch r.IntN(7) {
				case 0:
					m.FitAll()
				case 1:
					m.FitSelected()
				case 2:
					m.Pan(r.Float64()*4-2, r.Float64()*4-2)
				case 3:
					m.Zoom(math.Exp(r.Float64()*16 - 8))
				case 4:
					m.ZoomAt(r.IntN(90)-10, r.IntN(40)-5, math.Exp(r.Float64()*8-4))
				case 5:
					m.Hover(r.IntN(90)-10, r.IntN(40)-5)
				case 6:
					w, h = r.IntN(130)-1, r.IntN(45)-1
				}
			}
			requireRectangle(t, m.View(w, h), w, h)
			if id, ok := m.FeatureAt(r.IntN(90)-10, r.IntN(40)-5); ok != (id != "") {
				t.Fatalf("%q, %v", id, ok)
			}
			if p, ok := m.CoordinateAt(r.IntN(90)-10, r.IntN(40)-5); ok && (!(math.Abs(p[0]) <= 180) || !(math.Abs(p[1]) <= 90)) {
				t.Fatalf("a coordinate of %v", p)
			}
		}
	}
}

// A feature that is set again stays in its place with its new role and mark, and the map
// looks like a new map with that feature.
func TestFeaturesSetAgainLookLikeNewOnes(t *testing.T) {
	features := func(role theme.Role, mark rune) []geomap.Feature {
		return []geomap.Feature{
			{ID: "a", Label: "Mast", Geometry: orb.Point{8, 47}, Role: role, Mark: mark},
			{ID: "b", Label: "Roof", Geometry: orb.Polygon{{{8.1, 47.1}, {8.2, 47.1}, {8.2, 47.2}, {8.1, 47.1}}}, Role: role},
		}
	}
	again, fresh := geomap.New(), geomap.New()
	again.SetFeatures(features(theme.Text, '◦'))
	again.View(60, 16)
	again.SetFeatures(features(theme.Muted, '×'))
	fresh.SetFeatures(features(theme.Muted, '×'))
	if got, want := again.View(60, 16), fresh.View(60, 16); got != want {
		t.Errorf("set again it is drawn as\n%s\nnot as\n%s", got, want)
	}
	moved := features(theme.Muted, '×')
	moved[0].Geometry = orb.Point{9, 46}
	again.SetFeatures(moved)
	fresh.SetFeatures(moved)
	if got, want := again.View(60, 16), fresh.View(60, 16); got != want {
		t.Errorf("moved it is drawn as\n%s\nnot as\n%s", got, want)
	}
}

// Everything below the selection is cached. The result is the same as a full drawing.
func TestMovedSelectionLooksLikeAFreshMap(t *testing.T) {
	for _, size := range []float64{0.005, 0.2, 1.5} {
		features := fields(60, 12, size)
		for i := range features {
			features[i].Role = []theme.Role{theme.Text, theme.Muted, theme.Bad}[i%3]
			if i%4 == 0 {
				features[i].Geometry, features[i].Mark = features[i].Geometry.(orb.Polygon)[0][0], '◦'
			}
			if i%5 == 0 {
				features[i].Geometry = orb.LineString(features[i].Geometry.Bound().ToRing())
			}
		}
		moved := geomap.New()
		moved.SetTheme(colours())
		moved.SetFeatures(features)
		for i := range features {
			if i == 30 {
				moved.Zoom(2)
				features[3].Role = theme.Good
				moved.SetFeatures(features)
			}
			moved.SetSelected(features[i].ID)
			anew := geomap.New()
			anew.SetTheme(colours())
			anew.SetFeatures(features)
			anew.SetSelected(features[i].ID)
			if i >= 30 {
				anew.View(100, 30)
				anew.Zoom(2)
			}
			if got, want := moved.View(100, 30), anew.View(100, 30); got != want {
				t.Fatalf("size %v, %d selected:\n%s\nwant\n%s", size, i, got, want)
			}
		}
	}
}

// Basel is at the border of three countries.
func TestBordersAreDashedOnCloseMaps(t *testing.T) {
	dotsAt := func(place orb.Point, factor float64) int {
		m := geomap.New()
		m.SetFeatures([]geomap.Feature{{ID: "a", Geometry: place}})
		m.View(100, 30)
		m.Zoom(factor)
		n := 0
		for _, r := range ansi.Strip(m.View(100, 30)) {
			if r > 0x2800 && r <= 0x28ff {
				n++
			}
		}
		return n
	}
	basel, inland := orb.Point{7.59, 47.57}, orb.Point{10.0, 50.6}
	for _, factor := range []float64{0.3, 1} {
		if dotsAt(basel, factor) == 0 {
			t.Errorf("no border near Basel at zoom %v", factor)
		}
	}
	if n := dotsAt(inland, 1); n > 0 {
		t.Errorf("%d cells of lines far from any border", n)
	}
}

func TestClusterReturnsAClusterOfTheLastView(t *testing.T) {
	m := geomap.New()
	m.SetFeatures([]geomap.Feature{
		{ID: "near", Geometry: orb.Point{9.0, 53.9}, Mark: '◎'},
		{ID: "nearer", Geometry: orb.Point{9.0001, 53.9}, Mark: '◎'},
		{ID: "far", Geometry: orb.Point{12, 50}, Mark: '◌'},
	})
	m.View(60, 20)
	if got := m.Cluster(); got != "◎2" {
		t.Errorf("the cluster is %q", got)
	}
	m.SetSelected("near")
	m.FitSelected()
	m.View(60, 20)
	if got := m.Cluster(); got != "" {
		t.Errorf("the cluster is %q after the view was moved to one of its features", got)
	}
}

func TestAClusterOfDifferentFeaturesHasItsOwnMark(t *testing.T) {
	m := geomap.New()
	near := func(id string, lon float64, mark rune) geomap.Feature {
		return geomap.Feature{ID: id, Geometry: orb.Point{lon, 50}, Mark: mark}
	}
	m.SetFeatures([]geomap.Feature{
		near("a", 10, '●'), near("b", 10.0001, '◎'), near("c", 30, '●'), near("d", 30.0001, '●'),
	})
	view := ansi.Strip(m.View(80, 24))
	if !strings.Contains(view, "■2") || !strings.Contains(view, "●2") {
		t.Errorf("the clusters are not told apart:\n%s", view)
	}
}

func TestALongLabelIsCutOnlyWhereItHasNoRoom(t *testing.T) {
	const label = "Turkana wind corridor, bare terrain"
	ridge := geomap.Feature{ID: "ridge", Label: label, Geometry: orb.Point{36.8, 2.5}}
	for _, c := range []struct {
		name  string
		width int
		want  string
	}{
		{"a wide map", 100, label},
		{"a map in which the label only fits below the mark", len(label), label},
		{"a map without room", len(label) - 1, "Turkana wind corridor,…"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := geomap.New()
			m.SetFeatures([]geomap.Feature{ridge})
			view := ansi.Strip(m.View(c.width, 20))
			if !strings.Contains(view, c.want) {
				t.Errorf("%q is not on the map:\n%s", c.want, view)
			}
		})
	}
}
