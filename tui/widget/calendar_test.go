package widget_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"flightdesk/tui/tuitest"
	"flightdesk/tui/widget"
)

func clock() time.Time { return now }

func code(c rune) tea.KeyPressMsg { return tea.KeyPressMsg{Code: c} }

func TestCalendarSelectsADay(t *testing.T) {
	f := sample()
	f.FocusField("due")
	due := f.Field("due")
	due.Set("2026-12-08")
	f.MoveDown()
	if !f.IsCalendarOpen() {
		t.Fatal("down does not open the calendar")
	}
	got := ansi.Strip(f.View(tuitest.LoadTheme(t, "dark").Style, 70, 20))
	if !strings.Contains(got, "December 2026") || !strings.Contains(got, "Mo Tu We Th Fr Sa Su") || !strings.Contains(got, "30  1  2  3  4  5  6") {
		t.Errorf("the calendar is drawn as\n%s", got)
	}
	pressKeys(f, code(tea.KeyRight), code(tea.KeyEscape))
	if f.IsCalendarOpen() || due.Value() != "2026-12-08" {
		t.Errorf("esc leaves %s", due.Value())
	}
	for key, want := range map[rune]string{
		tea.KeyRight: "2026-12-09", tea.KeyDown: "2026-12-15", tea.KeyUp: "2026-12-01", tea.KeyLeft: "2026-12-07",
		tea.KeyPgDown: "2027-01-08", tea.KeyPgUp: "2026-11-08",
	} {
		due.Set("2026-12-08")
		f.MoveDown()
		if pressKeys(f, code(key)); due.Value() != "2026-12-08" {
			t.Errorf("moving in the calendar changes the field to %s", due.Value())
		}
		if !f.Update(code(tea.KeyEnter)) || due.Value() != want || f.IsCalendarOpen() {
			t.Errorf("%s is taken, want %s", due.Value(), want)
		}
	}
}

func TestMovingByMonthsStopsAtTheEndOfAMonth(t *testing.T) {
	f := sample()
	f.FocusField("due")
	due := f.Field("due")
	due.Set("2027-01-31")
	f.MoveDown()
	pressKeys(f, code(tea.KeyPgDown), code(tea.KeyEnter))
	if due.Value() != "2027-02-28" {
		t.Errorf("a month after 31 January is %s", due.Value())
	}
	due.Set("nonsense")
	f.MoveDown()
	pressKeys(f, code(tea.KeyEnter))
	if due.Value() != "2026-11-24" {
		t.Errorf("without a date the calendar begins at %s, want today", due.Value())
	}
	due.Set("9999-12-31")
	f.MoveDown()
	pressKeys(f, code(tea.KeyRight), code(tea.KeyEnter))
	if due.Value() != "2026-11-24" {
		t.Errorf("after the last of all days comes %s, want today", due.Value())
	}
}

func TestTypingClosesTheCalendar(t *testing.T) {
	f := sample()
	f.FocusField("due")
	f.MoveDown()
	pressKeys(f, letter('5'))
	if f.IsCalendarOpen() || f.Field("due").Value() != "5" {
		t.Errorf("open %v, value %q", f.IsCalendarOpen(), f.Field("due").Value())
	}
	f.MoveDown()
	f.MoveFocus(1)
	if f.IsCalendarOpen() {
		t.Error("the calendar stays open at another field")
	}
	f.FocusField("name")
	f.MoveDown()
	if f.IsCalendarOpen() || f.Focused().ID != "kinds" {
		t.Errorf("down from a text goes to %s, calendar %v", f.Focused().ID, f.IsCalendarOpen())
	}
}

func whole() *widget.Form {
	options := []widget.Option{
		{Value: "rgb", Label: "RGB camera", Help: "photos"},
		{Value: "thermal", Label: "Thermal", Help: "heat"},
		{Value: "lidar", Label: "LiDAR", Help: "points"},
		{Value: "multi", Label: "Multispectral", Help: "plants"},
	}
	f := widget.NewForm(100, clock,
		&widget.Field{ID: "name", Label: "Name", Help: "Name of the order"},
		&widget.Field{ID: "price", Label: "Price", Kind: widget.NumberField, Unit: "EUR", Help: "before any discount"},
		&widget.Field{ID: "area", Label: "Area", Kind: widget.NumberField, Unit: "ha"},
		&widget.Field{ID: "sensors", Label: "Sensors", Kind: widget.MultiField, Options: options},
		&widget.Field{ID: "goal", Label: "Objective", Kind: widget.ChoiceField, Options: options[1:]},
		&widget.Field{ID: "type", Label: "Type", Kind: widget.NoteField, Note: "multiLocation · set by your 4 missions"},
		&widget.Field{ID: "start", Label: "Start", Kind: widget.DateField, Help: "in 2 weeks, 1 Dec"},
		&widget.Field{ID: "due", Label: "Deadline", Kind: widget.DateField},
	)
	for id, value := range map[string]string{
		"name":  "苫前 blade inspection",
		"price": "4,880.00",
		"area":  "12.5 ha",
		"start": "in 2 weeks",
		"due":   "2026-12-01",
	} {
		f.Field(id).Set(value)
	}
	f.Field("sensors").Set("rgb", "lidar")
	f.Field("due").Error = "before the start, Tue 8 Dec: enter a later date"
	return f
}

func TestFormsMatchTheirGolden(t *testing.T) {
	style := tuitest.LoadTheme(t, "dark").Style
	for _, size := range tuitest.Sizes {
		t.Run(fmt.Sprintf("%dx%d", size.W, size.H), func(t *testing.T) {
			at := func(id string, then func(*widget.Form)) string {
				f := whole()
				f.FocusField(id)
				f.View(style, size.W, size.H)
				then(f)
				return f.View(style, size.W, size.H)
			}
			stay := func(*widget.Form) {}
			golden.RequireEqual(t, drawStates(
				boxState{Name: "a text", Box: at("name", stay)},
				boxState{Name: "a number with its unit", Box: at("area", stay)},
				boxState{Name: "several of a choice", Box: at("sensors", stay)},
				boxState{Name: "a day at fault", Box: at("due", stay)},
				boxState{Name: "the calendar", Box: at("start", (*widget.Form).MoveDown)},
				boxState{Name: "narrow", Box: whole().View(style, 24, 8)},
			))
		})
	}
}

func TestFormCursorFollowsWideCharacters(t *testing.T) {
	f := whole()
	f.FocusField("name")
	f.View(tuitest.LoadTheme(t, "dark").Style, 60, 12)
	c := f.Cursor()
	if want := 16 + ansi.StringWidth("苫前 blade inspection"); c == nil || c.X != want || c.Y != 0 {
		t.Errorf("the cursor is at %+v, want cell %d", c, want)
	}
	pressKeys(f, code(tea.KeyHome), code(tea.KeyRight))
	f.View(tuitest.LoadTheme(t, "dark").Style, 60, 12)
	if c := f.Cursor(); c == nil || c.X != 18 {
		t.Errorf("behind the first wide character the cursor is at %+v", c)
	}
}

func TestFormsStayInTheirRectangle(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for range 400 {
		f := whole()
		for _, fl := range f.Fields {
			if fl.Kind != widget.ChoiceField && fl.Kind != widget.MultiField && fl.Kind != widget.NoteField {
				fl.Set(tuitest.OddText(r, 4))
			}
			fl.Label, fl.Help, fl.Note = tuitest.OddText(r, 3), tuitest.OddText(r, 5), tuitest.OddText(r, 5)
			if r.IntN(3) == 0 {
				fl.Error = tuitest.OddText(r, 8)
			}
		}
		th := tuitest.LoadTheme(t, themes[r.IntN(2)])
		style := widget.RoleStyles(th.Style)
		if r.IntN(2) == 0 {
			style = th.RaisedStyle
		}
		for range 4 {
			f.MoveFocus(r.IntN(9) - 4)
			if r.IntN(2) == 0 {
				f.MoveDown()
				pressKeys(f, []tea.KeyPressMsg{left, right, code(tea.KeyPgDown), code(tea.KeyUp)}[r.IntN(4)])
			}
			w, h := r.IntN(120), r.IntN(24)
			tuitest.RequireExact(t, fmt.Sprintf("%dx%d", w, h), f.View(style, w, h), w, h)
			if c := f.Cursor(); c != nil && w > 20 && h > 0 && (c.X < 0 || c.X >= w || c.Y < 0 || c.Y >= h) {
				t.Fatalf("the cursor is at %d,%d of %dx%d", c.X, c.Y, w, h)
			}
		}
	}
}
