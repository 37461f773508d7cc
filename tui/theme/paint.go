package theme

import "flightdesk/tui/layout"

// PaintRole makes text harmless and gives it the colour of a role.
func (t *Theme) PaintRole(r Role, text string) string { return layout.CleanText(t.roles[r], text) }

// PaintText paints what is to be read.
func (t *Theme) PaintText(text string) string { return t.PaintRole(Text, text) }

// PaintMuted paints what is said beside that.
func (t *Theme) PaintMuted(text string) string { return t.PaintRole(Muted, text) }

// PaintTitle paints the title of a part.
func (t *Theme) PaintTitle(text string) string { return layout.CleanText(t.Title, text) }

// PaintHint paints a key and, after it, what the key does.
func (t *Theme) PaintHint(key, does string) string {
	return layout.CleanText(t.Key, key) + t.PaintMuted(" "+does)
}

// PaintRaised paints text of a role on a raised ground: that of dialogs.
func (t *Theme) PaintRaised(r Role, text string) string { return layout.CleanText(t.raised[r], text) }

// RaiseLines wraps texts into w cells and paints their lines on a raised ground.
func (t *Theme) RaiseLines(r Role, w int, texts ...string) (lines []string) {
	for _, text := range texts {
		for _, line := range layout.Wrap(text, w) {
			lines = append(lines, t.PaintRaised(r, line))
		}
	}
	return lines
}

// PaintLines wraps text into w cells and paints its lines, each after an indent.
func (t *Theme) PaintLines(r Role, indent, text string, w int) []string {
	lines := layout.Wrap(text, w)
	for i, line := range lines {
		lines[i] = indent + t.PaintRole(r, line)
	}
	return lines
}
