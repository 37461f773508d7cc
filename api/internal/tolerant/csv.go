package tolerant

import (
	"encoding/csv"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// FindCSV returns a CSV file with survey sites that a service has sent as JSON. The JSON can be a
// text, a list of column names or of rows, or an object that contains one of these. FindCSV returns
// "" if v contains no such file.
func FindCSV(v jsontext.Value) string {
	text := csvText(v, maxNesting)
	if !IsSiteTable(text) {
		return ""
	}
	return text
}

func csvText(v jsontext.Value, levels int) string {
	switch v.Kind() {
	case '"':
		if text := Text(v); strings.ContainsAny(text, ",;\t\n") {
			return text
		}
	case '[':
		return csvOfRows(Elements(v))
	case '{':
		if levels > 0 {
			return csvOfMembers(Members(v), levels-1)
		}
	}
	return ""
}

// csvOfMembers returns the CSV file in the members of an object. Either one member contains the
// whole file, or one member has the column names and the next has the rows. Otherwise it returns
// "". levels is the number of levels to search in each member.
func csvOfMembers(object Object, levels int) string {
	var found []string
	for _, m := range object {
		if text := csvText(m.Value, levels); text != "" {
			found = append(found, text)
		}
	}
	isHeader := len(found) == 2 && strings.Count(found[0], "\n") == 1
	if isHeader {
		return found[0] + found[1]
	}
	if len(found) == 1 {
		return found[0]
	}
	return ""
}

// csvOfRows returns the rows of a list as a CSV file, or "" if the list does not contain rows.
func csvOfRows(list []jsontext.Value) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.WriteAll(rowsOf(list)) // a string builder returns no error
	return b.String()
}

// rowsOf returns the rows of a table that was sent as a JSON list:
//
//   - Each list in it is a row.
//   - All texts in it together are the first row: the column names.
//   - Each object in it is a row. Before the first object, rowsOf adds a row with its member names.
//
// It returns nil if the objects have different members, or if the list has other elements.
func rowsOf(list []jsontext.Value) [][]string {
	var texts []string
	var rows [][]string
	for _, element := range list {
		switch element.Kind() {
		case '"':
			texts = append(texts, Text(element))
		case '[':
			rows = append(rows, textsOf(Elements(element)))
		case '{':
			names, values := namesAndTexts(Members(element))
			if len(rows) == 0 {
				rows = append(rows, names)
			}
			if !slices.Equal(names, rows[0]) {
				return nil
			}
			rows = append(rows, values)
		default:
			return nil
		}
	}
	if len(texts) > 0 {
		return slices.Insert(rows, 0, texts)
	}
	return rows
}

func textsOf(values []jsontext.Value) []string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = Text(v)
	}
	return texts
}

func namesAndTexts(object Object) (names, texts []string) {
	for _, m := range object {
		names = append(names, m.Name)
		texts = append(texts, Text(m.Value))
	}
	return names, texts
}
