package neworder

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/kmlcsv"
	"flightdesk/tui/widget"
)

// questionFields are the fields of the import dialog that answer questions about a file.
// Columns have fields of their own.
var questionFields = map[kmlcsv.QuestionKind]struct{ id, label string }{
	kmlcsv.AskSystem:     {"system", "System"},
	kmlcsv.AskAxes:       {"axis order", "Axis order"},
	kmlcsv.AskHemisphere: {"hemisphere", "Hemisphere"},
	kmlcsv.AskLetterO:    {"letter o", "Letter O"},
	kmlcsv.AskEncoding:   {"encoding", "Encoding"},
	kmlcsv.AskSheet:      {"sheet", "Sheet"},
	kmlcsv.AskUnit:       {"unit", "Unit"},
}

// questionOf returns which question a field answers.
func questionOf(id string) (kmlcsv.QuestionKind, bool) {
	for kind, field := range questionFields {
		if field.id == id {
			return kind, true
		}
	}
	return "", false
}

// answerOf returns the answer to a question in the options, "" for none.
func answerOf(opts *kmlcsv.Options, kind kmlcsv.QuestionKind) string {
	switch kind {
	case kmlcsv.AskSystem:
		if opts.CRS != 0 {
			return fmt.Sprintf("EPSG:%d", opts.CRS)
		}
	case kmlcsv.AskAxes:
		return string(opts.Axes)
	case kmlcsv.AskHemisphere:
		return string(opts.Hemisphere)
	case kmlcsv.AskLetterO:
		return string(opts.LetterO)
	case kmlcsv.AskEncoding:
		return opts.Encoding
	case kmlcsv.AskSheet:
		return opts.Sheet
	case kmlcsv.AskUnit:
		return opts.Unit
	case kmlcsv.AskColumns:
	}
	return ""
}

// setAnswer sets the option that a question is about.
func setAnswer(opts *kmlcsv.Options, kind kmlcsv.QuestionKind, value string) {
	switch kind {
	case kmlcsv.AskSystem:
		opts.CRS, _ = strconv.Atoi(strings.TrimPrefix(value, "EPSG:")) // 0 for "as in the file"
	case kmlcsv.AskAxes:
		setAxes(opts, value)
	case kmlcsv.AskHemisphere:
		opts.Hemisphere = kmlcsv.Hemisphere(value)
	case kmlcsv.AskLetterO:
		opts.LetterO = kmlcsv.LetterO(value)
	case kmlcsv.AskEncoding:
		opts.Encoding = value
	case kmlcsv.AskSheet:
		opts.Sheet, opts.HeaderRow, opts.Columns = value, 0, nil
	case kmlcsv.AskUnit:
		opts.Unit = value
	case kmlcsv.AskColumns:
	}
}

// setAxes sets the order of the axes: an order of unnamed coordinates, or whether all
// coordinates are exchanged.
func setAxes(opts *kmlcsv.Options, value string) {
	if swapped, err := strconv.ParseBool(value); err == nil {
		opts.SwapLatLng = swapped
		return
	}
	opts.Axes = kmlcsv.AxisOrder(value)
}

// updateQuestions takes the questions of the last reading. Questions that have an answer
// stay, so that it can be changed.
func (d *importDialog) updateQuestions() {
	res, opts := d.read.Result, &d.read.Options
	d.questions = slices.DeleteFunc(d.questions, func(q kmlcsv.Question) bool {
		return answerOf(opts, q.Kind) == ""
	})
	for _, q := range res.Questions {
		i := slices.IndexFunc(d.questions, func(old kmlcsv.Question) bool { return old.Kind == q.Kind })
		switch {
		case q.Kind == kmlcsv.AskColumns:
		case i >= 0:
			d.questions[i] = q
		default:
			d.questions = append(d.questions, q)
		}
	}
	for _, q := range usualQuestions {
		if answerOf(opts, q.Kind) != "" && !d.hasQuestion(q.Kind) {
			d.questions = append(d.questions, q)
		}
	}
}

// usualQuestions have the choices of questions that were answered earlier: the reader does
// not ask them again.
var usualQuestions = []kmlcsv.Question{
	{Kind: kmlcsv.AskSystem, Certain: true},
	{Kind: kmlcsv.AskEncoding, Certain: true},
	{Kind: kmlcsv.AskAxes, Certain: true, Text: "Which coordinate is first?", Choices: []kmlcsv.Choice{
		{Value: string(kmlcsv.LatLng), Label: "latitude or northing first"},
		{Value: string(kmlcsv.LngLat), Label: "longitude or easting first"},
	}},
	{Kind: kmlcsv.AskHemisphere, Certain: true, Text: "Hemisphere of UTM zones", Choices: []kmlcsv.Choice{
		{Value: string(kmlcsv.Northern), Label: "northern"},
		{Value: string(kmlcsv.Southern), Label: "southern"},
	}},
	{Kind: kmlcsv.AskLetterO, Certain: true, Text: "Meaning of the letter O", Choices: []kmlcsv.Choice{
		{Value: string(kmlcsv.OWest), Label: "west (Oeste, Ouest)"},
		{Value: string(kmlcsv.OEast), Label: "east (Ost)"},
	}},
	{Kind: kmlcsv.AskUnit, Certain: true},
}

func (d *importDialog) hasQuestion(kind kmlcsv.QuestionKind) bool {
	return slices.ContainsFunc(d.questions, func(q kmlcsv.Question) bool { return q.Kind == kind })
}

// openQuestion returns the question that must be answered before the file can be read, nil
// if there is none.
func (d *importDialog) openQuestion() *kmlcsv.Question {
	failed, ok := errors.AsType[*kmlcsv.Error](d.err)
	if !ok || failed.Code != kmlcsv.NeedsAnswer && failed.Code != kmlcsv.ProjectedCoords {
		return nil
	}
	for _, q := range slices.Backward(d.questions) {
		if !q.Certain && answerOf(&d.read.Options, q.Kind) == "" {
			return &q
		}
	}
	return nil
}

// focusQuestion puts the open question in focus.
func (d *importDialog) focusQuestion() {
	if q := d.openQuestion(); q != nil && d.Form.Focused().ID != "other system" {
		id := questionFields[q.Kind].id
		if d.Form.Field(id) == nil { // only the user can know it
			id = "other system"
		}
		d.Form.FocusField(id)
	}
}

// addQuestion adds the field of a question. An open question has no value.
func (d *importDialog) addQuestion(c *importFields, q *kmlcsv.Question) {
	var options []widget.Option
	for _, answer := range q.Choices {
		label, help := answer.Label, q.Text
		if answer.Town != "" {
			label += "  " + answer.Town
			help = "The first site would be " + answer.Town
		}
		options = append(options, choice(answer.Value, label, help))
	}
	value := answerOf(&d.read.Options, q.Kind)
	switch {
	case q.Kind == kmlcsv.AskSheet:
		options = append([]widget.Option{choice("", "all with sites", q.Text)}, options...)
	case q.Kind == kmlcsv.AskSystem && q.Certain:
		options = append(options, choice("", "as in the file", "Degrees, or the system that the file names"))
	case q.Kind == kmlcsv.AskEncoding:
		found := d.read.Result.Layout.Encoding
		options = addEncodings(options, found)
		if value == "" && q.Certain {
			value = found
		}
	case value == "" && q.Certain && len(options) > 0:
		value = options[0].Value
	}
	if isAnswer := func(o widget.Option) bool { return o.Value == value }; value != "" && !slices.ContainsFunc(options, isAnswer) {
		options = append(options, choice(value, value, "As chosen"))
	}
	field := questionFields[q.Kind]
	if len(options) > 0 {
		c.addChoice(field.label, value, options...)
	}
	if q.Kind == kmlcsv.AskSystem {
		c.fields = append(c.fields, &widget.Field{
			Label: "Other system", Help: "EPSG code, or a name such as UTM 32N",
		})
	}
}

// encodings are those that are offered for every text.
var encodings = []string{
	"utf-8", "windows-1252", "windows-1250", "windows-1251", "windows-1253", "windows-1254", "iso-8859-2",
	"cp850", "cp852", "ibm866", "macintosh", "shift_jis", "gbk", "big5", "euc-kr",
}

// addEncodings adds the encodings that a question does not offer.
func addEncodings(options []widget.Option, found string) []widget.Option {
	for _, name := range append([]string{found}, encodings...) {
		isOffered := func(o widget.Option) bool { return o.Value == name }
		if name != "" && !slices.ContainsFunc(options, isOffered) {
			options = append(options, choice(name, name, "Encoding of the text"))
		}
	}
	return options
}

// sheetOptions returns the sheets to choose from, or all of them.
func sheetOptions(sheets []string) []widget.Option {
	all := choice("", "all with sites", "Every visible sheet that has sites")
	return append([]widget.Option{all}, choices("Sheet of the workbook", sheets...)...)
}

// swapAxes exchanges latitude and longitude.
func (d *importDialog) swapAxes() tea.Cmd {
	f := d.Form.Field("axis order")
	if f == nil || len(f.Options) != 2 {
		return nil
	}
	value := f.Options[0].Value
	if f.Value() == value {
		value = f.Options[1].Value
	}
	setAxes(&d.read.Options, value)
	f.Set(value)
	return d.readFile()
}
