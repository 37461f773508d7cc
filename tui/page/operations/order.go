package operations

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/table"
)

// part is a mission or a quote of an order: what can be chosen on its page.
type part struct {
	order   *api.OpsOrder
	mission *api.OpsMission
	quote   *api.OpsQuote
}

func (p *part) id() string {
	if p.mission != nil {
		return p.mission.UUID
	}
	return p.quote.UUID
}

// order is the page of one order as the desk sees it: its missions and quotes,
// and what can be done to them.
type order struct{ *operations }

// newOrder opens the page, with the mission of an id selected.
func newOrder(from *operations, uuid, selected string) *order {
	d := newDesk(from.Env, from.world, short(uuid))
	p := newParts(d, uuid, selected)
	if f, ok := from.world.works.files[uuid]; ok {
		p.show(f.order)
	}
	d.add("Order", p)
	return &order{d}
}

// parts are the missions and quotes of an order.
type parts struct {
	*lister[part]
	uuid     string
	selected string
	order    *api.OpsOrder // nil until it was read
	asking   page.Question
}

func newParts(d *operations, uuid, selected string) *parts {
	p := &parts{uuid: uuid, selected: selected}
	p.lister = newLister(d, listpage.Options[part]{
		Name: "desk-parts", Example: "status:scheduled", One: "mission or quote", Many: "missions and quotes", Scope: action.OpsOrder,
		Columns: partColumns(d),
		ID:      (*part).id,
		Look: func(x *part) (table.Cell, bool) {
			return table.Cell{}, x.quote != nil && !x.quote.IsDecidable(d.Now()) && x.quote.Status != api.QuoteAccepted
		},
		Stamp: func(x *part) string {
			if x.quote != nil {
				return string(x.quote.Status)
			}
			return string(x.mission.Status) + x.mission.UpdatedAt.String()
		},
		Beside: lines(p.about),
		Open:   whole(d, "Part of the order", p.about),
		Head:   p.head,
		Empty:  [2]string{"The order has no missions.", ""},
	}, nil)
	p.List.Empty = "No matching missions or quotes; "
	return p
}

// partColumns are the columns of a mission or a quote.
func partColumns(d *operations) []columns.Column[part] {
	type value = func(x *part) columns.Cell
	either := func(quote func(*api.OpsQuote) columns.Cell, mission func(*api.OpsMission) columns.Cell) value {
		return func(x *part) columns.Cell {
			if x.quote != nil {
				return quote(x.quote)
			}
			return mission(x.mission)
		}
	}
	return []columns.Column[part]{
		{Spec: columns.Spec{Title: "Part", Name: "code", Width: 10}, Value: either(
			func(*api.OpsQuote) columns.Cell { return columns.Text("quote") },
			func(m *api.OpsMission) columns.Cell { return columns.Text(m.MissionCode) })},
		{Spec: columns.Spec{Title: "Name", Name: "name", Width: 14, Fill: 1}, Value: either(
			func(q *api.OpsQuote) columns.Cell { return columns.Text(q.QuoteName) },
			func(m *api.OpsMission) columns.Cell { return columns.Text(m.MissionName) })},
		{Spec: columns.Spec{Title: "Status", Name: "status", Width: 19}, Value: either(
			func(q *api.OpsQuote) columns.Cell {
				return columns.State(labels.Quote(q.Status, !q.IsDecidable(d.Now())), 0)
			},
			func(m *api.OpsMission) columns.Cell { return columns.MissionState(m.Status) })},
		{Spec: columns.Spec{Title: "Operator, price", Name: "operator", Width: 16, Drop: 1}, Value: either(
			func(q *api.OpsQuote) columns.Cell { return columns.Text(priceOf(q)) },
			func(m *api.OpsMission) columns.Cell { return columns.TextAt(m.OperatorName) })},
		{Spec: columns.Spec{Title: "Flight, expiry", Name: "flightDate", Width: 16, Drop: 2}, Value: either(
			func(q *api.OpsQuote) columns.Cell { return columns.Text(moment(q.ExpiryDate, d.Now())) },
			func(m *api.OpsMission) columns.Cell { return columns.Text(moment(m.FlightDate, d.Now())) })},
		{Spec: columns.Spec{Title: "Permission", Name: "permission", Width: 11, Drop: 3}, Value: either(
			func(*api.OpsQuote) columns.Cell { return columns.Cell{} },
			func(m *api.OpsMission) columns.Cell {
				if m.FlightPermission == nil {
					return columns.None()
				}
				return columns.Label(labels.Permission(m.FlightPermission.Status).Word, string(m.FlightPermission.Status)).In(permissionRole(m.FlightPermission))
			})},
	}
}

// about is the selected part, and below it the order.
func (p *parts) about(x *part, w int) []string {
	d, th := p.d, p.d.Theme
	var lines []string
	if m := x.mission; m != nil {
		lines = append(lines, " "+layout.Text(th.Style(theme.Accent), m.MissionCode)+"  "+layout.Text(th.Title, m.MissionName), "")
		lines = append(lines, d.aboutMission(m, w)...)
	} else {
		lines = append(lines, " "+layout.Text(th.Style(theme.Accent), "Quote")+"  "+layout.Text(th.Title, x.quote.QuoteName), "")
		lines = append(lines, d.aboutQuote(x.quote, w)...)
	}
	lines = append(lines, "", " "+layout.Text(th.Style(theme.Accent), x.order.OrderCode)+"  "+layout.Text(th.Title, x.order.OrderName))
	lines = append(lines, d.aboutOrder(x.order, w)...)
	for i := range lines {
		lines[i] = layout.Cut(lines[i], w)
	}
	return lines
}

type orderAnswer = page.Answer[*api.OpsOrder]

func (p *parts) read() tea.Cmd {
	if p.asking.Open() {
		return nil
	}
	ops, uuid := p.d.Ops, p.uuid
	return page.Ask(p.d.Base, &p.asking, func(ctx context.Context) (*api.OpsOrder, error) { return ops.Orders.Get(ctx, uuid) })
}

func (p *parts) take(msg tea.Msg) (tea.Cmd, bool) {
	if got, ok := msg.(orderAnswer); ok && got.Of(&p.asking) {
		if got.Take() {
			if got.Err != nil {
				p.fail(got.Err)
			} else {
				p.show(got.Value)
			}
		}
		return nil, true
	}
	return p.List.Update(msg)
}

// show lists the missions and quotes of the order, those first that are next:
// quotes while it bids, missions afterwards.
func (p *parts) show(o *api.OpsOrder) {
	p.order = o
	p.d.title = o.OrderCode
	p.d.world.works.put(o, p.d.Now())
	var missions, quotes []*part
	for i := range o.Missions {
		missions = append(missions, &part{order: o, mission: &o.Missions[i]})
	}
	for i := range o.Quotes {
		quotes = append(quotes, &part{order: o, quote: &o.Quotes[i]})
	}
	if o.Status == api.OrderBiddingWithQuote {
		p.set(append(quotes, missions...), p.d.Now())
	} else {
		p.set(append(missions, quotes...), p.d.Now())
	}
	if p.selected != "" {
		p.List.Grid.Select(p.selected)
		p.selected = ""
	}
}

func (p *parts) Scopes() []action.Scope { return p.List.Scopes(action.OpsOrder, action.OpsWork) }

func (p *parts) subject() subject {
	s := subject{order: p.order}
	if x := p.Current(); x != nil {
		s.mission, s.quote = x.mission, x.quote
	}
	return s
}

func (p *parts) Disabled(id action.ID) string {
	if p.order == nil && id != action.Refresh {
		return "the order is not read yet"
	}
	if id == action.ShowBothEnds && p.d.Client == nil {
		return "there is no client's end"
	}
	if why := p.d.off(id, p.subject()); why != "" {
		return why
	}
	return p.lister.Disabled(id)
}

func (p *parts) Do(id action.ID) tea.Cmd {
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

// head is the order's own line above its parts.
func (p *parts) head(w int) []string {
	if p.order == nil {
		return nil
	}
	th, o := p.d.Theme, p.order
	st := labels.OrderState(o.Status, quotesOf(o, p.d.Now()))
	return []string{layout.Ends(" "+layout.Text(th.Style(theme.Accent), o.OrderCode)+"  "+layout.Text(th.Title, o.OrderName)+
		layout.Text(th.Style(theme.Muted), "  "+p.d.world.company(o.AccountUID)), layout.Text(th.Style(st.Role), st.Glyph+" "+st.Word)+" ", w)}
}
