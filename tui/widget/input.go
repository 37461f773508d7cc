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

// Input is a single line of text being edited. It uses the textinput bubble for editing but
// draws the text itself, because the bubble misplaces the cursor among wide characters.
type Input struct {
	in     textinput.Model
	first  int // index of the first visible rune
	cursor int // cell of the cursor in the last view
	Hint   string
	Secret bool // the text is shown as dots
}

// NewInput returns an empty field for at most limit characters; 0 means no limit.
func NewInput(limit int) *Input {
	in := textinput.New()
	in.CharLimit = limit
	in.SetVirtualCursor(false)
	// The terminal pastes. Reading the clipboard here would need an external program.
	in.KeyMap.Paste = key.NewBinding(key.WithDisabled())
	in.Focus()
	return &Input{in: in}
}

func (f *Input) Value() string { return f.in.Value() }

// Set replaces the text and moves the cursor to its end.
func (f *Input) Set(s string) {
	f.in.SetValue(s)
	f.in.CursorEnd()
}

// Update handles a key or a paste.
func (f *Input) Update(msg tea.Msg) { f.in, _ = f.in.Update(msg) }

// Changes handles a key or a paste and reports whether the text changed.
func (f *Input) Changes(msg tea.Msg) bool {
	before := f.Value()
	f.Update(msg)
	return f.Value() != before
}

// View draws the text in w cells, scrolled to keep the cursor visible.
func (f *Input) View(w int, text, hint theme.Style) string {
	runes := []rune(f.in.Value())
	if f.Secret {
		runes = []rune(strings.Repeat("•", len(runes)))
	}
	pos := min(f.in.Position(), len(runes))
	f.first = min(f.first, pos)
	f.first = max(f.first, fittingEnd(runes[:pos], w-1))   // keep the cursor visible
	f.first = min(f.first, fittingEnd(runes, max(0, w-1))) // leave no cells empty
	f.cursor = min(runesWidth(runes[f.first:pos]), max(0, w-1))
	if len(runes) == 0 && f.Hint != "" {
		return format.FitLeft(format.CleanText(hint, format.CutLine(f.Hint, w)), w)
	}
	return format.FitLeft(format.CleanText(text, string(runes[f.first:])), w)
}

// CursorCell returns the cell of the cursor in the last view.
func (f *Input) CursorCell() int { return f.cursor }

// fittingEnd returns the index of the first rune from which the rest of the text fits into w cells. For the text
// "abcdef" and 2 cells it returns 4, because "ef" fits.
func fittingEnd(runes []rune, w int) int {
	first := len(runes)
	used := 0
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

// Area is a multi-line text being edited. Its height follows the text. It wraps the
// textarea bubble, but leaves enter to the dialog around it.
type Area struct{ in textarea.Model }

// NewArea returns an empty area for at most limit characters; 0 means no limit.
func NewArea(limit int) *Area {
	in := textarea.New()
	in.CharLimit = limit
	in.MaxHeight = 0
	in.MinHeight = 1
	in.DynamicHeight = true
	in.Prompt = ""
	in.ShowLineNumbers = false
	in.SetVirtualCursor(false)
	in.KeyMap.InsertNewline.SetKeys("alt+enter", "shift+enter", "ctrl+j")
	disableKeys(&in.KeyMap)
	in.Focus()
	return &Area{in}
}

// disableKeys disables keys of the textarea bubble: the key for pasting, because the terminal pastes, and the keys
// that select and copy text, because an area does not draw selected text.
func disableKeys(keys *textarea.KeyMap) {
	unused := []*key.Binding{
		&keys.Paste,
		&keys.SelectCharacterForward,
		&keys.SelectCharacterBackward,
		&keys.SelectWordForward,
		&keys.SelectWordBackward,
		&keys.SelectLineUp,
		&keys.SelectLineDown,
		&keys.SelectAll,
		&keys.CopySelection,
	}
	for _, binding := range unused {
		*binding = key.NewBinding(key.WithDisabled())
	}
}

// Value returns the text with "\n" between lines.
func (a *Area) Value() string { return a.in.Value() }

// Set replaces the text and moves the cursor to its end.
func (a *Area) Set(s string) { a.in.SetValue(lineEnds.Replace(s)) }

// lineEnds replaces CRLF and CR by the LF that the bubble expects.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// Update handles a key or a paste.
func (a *Area) Update(msg tea.Msg) {
	if paste, ok := msg.(tea.PasteMsg); ok {
		msg = tea.PasteMsg{Content: lineEnds.Replace(paste.Content)}
	}
	a.in, _ = a.in.Update(msg)
}

// Move moves the cursor down by one line of the wrapped text if n is positive, otherwise up by one
// line. It returns false if there is no further line in that direction.
func (a *Area) Move(n int) bool {
	before := *a.in.Cursor()
	if n > 0 {
		a.in.CursorDown()
	} else {
		a.in.CursorUp()
	}
	return a.in.Cursor().Y != before.Y
}

// Height returns the height of the text, wrapped to w cells.
func (a *Area) Height(w int) int {
	a.in.SetWidth(w)
	return a.in.Height()
}

// View draws the text as lines of w cells.
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
