package neworder

import (
	"strings"
	"testing"

	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/tui/app/ordering"
)

func TestTheLegendExplainsOnlyMarksOnTheMap(t *testing.T) {
	mast := &ordering.Site{Type: api.MissionAsset, In: true, Geometry: orb.Point{9.12, 53.89}}
	field := &ordering.Site{Type: api.MissionLinear, Geometry: orb.LineString{{9.1, 53.8}, {9.2, 53.9}}}
	unread := &ordering.Site{Type: api.MissionAsset}
	for _, c := range []struct {
		sites   []*ordering.Site
		cluster string
		want    string
	}{
		{[]*ordering.Site{unread}, "", ""},
		{[]*ordering.Site{mast, unread}, "", "◦ asset"},
		{[]*ordering.Site{mast, field}, "", "● area or line, ◦ asset, ● excluded"},
		{[]*ordering.Site{mast, mast}, "◦2", "◦ asset, ◦2 several sites"},
	} {
		var texts []string
		for _, entry := range mapLegend(&ordering.Draft{Sites: c.sites}, c.cluster, shapeDot) {
			texts = append(texts, entry.mark+" "+entry.text)
		}
		if got := strings.Join(texts, ", "); got != c.want {
			t.Errorf("the legend is %q, want %q", got, c.want)
		}
	}
}
