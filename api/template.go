package api

import (
	"cmp"
	"context"
	"encoding/csv"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Template returns a CSV file to start from. The specification does not show the form of
// the answer: the file may be sent by itself, as a text within the envelope, or as the
// names of its columns. A file without a name is called sites.csv.
func (s *SurveysService) Template(ctx context.Context) (*CSVTemplate, error) {
	op := NewOperation("get the CSV template", "GET csv/example")
	body, err := s.c.perform(ctx, &op)
	if err != nil {
		return nil, err
	}
	template, err := readTemplate(op, body)
	if err != nil {
		return nil, err
	}
	template.FileName = cmp.Or(template.FileName, "sites.csv")
	template.ContentType = cmp.Or(template.ContentType, "text/csv")
	return template, nil
}

func readTemplate(op Operation, body []byte) (*CSVTemplate, error) {
	isPlain := len(body) > 0 && !strings.ContainsRune("<{[\"", rune(body[0])) && utf8.Valid(body)
	v, _, err := readAnswer(op, body)
	switch {
	case err != nil && isPlain:
		return &CSVTemplate{Content: string(body)}, nil
	case err != nil:
		return nil, err
	}
	template := &CSVTemplate{}
	if object := membersOf(v); object.hasMember("data") {
		v = object.valueOf("data")
	}
	_ = DecodeRecord(v, template) // the file may have another form
	if template.Content == "" {
		template.Content = csvText(v, mostNested)
	}
	if template.Content == "" {
		return nil, foreignError(op, "the response contains no CSV file")
	}
	return template, nil
}

// csvText returns a value as the text of a CSV file: a text with separators, a list of
// column names or of rows, or an object that holds one of these; "" for anything else.
func csvText(v jsontext.Value, levels int) string {
	switch v.Kind() {
	case '"':
		if text := textOf(v); strings.ContainsAny(text, ",;\t\n") {
			return text
		}
	case '[':
		return csvOfRows(elementsOf(v))
	case '{':
		if levels > 0 {
			return csvOfMembers(membersOf(v), levels-1)
		}
	}
	return ""
}

// csvOfMembers returns the CSV file that the members of an object are: the only one that
// is a file, or a list of column names before a list of rows.
func csvOfMembers(object sentObject, levels int) string {
	var found []string
	for _, m := range object {
		if text := csvText(m.value, levels); text != "" {
			found = append(found, text)
		}
	}
	if len(found) == 2 && strings.Count(found[0], "\n") == 1 {
		return found[0] + found[1]
	}
	if len(found) == 1 {
		return found[0]
	}
	return ""
}

// csvOfRows returns the lines of a list: of column names, of rows as lists, or of rows as
// objects.
func csvOfRows(list []jsontext.Value) string {
	var rows [][]string
	var names []string
	for _, element := range list {
		switch element.Kind() {
		case '"':
			names = append(names, textOf(element))
		case '[':
			rows = append(rows, textsOf(elementsOf(element)))
		case '{':
			header, row := namesAndTexts(membersOf(element))
			if len(rows) == 0 {
				rows = append(rows, header)
			}
			if !slices.Equal(header, rows[0]) {
				return ""
			}
			rows = append(rows, row)
		default:
			return ""
		}
	}
	if len(names) > 0 {
		rows = append([][]string{names}, rows...)
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.WriteAll(rows) // a builder returns no error
	return b.String()
}

func textsOf(values []jsontext.Value) []string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = textOf(v)
	}
	return texts
}

func namesAndTexts(object sentObject) (names, texts []string) {
	for _, m := range object {
		names = append(names, m.name)
		texts = append(texts, textOf(m.value))
	}
	return names, texts
}
