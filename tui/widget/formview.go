package widget

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/format"
	"flightdesk/tui/theme"
)

// The columns of a form: the cursor, the label, the mark of an error, and the value.
const (
	labelStart = 3 // the cursor is two cells before the label
	markStart  = 14
	labelWidth = 16 // of everything left of the value
)

// RoleStyles returns the style of a role: the theme's style for pages or for dialogs.
type RoleStyles func(theme.Role) theme.Style

func (s RoleStyles) paint(role theme.Role, text string) string {
	return format.CleanText(s(role), text)
}

// drawnField has the lines of a field and the position of its cursor.
type drawnField struct {
	lines      []string
	cursorX    int // cell of the cursor in a text
	cursorLine int // line of the cursor, of the option under the cursor, or of the selected day
}

// View draws the form into exactly h lines of w cells, scrolled to keep the field in focus
// visible.
func (f *Form) View(style RoleStyles, w, h int) string {
	f.valueWidth = max(0, w-labelWidth)
	focused := f.drawFocused(style)
	lines := f.joinFields(style, focused.lines)
	start := f.firstLines[f.focus]
	f.scroll.FitLines(len(lines), h)
	f.scrollToField(start, start+len(focused.lines), focused.cursorLine)
	f.cursor = nil
	isTextFocused := f.Focused().input != nil && !f.IsCalendarOpen()
	if isTextFocused {
		cursorY := start + focused.cursorLine - f.scroll.Offset()
		f.cursor = tea.NewCursor(focused.cursorX, cursorY)
	}
	return format.FitBox(f.scroll.ShownLines(lines, style(theme.Muted)), w, h)
}

// joinFields draws the fields that are not in focus and returns the lines of all fields. It records the first line of
// each field.
func (f *Form) joinFields(style RoleStyles, focused []string) []string {
	f.firstLines = f.firstLines[:0]
	var lines []string
	for i, fl := range f.Fields {
		f.firstLines = append(f.firstLines, len(lines))
		if i == f.focus {
			lines = append(lines, focused...)
		} else {
			lines = append(lines, fl.drawField(style, f.valueWidth, false).lines...)
		}
	}
	return lines
}

// drawFocused draws the field in focus, with the calendar if it is open.
func (f *Form) drawFocused(style RoleStyles) drawnField {
	field := f.Focused().drawField(style, f.valueWidth, true)
	if !f.IsCalendarOpen() {
		return field
	}
	valueLine := field.lines[:1] // the calendar replaces the lines below the value
	month, dayLine := f.drawCalendar(style)
	return drawnField{lines: slices.Concat(valueLine, month), cursorLine: len(valueLine) + dayLine}
}

// scrollToField makes the lines of a field, from start to end, visible. If the field is higher than the view, it
// makes the line of the cursor visible. cursorLine is the number of that line, counted from start.
func (f *Form) scrollToField(start, end, cursorLine int) {
	excess := end - start - f.scroll.Height()
	if excess > 0 {
		start += min(cursorLine, excess)
	}
	f.scroll.KeepInView(start, end)
}

// Cursor returns the position of the cursor in the last view, or nil.
func (f *Form) Cursor() *tea.Cursor { return f.cursor }

// fieldLine is a line of a field without the label: a text that begins at a cell of the form.
type fieldLine struct {
	start int
	text  string
}

// drawField draws a field: its label, its value in at most room cells, and its error. If the field is in focus, it
// also draws its help.
func (fl *Field) drawField(style RoleStyles, room int, focused bool) drawnField {
	field := fl.drawValue(style, room, focused)
	field.cursorX += labelWidth
	isHelped := focused && (fl.Error == "" || fl.hasOptions())
	if isHelped {
		help := format.CutLine(fl.helpLine(), room)
		field.lines = append(field.lines, style.paint(theme.Muted, help))
	}
	lines, above := fl.addError(style, room, focused, field.lines)
	field.cursorLine += above
	field.lines = nil
	for i, line := range lines {
		before := format.BlankCells(line.start)
		if i == 0 {
			before = fl.drawLabel(style, focused, line.start)
		}
		field.lines = append(field.lines, before+line.text)
	}
	return field
}

// addError returns the lines of the value together with the lines of the error. above is the number of error lines
// above the value.
//
// The error is normally below the value. If the field has options and the focus, the error is above the options. If the
// field has options, no focus and no value, the error replaces the dash for the missing value.
func (fl *Field) addError(style RoleStyles, room int, focused bool, value []string) (lines []fieldLine, above int) {
	for _, text := range value {
		lines = append(lines, fieldLine{labelWidth, text})
	}
	faults := fl.drawError(style, room)
	switch {
	case len(faults) == 0 || !fl.hasOptions():
		return append(lines, faults...), 0
	case focused:
		return append(faults, lines...), len(faults)
	case fl.Value() == "":
		return faults, 0
	default:
		return append(lines, faults...), 0
	}
}

// drawError draws the error of the field, beginning with the mark of an error. It returns nil if there is none.
func (fl *Field) drawError(style RoleStyles, room int) []fieldLine {
	if fl.Error == "" {
		return nil
	}
	start := markStart
	mark := "! "
	var lines []fieldLine
	for _, text := range format.Wrap(fl.Error, room) {
		lines = append(lines, fieldLine{start, style.paint(theme.Bad, mark+text)})
		start = labelWidth
		mark = ""
	}
	return lines
}

// hasOptions reports whether the user selects the value from options.
func (fl *Field) hasOptions() bool { return fl.Kind == ChoiceField || fl.Kind == MultiField }

// drawLabel draws the cursor and the label of a field in w cells. The last cell is blank.
func (fl *Field) drawLabel(style RoleStyles, focused bool, w int) string {
	role := theme.Muted
	cursor := " "
	if focused {
		role = theme.Accent
		cursor = "▸"
	}
	label := format.FitLeft(fl.Label, w-labelStart-1) + " "
	return " " + style.paint(theme.Accent, cursor) + " " + style.paint(role, label)
}

// drawValue draws the value of a field without its label: a note, a typed text, or options. Only a field in focus
// shows all of its options.
func (fl *Field) drawValue(style RoleStyles, room int, focused bool) drawnField {
	switch {
	case fl.Kind == NoteField:
		note := style.paint(theme.Muted, format.CutLine(fl.Note, room))
		return drawnField{lines: []string{note}}
	case fl.line != nil:
		text := fl.drawTyped(style, room, focused)
		return drawnField{lines: []string{text}, cursorX: fl.line.CursorCell()}
	case fl.area != nil:
		lines := fl.area.View(room, style(theme.Text)) // also updates the cursor
		x, y := fl.area.Cursor()
		return drawnField{lines: lines, cursorX: x, cursorLine: y}
	case focused:
		options, cursorLine := fl.drawOptions(style, room)
		return drawnField{lines: options, cursorLine: cursorLine}
	default:
		summary := style.paint(theme.Text, format.CutLine(fl.TickedSummary(), room))
		return drawnField{lines: []string{summary}}
	}
}

// drawTyped draws the text that the user types into a field. A date field shows the meaning of the text after it,
// and a number field its unit. The text is highlighted if the next typed character replaces it.
func (fl *Field) drawTyped(style RoleStyles, w int, focused bool) string {
	text := style(theme.Text)
	if focused && fl.isTextSelected && !fl.TypeOn {
		text = style(theme.Accent).Reverse()
	}
	muted := style(theme.Muted)
	if fl.Kind == TextField {
		typed := fl.line.View(w, text, muted) // also updates the cursor
		missing := min(fl.Slots, w-1) - format.Width(format.Clean(fl.Value()))
		if missing <= 0 {
			return typed
		}
		return format.CleanText(text, fl.Value()) + style.paint(theme.Muted, strings.Repeat("_", missing))
	}
	note := ""
	switch fl.Kind {
	case DateField:
		note = fl.dateMeaning()
	case NumberField:
		note = fl.Unit
	}
	typedWidth := min(w, 22)
	return fl.line.View(typedWidth, text, muted) + format.CleanText(muted, format.CutLine(note, w-typedWidth))
}

// dateMeaning describes the day that a typed date means, such as "→ Tue 8 Dec 2026", with ", past" if
// the day is over.
func (fl *Field) dateMeaning() string {
	if fl.Value() == "" {
		return ""
	}
	date, err := fl.Date()
	if errors.Is(err, format.ErrDate) {
		return "→ not a date yet"
	}
	if err != nil {
		return "→ " + err.Error()
	}
	meaning := "→ " + format.ExactDate(date, fl.now())
	if date.End().Before(fl.now()) {
		meaning += ", past"
	}
	return meaning
}

// drawOptions draws the options in columns and returns the line of the option under the
// cursor.
func (fl *Field) drawOptions(style RoleStyles, w int) (lines []string, cursorLine int) {
	columnWidth, perLine := fl.optionColumns(w)
	for first := 0; first < len(fl.Options); first += perLine {
		end := min(first+perLine, len(fl.Options))
		line := fl.drawOption(style, first)
		for i := first + 1; i < end; i++ {
			line = format.FitLeft(line, (i-first)*columnWidth) + fl.drawOption(style, i)
		}
		lines = append(lines, line)
	}
	return lines, fl.cursor / perLine
}

// drawOption draws an option with its tick.
func (fl *Field) drawOption(style RoleStyles, i int) string {
	option := fl.Options[i]
	tick := " "
	label := style(theme.Muted)
	if fl.ticked[option.Value] {
		tick = "✓"
		label = style(theme.Text)
	}
	if i == fl.cursor && fl.showsCursor() {
		label = style(theme.Accent).Reverse()
	}
	return style.paint(theme.Good, tick) + " " + format.CleanText(label, option.Label)
}

// optionColumns returns the width of the columns in which the options are drawn, and how many columns fit into w
// cells.
func (fl *Field) optionColumns(w int) (width, n int) {
	width = 1
	for _, o := range fl.Options {
		width = max(width, format.Width(o.Label)+4)
	}
	return width, max(1, w/width)
}

// TickedSummary lists the labels of the ticked options.
func (fl *Field) TickedSummary() string {
	var labels []string
	for _, o := range fl.Options {
		if fl.ticked[o.Value] {
			labels = append(labels, o.Label)
		}
	}
	return cmp.Or(strings.Join(labels, ", "), format.None)
}

// helpLine returns the help line of the field in focus, or of the option under its cursor.
func (fl *Field) helpLine() string {
	switch fl.Kind {
	case DateField:
		_, err := fl.Date()
		if err != nil && !errors.Is(err, format.ErrDate) {
			return err.Error()
		}
		return strings.TrimSuffix(cmp.Or(fl.CalendarKey, "↓")+" calendar · "+fl.Help, " · ")
	case LongField:
		return strings.TrimSuffix("alt+enter new line · "+fl.Help, " · ")
	case ChoiceField, MultiField:
		return fl.optionHelp()
	}
	return fl.Help
}

// optionHelp returns the help of the option under the cursor.
func (fl *Field) optionHelp() string {
	if len(fl.Options) == 0 {
		return "no options"
	}
	if fl.seek.text != "" && fl.bestMatch(fl.seek.text, 0) < 0 {
		return "no match for “" + fl.seek.text + "”; selection unchanged · backspace"
	}
	hint := "←→ select"
	if fl.Kind == MultiField {
		hint = "←→ move, space select"
	}
	if !fl.showsCursor() {
		return "none selected · " + hint + ", or type its name"
	}
	option := fl.Options[fl.cursor]
	if option.Quiet {
		return option.Help + " · " + hint
	}
	return fmt.Sprintf("%s · %s · %s", option.Help, option.Value, hint)
}

// Height returns the number of lines of w cells that the form needs, whichever field is in focus: a line for each
// field, the lines of all errors, and the lines that a field in focus adds for its options or its help.
func (f *Form) Height(w int) int {
	lines := 0
	focusLines := 0 // the most that a field in focus adds
	for _, fl := range f.Fields {
		lines += fl.height(w - labelWidth)
		focusLines = max(focusLines, fl.focusHeight(w-labelWidth))
	}
	if f.IsCalendarOpen() {
		focusLines = max(focusLines, calendarHeight)
	}
	return lines + focusLines
}

// height returns the height of a field that is not in focus.
func (fl *Field) height(room int) int {
	lines := 1
	if fl.area != nil {
		lines = fl.area.Height(room)
	}
	if fl.Error != "" {
		lines += len(format.Wrap(fl.Error, room))
	}
	return lines
}

// focusHeight returns how many more lines a field needs while it is in focus, for its help and its options.
func (fl *Field) focusHeight(room int) int {
	if fl.Kind == NoteField {
		return 0
	}
	if len(fl.Options) == 0 {
		return 1
	}
	_, perLine := fl.optionColumns(room)
	return (len(fl.Options) + perLine - 1) / perLine
}

// Click handles a click at a cell of the last view. It focuses the field at the cell. If the field is already in
// focus, it selects the option or the day at the cell. It reports whether a value changed.
func (f *Form) Click(x, y int) bool {
	line, ok := f.scroll.LineAt(y)
	if !ok {
		return false
	}
	i := f.fieldAt(line)
	if i < 0 || f.Fields[i].Kind == NoteField {
		return false
	}
	if i != f.focus {
		f.FocusField(f.Fields[i].ID)
		return false
	}
	return f.clickValue(x-labelWidth, line-f.firstLines[i])
}

// clickValue selects the option or the day at a cell of the field in focus. The value of the field begins at x = 0
// in line 0. clickValue reports whether the value changed.
func (f *Form) clickValue(x, line int) bool {
	if f.IsCalendarOpen() {
		return f.clickDay(x, line-1) // the calendar begins below the value
	}
	field := f.Fields[f.focus]
	if !field.hasOptions() {
		return false
	}
	if field.Error != "" {
		line -= len(format.Wrap(field.Error, f.valueWidth)) // the error is above the options
	}
	return line >= 0 && field.clickOption(x, line, f.valueWidth)
}

// fieldAt returns the index of the field at a line of the last view, or -1.
func (f *Form) fieldAt(line int) int {
	for i := min(len(f.firstLines), len(f.Fields)) - 1; i >= 0; i-- {
		if line >= f.firstLines[i] {
			return i
		}
	}
	return -1
}

// clickOption selects the option at a cell. room is the width of all columns of options together.
func (fl *Field) clickOption(x, line, room int) bool {
	width, perLine := fl.optionColumns(room)
	i := line*perLine + x/width
	if x < 0 || x/width >= perLine || i >= len(fl.Options) {
		return false
	}
	oldValue := fl.Value()
	fl.pickOption(i)
	return fl.finishEdit(oldValue)
}
