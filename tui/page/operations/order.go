package operations

import (
	"cmp"
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
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/table"
)

// part is a mission, a quote or a completion notice of an order: what can be
// chosen on its page.
type part struct {
	order   *api.OpsOrder
	mission *api.OpsMission
	quote   *api.OpsQuote
	notice  *api.CompletionNotice
}

func (p *part) id() string {
	switch {
	case p.mission != nil:
		return p.mission.UUID
	case p.notice != nil:
		return p.notice.UUID
	}
	return p.quote.UUID
}

// look marks notices that failed, and mutes quotes that are not open any more.
func (p *part) look(now time.Time) (table.Cell, bool) {
	switch {
	case p.notice != nil && p.notice.Failed():
		return table.Cell{Text: "!", Role: theme.Bad}, false
	case p.quote != nil:
		return table.Cell{}, !p.quote.IsDecidable(now) && p.quote.Status != api.QuoteAccepted
	}
	return table.Cell{}, false
}

// stamp is another one after a change.
func (p *part) stamp() string {
	switch {
	case p.mission != nil:
		return string(p.mission.Status) + p.mission.UpdatedAt.String()
	case p.notice != nil:
		return fmt.Sprint(p.notice.Success, p.notice.Attempts, derefText(p.notice.Error))
	}
	return string(p.quote.Status)
}

// order is the page of one order as Operations sees it: its missions, quotes and
// completion notices, and what can be done to them.
type order struct{ *operations }

// newOrder opens the page, with the mission of an id selected.
func newOrder(from *operations, uuid, selected string) *order {
	d := newDesk(from.Env, from.world, short(uuid))
	p := newParts(d, uuid, selected)
	p.follow()
	d.add("Order", p)
	return &order{d}
}

// parts are the missions, quotes and completion notices of an order.
type parts struct {
	*lister[part]
	uuid     string
	selected string
	order    *api.OpsOrder // nil until it was read
	state    listpage.State[part]
	notices  []api.CompletionNotice
	resend   *page.Resender
}

func newParts(d *operations, uuid, selected string) *parts {
	p := &parts{uuid: uuid, selected: selected, resend: page.NewResender(d.Base)}
	source := listpage.Source[part]{State: func() listpage.State[part] { return p.read(d) }, Needs: func(int) []cache.Need { return p.needs(d) }}
	p.lister = newLister(d, source, listpage.Options[part]{
		Name: "desk-parts", Example: "status:scheduled", One: "mission or quote", Many: "missions and quotes", Scope: action.OpsOrder,
		Columns:     partColumns(d),
		ID:          (*part).id,
		Look:        func(x *part) (table.Cell, bool) { return x.look(d.Now()) },
		Stamp:       (*part).stamp,
		SplitDetail: lines(p.about),
		Open:        whole(d, "Details", p.about),
		Head:        p.head,
		Empty:       [2]string{"The order has no missions.", ""},
	})
	p.List.Empty = "No matching missions or quotes; "
	return p
}

// partCell is the cell of a quote, a mission, or a completion notice.
func partCell(
	quote func(*api.OpsQuote) columns.Cell, mission func(*api.OpsMission) columns.Cell, notice func(*api.CompletionNotice) columns.Cell,
) func(x *part) columns.Cell {
	return func(x *part) columns.Cell {
		switch {
		case x.quote != nil:
			return quote(x.quote)
		case x.notice != nil:
			return notice(x.notice)
		}
		return mission(x.mission)
	}
}

// partColumns are the columns of a mission or a quote.
func partColumns(d *operations) []columns.Column[part] {
	return []columns.Column[part]{
		{Spec: columns.Spec{Title: "Part", Name: "code", Width: 10}, Value: partCell(
			func(*api.OpsQuote) columns.Cell { return columns.Text("quote") },
			func(m *api.OpsMission) columns.Cell { return columns.Text(m.MissionCode) },
			func(*api.CompletionNotice) columns.Cell { return columns.Text("notice") },
		)},
		{Spec: columns.Spec{Title: "Name", Name: "name", Width: 14, Fill: 1}, Value: partCell(
			func(q *api.OpsQuote) columns.Cell { return columns.Text(q.QuoteName) },
			func(m *api.OpsMission) columns.Cell { return columns.Text(m.MissionName) },
			func(n *api.CompletionNotice) columns.Cell { return columns.Text(timeline.NoticeWay(n)) },
		)},
		{Spec: columns.Spec{Title: "Status", Name: "status", Width: 19}, Value: partCell(
			func(q *api.OpsQuote) columns.Cell {
				return columns.State(labels.Quote(q.Status, !q.IsDecidable(d.Now())), 0)
			},
			func(m *api.OpsMission) columns.Cell { return columns.MissionState(m.Status) },
			func(n *api.CompletionNotice) columns.Cell {
				text, glyph, role := timeline.NoticeOutcome(n)
				text, _, _ = strings.Cut(text, ": ")
				return columns.Text(glyph + " " + text).In(role)
			},
		)},
		{Spec: columns.Spec{Title: "Operator, price", Name: "operator", Width: 16, Drop: 1}, Value: partCell(
			func(q *api.OpsQuote) columns.Cell { return columns.Text(priceOf(q)) },
			func(m *api.OpsMission) columns.Cell { return columns.TextAt(m.OperatorName) },
			func(n *api.CompletionNotice) columns.Cell {
				text, _, _ := timeline.NoticeOutcome(n)
				_, why, _ := strings.Cut(text, ": ")
				return columns.Text(cmp.Or(why, format.None))
			},
		)},
		{Spec: columns.Spec{Title: "Flight, expiry", Name: "flightDate", Width: 16, Drop: 2}, Value: partCell(
			func(q *api.OpsQuote) columns.Cell { return columns.Text(moment(q.ExpiryDate, d.Now())) },
			func(m *api.OpsMission) columns.Cell { return columns.Text(moment(m.FlightDate, d.Now())) },
			func(*api.CompletionNotice) columns.Cell { return columns.None() },
		)},
		{Spec: columns.Spec{Title: "Permission", Name: "permission", Width: 11, Drop: 3}, Value: partCell(
			func(*api.OpsQuote) columns.Cell { return columns.Cell{} },
			func(m *api.OpsMission) columns.Cell {
				if m.FlightPermission == nil {
					return columns.None()
				}
				return columns.Label(labels.Permission(m.FlightPermission.Status).Label, string(m.FlightPermission.Status)).In(permissionRole(m.FlightPermission))
			},
			func(*api.CompletionNotice) columns.Cell { return columns.Cell{} },
		)},
	}
}

// about is the selected part, and below it the order.
func (p *parts) about(x *part, w int) []string {
	d, th := p.d, p.d.Theme
	var lines []string
	head := func(what, name string) {
		lines = append(lines, " "+layout.Text(th.Style(theme.Accent), what)+"  "+layout.Text(th.Title, name), "")
	}
	switch {
	case x.mission != nil:
		head(x.mission.MissionCode, x.mission.MissionName)
		lines = append(lines, d.aboutMission(x.mission, w)...)
	case x.notice != nil:
		head("Completion notice", timeline.NoticeWay(x.notice))
		lines = append(lines, d.aboutNotice(x.notice, w)...)
	default:
		head("Quote", x.quote.QuoteName)
		lines = append(lines, d.aboutQuote(x.quote, w)...)
	}
	lines = append(lines, "", " "+layout.Text(th.Style(theme.Accent), x.order.OrderCode)+"  "+layout.Text(th.Title, x.order.OrderName))
	lines = append(lines, d.aboutOrder(x.order, w)...)
	for i := range lines {
		lines[i] = layout.Cut(lines[i], w)
	}
	return lines
}

// needs are the order, and once it is complete what its client was told.
func (p *parts) needs(d *operations) []cache.Need {
	needs := []cache.Need{d.world.cache.Details.Of(p.uuid)}
	if p.order != nil && p.order.Status == api.OrderCompleted {
		needs = append(needs, d.world.cache.Notices.Of(p.uuid))
	}
	return needs
}

// read lists the parts of the order, those first that are next: what its client
// was not told, quotes while it bids, missions afterwards.
func (p *parts) read(d *operations) listpage.State[part] {
	o, is := d.world.cache.Details.Get(p.uuid)
	notices, told := d.world.cache.Notices.Get(p.uuid)
	if is.Err == nil {
		is.Err = told.Err
	}
	if is.Version+told.Version == p.state.Version {
		return p.state
	}
	p.order, p.notices, p.state = o, notices, listpage.State[part]{Version: is.Version + told.Version, At: is.ReadAt, Err: is.Err}
	if o != nil {
		d.title = o.OrderCode
		p.state.Rows = partsOf(o, notices)
	}
	return p.state
}

func partsOf(o *api.OpsOrder, notices []api.CompletionNotice) []*part {
	var missions, quotes, told, failed []*part
	for i := range o.Missions {
		missions = append(missions, &part{order: o, mission: &o.Missions[i]})
	}
	for i := range o.Quotes {
		quotes = append(quotes, &part{order: o, quote: &o.Quotes[i]})
	}
	for i := range notices {
		n := &part{order: o, notice: &notices[i]}
		if n.notice.Failed() {
			failed = append(failed, n)
		} else {
			told = append(told, n)
		}
	}
	if o.Status == api.OrderBiddingWithQuote {
		missions, quotes = quotes, missions
	}
	return slices.Concat(failed, missions, quotes, told)
}

// Update selects what the page was opened for, once it is read.
func (p *parts) Update(msg tea.Msg) tea.Cmd {
	if cmd, taken := p.resend.Update(msg); taken {
		return cmd
	}
	cmd := p.lister.Update(msg)
	p.follow()
	return cmd
}

func (p *parts) follow() {
	if p.selected != "" && p.order != nil {
		p.List.Grid.Select(p.selected)
		p.selected = ""
	}
}

func (p *parts) Scopes() []action.Scope {
	p.Sync() // a key is about what is there by now, drawn or not
	return p.List.Scopes(action.OpsOrder, action.OpsWork)
}

func (p *parts) subject() subject {
	s := subject{order: p.order}
	if x := p.Current(); x != nil {
		s.mission, s.quote = x.mission, x.quote
	}
	return s
}

func (p *parts) Disabled(id action.ID) string {
	if p.order == nil && id != action.Refresh {
		return "the order is still loading"
	}
	if id == action.ShowBothEnds && p.d.Client == nil {
		return "no client view"
	}
	if id == action.ResendNotice {
		return p.undeliverable()
	}
	if why := p.d.off(id, p.subject()); why != "" {
		return why
	}
	return p.lister.Disabled(id)
}

func (p *parts) Do(id action.ID) tea.Cmd {
	if id == action.ResendNotice {
		p.resend.Ask(p.notice(), timeline.FailedNotices(p.notices, p.order.OrderCode), p.order.OrderCode)
		return nil
	}
	if id == action.ShowBothEnds {
		selected := p.uuid
		if x := p.Current(); x != nil && x.mission != nil {
			selected = x.mission.UUID
		}
		return p.d.Open(newBoth(p.d, selected))
	}
	if p.d.move(id, p.subject()) {
		return nil
	}
	return p.lister.Do(id)
}

// notice is the selected completion notice, nil where something else is.
func (p *parts) notice() *timeline.Sending {
	x := p.Current()
	if x == nil || x.notice == nil {
		return nil
	}
	s := timeline.NoticeSending(x.notice, p.order.OrderCode)
	return &s
}

// undeliverable says why no notice can be sent again, "" where one can.
func (p *parts) undeliverable() string {
	if len(p.notices) == 0 {
		return "no completion notices"
	}
	failed := timeline.FailedNotices(p.notices, p.order.OrderCode)
	if p.notice() == nil && len(failed) == 0 {
		return "no failed completion notices"
	}
	return p.resend.Disabled(p.notice(), len(failed))
}

// head is the order's own line above its parts.
func (p *parts) head(w int) []string {
	if p.order == nil {
		return nil
	}
	th, o := p.d.Theme, p.order
	st := labels.OrderState(o.Status, quotesOf(o, p.d.Now()))
	return []string{layout.Ends(" "+layout.Text(th.Style(theme.Accent), o.OrderCode)+"  "+layout.Text(th.Title, o.OrderName)+
		layout.Text(th.Style(theme.Muted), "  "+p.d.world.company(o.AccountUID)), layout.Text(th.Style(st.Role), st.Glyph+" "+st.Label)+" ", w)}
}
