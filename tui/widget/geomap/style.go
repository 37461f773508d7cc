package geomap

import (
	"image/color"
	"strings"

	"flightdesk/tui/theme"
)

// cellInk is what a cell's dots or text were drawn as; of several, the highest
// colours the cell.
type cellInk uint8

const (
	inkNone cellInk = iota
	inkGraticule
	inkBorder
	inkCoast
	inkMuted
	inkFeature
	inkGood
	inkWait
	inkMoving
	inkYou
	inkBad
	inkSelected
	inkCity
	inkLabel
	inkBoxed // label of the selected one
	inkChrome
	inks
)

// cellTint is what a cell's background is.
type cellTint uint8

const (
	tintNone cellTint = iota
	tintFill
	tintSelected
	tints
)

// rank groups inks: dots of a higher rank replace those below, dots of the
// same rank join.
func (i cellInk) rank() uint8 {
	switch {
	case i <= inkGraticule:
		return uint8(i)
	case i <= inkCoast:
		return 2
	}
	return 3
}

// roleInks are the inks of features by the role of the theme that they are drawn in.
var roleInks = [...]cellInk{
	theme.Text: inkFeature, theme.Accent: inkFeature, theme.Muted: inkMuted, theme.Pending: inkWait,
	theme.Attention: inkYou, theme.InProgress: inkMoving, theme.Good: inkGood, theme.Bad: inkBad,
}

// inkPalette is the styles as the escape sequences around a run of cells.
type inkPalette struct {
	on, off [inks][tints]string
	dotted  bool // the selected fill has no background of its own: it is filled with dots
}

// newInkPalette returns the colours of a theme; nil draws without any.
func newInkPalette(th *theme.Theme) inkPalette {
	p := inkPalette{dotted: true}
	if th == nil {
		return p
	}
	styles := [inks]theme.Style{
		inkGraticule: th.Rule, inkBorder: th.Rule, inkCoast: th.Coast,
		inkCity: th.Style(theme.Muted), inkChrome: th.Style(theme.Muted), inkLabel: th.Style(theme.Text),
		inkSelected: th.Style(theme.Attention), inkBoxed: th.SelectedStyle(theme.Attention),
	}
	for role, ink := range roleInks {
		styles[ink] = th.Style(theme.Role(role)) // of text and accent, the latter
	}
	var backs [tints]color.Color
	backs[tintFill], backs[tintSelected] = th.TintColors()
	p.dotted = backs[tintSelected] == nil
	for i, style := range styles {
		for t, back := range backs {
			look := style.LipglossStyle()
			if back != nil {
				look = look.Background(back)
			}
			p.on[i][t], p.off[i][t], _ = strings.Cut(look.Render("x"), "x")
		}
	}
	return p
}
