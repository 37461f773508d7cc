package orders

import (
	"fmt"
	"net/http"
	"strings"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/page/quotes"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// orderDetail renders one order: head, stages, quotes, facts, missions and map. It is
// what is beside the list of orders, and the order's own page.
type orderDetail struct {
	*page.Env
	order    *api.Order
	record   *api.OrderRecord // with its quotes; nil if unknown
	missions *widget.Grid
	smap     *page.SiteMap
	state    cache.EntryState // of the order in full
	quoted   bool             // a separate pane shows the quotes
	shape    string           // what the map was fitted to
}

func newOrderDetail(env *page.Env) *orderDetail {
	specs := columns.ColumnSpecs(columns.MissionsBelow())
	return &orderDetail{
		Env:      env,
		smap:     page.NewSiteMap(),
		missions: widget.NewGrid(env.Now, specs...),
	}
}

// setOrder sets the order to show. Orders from a list have no missions; what is known
// of them from the list of all missions is shown if they cannot be loaded.
func (d *orderDetail) setOrder(o *api.Order) {
	if d.state.Err != nil {
		o = withKnownMissions(d.Env, o)
	}
	if d.order == o {
		return
	}
	d.order = o
	all, shape := o.Missions, fmt.Sprint(cache.OrderIdentity(o), len(o.Missions))
	d.missions.SetSource(widget.RowSource{
		Len:  len(all),
		ID:   func(i int) string { return all[i].UUID },
		Cell: columns.CellsOf(columns.MissionsBelow(), func(i int) *api.Mission { return &all[i] }),
		Look: func(i int) (mark widget.Cell, muted bool) {
			return mark, format.Status(all[i].Status).Role == theme.Muted
		},
		Stamp: func(i int) string { return columns.RowStamp(string(all[i].Status), all[i].FlightDate.Time) },
	})
	d.smap.SetFeatures(page.MissionFeatures(all))
	if len(all) > 0 {
		shape += fmt.Sprint(" ", len(all[0].LocationMap))
	}
	if d.shape != shape {
		d.shape = shape
		d.smap.FitAll()
	}
}

// renderBeside renders the order beside a list, and reports whether it has missions for
// the map.
func (d *orderDetail) renderBeside(w, h int) (lines []string, place bool) {
	lines = d.renderAbout(w, h)
	rest := h - len(lines) - 1
	rows := min(d.missions.Len()+1, max(3, rest/3))
	if len(d.order.Missions) == 0 || rest < rows {
		return lines, false
	}
	return append(append(lines, ""), format.SplitLines(d.missions.View(d.Theme, w, rows, false))...), true
}

// renderAbout renders what is known of the order besides its missions: head and stages,
// and in h lines what else has room, quotes before facts.
func (d *orderDetail) renderAbout(w, h int) []string {
	lines := page.JoinParts(d.renderHead(w), d.renderSteps(w))
	problem := d.renderProblem(w)
	h -= len(problem)
	if room := h - len(lines) - 1; d.record != nil && !d.quoted && room >= 3 {
		set := quoting.NewSet(d.record, d.Now())
		offers := quotes.RenderQuotes(d.Env, d.record, &set, "c", w, min(room, max(4, room/2)))
		lines = page.JoinParts(lines, offers)
	}
	facts := d.orderFacts()
	if d.record != nil && d.state.Err != nil && len(d.order.Missions) == 0 {
		facts = widget.Facts(columns.RecordFacts(d.record, d.Units))
	}
	if room := h - len(lines) - 1; room > 0 {
		lines = page.JoinParts(lines, d.fitFacts(facts, w, room))
	}
	return page.JoinParts(lines, problem)
}

// renderProblem says why the order could not be loaded, and what is shown all the same.
func (d *orderDetail) renderProblem(w int) []string {
	err, kept := d.state.Err, ""
	switch {
	case err == nil:
		return nil
	case len(d.order.Missions) > 0:
		read := d.state.ReadAt
		if read.IsZero() {
			read = d.Cache.Now().At // the missions come from the list of all missions
		}
		kept = "Showing data loaded " + format.Ago(read, d.Now())
	case d.record != nil && api.IsStatus(err, http.StatusNotFound, http.StatusForbidden):
		return d.Theme.PaintLines(
			theme.Muted,
			" ",
			"This order exists only in the v2 API, without missions.",
			w-2,
		)
	case d.record != nil:
		kept = "Showing the order in the v2 API"
	}
	return page.RenderProblem(d.Theme, err, kept, "r", w)
}

// renderHead renders the order's code, name and status.
func (d *orderDetail) renderHead(w int) []string {
	o := d.order
	head := page.DetailHead{
		Code:   o.OrderCode,
		Name:   o.OrderName,
		Status: format.OrderState(o.Status, d.QuotesOf(o.UUID)),
	}
	if !o.Deadline.IsZero() && head.Status.Role != theme.Muted && o.Status != api.OrderCompleted {
		head.Due = "due " + format.TimeUntil(o.Deadline.Time, d.Now())
	}
	if reason := columns.EndReason(o); reason != "" {
		head.Warnings = append(head.Warnings, widget.Fact{Value: "“" + reason + "”"})
	}
	return head.RenderLines(d.Theme, w)
}

// orderFacts returns the order's fields, most important first.
func (d *orderDetail) orderFacts() []widget.Fact {
	o, now, missions, length := d.order, d.Now(), len(d.order.Missions), 0.0
	if o.MissionCount != nil {
		missions = max(missions, *o.MissionCount)
	}
	for i := range o.Missions {
		length += columns.LineLength(&o.Missions[i])
	}
	var size []string
	if missions > 0 {
		size = append(size, format.Count(missions, "mission"))
	}
	if o.AreaSize != nil && *o.AreaSize > 0 {
		size = append(size, d.Units.Area(*o.AreaSize))
	}
	if length > 0 {
		size = append(size, format.Length(length))
	}
	return append(widget.Texts(
		"Period", formatDay(o.StartDate, now)+" → "+formatDay(o.Deadline, now),
		"Size", strings.Join(size, " · "),
		"Survey", format.Word(o.MissionObjective).Label+" · "+format.Word(o.IndustryAssetType).Label,
		"Sensors", format.WordList(o.Sensors),
		"Products", format.WordList(o.Deliverables),
		"Company", o.CompanyName,
		"Placed", formatDay(o.CreatedAt, now),
	), widget.Facts(columns.UnknownMembers(o.Extra))...)
}

const (
	factLabel    = 14 // width of field labels
	leastColumns = 72 // width from which fields have two columns
)

// fitFacts renders fields in at most h lines: wrapped, each in a line, or in two
// columns, whatever has room, ending with the number of fields left out.
func (d *orderDetail) fitFacts(facts []widget.Fact, w, h int) []string {
	lines := widget.WrapFacts(d.Theme, factLabel, w, facts...)
	if len(lines) > h {
		lines = widget.FactLines(d.Theme, factLabel, w, facts...)
	}
	left := len(lines) - h
	if left > 0 && w >= leastColumns {
		narrow := widget.FactLines(d.Theme, factLabel, w/2-1, facts...)
		lines = narrow[:(len(narrow)+1)/2]
		left = max(0, len(lines)-h) * 2
		for i, right := range narrow[len(lines):] {
			lines[i] = format.FitLeft(lines[i], w/2) + right
		}
	}
	if left > 0 {
		lines = lines[:h]
		lines[h-1] = format.FitEnds(
			lines[h-1],
			d.Theme.PaintMuted(format.BeyondView(0, left, false)+" "),
			w,
		)
	}
	return lines
}

// withKnownMissions returns the order with the missions known from the list of all
// missions, each at its centre, if it has none itself.
func withKnownMissions(env *page.Env, o *api.Order) *api.Order {
	if len(o.Missions) > 0 || env.Cache == nil {
		return o
	}
	whole := *o
	for _, m := range env.Cache.Now().Missions {
		if m.Order.UUID == o.UUID {
			whole.Missions = append(whole.Missions, m.Located())
		}
	}
	if len(whole.Missions) == 0 {
		return o
	}
	return &whole
}
