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

// registry has the data of all reference systems that EPSG and Esri publish. The tables refer to each other by
// indexes.
type registry struct {
	units      map[int]Unit
	axes       []axes
	ellipsoids []ellipsoid
	boxes      []Box
	areaBoxes  []int
	methods    map[int]string
	signatures [][]int       // each has a method code, and then the code and the unit code of each parameter
	projected  []conversion  // map projections
	pipelines  []string      // texts with the steps of transformations; see parseSteps
	lists      [][]operation // transformations to WGS 84, one list for each geographic system
	grids      [][]gridArea
	records    []record    // all systems, first EPSG's and then Esri's, sorted by code
	esri       int         // index of the first system of Esri in records
	flat       map[int]int // for the code of a system with heights: index of the system without heights
}

// conversion is a map projection and its parameters. The values are in the units that the signature states.
type conversion struct {
	signature int       // index in registry.signatures
	values    []float64 // one value for each parameter of the signature
}

// record is the entry of one reference system in the registry. It refers to its area of use, its axes and other data
// by their indexes in the tables of the registry.
type record struct {
	code       int
	projected  bool
	deprecated bool
	successor  int // index of the system that replaces this one; -1 if there is none
	area       int
	axes       int

	base       int // index of the geographic system that a projected system is based on
	conversion int

	ellipsoid  int // only for geographic systems
	meridian   float64
	operations int
	datum      int
}

// Unit is a unit of length or angle, such as the foot.
type Unit struct {
	Name   string
	Factor float64 // size of the unit in metres or radians
}

var loadRegistry = sync.OnceValue(readRegistry)

// readRegistry reads the registry from the embedded data.
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

// readSmallTables reads the units, axes, ellipsoids and areas, which the other tables refer to.
func (g *registry) readSmallTables(r *reader) {
	g.readUnits(r)
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
		inverseFlattening := r.float()
		g.ellipsoids[i] = newEllipsoid(name, radius, inverseFlattening)
	}
	g.boxes = make([]Box, r.number())
	for i := range g.boxes {
		g.boxes[i] = readBox(r)
	}
	g.areaBoxes = make([]int, r.number())
	for i := range g.areaBoxes {
		g.areaBoxes[i] = r.number()
	}
}

func (g *registry) readUnits(r *reader) {
	n := r.number()
	g.units = make(map[int]Unit, n)
	for range n {
		code := r.number()
		name := r.text()
		r.text() // length or angle
		g.units[code] = Unit{name, r.float()}
	}
}

func readBox(r *reader) Box {
	var b Box
	b.West = r.decimal()
	b.South = r.decimal()
	b.East = r.decimal()
	b.North = r.decimal()
	return b
}

// readConversions reads the projection methods, the signatures and the map projections.
func (g *registry) readConversions(r *reader) {
	n := r.number()
	g.methods = make(map[int]string, n)
	for range n {
		code := r.number()
		g.methods[code] = r.text()
	}
	g.signatures = make([][]int, r.number())
	for i := range g.signatures {
		g.signatures[i] = readSignature(r)
	}
	g.readProjected(r)
}

func readSignature(r *reader) []int {
	signature := make([]int, r.number())
	for i := range signature {
		signature[i] = r.number()
	}
	return signature
}

// readProjected reads the map projections. Each is stored as the index of its signature, followed by the values of
// the parameters in the signature.
func (g *registry) readProjected(r *reader) {
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

// countParameters returns the number of parameters in a signature. A signature has one number for the method, and two
// numbers for each parameter.
func countParameters(signature []int) int { return len(signature) / 2 }

// readOperations reads the transformations to WGS 84 and the areas with correction grids, one list of each for each
// geographic system. Before these lists, it reads the texts and the file names that they refer to.
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
		g.lists[i] = g.readTransformations(r)
		g.grids[i] = g.readGridAreas(r, files)
	}
}

func (g *registry) readTransformations(r *reader) []operation {
	operations := make([]operation, r.number())
	for i := range operations {
		o := &operations[i]
		o.pipeline = r.number()
		o.name = r.number()
		o.box = g.boxes[r.number()]
		o.accuracy = r.decimal()
		o.offshore = r.number() == 1
	}
	return operations
}

func (g *registry) readGridAreas(r *reader, files []string) []gridArea {
	areas := make([]gridArea, r.number())
	for i := range areas {
		a := &areas[i]
		a.box = g.boxes[r.number()]
		a.accuracy = r.decimal()
		a.file = files[r.number()]
	}
	return areas
}

// readRecords reads the records of all systems in the order of their codes, first EPSG's and then Esri's. A code is
// stored as its difference from the previous code. The difference 0 marks Esri's first system, and its full code
// follows.
func (g *registry) readRecords(r *reader) {
	g.records = make([]record, r.number())
	code := 0
	for i := range g.records {
		difference := r.number()
		isFirstOfEsri := difference == 0
		if isFirstOfEsri {
			g.esri = i
			code = r.number()
		} else {
			code += difference
		}
		g.records[i] = readRecord(r)
		g.records[i].code = code
	}
}

// The flags of a record.
const (
	flagProjected    = 1
	flagDeprecated   = 2
	flagHasSuccessor = 4
)

// readRecord reads the record of a system, except its code.
func readRecord(r *reader) record {
	flags := r.number()
	s := record{
		projected:  flags&flagProjected != 0,
		deprecated: flags&flagDeprecated != 0,
		successor:  -1,
	}
	if flags&flagHasSuccessor != 0 {
		s.successor = r.number()
	}
	s.area = r.number()
	s.axes = r.number()
	if s.projected {
		s.base = r.number()
		s.conversion = r.number()
		return s
	}
	s.ellipsoid = r.number()
	s.meridian = r.decimal()
	s.operations = r.number()
	s.datum = r.number()
	return s
}

// lines returns the lines of a chunk of the embedded data, such as the names of all systems in chunkNames.
func lines(chunk int) []string { return strings.Split(string(inflateChunk(chunk)), "\n") }

var (
	loadNames   = sync.OnceValue(func() []string { return lines(chunkNames) })
	loadAreas   = sync.OnceValue(func() []string { return lines(chunkAreas) })
	loadAliases = sync.OnceValue(func() []string { return lines(chunkAliases) })
)
