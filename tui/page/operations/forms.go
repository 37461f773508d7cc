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

// requestResult is the result of a request.
type requestResult struct {
	said   string             // for the status row
	secret *page.SecretDialog // shown once; nil for none
}

// requestForm is a form for a request to the service.
type requestForm struct {
	widget.FormDialog
	doing string // progress text, as "issuing a quote"
	send  func(ctx context.Context) (requestResult, error)
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
		return a.b.AskFirst(q.Title, q.Yes, submit, append(q.Lines, "", q.Warn)...)
	}
	if q.OnChange != nil {
		q.OnChange(q.Form)
	}
	a.b.Overlay(&q.FormDialog)
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
		a.b.Overlay(picker)
		return picker.ShowFolder()
	}
	return a.submitForm(q)
}

// submitForm sends the request of a form in the background.
func (a *requestRunner) submitForm(q *requestForm) tea.Cmd {
	if a.doing != "" {
		return page.ShowToast(theme.Attention, a.busyReason())
	}
	a.doing = q.doing
	send := q.send
	return tea.Batch(
		page.SendMessage(page.WorkMsg{ID: workID, Text: q.doing, Done: -1}),
		page.AskInBackground(a.b, &a.asked, func(ctx context.Context) (requestResult, error) {
			return send(context.WithoutCancel(ctx))
		}, func(s requestResult, err error) tea.Cmd { return a.takeResult(q, s, err) }),
	)
}

// takeResult tells what came of a request. A rejected form is reopened.
func (a *requestRunner) takeResult(q *requestForm, s requestResult, err error) tea.Cmd {
	a.doing = ""
	a.b.Cache.MarkChanged()
	a.b.Cache.WatchAccount()
	over := page.SendMessage(page.WorkMsg{ID: workID, Over: true})
	switch {
	case err != nil && len(q.Form.Fields) > 0:
		q.Fault = q.placeFaults(err)
		a.b.Interrupt(&q.FormDialog)
		return over
	case err != nil:
		return tea.Batch(over, page.ShowToast(theme.Bad, refusalText(err)))
	case s.secret != nil:
		a.b.ShowSecret(s.secret)
	}
	return tea.Batch(over, page.ShowToast(theme.Good, s.said))
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
			strings.TrimSuffix(what, ".") + ". The change may have been applied; check before retrying.",
		)
	}
	return format.Clean(format.FaultText(err))
}

// formOf returns the form of a command, with more fields behind its own. The result is
// what the command says of itself, and a secret that it returns.
func formOf(
	d *operationsPage,
	c commands.Command,
	about requestSubject,
	more ...*widget.Field,
) *requestForm {
	q := &requestForm{doing: c.Doing}
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
		all = append(all, about.choiceField())
	}
	all = append(all, more...)
	if c.Asks {
		word := cmp.Or(about.code, c.Verb)
		all = append(all, widget.WordField("Confirm", "type "+word+" to confirm", word))
	}
	q.Form = &widget.Form{}
	if len(all) > 0 {
		q.Form = widget.NewForm(api.MaxTextLength, d.Now, all...)
	}
	for _, from := range fields {
		d.showValue(q.Form, from)
	}
	if f := q.Form.Field("for"); f != nil {
		f.Set(map[bool]string{true: "all", false: "one"}[about.all])
	}
	q.OnSave = func() tea.Cmd {
		if name, fault := c.CheckValues(); fault != "" {
			q.Form.Field(name).Error = fault
			return nil
		}
		return d.acts.chooseFilesAndSend(q)
	}
	done := map[string]bool{}
	q.send = func(ctx context.Context) (requestResult, error) {
		return runCommand(ctx, d, c, about.chosenIn(q.Form), done)
	}
	return q
}

// choiceField returns the choice between the subject and the others, too.
func (s *requestSubject) choiceField() *widget.Field {
	all := format.Count(len(s.others)+1, "mission")
	return &widget.Field{Label: "For", Kind: widget.ChoiceField, Options: []widget.Option{
		{Value: "one", Label: s.code, Help: "this mission", Quiet: true},
		{
			Value: "all",
			Label: "all " + all,
			Help:  "every mission of the order with this status",
			Quiet: true,
		},
	}}
}

// chosenIn returns the subjects that are chosen in a form.
func (s *requestSubject) chosenIn(f *widget.Form) []requestSubject {
	list := []requestSubject{*s}
	if field := f.Field("for"); field != nil && field.Value() == "all" {
		list = append(list, s.others...)
	}
	return list
}

// runCommand runs a command for subjects one by one. After a failure, retrying continues
// with those that are not done.
func runCommand(
	ctx context.Context,
	d *operationsPage,
	c commands.Command,
	list []requestSubject,
	done map[string]bool,
) (s requestResult, err error) {
	var answer *commands.Outcome
	for _, of := range list {
		if done[of.id] {
			continue
		}
		if answer, err = c.Run(commands.Target{Context: ctx, Client: d.Ops, ID: of.id}); err != nil {
			var e *api.Error
			if n := len(done); n > 0 && errors.As(err, &e) {
				err = fmt.Errorf(
					"%s of %d updated, then %s failed: %s",
					format.Count(n, "mission"),
					len(list),
					of.code,
					e.Message,
				)
			}
			return s, err
		}
		done[of.id] = true
	}
	s.said = format.CapitalizeFirst(format.Clean(answer.Done))
	if n := len(list) - 1; n > 0 {
		s.said += ", and " + format.Count(n, "more mission")
	}
	switch v := answer.Value.(type) {
	case *ops.AccountKey:
		s.secret = secretOf(
			"New key",
			"the key",
			v.Key,
			"Anyone with it can act for this account within its scopes.",
		)
	case *ops.Operator:
		s.secret = secretOf("New key", "the key", v.Key, "Anyone with it can act as "+format.Clean(v.Name)+".")
	case *ops.NotificationSettings:
		s.secret = secretOf(
			"Signing secret",
			"the signing secret",
			v.Secret,
			"The receiver verifies notices with it.",
		)
	}
	return s, nil
}

// ask opens the form of a command.
func ask(d *operationsPage, c commands.Command, about requestSubject) tea.Cmd {
	return d.acts.openForm(formOf(d, c, about))
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
		return cmp.Or(
			d.readField(fl, clock, from),
			page.TextIf(from.IsMissing(), from.Required),
			from.ValueFault(),
		)
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
		clock.Check = func(typed string) string { return faultOf(commands.AtClock(time.Time{}, typed)) }
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

// faultOf returns what an error says, "" for none.
func faultOf(_ time.Time, err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// showValue fills in the value of a field.
func (d *operationsPage) showValue(f *widget.Form, from *commands.Field) {
	fl, text := f.Field(from.Name), from.String()
	switch at, isMoment := from.Value.(*api.Time); {
	case isMoment && !at.IsZero():
		local := at.In(d.Now().Location())
		text = local.Format(time.DateOnly)
		if from.Clock {
			f.Field("time").Set(local.Format("15:04"))
		}
	case from.IsShare():
		text = format.GroupDigits(100**from.Value.(*float64), 0)
	case from.Kind() == commands.KindScopes:
		fl.Set(strings.Split(text, ",")...)
		return
	}
	fl.Set(text)
}

// readField parses a field into its value, and returns why it is not valid.
func (d *operationsPage) readField(fl, clock *widget.Field, from *commands.Field) string {
	typed := fl.Value()
	switch from.Kind() {
	case commands.KindMoment:
		at, err := d.dayOf(fl, clock, from)
		*from.Value.(*api.Time) = at
		return faultOf(at.Time, err)
	case commands.KindNumber:
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
	return faultOf(time.Time{}, from.Set(typed))
}

// dayOf returns the time that a day means. Future days are required only if the command
// requires them.
func (d *operationsPage) dayOf(fl, clock *widget.Field, from *commands.Field) (at api.Time, err error) {
	if fl.Value() == "" && from.Required == "" {
		return at, nil
	}
	day, err := fl.Time()
	switch {
	case err != nil:
		return at, err
	case from.Clock:
		day, _ = commands.AtClock(day, clock.Value())
	case from.DayEnd:
		day = day.AddDate(0, 0, 1).Add(-time.Minute)
	}
	if from.Ahead && !day.After(d.Now()) {
		return at, errors.New("must be in the future")
	}
	return api.TimeOf(day), nil
}

// secretOf returns the dialog of a new secret, nil for "".
func secretOf(title, what, text, warning string) *page.SecretDialog {
	if text == "" {
		return nil
	}
	warning = "Copy " + what + " now: it is not shown again. " + warning
	return &page.SecretDialog{Title: title, What: what, Secret: text, Warning: warning}
}
