package widget_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"

	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/tuitest"
	"flightdesk/tui/widget"
)

var monday = time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)

// boxes has a dialog of each kind, drawn over a text.
func boxes(th *theme.Theme, text string) map[string]widget.Dialog {
	fields := widget.NewForm(40, func() time.Time { return monday },
		&widget.Field{ID: "rate", Label: "Rate", Help: text}, &widget.Field{
			ID:    "from",
			Label: "From",
			Kind:  widget.DateField,
			Error: text,
		},
	)
	nothing := func() tea.Cmd { return nil }
	return map[string]widget.Dialog{
		"a question": &widget.Question{
			Title: text,
			Lines: []string{text, ""},
			Yes:   "place it",
			No:    "back",
			OnYes: nothing,
		},
		"a question of nothing": &widget.Question{Yes: "go on", No: "back", OnYes: nothing},
		"a word to type":        widget.ConfirmTyped(text, []string{text}, text, "accept", nothing),
		"a form":                &widget.FormDialog{Title: text, Form: fields, OnSave: nothing},
		"a text": &widget.TextDialog{Title: text, Text: func(w int) []string {
			var lines []string
			for range 20 {
				for _, part := range format.Wrap(format.Clean(text), w) {
					lines = append(lines, format.CleanText(th.RaisedStyle(theme.Text), part))
				}
			}
			return lines
		}},
		"no text": &widget.TextDialog{Title: "Story", Text: func(int) []string { return nil }},
	}
}

var kinds = []string{"a question", "a question of nothing", "a word to type", "a form", "a text", "no text"}

func TestDialogsMatchTheirGolden(t *testing.T) {
	const text = "Accept the quote of Küstenflug for 東京 levee, 12,420.00 EUR, that lasts until Friday at noon?"
	th := tuitest.LoadTheme(t, "dark")
	for _, size := range tuitest.Sizes {
		t.Run(fmt.Sprintf("%dx%d", size.W, size.H), func(t *testing.T) {
			var states []boxState
			for _, kind := range kinds {
				states = append(states, boxState{Name: kind, Box: boxes(th, text)[kind].View(th, size.W-4, size.H-4)})
			}
			states = append(states,
				boxState{Name: "narrow and low", Box: boxes(th, text)["a question"].View(th, 24, 5)},
				boxState{
					Name: "without colour",
					Box:  boxes(th, text)["a word to type"].View(tuitest.LoadTheme(t, "none"), size.W-4, size.H-4),
				},
			)
			golden.RequireEqual(t, drawStates(states...))
		})
	}
}

// A dialog fits into any rectangle, and its cursor is inside the dialog.
func TestDialogsStayInTheirRectangle(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 400 {
		w, h := 24+r.IntN(120), 8+r.IntN(40)
		th := tuitest.LoadTheme(t, []string{"dark", "none"}[r.IntN(2)])
		for kind, d := range boxes(th, tuitest.OddText(r, 20)) {
			for _, k := range []rune{tea.KeyDown, 'x', tea.KeyTab} {
				d.Update(tea.KeyPressMsg{Code: k, Text: strings.TrimFunc(string(k), func(r rune) bool { return r > 'z' })})
			}
			box := d.View(th, w, h)
			lines := strings.Split(box, "\n")
			if got := format.Width(lines[0]); got > w || len(lines) > h {
				t.Fatalf("%s of %dx%d in %dx%d:\n%s", kind, got, len(lines), w, h, box)
			}
			tuitest.RequireExact(t, kind, box, format.Width(lines[0]), len(lines))
			typed, ok := d.(interface{ Cursor() *tea.Cursor })
			if !ok {
				continue
			}
			if c := typed.Cursor(); c != nil && (c.X < 0 || c.X >= w || c.Y < 0 || c.Y >= len(lines)) {
				t.Fatalf("%s: the cursor is at %d,%d of %dx%d", kind, c.X, c.Y, w, len(lines))
			}
		}
	}
}
