package neworder

import (
	"cmp"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/page/detail"
	"flightdesk/tui/page/sitemap"
	"flightdesk/tui/widget/form"
)

// orderForm is step 3: the order's fields in words people use.
type orderForm struct {
	stepPage
	form *form.Form
	sums orderSums
}

func newOrderForm(p *NewOrder) *orderForm {
	o := &orderForm{}
	o.stepPage = stepPage{detail.NewPage(p.Env, "new order", besideMap, o.renderForm, o.renderAside), p}
	o.Map = sitemap.New()
	var fields []*form.Field
	for _, f := range ordering.OrderFields() {
		options := make([]form.Option, len(f.Options))
		for i, o := range f.Options {
			options[i] = form.Option{Value: o.Value, Label: o.Label, Help: o.Help, Fixed: o.Always}
		}
		fields = append(
			fields,
			&form.Field{ID: f.ID, Label: f.Label, Help: f.Help, Kind: formKinds[f.Kind], Options: options},
		)
	}
	o.form = form.New(api.MaxNameLength, p.Now, fields...)
	return o
}

// formKinds are what fields of an order are in a form.
var formKinds = map[ordering.FieldKind]form.Kind{
	ordering.TextField: form.Text, ordering.DateField: form.Date, ordering.OneField: form.Choice,
	ordering.ManyField: form.Multi, ordering.DerivedField: form.Note,
}

// OnShow fills in what can be known and shows the draft's values.
func (o *orderForm) OnShow() tea.Cmd {
	d := o.p.draft
	d.SuggestValues(o.p.orderingCompany())
	for _, f := range o.form.Fields {
		if f.Kind != form.Note {
			f.Set(d.Fields[f.ID]...)
		}
	}
	note := labels.Word(d.OrderType()).Label
	o.form.Field("orderType").Note = note + " · from your " + siteCount(len(d.IncludedSites()))
	o.sumSites()
	return nil
}

// Update takes what is typed.
func (o *orderForm) Update(msg tea.Msg) tea.Cmd {
	if !o.form.Update(msg) {
		return nil
	}
	return o.takeField()
}

// takeField takes the value of the field in focus into the draft.
func (o *orderForm) takeField() tea.Cmd {
	f := o.form.Focused()
	values := f.Values()
	if len(f.Options) == 0 {
		values = []string{f.Value()}
	}
	o.p.draft.Fields[f.ID] = values
	o.checkField(f)
	if f.ID == "startDate" && o.form.Field("deadline").Error != "" {
		o.checkField(o.form.Field("deadline"))
	}
	return o.p.noteChange()
}

// checkField shows what is wrong with a field; dates not while they are typed.
func (o *orderForm) checkField(f *form.Field) {
	f.Error = ""
	if f.Kind != form.Date {
		f.Error = o.p.draft.FieldFault(f.ID, o.p.Now())
	}
}

// checkAll shows what is wrong with every field and returns the first at fault.
func (o *orderForm) checkAll() string {
	first := ""
	for _, f := range o.form.Fields {
		if f.Error = o.p.draft.FieldFault(f.ID, o.p.Now()); f.Error != "" {
			first = cmp.Or(first, f.ID)
		}
	}
	return first
}

// HandleAction moves in the form.
func (o *orderForm) HandleAction(id action.ID) tea.Cmd {
	leaving := o.form.Focused()
	switch id {
	case action.NextField:
		o.form.MoveFocus(1)
	case action.FieldDown:
		o.form.MoveDown()
	case action.SelectDay:
		o.form.KeepDay()
		return o.takeField()
	case action.PrevField:
		o.form.MoveFocus(-1)
	case action.Submit:
		first := o.checkAll()
		if first == "" {
			return o.p.goTo(ordering.StepReview)
		}
		o.form.FocusField(first)
		return nil
	}
	if by, ok := calendarMoves[id]; ok {
		o.form.MoveDay(by[0], by[1])
	}
	if o.form.IsCalendarOpen() {
		return nil
	}
	leaving.Error = o.p.draft.FieldFault(leaving.ID, o.p.Now())
	return nil
}

// calendarMoves are days and months that actions move in the calendar.
var calendarMoves = map[action.ID][2]int{
	action.DayBefore: {-1, 0}, action.DayAfter: {1, 0}, action.WeekBefore: {-7, 0}, action.WeekAfter: {7, 0},
	action.MonthBefore: {0, -1}, action.MonthAfter: {0, 1},
}

// Cursor is in the form.
func (o *orderForm) Cursor() *tea.Cursor { return o.form.Cursor() }

// IsTyping returns true.
func (o *orderForm) IsTyping() bool { return true }

// HandleBack closes the calendar.
func (o *orderForm) HandleBack() bool { return o.form.CloseCalendar() }

// ActionScopes returns the calendar's alone while that is open.
func (o *orderForm) ActionScopes() []action.Scope {
	if o.form.IsCalendarOpen() {
		return []action.Scope{action.Calendar}
	}
	return []action.Scope{action.NewOrderDetails, action.NewOrderSteps}
}

// serviceErrors shows the service's field errors at the fields they belong to.
func (o *orderForm) serviceErrors(faults []ordering.OrderFault) {
	for _, fault := range faults {
		if f := o.form.Field(strings.TrimPrefix(fault.Field, "order.")); f != nil {
			f.Error = fault.Message
		}
	}
}
