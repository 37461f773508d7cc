package widget

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/format"
	"flightdesk/tui/theme"
)

const labelWidth = 16

// RoleStyles returns the style of a role: the theme's style for pages or for dialogs.
type RoleStyles func(theme.Role) theme.Style

func (s RoleStyles) paint(role theme.Role, text string) string {
	return format.CleanText(s(role), text)
}

// View draws the form into exactly h lines of w cells, scrolled to keep the field in focus
// visible.
func (f *Form) View(style RoleStyles, w, h int) string {
	var lines []string
	f.cursor, f.at, f.room = nil, f.at[:0], max(0, w-labelWidth)
	from, to, at := 0, 0, 0
	for i, fl := range f.Fields {
		f.at = append(f.at, len(lines))
		drawn, x, y := fl.drawField(style, f.room, i == f.focus)
		if i == f.focus {
			switch {
			case f.IsCalendarOpen(): // below what is typed
				month, day := f.drawCalendar(style)
				drawn, y = append(drawn[:1], month...), 1+day
			case fl.input != nil:
				f.cursor = tea.NewCursor(x, len(lines)+y)
			}
			from, to, at = len(lines), len(lines)+len(drawn), y
		}
		lines = append(lines, drawn...)
	}
	f.scroll.FitLines(len(lines), h)
	if room := f.scroll.Height(); to-from > room { // more than the box: what is under the cursor counts
		from += min(at, to-from-room)
	}
	f.scroll.KeepInView(from, to)
	if f.cursor != nil {
		f.cursor.Y -= f.scroll.Offset()
	}
	return format.FitBox(f.scroll.ShownLines(lines, style(theme.Muted)), w, h)
}

// Cursor returns the position of the cursor in the last view, or nil.
func (f *Form) Cursor() *tea.Cursor { return f.cursor }

// drawField draws a field and returns the cell and the line of its cursor.
func (fl *Field) drawField(style RoleStyles, room int, focused bool) (lines []string, x, y int) {
	label, bar := theme.Muted, " "
	if focused {
		label, bar = theme.Accent, "▸"
	}
	mark := " "
	if fl.Error != "" {
		mark = "!"
	}
	head := style.paint(theme.Accent, bar) + style.paint(theme.Bad, mark) + " " +
		style.paint(label, format.FitLeft(fl.Label, labelWidth-4)) + " "
	var body []string
	switch {
	case fl.Kind == NoteField:
		body = []string{style.paint(theme.Muted, format.CutLine(fl.Note, room))}
	case fl.line != nil:
		body = []string{fl.drawTyped(style, room, focused)}
		x = labelWidth + fl.line.CursorCell()
	case fl.area != nil:
		body = fl.area.View(room, style(theme.Text))
		x, y = fl.area.Cursor()
		x += labelWidth
	case focused:
		body, y = fl.drawOptions(style, room)
	default:
		body = []string{style.paint(theme.Text, format.CutLine(fl.TickedSummary(), room))}
	}
	switch {
	case fl.Error != "":
		for _, line := range format.Wrap(fl.Error, room) {
			body = append(body, style.paint(theme.Bad, line))
		}
	case focused:
		body = append(body, style.paint(theme.Muted, format.CutLine(fl.helpLine(), room)))
	}
	for _, line := range body {
		lines = append(lines, head+line)
		head = format.BlankCells(labelWidth)
	}
	return lines, x, y
}

// drawTyped draws the text of a field, followed by the day that a date means or the unit
// of a number.
func (fl *Field) drawTyped(style RoleStyles, w int, focused bool) string {
	means := ""
	switch fl.Kind {
	case DateField:
		means = fl.dateMeaning()
	case NumberField:
		means = fl.Unit
	}
	left, text := min(w, 22), style(theme.Text)
	if focused && fl.whole && !fl.TypeOn {
		text = style(theme.Accent).Reverse()
	}
	if fl.Kind == TextField {
		return fl.line.View(w, text, style(theme.Muted))
	}
	return fl.line.View(
		left,
		text,
		style(theme.Muted),
	) + format.CleanText(
		style(theme.Muted),
		format.CutLine(means, w-left),
	)
}

// dateMeaning returns the day that a typed date means, and whether it is past.
func (fl *Field) dateMeaning() string {
	at, err := fl.Date()
	switch {
	case fl.Value() == "":
		return ""
	case errors.Is(err, format.ErrDate):
		return "→ not a date yet"
	case err != nil:
		return "→ " + err.Error()
	case at.End().Before(fl.now()):
		return "→ " + format.ExactDate(at, fl.now()) + ", past"
	default:
		return "→ " + format.ExactDate(at, fl.now())
	}
}

// drawOptions draws the options in columns and returns the line of the option under the
// cursor.
func (fl *Field) drawOptions(style RoleStyles, w int) (lines []string, at int) {
	column, perLine := fl.optionColumns(w)
	var b strings.Builder
	for i, o := range fl.Options {
		mark, role := " ", theme.Muted
		if fl.ticked[o.Value] {
			mark, role = "✓", theme.Text
		}
		st := style(role)
		if i == fl.at {
			st = style(theme.Accent).Reverse()
		}
		b.WriteString(style.paint(theme.Good, mark) + " " + format.CleanText(st, o.Label))
		if (i+1)%perLine == 0 || i == len(fl.Options)-1 {
			lines = append(lines, b.String())
			b.Reset()
			continue
		}
		b.WriteString(format.BlankCells(column - 2 - format.Width(o.Label)))
	}
	return lines, fl.at / perLine
}

// optionColumns returns the width and the number of the columns of options.
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
		if _, err := fl.Date(); err != nil && !errors.Is(err, format.ErrDate) {
			return err.Error()
		}
		return strings.TrimSuffix("↓ calendar · "+fl.Help, " · ")
	case LongField:
		return strings.TrimSuffix("alt+enter new line · "+fl.Help, " · ")
	case ChoiceField, MultiField:
	default:
		return fl.Help
	}
	if fl.seek.text != "" && fl.bestMatch(fl.seek.text, 0) < 0 {
		return "no match for “" + fl.seek.text + "”; selection unchanged · backspace"
	}
	o := fl.Options[fl.at]
	hint := "←→ select"
	if fl.Kind == MultiField {
		hint = "←→ move, space select"
	}
	if o.Quiet {
		return o.Help + " · " + hint
	}
	return fmt.Sprintf("%s · %s · %s", o.Help, o.Value, hint)
}

// Height returns how many lines of w cells the form needs at most, whichever field is in
// focus: a line per field, its error, and the options or help of the field in focus.
func (f *Form) Height(w int) int {
	lines, most := 0, 0
	for _, fl := range f.Fields {
		lines++
		if fl.area != nil {
			lines += fl.area.Height(w-labelWidth) - 1
		}
		if fl.Error != "" {
			lines += len(format.Wrap(fl.Error, w-labelWidth))
		}
		if fl.Kind == NoteField {
			continue
		}
		help := 1 // beside the first line, while it is in focus: the rest of its options, and help
		if n := len(fl.Options); n > 0 {
			_, perLine := fl.optionColumns(w - labelWidth)
			help = (n + perLine - 1) / perLine
		}
		most = max(most, help)
	}
	if f.IsCalendarOpen() {
		most = max(most, calendarHeight)
	}
	return lines + most
}

// Click handles a click at a cell of the last view: it focuses the field, or selects the
// option or day in the field in focus. It reports whether a value changed.
func (f *Form) Click(x, y int) bool {
	line, ok := f.scroll.LineAt(y)
	for i := len(f.at) - 1; i >= 0 && ok; i-- {
		if line < f.at[i] || i >= len(f.Fields) {
			continue
		}
		fl := f.Fields[i]
		switch {
		case fl.Kind == NoteField:
		case i != f.focus:
			f.FocusField(fl.ID)
		case f.IsCalendarOpen():
			return f.clickDay(x-labelWidth, line-f.at[i]-1)
		case fl.Kind == ChoiceField || fl.Kind == MultiField:
			return fl.clickOption(x-labelWidth, line-f.at[i], f.room)
		}
		return false
	}
	return false
}

// clickOption selects the option at a cell; room is the width of all columns of options.
func (fl *Field) clickOption(x, line, room int) bool {
	width, perLine := fl.optionColumns(room)
	i := line*perLine + x/width
	if x < 0 || x/width >= perLine || i >= len(fl.Options) {
		return false
	}
	before := fl.Value()
	fl.pickOption(i)
	if fl.Value() == before {
		return false
	}
	fl.Error = ""
	return true
}
