package widget

import (
	"strings"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textarea"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/format"
	"flightdesk/tui/theme"
)

// Input is one line of text being edited. The editing is the textinput
// bubble's; the view is its own, since that one loses the cursor's cell among
// wide characters.
type Input struct {
	in     textinput.Model
	first  int // first rune in view
	cursor int // cell of the cursor in the last view
	Hint   string
	Secret bool // dots are shown in place of the text
}

// NewInput returns an empty field that takes at most limit characters, 0 for any
// number.
func NewInput(limit int) *Input {
	in := textinput.New()
	in.CharLimit = limit
	in.SetVirtualCursor(false)
	// The terminal pastes; reading its clipboard from here would need a program.
	in.KeyMap.Paste = key.NewBinding(key.WithDisabled())
	in.Focus()
	return &Input{in: in}
}

// Value returns the text.
func (f *Input) Value() string { return f.in.Value() }

// Set replaces the text and puts the cursor at its end.
func (f *Input) Set(s string) {
	f.in.SetValue(s)
	f.in.CursorEnd()
}

// Update takes a key or a paste.
func (f *Input) Update(msg tea.Msg) { f.in, _ = f.in.Update(msg) }

// Changes takes a key or a paste, and reports whether the text is another one.
func (f *Input) Changes(msg tea.Msg) bool {
	before := f.Value()
	f.Update(msg)
	return f.Value() != before
}

// View draws the text into w cells, scrolled so that the cursor is in view.
func (f *Input) View(w int, text, hint theme.Style) string {
	runes := []rune(f.in.Value())
	if f.Secret {
		runes = []rune(strings.Repeat("•", len(runes)))
	}
	pos := min(f.in.Position(), len(runes))
	f.first = min(f.first, pos)
	f.first = max(f.first, lastFitting(runes[:pos], w-1))   // the cursor is in view
	f.first = min(f.first, lastFitting(runes, max(0, w-1))) // and no room is left empty
	f.cursor = min(runesWidth(runes[f.first:pos]), max(0, w-1))
	if len(runes) == 0 && f.Hint != "" {
		return format.FitLeft(format.CleanText(hint, format.CutLine(f.Hint, w)), w)
	}
	return format.FitLeft(format.CleanText(text, string(runes[f.first:])), w)
}

// CursorCell returns the cell of the cursor in the last view.
func (f *Input) CursorCell() int { return f.cursor }

// lastFitting returns the first of the runes from which on they fit into w cells.
func lastFitting(runes []rune, w int) int {
	first, used := len(runes), 0
	for first > 0 {
		used += runesWidth(runes[first-1 : first])
		if used > w {
			break
		}
		first--
	}
	return first
}

func runesWidth(runes []rune) int { return format.Width(format.Clean(string(runes))) }

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
		lines[i] = format.FitLeft(format.CleanText(text, strings.TrimRight(l, " ")), w)
	}
	return lines
}

// Cursor returns the cell and the line of the cursor in the last view.
func (a *Area) Cursor() (x, y int) {
	c := a.in.Cursor()
	return c.X, c.Y
}
