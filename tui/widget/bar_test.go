package widget_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
	"flightdesk/tui/tuitest"
	"flightdesk/tui/widget"
)

func prices() widget.Chart {
	return widget.Chart{Best: widget.Lower, Word: "cheapest", Bars: []widget.Bar{
		{Label: "AeroScan Hanse", Text: "12,420.00 EUR", Value: 12420},
		{Label: "Nordflug express", Text: "16,500.00 EUR", Value: 16500},
		{Label: "Skyline Süd", Text: "14,155.00 EUR", Value: 14155},
	}}
}

func counts() widget.Chart {
	return widget.Chart{Bars: []widget.Bar{
		{Label: "◌ awaitingPilot", Text: "2", Value: 2, Role: theme.Pending},
		{Label: "◔ pilotAssigned", Text: "2", Value: 2, Role: theme.InProgress},
		{Label: "◎ flightScheduled", Text: "3", Value: 3, Role: theme.InProgress},
		{Label: "● completed", Text: "6", Value: 6, Role: theme.Good},
		{Label: "⊖ cancelled", Text: "0", Value: 0, Role: theme.Muted},
	}}
}

func TestBarSheets(t *testing.T) {
	th := tuitest.LoadTheme(t, "dark")
	p, c, none := prices(), counts(), widget.Chart{Best: widget.Lower}
	missing := prices()
	missing.Bars[0].Value, missing.Bars[0].Text = math.NaN(), "–"
	for _, size := range tuitest.Sizes {
		t.Run(fmt.Sprintf("%dx%d", size.W, size.H), func(t *testing.T) {
			w := size.W
			golden.RequireEqual(t, tuitest.StateSheet(
				tuitest.State{Name: "nothing to compare", Box: none.View(th, w, 1)},
				tuitest.State{Name: "rows, the cheapest is the best", Box: p.View(th, w, 3)},
				tuitest.State{Name: "rows, one without a value", Box: missing.View(th, w, 3)},
				tuitest.State{Name: "counts", Box: c.View(th, w, 5)},
				tuitest.State{Name: "more than there is room for", Box: c.View(th, w, 3)},
				tuitest.State{Name: "narrow", Box: p.View(th, w/2, 3)},
				tuitest.State{Name: "very narrow", Box: p.View(th, 24, 3)},
			))
		})
	}
}

func TestABarIsAsLongAsItsShare(t *testing.T) {
	for _, c := range []struct {
		share float64
		w     int
		want  string
		rest  int
	}{
		{0, 4, "", 4},
		{1, 4, "━━━━", 0},
		{2, 4, "━━━━", 0},
		{0.5, 4, "━━", 2},
		{0.6, 4, "━━╸", 1},
		{0.0001, 4, "╸", 3},    // something is never nothing
		{0.9999, 4, "━━━╸", 0}, // what is not whole never looks so
		{-1, 4, "", 4},
		{math.NaN(), 4, "", 4},
		{math.Inf(1), 2, "━━", 0},
		{0.5, 0, "", 0},
		{0.5, -3, "", 0},
	} {
		filled, rest := widget.HeavyLine(c.share, c.w)
		if filled != c.want || rest != c.rest {
			t.Errorf("%v of %d cells: %q and %d blank, want %q and %d", c.share, c.w, filled, rest, c.want, c.rest)
		}
	}
	for w := range 40 {
		for k := range 100 {
			if filled, rest := widget.HeavyLine(float64(k)/99, w); layout.Width(filled)+rest != w {
				t.Fatalf("%d/99 of %d cells: %q and %d blank", k, w, filled, rest)
			}
		}
	}
}

func TestTheBestIsMarked(t *testing.T) {
	th := tuitest.LoadTheme(t, "none")
	marked := func(c widget.Chart) (rows []int) {
		for i, line := range strings.Split(ansi.Strip(c.View(th, 90, len(c.Bars))), "\n") {
			if strings.Contains(line, "cheapest") || strings.Contains(line, "best") {
				rows = append(rows, i)
			}
		}
		return rows
	}
	c := prices()
	if got := fmt.Sprint(marked(c)); got != "[0]" {
		t.Errorf("the lowest is row 0, marked is %s", got)
	}
	c.Best, c.Word = widget.Higher, ""
	if got := fmt.Sprint(marked(c)); got != "[1]" {
		t.Errorf("the highest is row 1, marked is %s", got)
	}
	c.Bars[2].Value = c.Bars[1].Value
	if got := fmt.Sprint(marked(c)); got != "[1 2]" {
		t.Errorf("two are the highest, marked is %s", got)
	}
	c.Bars = c.Bars[1:]
	if got := marked(c); got != nil {
		t.Errorf("all are the same, marked is %v", got)
	}
}

func TestBarNothingLeavesItsRectangle(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	values := []float64{0, 1, 12, 1e300, -4, math.NaN(), math.Inf(1), math.Inf(-1), 5e-324}
	for range 1000 {
		c := widget.Chart{Best: widget.BestValue(r.IntN(3)), Word: tuitest.OddText(r, 2)}
		for range r.IntN(7) {
			c.Bars = append(c.Bars, widget.Bar{
				Label: tuitest.OddText(r, 4), Text: tuitest.OddText(r, 2), Value: values[r.IntN(len(values))], Role: theme.Role(r.IntN(8)),
			})
		}
		w, h := r.IntN(130), r.IntN(9)
		th := tuitest.LoadTheme(t, tuitest.Themes[r.IntN(2)])
		tuitest.RequireExact(t, fmt.Sprintf("rows %+v", c), c.View(th, w, h), w, h)
	}
}
