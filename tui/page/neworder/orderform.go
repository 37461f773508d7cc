package neworder

import (
	"cmp"
	"fmt"
	"strings"

	"flightdesk/tui/app/ordering"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/page/sitemap"
	"flightdesk/tui/widget/form"
)

// orderForm is step 3: the order's fields in words people use.
type orderForm struct {
	p    *NewOrder
	form *form.Form
	smap *sitemap.Map
	sums sums
}

func newOrderForm(p *NewOrder) *orderForm {
	o := &orderForm{p: p, smap: sitemap.New()}
	var fields []*form.Field
	for _, f := range ordering.Fields() {
		fields = append(fields, formField(f))
	}
	o.form = form.New(api.MaxNameLength, p.Now, fields...)
	return o
}

// formKinds are what fields of an order are in a form.
var formKinds = map[ordering.FieldKind]form.Kind{
	ordering.TextField: form.Text, ordering.DateField: form.Date, ordering.OneField: form.Choice,
	ordering.ManyField: form.Multi, ordering.DerivedField: form.Note,
}

// formField is a field of an order in a form.
func formField(f ordering.Field) *form.Field {
	options := make([]form.Option, len(f.Options))
	for i, o := range f.Options {
		options[i] = form.Option{Value: o.Value, Label: o.Label, Help: o.Help, Fixed: o.Always}
	}
	return &form.Field{ID: f.ID, Label: f.Label, Help: f.Help, Kind: formKinds[f.Kind], Options: options}
}

// enter fills in what can be known and shows the draft's values.
func (o *orderForm) enter() tea.Cmd {
	d := o.p.draft
	d.Suggest(o.p.company())
	for _, f := range o.form.Fields {
		if f.Kind != form.Note {
			f.Set(d.Fields[f.ID]...)
		}
	}
	note := labels.OrderType(d.OrderType())
	o.form.Field("orderType").Note = fmt.Sprintf("%s · from your %s", note.Label,
		format.Count(len(d.Included()), "site", "sites"))
	o.sum()
	return nil
}

func (o *orderForm) update(msg tea.Msg) tea.Cmd {
	if !o.form.Update(msg) {
		return nil
	}
	return o.changed()
}

// changed takes the value of the field in focus into the draft.
func (o *orderForm) changed() tea.Cmd {
	f := o.form.Focused()
	if f.Kind == form.Choice || f.Kind == form.Multi {
		o.p.draft.Fields[f.ID] = f.Values()
	} else {
		o.p.draft.Fields[f.ID] = []string{f.Value()}
	}
	o.check(f)
	if f.ID == "startDate" && o.form.Field("deadline").Error != "" {
		o.check(o.form.Field("deadline"))
	}
	return o.p.touched()
}

// check shows what is wrong with a field; dates not while they are typed.
func (o *orderForm) check(f *form.Field) {
	f.Error = ""
	if f.Kind != form.Date {
		f.Error = o.p.draft.FieldFault(f.ID, o.p.Now())
	}
}

// checkAll shows what is wrong with every field and returns the first at fault.
func (o *orderForm) checkAll() string {
	first := ""
	for _, f := range o.form.Fields {
		f.Error = o.p.draft.FieldFault(f.ID, o.p.Now())
		if f.Error != "" {
			first = cmp.Or(first, f.ID)
		}
	}
	return first
}

func (o *orderForm) do(id action.ID) tea.Cmd {
	leaving := o.form.Focused()
	switch id {
	case action.NextField:
		o.form.Next(1)
	case action.FieldDown:
		o.form.Down()
	case action.KeepDay:
		o.form.Keep()
		return o.changed()
	case action.PrevField:
		o.form.Next(-1)
	case action.Submit:
		return o.submit()
	}
	if o.pick(id) || o.form.Picking() {
		return nil
	}
	leaving.Error = o.p.draft.FieldFault(leaving.ID, o.p.Now())
	return nil
}

// pick moves in the calendar and reports whether the action was of it.
func (o *orderForm) pick(id action.ID) bool {
	switch id {
	case action.DayBefore:
		o.form.Pick(-1, 0)
	case action.DayAfter:
		o.form.Pick(1, 0)
	case action.WeekBefore:
		o.form.Pick(-7, 0)
	case action.WeekAfter:
		o.form.Pick(7, 0)
	case action.MonthBefore:
		o.form.Pick(0, -1)
	case action.MonthAfter:
		o.form.Pick(0, 1)
	default:
		return false
	}
	return true
}

// submit goes on to the review, or to the first field at fault.
func (o *orderForm) submit() tea.Cmd {
	if first := o.checkAll(); first != "" {
		o.form.Focus(first)
		return nil
	}
	return o.p.goTo(ordering.StepReview)
}

func (o *orderForm) cursor() *tea.Cursor       { return o.form.Cursor() }
func (o *orderForm) typing() bool              { return true }
func (o *orderForm) disabled(action.ID) string { return "" }

// scopes are the calendar's alone while that is open.
func (o *orderForm) scopes() []action.Scope {
	if o.form.Picking() {
		return []action.Scope{action.Calendar}
	}
	return []action.Scope{action.Form, action.Steps}
}

// serviceErrors shows the service's field errors at the fields they belong to.
func (o *orderForm) serviceErrors(faults []ordering.Fault) {
	for _, fault := range faults {
		if f := o.form.Field(strings.TrimPrefix(fault.Field, "order.")); f != nil {
			f.Error = fault.Message
		}
	}
}

func (o *orderForm) mouse(page.Mouse) tea.Cmd { return nil }
