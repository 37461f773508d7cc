package kmlcsv

import (
	"flightdesk/kmlcsv/crs"
)

// geometryReader reads the cells of a table that have a geometry. If a row has several corners, it combines them into
// one line or area.
type geometryReader struct {
	out         *resultBuilder
	rows        *tableRows
	layout      *tableLayout
	coordinates *coordinateReader

	cells   cellReader
	outline outline // how the positions of a row are combined into a line or a boundary
}

// addGeometry adds the shapes of a cell as placemarks.
func (g *geometryReader) addGeometry(cell []byte) {
	figures, system, problem := g.readGeometry(cell)
	if problem != nil {
		g.out.skipPlacemark(problem)
		return
	}
	isLine := g.layout.readKind() == Linear && !isWKT(cell)
	for _, f := range figures {
		if isLine && f.kind == polygonFigure && len(f.holes) == 0 {
			f.kind = lineFigure
		}
		g.out.addFromSystem(f, system)
	}
}

// readGeometry reads the shapes of a cell. It also returns the reference system of their coordinates, which is nil
// for WGS 84. This is the system that the cell names, otherwise the system of the table, otherwise the datum of the
// row.
func (g *geometryReader) readGeometry(cell []byte) ([]rawFigure, *crs.System, *Error) {
	figures, problem := g.readFigures(cell)
	if problem != nil {
		return nil, nil, problem
	}
	system, problem := g.coordinates.systemOrDatum()
	if problem != nil { // a row with an unknown datum is skipped even if the cell names a system
		return nil, nil, problem
	}
	if g.cells.system != nil { // only well-known text and binary can name a system, and they are never in a grid
		return figures, g.cells.system, nil
	}
	if system != nil && g.cells.isGrid {
		problem = g.coordinates.convertFigures(cell, figures, system)
		if problem != nil {
			return nil, nil, problem
		}
		system = nil // convertFigures has converted the shapes to WGS 84
	}
	if g.cells.note != "" {
		g.out.warnPlacemark(PlaceGuessed, "%s", g.cells.note)
	}
	return figures, system, nil
}

// readFigures reads the shapes of a cell. If a longitude has the letter O, which can mean east or west, it finds out
// the meaning and reads the cell again. It returns LetterAmbiguous if the meaning stays unclear.
func (g *geometryReader) readFigures(cell []byte) ([]rawFigure, *Error) {
	g.cells.lngAxis = g.coordinates.letterO
	figures, problem := g.cells.readCell(cell)
	if problem.isOf(LetterAmbiguous) && g.coordinates.decideLetterO() {
		g.cells.lngAxis = g.coordinates.letterO
		figures, problem = g.cells.readCell(cell)
	}
	if problem != nil {
		return nil, problem
	}
	if len(figures) == 0 {
		return nil, noCoordinates
	}
	return figures, nil
}

// readKind returns Linear or Area if the type column of the current row says so, otherwise "".
func (l *tableLayout) readKind() Kind {
	if l.columns.Type < 0 {
		return ""
	}
	switch foldName(string(l.rows.cellAt(l.columns.Type))) {
	case "linear", "line", "linestring", "polyline", "path":
		return Linear
	case "area", "polygon":
		return Area
	}
	return ""
}
