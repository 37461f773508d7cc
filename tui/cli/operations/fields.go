package operations

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/cli/run"
)

// findSubject returns the id of what a command is about, by the first argument.
func (r *opsRun) findSubject(ctx context.Context, subject string) (string, error) {
	switch subject {
	case "":
		return "", nil
	case "ACCOUNT":
		a, err := commands.FindAccount(ctx, r.Ops, r.Args[0])
		if err != nil {
			return "", err
		}
		return a.UUID, nil
	case "OPERATOR":
		o, err := commands.FindOperator(ctx, r.Ops, r.Args[0])
		if err != nil {
			return "", err
		}
		return o.UUID, nil
	}
	return run.OrderCode(r.Args[0]), nil
}

// verbOf returns the verb of a command: arguments, flags and checks are those of its
// fields.
func verbOf[T any](c commands.Command[T]) opsVerb {
	f := newFieldFlags(c.Fields, c.CheckValues)
	subjects := strings.Fields(c.Subject) // none or one
	looks := func() bool { return c.Look != nil && !f.isGiven() }
	v := opsVerb{
		use:   strings.Join(slices.Concat([]string{c.Verb}, subjects, f.argumentNames()), " "),
		alias: c.Alias, short: c.Short, long: c.Long, example: c.Example,
		changes: func() bool { return !looks() },
		flags:   []func(*cobra.Command){f.addFlags},
		checks: []func([]string) error{func(args []string) error {
			if looks() {
				return nil
			}
			return f.readArguments(args[len(subjects):])
		}},
	}
	if c.Asks {
		v.question = func(ctx context.Context, r *opsRun) (string, error) {
			return r.describeSubject(ctx, c.Subject, c.Effects)
		}
	}
	v.ready = func(ctx context.Context, r *opsRun) (string, error) {
		id, err := r.findSubject(ctx, c.Subject)
		if err == nil {
			err = f.readTimes(ctx, r)
		}
		return id, err
	}
	v.do = func(ctx context.Context, r *opsRun) (err error) {
		var value T
		if looks() {
			value, err = c.Look(ctx, r.Ops)
		} else {
			var id string
			if id, err = v.ready(ctx, r); err != nil {
				return err
			}
			value, err = c.Run(ctx, r.Ops, id)
		}
		switch {
		case err != nil && (c.Subject == "ORDER" || c.Subject == "MISSION"):
			return fmt.Errorf("%s: %w", r.Args[0], err)
		case err != nil:
			return err
		case c.Facts != nil:
			return r.PrintFacts(value, c.Facts(value))
		}
		return r.PrintAnswer(value, c.Done(value))
	}
	return v
}

// describeSubject says what a command that is confirmed is about, and its effects.
func (r *opsRun) describeSubject(ctx context.Context, kind, effects string) (string, error) {
	if kind != "ORDER" {
		return strings.Join(append([]string{r.Host()}, r.Args...), ", ") + ". " + effects, nil
	}
	o, err := r.readOrder(ctx, r.Args[0])
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s %s of %s, %s. %s", o.OrderCode, o.OrderName, o.CompanyName, o.Status, effects), nil
}

// fieldFlag is a field as a flag or an argument. What was typed is read once all flags
// are there.
type fieldFlag struct {
	*commands.Field
	typed string
	given bool
}

// Set notes what was typed. Scopes add up, as lists of flags do.
func (f *fieldFlag) Set(typed string) error {
	if f.Kind() == commands.KindScopes && f.given {
		typed = f.typed + "," + typed
	}
	f.typed, f.given = typed, true
	return nil
}

func (f *fieldFlag) String() string {
	if f.Field == nil || f.given {
		return f.typed
	}
	return f.Text()
}

// Type returns what help calls the value.
func (f *fieldFlag) Type() string {
	switch kind := f.Kind(); kind {
	case commands.KindMoment, commands.KindLength:
		return string(commands.KindText)
	case commands.KindNumber:
		if _, whole := f.Value.(*int); whole {
			return "int"
		}
	}
	return string(f.Kind())
}

// calledName returns how an error names a field: by its flag, or by its argument.
func (f *fieldFlag) calledName() string {
	if f.Flag == "" {
		return "the " + strings.ToLower(f.Arg)
	}
	return "--" + f.Flag
}

// readTyped reads what was typed, and says what is wrong with it.
func (f *fieldFlag) readTyped() error {
	if f.Kind() == commands.KindMoment || !f.given {
		return nil
	}
	if err := f.Field.Set(f.typed); err != nil {
		return fmt.Errorf("%s %q is %w", f.calledName(), f.typed, err)
	}
	if fault := f.ValueFault(); fault != "" {
		return fmt.Errorf("%s %s", f.calledName(), fault)
	}
	return nil
}

// fieldFlags are the arguments and flags of a command's fields.
type fieldFlags struct {
	fields   []*fieldFlag
	together func() (field, fault string)
}

func newFieldFlags(fields []commands.Field, together func() (field, fault string)) *fieldFlags {
	f := &fieldFlags{together: together}
	for i := range fields {
		f.fields = append(f.fields, &fieldFlag{Field: &fields[i]})
	}
	return f
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

func (f *fieldFlags) addFlags(cmd *cobra.Command) {
	for _, field := range f.fields {
		if field.Flag == "" {
			continue
		}
		usage, known := field.Help, field.KnownValues()
		if known != nil {
			usage += ": " + strings.Join(known, ", ")
			defer run.CompleteValues(cmd, field.Flag, known)
		}
		if field.IsShare() {
			usage += ", 0 to 1"
		}
		cmd.Flags().Var(field, field.Flag, usage)
		if field.Kind() == commands.KindTruth {
			cmd.Flags().Lookup(field.Flag).NoOptDefVal = "true"
		}
	}
}

// isGiven reports whether a value is given.
func (f *fieldFlags) isGiven() bool {
	return slices.ContainsFunc(f.fields, func(field *fieldFlag) bool { return field.given })
}

// readArguments reads the arguments and flags, and says what of them is missing or
// wrong.
func (f *fieldFlags) readArguments(args []string) error {
	var missing, optional []string
	for _, field := range f.fields {
		if field.Flag == "" && len(args) > 0 {
			_ = field.Set(args[0])
			args = args[1:]
		}
		if err := field.readTyped(); err != nil {
			return err
		}
		// of other values the help says what they are where they are absent
		if known := field.KnownValues(); field.Flag != "" && known != nil && field.IsMissing() {
			missing = append(missing, "missing --"+field.Flag+": "+field.Help+" ("+strings.Join(known, ", ")+")")
		}
		if field.IsOptional() {
			optional = append(optional, "--"+field.Flag)
		}
	}
	switch {
	case len(missing) > 0:
		return errors.New(strings.Join(missing, "; "))
	case len(optional) > 0 && len(optional) == len(f.fields) && !f.isGiven(): // nothing would change
		return errors.New("nothing to change; set at least one of " + strings.Join(optional, ", "))
	}
	return f.checkTogether()
}

func (f *fieldFlags) checkTogether() error {
	name, fault := f.together()
	if fault == "" {
		return nil
	}
	for _, field := range f.fields {
		if field.Name == name {
			name = field.calledName()
		}
	}
	return fmt.Errorf("%s: %s", name, fault)
}

// readTimes reads the times that were typed, once the service has said what time it
// is there.
func (f *fieldFlags) readTimes(ctx context.Context, r *opsRun) error {
	asked := false
	for _, field := range f.fields {
		to, ok := field.Value.(*api.Time)
		if !ok || field.typed == "" {
			continue
		}
		if !asked {
			if _, err := r.Ops.World.Clock(ctx); err != nil {
				return err
			}
			asked = true
		}
		at, err := commands.ParseMoment(field.typed, r.Now())
		if err != nil && field.Flag != "" {
			err = fmt.Errorf("--%s: %w", field.Flag, err)
		}
		if err != nil {
			return run.BadUsage(r.Cmd, err)
		}
		*to = api.TimeOf(at)
	}
	if err := f.checkTogether(); asked && err != nil {
		return run.BadUsage(r.Cmd, err)
	}
	return nil
}
