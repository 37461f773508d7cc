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
	"flightdesk/tui/theme"
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

// importDialog asks how a file is read, above its first rows as they are read then.
type importDialog struct {
	widget.FormDialog
	fileQuestion // with the options that the form has
	s            *filesStep
	systems      []kmlcsv.Guess // reference systems that are likely
	asked        page.Question
	table        widget.Table
}

// newImportDialog returns the dialog of a file that was read, or could not be for want of
// an answer. What can be guessed is filled in.
func newImportDialog(s *filesStep, q fileQuestion) *importDialog {
	d := &importDialog{s: s, fileQuestion: q}
	fields, _ := d.formFields()
	fields = append(fields, &widget.Field{Label: "Other system", Help: "EPSG code, or a name such as UTM 32N"})
	d.FormDialog = widget.FormDialog{
		Title:    "Import " + filepath.Base(d.read.Path),
		Form:     widget.NewForm(80, s.Now, fields...),
		Yes:      "import",
		OnSave:   d.save,
		OnChange: d.readChanged,
		Below:    d.renderPreview,
	}
	d.guess()
	d.fillForm()
	return d
}

func (d *importDialog) isTable() bool { return d.read.Result.Format == kmlcsv.FormatCSV }

// guess chooses what is likely where the file does not say it, and reports whether it
// did: the columns that can be coordinates, and the first reference system.
func (d *importDialog) guess() (chosen bool) {
	if d.err == nil {
		return false
	}
	c := &d.read.Result.Columns
	if d.read.Options.Columns == nil && c.HasLocation() {
		d.read.Options.Columns, chosen = c, true
	}
	if systems := d.read.Result.Systems; len(d.systems) == 0 && len(systems) > 0 {
		d.systems, d.read.Options.CRS, chosen = systems, systems[0].Code, true
		d.Form.FocusField("system")
	}
	return chosen
}

// readChanged reads the file as the form has it by now, where that can be.
func (d *importDialog) readChanged(f *widget.Form) tea.Cmd {
	if !d.takeField(f.Focused()) {
		return nil
	}
	return d.readFile()
}

// readFile reads the file with the options.
func (d *importDialog) readFile() tea.Cmd {
	opts, path := d.read.Options, d.read.Path
	return page.AskInBackground(d.s.p.base, &d.asked,
		func(ctx context.Context) (ordering.FileRead, error) { return ordering.ReadFile(path, opts) },
		func(read ordering.FileRead, err error) tea.Cmd {
			if d.err = err; read.Result == nil {
				return nil
			}
			read.Again, d.read = d.read.Again, read
			guessed := d.guess()
			if d.fillForm(); guessed {
				return d.readFile()
			}
			return nil
		})
}

// takeField takes the value of a field into the options, and reports whether it can be.
func (d *importDialog) takeField(f *widget.Field) bool {
	opts, value := &d.read.Options, f.Value()
	switch f.ID {
	case "header row":
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 {
			f.Error = "not a number of a row"
			return false
		}
		if opts.HeaderRow, opts.Columns = n, nil; n == 0 {
			opts.HeaderRow = -1
		}
	case "sheet":
		opts.Sheet, opts.HeaderRow, opts.Columns = value, 0, nil
	case "separator":
		if value == "" {
			return false
		}
		opts.Separator, opts.HeaderRow, opts.Columns = value[0], 0, nil
	case "attribute":
		opts.NameAttribute = value
	case "system":
		opts.CRS, _ = strconv.Atoi(value)
		d.Form.Field("other system").Set("")
	case "other system":
		code, err := kmlcsv.SystemNamed(value)
		if err != nil && value != "" {
			f.Error = err.Error()
			return false
		}
		opts.CRS = code
	default:
		columns := d.columns()
		for i, column := range columnsByMeaning(&columns) {
			*column, _ = strconv.Atoi(d.Form.Fields[i].Value())
		}
		opts.Columns = &columns
	}
	return true
}

// columns returns the columns as chosen, or else as found.
func (d *importDialog) columns() kmlcsv.Columns {
	return *cmp.Or(d.read.Options.Columns, &d.read.Result.Columns)
}

// fillForm shows what the file was read by.
func (d *importDialog) fillForm() {
	fields, values := d.formFields()
	for i, from := range fields {
		f := d.Form.Fields[i]
		if f == d.Form.Focused() && len(from.Options) == 0 {
			continue
		}
		if f.Options = from.Options; f.Value() != values[i] {
			f.Set(values[i])
		}
	}
}

// formFields returns the fields that say how the file was read, those of its columns
// first, and their values.
func (d *importDialog) formFields() (fields []*widget.Field, values []string) {
	l, columns, chosen := &d.read.Result.Layout, d.columns(), strconv.Itoa(d.read.Options.CRS)
	add := func(label, value string, options ...widget.Option) {
		fields = append(fields, &widget.Field{
			Label:   label,
			Kind:    widget.ChoiceField,
			Options: options,
		})
		values = append(values, value)
	}
	if d.isTable() {
		for i, column := range columnsByMeaning(&columns) {
			m := columnMeanings[i]
			add(m.label, strconv.Itoa(*column), d.columnOptions(m.help)...)
		}
		add("Header row", strconv.Itoa(max(0, l.HeaderRow)))
		header := fields[len(fields)-1]
		header.Kind, header.Help = widget.NumberField, "Number of the row; 0 for none"
		switch len(l.Sheets) {
		case 0:
			separators := choices("Between the cells of a row", "comma", "semicolon", "tab", "bar")
			for i := range separators {
				separators[i].Value = ",;\t|"[i : i+1]
			}
			add("Separator", string(rune(l.Separator)), separators...)
		case 1:
		default:
			add("Sheet", l.Sheet, choices("Sheet of the workbook", l.Sheets...)...)
		}
	} else {
		add("Name", l.Name, choices("Attribute that names the sites", slices.Concat(l.Rows[:min(1, len(l.Rows))]...)...)...)
		fields[0].ID = "attribute"
	}
	systems := []widget.Option{choice("0", "as in the file", "Degrees, or the system that the file names")}
	for _, s := range d.systems {
		code := strconv.Itoa(s.Code)
		systems = append(systems, choice(
			code,
			"EPSG:"+code+" "+s.Town,
			"The first site would be near "+s.Town,
		))
	}
	if !slices.ContainsFunc(systems, func(o widget.Option) bool { return o.Value == chosen }) {
		systems = append(systems, choice(chosen, "EPSG:"+chosen, "As chosen"))
	}
	add("System", chosen, systems...)
	return fields, values
}

func choice(value, label, help string) widget.Option {
	return widget.Option{
		Value: value,
		Label: format.CutLine(format.Clean(label), 30),
		Help:  help,
		Quiet: true,
	}
}

// choices returns options that are their own labels.
func choices(help string, values ...string) (options []widget.Option) {
	for _, v := range values {
		options = append(options, choice(v, v, help))
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
		options = append(options, choice(strconv.Itoa(i), name, help))
	}
	return options
}

// save takes the file into the draft as it was read last, and remembers how.
func (d *importDialog) save() tea.Cmd {
	if d.asked.IsOpen() || d.err != nil {
		d.Fault = "Not read yet"
		return nil
	}
	s, read := d.s.p.files, d.read
	s.unread = slices.DeleteFunc(s.unread, func(q fileQuestion) bool { return q.read.Path == read.Path })
	drafts := s.p.drafts
	remember := page.KeepInBackground(func() error { return drafts.RememberReading(read) }, nil)
	return tea.Batch(s.addReads(read), s.p.goTo(ordering.StepSites), remember)
}

// renderPreview draws the first rows below what their columns mean, and counts the
// sites.
func (d *importDialog) renderPreview(w, h int) []string {
	state := d.renderState(w)
	state = state[:min(len(state), max(1, h-3))]
	d.fillTable(h - len(state))
	return append(format.SplitLines(d.table.View(d.s.Theme, w, d.table.Len()+1, false)), state...)
}

// fillTable fills the table with the rows around the header that fit into h lines.
func (d *importDialog) fillTable(h int) {
	res, columns, meaning := d.read.Result, d.columns(), map[int]string{}
	l, header := &res.Layout, max(0, res.Layout.HeaderRow-1)
	if d.isTable() {
		for i, column := range columnsByMeaning(&columns) {
			meaning[*column] = columnMeanings[i].label
		}
	} else if len(l.Rows) > 0 {
		meaning[slices.Index(l.Rows[0], l.Name)] = "Name"
	}
	first := min(max(0, header-1), len(l.Rows))
	lines := l.Rows[first:min(len(l.Rows), first+max(1, h-1))]
	shown := []widget.Column{{Title: "Row", Width: 3, Right: true}}
	rows := make([]widget.Row, len(lines))
	for i, line := range lines {
		number, role := first+i+1, theme.Text
		if number == l.HeaderRow {
			role = theme.Accent
		}
		isSkipped := func(w kmlcsv.Warning) bool { return w.Skipped && w.Line == number }
		mark := page.TextIf(slices.ContainsFunc(res.Warnings, isSkipped), "!")
		cells := []widget.Cell{{Text: strconv.Itoa(number), Role: theme.Muted}}
		for k, cell := range line {
			if k+1 == len(shown) {
				column := widget.Column{Title: meaning[k], Width: max(4, format.Width(meaning[k]))}
				if column.Title == "" {
					column.Drop = k + 1
				}
				shown = append(shown, column)
			}
			shown[k+1].Width = max(shown[k+1].Width, min(16, format.Width(format.Clean(cell))))
			cells = append(cells, widget.Cell{Text: cell, Role: role})
		}
		rows[i] = widget.Row{
			Cells: cells,
			Mark:  widget.Cell{Text: mark, Role: theme.Bad},
			Muted: number < l.HeaderRow,
		}
	}
	d.table.Columns = shown
	d.table.SetRows(len(rows), strconv.Itoa, func(i int) widget.Row { return rows[i] })
	d.table.Select(strconv.Itoa(header - first))
}

// renderState says what would come of the file, or why nothing.
func (d *importDialog) renderState(w int) (lines []string) {
	add := func(role theme.Role, text string) { lines = append(lines, d.s.Theme.RaiseLines(role, w, text)...) }
	res, columns := d.read.Result, d.columns()
	switch {
	case d.asked.IsOpen():
		add(theme.Muted, "Reading…")
	case d.err != nil && d.isTable() && !columns.HasLocation():
		add(theme.Bad, "! Select latitude and longitude, or a boundary")
	case d.err != nil:
		add(theme.Bad, "! "+strings.TrimPrefix(d.err.Error(), filepath.Base(d.read.Path)+": "))
	default:
		role, text := theme.Good, siteCount(len(res.Placemarks))
		if res.Skipped > 0 {
			role = theme.Attention
			all := len(res.Placemarks) + res.Skipped
			text = groupDigits(len(res.Placemarks)) + " of " + groupDigits(all) + " rows are sites"
		}
		for i := range res.Warnings {
			if warning := &res.Warnings[i]; warning.Skipped {
				text += fmt.Sprintf("; row %d: %s", warning.Line, warning.Message)
				break
			}
		}
		add(role, text)
		p := &res.Placemarks[0]
		add(theme.Muted, "First: "+p.Name+", "+coordinateOf(p.Points()[0])+inBrackets(p.City, p.Country))
	}
	return lines
}
