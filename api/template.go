package api

import (
	"context"
	"strings"

	"flightdesk/api/internal/tolerant"
)

// Template returns an example of a CSV file. The specification does not show the form of the
// response, so Template accepts the plain file, a text in the envelope, and a list of column
// names. The default file name is sites.csv.
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
	if template.FileName == "" {
		template.FileName = "sites.csv"
	}
	if template.ContentType == "" {
		template.ContentType = "text/csv"
	}
	return template, nil
}

func readTemplate(op Operation, body []byte) (*CSVTemplate, error) {
	v, _, err := readResponse(op, body)
	if err != nil && isPlainTemplate(op, body) {
		return &CSVTemplate{Content: tolerant.DecodeText(body)}, nil
	}
	if err != nil {
		return nil, err
	}
	template := &CSVTemplate{}
	if object := tolerant.Members(v); object.Has("data") {
		v = object.Get("data")
	}
	_ = DecodeRecord(v, template) // on an error, FindCSV tries the other forms
	isDeclared := template.Content != "" && strings.Contains(strings.ToLower(template.ContentType), "csv")
	if !isDeclared && !tolerant.IsSiteTable(template.Content) {
		template.Content = tolerant.FindCSV(v)
	}
	if template.Content == "" {
		return nil, foreignError(op, "the response contains no CSV file")
	}
	return template, nil
}

// isPlainTemplate reports whether the body of a response is the CSV template itself, without an envelope. It returns
// true if the media type is text/csv, or if the body looks like a table of sites.
func isPlainTemplate(op Operation, body []byte) bool {
	text := tolerant.DecodeText(body)
	isPage := strings.HasPrefix(strings.TrimSpace(text), "<")
	isDeclared := op.mediaType == "text/csv" && strings.TrimSpace(text) != "" && !isPage
	return isDeclared || tolerant.IsSiteTable(text)
}
