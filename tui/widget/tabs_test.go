package widget_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"flightdesk/tui/tuitest"
	"flightdesk/tui/widget"
)

func named(titles ...string) *widget.Tabs {
	t := &widget.Tabs{}
	for _, title := range titles {
		t.Tabs = append(t.Tabs, widget.Tab{Title: title})
	}
	return t
}

func wire() *widget.Tabs {
	t := named("Response", "Request", "Timing", "curl", "Decisions", "Planning", "Permission", "Deliveries")
	t.Tabs[7].Note = "2"
	return t
}

func TestTabsMatchTheirGolden(t *testing.T) {
	th := tuitest.LoadTheme(t, "dark")
	for _, size := range tuitest.Sizes {
		t.Run(fmt.Sprintf("%dx%d", size.W, size.H), func(t *testing.T) {
			var states []boxState
			add := func(name string, tb *widget.Tabs, at, w int) {
				tb.Set(at)
				states = append(states, boxState{Name: name, Box: tb.View(th, w)})
			}
			add("none", named(), 0, size.W)
			add("one", named("Response"), 0, size.W)
			add("the first", wire(), 0, size.W)
			add("the last", wire(), 7, size.W)
			add("narrow", wire(), 4, size.W/2)
			add("very narrow", wire(), 2, 12)
			golden.RequireEqual(t, drawStates(states...))
		})
	}
}

func TestSelectedTabIsMarkedAndVisible(t *testing.T) {
	th := tuitest.LoadTheme(t, "none")
	tb := wire()
	for range 2 * len(tb.Tabs) {
		tb.Move(1)
		for w := 16; w < 100; w += 7 {
			if got := ansi.Strip(tb.View(th, w)); !strings.Contains(got, "["+tb.Tabs[tb.At()].Title) {
				t.Fatalf("%s is not in view at %d cells: %q", tb.Tabs[tb.At()].Title, w, got)
			}
		}
	}
	tb.Set(0)
	if tb.Move(-1); tb.At() != 7 {
		t.Errorf("before the first comes %d", tb.At())
	}
	if tb.Move(9); tb.At() != 0 {
		t.Errorf("nine further is %d, want the first", tb.At())
	}
	if tb.Set(99); tb.At() != 7 {
		t.Errorf("beyond the last is %d", tb.At())
	}
	none := named()
	if none.Move(3); none.At() != 0 {
		t.Errorf("of none, %d is chosen", none.At())
	}
}

func TestClickSelectsTheTabUnderIt(t *testing.T) {
	th := tuitest.LoadTheme(t, "none")
	tb := wire()
	line := []rune(ansi.Strip(tb.View(th, 60)))
	for x, r := range line {
		if r != 'T' { // of Timing
			continue
		}
		if !tb.ClickTitle(x) || tb.Tabs[tb.At()].Title != "Timing" {
			t.Errorf("a click on Timing chooses %s", tb.Tabs[tb.At()].Title)
		}
	}
	if tb.ClickTitle(0) || tb.ClickTitle(59) {
		t.Error("a click beside the titles chooses one")
	}
	if tb.At() != 2 {
		t.Errorf("%d is chosen", tb.At())
	}
}

func TestTabsStayInTheirLine(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 1000 {
		tb := named()
		for range r.IntN(8) {
			tb.Tabs = append(tb.Tabs, widget.Tab{Title: tuitest.OddText(r, 3), Note: tuitest.OddText(r, 1)})
		}
		th := tuitest.LoadTheme(t, themes[r.IntN(2)])
		for range 3 {
			tb.Move(r.IntN(9) - 4)
			tb.ClickTitle(r.IntN(60))
			w := r.IntN(90)
			tuitest.RequireExact(t, fmt.Sprintf("%+v", tb), tb.View(th, w), w, 1)
		}
	}
}
