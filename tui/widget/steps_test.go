package widget_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/tuitest"
	"flightdesk/tui/widget"
)

// way returns six steps, of which the first are done.
func way(done int) []widget.Step {
	path := []widget.Step{
		{Name: "placed", When: "2 Nov"},
		{Name: "quote", When: "4 Nov"},
		{Name: "accepted", When: "6 Nov"},
		{Name: "pilot", When: "9 Nov"},
		{Name: "flight", When: "today 11:00"},
		{Name: "delivered"},
	}
	for i := range path {
		switch {
		case i < done:
			path[i].State = widget.Done
		case i == done:
			path[i].State = widget.Current
		default:
			path[i].When = ""
		}
	}
	return path
}

func ended() []widget.Step {
	path := way(3)
	path[3] = widget.Step{Name: "cancelled", When: "8 Nov", State: widget.Ended}
	return path[:4]
}

func drawSteps(th *theme.Theme, path []widget.Step, w int) string {
	lines := widget.StepLines(th, path, w)
	return format.FitBox(lines, w, len(lines))
}

func TestStepsMatchTheirGolden(t *testing.T) {
	th := tuitest.LoadTheme(t, "dark")
	undated := way(2)
	for i := range undated {
		undated[i].When = ""
	}
	for _, size := range tuitest.Sizes {
		t.Run(fmt.Sprintf("%dx%d", size.W, size.H), func(t *testing.T) {
			var states []boxState
			add := func(name string, path []widget.Step, w int) {
				states = append(states, boxState{Name: name, Box: drawSteps(th, path, w)})
			}
			add("no step", nil, size.W)
			add("under way", way(4), size.W)
			add("done", way(6), size.W)
			add("ended", ended(), size.W)
			add("without days", undated, size.W)
			add("narrow", way(4), size.W/3)
			golden.RequireEqual(t, drawStates(states...))
		})
	}
}

func TestStepStatesDifferWithoutColour(t *testing.T) {
	th := tuitest.LoadTheme(t, "none")
	got := ansi.Strip(drawSteps(th, way(3), 60))
	glyphs := strings.TrimRight(strings.Split(got, "\n")[0], " ")
	if !strings.Contains(got, "●──") || !strings.Contains(got, "●┄") || !strings.HasSuffix(glyphs, "◌") {
		t.Errorf("done, current and ahead look the same:\n%s", got)
	}
}

func TestStepsStayInTheirRectangle(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		path := make([]widget.Step, r.IntN(9))
		for i := range path {
			path[i] = widget.Step{
				Name: tuitest.OddText(r, 4), When: tuitest.OddText(r, 2),
				State: widget.StepState(r.IntN(4)), Role: theme.Role(r.IntN(8)),
			}
		}
		w := 4 + r.IntN(130)
		th := tuitest.LoadTheme(t, themes[r.IntN(2)])
		lines := widget.StepLines(th, path, w)
		for _, line := range lines {
			if format.Width(line) > w {
				t.Errorf("%+v takes %d of %d cells: %q", path, format.Width(line), w, line)
			}
		}
	}
}

func TestStepsFitInOneLine(t *testing.T) {
	th := tuitest.LoadTheme(t, "dark")
	line, fits := widget.StepLine(th, way(1), 80)
	want := " ● placed 2 Nov  ● quote 4 Nov  ◌ accepted  ◌ pilot  ◌ flight  ◌ delivered"
	if got := ansi.Strip(line); got != want || !fits {
		t.Errorf("the steps are drawn as %q, %v, want %q", got, fits, want)
	}
	if _, fits := widget.StepLine(th, way(1), 60); fits {
		t.Error("the steps do not fit into 60 cells")
	}
}
