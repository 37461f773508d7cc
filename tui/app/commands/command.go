// Package commands has what the app and the command line do at a service: each
// operation of the operations API once, and the changes of an account.
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
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
)

// Command is one operation of the operations API. Its form on the screen and its
// command in the shell are made from this. What people read of it and of its values is
// in operations.json.
type Command struct {
	Verb, Alias string // in the shell
	Subject     string // what id is of, as the help of the shell has it: ACCOUNT, MISSION; "" for the service
	Title       string // on the screen; "" is the verb
	Doing       string // what is under way, as in "issuing a key"
	Done        string // what is said afterwards, with members of the answer
	Asks        bool   // it is confirmed: by an answer in the shell, by typing what it is about on the screen
	Looks       bool   // without a value the shell has it only look
	Effects     string // what follows from it, and whether it can be undone

	Short, Long, Example string // in the shell's help

	Fields []Field
	Check  func() (field, fault string) // what is wrong with the values together; nil for nothing
	// Request returns what the service answers, or an Outcome where the answer alone does
	// not say what was done.
	Request Request
	// Watch finds out what became of the request if its response does not say it; nil if that
	// cannot be found out.
	Watch watchFunc
	// Confirms reports whether an answer shows the change; nil if every answer does.
	Confirms func(answer any) bool
}

// Request is what makes the request of an operation.
type Request func(Target) (any, error)

//go:embed operations.json
var rows []byte

// commands are the operations by their verbs, without values and requests.
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

// Named returns the words of the operation of a verb.
func Named(verb string) Command { return commands[verb] }

// values are the variables of the fields of a command, by the names of the fields.
type values map[string]any

// command returns the operation with a verb. Its fields read and write the values, one for each
// field; it panics if they are not those that operations.json names.
func command(verb string, request Request, values values) Command {
	c := commands[verb]
	c.Request = request
	c.Fields = slices.Clone(c.Fields)
	if len(values) != len(c.Fields) {
		panic(fmt.Sprintf("%s has %d fields and %d values", verb, len(c.Fields), len(values)))
	}
	for i := range c.Fields {
		f := &c.Fields[i]
		f.Value = values[f.key()]
		if f.Value == nil {
			panic(fmt.Sprintf("%s has no value for its field %s", verb, f.key()))
		}
		if f.Kind() == KindScopes {
			f.Known = append([]format.Option{{Value: allScopes}}, format.WordOptions(api.Scopes())...)
		}
	}
	return c
}

// key returns what the value of a field is named by: the member of the request, or for fields of
// the shell only their flag or argument.
func (f *Field) key() string {
	if f.Name != "" {
		return f.Name
	}
	if f.Flag != "" {
		return f.Flag
	}
	return f.Arg
}

// Outcome is what came of a command.
type Outcome struct {
	Value any         // what the service answered
	Done  string      // for people
	Facts [][2]string // what the shell prints of it, before those of Value; nil prints Done
}

// Run makes the request, and tells what came of it. If the response does not say it, Run looks
// for the effect on the service; the error is an [*ordering.UnconfirmedError] if there is none.
func (c *Command) Run(t Target) (*Outcome, error) {
	answer, err := c.requestAnswer(t)
	if err != nil {
		return nil, err
	}
	o, is := answer.(*Outcome)
	if !is {
		o = &Outcome{Value: answer, Done: c.describeDone(answer)}
	}
	o.Facts = append(o.Facts, AnswerFacts(o.Value)...)
	return o, nil
}

// describeDone says what was done. Members of the answer are named in it, ${Name}, those that
// are counted with their noun, ${FileCount file}.
func (c *Command) describeDone(answer any) string {
	record := reflect.Indirect(reflect.ValueOf(answer))
	return os.Expand(c.Done, func(member string) string {
		member, noun, counted := strings.Cut(member, " ")
		switch v := record.FieldByName(member).Interface().(type) {
		case int:
			if counted {
				return format.Count(v, noun)
			}
			return strconv.Itoa(v)
		case int64:
			return format.Bytes(v)
		case *string:
			return columns.TextAt(v).Text
		case api.OrderStatus:
			return format.Status(v).Label
		case api.EventName:
			return format.Word(v).Label
		case api.Price:
			return format.Money(v.Amount, record.FieldByName("Currency").String())
		default:
			return fmt.Sprint(v)
		}
	})
}

// AnswerFacts returns what there is to read of an answer, nil where what was done says it
// all.
func AnswerFacts(answer any) [][2]string {
	switch v := answer.(type) {
	case *ops.Account:
		return columns.RowFacts(columns.Accounts(), v, time.Time{})
	case *ops.AccountKey:
		if v.Key != "" {
			return [][2]string{
				{"Key", v.Key},
				{"Scopes", columns.ScopeText(v.Scopes)},
				{"For", v.Description},
				{"Expires", columns.FormatMoment(v.ExpiresAt)},
				{"To revoke it", "flightdesk ops revoke-key " + v.UUID},
			}
		}
	case *ops.Operator:
		if v.Key != "" {
			return [][2]string{
				{"Key", v.Key},
				{"Name", v.Name},
				{"Role", string(v.Role)},
				{"Old key until", columns.FormatMoment(v.OldKeyUntil)},
				{"To revoke it", "flightdesk ops users revoke " + v.UUID},
			}
		}
	case *api.FlightPermission:
		return columns.RowFacts(columns.Permissions(), v, time.Time{})
	case *api.RecordDetails:
		return columns.DetailFacts(v)
	case *ops.NotificationSettings:
		return [][2]string{
			{"Webhook", cmp.Or(v.Webhook, format.None)},
			{"Secret", v.Secret},
			{"E-mail", yesNo(v.Email)},
		}
	case *ops.ServiceClock:
		ahead := "no"
		if v.Ahead.Duration > 0 {
			ahead = format.TimeLeft(v.Now.Add(v.Ahead.Round(time.Minute)), v.Now.Time, false)
		}
		return [][2]string{
			{"Clock", columns.FormatMoment(v.Now)},
			{"Ahead", ahead},
			{"Adjustable", yesNo(v.Adjustable)},
		}
	case *ops.SimulatorState:
		facts := SimulatorFacts(v)
		for _, next := range UpcomingSteps(v) {
			facts = append(facts, [2]string{"Next", columns.FormatMoment(next.At) + "  " + next.Does})
		}
		return facts
	case *ops.Faults:
		return FaultFacts(v)
	}
	return nil
}

// ScreenFields returns the fields that the screen has, too.
func (c *Command) ScreenFields() []*Field {
	var fields []*Field
	for i := range c.Fields {
		if c.Fields[i].Label != "" {
			fields = append(fields, &c.Fields[i])
		}
	}
	return fields
}

// Target is the service that a command runs at, and the id of what it is about.
type Target struct {
	context.Context
	*ops.Client
	ID       string
	OrderUID string          // of the completion notice that ID is of; "" if the order is not known
	Files    []api.FileInput // that are sent
	Look     bool            // nothing is changed
}

// ScreenTitle returns what the command is called on the screen.
func (c *Command) ScreenTitle() string {
	return cmp.Or(c.Title, format.CapitalizeFirst(strings.ReplaceAll(c.Verb, "-", " ")))
}

// Field is one value of a request. Value says where it goes, and by its type
// what kind it is: *string, *int, *float64, *bool, *api.Time, *api.Duration or
// *[]api.Scope; **string, **float64 and **bool are of values that stay where they are nil.
type Field struct {
	Name  string // in the request, where the service refers to it
	Value any

	Label    string          // on the screen; "" where only the shell has it
	Help     string          // on the screen and in the shell
	Required string          // what to say where it is missing; "" where it can be
	DayEnd   bool            // a day means its end
	Clock    bool            // a time is of a day and an hour
	Ahead    bool            // a time has to be in the future
	Long     bool            // a text may have several lines
	Known    []format.Option // values of a text that there are; nil for any

	Unit        string // of a number
	Least, Most float64

	Flag string // in the shell; "" for an argument
	Arg  string // name of the argument, as in REASON
}

// field returns the field of a name.
func (c *Command) field(name string) *Field {
	return &c.Fields[slices.IndexFunc(c.Fields, func(f Field) bool { return f.Name == name })]
}

// limit bounds the number of a field.
func (c *Command) limit(name string, least, most float64) {
	f := c.field(name)
	f.Least = least
	f.Most = most
}

// Kind is what kind of value a field has.
type Kind string

// The kinds of values. A moment is typed as [ParseMoment] reads it.
const (
	KindText   Kind = "string"
	KindNumber Kind = "float"
	KindTruth  Kind = "bool"
	KindScopes Kind = "strings"
	KindMoment Kind = "moment"
)

// plainValue returns the value itself of one that can stay as it is: nil where it does.
func (f *Field) plainValue() any {
	if f.IsOptional() {
		return reflect.ValueOf(f.Value).Elem().Interface()
	}
	return f.Value
}

// Kind returns what kind of value it is.
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

// IsOptional reports whether the value stays as it is where it is not given.
func (f *Field) IsOptional() bool { return reflect.TypeOf(f.Value).Elem().Kind() == reflect.Pointer }

// Type returns what the help of the shell calls the value.
func (f *Field) Type() string {
	kind := f.Kind()
	if _, whole := f.Value.(*int); whole {
		return "int"
	}
	if kind == KindMoment {
		kind = KindText
	}
	return string(kind)
}

// String returns the value as it is typed, "" for none.
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
		if v.Duration != 0 {
			return strings.NewReplacer("h0m0s", "h", "m0s", "m").Replace(v.String())
		}
	case *api.Time:
		if !v.IsZero() {
			return v.Format(time.RFC3339)
		}
	case *[]api.Scope:
		return strings.Join(format.PlainTexts(*v), ",")
	}
	return ""
}

// Set reads the value. What is typed of a moment is kept unread: it depends on the
// service's clock.
func (f *Field) Set(typed string) error {
	if f.IsOptional() {
		to := reflect.ValueOf(f.Value).Elem()
		to.Set(reflect.New(to.Type().Elem()))
	}
	var err error
	var use string // what can be typed
	switch v := f.plainValue().(type) {
	case *string:
		*v = typed
	case *int:
		*v, err = strconv.Atoi(typed)
		use = "not a whole number"
	case *float64:
		*v, err = strconv.ParseFloat(typed, 64)
		use = "not a valid number"
	case *bool:
		*v, err = strconv.ParseBool(typed)
		use = "not a valid choice; use true or false"
	case *api.Duration:
		v.Duration, err = api.ParseDuration(cmp.Or(typed, "0s"))
		use = "not a valid duration; use 90s, 36h or 7d"
		if v.Duration < 0 {
			return errors.New(use)
		}
	case *api.Time:
		*v = api.Time{Raw: typed}
	case *[]api.Scope:
		*v = nil
		for name := range strings.FieldsFuncSeq(typed, func(r rune) bool { return r == ',' }) {
			*v = append(*v, api.Scope(name))
		}
		if slices.Contains(*v, allScopes) {
			*v = api.Scopes()
		}
	}
	if err != nil {
		return errors.New(use)
	}
	return nil
}

// allScopes stands for each scope that there is.
const allScopes = "all"

// KnownValues returns the values that the field can have, nil for any.
func (f *Field) KnownValues() []string {
	var values []string
	for _, c := range f.Known {
		values = append(values, c.Value)
	}
	return values
}

// IsShare reports whether the value is a part of all, from 0 to 1: percent on the screen.
func (f *Field) IsShare() bool { return f.Unit == "%" && f.Most == 1 }

// ValueFault says what is wrong with the value by itself, "" for nothing.
func (f *Field) ValueFault() string {
	text := f.String()
	known := f.KnownValues()
	for _, one := range strings.Split(text, ",") {
		if text != "" && known != nil && !slices.Contains(known, one) {
			return fmt.Sprintf("%q is not valid; use %s", one, strings.Join(known, ", "))
		}
	}
	n, err := strconv.ParseFloat(text, 64)
	switch length, isLength := f.Value.(*api.Duration); {
	case f.Most == 0:
	case isLength && length.Seconds() > f.Most:
		return fmt.Sprintf("%s is not a valid duration; use up to %gs, e.g. 500ms", text, f.Most)
	case f.Kind() == KindNumber && err == nil && !(n >= f.Least && n <= f.Most):
		unit := ""
		if f.Unit == "%" && f.Most != 1 {
			unit = " percent"
		}
		return fmt.Sprintf("%v is not between %v and %s%s", n, f.Least,
			format.GroupDigits(f.Most, 0), unit)
	}
	return ""
}

// IsMissing reports whether a value has to be there and is not.
func (f *Field) IsMissing() bool { return f.Required != "" && strings.TrimSpace(f.String()) == "" }

// CheckValues returns what is wrong with values as they are together.
func (c *Command) CheckValues() (field, fault string) {
	if c.Check == nil {
		return "", ""
	}
	return c.Check()
}

// ParseMoment reads a moment as people type it: RFC 3339, a day with or without
// a time of it, or how far it is ahead.
func ParseMoment(typed string, now time.Time) (api.DayOrTime, error) {
	typed = strings.TrimSpace(typed)
	ahead, err := api.ParseDuration(strings.TrimPrefix(strings.TrimPrefix(typed, "in "), "+"))
	if err == nil && ahead > 0 {
		return api.TimeAt(now.Add(ahead).Truncate(time.Second)), nil
	}
	date, dateErr := format.ParseDate(typed, now)
	if dateErr == nil {
		return date, nil
	}
	if i := strings.LastIndexAny(typed, " T"); i > 0 && errors.Is(dateErr, format.ErrDate) {
		clock, clockErr := time.Parse("15:04", typed[i+1:])
		day, err := format.ParseDate(typed[:i], now)
		if err == nil && clockErr == nil && day.IsDay() {
			at, err := AtClock(day, clock.Format("15:04"))
			return api.TimeAt(at), err
		}
		if clockErr == nil {
			dateErr = err
		}
	}
	if dateErr != nil && !errors.Is(dateErr, format.ErrDate) {
		return api.DayOrTime{}, fmt.Errorf("%q %w", typed, dateErr)
	}
	return api.DayOrTime{}, fmt.Errorf(
		"%q is not a valid time; use \"2026-12-01 09:30\", \"in 3 days 09:30\", 36h or RFC 3339",
		typed,
	)
}

// AtClock returns the moment of a day at a time of it, as 09:30. It is an error if the clocks
// never show that time on the day, or twice.
func AtClock(day api.DayOrTime, clock string) (time.Time, error) {
	at, err := time.Parse("15:04", clock)
	if err != nil {
		return time.Time{}, errors.New("not a time; use 09:30")
	}
	y, m, d := day.Start().Date()
	local, err := format.LocalTime(time.Date(y, m, d, at.Hour(), at.Minute(), 0, 0, time.UTC), day.Start().Location())
	if err != nil {
		return time.Time{}, fmt.Errorf("%s %w", clock, err)
	}
	return local, nil
}

// Moment returns the time that a date means for the field: of a day its end or its start.
func (f *Field) Moment(d api.DayOrTime) time.Time {
	if f.DayEnd {
		return d.End()
	}
	return d.Start()
}
