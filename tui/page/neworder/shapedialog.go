package neworder

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/kmlcsv"
	"flightdesk/kmlcsv/shape"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/geomap"
)

// shapeKinds describe the kinds of operations in the dialog.
var shapeKinds = []widget.Option{
	{Value: string(shape.CircleKind), Label: "Circle", Help: "Area around each point", Quiet: true},
	{Value: string(shape.RectangleKind), Label: "Rectangle", Help: "Area around each point", Quiet: true},
	{Value: string(shape.CorridorKind), Label: "Corridor", Help: "Area along each line", Quiet: true},
	{Value: string(shape.GrowKind), Label: "Grow", Help: "Larger on all sides", Quiet: true},
	{Value: string(shape.ShrinkKind), Label: "Shrink", Help: "Smaller on all sides", Quiet: true},
	{Value: string(shape.SplitKind), Label: "Split", Help: "Equal parts along the long side", Quiet: true},
	{Value: string(shape.SimplifyKind), Label: "Simplify", Help: "Fewer points", Quiet: true},
	{Value: string(shape.HullKind), Label: "Hull", Help: "One area around all sites", Quiet: true},
}

// shapeDialog asks which shapes are made of sites, and shows them on a map before they replace
// the sites.
type shapeDialog struct {
	widget.FormDialog
	m       *sitesStep
	sites   []*ordering.Site
	asked   page.Question
	made    madeShapes
	siteMap *page.SiteMap
}

// madeShapes are the shapes of an operation.
type madeShapes struct {
	op     shape.Operation
	shapes [][]orb.Geometry // of each site; nil for a site that stays unchanged
	joined orb.Geometry     // of all sites; nil unless the operation joins them
	stay   int              // sites that stay unchanged
	err    error
}

// askShape opens the dialog for the chosen sites, with the shape that was made last or, if that
// does not fit, the first that fits.
func (m *sitesStep) askShape(kind shape.Kind) tea.Cmd {
	d := &shapeDialog{m: m, sites: m.chosenSites(), siteMap: page.NewSiteMap()}
	options := shapesFor(d.sites)
	field := &widget.Field{Label: "Shape", Kind: widget.ChoiceField, Options: options}
	d.FormDialog = widget.FormDialog{
		Title:    "Shape of " + siteNames(d.sites),
		Form:     widget.NewForm(20, m.Env.Clock.Now, field),
		Yes:      "apply",
		OnSave:   d.apply,
		OnChange: d.update,
		Below:    d.renderPreview,
	}
	fits := func(o widget.Option) bool { return o.Value == string(kind) }
	if !slices.ContainsFunc(options, fits) {
		kind = shape.Kind(options[0].Value)
	}
	field.Set(string(kind))
	d.showFields()
	m.Env.Nav.Overlay(d)
	return d.compute()
}

// shapesFor returns the kinds of operations that can be done with one of some sites.
func shapesFor(sites []*ordering.Site) []widget.Option {
	return slices.DeleteFunc(slices.Clone(shapeKinds), func(o widget.Option) bool {
		op := shape.Operation{Kind: shape.Kind(o.Value)}
		fits := func(s *ordering.Site) bool { return op.AppliesTo(s.ShapeOf()) }
		return !slices.ContainsFunc(sites, fits)
	})
}

// shapeRefusal says why no shape can be made of the chosen sites, or returns "".
func (m *sitesStep) shapeRefusal(s *ordering.Site) string {
	for _, chosen := range m.chosenSites() {
		if chosen.Geometry == nil {
			return chosen.Name + " has no usable coordinates"
		}
	}
	return placedReason(s)
}

// number returns a field for a number in a unit.
func number(id, label, unit, help string, least, most float64) *widget.Field {
	return &widget.Field{ID: id, Label: label, Kind: widget.NumberField, Unit: unit, Help: help, Least: least, Most: most}
}

// roundChoice returns a field with two kinds of ends or corners.
func roundChoice(label, plain, plainHelp, roundHelp string) *widget.Field {
	return &widget.Field{Label: label, Kind: widget.ChoiceField, Options: []widget.Option{
		{Value: plain, Label: plain, Help: plainHelp, Quiet: true},
		{Value: "round", Label: "round", Help: roundHelp, Quiet: true},
	}}
}

// shapeValues are the values that the fields begin with, until others were applied.
var shapeValues = map[string]string{
	"radius": "50", "width": "200", "height": "100", "bearing": "0", "corridor": "40", "grow": "20", "shrink": "20",
	"within": "2", "largest": "25", "ends": "flat", "corners": "sharp",
}

// shapeFields returns the fields of a kind.
func shapeFields(kind shape.Kind) []*widget.Field {
	const most = 100_000
	switch kind {
	case shape.CircleKind:
		return []*widget.Field{number("radius", "Radius", "m", "Metres around the point", 0.1, most)}
	case shape.RectangleKind:
		return []*widget.Field{
			number("width", "Width", "m", "Across the bearing", 0.1, most),
			number("height", "Height", "m", "Along the bearing", 0.1, most),
			number("bearing", "Bearing", "°", "Direction of the height, clockwise from north", 0, 360),
		}
	case shape.CorridorKind:
		return []*widget.Field{
			number("corridor", "Width", "m", "Half of it on each side of the line", 0.1, most),
			roundChoice("Ends", "flat", "Ends with the line", "Half a circle beyond the ends"),
		}
	case shape.GrowKind:
		return []*widget.Field{
			number("grow", "Distance", "m", "Added on all sides", 0.1, most),
			roundChoice("Corners", "sharp", "Few points", "All within the distance"),
		}
	case shape.ShrinkKind:
		return []*widget.Field{number("shrink", "Distance", "m", "Taken away on all sides", 0.1, most)}
	case shape.SimplifyKind:
		return []*widget.Field{
			number("within", "Within", "m", "How far the shape may move", 0.01, most),
			number("points", "Points", "", "Most points to leave, instead of a distance", 0, 0),
		}
	case shape.SplitKind:
		return []*widget.Field{number("largest", "Largest part", "ha", "Each part has at most this area", 0.01, 1e6)}
	case shape.HullKind:
	}
	return nil
}

func (d *shapeDialog) kind() shape.Kind { return shape.Kind(d.Form.Field("shape").Value()) }

// showFields shows the fields of the chosen kind. Values that were typed stay.
func (d *shapeDialog) showFields() {
	known := map[string]bool{}
	for _, f := range d.Form.Fields {
		known[f.ID] = true
	}
	d.Form.SetFields(append([]*widget.Field{d.Form.Field("shape")}, shapeFields(d.kind())...)...)
	for _, f := range d.Form.Fields {
		if value, ok := d.m.shapeValues[f.ID]; ok && !known[f.ID] {
			f.Set(value)
		}
	}
}

// update shows the fields of another kind, and computes the shapes with the values.
func (d *shapeDialog) update(f *widget.Form) tea.Cmd {
	if f.Focused().ID == "shape" {
		d.showFields()
	}
	d.Fault = ""
	return d.compute()
}

// operation returns the operation that the form describes, or the error of the first field that
// is not filled in.
func (d *shapeDialog) operation() (shape.Operation, error) {
	op := shape.Operation{Kind: d.kind()}
	var failed error
	value := func(id string) float64 {
		f := d.Form.Field(id)
		v, err := f.Number()
		if err != nil && failed == nil {
			failed = fmt.Errorf("%s: %w", f.Label, err)
		}
		return v
	}
	switch op.Kind {
	case shape.CircleKind:
		op.Metres = value("radius")
	case shape.RectangleKind:
		op.Width, op.Height, op.Bearing = value("width"), value("height"), value("bearing")
	case shape.CorridorKind:
		op.Metres = value("corridor")
		op.Round = d.Form.Field("ends").Value() == "round"
	case shape.GrowKind:
		op.Metres = value("grow")
		op.Round = d.Form.Field("corners").Value() == "round"
	case shape.ShrinkKind:
		op.Metres = value("shrink")
	case shape.SimplifyKind:
		if d.Form.Field("points").Value() != "" {
			op.Points = int(value("points"))
			if op.Points < 3 && failed == nil {
				failed = errors.New("leave at least 3 points")
			}
		} else {
			op.Metres = value("within")
		}
	case shape.SplitKind:
		op.Area = value("largest") * 10_000
	case shape.HullKind:
	}
	return op, failed
}

// compute makes the shapes in the background: intricate ones take a second.
func (d *shapeDialog) compute() tea.Cmd {
	op, err := d.operation()
	if err != nil {
		d.asked.DropAnswer()
		d.showMade(madeShapes{op: op, err: err})
		return nil
	}
	geometries := make([]orb.Geometry, len(d.sites))
	for i, s := range d.sites {
		geometries[i] = s.ShapeOf()
	}
	names := make([]string, len(d.sites))
	for i, s := range d.sites {
		names[i] = s.Name
	}
	ask := func(ctx context.Context) (madeShapes, error) { return makeShapes(ctx, op, geometries, names), nil }
	return page.AskInBackground(d.m.p.base, &d.asked, ask, func(made madeShapes, _ error) tea.Cmd {
		d.showMade(made)
		return nil
	})
}

// makeShapes applies an operation to the geometries of sites.
func makeShapes(ctx context.Context, op shape.Operation, geometries []orb.Geometry, names []string) madeShapes {
	made := madeShapes{op: op, shapes: make([][]orb.Geometry, len(geometries))}
	if op.JoinsAll() {
		made.joined, made.err = op.ApplyToAll(geometries)
		return made
	}
	for i, g := range geometries {
		if ctx.Err() != nil {
			made.err = ctx.Err()
			return made
		}
		if !op.AppliesTo(g) {
			made.stay++
			continue
		}
		shapes, err := op.Apply(g)
		if err != nil {
			made.err = fmt.Errorf("%s: %w", names[i], err)
			return made
		}
		made.shapes[i] = shapes
	}
	return made
}

// all returns the shapes of all sites.
func (s *madeShapes) all() []orb.Geometry {
	if s.joined != nil {
		return []orb.Geometry{s.joined}
	}
	return slices.Concat(s.shapes...)
}

// showMade shows shapes on the map, above the sites that they are made of.
func (d *shapeDialog) showMade(made madeShapes) {
	d.made = made
	var features []geomap.Feature
	for _, s := range d.sites {
		f := siteFeature(s)
		f.ID, f.Label, f.Role = "old "+f.ID, "", theme.Muted
		features = append(features, f)
	}
	for i, g := range made.all() {
		features = append(features, geomap.Feature{ID: fmt.Sprint(i), Geometry: g, Role: theme.Accent})
	}
	d.siteMap.Model.SetFeatures(features)
	d.siteMap.Model.FitAll()
}

// renderPreview says what is made, above its map.
func (d *shapeDialog) renderPreview(w, h int) []string {
	th := d.m.Env.Look.Theme
	role, text := d.describeMade()
	lines := th.RaiseLines(role, w, text)
	if rest := h - len(lines); rest > 3 && !th.Linear {
		lines = append(lines, format.SplitLines(d.siteMap.View(th, w, rest))...)
	}
	return lines[:min(len(lines), h)]
}

// describeMade says what is made of the sites.
func (d *shapeDialog) describeMade() (theme.Role, string) {
	if d.asked.IsOpen() {
		return theme.Muted, "Computing…"
	}
	if d.made.err != nil {
		return theme.Bad, "! " + format.CapitalizeFirst(d.made.err.Error())
	}
	count, area, length, points := 0, 0.0, 0.0, 0
	for _, g := range d.made.all() {
		p := kmlcsv.NewPlacemark("", g)
		area += p.Area
		length += p.Length
		points += len(p.Points())
		count++
	}
	parts := []string{format.Count(count, "area")}
	if length > 0 {
		parts = []string{format.Count(count, "shape"), format.Length(length)}
	}
	if area > 0 {
		parts = append(parts, d.m.Env.Look.Units.Area(area))
	}
	parts = append(parts, format.Count(points, "point"), "from "+siteCount(len(d.sites)-d.made.stay))
	if d.made.stay > 0 {
		parts = append(parts, format.Count(d.made.stay, "site")+" unchanged")
	}
	role := theme.Text
	if points > api.MaxPoints {
		role = theme.Attention
	}
	return role, strings.Join(parts, " · ")
}

// apply replaces the sites by the shapes.
func (d *shapeDialog) apply() tea.Cmd {
	if d.asked.IsOpen() {
		d.Fault = "still computing"
		return nil
	}
	if d.made.err != nil {
		d.Fault = d.made.err.Error()
		return nil
	}
	for _, f := range d.Form.Fields[1:] {
		d.m.shapeValues[f.ID] = f.Value()
	}
	d.m.lastShape = d.made.op.Kind
	return d.m.replaceByShapes(d.sites, &d.made)
}

// replaceByShapes gives sites the shapes that were made of them. A site of several shapes
// becomes several sites.
func (m *sitesStep) replaceByShapes(sites []*ordering.Site, made *madeShapes) tea.Cmd {
	done := string(made.op.Kind) + ": " + siteNames(sites)
	if made.joined != nil {
		hull := m.draft.NewShapedSite(sites, ordering.CommonName(sites), made.joined)
		return m.replaceSites(sites, []*ordering.Site{hull}, "made a hull of")
	}
	var changing []*ordering.Site
	for i, s := range sites {
		if len(made.shapes[i]) == 1 {
			changing = append(changing, s)
		}
	}
	return m.p.editDraft(page.UndoMsg{Text: done}, changing, func() {
		m.marks.clearMarks()
		for i, s := range sites {
			m.reshapeSite(s, made.shapes[i])
		}
		m.reloadSites(nil)
	})
}

// reshapeSite gives a site its shape, or replaces it by a site for each of several shapes.
func (m *sitesStep) reshapeSite(s *ordering.Site, shapes []orb.Geometry) {
	if len(shapes) == 0 {
		return
	}
	isIn := s.In
	if len(shapes) == 1 {
		s.MoveTo(shapes[0])
		s.In = isIn
		return
	}
	parts := make([]*ordering.Site, len(shapes))
	for i, g := range shapes {
		parts[i] = m.draft.NewShapedSite([]*ordering.Site{s}, fmt.Sprintf("%s (%d)", s.Name, i+1), g)
		parts[i].In = isIn
	}
	m.draft.ReplaceSites([]*ordering.Site{s}, parts)
}
