package tui

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/page"
	"flightdesk/tui/widget"
)

// pointed is a page that tracks the pointer if points is set.
type pointed struct {
	page.Page
	points bool
}

func (p pointed) HandlePointer(page.MouseInput) {}
func (p pointed) TracksPointer() bool           { return p.points }

type selected struct{ widget.Dialog }

func (selected) SelectsText() {}

func TestMouseModeDependsOnThePage(t *testing.T) {
	for _, tt := range []struct {
		name  string
		mouse mouse
		top   any
		want  tea.MouseMode
	}{
		{"a map", mouse{}, pointed{points: true}, tea.MouseModeAllMotion},
		{"a map that is not shown", mouse{}, pointed{}, tea.MouseModeCellMotion},
		{"a dialog over a map", mouse{}, &paletteDialog{}, tea.MouseModeCellMotion},
		{"text to select", mouse{}, selected{}, tea.MouseModeNone},
		{"turned off", mouse{isOff: true}, pointed{points: true}, tea.MouseModeNone},
	} {
		if got := tt.mouse.mode(tt.top); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

func TestThirdClickBeginsANewDoubleClick(t *testing.T) {
	var m mouse
	click := tea.Mouse{X: 3, Y: 4, Button: tea.MouseLeft}
	now := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	for i, want := range []bool{false, true, false, true} {
		if got := m.isDoubleClick(click, now.Add(time.Duration(i)*time.Millisecond)); got != want {
			t.Errorf("click %d is a double click: %v", i+1, got)
		}
	}
	other := tea.Mouse{X: 4, Y: 4, Button: tea.MouseLeft}
	later := now.Add(time.Second)
	if m.isDoubleClick(click, later) || m.isDoubleClick(other, later) {
		t.Error("clicks at two places are a double click")
	}
	if m.isDoubleClick(other, later.Add(doubleClickTime)) {
		t.Error("two slow clicks are a double click")
	}
}
