package orders

import (
	"strings"
	"time"

	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/kmlcsv"
	"flightdesk/tui/cells"
	"flightdesk/tui/fleet"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/page/sitemap"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/geomap"
	"flightdesk/tui/widget/table"
	"flightdesk/tui/widget/timeline"
	"flightdesk/tui/words"
)

// detail draws one order: facts, missions and map.
type detail struct {
	*page.Env
	order *api.Order
	table table.Table
	smap  *sitemap.Map
	err   error // why there is no more than the list tells
	above int   // lines above the map in the last view beside a list, -1 for no map
}

func newDetail(env *page.Env) *detail {
	d := &detail{Env: env, smap: sitemap.New()}
	d.table.Columns = []table.Column{
		{Title: "Mission", Width: 10},
		{Title: "Name", Width: 10, Fill: 1},
		{Title: "Status", Width: 17},
		{Title: "Size", Width: 10, Right: true, Drop: 1},
		{Title: "Flight", Width: 11, Right: true, Drop: 2},
		{Title: "Operator", Width: 14, Drop: 3},
		{Title: "Place", Width: 20, Drop: 4},
	}
	d.set(nil)
	return d
}

// set shows an order; of one from a list the missions are not known.
func (d *detail) set(o *api.Order) {
	changed := o == nil || d.order == nil || d.order.UUID != o.UUID || len(d.order.Missions) != len(o.Missions) ||
		len(o.Missions) > 0 && len(d.order.Missions[0].LocationMap) != len(o.Missions[0].LocationMap)
	d.order = o
	var missions []api.Mission
	if o != nil {
		missions = o.Missions
	}
	d.table.SetRows(len(missions), func(i int) string { return missions[i].UUID }, func(i int) table.Row {
		return d.row(&missions[i])
	})
	features := make([]geomap.Feature, len(missions))
	for i := range missions {
		features[i] = feature(&missions[i])
	}
	d.smap.SetFeatures(features)
	if changed {
		d.smap.FitAll()
	}
}

func feature(m *api.Mission) geomap.Feature {
	st := words.MissionStatus(m.Status)
	return geomap.Feature{
		ID: m.UUID, Label: m.MissionName, Geometry: sitemap.Geometry(m.MissionType, m.LocationMap),
		Mark: []rune(st.Glyph)[0], Role: sitemap.Role(st.Role),
	}
}

func (d *detail) row(m *api.Mission) table.Row {
	st := words.MissionStatus(m.Status)
	size, operator, city := format.None, format.None, ""
	if m.AreaSize != nil && *m.AreaSize > 0 {
		size = format.Area(*m.AreaSize)
	} else if length := lineLength(m); length > 0 {
		size = format.Length(length)
	}
	if m.OperatorName != nil {
		operator = *m.OperatorName
	}
	if m.City != nil && *m.City != "" {
		city = *m.City + ", "
	}
	return table.Row{Muted: st.Role == theme.Muted, Cells: []table.Cell{
		{Text: m.MissionCode},
		{Text: m.MissionName},
		{Text: st.Glyph + " " + st.Word, Role: st.Role},
		{Text: size},
		{Text: flightDay(m, d.Now())},
		{Text: operator},
		{Text: city + m.Country},
	}}
}

// view draws the order into a pane beside the list.
func (d *detail) view(w, h int) string {
	d.above = -1
	if d.order == nil {
		return cells.Box(nil, w, h)
	}
	lines := append(d.head(w), "")
	lines = append(lines, d.timeline(w)...)
	lines = append(append(lines, ""), d.facts(w)...)
	if len(d.order.Missions) == 0 && d.err != nil {
		lines = append(append(lines, ""), page.Problem(d.Theme, d.err, "what the list tells", "r", w)...)
	}
	if len(d.order.Missions) == 0 {
		return cells.Box(lines, w, h)
	}
	rest := h - len(lines) - 1
	rows := max(2, min(d.table.Len()+1, rest/3))
	if rest < rows {
		return cells.Box(lines, w, h)
	}
	top := cells.Box(append(lines, ""), w, len(lines)+1)
	box := top + "\n" + d.table.View(d.Theme, w, rows, false)
	if rest > rows {
		d.above = h - rest + rows
		box += "\n" + d.smap.View(d.Theme, w, rest-rows)
	}
	return cells.Box(cells.Lines(box), w, h)
}

// head is the order's code, name and status.
func (d *detail) head(w int) []string {
	o, th := d.order, d.Theme
	st := words.OrderState(o.Status, d.Quoted(o.UUID))
	status := " " + cells.Text(th.Style(st.Role), st.Glyph+" "+st.Word)
	if !o.Deadline.IsZero() && st.Role != theme.Muted && o.Status != api.OrderCompleted {
		status += cells.Text(th.Style(theme.Muted), " · due "+format.Until(o.Deadline.Time, d.Now()))
	}
	if means := cells.Text(th.Style(theme.Muted), " · "+st.Means); cells.Width(status)+cells.Width(means) < w {
		status += means // the word says it, too
	}
	reason := ""
	for _, r := range []*string{o.RejectionReason, o.ArchiveReason} {
		if r != nil && *r != "" {
			reason = *r
		}
	}
	lines := []string{
		cells.Cut(" "+cells.Text(th.Style(theme.Accent), o.OrderCode)+"  "+cells.Text(th.Title, o.OrderName), w-1),
		cells.Cut(status, w),
	}
	if reason != "" {
		lines = append(lines, cells.Cut(" "+cells.Text(th.Style(theme.Text), "“"+reason+"”"), w))
	}
	return lines
}

// stages are an order's way, and how far each status has come on it.
var stages = []string{"placed", "accepted", "operator", "flight", "done"}

var reached = map[api.OrderStatus]int{
	api.OrderBiddingWithQuote: 0, api.OrderPendingOperator: 1, api.OrderOperatorAssigned: 2,
	api.OrderFlyingDateSet: 3, api.OrderCompleted: 4,
}

// steps are the way from placed to done with the days that are known; an order
// that has left it, or whose status is not known, has none.
func (d *detail) steps() []timeline.Step {
	at, known := reached[d.order.Status]
	if !known {
		return nil
	}
	steps := make([]timeline.Step, len(stages))
	for i, name := range stages {
		steps[i].Name = name
		switch {
		case i < at, at == len(stages)-1:
			steps[i].State = timeline.Done
		case i == at:
			steps[i].State, steps[i].Role = timeline.Current, words.OrderStatus(d.order.Status).Role
		}
	}
	now := d.Now()
	steps[0].When = day(d.order.CreatedAt, now)
	if last := d.lastFlight(); at >= 3 && last != nil {
		steps[3].When = flightDay(last, now)
	}
	return steps
}

// lastFlight is the mission that flies last, as far as it is planned, nil for
// none.
func (d *detail) lastFlight() (last *api.Mission) {
	for i := range d.order.Missions {
		m := &d.order.Missions[i]
		if !m.FlightDate.IsZero() && (last == nil || m.FlightDate.After(last.FlightDate.Time)) {
			last = m
		}
	}
	return last
}

// flightDay is the day of a mission's flight, by the clock that it is told by.
func flightDay(m *api.Mission, now time.Time) string {
	if zone := fleet.ZoneOf(m); zone != nil {
		now = now.In(zone)
	}
	return day(m.FlightDate, now)
}

// timeline draws the steps.
func (d *detail) timeline(w int) []string {
	steps := d.steps()
	if steps == nil {
		return nil
	}
	return cells.Lines(timeline.View(d.Theme, steps, w, timeline.Height(steps, w)))
}

// length is that of the order's lines, in metres.
func (d *detail) length() (sum float64) {
	for i := range d.order.Missions {
		sum += lineLength(&d.order.Missions[i])
	}
	return sum
}

// lineLength is a linear mission's length in metres, 0 of any other.
func lineLength(m *api.Mission) float64 {
	if line, ok := sitemap.Geometry(m.MissionType, m.LocationMap).(orb.LineString); ok && m.MissionType == api.MissionLinear {
		return kmlcsv.LengthOf(line)
	}
	return 0
}

// facts are the order's fields, label and value, the most telling first.
func (d *detail) facts(w int) []string {
	o, now := d.order, d.Now()
	area := format.None
	if o.AreaSize != nil && *o.AreaSize > 0 {
		area = format.Area(*o.AreaSize)
	}
	size := []string{}
	switch {
	case len(o.Missions) > 0:
		size = append(size, format.Count(len(o.Missions), "mission", "missions"))
	case o.MissionCount != nil:
		size = append(size, format.Count(*o.MissionCount, "mission", "missions"))
	}
	if area != format.None {
		size = append(size, area)
	}
	if length := d.length(); length > 0 {
		size = append(size, format.Length(length))
	}
	facts := [][2]string{
		{"Time", day(o.StartDate, now) + " → " + day(o.Deadline, now)},
		{"Size", strings.Join(size, " · ")},
		{"Survey", words.Objective(o.MissionObjective).Label + " · " + words.AssetType(o.IndustryAssetType).Label},
		{"Sensors", words.List(o.Sensors, words.Sensor)},
		{"Deliverables", words.List(o.Deliverables, words.Deliverable)},
		{"Company", o.CompanyName},
		{"Placed", day(o.CreatedAt, now)},
	}
	lines := make([]string, len(facts))
	for i, f := range facts {
		value := f[1]
		if value == "" {
			value = format.None
		}
		lines[i] = cells.Cut(" "+cells.Text(d.Theme.Style(theme.Muted), cells.Left(f[0], 14))+
			cells.Text(d.Theme.Style(theme.Text), cells.Cut(cells.Clean(value), w-16)), w)
	}
	return lines
}
