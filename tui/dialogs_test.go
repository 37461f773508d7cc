package tui_test

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/layout"
)

// click clicks where a text begins on the screen.
func (d *desk) click(text string) {
	d.t.Helper()
	for y, line := range strings.Split(d.Screen(), "\n") {
		if before, _, ok := strings.Cut(line, text); ok {
			d.Send(tea.MouseClickMsg{X: layout.Width(before), Y: y, Button: tea.MouseLeft})
			return
		}
	}
	d.t.Fatalf("%q is not on the screen:\n%s", text, d.Screen())
}

func (d *desk) turn(button tea.MouseButton) {
	d.Send(tea.MouseWheelMsg{X: 50, Y: 12, Button: button})
}

func TestDialogsAreForTheMouseToo(t *testing.T) {
	d := open(t, 100, 30)
	d.Press("2", ":")
	d.Type("help of the")
	d.click("esc close")
	d.SeesNot("esc close")

	d.Press(":")
	d.Type("theme")
	d.turn(tea.MouseWheelDown)
	d.Sees("▸ theme: ")
	d.click("theme: light")
	d.SeesNot("esc close")
	if v := d.View(); v.BackgroundColor == nil {
		t.Error("the theme that was clicked is not there")
	}

	d.Press("|")
	d.click("✓ Area ha") // its tick
	d.Sees("▸   Area ha")
	d.click("space on/off") // a key at the foot
	d.Sees("▸ ✓ Area ha")
	d.click("J K move") // names two, and is none
	d.click("Company   ")
	d.Sees("▸   Company")
	d.turn(tea.MouseWheelUp)
	d.Sees("▸   Type")
	d.click("enter keep")
	d.SeesNot("enter keep")

	d.Press("?")
	top := d.Screen()
	d.turn(tea.MouseWheelDown)
	if d.Screen() == top {
		t.Error("the wheel does not scroll the help")
	}
	d.turn(tea.MouseWheelUp)
	if d.Screen() != top {
		t.Error("the wheel does not scroll back")
	}
	d.Send(tea.MouseClickMsg{X: 0, Y: 0, Button: tea.MouseLeft})
	d.Sees("? closes")
	d.click("? closes")
	d.SeesNot("? closes")
}

func TestAQuestionIsAnsweredWithTheMouse(t *testing.T) {
	d := open(t, 100, 30)
	d.toReview("elbe")
	d.Press("S")
	d.click("esc ")
	d.SeesNot("placed")
	d.Press("S")
	d.click("enter ")
	d.Sees("placed")
}
