package kmlcsv

import (
	"unsafe"

	"github.com/paulmach/orb"
)

// A value that becomes an interface is copied to the heap, one allocation
// each; a file of points would cost one a placemark. boxer keeps the values in
// arenas, of a point where it was read, and makes the interfaces point there.
//
// This relies on an interface being a pair of type and data pointer, as in
// every version of the gc and gccgo compilers. boxed is the only place that
// knows, and TestBoxedGeometries proves it.
type boxer struct {
	lines    arena[orb.LineString]
	polygons arena[orb.Polygon]
	count    int
}

// iface is the layout of an interface with methods.
type iface struct{ tab, data unsafe.Pointer }

// boxed returns an interface of like's dynamic type whose value is at data.
// What data points to must not change any more.
func boxed(like orb.Geometry, data unsafe.Pointer) orb.Geometry {
	(*iface)(unsafe.Pointer(&like)).data = data
	return like
}

var (
	likePoint   orb.Geometry = orb.Point{}
	likeLine    orb.Geometry = orb.LineString(nil)
	likePolygon orb.Geometry = orb.Polygon(nil)
)

func (b *boxer) point(p *orb.Point) orb.Geometry {
	return boxed(likePoint, unsafe.Pointer(p))
}

func (b *boxer) line(l orb.LineString) orb.Geometry {
	b.count++
	return boxed(likeLine, unsafe.Pointer(b.lines.one(l, b.count)))
}

func (b *boxer) polygon(p orb.Polygon) orb.Geometry {
	b.count++
	return boxed(likePolygon, unsafe.Pointer(b.polygons.one(p, b.count)))
}
