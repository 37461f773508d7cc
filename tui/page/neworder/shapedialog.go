package neworder

import (
	"context"
	"errors"
	"fmt"
	"slices"

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

// shapeKinds has an option for each kind of operation, for the field of the shape dialog in which the user chooses the
// kind.
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

// shapeDialog is the dialog that makes new shapes of sites. It shows the new shapes on a map
// before they replace the sites.
type shapeDialog struct {
	widget.FormDialog
	editor    *siteEditor
	sites     []*ordering.Site
	computing page.Request
	result    shapeResult
	siteMap   *page.SiteMap
}

// shapeResult is the result of an operation on sites.
type shapeResult struct {
	op        shape.Operation
	shapes    [][]orb.Geometry // new shapes of each site; nil for an unchanged site
	joined    orb.Geometry     // the shape that replaces all sites; nil unless the operation joins them
	unchanged int              // number of sites that the operation does not apply to
	err       error
}

// openShapeDialog opens the dialog for the chosen sites with the given kind of operation. If that kind applies to
// none of the sites, it opens the dialog with the first kind that applies to at least one.
func (e *siteEditor) openShapeDialog(kind shape.Kind) tea.Cmd {
	d := &shapeDialog{editor: e, sites: e.step.chosenSites(), siteMap: page.NewSiteMap()}
	options := shapeOptions(d.sites)
	field := &widget.Field{Label: "Shape", Kind: widget.ChoiceField, Options: options}
	d.FormDialog = widget.FormDialog{
		Title:    "Shape of " + siteNames(d.sites),
		Form:     widget.NewForm(20, e.step.env.Clock.Now, field),
		Yes:      "apply",
		OnSave:   d.apply,
		OnChange: d.update,
		Below:    d.renderPreview,
	}
	isKind := func(o widget.Option) bool { return o.Value == string(kind) }
	if !slices.ContainsFunc(options, isKind) {
		kind = shape.Kind(options[0].Value)
	}
	field.Set(string(kind))
	d.showFields()
	e.step.env.Nav.Overlay(d)
	return d.compute()
}

// shapeOptions returns the options of the field that chooses the operation: one for each kind of operation
// that applies to at least one of the sites.
func shapeOptions(sites []*ordering.Site) (options []widget.Option) {
	for _, option := range shapeKinds {
		op := shape.Operation{Kind: shape.Kind(option.Value)}
		applies := func(s *ordering.Site) bool { return op.AppliesTo(s.ShapeOf()) }
		if slices.ContainsFunc(sites, applies) {
			options = append(options, option)
		}
	}
	return options
}

// shapeReason returns why no shape can be made of the chosen sites, or "".
func (e *siteEditor) shapeReason(s *ordering.Site) string {
	for _, chosen := range e.step.chosenSites() {
		if chosen.Geometry == nil {
			return chosen.Name + " has no usable coordinates"
		}
	}
	return placedReason(s)
}

// numberField returns a field for a number from least to most in the given unit.
func numberField(id, label, unit, help string, least, most float64) *widget.Field {
	return &widget.Field{ID: id, Label: label, Kind: widget.NumberField, Unit: unit, Help: help, Least: least, Most: most}
}

// roundField returns a field for the form of ends or corners. The user chooses between the option plain, such as
// "flat", and "round".
func roundField(label, plain, plainHelp, roundHelp string) *widget.Field {
	return &widget.Field{Label: label, Kind: widget.ChoiceField, Options: []widget.Option{
		{Value: plain, Label: plain, Help: plainHelp, Quiet: true},
		{Value: "round", Label: "round", Help: roundHelp, Quiet: true},
	}}
}

// initialShapeValues has the initial value of each field, by field ID. Fields of different kinds of operations have
// different IDs, so that each field keeps its value. For example, the width of a corridor has the ID "corridor",
// because another kind has a field "width".
var initialShapeValues = map[string]string{
	"radius": "50", "width": "200", "height": "100", "bearing": "0", "corridor": "40", "grow": "20", "shrink": "20",
	"within": "2", "largest": "25", "ends": "flat", "corners": "sharp",
}

// shapeFields returns the fields for the parameters of an operation.
func shapeFields(kind shape.Kind) []*widget.Field {
	const most = 100_000
	switch kind {
	case shape.CircleKind:
		return []*widget.Field{numberField("radius", "Radius", "m", "Metres around the point", 0.1, most)}
	case shape.RectangleKind:
		return []*widget.Field{
			numberField("width", "Width", "m", "Across the bearing", 0.1, most),
			numberField("height", "Height", "m", "Along the bearing", 0.1, most),
			numberField("bearing", "Bearing", "°", "Direction of the height, clockwise from north", 0, 360),
		}
	case shape.CorridorKind:
		return []*widget.Field{
			numberField("corridor", "Width", "m", "Half of it on each side of the line", 0.1, most),
			roundField("Ends", "flat", "Ends with the line", "Half a circle beyond the ends"),
		}
	case shape.GrowKind:
		return []*widget.Field{
			numberField("grow", "Distance", "m", "Added on all sides", 0.1, most),
			roundField("Corners", "sharp", "Few points", "All within the distance"),
		}
	case shape.ShrinkKind:
		return []*widget.Field{numberField("shrink", "Distance", "m", "Taken away on all sides", 0.1, most)}
	case shape.SimplifyKind:
		return []*widget.Field{
			numberField("within", "Within", "m", "How far the shape may move", 0.01, most),
			// 0, 0 means no range: simplifyOperation checks the minimum itself.
			numberField("points", "Points", "", "Most points to leave, instead of a distance", 0, 0),
		}
	case shape.SplitKind:
		return []*widget.Field{numberField("largest", "Largest part", "ha", "Each part has at most this area", 0.01, 1e6)}
	case shape.HullKind: // has no parameters
	}
	return nil
}

// kind returns the chosen kind of operation.
func (d *shapeDialog) kind() shape.Kind { return shape.Kind(d.Form.Field("shape").Value()) }

// showFields shows the fields of the chosen kind. A field that was already visible keeps the value that the user
// typed.
func (d *shapeDialog) showFields() {
	wasVisible := map[string]bool{}
	for _, f := range d.Form.Fields {
		wasVisible[f.ID] = true
	}
	fields := []*widget.Field{d.Form.Field("shape")}
	fields = append(fields, shapeFields(d.kind())...)
	d.Form.SetFields(fields...)
	for _, f := range d.Form.Fields {
		value, ok := d.editor.shapeValues[f.ID]
		if ok && !wasVisible[f.ID] {
			f.Set(value)
		}
	}
}

// update computes the shapes again after a value was changed. If the kind was changed, it
// shows the fields of the new kind first.
func (d *shapeDialog) update(f *widget.Form) tea.Cmd {
	if f.Focused().ID == "shape" {
		d.showFields()
	}
	d.Fault = ""
	return d.compute()
}

// operation returns the operation that the form describes. It returns an error if a number is not valid, or if too
// few points would be left.
func (d *shapeDialog) operation() (shape.Operation, error) {
	op := shape.Operation{Kind: d.kind()}
	numbers := formNumbers{form: d.Form} // keeps the first error of read
	switch op.Kind {
	case shape.CircleKind:
		op.Metres = numbers.read("radius")
	case shape.RectangleKind:
		op.Width = numbers.read("width")
		op.Height = numbers.read("height")
		op.Bearing = numbers.read("bearing")
	case shape.CorridorKind:
		op.Metres = numbers.read("corridor")
		op.Round = d.Form.Field("ends").Value() == "round"
	case shape.GrowKind:
		op.Metres = numbers.read("grow")
		op.Round = d.Form.Field("corners").Value() == "round"
	case shape.ShrinkKind:
		op.Metres = numbers.read("shrink")
	case shape.SimplifyKind:
		return d.simplifyOperation()
	case shape.SplitKind:
		const hectare = 10_000 // square metres
		op.Area = numbers.read("largest") * hectare
	case shape.HullKind: // has no parameters
	}
	return op, numbers.err
}

// simplifyOperation returns the operation that simplifies shapes: to a number of points if the user typed
// one, otherwise within a distance.
func (d *shapeDialog) simplifyOperation() (shape.Operation, error) {
	op := shape.Operation{Kind: shape.SimplifyKind}
	numbers := formNumbers{form: d.Form}
	if d.Form.Field("points").Value() == "" {
		op.Metres = numbers.read("within")
		return op, numbers.err
	}
	op.Points = int(numbers.read("points"))
	if numbers.err != nil {
		return op, numbers.err
	}
	if op.Points < 3 {
		return op, errors.New("leave at least 3 points")
	}
	return op, nil
}

// formNumbers reads numbers from the fields of a form.
type formNumbers struct {
	form *widget.Form
	err  error // error of the first field without a valid number
}

// read returns the number in the field id. If the number is not valid, read records the error and returns 0.
func (n *formNumbers) read(id string) float64 {
	field := n.form.Field(id)
	number, err := field.Number()
	if err != nil && n.err == nil {
		n.err = fmt.Errorf("%s: %w", field.Label, err)
	}
	return number
}

// compute makes the shapes in the background, because complex shapes can take a second. If a field is invalid, it
// shows the error and returns nil.
func (d *shapeDialog) compute() tea.Cmd {
	op, err := d.operation()
	if err != nil {
		d.computing.Cancel()
		d.showResult(shapeResult{op: op, err: err})
		return nil
	}
	geometries := make([]orb.Geometry, len(d.sites))
	names := make([]string, len(d.sites))
	for i, s := range d.sites {
		geometries[i] = s.ShapeOf()
		names[i] = s.Name
	}
	makeAll := func(ctx context.Context) (shapeResult, error) {
		return makeShapes(ctx, op, geometries, names), nil
	}
	show := func(result shapeResult, _ error) tea.Cmd {
		d.showResult(result)
		return nil
	}
	return page.RunInBackground(d.editor.step.parent.base, &d.computing, makeAll, show)
}

// makeShapes applies an operation to the geometries of sites. If the operation fails for a site, the error has the
// name of that site.
func makeShapes(ctx context.Context, op shape.Operation, geometries []orb.Geometry, names []string) shapeResult {
	result := shapeResult{op: op, shapes: make([][]orb.Geometry, len(geometries))}
	if op.JoinsAll() {
		result.joined, result.err = op.ApplyToAll(geometries)
		return result
	}
	for i, g := range geometries {
		if ctx.Err() != nil {
			result.err = ctx.Err()
			return result
		}
		if !op.AppliesTo(g) {
			result.unchanged++
			continue
		}
		shapes, err := op.Apply(g)
		if err != nil {
			result.err = fmt.Errorf("%s: %w", names[i], err)
			return result
		}
		result.shapes[i] = shapes
	}
	return result
}

// all returns the new shapes of all sites.
func (s *shapeResult) all() []orb.Geometry {
	if s.joined != nil {
		return []orb.Geometry{s.joined}
	}
	return slices.Concat(s.shapes...)
}

// showResult shows the new shapes on the map. The old shapes of the sites are drawn muted below the new shapes.
func (d *shapeDialog) showResult(result shapeResult) {
	d.result = result
	var features []geomap.Feature
	for _, s := range d.sites {
		f := siteFeature(s)
		f.ID = "old " + f.ID
		f.Label = ""
		f.Role = theme.Muted
		features = append(features, f)
	}
	for i, g := range result.all() {
		features = append(features, geomap.Feature{ID: fmt.Sprint(i), Geometry: g, Role: theme.Accent})
	}
	d.siteMap.Model.SetFeatures(features)
	d.siteMap.Model.FitAll()
}

// renderPreview returns at most h lines: a summary of the new shapes, and their map if there is
// room for it.
func (d *shapeDialog) renderPreview(w, h int) []string {
	th := d.editor.step.env.Look.Theme
	role, text := d.describeResult()
	lines := th.RaiseLines(role, w, text)
	if rest := h - len(lines); rest > 3 && !th.Linear {
		lines = append(lines, format.SplitLines(d.siteMap.View(th, w, rest))...)
	}
	return lines[:min(len(lines), h)]
}

// describeResult returns a summary of the new shapes, such as "2 areas · 1.2 ha · 8 points · from 2 sites", and the
// role in which to draw it. The role is [theme.Attention] if one of the shapes has too many points for a mission.
// Instead of the summary it returns the error if the operation failed, or says that the shapes are being computed.
func (d *shapeDialog) describeResult() (role theme.Role, text string) {
	if d.computing.IsRunning() {
		return theme.Muted, "Computing…"
	}
	if d.result.err != nil {
		return theme.Bad, "! " + format.CapitalizeFirst(d.result.err.Error())
	}
	shapes := d.result.all()
	total := measureShapes(shapes)
	noun := "area"
	if total.length > 0 { // areas have no length
		noun = "shape"
	}
	text = format.Count(len(shapes), noun) + d.describeExtent(total)
	if total.tooLarge == 0 {
		return theme.Text, text
	}
	tooLarge := format.Count(total.tooLarge, noun)
	return theme.Attention, text + " · " + tooLarge + " above the " + groupDigits(api.MaxPoints) + " points of a mission"
}

// describeExtent returns the size of the new shapes, their number of points, and the number of sites from which
// they are made, such as " · 1.2 ha · 8 points · from 2 sites". The size is a length, an area, or both.
func (d *shapeDialog) describeExtent(total shapeTotals) string {
	text := ""
	if total.length > 0 {
		text += " · " + format.Length(total.length)
	}
	if total.area > 0 {
		text += " · " + d.editor.step.env.Look.Units.Area(total.area)
	}
	text += " · " + format.Count(total.points, "point")
	text += " · from " + siteCount(len(d.sites)-d.result.unchanged)
	if d.result.unchanged > 0 {
		text += " · " + format.Count(d.result.unchanged, "site") + " unchanged"
	}
	return text
}

// shapeTotals is the total size of several shapes, each of which becomes a mission.
type shapeTotals struct {
	area     float64 // in square metres
	length   float64 // in metres; 0 for areas
	points   int
	tooLarge int // number of shapes with more points than a mission may have
}

// measureShapes returns the total size of the shapes.
func measureShapes(shapes []orb.Geometry) (total shapeTotals) {
	for _, g := range shapes {
		placemark := kmlcsv.NewPlacemark("", g)
		points := len(placemark.Points())
		total.area += placemark.Area
		total.length += placemark.Length
		total.points += points
		if points > api.MaxPoints {
			total.tooLarge++
		}
	}
	return total
}

// apply replaces the sites by the new shapes. It stores the values of the fields for the next time the dialog is
// opened.
func (d *shapeDialog) apply() tea.Cmd {
	if d.computing.IsRunning() {
		d.Fault = "still computing"
		return nil
	}
	if d.result.err != nil {
		d.Fault = d.result.err.Error()
		return nil
	}
	for _, f := range d.Form.Fields[1:] {
		d.editor.shapeValues[f.ID] = f.Value()
	}
	d.editor.lastShape = d.result.op.Kind
	return d.editor.replaceByShapes(d.sites, &d.result)
}

// replaceByShapes replaces the shapes of sites by the new shapes. A site with several new shapes
// becomes several sites. Joined sites become one site.
func (e *siteEditor) replaceByShapes(sites []*ordering.Site, result *shapeResult) tea.Cmd {
	if result.joined != nil {
		hull := e.step.draft.NewShapedSite(sites, ordering.CommonName(sites), result.joined)
		return e.replaceSites(sites, []*ordering.Site{hull}, "made a hull of")
	}
	done := string(result.op.Kind) + ": " + siteNames(sites)
	var changing []*ordering.Site // sites that stay in the draft
	for i, s := range sites {
		if len(result.shapes[i]) == 1 {
			changing = append(changing, s)
		}
	}
	reshape := func() {
		e.step.marks.clear()
		for i, s := range sites {
			e.reshapeSite(s, result.shapes[i])
		}
		e.step.reloadSites(nil)
	}
	return e.step.parent.editDraft(page.UndoMsg{Text: done}, changing, reshape)
}

// reshapeSite sets the shape of a site. For several shapes it replaces the site by one site per
// shape; without shapes it does nothing.
func (e *siteEditor) reshapeSite(s *ordering.Site, shapes []orb.Geometry) {
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
		parts[i] = e.step.draft.NewShapedSite([]*ordering.Site{s}, fmt.Sprintf("%s (%d)", s.Name, i+1), g)
		parts[i].In = isIn
	}
	e.step.draft.ReplaceSites([]*ordering.Site{s}, parts)
}
