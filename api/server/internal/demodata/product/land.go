package product

import (
	"encoding/binary"
	"hash/fnv"
	"math"
)

// LandCover is what lies on the ground.
type LandCover uint8

// The covers.
const (
	Water LandCover = iota
	Meadow
	Crop
	Soil
	Road
	Roof
	Tree
	Mast
	Concrete
)

// GroundLook is what there is at a place.
type GroundLook struct {
	Ground, Surface float64 // metres; the surface is that of trees and buildings
	Cover           LandCover
	light           float64 // 1 on level ground
	tint            float64 // around 1
	vigour          float64 // of plants, 0 to 1
}

const (
	nodes  = 96 // along the longer side of the lattice
	layers = 2  // woods, settlement
)

// Land is the ground around the box of a mission.
type Land struct {
	seed          uint64
	left, bottom  float64
	step          float64
	columns, rows int
	heights       []float64 // of the lattice
	lattice       [][layers]float64
	water         float64 // level, metres
	field         float64 // side of a field, metres
	turn          [2]float64
	masts         map[[2]int32][][2]float64
}

// NewLand makes the land of a box in metres. Each of the masts stands on it.
func NewLand(seed string, minX, minY, maxX, maxY float64, masts [][2]float64) *Land {
	h := fnv.New64a()
	_, _ = h.Write([]byte(seed))
	l := &Land{seed: mix(h.Sum64())}
	longer := max(maxX-minX, maxY-minY)
	margin := 0.3*longer + 150
	l.left, l.bottom = minX-margin, minY-margin
	l.step = (longer + 2*margin) / nodes
	l.columns = int(math.Ceil((maxX-minX+2*margin)/l.step)) + 4
	l.rows = int(math.Ceil((maxY-minY+2*margin)/l.step)) + 4
	l.field = max(95, longer/12)
	angle := l.share(0xf1e1d) * math.Pi
	l.turn[0], l.turn[1] = math.Sincos(angle)
	l.raise(longer)
	if len(masts) > 0 {
		l.masts = map[[2]int32][][2]float64{}
	}
	for _, m := range masts {
		// A mast reaches into the cells around it.
		for _, dx := range []float64{-mastPad, mastPad} {
			for _, dy := range []float64{-mastPad, mastPad} {
				l.stand(m, mastCell(m[0]+dx, m[1]+dy))
			}
		}
	}
	return l
}

func (l *Land) stand(m [2]float64, cell [2]int32) {
	for _, have := range l.masts[cell] {
		if have == m {
			return
		}
	}
	l.masts[cell] = append(l.masts[cell], m)
}

// raise fills the lattice.
func (l *Land) raise(longer float64) {
	base := 15 + 700*l.share(0xba5e)*l.share(0xba5e)
	rise := min(max(0.07*longer, 6), 500)
	wave := max(longer, 200) * 0.6 // metres
	l.heights = make([]float64, l.columns*l.rows)
	l.lattice = make([][layers]float64, l.columns*l.rows)
	for r := range l.rows {
		for c := range l.columns {
			x, y := float64(c)*l.step/wave, float64(r)*l.step/wave
			l.heights[r*l.columns+c] = base + rise*l.octaves(1, x, y, 5)
			l.lattice[r*l.columns+c] = [layers]float64{
				l.octaves(2, 2.2*x, 2.2*y, 3),
				l.octaves(3, 1.7*x, 1.7*y, 2),
			}
		}
	}
	l.water = base - 0.23*rise + 0.37
}

// octaves returns noise around 0, mostly between -0.5 and 0.5.
func (l *Land) octaves(layer uint64, x, y float64, n int) float64 {
	sum, share := 0.0, 0.55
	for range n {
		sum += share * (l.noise(layer, x, y) - 0.5)
		x, y, share = 2.03*x+17.1, 2.03*y+9.7, share*0.46
	}
	return sum
}

// noise returns 0 to 1, smooth between whole numbers.
func (l *Land) noise(layer uint64, x, y float64) float64 {
	fx, fy := math.Floor(x), math.Floor(y)
	u, v := x-fx, y-fy
	u, v = u*u*u*(u*(6*u-15)+10), v*v*v*(v*(6*v-15)+10)
	i, j := int32(fx), int32(fy)
	a, b := l.cell(layer, i, j), l.cell(layer, i+1, j)
	c, d := l.cell(layer, i, j+1), l.cell(layer, i+1, j+1)
	return a + (b-a)*u + (c-a)*v + (a-b-c+d)*u*v
}

func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

func unit(h uint64) float64 { return float64(h>>11) / (1 << 53) }

// share returns 0 to 1, fixed for the land and the key.
func (l *Land) share(key uint64) float64 { return unit(mix(l.seed ^ key*0x9e3779b97f4a7c15)) }

func (l *Land) hash(layer uint64, i, j int32) uint64 {
	var b [8]byte
	binary.LittleEndian.PutUint32(b[:], uint32(i))
	binary.LittleEndian.PutUint32(b[4:], uint32(j))
	return mix(l.seed + layer*0x9e3779b97f4a7c15 ^ binary.LittleEndian.Uint64(b[:])*0xd6e8feb86659fd93)
}

func (l *Land) cell(layer uint64, i, j int32) float64 { return unit(l.hash(layer, i, j)) }

// spline weights three nodes by a quadratic B-spline, and its slope.
func spline(t float64) (w, slope [3]float64) {
	s := 1 - t
	return [3]float64{s * s / 2, 0.5 + t*s, t * t / 2}, [3]float64{-s, 1 - 2*t, t}
}

// relief returns the ground's height and slopes, and the other layers.
func (l *Land) relief(x, y float64) (height, east, north, woods, town float64) {
	u := min(max((x-l.left)/l.step, 0), float64(l.columns-4)-1e-9)
	v := min(max((y-l.bottom)/l.step, 0), float64(l.rows-4)-1e-9)
	i, j := int(u), int(v)
	wx, sx := spline(u - float64(i))
	wy, sy := spline(v - float64(j))
	for r := range 3 {
		row := l.heights[(j+r)*l.columns+i:][:3]
		h := wx[0]*row[0] + wx[1]*row[1] + wx[2]*row[2]
		height += wy[r] * h
		east += wy[r] * (sx[0]*row[0] + sx[1]*row[1] + sx[2]*row[2])
		north += sy[r] * h
	}
	node := l.lattice[(j+1)*l.columns+i+1]
	right, up := l.lattice[(j+1)*l.columns+i+2], l.lattice[(j+2)*l.columns+i+1]
	tu, tv := u-float64(i), v-float64(j)
	woods = node[0] + (right[0]-node[0])*tu + (up[0]-node[0])*tv
	town = node[1] + (right[1]-node[1])*tu + (up[1]-node[1])*tv
	return height, east / l.step, north / l.step, woods, town
}
