package kmlcsv

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/paulmach/orb"
)

// The formats of GIS files and receivers.
const (
	FormatGPX       Format = "gpx"
	FormatShapefile Format = "shapefile"
)

// feature is a record of a layer or a list: its geometry and its attributes.
type feature struct {
	names   []string           // names of the attributes, usually the same for all features of a layer
	text    func(i int) string // returns the value of attribute i, or "" if it has none
	figures []rawFigure
	problem *Error // why the geometry, or a part of it, cannot be read; or nil
	note    string // what had to be assumed about the geometry, or ""
}

// fieldRoles says which attributes have the name, the country and the city of a feature.
type fieldRoles struct {
	names   []string // names of all attributes
	labels  []int    // indexes of the attributes that can name a feature, the best first
	country int      // index, -1 for none
	city    int      // index, -1 for none
}

func newFieldRoles(names []string, chosen string) *fieldRoles {
	h := newHeaderFinder(names)
	r := &fieldRoles{names: names, country: h.findColumn(countryNames), city: h.findColumn(cityNames)}
	ranks := make(map[int]int)
	for i, name := range names {
		rank := nameRank(h.columns[i].folded)
		if name == chosen && chosen != "" {
			rank = 1
		}
		if rank > 0 {
			ranks[i] = rank
			r.labels = append(r.labels, i)
		}
	}
	slices.SortStableFunc(r.labels, func(a, b int) int { return cmp.Compare(ranks[a], ranks[b]) })
	return r
}

var (
	// rowCounters are the names of attributes that only number the features.
	rowCounters = []string{"id", "fid", "objectid", "gid", "oid", "ogcfid"}

	nameWords = newPattern(
		`name|nom$|^nom|nombre|naam|navn|namn|nazwa|nimi|label|titel|title|titulo|bezeich|名|番|号`)
	codeWords = newPattern(
		`^cod|code|kod|kenn|parcel|plot|flurst|tower|mast|pole|turbine|wtg|ref|nr$|num|id$|ident`)
	otherWords = newPattern(`country|city|town|user|owner|street|state|county|region|layer|file|type|style|` +
		`author|operator|contact|company|organi|globalid|uuid|shape|color|zip|post|crs|epsg|srid`)
)

// nameRank returns a rank that says how likely an attribute has the name of its feature. folded is the name of the
// attribute in the form that foldName returns. The best rank is 2, and larger numbers are worse. The result is 0 if the
// attribute cannot have the name of the feature.
func nameRank(folded string) int {
	if i := slices.Index(labelNames, folded); i >= 0 {
		return 2 + i
	}
	if slices.Contains(rowCounters, folded) {
		return 900
	}
	if i := slices.Index(idNames, folded); i >= 0 {
		return 200 + i
	}
	if otherWords().MatchString(folded) {
		return 0
	}
	if nameWords().MatchString(folded) {
		return 300
	}
	if codeWords().MatchString(folded) {
		return 400
	}
	return 0
}

// addFeature adds a feature as a site. It takes the name, the country and the city of the site from the attributes.
// It returns an error if the rest of the file must not be read.
func (b *resultBuilder) addFeature(f feature) *Error {
	f.names = f.names[:min(len(f.names), maxColumns)]
	b.updateRoles(f.names)
	since := b.startRecord()
	b.addToLayout(&f)
	b.startPlacemark(b.draft.line + 1) // the line is the number of the feature
	b.draft.name = b.featureName(&f)
	b.warnFeature(&f)
	if failed := b.addFigures(f.figures); failed != nil {
		b.account().Skipped++ // the returned error says why
		b.detachWarnings()
		return failed
	}
	if i := b.roles.country; i >= 0 {
		b.draft.country = b.makeName([]byte(f.text(i)))
	}
	if i := b.roles.city; i >= 0 {
		b.draft.city = b.makeName([]byte(f.text(i)))
	}
	b.finishPlacemark()
	b.countRecord(since)
	return b.stop // set if reading takes too long, was cancelled, or gave too many sites
}

// updateRoles finds the attributes that have the name, the country and the city. It does nothing if the feature has
// the same attributes as the previous feature.
func (b *resultBuilder) updateRoles(names []string) {
	if b.roles == nil || !slices.Equal(b.roles.names, names) {
		b.roles = newFieldRoles(slices.Clone(names), b.opts.NameAttribute)
	}
}

// warnFeature adds a warning if the feature has no geometry, if the geometry cannot be read completely, or if the
// geometry could only be read with an assumption. The shapes that could be read are still added by addFigures.
func (b *resultBuilder) warnFeature(f *feature) {
	if f.problem != nil {
		b.skipPlacemark(f.problem)
		return
	}
	if len(f.figures) == 0 {
		b.skipPlacemark(noCoordinates)
		return
	}
	if f.note != "" {
		b.warnPlacemark(PlaceGuessed, "%s", f.note)
	}
}

// addFigures adds the shapes of a feature. If the coordinates are too large for degrees and the reference system is
// not known, it asks the user for the reference system.
func (b *resultBuilder) addFigures(figures []rawFigure) *Error {
	for _, figure := range figures {
		if b.system == nil && len(figure.points) > 0 && isProjected(figure.points[0]) {
			return b.askSystem(figure.points[0][0], figure.points[0][1])
		}
		b.addChecked(figure)
	}
	return nil
}

// isProjected reports whether the coordinates of a position are too large for degrees but possible in a projected
// system.
func isProjected(p orb.Point) bool {
	return isFar(p[0], p[1]) && max(math.Abs(p[0]), math.Abs(p[1])) <= maxProjected
}

// maxProjected is the largest number that can be an easting or a northing, in metres or feet.
const maxProjected = 1e9

// featureName returns the name for a feature: the best attribute that is not empty, otherwise "Placemark" and the
// number of the feature.
func (b *resultBuilder) featureName(f *feature) string {
	for _, i := range b.roles.labels {
		if name := b.makeName([]byte(f.text(i))); name != "" {
			return name
		}
	}
	return fmt.Sprintf("Placemark %d", b.draft.line)
}

// addToLayout adds the attributes of a feature as a row to the table that the result shows to the user. The columns
// of this table are the attributes of the first feature. Only the first features are added.
func (b *resultBuilder) addToLayout(f *feature) {
	l := &b.res.Layout
	if len(l.Rows) >= layoutRows {
		return
	}
	if len(l.Rows) == 0 {
		b.startLayout()
	}
	row := make([]string, len(l.Rows[0]))
	for column, name := range l.Rows[0] {
		if i := f.indexOf(name, column); i >= 0 {
			row[column] = layoutText(strings.TrimSpace(f.text(i)))
		}
	}
	l.Rows = append(l.Rows, row)
}

// startLayout starts the table that the result shows to the user. It adds the names of the attributes as the header,
// and marks the attribute with the names of the sites.
func (b *resultBuilder) startLayout() {
	l := &b.res.Layout
	b.res.Header = b.roles.names
	l.Rows = append(l.Rows, b.roles.names)
	l.HeaderRow = 1
	if b.opts.NameAttribute != "" {
		l.Name = b.opts.NameAttribute
	} else if len(b.roles.labels) > 0 {
		l.Name = b.roles.names[b.roles.labels[0]]
	}
}

// indexOf returns the index of the attribute with the given name, or -1. Several attributes can have this name. If the
// attribute at the index expected is one of them, indexOf returns this index, otherwise the first.
func (f *feature) indexOf(name string, expected int) int {
	if expected < len(f.names) && f.names[expected] == name {
		return expected
	}
	return slices.Index(f.names, name)
}

// finishGIS returns the result of a file that consists of features, or an error if there are no sites.
func (b *resultBuilder) finishGIS() (*Result, *Error) {
	return b.finishResult(newError(NoPlacemarks, "no features in the file"))
}
