package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/action"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

func TestInterruptingDialogIgnoresEarlyKeys(t *testing.T) {
	now := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	var s dialogStack
	s.push(&widget.Question{Title: "Delete", No: "back"})
	s.ignoreUntil = now.Add(ignoreTime)
	escape := tea.KeyPressMsg{Code: tea.KeyEscape}
	s.update(escape, now)
	if s.top() == nil {
		t.Fatal("an early key closed the dialog")
	}
	s.update(escape, s.ignoreUntil)
	if s.top() != nil {
		t.Error("a later key did not close the dialog")
	}
}

func TestClickOnKeyInDialogFooterPressesTheKey(t *testing.T) {
	now := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	th, err := theme.NamedTheme("dark", true)
	if err != nil {
		t.Fatal(err)
	}
	confirmed := 0
	var s dialogStack
	s.push(&widget.Question{
		Title: "Quit", Yes: "quit", No: "back",
		OnYes: func() tea.Cmd { confirmed++; return nil },
	})
	blank := strings.TrimSuffix(strings.Repeat(strings.Repeat(" ", 80)+"\n", 24), "\n")
	content, _ := s.draw(blank, th, 80, 24, 0)
	lines := strings.Split(ansi.Strip(content), "\n")
	foot := s.box.y + s.box.h - 1
	before, _, found := strings.Cut(lines[foot], "enter")
	if !found {
		t.Fatalf("the last line is %q", lines[foot])
	}
	click := tea.Mouse{X: format.Width(before) + 1, Y: foot, Button: tea.MouseLeft}
	s.click(tea.Mouse{X: click.X, Y: foot, Button: tea.MouseRight}, 0, now)
	s.click(tea.Mouse{X: 0, Y: 0, Button: tea.MouseLeft}, 0, now)
	if confirmed != 0 {
		t.Fatal("a click elsewhere, or with another button, pressed the key")
	}
	s.click(click, 0, now)
	if confirmed != 1 || s.top() != nil {
		t.Errorf("confirmed %d times, the dialog on top is %v", confirmed, s.top())
	}
}

func TestHelpFindsActionsByAllWords(t *testing.T) {
	th, err := theme.NamedTheme("dark", true)
	if err != nil {
		t.Fatal(err)
	}
	off := func(act action.Action) string { return page.TextIf(act.ID == action.Quit, "not now") }
	actions := action.ActionsOf(action.Everywhere)
	text := ansi.Strip(strings.Join(helpLines(th, actions, off, "quit", 80), "\n"))
	if !strings.Contains(text, "unavailable: not now") {
		t.Errorf("the help of a disabled action is\n%s", text)
	}
	text = ansi.Strip(strings.Join(helpLines(th, actions, off, "quit zebra", 80), "\n"))
	if text != "" {
		t.Errorf("without a match the help is\n%s", text)
	}
}
