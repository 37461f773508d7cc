package home

import (
	"fmt"

	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
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
		return layout.FitBox(d.renderLoading(w), w, h)
	}
	return d.DrawPage(w*58/100, w, h)
}

// renderSide draws the map with the missions by status below it.
func (d *Page) renderSide(w, h int) string {
	th, v := d.Theme, d.known
	statuses, n := countStatuses(v)
	chart := widget.Chart{}
	for _, s := range statuses {
		st := labels.MissionStatus(s)
		value := float64(n[s])
		if n[s] == 0 {
			value = -1
		}
		chart.Bars = append(
			chart.Bars,
			widget.Bar{
				Label: st.Glyph + " " + st.Label,
				Text:  format.GroupDigits(float64(n[s]), 0),
				Value: value,
				Role:  st.Role,
			},
		)
	}
	placed := 0
	for _, m := range v.Missions {
		if m.Placed {
			placed++
		}
	}
	head := layout.FitEnds(
		" "+th.PaintTitle("Missions by status"),
		th.PaintMuted(
			fmt.Sprintf(
				"%s of %s on the map",
				format.GroupDigits(float64(placed), 0),
				format.GroupDigits(float64(len(v.Missions)), 0),
			),
		)+" ",
		w,
	)
	bars := len(chart.Bars)
	mapRows := max(3, h-bars-2)
	box := head + "\n" + d.DrawMap(
		1,
		1,
		w,
		mapRows,
	) + "\n" + layout.BlankCells(
		w,
	) + "\n" + layout.FitBox(
		layout.SplitLines(chart.View(th, w-1, bars)),
		w,
		bars,
	)
	return layout.FitBox(layout.SplitLines(box), w, h)
}

// renderGroups draws the groups, below what could not be read.
func (d *Page) renderGroups(w, h int) string {
	th, v := d.Theme, d.known
	var head []string
	if v.Err != nil {
		head = append(page.RenderProblem(th, v.Err, d.dataAge(), "r", w), "")
	} else if v.Fault != nil {
		head = append(
			page.RenderProblem(
				th,
				v.Fault,
				"Missions of "+format.Count(v.Faults, "order is", "orders are")+" missing",
				"r",
				w,
			),
			"",
		)
	}
	d.list.Blurred = d.Map.Focused
	return d.list.View(th, w, h, head...)
}

func (d *Page) renderEmpty() []string {
	th := d.Theme
	return []string{
		"", th.PaintText(" No orders yet. Press n to create one."), "",
		" " + th.PaintHint("n", "new order from a survey file"),
		th.PaintMuted(" Quotes, flights and data then appear here, most urgent first."),
	}
}

// renderLoading keeps the shape that the page will have.
func (d *Page) renderLoading(w int) []string {
	th := d.Theme
	var lines []string
	for _, title := range []string{"Needs a decision", "Flights", "Changes", "Data delivered"} {
		lines = append(lines, " "+th.PaintTitle(title))
		for range 2 {
			lines = append(lines, layout.CutLine(th.PaintMuted("   ░ ░░░░░░░░░░  ░░░░░░░░░░░░░░░░░░  ░░░░░░░"), w))
		}
		lines = append(lines, "")
	}
	return lines
}
