package kmlcsv

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/paulmach/orb"
)

const kmlNS = "http://www.opengis.net/kml/2.2"

func inKML(body string) string {
	return `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<kml xmlns="` + kmlNS + `"><Document>` + body + "</Document></kml>\n"
}

func mark1(geometry string) string { return named("a", geometry) }
func named(name, geometry string) string {
	return "<Placemark><name>" + name + "</name>" + geometry + "</Placemark>"
}
func point(c string) string { return "<Point><coordinates>" + c + "</coordinates></Point>" }
func line(c string) string  { return "<LineString><coordinates>" + c + "</coordinates></LineString>" }
func linearRing(c string) string {
	return "<LinearRing><coordinates>" + c + "</coordinates></LinearRing>"
}

func polygon(c string, holes ...string) string {
	s := "<Polygon><outerBoundaryIs>" + linearRing(c) + "</outerBoundaryIs>"
	for _, h := range holes {
		s += "<innerBoundaryIs>" + h + "</innerBoundaryIs>"
	}
	return s + "</Polygon>"
}

// summary returns the placemarks as text for test tables: a line for each placemark, with its name, kind and points.
func summary(ps []Placemark) string {
	var out []string
	for _, p := range ps {
		s := p.Name + "|" + string(p.Kind()) + "|"
		for i, q := range p.Points() {
			if i > 0 {
				s += " "
			}
			s += short(q[0]) + "," + short(q[1])
		}
		out = append(out, s)
	}
	return strings.Join(out, "\n")
}

func short(v float64) string { return strconv.FormatFloat(math.Round(v*1e9)/1e9, 'f', -1, 64) }

// codesOf returns the codes of the warnings. The code of a warning about skipped data has a minus, and that of a
// warning with a correction a question mark.
func codesOf(ws []Warning) string {
	var out []string
	for _, w := range ws {
		s := string(w.Code)
		if w.Skipped {
			s = "-" + s
		}
		if w.Fixed != nil {
			s += "?"
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

// readCase is a file and what is to come of it.
type readCase struct {
	name, data string
	want       string // summary
	warnings   string // codes
	err        string // code and a part of the message
}

func (c *readCase) run(t *testing.T, opts Options) {
	t.Helper()
	opts.NoPlaces = true
	res, err := Parse([]byte(c.data), opts)
	if c.err != "" {
		code, part, _ := strings.Cut(c.err, " ")
		var e *Error
		if !errors.As(err, &e) || string(e.Code) != code || !strings.Contains(e.Error(), part) {
			t.Errorf("%s: error %v, want %s", c.name, err, c.err)
		}
	} else if err != nil {
		t.Errorf("%s: %v", c.name, err)
	}
	if res == nil {
		if c.want != "" || c.warnings != "" {
			t.Errorf("%s: no result", c.name)
		}
		return
	}
	if got := summary(res.Placemarks); got != c.want {
		t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
	}
	if got := codesOf(res.Warnings); got != c.warnings {
		t.Errorf("%s: warnings %q, want %q", c.name, got, c.warnings)
	}
	checkResult(t, c.name, res)
}

// checkResult checks the invariants of results.
func checkResult(t *testing.T, name string, res *Result) {
	t.Helper()
	if err := res.CheckAccounts(); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	for i, p := range res.Placemarks {
		if p.Name == "" || len([]rune(p.Name)) > maxLabel || strings.ContainsFunc(p.Name, isHidden) || p.Line < 1 {
			t.Errorf("%s: placemark %d %q at line %d", name, i, p.Name, p.Line)
		}
		checkGeometry(t, name, &p)
	}
	for _, w := range res.Warnings {
		switch {
		case w.Index < -1 || w.Index >= len(res.Placemarks), w.Skipped && w.Index >= 0, w.Fixed != nil && !w.Skipped:
			t.Errorf("%s: warning about placemark %d of %d: %+v", name, w.Index, len(res.Placemarks), w)
		case w.Index >= 0 && w.Placemark != res.Placemarks[w.Index].Name:
			t.Errorf("%s: warning names %q, not %q", name, w.Placemark, res.Placemarks[w.Index].Name)
		case w.Message == "" || strings.ContainsFunc(w.String(), isHidden):
			t.Errorf("%s: message %q", name, w.Message)
		}
		if w.Fixed != nil {
			checkGeometry(t, name, w.Fixed)
		}
	}
}

func checkGeometry(t *testing.T, name string, p *Placemark) {
	t.Helper()
	check := func(points []orb.Point, least int, closed bool) {
		for _, q := range points {
			if !(math.Abs(q[0]) <= 180 && math.Abs(q[1]) <= 90) {
				t.Errorf("%s: %q has the point %v", name, p.Name, q)
				return
			}
		}
		if len(points) < least || closed && points[0] != points[len(points)-1] {
			t.Errorf("%s: %q is %v", name, p.Name, p.Geometry)
		}
	}
	switch g := p.Geometry.(type) {
	case orb.Point:
		check([]orb.Point{g}, 1, false)
	case orb.LineString:
		check(g, 2, false)
		if !(p.Length > 0) || p.Area != 0 {
			t.Errorf("%s: line %q is %v m", name, p.Name, p.Length)
		}
	case orb.Polygon:
		for _, ring := range g {
			check(ring, 4, true)
		}
		if !(p.Area >= 0) || p.Length != 0 {
			t.Errorf("%s: polygon %q has %v m²", name, p.Name, p.Area)
		}
	default:
		t.Errorf("%s: %q is a %T", name, p.Name, p.Geometry)
	}
}

const squareWant = "10,50 10.01,50 10.01,50.01 10,50.01"

func TestKMLCoordinates(t *testing.T) {
	long := "10." + strings.Repeat("1", 1000) + ",50." + strings.Repeat("2", 1000)
	for _, c := range []readCase{
		{"point", point("10,50,0"), "a|asset|10,50", "", ""},
		{"line of mixed dimensions", line("10,50 10.01,50,5 10.02,50.02"), "a|linear|10,50 10.01,50 10.02,50.02", "", ""},
		{"tabs and line breaks", polygon("\n\t\t10,50,0\t10.01,50,0\r\n\t10.01,50.01,0\n10,50.01,0 10,50,0\n"), "a|area|" + squareWant, "", ""},
		{"spaces after commas", polygon("10, 50, 0 10.01, 50, 0 10.01, 50.01, 0 10, 50, 0"), "a|area|10,50 10.01,50 10.01,50.01", "", ""},
		{"spaces before commas", line("10 ,50 ,0 11 ,51 ,0"), "a|linear|10,50 11,51", "", ""},
		{"exponents and signs", point("+1.0e1,5.0E+01,0"), "a|asset|10,50", "", ""},
		{"a thousand digits", point(long), "a|asset|10.111111111,50.222222222", "", ""},
		{"unknown altitude", line("10,50,NaN 11,51,-inf"), "a|linear|10,50 11,51", "", ""},
		{"no altitude after the comma", point("10,50,"), "a|asset|10,50", "", ""},
		{"commas only", line("10,50,0,10.01,50,0,10.02,50.02,0"), "a|linear|10,50 10.01,50 10.02,50.02", "tuples-joined", ""},
		{"a comma behind each triple", line("10,50,0, 11,51,0, 12,52,0"), "a|linear|10,50 11,51 12,52", "tuples-joined", ""},
		{"a comma behind each pair", line("10,50, 11,51, 12,52"), "", "-coordinates-unreadable", "no-usable-placemark 6 numbers"},
		{"commas, but not triples", line("10,50,10.01,50"), "", "-coordinates-unreadable", "no-usable-placemark 4 numbers"},
		{"decimal commas", point("10,5,50,25,0"), "", "-coordinates-unreadable", "no-usable-placemark decimal comma"},
		{"semicolons", line("10;50 10.01;50"), "", "-coordinates-unreadable", `no-usable-placemark coordinate 1 is not a number: "10;50"`},
		{"a word between", line("10,50 abc,def 10.1,50.1"), "", "-coordinates-unreadable", `no-usable-placemark coordinate 2 is not a number: "abc"`},
		{"a word for the altitude", point("10,50,high"), "", "-coordinates-unreadable", "no-usable-placemark altitude of coordinate 1"},
		{"a single number", point("10"), "", "-coordinates-unreadable", "no-usable-placemark has no latitude"},
		{"two commas", point("10,,50"), "", "-coordinates-unreadable", "no-usable-placemark has a missing number"},
		{"NaN", point("NaN,50"), "", "-coordinates-not-finite", "no-usable-placemark not a finite"},
		{"infinity", point("inf,50"), "", "-coordinates-not-finite", "no-usable-placemark not a finite"},
		{"overflow", point("1e400,50"), "", "-coordinates-not-finite", "no-usable-placemark not a finite"},
		{"edges of the world", line("-180,90 180,-90"), "a|linear|-180,90 180,-90", "", ""},
		{"longitude to wrap", point("200,50"), "a|asset|-160,50", "longitude-wrapped", ""},
		{"longitude beyond a turn", point("540,10"), "", "-coordinates-out-of-range", "no-usable-placemark longitude 540"},
		{"latitude out of range both ways", point("100,95"), "", "-coordinates-out-of-range", "no-usable-placemark latitude 95"},
		{"swapped", line("48.85,151.2 48.86,151.3"), "", "-coordinates-swapped?", "no-usable-placemark look swapped"},
		{"the Fiji side", polygon("179.9,-16.5 180.1,-16.5 180.1,-16.3 179.9,-16.3 179.9,-16.5"), "a|area|179.9,-16.5 -179.9,-16.5 -179.9,-16.3 179.9,-16.3", "longitude-wrapped", ""},
		{"repeated points", line("10,50 10,50 10,50 10.1,50.1"), "a|linear|10,50 10.1,50.1", "", ""},
		{"points in a point", point("10,50 11,51 12,52"), "a|asset|10,50", "extra-points", ""},
		{"a line of one point", line("10,50 10,50"), "a|asset|10,50", "single-point-line", ""},
		{"no coordinates element", "<Point/>", "", "-coordinates-missing", "no-usable-placemark no coordinates"},
		{"empty coordinates", "<Point><coordinates/></Point>", "", "-coordinates-missing", "no-usable-placemark no coordinates"},
		{"blank coordinates", point(" \n "), "", "-coordinates-missing", "no-usable-placemark no coordinates"},
		{"no geometry", "", "", "-coordinates-missing", "no-usable-placemark no coordinates"},
		{"CDATA", point("<![CDATA[10,50]]>"), "a|asset|10,50", "", ""},
		{"a comment between", line("10,50 <!-- 11,51 --> 12,52"), "a|linear|10,50 12,52", "", ""},
		{"character references", point("1&#48;,50"), "a|asset|10,50", "", ""},
	} {
		c.data = inKML(mark1(c.data))
		c.run(t, Options{})
	}
}

func TestKMLRings(t *testing.T) {
	const hole = "10.002,50.002 10.004,50.002 10.004,50.004 10.002,50.002"
	const hole2 = "10.006,50.006 10.008,50.006 10.008,50.008 10.006,50.006"
	for _, c := range []readCase{
		{"closed", polygon(square), "a|area|" + squareWant, "", ""},
		{"left open", polygon("10,50 10.01,50 10.01,50.01 10,50.01"), "a|area|" + squareWant, "", ""},
		{"two points", polygon("10,50 10.01,50"), "", "-ring-too-short", "no-usable-placemark three distinct points"},
		{"two points, there and back", polygon("10,50 10.01,50 10,50"), "", "-ring-too-short", "no-usable-placemark three distinct points"},
		{"two points, twice", polygon("10,50 10.01,50 10,50 10.01,50 10,50"), "", "-ring-too-short", "no-usable-placemark three distinct points"},
		{"a line for a boundary", polygon("10,50 10.01,50 10.02,50 10,50"), "a|area|10,50 10.01,50 10.02,50", "boundary-without-area", ""},
		{"crossing itself", polygon("10,50 10.01,50.01 10.02,50 10.02,50.02 10,50.01 10,50"), "a|area|10,50 10.01,50.01 10.02,50 10.02,50.02 10,50.01", "", ""},
		{"bow tie", polygon("10,50 10.01,50.02 10.01,50 10,50.01 10,50"), "a|area|10,50 10.01,50.02 10.01,50 10,50.01", "boundary-crosses", ""},
		{"a hole", polygon(square, linearRing(hole)), "a|area|" + squareWant, "holes-ignored", ""},
		{"two holes in one element", polygon(square, linearRing(hole)+linearRing(hole2)), "a|area|" + squareWant, "holes-ignored", ""},
		{"two outer boundaries", "<Polygon><outerBoundaryIs>" + linearRing(square) + linearRing("11,50 11.01,50 11.01,50.01") + "</outerBoundaryIs></Polygon>", "a (1)|area|" + squareWant + "\na (2)|area|11,50 11.01,50 11.01,50.01", "several-geometries", ""},
		{"a boundary in two lists", "<Polygon><outerBoundaryIs><LinearRing><coordinates>10,50 10.01,50</coordinates><coordinates>10.01,50.01 10,50.01</coordinates></LinearRing></outerBoundaryIs></Polygon>", "a|area|" + squareWant, "", ""},
		{"a hole that cannot be read", polygon(square, linearRing("10,x 10,50")), "a|area|" + squareWant, "hole-unreadable", ""},
		{"a boundary that cannot be read", polygon("10,50 x", linearRing("10,x")), "", "hole-unreadable -coordinates-unreadable", "no-usable-placemark"},
		{"a hole without a boundary", "<Polygon><innerBoundaryIs>" + linearRing(hole) + "</innerBoundaryIs></Polygon>", "", "-no-boundary", "no-usable-placemark outer boundary"},
		{"without the boundary element", "<Polygon>" + linearRing(square) + "</Polygon>", "a|area|" + squareWant, "", ""},
		{"a closed ring alone", linearRing(square), "a|area|" + squareWant, "", ""},
		{"an open ring alone", linearRing("10,50 10.01,50 10.01,50.01"), "a|linear|10,50 10.01,50 10.01,50.01", "", ""},
		{"across the antimeridian", polygon("179.9,-16.5 -179.9,-16.5 -179.9,-16.3 179.9,-16.3 179.9,-16.5"), "a|area|179.9,-16.5 -179.9,-16.5 -179.9,-16.3 179.9,-16.3", "", ""},
		{"round the pole", polygon("0,89 90,89 180,89 -90,89 0,89"), "a|area|0,89 90,89 180,89 -90,89", "round-a-pole", ""},
	} {
		c.data = inKML(mark1(c.data))
		c.run(t, Options{})
	}
}

func TestKMLGeometries(t *testing.T) {
	const gx = `<Placemark xmlns:gx="http://www.google.com/kml/ext/2.2"><name>t</name>`
	track := func(coords string) string { return "<gx:Track><when>2020-01-01</when>" + coords + "</gx:Track>" }
	for _, c := range []readCase{
		{"several kinds", mark1("<MultiGeometry>" + point("10,50") + line("10,50 10.1,50.1") + polygon(square) + "</MultiGeometry>"), "a (1)|asset|10,50\na (2)|linear|10,50 10.1,50.1\na (3)|area|" + squareWant, "", ""},
		{"one part", mark1("<MultiGeometry>" + point("10,50") + "</MultiGeometry>"), "a|asset|10,50", "", ""},
		{"no part", mark1("<MultiGeometry/>"), "", "-coordinates-missing", "no-usable-placemark"},
		{"one part of two", mark1("<MultiGeometry>" + point("x") + point("10,50") + "</MultiGeometry>"), "a|asset|10,50", "-coordinates-unreadable", ""},
		{"a bad hole in the part that is left out", mark1("<MultiGeometry>" + polygon("1,1", linearRing("x")) + point("10,50") + "</MultiGeometry>"), "a|asset|10,50", "hole-unreadable -ring-too-short", ""},
		{"nested", mark1("<MultiGeometry><MultiGeometry>" + point("10,50") + "</MultiGeometry>" + point("11,50") + "</MultiGeometry>"), "a (1)|asset|10,50\na (2)|asset|11,50", "", ""},
		{"two without a MultiGeometry", mark1(point("10,50") + polygon(square)), "a (1)|asset|10,50\na (2)|area|" + squareWant, "several-geometries", ""},
		{"names of other standards", mark1("<MultiPoint>" + point("10,50") + point("11,50") + "</MultiPoint>"), "a (1)|asset|10,50\na (2)|asset|11,50", "unusual-element", ""},
		{"track", gx + track("<gx:coord>10 50 0</gx:coord><gx:coord>10.1 50.1 0</gx:coord>") + "</Placemark>", "t|linear|10,50 10.1,50.1", "", ""},
		{"track without times", gx + "<gx:Track><gx:coord>10 50 0</gx:coord><gx:coord>10.1 50.1</gx:coord></gx:Track></Placemark>", "t|linear|10,50 10.1,50.1", "", ""},
		{"track with a gap", gx + track("<gx:coord>10 50 0</gx:coord><gx:coord/><gx:coord>10.1 50.1 0</gx:coord>") + "</Placemark>", "t|linear|10,50 10.1,50.1", "positions-missing", ""},
		{"track that cannot be read", gx + track("<gx:coord>10 50 0</gx:coord><gx:coord>10.1 N50 0</gx:coord>") + "</Placemark>", "", "-coordinates-unreadable", "no-usable-placemark coordinate 2"},
		{"track of numbers with commas", gx + track("<gx:coord>10,5 50</gx:coord>") + "</Placemark>", "", "-coordinates-unreadable", "no-usable-placemark"},
		{"empty track", gx + track("") + "</Placemark>", "", "-coordinates-missing", "no-usable-placemark"},
		{"several tracks", gx + "<gx:MultiTrack>" + track("<gx:coord>10 50 0</gx:coord><gx:coord>11 50 0</gx:coord>") + track("<gx:coord>11 51 0</gx:coord>") + "</gx:MultiTrack></Placemark>", "t (1)|linear|10,50 11,50\nt (2)|asset|11,51", "single-point-line", ""},
		{"model", mark1("<Model><Location><longitude>10</longitude><latitude>50</latitude></Location></Model>"), "", "-model-skipped", "no-usable-placemark 3D model"},
		{"views and regions", mark1("<LookAt><longitude>1</longitude><latitude>2</latitude></LookAt><Region><LatLonAltBox><north>51</north></LatLonAltBox></Region>" + point("10,50")), "a|asset|10,50", "", ""},
	} {
		c.data = inKML(c.data)
		c.run(t, Options{})
	}
}

func TestKMLStructure(t *testing.T) {
	const link = "<NetworkLink><name>remote</name><Link><href>http://192.0.2.1/x.kml</href></Link></NetworkLink>"
	root := func(ns, body string) string { return "<kml " + ns + ">" + body + "</kml>" }
	for _, c := range []readCase{
		{"network link beside a placemark", inKML(link + mark1(point("10,50"))), "a|asset|10,50", "network-link-ignored", ""},
		{"network link alone", root("", link), "", "network-link-ignored", "only-links save the places as KML"},
		{"ground overlay", inKML("<GroundOverlay><name>g</name><LatLonBox><north>51</north></LatLonBox></GroundOverlay>"), "", "overlay-skipped", "no-placemarks"},
		{"placemarks under the root", root("", named("a", point("10,50"))+named("b", point("11,51"))), "a|asset|10,50\nb|asset|11,51", "", ""},
		{"placemark for a root", `<Placemark xmlns="` + kmlNS + `"><name>a</name>` + point("10,50") + "</Placemark>", "a|asset|10,50", "unusual-root", ""},
		{"document for a root", "<Document>" + mark1(point("10,50")) + "</Document>", "a|asset|10,50", "unusual-root", ""},
		{"polygon for a root", `<Polygon xmlns="` + kmlNS + `"><outerBoundaryIs>` + linearRing(square) + "</outerBoundaryIs></Polygon>", "", "", "no-placemarks 1:"},
		{"overlay for a root", "<GroundOverlay><name>g</name></GroundOverlay>", "", "overlay-skipped", "no-placemarks"},
		{"update for a root", "<Update><Change>" + mark1(point("10,50")) + "</Change></Update>", "", "update-skipped", "no-placemarks updates placemarks of another"},
		{"update", root("", "<NetworkLinkControl><Update><Create><Folder>"+mark1(point("10,50"))+"</Folder></Create></Update></NetworkLinkControl>"), "", "update-skipped", "no-placemarks updates placemarks of another"},
		{"placemark of another vocabulary", root(`xmlns="`+kmlNS+`" xmlns:z="urn:z"`, "<z:Placemark><name>z</name>"+point("1,2")+"</z:Placemark>"+mark1(point("10,50"))), "a|asset|10,50", "", ""},
		{"default namespace of another vocabulary", root("", `<Placemark xmlns="urn:z">`+point("1,2")+"</Placemark>"+mark1(point("10,50"))), "a|asset|10,50", "", ""},
		{"earth.google.com", root(`xmlns="http://earth.google.com/kml/2.0"`, mark1(point("10,50"))), "a|asset|10,50", "", ""},
		{"https and a slash", root(`xmlns="https://www.opengis.net/kml/2.2/"`, mark1(point("10,50"))), "a|asset|10,50", "", ""},
		{"version 2.3", root(`xmlns="http://www.opengis.net/kml/2.3"`, mark1(point("10,50"))), "a|asset|10,50", "", ""},
		{"wrong namespace", root(`xmlns="http://example.com/kml"`, mark1(point("10,50"))), "a|asset|10,50", "unknown-namespace", ""},
		{"no namespace", root("", mark1(point("10,50"))), "a|asset|10,50", "", ""},
		{"prefixed", strings.NewReplacer("</", "</k:", "<", "<k:").Replace(strings.Replace(root("", mark1(point("10,50"))), "<kml ", `<kml xmlns:k="`+kmlNS+`" `, 1)), "a|asset|10,50", "", ""},
		{"prefixed with a wrong namespace", `<x:kml xmlns:x="urn:x"><x:Placemark><x:name>a</x:name><x:Point><x:coordinates>10,50</x:coordinates></x:Point></x:Placemark></x:kml>`, "a|asset|10,50", "unknown-namespace", ""},
		{"gx without a declaration", inKML(mark1("<gx:altitudeMode>clampToSeaFloor</gx:altitudeMode>" + point("10,50"))), "a|asset|10,50", "", ""},
		{"another prefix without one", inKML(mark1("<my:note>x</my:note>" + point("10,50"))), "a|asset|10,50", "undeclared-prefix", ""},
		{"wrong case", root("", "<placemark><name>a</name><point><Coordinates>10,50</Coordinates></point></placemark>"), "", "", "no-placemarks case-sensitive"},
		{"attributes", root("", `<Placemark id="a>b" targetId='<"x">'><name >a</name >`+point("10,50")+"</Placemark>"), "a|asset|10,50", "", ""},
		{"instructions and comments", root("", "<?php x ?><!-- <Placemark> -->"+mark1(point("10,50"))) + "<!-- end --><?x?>", "a|asset|10,50", "", ""},
		{"no document at all", root("", ""), "", "", "no-placemarks no placemark in the file"},
		{"closed root", "<kml/>", "", "", "no-placemarks no placemark in the file"},
	} {
		c.run(t, Options{})
	}
}

func TestKMLRefuses(t *testing.T) {
	good := inKML(mark1(polygon(square)))
	attributes, namespaces := strings.Repeat(` attribute="x"`, 90_000), ""
	for i := range 300 {
		namespaces += fmt.Sprintf(" xmlns:n%d=\"u\"", i)
	}
	for _, c := range []readCase{
		{"entities that grow", `<!DOCTYPE kml [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>` + good, "", "", "dtd-not-allowed 1:1:"},
		{"an entity from a file", "<?xml version='1.0'?>\n" + `<!DOCTYPE kml [<!ENTITY x SYSTEM "file:///etc/hostname">]><kml/>`, "", "", "dtd-not-allowed 2:1:"},
		{"HTML", "<!DOCTYPE html><html><body><p>Log in</body></html>", "", "", "wrong-type HTML"},
		{"HTML behind a comment", "<!-- x --><!DOCTYPE html><html></html>", "", "", "wrong-type HTML"},
		{"GPX", "<?xml version='1.0'?><gpx><wpt/></gpx>", "", "", "wrong-type GPX"},
		{"another vocabulary", "<svgmap/>", "", "", "wrong-type its root element is <svgmap>"},
		{"folders without end", "<kml>" + strings.Repeat("<Folder>", 100_000), "", "", "too-deep 256"},
		{"geometries without end", "<kml><Placemark>" + strings.Repeat("<MultiGeometry>", 20_000), "", "", "too-deep 256"},
		{"a tag over a megabyte", "<kml><Placemark" + attributes + "/></kml>", "", "", "too-complex 1048576"},
		{"hundreds of namespaces", "<kml><Placemark" + namespaces + "/></kml>", "", "", "too-complex namespaces"},
		{"cut off in a tag", good[:len(good)-40], "", "", "truncated it is incomplete"},
		{"cut off in a name", "<kml><Placemark><name>a", "", "", "truncated inside <name>"},
		{"cut off in an attribute", `<kml><Placemark id="a`, "", "", "truncated"},
		{"cut off in a comment", "<kml><!-- a", "", "", "truncated"},
		{"cut off in CDATA", "<kml><Placemark><name><![CDATA[a</name>", "", "", "truncated"},
		{"cut off before the root", "<?xml version='1.0'?>\n", "", "", "truncated"},
		{"cut off in an end tag", "<kml></km", "", "", "truncated"},
		{"something behind the root", good + "<x/>trailing", "", "", "bad-xml 3:1: there is content after the end"},
		{"tags that do not match", "<kml>\n<Document></Folder></kml>", "", "", "bad-xml 2:11: </Folder> found where </Document> was expected"},
		{"a bare <", "<kml><Placemark><name>a < b</name></Placemark></kml>", "", "", "bad-xml does not start a tag"},
		{"no quotes", "<kml><Placemark id=a/></kml>", "", "", "bad-xml is not quoted"},
		{"no value", "<kml><Placemark id/></kml>", "", "", "bad-xml name="},
		{"a declaration inside", "<kml><!ELEMENT x></kml>", "", "", "bad-xml '<!'"},
	} {
		c.run(t, Options{Format: FormatKML})
	}
	(&readCase{"document type without declarations", `<!DOCTYPE kml SYSTEM "http://192.0.2.1/x.dtd">` + inKML(mark1(point("10,50"))), "a|asset|10,50", "", ""}).run(t, Options{})
}

func TestKMLNames(t *testing.T) {
	long := strings.Repeat("é", 300)
	for _, c := range []readCase{
		{"CDATA with HTML", named("<![CDATA[<b>Site</b> &amp; <script>alert(1)</script>]]>", point("10,50")), "Site & alert(1)|asset|10,50", "", ""},
		{"escaped brackets", named("\n   Site &lt;A&gt; &#x26; B&#10;line2  ", point("10,50")), "Site <A> & B line2|asset|10,50", "", ""},
		{"bare ampersand", named("Smith & Sons", point("10,50")) + named("A & B", point("11,50")), "Smith & Sons|asset|10,50\nA & B|asset|11,50", "bare-ampersand", ""},
		{"bare ampersand before a semicolon", named("A &B; C", point("10,50")), "A &B; C|asset|10,50", "bare-ampersand", ""},
		{"HTML entities", named("a&nbsp;b&uuml;", point("10,50")), "a bü|asset|10,50", "html-entity", ""},
		{"a control character", named("a&#1;b&#27;[31m", point("10,50")), "ab[31m|asset|10,50", "characters-dropped", ""},
		{"a surrogate", named("a&#xD800;b", point("10,50")), "a\ufffdb|asset|10,50", "", ""},
		{"direction marks", named("abc\u202etxt.exe\u200b", point("10,50")), "abctxt.exe|asset|10,50", "characters-dropped", ""},
		{"too long", named(long, point("10,50")), strings.Repeat("é", 199) + "…|asset|10,50", "name-cut", ""},
		{"too long, in parts", named(strings.Repeat("é", 200), point("10,50")+point("11,50")), strings.Repeat("é", 196) + " (1)|asset|10,50\n" + strings.Repeat("é", 196) + " (2)|asset|11,50", "several-geometries", ""},
		{"the same twice", named("x", point("10,50")) + named("x", point("11,50")), "x|asset|10,50\nx|asset|11,50", "", ""},
		{"none", named("", point("10,50")) + "<Placemark>" + point("11,50") + "</Placemark>" + named(" \n\t ", point("12,50")), "Placemark 1|asset|10,50\nPlacemark 2|asset|11,50\nPlacemark 3|asset|12,50", "", ""},
		{"none, beside named ones", named("x", point("10,50")) + named("", point("11,50")), "x|asset|10,50\nPlacemark 2|asset|11,50", "", ""},
		{"that of the folder", "<Folder><name>North field</name>" + named("", polygon(square)) + "</Folder>", "North field|area|" + squareWant, "", ""},
		{"that of the folder behind it", "<Folder>" + named("", point("10,50")) + "<name>North field</name></Folder>", "North field|asset|10,50", "", ""},
		{"that of the folder, twice", "<Folder><name>North</name>" + named("", point("10,50")) + named("x", point("11,50")) + named("", point("12,50")) + "</Folder>", "North (1)|asset|10,50\nx|asset|11,50\nNorth (2)|asset|12,50", "", ""},
		{"that of the nearest named folder", "<Folder><name>Far</name><Folder><name>Near</name><Folder>" + named("", point("10,50")) + "</Folder></Folder></Folder>", "Near|asset|10,50", "", ""},
		{"that of the folder, in parts", "<Folder><name>North</name>" + named("", point("10,50")+point("11,50")) + "</Folder>", "North (1)|asset|10,50\nNorth (2)|asset|11,50", "several-geometries", ""},
		{"not those of other elements", "<Placemark><ExtendedData><Data name=\"x\"><displayName>no</displayName><value>v</value></Data></ExtendedData><description>d</description>" + point("10,50") + "</Placemark>", "Placemark 1|asset|10,50", "", ""},
		{"after the geometry", "<Placemark>" + point("10,50") + "<name>a&#1;</name></Placemark>" + named("b", point("11,50")), "a|asset|10,50\nb|asset|11,50", "characters-dropped", ""},
		{"with tags in it", named("a<b>c</b>d", point("10,50")), "acd|asset|10,50", "", ""},
	} {
		c.data = inKML(c.data)
		c.run(t, Options{})
	}
}

func TestKMLNameOfSkipped(t *testing.T) {
	data := inKML("<Folder><name>North</name>" + named("", point("x")) + named("b", point("48.85,151.2")) + "</Folder>" + named("c", point("10,50")))
	res, err := Parse([]byte(data), Options{NoPlaces: true})
	if err != nil || len(res.Warnings) != 2 {
		t.Fatalf("%+v, %v", res, err)
	}
	if w := res.Warnings[0]; w.Placemark != "North" || w.Line != 2 {
		t.Errorf("%+v", w)
	}
	w := res.Warnings[1]
	if w.Placemark != "b" || w.Fixed == nil || w.Fixed.Name != "b" || w.Fixed.Geometry != orb.Geometry(orb.Point{151.2, 48.85}) {
		t.Errorf("%+v", w)
	}
	res, err = Parse([]byte(data), Options{NoPlaces: true, SwapLatLng: true})
	if err != nil || summary(res.Placemarks) != "b|asset|151.2,48.85\nc|asset|50,10" {
		t.Errorf("swapped: %v, %v", summary(res.Placemarks), err)
	}
}

func TestKMLCountryAndCity(t *testing.T) {
	data := inKML(`<Placemark><name>a</name><ExtendedData><Data name="Country"><value>Germany</value></Data><Data name="other"><value>x</value></Data></ExtendedData>` + point("10,50") + "</Placemark>" +
		`<Placemark><name>b</name><ExtendedData><SchemaData schemaUrl="#s"><SimpleData name='city'>Abu&#160;Dhabi</SimpleData><SimpleData name="country_name">United Arab Emirates</SimpleData></SchemaData></ExtendedData>` + point("10,50") + point("11,50") + "</Placemark>")
	res, err := Parse([]byte(data), Options{NoPlaces: true})
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, p := range res.Placemarks {
		got += p.Name + ":" + p.Country + ":" + p.City + " "
	}
	if want := "a:Germany: b (1):United Arab Emirates:Abu Dhabi b (2):United Arab Emirates:Abu Dhabi "; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestKMLWaylines(t *testing.T) {
	const head = `<kml xmlns="` + kmlNS + `" xmlns:wpml="http://www.dji.com/wpmz/1.0.2"><Document><Folder><wpml:templateId>0</wpml:templateId>`
	stop := func(c string) string {
		return "<Placemark>" + point(c) + "<wpml:index>0</wpml:index></Placemark>"
	}
	const tail = "</Folder></Document></kml>"
	for _, c := range []readCase{
		{"joined", head + stop("10,50") + stop("10.01,50") + stop("10.01,50.01") + tail, "Placemark 3|linear|10,50 10.01,50 10.01,50.01", "waypoints-joined", ""},
		{"named ones are sites", head + named("a", point("10,50")) + stop("10.01,50") + tail, "a|asset|10,50\nPlacemark 2|asset|10.01,50", "", ""},
		{"one is a site", head + stop("10,50") + tail, "Placemark 1|asset|10,50", "", ""},
		{"an area is none", head + stop("10,50") + "<Placemark>" + polygon(square) + "</Placemark>" + tail, "Placemark 1|asset|10,50\nPlacemark 2|area|" + squareWant, "", ""},
		{"one that cannot be read", head + stop("10,50") + stop("x") + stop("11,50") + tail, "Placemark 1|asset|10,50\nPlacemark 3|asset|11,50", "-coordinates-unreadable", ""},
	} {
		c.run(t, Options{})
	}
}
