package widget_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/theme"
	"flightdesk/tui/tuitest"
	"flightdesk/tui/widget"
)

var now = time.Date(2026, 11, 24, 9, 42, 0, 0, time.FixedZone("CET", 3600)) // a Tuesday

func sample() *widget.Form {
	options := []widget.Option{
		{Value: "jpg", Label: "Photos", Fixed: true}, {Value: "map", Label: "Map"}, {Value: "model", Label: "Model"},
	}
	return widget.NewForm(20, func() time.Time { return now },
		&widget.Field{ID: "name", Label: "Name", Help: "what it is called"},
		&widget.Field{ID: "note", Label: "Note", Kind: widget.NoteField, Note: "only shown"},
		&widget.Field{ID: "kinds", Label: "Kinds", Kind: widget.MultiField, Options: options},
		&widget.Field{ID: "one", Label: "One", Kind: widget.ChoiceField, Options: slices.Clone(options[1:])},
		&widget.Field{ID: "due", Label: "Due", Kind: widget.DateField},
	)
}

func pressKeys(f *widget.Form, keys ...tea.KeyPressMsg) {
	for _, k := range keys {
		f.Update(k)
	}
}

func letter(r rune) tea.KeyPressMsg { return tea.KeyPressMsg{Code: r, Text: string(r)} }

var (
	right = tea.KeyPressMsg{Code: tea.KeyRight}
	left  = tea.KeyPressMsg{Code: tea.KeyLeft}
	space = tea.KeyPressMsg{Code: tea.KeySpace, Text: " "}
)

func TestFocusWrapsAroundAndSkipsNotes(t *testing.T) {
	f := sample()
	var seen []string
	for range 5 {
		seen = append(seen, f.Focused().ID)
		f.MoveFocus(1)
	}
	if got := strings.Join(seen, " "); got != "name kinds one due name" {
		t.Errorf("the focus goes %s", got)
	}
	f.FocusField("note")
	if f.Focused().ID == "note" {
		t.Error("a note takes the focus")
	}
	f.FocusField("name")
	f.MoveFocus(-1)
	if f.Focused().ID != "due" {
		t.Errorf("before the first field comes %s", f.Focused().ID)
	}
}

func TestAPasteReplacesARejectedSecretThatIsInFocus(t *testing.T) {
	f := widget.NewForm(40, clock, &widget.Field{ID: "key", Label: "Key", Secret: true})
	f.Update(tea.PasteMsg{Content: "old"})
	f.Field("key").Error = "rejected"
	f.FocusField("key")
	f.Update(tea.PasteMsg{Content: "new"})
	if got := f.Field("key").Value(); got != "new" {
		t.Errorf("the key is %q after the paste", got)
	}
}

func TestATypedTextStaysWhenItsFieldGetsTheFocusAgain(t *testing.T) {
	f := sample()
	pressKeys(f, letter('a'))
	f.FocusField("name")
	pressKeys(f, letter('b'))
	if got := f.Field("name").Value(); got != "ab" {
		t.Errorf("the text is %q", got)
	}
}

func TestFixedOptionsStayTicked(t *testing.T) {
	f := sample()
	f.FocusField("kinds")
	pressKeys(f, space, right, space, right, space, space)
	if got := f.Field("kinds").Value(); got != "jpg,map" {
		t.Errorf("ticked %s", got)
	}
	pressKeys(f, letter('m'), letter('o'), space)
	if got := f.Field("kinds").Value(); got != "jpg,map,model" {
		t.Errorf("after typing mo and space: %s", got)
	}
}

func TestArrowsAndLettersSelectAnOption(t *testing.T) {
	f := sample()
	f.FocusField("one")
	one := f.Field("one")
	if one.Value() != "" {
		t.Errorf("%q is chosen from the start", one.Value())
	}
	pressKeys(f, letter('m'))
	if one.Value() != "map" {
		t.Errorf("m chooses %q", one.Value())
	}
	pressKeys(f, letter('o'))
	if one.Value() != "model" {
		t.Errorf("mo chooses %q", one.Value())
	}
	pressKeys(f, right)
	if one.Value() != "map" {
		t.Errorf("right of the last chooses %q, want the first", one.Value())
	}
	pressKeys(f, left, letter('x'))
	if one.Value() != "model" {
		t.Errorf("left of the first and a letter that fits nothing choose %q", one.Value())
	}
}

func TestDateFieldShowsTheParsedDay(t *testing.T) {
	f := sample()
	f.FocusField("due")
	for _, r := range "in 3 weeks" {
		pressKeys(f, letter(r))
	}
	th, err := theme.NamedTheme("none", true)
	if err != nil {
		t.Fatal(err)
	}
	if got := ansi.Strip(f.View(th.Style, 70, 12)); !strings.Contains(got, "in 3 weeks            → Tue 15 Dec 2026") {
		t.Errorf("the date is shown as\n%s", got)
	}
}

func TestFormScrollsToTheFieldInFocus(t *testing.T) {
	th, err := theme.NamedTheme("dark", true)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(9, 10))
	f := sample()
	f.Field("name").Error = "東 is not a name " + strings.Repeat("long ", 30)
	for range 500 {
		f.MoveFocus(r.IntN(5) - 2)
		pressKeys(f, []tea.KeyPressMsg{right, left, space, letter('東')}[r.IntN(4)])
		w, h := r.IntN(60), r.IntN(9)+1
		lines := strings.Split(f.View(th.Style, w, h), "\n")
		if len(lines) != h {
			t.Fatalf("%d lines, want %d", len(lines), h)
		}
		for _, line := range lines {
			if ansi.StringWidth(line) != w {
				t.Fatalf("%d cells, want %d", ansi.StringWidth(line), w)
			}
		}
		if w > 30 && h > 5 && !strings.Contains(ansi.Strip(strings.Join(lines, "\n")), "▸") {
			t.Fatalf("the field in focus is out of view:\n%s", ansi.Strip(strings.Join(lines, "\n")))
		}
	}
}

func TestPasteTicksTheNamedOptions(t *testing.T) {
	options := []widget.Option{
		{Value: "jpg", Label: "Photos", Fixed: true},
		{Value: "map", Label: "2D map"},
		{Value: "model", Label: "3D model"},
	}
	f := widget.NewForm(
		100, time.Now, &widget.Field{ID: "one", Kind: widget.ChoiceField, Options: options[1:]},
		&widget.Field{ID: "many", Kind: widget.MultiField, Options: options},
	)
	paste := func(text string) bool { return f.Update(tea.PasteMsg{Content: text}) }
	if !paste("3d") || f.Field("one").Value() != "model" || f.IsLast() {
		t.Errorf("one is %q", f.Field("one").Value())
	}
	if paste("balloon") || f.Field("one").Value() != "model" {
		t.Errorf("what there is not has changed it to %q", f.Field("one").Value())
	}
	f.MoveFocus(1)
	if !paste("2d map, 3D") || f.Field("many").Value() != "jpg,map,model" || !f.IsLast() {
		t.Errorf("many are %q", f.Field("many").Value())
	}
}

func TestSetFieldsKeepsTypedValues(t *testing.T) {
	choose := func(label string, values ...string) *widget.Field {
		fl := &widget.Field{Label: label, Kind: widget.ChoiceField}
		for _, v := range values {
			fl.Options = append(fl.Options, widget.Option{Value: v, Label: v})
		}
		return fl
	}
	form := widget.NewForm(80, time.Now, choose("Sheet", "a", "b"), &widget.Field{Label: "Row"})
	form.Field("sheet").Set("b")
	form.FocusField("row")
	form.Update(tea.KeyPressMsg{Text: "1", Code: '1'})
	form.SetFields(choose("System", "x"), choose("Sheet", "a", "b", "c"), &widget.Field{Label: "Row"})
	form.Update(tea.KeyPressMsg{Text: "2", Code: '2'})
	if got := form.Field("row").Value(); got != "12" || form.Focused().ID != "row" {
		t.Errorf("row is %q, %q is in focus", got, form.Focused().ID)
	}
	if got := form.Field("sheet").Value(); got != "b" || len(form.Field("sheet").Options) != 3 {
		t.Errorf("sheet is %q", got)
	}
	form.SetFields(choose("Unit", "m"))
	if form.Focused().ID != "unit" {
		t.Errorf("%q is in focus", form.Focused().ID)
	}
}

func TestAChoiceWithoutOptionsIgnoresKeysAndClicks(t *testing.T) {
	form := widget.NewForm(80, time.Now,
		&widget.Field{Label: "Sheet", Kind: widget.ChoiceField},
		&widget.Field{Label: "Layers", Kind: widget.MultiField},
	)
	style := tuitest.LoadTheme(t, "dark").Style
	for range form.Fields {
		if view := form.View(style, 60, 8); !strings.Contains(view, "no options") {
			t.Errorf("the form is %s", view)
		}
		pressKeys(form,
			tea.KeyPressMsg{Code: tea.KeyLeft}, tea.KeyPressMsg{Code: tea.KeyRight},
			tea.KeyPressMsg{Code: tea.KeySpace, Text: " "}, tea.KeyPressMsg{Code: tea.KeyBackspace}, letter('a'))
		form.Focused().PickMarked()
		for y := range 8 {
			form.Click(20, y)
		}
		if value := form.Focused().Value(); value != "" {
			t.Errorf("the value is %q", value)
		}
		form.MoveFocus(1)
	}
}
