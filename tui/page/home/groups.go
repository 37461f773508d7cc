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
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/page/missions"
	"flightdesk/tui/page/quotes"
	"flightdesk/tui/theme"
)

// item is a line that can be gone to.
type item struct {
	id    string
	glyph string
	role  theme.Role
	code  string // of fixed width
	text  string
	right string
	loud  theme.Role // of right; Text is muted
	open  func() tea.Cmd
	of    *cache.Mission // nil for what is no mission
}

// group is a part of the page.
type group struct {
	title string
	note  string
	items []item
	more  int            // items that are left out
	all   func() tea.Cmd // goes to where all of them are, nil where there is no such place
	none  string         // said where there are no items, "" leaves the group out
}

// cut keeps the first n items, and says how many more there are, where a place
// has them all as a way to it.
func (g group) cut(n int) group {
	if len(g.items) <= n {
		return g
	}
	more := len(g.items) - n
	g.items = slices.Clip(g.items[:n])
	if g.all == nil {
		g.more = more
		return g
	}
	g.items = append(g.items, item{
		id: "all of " + g.title, glyph: "…", role: theme.Muted, text: "and " + format.Group(float64(more), 0) + " more", open: g.all,
	})
	return g
}

// fit cuts groups so that they fill h lines, each at least to its share.
func fit(groups []group, shares []int, h int) []group {
	rows := func(i int) int { // with title, and the line below
		n := min(len(groups[i].items), shares[i])
		if n < len(groups[i].items) {
			n++
		}
		if n == 0 && groups[i].none == "" {
			return 0
		}
		return max(1, n) + 2
	}
	used := -1
	for i := range groups {
		used += rows(i)
	}
	for grown := true; grown && used < h; {
		grown = false
		for i := range groups {
			if before := rows(i); shares[i] < len(groups[i].items) && used < h {
				shares[i]++
				used += rows(i) - before
				grown = true
			}
		}
	}
	for i := range groups {
		groups[i] = groups[i].cut(shares[i])
	}
	return groups
}

const (
	window = 8  // days of flights, today among them
	asked  = 20 // missions whose packages are read
)

// build makes the groups of what is known.
func (d *Page) build(v *cache.View) []group {
	now := d.Now()
	groups := []group{d.decide(now), d.troubled(v, now), d.flights(v, now), d.moved(v, now), d.deliveries(v, now), d.drafts(now)}
	return fit(groups, []int{6, 5, 7, 6, 5, 5}, d.height)
}

// decideGroup is the group of the quotes without its items: what is known of
// them, and how old that is.
func decideGroup(q *cache.Quotes, now time.Time) group {
	g := group{title: "Decide", none: "No quote is open."}
	switch {
	case q.Fault() != nil:
		what, _ := labels.Explain(q.Fault())
		g.none = "Quotes: " + what
	case q.At.IsZero():
		g.none = "reading…"
	case len(q.Listed) > 0:
		g.note = format.Count(len(q.Listed), "order", "orders")
		if len(q.Full) < len(q.Listed) {
			g.note += fmt.Sprintf(", quotes of %d read", len(q.Full))
		}
	}
	if q.Kept || q.Fault() != nil && len(q.Listed) > 0 {
		g.note += ", " + page.AsOf(q.At, now, q.Fault() == nil)
		g.note = strings.TrimPrefix(g.note, ", ")
	}
	return g
}

// decide are the orders with open quotes, soonest expiry first.
func (d *Page) decide(now time.Time) group {
	q := d.Cache.Quotes()
	g := decideGroup(&q, now)
	g.all = func() tea.Cmd { return d.Go(action.GoQuotes, "") }
	type row struct {
		item
		at    time.Time
		known bool
	}
	rows := make([]row, len(q.Listed))
	quoted, ready := map[string]labels.Quotes{}, 0
	for i, r := range q.Listed {
		r = q.Of(r)
		s := quoting.StandingOf(r, now)
		x := row{at: s.Expires, known: !s.Expires.IsZero(), item: item{
			id: "quotes of " + r.ID, glyph: "◆", role: theme.Attention, code: s.Name, text: r.OrderName,
			open: func() tea.Cmd { return d.Open(quotes.NewCompare(d.Env, r.ID, r)) },
		}}
		quoted[r.ID] = labels.QuotesExpired
		if s.Open == 0 || s.Live > 0 {
			quoted[r.ID] = labels.QuotesReady
			ready++
		}
		switch {
		case x.known:
			x.right, x.loud = format.Count(s.Open, "quote", "quotes")+"  "+format.Left(s.Expires, now, false), quotes.UrgencyRole(api.At(s.Expires), now)
		case s.Open > 0 && s.Live == 0:
			x.right, x.role = "expired", theme.Muted
		case s.Open > 0:
			x.right = format.Count(s.Open, "quote", "quotes")
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
		g.items = append(g.items, x.item)
	}
	if !q.At.IsZero() {
		d.SetQuoted(quoted)
		d.badge(ready)
	}
	return g
}

// badge tells behind the section of the quotes how many orders wait there.
func (d *Page) badge(n int) {
	text := ""
	if n > 0 {
		text = fmt.Sprint(n)
	}
	d.SetBadge(action.GoQuotes, page.Badge{Text: text, Role: theme.Attention})
}

// row is the line of a mission.
func (d *Page) row(kind string, m *cache.Mission) item {
	st := labels.MissionStatus(m.Status)
	return item{
		id: kind + m.UUID, glyph: st.Glyph, role: st.Role, code: m.MissionCode, text: m.MissionName, of: m,
		open: func() tea.Cmd { return d.Open(missions.NewMission(d.Env, m)) },
	}
}

// troubled are the missions that are late or stuck, the late ones first and
// then by deadline.
func (d *Page) troubled(v *cache.View, now time.Time) group {
	g := group{title: "Late or stuck"}
	type row struct {
		item
		late bool
		due  time.Time
	}
	var rows []row
	for _, m := range v.Missions {
		t, ok := m.Trouble(now)
		if !ok {
			continue
		}
		x := row{d.row("late ", m), t.Late, m.Deadline()}
		x.glyph, x.role, x.right, x.loud = "▲", theme.Attention, t.Text, theme.Attention
		if t.Late {
			x.role, x.loud = theme.Bad, theme.Bad
		}
		rows = append(rows, x)
	}
	slices.SortStableFunc(rows, func(x, y row) int {
		if x.late != y.late {
			if x.late {
				return -1
			}
			return 1
		}
		return x.due.Compare(y.due)
	})
	for _, x := range rows {
		g.items = append(g.items, x.item)
	}
	if len(rows) > 0 {
		g.note = format.Group(float64(len(rows)), 0)
	}
	if len(rows) > 0 && rows[0].late {
		g.all = func() tea.Cmd { return d.Go(action.GoMissions, "late:late") }
	}
	return g
}

// flights are those of today and the next days.
func (d *Page) flights(v *cache.View, now time.Time) group {
	g := group{title: "Flights", note: "today and the next 7 days", none: "None is planned."}
	g.all = func() tea.Cmd {
		return d.Go(action.GoMissions, "status:flightScheduled flight:>="+now.Format(time.DateOnly))
	}
	y, month, day := now.Date()
	from := time.Date(y, month, day, 0, 0, 0, 0, now.Location())
	until := from.AddDate(0, 0, window)
	var flying []*cache.Mission
	for _, m := range v.Missions {
		if at := m.FlightDate.Time; !at.IsZero() && !at.Before(from) && at.Before(until) && m.Status != api.MissionCancelled {
			flying = append(flying, m)
		}
	}
	slices.SortStableFunc(flying, func(x, y *cache.Mission) int { return x.FlightDate.Compare(y.FlightDate.Time) })
	for _, m := range flying {
		x := d.row("flight ", m)
		x.right = format.MomentAt(m.FlightDate.Time, now, m.Zone())
		if format.Until(m.FlightDate.Time, m.At(now, now)) == "today" {
			x.right, x.loud = "today "+strings.SplitN(x.right, " ", 4)[3], theme.Attention
		}
		if m.OperatorName != nil && *m.OperatorName != "" {
			x.text += " · " + *m.OperatorName
		}
		g.items = append(g.items, x)
	}
	return g
}

// moved are the missions and orders that changed since the page was last left,
// the newest first. An order that moved with a mission of its is told by that.
func (d *Page) moved(v *cache.View, now time.Time) group {
	g := group{title: "Moved since " + moment(d.since, now), none: "Nothing."}
	g.all = func() tea.Cmd {
		return d.Go(action.GoMissions, "updated:>="+d.since.In(now.Location()).Format(time.DateOnly))
	}
	type row struct {
		item
		at time.Time
	}
	var rows []row
	told := map[string]bool{}
	for _, m := range v.Missions {
		if at := m.UpdatedAt.Time; at.After(d.since) {
			told[m.Order.UUID] = true
			x := row{d.row("moved ", m), at}
			x.text = labels.MissionStatus(m.Status).Word + "  " + m.MissionName
			rows = append(rows, x)
		}
	}
	for i := range v.Orders {
		o := &v.Orders[i]
		if at := o.UpdatedAt.Time; at.After(d.since) && !told[o.UUID] {
			st := labels.OrderState(o.Status, d.QuotesOf(o.UUID))
			rows = append(rows, row{item{
				id: "moved " + o.UUID, glyph: st.Glyph, role: st.Role, code: o.OrderCode, text: st.Word + "  " + o.OrderName,
				open: func() tea.Cmd { return d.OpenOrder(o) },
			}, at})
		}
	}
	slices.SortStableFunc(rows, func(x, y row) int { return y.at.Compare(x.at) })
	for _, x := range rows {
		x.right = format.Age(x.at, now)
		g.items = append(g.items, x.item)
	}
	if len(rows) > 0 {
		g.note = format.Group(float64(len(rows)), 0)
	}
	return g
}

// moment is a time of day of today or yesterday, or with its date.
func moment(at, now time.Time) string {
	switch format.Until(at, now) {
	case "today":
		return "today " + at.In(now.Location()).Format("15:04")
	case "1 d ago":
		return "yesterday " + at.In(now.Location()).Format("15:04")
	default:
		return format.Moment(at, now)
	}
}

// deliveries are the missions whose data is delivered and not accepted, the
// newest first, with what is in their newest package once that is read.
func (d *Page) deliveries(v *cache.View, now time.Time) group {
	g := group{title: "To fetch and accept", none: "No data waits."}
	g.all = func() tea.Cmd { return d.Go(action.GoMissions, "status:dataDelivered") }
	var waiting []*cache.Mission
	for _, m := range v.Missions {
		if m.Status == api.MissionDataDelivered && m.Order.Status != api.OrderArchived {
			waiting = append(waiting, m)
		}
	}
	slices.SortStableFunc(waiting, func(x, y *cache.Mission) int { return y.UpdatedAt.Compare(x.UpdatedAt.Time) })
	d.wanted = d.wanted[:0]
	for i, m := range waiting {
		x := d.row("data ", m)
		x.right = format.Age(m.UpdatedAt.Time, now)
		if i < asked {
			d.wanted = append(d.wanted, d.Cache.Packages.Stamped(m.UUID, m.UpdatedAt.String()))
		}
		if list, _ := d.Cache.Packages.Get(m.UUID); len(list) > 0 {
			x.right = fmt.Sprintf("%s  %s  %s", format.Count(list[0].FileCount, "file", "files"), format.Bytes(list[0].TotalSize), x.right)
		}
		g.items = append(g.items, x)
	}
	if len(waiting) > 0 {
		g.note = format.Count(len(waiting), "mission", "missions")
	}
	return g
}

// drafts are the new orders that are not placed yet.
func (d *Page) drafts(now time.Time) group {
	g := group{title: "Drafts"}
	if !d.drafted {
		return g
	}
	x := item{id: "draft", glyph: "▪", role: theme.Accent, text: d.draft.Name, right: format.Count(d.draft.Sites, "site", "sites"), open: d.NewOrder}
	if !d.draft.Saved.IsZero() {
		x.right += ", saved " + format.Ago(d.draft.Saved, now)
	}
	g.items = []item{x}
	return g
}

// counts are the missions by status, in the order of a life; statuses that are
// not known come last.
func counts(v *cache.View) (statuses []api.MissionStatus, n map[api.MissionStatus]int) {
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
