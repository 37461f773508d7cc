package orders

import (
	"cmp"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/kmlcsv"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/quotes"
	"flightdesk/tui/page/sitemap"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/table"
)

// orderDetail renders one order: facts, missions and map.
type orderDetail struct {
	*page.Env
	order  *api.Order
	record *api.OrderRecord     // with its quotes; nil if unknown
	moved  map[string]time.Time // when missions changed while shown
	table  table.Table
	smap   *sitemap.SiteMap
	err    error // why only the data of the list is shown
	quoted bool  // a separate pane shows the quotes
}

func newOrderDetail(env *page.Env) *orderDetail {
	d := &orderDetail{Env: env, smap: sitemap.New()}
	d.table.Columns = []table.Column{
		{Title: "Mission", Width: 10},
		{Title: "Name", Width: 10, Fill: 1},
		{Title: "Status", Width: 19},
		{Title: "Size", Width: 10, Right: true, Drop: 1},
		{Title: "Flight", Width: 11, Right: true, Drop: 2},
		{Title: "Operator", Width: 14, Drop: 3},
		{Title: "Place", Width: 20, Drop: 4},
	}
	d.setOrder(nil)
	return d
}

// setOrder sets the order to show. Orders from a list have no missions.
func (d *orderDetail) setOrder(o *api.Order) {
	changed := o == nil || d.order == nil || d.order.UUID != o.UUID || len(d.order.Missions) != len(o.Missions) ||
		len(o.Missions) > 0 && len(d.order.Missions[0].LocationMap) != len(o.Missions[0].LocationMap)
	d.markChanged(o)
	d.order = o
	var missions []api.Mission
	if o != nil {
		missions = o.Missions
	}
	d.table.SetRows(len(missions), func(i int) string { return missions[i].UUID }, func(i int) table.Row {
		return d.missionRow(&missions[i])
	})
	d.smap.SetFeatures(sitemap.MissionFeatures(missions))
	if changed {
		d.smap.FitAll()
	}
}

// changedFor is how long a changed mission stays marked.
const changedFor = time.Minute

// markChanged notes which missions have changed since the order was last set.
func (d *orderDetail) markChanged(o *api.Order) {
	if o == nil || d.order == nil || cache.OrderIdentity(o) != cache.OrderIdentity(d.order) {
		d.moved = nil
		return
	}
	was := map[string]*api.Mission{}
	for i := range d.order.Missions {
		was[d.order.Missions[i].UUID] = &d.order.Missions[i]
	}
	moved := map[string]time.Time{}
	for i := range o.Missions {
		m := &o.Missions[i]
		if old := was[m.UUID]; old != nil && (old.Status != m.Status || !old.FlightDate.Equal(m.FlightDate.Time)) {
			moved[m.UUID] = d.Now()
		} else if at, ok := d.moved[m.UUID]; ok {
			moved[m.UUID] = at
		}
	}
	d.moved = moved
}

func (d *orderDetail) missionRow(m *api.Mission) table.Row {
	st := labels.MissionStatus(m.Status)
	size, operator, city := cmp.Or(columns.UnreadMember(m.Extra, "areaSize"), format.None), format.None, ""
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
	var mark table.Cell
	if at, ok := d.moved[m.UUID]; ok && d.Now().Sub(at) < changedFor {
		mark = table.Cell{Text: "┃", Role: theme.Accent}
	}
	return table.Row{Mark: mark, Muted: st.Role == theme.Muted, Cells: []table.Cell{
		{Text: m.MissionCode},
		{Text: m.MissionName},
		{Text: st.Glyph + " " + st.Label, Role: st.Role},
		{Text: size},
		{Text: flightDay(m, d.Now())},
		{Text: operator},
		{Text: city + m.Country},
	}}
}

// renderLines renders the order beside a list, and reports whether it has missions for
// the map.
func (d *orderDetail) renderLines(w, h int) (lines []string, place bool) {
	lines = append(d.renderHead(w), "")
	lines = append(lines, d.renderTimeline(w)...)
	facts := widget.WrapFacts
	if h < leastWrapped {
		facts = widget.FactLines
	}
	lines = append(append(lines, ""), facts(d.Theme, factLabel, w, d.orderFacts(d.offerText())...)...)
	if len(d.order.Missions) == 0 && d.err != nil {
		lines = append(append(lines, ""), page.RenderProblem(d.Theme, d.err, "Showing the list's data", "r", w)...)
	}
	rest := h - len(lines) - 1
	rows := max(2, min(d.table.Len()+1, rest/3))
	if len(d.order.Missions) == 0 || rest < rows {
		return lines, false
	}
	return append(append(lines, ""), layout.SplitLines(d.table.View(d.Theme, w, rows, false))...), true
}

// offerText returns a summary of the order's quotes, "" if they have a separate pane.
func (d *orderDetail) offerText() string {
	if d.quoted {
		return ""
	}
	return quotes.OfferText(d.record, d.Now())
}

// leastWrapped is the height from which long fields wrap onto further lines.
const leastWrapped = 24

// factLabel is the width of field labels.
const factLabel = 14

// renderHead renders the order's code, name and status.
func (d *orderDetail) renderHead(w int) []string {
	o, th := d.order, d.Theme
	st := labels.OrderState(o.Status, d.QuotesOf(o.UUID))
	status := " " + th.PaintRole(st.Role, st.Glyph+" "+st.Label)
	if !o.Deadline.IsZero() && st.Role != theme.Muted && o.Status != api.OrderCompleted {
		status += th.PaintMuted(" · due " + format.TimeUntil(o.Deadline.Time, d.Now()))
	}
	if means := th.PaintMuted(" · " + st.Description + " · " + st.Wire); layout.Width(status)+layout.Width(means) < w {
		status += means // the label already says it
	}
	reason := ""
	for _, r := range []*string{o.RejectionReason, o.ArchiveReason} {
		if r != nil && *r != "" {
			reason = *r
		}
	}
	lines := []string{
		layout.CutLine(" "+th.PaintRole(theme.Accent, o.OrderCode)+"  "+th.PaintTitle(o.OrderName), w-1),
		layout.CutLine(status, w),
	}
	if o.Status == api.OrderBiddingWithQuote && d.QuotesOf(o.UUID) == labels.QuotesExpired {
		lines = append(lines, th.PaintLines(theme.Attention, " ", quoting.AllExpired, w-2)...)
	}
	if reason != "" {
		lines = append(lines, layout.CutLine(" "+th.PaintText("“"+reason+"”"), w))
	}
	return lines
}

// lineLength returns the total length of the order's linear missions in metres.
func (d *orderDetail) lineLength() (sum float64) {
	for i := range d.order.Missions {
		sum += lineLength(&d.order.Missions[i])
	}
	return sum
}

// lineLength returns a linear mission's length in metres, 0 for any other type.
func lineLength(m *api.Mission) float64 {
	if line, ok := sitemap.MissionGeometry(m.MissionType, m.LocationMap).(orb.LineString); ok &&
		m.MissionType == api.MissionLinear {
		return kmlcsv.LengthOf(line)
	}
	return 0
}

// orderFacts returns the order's fields, most important first. A non-empty offer
// summarises its quotes.
func (d *orderDetail) orderFacts(offer string) []widget.Fact {
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
	if length := d.lineLength(); length > 0 {
		size = append(size, format.Length(length))
	}
	facts := []widget.Fact{
		widget.Text("Period", formatDay(o.StartDate, now)+" → "+formatDay(o.Deadline, now)),
		widget.Text("Size", strings.Join(size, " · ")),
	}
	if offer != "" {
		facts = append(facts, widget.Text("Quotes", offer))
	}
	facts = append(
		facts,
		widget.Text(
			"Survey",
			labels.ObjectiveWord(o.MissionObjective).Label+" · "+labels.AssetType(o.IndustryAssetType).Label,
		),
		widget.Text("Sensors", labels.WordList(o.Sensors, labels.SensorWord)),
		widget.Text("Deliverables", labels.WordList(o.Deliverables, labels.DeliverableWord)),
		widget.Text("Company", o.CompanyName),
		widget.Text("Placed", formatDay(o.CreatedAt, now)),
	)
	return append(facts, widget.Facts(columns.UnknownMembers(o.Extra))...)
}

// renderFitted renders the fields in at most h lines: in two columns if one is too
// long, ending with the number of fields left out.
func (d *orderDetail) renderFitted(w, h int) []string {
	facts := d.orderFacts("")
	lines := widget.FactLines(d.Theme, factLabel, w, facts...)
	left := len(lines) - h
	if left > 0 && w >= leastColumns {
		narrow := widget.FactLines(d.Theme, factLabel, w/2-1, facts...)
		rows := (len(narrow) + 1) / 2
		lines, left = narrow[:rows], 0
		for i, right := range narrow[rows:] {
			lines[i] = layout.FitLeft(lines[i], w/2) + right
		}
		if rows > h {
			left = len(narrow) - h - min(h, len(narrow)-rows)
		}
	}
	if left > 0 {
		lines = lines[:h]
		lines[h-1] = layout.FitEnds(lines[h-1], d.Theme.PaintMuted(format.BeyondView(0, left, false)+" "), w)
	}
	return lines
}

// leastColumns is the width from which fields have two columns.
const leastColumns = 72

// formatDay formats a time as a day; times that could not be parsed stay raw.
func formatDay(t api.Time, now time.Time) string {
	if t.IsZero() && t.Raw != "" {
		return t.Raw
	}
	return format.ShortDay(t.Time, now)
}

func copyCode(env *page.Env, o *api.Order) tea.Cmd {
	return page.CopyText(&env.FileAccess, layout.Clean(o.OrderCode), o.OrderCode)
}
