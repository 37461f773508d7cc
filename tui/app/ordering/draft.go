package ordering

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"flightdesk/api"
	"flightdesk/kmlcsv"
	"flightdesk/tui/format"
)

// The steps in which an order is made.
const (
	StepFiles = iota
	StepSites
	StepDetails
	StepReview
)

// Draft is an order being made. It is kept until it is placed.
type Draft struct {
	Sites  []*Site
	Files  []File
	Fields map[string][]string // the order form's values by field
	Step   int
	Row    int // id of the site that is selected
	NextID int
	Again  string // code of the order that it repeats

	ID     string       // names the draft in the ledger
	Placed []PlacedPart // orders that parts of the draft have become
	Sent   *LedgerEntry `json:"-"` // order that was sent and is not confirmed, as last read from the ledger

	Aside bool       // another draft was worked on then
	file  *draftFile // where it is kept
}

// AddFile takes the result of reading a file into the draft, in the place of what
// was read from the same file before, and returns its first site.
func (d *Draft) AddFile(read FileRead) *Site {
	res := read.Result
	file := File{Path: read.Path, Pasted: read.Pasted, Format: res.Format, Options: read.Options, Accounts: res.Accounts}
	before := d.sitesBySpot(file.Path)
	if old := d.FindFile(file.Path); old != nil && read.Again {
		file.Dropped = old.Dropped
	}
	d.RemoveFile(file.Path)
	first := len(d.Sites)
	for _, p := range res.Placemarks {
		s := &Site{ID: d.nextID(), File: file.Path, In: true}
		s.takePlacemark(p)
		d.Sites = append(d.Sites, s)
	}
	for _, w := range res.Warnings {
		d.addWarning(&file, first, w)
	}
	d.Files = append(d.Files, file)
	for place, s := range d.sitesBySpot(file.Path) {
		if old := before[place]; old != nil {
			s.inheritEdits(old)
		}
	}
	d.Sites = slices.DeleteFunc(d.Sites, func(s *Site) bool {
		return s.File == file.Path && slices.Contains(file.Dropped, s.Spot)
	})
	return cmp.Or(d.Sites[first:]...)
}

// sitesBySpot returns a file's sites by where they stand in it: the line, and which one
// of that line it is.
func (d *Draft) sitesBySpot(path string) map[string]*Site {
	count, places := map[int]int{}, map[string]*Site{}
	for _, s := range d.SitesFrom(path) {
		count[s.Line]++
		s.Spot = cmp.Or(s.Spot, fmt.Sprintf("%d/%d", s.Line, count[s.Line]))
		places[s.Spot] = s
	}
	return places
}

// RemoveSites takes sites out of the draft. They stay out when their files are
// read in another way.
func (d *Draft) RemoveSites(sites []*Site) {
	removed := map[*Site]bool{}
	for _, s := range sites {
		removed[s] = true
	}
	d.Files = slices.Clone(d.Files)
	for i := range d.Files {
		f := &d.Files[i]
		f.Dropped = slices.Clone(f.Dropped)
		for place, s := range d.sitesBySpot(f.Path) {
			if removed[s] {
				f.Dropped = append(f.Dropped, place)
			}
		}
	}
	d.Sites = d.SitesWithout(func(s *Site) bool { return removed[s] })
}

// RemoveFile takes a file and all of its sites out of the draft.
func (d *Draft) RemoveFile(path string) {
	d.Sites = d.SitesWithout(func(s *Site) bool { return s.File == path })
	d.Files = slices.DeleteFunc(slices.Clone(d.Files), func(f File) bool { return f.Path == path })
}

// SitesWithout returns the sites but for those to drop.
func (d *Draft) SitesWithout(drop func(*Site) bool) []*Site {
	return slices.DeleteFunc(slices.Clone(d.Sites), drop)
}

// SitesFrom returns a file's sites.
func (d *Draft) SitesFrom(path string) []*Site {
	return d.SitesWithout(func(s *Site) bool { return s.File != path })
}

// SaveState keeps the draft as it is before it is edited: which sites, files and
// values it has, and the content of those sites that the edit changes. What it
// returns exchanges that with the draft's state: once undoes the edit, twice does it
// again. Edits are undone in turn, the last one first.
func (d *Draft) SaveState(changing []*Site) (swap func()) {
	d.Sites, d.Files = slices.Clip(d.Sites), slices.Clip(d.Files) // what is added goes to another array
	sites, files, fields := d.Sites, d.Files, d.Fields
	values := make([]Site, len(changing))
	for i, s := range changing {
		values[i] = *s
	}
	return func() {
		d.Sites, sites = sites, d.Sites
		d.Files, files = files, d.Files
		d.Fields, fields = fields, d.Fields
		for i, s := range changing {
			*s, values[i] = values[i], *s
		}
	}
}

// addWarning puts a warning where it belongs: to the site it is about, to a site of
// its own that was not read, or to the file.
func (d *Draft) addWarning(file *File, first int, w kmlcsv.Warning) {
	line := lineName(w.Line, file.Format)
	message := describeWarning(w, file.Format)
	switch {
	case w.Index >= 0 && first+w.Index < len(d.Sites):
		s := d.Sites[first+w.Index]
		s.Warnings = append(s.Warnings, message)
		if w.Fixed != nil {
			s.Fixed, s.Fix = w.Fixed, w.Fix
		}
	case w.Skipped:
		s := &Site{
			ID:       d.nextID(),
			File:     file.Path,
			Name:     cmp.Or(w.Placemark, line),
			Fixed:    w.Fixed,
			Fix:      w.Fix,
			Warnings: []string{message},
			Type:     api.MissionAsset,
			Line:     w.Line,
		}
		if w.Fixed != nil {
			s.Type = api.MissionType(w.Fixed.Kind())
		}
		d.Sites = append(d.Sites, s)
	default:
		file.Notes = append(file.Notes, message)
	}
}

// LastFolder returns where the file that was added last is, "" for none.
func (d *Draft) LastFolder() string {
	for _, f := range slices.Backward(d.Files) {
		if f.Pasted == "" {
			return filepath.Dir(f.Path)
		}
	}
	return ""
}

// FindFile returns the file of a path, nil where the draft has none.
func (d *Draft) FindFile(path string) *File {
	for i := range d.Files {
		if d.Files[i].Path == path {
			return &d.Files[i]
		}
	}
	return nil
}

// NewPastedName returns a name for a pasted text that no other file of the draft has.
func (d *Draft) NewPastedName() string {
	name := "pasted text"
	for n := 2; d.FindFile(name) != nil; n++ {
		name = fmt.Sprintf("pasted text %d", n)
	}
	return name
}

// SiteOrigins say where the sites are from: the files, or the order repeated.
func (d *Draft) SiteOrigins(between string) string {
	if d.Again != "" && len(d.Files) == 0 {
		return d.Again + " again"
	}
	names := make([]string, len(d.Files))
	for i, f := range d.Files {
		names[i] = f.Name()
	}
	return strings.Join(names, between)
}

// Clone returns the draft as it is now, so that it can be written while the one
// on the screen changes. The places are shared: they are replaced, never
// changed.
func (d *Draft) Clone() *Draft {
	as := *d
	as.Sites, as.Files = slices.Clone(d.Sites), slices.Clone(d.Files)
	for i, s := range as.Sites {
		site := *s
		as.Sites[i] = &site
	}
	as.Fields, as.Placed = maps.Clone(d.Fields), slices.Clone(d.Placed)
	return &as
}

// NewDraft returns a draft without sites.
func NewDraft() *Draft {
	return &Draft{ID: rand.Text(), Fields: map[string][]string{}, file: &draftFile{}}
}

func (d *Draft) nextID() int {
	d.NextID++
	return d.NextID
}

// IncludedSites returns the sites that are in the order, and not placed yet.
func (d *Draft) IncludedSites() []*Site {
	return d.SitesWithout(func(s *Site) bool { return !s.In || s.Placed })
}

// SizeTexts returns the area, the length and the points of assets of the included sites,
// as far as there are any.
func (d *Draft) SizeTexts(units format.Units) (texts []string) {
	area, length, points := 0.0, 0.0, 0
	for _, s := range d.IncludedSites() {
		area += s.Area
		length += s.Length
		if s.Type == api.MissionAsset {
			points += len(s.Points())
		}
	}
	if area > 0 {
		texts = append(texts, units.Area(area))
	}
	if length > 0 {
		texts = append(texts, format.Length(length))
	}
	if points > 0 {
		texts = append(texts, pointCount(points))
	}
	return texts
}

// suggestName suggests an order name from the first file's, or where there is none from
// the first site's.
func (d *Draft) suggestName() string {
	if len(d.Files) == 0 || d.Files[0].Name() == "-" || d.Files[0].Pasted != "" { // "-" is standard input
		if in := d.IncludedSites(); len(in) > 0 {
			return in[0].Name // made by hand
		}
		return ""
	}
	base := d.Files[0].Name()
	base = strings.ToValidUTF8(strings.TrimSuffix(base, filepath.Ext(base)), "") // a file's name is any bytes
	return strings.Join(strings.Fields(strings.ReplaceAll(base, "_", " ")), " ")
}

func (d *Draft) FieldValue(id string) string { return strings.Join(d.Fields[id], ",") }

func (d *Draft) OrderType() api.OrderType { return orderTypeOf(d.IncludedSites()) }

func orderTypeOf(sites []*Site) api.OrderType {
	if len(sites) == 1 {
		return api.SingleLocation
	}
	return api.MultiLocation
}

// convertTexts returns texts as those of another type.
func convertTexts[T, F ~string](values []F) []T {
	out := make([]T, len(values))
	for i, v := range values {
		out[i] = T(v)
	}
	return out
}
