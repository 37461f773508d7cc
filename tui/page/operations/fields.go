package operations

import (
	"context"
	"strconv"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/widget/form"
)

// fillIn asks with the form of a command, and runs it. done is what came of it
// where the command's own sentence is not all.
func fillIn[T any](d *operations, q *ask, c commands.Command[T], id string, done func(T) sent, more ...*form.Field) *ask {
	q.form, q.warn = d.formOf(c.Limit, c.Fields, more...), c.Means
	if q.doing == "" {
		q.doing = c.Doing
	}
	q.check = func(f *form.Form) { d.fill(f, c.Fields) }
	q.send = func(ctx context.Context) (sent, error) {
		value, err := c.Run(ctx, d.Ops, id)
		switch {
		case err != nil:
			return sent{}, err
		case done != nil:
			return done(value), nil
		}
		return sent{said: c.Done(value)}, nil
	}
	return q
}

// formOf is the form of fields, filled in with the values that they have, and
// of more below them.
func (d *operations) formOf(limit int, fields []commands.Field, more ...*form.Field) *form.Form {
	list := make([]*form.Field, 0, len(fields))
	set := make([][]string, len(fields))
	for i, from := range fields {
		fl := &form.Field{ID: from.Name, Label: from.Label, Help: from.Help, Least: from.Least, Most: from.Most}
		text := ""
		switch v := from.Value.(type) {
		case *string:
			text = *v
		case **string:
			if *v != nil {
				text = **v
			}
		case *int:
			fl.Kind, fl.Units, text = form.Number, []form.Unit{{Name: from.Unit}}, strconv.Itoa(*v)
		case *float64:
			fl.Kind, fl.Units, text = form.Number, []form.Unit{{Name: from.Unit}}, strconv.FormatFloat(*v, 'f', -1, 64)
		case *api.Time:
			if fl.Kind = form.Date; !v.IsZero() {
				text = v.Format(time.DateOnly)
			}
		case *[]api.Scope:
			fl.Kind, fl.Options, set[i] = form.Multi, scopesField().Options, append([]string{}, values(*v)...)
		case *api.PermissionStatus:
			fl.Kind, fl.Options, text = form.Choice, permissionOptions(), string(*v)
		}
		if set[i] == nil {
			set[i] = []string{text}
		}
		list = append(list, fl)
	}
	f := form.New(limit, d.Now, append(list, more...)...)
	for i, v := range set {
		list[i].Set(v...)
	}
	return f
}

// fill reads a form into the values of its fields, and says at a field what is
// wrong with it.
func (d *operations) fill(f *form.Form, fields []commands.Field) {
	for _, from := range fields {
		fl := f.Field(from.Name)
		if from.Required != "" {
			required(f, from.Name, from.Required)
		}
		switch to := from.Value.(type) {
		case *string:
			*to = fl.Value()
		case **string:
			text := fl.Value()
			*to = &text
		case *int:
			n, fault := number(fl)
			if fault == "" && n != float64(int(n)) {
				fault = "type whole " + from.Unit
			}
			*to, fl.Error = int(n), fault
		case *float64:
			*to, fl.Error = number(fl)
		case *api.Time:
			*to, fl.Error = d.dayOf(fl, from)
		case *[]api.Scope:
			*to = scopesOf(f)
		case *api.PermissionStatus:
			*to = api.PermissionStatus(fl.Value())
		}
	}
}

func number(fl *form.Field) (n float64, fault string) {
	n, err := fl.Num()
	if err != nil {
		return n, err.Error()
	}
	return n, ""
}

// dayOf is the time that a day means; one that has to be ahead only if it is.
func (d *operations) dayOf(fl *form.Field, from commands.Field) (at api.Time, fault string) {
	if fl.Value() == "" && from.Required == "" {
		return at, ""
	}
	day, err := fl.Time()
	if err != nil {
		return at, err.Error()
	}
	if from.DayEnd {
		day = endOf(day)
	}
	if from.Ahead && !day.After(d.Now()) {
		return at, "this day is over"
	}
	return api.At(day), ""
}
