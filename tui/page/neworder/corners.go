package neworder

import (
	"errors"
	"fmt"
	"math"
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

// cornersReason returns why the corners of a site cannot be edited, or "".
func cornersReason(s *ordering.Site) string {
	if s.Placed {
		return placedReason(s)
	}
	if s.Geometry == nil {
		return "no usable coordinates" + editAdvice()
	}
	if len(s.Points()) < 2 {
		return "it has only one point" + editAdvice() + " to move it"
	}
	return ""
}

// cornerDialog is the dialog with the corners of a site: a table to edit them, and a map.
type cornerDialog struct {
	editor  *siteEditor
	site    *ordering.Site
	path    [][]orb.Point   // corners of an area's boundary and holes, or of a line or an asset
	before  [][][]orb.Point // path before each change, for undo
	table   widget.Table
	siteMap *page.SiteMap
	mapLeft int    // first column of the map in the dialog in the last view; 0 without a map
	warned  bool   // the user pressed esc and was warned that changes are not saved
	fault   string // error or warning about the last key, or ""

	crossings []orb.Point // places where the boundary crosses itself
	unchecked bool        // the shape is too complex to look for crossings
}

// cornerColumns has the columns of the table. A narrow table leaves out the last column.
var cornerColumns = []widget.Column{
	{Title: "Corner", Width: 9, Right: true},
	{Title: "Latitude", Width: 11, Right: true},
	{Title: "Longitude", Width: 12, Right: true},
	{Title: "To next", Width: 10, Right: true},
}

// editCorners opens the dialog that edits the corners of a site.
func (e *siteEditor) editCorners(s *ordering.Site) tea.Cmd {
	d := &cornerDialog{editor: e, site: s, siteMap: page.NewSiteMap()}
	polygon, isPolygon := s.ShapeOf().(orb.Polygon)
	if isPolygon {
		for _, ring := range polygon {
			d.path = append(d.path, openRing(ring))
		}
	} else {
		d.path = [][]orb.Point{slices.Clone(s.Points())}
	}
	d.table.Columns = cornerColumns
	d.showCorners()
	e.step.env.Nav.Overlay(d)
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

// geometry returns the shape with the edited corners.
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

// selected returns the position of the selected corner: the index of its ring in path, and the index of the corner
// in the ring.
func (d *cornerDialog) selected() (ring, corner int) { return d.indexesOf(d.table.Cursor()) }

// indexesOf returns the position of the corner in a row of the table: the index of its ring in path, and the index
// of the corner in the ring.
func (d *cornerDialog) indexesOf(row int) (ring, corner int) {
	for row >= len(d.path[ring]) && ring < len(d.path)-1 {
		row -= len(d.path[ring])
		ring++
	}
	return ring, row
}

// selectedPoint returns the selected corner.
func (d *cornerDialog) selectedPoint() orb.Point {
	ring, corner := d.selected()
	return d.path[ring][corner]
}

// next returns the corner at the other end of the side that begins at the given corner. ok is false if no side
// begins there: at the end of a line, and for an asset, which has no sides.
func (d *cornerDialog) next(ring, corner int) (p orb.Point, ok bool) {
	if d.site.Type == api.MissionAsset {
		return orb.Point{}, false
	}
	if corner < len(d.path[ring])-1 {
		return d.path[ring][corner+1], true
	}
	if d.isArea() {
		return d.path[ring][0], true
	}
	return orb.Point{}, false
}

// showCorners updates the table, the crossings and the map with the edited corners.
func (d *cornerDialog) showCorners() {
	count := 0
	for _, ring := range d.path {
		count += len(ring)
	}
	d.table.SetRows(count, strconv.Itoa, d.cornerRow)
	d.findCrossings()
	d.showOnMap()
}

// cornerRow returns row i of the table: the corner's number, its coordinates, and the distance
// to the next corner.
func (d *cornerDialog) cornerRow(i int) widget.Row {
	ring, corner := d.indexesOf(i)
	p := d.path[ring][corner]
	name := strconv.Itoa(corner + 1)
	if ring > 0 {
		name = fmt.Sprintf("hole %d.%d", ring, corner+1)
	}
	distance := format.None
	if next, ok := d.next(ring, corner); ok {
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

// maxCrossingsShown is the number of crossings that the map shows for a ring.
const maxCrossingsShown = 50

// findCrossings finds the places where the boundary or a hole of an area crosses itself.
func (d *cornerDialog) findCrossings() {
	d.crossings = nil
	d.unchecked = false
	if !d.isArea() {
		return // a line may cross itself
	}
	for _, ring := range d.geometry().(orb.Polygon) {
		points, ok := kmlcsv.Crossings(ring, maxCrossingsShown)
		d.crossings = append(d.crossings, points...)
		if !ok {
			d.unchecked = true
		}
	}
}

// showOnMap shows the shape on the map: as it was before the changes, and as it is now, with its crossings and the
// selected corner.
func (d *cornerDialog) showOnMap() {
	old := siteFeature(d.site)
	features := []geomap.Feature{
		{ID: "before", Geometry: old.Geometry, Role: theme.Muted},
		{ID: "shape", Geometry: d.geometry(), Role: theme.Accent},
	}
	for i, p := range d.crossings {
		features = append(features, geomap.Feature{ID: fmt.Sprint("crossing ", i), Geometry: p, Mark: '×', Role: theme.Bad})
	}
	features = append(features, geomap.Feature{ID: "corner", Geometry: d.selectedPoint(), Mark: '◆', Role: theme.Attention})
	d.siteMap.Model.SetFeatures(features)
	d.siteMap.Model.SetSelected("corner")
}

// change saves the corners for undo, and calls edit to change them.
func (d *cornerDialog) change(edit func()) {
	saved := make([][]orb.Point, len(d.path))
	for i, ring := range d.path {
		saved[i] = slices.Clone(ring)
	}
	d.before = append(d.before, saved)
	d.warned = false
	d.fault = ""
	edit()
	d.showCorners()
}

// undo reverts the last change.
func (d *cornerDialog) undo() {
	last := len(d.before) - 1
	if last < 0 {
		d.fault = "nothing to undo"
		return
	}
	d.path = d.before[last]
	d.before = d.before[:last]
	d.fault = ""
	d.showCorners()
}

// setCorner moves the selected corner.
func (d *cornerDialog) setCorner(p orb.Point) {
	ring, corner := d.selected()
	d.change(func() { d.path[ring][corner] = p })
}

// insertCorner adds a corner after the selected corner and selects the new corner. The new corner is
// halfway to the next corner. If there is no side to a next corner, the new corner continues the
// previous side and doubles its length.
func (d *cornerDialog) insertCorner() {
	ring, corner := d.selected()
	p := d.path[ring][corner]
	var lon, lat float64
	if next, ok := d.next(ring, corner); ok {
		lon = p.Lon() + wrapLongitude(next.Lon()-p.Lon())/2
		lat = (p.Lat() + next.Lat()) / 2
	} else {
		previous := d.path[ring][max(0, corner-1)]
		lon = p.Lon() + wrapLongitude(p.Lon()-previous.Lon())
		lat = p.Lat() + (p.Lat() - previous.Lat())
	}
	added := orb.Point{wrapLongitude(lon), lat}
	d.change(func() { d.path[ring] = slices.Insert(d.path[ring], corner+1, added) })
	d.table.Move(1)
	d.showOnMap()
}

// wrapLongitude converts a longitude, or a difference of two longitudes, to the range from -180 to 180 degrees.
func wrapLongitude(degrees float64) float64 {
	for degrees > 180 {
		degrees -= 360
	}
	for degrees < -180 {
		degrees += 360
	}
	return degrees
}

// removeCorner removes the selected corner. If a hole has no more than the minimum number of corners, the whole hole is
// removed. A boundary, a line or an asset with the minimum number of corners stays unchanged.
func (d *cornerDialog) removeCorner() {
	ring, corner := d.selected()
	least := d.site.Type.MinPoints()
	if len(d.path[ring]) > least {
		d.change(func() { d.path[ring] = slices.Delete(d.path[ring], corner, corner+1) })
	} else if ring > 0 {
		d.change(func() { d.path = slices.Delete(d.path, ring, ring+1) })
	} else {
		d.fault = fmt.Sprintf("%s needs at least %s", typeNames[d.site.Type], format.Count(least, "corner"))
	}
}

// metresForm matches the beginning of a movement such as "10 N 5 E", "2.5m west" or "10n": a number, which
// is group 1, and a direction, which is group 2.
var metresForm = regexp.MustCompile(`(?i)^\s*([0-9]+(?:[.,][0-9]+)?)\s*m?\s*(north|south|east|west|n|s|e|w)\b[\s,]*`)

// parseMovement parses a movement such as "10 N 5 E" and returns its metres. ok is false for any other
// text.
func parseMovement(text string) (east, north float64, ok bool) {
	if text == "" {
		return 0, 0, false
	}
	for text != "" {
		match := metresForm.FindStringSubmatch(text)
		if match == nil {
			return 0, 0, false
		}
		number := strings.Replace(match[1], ",", ".", 1)
		metres, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return 0, 0, false
		}
		switch strings.ToLower(match[2]) {
		case "n", "north":
			north += metres
		case "s", "south":
			north -= metres
		case "e", "east":
			east += metres
		case "w", "west":
			east -= metres
		}
		text = text[len(match[0]):] // metresForm matches at the beginning of text
	}
	return east, north, true
}

// readCorner parses the new place of a corner: coordinates, or a movement from its old place such as
// "10 N 5 E".
func readCorner(text string, old orb.Point) (orb.Point, error) {
	if east, north, ok := parseMovement(text); ok {
		return shape.Move(old, east, north), nil
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

// openPlaceForm opens the dialog for the new place of the selected corner.
func (d *cornerDialog) openPlaceForm() tea.Cmd {
	old := d.selectedPoint()
	field := &widget.Field{Label: "Place", Help: "Coordinates, or metres such as 10 N 5 E"}
	field.Check = func(typed string) string {
		if _, err := readCorner(typed, old); err != nil {
			return err.Error()
		}
		return ""
	}
	moveCorner := func(typed string) tea.Cmd {
		p, err := readCorner(typed, old)
		if err == nil {
			d.setCorner(p)
		}
		return nil
	}
	ring, corner := d.selected()
	title := fmt.Sprintf("Move corner %d", corner+1)
	if ring > 0 {
		title += fmt.Sprintf(" of hole %d", ring)
	}
	return d.editor.step.env.PromptValue(title, "move", 200, field, formatTyped(old), moveCorner)
}

// nudge is a movement of a corner in metres.
type nudge struct{ east, north float64 }

// nudges has the movement of the selected corner for each key that moves it.
var nudges = map[string]nudge{
	"shift+left": {-1, 0}, "shift+right": {1, 0}, "shift+up": {0, 1}, "shift+down": {0, -1},
	"H": {-1, 0}, "L": {1, 0}, "K": {0, 1}, "J": {0, -1},
}

// Update handles the keys of the dialog. It returns true to close the dialog.
func (d *cornerDialog) Update(msg tea.Msg) (tea.Cmd, bool) {
	name := widget.KeyName(msg)
	if by, ok := nudges[name]; ok {
		d.setCorner(shape.Move(d.selectedPoint(), by.east, by.north))
		return nil, false
	}
	switch name {
	case "":
		return nil, false
	case "esc", "q":
		return nil, d.confirmClose()
	case "ctrl+s":
		return d.save()
	case "enter", "e":
		return d.openPlaceForm(), false
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

// moveCursor selects another corner if the key with the given name moves the cursor.
func (d *cornerDialog) moveCursor(key string) {
	var rows int
	switch key {
	case "up", "k":
		rows = -1
	case "down", "j":
		rows = 1
	case "pgup":
		rows = -d.table.HalfPage()
	case "pgdown":
		rows = d.table.HalfPage()
	case "g", "home":
		rows = -d.table.Len()
	case "G", "end":
		rows = d.table.Len()
	default:
		return
	}
	d.table.Move(rows)
	d.fault = ""
	d.warned = false
	d.showOnMap()
}

// HandleClick selects the clicked row of the table, or the corner nearest to the clicked place on the map.
func (d *cornerDialog) HandleClick(x, y int) (tea.Cmd, bool) {
	if d.mapLeft == 0 || x < d.mapLeft {
		d.table.Click(y - 1)
	} else if place, ok := d.siteMap.Model.CoordinateAt(x-d.mapLeft, y-1); ok {
		d.table.Move(d.nearestCorner(place) - d.table.Cursor())
	}
	d.fault = ""
	d.warned = false
	d.showOnMap()
	return nil, false
}

// nearestCorner returns the row of the corner nearest to a place.
func (d *cornerDialog) nearestCorner(place orb.Point) int {
	nearest := 0
	least := math.Inf(1)
	for row := range d.table.Len() {
		ring, at := d.indexesOf(row)
		distance := kmlcsv.LengthOf(orb.LineString{place, d.path[ring][at]})
		if distance < least {
			nearest = row
			least = distance
		}
	}
	return nearest
}

// confirmClose handles esc, and returns true to close the dialog. If corners were changed, it first shows a
// warning and returns false; esc again then closes the dialog.
func (d *cornerDialog) confirmClose() bool {
	if len(d.before) == 0 || d.warned {
		return true
	}
	d.warned = true
	d.fault = "not saved: ctrl+s saves, esc again discards " + format.Count(len(d.before), "change")
	return false
}

// save sets the corners of the site and closes the dialog.
func (d *cornerDialog) save() (tea.Cmd, bool) {
	if len(d.before) == 0 {
		return nil, true
	}
	g := d.geometry()
	setCorners := func(s *ordering.Site) { s.SetCorners(g) }
	cmd := d.editor.editSites("edited corners of "+d.site.Name, []*ordering.Site{d.site}, setCorners)
	return cmd, true
}

// Widths in cells.
const (
	tableCells    = 54 // width of the table
	narrowCells   = 40 // width of the table without its last column
	leastMapCells = 24 // least width of the map
)

// View draws the dialog: the table, the map to the right of it, and the state of the shape below them.
func (d *cornerDialog) View(th *theme.Theme, w, h int) string {
	const hint = "enter move  i insert  del remove  shift+arrows 1 m  u undo  ctrl+s save  esc back"
	inner := w - 4
	state := d.renderState(th, inner)
	rows := max(3, h-2-len(state))
	lines := d.renderTable(th, inner, rows)
	lines = append(lines, state...)
	return widget.DrawDialog(th, "Corners of "+d.site.Name, hint, lines, w)
}

// renderTable returns h lines with the table and the map. The map is left out in a narrow window and
// in plain mode.
func (d *cornerDialog) renderTable(th *theme.Theme, w, h int) (lines []string) {
	isNarrow := w < tableCells+2*leastMapCells
	cells := tableCells
	if isNarrow {
		cells = narrowCells
	}
	d.table.Columns = cornerColumns
	d.mapLeft = 0
	if th.Linear || w < cells+leastMapCells {
		return format.SplitLines(d.table.View(th, w, h, true))
	}
	if isNarrow {
		d.table.Columns = cornerColumns[:len(cornerColumns)-1]
	}
	d.mapLeft = 2 + cells + 1 // after the border of the dialog
	tableLines := format.SplitLines(d.table.View(th, cells, h, true))
	mapLines := format.SplitLines(d.siteMap.View(th, w-cells-1, h))
	for i := range tableLines {
		lines = append(lines, format.FitLeft(tableLines[i], cells)+" "+mapLines[i])
	}
	return lines
}

// sizeText returns the number of corners and the size of the shape. After a change, it adds the size before the
// changes. It says if the area is uncertain because the boundary crosses itself.
func (d *cornerDialog) sizeText() string {
	corners := format.Count(d.table.Len(), "corner")
	if len(d.crossings) > 0 {
		return corners + " · area uncertain"
	}
	placemark := kmlcsv.NewPlacemark("", d.geometry())
	units := d.editor.step.env.Look.Units
	var size, previous string
	switch d.site.Type {
	case api.MissionArea:
		size = units.Area(placemark.Area)
		previous = units.Area(d.site.Area)
	case api.MissionLinear:
		size = format.Length(placemark.Length)
		previous = format.Length(d.site.Length)
	case api.MissionAsset:
		return corners
	}
	text := corners + " · " + size
	if len(d.before) > 0 {
		text += ", was " + previous
	}
	return text
}

// renderState returns lines with the size of the shape, its crossings, and the last error.
func (d *cornerDialog) renderState(th *theme.Theme, w int) []string {
	lines := th.RaiseLines(theme.Muted, w, d.sizeText())
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
