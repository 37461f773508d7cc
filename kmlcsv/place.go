package kmlcsv

import (
	"strings"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/project"

	"flightdesk/kmlcsv/places"
)

// nearTown is a distance in metres. A site that is far from any town may have latitude and longitude exchanged. If it
// is within this distance of a town after exchanging them, the result gets a warning.
const nearTown = 20_000

// placeFinder sets the countries and the cities of placemarks. It adds a warning if a country or a city suggests that
// the coordinates are wrong.
type placeFinder struct {
	out *resultBuilder

	stated  statedCountry // country that the file states for the last placemark; often it is the same for the next
	bound   orb.Bound     // bound of the last polygon, from setLastPolygon
	bounded int           // index of the last polygon in the placemarks plus 1, or 0 if there is none
}

// noIndex is the index of a placemark that is not in the result, such as the correction in a warning.
const noIndex = -1

// setPlace sets the country and the city of a placemark. It uses the values in the file. If the file has none, it looks
// them up by the position. index is the index of the placemark in the result, so that warnings can refer to it. If
// index is noIndex, setPlace adds no warnings.
func (f *placeFinder) setPlace(p *Placemark, index int) {
	p.Country = f.out.draft.country
	p.City = f.out.draft.city
	if !f.out.opts.NoPlaces {
		f.suggestPlace(p, index)
	}
}

// suggestPlace sets the country and the city of a placemark by its position if the file does not state them.
func (f *placeFinder) suggestPlace(p *Placemark, index int) {
	found, at := f.findCountry(p, index)
	stated := f.lookUpStated(p.Country)
	p.Country = stated.name
	if p.Country == "" {
		p.Country = found.Country
	}
	isOtherCountry := stated.name != "" && !stated.isNamed(found.Country)
	needsCity := p.City == "" && !isOtherCountry // a city of another country would contradict the file
	mayWarn := !f.out.isFull()                   // warnDoubt needs the city, too
	if needsCity || mayWarn {
		found.FindCity(at)
	}
	if needsCity {
		p.City = found.City
	}
	if index != noIndex {
		f.warnDoubt(p, index, &found)
	}
}

// findCountry returns the country at a placemark. at is a point of the placemark for finding its city.
func (f *placeFinder) findCountry(p *Placemark, index int) (found places.Place, at orb.Point) {
	at, isPoint := p.Geometry.(orb.Point)
	if isPoint { // SuggestCountry would be slower: with it, reading a file of points takes a tenth longer
		found.FindCountry(at)
		return found, at
	}
	return places.SuggestCountry(p.Geometry, f.boundOf(index))
}

// lookUpStated looks up the country that the file states for a placemark. It caches the last result, because the next
// placemark often has the same country.
func (f *placeFinder) lookUpStated(country string) *statedCountry {
	if country != f.stated.raw {
		name, isKnown := places.CountryOf(country)
		if name == "" {
			name = country
		}
		f.stated = statedCountry{raw: country, name: name, isKnown: isKnown}
	}
	return &f.stated
}

// setLastPolygon stores the bound of a polygon, so that findCountry need not compute it again. index is the index of
// the polygon in the placemarks.
func (f *placeFinder) setLastPolygon(index int, bound orb.Bound) {
	f.bound = bound
	f.bounded = index + 1
}

// boundOf returns the bound that setLastPolygon stored for the placemark with this index. It returns nil for any other
// placemark.
func (f *placeFinder) boundOf(index int) *orb.Bound {
	if index == noIndex || index+1 != f.bounded {
		return nil
	}
	return &f.bound
}

// statedCountry is the country that a file states for a placemark.
type statedCountry struct {
	raw     string // text in the file
	name    string // English name of the country, or the text in the file if isKnown is false
	isKnown bool   // the text is a known name or code of a country; many names in other languages are not known
}

// agreesWith reports whether a place that was found by position can be in the country that the file states.
func (c *statedCountry) agreesWith(found *places.Place) bool {
	return !c.isKnown || found.Country == "" || c.name == found.Country
}

// isNamed reports whether name is the name of the country.
func (c *statedCountry) isNamed(name string) bool {
	return c.name == name || !c.isKnown && strings.EqualFold(c.name, name)
}

// warnDoubt adds a warning if the coordinates of a placemark may be wrong. This is the case if the placemark is in no
// country, in another country than the file states, or in several countries. It is also the case if the placemark is
// far from any town, but near a town with latitude and longitude exchanged.
func (f *placeFinder) warnDoubt(p *Placemark, index int, found *places.Place) {
	isRemote := !isAtTown(found)
	isNowhere := found.Country == "" && p.Country == ""
	isDoubtful := isNowhere || !f.stated.agreesWith(found) || found.Mixed
	if f.out.isFull() {
		f.countDoubt(isDoubtful, isRemote)
		return
	}
	if isRemote && f.warnSwapped(p, index) {
		return
	}
	if isNowhere {
		f.out.addWarning(Warning{Code: NoCountry, Line: p.Line, Index: index, Message: "not in any country; at sea?"})
	} else if isDoubtful {
		message := f.describeConflict(found)
		f.out.addWarning(Warning{Code: CountryConflict, Line: p.Line, Index: index, Message: message})
	}
}

// describeConflict returns the message for a site in another country than the file states, or in several countries.
func (f *placeFinder) describeConflict(found *places.Place) string {
	if f.stated.agreesWith(found) {
		return f.out.concatText("the site extends beyond ", found.Country)
	}
	return f.out.concatText("the file says ", f.stated.name, ", but this is in ", found.Country)
}

// countDoubt counts a doubt about the coordinates of a placemark. It is used if the list of warnings is full. If
// isDoubtful is set, it counts a warning that is not listed. If only isRemote is set, the placemark is far from any
// town. countDoubt then records that the placemark was not checked for exchanged latitude and longitude.
func (f *placeFinder) countDoubt(isDoubtful, isRemote bool) {
	if isDoubtful {
		f.out.addWarning(Warning{}) // only counted
	} else if isRemote {
		f.out.omitted.unchecked = true // warnSwapped is not called here, because it takes as long as reading the placemark
	}
}

// warnSwapped adds a warning if the placemark would be near a town with latitude and longitude exchanged. It returns
// true if it added the warning.
func (f *placeFinder) warnSwapped(p *Placemark, index int) bool {
	town, ok := townWhenExchanged(p)
	if !ok {
		return false
	}
	const far = "far from any town; with latitude and longitude swapped it is near "
	f.out.addWarning(Warning{
		Code:    MaybeSwapped,
		Line:    p.Line,
		Index:   index,
		Message: f.out.concatText(far, town.City, ", ", town.Country),
		Fixed:   exchangeAxes(*p, town),
	})
	return true
}

// townWhenExchanged returns the town near the placemark with its latitude and longitude exchanged. ok is false if
// there is no town nearby.
func townWhenExchanged(p *Placemark) (town places.Place, ok bool) {
	first, isPoint := p.Geometry.(orb.Point)
	if !isPoint {
		first = p.Points()[0]
	}
	if first[0] < -90 || first[0] > 90 { // too large for a latitude
		return places.Place{}, false
	}
	town = places.LookupWithin(swapAxes(first), nearTown)
	return town, town.City != ""
}

func swapAxes(p orb.Point) orb.Point { return orb.Point{p[1], p[0]} }

// exchangeAxes returns a copy of a placemark with latitude and longitude exchanged. It sets the country and the city of
// the copy to the values in town.
func exchangeAxes(p Placemark, town places.Place) *Placemark {
	p.Geometry = project.Geometry(orb.Clone(p.Geometry), swapAxes)
	p.measure()
	p.Country = town.Country
	p.City = town.City
	return &p
}
