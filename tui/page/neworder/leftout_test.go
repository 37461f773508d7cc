package neworder

import (
	"slices"
	"testing"

	"github.com/paulmach/orb"

	"flightdesk/tui/app/ordering"
)

func TestTheReviewSaysWhySitesAreLeftOut(t *testing.T) {
	place := orb.Point{9.5, 53.6}
	excluded := func(name string) *ordering.Site {
		return &ordering.Site{Name: name, Geometry: place, Edited: ordering.ManualEdits{In: true}}
	}
	draft := &ordering.Draft{Sites: []*ordering.Site{
		{Name: "Ordered", Geometry: place, In: true},
		{Name: "Placed", Geometry: place, Placed: true},
		{Name: "Gauge 7", Warnings: []string{"line 31: it has no coordinates"}},
		excluded("Quay"),
		excluded("Crane"),
		{Name: "Levee", Geometry: place},
		excluded("Ramp"),
		{Name: "Dock", Edited: ordering.ManualEdits{In: true}, Warnings: []string{"no point is on the earth"}},
		{Name: "Weir", Edited: ordering.ManualEdits{In: true}},
	}}
	var got []string
	for _, group := range findLeftOut(draft) {
		got = append(got, group.describe())
		if group.byUser != (group.reason == "excluded by you") {
			t.Errorf("%s: by the user is %v", group.describe(), group.byUser)
		}
	}
	want := []string{
		"Gauge 7, line 31: it has no coordinates",
		"3 sites: excluded by you",
		"Levee: excluded in Sites",
		"Dock: no point is on the earth",
		"Weir: no usable coordinates",
	}
	if !slices.Equal(got, want) {
		t.Errorf("left out: %q, want %q", got, want)
	}
}
