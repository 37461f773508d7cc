// Package commands has the operations that the app and the command line perform on a
// service: each operation of the operations API once, and the changes of an account.
package commands

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/changes"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
)

// Command is an operation of the operations API, such as issuing a key. The dialog in the app and the command on the
// command line are generated from it. Its texts are in operations.json.
type Command struct {
	Verb, Alias string // names on the command line
	Subject     string // kind of object that the command needs an ID of, such as MISSION; "" if it needs no ID
	Title       string // title of the dialog in the app; "" for the verb
	Doing       string // shown while the command runs, such as "issuing a key"
	Done        string // shown afterwards; see describeDone for its placeholders
	Looks       bool   // on the command line, without flags, only show the current state
	Effects     string // what the operation does, and whether it can be undone

	// NeedsConfirmation makes the user confirm the operation: on the command line by answering a question, in the app
	// by typing the name of the object.
	NeedsConfirmation bool

	Short, Long, Example string // help on the command line

	Fields []Field
	Check  func() (field, fault string) // checks the values together; nil if there is nothing to check
	// Request sends the request and returns the decoded response. It returns an [Outcome] instead if the response
	// alone does not say what was done.
	Request Request
	// Watch finds out whether the change was made if the response was lost. It is nil if that is not possible.
	Watch watchFunc
	// Confirms reports whether a response proves that the change was made. If Confirms is nil, every response does.
	Confirms func(answer any) bool
}

// Request is the type of Command.Request.
type Request func(Target) (any, error)

//go:embed operations.json
var rows []byte

// commands has the commands from operations.json by verb. They have no variables and no functions yet.
var commands = readCommands(rows)

func readCommands(text []byte) map[string]Command {
	var list []Command
	if err := json.Unmarshal(text, &list, json.MatchCaseInsensitiveNames(true)); err != nil {
		panic(err)
	}
	all := map[string]Command{}
	for _, c := range list {
		all[c.Verb] = c
	}
	return all
}

// Named returns the command with the given verb for showing its texts. It has no variables and cannot be run.
func Named(verb string) Command { return commands[verb] }

// values has the variable for each field of a command: a pointer to it by the key of the field (see Field.key).
type values map[string]any

// command returns the command with the given verb from operations.json, with its request function and
// its variables. It panics unless each field has exactly one variable.
func command(verb string, request Request, variables values) Command {
	c := commands[verb]
	c.Request = request
	c.Fields = slices.Clone(c.Fields)
	if len(variables) != len(c.Fields) {
		panic(fmt.Sprintf("%s has %d fields and %d values", verb, len(c.Fields), len(variables)))
	}
	for i := range c.Fields {
		f := &c.Fields[i]
		f.Value = variables[f.key()]
		if f.Value == nil {
			panic(fmt.Sprintf("%s has no value for its field %s", verb, f.key()))
		}
		if f.Kind() == KindScopes {
			f.Known = append([]format.Option{{Value: allScopes}}, format.WordOptions(api.Scopes())...)
		}
	}
	return c
}

// key returns the key of the field in values: its name in the request. A field without such a name
// has the name of its flag or argument.
func (f *Field) key() string {
	if f.Name != "" {
		return f.Name
	}
	if f.Flag != "" {
		return f.Flag
	}
	return f.Arg
}

// Outcome is the result of a command.
type Outcome struct {
	Value any         // decoded response of the service
	Done  string      // message for the user
	Facts [][2]string // labels and values that the command line prints; nil to print Done instead
}

// Run sends the request and returns the outcome. If the response is lost or does not prove the change,
// Run looks for its effect on the service. It returns an [*changes.UnconfirmedError] if it finds none.
func (c *Command) Run(t Target) (*Outcome, error) {
	answer, err := c.requestAnswer(t)
	if err != nil {
		return nil, err
	}
	outcome, isOutcome := answer.(*Outcome)
	if !isOutcome {
		outcome = &Outcome{Value: answer, Done: c.describeDone(answer)}
	}
	outcome.Facts = append(outcome.Facts, AnswerFacts(outcome.Value)...)
	return outcome, nil
}

// describeDone returns the text of c.Done with placeholders replaced by values from the response.
// ${OrderCode} becomes the value of the field OrderCode. ${FileCount file} becomes the field
// FileCount with a noun, such as "1 file" or "2 files". An int64 is formatted as a size in bytes.
func (c *Command) describeDone(answer any) string {
	record := reflect.Indirect(reflect.ValueOf(answer))
	return os.Expand(c.Done, func(placeholder string) string {
		name, noun, isCounted := strings.Cut(placeholder, " ")
		switch member := record.FieldByName(name).Interface().(type) {
		case int:
			if isCounted {
				return format.Count(member, noun)
			}
			return strconv.Itoa(member)
		case int64:
			return format.Bytes(member)
		case *string:
			return columns.TextAt(member).Text
		case api.OrderStatus:
			return format.Status(member).Label
		case api.EventName:
			return format.Word(member).Label
		case api.Price:
			return format.Money(member.Amount, record.FieldByName("Currency").String())
		default:
			return fmt.Sprint(member)
		}
	})
}

// AnswerFacts returns the labels and values to print for a decoded response. It returns nil if there
// is nothing to print except Outcome.Done.
func AnswerFacts(answer any) [][2]string {
	switch response := answer.(type) {
	case *ops.Account:
		return columns.RowFacts(columns.Accounts(), response, time.Time{})
	case *ops.AccountKey:
		return keyFacts(response)
	case *ops.Operator:
		return operatorFacts(response)
	case *api.FlightPermission:
		return columns.RowFacts(columns.Permissions(), response, time.Time{})
	case *api.RecordDetails:
		return columns.DetailFacts(response)
	case *ops.NotificationSettings:
		return [][2]string{
			{"Webhook", cmp.Or(response.Webhook, format.None)},
			{"Secret", response.Secret},
			{"E-mail", formatBool(response.Email)},
		}
	case *ops.ServiceClock:
		return clockFacts(response)
	case *ops.SimulatorState:
		facts := SimulatorFacts(response)
		for _, next := range UpcomingSteps(response) {
			facts = append(facts, [2]string{"Next", columns.FormatMoment(next.At) + "  " + next.Does})
		}
		return facts
	case *ops.Faults:
		return FaultFacts(response)
	}
	return nil
}

// keyFacts returns labels and values for a new API key, or nil if the response does not contain the key.
func keyFacts(k *ops.AccountKey) [][2]string {
	if k.Key == "" {
		return nil
	}
	return [][2]string{
		{"Key", k.Key},
		{"Scopes", columns.ScopeText(k.Scopes)},
		{"For", k.Description},
		{"Expires", columns.FormatMoment(k.ExpiresAt)},
		{"To revoke it", "flightdesk ops revoke-key " + k.UUID},
	}
}

// operatorFacts returns labels and values for a user with a new key, or nil if the response does not
// contain the key.
func operatorFacts(o *ops.Operator) [][2]string {
	if o.Key == "" {
		return nil
	}
	return [][2]string{
		{"Key", o.Key},
		{"Name", o.Name},
		{"Role", string(o.Role)},
		{"Old key until", columns.FormatMoment(o.OldKeyUntil)},
		{"To revoke it", "flightdesk ops users revoke " + o.UUID},
	}
}

func clockFacts(clock *ops.ServiceClock) [][2]string {
	ahead := "no"
	if clock.Ahead.Duration > 0 {
		realTime := clock.Now.Time
		ahead = format.TimeLeft(realTime.Add(clock.Ahead.Round(time.Minute)), realTime, false)
	}
	return [][2]string{
		{"Clock", columns.FormatMoment(clock.Now)},
		{"Ahead", ahead},
		{"Adjustable", formatBool(clock.Adjustable)},
	}
}

// ScreenFields returns the fields that the app shows.
func (c *Command) ScreenFields() []*Field {
	var fields []*Field
	for i := range c.Fields {
		if c.Fields[i].Label != "" {
			fields = append(fields, &c.Fields[i])
		}
	}
	return fields
}

// Target has what a command needs to run: the service, and the ID of the object to change.
type Target struct {
	context.Context
	*ops.Client
	ID       string          // ID of the account, mission, order or other object; "" for the service
	OrderUID string          // ID of the order if ID is a completion notice; "" if unknown
	Files    []api.FileInput // files to send
	Look     bool            // change nothing and only read the current state

	LookSchedule changes.LookSchedule // when to look for the effect of a request whose response was lost
}

// ScreenTitle returns the title of the dialog in the app.
func (c *Command) ScreenTitle() string {
	return cmp.Or(c.Title, format.CapitalizeFirst(strings.ReplaceAll(c.Verb, "-", " ")))
}

// Field is an input field of a [Command]. Its value is in the variable to which Value points: a string, int, float64,
// bool, api.Time, api.Duration or []api.Scope. For an optional field, the variable is a pointer (*string, *float64 or
// *bool). As long as that pointer is nil, the service does not change the value.
type Field struct {
	Name  string // name in the request; the service uses it in errors
	Value any    // pointer to the variable

	Label    string          // label in the app; "" if only the command line has the field
	Help     string          // help text in the app and on the command line
	Required string          // message if the value is missing; "" if it may be missing
	DayEnd   bool            // a date without a time of day means the end of the day
	Clock    bool            // the user must enter a time of day, not only a date
	Ahead    bool            // the time must be in the future
	Long     bool            // the text can have several lines
	Known    []format.Option // valid values; nil if any value is valid

	Unit        string  // unit of a number
	Least, Most float64 // range of a number

	Flag string // flag on the command line; "" for an argument
	Arg  string // name of the argument in the help, such as REASON
}

// field returns the field with a name.
func (c *Command) field(name string) *Field {
	return &c.Fields[slices.IndexFunc(c.Fields, func(f Field) bool { return f.Name == name })]
}

// limit sets the range of the numeric field with the given name. The bounds are included.
func (c *Command) limit(name string, least, most float64) {
	f := c.field(name)
	f.Least = least
	f.Most = most
}

// Kind is the type of a field's value.
type Kind string

// Kinds of values. [ParseMoment] parses a moment.
const (
	KindText   Kind = "string"
	KindNumber Kind = "float"
	KindTruth  Kind = "bool"
	KindScopes Kind = "strings"
	KindMoment Kind = "moment"
)

// plainValue returns a pointer to the field's value without the additional pointer of an optional
// field. It is nil if an optional value is not set.
func (f *Field) plainValue() any {
	if f.IsOptional() {
		return reflect.ValueOf(f.Value).Elem().Interface()
	}
	return f.Value
}

// Kind returns the type of the value.
func (f *Field) Kind() Kind {
	switch f.plainValue().(type) {
	case *int, *float64:
		return KindNumber
	case *bool:
		return KindTruth
	case *[]api.Scope:
		return KindScopes
	case *api.Time:
		return KindMoment
	}
	return KindText
}

// IsOptional reports whether the value may be omitted, so that the service does not change it.
func (f *Field) IsOptional() bool { return reflect.TypeOf(f.Value).Elem().Kind() == reflect.Pointer }

// Type returns the name of the value's type for the help on the command line.
func (f *Field) Type() string {
	kind := f.Kind()
	if _, isInt := f.Value.(*int); isInt {
		return "int"
	}
	if kind == KindMoment {
		kind = KindText
	}
	return string(kind)
}

// String returns the value as the user types it, or "" if there is none.
func (f *Field) String() string {
	plain := f.plainValue()
	if reflect.ValueOf(plain).IsNil() {
		return ""
	}
	switch v := plain.(type) {
	case *string:
		return *v
	case *int:
		return strconv.Itoa(*v)
	case *float64:
		return strconv.FormatFloat(*v, 'f', -1, 64)
	case *bool:
		return strconv.FormatBool(*v)
	case *api.Duration:
		return formatDuration(*v)
	case *api.Time:
		if v.IsZero() {
			return ""
		}
		return v.Format(time.RFC3339)
	case *[]api.Scope:
		return strings.Join(format.PlainTexts(*v), ",")
	}
	return ""
}

// formatDuration returns "" for zero. Minutes and seconds that are zero are left out, as in 36h
// instead of 36h0m0s.
func formatDuration(d api.Duration) string {
	if d.Duration == 0 {
		return ""
	}
	text := d.String()
	if minutes, ok := strings.CutSuffix(text, "m0s"); ok {
		text = minutes + "m"
	}
	if hours, ok := strings.CutSuffix(text, "h0m"); ok {
		text = hours + "h"
	}
	return text
}

var errNoDuration = errors.New("not a valid duration; use 90s, 36h or 7d")

// Set parses the text that the user typed and stores the value. It stores values that are not
// allowed, too; call [Field.ValueFault] afterwards. The text of a time is stored unparsed, because
// its meaning depends on the service's clock.
//
// If Set returns an error, the stored value must not be used. Set stores a negative duration despite
// the error, so that String returns the typed text.
func (f *Field) Set(typed string) error {
	if f.IsOptional() { // the variable for the value is nil as long as the value is not given
		f.allocate()
	}
	switch v := f.plainValue().(type) {
	case *string:
		*v = typed
	case *int:
		n, err := strconv.Atoi(typed)
		if err != nil {
			return errors.New("not a whole number")
		}
		*v = n
	case *float64:
		n, err := strconv.ParseFloat(typed, 64)
		if err != nil {
			return errors.New("not a valid number")
		}
		*v = n
	case *bool:
		isTrue, err := strconv.ParseBool(typed)
		if err != nil {
			return errors.New("not a valid choice; use true or false")
		}
		*v = isTrue
	case *api.Duration:
		d, err := api.ParseDuration(cmp.Or(typed, "0s"))
		if err != nil {
			return errNoDuration
		}
		v.Duration = d
		if d < 0 {
			return errNoDuration
		}
	case *api.Time:
		*v = api.Time{Raw: typed}
	case *[]api.Scope:
		*v = parseScopes(typed)
	}
	return nil
}

// allocate makes an optional value non-nil, so that it will be sent. If the variable is a *float64,
// it is set to a pointer to a new float64.
func (f *Field) allocate() {
	optional := reflect.ValueOf(f.Value).Elem()
	optional.Set(reflect.New(optional.Type().Elem()))
}

// parseScopes parses a list of scopes that is separated by commas. For "all" it returns all scopes.
func parseScopes(typed string) []api.Scope {
	var scopes []api.Scope
	for name := range strings.FieldsFuncSeq(typed, func(r rune) bool { return r == ',' }) {
		scopes = append(scopes, api.Scope(name))
	}
	if slices.Contains(scopes, allScopes) {
		return api.Scopes()
	}
	return scopes
}

// allScopes is the text that the user types for all scopes.
const allScopes = "all"

// KnownValues returns the valid values, or nil if any value is valid.
func (f *Field) KnownValues() []string {
	var values []string
	for _, c := range f.Known {
		values = append(values, c.Value)
	}
	return values
}

// IsShare reports whether the value is a share from 0 to 1, which the app shows as a percentage.
func (f *Field) IsShare() bool { return f.Unit == "%" && f.Most == 1 }

// ValueFault checks the value of this field alone. It returns what is wrong, or "".
func (f *Field) ValueFault() string {
	text := f.String()
	known := f.KnownValues()
	if text != "" && known != nil {
		for value := range strings.SplitSeq(text, ",") {
			if !slices.Contains(known, value) {
				return fmt.Sprintf("%q is not valid; use %s", value, strings.Join(known, ", "))
			}
		}
	}
	return f.rangeFault(text)
}

// rangeFault returns what is wrong with a number or a duration that is out of range, or "".
func (f *Field) rangeFault(text string) string {
	if f.Most == 0 {
		return ""
	}
	duration, isDuration := f.Value.(*api.Duration)
	if isDuration && duration.Seconds() > f.Most {
		return fmt.Sprintf("%s is not a valid duration; use up to %gs, e.g. 500ms", text, f.Most)
	}
	if f.Kind() != KindNumber {
		return ""
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n >= f.Least && n <= f.Most {
		return ""
	}
	unit := ""
	if f.Unit == "%" && f.Most != 1 {
		unit = " percent"
	}
	return fmt.Sprintf("%v is not between %v and %s%s", n, f.Least, format.GroupDigits(f.Most, 0), unit)
}

// IsMissing reports whether a required value is missing.
func (f *Field) IsMissing() bool { return f.Required != "" && strings.TrimSpace(f.String()) == "" }

// CheckValues checks whether the values of several fields fit together. It returns the name of a
// field and what is wrong with it, or two empty texts.
func (c *Command) CheckValues() (field, fault string) {
	if c.Check == nil {
		return "", ""
	}
	return c.Check()
}

// ParseMoment parses a time as people type it: RFC 3339, a day with or without a time of
// day, or a duration from now.
func ParseMoment(typed string, now time.Time) (api.DayOrTime, error) {
	typed = strings.TrimSpace(typed)
	duration := strings.TrimPrefix(strings.TrimPrefix(typed, "in "), "+")
	ahead, err := api.ParseDuration(duration)
	if err == nil && ahead > 0 {
		return api.TimeAt(now.Add(ahead).Truncate(time.Second)), nil
	}
	date, dateErr := format.ParseDate(typed, now)
	if dateErr == nil {
		return date, nil
	}
	day, clock, hasClock := cutClock(typed)
	if !hasClock || !errors.Is(dateErr, format.ErrDate) {
		return api.DayOrTime{}, momentError(typed, dateErr)
	}
	date, dateErr = format.ParseDate(day, now)
	if dateErr != nil {
		return api.DayOrTime{}, momentError(typed, dateErr)
	}
	if !date.IsDay() { // a time of day cannot follow another time
		return api.DayOrTime{}, momentError(typed, format.ErrDate)
	}
	return momentAt(date, clock)
}

// momentError returns the error for a text that is not a time. dateErr is the error from parsing the text as a date.
func momentError(typed string, dateErr error) error {
	if !errors.Is(dateErr, format.ErrDate) { // such as a day that does not exist
		return fmt.Errorf("%q %w", typed, dateErr)
	}
	return fmt.Errorf(
		"%q is not a valid time; use \"2026-12-01 09:30\", \"in 3 days 09:30\", 36h or RFC 3339", typed)
}

// momentAt adds a time of day such as 09:30 to a day.
func momentAt(day api.DayOrTime, clock string) (api.DayOrTime, error) {
	at, err := AtClock(day, clock)
	if err != nil {
		return api.DayOrTime{}, err
	}
	return api.TimeAt(at), nil
}

// cutClock splits a text such as "2026-05-01 9:30" into the day and the time of day, in the form
// 09:30. ok is false if the text does not end with a time of day.
func cutClock(typed string) (day, clock string, ok bool) {
	i := strings.LastIndexAny(typed, " T")
	if i <= 0 {
		return "", "", false
	}
	at, err := time.Parse("15:04", typed[i+1:])
	if err != nil {
		return "", "", false
	}
	return typed[:i], at.Format("15:04"), true
}

// AtClock returns the time at a time of day such as 09:30. It returns an error if the clocks change
// on that day and the time does not exist or exists twice.
func AtClock(day api.DayOrTime, clock string) (time.Time, error) {
	timeOfDay, err := time.Parse("15:04", clock)
	if err != nil {
		return time.Time{}, errors.New("not a time; use 09:30")
	}
	year, month, dayOfMonth := day.Start().Date()
	wanted := time.Date(year, month, dayOfMonth, timeOfDay.Hour(), timeOfDay.Minute(), 0, 0, time.UTC)
	local, err := format.LocalTime(wanted, day.Start().Location())
	if err != nil {
		return time.Time{}, fmt.Errorf("%s %w", clock, err)
	}
	return local, nil
}

// Moment returns the start of a date, or its end if the field has DayEnd.
func (f *Field) Moment(d api.DayOrTime) time.Time {
	if f.DayEnd {
		return d.End()
	}
	return d.Start()
}
