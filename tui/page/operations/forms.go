package operations

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// requestSubject is what a command is about.
type requestSubject struct {
	id    string
	code  string   // in the title, and typed to confirm; "" for the service
	lines []string // what people know it by

	others []requestSubject // that can be chosen as well
	all    bool             // they are chosen at first
}

// requestForm is a form for a request to the service.
type requestForm struct {
	widget.FormDialog
	command commands.Command
	about   requestSubject
	done    int               // of the subjects, while those after them are not
	answer  *commands.Outcome // of the last one that is done
	// Where the form has a field of files, those of this machine are chosen before it is
	// sent: the dialog's title, the kinds of files, and what was chosen.
	chooser string
	kinds   []api.Deliverable
	files   []api.FileInput
}

// requestRunner sends requests of the pages of Operations, one at a time. It belongs to
// the section's first page, so that leaving a page does not cancel its request.
type requestRunner struct {
	b     page.Base
	asked page.Question
	doing string // progress text, "" if idle
}

// workID identifies the request in the status row.
const workID = "operations"

// busyReason returns why no other request can be sent now, "" if one can.
func (a *requestRunner) busyReason() string {
	return page.TextIf(a.doing != "", "still "+a.doing)
}

// openForm opens a form; one without fields is a question.
func (a *requestRunner) openForm(q *requestForm) tea.Cmd {
	if len(q.Form.Fields) == 0 {
		submit := func() tea.Cmd { return a.submitForm(q) }
		return a.b.Env.AskFirst(q.Title, q.Yes, submit, append(q.Lines, "", q.Warn)...)
	}
	if q.OnChange != nil {
		q.OnChange(q.Form)
	}
	a.b.Env.Nav.Overlay(&q.FormDialog)
	return nil
}

// chooseFilesAndSend lets the user choose the form's files, if it has any, and submits
// it. It stays open until another request is done.
func (a *requestRunner) chooseFilesAndSend(q *requestForm) tea.Cmd {
	if q.Fault = a.busyReason(); q.Fault != "" {
		return nil
	}
	q.files = nil
	if f := q.Form.Field("files"); f != nil && f.Value() == fromFiles {
		picker := pickFiles(a.b, q.chooser, q.kinds, func(files []api.FileInput) tea.Cmd {
			q.files = files
			return a.submitForm(q)
		})
		a.b.Env.Nav.Overlay(picker)
		return picker.ShowFolder()
	}
	return a.submitForm(q)
}

// submitForm sends the request of a form in the background.
func (a *requestRunner) submitForm(q *requestForm) tea.Cmd {
	if a.doing != "" {
		return page.ShowToast(theme.Attention, a.busyReason())
	}
	a.doing = q.command.Doing
	return tea.Batch(
		page.SendMessage(page.WorkMsg{ID: workID, Text: a.doing, Done: -1}),
		page.AskInBackground(a.b, &a.asked, func(ctx context.Context) (string, error) {
			return q.runCommand(context.WithoutCancel(ctx), a.b.Env.Profile.Ops)
		}, func(said string, err error) tea.Cmd { return a.takeResult(q, said, err) }),
	)
}

// takeResult tells what came of a request. A rejected form is reopened.
func (a *requestRunner) takeResult(q *requestForm, said string, err error) tea.Cmd {
	a.doing = ""
	a.b.Env.Profile.Cache.MarkChanged()
	a.b.Env.Profile.Cache.WatchAccount()
	over := page.SendMessage(page.WorkMsg{ID: workID, Over: true})
	switch {
	case err != nil && len(q.Form.Fields) > 0:
		q.Fault = q.placeFaults(err)
		a.b.Env.Nav.Interrupt(&q.FormDialog)
		return over
	case err != nil:
		return tea.Batch(over, page.ShowToast(theme.Bad, refusalText(err)))
	}
	for _, f := range q.answer.Facts {
		if use := secretUses[f[0]]; use != "" && f[1] != "" {
			name := strings.ToLower(f[0])
			a.b.Env.ShowSecret(&page.SecretDialog{
				Title:   "New " + name,
				What:    "the " + name,
				Secret:  f[1],
				Warning: "Copy the " + name + " now: it is not shown again. " + use,
			})
		}
	}
	return tea.Batch(over, page.ShowToast(theme.Good, said))
}

// secretUses say what the secrets are for that an answer has, by their labels.
var secretUses = map[string]string{
	"Key":    "Anyone with it can act as its owner.",
	"Secret": "The receiver verifies notices with it.",
}

// placeFaults sets the service's errors at their fields, and returns those without a
// field.
func (q *requestForm) placeFaults(err error) string {
	var e *api.Error
	if !errors.As(err, &e) || len(e.Fields) == 0 {
		return refusalText(err)
	}
	var rest []string
	for _, fault := range e.Fields {
		if fl := q.Form.Field(fault.Field); fl != nil && fl.Kind != widget.NoteField {
			fl.Error = format.Clean(fault.Message)
			continue
		}
		rest = append(rest, format.Clean(fault.Field+" "+fault.Message))
	}
	if len(rest) == 0 {
		return "The service rejected the values marked below."
	}
	return "The service rejected " + strings.Join(rest, "; ")
}

// refusalText returns why a request was rejected.
func refusalText(err error) string {
	if api.MaybeApplied(err) {
		what, _ := format.ExplainError(err)
		return format.Clean(
			strings.TrimSuffix(what, ".") + ". Sent, not confirmed; check before retrying.",
		)
	}
	return format.Clean(format.FaultText(err))
}

// formOf returns the form of a command, with more fields behind its own. Of a choice among
// those, the first option is chosen.
func (d *operationsPage) formOf(
	c commands.Command,
	about requestSubject,
	more ...*widget.Field,
) *requestForm {
	q := &requestForm{command: c, about: about}
	q.Lines, q.Warn, q.Title = about.lines, c.Effects, c.ScreenTitle()
	q.Yes = strings.ToLower(q.Title)
	if about.code != "" {
		q.Title += ": " + about.code
	}
	fields := c.ScreenFields()
	var all []*widget.Field
	for _, from := range fields {
		all = append(all, d.fieldsOf(from)...)
	}
	if len(about.others) > 0 {
		more = append([]*widget.Field{about.choiceField()}, more...)
	}
	all = append(all, more...)
	if c.Asks {
		word := cmp.Or(about.code, c.Verb)
		all = append(all, widget.WordField("Confirm", "type "+word+" to confirm", word))
	}
	q.Form = &widget.Form{}
	if len(all) > 0 {
		q.Form = widget.NewForm(api.MaxTextLength, d.env.Clock.Now, all...)
	}
	for _, from := range fields {
		d.showValue(q.Form, from)
	}
	for _, f := range more {
		if f.Options != nil {
			f.Set(f.Options[0].Value)
		}
	}
	if about.all && len(about.others) > 0 {
		more[0].Set("all")
	}
	q.OnSave = func() tea.Cmd {
		if name, fault := c.CheckValues(); fault != "" {
			q.Form.Field(name).Error = fault
			return nil
		}
		return d.acts.chooseFilesAndSend(q)
	}
	return q
}

// choiceField returns the choice between the subject and the others, too.
func (s *requestSubject) choiceField() *widget.Field {
	return &widget.Field{Label: "For", Kind: widget.ChoiceField, Options: []widget.Option{
		{Value: "one", Label: s.code, Help: "this mission", Quiet: true},
		{
			Value: "all",
			Label: "all " + format.Count(len(s.others)+1, "mission"),
			Help:  "every mission of the order with this status",
			Quiet: true,
		},
	}}
}

// runCommand runs the command for its subjects one by one, and says what was done. After a
// failure, retrying continues with those that are not done.
func (q *requestForm) runCommand(ctx context.Context, client *ops.Client) (said string, err error) {
	t := commands.Target{Context: ctx, Client: client}
	if t.Files, err = commands.OpenFiles(q.files, ordering.FileReason); err != nil {
		return "", err
	}
	defer commands.CloseFiles(t.Files)
	list := []requestSubject{q.about}
	if f := q.Form.Field("for"); f != nil && f.Value() == "all" {
		list = append(list, q.about.others...)
	}
	for _, of := range list[min(q.done, len(list)):] {
		t.ID = of.id
		answer, err := q.command.Run(t)
		var e *api.Error
		switch {
		case q.done > 0 && errors.As(err, new(*ordering.UnconfirmedError)):
			done := format.Count(q.done, "mission")
			return "", fmt.Errorf("%s of %d updated, then %s: %w", done, len(list), of.code, err)
		case q.done > 0 && errors.As(err, &e):
			done := format.Count(q.done, "mission")
			return "", fmt.Errorf("%s of %d updated, then %s failed: %s", done, len(list), of.code, e.Message)
		case err != nil:
			return "", err
		}
		q.done, q.answer = q.done+1, answer
	}
	said = format.CapitalizeFirst(format.Clean(q.answer.Done))
	if q.done > 1 {
		said += ", and " + format.Count(q.done-1, "more mission")
	}
	return said, nil
}

// ask opens the form of a command.
func (d *operationsPage) ask(c commands.Command, about requestSubject) tea.Cmd {
	return d.acts.openForm(d.formOf(c, about))
}

// fieldKinds are the kinds of fields that values are filled in with, other than as text.
var fieldKinds = map[commands.Kind]widget.FieldKind{
	commands.KindMoment: widget.DateField, commands.KindScopes: widget.MultiField,
	commands.KindNumber: widget.NumberField, commands.KindTruth: widget.ChoiceField,
}

// fieldsOf returns a field of a form, and that of the time of day.
func (d *operationsPage) fieldsOf(from *commands.Field) []*widget.Field {
	fl := &widget.Field{
		ID: from.Name, Label: from.Label, Help: from.Help, Kind: fieldKinds[from.Kind()],
		Unit: from.Unit, Least: from.Least, Most: from.Most,
	}
	clock := &widget.Field{Label: "Time", Help: "take-off, e.g. 09:30, in your time zone"}
	fl.Check = func(string) string {
		if err := d.readField(fl, clock, from); err != nil {
			return err.Error()
		}
		return cmp.Or(page.TextIf(from.IsMissing(), from.Required), from.ValueFault())
	}
	switch {
	case from.IsShare():
		fl.Most = 100
	case from.Long:
		fl.Kind = widget.LongField
	case fl.Kind == widget.ChoiceField:
		fl.Options = []widget.Option{{Value: "false", Label: "No"}, {Value: "true", Label: "Yes"}}
	case from.Known != nil && fl.Kind == widget.TextField:
		fl.Kind = widget.ChoiceField
		if from.Required == "" {
			fl.Options = []widget.Option{{Label: "Unaffected"}}
		}
	case from.Clock:
		clock.Check = func(typed string) string {
			day, err := fl.Date()
			if err != nil {
				day = api.DayAt(d.env.Clock.Now())
			}
			_, err = commands.AtClock(day, typed)
			return page.TextIf(err != nil, fmt.Sprint(err))
		}
		return []*widget.Field{fl, clock}
	}
	for _, c := range from.Known {
		if c.Label != "" {
			c.Quiet = c.Value == c.Label
			fl.Options = append(fl.Options, c)
		}
	}
	return []*widget.Field{fl}
}

// showValue fills in the value of a field.
func (d *operationsPage) showValue(f *widget.Form, from *commands.Field) {
	text := from.String()
	switch at, isMoment := from.Value.(*api.Time); {
	case isMoment && !at.IsZero():
		local := at.In(d.env.Clock.Now().Location())
		switch {
		case from.Clock:
			text = local.Format(time.DateOnly)
			f.Field("time").Set(local.Format("15:04"))
		case from.DayEnd:
			text = at.EndDay(local.Location()).String()
		default:
			text = at.StartDay(local.Location()).String()
		}
	case from.IsShare():
		text = format.GroupDigits(100**from.Value.(*float64), 0)
	}
	f.Field(from.Name).Set(strings.Split(text, ",")...)
}

// readField reads what is filled in into the value of a field. A day has to be in the future
// only where the command requires it.
func (d *operationsPage) readField(fl, clock *widget.Field, from *commands.Field) error {
	typed := fl.Value()
	to, isMoment := from.Value.(*api.Time)
	switch {
	case isMoment && typed == "" && from.Required == "":
		*to = api.Time{}
		return nil
	case isMoment:
		day, err := fl.Date()
		if err != nil {
			*to = api.Time{}
			return err
		}
		at := from.Moment(day)
		if from.Clock && day.IsDay() {
			if clocked, err := commands.AtClock(day, clock.Value()); err == nil { // the clock has its own fault
				at = clocked
			}
		}
		*to = api.TimeOf(at)
		if from.Ahead && !at.After(d.env.Clock.Now()) {
			return errors.New("must be in the future")
		}
		return nil
	case from.Kind() == commands.KindNumber && (typed != "" || !from.IsOptional()):
		n, err := fl.Number()
		if err != nil {
			return err
		}
		if from.IsShare() {
			n /= 100
		}
		typed = strconv.FormatFloat(n, 'f', -1, 64)
	}
	return from.Set(typed)
}
