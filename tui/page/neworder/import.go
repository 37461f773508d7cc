package neworder

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/kmlcsv"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/widget"
)

// columnMeaning is the meaning of a column, such as the latitude. The form has a field for each meaning.
type columnMeaning struct {
	label, help string
	// member returns a pointer to the member of Columns for this meaning. The member has the index of the column.
	member func(*kmlcsv.Columns) *int
}

// index returns the index of the column with this meaning, or -1 if there is none.
func (m *columnMeaning) index(columns kmlcsv.Columns) int { return *m.member(&columns) }

// columnMeanings has the meanings that a column can have, in the order of the form.
var columnMeanings = []columnMeaning{
	{"Latitude", "Degrees north, or the northing", func(c *kmlcsv.Columns) *int { return &c.Latitude }},
	{"Longitude", "Degrees east, or the easting", func(c *kmlcsv.Columns) *int { return &c.Longitude }},
	{
		"Boundary", "WKT, GeoJSON or coordinates; replaces latitude and longitude",
		func(c *kmlcsv.Columns) *int { return &c.Geometry },
	},
	{"Name", "Name of the site", func(c *kmlcsv.Columns) *int { return &c.Label }},
	{"Country", "Suggested if empty", func(c *kmlcsv.Columns) *int { return &c.Country }},
	{"City", "Suggested if empty", func(c *kmlcsv.Columns) *int { return &c.City }},
}

// importDialog asks how a file or a pasted text is read. Below the form it shows the first rows and the first site,
// as they are read with the options in the form. The field of an open question initially has no value, so that the
// user cannot overlook it.
type importDialog struct {
	widget.FormDialog
	firstRows // first rows of the file, read with the options in the form
	importer  *siteImporter
	questions []kmlcsv.Question // questions in the form, including answered questions
	reading   page.Request
}

// newImportDialog returns the dialog for a file that was read, or that cannot be read before the user
// answers a question.
func newImportDialog(im *siteImporter, result readResult) *importDialog {
	d := &importDialog{importer: im, firstRows: firstRows{readResult: result}}
	d.updateQuestions()
	d.guessColumns()
	fields, values := d.formFields()
	d.FormDialog = widget.FormDialog{
		Title:    "Import " + filepath.Base(d.read.Path),
		Form:     widget.NewForm(80, im.env.Clock.Now, fields...),
		OnSave:   d.save,
		OnChange: d.applyChange,
		Below:    d.renderPreview,
	}
	d.setValues(values)
	d.focusQuestion()
	d.updateHints()
	return d
}

// Update handles the dialog's keys. Other keys go to the form.
func (d *importDialog) Update(msg tea.Msg) (tea.Cmd, bool) {
	switch widget.KeyName(msg) {
	case "ctrl+x":
		return d.swapAxes(), false
	case "ctrl+w":
		return showReport(d.importer.env, filepath.Base(d.read.Path), reportOf(d.read.Result)), false
	case "enter", "ctrl+s":
		question := d.openQuestion()
		if question != nil && !d.reading.IsRunning() {
			return d.chooseMarked(question), false
		}
	}
	return d.FormDialog.Update(msg)
}

// chooseMarked answers an open question with the choice under the cursor. If the field of the question does not
// have the focus, chooseMarked only focuses it.
func (d *importDialog) chooseMarked(q *kmlcsv.Question) tea.Cmd {
	field := d.Form.Field(questionFields[q.Kind].id)
	if field == nil {
		d.Form.FocusField("other system")
		return nil
	}
	if field != d.Form.Focused() {
		d.Form.FocusField(field.ID)
		return nil
	}
	field.PickMarked()
	return d.applyChange(d.Form)
}

// guessColumns chooses the columns that look like coordinates and returns true. It returns false and changes nothing if
// no columns look like coordinates. It also returns false if the file was read without an error, if a question is open,
// or if columns were chosen before.
func (d *importDialog) guessColumns() bool {
	if d.err == nil || d.openQuestion() != nil {
		return false
	}
	result := d.read.Result
	opts := &d.read.Options
	if opts.Columns != nil || !result.Columns.HasLocation() {
		return false
	}
	d.pinLayout()
	opts.Columns = &result.Columns
	return true
}

// pinLayout copies the detected header row and separator to the options, unless the user has chosen others. Call it
// before setting columns in the options: columns are chosen by their index, which is right only if the next reading
// finds the same rows and cells.
func (d *importDialog) pinLayout() {
	layout := &d.read.Result.Layout
	opts := &d.read.Options
	if opts.HeaderRow == 0 {
		opts.HeaderRow = layout.HeaderRow
	}
	if opts.Separator == 0 && len(layout.Sheets) == 0 {
		opts.Separator = layout.Separator
	}
}

// applyChange sets the option of the focused field and reads the file again. If the value of the field is invalid,
// it returns nil.
func (d *importDialog) applyChange(f *widget.Form) tea.Cmd {
	d.Fault = ""
	if !d.setOption(f.Focused()) {
		return nil
	}
	return d.readFile()
}

// readFile reads the file with the options in the form, in the background.
func (d *importDialog) readFile() tea.Cmd {
	file := d.read
	opts := d.read.Options
	reader := d.importer.parent.drafts.Reader
	read := func(ctx context.Context) (ordering.FileRead, error) {
		return reader.ReadWith(ctx, file, opts)
	}
	return page.RunInBackground(d.importer.parent.base, &d.reading, read, d.handleRead)
}

// handleRead updates the form after the file was read. If guessColumns has chosen columns, it reads the file again
// with these columns.
func (d *importDialog) handleRead(read ordering.FileRead, err error) tea.Cmd {
	d.err = err
	if read.Result == nil {
		d.updateHints()
		return nil
	}
	read.Again = d.read.Again
	d.read = read
	d.updateQuestions()
	guessed := d.guessColumns()
	fields, values := d.formFields()
	d.Form.SetFields(fields...)
	d.setValues(values)
	d.focusQuestion()
	d.updateHints()
	if !guessed {
		return nil
	}
	return d.readFile()
}

// setOption copies the value of a field to the import options. It returns false if the value
// is invalid, after setting the field's error.
func (d *importDialog) setOption(f *widget.Field) bool {
	if kind, ok := questionOf(f.ID); ok {
		d.setQuestion(kind, f.Value())
		return true
	}
	opts := &d.read.Options
	switch f.ID {
	case "header row":
		return d.setHeaderRow(f)
	case "separator":
		return d.setSeparator(f)
	case "other system":
		return d.setOtherSystem(f)
	case "attribute":
		opts.NameAttribute = f.Value()
	case "rows":
		opts.Join = kmlcsv.Kind(f.Value())
	default:
		d.setColumns()
	}
	return true
}

// setQuestion sets the answer to a question. A reference system that is chosen from the list
// replaces the system that was typed into the field "other system".
func (d *importDialog) setQuestion(kind kmlcsv.QuestionKind, answer string) {
	setAnswer(&d.read.Options, kind, answer)
	if kind == kmlcsv.AskSystem {
		d.Form.Field("other system").Set("")
	}
}

// setSeparator sets the separator of cells. It discards the header row and the columns, because they were chosen
// for the cells of the previous separator. It returns false if the field is empty.
func (d *importDialog) setSeparator(f *widget.Field) bool {
	value := f.Value()
	if value == "" {
		return false
	}
	opts := &d.read.Options
	opts.Separator = value[0]
	opts.HeaderRow = 0
	opts.Columns = nil
	return true
}

// setOtherSystem sets the reference system with the typed name or code. It returns false if
// there is no such system. An empty field removes the system.
func (d *importDialog) setOtherSystem(f *widget.Field) bool {
	value := f.Value()
	code, err := kmlcsv.SystemNamed(value)
	if err != nil && value != "" {
		f.Error = err.Error()
		return false
	}
	d.read.Options.CRS = code
	return true
}

// setHeaderRow sets the number of the header row; 0 in the field means that there is no
// header. It returns false if the field has no valid number.
func (d *importDialog) setHeaderRow(f *widget.Field) bool {
	number, err := strconv.Atoi(f.Value())
	if err != nil || number < 0 {
		f.Error = "not a number of a row"
		return false
	}
	if number == 0 {
		number = -1
	}
	d.read.Options.HeaderRow = number
	d.read.Options.Columns = nil
	return true
}

// setColumns sets the columns in the options to the values of all column fields.
func (d *importDialog) setColumns() {
	columns := d.columns()
	for _, meaning := range columnMeanings {
		field := d.Form.Field(strings.ToLower(meaning.label))
		index, _ := strconv.Atoi(field.Value()) // the options of the field are numbers
		*meaning.member(&columns) = index
	}
	d.pinLayout()
	d.read.Options.Columns = &columns
}

// setValues sets the fields to the values with which the file was read, by field ID. If the user is typing into a
// text field, that field stays unchanged.
func (d *importDialog) setValues(values map[string]string) {
	for _, f := range d.Form.Fields {
		value, ok := values[f.ID]
		isTyped := f == d.Form.Focused() && len(f.Options) == 0
		if !ok || isTyped {
			continue
		}
		if value == "" || f.Value() != value {
			f.Set(value)
		}
	}
}

// updateHints updates the hints on the keys at the bottom of the dialog.
func (d *importDialog) updateHints() {
	d.Yes = "import"
	if d.openQuestion() != nil {
		d.Yes = "choose"
	}
	d.Hint = ""
	axes := d.Form.Field("axis order")
	if axes != nil && len(axes.Options) == 2 {
		d.Hint = "ctrl+x swap"
	}
	if len(d.read.Result.Warnings) > 0 {
		d.Hint = strings.TrimSpace(d.Hint + "   ctrl+w warnings")
	}
}

// importFields collects fields and their values.
type importFields struct {
	fields []*widget.Field
	values map[string]string
}

func (c *importFields) add(field *widget.Field, value string) {
	c.fields = append(c.fields, field)
	c.values[field.ID] = value
}

// addChoice adds a field whose ID is its label in lower case.
func (c *importFields) addChoice(label, value string, options ...widget.Option) {
	field := &widget.Field{
		ID:      strings.ToLower(label),
		Label:   label,
		Kind:    widget.ChoiceField,
		Options: options,
	}
	c.add(field, value)
}

// formFields returns the fields of the form, questions first, and the values of the fields by
// field ID.
func (d *importDialog) formFields() ([]*widget.Field, map[string]string) {
	c := &importFields{values: map[string]string{}}
	for _, q := range d.questions {
		d.addQuestion(c, &q)
	}
	layout := &d.read.Result.Layout
	if d.isTable() {
		d.addTable(c)
	} else if len(layout.Rows) > 0 {
		names := &widget.Field{
			ID:      "attribute",
			Label:   "Name",
			Kind:    widget.ChoiceField,
			Options: choices("Attribute that names the sites", layout.Rows[0]...),
		}
		c.add(names, layout.Name)
	}
	d.addRest(c)
	return c.fields, c.values
}

// addTable adds the fields of a table: its columns, header row and separator, and how its rows
// make sites.
func (d *importDialog) addTable(c *importFields) {
	layout := &d.read.Result.Layout
	columns := d.columns()
	for _, meaning := range columnMeanings {
		index := strconv.Itoa(meaning.index(columns))
		c.addChoice(meaning.label, index, d.columnOptions(meaning.help)...)
	}
	headerRow := &widget.Field{
		ID:    "header row",
		Label: "Header row",
		Kind:  widget.NumberField,
		Help:  "Number of the row; 0 for none",
	}
	c.add(headerRow, strconv.Itoa(max(0, layout.HeaderRow))) // a negative number means no header
	isText := len(layout.Sheets) == 0
	if isText { // the cells of a workbook have no separator
		const help = "Between the cells of a row"
		c.addChoice(
			"Separator", string(rune(layout.Separator)),
			choice(",", "comma", help),
			choice(";", "semicolon", help),
			choice("\t", "tab", help),
			choice("|", "bar", help),
		)
	}
	c.addChoice(
		"Rows", string(d.read.Options.Join),
		choice("", "sites", "Each row is a site, unless the table says otherwise"),
		choice(string(kmlcsv.Linear), "points of one line", "All rows are one line, in their order"),
		choice(string(kmlcsv.Area), "corners of one area", "All rows are one boundary, in their order"),
	)
}

// addRest adds the fields for the sheet, the reference system, the encoding and the axis order, if the file has such
// options. It leaves out fields that the form already has for a question.
func (d *importDialog) addRest(c *importFields) {
	layout := &d.read.Result.Layout
	opts := &d.read.Options
	if !d.hasQuestion(kmlcsv.AskSheet) && len(layout.Sheets) > 1 {
		c.addChoice("Sheet", opts.Sheet, sheetOptions(layout.Sheets)...)
	}
	hasCoordinates := d.isTable() || len(layout.Rows) > 0
	if !d.hasQuestion(kmlcsv.AskSystem) && hasCoordinates {
		d.addQuestion(c, &kmlcsv.Question{Kind: kmlcsv.AskSystem, Certain: true})
	}
	isUnusual := layout.Encoding != "" && layout.Encoding != "utf-8"
	if !d.hasQuestion(kmlcsv.AskEncoding) && (opts.Encoding != "" || isUnusual) {
		d.addQuestion(c, &kmlcsv.Question{Kind: kmlcsv.AskEncoding, Certain: true})
	}
	if !d.hasQuestion(kmlcsv.AskAxes) && d.openQuestion() == nil {
		c.addChoice(
			"Axis order", strconv.FormatBool(opts.SwapLatLng),
			choice("false", "as in the file", "Latitude and longitude as the file has them"),
			choice("true", "swapped", "Latitude and longitude exchanged"),
		)
	}
}

// choice returns an option for a field. The label is cut to 60 cells.
func choice(value, label, help string) widget.Option {
	return widget.Option{
		Value: value,
		Label: format.CutLine(format.Clean(label), 60),
		Help:  help,
		Quiet: true,
	}
}

// choices returns options whose labels are their values, cut to 30 cells.
func choices(help string, values ...string) (options []widget.Option) {
	for _, v := range values {
		options = append(options, choice(v, format.CutLine(v, 30), help))
	}
	return options
}

// columnOptions returns the option "–" for a meaning that no column has, and an option for each column of
// the table.
func (d *importDialog) columnOptions(help string) []widget.Option {
	options := []widget.Option{choice("-1", "–", "Not used")}
	hasHeader := d.read.Result.Layout.HeaderRow >= 0
	for i, cell := range d.read.Result.Header {
		name := strings.TrimSpace(cell)
		if name == "" || !hasHeader {
			name = fmt.Sprintf("column %d", i+1)
		}
		options = append(options, choice(strconv.Itoa(i), format.CutLine(name, 30), help))
	}
	return options
}

// save adds the sites of the file, as it was read last, to the draft. It also stores the options, so that other
// files with the same header are read in the same way.
func (d *importDialog) save() tea.Cmd {
	if d.reading.IsRunning() {
		d.Fault = "still reading the file"
		return nil
	}
	if d.err != nil { // the preview shows it
		d.Fault = "the file cannot be read like this"
		return nil
	}
	parent := d.importer.parent
	importer := parent.files.importer // of the current draft; the user may have opened another draft since
	read := d.read
	isThisFile := func(result readResult) bool { return result.read.Path == read.Path }
	importer.unanswered = slices.DeleteFunc(importer.unanswered, isThisFile)
	ctx := parent.base.PageLifetime().Context()
	rememberReading := func() error { return parent.drafts.RememberReading(ctx, read) }
	return tea.Batch(
		importer.addReads(read),
		parent.goTo(ordering.StepSites),
		page.DoInBackground(rememberReading, nil),
	)
}
