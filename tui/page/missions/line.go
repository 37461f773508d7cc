package missions

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/paulmach/orb"

	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/deliveries"
	"flightdesk/tui/page/sitemap"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/geomap"
)

// LoadProgress returns how many orders have their missions loaded, and how old that is.
func LoadProgress(v *cache.CacheView, now time.Time) string {
	if v.At.IsZero() && len(v.Orders) == 0 {
		if v.Err != nil {
			return ""
		}
		return "Loading orders…"
	}
	if v.Kept {
		return page.AsOf(v.At, now, v.Err == nil)
	}
	text := loadExtent(v)
	if v.At.IsZero() {
		return text
	}
	return text + " · refreshed " + format.Ago(v.At, now)
}

// loadExtent returns the number of orders whose missions are loaded, out of all orders.
func loadExtent(v *cache.CacheView) string {
	of := format.GroupDigits(float64(len(v.Orders)), 0)
	if !v.Listed || v.More {
		of += "+"
	}
	read, wanted := format.GroupDigits(float64(v.Read), 0), of
	if v.Listed && v.Left > 0 {
		wanted = format.GroupDigits(float64(len(v.Orders)-v.Left), 0)
	}
	switch {
	case v.Listed && (v.Left > 0 || v.More) && v.Read+v.Faults+v.Left >= len(v.Orders):
		return fmt.Sprintf("%s of %s orders loaded", read, of)
	case v.Listed && v.Read == len(v.Orders):
		return format.Count(v.Read, "order", "orders")
	default:
		return fmt.Sprintf("Loading orders, %s of %s…", read, wanted)
	}
}

// MissionFeatures returns the missions that have a position as map markers.
func MissionFeatures(missions []*cache.Mission) []geomap.Feature {
	features := make([]geomap.Feature, 0, len(missions))
	for _, m := range missions {
		if !m.Placed {
			continue
		}
		st := labels.MissionStatus(m.Status)
		features = append(features, geomap.Feature{
			ID: m.UUID, Label: m.MissionName, Geometry: orb.Point{m.Centre.Lng, m.Centre.Lat},
			Mark: []rune(st.Glyph)[0], Role: sitemap.FeatureRole(st.Role),
		})
	}
	return features
}

// RenderLine renders a mission in one line of at most w cells.
func RenderLine(th *theme.Theme, m *cache.Mission, now time.Time, w int) string {
	st := labels.MissionStatus(m.Status)
	line := " " + th.PaintRole(st.Role, st.Glyph+" "+m.MissionCode) + "  " + th.PaintText(m.MissionName) +
		th.PaintMuted("  "+st.Label+flightDay(m, now)+"  "+m.Order.OrderCode)
	if t, ok := m.TroubleAt(now); ok {
		line += "  " + th.PaintRole(columns.TroubleTone(t), "▲ "+t.Text)
	}
	return layout.CutLine(line, w)
}

func flightDay(m *cache.Mission, now time.Time) string {
	if m.FlightDate.IsZero() {
		return ""
	}
	return " " + format.MomentAt(m.FlightDate.Time, now, m.FlightZone())
}

// handleMission opens the order, timeline or data of a mission, and reports whether the
// action was one of these.
func handleMission(env *page.Env, m *cache.Mission, id action.ID) (cmd tea.Cmd, done bool) {
	switch id {
	case action.ShowOrder:
		return env.OpenOrder(m.Order), true
	case action.ShowTimeline:
		return env.OpenStory(timeline.StorySubject{Order: m.Order.OrderCode, Mission: m.UUID}, ""), true
	case action.ShowData:
		return env.Open(deliveries.NewOf(env, m.Order.OrderCode, m.UUID)), true
	}
	return nil, false
}
