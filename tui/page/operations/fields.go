package operations

import (
	"context"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
	"flightdesk/tui/widget/dialog"
	"flightdesk/tui/widget/form"
)

// fillIn adds the fields of a command to a form that runs it. done returns the result
// to show; nil shows the command's own text.
func fillIn[T any](
	d *operationsPage,
	q *requestForm,
	c commands.Command[T],
	id string,
	done func(T) requestResult,
	more ...*form.Field,
) *requestForm {
	q.form, q.warn = d.formOf(c.Limit, c.Fields, more...), c.Effects
	if q.doing == "" {
		q.doing = c.Doing
	}
	q.check = func(f *form.Form) { fillFields(d, f, c) }
	q.send = sendCommand(d, c, id, done)
	return q
}

// sendCommand returns a function that runs a command.
func sendCommand[T any](
	d *operationsPage,
	c commands.Command[T],
	id string,
	done func(T) requestResult,
) func(context.Context) (requestResult, error) {
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

// fillForMissions is fillIn for a command on missions: the subject's, or others too if
// the field which says so.
func fillForMissions[T any](
	d *operationsPage,
	q *requestForm,
	c commands.Command[T],
	s *orderItem,
	which *form.Field,
	others []*api.OpsMission,
	done func([]*api.OpsMission) string,
) *requestForm {
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

// confirmCommand returns the dialog that confirms a command without fields.
func confirmCommand[T any](
	d *operationsPage,
	title, yes string,
	c commands.Command[T],
	id string,
	lines []string,
	done func(T) requestResult,
) tea.Cmd {
	d.Overlay(&dialog.Question{
		Theme: d.Theme, Title: title, Lines: append(lines, "", c.Effects), Yes: yes, No: "back",
		OnYes: func() tea.Cmd { return d.acts.sendRequest(c.Doing, sendCommand(d, c, id, done)) },
	})
	return nil
}

// formOf returns a form of the fields with their values, followed by more fields.
func (d *operationsPage) formOf(limit int, fields []commands.Field, more ...*form.Field) *form.Form {
	var shown []*form.Field
	for i := range fields {
		if shown = append(shown, fieldOf(&fields[i])); fields[i].Clock {
			shown = append(
				shown,
				&form.Field{ID: clockID, Label: "Time", Help: "take-off, e.g. 09:30, in your time zone"},
			)
		}
	}
	f := form.New(limit, d.Now, append(shown, more...)...)
	for i := range fields {
		d.showValue(f, &fields[i])
	}
	return f
}

// fieldOf returns the form field for a field of a command.
func fieldOf(from *commands.Field) *form.Field {
	fl := &form.Field{ID: from.Name, Label: from.Label, Help: from.Help, Least: from.Least, Most: from.Most}
	switch from.Kind() {
	case commands.KindMoment:
		fl.Kind = form.Date
	case commands.KindScopes:
		fl.Kind, fl.Options = form.Multi, scopeOptions()
	case commands.KindNumber, commands.KindWhole:
		fl.Kind, fl.Units = form.Number, []form.Unit{{Name: from.Unit}}
		if from.IsShare() {
			fl.Most = 100
		}
	case commands.KindTruth:
		fl.Kind, fl.Options = form.Choice, []form.Option{{Value: "false", Label: "No"}, {Value: "true", Label: "Yes"}}
	case commands.KindChoice:
		fl.Kind, fl.Options = form.Choice, choiceOptions(from)
	}
	if from.Long {
		fl.Kind = form.Long
	}
	return fl
}

// showValue fills in the value of a field.
func (d *operationsPage) showValue(f *form.Form, from *commands.Field) {
	fl, text := f.Field(from.Name), from.Text()
	switch at, isMoment := from.Value.(*api.Time); {
	case isMoment && !at.IsZero():
		local := at.In(d.Now().Location())
		text = local.Format(time.DateOnly)
		if from.Clock {
			f.Field(clockID).Set(local.Format("15:04"))
		}
	case from.IsShare():
		text = format.GroupDigits(100*float64(*from.Value.(*commands.PercentShare)), 0)
	case from.Kind() == commands.KindScopes:
		fl.Set(strings.Split(text, ",")...)
		return
	case from.Kind() == commands.KindTruth && text == "":
		text = "false"
	case from.Kind() == commands.KindNumber && from.IsOptional() && text == "0":
		text = ""
	}
	fl.Set(text)
}

// choiceOptions returns the options of a choice with their labels.
func choiceOptions(from *commands.Field) (options []form.Option) {
	if from.Name == "callbacks" {
		return callbackFaults
	}
	for _, value := range from.KnownValues() {
		o := form.Option{Value: value, Label: labels.EventWord(api.EventName(value)).Label, Help: from.Help}
		if words, is := permissionWords[api.PermissionStatus(value)]; is {
			o.Label, o.Help = words[0], words[1]
		}
		options = append(options, o)
	}
	return options
}

// callbackFaults are the options for faults of callbacks.
var callbackFaults = []form.Option{
	{Label: "Unaffected"},
	{Value: string(api.CallbackDrop), Label: "Dropped", Help: "never sent; all attempts fail"},
	{Value: string(api.CallbackDelay), Label: "Delayed", Help: "by the delay, or 5 s"},
	{Value: string(api.CallbackDuplicate), Label: "Duplicated", Help: "sent twice with the same ID"},
	{Value: string(api.CallbackReorder), Label: "Reordered", Help: "sent after later ones"},
}

// clockID is the ID of the field for the time of day, below that of the day.
const clockID = "time"

// fillFields parses a form into the values of a command, and sets the errors of fields.
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

// readField parses a field into its value, and returns why it is not valid.
func (d *operationsPage) readField(f *form.Form, fl *form.Field, from *commands.Field) string {
	typed := fl.Value()
	switch from.Kind() {
	case commands.KindMoment:
		at, fault := d.dayOf(f, fl, from)
		*from.Value.(*api.Time) = at
		return fault
	case commands.KindNumber, commands.KindWhole:
		n, err := fl.Number()
		switch {
		case from.IsOptional() && typed == "":
		case err != nil:
			return err.Error()
		case from.IsShare():
			n /= 100
		}
		typed = strconv.FormatFloat(n, 'f', -1, 64)
	}
	if err := from.Set(typed); err != nil {
		return err.Error()
	}
	return ""
}

// dayOf returns the time that a day means. Future days are required only if the command
// requires them.
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
