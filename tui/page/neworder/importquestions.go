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

// questionFields has the import dialog's field for each kind of question. [kmlcsv.AskColumns] is missing, because
// the form has a field for each meaning of a column instead.
var questionFields = map[kmlcsv.QuestionKind]struct{ id, label string }{
	kmlcsv.AskSystem:     {"system", "System"},
	kmlcsv.AskAxes:       {"axis order", "Axis order"},
	kmlcsv.AskHemisphere: {"hemisphere", "Hemisphere"},
	kmlcsv.AskLetterO:    {"letter o", "Letter O"},
	kmlcsv.AskEncoding:   {"encoding", "Encoding"},
	kmlcsv.AskSheet:      {"sheet", "Sheet"},
	kmlcsv.AskUnit:       {"unit", "Unit"},
}

// questionOf returns the kind of question that a field answers, by the ID of the field. It returns false
// if the field does not answer a question.
func questionOf(id string) (kmlcsv.QuestionKind, bool) {
	for kind, field := range questionFields {
		if field.id == id {
			return kind, true
		}
	}
	return "", false
}

// answerOf returns the answer that the options contain for a kind of question, or "" if they contain none.
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

// setAnswer sets the option that answers a kind of question.
func setAnswer(opts *kmlcsv.Options, kind kmlcsv.QuestionKind, value string) {
	switch kind {
	case kmlcsv.AskSystem:
		// An empty answer sets 0: the file is then read with the system that it names.
		opts.CRS, _ = strconv.Atoi(strings.TrimPrefix(value, "EPSG:"))
	case kmlcsv.AskAxes:
		setAxes(opts, value)
	case kmlcsv.AskHemisphere:
		opts.Hemisphere = kmlcsv.Hemisphere(value)
	case kmlcsv.AskLetterO:
		opts.LetterO = kmlcsv.LetterO(value)
	case kmlcsv.AskEncoding:
		opts.Encoding = value
	case kmlcsv.AskSheet:
		opts.Sheet = value
		opts.HeaderRow = 0
		opts.Columns = nil
	case kmlcsv.AskUnit:
		opts.Unit = value
	case kmlcsv.AskColumns:
	}
}

// setAxes sets the order of latitude and longitude in the options. The value "true" swaps all coordinates, and
// "false" does not. Any other value is the [kmlcsv.AxisOrder] for coordinates without column names.
func setAxes(opts *kmlcsv.Options, value string) {
	if swapped, err := strconv.ParseBool(value); err == nil {
		opts.SwapLatLng = swapped
		return
	}
	opts.Axes = kmlcsv.AxisOrder(value)
}

// updateQuestions updates the questions after the file was read. Answered questions stay in the form, so that the
// user can change the answers.
func (d *importDialog) updateQuestions() {
	opts := &d.read.Options
	isUnanswered := func(q kmlcsv.Question) bool { return answerOf(opts, q.Kind) == "" }
	d.questions = slices.DeleteFunc(d.questions, isUnanswered)
	for _, q := range d.read.Result.Questions {
		if q.Kind != kmlcsv.AskColumns {
			d.putQuestion(q)
		}
	}
	for _, q := range usualQuestions {
		isAnswered := answerOf(opts, q.Kind) != ""
		if isAnswered && !d.hasQuestion(q.Kind) {
			d.questions = append(d.questions, q)
		}
	}
}

// putQuestion replaces the question of the same kind, or adds the question.
func (d *importDialog) putQuestion(q kmlcsv.Question) {
	isSameKind := func(old kmlcsv.Question) bool { return old.Kind == q.Kind }
	i := slices.IndexFunc(d.questions, isSameKind)
	if i < 0 {
		d.questions = append(d.questions, q)
		return
	}
	d.questions[i] = q
}

// usualQuestions has the usual choices of each kind of question. The form uses them for a question that was answered
// before the dialog was opened: the reader of the file did not ask it, but the user can change the answer.
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

// openQuestion returns the question that the user must answer before the file can be read, or nil.
func (d *importDialog) openQuestion() *kmlcsv.Question {
	failed, ok := errors.AsType[*kmlcsv.Error](d.err)
	if !ok {
		return nil
	}
	if failed.Code != kmlcsv.NeedsAnswer && failed.Code != kmlcsv.ProjectedCoords {
		return nil
	}
	for _, q := range slices.Backward(d.questions) {
		if !q.Certain && answerOf(&d.read.Options, q.Kind) == "" {
			return &q
		}
	}
	return nil
}

// focusQuestion focuses the field of the open question. A question without choices has no field: its answer is
// typed into the field "other system". If that field has the focus, the focus stays there, because the user is
// typing.
func (d *importDialog) focusQuestion() {
	question := d.openQuestion()
	if question == nil || d.Form.Focused().ID == "other system" {
		return
	}
	id := questionFields[question.Kind].id
	if d.Form.Field(id) == nil {
		id = "other system"
	}
	d.Form.FocusField(id)
}

// addQuestion adds the field of a question to the form. An open question has no value.
func (d *importDialog) addQuestion(c *importFields, q *kmlcsv.Question) {
	value := d.questionValue(q)
	options := d.questionOptions(q)
	isValue := func(o widget.Option) bool { return o.Value == value }
	if value != "" && !slices.ContainsFunc(options, isValue) {
		options = append(options, choice(value, value, "As chosen"))
	}
	if len(options) > 0 {
		c.addChoice(questionFields[q.Kind].label, value, options...)
	}
	if q.Kind == kmlcsv.AskSystem {
		c.fields = append(c.fields, &widget.Field{
			Label: "Other system",
			Help:  "EPSG code, or a name such as UTM 32N",
		})
	}
}

// questionValue returns the user's answer to a question. If the user has not answered it, questionValue returns the
// value with which the file was read, or "" if the question must be answered.
func (d *importDialog) questionValue(q *kmlcsv.Question) string {
	answer := answerOf(&d.read.Options, q.Kind)
	if answer != "" || !q.Certain {
		return answer
	}
	if q.Kind == kmlcsv.AskEncoding {
		return d.read.Result.Layout.Encoding
	}
	hasEmptyValue := q.Kind == kmlcsv.AskSheet || q.Kind == kmlcsv.AskSystem // all sheets, the file's system
	if hasEmptyValue || len(q.Choices) == 0 {
		return ""
	}
	return q.Choices[0].Value
}

// questionOptions returns the options of the field for a question: the choices that the question has, and the
// choices that are always possible for its kind, such as the usual encodings.
func (d *importDialog) questionOptions(q *kmlcsv.Question) []widget.Option {
	var options []widget.Option
	for _, answer := range q.Choices {
		label := answer.Label
		help := q.Text
		if answer.Town != "" {
			label += "  " + answer.Town
			help = "The first site would be " + answer.Town
		}
		options = append(options, choice(answer.Value, label, help))
	}
	if q.Kind == kmlcsv.AskEncoding {
		return addEncodings(options, d.read.Result.Layout.Encoding)
	}
	if q.Kind == kmlcsv.AskSheet {
		return append([]widget.Option{choice("", "all with sites", q.Text)}, options...)
	}
	if q.Kind == kmlcsv.AskSystem && q.Certain {
		return append(options, choice("", "as in the file", "Degrees, or the system that the file names"))
	}
	return options
}

// encodings has the encodings that the user can choose for every text.
var encodings = []string{
	"utf-8", "windows-1252", "windows-1250", "windows-1251", "windows-1253", "windows-1254", "iso-8859-2",
	"cp850", "cp852", "ibm866", "macintosh", "shift_jis", "gbk", "big5", "euc-kr",
}

// addEncodings adds the encoding that was found in a file, and the usual encodings, to the options.
func addEncodings(options []widget.Option, found string) []widget.Option {
	for _, name := range append([]string{found}, encodings...) {
		isOffered := func(o widget.Option) bool { return o.Value == name }
		if name != "" && !slices.ContainsFunc(options, isOffered) {
			options = append(options, choice(name, name, "Encoding of the text"))
		}
	}
	return options
}

// sheetOptions returns an option for all sheets of a workbook, and an option for each sheet.
func sheetOptions(sheets []string) []widget.Option {
	all := choice("", "all with sites", "Every visible sheet that has sites")
	return append([]widget.Option{all}, choices("Sheet of the workbook", sheets...)...)
}

// swapAxes swaps latitude and longitude: it chooses the other option of the field "axis order" and reads the file
// again. It does nothing if the form has no such field, or if the field does not have exactly two options.
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
