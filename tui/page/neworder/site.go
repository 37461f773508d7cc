package neworder

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/kmlcsv"
	"flightdesk/tui/format"
)

// Site is a placemark on its way to becoming a mission.
type Site struct {
	ID       int    // unique in the draft
	File     string // path it was read from
	Line     int    // of the file, where it starts
	Spot     string // which one of that line it is, so that it is known when the file is read anew
	Edited   Edits  // what was changed by hand; it outlasts reading the file anew
	Name     string
	Label    string // locationLabel; the name where empty
	Country  string
	City     string // suggested, the service makes its own
	Type     api.MissionType
	Geometry orb.Geometry `json:"-"` // nil where the file's reader refused it
	In       bool
	Warnings []string
	Fix      string            // what the offered fix does, "" for latitude and longitude exchanged
	Fixed    *kmlcsv.Placemark `json:"-"` // as the offered fix would read it

	Placed bool   // in an order, where others of the draft are still to come
	Order  string // code of that, as far as the service gave one

	area   float64 // square metres, of an area
	length float64 // metres, of a line
	bytes  int     // of its mission in a request, 0 where that is not known
	sized  sized   // what it was then
	print  uint64  // its shape, 0 where that is not known
	twin   string  // where else it is, "" for nowhere
}

// Edits are the parts of a site that were changed by hand.
type Edits struct{ Text, Country, Type, In, Place bool }

// Points is the site's locationMap.
func (s *Site) Points() []orb.Point {
	if many, ok := s.Geometry.(orb.MultiPoint); ok {
		return many
	}
	return s.placemark().Points()
}

func (s *Site) placemark() kmlcsv.Placemark { return kmlcsv.Placemark{Geometry: s.Geometry} }

// types are the mission types that the site's points allow.
func (s *Site) types() []api.MissionType {
	n := len(s.Points())
	return slices.DeleteFunc(api.MissionTypes(), func(t api.MissionType) bool { return n < t.MinPoints() })
}

// measure works out the site's size as its type; it is called whenever place
// or type change, since sums are drawn with every frame.
func (s *Site) measure() {
	s.area, s.length, s.bytes, s.print = 0, 0, 0, 0
	switch points := s.Points(); {
	case s.Type == api.MissionLinear:
		s.length = kmlcsv.LengthOf(orb.LineString(points))
	case s.Type == api.MissionArea && len(points) > 2:
		polygon, ok := s.Geometry.(orb.Polygon)
		if !ok {
			polygon = orb.Polygon{append(slices.Clone(orb.Ring(points)), points[0])}
		}
		s.area = kmlcsv.AreaOf(polygon)
	}
}

// size writes the site's area or length.
func (s *Site) size() string {
	switch {
	case s.Geometry == nil:
		return format.None
	case s.Type == api.MissionArea:
		return format.Area(s.area)
	case s.Type == api.MissionLinear:
		return format.Length(s.length)
	default:
		return format.None
	}
}

// take replaces the site's place by a placemark's.
func (s *Site) take(p kmlcsv.Placemark) {
	s.City, s.Geometry, s.Line = p.City, p.Geometry, p.Line
	if !s.Edited.Text {
		s.Name = p.Name
	}
	if !s.Edited.Country {
		s.Country = p.Country
	}
	s.Type = api.MissionType(p.Kind())
	s.area, s.length, s.bytes, s.print = p.Area, p.Length, 0, 0
}

// inherit takes over what was changed by hand in the site as it was read
// before.
func (s *Site) inherit(old *Site) {
	s.Edited, s.Placed, s.Order = old.Edited, old.Placed, old.Order
	if old.Edited.Text {
		s.Name, s.Label = old.Name, old.Label
	}
	if old.Edited.Country {
		s.Country = old.Country
	}
	if old.Edited.Place {
		s.Geometry, s.City, s.Type, s.In = old.Geometry, old.City, old.Type, old.In
		s.Warnings, s.Fixed = nil, nil
		s.measure()
	}
	if old.Edited.Type && slices.Contains(s.types(), old.Type) {
		s.Type = old.Type
		s.measure()
	}
	if old.Edited.In {
		s.In = old.In && s.Geometry != nil
	}
}

// faults are what keeps the site out of an order, each a short sentence.
func (s *Site) faults() []string {
	var faults []string
	switch n := len(s.Points()); {
	case s.Geometry == nil:
		return []string{"has no place that could be read"}
	case n < s.Type.MinPoints():
		faults = append(faults, fmt.Sprintf("has %d points, %s needs %d", n, s.Type, s.Type.MinPoints()))
	case n > api.MaxPoints:
		faults = append(faults, fmt.Sprintf("has %s points, a mission takes %s", group(n), group(api.MaxPoints)))
	}
	for what, text := range map[string]string{"name": s.Name, "label": s.Label, "country": s.Country} {
		if n := len([]rune(text)); n > api.MaxNameLength {
			faults = append(faults, fmt.Sprintf("has a %s of %d characters, %d fit; e shortens it", what, n, api.MaxNameLength))
		}
	}
	if s.Country == "" {
		faults = append(faults, "has no country; e to give it one")
	}
	return faults
}

func group(n int) string { return format.Group(float64(n), 0) }

// File is a survey file whose sites are in a draft, and how it was read.
type File struct {
	Path    string
	Format  kmlcsv.Format
	Header  []string        // of a CSV
	Columns *kmlcsv.Columns // of a CSV as used
	Swapped bool            // latitude and longitude were exchanged
	Notes   []string        // what was said of the file as a whole
	Dropped []string        // sites that were dropped by hand, by their places
}

// Name is the file's name without its folder.
func (f *File) Name() string { return filepath.Base(f.Path) }
