package widget_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"flightdesk/tui/theme"
	"flightdesk/tui/tuitest"
	"flightdesk/tui/widget"
)

func downloads() []widget.Meter {
	return []widget.Meter{
		{Label: "↓ quay_ortho_2cm.tif", Middle: true, Share: 0.41, Note: "1.7 of 4.2 GB   38 MB/s   1 m 06 s"},
		{Label: "! quay_dsm.tif", Share: 0.22, Note: "try 3 in 8 s", Role: theme.Attention},
		{Label: "✓ quay.laz", Share: 1, Role: theme.Good},
		{Label: "· contours.geojson"},
		{Label: "↓ preview", Unknown: true, Beat: 5, Note: "4.8 MB"},
	}
}

func TestMeterSheets(t *testing.T) {
	th := tuitest.LoadTheme(t, "dark")
	for _, size := range tuitest.Sizes {
		t.Run(fmt.Sprintf("%dx%d", size.W, size.H), func(t *testing.T) {
			view := func(meters []widget.Meter, w, h int) string { return widget.ViewMeters(th, meters, w, h) }
			golden.RequireEqual(t, tuitest.StateSheet(
				tuitest.State{Name: "nothing to do", Box: view(nil, size.W, 1)},
				tuitest.State{Name: "several", Box: view(downloads(), size.W, 5)},
				tuitest.State{Name: "one without a label", Box: view([]widget.Meter{{Share: 0.999}}, size.W, 1)},
				tuitest.State{Name: "more than there is room for", Box: view(downloads(), size.W, 3)},
				tuitest.State{Name: "narrow", Box: view(downloads(), size.W/2, 5)},
				tuitest.State{Name: "very narrow", Box: view(downloads(), 20, 5)},
				tuitest.State{Name: "a few cells", Box: view(downloads(), 10, 5)},
			))
		})
	}
}

func TestOnlyWhatIsDoneIsAHundredPercent(t *testing.T) {
	th := tuitest.LoadTheme(t, "none")
	for share, want := range map[float64]string{0: "  0%", 0.29: " 29%", 0.9999: " 99%", 1: "100%", 1.5: "100%", -1: "  0%", math.NaN(): "  –%"} {
		if got := ansi.Strip(widget.ViewMeters(th, []widget.Meter{{Share: share}}, 30, 1)); !strings.Contains(got, want) {
			t.Errorf("a share of %v is drawn as %q, want %q", share, got, want)
		}
	}
}

func TestTheRunnerStaysInItsTrack(t *testing.T) {
	th := tuitest.LoadTheme(t, "none")
	seen := map[string]bool{}
	for beat := -50; beat < 100; beat++ {
		got := ansi.Strip(widget.ViewMeters(th, []widget.Meter{{Unknown: true, Beat: beat}}, 30, 1))
		if strings.Count(got, "━") != 4 {
			t.Fatalf("beat %d: %q", beat, got)
		}
		seen[got] = true
	}
	if len(seen) < 10 {
		t.Errorf("the runner has %d places only", len(seen))
	}
}

func TestMeterNothingLeavesItsRectangle(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 1000 {
		meters := make([]widget.Meter, r.IntN(6))
		for i := range meters {
			meters[i] = widget.Meter{
				Label: tuitest.OddText(r, 4), Note: tuitest.OddText(r, 4), Share: r.Float64()*1.4 - 0.2,
				Unknown: r.IntN(3) == 0, Beat: r.Int() - math.MaxInt/2, Role: theme.Role(r.IntN(8)),
			}
		}
		w, h := r.IntN(110), r.IntN(7)
		th := tuitest.LoadTheme(t, tuitest.Themes[r.IntN(2)])
		tuitest.RequireExact(t, fmt.Sprintf("%+v", meters), widget.ViewMeters(th, meters, w, h), w, h)
	}
}
