package ordering

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/kmlcsv"
)

// savedDraft is a draft on disk. Geometries are rings of positions by kind.
type savedDraft struct {
	Draft
	Places map[int]savedPlace // by site
	Fixes  map[int]savedFix
}

type savedPlace struct {
	Kind  kmlcsv.Kind
	Rings orb.Polygon // of anything but an area one, with its points
}

// savedFix is the placemark that a site's fix would make of it.
type savedFix struct {
	savedPlace
	Name, Country, City string
	Line                int
}

func encodeDraft(d *Draft) ([]byte, error) {
	s := savedDraft{Draft: *d, Places: map[int]savedPlace{}, Fixes: map[int]savedFix{}}
	for _, site := range d.Sites {
		if site.Geometry != nil {
			s.Places[site.ID] = toPlace(site.Geometry)
		}
		if f := site.Fixed; f != nil {
			s.Fixes[site.ID] = savedFix{toPlace(f.Geometry), f.Name, f.Country, f.City, f.Line}
		}
	}
	return json.Marshal(s, jsontext.AllowInvalidUTF8(true)) // paths are any bytes
}

func toPlace(g orb.Geometry) savedPlace {
	if area, ok := g.(orb.Polygon); ok {
		return savedPlace{kmlcsv.Area, area}
	}
	s := Site{Geometry: g}
	return savedPlace{s.toPlacemark().Kind(), orb.Polygon{s.Points()}}
}

// toGeometry returns nil where there is no point.
func (p savedPlace) toGeometry() orb.Geometry {
	switch {
	case len(p.Rings) == 0 || len(p.Rings[0]) == 0:
		return nil
	case p.Kind == kmlcsv.Area:
		return p.Rings
	default:
		return shapeAs(api.MissionType(p.Kind), p.Rings[0])
	}
}

func decodeDraft(data []byte) (*Draft, error) {
	var s savedDraft
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, err
	}
	for _, site := range s.Sites {
		site.Geometry = s.Places[site.ID].toGeometry()
		site.MeasureSize()
		site.fingerprint()
		if f, ok := s.Fixes[site.ID]; ok && f.toGeometry() != nil {
			fixed := kmlcsv.NewPlacemark(f.Name, f.toGeometry())
			fixed.Country, fixed.City, fixed.Line = f.Country, f.City, f.Line
			site.Fixed = &fixed
		}
	}
	s.Step = max(0, min(s.Step, StepReview))
	if s.file = (&draftFile{}); s.Fields == nil {
		s.Fields = map[string][]string{}
	}
	return &s.Draft, nil
}
