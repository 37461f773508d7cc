package api

import (
	"cmp"
	"context"
	"strings"
	"unicode/utf8"

	"flightdesk/api/internal/tolerant"
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
	if object := tolerant.Members(v); object.Has("data") {
		v = object.Get("data")
	}
	_ = DecodeRecord(v, template) // the file may have another form
	if template.Content == "" {
		template.Content = tolerant.FindCSV(v)
	}
	if template.Content == "" {
		return nil, foreignError(op, "the response contains no CSV file")
	}
	return template, nil
}
