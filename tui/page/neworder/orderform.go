package neworder

import (
	"cmp"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// orderForm is step 3: the order's fields in words people use.
type orderForm struct {
	stepPage
	form   *widget.Form
	opened bool // the field in focus was chosen since the step was entered
}

func newOrderForm(p *NewOrder) *orderForm {
	o := &orderForm{}
	o.stepPage = stepPage{page.NewDetail(p.env, "new order", besideMap, o.renderForm, o.renderAside), p, p.draft}
	o.Map = page.NewSiteMap()
	var fields []*widget.Field
	for _, f := range ordering.OrderFields() {
		fields = append(fields, &widget.Field{
			ID: f.ID, Label: f.Label, Help: f.Help, Kind: formKinds[f.Kind], Options: f.Options,
			LastDay: f.ID == "deadline",
		})
	}
	o.form = widget.NewForm(api.MaxNameLength, p.env.Clock.Now, fields...)
	return o
}

// formKinds are what fields of an order are in a form, by their kinds.
var formKinds = []widget.FieldKind{
	widget.TextField, widget.DateField, widget.ChoiceField, widget.MultiField, widget.NoteField,
}

// OnShow fills in what can be known and shows the draft's values.
func (o *orderForm) OnShow() tea.Cmd {
	d := o.draft
	d.SuggestValues(o.p.orderingCompany())
	o.showOnMap(d.IncludedSites())
	for _, f := range o.form.Fields {
		f.Set(d.Fields[f.ID]...)
	}
	note := format.Word(d.OrderType()).Label
	o.form.Field("orderType").Note = note + " · from your " + siteCount(o.p.sites.countedSum().in)
	if !o.opened {
		o.opened = true
		o.form.FocusEnd(o.firstFault())
	}
	return nil
}

// firstFault returns the first field that is missing or invalid, or "".
func (o *orderForm) firstFault() string {
	for _, f := range ordering.OrderFields() {
		if o.draft.FieldFault(f.ID, o.Env.Clock.Now()) != "" {
			return f.ID
		}
	}
	return ""
}

// Update takes what is typed.
func (o *orderForm) Update(msg tea.Msg) tea.Cmd {
	if !o.form.Update(msg) {
		return nil
	}
	return o.takeField()
}

// takeField copies the value of the focused field to the draft.
func (o *orderForm) takeField() tea.Cmd {
	f := o.form.Focused()
	values := f.Values()
	if len(f.Options) == 0 {
		values = []string{f.Value()}
	}
	o.draft.Fields[f.ID] = values
	o.checkField(f)
	if f.ID == "startDate" && o.form.Field("deadline").Error != "" {
		o.checkField(o.form.Field("deadline"))
	}
	return o.p.noteChange()
}

// checkField shows what is wrong with a field; dates not while they are typed.
func (o *orderForm) checkField(f *widget.Field) {
	f.Error = ""
	if f.Kind != widget.DateField {
		f.Error = o.draft.FieldFault(f.ID, o.Env.Clock.Now())
	}
}

// checkAll shows the errors of all fields and returns the first invalid field.
func (o *orderForm) checkAll() string {
	first := ""
	for _, f := range o.form.Fields {
		if f.Error = o.draft.FieldFault(f.ID, o.Env.Clock.Now()); f.Error != "" {
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
	if by, ok := page.CalendarMoves[id]; ok {
		o.form.MoveDay(by[0], by[1])
	}
	if o.form.IsCalendarOpen() {
		return nil
	}
	leaving.Error = o.draft.FieldFault(leaving.ID, o.Env.Clock.Now())
	return nil
}

// Cursor is in the form.
func (o *orderForm) Cursor() *tea.Cursor { return o.form.Cursor() }

// IsTyping returns true: keys always go to the form.
func (o *orderForm) IsTyping() bool { return true }

// HandleBack closes the calendar.
func (o *orderForm) HandleBack() bool { return o.form.CloseCalendar() }

// ActionScopes returns the scopes of the step, or only the scope of the calendar while the
// calendar is open.
func (o *orderForm) ActionScopes() []action.Scope {
	if o.form.IsCalendarOpen() {
		return []action.Scope{action.Calendar}
	}
	return []action.Scope{action.NewOrderDetails, action.NewOrderSteps}
}

// serviceErrors shows the service's field errors at the fields they belong to.
func (o *orderForm) serviceErrors(faults []ordering.OrderFault) {
	for _, fault := range faults {
		if f := o.form.Field(fault.Field); f != nil {
			f.Error = fault.Message
		}
	}
}

// View draws the form beside what the order adds up to.
func (o *orderForm) View(w, h int) string { return o.DrawPage(w*55/100+1, w, h) }

func (o *orderForm) renderForm(w, h int) string {
	if o.Apart {
		w--
	}
	return o.form.View(o.Env.Look.Theme.Style, w, h)
}

// minMapHeight is what the map below the sums needs.
const minMapHeight = 6

// renderAside renders what is beside the form: what the field in focus means and accepts,
// what the order adds up to, and where it is.
func (o *orderForm) renderAside(w, h int) string {
	t := textLines{Theme: o.Env.Look.Theme, w: w}
	f, _ := ordering.FieldByID(o.form.Focused().ID)
	t.title(f.Label, f.ID)
	t.say(theme.Text, f.About)
	t.say(theme.Muted, f.Limits)
	t.rule()
	sum := o.p.sites.countedSum()
	t.title(siteCount(sum.in), format.Word(o.draft.OrderType()).Label)
	t.say(theme.Attention, sum.split)
	t.add(widget.WrapFacts(t.Theme, 10, t.w, o.orderFacts(sum)...)...)
	t.rule()
	top := len(t.lines)
	if h-top < minMapHeight {
		return format.FitBox(t.lines, w, h)
	}
	return format.FitBox(t.lines, w, top) + "\n" + o.DrawMap(1, top, w, h-top)
}

// orderFacts returns what the order adds up to, after what it lacks.
func (o *orderForm) orderFacts(sum *siteSum) []widget.Fact {
	facts := widget.Texts("Size", strings.Join(sum.measures, " · "), "Country", strings.Join(sum.countries, ", "),
		"Period", o.orderPeriod(), "Price", "in the quotes that follow")
	for _, past := range o.draft.FindPastDates(o.Env.Clock.Now()) {
		facts = slices.Insert(facts, 0, widget.Toned("Check", pastText(past), theme.Attention))
	}
	if missing := o.missingFields(); missing != "" {
		facts = slices.Insert(facts, 0, widget.Toned("Missing", missing, theme.Attention))
	}
	return facts
}

// orderPeriod returns the period of the order, or "" if it is not known yet.
func (o *orderForm) orderPeriod() string {
	start, err := o.form.Field("startDate").Date()
	end, err2 := o.form.Field("deadline").Date()
	if err != nil || err2 != nil || end.End().Before(start.Start()) {
		return ""
	}
	now := o.Env.Clock.Now()
	first, last := start.NoonIn(time.UTC), end.NoonIn(time.UTC)
	days := int(last.Sub(first).Hours()/24) + 1
	return format.Day(start.NoonIn(now.Location()), now) + " → " + format.Day(end.NoonIn(now.Location()), now) +
		", " + format.Count(days, "day")
}

// pastText returns a warning that a date of the form is in the past.
func pastText(past ordering.OrderFault) string {
	f, _ := ordering.FieldByID(past.Field)
	return f.Label + " " + past.Message
}

// missingFields returns the names of the fields that are missing or invalid.
func (o *orderForm) missingFields() string {
	var missing []string
	for _, f := range ordering.OrderFields() {
		if o.draft.FieldFault(f.ID, o.Env.Clock.Now()) != "" {
			missing = append(missing, f.Label)
		}
	}
	return strings.Join(missing, ", ")
}
