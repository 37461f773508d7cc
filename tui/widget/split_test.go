package widget_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"flightdesk/tui/format"
	"flightdesk/tui/tuitest"
	"flightdesk/tui/widget"
)

// labelled returns a pane that draws its size.
func labelled(name string, cells, least int) widget.Pane {
	return widget.Pane{Cells: cells, Least: least, View: func(w, h int) string {
		return format.FitBox([]string{fmt.Sprintf(" %s %dx%d", name, w, h)}, w, h)
	}}
}

func panes() []widget.Pane {
	return []widget.Pane{
		labelled("list", 72, 40), labelled("detail", 0, 30), labelled("map", 40, 30),
	}
}

func TestSplitsMatchTheirGolden(t *testing.T) {
	th := tuitest.LoadTheme(t, "dark")
	for _, size := range tuitest.Sizes {
		t.Run(fmt.Sprintf("%dx%d", size.W, size.H), func(t *testing.T) {
			beside, none := &widget.Split{Panes: panes()}, &widget.Split{}
			dragged := &widget.Split{Panes: panes()[:2]}
			x := dragged.LayoutPanes(size.W)[0].Len
			dragged.GrabBorder(x)
			dragged.Drag(x-10, true)
			golden.RequireEqual(t, drawStates(
				boxState{Name: "no pane", Box: none.View(th, size.W, 1)},
				boxState{Name: "beside each other", Box: beside.View(th, size.W, 3)},
				boxState{Name: "moved to the left", Box: dragged.View(th, size.W, 2)},
				boxState{Name: "narrow", Box: beside.View(th, size.W/2, 2)},
			))
		})
	}
}

func TestLayoutPanesDividesTheCells(t *testing.T) {
	for name, c := range map[string]struct {
		panes []widget.Pane
		n     int
		want  string
	}{
		"fixed and the rest":     {[]widget.Pane{{Cells: 20}, {}}, 50, "[{0 20} {21 29}]"},
		"all stay, below theirs": {[]widget.Pane{{Least: 40}, {Least: 40}}, 21, "[{0 19} {20 1}]"},
		"too much is taken":      {[]widget.Pane{{Cells: 40}, {Cells: 40, Least: 10}}, 51, "[{0 40} {41 10}]"},
		"what is over":           {[]widget.Pane{{Cells: 10}, {Cells: 10}}, 41, "[{0 10} {11 30}]"},
		"no cell for each":       {[]widget.Pane{{}, {}}, 2, "[{0 2} {0 0}]"},
		"nothing":                {[]widget.Pane{{}, {}}, 0, "[{0 0} {0 0}]"},
	} {
		s := widget.Split{Panes: c.panes}
		if got := fmt.Sprint(s.LayoutPanes(c.n)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestDragMovesABorder(t *testing.T) {
	s := &widget.Split{Panes: panes()[:2]}
	th := tuitest.LoadTheme(t, "dark")
	plain := s.View(th, 120, 4)
	if s.GrabBorder(50) || s.Drag(40, false) {
		t.Fatal("a cell of a pane is a border")
	}
	if !s.GrabBorder(72) {
		t.Fatal("the border is not taken hold of")
	}
	if s.View(th, 120, 4) == plain {
		t.Error("a border that is held looks as before")
	}
	s.Drag(60, false)
	if got := fmt.Sprint(s.LayoutPanes(120)); got != "[{0 60} {61 59}]" {
		t.Errorf("moved to 60: %s", got)
	}
	s.Drag(3, false)
	s.Drag(2, false)
	if got := fmt.Sprint(s.LayoutPanes(120)); got != "[{0 40} {41 79}]" {
		t.Errorf("moved beyond what the left pane needs: %s", got)
	}
	s.Drag(119, true)
	if s.Drag(20, false) {
		t.Error("what was let go of still moves")
	}
	if got := fmt.Sprint(s.LayoutPanes(120)); got != "[{0 89} {90 30}]" {
		t.Errorf("moved beyond what the right pane needs: %s", got)
	}
	again := &widget.Split{Panes: panes()[:2], Shares: s.Shares}
	if got := fmt.Sprint(again.LayoutPanes(120)); got != "[{0 89} {90 30}]" {
		t.Errorf("kept and taken again: %s", got)
	}
	again.Shares = map[int]int{7: 100, 0: -3, 1: 4000}
	if got := fmt.Sprint(again.LayoutPanes(120)); got != "[{0 72} {73 47}]" {
		t.Errorf("shares that fit no pane are taken: %s", got)
	}
}

func TestPaneAtFindsThePaneOfAColumn(t *testing.T) {
	s := &widget.Split{Panes: panes()[:2]}
	s.LayoutPanes(120)
	for x, want := range map[int]string{
		0: "0 0", 71: "0 71", 72: "-1 72", 73: "1 0", 119: "1 46", 120: "-1 120", -1: "-1 -1",
	} {
		i, px := s.PaneAt(x)
		if got := fmt.Sprint(i, px); got != want {
			t.Errorf("column %d is %s, want %s", x, got, want)
		}
	}
}

func TestSplitsStayInTheirRectangle(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 1000 {
		s := &widget.Split{}
		for range r.IntN(5) {
			text := tuitest.OddText(r, 8)
			s.Panes = append(s.Panes, widget.Pane{
				Cells: max(0, r.IntN(80)-30), Least: r.IntN(30),
				View: func(w, h int) string { return strings.Repeat(format.Clean(text)+"\n", r.IntN(h+3)) }, // of any size
			})
		}
		th := tuitest.LoadTheme(t, themes[r.IntN(2)])
		for range 4 {
			w, h := r.IntN(130), r.IntN(20)
			what := fmt.Sprintf("%d panes", len(s.Panes))
			tuitest.RequireExact(t, what, s.View(th, w, h), w, h)
			s.GrabBorder(r.IntN(130))
			s.Drag(r.IntN(140)-5, false)
			tuitest.RequireExact(t, what+", moved", s.View(th, w, h), w, h)
		}
	}
}
