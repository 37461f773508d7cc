package widget

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/format"
	"flightdesk/tui/theme"
)

// DrawDialog draws a box with a title around lines, with a hint in its bottom border.
func DrawDialog(th *theme.Theme, title, hint string, lines []string, w int) string {
	if th.Linear {
		return strings.Join(slices.Concat([]string{format.Clean(title)}, lines, []string{hint}), "\n")
	}
	border := th.RaisedStyle(theme.Muted)
	head := th.PaintRaised(theme.Accent, format.CutLine(format.Clean(title), w-4))
	foot := format.CleanText(border, format.CutLine(hint, w-4))
	top := border.Render("┌ ") + head + border.Render(" "+drawRule(w-4-format.Width(head))+"┐")
	bottom := border.Render("└ ") + foot + border.Render(" "+drawRule(w-4-format.Width(foot))+"┘")
	box := []string{top}
	for _, line := range lines {
		line = raiseLine(th, format.CutLine(line, w-4))
		blanks := th.RaisedStyle(theme.Text).Render(format.BlankCells(w - 4 - format.Width(line)))
		box = append(box, border.Render("│ ")+line+blanks+border.Render(" │"))
	}
	box = append(box, bottom)
	return strings.Join(box, "\n")
}

// raiseLine applies the background of the box to the unstyled parts of a line, such as the
// blanks between the parts of a form.
func raiseLine(th *theme.Theme, line string) string {
	const end = "\x1b[m"
	begin, _, _ := strings.Cut(th.RaisedStyle(theme.Text).Render(" "), " ")
	if begin == "" {
		return line
	}
	return begin + strings.ReplaceAll(line, end, end+begin) + end
}

func drawRule(n int) string { return strings.Repeat("─", max(0, n)) }

// KeyName returns the name of the pressed key, or "" for other messages.
func KeyName(msg tea.Msg) string {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		return key.String()
	}
	return ""
}

// Question is a dialog that asks for confirmation.
type Question struct {
	Title string
	Lines []string // the object and the amount
	Yes   string   // what enter does
	No    string   // what esc does
	OnYes func() tea.Cmd
	OnNo  func() tea.Cmd // called on esc; may be nil
}

// Update handles enter and esc. It implements [Dialog].
func (q *Question) Update(msg tea.Msg) (tea.Cmd, bool) {
	switch KeyName(msg) {
	case "enter":
		return q.OnYes(), true
	case "esc":
		if q.OnNo != nil {
			return q.OnNo(), true
		}
		return nil, true
	}
	return nil, false
}

func (q *Question) View(th *theme.Theme, w, h int) string {
	w = th.NarrowWidth(w, 64)
	lines := th.RaiseLines(theme.Text, w-4, q.Lines...)
	lines = lines[:min(len(lines), max(0, h-2))]
	return DrawDialog(th, q.Title, "enter "+q.Yes+"   esc "+q.No, lines, w)
}

// TextDialog shows a text, which scrolls if it is longer than the screen.
type TextDialog struct {
	Title  string
	Text   func(w int) []string // styled lines of at most w cells
	Search *Input               // filters the text; nil if it cannot be searched
	scroll Scroll
}

// Update handles scroll keys and typing in the search. It closes the dialog on esc, ? and enter, and on q if there is
// no search. It implements [Dialog].
func (r *TextDialog) Update(msg tea.Msg) (tea.Cmd, bool) {
	name := KeyName(msg)
	switch name {
	case "esc", "?", "f1", "enter":
		return nil, true
	case "q":
		if r.Search == nil {
			return nil, true
		}
	}
	if r.scroll.HandleKey(name, r.Search != nil) {
		return nil, false
	}
	if r.Search != nil && r.Search.Changes(msg) {
		r.scroll.ScrollToTop()
	}
	return nil, false
}

func (r *TextDialog) View(th *theme.Theme, w, h int) string {
	if r.Search == nil {
		return r.drawBox(th, nil, "j k scroll   ", "esc back", th.NarrowWidth(w, 76), h-2)
	}
	head := DrawSearch(th, "/ ", r.Search, min(w, 92))
	return r.drawBox(th, []string{head}, "↓ ↑ scroll   ", "esc back", th.NarrowWidth(w, 92), h-3)
}

// drawBox draws the dialog: the lines of head, below them the text in at most the given number of rows, and a hint in
// the bottom border. If not all of the text fits, scrollHint is put in front of the hint.
func (r *TextDialog) drawBox(th *theme.Theme, head []string, scrollHint, hint string, w, rows int) string {
	lines := r.Text(w - 4)
	if len(lines) > rows {
		hint = scrollHint + hint
	}
	shown := r.scroll.View(lines, rows, th.RaisedStyle(theme.Muted))
	return DrawDialog(th, r.Title, hint, slices.Concat(head, shown), w)
}

// Cursor returns the position of the cursor in the search.
func (r *TextDialog) Cursor() *tea.Cursor { return SearchCursor(r.Search) }

// DrawSearch draws a search field as the first line in a box of w cells: the mark, such as "/ ", and the typed text.
func DrawSearch(th *theme.Theme, mark string, search *Input, w int) string {
	typed := search.View(w-6, th.RaisedStyle(theme.Text), th.RaisedStyle(theme.Muted))
	return th.PaintRaised(theme.Accent, mark) + strings.TrimRight(typed, " ")
}

// SearchCursor returns the cursor in a line drawn by DrawSearch, or nil without a search.
func SearchCursor(search *Input) *tea.Cursor {
	if search == nil {
		return nil
	}
	return tea.NewCursor(4+search.CursorCell(), 1)
}

// Dialog is a box that is drawn over the page and handles the keys until it is closed. A dialog with a text field
// also has a Cursor method.
type Dialog interface {
	// Update handles a message; done closes the dialog. If the user has confirmed something,
	// Update calls a function that was set when the dialog was created.
	Update(msg tea.Msg) (cmd tea.Cmd, done bool)
	// View renders the box within w by h cells.
	View(th *theme.Theme, w, h int) string
}

// ListDialog is a dialog with rows. One of the rows is selected.
type ListDialog struct {
	Title string
	Hint  string // key hints in the bottom border
	Row   string // further key hints before Hint, if there is a selected row
	Empty string // text if there are no rows
	Most  int    // maximum width of the box, 72 if 0
	Ticks int    // width of the ticks at the left of the rows; a click on a tick calls Take
	Rows  func() []ListRow
	// Take is called with the index of a row when the user clicks the row while it is selected, clicks its tick, or
	// presses enter on it. For enter, a function in Keys takes precedence.
	Take func(at int) (cmd tea.Cmd, done bool)
	// Keys has functions by the name of their key. They are called with the index of the
	// selected row, or with -1 if there are no rows.
	Keys map[string]func(at int) (cmd tea.Cmd, done bool)
	At   int // index of the selected row

	scroll Scroll
}

// ListRow is a row of a ListDialog.
type ListRow struct {
	Text, Right string
	Role        theme.Role // while the row is not selected
}

// Update moves the selection or calls the function of the key. It implements [Dialog].
func (l *ListDialog) Update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	key := KeyName(msg)
	last := len(l.Rows()) - 1
	selected := min(l.At, last) // -1 if there are no rows
	if handle := l.Keys[key]; handle != nil {
		cmd, done = handle(selected)
		l.moveTo(l.At) // the function may have removed rows
		return cmd, done
	}
	switch key {
	case "esc", "q":
		return nil, true
	case "enter":
		if selected >= 0 {
			return l.Take(selected)
		}
	default:
		l.moveByKey(key)
	}
	return nil, false
}

// moveByKey moves the selection if key is a movement key. After any other key it only makes sure that the selected
// row still exists, because there may be fewer rows than before.
func (l *ListDialog) moveByKey(key string) {
	last := len(l.Rows()) - 1
	switch key {
	case "j", "down":
		l.moveTo(l.At + 1)
	case "k", "up":
		l.moveTo(l.At - 1)
	case "g", "home":
		l.moveTo(0)
	case "G", "end":
		l.moveTo(last)
	default:
		l.moveTo(l.At)
	}
}

// moveTo selects a row, or the nearest row if the index is out of range.
func (l *ListDialog) moveTo(index int) {
	l.At = max(0, min(index, len(l.Rows())-1))
}

// HandleClick selects the clicked row. If the row is already selected or its tick is clicked, it calls Take. It
// returns true to close the dialog.
func (l *ListDialog) HandleClick(x, y int) (tea.Cmd, bool) {
	i, ok := l.scroll.LineAt(y - 1)
	if !ok {
		return nil, false
	}
	wasMarked := i == l.At
	l.At = i
	if wasMarked || x < l.Ticks {
		return l.Take(i)
	}
	return nil, false
}

func (l *ListDialog) View(th *theme.Theme, w, h int) string {
	w = th.NarrowWidth(w, cmp.Or(l.Most, 72))
	rows := l.Rows()
	if len(rows) == 0 {
		// Keep the scroll position valid for clicks.
		l.scroll.FitLines(0, max(1, h-2))
		return DrawDialog(th, l.Title, l.Hint, th.RaiseLines(theme.Muted, w-4, l.Empty), w)
	}
	drawRow := func(i int) string { return drawListRow(th, rows[i], i == l.At, w-4) }
	lines := l.scroll.DrawRows(len(rows), l.At, max(1, h-2), th.RaisedStyle(theme.Muted), drawRow)
	return DrawDialog(th, l.Title, l.Row+l.Hint, lines, w)
}

func drawListRow(th *theme.Theme, row ListRow, selected bool, w int) string {
	cursor := "  "
	style := th.RaisedStyle(row.Role)
	if selected {
		cursor = th.SelectionMark() + " "
		style = th.SelectedStyle(theme.Text)
	}
	return style.Render(format.FitEnds(cursor+format.Clean(row.Text), format.Clean(row.Right), w))
}

// FormDialog is a dialog with a form below some lines of text. Errors are shown above the
// fields.
type FormDialog struct {
	Title string
	Lines []string // text above the form; lines that begin with [format.WarningMark] are warnings
	Warn  string   // a consequence that cannot be undone, or ""
	Fault string   // an error of the whole form, or ""
	Form  *Form
	Yes   string // what enter does; "" is "save"
	Hint  string // other keys and what they do, or ""
	// OnSave is called with a valid form. The dialog stays open if OnSave sets Fault or the
	// Error of a field.
	OnSave func() tea.Cmd
	// OnChange is called when a value changed, to update other fields; may be nil.
	OnChange func(*Form) tea.Cmd
	// Below draws a preview of the values below the form in at most h lines; may be nil.
	// A dialog with a preview is as wide as the window.
	Below func(w, h int) []string
	// AtFoot places the dialog at the foot of the window, to keep the top of the page visible.
	AtFoot bool

	formY int // first line of the form in the last view
}

// IsAtFoot reports whether the dialog is drawn at the foot of the window.
func (d *FormDialog) IsAtFoot() bool { return d.AtFoot }

// EditedForm returns the form that the user fills in.
func (d *FormDialog) EditedForm() *Form { return d.Form }

// Update handles keys: enter saves, esc closes, other keys go to the form. It implements [Dialog].
func (d *FormDialog) Update(msg tea.Msg) (tea.Cmd, bool) {
	if d.Form.IsCalendarOpen() { // it handles enter and esc
		return d.updateForm(msg), false
	}
	key := KeyName(msg)
	switch key {
	case "esc":
		return nil, true
	case "enter", "ctrl+s":
		return d.save()
	}
	if d.Form.MoveByKey(key) {
		return nil, false
	}
	return d.updateForm(msg), false
}

// updateForm passes a message to the form, and calls OnChange if a value changed.
func (d *FormDialog) updateForm(msg tea.Msg) tea.Cmd {
	hasChanged := d.Form.Update(msg)
	if !hasChanged || d.OnChange == nil {
		return nil
	}
	return d.OnChange(d.Form)
}

// save calls OnSave if the form is valid. It reports whether the dialog is done.
func (d *FormDialog) save() (tea.Cmd, bool) {
	if !d.Form.Validate() {
		return nil, false
	}
	d.Fault = ""
	cmd := d.OnSave()
	failed := d.Fault != "" || d.Form.FocusFault()
	return cmd, !failed
}

// HandleClick passes a click to the form. It never closes the dialog, so it returns false.
func (d *FormDialog) HandleClick(x, y int) (tea.Cmd, bool) {
	if d.Form.Click(x-2, y-d.formY) && d.OnChange != nil {
		return d.OnChange(d.Form), false
	}
	return nil, false
}

// View draws the box. If there is not enough room, Lines are shortened first; warning and
// error stay visible.
func (d *FormDialog) View(th *theme.Theme, w, h int) string {
	if d.Below == nil {
		w = th.NarrowWidth(w, 76)
	}
	contentWidth := w - 4 // without the borders and a blank cell on each side
	text := raiseText(th, contentWidth, d.Lines)
	notes := raiseNote(th, theme.Text, contentWidth, d.Warn)
	if len(text) > 0 && len(notes) > 0 {
		text = append(text, "")
	}
	if d.Fault != "" {
		notes = append(notes, raiseNote(th, theme.Bad, contentWidth, "! "+d.Fault)...)
	}

	layout := d.layOut(contentWidth, h-2, len(text), len(notes)) // h without the borders
	above := slices.Concat(text[:layout.text], notes, []string{""})
	above = above[:layout.above]
	d.formY = 1 + len(above)
	form := format.SplitLines(d.Form.View(th.RaisedStyle, contentWidth, layout.form))
	lines := slices.Concat(above, form, layout.below)
	return DrawDialog(th, d.Title, d.keyHint(), lines, w)
}

// formDialogLayout says how many lines each part of a dialog has. It also has the drawn preview, because the height
// of the preview is known only after it was drawn.
type formDialogLayout struct {
	text  int      // lines of the text
	above int      // all lines above the form: the text, the notes and a blank line
	form  int      // lines of the form
	below []string // the drawn preview
}

// layOut divides h lines of w cells among the parts of the dialog. text is the number of lines of the
// text, and notes the number of lines of the warning and the error. If there is not enough room, the
// text is shortened first, then the form. A preview may have half of the lines, or all lines that the
// other parts do not need.
func (d *FormDialog) layOut(w, h, text, notes int) formDialogLayout {
	blankLine := 1 // above the form
	asksForWord := len(d.Form.Fields) == 1 && d.Form.Fields[0].Slots > 0
	if asksForWord && d.Warn != "" && d.Fault == "" { // the warning says what to type
		blankLine = 0
	}
	room := h - blankLine - notes // for the text and the form
	var layout formDialogLayout
	layout.form = min(d.Form.Height(w), max(1, room))
	if d.Below != nil {
		unused := room - layout.form
		layout.below = d.Below(w, max(h/2, unused))
		layout.form = min(layout.form, max(1, h-notes-len(layout.below)))
	}
	layout.text = max(0, min(text, room-layout.form))
	layout.above = layout.text + notes
	if layout.above > 0 {
		layout.above += blankLine
	}
	layout.above = min(layout.above, max(0, h-layout.form))
	return layout
}

// keyHint returns the text in the bottom border, which names the keys and what they do.
func (d *FormDialog) keyHint() string {
	hint := "enter " + cmp.Or(d.Yes, "save")
	if len(d.Form.Fields) > 1 {
		hint += "   tab next"
	}
	hint += "   esc back"
	if d.Hint != "" {
		hint += "   " + d.Hint
	}
	return hint
}

// raiseText wraps and paints the lines above a form. Warnings have a colour.
func raiseText(th *theme.Theme, w int, lines []string) []string {
	var drawn []string
	for _, line := range lines {
		role := theme.Text
		if strings.HasPrefix(line, format.WarningMark) {
			role = theme.Attention
		}
		drawn = append(drawn, th.RaiseLines(role, w, line)...)
	}
	return drawn
}

// raiseNote returns a warning or an error as wrapped lines with the background of a dialog. It returns nil if note is
// "".
func raiseNote(th *theme.Theme, role theme.Role, w int, note string) []string {
	if note == "" {
		return nil
	}
	return th.RaiseLines(role, w, note)
}

// Cursor returns the position of the form's cursor in the box.
func (d *FormDialog) Cursor() *tea.Cursor {
	c := d.Form.Cursor()
	if c == nil {
		return nil
	}
	return tea.NewCursor(c.X+2, c.Y+d.formY)
}

// ConfirmTyped returns a dialog for an action that cannot be undone. The user confirms by
// typing a word, such as a code or an amount, in upper or lower case, or one of the
// alternatives.
func ConfirmTyped(
	title string, lines []string, word, yes string, onYes func() tea.Cmd, alternatives ...string,
) *FormDialog {
	return &FormDialog{
		Title:  title,
		Lines:  lines,
		Warn:   "Type " + word + " to confirm",
		Yes:    yes,
		Form:   NewForm(100, nil, WordField("Confirm", "", word, alternatives...)),
		OnSave: onYes,
	}
}

// WordField returns a field that accepts only the given word or one of the alternatives, in
// upper or lower case.
func WordField(label, help, word string, alternatives ...string) *Field {
	fl := &Field{ID: "confirm", Label: label, Help: help, Slots: format.Width(word)}
	fl.Check = func(typed string) string {
		matches := func(accepted string) bool {
			return accepted != "" && strings.EqualFold(strings.TrimSpace(typed), accepted)
		}
		if matches(word) || slices.ContainsFunc(alternatives, matches) {
			return ""
		}
		return "Does not match " + word
	}
	return fl
}
