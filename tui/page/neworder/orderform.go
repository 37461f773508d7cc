package neworder

import (
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

// orderForm is step 3: the form with the fields of the order.
type orderForm struct {
	stepPage
	form      *widget.Form
	isEntered bool // OnShow has focused a field after the user came to this step
}

func newOrderForm(p *NewOrder) *orderForm {
	o := &orderForm{}
	o.stepPage = newStepPage(p, "new order", o.renderForm, o.renderAside)
	o.Map = page.NewSiteMap()
	var fields []*widget.Field
	for _, f := range ordering.OrderFields() {
		fields = append(fields, &widget.Field{
			ID:          f.ID,
			Label:       f.Label,
			Help:        f.Help,
			Kind:        formKinds[f.Kind],
			Options:     withoutValues(f.Options),
			Unmarked:    f.Kind == ordering.OneField,
			LastDay:     f.ID == "deadline",
			CalendarKey: action.KeyOf(action.FieldDown, action.NewOrderDetails),
		})
	}
	o.form = widget.NewForm(api.MaxNameLength, p.env.Clock.Now, fields...)
	return o
}

// withoutValues returns a copy of options whose help does not show their API values, such as "rgbSensor". The user
// can see these values in the review, which shows the request as JSON.
func withoutValues(options []widget.Option) []widget.Option {
	quiet := slices.Clone(options)
	for i := range quiet {
		quiet[i].Quiet = true
	}
	return quiet
}

// formKinds has the kind of field in a form for each kind of field of an order.
var formKinds = map[ordering.FieldKind]widget.FieldKind{
	ordering.TextField:    widget.TextField,
	ordering.DateField:    widget.DateField,
	ordering.OneField:     widget.ChoiceField,
	ordering.ManyField:    widget.MultiField,
	ordering.DerivedField: widget.NoteField,
}

// OnShow suggests values for empty fields, and shows the values and the sites of the draft. If the user has just
// come to the step, OnShow focuses the first field without a valid value.
func (o *orderForm) OnShow() tea.Cmd {
	o.draft.SuggestValues(o.parent.orderingCompany())
	o.showOnMap(o.draft.IncludedSites())
	for _, f := range o.form.Fields {
		f.Set(o.draft.Fields[f.ID]...)
	}
	orderType := format.Word(o.draft.OrderType()).Label
	sites := siteCount(o.parent.sites.totals().included)
	o.form.Field("orderType").Note = orderType + " · from your " + sites
	if !o.isEntered {
		o.isEntered = true
		o.form.FocusEnd(o.firstFault())
	}
	return nil
}

// firstFault returns the ID of the first field without a valid value, or "".
func (o *orderForm) firstFault() string {
	for _, f := range ordering.OrderFields() {
		if o.faultOf(f.ID) != "" {
			return f.ID
		}
	}
	return ""
}

// faultOf returns why the value of a field is not valid, or "".
func (o *orderForm) faultOf(id string) string {
	return o.draft.FieldFault(id, o.Env.Clock.Now())
}

// Update handles typed text. If the user presses the key that continues in the other steps, and the focused field only
// accepts options, Update shows a message with the key that continues from this form.
func (o *orderForm) Update(msg tea.Msg) tea.Cmd {
	isStepKey := widget.KeyName(msg) == action.KeyOf(action.NextStep, action.NewOrderSites)
	if isStepKey && len(o.form.Focused().Options) > 0 {
		return page.ShowToast(theme.Muted, "In this form, press "+reviewKey()+" for "+stepTitles[ordering.StepReview])
	}
	if !o.form.Update(msg) {
		return nil
	}
	return o.saveFocused()
}

// saveFocused copies the value of the focused field to the draft.
func (o *orderForm) saveFocused() tea.Cmd {
	f := o.form.Focused()
	values := []string{f.Value()}
	if len(f.Options) > 0 {
		values = f.Values()
	}
	o.draft.Fields[f.ID] = values
	o.checkWhileTyping(f)
	deadline := o.form.Field("deadline")
	if f.ID == "startDate" && deadline.Error != "" {
		o.checkWhileTyping(deadline)
	}
	return o.parent.recordChange()
}

// checkWhileTyping updates the error of a field while the user types. It removes the error of a date, because the
// date is not complete yet.
func (o *orderForm) checkWhileTyping(f *widget.Field) {
	f.Error = ""
	if f.Kind != widget.DateField {
		f.Error = o.faultOf(f.ID)
	}
}

// checkAll updates the errors of all fields and returns the ID of the first invalid field, or "".
func (o *orderForm) checkAll() string {
	first := ""
	for _, f := range o.form.Fields {
		f.Error = o.faultOf(f.ID)
		if f.Error != "" && first == "" {
			first = f.ID
		}
	}
	return first
}

// HandleAction moves the focus or the day in the calendar. To continue to the review, all fields
// must be valid; otherwise the first invalid field gets the focus.
func (o *orderForm) HandleAction(id action.ID) tea.Cmd {
	switch id {
	case action.SelectDay:
		o.form.KeepDay()
		return o.saveFocused()
	case action.Submit:
		first := o.checkAll()
		if first == "" {
			return o.parent.goTo(ordering.StepReview)
		}
		o.form.FocusField(first)
		return nil
	}
	previous := o.form.Focused()
	o.moveFocus(id)
	if !o.form.IsCalendarOpen() {
		previous.Error = o.faultOf(previous.ID)
	}
	return nil
}

// moveFocus moves the focus to another field, or moves the day in the calendar.
func (o *orderForm) moveFocus(id action.ID) {
	switch id {
	case action.NextField:
		o.form.MoveFocus(1)
	case action.PrevField:
		o.form.MoveFocus(-1)
	case action.FieldDown:
		o.form.MoveDown()
	default:
		if days, ok := page.CalendarMoves[id]; ok {
			o.form.MoveDay(days[0], days[1])
		}
	}
}

// Cursor returns the text cursor in the form.
func (o *orderForm) Cursor() *tea.Cursor { return o.form.Cursor() }

// IsTyping returns true: keys always go to the form.
func (o *orderForm) IsTyping() bool { return true }

// HandleBack closes the calendar. It returns false if the calendar is not open.
func (o *orderForm) HandleBack() (tea.Cmd, bool) { return nil, o.form.CloseCalendar() }

// ActionScopes returns the scopes of the step, or only the scope of the calendar while the
// calendar is open.
func (o *orderForm) ActionScopes() []action.Scope {
	if o.form.IsCalendarOpen() {
		return []action.Scope{action.Calendar}
	}
	return []action.Scope{action.NewOrderDetails, action.NewOrderSteps}
}

// showServiceErrors shows the errors that the service reported for fields of the form.
func (o *orderForm) showServiceErrors(faults []ordering.OrderFault) {
	for _, fault := range faults {
		if f := o.form.Field(fault.Field); f != nil {
			f.Error = fault.Message
		}
	}
}

// View draws the form. In a wide window the help and the summary of the order are next to it.
func (o *orderForm) View(w, h int) string { return o.DrawPage(w*55/100+1, w, h) }

// renderForm draws the form. Below it are the sites of the order in a wide window, and the next step in a narrow one.
func (o *orderForm) renderForm(w, h int) string {
	var below []string
	if o.Apart {
		w--
		below = o.renderSites(w, h-o.form.Height(w))
	} else {
		below = o.renderNextLine(w)
	}
	form := o.form.View(o.Env.Look.Theme.Style, w, h-len(below))
	return format.FitBox(append(format.SplitLines(form), below...), w, h)
}

// minListedSites is the least number of lines with sites below the form. Fewer lines are left blank.
const minListedSites = 3

// renderSites returns a list of the sites of the order for the free lines below the form, or nil if there is not enough
// room for it.
func (o *orderForm) renderSites(w, free int) []string {
	const titleLines = 2
	th := o.Env.Look.Theme
	sites := o.draft.IncludedSites()
	room := free - titleLines
	if th.Linear || len(sites) == 0 || room < min(minListedSites, len(sites)) {
		return nil
	}
	list := missionLines{textLines: textLines{Theme: th, w: w}, units: o.Env.Look.Units}
	list.addMissions(sites, room)
	title := th.Rule.Render("─ ") + th.PaintTitle(siteCount(len(sites)))
	blank := make([]string, room-len(list.lines))
	return slices.Concat([]string{"", title}, list.lines, blank)
}

// renderNextLine returns the last line of a narrow window: the key for the next step, and how many fields are
// missing.
func (o *orderForm) renderNextLine(w int) []string {
	t := textLines{Theme: o.Env.Look.Theme, w: w}
	line := o.renderNext(&t)
	if missing := len(o.missingFields()); missing > 0 {
		line += t.PaintRole(theme.Attention, "  ! ") + t.PaintText(format.Count(missing, "field")+" missing")
	} else if period := o.orderPeriod(); period != "" {
		line += t.PaintMuted("  " + period)
	}
	return []string{format.CutLine(line, w)}
}

// minMapHeight is the least height of the map below the summary, in lines.
const minMapHeight = 6

// renderAside draws the help for the focused field, the summary of the order, and the map of its
// sites.
func (o *orderForm) renderAside(w, h int) string {
	t := textLines{Theme: o.Env.Look.Theme, w: w}
	f, _ := ordering.FieldByID(o.form.Focused().ID)
	t.addTitle(f.Label, "")
	t.addText(theme.Text, f.About)
	t.addText(theme.Muted, f.Limits)
	t.addRule()
	totals := o.parent.sites.totals()
	t.addTitle(siteCount(totals.included), format.Word(o.draft.OrderType()).Label)
	t.addText(theme.Attention, totals.split)
	t.add(widget.WrapFacts(t.Theme, 10, t.w, o.orderFacts(totals)...)...)
	t.add("", o.renderNext(&t))
	t.addRule()
	top := len(t.lines)
	if h-top < minMapHeight {
		return format.FitBox(t.lines, w, h)
	}
	return format.FitBox(t.lines, w, top) + "\n" + o.DrawMap(1, top, w, h-top)
}

// renderNext returns the key for the next step.
func (o *orderForm) renderNext(t *textLines) string {
	return t.renderStep(reviewKey(), "Next: "+stepTitles[ordering.StepReview])
}

// reviewKey returns the key that opens the review.
func reviewKey() string { return action.KeyOf(action.Submit, action.NewOrderDetails) }

// orderFacts returns the summary of the order: missing fields, dates in the past, size, countries
// and period.
func (o *orderForm) orderFacts(totals *siteTotals) []widget.Fact {
	var facts []widget.Fact
	if missing := o.describeMissing(); missing != "" {
		facts = append(facts, widget.Toned("Missing", "! "+missing, theme.Attention))
	}
	past := o.draft.FindPastDates(o.Env.Clock.Now())
	for _, date := range slices.Backward(past) {
		facts = append(facts, widget.Toned("Check", "! "+faultText(date), theme.Attention))
	}
	return append(facts, widget.Texts(
		"Size", strings.Join(totals.measures, " · "),
		"Country", strings.Join(totals.countries, ", "),
		"Period", o.orderPeriod(),
		"Price", "in the quotes that follow",
	)...)
}

// orderPeriod returns the period from the start to the deadline, such as "Thu 3 Dec → Tue 15 Dec 2026, 13 days". It
// returns "" unless both dates are valid.
func (o *orderForm) orderPeriod() string {
	start, startErr := o.form.Field("startDate").Date()
	end, endErr := o.form.Field("deadline").Date()
	if startErr != nil || endErr != nil || end.End().Before(start.Start()) {
		return ""
	}
	now := o.Env.Clock.Now()
	firstDay := start.NoonIn(now.Location())
	lastDay := end.NoonIn(now.Location())
	firstLayout := "Mon 2 Jan 2006"
	if firstDay.Year() == lastDay.Year() {
		firstLayout = "Mon 2 Jan"
	}
	return firstDay.Format(firstLayout) + " → " + format.Date(lastDay, now) + ", " + periodLength(start, end)
}

// periodLength returns the number of days from start to end, such as "13 days". Both days count.
func periodLength(start, end api.DayOrTime) string {
	duration := end.NoonIn(time.UTC).Sub(start.NoonIn(time.UTC))
	return format.Count(int(duration.Hours()/24)+1, "day")
}

// describeMissing returns the fields without a valid value, such as "2 fields: Asset type, Start", or "".
func (o *orderForm) describeMissing() string {
	missing := o.missingFields()
	names := strings.Join(missing, ", ")
	if len(missing) < 2 {
		return names
	}
	return format.Count(len(missing), "field") + ": " + names
}

// missingFields returns the labels of the fields without a valid value.
func (o *orderForm) missingFields() []string {
	var missing []string
	for _, f := range ordering.OrderFields() {
		if o.faultOf(f.ID) != "" {
			missing = append(missing, f.Label)
		}
	}
	return missing
}
