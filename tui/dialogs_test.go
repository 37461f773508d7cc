package tui_test

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/apptest"
	"flightdesk/tui/format"
)

func TestDialogsHandleTheMouse(t *testing.T) {
	d := apptest.Open(t, 100, 30)
	d.Press("2", ":")
	d.Type("help of the")
	clickText(d, "esc back")
	d.SeesNot("esc back")

	d.Press(":")
	d.Type("theme")
	turnWheel(d, tea.MouseWheelDown)
	d.RequireText("▸ theme: ")
	clickText(d, "theme: light")
	d.SeesNot("esc back")
	if v := d.View(); v.BackgroundColor == nil {
		t.Error("the theme that was clicked is not there")
	}

	d.Press("|")
	clickText(d, "✓ Area ha") // its tick
	d.RequireText("▸   Area ha")
	clickText(d, "space on/off") // a key at the foot
	d.RequireText("▸ ✓ Area ha")
	clickText(d, "J K move") // names two, and is none
	clickText(d, "Company   ")
	d.RequireText("▸   Company")
	turnWheel(d, tea.MouseWheelUp)
	d.RequireText("▸   Asset type")
	clickText(d, "enter save")
	d.SeesNot("enter save")

	d.Press("?")
	top := d.Screen()
	turnWheel(d, tea.MouseWheelDown)
	if d.Screen() == top {
		t.Error("the wheel does not scroll the help")
	}
	turnWheel(d, tea.MouseWheelUp)
	if d.Screen() != top {
		t.Error("the wheel does not scroll back")
	}
	d.Send(tea.MouseClickMsg{X: 0, Y: 0, Button: tea.MouseLeft})
	d.RequireText("esc back")
	clickText(d, "esc back")
	d.SeesNot("esc back")
}

func TestClickAnswersAQuestion(t *testing.T) {
	d := apptest.Open(t, 100, 30)
	d.ToReview("elbe")
	d.Press("S")
	clickText(d, "esc ")
	d.SeesNot("placed")
	d.Press("S")
	clickText(d, "enter ")
	d.RequireText("placed")
}

// clickText clicks where a text begins on the screen.
func clickText(d *apptest.Session, text string) {
	d.T.Helper()
	for y, line := range strings.Split(d.Screen(), "\n") {
		if before, _, ok := strings.Cut(line, text); ok {
			d.Send(tea.MouseClickMsg{X: format.Width(before), Y: y, Button: tea.MouseLeft})
			return
		}
	}
	d.T.Fatalf("%q is not on the screen:\n%s", text, d.Screen())
}

// turnWheel turns the wheel in the middle of the screen.
func turnWheel(d *apptest.Session, button tea.MouseButton) {
	d.Send(tea.MouseWheelMsg{X: 50, Y: 12, Button: button})
}
