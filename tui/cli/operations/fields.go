package operations

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"flightdesk/api"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/cli/run"
)

// verbOf returns the verb of a command: arguments, flags and checks are those of its
// fields. show prints what came of it; subject is what the command was about, by
// its name: the account's company, else as it was typed. nil prints the command's
// sentence.
func verbOf[T any](c commands.Command[T], v opsVerb, show func(r *opsRun, subject string, value T) error) opsVerb {
	f := &fieldFlags{fields: c.Fields, limit: c.Limit, together: c.Check}
	subjects := strings.Fields(c.Subject) // none or one
	v.use = strings.TrimSpace(strings.Join(append([]string{c.Verb}, append(subjects, f.argumentNames()...)...), " ") + " " + v.files)
	v.changes = alwaysChanges
	more := v.flags
	v.flags = func(cmd *cobra.Command, flags *pflag.FlagSet) {
		f.addFlags(cmd, flags)
		if more != nil {
			more(cmd, flags)
		}
	}
	own := v.check
	v.check = func(args []string) error {
		args = args[len(subjects):]
		if own != nil {
			if err := own(args); err != nil {
				return err
			}
		}
		return f.checkArguments(args)
	}
	v.do = func(ctx context.Context, r *opsRun, args []string) error {
		id, name := "", ""
		if len(subjects) > 0 {
			var err error
			if id, name, err = r.findSubject(ctx, c.Subject, args[0]); err != nil {
				return err
			}
		}
		if err := f.readTimes(ctx, r); err != nil {
			return err
		}
		if v.open != nil {
			done, err := v.open(r, args)
			if err != nil {
				return err
			}
			defer done()
		}
		value, err := c.Run(ctx, r.Ops, id)
		switch {
		case err != nil && (c.Subject == "ORDER" || c.Subject == "MISSION"):
			return fmt.Errorf("%s: %w", args[0], err)
		case err != nil:
			return err
		case show == nil:
			return r.printAnswer(value, "%s", c.Done(value))
		}
		return show(r, name, value)
	}
	return v
}

// findSubject returns the id of what a command is about, and its name.
func (r *opsRun) findSubject(ctx context.Context, kind, typed string) (id, name string, err error) {
	if kind != "ACCOUNT" {
		id = run.OrderCode(typed)
		return id, id, nil
	}
	a, err := r.findAccount(ctx, typed)
	if err != nil {
		return "", "", err
	}
	return a.UUID, a.CompanyName, nil
}

// fieldFlags are the arguments and flags of a command's fields.
type fieldFlags struct {
	fields   []commands.Field
	limit    int // characters of a text; 0 is none
	together func() (field, fault string)
	typed    map[any]string // what is read once all is there: times, lengths of time
	scopes   scopeFlag
	given    func(string) bool
}

// argumentNames returns the names of the fields that have no flag.
func (f *fieldFlags) argumentNames() (names []string) {
	for _, field := range f.fields {
		if field.Flag == "" {
			names = append(names, field.Arg)
		}
	}
	return names
}

func (f *fieldFlags) addFlags(cmd *cobra.Command, flags *pflag.FlagSet) {
	f.given, f.typed = flags.Changed, map[any]string{}
	for i := range f.fields {
		field := &f.fields[i]
		if field.Flag == "" {
			continue
		}
		if choice, known := field.ChoiceValues(); choice != nil {
			flags.StringVar(choice, field.Flag, *choice, field.Usage+": "+strings.Join(known, ", "))
			_ = cmd.RegisterFlagCompletionFunc(field.Flag, cobra.FixedCompletions(known, cobra.ShellCompDirectiveNoFileComp))
			continue
		}
		switch to := field.Value.(type) {
		case *string:
			flags.StringVar(to, field.Flag, *to, field.Usage)
		case **string:
			flags.Var(optionalValue[string]{to, func(text string) (string, error) { return text, nil }, "string"}, field.Flag, field.Usage)
		case *int:
			flags.IntVar(to, field.Flag, *to, field.Usage)
		case *float64:
			flags.Float64Var(to, field.Flag, *to, field.Usage)
		case **float64:
			flags.Var(optionalValue[float64]{to, func(text string) (float64, error) { return strconv.ParseFloat(text, 64) }, "float"}, field.Flag, field.Usage)
		case *bool:
			flags.BoolVar(to, field.Flag, *to, field.Usage)
		case **bool:
			flags.Var(optionalValue[bool]{to, strconv.ParseBool, "bool"}, field.Flag, field.Usage)
			flags.Lookup(field.Flag).NoOptDefVal = "true"
		case *commands.PercentShare:
			flags.Float64Var((*float64)(to), field.Flag, float64(*to), field.Usage)
		case *api.Time, *api.Duration:
			flags.Var(laterText{f.typed, to}, field.Flag, field.Usage)
		case *[]api.Scope:
			f.scopes.addFlags(cmd, flags)
		}
	}
}

// checkArguments reads the arguments, and says what of them and of the flags is missing
// or wrong.
func (f *fieldFlags) checkArguments(args []string) error {
	if err := f.checkSome(); err != nil {
		return err
	}
	var missing []string
	for i := range f.fields {
		field := &f.fields[i]
		if field.Flag == "" {
			f.takeArgument(field, args[0])
			args = args[1:]
		}
		if err := f.checkField(field); err != nil {
			return err
		}
		if field.Flag != "" && field.IsMissing() && f.typed[field.Value] == "" && !f.isUsual(field) {
			missing = append(missing, "missing --"+field.Flag+": "+field.Usage+f.knownValues(field))
		}
	}
	if len(missing) > 0 {
		return errors.New(strings.Join(missing, "; "))
	}
	if f.together == nil {
		return nil
	}
	if name, fault := f.together(); fault != "" {
		return fmt.Errorf("%s: %s", f.calledName(name), fault)
	}
	return nil
}

// isUsual reports whether a value may be absent in the shell, where it is what
// the help says then.
func (f *fieldFlags) isUsual(field *commands.Field) bool {
	if choice, _ := field.ChoiceValues(); choice != nil {
		return false
	}
	_, isScopes := field.Value.(*[]api.Scope)
	return !isScopes
}

func (f *fieldFlags) knownValues(field *commands.Field) string {
	_, known := field.ChoiceValues()
	if _, ok := field.Value.(*[]api.Scope); ok {
		known = knownScopes()
	}
	if known == nil {
		return ""
	}
	return " (" + strings.Join(known, ", ") + ")"
}

// takeArgument reads an argument.
func (f *fieldFlags) takeArgument(field *commands.Field, typed string) {
	if choice, _ := field.ChoiceValues(); choice != nil {
		*choice = typed
		return
	}
	switch to := field.Value.(type) {
	case *string:
		*to = typed
	case *api.Time:
		f.typed[to] = typed
	}
}

func (f *fieldFlags) checkField(field *commands.Field) error {
	name := f.calledName(field.Name)
	switch to := field.Value.(type) {
	case *string:
		if n := len([]rune(*to)); f.limit > 0 && n > f.limit {
			return fmt.Errorf("%s has %d characters; the limit is %d", name, n, f.limit)
		}
	case *[]api.Scope:
		if err := f.scopes.checkScopes(); err != nil {
			return err
		}
		*to = f.scopes.chosenScopes()
	case *api.Duration:
		late, err := api.ParseDuration(f.typed[to])
		if f.typed[to] != "" && (err != nil || late <= 0) {
			return fmt.Errorf("%s %q is not a valid duration; use %s", name, f.typed[to], field.Like)
		}
		to.Duration = late
	}
	if fault := field.ValueFault(); fault != "" {
		return fmt.Errorf("%s %s", name, fault)
	}
	return nil
}

// calledName returns how an error names a field: by its flag, or by its argument.
func (f *fieldFlags) calledName(name string) string {
	for _, field := range f.fields {
		if field.Name == name && field.Flag != "" {
			return "--" + field.Flag
		}
		if field.Name == name {
			return "the " + strings.ToLower(field.Arg)
		}
	}
	return name
}

// checkSome returns an error where all values may stay as they are, and none is
// given: nothing would change.
func (f *fieldFlags) checkSome() error {
	var flags []string
	for _, field := range f.fields {
		switch field.Value.(type) {
		case **string, **float64, **bool:
		default:
			return nil
		}
		if f.given(field.Flag) {
			return nil
		}
		flags = append(flags, "--"+field.Flag)
	}
	if len(flags) == 0 {
		return nil
	}
	return errors.New("nothing to change; set at least one of " + strings.Join(flags, ", "))
}

// readTimes reads the times that were typed, once the service has said what time it
// is there.
func (f *fieldFlags) readTimes(ctx context.Context, r *opsRun) error {
	asked := false
	for _, field := range f.fields {
		to, ok := field.Value.(*api.Time)
		if !ok || f.typed[to] == "" {
			continue
		}
		if !asked {
			if _, err := r.World.Clock(ctx); err != nil {
				return err
			}
			asked = true
		}
		at, err := commands.ParseMoment(f.typed[to], r.Now())
		switch {
		case err != nil && field.Flag != "":
			return run.BadUsage(r.cmd, fmt.Errorf("--%s: %w", field.Flag, err))
		case err != nil:
			return run.BadUsage(r.cmd, err)
		}
		*to = api.TimeOf(at)
	}
	return nil
}

// laterText is a text that is read once all flags are there.
type laterText struct {
	typed map[any]string
	to    any
}

func (l laterText) Set(text string) error { l.typed[l.to] = text; return nil }
func (l laterText) Type() string          { return "string" }
func (l laterText) String() string        { return l.typed[l.to] }

// optionalValue is a value that stays nil where its flag is not given.
type optionalValue[T any] struct {
	to   **T
	read func(string) (T, error)
	kind string
}

func (o optionalValue[T]) Set(text string) error {
	value, err := o.read(text)
	if errors.Is(err, strconv.ErrSyntax) || errors.Is(err, strconv.ErrRange) {
		err = errors.New("not a valid " + map[string]string{"float": "number", "bool": "choice; use true or false"}[o.kind])
	}
	*o.to = &value
	return err
}

func (o optionalValue[T]) Type() string { return o.kind }

func (o optionalValue[T]) String() string {
	if o.to == nil || *o.to == nil {
		return ""
	}
	return fmt.Sprint(**o.to)
}
