package orders

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/page/quotes"
	"flightdesk/tui/theme"
)

const (
	window = 8  // days of flights, today among them
	asked  = 20 // missions whose packages are read
)

// buildGroups makes the groups of what is known.
func (d *HomePage) buildGroups(v *cache.CacheView) []itemGroup {
	now := d.Env.Clock.Now()
	groups := []itemGroup{
		d.decisionGroup(now),
		d.troubledGroup(v, now),
		d.flightGroup(v, now),
		d.changedGroup(v, now),
		d.deliveryGroup(v, now),
		d.draftGroup(now),
	}
	for i, g := range groups {
		if n := len(g.Items); g.Note == "" && n > 0 {
			groups[i].Note = format.GroupInt(n)
		}
	}
	return page.FitGroups(groups, []int{6, 5, 7, 6, 5, 5}, d.height)
}

// decisionGroup returns the orders with open quotes, soonest expiry first, what is known
// of them, and how old that is.
func (d *HomePage) decisionGroup(now time.Time) itemGroup {
	q := d.Env.Profile.Cache.Quotes()
	standings, expired := quoting.StandingsOf(&q, now), 0
	g := itemGroup{Title: "Needs a decision", None: "No open quotes."}
	g.All = func() tea.Cmd { return d.Env.Nav.Go(action.GoQuotes, "") }
	for _, s := range standings {
		x := groupItem{
			ID: "quotes of " + s.ID, Glyph: "◆", Role: theme.Attention,
			Code: quoting.OrderName(s.OrderRecord), Text: s.OrderName,
			Open: func() tea.Cmd { return d.Env.Nav.Open(quotes.NewCompare(d.Env, s.ID, s.OrderRecord)) },
		}
		if n := len(s.Choices()); n > 0 {
			x.Right = format.Count(n, "quote")
		}
		switch {
		case s.HasExpired():
			expired++
			x.Glyph, x.Right, x.Role = "◇", "quotes expired", theme.Muted
		case !s.Expires.IsZero():
			x.Right += "  " + format.TimeLeft(s.Expires, now, false)
			x.Loud = quotes.UrgencyRole(api.TimeOf(s.Expires), now)
		}
		g.Items = append(g.Items, x)
	}
	var notes []string
	note := func(is bool, text string) {
		if is {
			notes = append(notes, text)
		}
	}
	fault := q.ReadFault()
	switch {
	case fault != nil:
		what, _ := format.ExplainError(fault)
		g.None = "Quotes: " + what
	case q.At.IsZero():
		g.None = "Loading quotes…"
	default:
		note(len(q.Listed) > expired, format.GroupInt(len(q.Listed)-expired)+" to decide")
		note(len(q.Full) < len(q.Listed), fmt.Sprintf("quotes of %d loaded", len(q.Full)))
	}
	note(q.Kept || fault != nil && len(q.Listed) > 0, page.AsOf(q.At, now, fault == nil))
	note(expired > 0, fmt.Sprintf("%d with expired quotes", expired))
	g.Note = strings.Join(notes, ", ")
	if !q.At.IsZero() {
		quotes.ShowQuoted(d.Env, standings)
	}
	return g
}

// missionItems returns the lines of the missions that are to be told of, the newest first
// or, without a time, in their order.
func (d *HomePage) missionItems(
	kind string, v *cache.CacheView, tell func(m *cache.Mission, x *groupItem) bool,
) []groupItem {
	var items []groupItem
	for _, m := range v.Missions {
		if x := d.missionItem(kind, m); tell(m, &x) {
			items = append(items, x)
		}
	}
	return newestFirst(items)
}

// missionItem returns the line of a mission.
func (d *HomePage) missionItem(kind string, m *cache.Mission) groupItem {
	st := format.Status(m.Status)
	return groupItem{
		ID:      kind + m.UUID,
		Glyph:   st.Glyph,
		Role:    st.Role,
		Code:    m.MissionCode,
		Text:    m.MissionName,
		Mission: m.UUID,
		Open:    func() tea.Cmd { return d.Env.Nav.Open(NewMission(d.Env, m)) },
	}
}

func newestFirst(items []groupItem) []groupItem {
	sort.SliceStable(items, func(i, j int) bool { return items[i].At.After(items[j].At) })
	return items
}

// showMissions returns the way to the missions that match a filter.
func (d *HomePage) showMissions(filter string) func() tea.Cmd {
	return func() tea.Cmd { return d.Env.Nav.Go(action.GoMissions, filter) }
}

// troubledGroup returns the missions that are late or stuck, the late ones first and
// then by deadline.
func (d *HomePage) troubledGroup(v *cache.CacheView, now time.Time) itemGroup {
	g := itemGroup{Title: "Overdue or stalled"}
	troubled := v.TroubledMissions(now)
	for _, t := range troubled {
		x := d.missionItem("late ", t.Mission)
		x.Role = columns.TroubleTone(t.Why)
		x.Glyph, x.Right, x.Loud = "▲", t.Why.Text, x.Role
		g.Items = append(g.Items, x)
		if t.Why.Late {
			g.All = d.showMissions("late:late")
		}
	}
	return g
}

// flightGroup returns those of today and the next days.
func (d *HomePage) flightGroup(v *cache.CacheView, now time.Time) itemGroup {
	today := api.DayAt(now)
	from, until := today.Start(), api.DayAt(now.AddDate(0, 0, window)).Start()
	flying := d.missionItems("flight ", v, func(m *cache.Mission, x *groupItem) bool {
		x.At = m.FlightDate.Time
		x.Right = d.Env.Look.Units.MomentAt(x.At, now, m.SiteZone())
		if format.TimeUntil(x.At, d.Env.Look.Units.ClockAt(now, m.SiteZone())) == "today" {
			x.Right, x.Loud = "today "+strings.SplitN(x.Right, " ", 4)[3], theme.Attention
		}
		if format.ValueOf(m.OperatorName) != "" {
			x.Text += " · " + *m.OperatorName
		}
		return !x.At.Before(from) && x.At.Before(until) && m.Status != api.MissionCancelled
	})
	slices.Reverse(flying)
	return itemGroup{
		Title: "Flights", Note: "next 7 days", None: "No flights planned.", Items: flying,
		All: d.showMissions("status:flightScheduled flight:>=" + now.Format(time.DateOnly)),
	}
}

// changedGroup returns the missions and orders that changed since the page was last left,
// the newest first. An order that moved with a mission of its is told by that.
func (d *HomePage) changedGroup(v *cache.CacheView, now time.Time) itemGroup {
	g := itemGroup{
		Title: "Changes since " + formatMoment(d.since, now), None: "No changes.",
		All: d.showMissions("updated:>=" + d.since.In(now.Location()).Format(time.DateOnly)),
	}
	told := map[string]bool{}
	g.Items = d.missionItems("moved ", v, func(m *cache.Mission, x *groupItem) bool {
		x.At, x.Text = m.UpdatedAt.Time, format.Status(m.Status).Label+"  "+m.MissionName
		moved := x.At.After(d.since)
		told[m.Order.UUID] = told[m.Order.UUID] || moved
		return moved
	})
	for i := range v.Orders {
		o := &v.Orders[i]
		if st := format.OrderState(o.Status, d.Env.QuotesOf(o.UUID)); o.UpdatedAt.After(d.since) && !told[o.UUID] {
			g.Items = append(g.Items, groupItem{
				ID: "moved " + o.UUID, At: o.UpdatedAt.Time, Glyph: st.Glyph, Role: st.Role, Code: o.OrderCode,
				Text: st.Label + "  " + o.OrderName, Open: func() tea.Cmd { return d.Env.Nav.Show(page.OrderRoute{Order: o}) },
			})
		}
	}
	g.Items = d.foldChanges(newestFirst(g.Items))
	for i := range g.Items {
		g.Items[i].Right = format.Age(g.Items[i].At, now)
	}
	return g
}

// leastFold is from how many missions of an order on their changes are one line.
const leastFold = 4

// foldChanges replaces the changes of many missions of an order to the same status, such as
// after it was placed, by one line that opens the order. Items are newest first.
func (d *HomePage) foldChanges(items []groupItem) (folded []groupItem) {
	type changes struct {
		order  string // its ID
		status api.MissionStatus
	}
	count := map[changes]int{}
	changeOf := map[string]changes{} // by mission
	orders := map[string]*api.Order{}
	for _, m := range d.known.Missions {
		changeOf[m.UUID] = changes{m.Order.UUID, m.Status}
		orders[m.Order.UUID] = m.Order
	}
	for _, x := range items {
		if c, ok := changeOf[x.Mission]; ok {
			count[c]++
		}
	}
	told := map[changes]bool{}
	for _, x := range items {
		c, ok := changeOf[x.Mission]
		if !ok || count[c] < leastFold {
			folded = append(folded, x)
			continue
		}
		if told[c] {
			continue
		}
		told[c] = true
		order := orders[c.order]
		x.Mission = ""
		x.ID = "moved " + c.order + string(c.status)
		x.Code = order.OrderCode
		x.Text = format.Status(c.status).Label + "  " + format.Count(count[c], "mission") + " of " + order.OrderName
		x.Open = func() tea.Cmd { return d.Env.Nav.Show(page.OrderRoute{Order: order}) }
		folded = append(folded, x)
	}
	return folded
}

// formatMoment returns a time of day of today or yesterday, or with its date.
func formatMoment(at, now time.Time) string {
	day, known := map[string]string{"today": "today ", "1 d ago": "yesterday "}[format.TimeUntil(at, now)]
	if !known {
		return format.Moment(at, now)
	}
	return day + at.In(now.Location()).Format("15:04")
}

// deliveryGroup returns the missions whose data is delivered and not accepted, the
// newest first, with what is in their newest package once that is read.
func (d *HomePage) deliveryGroup(v *cache.CacheView, now time.Time) itemGroup {
	g := itemGroup{
		Title: "Data delivered",
		None:  "No new data.",
		All:   d.showMissions("status:dataDelivered"),
	}
	g.Items = d.missionItems("data ", v, func(m *cache.Mission, x *groupItem) bool {
		x.At, x.Right = m.UpdatedAt.Time, format.Age(m.UpdatedAt.Time, now)
		if list, _ := d.Env.Profile.Cache.Packages.Get(m.UUID); len(list) > 0 {
			files := format.Count(list[0].FileCount, "file")
			if version := list[0].Version; version > 1 {
				files = fmt.Sprintf("v%d, %s", version, files)
			}
			x.Right = files + "  " + format.Bytes(list[0].TotalSize) + "  " + x.Right
		}
		return m.Status == api.MissionDataDelivered && m.Order.Status != api.OrderArchived
	})
	d.wanted = d.wanted[:0]
	for _, x := range g.Items[:min(asked, len(g.Items))] {
		d.wanted = append(d.wanted, d.Env.Profile.Cache.Packages.NeedStamped(x.Mission, x.At.String()))
	}
	if n := len(g.Items); n > 0 {
		g.Note = format.Count(n, "mission")
	}
	return g
}

// draftGroup returns the new orders that are not placed yet.
func (d *HomePage) draftGroup(now time.Time) itemGroup {
	g := itemGroup{Title: "Drafts"}
	for _, k := range d.kept {
		x := groupItem{
			ID:    "draft " + k.Name,
			Glyph: "▪",
			Role:  theme.Accent,
			Text:  k.Title,
			Right: k.Describe(now),
			Open:  func() tea.Cmd { return d.Env.Nav.Show(page.NewOrderRoute{}) },
		}
		if k.Name != "" {
			x.Open = func() tea.Cmd { return d.Env.Nav.Show(page.NewOrderRoute{Draft: k.Name}) }
		}
		g.Items = append(g.Items, x)
	}
	return g
}
