package ordering

import (
	"path/filepath"
	"slices"

	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/kmlcsv"
	"flightdesk/tui/format"
)

// Site is a placemark on its way to becoming a mission.
type Site struct {
	ID       int         // unique in the draft
	File     string      // path it was read from
	Line     int         // of the file, where it starts
	Spot     string      // which one of that line it is, so that it is known when the file is read anew
	Edited   ManualEdits // what was changed by hand; it outlasts reading the file anew
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

	Area      float64     `json:"-"` // square metres, of an area
	Length    float64     `json:"-"` // metres, of a line
	bytes     int         // of its mission in a request, 0 where that is not known
	sized     sizedFields // what it was then
	print     uint64      // its shape, 0 where that is not known
	Duplicate string      `json:"-"` // where else its place is ordered or drafted, "" for nowhere
	Doubled   bool        `json:"-"` // that is in this draft, not elsewhere
}

// ManualEdits are the parts of a site that were changed by hand.
type ManualEdits struct{ Text, Country, Type, In, Place bool }

// Points returns the site's locationMap.
func (s *Site) Points() []orb.Point {
	if many, ok := s.Geometry.(orb.MultiPoint); ok {
		return many
	}
	return s.toPlacemark().Points()
}

// pointCount returns the number of points.
func (s *Site) pointCount() int {
	if _, ok := s.Geometry.(orb.Point); ok {
		return 1
	}
	return len(s.Points())
}

func (s *Site) toPlacemark() kmlcsv.Placemark { return kmlcsv.Placemark{Geometry: s.Geometry} }

// AllowedTypes returns the mission types that the site's points allow.
func (s *Site) AllowedTypes() []api.MissionType {
	n := s.pointCount()
	return slices.DeleteFunc(api.MissionTypes(), func(t api.MissionType) bool { return n < t.MinPoints() })
}

// MeasureSize works out the site's size as its type; it is called whenever place
// or type change, since sums are drawn with every frame.
func (s *Site) MeasureSize() {
	s.Area, s.Length, s.bytes, s.print = 0, 0, 0, 0
	switch points := s.Points(); {
	case s.Type == api.MissionLinear:
		s.Length = kmlcsv.LengthOf(orb.LineString(points))
	case s.Type == api.MissionArea && len(points) > 2:
		polygon, ok := s.Geometry.(orb.Polygon)
		if !ok {
			polygon = orb.Polygon{append(slices.Clone(orb.Ring(points)), points[0])}
		}
		s.Area = kmlcsv.AreaOf(polygon)
	}
}

// SizeText writes the site's area or length.
func (s *Site) SizeText() string {
	switch {
	case s.Geometry == nil:
		return format.None
	case s.Type == api.MissionArea:
		return format.Area(s.Area)
	case s.Type == api.MissionLinear:
		return format.Length(s.Length)
	default:
		return format.None
	}
}

// takePlacemark replaces the site's place by a placemark's.
func (s *Site) takePlacemark(p kmlcsv.Placemark) {
	s.City, s.Geometry, s.Line = p.City, p.Geometry, p.Line
	if !s.Edited.Text {
		s.Name = p.Name
	}
	if !s.Edited.Country {
		s.Country = p.Country
	}
	s.Type = api.MissionType(p.Kind())
	s.Area, s.Length, s.bytes, s.print = p.Area, p.Length, 0, 0
}

// inheritEdits takes over what was changed by hand in the site as it was read
// before.
func (s *Site) inheritEdits(old *Site) {
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
		s.MeasureSize()
	}
	if old.Edited.Type && slices.Contains(s.AllowedTypes(), old.Type) {
		s.Type = old.Type
		s.MeasureSize()
	}
	if old.Edited.In {
		s.In = old.In && s.Geometry != nil
	}
}

func groupDigits(n int) string { return format.GroupDigits(float64(n), 0) }

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

// Name returns the file's name without its folder.
func (f *File) Name() string { return filepath.Base(f.Path) }

// ApplyFix takes the offered fix, where there is one.
func (s *Site) ApplyFix() {
	if s.Fixed == nil {
		return
	}
	s.takePlacemark(*s.Fixed)
	s.Fixed, s.Warnings, s.In = nil, nil, true
}
