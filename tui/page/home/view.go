package home

import (
	"maps"
	"slices"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/detail"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/page/missions"
	"flightdesk/tui/widget"
)

// View draws the groups, and from 120 columns on the map and the missions by
// status beside them; a narrow window shows the map in their place while it is
// in focus.
func (d *Page) View(w, h int) string {
	if h != d.height {
		d.height = h
		d.rebuildGroups()
	}
	d.rebuildEachMinute()
	d.HideMap()
	v, th := d.known, d.Theme
	switch {
	case len(v.Orders) == 0 && v.Err != nil:
		return layout.FitBox(page.RenderProblem(th, v.Err, "", "r", w), w, h)
	case len(v.Orders) == 0 && v.Listed && len(d.kept) == 0:
		return layout.FitBox(d.renderEmpty(), w, h)
	case len(v.Orders) == 0 && !v.Listed:
		var lines []string
		for _, title := range []string{"Needs a decision", "Flights", "Changes", "Data delivered"} {
			loading := detail.Section{Title: title, Unread: true}
			lines = detail.JoinParts(lines, loading.RenderLines(th, w))
		}
		return layout.FitBox(lines, w, h)
	}
	return d.DrawPage(w*58/100, w, h)
}

// renderSide draws the map with the missions by status below it, those of statuses that
// are not known last.
func (d *Page) renderSide(w, h int) string {
	th, n, placed := d.Theme, map[api.MissionStatus]int{}, 0
	for _, m := range d.known.Missions {
		if n[m.Status]++; m.Centre != nil {
			placed++
		}
	}
	odd := slices.DeleteFunc(slices.Sorted(maps.Keys(n)), func(s api.MissionStatus) bool {
		return slices.Contains(api.MissionStatuses(), s)
	})
	most := 1
	for _, count := range n {
		most = max(most, count)
	}
	var chart []widget.Bar
	for _, s := range append(api.MissionStatuses(), odd...) {
		st, text := labels.Status(s), format.GroupInt(n[s])
		share := float64(n[s]) / float64(most)
		chart = append(
			chart,
			widget.Bar{Label: st.Glyph + " " + st.Label, Text: text, Share: share, Role: st.Role},
		)
	}
	of := format.GroupInt(placed) + " of " + format.GroupInt(len(d.known.Missions))
	head := layout.FitEnds(" "+th.PaintTitle("Missions by status"), th.PaintMuted(of+" on the map "), w)
	smap := d.DrawMap(1, 1, w, max(3, h-len(chart)-2))
	lines := append([]string{head}, layout.SplitLines(smap+"\n")...)
	return layout.FitBox(append(lines, widget.DrawBars(th, chart, w-1)...), w, h)
}

// renderGroups draws the groups, below what could not be read.
func (d *Page) renderGroups(w, h int) string {
	v := d.known
	err, kept := v.Err, "Showing "+format.Count(
		len(v.Orders),
		"order")+", loaded "+format.Ago(
		v.At,
		d.Now(),
	)
	if err == nil && v.Fault != nil {
		err, kept = v.Fault, "Missions of "+format.Count(v.Faults, "order is", "orders are")+" missing"
	}
	var head []string
	if err != nil {
		head = append(page.RenderProblem(d.Theme, err, kept, "r", w), "")
	}
	d.list.Blurred = d.Map.Focused
	if d.Width >= listpage.Wider && h >= tall {
		head = append(append(d.renderWeek(w), ""), head...)
	}
	return d.list.View(d.Theme, w, h, head...)
}

// renderWeek renders what the next days bring.
func (d *Page) renderWeek(w int) []string {
	var expire []time.Time
	q := d.Cache.Quotes()
	for _, s := range quoting.StandingsOf(&q, d.Now()) {
		if !s.HasExpired() && !s.Expires.IsZero() {
			expire = append(expire, s.Expires)
		}
	}
	return missions.RenderWeek(d.Env, d.known.Missions, expire, w-1, weekHeight)
}

const (
	// tall is the height from which on the week stands above the groups.
	tall       = 40
	weekHeight = 6
)

func (d *Page) renderEmpty() []string {
	th := d.Theme
	return []string{
		"", th.PaintText(" No orders yet. Press n to create one."), "",
		" " + th.PaintHint("n", "new order from a survey file"),
		th.PaintMuted(" Quotes, flights and data then appear here, most urgent first."),
	}
}
