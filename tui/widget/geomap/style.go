package geomap

import (
	"image/color"
	"strings"

	"charm.land/lipgloss/v2"
)

// Role says in which style a feature is drawn.
type Role uint8

// The roles. Selected is for features that are marked beside the one that
// [Model.SetSelected] names.
const (
	Normal Role = iota
	Muted
	Pending
	Attention
	InProgress
	Good
	Bad
	Selected
)

// Styles are the looks of a map. Only colours and attributes of a style count,
// not its padding, border or size. Every style may be zero.
type Styles struct {
	Graticule, Border, Coast lipgloss.Style // the base map
	City                     lipgloss.Style // names of places

	// Outlines, lines and marks by role; Feature is that of Normal.
	Feature, Muted, Wait, You, Moving, Good, Bad, Selected lipgloss.Style

	// Backgrounds of polygons; a selected polygon without a background is
	// filled with dots instead.
	Fill, SelectedFill lipgloss.Style

	Label  lipgloss.Style // labels of features; the selected one's is in Selected
	Chrome lipgloss.Style // scale bar and coordinates
}

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
func (i cellInk) rank() uint8 { return ranks[i] }

var ranks = func() (r [inks]uint8) {
	for i := inkGraticule; i < inks; i++ {
		switch {
		case i == inkGraticule:
			r[i] = 1
		case i <= inkCoast:
			r[i] = 2
		default:
			r[i] = 3
		}
	}
	return r
}()

func (r Role) ink() cellInk {
	switch r {
	case Muted:
		return inkMuted
	case Pending:
		return inkWait
	case Attention:
		return inkYou
	case InProgress:
		return inkMoving
	case Good:
		return inkGood
	case Bad:
		return inkBad
	case Selected:
		return inkSelected
	default:
		return inkFeature
	}
}

// inkPalette is the styles as the escape sequences around a run of cells.
type inkPalette struct {
	on, off [inks][tints]string
	dotted  bool // the selected fill has no background of its own
}

func newInkPalette(s Styles) inkPalette {
	styles := [inks]lipgloss.Style{
		inkGraticule: s.Graticule, inkBorder: s.Border, inkCoast: s.Coast, inkCity: s.City,
		inkMuted: s.Muted, inkFeature: s.Feature, inkGood: s.Good, inkWait: s.Wait,
		inkMoving: s.Moving, inkYou: s.You, inkBad: s.Bad, inkSelected: s.Selected,
		inkLabel: s.Label, inkChrome: s.Chrome,
	}
	backs := [tints]color.Color{tintFill: s.Fill.GetBackground(), tintSelected: s.SelectedFill.GetBackground()}
	var p inkPalette
	p.dotted = isNone(backs[tintSelected])
	for i, style := range styles {
		for t, back := range backs {
			look := cellStyle(style)
			if !isNone(back) && isNone(style.GetBackground()) {
				look = look.Background(back)
			}
			p.on[i][t], p.off[i][t], _ = strings.Cut(look.Render("x"), "x")
		}
	}
	return p
}

// cellStyle keeps of a style what applies to a single cell.
func cellStyle(s lipgloss.Style) lipgloss.Style {
	return lipgloss.NewStyle().
		Foreground(s.GetForeground()).Background(s.GetBackground()).
		Bold(s.GetBold()).Faint(s.GetFaint()).Italic(s.GetItalic()).
		Underline(s.GetUnderline()).Reverse(s.GetReverse())
}

func isNone(c color.Color) bool {
	_, none := c.(lipgloss.NoColor)
	return none || c == nil
}
