package server

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"

	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/kmlcsv"
)

const (
	maxParsing        = 4        // survey files parsed at a time; others wait
	uploadOverhead    = 64 << 10 // bytes of an upload in addition to the file: boundaries and headers
	maxListedWarnings = 20       // warnings of each kind in a message
)

var errFileTooLarge = newFault(api.CodeTooLarge,
	fmt.Sprintf("the file is larger than %d MiB", api.MaxUploadBytes>>20))

// parseSurvey returns the handler that parses survey files of a format. The names of the
// files do not matter.
func (h *publicHandlers) parseSurvey(format kmlcsv.Format) func(*exchange) (handlerAnswer, error) {
	return func(x *exchange) (handlerAnswer, error) {
		data, err := x.readUpload()
		if err != nil {
			return handlerAnswer{}, err
		}
		x.endWithClient()
		result, err := h.parseFile(x.r.Context(), data, format)
		if err != nil {
			return handlerAnswer{}, err
		}
		return handlerAnswer{
			message: parseMessage(result),
			data:    api.ParseResult{Placemarks: wirePlacemarks(result.Placemarks)},
		}, nil
	}
}

// parseFile parses a survey file. It waits while maxParsing other files are being parsed.
func (h *publicHandlers) parseFile(ctx context.Context, data []byte, format kmlcsv.Format) (*kmlcsv.Result, error) {
	select {
	case h.parsing <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-h.parsing }()
	result, err := kmlcsv.ParseContext(ctx, data, kmlcsv.Options{Format: format, MaxBytes: api.MaxUploadBytes})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, unreadableFile(result, err)
	}
	return result, nil
}

// surveyPart is the name of the form's part with the survey file.
const surveyPart = "file"

// surveyUpload is a form with a survey file.
type surveyUpload struct {
	hasFile bool
	content []byte
}

// readPart reads a part of the form into u. Every part except the file is recorded in faults.
func (u *surveyUpload) readPart(name string, part *multipart.Part, faults *formFaults) error {
	if name != surveyPart {
		faults.addPart(name, "is not known; the file's part is named file")
		return nil
	}
	if u.hasFile {
		faults.add(surveyPart, "is given more than once")
		return nil
	}
	u.hasFile = true
	content, err := readAtMost(part, api.MaxUploadBytes, errFileTooLarge, errFileTooLarge)
	if err != nil {
		return err
	}
	u.content = content
	return nil
}

// readUpload returns the file in an upload. Only the file is read into memory, not the
// whole body.
func (x *exchange) readUpload() ([]byte, error) {
	form := formBody{
		expected: "the part file",
		limit:    api.MaxUploadBytes + uploadOverhead,
		tooLarge: errFileTooLarge,
		timeout:  uploadTimeout,
	}
	var upload surveyUpload
	faults, err := x.readParts(form, upload.readPart)
	if err != nil {
		return nil, err
	}
	if !upload.hasFile {
		faults.add(surveyPart, "is required")
	} else if len(upload.content) == 0 {
		faults.add(surveyPart, "is empty")
	}
	x.readDone()
	if len(faults) > 0 {
		return nil, invalidRequest(faults, len(faults))
	}
	return upload.content, nil
}

// unreadableFile returns the error for a file that cannot be parsed.
func unreadableFile(result *kmlcsv.Result, err error) error {
	var unusable *kmlcsv.Error
	if errors.As(err, &unusable) && unusable.Code == kmlcsv.TooLarge {
		return newFault(api.CodeTooLarge, err.Error())
	}
	refusal := newFault(api.CodeValidationFailed, "the file cannot be used: "+err.Error())
	refusal.Fields = []api.FieldError{{Field: "file", Message: err.Error()}}
	if result != nil {
		for _, w := range result.Warnings[:min(len(result.Warnings), maxListedWarnings)] {
			refusal.Fields = append(refusal.Fields, api.FieldError{Field: "file", Message: w.String()})
		}
	}
	return refusal
}

// parseMessage returns the message of an answer: how many placemarks were read, and what was
// skipped or corrected.
func parseMessage(result *kmlcsv.Result) string {
	var skipped, corrected []string
	for _, w := range result.Warnings {
		if w.Skipped {
			skipped = append(skipped, w.String())
		} else {
			corrected = append(corrected, w.String())
		}
	}
	message := counted(len(result.Placemarks), "placemark") + " read"
	if len(skipped) > 0 {
		message += fmt.Sprintf("; %d skipped: %s", len(skipped), listed(skipped))
	}
	if len(corrected) > 0 {
		message += "; note: " + listed(corrected)
	}
	return message
}

func listed(texts []string) string {
	if more := len(texts) - maxListedWarnings; more > 0 {
		texts = append(texts[:maxListedWarnings:maxListedWarnings], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(texts, "; ")
}

func wirePlacemarks(placemarks []kmlcsv.Placemark) []api.Placemark {
	all := make([]api.Placemark, len(placemarks))
	for i, p := range placemarks {
		all[i] = api.Placemark{
			LocationLabel: p.Name, Country: p.Country, City: p.City, LocationMap: wirePoints(p.Points()),
		}
	}
	return all
}

func wirePoints(points []orb.Point) []api.Point {
	all := make([]api.Point, len(points))
	for i, p := range points {
		all[i] = api.Point{Lat: p.Lat(), Lng: p.Lon()}
	}
	return all
}

// csvExample answers with the CSV template: as a file if the client accepts text/csv,
// otherwise as JSON.
func (h *publicHandlers) csvExample(x *exchange) (handlerAnswer, error) {
	const name, mediaType = "sites.csv", "text/csv"
	if acceptsType(x.r.Header, mediaType) {
		return handlerAnswer{
			file: &fileAnswer{
				name:       name,
				mediaType:  mediaType + "; charset=utf-8",
				content:    kmlcsv.Template(),
				isDocument: true,
			},
		}, nil
	}
	return handlerAnswer{
		message: "a CSV file to start from",
		data: api.CSVTemplate{
			FileName:    name,
			ContentType: mediaType,
			Content:     string(kmlcsv.Template()),
		},
	}, nil
}

// acceptsType reports whether the Accept header contains a media type.
func acceptsType(h http.Header, mediaType string) bool {
	for _, accepted := range strings.Split(strings.Join(h.Values("Accept"), ","), ",") {
		name, params, err := mime.ParseMediaType(accepted)
		if err == nil && name == mediaType && !strings.HasPrefix(params["q"], "0") {
			return true
		}
	}
	return false
}
