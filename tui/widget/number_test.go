package widget_test

import (
	"math"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/tuitest"
	"flightdesk/tui/widget"
)

func TestParseNumberAcceptsCommonNotations(t *testing.T) {
	for typed, want := range map[string]float64{
		"4880": 4880, "4,880.00": 4880, "4.880,00": 4880, "4 880": 4880, "4'880": 4880, "1,234,567": 1_234_567, "1.234.567": 1_234_567,
		"12,5": 12.5, "12.5": 12.5, "12,50": 12.5, "1,234": 1234, "1.234": 1.234, "0,123": 0.123, "-3": -3, "−3": -3, ".5": 0.5, "5.": 5,
		"3 km²": 3, "3km²": 3, "1,5 KM²": 1.5, " 7 km² ": 7, "1,234.5": 1234.5, "1.234,5": 1234.5,
	} {
		got, err := widget.ParseNumber(typed, "km²")
		if err != nil || math.Abs(got-want) > 1e-9 {
			t.Errorf("%q is %v, %v; want %v", typed, got, err, want)
		}
	}
	for _, typed := range []string{
		"", " ", "x", "12 x", "ha", "1,2,3", "1.2.3", "1,23,456", "1.234.5,6", "1,234.567,8", "--3",
		"1e5", ".", ",", "0x10", "NaN", "Inf", "3 ha", "3 ha km²", strings.Repeat("9", 400),
	} {
		if got, err := widget.ParseNumber(typed, "km²"); err == nil {
			t.Errorf("%q is read as %v", typed, got)
		}
	}
}

func FuzzParseNumber(f *testing.F) {
	for _, seed := range []string{"4,880.00", "1.234,5", "3 ha", "-0", "1'000"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		n, err := widget.ParseNumber(typed, "km²")
		if err == nil && (math.IsNaN(n) || math.IsInf(n, 0)) {
			t.Errorf("%q is %v", typed, n)
		}
	})
}

func TestNumberFieldShowsUnitAndRange(t *testing.T) {
	area := &widget.Field{ID: "area", Label: "Area", Kind: widget.NumberField, Unit: "m²", Least: 1, Most: 1e9}
	f := widget.NewForm(20, clock, area)
	view := func() string { return ansi.Strip(f.View(tuitest.LoadTheme(t, "none").Style, 60, 3)) }
	for _, r := range "12" {
		pressKeys(f, letter(r))
	}
	if got := view(); !strings.Contains(got, "12") || !strings.Contains(got, " m²") || strings.Contains(got, "→") {
		t.Errorf("without a unit:\n%s", got)
	}
	for _, r := range ",5m²" {
		pressKeys(f, letter(r))
	}
	if n, err := area.Number(); err != nil || n != 12.5 {
		t.Errorf("it is %v, %v", n, err)
	}
	for typed, want := range map[string]string{
		"0": "use a number from 1 to 1,000,000,000", "5 acres": "unknown unit; use m²", "many": "unknown unit; use m²",
	} {
		area.Set(typed)
		if _, err := area.Number(); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", typed, err, want)
		}
	}
}
