package kmlcsv

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/paulmach/orb"
)

// document writes valid KML of random structure: prefixes, comments, CDATA,
// references, attributes, white space, elements of other vocabularies.
type document struct {
	*rand.Rand
	strings.Builder
	prefix string
	depth  int
}

func randomDocument(seed uint64) string {
	d := &document{Rand: rand.New(rand.NewPCG(seed, 7))}
	if d.IntN(4) == 0 {
		d.prefix = "k:"
	}
	ns := "xmlns"
	if d.prefix != "" {
		ns = "xmlns:k"
	}
	d.WriteString([]string{"", "<?xml version=\"1.0\"?>\n", "<?xml version='1.0' encoding='UTF-8'?><!-- x -->"}[d.IntN(3)])
	fmt.Fprintf(d, "<%skml %s='%s' xmlns:gx=\"http://www.google.com/kml/ext/2.2\" xmlns:o='urn:o'>", d.prefix, ns, kmlNS)
	d.features()
	fmt.Fprintf(d, "</%skml>\n", d.prefix)
	return d.String()
}

func (d *document) open(name string) {
	d.gap()
	d.WriteString("<" + name)
	for range d.IntN(3) {
		fmt.Fprintf(d, "%sa%d %s=%s%q", d.white(), d.IntN(1000), d.pick("", " "), d.pick("", "\n"), d.pick("x", "a>b", "it's", "&lt;"))
	}
	d.WriteString(d.pick("", "", " ", "\n") + ">")
}

func (d *document) shut(name string) { d.WriteString("</" + name + d.pick("", "", "", " ") + ">") }

func (d *document) element(name string, inside func()) {
	d.open(name)
	inside()
	d.gap()
	d.shut(name)
}

// leaf writes an element that has only text.
func (d *document) leaf(name string, inside func()) {
	d.open(name)
	inside()
	d.shut(name)
}

func (d *document) pick(of ...string) string { return of[d.IntN(len(of))] }
func (d *document) white() string            { return d.pick(" ", "\n", "\t ", "  ") }

// gap writes white space, a comment or other content that is allowed between elements.
func (d *document) gap() {
	switch d.IntN(12) {
	case 0:
		d.WriteString("<!-- <Placemark> & \"-->")
	case 1:
		d.WriteString("<?pi <a> ?>")
	case 2:
		d.WriteString("<o:Placemark><o:Point><o:coordinates>1,2</o:coordinates></o:Point></o:Placemark>")
	case 3:
		fmt.Fprintf(d, "<%sdescription><![CDATA[<Placemark>]]]]><![CDATA[>]]> &amp; x</%sdescription>", d.prefix, d.prefix)
	case 4:
		fmt.Fprintf(d, "<%sopen/>", d.prefix)
	default:
		d.WriteString(d.pick("", "\n", "  "))
	}
}

// text writes a text in several pieces, which a reader has to join.
func (d *document) text(s string) {
	for _, r := range s {
		switch d.IntN(20) {
		case 0:
			d.WriteString("<!-- - -->")
		case 1:
			d.WriteString("<![CDATA[]]>")
		}
		switch {
		case d.IntN(12) == 0:
			fmt.Fprintf(d, d.pick("&#%d;", "&#x%x;", "&#x%X;"), r)
		case r == '&':
			d.WriteString("&amp;")
		case r == '<':
			d.WriteString("&lt;")
		case r == '>' && d.IntN(2) == 0:
			d.WriteString("&gt;")
		default:
			d.WriteRune(r)
		}
	}
}

func (d *document) features() {
	for range d.IntN(4) {
		switch {
		case d.IntN(3) == 0 && d.depth < 5:
			d.depth++
			d.element(d.prefix+d.pick("Folder", "Document"), d.features)
			d.depth--
		default:
			d.element(d.prefix+"Placemark", d.placemark)
		}
	}
}

func (d *document) placemark() {
	d.leaf(d.prefix+"name", func() {
		d.text(d.pick("Site A", "Köln & Söhne", " a  b ", "東京 <1>", "x") + strconv.Itoa(d.IntN(100)))
	})
	switch d.IntN(5) {
	case 0:
		d.element(d.prefix+"MultiGeometry", func() {
			for range 1 + d.IntN(3) {
				d.geometry()
			}
		})
	default:
		d.geometry()
	}
}

func (d *document) geometry() {
	list := func(n int) func() {
		return func() {
			d.leaf(d.prefix+"coordinates", func() {
				d.WriteString(d.pick("", "\n "))
				for i := range n {
					if i > 0 {
						d.WriteString(d.white())
					}
					fmt.Fprintf(d, "%s,%s%s", d.number(180), d.number(90), d.pick("", ",0", ",-12.5"))
				}
			})
		}
	}
	ring := func() { d.element(d.prefix+"LinearRing", list(3+d.IntN(5))) }
	switch d.IntN(4) {
	case 0:
		d.element(d.prefix+"Point", list(1))
	case 1:
		d.element(d.prefix+"LineString", list(2+d.IntN(6)))
	case 2:
		d.element(d.prefix+"Polygon", func() {
			d.element(d.prefix+"outerBoundaryIs", ring)
			for range d.IntN(3) {
				d.element(d.prefix+"innerBoundaryIs", ring)
			}
		})
	default:
		d.element("gx:Track", func() {
			for range 2 + d.IntN(4) {
				d.leaf("gx:coord", func() { fmt.Fprintf(d, "%s %s 5", d.number(180), d.number(90)) })
			}
		})
	}
}

func (d *document) number(limit float64) string {
	return strconv.FormatFloat((2*d.Float64()-1)*0.99*limit, d.pick("f", "g", "e")[0], 5+d.IntN(13), 64)
}

// node is an element as encoding/xml reads it.
type node struct {
	name     string // "" for what is of another vocabulary
	text     string
	children []*node
}

func readNodes(t *testing.T, data string) *node {
	t.Helper()
	dec := xml.NewDecoder(strings.NewReader(data))
	stack := []*node{{}}
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return stack[0]
		}
		if err != nil {
			t.Fatalf("the generated document is not valid: %v\n%s", err, data)
		}
		top := stack[len(stack)-1]
		switch tok := token.(type) {
		case xml.StartElement:
			n := &node{}
			if tok.Name.Space != "urn:o" {
				n.name = tok.Name.Local
			}
			top.children = append(top.children, n)
			stack = append(stack, n)
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		case xml.CharData:
			top.text += string(tok)
		}
	}
}

func (n *node) all(names string, yield func(*node)) {
	for _, c := range n.children {
		if c.name != "" && strings.Contains(" "+names+" ", " "+c.name+" ") {
			yield(c)
		}
	}
}

// reading lists the placemarks below a node in the form of summaryOf.
func (n *node) reading(out *[]string) {
	n.all("kml Document Folder Placemark", func(c *node) {
		if c.name != "Placemark" {
			c.reading(out)
			return
		}
		name := "?"
		c.all("name", func(n *node) { name = strings.Join(strings.Fields(n.text), " ") })
		var parts []string
		c.geometries(&parts)
		for i, p := range parts {
			if len(parts) > 1 {
				*out = append(*out, fmt.Sprintf("%s (%d) %s", name, i+1, p))
			} else {
				*out = append(*out, name+" "+p)
			}
		}
	})
}

func (n *node) geometries(out *[]string) {
	n.all("Point LineString Polygon Track MultiGeometry", func(c *node) {
		switch c.name {
		case "MultiGeometry":
			c.geometries(out)
		case "Polygon":
			var rings []string
			c.all("outerBoundaryIs innerBoundaryIs", func(b *node) {
				b.all("LinearRing", func(r *node) {
					points := r.list()
					if points[0] != points[len(points)-1] {
						points = append(points, points[0])
					}
					rings = append(rings, fmt.Sprint(points))
				})
			})
			*out = append(*out, "area "+fmt.Sprint(rings))
		case "Track":
			var points []orb.Point
			c.all("coord", func(n *node) { points = append(points, pointOf(strings.Fields(n.text))) })
			*out = append(*out, "linear "+fmt.Sprint(points))
		case "LineString":
			*out = append(*out, "linear "+fmt.Sprint(c.list()))
		default:
			*out = append(*out, "asset "+fmt.Sprint(c.list()))
		}
	})
}

func (n *node) list() []orb.Point {
	var points []orb.Point
	n.all("coordinates", func(c *node) {
		for _, tuple := range strings.Fields(c.text) {
			points = append(points, pointOf(strings.Split(tuple, ",")))
		}
	})
	return points
}

func pointOf(numbers []string) (p orb.Point) {
	p[0], _ = strconv.ParseFloat(numbers[0], 64)
	p[1], _ = strconv.ParseFloat(numbers[1], 64)
	return p
}

// TestAgainstEncodingXML reads generated documents, and compares every name and every coordinate with those that
// encoding/xml and strconv read.
func TestAgainstEncodingXML(t *testing.T) {
	const seeds, shards = 10_000, 4
	var placemarks atomic.Int64
	t.Run("shards", func(t *testing.T) {
		for shard := range uint64(shards) {
			t.Run(fmt.Sprint(shard), func(t *testing.T) {
				t.Parallel()
				for seed := shard; seed < seeds; seed += shards {
					placemarks.Add(int64(compareWithXML(t, seed)))
				}
			})
		}
	})
	if placemarks.Load() < 20_000 {
		t.Errorf("only %d placemarks in all", placemarks.Load())
	}
}

// compareWithXML reads a random document in both ways and returns how many placemarks it has.
func compareWithXML(t *testing.T, seed uint64) int {
	data := randomDocument(seed)
	var want, got []string
	readNodes(t, data).reading(&want)
	res, err := Parse([]byte(data), Options{NoPlaces: true})
	if err != nil && (res == nil || len(want) > 0) {
		t.Fatalf("%v\n%s", err, data)
	}
	for _, p := range res.Placemarks {
		s := p.Name + " " + string(p.Kind()) + " "
		switch g := p.Geometry.(type) {
		case orb.Point:
			s += fmt.Sprint([]orb.Point{g})
		case orb.LineString:
			s += fmt.Sprint([]orb.Point(g))
		case orb.Polygon:
			var rings []string
			for _, r := range g {
				rings = append(rings, fmt.Sprint([]orb.Point(r)))
			}
			s += fmt.Sprint(rings)
		}
		got = append(got, s)
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Fatalf("seed %d\n got %s\nwant %s\n%s", seed, g, w, data)
	}
	return len(got)
}

// FuzzKML looks for documents that cause a panic, incomplete placemarks, or placemarks that change if they are
// written and read again.
func FuzzKML(f *testing.F) {
	for seed := range uint64(20) {
		f.Add([]byte(randomDocument(seed)))
	}
	f.Add([]byte(inKML(mark1(polygon(square, linearRing("10,x 10,50"))))))
	f.Add([]byte(inKML("<Folder><name>n</name>" + named("", line("48.85,151.2 200,3")) + "</Folder>")))
	f.Add([]byte(inKML(mark1("<MultiPoint>" + point("10, 50, 0") + point("1;2") + "</MultiPoint>"))))
	f.Add([]byte("\xff\xfe<\x00k\x00m\x00l\x00/\x00>\x00"))
	f.Add([]byte(zipped(f, 8, entry{"doc.kml", inKML(mark1(point("10,50")))})))
	f.Fuzz(func(t *testing.T, data []byte) { checkParse(t, data, FormatKML) })
}

// checkParse reads a file, and checks the result and the files that are written from it.
func checkParse(t *testing.T, data []byte, format Format) {
	for _, swap := range []bool{false, true} {
		before := bytes.Clone(data)
		res, err := Parse(data, Options{Format: format, NoPlaces: true, SwapLatLng: swap, MaxBytes: 1 << 20})
		if !bytes.Equal(before, data) {
			t.Fatal("the data was changed")
		}
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Message == "" || strings.ContainsFunc(err.Error(), isHidden) {
				t.Fatalf("error %q", err)
			}
		}
		if res == nil {
			continue
		}
		checkResult(t, "fuzz", res)
		if len(res.Placemarks) > 0 {
			checkRoundTrip(t, res.Placemarks)
		}
	}
}
