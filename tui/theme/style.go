package theme

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// Style is a look of text with the escape sequences that it puts around a line, so
// that to render a line costs no more than to put them there: a frame has hundreds.
type Style struct {
	look          *lipgloss.Style // nil for none
	before, after string
	byLetter      bool // blanks are rendered in another way
}

// newStyle makes a style ready.
func newStyle(look lipgloss.Style) Style {
	const text = "…" // which is in no sequence and in no link's address
	before, after, _ := strings.Cut(look.Render(text), text)
	return Style{&look, before, after, look.GetUnderline()}
}

// LipglossStyle returns the style for widgets that take one of Lip Gloss.
func (s Style) LipglossStyle() lipgloss.Style {
	if s.look == nil {
		return lipgloss.NewStyle()
	}
	return *s.look
}

// Render renders texts, parted by spaces.
func (s Style) Render(texts ...string) string {
	if !s.byLetter && len(texts) == 1 && !strings.ContainsAny(texts[0], "\n\t\r") {
		return s.before + texts[0] + s.after
	}
	return s.LipglossStyle().Render(texts...)
}

// Bold returns the style in bold type, or not.
func (s Style) Bold(on bool) Style { return newStyle(s.LipglossStyle().Bold(on)) }

// Reverse returns the style with text and ground exchanged.
func (s Style) Reverse(on bool) Style { return newStyle(s.LipglossStyle().Reverse(on)) }

// Underline returns the style with a line below.
func (s Style) Underline(on bool) Style { return newStyle(s.LipglossStyle().Underline(on)) }

// Hyperlink returns the style of a link to an address.
func (s Style) Hyperlink(address string, params ...string) Style {
	return newStyle(s.LipglossStyle().Hyperlink(address, params...))
}
