package kmlcsv

import (
	"cmp"
	"strings"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/project"

	"flightdesk/kmlcsv/places"
)

// nearTown is the largest distance of a town from an exchanged position, in metres, for a warning that a
// position far from towns may have its latitude and longitude exchanged.
const nearTown = 20_000

// suggestPlace sets the country and the city of a placemark unless the file has them. index is its index
// among the placemarks, for warnings about it, or -1 for a placemark that is only a correction. The
// placemark has no name yet.
func (b *resultBuilder) suggestPlace(p *Placemark, index int) {
	var found places.Place
	at, isPoint := p.Geometry.(orb.Point)
	if isPoint { // calling SuggestCountry for points would add a tenth to the time of reading
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

// boundOf returns the bound of the placemark with an index, or nil if it is not known.
func (b *resultBuilder) boundOf(index int) *orb.Bound {
	if index < 0 || index+1 != b.bounded {
		return nil
	}
	return &b.bound
}

// statedCountry is a country in a file.
type statedCountry struct {
	raw     string // text in the file
	name    string // English name, also for a code; the text itself if it is not known
	isKnown bool   // false for many names in other languages
}

// agreesWith reports whether the country can be the country of a place that was found.
func (c *statedCountry) agreesWith(found *places.Place) bool {
	return !c.isKnown || found.Country == "" || c.name == found.Country
}

// isNamed reports whether the country has a name.
func (c *statedCountry) isNamed(name string) bool {
	return c.name == name || !c.isKnown && strings.EqualFold(c.name, name)
}

// warnDoubt warns if the place of a placemark suggests an error in its coordinates. Looking up the
// exchanged coordinates takes as long as reading the placemark, so it is skipped if the list of warnings
// is full.
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
	if isNowhere {
		b.addWarning(Warning{Code: NoCountry, Line: p.Line, Index: index, Message: "not in any country; at sea?"})
		return
	}
	var message string
	if found.Mixed && agrees {
		message = b.concatText("the site extends beyond ", found.Country)
	} else {
		message = b.concatText("the file says ", b.stated.name, ", but this is in ", found.Country)
	}
	b.addWarning(Warning{Code: CountryConflict, Line: p.Line, Index: index, Message: message})
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

// nearWhenExchanged returns the town near a placemark with its latitude and longitude exchanged. It
// reports whether there is such a town.
func nearWhenExchanged(p *Placemark) (places.Place, bool) {
	first, isPoint := p.Geometry.(orb.Point)
	if !isPoint {
		first = p.Points()[0]
	}
	if first[0] < -90 || first[0] > 90 { // not a latitude
		return places.Place{}, false
	}
	there := places.LookupWithin(swapAxes(first), nearTown)
	return there, there.City != ""
}

func swapAxes(p orb.Point) orb.Point { return orb.Point{p[1], p[0]} }

// exchangeAxes returns a placemark with latitude and longitude exchanged. there is its place then.
func exchangeAxes(p Placemark, there places.Place) *Placemark {
	p.Geometry = project.Geometry(orb.Clone(p.Geometry), swapAxes)
	p.measure()
	p.Country = there.Country
	p.City = there.City
	return &p
}
