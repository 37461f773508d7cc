package widget_test

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/widget"
)

func assets(clock func() time.Time) *widget.Form {
	return widget.NewForm(40, clock,
		&widget.Field{ID: "asset", Label: "Asset type", Kind: widget.ChoiceField, Options: []widget.Option{
			{Value: "realEstate", Label: "Real estate"},
			{Value: "railways", Label: "Railways"},
			{Value: "solarPanels", Label: "Solar panels"},
			{Value: "telecom", Label: "Telecom", Help: "masts"},
			{Value: "roadsBridges", Label: "Roads and bridges"},
			{Value: "oilGas", Label: "Oil and gas"},
			{Value: "windTurbines", Label: "Wind turbines", Help: "towers and blades"},
		}},
		&widget.Field{ID: "name", Label: "Name"},
		&widget.Field{ID: "start", Label: "Start", Kind: widget.DateField},
	)
}

func typeIn(f *widget.Form, text string) {
	for _, r := range text {
		code := r
		if r == ' ' {
			code = tea.KeySpace
		}
		f.Update(tea.KeyPressMsg{Code: code, Text: string(r)})
	}
}

func TestTypingFindsAnOptionByAnyOfItsTexts(t *testing.T) {
	for typed, want := range map[string]string{
		"bridge": "roadsBridges", "gas": "oilGas", "panel": "solarPanels", "estate": "realEstate", "tower": "windTurbines",
		"Wind": "windTurbines", "real e": "realEstate", "oilg": "oilGas", "tele": "telecom",
	} {
		f := assets(func() time.Time { return now })
		typeIn(f, typed)
		if got := f.Field("asset").Value(); got != want {
			t.Errorf("%q chooses %s, want %s", typed, got, want)
		}
	}
}

func TestTypingWithoutAMatchKeepsTheSelection(t *testing.T) {
	clock := now
	f := assets(func() time.Time { return clock })
	f.Field("asset").Set("telecom")
	typeIn(f, "Nordlicht")
	if got := f.Field("asset").Value(); got != "telecom" {
		t.Errorf("the choice is %s", got)
	}
	for range len("Nordlicht") {
		f.Update(tea.KeyPressMsg{Code: tea.KeyBackspace})
	}
	typeIn(f, "so")
	if got := f.Field("asset").Value(); got != "solarPanels" {
		t.Errorf("after the letters were taken back it is %s", got)
	}
	clock = clock.Add(3 * time.Second)
	typeIn(f, "ra")
	if got := f.Field("asset").Value(); got != "railways" {
		t.Errorf("after a pause it is %s", got)
	}
}

func TestOnlyTheFirstKeyReplacesTheSelectedText(t *testing.T) {
	for _, id := range []string{"name", "start"} {
		f := assets(func() time.Time { return now })
		f.Field(id).Set("in 2 weeks")
		f.FocusField(id)
		f.Update(tea.WindowSizeMsg{}) // what is told to every page
		typeIn(f, "i")
		for _, r := range "n 3 days" {
			f.FocusField(id) // a fault of the field was found meanwhile
			f.Update(tea.FocusMsg{})
			typeIn(f, string(r))
		}
		if got := f.Field(id).Value(); got != "in 3 days" {
			t.Errorf("%s has %q", id, got)
		}
	}
}
