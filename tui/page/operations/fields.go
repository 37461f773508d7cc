package operations

import (
	"context"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/format"
	"flightdesk/tui/widget/dialog"
	"flightdesk/tui/widget/form"
)

// fillIn asks with the form of a command, and runs it. done is what came of it
// where the command's own sentence is not all.
func fillIn[T any](d *operationsPage, q *requestForm, c commands.Command[T], id string, done func(T) requestResult, more ...*form.Field) *requestForm {
	q.form, q.warn = d.formOf(c.Limit, c.Fields, more...), c.Effects
	if q.doing == "" {
		q.doing = c.Doing
	}
	q.check = func(f *form.Form) { fillFields(d, f, c) }
	q.send = sendCommand(d, c, id, done)
	return q
}

// sendCommand runs a command.
func sendCommand[T any](d *operationsPage, c commands.Command[T], id string, done func(T) requestResult) func(context.Context) (requestResult, error) {
	return func(ctx context.Context) (requestResult, error) {
		value, err := c.Run(ctx, d.Ops, id)
		switch {
		case err != nil:
			return requestResult{}, err
		case done != nil:
			return done(value), nil
		}
		return requestResult{said: c.Done(value)}, nil
	}
}

// fillForMissions asks as fillIn does, for the mission of a subject or, where
// which says so, others too.
func fillForMissions[T any](d *operationsPage, q *requestForm, c commands.Command[T], s *orderItem, which *form.Field, others []*api.OpsMission, done func([]*api.OpsMission) string) *requestForm {
	var more []*form.Field
	if which != nil {
		more = append(more, which)
	}
	fillIn(d, q, c, s.mission.UUID, nil, more...)
	var todo missionBatch
	q.send = func(ctx context.Context) (requestResult, error) {
		missions := chosenMissions(q.form, s, others)
		err := todo.eachMission(missions, func(m *api.OpsMission) error {
			_, err := c.Run(ctx, d.Ops, m.UUID)
			return err
		})
		return requestResult{said: done(missions)}, err
	}
	return q
}

// confirmCommand asks before a command is run that takes no more than a yes.
func confirmCommand[T any](d *operationsPage, title, yes string, c commands.Command[T], id string, lines []string, done func(T) requestResult) tea.Cmd {
	d.Overlay(&dialog.Question{
		Theme: d.Theme, Title: title, Lines: append(lines, "", c.Effects), Yes: yes, No: "back",
		OnYes: func() tea.Cmd { return d.acts.sendRequest(c.Doing, sendCommand(d, c, id, done)) },
	})
	return nil
}

// formOf returns the form of fields, filled in with the values that they have, and
// of more below them.
func (d *operationsPage) formOf(limit int, fields []commands.Field, more ...*form.Field) *form.Form {
	list, set := make([]*form.Field, len(fields)), make([][]string, len(fields))
	for i, from := range fields {
		list[i], set[i] = d.fieldOf(from)
	}
	shown := make([]*form.Field, 0, len(list)+len(more)+1)
	for i, fl := range list {
		if shown = append(shown, fl); fields[i].Clock {
			shown = append(shown, &form.Field{ID: clockID, Label: "Time", Help: "take-off, e.g. 09:30, in your time zone"})
		}
	}
	f := form.New(limit, d.Now, append(shown, more...)...)
	for i, v := range set {
		list[i].Set(v...)
	}
	for _, from := range fields {
		if at, ok := from.Value.(*api.Time); ok && from.Clock && !at.IsZero() {
			f.Field(clockID).Set(at.In(d.Now().Location()).Format("15:04"))
		}
	}
	return f
}

// fieldOf returns a field of a form, and the values that it begins with.
func (d *operationsPage) fieldOf(from commands.Field) (fl *form.Field, several []string) {
	fl = &form.Field{ID: from.Name, Label: from.Label, Help: from.Help, Least: from.Least, Most: from.Most}
	text := ""
	switch v := from.Value.(type) {
	case *string:
		text = *v
	case **string:
		if *v != nil {
			text = **v
		}
	case *api.Duration:
		text = lengthOf(*v)
	case *api.Time:
		if fl.Kind = form.Date; !v.IsZero() {
			text = v.In(d.Now().Location()).Format(time.DateOnly)
		}
	case *[]api.Scope:
		fl.Kind, fl.Options, several = form.Multi, scopesField().Options, append([]string{}, valueTexts(*v)...)
	case *int, *float64, **float64, *commands.PercentShare:
		fl.Kind, fl.Units = form.Number, []form.Unit{{Name: from.Unit}}
		if text = numberText(v); from.Unit == "%" && fl.Most == 0 {
			fl.Most = 100
		}
	default:
		fl.Kind = form.Choice
		fl.Options, text = optionsOf(from)
	}
	if from.Long {
		fl.Kind = form.Long
	}
	if several == nil {
		several = []string{text}
	}
	return fl, several
}

// numberText returns a number as it is typed.
func numberText(value any) string {
	switch v := value.(type) {
	case *int:
		return strconv.Itoa(*v)
	case *float64:
		return strconv.FormatFloat(*v, 'f', -1, 64)
	case **float64:
		if *v != nil && **v != 0 {
			return strconv.FormatFloat(**v, 'f', -1, 64)
		}
	case *commands.PercentShare:
		return format.GroupDigits(100*float64(*v), 0)
	}
	return ""
}

// optionsOf returns what a choice is of, and what is chosen.
func optionsOf(from commands.Field) (options []form.Option, chosen string) {
	switch v := from.Value.(type) {
	case *bool:
		return yesNo, yesNo[indexOf(*v)].Value
	case **bool:
		return yesNo, yesNo[indexOf(*v != nil && **v)].Value
	case *api.EventName:
		return eventOptions(from.Help), string(*v)
	case *api.CallbackFault:
		return callbackFaults, string(*v)
	case *api.PermissionStatus:
		return permissionOptions(), string(*v)
	}
	return nil, ""
}

// indexOf returns where a truth value is in yesNo.
func indexOf(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// yesNo are the options of what is or is not.
var yesNo = []form.Option{{Value: "no", Label: "No"}, {Value: "yes", Label: "Yes"}}

// callbackFaults are the options of what goes wrong with callbacks.
var callbackFaults = []form.Option{
	{Label: "Unaffected"},
	{Value: string(api.CallbackDrop), Label: "Dropped", Help: "never sent; all attempts fail"},
	{Value: string(api.CallbackDelay), Label: "Delayed", Help: "by the delay, or 5 s"},
	{Value: string(api.CallbackDuplicate), Label: "Duplicated", Help: "sent twice with the same ID"},
	{Value: string(api.CallbackReorder), Label: "Reordered", Help: "sent after later ones"},
}

// lengthTyped reads a length of time, or "" for none; like are examples of one.
func lengthTyped(typed, like string) (d time.Duration, fault string) {
	if typed == "" {
		return 0, ""
	}
	if d, err := api.ParseDuration(typed); err == nil && d > 0 {
		return d, ""
	}
	return 0, "not a duration; use " + like
}

// lengthOf returns a length of time as it is typed, "" for none.
func lengthOf(d api.Duration) string {
	if d.Duration == 0 {
		return ""
	}
	return d.String()
}

// clockID is the field of the time of day, below that of the day.
const clockID = "time"

// fillFields reads a form into the values of a command's fields, and says at a
// field what is wrong with it.
func fillFields[T any](d *operationsPage, f *form.Form, c commands.Command[T]) {
	sound := true
	for i := range c.Fields {
		from := &c.Fields[i]
		fl := f.Field(from.Name)
		fl.Error = d.readField(f, fl, from)
		switch {
		case fl.Error != "":
		case from.IsMissing():
			fl.Error = from.Required
		default:
			fl.Error = from.ValueFault()
		}
		sound = sound && fl.Error == ""
	}
	if c.Check == nil || !sound {
		return
	}
	if name, fault := c.Check(); fault != "" {
		f.Field(name).Error = fault
	}
}

// readField reads a field into its value, and says why it cannot.
func (d *operationsPage) readField(f *form.Form, fl *form.Field, from *commands.Field) (fault string) {
	switch to := from.Value.(type) {
	case *string:
		*to = fl.Value()
	case **string:
		text := fl.Value()
		*to = &text
	case *bool:
		*to = fl.Value() == yesNo[1].Value
	case **bool:
		yes := fl.Value() == yesNo[1].Value
		*to = &yes
	case *int, *float64, **float64, *commands.PercentShare:
		return fillNumber(fl, from)
	case *api.Duration:
		to.Duration, fault = lengthTyped(fl.Value(), from.Like)
	case *api.Time:
		*to, fault = d.dayOf(f, fl, from)
	case *[]api.Scope:
		*to = scopesOf(f)
	default:
		if choice, _ := from.ChoiceValues(); choice != nil {
			*choice = fl.Value()
		}
	}
	return fault
}

// fillNumber reads a number into its value, and says why it cannot.
func fillNumber(fl *form.Field, from *commands.Field) (fault string) {
	to, stays := from.Value.(**float64)
	if stays && fl.Value() == "" {
		*to = new(float64)
		return ""
	}
	n, fault := readNumber(fl)
	switch to := from.Value.(type) {
	case *int:
		if *to = int(n); fault == "" && n != float64(*to) {
			fault = "use a whole number of " + from.Unit
		}
	case *float64:
		*to = n
	case **float64:
		*to = &n
	case *commands.PercentShare:
		*to = commands.PercentShare(n / 100)
	}
	return fault
}

func readNumber(fl *form.Field) (n float64, fault string) {
	n, err := fl.Number()
	if err != nil {
		return n, err.Error()
	}
	return n, ""
}

// dayOf returns the time that a day means; one that has to be ahead only if it is.
func (d *operationsPage) dayOf(f *form.Form, fl *form.Field, from *commands.Field) (at api.Time, fault string) {
	if fl.Value() == "" && from.Required == "" {
		return at, ""
	}
	day, err := fl.Time()
	if err != nil {
		return at, err.Error()
	}
	if from.Clock {
		clock := f.Field(clockID)
		if day, err = commands.AtClock(day, clock.Value()); err != nil {
			clock.Error = err.Error()
			return api.TimeOf(day), ""
		}
	}
	if from.DayEnd {
		day = endOf(day)
	}
	if from.Ahead && !day.After(d.Now()) {
		return at, "must be in the future"
	}
	return api.TimeOf(day), ""
}
