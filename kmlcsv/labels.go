package kmlcsv

import (
	"bytes"
	"slices"
	"strings"
)

var (
	// labelWords are words in the titles of columns that have the names of sites.
	labelWords = wordSet(`name namn navn nazwa nimi label bezeichnung titel title site standort location mast masts
		pole tower turbine wtg wea wka gcp plot structure asset station anlage feld field parcel flurstuck schlag
		turm pylon stutzpunkt point punkt pt marker target waypoint wp tag feature facility building gebaude dach
		objekt object building site obra torre poste ponto punto nome nombre nom emplacement lieu место название
		наименование имя объект мачта скважина опора 地番 名前 地点 番号 サイト 站点`)

	// counterWords are words in the titles of columns that have numbers or codes of sites.
	counterWords = wordSet(`id ident no nr num number nummer numero numer code index key fid oid lfd lfdnr kennung ref
		reference pk uid uuid`)

	// measureWords are words in the titles of columns that have measurements or descriptions.
	measureWords = wordSet(`elevation elev height hohe hoehe alt altitude z ele level date datum time zeit tag
		uhrzeit speed heading course count anzahl total sum accuracy genauigkeit rms hdop pdop vdop sats satellites
		temperature depth tiefe width length breite lange radius buffer status state type typ kind class klasse
		owner eigentumer remark remarks note notes comment comments bemerkung bemerkungen kommentar anmerkung
		description beschreibung observaciones phone telefon mail email url link photo image foto bild price preis
		weight year jahr month monat day tag min max mean age duration power mw kw kwp voltage kv slope azimuth tilt
		zip plz postcode address adresse country city ort land region county state`)

	areaWords = wordSet("area flache flaeche surface superficie areal grosse groesse size oppervlakte powierzchnia")
	areaUnits = map[string]float64{
		"ha": 1e4, "hectare": 1e4, "hectares": 1e4, "hektar": 1e4, "hectareas": 1e4, "hektare": 1e4,
		"acre": 4046.8564224, "acres": 4046.8564224, "ac": 4046.8564224,
		"sqm": 1, "m2": 1, "qm": 1, "m²": 1, "km2": 1e6, "sqkm": 1e6, "sqft": 0.09290304, "ft2": 0.09290304,
	}
)

// areaColumn returns the column that has the size of each site, or -1.
func (h *headerFinder) areaColumn() int {
	for i, column := range h.columns {
		if column.axis != nil || len(column.title) > maxTitle {
			continue
		}
		words := headerWords(column.title)
		isArea := slices.ContainsFunc(words, func(w string) bool { return areaWords[w] || areaUnits[w] > 0 })
		if !isArea {
			continue
		}
		if _, isNumber := metres(column.sample); isNumber {
			return i
		}
	}
	return -1
}

// findLabel finds the column with the names of the sites, if no title is exactly one of labelNames. It ignores the
// columns in taken, and returns -1 if it finds none.
//
// It looks for a title that contains one of labelWords. If there is none and hasID is true, it returns -1, because the
// column with IDs can name the sites. Otherwise it looks for a column with different words in its cells, then for a
// title with one of counterWords, then for a column that numbers the rows.
func (h *headerFinder) findLabel(taken []int, hasID bool) int {
	named := h.columnWithWord(labelWords, taken)
	if named >= 0 || hasID {
		return named
	}
	for i, column := range h.columns {
		isMeasure := containsWord(headerWords(layoutText(column.title)), measureWords)
		if h.isFree(i, taken) && !isMeasure && h.hasDistinctWords(i) {
			return i
		}
	}
	if i := h.columnWithWord(counterWords, taken); i >= 0 {
		return i
	}
	for i := range h.columns {
		if h.isFree(i, taken) && h.isCount(i) {
			return i
		}
	}
	return -1
}

// isFree reports whether a column can have the names of the sites. It returns false if the column is in taken, if its
// title names a coordinate or a geometry, or if it is blank.
func (h *headerFinder) isFree(column int, taken []int) bool {
	c := &h.columns[column]
	if slices.Contains(taken, column) || c.axis != nil || slices.Contains(geometryNames, c.folded) {
		return false
	}
	isBlank := len(c.sample) == 0
	return !isBlank
}

// columnWithWord returns the first column that has one of the wanted words in its title and that isFree accepts, or -1.
// It ignores a title with one of measureWords, unless the title also has one of counterWords.
func (h *headerFinder) columnWithWord(wanted map[string]bool, taken []int) int {
	for i, column := range h.columns {
		if !h.isFree(i, taken) || len(column.title) > maxTitle {
			continue
		}
		words := headerWords(column.title)
		isMeasure := containsWord(words, measureWords) && !containsWord(words, counterWords)
		if containsWord(words, wanted) && !isMeasure {
			return i
		}
	}
	return -1
}

// containsWord reports whether one of the words is in a set.
func containsWord(words []string, set map[string]bool) bool {
	return slices.ContainsFunc(words, func(word string) bool { return set[word] })
}

// isCount reports whether a column numbers the rows. It must be the first column, and nearly all of its cells must be
// different whole numbers.
func (h *headerFinder) isCount(column int) bool {
	seen := make(map[string]bool)
	rows := 0
	for i := range h.rows {
		cell := string(bytes.TrimSpace(cellOf(h.rows[i].fields, column)))
		if cell == "" || strings.Trim(cell, "0123456789") != "" || seen[cell] {
			continue
		}
		rows++
		seen[cell] = true
	}
	return rows > 0 && rows*10 >= (len(h.rows)-1)*9 && column == 0
}

// hasDistinctWords reports whether most cells of a column are words, and most of the words are different.
func (h *headerFinder) hasDistinctWords(column int) bool {
	seen := make(map[string]bool)
	rows := 0
	words := 0
	for i := range h.rows {
		if column >= len(h.rows[i].fields) {
			continue
		}
		rows++
		cell := bytes.TrimSpace(h.rows[i].fields[column])
		if wordText().Match(cell) && !isPlace(cell) {
			words++
			seen[string(cell)] = true
		}
	}
	areMostlyWords := words > 0 && words*3 >= rows*2
	areMostlyDifferent := len(seen)*10 >= words*9
	return areMostlyWords && areMostlyDifferent
}
