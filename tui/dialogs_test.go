package tui_test

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/apptest"
)

func TestDialogsAreForTheMouseToo(t *testing.T) {
	d := apptest.Open(t, 100, 30)
	d.Press("2", ":")
	d.Type("help of the")
	d.ClickText("esc back")
	d.SeesNot("esc back")

	d.Press(":")
	d.Type("theme")
	d.TurnWheel(tea.MouseWheelDown)
	d.RequireText("▸ theme: ")
	d.ClickText("theme: light")
	d.SeesNot("esc back")
	if v := d.View(); v.BackgroundColor == nil {
		t.Error("the theme that was clicked is not there")
	}

	d.Press("|")
	d.ClickText("✓ Area ha") // its tick
	d.RequireText("▸   Area ha")
	d.ClickText("space on/off") // a key at the foot
	d.RequireText("▸ ✓ Area ha")
	d.ClickText("J K move") // names two, and is none
	d.ClickText("Company   ")
	d.RequireText("▸   Company")
	d.TurnWheel(tea.MouseWheelUp)
	d.RequireText("▸   Type")
	d.ClickText("enter save")
	d.SeesNot("enter save")

	d.Press("?")
	top := d.Screen()
	d.TurnWheel(tea.MouseWheelDown)
	if d.Screen() == top {
		t.Error("the wheel does not scroll the help")
	}
	d.TurnWheel(tea.MouseWheelUp)
	if d.Screen() != top {
		t.Error("the wheel does not scroll back")
	}
	d.Send(tea.MouseClickMsg{X: 0, Y: 0, Button: tea.MouseLeft})
	d.RequireText("? close")
	d.ClickText("? close")
	d.SeesNot("? close")
}

func TestAQuestionIsAnsweredWithTheMouse(t *testing.T) {
	d := apptest.Open(t, 100, 30)
	d.ToReview("elbe")
	d.Press("S")
	d.ClickText("esc ")
	d.SeesNot("placed")
	d.Press("S")
	d.ClickText("enter ")
	d.RequireText("placed")
}
