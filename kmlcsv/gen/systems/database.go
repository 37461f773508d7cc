package main

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// key identifies an object of the database.
type key struct {
	Authority string
	Code      int
}

// system is a reference system as package crs needs it.
type system struct {
	key
	name       string
	projected  bool
	deprecated bool
	successor  int // index of the system that replaces it, -1 for none
	area       int
	axes       int

	base       key // of a projected system
	conversion int

	ellipsoid  int // of a geographic system
	meridian   float64
	datum      key
	operations int // index of its list of operations

	aliases []string
}

// database has the systems and everything that they refer to by an index or a key.
type database struct {
	systems     []*system
	index       map[key]int
	areas       table[area]
	boxes       table[box]
	axes        table[axes]
	ellipsoids  table[ellipsoid]
	signatures  table[string]
	conversions []conversion
	units       []unit
	methods     map[int]string
	datums      map[key][]string

	flat map[int]key // horizontal part of a system with heights, by the code of the system

	pipelines  table[string]
	operations table[string]
	lists      [][]operation
	grids      [][]operation
	gridFiles  table[string]
}

// table is a list of distinct values.
type table[item comparable] struct {
	items []item
	index map[item]int
}

// add returns the index of a value, which is added if the table does not have it.
func (t *table[item]) add(v item) int {
	if i, ok := t.index[v]; ok {
		return i
	}
	if t.index == nil {
		t.index = map[item]int{}
	}
	t.index[v] = len(t.items)
	t.items = append(t.items, v)
	return len(t.items) - 1
}

type area struct {
	name string
	box  int
}

// box is an area in degrees. If its east is less than its west, it crosses the
// antimeridian.
type box struct{ west, south, east, north float64 }

type axes struct {
	first, second string // directions
	unit          int
}

type ellipsoid struct {
	name      string
	radius    float64 // in metres
	flattened float64 // inverse flattening, 0 for a sphere
}

type unit struct {
	Code   int
	Name   string
	Type   string
	Factor *float64
}

// conversion is a map projection: the index of its signature, and the values of its
// parameters.
type conversion struct {
	signature int
	values    []float64
}

func readDatabase(path string) *database {
	d := &database{index: map[key]int{}, methods: map[int]string{}, datums: map[key][]string{}}
	d.units = query[unit](path, `select code, name, type, conv_factor factor from unit_of_measure
		where auth_name='EPSG' and type in ('angle','length') order by code`)
	conversions := d.readConversions(path)
	d.readGeographic(path)
	d.readProjected(path, conversions)
	sort.Slice(d.systems, func(i, j int) bool {
		a, b := d.systems[i], d.systems[j]
		return a.Authority < b.Authority || a.Authority == b.Authority && a.Code < b.Code
	})
	for i, s := range d.systems {
		d.index[s.key] = i
	}
	d.readSuccessors(path)
	d.readAliases(path)
	d.readFlat(path)
	return d
}

// conversionRow is a conversion with the codes (P), the values (V) and the units (U) of its parameters. Unused
// parameters are nil.
type conversionRow struct {
	key
	Method                     int
	MethodName                 string
	P1, P2, P3, P4, P5, P6, P7 *int
	V1, V2, V3, V4, V5, V6, V7 *float64
	U1, U2, U3, U4, U5, U6, U7 *int
}

// parameter is a parameter of a conversion.
type parameter struct {
	code  int
	value float64
	unit  int
}

// parameters returns the parameters of a conversion. Sexagesimal angles are converted to seconds.
func (row *conversionRow) parameters() (found []parameter) {
	codes := []*int{row.P1, row.P2, row.P3, row.P4, row.P5, row.P6, row.P7}
	values := []*float64{row.V1, row.V2, row.V3, row.V4, row.V5, row.V6, row.V7}
	units := []*int{row.U1, row.U2, row.U3, row.U4, row.U5, row.U6, row.U7}
	for i, code := range codes {
		if code == nil {
			break
		}
		p := parameter{*code, *values[i], *units[i]}
		if p.unit == sexagesimal {
			p.value = secondsOf(p.value)
			p.unit = arcSecond
		}
		found = append(found, p)
	}
	return found
}

// readConversions reads the conversions, and returns their indexes by their keys. Equal conversions are read once.
func (d *database) readConversions(path string) map[key]int {
	sql := "select auth_name Authority, code Code, method_code Method, method_name MethodName"
	for i := 1; i <= 7; i++ {
		sql += fmt.Sprintf(", param%d_code P%d, param%d_value V%d, param%d_uom_code U%d", i, i, i, i, i, i)
	}
	sql += ` from conversion
		where auth_name in ('EPSG','ESRI') and method_auth_name='EPSG' and cast(code as int)=code order by 1, 2`
	indexes := map[key]int{}
	seen := map[string]int{} // indexes by the text of a conversion
	for _, row := range query[conversionRow](path, sql) {
		signature := strconv.Itoa(row.Method)
		c := conversion{}
		for _, p := range row.parameters() {
			signature += fmt.Sprintf(" %d %d", p.code, p.unit)
			c.values = append(c.values, p.value)
		}
		c.signature = d.signatures.add(signature)
		d.methods[row.Method] = row.MethodName
		text := fmt.Sprint(c)
		if _, isKnown := seen[text]; !isKnown {
			seen[text] = len(d.conversions)
			d.conversions = append(d.conversions, c)
		}
		indexes[row.key] = seen[text]
	}
	return indexes
}

// Codes of units.
const (
	sexagesimal = 9110 // degrees, minutes and seconds as digits: 52.0922178 is 52° 09' 22.178"
	arcSecond   = 9104
)

// secondsOf converts an angle from sexagesimal digits to seconds.
func secondsOf(value float64) float64 {
	text := strconv.FormatFloat(math.Abs(value), 'f', -1, 64)
	degrees, rest, _ := strings.Cut(text, ".")
	rest += "0000"
	whole, err := strconv.Atoi(degrees)
	check(err)
	minutes, err := strconv.Atoi(rest[:2])
	check(err)
	seconds, err := strconv.ParseFloat(rest[2:4]+"."+rest[4:]+"0", 64)
	check(err)
	return math.Copysign(float64(whole*3600+minutes*60)+seconds, value)
}

type systemRow struct {
	key
	Name       string
	Deprecated int
	Axes       string
	AxesOf     string
	Area       string
	West       *float64
	South      *float64
	East       *float64
	North      *float64

	Base, Conversion                   int
	BaseAuthority, ConversionAuthority string
	Ellipsoid                          string
	Radius                             float64
	Inverse, Minor                     *float64
	RadiusUnit                         float64
	Meridian                           float64
	MeridianUnit                       int
	Datum                              int
	DatumAuthority                     string
}

// withArea is the part of a query that adds the first area of use.
const withArea = ` left join (select object_table_name t, object_auth_name a, object_code c, min(rowid), extent_auth_name ea, extent_code ec
	from usage group by 1, 2, 3) u on u.t='%s' and u.a=s.auth_name and u.c=s.code
	left join extent e on e.auth_name=u.ea and e.code=u.ec`

const areaColumns = ` s.auth_name Authority, s.code Code, s.name Name, s.deprecated Deprecated,
	cast(s.coordinate_system_code as text) Axes, s.coordinate_system_auth_name AxesOf, e.name Area,
	e.west_lon West, e.south_lat South, e.east_lon East, e.north_lat North`

func (d *database) readGeographic(path string) {
	directions := readAxes(path)
	rows := query[systemRow](path, `select`+areaColumns+`, l.name Ellipsoid, l.semi_major_axis Radius, l.inv_flattening Inverse,
		l.semi_minor_axis Minor, lu.conv_factor RadiusUnit, m.longitude Meridian, m.uom_code MeridianUnit,
		g.code Datum, g.auth_name DatumAuthority
		from geodetic_crs s join geodetic_datum g on g.auth_name=s.datum_auth_name and g.code=s.datum_code
		join ellipsoid l on l.auth_name=g.ellipsoid_auth_name and l.code=g.ellipsoid_code
		join unit_of_measure lu on lu.auth_name=l.uom_auth_name and lu.code=l.uom_code
		join prime_meridian m on m.auth_name=g.prime_meridian_auth_name and m.code=g.prime_meridian_code`+
		strings.Replace(withArea, "%s", "geodetic_crs", 1)+`
		where s.auth_name in ('EPSG','ESRI') and s.type='geographic 2D' and typeof(g.code)='integer' and l.celestial_body_code='EARTH'
		order by 1, 2`)
	for _, row := range rows {
		s := d.addSystem(&row, directions)
		s.ellipsoid = d.ellipsoids.add(ellipsoid{row.Ellipsoid, row.Radius * row.RadiusUnit, row.inverseFlattening()})
		s.meridian = d.degrees(row.Meridian, row.MeridianUnit)
		s.datum = key{row.DatumAuthority, row.Datum}
	}
}

// inverseFlattening returns the inverse flattening of the ellipsoid of a system, 0 for a sphere.
func (row *systemRow) inverseFlattening() float64 {
	if row.Inverse != nil {
		return *row.Inverse
	}
	if row.Minor != nil && *row.Minor != row.Radius {
		return row.Radius / (row.Radius - *row.Minor)
	}
	return 0
}

// degrees converts an angle to degrees from the unit with a code.
func (d *database) degrees(value float64, code int) float64 {
	switch code {
	case sexagesimal:
		return secondsOf(value) / 3600
	case degree:
		return value
	}
	i := slices.IndexFunc(d.units, func(u unit) bool { return u.Code == code })
	return value * *d.units[i].Factor * 180 / math.Pi
}

const degree = 9102

// readProjected reads the projected systems. conversions has the indexes of the conversions by their keys.
func (d *database) readProjected(path string, conversions map[key]int) {
	directions := readAxes(path)
	rows := query[systemRow](path, `select`+areaColumns+`, s.geodetic_crs_code Base, s.geodetic_crs_auth_name BaseAuthority,
		s.conversion_code Conversion, s.conversion_auth_name ConversionAuthority
		from projected_crs s`+strings.Replace(withArea, "%s", "projected_crs", 1)+`
		where s.auth_name in ('EPSG','ESRI') and typeof(s.conversion_code)='integer' order by 1, 2`)
	geographic := map[key]bool{}
	for _, s := range d.systems {
		geographic[s.key] = true
	}
	flat := readFlatBases(path)
	for _, row := range rows {
		base := key{row.BaseAuthority, row.Base}
		if withoutHeights, hasHeights := flat[base]; hasHeights {
			base = withoutHeights
		}
		isOnEarth := geographic[base]
		hasKnownUnit := directions[row.AxesOf+row.Axes].unit != 0 // EPSG lacks a few units
		if !isOnEarth || !hasKnownUnit {
			continue
		}
		s := d.addSystem(&row, directions)
		s.projected = true
		s.base = base
		s.conversion = conversions[key{row.ConversionAuthority, row.Conversion}]
	}
}

// readFlatBases returns the geographic systems with heights, and for each the system on its datum without heights.
func readFlatBases(path string) map[key]key {
	rows := query[struct {
		key
		Other int
	}](path, `select a.auth_name Authority, a.code Code, min(cast(b.code as int)) Other from geodetic_crs a join geodetic_crs b
		on a.datum_code=b.datum_code and a.datum_auth_name=b.datum_auth_name and b.auth_name='EPSG'
		where a.type='geographic 3D' and a.auth_name in ('EPSG','ESRI') and b.type='geographic 2D' and b.deprecated=0 group by 1, 2`)
	flat := map[key]key{}
	for _, row := range rows {
		flat[row.key] = key{"EPSG", row.Other}
	}
	return flat
}

// addSystem adds a system with its axes and its area of use.
func (d *database) addSystem(row *systemRow, directions map[string]axes) *system {
	s := &system{key: row.key, name: row.Name, deprecated: row.Deprecated != 0, successor: -1}
	s.axes = d.axes.add(directions[row.AxesOf+row.Axes])
	bounds := box{-180, -90, 180, 90}
	if row.West != nil && row.South != nil {
		bounds = box{*row.West, *row.South, *row.East, *row.North}
	}
	s.area = d.areas.add(area{row.Area, d.boxes.add(bounds)})
	d.systems = append(d.systems, s)
	return s
}

// readAxes returns the directions of the first two axes of each coordinate system.
func readAxes(path string) map[string]axes {
	rows := query[struct {
		Authority   string
		Code        string
		Orientation string
		Unit        int
	}](path, `select coordinate_system_auth_name Authority, cast(coordinate_system_code as text) Code, orientation Orientation, uom_code Unit
		from axis where typeof(uom_code)='integer' order by 1, 2, coordinate_system_order`)
	found := map[string]axes{}
	for _, row := range rows {
		name := row.Authority + row.Code
		a := found[name]
		if a.first == "" {
			a.first = row.Orientation
			a.unit = row.Unit
		} else if a.second == "" {
			a.second = row.Orientation
		}
		found[name] = a
	}
	return found
}

// readSuccessors finds the successor of each deprecated system that is replaced by a single system.
func (d *database) readSuccessors(path string) {
	rows := query[struct {
		key
		By     string
		ByCode int
	}](path, `select deprecated_auth_name Authority, deprecated_code Code, replacement_auth_name By, replacement_code ByCode
		from deprecation where table_name in ('projected_crs','geodetic_crs')
		union select superseded_auth_name, superseded_code, replacement_auth_name, replacement_code
		from supersession where superseded_table_name in ('projected_crs','geodetic_crs') and superseded_auth_name='ESRI'
		and same_source_target_crs=1`)
	successors := map[key][]key{}
	for _, row := range rows {
		successors[row.key] = append(successors[row.key], key{row.By, row.ByCode})
	}
	for _, s := range d.systems {
		next := successors[s.key]
		if len(next) != 1 || !s.deprecated {
			continue
		}
		if i, ok := d.index[next[0]]; ok && d.systems[i].projected == s.projected {
			s.successor = i
		}
	}
	d.addEsriCodes(successors)
}

// addEsriCodes adds systems of Esri that have no conversion in the database but a successor of EPSG, such as Web
// Mercator. It adds them as copies of their successors.
func (d *database) addEsriCodes(successors map[key][]key) {
	for _, s := range d.missingEsri(successors) {
		at := sort.Search(len(d.systems), func(i int) bool {
			o := d.systems[i]
			return o.Authority > s.Authority || o.Authority == s.Authority && o.Code > s.Code
		})
		d.systems = slices.Insert(d.systems, at, s)
	}
	for i, s := range d.systems {
		d.index[s.key] = i
	}
}

// missingEsri returns the systems of Esri that are not listed but have a single listed successor, in the order of their
// codes.
func (d *database) missingEsri(successors map[key][]key) (missing []*system) {
	for code, next := range successors {
		_, isListed := d.index[code]
		if isListed || code.Authority != "ESRI" || len(next) != 1 {
			continue
		}
		i, isKnown := d.index[next[0]]
		if !isKnown {
			continue
		}
		s := *d.systems[i]
		if s.successor < 0 {
			s.successor = i
		}
		s.key = code
		s.deprecated = true
		s.aliases = nil
		missing = append(missing, &s)
	}
	sort.Slice(missing, func(i, j int) bool { return missing[i].Code < missing[j].Code })
	return missing
}

// readAliases adds the other names of systems and the names of datums.
func (d *database) readAliases(path string) {
	rows := query[struct {
		key
		Table string
		Alias string
	}](path, `select auth_name Authority, code Code, table_name "Table", alt_name Alias from alias_name
		where table_name in ('projected_crs','geodetic_crs','geodetic_datum') and typeof(code)='integer'
		union all select auth_name, code, 'geodetic_datum', name from geodetic_datum where auth_name in ('EPSG','ESRI') and typeof(code)='integer'
		order by 1, 2, 3, 4`)
	for _, row := range rows {
		if row.Table == "geodetic_datum" {
			d.datums[row.key] = append(d.datums[row.key], row.Alias)
			continue
		}
		if i, ok := d.index[row.key]; ok && !slices.Contains(d.systems[i].aliases, row.Alias) && row.Alias != d.systems[i].name {
			d.systems[i].aliases = append(d.systems[i].aliases, row.Alias)
		}
	}
}

// readFlat finds the horizontal part of compound systems and of geographic systems with heights.
func (d *database) readFlat(path string) {
	rows := query[struct {
		Code      int
		Part      int
		Authority string
	}](path, `select code Code, horiz_crs_code Part, horiz_crs_auth_name Authority from compound_crs
		where auth_name='EPSG' and typeof(code)='integer' and typeof(horiz_crs_code)='integer'
		union select a.code, min(b.code), b.auth_name from geodetic_crs a join geodetic_crs b
		on a.datum_code=b.datum_code and a.datum_auth_name=b.datum_auth_name and b.auth_name='EPSG'
		where a.type='geographic 3D' and a.auth_name='EPSG' and b.type='geographic 2D' and b.deprecated=0 group by 1, 3
		order by 1`)
	d.flat = map[int]key{}
	for _, row := range rows {
		part := key{row.Authority, row.Part}
		if _, ok := d.index[part]; ok {
			d.flat[row.Code] = part
		}
	}
}
