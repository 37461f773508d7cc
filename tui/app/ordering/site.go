package ordering

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/simplify"

	"flightdesk/api"
	"flightdesk/kmlcsv"
	"flightdesk/kmlcsv/places"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/format"
)

// Site is a placemark of a survey file that becomes a mission.
type Site struct {
	ID       int         // unique in the draft
	File     string      // path of its file
	Line     int         // line of the file where the placemark begins
	Spot     string      // such as "4/1" for the first site in line 4; identifies the site when the file is read again
	Edited   ManualEdits // what the user changed; kept when the file is read again
	Name     string
	Label    string // locationLabel of the mission; if empty, Name is sent
	Country  string
	City     string // a suggestion to the user; the service determines the city of the mission
	Type     api.MissionType
	Geometry orb.Geometry `json:"-"` // nil if the geometry in the file is unusable
	In       bool         // included: the user wants to order the site
	Warnings []string
	Fix      string            // description of the suggested fix; "" means swapping latitude and longitude
	Fixed    *kmlcsv.Placemark `json:"-"` // the placemark after the suggested fix

	Placed bool   // an order with the site was placed
	Order  string // code of the placed order, or ""

	Area      float64   `json:"-"` // square metres, of an area
	Length    float64   `json:"-"` // metres, of a line
	bytes     int       // cached size of the site's mission in a request; 0 if unknown
	sized     [3]string // name, label and country for which bytes was computed
	shape     uint64    // hash of the site's points; 0 without points
	Duplicate string    `json:"-"` // description of an order or draft with a site at the same place, or ""
	Doubled   bool      `json:"-"` // Duplicate describes a site of this draft
}

// ManualEdits says which properties of a site the user has changed. Text means the name and the label, and
// In whether the site is included.
type ManualEdits struct{ Text, Country, Type, In, Place bool }

// Points returns the points of the site's mission.
func (s *Site) Points() []orb.Point {
	if many, ok := s.Geometry.(orb.MultiPoint); ok {
		return many
	}
	return s.toPlacemark().Points()
}

func (s *Site) toPlacemark() kmlcsv.Placemark { return kmlcsv.Placemark{Geometry: s.Geometry} }

// AllowedTypes returns the mission types for which the site has enough points.
func (s *Site) AllowedTypes() []api.MissionType {
	n := len(s.Points())
	return slices.DeleteFunc(api.MissionTypes(), func(t api.MissionType) bool { return n < t.MinPoints() })
}

// MeasureSize updates Area and Length. Call it after changing the geometry or type. The sizes are stored,
// because the screen shows their sums and is drawn often.
func (s *Site) MeasureSize() { s.setSize(kmlcsv.NewPlacemark("", s.ShapeOf())) }

func (s *Site) setSize(p kmlcsv.Placemark) {
	s.Area = p.Area
	s.Length = p.Length
	s.bytes = 0
	s.shape = cache.ShapeHash(WirePoints(s.Points()))
}

// SizeText formats the area or length of the site.
func (s *Site) SizeText(units format.Units) string {
	if s.Geometry == nil || s.Type == api.MissionAsset {
		return format.None
	}
	if s.Type == api.MissionArea {
		return units.Area(s.Area)
	}
	return format.Length(s.Length)
}

// setPlacemark sets the geometry, type and city of the site to those of a placemark. It also sets the name
// and the country, unless the user has changed them.
func (s *Site) setPlacemark(p kmlcsv.Placemark) {
	s.City = p.City
	s.Geometry = p.Geometry
	s.Line = p.Line
	if !s.Edited.Text {
		s.Name = p.Name
	}
	if !s.Edited.Country {
		s.Country = p.Country
	}
	s.Type = api.MissionType(p.Kind())
	s.setSize(p)
}

// inheritEdits copies the user's changes from old, the same site when the file was read before.
func (s *Site) inheritEdits(old *Site) {
	s.Edited = old.Edited
	s.Placed = old.Placed
	s.Order = old.Order
	if old.Edited.Text {
		s.Name = old.Name
		s.Label = old.Label
	}
	if old.Edited.Country {
		s.Country = old.Country
	}
	if old.Edited.Place {
		s.inheritPlace(old)
	} else if old.Edited.Type && slices.Contains(s.AllowedTypes(), old.Type) { // the file can have another geometry
		s.Type = old.Type
		s.MeasureSize()
	}
	if old.Edited.In {
		s.In = old.In && s.Geometry != nil // a site without a place is not included
	}
}

// inheritPlace copies the geometry that the user has set from old, the same site when the file was read
// before. It also copies the type of the site and whether it is included, because the user has accepted
// both together with the geometry.
func (s *Site) inheritPlace(old *Site) {
	s.Geometry = old.Geometry
	s.City = old.City
	s.Type = old.Type
	s.In = old.In
	s.Warnings = nil // they are about the place in the file
	s.Fixed = nil
	s.MeasureSize()
}

func groupDigits(n int) string { return format.GroupInt(n) }

// File is a survey file or pasted text in a draft, and how it was read.
type File struct {
	Path    string // path of the file, or the name of the pasted text
	Pasted  string // the pasted text, or "" for a file
	Format  kmlcsv.Format
	Options kmlcsv.Options // options that the user chose
	Notes   []string       // warnings about the whole file
	Dropped []string       // [Site.Spot] of each site that the user removed

	Accounts []kmlcsv.Account // how many records were read and left out
}

// Reading returns the file or the pasted text, to read it again with other options.
func (f *File) Reading() FileRead { return FileRead{Path: f.Path, Pasted: f.Pasted} }

// Name returns the file name without its folder.
func (f *File) Name() string { return filepath.Base(f.Path) }

// ApplyFix replaces the placemark of the site by the suggested correction, and includes the site. It does
// nothing without a suggestion.
func (s *Site) ApplyFix() {
	if s.Fixed == nil {
		return
	}
	s.setPlacemark(*s.Fixed)
	s.Fixed = nil
	s.Warnings = nil
	s.In = true
}

// PlaceText returns the latitude and longitude of a point, or "" for other geometries.
func (s *Site) PlaceText() string {
	p, ok := s.Geometry.(orb.Point)
	if !ok {
		return ""
	}
	return strconv.FormatFloat(p.Lat(), 'f', -1, 64) + ", " + strconv.FormatFloat(p.Lon(), 'f', -1, 64)
}

// TooLong returns a message if a text is too long, or "".
func TooLong(text string) string {
	if n := len([]rune(text)); n > api.MaxNameLength {
		return fmt.Sprintf("too long: %d of %d characters", n, api.MaxNameLength)
	}
	return ""
}

// FreeName returns name, or name with a number if a site of the draft has that name, for instance "Stade
// 2".
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

// MoveTo replaces the geometry of the site and includes the site. The geometry counts as a change by the
// user, so it is kept when the file is read again.
func (s *Site) MoveTo(g orb.Geometry) {
	oldKind := s.toPlacemark().Kind()
	placemark := kmlcsv.NewPlacemark(s.Name, g)
	s.Geometry = placemark.Geometry
	s.City = places.SuggestPlace(g).City
	if placemark.Kind() != oldKind || !slices.Contains(s.AllowedTypes(), s.Type) {
		s.Type = api.MissionType(placemark.Kind())
	}
	s.In = true
	s.Fixed = nil
	s.Warnings = nil
	s.Edited.Place = true
	s.MeasureSize()
}

// SetCorners replaces the geometry of the site by a geometry of the same kind. Type, city and whether the
// site is included stay the same. The geometry counts as a change by the user, so it is kept when the file
// is read again.
func (s *Site) SetCorners(g orb.Geometry) {
	s.Geometry = g
	s.Fixed = nil
	s.Warnings = nil
	s.Edited.Place = true
	s.MeasureSize()
}

// AddTyped adds places that the user has typed as new sites, and returns the first of these sites.
func (d *Draft) AddTyped(typed kmlcsv.TypedPlace, name, label, country string) *Site {
	var first *Site
	for i, g := range typed.Geometries {
		s := &Site{ID: d.nextID(), Name: name, Label: label, Country: country}
		if len(typed.Geometries) > 1 {
			s.Name = fmt.Sprintf("%s (%d)", name, i+1)
		}
		s.MoveTo(g)
		d.Sites = append(d.Sites, s)
		if first == nil {
			first = s
		}
	}
	return first
}

// offerSimplified suggests a simplified geometry for every placemark with too many points
// for a mission. It is slow: call it in the background.
func offerSimplified(res *kmlcsv.Result) {
	for i := range res.Placemarks {
		p := &res.Placemarks[i]
		n := len(p.Points())
		if n <= api.MaxPoints {
			continue
		}
		w := kmlcsv.Warning{
			Line:      p.Line,
			Index:     i,
			Placemark: p.Name,
			Message:   groupDigits(n) + " points; a mission has at most " + groupDigits(api.MaxPoints),
		}
		if p.Area+p.Length > 0 { // separate points cannot be simplified
			fixed, description := thinOut(*p)
			w.Fixed = &fixed
			w.Fix = description
		}
		res.Warnings = append(res.Warnings, w)
	}
}

// thinOut reduces the points of a placemark to the maximum of a mission. It removes the points that change
// the geometry least. The text says how many points remain and by how much the size changes.
func thinOut(p kmlcsv.Placemark) (kmlcsv.Placemark, string) {
	what := "area"
	if p.Length > 0 {
		what = "length"
	}
	// The limit includes the closing point of a boundary.
	g := simplify.VisvalingamKeep(api.MaxPoints).Simplify(orb.Clone(p.Geometry))
	fixed := kmlcsv.NewPlacemark(p.Name, g)
	fixed.Country = p.Country
	fixed.City = p.City
	fixed.Line = p.Line
	before := p.Area + p.Length
	after := fixed.Area + fixed.Length
	return fixed, fmt.Sprintf(
		"simplifies to %s points; the %s changes by %.3f%%",
		groupDigits(len(fixed.Points())),
		what,
		math.Abs(after-before)/before*100,
	)
}

// CountryName returns the English name of a country. typed is the name, the code or the beginning of the
// name, as the user has typed it. If several countries match, hint is a question with their names. Unknown
// text is returned unchanged, because the service may know it.
func CountryName(typed string) (name, hint string) {
	var matches []string
	folded := format.Fold(typed)
	for _, country := range places.Countries() {
		foldedName := format.Fold(country.Name)
		if folded == foldedName || folded == format.Fold(country.Code) {
			return country.Name, ""
		}
		if len(folded) > 2 && strings.HasPrefix(foldedName, folded) {
			matches = append(matches, country.Name)
		}
	}
	if len(matches) == 0 {
		return typed, ""
	}
	if len(matches) == 1 {
		return matches[0], ""
	}
	return typed, "which one: " + strings.Join(matches[:min(len(matches), 4)], ", ") + "?"
}
