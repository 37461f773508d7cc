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
	d.Click("esc back")
	d.SeesNot("esc back")

	d.Press(":")
	d.Type("theme")
	d.Turn(tea.MouseWheelDown)
	d.Sees("▸ theme: ")
	d.Click("theme: light")
	d.SeesNot("esc back")
	if v := d.View(); v.BackgroundColor == nil {
		t.Error("the theme that was clicked is not there")
	}

	d.Press("|")
	d.Click("✓ Area ha") // its tick
	d.Sees("▸   Area ha")
	d.Click("space on/off") // a key at the foot
	d.Sees("▸ ✓ Area ha")
	d.Click("J K move") // names two, and is none
	d.Click("Company   ")
	d.Sees("▸   Company")
	d.Turn(tea.MouseWheelUp)
	d.Sees("▸   Type")
	d.Click("enter save")
	d.SeesNot("enter save")

	d.Press("?")
	top := d.Screen()
	d.Turn(tea.MouseWheelDown)
	if d.Screen() == top {
		t.Error("the wheel does not scroll the help")
	}
	d.Turn(tea.MouseWheelUp)
	if d.Screen() != top {
		t.Error("the wheel does not scroll back")
	}
	d.Send(tea.MouseClickMsg{X: 0, Y: 0, Button: tea.MouseLeft})
	d.Sees("? close")
	d.Click("? close")
	d.SeesNot("? close")
}

func TestAQuestionIsAnsweredWithTheMouse(t *testing.T) {
	d := apptest.Open(t, 100, 30)
	d.ToReview("elbe")
	d.Press("S")
	d.Click("esc ")
	d.SeesNot("placed")
	d.Press("S")
	d.Click("enter ")
	d.Sees("placed")
}
