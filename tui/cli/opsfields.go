package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"flightdesk/api"
	"flightdesk/tui/app/commands"
)

// findSubject returns the id of what a command is about, by the first argument.
func (c *Call) findSubject(subject string) (string, error) {
	switch subject {
	case "":
		return "", nil
	case "ACCOUNT":
		a, err := commands.FindAccount(c, c.Ops, c.Args[0])
		if err != nil {
			return "", err
		}
		return a.UUID, nil
	case "USER":
		o, err := commands.FindOperator(c, c.Ops, c.Args[0])
		if err != nil {
			return "", err
		}
		return o.UUID, nil
	}
	return orderCode(c.Args[0]), nil
}

// verbOf returns the verb of a command: arguments, flags and checks are those of its
// fields.
func verbOf(spec commands.Command) *opsVerb {
	f := &fieldFlags{fields: spec.Fields, together: spec.CheckValues}
	subjects := strings.Fields(spec.Subject) // none or one
	v := newVerb(
		strings.Join(slices.Concat([]string{spec.Verb}, subjects, f.argumentNames()), " "),
		spec.Short,
		spec.Long,
		spec.Example,
		nil,
	)
	v.Aliases = strings.Fields(spec.Alias)
	f.addFlags(v.Command)
	looks := func() bool { return spec.Looks && !f.isGiven() }
	v.changes = func() bool { return !looks() }
	v.checks = append(v.checks, func(args []string) error {
		if looks() {
			return nil
		}
		return f.readArguments(args[len(subjects):])
	})
	if spec.Asks {
		v.question = func(c *Call) (string, error) {
			return c.describeSubject(spec.Subject, spec.Effects)
		}
	}
	v.ready = func(c *Call) (string, error) {
		id, err := c.findSubject(spec.Subject)
		if err == nil {
			err = f.readTimes(c)
		}
		return id, err
	}
	v.do = func(c *Call) (err error) {
		at := commands.Target{Context: c, Client: c.Ops, Look: looks()}
		if !at.Look {
			if at.ID, err = v.ready(c); err != nil {
				return err
			}
		}
		answer, err := spec.Run(at)
		switch {
		case err != nil && (spec.Subject == "ORDER" || spec.Subject == "MISSION"):
			return inName(c.Args[0], err)
		case err != nil:
			return err
		case answer.Facts != nil:
			return c.PrintFacts(answer.Value, answer.Facts)
		}
		return c.PrintAnswer(answer.Value, answer.Done)
	}
	return v
}

// describeSubject says what a command that is confirmed is about, and its effects.
func (c *Call) describeSubject(kind, effects string) (string, error) {
	if kind != "ORDER" {
		return strings.Join(append([]string{c.Host()}, c.Args...), ", ") + ". " + effects, nil
	}
	o, err := c.readOrder(c.Args[0])
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s %s of %s, %s. %s", o.OrderCode, o.OrderName, o.CompanyName, o.Status, effects), nil
}

// fieldFlags are the arguments and flags of a command's fields.
type fieldFlags struct {
	*cobra.Command
	fields   []commands.Field
	together func() (field, fault string)
}

// calledName returns how an error names a field: by its flag, or by its argument.
func calledName(f *commands.Field) string {
	if f.Flag == "" {
		return "the " + strings.ToLower(f.Arg)
	}
	return "--" + f.Flag
}

// argumentNames returns the names of the fields that have no flag.
func (f *fieldFlags) argumentNames() (names []string) {
	for i := range f.fields {
		if f.fields[i].Flag == "" {
			names = append(names, f.fields[i].Arg)
		}
	}
	return names
}

// scopesFlag adds up, as lists of flags do.
type scopesFlag struct{ *commands.Field }

// Set adds scopes.
func (f scopesFlag) Set(typed string) error {
	return f.Field.Set(strings.Trim(f.String()+","+typed, ","))
}

func (f *fieldFlags) addFlags(cmd *cobra.Command) {
	f.Command = cmd
	cmd.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "client" { // as earlier versions called it
			name = "contact-name"
		}
		return pflag.NormalizedName(name)
	})
	for i := range f.fields {
		field := &f.fields[i]
		if field.Flag == "" {
			continue
		}
		usage, known := field.Help, field.KnownValues()
		if known != nil {
			usage += ": " + strings.Join(known, ", ")
			if field.Required != "" {
				usage += "; required"
			}
			defer completeValues(cmd, field.Flag, known)
		}
		if field.IsShare() {
			usage += ", 0 to 1"
		}
		var flag pflag.Value = field
		if field.Kind() == commands.KindScopes {
			flag = scopesFlag{field}
		}
		if flag := cmd.Flags().VarPF(flag, field.Flag, "", usage); field.Kind() == commands.KindTruth {
			flag.NoOptDefVal = "true"
		}
	}
}

// isGiven reports whether a flag is given.
func (f *fieldFlags) isGiven() bool {
	return slices.ContainsFunc(
		f.fields,
		func(field commands.Field) bool { return f.Flags().Changed(field.Flag) },
	)
}

// readArguments reads the arguments, and says what of them and the flags is missing or wrong.
func (f *fieldFlags) readArguments(args []string) error {
	var missing, optional []string
	for i := range f.fields {
		field := &f.fields[i]
		given := f.Flags().Changed(field.Flag)
		if field.Flag == "" && len(args) > 0 {
			_ = field.Set(args[0]) // a text, or a time that is read later
			args, given = args[1:], true
		}
		if fault := field.ValueFault(); given && fault != "" {
			return fmt.Errorf("%s %s", calledName(field), fault)
		}
		// of other values the help says what they are where they are absent
		if known := field.KnownValues(); field.Flag != "" && known != nil && field.IsMissing() {
			missing = append(
				missing,
				"missing --"+field.Flag+": "+field.Help+" ("+strings.Join(known, ", ")+")",
			)
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
	for i := range f.fields {
		if f.fields[i].Name == name {
			name = calledName(&f.fields[i])
		}
	}
	return fmt.Errorf("%s: %s", name, fault)
}

// readTimes reads the times that were typed, once the service has said what time it
// is there.
func (f *fieldFlags) readTimes(c *Call) error {
	asked := false
	for i := range f.fields {
		to, ok := f.fields[i].Value.(*api.Time)
		if !ok || to.Raw == "" {
			continue
		}
		if !asked {
			if _, err := c.Ops.World.Clock(c); err != nil {
				return err
			}
			asked = true
		}
		at, err := commands.ParseMoment(to.Raw, c.Now())
		if err != nil && f.fields[i].Flag != "" {
			err = inName(calledName(&f.fields[i]), err)
		}
		if err != nil {
			return badUsage(c.Cmd, err)
		}
		*to = api.TimeOf(at)
	}
	if err := f.checkTogether(); asked && err != nil {
		return badUsage(c.Cmd, err)
	}
	return nil
}
