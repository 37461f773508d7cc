package operations

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/widget/form"
)

// moveActs returns the actions on orders and missions. The function of maps the
// selected row to the subject of the action, nil for none.
func (d *operationsPage) moveActs(of func(*orderItem) *orderItem) (acts []listpage.Act[orderItem]) {
	mission := func(move api.MissionMove) func(*orderItem) string {
		return func(x *orderItem) string { return commands.RefuseMissionMove(x.order, x.mission, move) }
	}
	for _, a := range []listpage.Act[orderItem]{
		{ID: action.IssueQuote, Off: func(x *orderItem) string { return commands.RefuseQuote(x.order) }, Do: d.issueQuote},
		{ID: action.AssignOperator, Off: mission(api.MoveAssignOperator), Do: d.assignOperator},
		{ID: action.ScheduleFlight, Off: mission(api.MoveSchedule), Do: d.scheduleFlight},
		{ID: action.RecordPermit, Off: func(x *orderItem) string { return commands.RefusePermission(x.order, x.mission) }, Do: d.recordPermit},
		{ID: action.Deliver, Off: mission(api.MoveDeliver), Do: d.deliverData},
		{ID: action.AcceptDelivery, Off: mission(api.MoveAcceptDelivery), Do: d.acceptDelivery},
		{ID: action.ExpireQuote, Off: d.expiryRefusal, Do: d.expireQuote},
		{ID: action.EndOrder, Off: func(x *orderItem) string { return commands.RefuseEnd(x.order) }, Do: d.endOrder},
		{ID: action.EditRecord, Off: func(*orderItem) string { return "" }, Do: d.editRecord},
		{ID: action.SetNotices, Off: func(*orderItem) string { return "" }, Do: d.setNotices},
	} {
		acts = append(acts, listpage.Act[orderItem]{
			ID: a.ID, Any: true,
			Off: func(x *orderItem) string {
				if x = of(x); x == nil {
					return "no order"
				}
				return a.Off(x)
			},
			Do: func(x *orderItem) tea.Cmd { return a.Do(of(x)) },
		})
	}
	return acts
}

// viewAct returns the action that opens the client view.
func (d *operationsPage) viewAct(of func(*orderItem) string) listpage.Act[orderItem] {
	return listpage.Act[orderItem]{
		ID: action.ShowClientView, Any: true,
		Off: func(*orderItem) string {
			if d.Client == nil {
				return "no client view"
			}
			return ""
		},
		Do: func(x *orderItem) tea.Cmd { return d.Open(newClientViewPage(d, of(x))) },
	}
}

// expiringQuote returns the selected quote if it is open, otherwise the order's quote
// that expires first.
func (x *orderItem) expiringQuote(now time.Time) *api.OpsQuote {
	switch {
	case x.quote == nil:
		return openQuote(x.order, now)
	case x.quote.IsDecidable(now):
		return x.quote
	}
	return nil
}

// expiryRefusal returns why no quote can be made to expire, "" if one can.
func (d *operationsPage) expiryRefusal(x *orderItem) string {
	if why := d.world.adjustRefusal(); why != "" {
		return why
	}
	return commands.RefuseExpiry(x.order, x.expiringQuote(d.Now()), d.Now())
}

func (d *operationsPage) issueQuote(x *orderItem) tea.Cmd {
	return d.acts.openForm(d.quoteForm(x.order))
}

// quoteForm returns the form that issues a quote, filled in with the suggested values.
func (d *operationsPage) quoteForm(o *api.OpsOrder) *requestForm {
	in := o.SuggestQuote(0, d.Now())
	suggested, company := "", d.world.companyName(o.AccountUID)
	q := &requestForm{
		title: "Issue quote: " + o.OrderCode, yes: "issue quote", doing: "issuing a quote for " + o.OrderCode,
		lines:  []string{o.OrderCode + "  " + o.OrderName, company + " · " + orderExtent(o)},
		change: func(f *form.Form) { suggested = d.suggestPrice(f, o, in.Currency, suggested) },
	}
	fillIn(d, q, commands.IssueQuote(&in), o.UUID, func(q *api.OpsQuote) requestResult {
		return requestResult{
			said: fmt.Sprintf(
				"Quote for %s issued to %s: %s",
				o.OrderCode,
				company,
				format.Money(q.FinalPrice.Amount, q.Currency),
			),
		}
	}, &form.Field{ID: "suggested", Kind: form.Note}, &form.Field{ID: "final", Label: "Final", Kind: form.Note})
	f := q.form.Fields // place each note below its number
	q.form.Fields = slices.Concat(f[:3], f[7:8], f[3:5], f[8:], f[5:7])
	q.form.Field("priceBeforeDiscount").Set() // computed from the formula
	q.form.Field("expiryDate").Set("in 1 week")
	return q
}

// suggestPrice computes the suggested and the final price. A price that equals the last
// suggestion follows the new one.
func (d *operationsPage) suggestPrice(f *form.Form, o *api.OpsOrder, currency, before string) string {
	price := f.Field("priceBeforeDiscount")
	days, err := f.Field("deliveryBy").Number()
	text := before
	if err == nil {
		usual := o.SuggestQuote(int(days), d.Now()).PriceBeforeDiscount
		text = format.Amount(usual, currency)
		length := format.Count(int(days), "day", "days")
		f.Field("suggested").Note = "usual price for " + length + ": " + format.Money(usual, currency)
	}
	if price.Value() == before && text != before {
		price.Set(text)
	}
	final := f.Field("final")
	final.Note = format.None
	amount, _ := price.Number()
	discount, _ := f.Field("discountPercent").Number()
	if in := (api.QuoteInput{PriceBeforeDiscount: amount, DiscountPercent: discount, Currency: currency}); amount > 0 {
		final.Note = format.Money(in.FinalPrice(), currency)
	}
	return text
}

// endOf returns the last minute of a day.
func endOf(day time.Time) time.Time {
	if day.IsZero() {
		return day
	}
	return day.AddDate(0, 0, 1).Add(-time.Minute)
}

// orderExtent summarises how much an order requests.
func orderExtent(o *api.OpsOrder) string {
	parts := []string{format.Count(len(o.Missions), "mission", "missions")}
	if o.AreaSize != nil && *o.AreaSize > 0 {
		parts = append(parts, format.Area(*o.AreaSize))
	}
	parts = append(parts, format.Count(len(o.Deliverables), "product", "products"))
	return strings.Join(parts, " · ")
}

// missionScope returns the choice between the selected mission and all of its order in
// the same status, nil if there are no others.
func missionScope(s *orderItem, status api.MissionStatus) (field *form.Field, others []*api.OpsMission) {
	for i := range s.order.Missions {
		if m := &s.order.Missions[i]; m.Status == status && m.UUID != s.mission.UUID {
			others = append(others, m)
		}
	}
	if len(others) == 0 || s.mission.Status != status {
		return nil, nil
	}
	all := len(others) + 1
	field = &form.Field{ID: "for", Label: "For", Kind: form.Choice, Options: []form.Option{
		{Value: "one", Label: s.mission.MissionCode, Help: "this mission", Quiet: true},
		{
			Value: "all",
			Label: "all " + format.Count(all, "mission", "missions"),
			Help:  "every mission with status " + labels.MissionStatus(status).Label,
			Quiet: true,
		},
	}}
	return field, others
}

// chosenMissions returns the missions chosen in a form.
func chosenMissions(f *form.Form, s *orderItem, others []*api.OpsMission) []*api.OpsMission {
	if field := f.Field("for"); field != nil && field.Value() == "all" {
		return append([]*api.OpsMission{s.mission}, others...)
	}
	return []*api.OpsMission{s.mission}
}

// missionBatch applies a change to missions one by one. After a failure, retrying
// continues with those left.
type missionBatch struct{ done map[string]bool }

// eachMission applies the change to missions. Errors include the number of missions
// done before.
func (b *missionBatch) eachMission(missions []*api.OpsMission, do func(m *api.OpsMission) error) error {
	if b.done == nil {
		b.done = map[string]bool{}
	}
	for _, m := range missions {
		if b.done[m.UUID] {
			continue
		}
		if err := do(m); err != nil {
			if n := len(b.done); n > 0 {
				return fmt.Errorf(
					"%s of %d updated, then %s failed: %w",
					format.Count(n, "mission", "missions"),
					len(missions),
					m.MissionCode,
					refusalReason(err),
				)
			}
			return err
		}
		b.done[m.UUID] = true
	}
	return nil
}

// refusalReason returns the service's message without its context.
func refusalReason(err error) error {
	var e *api.Error
	if errors.As(err, &e) {
		return errors.New(e.Message)
	}
	return err
}

// missionNames returns the code of a single mission, otherwise their number.
func missionNames(missions []*api.OpsMission) string {
	if len(missions) == 1 {
		return missions[0].MissionCode
	}
	return format.Count(len(missions), "mission", "missions")
}

// endOrder opens the form that ends an order with a reason.
func (d *operationsPage) endOrder(x *orderItem) tea.Cmd {
	o := x.order
	word := commands.DescribeEnd(o)
	q := &requestForm{
		title: "End order: " + o.OrderCode,
		yes:   word,
		doing: "ending " + o.OrderCode,
		lines: []string{
			o.OrderCode + "  " + o.OrderName,
			d.world.companyName(o.AccountUID) + " · " + labels.OrderStatus(o.Status).Label,
		},
	}
	move, _ := api.EndingMove(o.Status)
	fillIn(d, q, commands.EndOrder(new(string), move), o.UUID, func(now *api.Order) requestResult {
		return requestResult{said: o.OrderCode + ": " + layout.Clean(labels.OrderStatus(now.Status).Label)}
	}, &form.Field{ID: "code", Label: "Order code", Help: "type " + o.OrderCode + " to confirm"})
	q.warn = "This will " + word + ". " + q.warn
	fill := q.check
	q.check = func(f *form.Form) {
		fill(f)
		if !strings.EqualFold(f.Field("code").Value(), o.OrderCode) {
			f.Field("code").Error = "type " + o.OrderCode
		}
	}
	return d.acts.openForm(q)
}

// expireQuote opens the dialog that advances the service's clock to a quote's expiry.
func (d *operationsPage) expireQuote(x *orderItem) tea.Cmd {
	o, q := x.order, x.expiringQuote(d.Now())
	left := q.ExpiryDate.Sub(d.Now())
	name := "“" + q.QuoteName + "” of " + o.OrderCode
	return confirmCommand(d, "Expire quote", "expire quote", commands.ExpireQuote(q), "", []string{
		name + " expires " + format.Moment(q.ExpiryDate.Time, d.Now()) + ", in " + formatLength(left) + ".",
	}, func(*api.ServiceClock) requestResult {
		return requestResult{said: name + " expired; clock advanced by " + formatLength(left)}
	})
}

// acceptDelivery opens the dialog that accepts a delivery and completes the mission.
func (d *operationsPage) acceptDelivery(x *orderItem) tea.Cmd {
	m := x.mission
	lines := []string{m.MissionCode + "  " + m.MissionName}
	for _, p := range m.Packages[:min(1, len(m.Packages))] {
		lines = append(
			lines,
			fmt.Sprintf(
				"%s, version %d: %s, %s",
				p.Name,
				p.Version,
				format.Count(p.FileCount, "file", "files"),
				format.Bytes(p.TotalSize),
			),
		)
	}
	return confirmCommand(
		d,
		"Accept delivery",
		"accept delivery",
		commands.AcceptDelivery(),
		m.UUID,
		lines,
		func(*api.Mission) requestResult {
			return requestResult{said: m.MissionCode + " completed"}
		},
	)
}
