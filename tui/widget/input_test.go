package widget_test

import (
	"math/rand/v2"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

var plain = theme.Style{}

func press(f *widget.Input, keys ...rune) {
	for _, k := range keys {
		f.Update(tea.KeyPressMsg{Code: k})
	}
}

func TestInputCursorIsInTheCellOfItsCharacter(t *testing.T) {
	f := widget.NewInput(0)
	f.Set("東京 Süd")
	f.View(20, plain, plain)
	if got := f.CursorCell(); got != 8 {
		t.Errorf("cursor at the end in cell %d, want 8", got)
	}
	press(f, tea.KeyHome, tea.KeyRight)
	f.View(20, plain, plain)
	if got := f.CursorCell(); got != 2 {
		t.Errorf("cursor behind one wide character in cell %d, want 2", got)
	}
}

func TestLongTextScrollsWithTheCursor(t *testing.T) {
	f := widget.NewInput(0)
	f.Set("/home/anna/surveys/2026/levee.kml")
	if got := f.View(12, plain, plain); got != "6/levee.kml " {
		t.Errorf("view %q", got)
	}
	press(f, tea.KeyHome)
	if got := f.View(12, plain, plain); got != "/home/anna/…" || f.CursorCell() != 0 {
		t.Errorf("view %q, cursor %d", got, f.CursorCell())
	}
}

func TestPasteAndLimit(t *testing.T) {
	f := widget.NewInput(5)
	f.Update(tea.PasteMsg{Content: "a\nb\x1b[31mcdef"})
	if got := f.Value(); len([]rune(got)) != 5 || got[:3] != "a b" {
		t.Errorf("value %q", got)
	}
}

func TestInputStaysInItsCells(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	letters := []rune("aß東́\u202eש🇩🇪é 👩‍🚀")
	for range 2000 {
		f := widget.NewInput(0)
		for range r.IntN(20) {
			f.Update(tea.PasteMsg{Content: string(letters[r.IntN(len(letters))])})
			press(f, []rune{tea.KeyLeft, tea.KeyRight, tea.KeyHome, tea.KeyEnd}[r.IntN(4)])
			w := r.IntN(12)
			if got := ansi.StringWidth(f.View(w, plain, plain)); got != w {
				t.Fatalf("%q is %d cells wide, want %d", f.Value(), got, w)
			}
			if f.CursorCell() < 0 || f.CursorCell() > w {
				t.Fatalf("cursor in cell %d of %d", f.CursorCell(), w)
			}
		}
	}
}
