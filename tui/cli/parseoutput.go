package cli

import (
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api"
	"flightdesk/kmlcsv"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
)

// parsedFile is the output of parse --output json.
type parsedFile struct {
	Placemarks []parsedPlacemark `json:"placemarks"`
	Warnings   []parsedWarning   `json:"warnings"`
	Questions  []parsedQuestion  `json:"questions"`
}

// parsedQuestion is a question about a file that can be read in more than one way.
type parsedQuestion struct {
	Kind    kmlcsv.QuestionKind `json:"kind"`
	Line    int                 `json:"line"` // 0 for the whole file
	Text    string              `json:"text"`
	Flag    string              `json:"flag"`    // flag that answers the question
	Certain bool                `json:"certain"` // the first choice was used; otherwise the user must choose
	Choices []parsedChoice      `json:"choices"`
}

type parsedChoice struct {
	Value string `json:"value"`
	Label string `json:"label"`
	Town  string `json:"town"` // town in which the first site would be; "" if unknown
}

type parsedPlacemark struct {
	LocationLabel string      `json:"locationLabel"`
	Country       string      `json:"country"`
	City          string      `json:"city"`
	LocationMap   []api.Point `json:"locationMap"`
	MissionType   kmlcsv.Kind `json:"missionType"`
	AreaSize      float64     `json:"areaSize"` // square metres
	Length        float64     `json:"length"`   // metres
}

type parsedWarning struct {
	Code      kmlcsv.Code `json:"code"`
	Line      int         `json:"line"`      // 0 for the whole file
	Placemark string      `json:"placemark"` // label of the placemark; "" if the warning is about none
	Message   string      `json:"message"`
}

// writeJSON writes a parsed file as JSON on one line.
func writeJSON(w io.Writer, found *kmlcsv.Result) error {
	parsed := parsedFile{
		Placemarks: make([]parsedPlacemark, len(found.Placemarks)),
		Warnings:   make([]parsedWarning, len(found.Warnings)),
		Questions:  make([]parsedQuestion, len(found.Questions)),
	}
	for i := range found.Placemarks {
		parsed.Placemarks[i] = newParsedPlacemark(&found.Placemarks[i])
	}
	for i, w := range found.Warnings {
		parsed.Warnings[i] = parsedWarning{Code: w.Code, Line: w.Line, Placemark: w.Placemark, Message: w.Message}
	}
	for i := range found.Questions {
		parsed.Questions[i] = newParsedQuestion(&found.Questions[i])
	}
	encoder := jsontext.NewEncoder(w, jsontext.EscapeForJS(true))
	return json.MarshalEncode(encoder, parsed) // with a line end
}

func newParsedPlacemark(p *kmlcsv.Placemark) parsedPlacemark {
	return parsedPlacemark{
		LocationLabel: p.Name,
		Country:       p.Country,
		City:          p.City,
		LocationMap:   ordering.WirePoints(p.Points()),
		MissionType:   p.Kind(),
		AreaSize:      p.Area,
		Length:        p.Length,
	}
}

// newParsedQuestion returns a question with the flag that answers it.
func newParsedQuestion(q *kmlcsv.Question) parsedQuestion {
	choices := make([]parsedChoice, len(q.Choices))
	for i, choice := range q.Choices {
		choices[i] = parsedChoice(choice)
	}
	return parsedQuestion{
		Kind:    q.Kind,
		Line:    q.Line,
		Text:    q.Text,
		Flag:    answerFlags[q.Kind],
		Certain: q.Certain,
		Choices: choices,
	}
}

// placemarkSheet returns a sheet for placemarks, with the total area and length.
func placemarkSheet(placemarks []kmlcsv.Placemark) *rowSheet[*kmlcsv.Placemark] {
	s := newSheet("placemark", placemarkColumns(), "")
	var area, length float64
	for i := range placemarks {
		area += placemarks[i].Area
		length += placemarks[i].Length
	}
	if area > 0 {
		s.Totals = ", " + format.Units{}.Area(area)
	}
	if length > 0 {
		s.Totals += ", " + format.Length(length)
	}
	return s
}

func placemarkColumns() []columns.Column[*kmlcsv.Placemark] {
	return columns.MakeColumns("placemarks", columns.Values[*kmlcsv.Placemark]{
		"type": func(p *kmlcsv.Placemark) columns.Cell {
			return columns.TextCell(format.Word(api.MissionType(p.Kind())).Label)
		},
		"size": func(p *kmlcsv.Placemark) columns.Cell {
			kind := api.MissionType(p.Kind())
			site := ordering.Site{
				Type:     kind,
				Geometry: p.Geometry,
				Area:     p.Area,
				Length:   p.Length,
			}
			return columns.TextCell(site.SizeText(format.Units{}))
		},
		"points": func(p *kmlcsv.Placemark) columns.Cell {
			return columns.TextCell(format.GroupInt(max(1, len(p.Points()))))
		},
	})
}
