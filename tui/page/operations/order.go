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

// partLook marks failed notices, and mutes quotes that are no longer open.
func (p *orderItem) partLook(now time.Time) (table.Cell, bool) {
	switch {
	case p.notice != nil && p.notice.Failed():
		return table.Cell{Text: "!", Role: theme.Bad}, false
	case p.quote != nil:
		return table.Cell{}, !p.quote.IsDecidable(now) && p.quote.Status != api.QuoteAccepted
	}
	return table.Cell{}, false
}

// partStamp returns a stamp that differs after each change.
func (p *orderItem) partStamp() string {
	switch {
	case p.mission != nil:
		return string(p.mission.Status) + p.mission.UpdatedAt.String()
	case p.notice != nil:
		return fmt.Sprint(p.notice.Success, p.notice.Attempts, textOrEmpty(p.notice.Error))
	}
	return string(p.quote.Status)
}

// newOrderPage returns the page of one order as Operations sees it, with a mission
// selected by ID.
func newOrderPage(from *operationsPage, uuid, selected string) *operationsPage {
	d := newOperationsPage(from.Env, from.world, shortID(uuid))
	p := newOrderParts(d, uuid, selected)
	p.followOrder()
	d.addPane("Order", p)
	return d
}

// orderParts lists the missions, quotes and completion notices of an order.
type orderParts struct {
	*listPane[orderItem]
	d        *operationsPage
	uuid     string
	selected string
	order    *api.OpsOrder // nil until it was read
	state    listpage.State[orderItem]
	notices  []api.CompletionNotice
	resend   *page.UndeliveredResender
}

func newOrderParts(d *operationsPage, uuid, selected string) *orderParts {
	p := &orderParts{d: d, uuid: uuid, selected: selected, resend: page.NewResender(d.Base)}
	source := listpage.Source[orderItem]{
		State: func() listpage.State[orderItem] { return p.readParts(d) },
		Needs: func(int) []cache.Need { return p.partNeeds(d) },
	}
	p.listPane = newListPane(d, source, listpage.Options[orderItem]{
		Name:        "desk-parts",
		Example:     "status:scheduled",
		One:         "mission or quote",
		Many:        "missions and quotes",
		Scope:       action.OpsOrder,
		Also:        []action.Scope{action.OpsTask},
		Columns:     partColumns(d),
		ID:          (*orderItem).itemID,
		Look:        func(x *orderItem) (table.Cell, bool) { return x.partLook(d.Now()) },
		Stamp:       (*orderItem).partStamp,
		SplitDetail: linesBeside(p.renderAbout),
		Open:        showDetails(d, "Details", p.renderAbout),
		Head:        p.renderHead,
		Empty:       [2]string{"The order has no missions.", ""},
		Acts: append(d.moveActs(p.moveSubject), d.viewAct(func(x *orderItem) string {
			if x != nil && x.mission != nil {
				return x.mission.UUID
			}
			return uuid
		}), listpage.Act[orderItem]{ID: action.ResendNotice, Any: true, Off: p.resendRefusal, Do: p.resendNotice}),
	}, func(*orderItem) inspectSubject { return orderSubject(p.order) })
	return p
}

// partCell returns a cell for whichever the row is: quote, mission or completion
// notice.
func partCell(
	quote func(*api.OpsQuote) columns.Cell,
	mission func(*api.OpsMission) columns.Cell,
	notice func(*api.CompletionNotice) columns.Cell,
) func(x *orderItem) columns.Cell {
	return func(x *orderItem) columns.Cell {
		switch {
		case x.quote != nil:
			return quote(x.quote)
		case x.notice != nil:
			return notice(x.notice)
		}
		return mission(x.mission)
	}
}

// partColumns returns the columns of an order's parts.
func partColumns(d *operationsPage) []columns.Column[orderItem] {
	return []columns.Column[orderItem]{
		{ColumnSpec: columns.ColumnSpec{Title: "Part", Name: "code", Width: 10}, Value: partCell(
			func(*api.OpsQuote) columns.Cell { return columns.TextCell("quote") },
			func(m *api.OpsMission) columns.Cell { return columns.TextCell(m.MissionCode) },
			func(*api.CompletionNotice) columns.Cell { return columns.TextCell("notice") },
		)},
		{ColumnSpec: columns.ColumnSpec{Title: "Name", Name: "name", Width: 14, Fill: 1}, Value: partCell(
			func(q *api.OpsQuote) columns.Cell { return columns.TextCell(q.QuoteName) },
			func(m *api.OpsMission) columns.Cell { return columns.TextCell(m.MissionName) },
			func(n *api.CompletionNotice) columns.Cell { return columns.TextCell(timeline.NoticeWay(n)) },
		)},
		{ColumnSpec: columns.ColumnSpec{Title: "Status", Name: "status", Width: 19}, Value: partCell(
			func(q *api.OpsQuote) columns.Cell {
				return columns.StateCell(labels.QuoteLabel(q.Status, !q.IsDecidable(d.Now())), 0)
			},
			func(m *api.OpsMission) columns.Cell { return columns.MissionState(m.Status) },
			func(n *api.CompletionNotice) columns.Cell {
				text, glyph, role := timeline.NoticeOutcome(n)
				text, _, _ = strings.Cut(text, ": ")
				return columns.TextCell(glyph + " " + text).WithTone(role)
			},
		)},
		{
			ColumnSpec: columns.ColumnSpec{Title: "Operator, price", Name: "operator", Width: 16, Drop: 1},
			Value: partCell(
				func(q *api.OpsQuote) columns.Cell { return columns.TextCell(priceOf(q)) },
				func(m *api.OpsMission) columns.Cell { return columns.TextAt(m.OperatorName) },
				func(n *api.CompletionNotice) columns.Cell {
					text, _, _ := timeline.NoticeOutcome(n)
					_, why, _ := strings.Cut(text, ": ")
					return columns.TextCell(cmp.Or(why, format.None))
				},
			),
		},
		{
			ColumnSpec: columns.ColumnSpec{Title: "Flight, expiry", Name: "flightDate", Width: 16, Drop: 2},
			Value: partCell(
				func(q *api.OpsQuote) columns.Cell { return columns.TextCell(formatMoment(q.ExpiryDate, d.Now())) },
				func(m *api.OpsMission) columns.Cell { return columns.TextCell(formatMoment(m.FlightDate, d.Now())) },
				func(*api.CompletionNotice) columns.Cell { return columns.NoCell() },
			),
		},
		{ColumnSpec: columns.ColumnSpec{Title: "Permission", Name: "permission", Width: 11, Drop: 3}, Value: partCell(
			func(*api.OpsQuote) columns.Cell { return columns.Cell{} },
			func(m *api.OpsMission) columns.Cell {
				if m.FlightPermission == nil {
					return columns.NoCell()
				}
				return columns.LabelCell(labels.PermissionLabel(m.FlightPermission.Status).Label, string(m.FlightPermission.Status)).
					WithTone(permissionRole(m.FlightPermission))
			},
			func(*api.CompletionNotice) columns.Cell { return columns.Cell{} },
		)},
	}
}

// renderAbout renders the selected part, with the order below it.
func (p *orderParts) renderAbout(x *orderItem, w int) []string {
	d, th := p.d, p.d.Theme
	var lines []string
	head := func(what, name string) {
		lines = append(lines, " "+th.PaintRole(theme.Accent, what)+"  "+th.PaintTitle(name), "")
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
	lines = append(lines, "", " "+th.PaintRole(theme.Accent, x.order.OrderCode)+"  "+th.PaintTitle(x.order.OrderName))
	lines = append(lines, d.aboutOrder(x.order, w)...)
	for i := range lines {
		lines[i] = layout.CutLine(lines[i], w)
	}
	return lines
}

// partNeeds requests the order and, once it is completed, its completion notices.
func (p *orderParts) partNeeds(d *operationsPage) []cache.Need {
	needs := []cache.Need{d.world.cache.Details.NeedOf(p.uuid)}
	if p.order != nil && p.order.Status == api.OrderCompleted {
		needs = append(needs, d.world.cache.Notices.NeedOf(p.uuid))
	}
	return needs
}

// readParts returns the parts of the order, most urgent first: failed notices, quotes
// while bidding, then missions.
func (p *orderParts) readParts(d *operationsPage) listpage.State[orderItem] {
	o, is := d.world.cache.Details.Get(p.uuid)
	notices, told := d.world.cache.Notices.Get(p.uuid)
	if is.Err == nil {
		is.Err = told.Err
	}
	if is.Version+told.Version == p.state.Version {
		return p.state
	}
	p.order, p.notices, p.state = o, notices, listpage.State[orderItem]{
		Version: is.Version + told.Version,
		At:      is.ReadAt,
		Err:     is.Err,
	}
	if o != nil {
		d.title = o.OrderCode
		p.state.Rows = partsOf(o, notices)
	}
	return p.state
}

func partsOf(o *api.OpsOrder, notices []api.CompletionNotice) []*orderItem {
	var missions, quotes, told, failed []*orderItem
	for i := range o.Missions {
		missions = append(missions, &orderItem{order: o, mission: &o.Missions[i]})
	}
	for i := range o.Quotes {
		quotes = append(quotes, &orderItem{order: o, quote: &o.Quotes[i]})
	}
	for i := range notices {
		n := &orderItem{order: o, notice: &notices[i]}
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

// Update selects the mission the page was opened for once it is loaded.
func (p *orderParts) Update(msg tea.Msg) tea.Cmd {
	if cmd, taken := p.resend.Update(msg); taken {
		return cmd
	}
	cmd := p.listPane.Update(msg)
	p.followOrder()
	return cmd
}

func (p *orderParts) followOrder() {
	if p.selected != "" && p.order != nil {
		p.List.Grid.Select(p.selected)
		p.selected = ""
	}
}

// moveSubject returns the selected part, otherwise the order.
func (p *orderParts) moveSubject(x *orderItem) *orderItem {
	if x == nil && p.order != nil {
		return &orderItem{order: p.order}
	}
	return x
}

func (p *orderParts) DisabledReason(id action.ID) string {
	if p.order == nil && id != action.Refresh {
		return "the order is still loading"
	}
	return p.listPane.DisabledReason(id)
}

func (p *orderParts) resendNotice(x *orderItem) tea.Cmd {
	p.resend.AskToResend(p.selectedNotice(x), timeline.FailedNotices(p.notices, p.order.OrderCode), p.order.OrderCode)
	return nil
}

// selectedNotice returns the selected completion notice to resend, nil if another part
// is selected.
func (p *orderParts) selectedNotice(x *orderItem) *timeline.UndeliveredItem {
	if x == nil || x.notice == nil {
		return nil
	}
	s := timeline.NoticeSending(x.notice, p.order.OrderCode)
	return &s
}

// resendRefusal returns why no notice can be resent, "" if one can.
func (p *orderParts) resendRefusal(x *orderItem) string {
	if len(p.notices) == 0 {
		return "no completion notices"
	}
	failed := timeline.FailedNotices(p.notices, p.order.OrderCode)
	if p.selectedNotice(x) == nil && len(failed) == 0 {
		return "no failed completion notices"
	}
	return p.resend.DisabledReason(p.selectedNotice(x), len(failed))
}

// renderHead renders the order in one line above its parts.
func (p *orderParts) renderHead(w int) []string {
	if p.order == nil {
		return nil
	}
	th, o := p.d.Theme, p.order
	st := labels.OrderState(o.Status, quotesOf(o, p.d.Now()))
	return []string{layout.FitEnds(" "+th.PaintRole(theme.Accent, o.OrderCode)+"  "+th.PaintTitle(o.OrderName)+
		th.PaintMuted("  "+p.d.world.companyName(o.AccountUID)), th.PaintRole(st.Role, st.Glyph+" "+st.Label)+" ", w)}
}
