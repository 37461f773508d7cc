package neworder

import (
	"cmp"
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

// columnMeanings are what a column of a table can hold.
var columnMeanings = []struct{ label, help string }{
	{"Latitude", "Degrees north, or the northing"},
	{"Longitude", "Degrees east, or the easting"},
	{"Boundary", "WKT, GeoJSON or coordinates; replaces latitude and longitude"},
	{"Name", "Name of the site"},
	{"Country", "Suggested if empty"},
	{"City", "Suggested if empty"},
}

// columnsByMeaning returns the columns in the order of their meanings.
func columnsByMeaning(c *kmlcsv.Columns) []*int {
	return []*int{&c.Latitude, &c.Longitude, &c.Geometry, &c.Label, &c.Country, &c.City}
}

// importDialog asks how a file or a pasted text is read. Below its fields it shows the first
// rows and the first site as they are read with the answers. A question that is open has no
// answer until the user chooses one.
type importDialog struct {
	widget.FormDialog
	firstRows // of the file, with the options that the form has
	s         *filesStep
	questions []kmlcsv.Question // open and answered ones
	asked     page.Question
}

// newImportDialog returns the dialog of a file that was read, or could not be read without
// an answer. Columns that can be coordinates are filled in.
func newImportDialog(s *filesStep, q fileQuestion) *importDialog {
	d := &importDialog{s: s, firstRows: firstRows{fileQuestion: q}}
	d.updateQuestions()
	d.guessColumns()
	fields, values := d.formFields()
	d.FormDialog = widget.FormDialog{
		Title:    "Import " + filepath.Base(d.read.Path),
		Form:     widget.NewForm(80, s.Env.Clock.Now, fields...),
		OnSave:   d.save,
		OnChange: d.readChanged,
		Below:    d.renderPreview,
	}
	d.setValues(values)
	d.focusQuestion()
	d.updateHints()
	return d
}

// Update takes the keys of the dialog; all others go to the form.
func (d *importDialog) Update(msg tea.Msg) (tea.Cmd, bool) {
	switch widget.KeyName(msg) {
	case "ctrl+x":
		return d.swapAxes(), false
	case "ctrl+w":
		return d.s.showReport(filepath.Base(d.read.Path), reportOf(d.read.Result)), false
	case "enter", "ctrl+s":
		if q := d.openQuestion(); q != nil && !d.asked.IsOpen() {
			return d.chooseMarked(q), false
		}
	}
	return d.FormDialog.Update(msg)
}

// chooseMarked answers an open question with the choice under the cursor. If another field
// is in focus, the question only gets the focus.
func (d *importDialog) chooseMarked(q *kmlcsv.Question) tea.Cmd {
	f := d.Form.Field(questionFields[q.Kind].id)
	switch {
	case f == nil:
		d.Form.FocusField("other system")
		return nil
	case f != d.Form.Focused():
		d.Form.FocusField(f.ID)
		return nil
	}
	f.PickMarked()
	return d.readChanged(d.Form)
}

// isTable reports whether the rows of a table were found.
func (r *firstRows) isTable() bool {
	res := r.read.Result
	return res.Format == kmlcsv.FormatCSV && len(res.Layout.Rows) > 0
}

// guessColumns proposes the columns that can be coordinates if the file does not say it,
// and reports whether it did. The other parts of the layout stay as they were found.
func (d *importDialog) guessColumns() bool {
	res, opts := d.read.Result, &d.read.Options
	if d.err == nil || d.openQuestion() != nil || opts.Columns != nil || !res.Columns.HasLocation() {
		return false
	}
	d.pinLayout()
	opts.Columns = &res.Columns
	return true
}

// pinLayout keeps the header row and the separator that were found: columns are chosen by
// their position in that layout.
func (d *importDialog) pinLayout() {
	l, opts := &d.read.Result.Layout, &d.read.Options
	if opts.HeaderRow == 0 {
		opts.HeaderRow = l.HeaderRow
	}
	if opts.Separator == 0 && len(l.Sheets) == 0 {
		opts.Separator = l.Separator
	}
}

// readChanged reads the file with the value that was changed last.
func (d *importDialog) readChanged(f *widget.Form) tea.Cmd {
	d.Fault = ""
	if !d.setOption(f.Focused()) {
		return nil
	}
	return d.readFile()
}

// readFile reads the file with the options.
func (d *importDialog) readFile() tea.Cmd {
	read, opts, drafts := d.read, d.read.Options, d.s.p.drafts
	return page.AskInBackground(d.s.p.base, &d.asked,
		func(ctx context.Context) (ordering.FileRead, error) { return drafts.Reader.ReadWith(ctx, read, opts) },
		func(read ordering.FileRead, err error) tea.Cmd {
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
			if guessed {
				return d.readFile()
			}
			return nil
		})
}

// setOption sets the option of a field, and reports whether its value can be used.
func (d *importDialog) setOption(f *widget.Field) bool {
	opts, value := &d.read.Options, f.Value()
	if kind, ok := questionOf(f.ID); ok {
		setAnswer(opts, kind, value)
		if kind == kmlcsv.AskSystem {
			d.Form.Field("other system").Set("")
		}
		return true
	}
	switch f.ID {
	case "header row":
		return d.setHeaderRow(f)
	case "separator":
		if value == "" {
			return false
		}
		opts.Separator, opts.HeaderRow, opts.Columns = value[0], 0, nil
	case "attribute":
		opts.NameAttribute = value
	case "rows":
		opts.Join = kmlcsv.Kind(value)
	case "other system":
		code, err := kmlcsv.SystemNamed(value)
		if err != nil && value != "" {
			f.Error = err.Error()
			return false
		}
		opts.CRS = code
	default:
		d.setColumns()
	}
	return true
}

// setHeaderRow sets the row of the header, 0 for none, and reports whether it is a number.
func (d *importDialog) setHeaderRow(f *widget.Field) bool {
	n, err := strconv.Atoi(f.Value())
	if err != nil || n < 0 {
		f.Error = "not a number of a row"
		return false
	}
	if n == 0 {
		n = -1
	}
	d.read.Options.HeaderRow = n
	d.read.Options.Columns = nil
	return true
}

// setColumns sets the columns as the form has them.
func (d *importDialog) setColumns() {
	columns := d.columns()
	for i, column := range columnsByMeaning(&columns) {
		field := d.Form.Field(strings.ToLower(columnMeanings[i].label))
		*column, _ = strconv.Atoi(field.Value())
	}
	d.pinLayout()
	d.read.Options.Columns = &columns
}

// columns returns the columns as chosen, or else as found.
func (r *firstRows) columns() kmlcsv.Columns {
	return *cmp.Or(r.read.Options.Columns, &r.read.Result.Columns)
}

// setValues shows how the file was read. A text that is being typed stays.
func (d *importDialog) setValues(values map[string]string) {
	for _, f := range d.Form.Fields {
		value, ok := values[f.ID]
		isTyped := f == d.Form.Focused() && len(f.Options) == 0
		if !ok || isTyped || f.Value() == value && value != "" {
			continue
		}
		f.Set(value)
	}
}

// updateHints says what the keys do now.
func (d *importDialog) updateHints() {
	d.Yes, d.Hint = "import", ""
	if d.openQuestion() != nil {
		d.Yes = "choose"
	}
	if f := d.Form.Field("axis order"); f != nil && len(f.Options) == 2 {
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

// addChoice adds a field whose ID is its label in lower case.
func (c *importFields) addChoice(label, value string, options ...widget.Option) {
	c.fields = append(c.fields, &widget.Field{
		ID:      strings.ToLower(label),
		Label:   label,
		Kind:    widget.ChoiceField,
		Options: options,
	})
	c.values[strings.ToLower(label)] = value
}

// formFields returns the fields that say how the file was read, the questions first, and
// their values by their IDs.
func (d *importDialog) formFields() ([]*widget.Field, map[string]string) {
	c := &importFields{values: map[string]string{}}
	for _, q := range d.questions {
		d.addQuestion(c, &q)
	}
	if d.isTable() {
		d.addTable(c)
	} else if l := &d.read.Result.Layout; len(l.Rows) > 0 {
		c.fields = append(c.fields, &widget.Field{
			ID: "attribute", Label: "Name", Kind: widget.ChoiceField,
			Options: choices("Attribute that names the sites", l.Rows[0]...),
		})
		c.values["attribute"] = l.Name
	}
	d.addRest(c)
	return c.fields, c.values
}

// addTable adds the columns of a table and where it is.
func (d *importDialog) addTable(c *importFields) {
	l, columns := &d.read.Result.Layout, d.columns()
	for i, column := range columnsByMeaning(&columns) {
		m := columnMeanings[i]
		c.addChoice(m.label, strconv.Itoa(*column), d.columnOptions(m.help)...)
	}
	c.fields = append(c.fields, &widget.Field{
		ID: "header row", Label: "Header row", Kind: widget.NumberField, Help: "Number of the row; 0 for none",
	})
	c.values["header row"] = strconv.Itoa(max(0, l.HeaderRow))
	if len(l.Sheets) == 0 {
		separators := choices("Between the cells of a row", "comma", "semicolon", "tab", "bar")
		for i := range separators {
			separators[i].Value = ",;\t|"[i : i+1]
		}
		c.addChoice("Separator", string(rune(l.Separator)), separators...)
	}
	c.addChoice(
		"Rows", string(d.read.Options.Join),
		choice("", "sites", "Each row is a site, unless the table says otherwise"),
		choice(string(kmlcsv.Linear), "points of one line", "All rows are one line, in their order"),
		choice(string(kmlcsv.Area), "corners of one area", "All rows are one boundary, in their order"),
	)
}

// addRest adds the sheet, the reference system, the encoding and the order of the axes,
// unless they are questions.
func (d *importDialog) addRest(c *importFields) {
	res, opts := d.read.Result, &d.read.Options
	if !d.hasQuestion(kmlcsv.AskSheet) && len(res.Layout.Sheets) > 1 {
		c.addChoice("Sheet", opts.Sheet, sheetOptions(res.Layout.Sheets)...)
	}
	hasCoordinates := d.isTable() || len(res.Layout.Rows) > 0
	if !d.hasQuestion(kmlcsv.AskSystem) && hasCoordinates {
		d.addQuestion(c, &kmlcsv.Question{Kind: kmlcsv.AskSystem, Certain: true})
	}
	encoding := res.Layout.Encoding
	if !d.hasQuestion(kmlcsv.AskEncoding) && (opts.Encoding != "" || encoding != "" && encoding != "utf-8") {
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

func choice(value, label, help string) widget.Option {
	return widget.Option{
		Value: value,
		Label: format.CutLine(format.Clean(label), 60),
		Help:  help,
		Quiet: true,
	}
}

// choices returns options that are their own labels.
func choices(help string, values ...string) (options []widget.Option) {
	for _, v := range values {
		options = append(options, choice(v, format.CutLine(v, 30), help))
	}
	return options
}

// columnOptions returns the columns of the table to choose from, and none.
func (d *importDialog) columnOptions(help string) []widget.Option {
	options := []widget.Option{choice("-1", "–", "Not used")}
	for i, name := range d.read.Result.Header {
		if name = strings.TrimSpace(name); name == "" || d.read.Result.Layout.HeaderRow < 0 {
			name = fmt.Sprintf("column %d", i+1)
		}
		options = append(options, choice(strconv.Itoa(i), format.CutLine(name, 30), help))
	}
	return options
}

// save adds the sites to the draft as they were read last, and remembers how.
func (d *importDialog) save() tea.Cmd {
	if d.asked.IsOpen() || d.err != nil {
		d.Fault = "Not read yet"
		return nil
	}
	s, read := d.s.p.files, d.read
	s.unread = slices.DeleteFunc(s.unread, func(q fileQuestion) bool { return q.read.Path == read.Path })
	drafts, ctx := s.p.drafts, s.p.base.PageLifetime().Context()
	remember := page.KeepInBackground(func() error { return drafts.RememberReading(ctx, read) }, nil)
	return tea.Batch(s.addReads(read), s.p.goTo(ordering.StepSites), remember)
}
