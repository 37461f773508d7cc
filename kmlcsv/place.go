package kmlcsv

import (
	"cmp"
	"strings"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/project"

	"flightdesk/kmlcsv/places"
)

// nearTown is how near a town must be, in metres, for a position without one to
// be doubted that has it when exchanged. It is only a hint: there are surveys in
// deserts.
const nearTown = 20_000

// suggestPlace suggests country and city for a placemark, which has those of the file
// already; they win. index is its place among the placemarks, for warnings
// about it, or -1 for one that is only offered as a fix. The placemark has no
// name yet.
func (b *resultBuilder) suggestPlace(p *Placemark, index int) {
	var found places.Place
	at, isPoint := p.Geometry.(orb.Point)
	if isPoint { // directly: copies of the results of SuggestCountry took a tenth of the time of a file of points
		found = places.Country(at)
	} else {
		found, at = places.SuggestCountry(p.Geometry, b.boundOf(index))
	}
	given := &b.stated
	if p.Country != given.raw {
		name, known := places.CountryOf(p.Country)
		*given = statedCountry{p.Country, cmp.Or(name, p.Country), known}
	}
	p.Country = cmp.Or(given.name, found.Country)
	isWanted := p.City == "" && (given.name == "" || given.isNamed(found.Country))
	if isWanted || !b.isFull() {
		found.FindCity(at)
	}
	if isWanted {
		p.City = found.City
	}
	if index >= 0 {
		b.warnDoubt(p, index, &found)
	}
}

// boundOf returns the bound of the placemark with an index, nil if it is not known.
func (b *resultBuilder) boundOf(index int) *orb.Bound {
	if index < 0 || index+1 != b.bounded {
		return nil
	}
	return &b.bound
}

// statedCountry is a country as a file gives it. A code is replaced by its name,
// so that a file does not mix both. Many files use names of another language,
// which are not known here.
type statedCountry struct {
	raw, name string
	isKnown   bool
}

// agreesWith reports whether the country is the one found, as far as can be told.
func (c *statedCountry) agreesWith(found *places.Place) bool {
	return !c.isKnown || found.Country == "" || c.name == found.Country
}

// isNamed reports whether the country is the one of a name that is known.
func (c *statedCountry) isNamed(name string) bool {
	return c.name == name || !c.isKnown && strings.EqualFold(c.name, name)
}

// warnDoubt warns where the place makes it likely that something is wrong. Where it
// would be with its coordinates exchanged costs as much as to read it, and is not looked
// up once warnings are only counted.
func (b *resultBuilder) warnDoubt(p *Placemark, index int, found *places.Place) {
	isRemote := !isAtTown(found)
	if isRemote && !b.isFull() && b.warnSwapped(p, index) {
		return
	}
	agrees := b.stated.agreesWith(found)
	isNowhere := found.Country == "" && p.Country == ""
	if agrees && !found.Mixed && !isNowhere {
		b.unchecked = b.unchecked || isRemote && b.isFull()
		return
	}
	if b.isFull() {
		b.addWarning(Warning{}) // it is only counted
		return
	}
	w := Warning{Line: p.Line, Index: index}
	switch {
	case isNowhere:
		w.Code, w.Message = NoCountry, "not in any country; at sea?"
	case found.Mixed && agrees:
		w.Code, w.Message = CountryConflict, b.concatText("it extends beyond ", found.Country)
	default:
		w.Code = CountryConflict
		w.Message = b.concatText("the file says ", b.stated.name, ", but this is in ", found.Country)
	}
	b.addWarning(w)
}

// warnSwapped warns about a placemark that is near a town if its latitude and longitude
// are exchanged. It reports whether it did.
func (b *resultBuilder) warnSwapped(p *Placemark, index int) bool {
	there, isNear := nearWhenExchanged(p)
	if !isNear {
		return false
	}
	const far = "far from any town; with latitude and longitude swapped it is near "
	b.addWarning(Warning{
		Code:    MaybeSwapped,
		Line:    p.Line,
		Index:   index,
		Message: b.concatText(far, there.City, ", ", there.Country),
		Fixed:   exchangeAxes(*p, there),
	})
	return true
}

// nearWhenExchanged returns the town near a placemark whose latitude and
// longitude are exchanged, false where there is none.
func nearWhenExchanged(p *Placemark) (places.Place, bool) {
	first, isPoint := p.Geometry.(orb.Point)
	if !isPoint {
		first = p.Points()[0]
	}
	if first[0] < -90 || first[0] > 90 { // it is no latitude
		return places.Place{}, false
	}
	there := places.LookupWithin(swapAxes(first), nearTown)
	return there, there.City != ""
}

func swapAxes(p orb.Point) orb.Point { return orb.Point{p[1], p[0]} }

// exchangeAxes returns a placemark with latitude and longitude exchanged, which
// puts it in a place.
func exchangeAxes(p Placemark, there places.Place) *Placemark {
	p.Geometry = project.Geometry(orb.Clone(p.Geometry), swapAxes)
	p.measure()
	p.Country, p.City = there.Country, there.City
	return &p
}
