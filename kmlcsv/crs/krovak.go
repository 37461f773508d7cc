package crs

import "math"

// krovak is the oblique conic projection of Czechia and Slovakia. The formulas are in EPSG Guidance Note 7-2, section
// 3.2.2. Systems with this projection have axes to the south and west. A projection always computes an easting and a
// northing, and [System] reverses their directions.
type krovak struct {
	e                 ellipsoid
	lng0              float64
	b, t0, n, r0      float64 // constants B, t0, n and r0 of the Guidance Note
	sin, cos          float64 // sine and cosine of the angle between the axis of the cone and the north pole
	parallel          float64 // tan(π/4 + φ/2), where φ is the standard parallel of the cone
	westing, southing float64
	modified          bool // the coordinates are corrected by krovakShift
}

func newKrovak(e ellipsoid, p parameters) projection { return krovakAt(e, p) }

// newModifiedKrovak returns the Modified Krovak projection, which corrects the coordinates by a polynomial. The
// formulas are in EPSG Guidance Note 7-2, section 3.2.2.3.
func newModifiedKrovak(e ellipsoid, p parameters) projection {
	k := krovakAt(e, p)
	k.modified = true
	return k
}

func krovakAt(e ellipsoid, p parameters) *krovak {
	lat := p[centreLatitude]
	sin, cos := math.Sincos(lat)
	k := &krovak{e: e, lng0: p[longitudeOfOrigin], westing: p[falseEasting], southing: p[falseNorthing]}
	a := e.a * math.Sqrt(e.oneMinusE2) / (1 - e.e2*sin*sin)
	k.b = math.Sqrt(1 + e.e2*cos*cos*cos*cos/e.oneMinusE2)
	gamma := math.Asin(sin / k.b)
	k.t0 = math.Tan(math.Pi/4+gamma/2) * math.Pow(e.conformal(lat), k.b)
	parallel := p[pseudoParallel]
	k.n = math.Sin(parallel)
	k.r0 = p.scale(pseudoParallelScale) * a / math.Tan(parallel)
	k.sin, k.cos = math.Sincos(p[coneAxisColatitude])
	k.parallel = math.Tan(math.Pi/4 + parallel/2)
	return k
}

func (k *krovak) forward(lng, lat float64) (east, north float64) {
	u := 2*math.Atan(k.t0*math.Pow(k.e.conformal(lat), -k.b)) - math.Pi/2
	sinU, cosU := math.Sincos(u)
	sinV, cosV := math.Sincos(k.b * normalize(k.lng0-lng))
	t := math.Asin(k.cos*sinU + k.sin*cosU*cosV)
	d := math.Asin(cosU * sinV / math.Cos(t))
	r := k.r0 * math.Pow(k.parallel/math.Tan(math.Pi/4+t/2), k.n)
	sin, cos := math.Sincos(k.n * d)
	x := r * cos
	y := r * sin
	if k.modified {
		dx, dy := krovakShift(x, y)
		x -= dx
		y -= dy
	}
	return -(y + k.westing), -(x + k.southing)
}

func (k *krovak) inverse(east, north float64) (lng, lat float64) {
	x := -north - k.southing
	y := -east - k.westing
	if k.modified {
		dx, dy := krovakShift(x, y)
		x += dx
		y += dy
	}
	r := math.Hypot(x, y)
	d := math.Atan2(y, x) / k.n
	t := 2*math.Atan(math.Pow(k.r0/r, 1/k.n)*k.parallel) - math.Pi/2
	sinT, cosT := math.Sincos(t)
	u := math.Asin(k.cos*sinT - k.sin*cosT*math.Cos(d))
	v := math.Asin(cosT * math.Sin(d) / math.Cos(u))
	conformal := math.Pow(math.Tan(math.Pi/4+u/2)/k.t0, -1/k.b)
	return normalize(k.lng0 - v/k.b), k.e.fromConformal(conformal)
}

// krovakShift returns the corrections of the Modified Krovak projection for a southing and a westing. The southing
// and the westing must not include the false southing and westing.
func krovakShift(southing, westing float64) (dx, dy float64) {
	const (
		c1  = 2.946529277e-02
		c2  = 2.515965696e-02
		c3  = 1.193845912e-07
		c4  = -4.668270147e-07
		c5  = 9.233980362e-12
		c6  = 1.523735715e-12
		c7  = 1.696780024e-18
		c8  = 4.408314235e-18
		c9  = -8.331083518e-24
		c10 = -3.689471323e-24
	)
	x := southing - 1089000
	y := westing - 654000
	x2 := x * x
	y2 := y * y
	x4 := x2 * x2
	y4 := y2 * y2
	dx = c1 + c3*x - c4*y - 2*c6*x*y + c5*(x2-y2) + c7*x*(x2-3*y2) - c8*y*(3*x2-y2) +
		4*c9*x*y*(x2-y2) + c10*(x4+y4-6*x2*y2)
	dy = c2 + c3*y + c4*x + 2*c5*x*y + c6*(x2-y2) + c8*x*(x2-3*y2) + c7*y*(3*x2-y2) -
		4*c10*x*y*(x2-y2) + c9*(x4+y4-6*x2*y2)
	return dx, dy
}
