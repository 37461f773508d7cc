package main

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// names are the texts of the systems, one in each line.
type names struct {
	systems []byte // names of systems, in their order
	areas   []byte // names of areas, then of transformations
	aliases []byte // other names of systems, then the names of datums
}

// buffer is written here, and read by the reader of package crs.
type buffer []byte

func (b *buffer) number(v int) { *b = binary.AppendUvarint(*b, uint64(v)) }

func (b *buffer) text(s string) {
	b.number(len(s))
	*b = append(*b, s...)
}

// decimal appends a number as its digits and the power of ten by which they are divided.
func (b *buffer) decimal(v float64) {
	text := strconv.FormatFloat(v, 'e', -1, 64)
	digits, exponent, _ := strings.Cut(text, "e")
	power, err := strconv.Atoi(exponent)
	check(err)
	whole, fraction, _ := strings.Cut(digits, ".")
	mantissa, err := strconv.ParseInt(whole+fraction, 10, 64)
	check(err)
	power = len(fraction) - power
	for ; power < 0; power++ {
		mantissa *= 10
	}
	*b = binary.AppendVarint(*b, mantissa)
	b.number(power)
}

func (b *buffer) float(v float64) { *b = binary.LittleEndian.AppendUint64(*b, math.Float64bits(v)) }

// encode returns the tables and the names of the systems.
func (d *database) encode() ([]byte, names) {
	var b buffer
	d.encodeSmallTables(&b)
	d.encodeOperations(&b)
	b.number(len(d.systems))
	previous := 0
	for _, s := range d.systems {
		if s.Code < previous {
			previous = 0 // the codes of Esri follow the codes of EPSG
			b.number(0)
		}
		b.number(s.Code - previous)
		previous = s.Code
		d.encodeSystem(&b, s)
	}
	b.number(len(d.flat))
	for _, code := range slices.Sorted(maps.Keys(d.flat)) {
		b.number(code)
		b.number(d.index[d.flat[code]])
	}
	return b, d.encodeNames()
}

// The flags of a system.
const (
	isProjected  = 1
	isDeprecated = 2
	hasSuccessor = 4
)

func (d *database) encodeSystem(b *buffer, s *system) {
	flags := 0
	if s.projected {
		flags |= isProjected
	}
	if s.deprecated {
		flags |= isDeprecated
	}
	if s.successor >= 0 {
		flags |= hasSuccessor
	}
	b.number(flags)
	if s.successor >= 0 {
		b.number(s.successor)
	}
	b.number(s.area)
	b.number(s.axes)
	if s.projected {
		b.number(d.index[s.base])
		b.number(s.conversion)
		return
	}
	b.number(s.ellipsoid)
	b.decimal(s.meridian)
	b.number(s.operations)
	b.number(slices.Index(d.datumKeys(), s.datum))
}

// datumKeys returns the datums of the systems, in order.
func (d *database) datumKeys() (keys []key) {
	seen := map[key]bool{}
	for _, s := range d.systems {
		if !s.projected && !seen[s.datum] {
			seen[s.datum] = true
			keys = append(keys, s.datum)
		}
	}
	sort.Slice(keys, func(i, j int) bool {
		return keys[i].Authority < keys[j].Authority || keys[i].Authority == keys[j].Authority && keys[i].Code < keys[j].Code
	})
	return keys
}

func (d *database) encodeSmallTables(b *buffer) {
	units := slices.DeleteFunc(slices.Clone(d.units), func(u unit) bool { return u.Factor == nil })
	b.number(len(units))
	for _, u := range units {
		b.number(u.Code)
		b.text(u.Name)
		b.text(u.Type)
		b.float(*u.Factor)
	}
	b.number(len(d.axes.items))
	for _, a := range d.axes.items {
		b.text(a.first)
		b.text(a.second)
		b.number(a.unit)
	}
	b.number(len(d.ellipsoids.items))
	for _, e := range d.ellipsoids.items {
		b.text(e.name)
		b.float(e.radius)
		b.float(e.flattened)
	}
	b.number(len(d.boxes.items))
	for _, x := range d.boxes.items {
		for _, v := range []float64{x.west, x.south, x.east, x.north} {
			b.decimal(v)
		}
	}
	b.number(len(d.areas.items))
	for _, a := range d.areas.items {
		b.number(a.box)
	}
	d.encodeConversions(b)
}

func (d *database) encodeConversions(b *buffer) {
	b.number(len(d.methods))
	for _, method := range slices.Sorted(maps.Keys(d.methods)) {
		b.number(method)
		b.text(d.methods[method])
	}
	b.number(len(d.signatures.items))
	for _, signature := range d.signatures.items {
		fields := strings.Fields(signature)
		b.number(len(fields))
		for _, field := range fields {
			code, err := strconv.Atoi(field)
			check(err)
			b.number(code)
		}
	}
	b.number(len(d.conversions))
	for _, c := range d.conversions {
		b.number(c.signature)
		for _, v := range c.values {
			b.decimal(v)
		}
	}
}

// encodeOperations encodes the pipelines and, for each geographic system, its operations to
// WGS 84 and the areas where only an operation with a grid is better than 5 m.
func (d *database) encodeOperations(b *buffer) {
	b.number(len(d.pipelines.items))
	for _, steps := range d.pipelines.items {
		b.text(steps)
	}
	b.number(len(d.gridFiles.items))
	for _, name := range d.gridFiles.items {
		b.text(name)
	}
	b.number(len(d.lists))
	for i := range d.lists {
		b.number(len(d.lists[i]))
		for _, o := range d.lists[i] {
			b.operation(o)
		}
		b.number(len(d.grids[i]))
		for _, o := range d.grids[i] {
			b.number(o.box)
			b.decimal(o.accuracy)
			b.number(o.grid)
		}
	}
}

// operation appends an operation without a grid.
func (b *buffer) operation(o operation) {
	b.number(o.pipeline)
	b.number(o.name)
	b.number(o.box)
	b.decimal(o.accuracy)
	offshore := 0
	if o.offshore {
		offshore = 1
	}
	b.number(offshore)
}

func (d *database) encodeNames() names {
	var systems, areas, aliases []string
	for _, s := range d.systems {
		systems = append(systems, s.name)
		aliases = append(aliases, strings.Join(s.aliases, "\t"))
	}
	for _, a := range d.areas.items {
		areas = append(areas, a.name)
	}
	areas = append(areas, d.operations.items...)
	for _, k := range d.datumKeys() {
		aliases = append(aliases, strings.Join(d.datums[k], "\t"))
	}
	return names{join(systems), join(areas), join(aliases)}
}

func join(lines []string) []byte { return []byte(strings.Join(lines, "\n")) }
