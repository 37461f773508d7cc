package ordering

import (
	"cmp"
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

	Area      float64   `json:"-"` // square metres, of an area
	Length    float64   `json:"-"` // metres, of a line
	bytes     int       // of its mission in a request, 0 where that is not known
	sized     [3]string // its texts then
	shape     uint64    // of its points, 0 without any
	Duplicate string    `json:"-"` // where else its place is ordered or drafted, "" for nowhere
	Doubled   bool      `json:"-"` // that is in this draft, not elsewhere
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

func (s *Site) toPlacemark() kmlcsv.Placemark { return kmlcsv.Placemark{Geometry: s.Geometry} }

// AllowedTypes returns the mission types that the site's points allow.
func (s *Site) AllowedTypes() []api.MissionType {
	n := len(s.Points())
	return slices.DeleteFunc(api.MissionTypes(), func(t api.MissionType) bool { return n < t.MinPoints() })
}

// MeasureSize works out the site's size as its type; it is called whenever place
// or type change, since sums are drawn with every frame.
func (s *Site) MeasureSize() { s.takeSize(kmlcsv.NewPlacemark("", s.ShapeOf())) }

func (s *Site) takeSize(p kmlcsv.Placemark) {
	s.Area, s.Length, s.bytes = p.Area, p.Length, 0
	s.shape = cache.ShapeHash(WirePoints(s.Points()))
}

// SizeText writes the site's area or length.
func (s *Site) SizeText(units format.Units) string {
	switch {
	case s.Geometry == nil, s.Type == api.MissionAsset:
		return format.None
	case s.Type == api.MissionArea:
		return units.Area(s.Area)
	default:
		return format.Length(s.Length)
	}
}

// takePlacemark replaces the site's place and type by a placemark's, and name and country
// where nobody edited them.
func (s *Site) takePlacemark(p kmlcsv.Placemark) {
	s.City, s.Geometry, s.Line = p.City, p.Geometry, p.Line
	if !s.Edited.Text {
		s.Name = p.Name
	}
	if !s.Edited.Country {
		s.Country = p.Country
	}
	s.Type = api.MissionType(p.Kind())
	s.takeSize(p)
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

func groupDigits(n int) string { return format.GroupInt(n) }

// File is a survey file or a pasted text whose sites are in a draft, and how it was read.
type File struct {
	Path    string // name of a text in the draft
	Pasted  string // the text, "" for a file
	Format  kmlcsv.Format
	Options kmlcsv.Options // as a person chose them
	Notes   []string       // what was said of the file as a whole
	Dropped []string       // sites that were dropped by hand, by their places

	Accounts []kmlcsv.Account // what became of every record
}

// Reading returns what is read again, with other options.
func (f *File) Reading() FileRead { return FileRead{Path: f.Path, Pasted: f.Pasted} }

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

// PlaceText returns a point as it is typed, "" for anything else.
func (s *Site) PlaceText() string {
	p, ok := s.Geometry.(orb.Point)
	if !ok {
		return ""
	}
	return strconv.FormatFloat(p.Lat(), 'f', -1, 64) + ", " + strconv.FormatFloat(p.Lon(), 'f', -1, 64)
}

// TooLong says how long a text is, "" for one that is not too long.
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
	was, p := s.toPlacemark().Kind(), kmlcsv.NewPlacemark(s.Name, g)
	s.Geometry, s.City = p.Geometry, places.SuggestPlace(g).City
	if p.Kind() != was || !slices.Contains(s.AllowedTypes(), s.Type) {
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

// offerSimplified offers a simplified shape for every placemark with more points than a
// mission takes. It is for the background.
func offerSimplified(res *kmlcsv.Result) {
	for i := range res.Placemarks {
		p := &res.Placemarks[i]
		n := len(p.Points())
		if n <= api.MaxPoints {
			continue
		}
		says := groupDigits(n) + " points; a mission has at most " + groupDigits(api.MaxPoints)
		w := kmlcsv.Warning{
			Line:      p.Line,
			Index:     i,
			Placemark: p.Name,
			Message:   says,
		}
		if p.Area+p.Length > 0 { // else there is no shape to keep
			fixed, how := thinOut(*p)
			w.Fixed, w.Fix = &fixed, how
		}
		res.Warnings = append(res.Warnings, w)
	}
}

// thinOut leaves out those points that change the shape least, and says by how
// much that changes its size.
func thinOut(p kmlcsv.Placemark) (kmlcsv.Placemark, string) {
	before, what := p.Area+p.Length, "area"
	if p.Length > 0 {
		what = "length"
	}
	// the closing point of a boundary counts with its points
	g := simplify.VisvalingamKeep(api.MaxPoints).Simplify(orb.Clone(p.Geometry))
	fixed := kmlcsv.NewPlacemark(p.Name, g)
	fixed.Country, fixed.City, fixed.Line = p.Country, p.City, p.Line
	change := math.Abs(fixed.Area+fixed.Length-before) / before * 100
	return fixed, fmt.Sprintf(
		"simplifies to %s points; the %s changes by %.3f%%",
		groupDigits(len(fixed.Points())),
		what,
		change,
	)
}

// CountryName returns the English name of a country given by its name, its code
// or the beginning of one name. Where several names begin so, hint asks which.
// What is no country's is taken as it is: the service may know it.
func CountryName(typed string) (name, hint string) {
	var begin []string
	folded := format.Fold(typed)
	for _, c := range places.Countries() {
		name := format.Fold(c.Name)
		if folded == name || folded == format.Fold(c.Code) {
			return c.Name, ""
		}
		if len(folded) > 2 && strings.HasPrefix(name, folded) {
			begin = append(begin, c.Name)
		}
	}
	switch len(begin) {
	case 0:
		return typed, ""
	case 1:
		return begin[0], ""
	default:
		return typed, "which one: " + strings.Join(begin[:min(len(begin), 4)], ", ") + "?"
	}
}
