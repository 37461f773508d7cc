package operations

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/changes"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// requestSubject is the order, mission, account or other thing that a command changes.
type requestSubject struct {
	id    string
	code  string   // shown in the title, and typed to confirm; "" for the service itself
	lines []string // describe the subject at the top of the form

	others []requestSubject // further missions that the command can change as well
	all    bool             // the form initially includes the others
}

// requestForm is a form for a request to the service.
type requestForm struct {
	widget.FormDialog
	command commands.Command
	about   requestSubject
	done    int               // number of subjects that are updated; a retry continues after them
	outcome *commands.Outcome // result for the last subject that was updated

	// If the form has a field of files, local files are chosen in a dialog before the request
	// is sent.
	chooser string            // title of that dialog
	kinds   []api.Deliverable // kinds of files to choose from; nil if one file without a kind is sent
	files   []api.FileInput   // files that were chosen
}

// requestRunner opens the forms of commands and sends their requests, one at a time. It belongs to the section's
// first page. Its requests therefore continue when another page is closed.
type requestRunner struct {
	b     page.Base
	asked page.Request
	doing string // progress text, "" if idle
}

// workID identifies the request in the status row.
const workID = "operations"

// busyReason returns why no request can be sent now, or "" if one can.
func (a *requestRunner) busyReason() string {
	return page.TextIf(a.doing != "", "still "+a.doing)
}

// openForm opens a form. If the form has no fields, it opens a dialog that asks the user to confirm instead.
func (a *requestRunner) openForm(q *requestForm) tea.Cmd {
	if len(q.Form.Fields) == 0 {
		submit := func() tea.Cmd { return a.submitForm(q) }
		return a.b.Env.Confirm(q.Title, q.Yes, submit, append(q.Lines, "", q.Warn)...)
	}
	if q.OnChange != nil {
		q.OnChange(q.Form)
	}
	a.b.Env.Nav.Overlay(&q.FormDialog)
	return nil
}

// chooseFilesAndSend lets the user choose local files if the form asks for them, and submits the form. While another
// request is being sent, the form stays open and shows that it has to wait.
func (a *requestRunner) chooseFilesAndSend(q *requestForm) tea.Cmd {
	q.Fault = a.busyReason()
	if q.Fault != "" {
		return nil
	}
	q.files = nil
	field := q.Form.Field("files")
	if field == nil || field.Value() != fromFiles {
		return a.submitForm(q)
	}
	dialog := newUploadDialog(a.b, q.chooser, q.kinds, func(files []api.FileInput) tea.Cmd {
		q.files = files
		return a.submitForm(q)
	})
	a.b.Env.Nav.Overlay(dialog)
	return dialog.ShowFolder()
}

// submitForm sends the request of a form in the background. Leaving the page does not cancel
// it.
func (a *requestRunner) submitForm(q *requestForm) tea.Cmd {
	if a.doing != "" {
		return page.ShowToast(theme.Attention, a.busyReason())
	}
	a.doing = q.command.Doing
	send := func(ctx context.Context) (string, error) {
		return q.runCommand(a.b.Env.Profile.OperationsTarget(context.WithoutCancel(ctx)))
	}
	finish := func(summary string, err error) tea.Cmd { return a.handleResult(q, summary, err) }
	return tea.Batch(
		page.SendMessage(page.WorkMsg{ID: workID, Text: a.doing, Done: -1}),
		page.RunInBackground(a.b, &a.asked, send, finish),
	)
}

// handleResult reports the result of a request, and shows secrets that the service returned.
func (a *requestRunner) handleResult(q *requestForm, summary string, err error) tea.Cmd {
	a.doing = ""
	a.b.Env.Profile.Cache.MarkChanged()
	a.b.Env.Profile.Cache.RefreshAccount()
	over := page.SendMessage(page.WorkMsg{ID: workID, Over: true})
	if err != nil {
		return tea.Batch(over, a.handleFailure(q, err))
	}
	for _, fact := range q.outcome.Facts {
		a.showIfSecret(fact[0], fact[1])
	}
	return tea.Batch(over, page.ShowToast(theme.Good, summary))
}

// handleFailure opens a rejected form again with the errors at its fields. The error of a
// request without fields is shown in a toast.
func (a *requestRunner) handleFailure(q *requestForm, err error) tea.Cmd {
	if len(q.Form.Fields) == 0 {
		return page.ShowToast(theme.Bad, refusalText(err))
	}
	q.Fault = q.placeFaults(err)
	a.b.Env.Nav.Interrupt(&q.FormDialog)
	return nil
}

// showIfSecret shows the value of a fact in a dialog if it is a secret, which the service
// returns only once.
func (a *requestRunner) showIfSecret(label, value string) {
	use := secretUses[label]
	if use == "" || value == "" {
		return
	}
	name := strings.ToLower(label)
	a.b.Env.ShowSecret(&page.SecretDialog{
		Title:   "New " + name,
		What:    "the " + name,
		Secret:  value,
		Warning: "Copy the " + name + " now: it is not shown again. " + use,
	})
}

// secretUses says what a secret is used for. The keys are the labels of secrets in responses of the service.
var secretUses = map[string]string{
	"Key":    "Anyone with it can act as its owner.",
	"Secret": "The receiver verifies notices with it.",
}

// placeFaults shows each of the service's error messages at the form field that it is about. It returns the
// error message for the form as a whole, which includes the messages without a field.
func (q *requestForm) placeFaults(err error) string {
	var apiErr *api.Error
	if !errors.As(err, &apiErr) || len(apiErr.Fields) == 0 {
		return refusalText(err)
	}
	var rest []string
	for _, fault := range apiErr.Fields {
		field := q.Form.Field(fault.Field)
		if field == nil || field.Kind == widget.NoteField {
			rest = append(rest, format.Clean(fault.Field+" "+fault.Message))
			continue
		}
		field.Error = format.Clean(fault.Message)
	}
	if len(rest) == 0 {
		return "The service rejected the values marked below."
	}
	return "The service rejected " + strings.Join(rest, "; ")
}

// refusalText returns the text for a failed request. It warns if the service may have applied the request in spite
// of the error.
func refusalText(err error) string {
	if !api.MaybeApplied(err) {
		return format.Clean(format.FaultText(err))
	}
	what, _ := format.ExplainError(err)
	return format.Clean(strings.TrimSuffix(what, ".") + ". Sent, not confirmed; check before retrying.")
}

// formOf returns the form for running a command on a subject. The form has the command's fields and, below
// them, the fields in more. In each field of more, the first option is selected initially.
func (a *requestRunner) formOf(c commands.Command, about requestSubject, more ...*widget.Field) *requestForm {
	title := c.ScreenTitle()
	heading := title
	if about.code != "" {
		heading = title + ": " + about.code
	}
	fieldsBelow := about.fieldsBelow(c, more)
	form := &requestForm{command: c, about: about}
	form.FormDialog = widget.FormDialog{
		Title:  heading,
		Lines:  about.lines,
		Warn:   c.Effects,
		Yes:    strings.ToLower(title),
		Form:   a.newCommandForm(c, fieldsBelow),
		OnSave: func() tea.Cmd { return a.saveForm(form) },
	}
	about.selectOptions(fieldsBelow)
	return form
}

// fieldsBelow returns the fields that follow the fields of a command:
//
//   - the choice of missions, if the command can change several;
//   - the fields in more;
//   - the field in which the user types a word to confirm the command, if the command needs that.
func (s *requestSubject) fieldsBelow(c commands.Command, more []*widget.Field) []*widget.Field {
	var fields []*widget.Field
	if len(s.others) > 0 {
		fields = append(fields, s.choiceField())
	}
	fields = append(fields, more...)
	if c.NeedsConfirmation {
		fields = append(fields, confirmField(c, s.code))
	}
	return fields
}

// selectOptions selects the first option of each field. In the choice of missions it selects all missions if
// s.all is true. The fields must already be part of a form.
func (s *requestSubject) selectOptions(fields []*widget.Field) {
	for _, field := range fields {
		if field.ID == subjectsField && s.all {
			field.Set(allSubjects)
		} else if len(field.Options) > 0 {
			field.Set(field.Options[0].Value)
		}
	}
}

// confirmField returns the field in which the user types a word to confirm a command. The word is the code of the
// command's subject, or the verb of the command if the subject has no code.
func confirmField(c commands.Command, code string) *widget.Field {
	word := code
	if word == "" {
		word = c.Verb
	}
	return widget.WordField("Confirm", word+" confirms", word)
}

// newCommandForm returns a form with the fields of a command, and below them the fields in more. The command's
// fields are filled in with the current values of the command.
func (a *requestRunner) newCommandForm(c commands.Command, more []*widget.Field) *widget.Form {
	values := c.ScreenFields()
	var fields []*widget.Field
	for _, value := range values {
		fields = append(fields, a.fieldsOf(value)...)
	}
	fields = append(fields, more...)
	if len(fields) == 0 {
		return &widget.Form{}
	}
	form := widget.NewForm(api.MaxTextLength, a.b.Env.Clock.Now, fields...)
	for _, value := range values {
		a.fillField(form, value)
	}
	return form
}

// saveForm sends a form. If the values of the form contradict each other, it shows the error at a field
// instead.
func (a *requestRunner) saveForm(q *requestForm) tea.Cmd {
	name, fault := q.command.CheckValues()
	if fault != "" {
		q.Form.Field(name).Error = fault
		return nil
	}
	return a.chooseFilesAndSend(q)
}

const (
	subjectsField = "for" // ID of the choice between one mission and all missions of the order
	allSubjects   = "all" // value of that choice for all missions
)

// choiceField returns the field in which the user chooses between the selected mission and all missions of the
// order with the same status.
func (s *requestSubject) choiceField() *widget.Field {
	one := widget.Option{Value: "one", Label: s.code, Help: "this mission", Quiet: true}
	all := widget.Option{
		Value: allSubjects,
		Label: "all " + format.Count(len(s.others)+1, "mission"),
		Help:  "every mission of the order with this status",
		Quiet: true,
	}
	return &widget.Field{
		ID:      subjectsField,
		Label:   "For",
		Kind:    widget.ChoiceField,
		Options: []widget.Option{one, all},
	}
}

// runCommand runs the command for its subjects one after the other, and returns a summary. If it fails, the next
// call continues with the subject that failed. The summary counts the subjects of earlier calls separately, because
// the user may have changed the values between the calls.
func (q *requestForm) runCommand(target commands.Target) (string, error) {
	files, err := commands.OpenFiles(q.files, ordering.FileReason)
	if err != nil {
		return "", err
	}
	defer commands.CloseFiles(files)
	target.Files = files
	subjects := q.subjects()
	before := q.done
	if before >= len(subjects) { // the user chose fewer subjects after a failure
		return "", fmt.Errorf("%s already updated", format.Count(before, "mission"))
	}
	for q.done < len(subjects) {
		subject := subjects[q.done]
		target.ID = subject.id
		outcome, err := q.command.Run(target)
		if err != nil {
			return "", q.explainFailure(err, subject.code, len(subjects))
		}
		q.outcome = outcome
		q.done++
	}
	return q.describeUpdates(before), nil
}

// describeUpdates returns a summary of the updates. before is the number of subjects that earlier calls of
// runCommand have updated.
func (q *requestForm) describeUpdates(before int) string {
	summary := format.CapitalizeFirst(format.Clean(q.outcome.Done))
	if more := q.done - before - 1; more > 0 {
		summary += ", and " + format.Count(more, "more mission")
	}
	if before > 0 {
		summary += "; " + format.Count(before, "mission") + " updated before"
	}
	return summary
}

// subjects returns the missions or other subjects that the user chose in the form.
func (q *requestForm) subjects() []requestSubject {
	subjects := []requestSubject{q.about}
	field := q.Form.Field(subjectsField)
	if field != nil && field.Value() == allSubjects {
		subjects = append(subjects, q.about.others...)
	}
	return subjects
}

// explainFailure adds to an error how many missions were updated before it occurred. If no mission was updated, or if
// the error does not come from the service, it returns err unchanged. code is the code of the mission that failed, and
// total the number of missions to update.
func (q *requestForm) explainFailure(err error, code string, total int) error {
	if q.done == 0 {
		return err
	}
	progress := fmt.Sprintf("%s of %d updated, then %s", format.Count(q.done, "mission"), total, code)
	if errors.As(err, new(*changes.UnconfirmedError)) {
		return fmt.Errorf("%s: %w", progress, err)
	}
	var apiErr *api.Error
	if errors.As(err, &apiErr) {
		return fmt.Errorf("%s failed: %s", progress, apiErr.Message)
	}
	return err
}

// openCommand opens the form of a command.
func (a *requestRunner) openCommand(c commands.Command, about requestSubject) tea.Cmd {
	return a.openForm(a.formOf(c, about))
}

// fieldKinds maps kinds of values to kinds of form fields. Other values are text fields.
var fieldKinds = map[commands.Kind]widget.FieldKind{
	commands.KindMoment: widget.DateField,
	commands.KindScopes: widget.MultiField,
	commands.KindNumber: widget.NumberField,
	commands.KindTruth:  widget.ChoiceField,
}

// fieldsOf returns the form fields for a command's field. A date with a time of day has a second field for the
// time.
func (a *requestRunner) fieldsOf(from *commands.Field) []*widget.Field {
	field := &widget.Field{
		ID:    from.Name,
		Label: from.Label,
		Help:  from.Help,
		Kind:  fieldKinds[from.Kind()],
		Unit:  from.Unit,
		Least: from.Least,
		Most:  from.Most,
	}
	if !from.Clock {
		setKind(field, from)
		field.Check = func(string) string { return a.saveField(field, nil, from) }
		return []*widget.Field{field}
	}
	clock := &widget.Field{Label: "Time", Help: "take-off, e.g. 09:30, in your time zone"}
	field.Check = func(string) string { return a.saveField(field, clock, from) }
	clock.Check = func(typed string) string { return a.checkClock(field, typed) }
	return []*widget.Field{field, clock}
}

// saveField stores the input of a form field in the command's field, and returns what is wrong with it, or
// "". clock is the form field for the time of day, or nil.
func (a *requestRunner) saveField(field, clock *widget.Field, from *commands.Field) string {
	if err := a.readField(field, clock, from); err != nil {
		return err.Error()
	}
	if from.IsMissing() {
		return from.Required
	}
	return from.ValueFault()
}

// setKind adjusts the kind of a form field to a command's field. If the user chooses from known values, setKind
// adds the options.
func setKind(field *widget.Field, from *commands.Field) {
	switch {
	case from.IsShare():
		field.Most = 100
	case from.Long:
		field.Kind = widget.LongField
	case field.Kind == widget.ChoiceField:
		field.Options = []widget.Option{{Value: "false", Label: "No"}, {Value: "true", Label: "Yes"}}
	case field.Kind == widget.TextField && from.Known != nil:
		field.Kind = widget.ChoiceField
		if from.Required == "" {
			field.Options = []widget.Option{{Label: "Unaffected"}}
		}
	}
	for _, option := range from.Known {
		if option.Label != "" {
			option.Quiet = option.Value == option.Label
			field.Options = append(field.Options, option)
		}
	}
}

// checkClock returns what is wrong with a typed time of day, or "". It checks the time for the day in
// dayField, or for today if that day is not valid.
func (a *requestRunner) checkClock(dayField *widget.Field, typed string) string {
	day, err := dayField.Date()
	if err != nil {
		day = api.DayAt(a.b.Env.Clock.Now())
	}
	if _, err := commands.AtClock(day, typed); err != nil {
		return err.Error()
	}
	return ""
}

// fillField fills the value of a command's field into the form.
func (a *requestRunner) fillField(f *widget.Form, from *commands.Field) {
	text := from.String()
	moment, isMoment := from.Value.(*api.Time)
	if isMoment && !moment.IsZero() {
		zone := a.b.Env.Clock.Now().Location()
		text = dateText(from, moment, zone)
		if from.Clock {
			f.Field("time").Set(moment.In(zone).Format("15:04"))
		}
	} else if from.IsShare() {
		text = format.GroupDigits(100**from.Value.(*float64), 0)
	}
	f.Field(from.Name).Set(strings.Split(text, ",")...)
}

// dateText returns the date of a moment as the user would type it into the form field.
func dateText(from *commands.Field, moment *api.Time, zone *time.Location) string {
	if from.Clock {
		return moment.In(zone).Format(time.DateOnly)
	}
	if from.DayEnd {
		return moment.EndDay(zone).String()
	}
	return moment.StartDay(zone).String()
}

// readField parses the input of a form field and stores it in the command's field.
func (a *requestRunner) readField(field, clock *widget.Field, from *commands.Field) error {
	if moment, ok := from.Value.(*api.Time); ok {
		return a.readMoment(field, clock, from, moment)
	}
	typed := field.Value()
	if from.Kind() != commands.KindNumber || typed == "" && from.IsOptional() {
		return from.Set(typed)
	}
	n, err := field.Number()
	if err != nil {
		return err
	}
	if from.IsShare() {
		n /= 100
	}
	return from.Set(strconv.FormatFloat(n, 'f', -1, 64))
}

// readMoment parses the date in a form field and stores it in moment. If the command's field has a time of day,
// readMoment reads the time from the form field clock. An optional date may be empty. The date must be in the
// future if the command requires that.
func (a *requestRunner) readMoment(
	field, clock *widget.Field,
	from *commands.Field,
	moment *api.Time,
) error {
	*moment = api.Time{}
	if field.Value() == "" && from.Required == "" {
		return nil
	}
	day, err := field.Date()
	if err != nil {
		return err
	}
	at := from.Moment(day)
	if from.Clock && day.IsDay() { // the date was typed without a time of day
		at = atClock(day, clock.Value(), at)
	}
	*moment = api.TimeOf(at)
	if from.Ahead && !at.After(a.b.Env.Clock.Now()) {
		return errors.New("must be in the future")
	}
	return nil
}

// atClock returns the given day at the typed time of day. If the time is not valid, it returns fallback; the
// field for the time then shows the error already.
func atClock(day api.DayOrTime, typed string, fallback time.Time) time.Time {
	at, err := commands.AtClock(day, typed)
	if err != nil {
		return fallback
	}
	return at
}
