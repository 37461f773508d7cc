package widget_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"flightdesk/tui/theme"
	"flightdesk/tui/tuitest"
	"flightdesk/tui/widget"
)

// way is six steps of which so many are done.
func way(done int) []widget.Step {
	path := []widget.Step{
		{Name: "placed", When: "2 Nov"},
		{Name: "quote", When: "4 Nov"},
		{Name: "accepted", When: "6 Nov"},
		{Name: "pilot", When: "9 Nov", Note: "AeroScan Hanse"},
		{Name: "flight", When: "today 11:00", Note: "proposed by the operator"},
		{Name: "delivered"},
	}
	for i := range path {
		switch {
		case i < done:
			path[i].State = widget.Done
		case i == done:
			path[i].State = widget.Current
		default:
			path[i].When, path[i].Note = "", ""
		}
	}
	return path
}

func ended() []widget.Step {
	path := way(3)
	path[3] = widget.Step{Name: "cancelled", When: "8 Nov", State: widget.Ended}
	return path[:4]
}

func TestStepsSheets(t *testing.T) {
	th := tuitest.LoadTheme(t, "dark")
	undated := way(2)
	for i := range undated {
		undated[i].When = ""
	}
	for _, size := range tuitest.Sizes {
		t.Run(fmt.Sprintf("%dx%d", size.W, size.H), func(t *testing.T) {
			var states []tuitest.State
			add := func(name string, path []widget.Step, w, h int) {
				states = append(states, tuitest.State{Name: name, Box: widget.ViewSteps(th, path, w, h)})
			}
			add("no step", nil, size.W, 1)
			add("under way", way(4), size.W, 3)
			add("done", way(6), size.W, 3)
			add("ended", ended(), size.W, 3)
			add("without days", undated, size.W, widget.StepsHeight(undated, size.W))
			add("narrow", way(4), size.W/3, min(11, size.H))
			add("narrow, low", way(4), size.W/3, 4)
			add("one line", way(4), size.W/2, 1)
			golden.RequireEqual(t, tuitest.StateSheet(states...))
		})
	}
}

func TestTheStepsAreToldApartWithoutColour(t *testing.T) {
	th := tuitest.LoadTheme(t, "none")
	got := ansi.Strip(widget.ViewSteps(th, way(3), 60, 3))
	if !strings.Contains(got, "●──") || !strings.Contains(got, "◎┄") || !strings.HasSuffix(strings.TrimRight(strings.Split(got, "\n")[0], " "), "◌") {
		t.Errorf("done, current and ahead look the same:\n%s", got)
	}
}

func TestWhereThereIsLittleRoomTheCurrentStepIsInView(t *testing.T) {
	th := tuitest.LoadTheme(t, "dark")
	for done := range 6 {
		path := way(done)
		for h := 1; h < 12; h++ {
			got := ansi.Strip(widget.ViewSteps(th, path, 24, h))
			if !strings.Contains(got, "◎") || !strings.Contains(got, path[done].Name) {
				t.Errorf("%d done, %d lines: %s is not in view\n%s", done, h, path[done].Name, got)
			}
		}
	}
}

func TestTheHeightIsWhatTheStepsTake(t *testing.T) {
	th := tuitest.LoadTheme(t, "dark")
	for w := 20; w < 120; w++ {
		h := widget.StepsHeight(way(4), w)
		got := strings.Split(ansi.Strip(widget.ViewSteps(th, way(4), w, h+1)), "\n")
		if strings.TrimSpace(got[h]) != "" || strings.TrimSpace(got[h-1]) == "" {
			t.Fatalf("at %d cells the steps take other than %d lines:\n%s", w, h, strings.Join(got, "\n"))
		}
	}
}

func TestStepsNothingLeavesItsRectangle(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		path := make([]widget.Step, r.IntN(9))
		for i := range path {
			path[i] = widget.Step{
				Name: tuitest.OddText(r, 4), When: tuitest.OddText(r, 2), Note: tuitest.OddText(r, 5),
				State: widget.StepState(r.IntN(4)), Role: theme.Role(r.IntN(8)),
			}
		}
		w, h := r.IntN(130), r.IntN(12)
		th := tuitest.LoadTheme(t, tuitest.Themes[r.IntN(2)])
		tuitest.RequireExact(t, fmt.Sprintf("%+v", path), widget.ViewSteps(th, path, w, h), w, h)
	}
}
