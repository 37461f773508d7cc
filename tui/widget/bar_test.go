package widget_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/tuitest"
	"flightdesk/tui/widget"
)

func prices() []widget.Bar {
	return []widget.Bar{
		{Label: "Economy", Text: "12,420.00 EUR", Share: 0.66, Note: "cheapest"},
		{Label: "Standard", Text: "14,155.00 EUR", Share: 0.76, Role: theme.Pending},
		{Label: "Express", Text: "18,600.00 EUR", Share: 1, Role: theme.Pending},
	}
}

func downloads() []widget.Bar {
	bars := []widget.Bar{
		{Label: "↓ quay_ortho_2cm.tif", Middle: true, Share: 0.41, Note: "1.7 of 4.2 GB   38 MB/s   1 m 06 s"},
		{Label: "! quay_dsm.tif", Share: 0.22, Note: "try 3 in 8 s", Role: theme.Attention},
		{Label: "✓ quay.laz", Share: 1, Role: theme.Good},
		{Label: "· contours.geojson"},
		{Label: "↓ preview", Share: math.NaN(), Note: "4.8 MB"},
	}
	for i := range bars {
		bars[i].Track, bars[i].Text = true, widget.PercentDone(bars[i].Share)
	}
	return bars
}

func TestBarsMatchTheirGolden(t *testing.T) {
	th := tuitest.LoadTheme(t, "dark")
	for _, size := range tuitest.Sizes {
		t.Run(fmt.Sprintf("%dx%d", size.W, size.H), func(t *testing.T) {
			view := func(bars []widget.Bar, w int) string { return strings.Join(widget.DrawBars(th, bars, w), "\n") }
			golden.RequireEqual(t, drawStates(
				boxState{Name: "prices", Box: view(prices(), size.W)},
				boxState{Name: "downloads", Box: view(downloads(), size.W)},
				boxState{Name: "one without a label", Box: view([]widget.Bar{{Share: 0.999}}, size.W)},
				boxState{Name: "narrow", Box: view(append(prices(), downloads()...), size.W/2)},
				boxState{Name: "very narrow", Box: view(downloads(), 20)},
				boxState{Name: "a few cells", Box: view(downloads(), 10)},
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
			if filled, rest := widget.HeavyLine(float64(k)/99, w); format.Width(filled)+rest != w {
				t.Fatalf("%d/99 of %d cells: %q and %d blank", k, w, filled, rest)
			}
		}
	}
}

func TestPercentDoneIsHundredOnlyWhenDone(t *testing.T) {
	for share, want := range map[float64]string{
		0: "0%", 0.29: "29%", 0.9999: "99%", 1: "100%", 1.5: "100%", -1: "0%", math.NaN(): "–%",
	} {
		if got := widget.PercentDone(share); got != want {
			t.Errorf("a share of %v is %q, want %q", share, got, want)
		}
	}
}

func TestOnlyBarsWithANoteDrawOne(t *testing.T) {
	got := widget.DrawBars(tuitest.LoadTheme(t, "none"), prices(), 90)
	if !strings.Contains(got[0], "cheapest") || strings.Contains(got[1]+got[2], "cheapest") {
		t.Errorf("marked is\n%s", strings.Join(got, "\n"))
	}
}

func TestBarsStayInTheirRectangle(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 1000 {
		bars := make([]widget.Bar, 1+r.IntN(6))
		for i := range bars {
			bars[i] = widget.Bar{
				Label: tuitest.OddText(r, 4), Text: tuitest.OddText(r, 2), Note: tuitest.OddText(r, 4), Share: r.Float64()*1.4 - 0.2,
				Middle: r.IntN(3) == 0, Track: r.IntN(2) == 0, Role: theme.Role(r.IntN(8)),
			}
		}
		w := r.IntN(110)
		th := tuitest.LoadTheme(t, themes[r.IntN(2)])
		tuitest.RequireExact(t, fmt.Sprintf("%+v", bars), strings.Join(widget.DrawBars(th, bars, w), "\n"), w, len(bars))
	}
}
