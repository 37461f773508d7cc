package widget

import (
	"strings"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
)

// Area is a text of several lines being edited, as high as the text is. It is
// the textarea bubble, in the styles of what is around it. Enter is not its key:
// that ends a dialog, wherever one is typing.
type Area struct{ in textarea.Model }

// NewArea returns an empty area that takes at most limit characters, 0 for any
// number.
func NewArea(limit int) *Area {
	in := textarea.New()
	in.CharLimit, in.MaxHeight, in.MinHeight, in.DynamicHeight = limit, 0, 1, true
	in.Prompt, in.ShowLineNumbers = "", false
	in.SetVirtualCursor(false)
	in.KeyMap.InsertNewline.SetKeys("alt+enter", "shift+enter", "ctrl+j")
	off := key.NewBinding(key.WithDisabled())
	k := &in.KeyMap
	for _, b := range []*key.Binding{
		&k.Paste, // the terminal pastes
		// What is selected is not shown.
		&k.SelectCharacterForward, &k.SelectCharacterBackward, &k.SelectWordForward, &k.SelectWordBackward,
		&k.SelectLineUp, &k.SelectLineDown, &k.SelectAll, &k.CopySelection,
	} {
		*b = off
	}
	in.Focus()
	return &Area{in}
}

// Value returns the text; \n ends a line.
func (a *Area) Value() string { return a.in.Value() }

// Set replaces the text and puts the cursor at its end.
func (a *Area) Set(s string) { a.in.SetValue(lineEnds.Replace(s)) }

// lineEnds makes each end of a line the one that the bubble knows.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// Update takes a key or a paste.
func (a *Area) Update(msg tea.Msg) {
	if paste, ok := msg.(tea.PasteMsg); ok {
		msg = tea.PasteMsg{Content: lineEnds.Replace(paste.Content)}
	}
	a.in, _ = a.in.Update(msg)
}

// Move moves the cursor by a line as it is shown, and reports whether there is
// one.
func (a *Area) Move(n int) bool {
	before := *a.in.Cursor()
	if n > 0 {
		a.in.CursorDown()
	} else {
		a.in.CursorUp()
	}
	return a.in.Cursor().Y != before.Y
}

// Height returns how many lines of w cells the text takes.
func (a *Area) Height(w int) int {
	a.in.SetWidth(w)
	return a.in.Height()
}

// View draws the text in lines of w cells.
func (a *Area) View(w int, text theme.Style) []string {
	a.in.SetWidth(w)
	lines := strings.Split(ansi.Strip(a.in.View()), "\n")
	for i, l := range lines {
		lines[i] = layout.FitLeft(layout.CleanText(text, strings.TrimRight(l, " ")), w)
	}
	return lines
}

// Cursor returns the cell and the line of the cursor in the last view.
func (a *Area) Cursor() (x, y int) {
	c := a.in.Cursor()
	return c.X, c.Y
}
