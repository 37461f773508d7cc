package crs

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed systems.bin
var embedded []byte

// The chunks of the embedded data.
const (
	chunkTables = iota
	chunkNames
	chunkAreas
	chunkAliases
)

// registry has the data of all systems.
type registry struct {
	units      map[int]Unit
	axes       []axes
	ellipsoids []ellipsoid
	boxes      []Box
	areaBoxes  []int
	methods    map[int]string
	signatures [][]int // method, then the code and the unit of each parameter
	projected  []conversion
	pipelines  []string
	lists      [][]operation // transformations to WGS 84 of each geographic system
	grids      [][]gridArea
	records    []record
	esri       int         // index of the first Esri record
	flat       map[int]int // code of a system with heights → record of its horizontal part
}

// conversion is a projection in the data, with parameters in their original units.
type conversion struct {
	signature int
	values    []float64
}

// record is a system in the data.
type record struct {
	code       int
	projected  bool
	deprecated bool
	successor  int // index of the replacing system; -1 if there is none
	area       int
	axes       int

	base       int // index of a projected system's geographic system
	conversion int

	ellipsoid  int // only of geographic systems
	meridian   float64
	operations int
	datum      int
}

// Unit is a unit of length or angle.
type Unit struct {
	Name   string
	Factor float64 // in metres or radians
}

var loadRegistry = sync.OnceValue(readRegistry)

// readRegistry reads the data written by the program in gen/systems.
func readRegistry() *registry {
	r := reader(inflateChunk(chunkTables))
	g := &registry{}
	g.readSmallTables(&r)
	g.readConversions(&r)
	g.readOperations(&r)
	g.readRecords(&r)
	n := r.number()
	g.flat = make(map[int]int, n)
	for range n {
		code := r.number()
		g.flat[code] = r.number()
	}
	return g
}

func (g *registry) readSmallTables(r *reader) {
	n := r.number()
	g.units = make(map[int]Unit, n)
	for range n {
		code := r.number()
		name := r.text()
		r.text() // length or angle
		g.units[code] = Unit{name, r.float()}
	}
	g.axes = make([]axes, r.number())
	for i := range g.axes {
		first := r.text()
		second := r.text()
		g.axes[i] = axes{first, second, g.units[r.number()]}
	}
	g.ellipsoids = make([]ellipsoid, r.number())
	for i := range g.ellipsoids {
		name := r.text()
		radius := r.float()
		g.ellipsoids[i] = newEllipsoid(name, radius, r.float())
	}
	g.boxes = make([]Box, r.number())
	for i := range g.boxes {
		b := &g.boxes[i]
		b.West = r.decimal()
		b.South = r.decimal()
		b.East = r.decimal()
		b.North = r.decimal()
	}
	g.areaBoxes = make([]int, r.number())
	for i := range g.areaBoxes {
		g.areaBoxes[i] = r.number()
	}
}

func (g *registry) readConversions(r *reader) {
	n := r.number()
	g.methods = make(map[int]string, n)
	for range n {
		code := r.number()
		g.methods[code] = r.text()
	}
	g.signatures = make([][]int, r.number())
	for i := range g.signatures {
		signature := make([]int, r.number())
		for j := range signature {
			signature[j] = r.number()
		}
		g.signatures[i] = signature
	}
	g.projected = make([]conversion, r.number())
	// All conversions share one slice, because thousands of small slices take longer to allocate.
	values := make([]float64, 0, 8*len(g.projected))
	for i := range g.projected {
		signature := r.number()
		first := len(values)
		for range countParameters(g.signatures[signature]) {
			values = append(values, r.decimal())
		}
		g.projected[i] = conversion{signature, values[first:]}
	}
}

// countParameters returns the number of parameters in a signature: a method, and two numbers for each parameter.
func countParameters(signature []int) int { return len(signature) / 2 }

func (g *registry) readOperations(r *reader) {
	g.pipelines = make([]string, r.number())
	for i := range g.pipelines {
		g.pipelines[i] = r.text()
	}
	files := make([]string, r.number())
	for i := range files {
		files[i] = r.text()
	}
	g.lists = make([][]operation, r.number())
	g.grids = make([][]gridArea, len(g.lists))
	for i := range g.lists {
		g.lists[i] = make([]operation, r.number())
		for j := range g.lists[i] {
			o := &g.lists[i][j]
			o.pipeline = r.number()
			o.name = r.number()
			o.box = g.boxes[r.number()]
			o.accuracy = r.decimal()
			o.offshore = r.number() == 1
		}
		g.grids[i] = make([]gridArea, r.number())
		for j := range g.grids[i] {
			g.grids[i][j].box = g.boxes[r.number()]
			g.grids[i][j].accuracy = r.decimal()
			g.grids[i][j].file = files[r.number()]
		}
	}
}

func (g *registry) readRecords(r *reader) {
	g.records = make([]record, r.number())
	code := 0
	for i := range g.records {
		step := r.number()
		if step == 0 { // Esri's codes follow EPSG's codes
			g.esri = i
			code = 0
			step = r.number()
		}
		code += step
		s := &g.records[i]
		s.code = code
		flags := r.number()
		s.projected = flags&1 != 0
		s.deprecated = flags&2 != 0
		s.successor = -1
		if flags&4 != 0 {
			s.successor = r.number()
		}
		s.area = r.number()
		s.axes = r.number()
		if s.projected {
			s.base = r.number()
			s.conversion = r.number()
			continue
		}
		s.ellipsoid = r.number()
		s.meridian = r.decimal()
		s.operations = r.number()
		s.datum = r.number()
	}
}

// lines returns the lines of a chunk with names.
func lines(chunk int) []string { return strings.Split(string(inflateChunk(chunk)), "\n") }

var (
	loadNames   = sync.OnceValue(func() []string { return lines(chunkNames) })
	loadAreas   = sync.OnceValue(func() []string { return lines(chunkAreas) })
	loadAliases = sync.OnceValue(func() []string { return lines(chunkAliases) })
)
