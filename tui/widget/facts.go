// Package widget has what pages are put together from.
package widget

import (
	"cmp"
	"slices"

	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
)

// Fact is a label and a value.
type Fact struct {
	Label, Value string
	Role         theme.Role // of the value
}

// Text returns a fact whose value is plain text.
func Text(label, value string) Fact { return Fact{Label: label, Value: value} }

// Toned returns a fact whose value is in a role.
func Toned(label, value string, role theme.Role) Fact { return Fact{label, value, role} }

// Facts returns facts whose values are plain text, of labels and values.
func Facts(pairs [][2]string) []Fact {
	facts := make([]Fact, len(pairs))
	for i, p := range pairs {
		facts[i] = Text(p[0], p[1])
	}
	return facts
}

// Texts returns facts whose values are plain text, of labels that are each followed by
// their value.
func Texts(pairs ...string) (facts []Fact) {
	for p := range slices.Chunk(pairs, 2) {
		facts = append(facts, Text(p[0], p[1]))
	}
	return facts
}

// FactLine draws a fact in a line of at most w cells, the label in the first
// cells of it. A value that has no room is cut; an empty one is shown as none.
func FactLine(th *theme.Theme, label, w int, f Fact) string {
	name := layout.Clean(f.Label)
	if width := layout.Width(name); width > label { // a name of the service's own
		label = width + 1
	}
	if th.Linear {
		return " " + name + ": " + layout.Clean(cmp.Or(f.Value, "none"))
	}
	value := layout.CutLine(layout.Clean(cmp.Or(f.Value, format.None)), max(1, w-label-1))
	return layout.CutLine(" "+th.PaintMuted(layout.FitLeft(name, label))+th.PaintRole(f.Role, value), w)
}

// FactLines draws facts, each in a line.
func FactLines(th *theme.Theme, label, w int, facts ...Fact) []string {
	lines := make([]string, len(facts))
	for i, f := range facts {
		lines[i] = FactLine(th, label, w, f)
	}
	return lines
}

// WrapFacts draws facts whose values continue below themselves where they have
// no room.
func WrapFacts(th *theme.Theme, label, w int, facts ...Fact) []string {
	return wrapFacts(th, " ", label, w, facts)
}

// BoxFacts returns facts as [WrapFacts] draws them for a dialog, whose frame has a
// margin of its own.
func BoxFacts(th *theme.Theme, label, w int, facts ...Fact) []string {
	return wrapFacts(th, "", label, w, facts)
}

func wrapFacts(th *theme.Theme, margin string, label, w int, facts []Fact) []string {
	if th.Linear {
		return FactLines(th, label, w, facts...)
	}
	var lines []string
	for _, f := range facts {
		if f.Value == "" {
			f.Value, f.Role = format.None, theme.Muted
		}
		name := layout.Clean(f.Label)
		if layout.Width(name) > label { // a name of the service's own has a line of its own
			lines = append(lines, layout.CutLine(margin+th.PaintMuted(name), w))
			name = ""
		}
		for _, part := range layout.Wrap(f.Value, max(12, w-label-2*len(margin))) {
			lines = append(
				lines,
				layout.CutLine(margin+th.PaintMuted(layout.FitLeft(name, label))+th.PaintRole(f.Role, part), w),
			)
			name = ""
		}
	}
	return lines
}
