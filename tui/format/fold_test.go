package format_test

import (
	"testing"

	"flightdesk/tui/format"
)

func TestFoldLeavesPlainSmallLetters(t *testing.T) {
	for text, want := range map[string]string{
		"ORD-100219 Elbe":    "ord-100219 elbe",
		"Smøla, Østerild":    "smola, osterild",
		"ŁUKASZ Żółw":        "lukasz zolw",
		"Straße, STRAẞE":     "strasse, strasse",
		"Đakovo, Þingvellir": "dakovo, thingvellir",
		"Ærø, cœur":          "aero, coeur",
		"Iğdır, İzmir":       "igdir, izmir",
		"Cafe\u0301 Café":    "cafe cafe", // composed or not
		"14 km²":             "14 km2",
		"東京タワー":              "東京タワー",
		"हिन्दी":             "हिन्दी",
		"\xff":               "\ufffd",
	} {
		if got := format.Fold(text); got != want {
			t.Errorf("%q is folded to %q, want %q", text, got, want)
		}
	}
}
