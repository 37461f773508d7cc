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
	"flightdesk/tui/app/changes"
	"flightdesk/tui/format"
)

// The steps of creating an order.
const (
	StepFiles = iota
	StepSites
	StepDetails
	StepReview
)

// Draft is an order that is being created. It is stored until it is placed.
type Draft struct {
	Sites  []*Site
	Files  []File
	Fields map[string][]string // values of the form by field ID
	Step   int                 // current step of the order page, such as StepFiles
	Row    int                 // ID of the selected site
	LastID int                 `json:"NextID"` // ID of the last created site
	Again  string              // code of the order that the draft repeats, or ""

	ID     string          // identifies the draft in the log of changes
	Placed []PlacedPart    // orders that were placed from parts of the draft
	Sent   *changes.Change `json:"-"` // unconfirmed order, as last read from the log of changes

	Aside bool       // the draft was set aside, so that the user can work on another draft
	file  *draftFile // where the draft is stored
}

// AddFiles adds files and their sites to the draft like [Draft.AddFile]. It returns the first added site, or nil.
func (d *Draft) AddFiles(readings []FileRead) *Site {
	var first *Site
	for _, reading := range readings {
		site := d.AddFile(reading)
		if first == nil {
			first = site
		}
	}
	return first
}

// AddFile adds a file and its sites to the draft. If the draft has the file already, the sites of the new reading
// replace the earlier sites, but what the user has edited is kept. AddFile returns the first site of the file, or nil.
func (d *Draft) AddFile(reading FileRead) *Site {
	file := File{
		Path:     reading.Path,
		Pasted:   reading.Pasted,
		Format:   reading.Result.Format,
		Options:  reading.Options,
		Accounts: reading.Result.Accounts,
	}
	earlier := d.FindFile(file.Path)
	if earlier != nil && reading.Again {
		file.Dropped = earlier.Dropped
	}
	earlierSites := d.sitesBySpot(file.Path)
	d.RemoveFile(file.Path)
	d.addSites(&file, reading.Result)
	d.Files = append(d.Files, file)
	d.restoreEdits(file.Path, earlierSites)
	d.removeDropped(&file)
	sites := d.SitesFrom(file.Path)
	if len(sites) == 0 {
		return nil
	}
	return sites[0]
}

// addSites adds a site for each placemark of a file, and the warnings about them.
func (d *Draft) addSites(file *File, result *kmlcsv.Result) {
	firstIndex := len(d.Sites)
	for _, p := range result.Placemarks {
		s := &Site{ID: d.nextID(), File: file.Path, In: true}
		s.setPlacemark(p)
		d.Sites = append(d.Sites, s)
	}
	for _, w := range result.Warnings {
		d.addWarning(file, firstIndex, w)
	}
	d.setSpots(file.Path)
}

// setSpots sets the spot of each site of a file: its line and its number among the sites of that line, such as "4/1".
func (d *Draft) setSpots(path string) {
	countOfLine := map[int]int{}
	for _, s := range d.SitesFrom(path) {
		countOfLine[s.Line]++
		s.Spot = fmt.Sprintf("%d/%d", s.Line, countOfLine[s.Line])
	}
}

// sitesBySpot returns the sites of a file by their spots.
func (d *Draft) sitesBySpot(path string) map[string]*Site {
	sites := map[string]*Site{}
	for _, s := range d.SitesFrom(path) {
		sites[s.Spot] = s
	}
	return sites
}

// restoreEdits applies the user's changes to the sites of a file that was read again. earlierSites has the
// sites of the earlier reading by their spots.
func (d *Draft) restoreEdits(path string, earlierSites map[string]*Site) {
	for _, s := range d.SitesFrom(path) {
		if earlier := earlierSites[s.Spot]; earlier != nil {
			s.inheritEdits(earlier)
		}
	}
}

// removeDropped removes the sites of a file that the user removed from the draft earlier, so that they do
// not come back when the file is read again.
func (d *Draft) removeDropped(file *File) {
	d.Sites = d.SitesWithout(func(s *Site) bool {
		return s.File == file.Path && slices.Contains(file.Dropped, s.Spot)
	})
}

// RemoveSites removes sites from the draft. They stay removed when their files are read again with other
// options.
func (d *Draft) RemoveSites(sites []*Site) {
	removed := map[*Site]bool{}
	for _, s := range sites {
		removed[s] = true
	}
	d.Files = slices.Clone(d.Files)
	for i := range d.Files {
		f := &d.Files[i]
		f.Dropped = slices.Clone(f.Dropped)
		for spot, s := range d.sitesBySpot(f.Path) {
			if removed[s] {
				f.Dropped = append(f.Dropped, spot)
			}
		}
	}
	d.Sites = d.SitesWithout(func(s *Site) bool { return removed[s] })
}

// RemoveFile removes a file and all its sites from the draft.
func (d *Draft) RemoveFile(path string) {
	d.Sites = d.SitesWithout(func(s *Site) bool { return s.File == path })
	d.Files = slices.DeleteFunc(slices.Clone(d.Files), func(f File) bool { return f.Path == path })
}

// SitesWithout returns the sites of the draft, except those for which drop returns true. The draft is not
// changed.
func (d *Draft) SitesWithout(drop func(*Site) bool) []*Site {
	return slices.DeleteFunc(slices.Clone(d.Sites), drop)
}

// SitesFrom returns the sites of a file.
func (d *Draft) SitesFrom(path string) []*Site {
	return d.SitesWithout(func(s *Site) bool { return s.File != path })
}

// SaveState records the state of the draft before an edit: its lists of sites and files,
// its values, and the content of the sites that the edit changes. The returned function
// swaps the recorded and the current state: the first call undoes the edit, the next call
// redoes it. Edits must be undone in reverse order.
func (d *Draft) SaveState(changing []*Site) (swap func()) {
	// Clipped slices are copied when the edit appends to them.
	d.Sites = slices.Clip(d.Sites)
	d.Files = slices.Clip(d.Files)
	sites := d.Sites
	files := d.Files
	fields := d.Fields
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

// addWarning adds a warning about a file to the site that it is about. If the placemark could not be read,
// it adds a site for the placemark first. A warning about the whole file is added to the notes of the
// file. firstIndex is the index of the file's first site.
func (d *Draft) addWarning(file *File, firstIndex int, w kmlcsv.Warning) {
	message := describeWarning(w, file.Format)
	siteIndex := firstIndex + w.Index
	hasSite := w.Index >= 0 && siteIndex < len(d.Sites)
	if hasSite {
		d.Sites[siteIndex].addWarning(message, w)
		return
	}
	if w.Skipped {
		d.addSkippedSite(file, message, w)
		return
	}
	file.Notes = append(file.Notes, message)
}

// addWarning adds a warning to the site. If the warning suggests a corrected placemark, the user can
// accept it with [Site.ApplyFix].
func (s *Site) addWarning(message string, w kmlcsv.Warning) {
	s.Warnings = append(s.Warnings, message)
	if w.Fixed != nil {
		s.Fixed = w.Fixed
		s.Fix = w.Fix
	}
}

// addSkippedSite adds a site for a placemark that could not be read. The user can correct or remove the site.
func (d *Draft) addSkippedSite(file *File, message string, w kmlcsv.Warning) {
	s := &Site{
		ID:   d.nextID(),
		File: file.Path,
		Name: cmp.Or(w.Placemark, lineName(w.Line, file.Format)),
		Type: api.MissionAsset,
		Line: w.Line,
	}
	s.addWarning(message, w)
	if w.Fixed != nil {
		s.Type = api.MissionType(w.Fixed.Kind())
	}
	d.Sites = append(d.Sites, s)
}

// LastFolder returns the folder of the file that was added last, or "".
func (d *Draft) LastFolder() string {
	for _, f := range slices.Backward(d.Files) {
		if f.Pasted == "" {
			return filepath.Dir(f.Path)
		}
	}
	return ""
}

// FindFile returns the file with the given path, or nil.
func (d *Draft) FindFile(path string) *File {
	for i := range d.Files {
		if d.Files[i].Path == path {
			return &d.Files[i]
		}
	}
	return nil
}

// NewPastedName returns an unused name for pasted text.
func (d *Draft) NewPastedName() string {
	name := "pasted text"
	for n := 2; d.FindFile(name) != nil; n++ {
		name = fmt.Sprintf("pasted text %d", n)
	}
	return name
}

// SiteOrigins lists the names of the draft's files. If the draft repeats an order and has no files, it
// names the order.
func (d *Draft) SiteOrigins(separator string) string {
	if d.Again != "" && len(d.Files) == 0 {
		return d.Again + " again"
	}
	names := make([]string, len(d.Files))
	for i, f := range d.Files {
		names[i] = f.Name()
	}
	return strings.Join(names, separator)
}

// Clone returns a copy that can be written while the draft changes. Geometries are shared, because
// they are replaced and never modified.
func (d *Draft) Clone() *Draft {
	clone := *d
	clone.Sites = make([]*Site, len(d.Sites))
	for i, s := range d.Sites {
		site := *s
		clone.Sites[i] = &site
	}
	clone.Files = slices.Clone(d.Files)
	clone.Fields = maps.Clone(d.Fields)
	clone.Placed = slices.Clone(d.Placed)
	return &clone
}

// NewDraft returns a draft without sites.
func NewDraft() *Draft {
	return &Draft{ID: rand.Text(), Fields: map[string][]string{}, file: &draftFile{}}
}

// ComposeDraft creates a draft from survey files and values of the order form. Fields without a value get
// the same suggestions as in the form. country is the country of sites without one; it may be "".
func ComposeDraft(files []FileRead, values map[string][]string, company, country string) *Draft {
	d := NewDraft()
	for _, f := range files {
		d.AddFile(f)
	}
	for _, s := range d.IncludedSites() {
		s.Country = cmp.Or(s.Country, country)
	}
	for id, values := range values {
		f, _ := FieldByID(id)
		d.Fields[id] = f.withAlways(values)
	}
	d.SuggestValues(company)
	return d
}

// SuggestValues fills in suggestions for the fields that have no value.
func (d *Draft) SuggestValues(company string) {
	suggestions := map[string][]string{
		"companyName":      {company},
		"orderName":        {d.suggestName()},
		"sensors":          {"rgbSensor"},
		"deliverables":     {string(api.DeliverableJPG), "_2dMap"},
		"missionObjective": {"mapAndSurvey"},
		"startDate":        {"in 2 weeks"},
		"deadline":         {"in 4 weeks"},
	}
	for id, values := range suggestions {
		if _, typed := d.Fields[id]; !typed {
			d.Fields[id] = values
		}
	}
}

// nextID returns the ID for a new site.
func (d *Draft) nextID() int {
	d.LastID++
	return d.LastID
}

// IncludedSites returns the sites that are included and not placed yet.
func (d *Draft) IncludedSites() []*Site {
	return d.SitesWithout(func(s *Site) bool { return !s.In || s.Placed })
}

// SizeTexts returns the total area, length and number of asset points of the included
// sites. Zero sums are left out.
func (d *Draft) SizeTexts(units format.Units) (texts []string) {
	area := 0.0
	length := 0.0
	points := 0
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

// suggestName suggests an order name: the name of the first file, or of the first site if the sites
// were pasted, typed or read from standard input.
func (d *Draft) suggestName() string {
	if len(d.Files) == 0 || d.Files[0].Name() == "-" || d.Files[0].Pasted != "" {
		sites := d.IncludedSites()
		if len(sites) == 0 {
			return ""
		}
		return sites[0].Name
	}
	name := d.Files[0].Name()
	name = strings.TrimSuffix(name, filepath.Ext(name))
	name = strings.ToValidUTF8(name, "") // file names can contain any bytes
	return strings.Join(strings.Fields(strings.ReplaceAll(name, "_", " ")), " ")
}

func (d *Draft) FieldValue(id string) string { return strings.Join(d.Fields[id], ",") }

func (d *Draft) OrderType() api.OrderType { return orderTypeOf(d.IncludedSites()) }

func orderTypeOf(sites []*Site) api.OrderType {
	if len(sites) == 1 {
		return api.SingleLocation
	}
	return api.MultiLocation
}

// convertTexts converts texts to another string type.
func convertTexts[T, F ~string](values []F) []T {
	out := make([]T, len(values))
	for i, v := range values {
		out[i] = T(v)
	}
	return out
}
