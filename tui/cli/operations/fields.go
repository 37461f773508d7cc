package operations

import (
	"context"
	"errors"
	"fmt"
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
	f := newFieldFlags(c.Fields, c.Limit, c.Check)
	subjects := strings.Fields(c.Subject) // none or one
	v.use = strings.TrimSpace(
		strings.Join(append([]string{c.Verb}, append(subjects, f.argumentNames()...)...), " ") + " " + v.files,
	)
	v.changes = always
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

// fieldFlag is a field as a flag or an argument. Times and lengths of time are read once
// all flags are there.
type fieldFlag struct {
	*commands.Field
	typed string
	given bool
}

// Set reads a value. Scopes add up, as lists of flags do.
func (f *fieldFlag) Set(typed string) error {
	if f.Kind() == commands.KindScopes && f.given {
		typed = f.typed + "," + typed
	}
	f.typed, f.given = typed, true
	if f.isLater() {
		return nil
	}
	return f.Field.Set(typed)
}

func (f *fieldFlag) isLater() bool {
	return f.Kind() == commands.KindMoment || f.Kind() == commands.KindLength
}

func (f *fieldFlag) String() string {
	if f.Field == nil || f.isLater() {
		return f.typed
	}
	return f.Text()
}

// Type returns what help calls the value.
func (f *fieldFlag) Type() string {
	switch kind := f.Kind(); kind {
	case commands.KindNumber, commands.KindWhole, commands.KindTruth, commands.KindScopes:
		return string(kind)
	}
	return string(commands.KindText)
}

// calledName returns how an error names a field: by its flag, or by its argument.
func (f *fieldFlag) calledName() string {
	if f.Flag == "" {
		return "the " + strings.ToLower(f.Arg)
	}
	return "--" + f.Flag
}

// check says what is wrong with what was typed.
func (f *fieldFlag) check(limit int) error {
	name := f.calledName()
	switch kind := f.Kind(); {
	case kind == commands.KindLength && f.typed != "" && f.Field.Set(f.typed) != nil:
		return fmt.Errorf("%s %q is not a valid duration; use %s", name, f.typed, f.Like)
	case kind == commands.KindText && limit > 0:
		if n := len([]rune(f.Text())); n > limit {
			return fmt.Errorf("%s has %d characters; the limit is %d", name, n, limit)
		}
	}
	if fault := f.ValueFault(); fault != "" {
		return fmt.Errorf("%s %s", name, fault)
	}
	return nil
}

// fieldFlags are the arguments and flags of a command's fields.
type fieldFlags struct {
	fields   []*fieldFlag
	limit    int // characters of a text; 0 is none
	together func() (field, fault string)
}

func newFieldFlags(fields []commands.Field, limit int, together func() (field, fault string)) *fieldFlags {
	f := &fieldFlags{limit: limit, together: together}
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

func (f *fieldFlags) addFlags(cmd *cobra.Command, flags *pflag.FlagSet) {
	for _, field := range f.fields {
		if field.Flag == "" {
			continue
		}
		usage, known := field.Usage, field.KnownValues()
		if known != nil {
			usage += ": " + strings.Join(known, ", ")
		}
		flags.Var(field, field.Flag, usage)
		if field.Kind() == commands.KindTruth {
			flags.Lookup(field.Flag).NoOptDefVal = "true"
		}
		if known != nil {
			run.CompleteValues(cmd, field.Flag, known)
		}
	}
}

// isGiven reports whether a field's flag is there.
func (f *fieldFlags) isGiven(flag string) bool {
	for _, field := range f.fields {
		if field.Flag == flag {
			return field.given
		}
	}
	return false
}

// checkArguments reads the arguments, and says what of them and of the flags is missing
// or wrong.
func (f *fieldFlags) checkArguments(args []string) error {
	if err := f.checkSome(); err != nil {
		return err
	}
	var missing []string
	for _, field := range f.fields {
		if field.Flag == "" {
			if err := field.Set(args[0]); err != nil {
				return fmt.Errorf("%s: %w", field.calledName(), err)
			}
			args = args[1:]
		}
		if err := field.check(f.limit); err != nil {
			return err
		}
		// of other values the help says what they are where they are absent
		if known := field.KnownValues(); field.Flag != "" && known != nil && field.IsMissing() {
			missing = append(missing, "missing --"+field.Flag+": "+field.Usage+" ("+strings.Join(known, ", ")+")")
		}
	}
	if len(missing) > 0 {
		return errors.New(strings.Join(missing, "; "))
	}
	if f.together == nil {
		return nil
	}
	if name, fault := f.together(); fault != "" {
		for _, field := range f.fields {
			if field.Name == name {
				name = field.calledName()
			}
		}
		return fmt.Errorf("%s: %s", name, fault)
	}
	return nil
}

// checkSome returns an error where all values may stay as they are, and none is
// given: nothing would change.
func (f *fieldFlags) checkSome() error {
	var flags []string
	for _, field := range f.fields {
		if !field.IsOptional() || field.given {
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
		if !ok || field.typed == "" {
			continue
		}
		if !asked {
			if _, err := r.World.Clock(ctx); err != nil {
				return err
			}
			asked = true
		}
		at, err := commands.ParseMoment(field.typed, r.Now())
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
