package neworder

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
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

// cornersRefusal says why the corners of a site cannot be edited, or returns "".
func cornersRefusal(s *ordering.Site) string {
	if s.Geometry == nil {
		return "no usable coordinates; press e"
	}
	if len(s.Points()) < 2 {
		return "it has only one point; press e to move it"
	}
	return placedReason(s)
}

// cornerDialog edits the corners of a site in a table, beside a map.
type cornerDialog struct {
	m       *sitesStep
	site    *ordering.Site
	path    [][]orb.Point // corners of the boundary and of the holes, of the line, or of the asset
	before  [][][]orb.Point
	table   widget.Table
	siteMap *page.SiteMap
	warned  bool // esc was pressed with changes
	fault   string

	crossings []orb.Point
	unchecked bool // the shape is too complex to look for crossings
}

// cornerColumns are the columns of the table. A narrow table is without the last.
var cornerColumns = []widget.Column{
	{Title: "Corner", Width: 9, Right: true},
	{Title: "Latitude", Width: 11, Right: true},
	{Title: "Longitude", Width: 12, Right: true},
	{Title: "To next", Width: 10, Right: true},
}

// editCorners opens the dialog of a site's corners.
func (m *sitesStep) editCorners(s *ordering.Site) tea.Cmd {
	d := &cornerDialog{m: m, site: s, siteMap: page.NewSiteMap()}
	switch g := s.ShapeOf().(type) {
	case orb.Polygon:
		for _, ring := range g {
			d.path = append(d.path, openRing(ring))
		}
	default:
		d.path = [][]orb.Point{slices.Clone(s.Points())}
	}
	d.table.Columns = cornerColumns
	d.showCorners()
	m.Env.Nav.Overlay(d)
	return nil
}

// openRing returns a copy of the points of a ring without the closing point.
func openRing(ring orb.Ring) []orb.Point {
	if n := len(ring); n > 1 && ring[0] == ring[n-1] {
		ring = ring[:n-1]
	}
	return slices.Clone(ring)
}

func (d *cornerDialog) isArea() bool { return d.site.Type == api.MissionArea }

// geometry returns the shape with its corners as edited.
func (d *cornerDialog) geometry() orb.Geometry {
	switch d.site.Type {
	case api.MissionArea:
		polygon := make(orb.Polygon, len(d.path))
		for i, ring := range d.path {
			polygon[i] = append(slices.Clone(orb.Ring(ring)), ring[0])
		}
		return polygon
	case api.MissionLinear:
		return orb.LineString(slices.Clone(d.path[0]))
	}
	return orb.MultiPoint(slices.Clone(d.path[0]))
}

// place returns the ring and the index in it of the selected corner.
func (d *cornerDialog) place() (ring, at int) { return d.placeOf(d.table.Cursor()) }

// placeOf returns the ring of a row and the index in it.
func (d *cornerDialog) placeOf(row int) (ring, at int) {
	for row >= len(d.path[ring]) && ring < len(d.path)-1 {
		row -= len(d.path[ring])
		ring++
	}
	return ring, row
}

// corner returns the selected corner.
func (d *cornerDialog) corner() orb.Point {
	ring, at := d.place()
	return d.path[ring][at]
}

// next returns the corner after one, or false at the end of a line.
func (d *cornerDialog) next(ring, at int) (p orb.Point, ok bool) {
	if at < len(d.path[ring])-1 {
		return d.path[ring][at+1], d.site.Type != api.MissionAsset
	}
	if d.isArea() {
		return d.path[ring][0], true
	}
	return orb.Point{}, false
}

// showCorners fills the table and the map.
func (d *cornerDialog) showCorners() {
	count := 0
	for _, ring := range d.path {
		count += len(ring)
	}
	d.table.SetRows(count, strconv.Itoa, d.cornerRow)
	d.findCrossings()
	d.showOnMap()
}

func (d *cornerDialog) cornerRow(i int) widget.Row {
	ring, at := d.placeOf(i)
	p := d.path[ring][at]
	name := strconv.Itoa(at + 1)
	if ring > 0 {
		name = fmt.Sprintf("hole %d.%d", ring, at+1)
	}
	distance := format.None
	if next, ok := d.next(ring, at); ok {
		distance = format.Length(kmlcsv.LengthOf(orb.LineString{p, next}))
	}
	cells := []widget.Cell{
		{Text: name, Role: theme.Muted},
		{Text: strconv.FormatFloat(p.Lat(), 'f', 7, 64)},
		{Text: strconv.FormatFloat(p.Lon(), 'f', 7, 64)},
		{Text: distance, Role: theme.Muted},
	}
	return widget.Row{Cells: cells[:len(d.table.Columns)]}
}

// maxCrossingsShown is how many crossings are marked on the map.
const maxCrossingsShown = 50

// findCrossings finds out where the boundary or the line crosses itself.
func (d *cornerDialog) findCrossings() {
	d.crossings, d.unchecked = nil, false
	if !d.isArea() {
		return // a line may cross itself
	}
	for _, ring := range d.geometry().(orb.Polygon) {
		points, ok := kmlcsv.Crossings(ring, maxCrossingsShown)
		d.crossings = append(d.crossings, points...)
		d.unchecked = d.unchecked || !ok
	}
}

// showOnMap shows the shape above what it was, its crossings, and the selected corner.
func (d *cornerDialog) showOnMap() {
	old := siteFeature(d.site)
	features := []geomap.Feature{
		{ID: "before", Geometry: old.Geometry, Role: theme.Muted},
		{ID: "shape", Geometry: d.geometry(), Role: theme.Accent},
	}
	for i, p := range d.crossings {
		features = append(features, geomap.Feature{ID: fmt.Sprint("crossing ", i), Geometry: p, Mark: '×', Role: theme.Bad})
	}
	features = append(features, geomap.Feature{ID: "corner", Geometry: d.corner(), Mark: '◆', Role: theme.Attention})
	d.siteMap.Model.SetFeatures(features)
	d.siteMap.Model.SetSelected("corner")
}

// change records the corners and changes them.
func (d *cornerDialog) change(edit func()) {
	saved := make([][]orb.Point, len(d.path))
	for i, ring := range d.path {
		saved[i] = slices.Clone(ring)
	}
	d.before = append(d.before, saved)
	d.warned, d.fault = false, ""
	edit()
	d.showCorners()
}

// undo takes back the last change.
func (d *cornerDialog) undo() {
	last := len(d.before) - 1
	if last < 0 {
		d.fault = "nothing to undo"
		return
	}
	d.path, d.before = d.before[last], d.before[:last]
	d.fault = ""
	d.showCorners()
}

// setCorner moves the selected corner.
func (d *cornerDialog) setCorner(p orb.Point) {
	ring, at := d.place()
	d.change(func() { d.path[ring][at] = p })
}

// insertCorner adds a corner in the middle of the side behind the selected corner.
func (d *cornerDialog) insertCorner() {
	ring, at := d.place()
	p := d.path[ring][at]
	next, ok := d.next(ring, at)
	middle := orb.Point{p[0] + wrapLongitudes(next[0]-p[0])/2, (p[1] + next[1]) / 2}
	if !ok { // behind the end of a line, as far as its last corner but one
		before := d.path[ring][max(0, at-1)]
		middle = orb.Point{p[0] + wrapLongitudes(p[0]-before[0]), p[1] + p[1] - before[1]}
	}
	middle[0] = wrapLongitudes(middle[0])
	d.change(func() { d.path[ring] = slices.Insert(d.path[ring], at+1, middle) })
	d.table.Move(1)
	d.showOnMap()
}

// wrapLongitudes brings a difference of longitudes, or a longitude, into -180 to 180 degrees.
func wrapLongitudes(degrees float64) float64 {
	for degrees > 180 {
		degrees -= 360
	}
	for degrees < -180 {
		degrees += 360
	}
	return degrees
}

// removeCorner removes the selected corner, or a hole of three corners.
func (d *cornerDialog) removeCorner() {
	ring, at := d.place()
	least := d.site.Type.MinPoints()
	if len(d.path[ring]) > least {
		d.change(func() { d.path[ring] = slices.Delete(d.path[ring], at, at+1) })
	} else if ring > 0 {
		d.change(func() { d.path = slices.Delete(d.path, ring, ring+1) })
	} else {
		d.fault = fmt.Sprintf("%s needs at least %s", typeNames[d.site.Type], format.Count(least, "corner"))
	}
}

// metresForm matches a movement such as "10 N 5 E", "2.5m west" or "10n".
var metresForm = regexp.MustCompile(`(?i)^\s*([0-9]+(?:[.,][0-9]+)?)\s*m?\s*(north|south|east|west|n|s|e|w)\b[\s,]*`)

// parseMovement reads metres with directions. It returns false for any other text.
func parseMovement(text string) (east, north float64, ok bool) {
	for text != "" {
		m := metresForm.FindStringSubmatch(text)
		if m == nil {
			return 0, 0, false
		}
		metres, err := strconv.ParseFloat(strings.Replace(m[1], ",", ".", 1), 64)
		if err != nil {
			return 0, 0, false
		}
		switch strings.ToLower(m[2])[0] {
		case 'n':
			north += metres
		case 's':
			north -= metres
		case 'e':
			east += metres
		case 'w':
			east -= metres
		}
		text = text[len(m[0]):]
		ok = true
	}
	return east, north, ok
}

// readCorner reads where a corner is moved to: coordinates, or metres with directions.
func readCorner(text string, from orb.Point) (orb.Point, error) {
	if east, north, ok := parseMovement(text); ok {
		return shape.Move(from, east, north), nil
	}
	typed, err := kmlcsv.ReadTyped(text)
	if err != nil {
		return orb.Point{}, err
	}
	p, ok := typed.Geometries[0].(orb.Point)
	if !ok {
		return orb.Point{}, errors.New("type one position")
	}
	return p, nil
}

// askPlace asks where the selected corner is moved to.
func (d *cornerDialog) askPlace() tea.Cmd {
	from := d.corner()
	field := &widget.Field{Label: "Place", Help: "Coordinates, or metres such as 10 N 5 E"}
	field.Check = func(typed string) string {
		if _, err := readCorner(typed, from); err != nil {
			return err.Error()
		}
		return ""
	}
	ring, at := d.place()
	title := fmt.Sprintf("Move corner %d", at+1)
	if ring > 0 {
		title += fmt.Sprintf(" of hole %d", ring)
	}
	return d.m.Env.AskValue(title, "move", 200, field, asTyped(from), func(typed string) tea.Cmd {
		if p, err := readCorner(typed, from); err == nil {
			d.setCorner(p)
		}
		return nil
	})
}

// nudges are the metres east and north that a key moves the selected corner.
var nudges = map[string][2]float64{
	"shift+left": {-1, 0}, "shift+right": {1, 0}, "shift+up": {0, 1}, "shift+down": {0, -1},
	"H": {-1, 0}, "L": {1, 0}, "K": {0, 1}, "J": {0, -1},
}

// Update handles the keys of the dialog.
func (d *cornerDialog) Update(msg tea.Msg) (tea.Cmd, bool) {
	name := widget.KeyName(msg)
	if by, ok := nudges[name]; ok {
		d.setCorner(shape.Move(d.corner(), by[0], by[1]))
		return nil, false
	}
	switch name {
	case "":
		return nil, false
	case "esc", "q":
		return nil, d.isClosing()
	case "ctrl+s":
		return d.save()
	case "enter", "e":
		return d.askPlace(), false
	case "i":
		d.insertCorner()
	case "delete", "backspace":
		d.removeCorner()
	case "u":
		d.undo()
	case "+", "=":
		d.siteMap.Model.Zoom(1.5)
	case "-":
		d.siteMap.Model.Zoom(1 / 1.5)
	case "_":
		d.siteMap.Model.FitAll()
	case "z":
		d.siteMap.Model.FitSelected()
	default:
		d.moveCursor(name)
	}
	return nil, false
}

// moveCursor selects another corner.
func (d *cornerDialog) moveCursor(name string) {
	steps := map[string]int{
		"up": -1, "k": -1, "down": 1, "j": 1, "pgup": -d.table.HalfPage(), "pgdown": d.table.HalfPage(),
		"g": -d.table.Len(), "home": -d.table.Len(), "G": d.table.Len(), "end": d.table.Len(),
	}
	if by, ok := steps[name]; ok {
		d.table.Move(by)
		d.fault, d.warned = "", false
		d.showOnMap()
	}
}

// isClosing reports whether esc closes the dialog. With changes it is pressed twice.
func (d *cornerDialog) isClosing() bool {
	if len(d.before) == 0 || d.warned {
		return true
	}
	d.warned = true
	d.fault = "not saved: ctrl+s saves, esc again discards " + format.Count(len(d.before), "change")
	return false
}

// save gives the site its new corners.
func (d *cornerDialog) save() (tea.Cmd, bool) {
	if len(d.before) == 0 {
		return nil, true
	}
	g := d.geometry()
	return d.m.editSites("moved corners of "+d.site.Name, []*ordering.Site{d.site}, func(s *ordering.Site) {
		s.SetCorners(g)
	}), true
}

// The widths of the table beside the map, and the least width of the map.
const (
	tableCells    = 54
	narrowCells   = 40
	leastMapCells = 24
)

// View draws the table beside the map.
func (d *cornerDialog) View(th *theme.Theme, w, h int) string {
	inner := w - 4
	state := d.renderState(th, inner)
	rows := max(3, h-2-len(state))
	var lines []string
	cells := tableCells
	if inner < tableCells+2*leastMapCells {
		cells = narrowCells
	}
	d.table.Columns = cornerColumns
	if th.Linear || inner < cells+leastMapCells {
		lines = format.SplitLines(d.table.View(th, inner, rows, true))
	} else {
		if cells == narrowCells {
			d.table.Columns = cornerColumns[:len(cornerColumns)-1]
		}
		table := format.SplitLines(d.table.View(th, cells, rows, true))
		drawn := format.SplitLines(d.siteMap.View(th, inner-cells-1, rows))
		for i := range table {
			lines = append(lines, format.FitLeft(table[i], cells)+" "+drawn[i])
		}
	}
	const hint = "enter move  i insert  del remove  shift+arrows 1 m  u undo  ctrl+s save  esc"
	return widget.DrawDialog(th, "Corners of "+d.site.Name, hint, append(lines, state...), w)
}

// renderState says how large the shape is, and what is wrong with it.
func (d *cornerDialog) renderState(th *theme.Theme, w int) []string {
	p := kmlcsv.NewPlacemark("", d.geometry())
	units := d.m.Env.Look.Units
	size := format.Count(d.table.Len(), "corner")
	switch d.site.Type {
	case api.MissionArea:
		if len(d.crossings) > 0 {
			size += " · area uncertain"
			break
		}
		size += " · " + units.Area(p.Area) + page.TextIf(len(d.before) > 0, ", was "+units.Area(d.site.Area))
	case api.MissionLinear:
		size += " · " + format.Length(p.Length) + page.TextIf(len(d.before) > 0, ", was "+format.Length(d.site.Length))
	case api.MissionAsset:
	}
	lines := th.RaiseLines(theme.Muted, w, size)
	if n := len(d.crossings); n > 0 {
		text := "! The boundary crosses itself at " + coordinateOf(d.crossings[0])
		if n > 1 {
			text += fmt.Sprintf(" and %s", format.Count(n-1, "other place"))
		}
		lines = append(lines, th.RaiseLines(theme.Bad, w, text+" (×)")...)
	}
	if d.unchecked {
		lines = append(lines, th.RaiseLines(theme.Attention, w, "! Too complex to check for crossings")...)
	}
	if d.fault != "" {
		lines = append(lines, th.RaiseLines(theme.Attention, w, "! "+format.CapitalizeFirst(d.fault))...)
	}
	return lines
}
