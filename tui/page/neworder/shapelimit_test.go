package neworder

import (
	"strings"
	"testing"

	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// ringOf returns an area with the given number of corners.
func ringOf(corners int) orb.Polygon {
	ring := make(orb.Ring, 0, corners+1)
	for i := range corners - 2 {
		ring = append(ring, orb.Point{9 + float64(i)/1e6, 53})
	}
	ring = append(ring, orb.Point{9.1, 53.1}, orb.Point{9, 53.1})
	return orb.Polygon{append(ring, ring[0])}
}

func TestThePointsOfEachNewShapeAreComparedWithTheLimitOfAMission(t *testing.T) {
	for _, test := range []struct {
		name   string
		points []int // corners of each new shape
		role   theme.Role
		note   string
	}{
		{"two missions within the limit", []int{api.MaxPoints, api.MaxPoints}, theme.Text, ""},
		{"one mission above the limit", []int{4, api.MaxPoints + 1}, theme.Attention, "1 area above the 20,000 points of a mission"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dialog := shapeDialog{editor: &siteEditor{step: &sitesStep{env: &page.Env{}}}}
			for _, corners := range test.points {
				dialog.sites = append(dialog.sites, &ordering.Site{})
				dialog.result.shapes = append(dialog.result.shapes, []orb.Geometry{ringOf(corners)})
			}
			role, text := dialog.describeResult()
			if role != test.role {
				t.Errorf("the role is %v, want %v", role, test.role)
			}
			if !strings.Contains(text, test.note) || strings.Contains(text, "above") != (test.note != "") {
				t.Errorf("the summary is %q, want the note %q", text, test.note)
			}
		})
	}
}
