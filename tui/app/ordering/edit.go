package ordering

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"flightdesk/api"
	"flightdesk/kmlcsv"
	"flightdesk/kmlcsv/places"

	"github.com/paulmach/orb"
)

// PlaceText returns a point as it is typed, "" for anything else.
func (s *Site) PlaceText() string {
	p, ok := s.Geometry.(orb.Point)
	if !ok {
		return ""
	}
	return strconv.FormatFloat(p.Lat(), 'f', -1, 64) + ", " + strconv.FormatFloat(p.Lon(), 'f', -1, 64)
}

func TooLong(text string) string {
	if n := len([]rune(text)); n > api.MaxNameLength {
		return fmt.Sprintf("too long: %d of %d characters", n, api.MaxNameLength)
	}
	return ""
}

// FreeName returns a name that no site of the draft has: Stade, Stade 2.
func (d *Draft) FreeName(name string) string {
	taken := map[string]bool{}
	for _, s := range d.Sites {
		taken[s.Name] = true
	}
	free := name
	for n := 2; taken[free]; n++ {
		free = fmt.Sprintf("%s %d", name, n)
	}
	return free
}

// MoveTo gives the site another place, by hand.
func (s *Site) MoveTo(g orb.Geometry) {
	was := kmlcsv.Placemark{Geometry: s.Geometry}.Kind()
	p := kmlcsv.NewPlacemark(s.Name, g)
	if s.Geometry == nil || p.Kind() != was || !slices.Contains(s.AllowedTypes(), s.Type) {
		s.Type = api.MissionType(p.Kind())
	}
	s.Geometry, s.City = p.Geometry, places.SuggestPlace(g).City
	if !slices.Contains(s.AllowedTypes(), s.Type) {
		s.Type = api.MissionType(p.Kind())
	}
	s.In, s.Fixed, s.Warnings, s.Edited.Place = true, nil, nil, true
	s.MeasureSize()
}

// AddTyped adds what was typed as sites of their own, and returns the first.
func (d *Draft) AddTyped(typed kmlcsv.TypedPlace, name, label, country string) *Site {
	var first *Site
	for i, g := range typed.Geometries {
		s := &Site{ID: d.nextID(), Name: name, Label: label, Country: country}
		if len(typed.Geometries) > 1 {
			s.Name = fmt.Sprintf("%s (%d)", name, i+1)
		}
		s.MoveTo(g)
		d.Sites = append(d.Sites, s)
		first = cmp.Or(first, s)
	}
	return first
}
