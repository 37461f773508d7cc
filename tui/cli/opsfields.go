package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"flightdesk/api"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/format"
)

// findSubject returns the ID of the object that the first argument names, or "" if the command is about the
// service.
func (v *opsCommand) findSubject(c *Call) (string, error) {
	switch v.spec.Subject {
	case "":
		return "", nil
	case "ACCOUNT":
		account, err := commands.FindAccount(c, c.Ops, c.Args[0])
		if err != nil {
			return "", err
		}
		return account.UUID, nil
	case "USER":
		user, err := commands.FindOperator(c, c.Ops, c.Args[0])
		if err != nil {
			return "", err
		}
		return user.UUID, nil
	case "INVITED":
		invitation, err := commands.FindInvitation(c, c.Ops, c.Args[0])
		if err != nil {
			return "", err
		}
		return invitation.UUID, nil
	default:
		return orderCode(c.Args[0]), nil
	}
}

// newOpsCommand returns a command that is built from its descriptor. The fields of the descriptor are
// arguments and flags.
func newOpsCommand(spec commands.Command) *opsCommand {
	use := append([]string{spec.Verb}, strings.Fields(spec.Subject)...)
	firstField := len(use) - 1 // index of the first argument that is a field
	for i := range spec.Fields {
		if spec.Fields[i].Flag == "" {
			use = append(use, spec.Fields[i].Arg)
		}
	}
	v := &opsCommand{
		Command: newCommand(strings.Join(use, " "), spec.Short, spec.Long, spec.Example),
		spec:    spec,
	}
	v.Aliases = strings.Fields(spec.Alias)
	v.addFlags()
	v.checks = append(v.checks, func(args []string) error {
		if v.onlyLooks() {
			return nil
		}
		return v.readArguments(args[firstField:])
	})
	v.do = v.request
	return v
}

// request sends the request of the command and prints the outcome.
func (v *opsCommand) request(c *Call) error {
	target := commands.Target{
		Context: c,
		Client:  c.Ops,
		Files:   v.files,
		Look:    v.onlyLooks(),
	}
	if !target.Look {
		id, err := v.findSubject(c)
		if err != nil {
			return err
		}
		target.ID = id
		if err := v.readTimes(c); err != nil {
			return err
		}
	}
	outcome, err := v.spec.Run(target)
	if err != nil {
		isAboutOrder := v.spec.Subject == "ORDER" || v.spec.Subject == "MISSION"
		if isAboutOrder {
			return prefixError(c.Args[0], err)
		}
		return err
	}
	if outcome.Facts != nil {
		return c.PrintFacts(outcome.Value, outcome.Facts)
	}
	return c.PrintResult(outcome.Value, outcome.Done)
}

// onlyLooks reports whether the command prints the current state and changes nothing, because no field is
// set with a flag.
func (v *opsCommand) onlyLooks() bool { return v.spec.Looks && !v.hasFieldFlag() }

// describeSubject returns the question of a confirmation: the subject of the command and the effects.
func (c *Call) describeSubject(kind, effects string) (string, error) {
	if kind != "ORDER" {
		names := append([]string{c.Host()}, c.Args...)
		return strings.Join(names, ", ") + ". " + effects, nil
	}
	o, err := c.readOrder(c.Args[0])
	if err != nil {
		return "", err
	}
	status := format.Status(o.Status).Label
	return fmt.Sprintf("%s %s of %s, %s. %s", o.OrderCode, o.OrderName, o.CompanyName, status, effects), nil
}

// fieldName returns the name of a field in errors: its flag, or its argument.
func fieldName(f *commands.Field) string {
	if f.Flag == "" {
		return "the " + strings.ToLower(f.Arg)
	}
	return "--" + f.Flag
}

// scopesFlag is the flag of a field with scopes. The flag can be repeated.
type scopesFlag struct{ *commands.Field }

// Set adds scopes to the scopes of earlier flags.
func (f scopesFlag) Set(typed string) error {
	return f.Field.Set(strings.Trim(f.String()+","+typed, ","))
}

// addFlags adds the flags of the fields.
func (v *opsCommand) addFlags() {
	v.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "client" { // name in earlier versions
			name = "contact-name"
		}
		return pflag.NormalizedName(name)
	})
	for i := range v.spec.Fields {
		field := &v.spec.Fields[i]
		if field.Flag != "" {
			v.addFieldFlag(field)
		}
	}
}

// addFieldFlag adds the flag of a field.
func (v *opsCommand) addFieldFlag(field *commands.Field) {
	usage := field.Help
	known := field.KnownValues()
	if known != nil {
		usage += ": " + strings.Join(known, ", ")
		if field.Required != "" {
			usage += "; required"
		}
	}
	if field.IsShare() {
		usage += ", 0 to 1"
	}
	var value pflag.Value = field
	if field.Kind() == commands.KindScopes {
		value = scopesFlag{field}
	}
	flag := v.Flags().VarPF(value, field.Flag, "", usage)
	if field.Kind() == commands.KindTruth {
		flag.NoOptDefVal = "true"
	}
	if known != nil {
		completeValues(v.Command, field.Flag, known)
	}
}

// hasFieldFlag reports whether the command line sets at least one field with its flag.
func (v *opsCommand) hasFieldFlag() bool {
	for i := range v.spec.Fields {
		if v.Flags().Changed(v.spec.Fields[i].Flag) {
			return true
		}
	}
	return false
}

// readArguments sets fields to arguments, and checks the values of arguments and flags.
func (v *opsCommand) readArguments(args []string) error {
	for i := range v.spec.Fields {
		field := &v.spec.Fields[i]
		isGiven := v.Flags().Changed(field.Flag)
		if field.Flag == "" && len(args) > 0 {
			_ = field.Set(args[0]) // ValueFault returns what is wrong with it; readTimes parses times
			args = args[1:]
			isGiven = true
		}
		if !isGiven {
			continue
		}
		if fault := field.ValueFault(); fault != "" {
			return fmt.Errorf("%s %s", fieldName(field), fault)
		}
	}
	if err := v.checkRequired(); err != nil {
		return err
	}
	if err := v.checkOptional(); err != nil {
		return err
	}
	return v.checkTogether()
}

// checkRequired returns an error if a required flag with a fixed set of values is missing. The service
// checks whether other values are missing.
func (v *opsCommand) checkRequired() error {
	var missing []string
	for i := range v.spec.Fields {
		field := &v.spec.Fields[i]
		known := field.KnownValues()
		if field.Flag == "" || known == nil || !field.IsMissing() {
			continue
		}
		missing = append(missing, fmt.Sprintf("missing --%s: %s (%s)", field.Flag, field.Help, strings.Join(known, ", ")))
	}
	if len(missing) == 0 {
		return nil
	}
	return errors.New(strings.Join(missing, "; "))
}

// checkOptional returns an error if all fields are optional and no flag is set, because the command would
// change nothing.
func (v *opsCommand) checkOptional() error {
	var optional []string
	for i := range v.spec.Fields {
		field := &v.spec.Fields[i]
		if field.IsOptional() {
			optional = append(optional, "--"+field.Flag)
		}
	}
	isAllOptional := len(optional) > 0 && len(optional) == len(v.spec.Fields)
	if isAllOptional && !v.hasFieldFlag() {
		return errors.New("nothing to change; set at least one of " + strings.Join(optional, ", "))
	}
	return nil
}

// checkTogether checks the values of all fields together.
func (v *opsCommand) checkTogether() error {
	name, fault := v.spec.CheckValues()
	if fault == "" {
		return nil
	}
	for i := range v.spec.Fields {
		field := &v.spec.Fields[i]
		if field.Name == name {
			return fmt.Errorf("%s: %s", fieldName(field), fault)
		}
	}
	return fmt.Errorf("%s: %s", name, fault)
}

// readTimes parses the typed times. It reads the clock of the service before, because times such as "in 3
// days" are relative to that clock.
func (v *opsCommand) readTimes(c *Call) error {
	var timeFields []*commands.Field
	for i := range v.spec.Fields {
		field := &v.spec.Fields[i]
		value, isTime := field.Value.(*api.Time)
		if isTime && value.Raw != "" {
			timeFields = append(timeFields, field)
		}
	}
	if len(timeFields) == 0 {
		return nil
	}
	if _, err := c.Ops.World.Clock(c); err != nil {
		return err
	}
	for _, field := range timeFields {
		value := field.Value.(*api.Time)
		moment, err := commands.ParseMoment(value.Raw, c.Now())
		if err != nil {
			if field.Flag != "" {
				err = prefixError(fieldName(field), err)
			}
			return badUsage(err)
		}
		*value = api.TimeOf(field.Moment(moment))
	}
	if err := v.checkTogether(); err != nil {
		return badUsage(err)
	}
	return nil
}
