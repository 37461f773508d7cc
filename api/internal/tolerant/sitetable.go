package tolerant

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// IsSiteTable reports whether a text looks like a CSV file of sites, in any encoding. The first line has several
// cells, and one of them is the title of a position: "name,latitude,longitude". In a language without known
// titles, a later line has as many cells, and two of them are numbers: "Mast;53,6;9,4". A sentence with a comma
// has neither: "Please log in, then try again".
func IsSiteTable(text string) bool {
	text = strings.ReplaceAll(text, "\x00", "") // of UTF-16
	lines := strings.Split(strings.TrimSpace(text), "\n")
	header := lines[0]
	separator := separatorOf(header)
	if separator == "" || strings.ContainsAny(header[:1], "<{[") { // a web page or JSON
		return false
	}
	titles := strings.Split(header, separator)
	if slices.ContainsFunc(titles, isPositionTitle) {
		return true
	}
	return slices.ContainsFunc(lines[1:], func(line string) bool {
		cells := strings.Split(line, separator)
		return len(cells) == len(titles) && numberCount(cells) >= 2
	})
}

// separatorOf returns the separator of the cells in a line, or "" if the line has only one cell.
func separatorOf(line string) string {
	for _, separator := range []string{"\t", ";", ","} {
		if strings.Contains(line, separator) {
			return separator
		}
	}
	return ""
}

// maxTitleWords is the number of words above which a cell is a part of a sentence, not the title of a column.
const maxTitleWords = 3

// isPositionTitle reports whether a cell is the title of a column with positions, such as "Site latitude" or
// "lat_deg".
func isPositionTitle(cell string) bool {
	isNoLetter := func(r rune) bool { return !unicode.IsLetter(r) }
	words := strings.FieldsFunc(strings.ToLower(cell), isNoLetter)
	return len(words) <= maxTitleWords && slices.ContainsFunc(words, isPositionWord)
}

func isPositionWord(word string) bool {
	switch word {
	case "lat", "lon", "lng", "x", "easting", "northing", "breite", "coords", "coordinate", "coordinates", "points",
		"geometry", "geom", "wkt":
		return true
	}
	return strings.Contains(word, "latitud") || strings.Contains(word, "longitud")
}

// numberCount returns how many cells contain a number, also with a decimal comma.
func numberCount(cells []string) int {
	count := 0
	for _, cell := range cells {
		text := strings.ReplaceAll(strings.Trim(cell, " \r\""), ",", ".")
		if _, err := strconv.ParseFloat(text, 64); err == nil {
			count++
		}
	}
	return count
}
