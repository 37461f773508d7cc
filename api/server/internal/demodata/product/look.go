package product

import "math"

const (
	treeCell  = 9.0  // metres; a tree in each, where there are woods
	houseCell = 42.0 // metres; a house in each, where there is a town
	mastGrid  = 64.0
	mastPad   = 7.0 // metres from a mast to the edge of its foundation
	mastFoot  = 1.8
	mastTop   = 38.0
	texture   = 0.75 // metres of one shade
	grain     = 0.11
)

// At looks at a place, in metres.
func (l *Land) At(x, y float64) GroundLook {
	h, east, north, woods, town := l.relief(x, y)
	k := GroundLook{Ground: h, Surface: h}
	if h <= l.water {
		k.Ground, k.Surface, k.Cover = l.water, l.water, Water
		k.light, k.tint = 1, 0.9+0.1*max(0, 1-(l.water-h))
		return k
	}
	k.tint = 0.92 + 0.1*l.patchValue(7, x/texture, y/texture) + 0.06*l.patchValue(9, x/grain, y/grain)
	switch {
	case l.addMast(x, y, &k), town > 0.06 && l.addHouse(x, y, &k), woods > 0.02 && l.addTree(x, y, woods, &east, &north, &k):
	default:
		l.addOpenLand(x, y, town, &k)
	}
	// The sun stands in the north-west, half high.
	k.vigour *= 1.35 - 0.35*k.tint*k.tint // withered plants are brighter
	k.light = min(max(0.9+(0.62*east-0.62*north)*-1, 0.45), 1.35)
	if k.Cover == Roof {
		k.light = 1.05
	}
	return k
}

// patchValue returns 0 to 1 for each square.
func (l *Land) patchValue(layer uint64, x, y float64) float64 {
	return l.cell(layer, int32(math.Floor(x)), int32(math.Floor(y)))
}

// addOpenLand land is fields with tracks between them.
func (l *Land) addOpenLand(x, y, town float64, k *GroundLook) {
	u, v := (x*l.turn[1]+y*l.turn[0])/l.field, (y*l.turn[1]-x*l.turn[0])/l.field*1.6
	i, j := math.Floor(u), math.Floor(v)
	h := l.hash(5, int32(i), int32(j))
	track := 2.2 / l.field
	switch kind := unit(h); {
	case u-i < track || v-j < 1.6*track:
		k.Cover = Road
	case town > 0.06 || kind < 0.35:
		k.Cover, k.vigour = Meadow, 0.45+0.25*unit(mix(h+1))
	case kind < 0.82:
		k.Cover, k.vigour = Crop, 0.3+0.7*unit(mix(h+1))
		k.tint *= 1 + 0.06*math.Sin(v*40)
	default:
		k.Cover, k.vigour = Soil, 0.1*unit(mix(h+1))
	}
	k.tint *= 0.9 + 0.2*unit(mix(h+2))
}

// addTree reports whether a crown is over the place.
func (l *Land) addTree(x, y, woods float64, east, north *float64, k *GroundLook) bool {
	i, j := math.Floor(x/treeCell), math.Floor(y/treeCell)
	h := l.hash(11, int32(i), int32(j))
	if unit(h) > 4*woods {
		return false
	}
	radius := 2 + 2.2*unit(mix(h+1))
	dx := x - (i*treeCell + radius + (treeCell-2*radius)*unit(mix(h+2)))
	dy := y - (j*treeCell + radius + (treeCell-2*radius)*unit(mix(h+3)))
	far := (dx*dx + dy*dy) / (radius * radius)
	if far >= 1 {
		return false
	}
	height := (1.8 + 1.6*unit(mix(h+4))) * radius
	dome := math.Sqrt(1 - 0.8*far)
	k.Surface += height * dome
	*east -= 0.25 * dx / radius / dome
	*north -= 0.25 * dy / radius / dome
	k.Cover, k.vigour = Tree, 0.7+0.3*unit(mix(h+5))
	return true
}

// addHouse reports whether a roof is over the place. It is level, whatever the
// ground below it does.
func (l *Land) addHouse(x, y float64, k *GroundLook) bool {
	i, j := math.Floor(x/houseCell), math.Floor(y/houseCell)
	h := l.hash(13, int32(i), int32(j))
	if unit(h) > 0.7 {
		return false
	}
	half := [2]float64{5 + 8*unit(mix(h+1)), 4 + 6*unit(mix(h+2))}
	mx, my := (i+0.5)*houseCell, (j+0.5)*houseCell
	if math.Abs(x-mx) > half[0] || math.Abs(y-my) > half[1] {
		return false
	}
	ground, _, _, _, _ := l.relief(mx, my)
	k.Surface = max(k.Ground+2.2, ground+4+9*unit(mix(h+3)))
	k.Cover = Roof
	k.tint *= 0.75 + 0.5*unit(mix(h+4))
	return true
}

func mastCell(x, y float64) [2]int32 {
	return [2]int32{int32(math.Floor(x / mastGrid)), int32(math.Floor(y / mastGrid))}
}

// addMast reports whether a mast or its foundation is at the place. It tapers.
func (l *Land) addMast(x, y float64, k *GroundLook) bool {
	if l.masts == nil {
		return false
	}
	for _, m := range l.masts[mastCell(x, y)] {
		dx, dy := math.Abs(x-m[0]), math.Abs(y-m[1])
		switch far := math.Hypot(dx, dy); {
		case far < mastFoot:
			k.Surface, k.Cover = k.Ground+mastTop*(1-0.9*far/mastFoot), Mast
			return true
		case dx < mastPad && dy < mastPad:
			k.Cover = Concrete
			return true
		}
	}
	return false
}
