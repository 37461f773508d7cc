package neworder_test

import (
	"math"
	"testing"

	"flightdesk/tui"
	"flightdesk/tui/apptest"
)

func TestACSVWithBadRowsIsFixedAndPlaced(t *testing.T) {
	drafts := t.TempDir()
	keep := func(o *tui.Options) { o.Drafts = drafts }
	d := apptest.Open(t, 120, 36, keep)
	d.WriteFile("bad.csv", "name,lat,lng\nGood,53.60,9.48\nLetters,9.4821E,53.6012N\nReceiver,5336.072N,00928.926E\nTyped,53.6O12,9.4821\nGuess,53.6O,9.48\n")
	d.Press("n")
	d.Type("bad")
	d.Press("enter")
	d.RequireText("5 sites, 2 included", "3 warnings")
	d.Press("!")
	d.RequireText("f swaps latitude and longitude, as their letters show,", "to 53.6012 N 9.4821 E (Stade,")
	d.Press("!")
	d.RequireText("f reads 53.6O12 as 53.6012, to")
	d.Close() // suggested fixes are saved

	d = apptest.Open(t, 120, 36, keep)
	d.Press("n", "G", "k")
	d.RequireText("▸!–   Typed", "f reads 53.6O12 as 53.6012, to")
	d.Press("F")
	d.RequireText("5 sites, 4 included", "1 warning")
	d.Press("!", "f")
	d.RequireText("fix: no suggested fix for this site")
	d.Press("e")
	d.Type("53.60 9.49")
	d.Press("enter", "]")
	d.Type("tele")
	d.Press("ctrl+s", "S", "enter")
	o := d.NewestOrder()
	if len(o.Missions) != 5 {
		t.Fatalf("%d missions", len(o.Missions))
	}
	for _, m := range o.Missions[1:] {
		if p := m.LocationMap[0]; math.Abs(p.Lat-53.6) > 0.01 || math.Abs(p.Lng-9.48) > 0.02 {
			t.Errorf("%s is at %v", m.MissionName, p)
		}
	}
}
