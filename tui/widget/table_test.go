package widget_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/theme"
	"flightdesk/tui/tuitest"
	"flightdesk/tui/widget"
)

func loadPlain(t *testing.T) *theme.Theme {
	t.Helper()
	th, err := theme.NamedTheme("none", true)
	if err != nil {
		t.Fatal(err)
	}
	return th
}

// sites returns a table of n rows, which show their IDs.
func sites(ids ...string) *widget.Table {
	t := &widget.Table{Columns: []widget.Column{
		{Title: "Code", Width: 6}, {Title: "Name", Width: 8, Fill: 1}, {Title: "Area ha", Width: 7, Right: true, Drop: 1},
	}}
	set(t, ids...)
	return t
}

func set(t *widget.Table, ids ...string) {
	t.SetRows(len(ids), func(i int) string { return ids[i] }, func(i int) widget.Row {
		row := widget.Row{Cells: []widget.Cell{{Text: ids[i]}, {Text: "Site " + ids[i]}, {Text: fmt.Sprint(i)}}}
		if i == 1 {
			row.Mark = widget.Cell{Text: "!", Role: theme.Attention}
		}
		return row
	})
}

func view(t *testing.T, tb *widget.Table, w, h int) string {
	return ansi.Strip(tb.View(loadPlain(t), w, h, true))
}

func TestTableDrawsRowsInColumns(t *testing.T) {
	got := view(t, sites("A", "B"), 32, 4)
	want := strings.Join([]string{
		"   Code    Name         Area ha ",
		" ▸ A       Site A             0 ",
		" ! B       Site B             1 ",
		"                                ",
	}, "\n")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestTheCursorOfATableWithoutTheFocusIsThin(t *testing.T) {
	tb := sites("one", "two")
	focused := ansi.Strip(tb.View(loadPlain(t), 40, 4, true))
	unfocused := ansi.Strip(tb.View(loadPlain(t), 40, 4, false))
	if !strings.Contains(focused, " ▸ ") || strings.Contains(unfocused, "▸") || !strings.Contains(unfocused, " › ") {
		t.Errorf("with focus\n%s\nwithout\n%s", focused, unfocused)
	}
}

func TestColumnsWithoutRoomAreLeftOut(t *testing.T) {
	if got := view(t, sites("A"), 22, 2); strings.Contains(got, "Area") || !strings.Contains(got, "Site A") {
		t.Errorf("got\n%s", got)
	}
}

func TestSelectionFollowsItsRow(t *testing.T) {
	tb := sites("A", "B", "C")
	tb.Move(1)
	set(tb, "X", "A", "B", "C")
	if tb.Cursor() != 2 {
		t.Errorf("after a new row above, row %d is selected, want 2", tb.Cursor())
	}
	set(tb, "X", "A", "C")
	if tb.Cursor() != 2 {
		t.Errorf("after the row is gone, row %d is selected, want its place 2", tb.Cursor())
	}
	set(tb, "X")
	if tb.Cursor() != 0 {
		t.Errorf("row %d of one is selected", tb.Cursor())
	}
	if tb.Select("nowhere") || !tb.Select("X") {
		t.Error("Select finds what is there and only that")
	}
}

func TestTableScrollsToTheSelectionWithoutEmptyRows(t *testing.T) {
	ids := make([]string, 50)
	for i := range ids {
		ids[i] = fmt.Sprintf("S%02d", i)
	}
	tb := sites(ids...)
	tb.Move(30)
	if got := view(t, tb, 30, 7); !strings.Contains(got, "▸ S30") && !strings.Contains(got, "▸!S30") {
		t.Errorf("the selection is out of view:\n%s", got)
	}
	tb.Move(100)
	view(t, tb, 30, 7)
	if got := view(t, tb, 30, 22); !strings.Contains(got, "S30") || !strings.Contains(got, "▸ S49") {
		t.Errorf("after growing there are empty rows below the last:\n%s", got)
	}
}

func TestTableCountsHiddenRowsAndColumns(t *testing.T) {
	ids := make([]string, 20)
	for i := range ids {
		ids[i] = fmt.Sprintf("S%02d", i)
	}
	last := func(tb *widget.Table, w, h int) string {
		lines := strings.Split(view(t, tb, w, h), "\n")
		return strings.TrimSpace(lines[len(lines)-1])
	}
	tb := sites(ids...)
	for _, step := range []struct {
		move int
		want string
	}{{0, "↓ 12 more"}, {9, "↑ 2 · ↓ 10 more"}, {20, "↑ 12 more"}} {
		tb.Move(step.move)
		if got := last(tb, 60, 10); got != step.want {
			t.Errorf("at row %d the last line is %q, want %q", tb.Cursor(), got, step.want)
		}
	}
	if got := last(tb, 60, 21); !strings.Contains(got, "S19") {
		t.Errorf("all rows are in view, and the last line is %q", got)
	}
	if got := last(tb, 18, 25); !strings.HasPrefix(got, "+") || !strings.HasSuffix(got, "column") && !strings.HasSuffix(got, "columns") {
		t.Errorf("columns have no room, and the last line is %q", got)
	}
	if view(t, tb, 60, 10); tb.Click(9) {
		t.Error("a click selects what is out of view")
	}
	tb.Open = true
	tb.Move(-20)
	if got := last(tb, 60, 10); got != "↓ 11+ more" {
		t.Errorf("where more rows follow the last line is %q", got)
	}
}

func TestLeapScrollsByTwoThirds(t *testing.T) {
	ids := make([]string, 50)
	for i := range ids {
		ids[i] = fmt.Sprintf("S%02d", i)
	}
	tb := sites(ids...)
	tb.Leap = true
	turns, last := 0, ""
	for range 49 {
		tb.Move(1)
		got := view(t, tb, 30, 11)
		if !strings.Contains(got, fmt.Sprintf("▸ S%02d", tb.Cursor())) && !strings.Contains(got, "▸!S01") {
			t.Fatalf("S%02d is out of view:\n%s", tb.Cursor(), got)
		}
		if first := strings.Split(got, "\n")[1][3:6]; first != last {
			turns, last = turns+1, first
		}
	}
	if turns != 7 {
		t.Errorf("9 of 50 rows in view are turned %d times, want 7", turns)
	}
	tb.Move(-9)
	if got := view(t, tb, 30, 11); !strings.Contains(got, "S34") || !strings.Contains(got, "▸ S40") {
		t.Errorf("going up shows no rows above:\n%s", got)
	}
}

func TestTableFillsAnyRectangle(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	names := []string{"A", "東京タワー", "é́́", "\x1b[31m", "שלום", strings.Repeat("long ", 20), ""}
	for range 3000 {
		ids := make([]string, r.IntN(12))
		for i := range ids {
			ids[i] = names[r.IntN(len(names))]
		}
		tb := sites(ids...)
		tb.Move(r.IntN(15))
		w, h := r.IntN(60), r.IntN(10)
		got := tb.View(loadPlain(t), w, h, r.IntN(2) == 0)
		if h == 0 {
			continue
		}
		lines := strings.Split(got, "\n")
		if len(lines) != h {
			t.Fatalf("%d lines, want %d", len(lines), h)
		}
		for _, line := range lines {
			if ansi.StringWidth(line) != w {
				t.Fatalf("%d cells, want %d: %q", ansi.StringWidth(line), w, line)
			}
		}
	}
}

func BenchmarkView(b *testing.B) {
	ids := make([]string, 100_000)
	for i := range ids {
		ids[i] = fmt.Sprintf("ORD-%06d", i)
	}
	tb := sites(ids...)
	th, err := theme.NamedTheme("dark", true)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		tb.Move(1)
		tb.View(th, 120, 36, true)
	}
}

func TestLinearTableDrawsSentences(t *testing.T) {
	list := widget.Table{Columns: []widget.Column{
		{Title: "Code", Width: 4},
		{Title: "Name", Width: 3},
		{Title: "In", Width: 2},
		{Title: "Note", Width: 2, Drop: 1},
	}}
	rows := []widget.Row{
		{Cells: []widget.Cell{
			{Text: "ORD-1"}, {Text: "A name longer than its column"}, {Text: "✓", Code: "yes"}, {Text: "–"},
		}},
		{Mark: widget.Cell{Text: "!"}, Cells: []widget.Cell{
			{Text: "ORD-2"}, {Text: ""}, {Text: "●", Code: "placed"}, {Text: "Ends so."},
		}},
	}
	list.SetRows(2, func(i int) string { return rows[i].Cells[0].Text }, func(i int) widget.Row { return rows[i] })
	got := strings.Split(list.View(theme.LinearTheme(), 200, 4, true), "\n")
	for i, want := range []string{
		" Rows 1 to 2 of 2:", " selected: ORD-1; Name: A name longer than its column; In: yes.", "   ORD-2; In: placed; Note: Ends so.; has a problem.", "",
	} {
		if strings.TrimRight(got[i], " ") != want {
			t.Errorf("line %d is %q, want %q", i, got[i], want)
		}
	}
	list.Static = true
	if text := list.View(theme.LinearTheme(), 200, 4, true); strings.Contains(text, "selected") {
		t.Errorf("a row of a static table is selected:\n%s", text)
	}
}

func TestARuleIsDrawnBetweenTwoRows(t *testing.T) {
	th := tuitest.LoadTheme(t, "none")
	names := []string{"first", "second", "third", "fourth"}
	grid := widget.NewGrid(time.Now, widget.Column{Title: "Name", Name: "name", Width: 10, Fill: 1})
	grid.SetSource(widget.RowSource{
		Len:       len(names),
		ID:        func(i int) string { return names[i] },
		Cell:      func(i, _ int) widget.Cell { return widget.Cell{Text: names[i]} },
		Rule:      "now",
		RuleAbove: 2,
	})
	draw := func(h int) []string { return strings.Split(ansi.Strip(grid.View(th, 30, h, true)), "\n") }
	lines := draw(9)
	if !strings.Contains(lines[2], "second") || !strings.Contains(lines[3], "── now ──") || !strings.Contains(lines[4], "third") {
		t.Errorf("the table is\n%s", strings.Join(lines, "\n"))
	}
	if grid.Click(3); grid.Selected() != "first" {
		t.Errorf("a click on the rule selected %q", grid.Selected())
	}
	if grid.Click(grid.LineOf(2)); grid.Selected() != "third" {
		t.Errorf("a click on the third row selected %q", grid.Selected())
	}
	grid.Move(-2)
	if lines = draw(3); strings.Contains(strings.Join(lines, "\n"), "now") || !strings.Contains(lines[2], "second") {
		t.Errorf("in a table of two rows the rule is\n%s", strings.Join(lines, "\n"))
	}
	grid.SortBy(4)
	if text := strings.Join(draw(9), "\n"); strings.Contains(text, "now") {
		t.Errorf("sorted by name, the rule is still there:\n%s", text)
	}
}

func TestARowTakesTheLineOfARuleThatIsScrolledOut(t *testing.T) {
	const rows, rule, height = 30, 10, 8
	grid := widget.NewGrid(time.Now, widget.Column{Title: "Name", Name: "name", Width: 10, Fill: 1})
	grid.SetSource(widget.RowSource{
		Len:       rows,
		ID:        strconv.Itoa,
		Cell:      func(i, _ int) widget.Cell { return widget.Cell{Text: fmt.Sprintf("row %d", i)} },
		Rule:      "now",
		RuleAbove: rule,
	})
	th := tuitest.LoadTheme(t, "none")
	for range rows - 2 {
		grid.Move(1)
		lines := strings.Split(ansi.Strip(grid.View(th, 30, height, true)), "\n")
		for i, line := range lines {
			if strings.TrimSpace(line) == "" {
				t.Fatalf("with the cursor on %s, line %d is blank:\n%s", grid.Selected(), i, strings.Join(lines, "\n"))
			}
		}
		if !strings.Contains(strings.Join(lines, "\n"), "▸ row "+grid.Selected()+" ") {
			t.Fatalf("row %s is not in view", grid.Selected())
		}
	}
}
