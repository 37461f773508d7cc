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

// styled makes a style ready.
func styled(look lipgloss.Style) Style {
	const text = "…" // which is in no sequence and in no link's address
	before, after, _ := strings.Cut(look.Render(text), text)
	return Style{&look, before, after, look.GetUnderline()}
}

// Look is the style for widgets that take one of Lip Gloss.
func (s Style) Look() lipgloss.Style {
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
	return s.Look().Render(texts...)
}

// Bold is the style in bold type, or not.
func (s Style) Bold(on bool) Style { return styled(s.Look().Bold(on)) }

// Reverse is the style with text and ground exchanged.
func (s Style) Reverse(on bool) Style { return styled(s.Look().Reverse(on)) }

// Underline is the style with a line below.
func (s Style) Underline(on bool) Style { return styled(s.Look().Underline(on)) }

// Hyperlink is the style of a link to an address.
func (s Style) Hyperlink(address string, params ...string) Style {
	return styled(s.Look().Hyperlink(address, params...))
}
