package tolerant

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	utf "golang.org/x/text/encoding/unicode"
)

// DecodeText decodes a text in UTF-8, in UTF-16 or in Windows-1252, the encoding of spreadsheets in the West.
func DecodeText(text []byte) string {
	littleEndian := bytes.HasPrefix(text, []byte("\xff\xfe"))
	bigEndian := bytes.HasPrefix(text, []byte("\xfe\xff"))
	if littleEndian || bigEndian {
		decoded, err := utf.UTF16(utf.BigEndian, utf.ExpectBOM).NewDecoder().Bytes(text)
		if err != nil {
			return ""
		}
		return string(decoded)
	}
	text = bytes.ReplaceAll(text, []byte{0}, nil) // of ASCII characters in UTF-16 without a byte order mark
	if utf8.Valid(text) {
		return strings.TrimPrefix(string(text), "\ufeff")
	}
	decoded, err := charmap.Windows1252.NewDecoder().Bytes(text)
	if err != nil {
		return ""
	}
	return string(decoded)
}

// IsSiteTable reports whether a text looks like a CSV file with the locations of survey sites. The
// file may have only the titles of the columns. IsSiteTable returns false for web pages, JSON and
// sentences, such as "Please log in, then try again".
func IsSiteTable(text string) bool {
	text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	isPageOrJSON := text == "" || strings.ContainsAny(text[:1], "<{[")
	if isPageOrJSON || strings.ContainsFunc(text, isBinary) {
		return false
	}
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	return slices.ContainsFunc([]rune("\t;|,"), func(separator rune) bool {
		rows := firstRows(text, separator)
		return havePositionTitle(rows) || haveTitles(rows) || haveSameLength(rows) || havePosition(rows)
	})
}

// isBinary reports whether a character does not occur in a text.
func isBinary(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune("\t\r\n", r) }

// maxExaminedRows is the number of rows in which IsSiteTable looks for sites.
const maxExaminedRows = 20

// firstRows returns the first rows that have several cells with the separator.
func firstRows(text string, separator rune) (rows [][]string) {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma = separator
	r.LazyQuotes = true
	r.FieldsPerRecord = -1 // rows can have different numbers of cells
	for len(rows) < maxExaminedRows {
		row, err := r.Read()
		if err != nil { // the end of the text
			return rows
		}
		isEmpty := func(cell string) bool { return cell == "" }
		filled := slices.DeleteFunc(slices.Clone(row), isEmpty)
		if len(filled) > 1 {
			rows = append(rows, row)
		}
	}
	return rows
}

// maxCommentRows is the maximum number of rows before the column titles. They can contain a
// description of the file.
const maxCommentRows = 2

// havePositionTitle reports whether the titles contain a title for positions, such as latitude in
// "name,latitude,longitude".
func havePositionTitle(rows [][]string) bool {
	head := rows[:min(len(rows), maxCommentRows+1)]
	return slices.ContainsFunc(head, func(row []string) bool { return slices.ContainsFunc(row, isPositionTitle) })
}

// maxPositionWords is the maximum number of words in the title of a column with positions. A longer
// cell is probably a part of a sentence.
const maxPositionWords = 5

// isPositionTitle reports whether a cell is the title of a column with positions, such as "Site latitude",
// "lat_deg" or "Longitude in decimal degrees".
func isPositionTitle(cell string) bool {
	words := wordsOf(cell)
	return len(words) <= maxPositionWords && slices.ContainsFunc(words, isPositionWord)
}

func isPositionWord(word string) bool {
	switch word {
	case "lat", "lon", "lng", "easting", "northing", "breite", "coords", "coordinate", "coordinates", "geometry",
		"geom", "wkt":
		return true
	}
	return strings.Contains(word, "latitud") || strings.Contains(word, "longitud")
}

// wordsOf returns the words of a cell in lower case, without numbers.
func wordsOf(cell string) []string {
	isNoLetter := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }
	return strings.FieldsFunc(strings.ToLower(cell), isNoLetter)
}

// maxTitleWords is the maximum average number of words in the cells of the title row. A row with
// longer cells can be a sentence.
const maxTitleWords = 2

// haveTitles reports whether the first row consists of titles in any language, such as "nom,adresse,type de mission".
// It returns false for a sentence, because its commas are followed by spaces. It also returns false for a form with
// colons: "Log in:\tname\tpassword".
func haveTitles(rows [][]string) bool {
	if len(rows) == 0 {
		return false
	}
	words := 0
	for _, cell := range rows[0] {
		hasNoWord := cell != "" && len(wordsOf(cell)) == 0
		if hasNoWord || strings.HasPrefix(cell, " ") || strings.ContainsAny(cell, ":=?!") {
			return false
		}
		words += len(wordsOf(cell))
	}
	return words <= maxTitleWords*len(rows[0])
}

// haveSameLength reports whether several rows have the same number of cells, at least three.
func haveSameLength(rows [][]string) bool {
	if len(rows) < 2 || len(rows[0]) < 3 {
		return false
	}
	return !slices.ContainsFunc(rows, func(row []string) bool { return len(row) != len(rows[0]) })
}

// havePosition reports whether a row has two numbers, such as "Mast;53,6;9,4", and as many cells as
// the row before it.
func havePosition(rows [][]string) bool {
	for i := 1; i < len(rows); i++ {
		isBelowTitles := len(rows[i]) == len(rows[i-1])
		if isBelowTitles && numberCount(rows[i]) >= 2 {
			return true
		}
	}
	return false
}

// numberCount returns how many cells contain a number, also with a decimal comma.
func numberCount(cells []string) int {
	count := 0
	for _, cell := range cells {
		text := strings.ReplaceAll(strings.TrimSpace(cell), ",", ".")
		if _, err := strconv.ParseFloat(text, 64); err == nil {
			count++
		}
	}
	return count
}
