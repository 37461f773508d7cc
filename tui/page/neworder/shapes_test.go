package neworder_test

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/apptest"
	"flightdesk/tui/format"
)

// threeKinds is a file with two points, a line and an area of 30 ha.
const threeKinds = "name,wkt\n" +
	"Mast,\"POINT(9.48 53.6)\"\nYard,\"POINT(9.49 53.6)\"\n" +
	"Pipe,\"LINESTRING(9.48 53.61,9.495 53.61)\"\n" +
	"Field,\"POLYGON((9.5 53.6,9.51 53.6,9.51 53.605,9.5 53.605,9.5 53.6))\"\n"

func openThreeKinds(t *testing.T, w, h int) *apptest.Session {
	t.Helper()
	d := apptest.Open(t, w, h)
	d.WriteFile("kinds.csv", threeKinds)
	d.Press("n")
	d.Type("kinds")
	d.Press("enter")
	d.RequireText("4 sites, 4 included")
	return d
}

func TestPointsBecomeAreasWithAPreviewAndOneUndo(t *testing.T) {
	d := openThreeKinds(t, 120, 36)
	d.Press("V", "j", "V", "o")
	d.RequireText("Shape of Mast and Yard", "Circle", "Radius       50", "2 areas · 1.6 ha · 144 points · from 2 sites")
	d.Type("rect")
	d.RequireText("Width        200", "Height       100", "Bearing", "2 areas · 4.0 ha")
	d.Press("tab")
	d.Type("400")
	d.RequireText("2 areas · 8.0 ha")
	d.Press("enter")
	d.RequireText("4 sites, 4 included", "Mast", "4.0", "Rectangle: Mast and Yard · u to undo")
	d.Press("u")
	d.RequireText("Undone: rectangle: Mast and Yard", "2 points")
	d.Press("o") // the shape and its values are remembered
	d.RequireText("Width        400", "1 area · 4.0 ha")
}

func TestOnlyShapesThatFitAreOffered(t *testing.T) {
	d := openThreeKinds(t, 120, 36)
	d.Press("j", "j", "o")
	d.RequireText("Shape of Pipe", "Corridor", "1 area · 4.0 ha", "Ends         flat")
	d.SeesNot("Circle", "Split")
	d.Press("tab", "tab", "right")
	d.RequireText("✓ round")
	d.RequireText("1 area · 4.1 ha") // round ends
	d.Press("enter")
	d.RequireText("Corridor: Pipe", "Area")
	d.Press("u", "V", "g", "V", "o") // a line and two points
	d.RequireText("Circle", "Corridor")
	d.Type("corr")
	d.RequireText("1 area · 4.", "from 1 site", "2 sites unchanged")
}

func TestAnAreaIsSplitIntoParts(t *testing.T) {
	d := openThreeKinds(t, 120, 36)
	d.Press("G", "s")
	d.RequireText("Shape of Field", "Largest part 25", "2 areas · 36.8 ha")
	d.Press("tab")
	d.Type("10")
	d.RequireText("4 areas · 36.8 ha")
	d.Press("enter")
	d.RequireText("7 sites, 7 included", "Field (1)", "Field (4)", "9.2")
	d.Press("u")
	d.RequireText("4 sites, 4 included")
	d.Press("ctrl+r")
	d.RequireText("7 sites, 7 included")
}

func TestAShapeThatCannotBeMadeSaysWhy(t *testing.T) {
	d := openThreeKinds(t, 120, 36)
	d.Press("G", "o")
	d.Type("shr")
	d.Press("tab")
	d.Type("900")
	d.RequireText("! Field: nothing is left of the area; take away less")
	d.Press("enter")
	d.RequireText("Shape of Field")
	d.Press("ctrl+u")
	d.RequireText("! Distance:")
	d.Type("10")
	d.RequireText("1 area · ")
	d.Press("enter")
	d.RequireText("Shrink: Field · u to undo")
}

func TestAHullReplacesTheMarkedSites(t *testing.T) {
	d := openThreeKinds(t, 120, 36)
	d.Press("V", "G", "V", "o")
	d.Type("hull")
	d.RequireText("1 area · ")
	d.Press("enter")
	d.RequireText("1 site, 1 included", "Made a hull of Mast and 3 more · u to undo")
	d.Press("u")
	d.RequireText("4 sites, 4 included")
}

func TestCornersAreEditedInATableAndOnTheMap(t *testing.T) {
	d := openThreeKinds(t, 120, 36)
	d.Press("G", "v")
	d.RequireText("Corners of Field", "Latitude", "53.6000000", "9.5000000", "4 corners · 36.8 ha")
	d.Press("enter")
	d.RequireText("Move corner 1", "Coordinates, or metres such as 10 N 5 E")
	d.Press("ctrl+u")
	d.Type("somewhere")
	d.Press("enter")
	d.RequireText("Move corner 1")
	d.Press("ctrl+u")
	d.Type("100 S 50 W")
	d.Press("enter")
	d.RequireText("53.5991015", "9.4992448", "was 36.8 ha")
	d.Press("i")
	d.RequireText("5 corners")
	d.Press("shift+up", "u", "u")
	d.RequireText("4 corners", "53.5991015")
	d.Press("esc")
	d.RequireText("Not saved: ctrl+s saves, esc again discards 1 change")
	d.Press("ctrl+s")
	d.SeesNot("Corners of Field")
	d.RequireText("41.5")
	d.Press("v")
	d.RequireText("53.5991015")
	d.Press("esc", "u", "v")
	d.RequireText("53.6000000")
	d.SeesNot("53.5991015")
}

func TestACornerIsSelectedOnTheMap(t *testing.T) {
	d := openThreeKinds(t, 120, 36)
	d.Press("G", "v")
	x, y := -1, -1
	for i, line := range strings.Split(d.Screen(), "\n") {
		if before, _, found := strings.Cut(line, "◆"); found {
			x, y = format.Width(before), i
		}
	}
	if x < 0 {
		t.Fatalf("no corner on the map:\n%s", d.Screen())
	}
	d.Press("j")
	d.Send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	d.Press("enter")
	d.RequireText("Move corner 1")
	d.Press("esc", "j", "j", "enter")
	d.RequireText("Move corner 3")
}

func TestABoundaryThatCrossesItselfIsShown(t *testing.T) {
	d := openThreeKinds(t, 120, 36)
	d.Press("G", "v", "enter", "ctrl+u")
	d.Type("53.6025, 9.515")
	d.Press("enter")
	d.RequireText("! The boundary crosses itself at", "×", "area uncertain")
	d.Press("u", "delete")
	d.RequireText("3 corners")
	d.SeesNot("crosses itself")
	d.Press("delete")
	d.RequireText("An area needs at least 3 corners")
}

func TestTheCornersOfALineHaveEnds(t *testing.T) {
	d := openThreeKinds(t, 80, 24)
	d.Press("j", "j", "v")
	d.RequireText("Corners of Pipe", "2 corners · 993")
	d.Press("j", "i")
	d.RequireText("3 corners · 1.99 km", "9.5100000")
	d.Press("ctrl+s")
	d.RequireText("Line")
	d.Press("g", "v")
	d.RequireText("it has only one point; press e to move it")
}

func TestShapeFrames(t *testing.T) {
	d := openThreeKinds(t, 100, 30)
	d.Press("V", "j", "V", "o")
	d.CompareFrames(t, "circles")
	d.Press("esc", "esc", "G", "v", "enter", "ctrl+u")
	d.Type("53.6025, 9.515")
	d.Press("enter")
	d.CompareFrames(t, "corners")
}
