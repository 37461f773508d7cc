package home

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/page/grouplist"
	"flightdesk/tui/page/missions"
	"flightdesk/tui/page/quotes"
	"flightdesk/tui/theme"
)

const (
	window = 8  // days of flights, today among them
	asked  = 20 // missions whose packages are read
)

// buildGroups makes the groups of what is known.
func (d *Page) buildGroups(v *cache.CacheView) []grouplist.ItemGroup {
	now := d.Now()
	groups := []grouplist.ItemGroup{
		d.decisionGroup(now),
		d.troubledGroup(v, now),
		d.flightGroup(v, now),
		d.changedGroup(v, now),
		d.deliveryGroup(v, now),
		d.draftGroup(now),
	}
	return grouplist.Fit(groups, []int{6, 5, 7, 6, 5, 5}, d.height)
}

// decideGroup returns the group of the quotes without its items: what is known of
// them, and how old that is.
func decideGroup(q *cache.OpenQuotes, now time.Time) grouplist.ItemGroup {
	g := grouplist.ItemGroup{Title: "Needs a decision", None: "No open quotes."}
	switch {
	case q.ReadFault() != nil:
		what, _ := labels.ExplainError(q.ReadFault())
		g.None = "Quotes: " + what
	case q.At.IsZero():
		g.None = "Loading quotes…"
	case len(q.Listed) > 0:
		g.Note = format.Count(len(q.Listed), "order", "orders")
		if len(q.Full) < len(q.Listed) {
			g.Note += fmt.Sprintf(", quotes of %d loaded", len(q.Full))
		}
	}
	if q.Kept || q.ReadFault() != nil && len(q.Listed) > 0 {
		g.Note += ", " + page.AsOf(q.At, now, q.ReadFault() == nil)
		g.Note = strings.TrimPrefix(g.Note, ", ")
	}
	return g
}

// decisionGroup returns the orders with open quotes, soonest expiry first.
func (d *Page) decisionGroup(now time.Time) grouplist.ItemGroup {
	q := d.Cache.Quotes()
	g := decideGroup(&q, now)
	g.All = func() tea.Cmd { return d.Go(action.GoQuotes, "") }
	type row struct {
		grouplist.GroupItem
		at    time.Time
		known bool
	}
	rows := make([]row, len(q.Listed))
	quoted, expired := map[string]labels.QuoteCounts{}, 0
	for i, r := range q.Listed {
		r = q.RecordOf(r)
		s := quoting.StandingOf(r, now)
		x := row{at: s.Expires, known: !s.Expires.IsZero(), GroupItem: grouplist.GroupItem{
			ID: "quotes of " + r.ID, Glyph: "◆", Role: theme.Attention, Code: s.Name, Text: r.OrderName,
			Open: func() tea.Cmd { return d.Open(quotes.NewCompare(d.Env, r.ID, r)) },
		}}
		quoted[r.ID] = labels.QuotesExpired
		if s.Open == 0 || s.Live > 0 {
			quoted[r.ID] = labels.QuotesReady
		}
		switch {
		case x.known:
			x.Right, x.Loud = format.Count(s.Live, "quote", "quotes")+"  "+format.TimeLeft(s.Expires, now, false), quotes.UrgencyRole(api.TimeOf(s.Expires), now)
		case s.HasExpired():
			expired++
			x.Right, x.Role = "expired", theme.Muted
		case s.Open > 0:
			x.Right = format.Count(s.Open, "quote", "quotes")
		}
		rows[i] = x
	}
	slices.SortStableFunc(rows, func(x, y row) int {
		if x.known != y.known {
			if x.known {
				return -1
			}
			return 1
		}
		return x.at.Compare(y.at)
	})
	for _, x := range rows {
		g.Items = append(g.Items, x.GroupItem)
	}
	if expired > 0 {
		g.Note += fmt.Sprintf(", %d expired", expired)
	}
	if !q.At.IsZero() {
		quotes.ShowQuoted(d.Env, quoted)
	}
	return g
}

// missionItem returns the line of a mission.
func (d *Page) missionItem(kind string, m *cache.Mission) grouplist.GroupItem {
	st := labels.MissionStatus(m.Status)
	return grouplist.GroupItem{
		ID: kind + m.UUID, Glyph: st.Glyph, Role: st.Role, Code: m.MissionCode, Text: m.MissionName, Mission: m.UUID,
		Open: func() tea.Cmd { return d.Open(missions.NewMission(d.Env, m)) },
	}
}

// troubledGroup returns the missions that are late or stuck, the late ones first and
// then by deadline.
func (d *Page) troubledGroup(v *cache.CacheView, now time.Time) grouplist.ItemGroup {
	g := grouplist.ItemGroup{Title: "Late or stuck"}
	for _, m := range v.TroubledMissions(now) {
		x := d.missionItem("late ", m.Mission)
		x.Role = columns.TroubleTone(m.Why)
		x.Glyph, x.Right, x.Loud = "▲", m.Why.Text, x.Role
		g.Items = append(g.Items, x)
		if m.Why.Late {
			g.All = func() tea.Cmd { return d.Go(action.GoMissions, "late:late") }
		}
	}
	if n := len(g.Items); n > 0 {
		g.Note = format.GroupDigits(float64(n), 0)
	}
	return g
}

// flightGroup returns those of today and the next days.
func (d *Page) flightGroup(v *cache.CacheView, now time.Time) grouplist.ItemGroup {
	g := grouplist.ItemGroup{Title: "Flights", Note: "next 7 days", None: "No flights planned."}
	g.All = func() tea.Cmd {
		return d.Go(action.GoMissions, "status:flightScheduled flight:>="+now.Format(time.DateOnly))
	}
	y, month, day := now.Date()
	from := time.Date(y, month, day, 0, 0, 0, 0, now.Location())
	until := from.AddDate(0, 0, window)
	var flying []*cache.Mission
	for _, m := range v.Missions {
		if at := m.FlightDate.Time; !at.IsZero() && !at.Before(from) && at.Before(until) &&
			m.Status != api.MissionCancelled {
			flying = append(flying, m)
		}
	}
	slices.SortStableFunc(flying, func(x, y *cache.Mission) int { return x.FlightDate.Compare(y.FlightDate.Time) })
	for _, m := range flying {
		x := d.missionItem("flight ", m)
		x.Right = format.MomentAt(m.FlightDate.Time, now, m.FlightZone())
		if format.TimeUntil(m.FlightDate.Time, m.InFlightZone(now, now)) == "today" {
			x.Right, x.Loud = "today "+strings.SplitN(x.Right, " ", 4)[3], theme.Attention
		}
		if m.OperatorName != nil && *m.OperatorName != "" {
			x.Text += " · " + *m.OperatorName
		}
		g.Items = append(g.Items, x)
	}
	return g
}

// changedGroup returns the missions and orders that changed since the page was last left,
// the newest first. An order that moved with a mission of its is told by that.
func (d *Page) changedGroup(v *cache.CacheView, now time.Time) grouplist.ItemGroup {
	g := grouplist.ItemGroup{Title: "Changes since " + formatMoment(d.since, now), None: "No changes."}
	g.All = func() tea.Cmd {
		return d.Go(action.GoMissions, "updated:>="+d.since.In(now.Location()).Format(time.DateOnly))
	}
	type row struct {
		grouplist.GroupItem
		at time.Time
	}
	var rows []row
	told := map[string]bool{}
	for _, m := range v.Missions {
		if at := m.UpdatedAt.Time; at.After(d.since) {
			told[m.Order.UUID] = true
			x := row{d.missionItem("moved ", m), at}
			x.Text = labels.MissionStatus(m.Status).Label + "  " + m.MissionName
			rows = append(rows, x)
		}
	}
	for i := range v.Orders {
		o := &v.Orders[i]
		if at := o.UpdatedAt.Time; at.After(d.since) && !told[o.UUID] {
			st := labels.OrderState(o.Status, d.QuotesOf(o.UUID))
			rows = append(rows, row{
				grouplist.GroupItem{
					ID:    "moved " + o.UUID,
					Glyph: st.Glyph,
					Role:  st.Role,
					Code:  o.OrderCode,
					Text:  st.Label + "  " + o.OrderName,
					Open:  func() tea.Cmd { return d.OpenOrder(o) },
				},
				at,
			})
		}
	}
	slices.SortStableFunc(rows, func(x, y row) int { return y.at.Compare(x.at) })
	for _, x := range rows {
		x.Right = format.Age(x.at, now)
		g.Items = append(g.Items, x.GroupItem)
	}
	if len(rows) > 0 {
		g.Note = format.GroupDigits(float64(len(rows)), 0)
	}
	return g
}

// formatMoment returns a time of day of today or yesterday, or with its date.
func formatMoment(at, now time.Time) string {
	switch format.TimeUntil(at, now) {
	case "today":
		return "today " + at.In(now.Location()).Format("15:04")
	case "1 d ago":
		return "yesterday " + at.In(now.Location()).Format("15:04")
	default:
		return format.Moment(at, now)
	}
}

// deliveryGroup returns the missions whose data is delivered and not accepted, the
// newest first, with what is in their newest package once that is read.
func (d *Page) deliveryGroup(v *cache.CacheView, now time.Time) grouplist.ItemGroup {
	g := grouplist.ItemGroup{Title: "Data delivered", None: "No new data."}
	g.All = func() tea.Cmd { return d.Go(action.GoMissions, "status:dataDelivered") }
	var waiting []*cache.Mission
	for _, m := range v.Missions {
		if m.Status == api.MissionDataDelivered && m.Order.Status != api.OrderArchived {
			waiting = append(waiting, m)
		}
	}
	slices.SortStableFunc(waiting, func(x, y *cache.Mission) int { return y.UpdatedAt.Compare(x.UpdatedAt.Time) })
	d.wanted = d.wanted[:0]
	for i, m := range waiting {
		x := d.missionItem("data ", m)
		x.Right = format.Age(m.UpdatedAt.Time, now)
		if i < asked {
			d.wanted = append(d.wanted, d.Cache.Packages.NeedStamped(m.UUID, m.UpdatedAt.String()))
		}
		if list, _ := d.Cache.Packages.Get(m.UUID); len(list) > 0 {
			x.Right = fmt.Sprintf(
				"%s  %s  %s",
				format.Count(list[0].FileCount, "file", "files"),
				format.Bytes(list[0].TotalSize),
				x.Right,
			)
		}
		g.Items = append(g.Items, x)
	}
	if len(waiting) > 0 {
		g.Note = format.Count(len(waiting), "mission", "missions")
	}
	return g
}

// draftGroup returns the new orders that are not placed yet.
func (d *Page) draftGroup(now time.Time) grouplist.ItemGroup {
	g := grouplist.ItemGroup{Title: "Drafts"}
	for i := range d.kept {
		k := &d.kept[i]
		open := d.NewOrder
		if k.Name != "" {
			open = func() tea.Cmd { return d.OpenDraft(k.Name) }
		}
		g.Items = append(
			g.Items,
			grouplist.GroupItem{
				ID:    "draft " + k.Name,
				Glyph: "▪",
				Role:  theme.Accent,
				Text:  k.Note.Name,
				Right: k.Describe(now),
				Open:  open,
			},
		)
	}
	return g
}

// countStatuses returns the missions by status, in the order of a life; statuses that are
// not known come last.
func countStatuses(v *cache.CacheView) (statuses []api.MissionStatus, n map[api.MissionStatus]int) {
	statuses, n = api.MissionStatuses(), map[api.MissionStatus]int{}
	var odd []api.MissionStatus
	for _, m := range v.Missions {
		if !slices.Contains(statuses, m.Status) && n[m.Status] == 0 {
			odd = append(odd, m.Status)
		}
		n[m.Status]++
	}
	slices.Sort(odd)
	return append(statuses, odd...), n
}
