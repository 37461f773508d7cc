package kmlcsv

import (
	"flightdesk/kmlcsv/crs"
)

// geometryReader reads the cells of a row that have a geometry. If a row has several corners, it combines them into
// one geometry.
type geometryReader struct {
	out         *resultBuilder
	rows        *tableRows
	layout      *tableLayout
	coordinates *coordinateReader

	cells   cellReader
	outline outline // tells how the positions of a row form a line or a boundary
}

// addGeometry adds the shapes of a geometry cell.
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

// readGeometry reads the shapes of a cell. The second result is the reference system of their coordinates, nil for WGS
// 84: the system that the cell names, otherwise the system of the table, otherwise the datum of the row.
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

// readFigures reads the shapes of a cell, but not their reference system. If the cell has an O that can mean east or
// west, it finds out the meaning and reads the cell again. If the meaning is unclear, it returns LetterAmbiguous.
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

// readKind returns the kind that the type column names for the current row: Linear or Area. Otherwise it returns "".
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
