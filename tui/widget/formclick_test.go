package widget_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/format"
	"flightdesk/tui/tuitest"
	"flightdesk/tui/widget"
)

// spot returns where a text begins in the view of a form.
func spot(t *testing.T, f *widget.Form, text string) (x, y int) {
	t.Helper()
	view := ansi.Strip(f.View(tuitest.LoadTheme(t, "dark").Style, 70, 20))
	for y, line := range strings.Split(view, "\n") {
		if before, _, ok := strings.Cut(line, text); ok {
			return format.Width(before), y
		}
	}
	t.Fatalf("%q is not in the form:\n%s", text, view)
	return 0, 0
}

func TestClicksSelectFieldsOptionsAndDays(t *testing.T) {
	f := widget.NewForm(40, clock,
		&widget.Field{ID: "name", Label: "Name"},
		&widget.Field{ID: "due", Label: "Due", Kind: widget.DateField},
		&widget.Field{
			ID:      "kind",
			Label:   "Kind",
			Kind:    widget.ChoiceField,
			Options: []widget.Option{{Value: "a", Label: "Area"}, {Value: "l", Label: "Line"}, {Value: "p", Label: "Point"}},
		},
		&widget.Field{
			ID:      "wants",
			Label:   "Wants",
			Kind:    widget.MultiField,
			Options: []widget.Option{{Value: "o", Label: "Ortho"}, {Value: "m", Label: "Model"}, {Value: "f", Label: "Fixed", Fixed: true}},
		},
		&widget.Field{ID: "note", Kind: widget.NoteField, Note: "only said"},
	)
	click := func(text string, changed bool) {
		t.Helper()
		x, y := spot(t, f, text)
		if f.Click(x, y) != changed {
			t.Errorf("a click on %q changes something: %v", text, !changed)
		}
	}
	click("Kind", false)
	if f.Focused().ID != "kind" {
		t.Fatalf("%s is in focus", f.Focused().ID)
	}
	click("Line", true)
	click("Line", false)
	click("Point", true)
	click("Wants", false)
	click("Model", true)
	click("Fixed", false)
	click("Ortho", true)
	click("Model", true)
	click("only said", false)
	if kind, wants := f.Field("kind").Value(), f.Field("wants").Value(); kind != "p" || wants != "o,f" || f.Focused().ID != "wants" {
		t.Errorf("kind %s, wants %s, %s in focus", kind, wants, f.Focused().ID)
	}
	f.FocusField("due")
	f.Field("due").Set("2026-12-08")
	f.MoveDown()
	click("24", true)
	if got := f.Field("due").Value(); got != "2026-12-24" || f.IsCalendarOpen() {
		t.Errorf("the day is %s", got)
	}
	f.MoveDown()
	if f.Click(0, 0) || f.IsCalendarOpen() || f.Focused().ID != "name" {
		t.Error("a click beside the calendar does not leave it")
	}
	for y := -3; y < 30; y++ {
		for x := -3; x < 80; x++ {
			f.Click(x, y)
			f.View(tuitest.LoadTheme(t, "dark").Style, 70, 20)
		}
	}
}

func TestAnErrorIsAtItsFieldAndOptionsBelowItAreClicked(t *testing.T) {
	f := widget.NewForm(40, clock,
		&widget.Field{ID: "name", Label: "Name"},
		&widget.Field{
			ID:      "kind",
			Label:   "Kind",
			Kind:    widget.ChoiceField,
			Options: []widget.Option{{Value: "a", Label: "Area"}, {Value: "l", Label: "Line"}},
		},
	)
	f.Field("name").Error = "has no letter"
	f.Field("kind").Error = "is required"
	_, nameLine := spot(t, f, "Name")
	_, nameError := spot(t, f, "! has no letter")
	_, kindLine := spot(t, f, "Kind")
	_, kindError := spot(t, f, "! is required")
	if nameError != nameLine+1 || kindError != kindLine {
		t.Errorf("the fields are in lines %d and %d, their errors in %d and %d", nameLine, kindLine, nameError, kindError)
	}
	f.FocusField("kind")
	_, kindLine = spot(t, f, "Kind")
	if _, kindError = spot(t, f, "! is required"); kindError != kindLine {
		t.Errorf("the error of the field in focus is in line %d, its label in line %d", kindError, kindLine)
	}
	if x, y := spot(t, f, "Line"); !f.Click(x, y) || f.Field("kind").Value() != "l" {
		t.Errorf("a click on Line selects %q", f.Field("kind").Value())
	}
}
