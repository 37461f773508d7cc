package tui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
)

func TestKeysOfCyrillicLayoutsPerformActions(t *testing.T) {
	for _, tt := range []struct {
		key  tea.KeyPressMsg
		want action.ID
	}{
		{tea.KeyPressMsg{Code: 'й', Text: "й"}, action.Quit},
		{tea.KeyPressMsg{Code: 'г', Text: "г"}, action.Undo},
		{tea.KeyPressMsg{Code: 'd', ShiftedCode: 'В', Text: "В", Mod: tea.ModShift}, action.Downloads},
		{tea.KeyPressMsg{Code: 'ы', BaseCode: 'r', Mod: tea.ModCtrl}, action.Redo},
		{tea.KeyPressMsg{Code: 'q', Text: "q"}, action.Quit},
		{tea.KeyPressMsg{Code: 'ß', Text: "ß"}, ""},
	} {
		got, _ := findAction(tt.key, action.Everywhere)
		if got.ID != tt.want {
			t.Errorf("%q with code %q is %q, want %q", tt.key.Text, tt.key.Code, got.ID, tt.want)
		}
	}
}
