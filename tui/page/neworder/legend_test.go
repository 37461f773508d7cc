package neworder

import (
	"strings"
	"testing"

	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/tui/app/ordering"
)

func TestTheLegendExplainsOnlyMarksThatTheMapCanHave(t *testing.T) {
	mast := &ordering.Site{Type: api.MissionAsset, In: true, Geometry: orb.Point{9.12, 53.89}}
	field := &ordering.Site{Type: api.MissionLinear, Geometry: orb.LineString{{9.1, 53.8}, {9.2, 53.9}}}
	unread := &ordering.Site{Type: api.MissionAsset}
	for want, sites := range map[string][]*ordering.Site{
		"":      {unread},
		"asset": {mast, unread},
		"area or line, asset, several sites, excluded": {mast, field},
	} {
		var texts []string
		for _, entry := range mapLegend(&ordering.Draft{Sites: sites}) {
			texts = append(texts, entry.text)
		}
		if got := strings.Join(texts, ", "); got != want {
			t.Errorf("the legend is %q, want %q", got, want)
		}
	}
}
