package missions

import (
	"fmt"
	"time"

	"github.com/paulmach/orb"

	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/sitemap"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/geomap"
)

// Progress says how much of the fleet is read, and how old that is.
func Progress(v *cache.View, now time.Time) string {
	if v.At.IsZero() && len(v.Orders) == 0 {
		if v.Err != nil {
			return ""
		}
		return "Loading orders…"
	}
	if v.Kept {
		return page.AsOf(v.At, now, v.Err == nil)
	}
	text := extent(v)
	if v.At.IsZero() {
		return text
	}
	return text + " · refreshed " + format.Ago(v.At, now)
}

// extent says how many orders have their missions read, and of how many.
func extent(v *cache.View) string {
	of := format.Group(float64(len(v.Orders)), 0)
	if !v.Listed || v.More {
		of += "+"
	}
	read, wanted := format.Group(float64(v.Read), 0), of
	if v.Listed && v.Left > 0 {
		wanted = format.Group(float64(len(v.Orders)-v.Left), 0)
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

// Features are missions as points on a map.
func Features(missions []*cache.Mission) []geomap.Feature {
	features := make([]geomap.Feature, 0, len(missions))
	for _, m := range missions {
		if !m.Placed {
			continue
		}
		st := labels.MissionStatus(m.Status)
		features = append(features, geomap.Feature{
			ID: m.UUID, Label: m.MissionName, Geometry: orb.Point{m.Centre.Lng, m.Centre.Lat},
			Mark: []rune(st.Glyph)[0], Role: sitemap.Role(st.Role),
		})
	}
	return features
}

// Line is a mission in a line of text.
func Line(th *theme.Theme, m *cache.Mission, now time.Time, w int) string {
	st := labels.MissionStatus(m.Status)
	line := " " + layout.Text(th.Style(st.Role), st.Glyph+" "+m.MissionCode) + "  " + layout.Text(th.Style(theme.Text), m.MissionName) +
		layout.Text(th.Style(theme.Muted), "  "+st.Label+when(m, now)+"  "+m.Order.OrderCode)
	if t, ok := m.Trouble(now); ok {
		line += "  " + layout.Text(th.Style(columns.TroubleTone(t)), "▲ "+t.Text)
	}
	return layout.Cut(line, w)
}

func when(m *cache.Mission, now time.Time) string {
	if m.FlightDate.IsZero() {
		return ""
	}
	return " " + format.MomentAt(m.FlightDate.Time, now, m.Zone())
}
