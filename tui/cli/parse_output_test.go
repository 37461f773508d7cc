package cli

import (
	"strings"
	"testing"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
)

func TestATableIsNotWiderThanTheTerminal(t *testing.T) {
	placemarks := []kmlcsv.Placemark{
		{Name: strings.Repeat("東堤", 40), Country: "Saint Helena, Ascension and Tristan da Cunha", City: "Jamestown", Geometry: orb.Point{}},
		{Name: "a", Country: "Germany", City: "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch", Geometry: orb.LineString{{0, 0}, {1, 1}}, Length: 1234567},
		{Name: "e\u0301\x1b[2J", Geometry: orb.Polygon{{{0, 0}, {1, 0}, {1, 1}, {0, 0}}}, Area: 5e13},
	}
	for width := 64; width < 240; width++ {
		var b strings.Builder
		to := newTextWriter(&b)
		to.width = width
		placemarkSheet(placemarks).tablePart(printingCall(&b, "table"), columns.Pointers(placemarks))(to)
		_ = to.Flush()
		for line := range strings.Lines(b.String()) {
			if got := format.Width(strings.TrimSuffix(line, "\n")); got > width {
				t.Fatalf("width %d: %d cells: %q", width, got, line)
			}
		}
		if strings.Contains(b.String(), "\x1b") {
			t.Fatal("an escape character gets through")
		}
		for _, whole := range []string{"1,234.57 km", "50,000,000.00 km²", "Line"} {
			if !strings.Contains(b.String(), whole) {
				t.Errorf("width %d: %s is cut", width, whole)
			}
		}
	}
}

func TestATableInAPipeIsNotShortened(t *testing.T) {
	name := strings.Repeat("long ", 80)
	var b strings.Builder
	if err := writeParsed(printingCall(&b, "table"), &kmlcsv.Result{Placemarks: []kmlcsv.Placemark{{Name: name + "end", Geometry: orb.Point{}}}}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), name+"end") {
		t.Error("the label is cut")
	}
}
