package product

import (
	"bufio"
	"encoding/binary"
	"io"
	"math"
	"time"
)

const (
	leastPoints = 3_600
	pointBytes  = 34
)

// Classes of points.
const (
	classNone     = 1
	classGround   = 2
	classHighTree = 5
	classBuilding = 6
	classWater    = 9
)

// echo is what came back of a pulse.
type echo struct {
	x, y, z    float64 // metres
	class      byte
	number, of byte
	look       GroundLook
	index      int // of the pulse
}

// pointFiles returns a cloud of points: with a laser's several returns, or one a place
// as made from photos. The format is LAS 1.2, which all readers know.
func (s *surveyedSite) pointFiles(name string, laser bool) []File {
	return []File{{Name: name, MediaType: "application/vnd.las", write: func(w io.Writer) error {
		c := s.measureCloud(laser)
		b := bufio.NewWriter(w)
		c.head(b)
		s.echoes(laser, func(e echo) { c.point(b, e) })
		return b.Flush()
	}}}
}

// echoes makes the points, line by line of the scan.
func (s *surveyedSite) echoes(laser bool, visit func(echo)) {
	n := s.pieceCount(leastPoints, pointBytes*1.25)
	g := s.ground.Points(n, 0.005)
	index := 0
	for row := range g.Height {
		y := g.Y(row)
		g.Columns(row, func(column int) {
			x := g.X(column)
			if column%2 == 1 {
				x += 0.37 * g.Pixel // no two lines of a scan fall together
			}
			k := s.land.At(x, y)
			e := echo{x: x, y: y, z: k.Surface, class: class(k), number: 1, of: 1, look: k, index: index}
			index++
			if laser && k.Cover == Tree && index%2 == 0 { // through the leaves
				e.of = 2
				visit(e)
				e.number, e.class, e.z = 2, classGround, k.Ground
			}
			visit(e)
		})
	}
}

func class(k GroundLook) byte {
	switch k.Cover {
	case Water:
		return classWater
	case Tree:
		return classHighTree
	case Roof:
		return classBuilding
	case Mast:
		return classNone
	default:
		return classGround
	}
}

// cloud is what the head of a file tells.
type cloud struct {
	s        *surveyedSite
	laser    bool
	count    uint32
	returns  [5]uint32
	min, max [3]float64 // in the reference system
	origin   [3]float64
	scale    [3]float64
}

func (s *surveyedSite) measureCloud(laser bool) *cloud {
	c := &cloud{s: s, laser: laser, scale: [3]float64{0.001, 0.001, 0.001}}
	e, n := s.ground.Coordinates(0, 0)
	c.origin = [3]float64{e, n, 0}
	if s.ground.Geographic() {
		c.scale = [3]float64{1e-7, 1e-7, 0.001}
	}
	for i := range c.min {
		c.min[i], c.max[i] = math.Inf(1), math.Inf(-1)
	}
	s.echoes(laser, func(e echo) {
		c.count++
		c.returns[e.number-1]++
		for i, v := range c.place(e) {
			at := float64(v)*c.scale[i] + c.origin[i]
			c.min[i], c.max[i] = min(c.min[i], at), max(c.max[i], at)
		}
	})
	return c
}

// place returns where a point is, in steps from the origin.
func (c *cloud) place(e echo) [3]int32 {
	east, north := c.s.ground.Coordinates(e.x, e.y)
	var at [3]int32
	for i, v := range [3]float64{east, north, e.z} {
		at[i] = int32(math.Round((v - c.origin[i]) / c.scale[i]))
	}
	return at
}

func (c *cloud) head(w *bufio.Writer) {
	const headSize, recordHead = 227, 54
	keys := GeoKeys(c.s.ground.Frame)
	at := c.s.Flown
	b := append([]byte("LASF"), 0, 0)
	b = binary.LittleEndian.AppendUint16(b, 1) // GPS times are adjusted standard ones
	b = append(b, make([]byte, 16)...)         // no project
	b = append(b, 1, 2)
	b = append(b, padded("flightdesk", 32)...)
	b = append(b, padded(software, 32)...)
	b = binary.LittleEndian.AppendUint16(b, uint16(at.YearDay()))
	b = binary.LittleEndian.AppendUint16(b, uint16(at.Year()))
	b = binary.LittleEndian.AppendUint16(b, headSize)
	b = binary.LittleEndian.AppendUint32(b, uint32(headSize+recordHead+2*len(keys)))
	b = binary.LittleEndian.AppendUint32(b, 1) // variable-length record
	b = append(b, 3)                           // points with time and colour
	b = binary.LittleEndian.AppendUint16(b, pointBytes)
	b = binary.LittleEndian.AppendUint32(b, c.count)
	for _, n := range c.returns {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	for _, list := range [][3]float64{c.scale, c.origin} {
		for _, v := range list {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
	}
	for i := range c.min {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(c.max[i]))
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(c.min[i]))
	}
	b = append(b, 0, 0)
	b = append(b, padded("LASF_Projection", 16)...)
	b = binary.LittleEndian.AppendUint16(b, TagGeoKeys)
	b = binary.LittleEndian.AppendUint16(b, uint16(2*len(keys)))
	b = append(b, padded("reference system", 32)...)
	for _, k := range keys {
		b = binary.LittleEndian.AppendUint16(b, k)
	}
	_, _ = w.Write(b) // Flush tells
}

func padded(text string, n int) []byte { return append([]byte(text), make([]byte, n-len(text))...) }

// gpsEpoch is where adjusted standard GPS time begins; leap seconds since 1980
// are 18.
var gpsEpoch = time.Date(1980, 1, 6, 0, 0, 0, 0, time.UTC).Add(1e9*time.Second - 18*time.Second)

func (c *cloud) point(w *bufio.Writer, e echo) {
	var room [pointBytes]byte
	b := room[:0]
	for _, v := range c.place(e) {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	light := e.look.Linear()
	b = binary.LittleEndian.AppendUint16(b, uint16(light[1]*50_000))
	b = append(b, e.number|e.of<<3, e.class, 0, 0)
	b = binary.LittleEndian.AppendUint16(b, 1) // the first flight line
	at := c.s.Flown.Sub(gpsEpoch).Seconds() + float64(e.index)*1e-5
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(at))
	red, green, blue := e.look.RGB()
	for _, v := range []uint8{red, green, blue} {
		b = binary.LittleEndian.AppendUint16(b, uint16(v)*257)
	}
	_, _ = w.Write(b)
}
