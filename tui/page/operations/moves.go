package operations

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/widget/form"
)

// moveSubject is what the moves are about.
type moveSubject struct {
	order   *api.OpsOrder
	mission *api.OpsMission // nil where none is chosen
	quote   *api.OpsQuote   // nil: the open one that expires first
}

// moved are the actions on orders and missions.
var moved = []action.ID{
	action.IssueQuote, action.AssignOperator, action.ScheduleFlight, action.RecordPermit, action.Deliver, action.AcceptDelivery,
	action.ExpireQuote, action.EndOrder, action.EditRecord, action.SetNotices,
}

// moveRefusal says why a move is off, "" where it is on or the action is none.
func (d *operationsPage) moveRefusal(id action.ID, s moveSubject) string {
	switch {
	case !slices.Contains(moved, id):
		return ""
	case s.order == nil:
		return "no order"
	}
	switch id {
	case action.IssueQuote:
		return commands.RefuseQuote(s.order)
	case action.ExpireQuote:
		if why := d.world.adjustRefusal(); why != "" {
			return why
		}
		return commands.RefuseExpiry(s.order, s.expiringQuote(d.Now()), d.Now())
	case action.EndOrder:
		return commands.RefuseEnd(s.order)
	case action.EditRecord, action.SetNotices:
		return ""
	case action.RecordPermit:
		return commands.RefusePermission(s.order, s.mission)
	}
	return commands.RefuseMissionMove(s.order, s.mission, missionMoves[id])
}

// expiringQuote returns the quote that would be made to expire.
func (s moveSubject) expiringQuote(now time.Time) *api.OpsQuote {
	if s.quote != nil {
		if s.quote.IsDecidable(now) {
			return s.quote
		}
		return nil
	}
	return openQuote(s.order, now)
}

// missionMoves are the moves that the actions make.
var missionMoves = map[action.ID]api.MissionMove{
	action.AssignOperator: api.MoveAssignOperator,
	action.ScheduleFlight: api.MoveSchedule,
	action.Deliver:        api.MoveDeliver,
	action.AcceptDelivery: api.MoveAcceptDelivery,
}

// performMove performs a move and reports whether the action was one.
func (d *operationsPage) performMove(id action.ID, s moveSubject) bool {
	switch id {
	case action.IssueQuote:
		d.acts.openForm(d.quoteForm(s.order))
	case action.AssignOperator:
		d.acts.openForm(d.assignAsk(s))
	case action.ScheduleFlight:
		d.acts.openForm(d.scheduleAsk(s))
	case action.RecordPermit:
		d.acts.openForm(d.permitAsk(s.mission))
	case action.Deliver:
		d.acts.openForm(d.deliverAsk(s))
	case action.AcceptDelivery:
		d.confirmAccept(s.mission)
	case action.ExpireQuote:
		d.confirmExpire(s.order, s.expiringQuote(d.Now()))
	case action.EndOrder:
		d.confirmEnd(s.order)
	case action.EditRecord:
		d.acts.openForm(d.recordAsk(s.order))
	case action.SetNotices:
		d.acts.openForm(d.noticesAsk(s.order))
	default:
		return false
	}
	return true
}

// quoteForm issues a quote, with what the formula suggests filled in.
func (d *operationsPage) quoteForm(o *api.OpsOrder) *requestForm {
	in := o.SuggestQuote(0, d.Now())
	suggested, company := "", d.world.companyName(o.AccountUID)
	q := &requestForm{
		title: "Issue quote: " + o.OrderCode, yes: "issue quote", doing: "issuing a quote for " + o.OrderCode,
		lines:  []string{o.OrderCode + "  " + o.OrderName, company + " · " + orderExtent(o)},
		change: func(f *form.Form) { suggested = d.suggestPrice(f, o, in.Currency, suggested) },
	}
	fillIn(d, q, commands.IssueQuote(&in), o.UUID, func(q *api.OpsQuote) requestResult {
		return requestResult{said: fmt.Sprintf("Quote for %s issued to %s: %s", o.OrderCode, company, format.Money(q.FinalPrice.Amount, q.Currency))}
	}, &form.Field{ID: "suggested", Kind: form.Note}, &form.Field{ID: "final", Label: "Final", Kind: form.Note})
	f := q.form.Fields // the notes are below the numbers that they are about
	q.form.Fields = slices.Concat(f[:3], f[7:8], f[3:5], f[8:], f[5:7])
	q.form.Field("priceBeforeDiscount").Set() // what is usual is worked out
	q.form.Field("expiryDate").Set("in 1 week")
	return q
}

// suggestPrice works the suggestion and the final price out. A price that still is
// what was suggested before follows the new suggestion.
func (d *operationsPage) suggestPrice(f *form.Form, o *api.OpsOrder, currency, before string) string {
	price := f.Field("priceBeforeDiscount")
	days, err := f.Field("deliveryBy").Number()
	text := before
	if err == nil {
		usual := o.SuggestQuote(int(days), d.Now()).PriceBeforeDiscount
		text = format.Amount(usual, currency)
		f.Field("suggested").Note = "usual price for " + format.Count(int(days), "day", "days") + ": " + format.Money(usual, currency)
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

// orderExtent says how much an order asks for.
func orderExtent(o *api.OpsOrder) string {
	parts := []string{format.Count(len(o.Missions), "mission", "missions")}
	if o.AreaSize != nil && *o.AreaSize > 0 {
		parts = append(parts, format.Area(*o.AreaSize))
	}
	parts = append(parts, format.Count(len(o.Deliverables), "product", "products"))
	return strings.Join(parts, " · ")
}

// missionScope says which missions a move is for: the chosen one, or all of its order
// that wait for the same.
func missionScope(s moveSubject, status api.MissionStatus) (field *form.Field, others []*api.OpsMission) {
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
		{Value: "all", Label: "all " + format.Count(all, "mission", "missions"), Help: "every mission with status " + labels.MissionStatus(status).Label, Quiet: true},
	}}
	return field, others
}

// chosenMissions returns the missions that a form is for.
func chosenMissions(f *form.Form, s moveSubject, others []*api.OpsMission) []*api.OpsMission {
	if field := f.Field("for"); field != nil && field.Value() == "all" {
		return append([]*api.OpsMission{s.mission}, others...)
	}
	return []*api.OpsMission{s.mission}
}

// missionBatch does something for missions one by one. What was done is not done again
// when the rest is tried once more.
type missionBatch struct{ done map[string]bool }

// eachMission goes through the missions. Where one is refused it says how many were
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
				return fmt.Errorf("%s of %d updated, then %s failed: %w", format.Count(n, "mission", "missions"), len(missions), m.MissionCode, refusalReason(err))
			}
			return err
		}
		b.done[m.UUID] = true
	}
	return nil
}

// refusalReason returns what the service said, without what was being done.
func refusalReason(err error) error {
	var e *api.Error
	if errors.As(err, &e) {
		return errors.New(e.Message)
	}
	return err
}

// missionNames names missions: the code of one, else their number.
func missionNames(missions []*api.OpsMission) string {
	if len(missions) == 1 {
		return missions[0].MissionCode
	}
	return format.Count(len(missions), "mission", "missions")
}

// confirmEnd ends an order with a reason.
func (d *operationsPage) confirmEnd(o *api.OpsOrder) {
	word := commands.DescribeEnd(o)
	q := &requestForm{
		title: "End order: " + o.OrderCode, yes: word, doing: "ending " + o.OrderCode,
		lines: []string{o.OrderCode + "  " + o.OrderName, d.world.companyName(o.AccountUID) + " · " + labels.OrderStatus(o.Status).Label},
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
	d.acts.openForm(q)
}

// confirmExpire has a quote expire by moving the clock there.
func (d *operationsPage) confirmExpire(o *api.OpsOrder, q *api.OpsQuote) {
	left := q.ExpiryDate.Sub(d.Now())
	name := "“" + q.QuoteName + "” of " + o.OrderCode
	confirmCommand(d, "Expire quote", "expire quote", commands.ExpireQuote(q), "", []string{
		name + " expires " + format.Moment(q.ExpiryDate.Time, d.Now()) + ", in " + formatLength(left) + ".",
	}, func(*api.ServiceClock) requestResult {
		return requestResult{said: name + " expired; clock advanced by " + formatLength(left)}
	})
}

// confirmAccept completes a mission.
func (d *operationsPage) confirmAccept(m *api.OpsMission) {
	lines := []string{m.MissionCode + "  " + m.MissionName}
	for _, p := range m.Packages[:min(1, len(m.Packages))] {
		lines = append(lines, fmt.Sprintf("%s, version %d: %s, %s", p.Name, p.Version, format.Count(p.FileCount, "file", "files"), format.Bytes(p.TotalSize)))
	}
	confirmCommand(d, "Accept delivery", "accept delivery", commands.AcceptDelivery(), m.UUID, lines, func(*api.Mission) requestResult {
		return requestResult{said: m.MissionCode + " completed"}
	})
}
