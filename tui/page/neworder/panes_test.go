package neworder_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui"
	"flightdesk/tui/apptest"
)

func TestTheDividersOfTheStepsAreDraggedAndKept(t *testing.T) {
	views := filepath.Join(t.TempDir(), "views.json")
	begin := func(step string) (*apptest.Session, int) {
		d := apptest.Open(t, 140, 40, func(o *tui.Options) { o.Views = views })
		d.ToReview("elbe")
		d.Press(strings.Fields(step)...)
		return d, slices.Index([]rune(strings.Split(d.Screen(), "\n")[8]), '│')
	}
	for name, keys := range map[string]string{"sites": "[ ctrl+b", "details": "[", "review": ""} {
		d, from := begin(keys)
		if from < 0 {
			t.Fatalf("%s: no divider:\n%s", name, d.Screen())
		}
		d.Send(tea.MouseClickMsg{X: from, Y: 10, Button: tea.MouseLeft})
		d.Send(tea.MouseMotionMsg{X: from - 7, Y: 12, Button: tea.MouseLeft})
		d.Send(tea.MouseReleaseMsg{X: from - 7, Y: 12})
		moved := slices.Index([]rune(strings.Split(d.Screen(), "\n")[8]), '│')
		if moved >= from {
			t.Errorf("%s: the divider stays at %d, it was at %d:\n%s", name, moved, from, d.Screen())
		}
		if _, got := begin(keys); got != moved {
			t.Errorf("%s: in the next session the divider is at %d, want %d", name, got, moved)
		}
	}
}
