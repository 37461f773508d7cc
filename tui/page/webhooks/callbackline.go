package webhooks

import (
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
)

// callbackLine is a line about a callback, with the text of each column.
type callbackLine struct {
	at                                     time.Time
	glyph, created, result, event, mission string
	endpoint                               string // "" if all lines are about callbacks to the same endpoint
	role                                   theme.Role
}

// lineAbout returns the line about a callback in the log of an endpoint. The line does not name the endpoint.
func (et *endpointTracker) lineAbout(row *api.WebhookDelivery) callbackLine {
	c := et.loggedCallback(row)
	_, glyph, role := timeline.DeliveryOutcome(row)
	return callbackLine{
		at:      c.CreatedAt.Time,
		glyph:   glyph,
		role:    role,
		created: format.ShortMoment(c.CreatedAt.Time, et.Env.Clock.Now()),
		result:  timeline.ShortOutcome(row),
		event:   format.Word(c.Event).Label,
		mission: c.MissionCode,
	}
}

// callbackWidths has the widths of the columns of callbacks. A column with the width 0 is left out.
type callbackWidths struct{ created, result, event, endpoint, mission int }

// maxEndpointName is the maximum width of an endpoint's name in the line of a callback.
const maxEndpointName = 30

// measureCallbacks returns the width of the longest text in each column.
func measureCallbacks(callbacks []callbackLine) callbackWidths {
	var widths callbackWidths
	for i := range callbacks {
		c := &callbacks[i]
		widths.created = max(widths.created, format.Width(c.created))
		widths.result = max(widths.result, format.Width(format.Clean(c.result)))
		widths.event = max(widths.event, format.Width(format.Clean(c.event)))
		widths.endpoint = max(widths.endpoint, format.Width(format.Clean(c.endpoint)))
		widths.mission = max(widths.mission, format.Width(format.Clean(c.mission)))
	}
	widths.endpoint = min(widths.endpoint, maxEndpointName)
	return widths
}

// isWithin reports whether a line with these columns fits into w cells.
func (n callbackWidths) isWithin(w int) bool {
	const mark = 3 // the glyph between two blank cells
	total := mark + n.created
	for _, width := range []int{n.result, n.event, n.endpoint, n.mission} {
		if width > 0 {
			total += len("  ") + width
		}
	}
	return total <= w
}

// fitting returns the widths of the columns that fit into w cells. It never leaves out the time, the result and
// the endpoint. If there is no room for both the event and the mission, it leaves out one of them, or both.
func (n callbackWidths) fitting(w int) callbackWidths {
	withoutMission := n
	withoutMission.mission = 0
	withoutEvent := n
	withoutEvent.event = 0
	for _, widths := range []callbackWidths{n, withoutMission, withoutEvent} {
		if widths.isWithin(w) {
			return widths
		}
	}
	withoutMission.event = 0
	return withoutMission
}

// render renders a line about the callback.
func (c *callbackLine) render(th *theme.Theme, widths callbackWidths) string {
	line := " " + th.PaintRole(c.role, c.glyph) + " " +
		th.PaintMuted(format.FitRight(c.created, widths.created))
	if widths.result > 0 {
		line += "  " + th.PaintText(format.FitLeft(format.Clean(c.result), widths.result))
	}
	if widths.event > 0 {
		line += "  " + th.PaintText(format.FitLeft(format.Clean(c.event), widths.event))
	}
	if widths.endpoint > 0 {
		line += "  " + th.PaintText(format.FitLeft(format.Clean(c.endpoint), widths.endpoint))
	}
	if widths.mission > 0 {
		line += "  " + th.PaintText(format.FitLeft(format.Clean(c.mission), widths.mission))
	}
	return line
}

// renderCallbacks renders a line of at most w cells about each callback.
func (et *endpointTracker) renderCallbacks(callbacks []callbackLine, w int) []string {
	widths := measureCallbacks(callbacks).fitting(w)
	lines := make([]string, len(callbacks))
	for i := range callbacks {
		lines[i] = format.CutLine(callbacks[i].render(et.Env.Look.Theme, widths), w)
	}
	return lines
}
