package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"flightdesk/api"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/format"
)

// findSubject returns the id of what a command is about, by the first argument, and reads the times that were typed.
func (v *opsVerb) findSubject(c *Call) (id string, err error) {
	switch v.spec.Subject {
	case "":
	case "ACCOUNT":
		a, err := commands.FindAccount(c, c.Ops, c.Args[0])
		if err != nil {
			return "", err
		}
		id = a.UUID
	case "USER":
		o, err := commands.FindOperator(c, c.Ops, c.Args[0])
		if err != nil {
			return "", err
		}
		id = o.UUID
	case "INVITED":
		i, err := commands.FindInvitation(c, c.Ops, c.Args[0])
		if err != nil {
			return "", err
		}
		id = i.UUID
	default:
		id = orderCode(c.Args[0])
	}
	return id, v.readTimes(c)
}

// verbOf returns the verb of a command: arguments, flags and checks are those of its
// fields.
func verbOf(spec commands.Command) *opsVerb {
	words := append([]string{spec.Verb}, strings.Fields(spec.Subject)...) // none or one
	subjects := len(words) - 1
	for i := range spec.Fields {
		if spec.Fields[i].Flag == "" {
			words = append(words, spec.Fields[i].Arg)
		}
	}
	v := &opsVerb{Command: newCommand(strings.Join(words, " "), spec.Short, spec.Long, spec.Example), spec: spec}
	v.Aliases = strings.Fields(spec.Alias)
	v.addFlags()
	v.checks = append(v.checks, func(args []string) error {
		if v.looks() {
			return nil
		}
		return v.readArguments(args[subjects:])
	})
	v.do = func(c *Call) (err error) {
		at := commands.Target{
			Context: c,
			Client:  c.Ops,
			Files:   v.files,
			Look:    v.looks(),
		}
		if !at.Look {
			if at.ID, err = v.findSubject(c); err != nil {
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

// looks reports whether a command that can also look does that.
func (v *opsVerb) looks() bool { return v.spec.Looks && !v.isGiven() }

// describeSubject says what a command that is confirmed is about, and its effects.
func (c *Call) describeSubject(kind, effects string) (string, error) {
	if kind != "ORDER" {
		return strings.Join(append([]string{c.Host()}, c.Args...), ", ") + ". " + effects, nil
	}
	o, err := c.readOrder(c.Args[0])
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s %s of %s, %s. %s", o.OrderCode, o.OrderName, o.CompanyName, format.Status(o.Status).Label, effects), nil
}

// calledName returns the name of a field in errors: its flag or its argument.
func calledName(f *commands.Field) string {
	if f.Flag == "" {
		return "the " + strings.ToLower(f.Arg)
	}
	return "--" + f.Flag
}

// scopesFlag adds up, as lists of flags do.
type scopesFlag struct{ *commands.Field }

// Set adds scopes.
func (f scopesFlag) Set(typed string) error {
	return f.Field.Set(strings.Trim(f.String()+","+typed, ","))
}

func (v *opsVerb) addFlags() {
	v.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "client" { // as earlier versions called it
			name = "contact-name"
		}
		return pflag.NormalizedName(name)
	})
	for i := range v.spec.Fields {
		field := &v.spec.Fields[i]
		if field.Flag == "" {
			continue
		}
		usage, known := field.Help, field.KnownValues()
		if known != nil {
			usage += ": " + strings.Join(known, ", ")
			if field.Required != "" {
				usage += "; required"
			}
			defer completeValues(v.Command, field.Flag, known)
		}
		if field.IsShare() {
			usage += ", 0 to 1"
		}
		var flag pflag.Value = field
		if field.Kind() == commands.KindScopes {
			flag = scopesFlag{field}
		}
		if flag := v.Flags().VarPF(flag, field.Flag, "", usage); field.Kind() == commands.KindTruth {
			flag.NoOptDefVal = "true"
		}
	}
}

// isGiven reports whether a flag is set on the command line.
func (v *opsVerb) isGiven() bool {
	return slices.ContainsFunc(v.spec.Fields, func(f commands.Field) bool { return v.Flags().Changed(f.Flag) })
}

// readArguments reads the arguments, and says what of them and the flags is missing or wrong.
func (v *opsVerb) readArguments(args []string) error {
	var missing, optional []string
	for i := range v.spec.Fields {
		field := &v.spec.Fields[i]
		given := v.Flags().Changed(field.Flag)
		if field.Flag == "" && len(args) > 0 {
			_ = field.Set(args[0]) // a text, or a time that is read later
			args, given = args[1:], true
		}
		if fault := field.ValueFault(); given && fault != "" {
			return fmt.Errorf("%s %s", calledName(field), fault)
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
	case len(optional) > 0 && len(optional) == len(v.spec.Fields) && !v.isGiven(): // nothing would change
		return errors.New("nothing to change; set at least one of " + strings.Join(optional, ", "))
	}
	return v.checkTogether()
}

func (v *opsVerb) checkTogether() error {
	name, fault := v.spec.CheckValues()
	if fault == "" {
		return nil
	}
	for i := range v.spec.Fields {
		if v.spec.Fields[i].Name == name {
			name = calledName(&v.spec.Fields[i])
		}
	}
	return fmt.Errorf("%s: %s", name, fault)
}

// readTimes reads the times that were typed, once the service has said what time it
// is there.
func (v *opsVerb) readTimes(c *Call) error {
	asked := false
	for i := range v.spec.Fields {
		to, ok := v.spec.Fields[i].Value.(*api.Time)
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
		if err != nil && v.spec.Fields[i].Flag != "" {
			err = inName(calledName(&v.spec.Fields[i]), err)
		}
		if err != nil {
			return badUsage(err)
		}
		*to = api.TimeOf(v.spec.Fields[i].Moment(at))
	}
	if err := v.checkTogether(); asked && err != nil {
		return badUsage(err)
	}
	return nil
}
