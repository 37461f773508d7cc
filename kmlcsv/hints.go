package kmlcsv

import (
	"bytes"
	"fmt"
	"path"
	"strings"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/geo"

	"flightdesk/kmlcsv/crs"
	"flightdesk/kmlcsv/places"
)

// siteHints has hints about where the sites of a file may be. If the user must choose a reference system, systems that
// put the sites at the expected places are listed first. The hints alone never decide which system is used.
type siteHints struct {
	countries map[string]bool // by their English names
	near      []orb.Point     // other sites of the customer
}

const (
	// maxHintDistance is a distance in metres. A site that is nearer than this to another site of the customer is at an
	// expected place.
	maxHintDistance = 300_000
	// maxHintRows is the number of rows that are searched for countries.
	maxHintRows = 50
	// maxNamedSystems is the maximum number of reference systems that an error message lists. The question to the user
	// lists all of them.
	maxNamedSystems = 10
	// maxExpectedSystems is the maximum number of systems from nationalSystems that put the sites at an expected place.
	maxExpectedSystems = 40
	// maxNationalSystems is the number of systems up to which nationalSystems adds systems that put the sites at an
	// unexpected place.
	maxNationalSystems = 12
)

// newSiteHints returns the hints that come from the name of the file and from the other sites of the customer.
func newSiteHints(opts *Options) *siteHints {
	h := &siteHints{countries: map[string]bool{}, near: opts.Near}
	name := strings.TrimSuffix(path.Base(strings.ReplaceAll(opts.Name, `\`, "/")), path.Ext(opts.Name))
	words := headerWords(name)
	for first := range words {
		for last := first + 1; last <= min(first+3, len(words)); last++ {
			text := strings.Join(words[first:last], " ")
			if len(text) > 3 { // shorter texts can be codes of countries, which are often other words
				h.addCountry(text)
			}
		}
	}
	return h
}

// tableHints returns the hints about a table: the hints from newSiteHints, and the countries that the table names.
func (r *csvReader) tableHints() *siteHints {
	h := newSiteHints(&r.out.opts.Options)
	rows := 0
	for scan := r.rows.scanRows(); scan.nextRecord() && rows < maxHintRows; rows++ {
		h.addCountry(string(bytes.TrimSpace(cellOf(scan.fields, r.layout.columns.Country))))
	}
	return h
}

func (h *siteHints) addCountry(text string) {
	if name, ok := places.CountryOf(text); ok {
		h.countries[name] = true
	}
}

// isExpected reports whether the hints expect a site at a position: it is in one of the countries of the hints, or near
// another site of the customer. country is the country of the position.
func (h *siteHints) isExpected(p orb.Point, country string) bool {
	if h.countries[country] {
		return true
	}
	for _, site := range h.near {
		if geo.Distance(p, site) < maxHintDistance {
			return true
		}
	}
	return false
}

func (h *siteHints) isEmpty() bool { return len(h.countries) == 0 && len(h.near) == 0 }

// usualSystems lists the reference systems that many files use. Each line has the first and the last EPSG code of a
// range, and then the codes of the countries that use these systems. * means all countries.
const usualSystems = `4647 4647 DE
5650 5650 DE
25832 25832 DE AT IT DK NO CH
25833 25833 DE AT PL CZ SE HU
25831 25831 DE FR BE NL ES LU
25830 25830 ES FR
31466 31469 DE
27700 27700 GB IM
2154 2154 FR
28992 28992 NL
2056 2056 CH LI
21781 21781 CH LI
3006 3006 SE
3067 3067 FI
2180 2180 PL
2176 2179 PL
2157 2157 IE GB
31287 31287 AT
2193 2193 NZ
28350 28356 AU
7850 7856 AU
26910 26919 US CA
2222 2289 US
4513 4533 CN
28404 28432 RU
3857 3857 *
`

// possibleSystems returns the reference systems that the coordinates of a file may be in. A system is possible if it
// puts the first site near a town and within the area of use of the system. positions has the coordinates of the first
// site as written in the file. If their order is not known, positions has them in both orders.
//
// Systems that put the site at an expected place come first, then the other usual systems. If none of the usual systems
// is possible, the list also has less usual systems.
func (h *siteHints) possibleSystems(positions ...orb.Point) []Guess {
	var expected, unexpected []Guess
	listed := map[int]bool{} // codes of the systems that were already added
	for _, c := range usualCandidates(positions) {
		if listed[c.system.Code()] {
			continue
		}
		listed[c.system.Code()] = true
		if h.isExpected(c.at, c.place.Country) {
			expected = append(expected, c.guess())
		} else {
			unexpected = append(unexpected, c.guess())
		}
	}
	hasUsual := len(listed) > 0
	if !h.isEmpty() || !hasUsual {
		expected = append(expected, h.nationalSystems(positions, listed, !hasUsual)...)
	}
	return append(expected, unexpected...)
}

// nationalSystems is like possibleSystems, but looks at all systems that package crs knows. It returns the systems that
// put the site at an expected place. Systems whose positions can be converted with an accuracy of 3 m or better are
// first. If withUnexpected is set and there are fewer than maxNationalSystems, it adds systems that put the site at
// other places.
//
// The keys of listed are the codes of systems that the caller already has. nationalSystems leaves out these systems,
// and adds the codes of all systems that it finds.
func (h *siteHints) nationalSystems(positions []orb.Point, listed map[int]bool, withUnexpected bool) []Guess {
	var exact, inexact, unexpected []Guess
	for _, c := range nationalCandidates(positions) {
		if listed[c.system.Code()] {
			continue
		}
		listed[c.system.Code()] = true
		if !h.isExpected(c.at, c.place.Country) {
			unexpected = append(unexpected, c.guess())
		} else if c.isExact() {
			exact = append(exact, c.guess())
		} else {
			inexact = append(inexact, c.guess())
		}
	}
	systems := firstGuesses(append(exact, inexact...), maxExpectedSystems)
	if withUnexpected && len(systems) < maxNationalSystems {
		free := maxNationalSystems - len(systems)
		systems = append(systems, firstGuesses(unexpected, free)...)
	}
	return systems
}

// firstGuesses returns the first guesses, at most limit.
func firstGuesses(guesses []Guess, limit int) []Guess { return guesses[:min(len(guesses), limit)] }

// nationalCandidates looks at all systems that package crs knows. It returns the systems with which a site would be
// near a town and within the area of use of the system. positions has the possible coordinates of the site.
func nationalCandidates(positions []orb.Point) (found []candidate) {
	for _, at := range positions {
		for _, system := range crs.Candidates(at[0], at[1]) {
			lng, lat, err := system.ToWGS84(at[0], at[1])
			if err != nil {
				continue
			}
			p := orb.Point{lng, lat}
			if place := places.Lookup(p); isAtTown(&place) {
				found = append(found, candidate{system, p, place})
			}
		}
	}
	return found
}

// isAtTown reports whether a place has a town within 60 km.
func isAtTown(place *places.Place) bool { return place.City != "" && !place.IsFar }

// candidate is a reference system that the coordinates of a site may be in.
type candidate struct {
	system *crs.System
	at     orb.Point // position of the site in WGS 84 if its coordinates are in this system
	place  places.Place
}

// isExact reports whether the position can be converted from the system with an accuracy of 3 m or better.
func (c *candidate) isExact() bool {
	accuracy := c.system.AccuracyAt(c.at[0], c.at[1])
	return accuracy.Metres >= 0 && accuracy.Metres <= 3
}

func (c *candidate) guess() Guess { return Guess{c.system.Code(), c.place.City} }

// usualCandidates looks at usualSystems. It returns the systems with which a site would be near a town, in a country
// that uses the system. positions has the possible coordinates of the site.
func usualCandidates(positions []orb.Point) (found []candidate) {
	for run := range strings.Lines(usualSystems) {
		var code, last int
		_, _ = fmt.Sscan(run, &code, &last) // a range: the first and the last code
		for ; code <= last; code++ {
			system, err := crs.FindCode(code)
			if err != nil {
				continue
			}
			for _, at := range positions {
				if c, ok := usualCandidate(system, at, run); ok {
					found = append(found, c)
				}
			}
		}
	}
	return found
}

// usualCandidate returns the candidate for a system, if coordinates in this system are near a town in one of the given
// countries. at has the coordinates. countries is a line of usualSystems. ok is false if the coordinates are elsewhere.
func usualCandidate(system *crs.System, at orb.Point, countries string) (c candidate, ok bool) {
	hasZoneInFront := system.Code() == 4647 || system.Code() == 5650 // the eastings begin with the zone
	if hasZoneInFront && at[0] < 1e6 {
		return c, false
	}
	p, ok := placeIn(system, at[0], at[1])
	if !ok {
		return c, false
	}
	country := places.Country(p).Code
	if country == "" || !strings.Contains(countries, country) && !strings.Contains(countries, "*") {
		return c, false
	}
	place := places.Lookup(p)
	return candidate{system, p, place}, isAtTown(&place)
}
