package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/format"
)

// findSubject returns the ID of the account, user or other object that the first argument names. For an order or a
// mission, it returns the code, because the API accepts a code instead of an ID. For a command that is about the
// whole service and has no such argument, it returns "".
func (v *opsCommand) findSubject(c *Call) (string, error) {
	switch v.spec.Subject {
	case "":
		return "", nil
	case "ACCOUNT":
		account, err := commands.FindAccount(c, c.Service.Ops, c.Args[0])
		if err != nil {
			return "", err
		}
		return account.UUID, nil
	case "USER":
		user, err := commands.FindOperator(c, c.Service.Ops, c.Args[0])
		if err != nil {
			return "", err
		}
		return user.UUID, nil
	case "INVITED":
		invitation, err := commands.FindInvitation(c, c.Service.Ops, c.Args[0])
		if err != nil {
			return "", err
		}
		return invitation.UUID, nil
	default: // ORDER, MISSION or another object whose ID is typed
		return orderCode(c.Args[0]), nil
	}
}

// newOpsCommand returns a command that is built from its descriptor. The fields of the descriptor are
// arguments and flags.
func newOpsCommand(spec commands.Command) *opsCommand {
	subject := strings.Fields(spec.Subject) // such as ORDER, or nothing
	use := append([]string{spec.Verb}, subject...)
	for i := range spec.Fields {
		if spec.Fields[i].Flag == "" {
			use = append(use, spec.Fields[i].Arg)
		}
	}
	v := &opsCommand{
		cmd: &cobra.Command{
			Use:     strings.Join(use, " "),
			Short:   spec.Short,
			Long:    spec.Long,
			Example: spec.Example,
		},
		spec: spec,
	}
	v.cmd.Aliases = strings.Fields(spec.Alias)
	v.addFieldFlags()
	v.checks = append(v.checks, func(args []string) error {
		// Some commands show the current state if no flag is set. readArguments would then return an error,
		// because without a flag the command changes nothing.
		if v.onlyReads() {
			return nil
		}
		fieldArgs := args[len(subject):] // without the name of the subject
		return v.readArguments(fieldArgs)
	})
	v.perform = v.request
	return v
}

// request sends the request of the command and prints the outcome.
func (v *opsCommand) request(c *Call) error {
	target, err := v.findTarget(c)
	if err != nil {
		return err
	}
	outcome, err := v.spec.Run(target)
	isAboutOrder := v.spec.Subject == "ORDER" || v.spec.Subject == "MISSION"
	if err != nil && isAboutOrder {
		return prefixError(c.Args[0], err)
	}
	if err != nil {
		return err
	}
	if outcome.Facts != nil {
		return c.PrintFacts(outcome.Value, outcome.Facts)
	}
	return c.PrintResult(outcome.Value, outcome.Done)
}

// findTarget returns the target of the request: the ID of the object that the first argument names, and the files to
// upload. It also parses the times in the fields. A command that only reads gets a target without an object.
func (v *opsCommand) findTarget(c *Call) (commands.Target, error) {
	target := commands.Target{
		Context: c,
		Client:  c.Service.Ops,
		Files:   v.files,
		Look:    v.onlyReads(),
	}
	if v.onlyReads() {
		return target, nil
	}
	id, err := v.findSubject(c)
	if err != nil {
		return target, err
	}
	target.ID = id
	return target, v.parseTimes(c)
}

// onlyReads reports whether the command prints the current state and changes nothing. Some commands do so unless
// a flag sets a new value.
func (v *opsCommand) onlyReads() bool { return v.spec.Looks && !v.hasFieldFlag() }

// confirmationText returns the text that the user confirms: what the command changes and the effects of the
// change. kind is the kind of object that the first argument names, such as ORDER.
func (c *Call) confirmationText(kind, effects string) (string, error) {
	if kind != "ORDER" {
		names := append([]string{c.Service.Host()}, c.Args...)
		return strings.Join(names, ", ") + ". " + effects, nil
	}
	o, err := c.readOrder(c.Args[0])
	if err != nil {
		return "", err
	}
	status := format.OrderState(o.Status, columns.QuotesOf(o, c.Service.Now())).Label
	return fmt.Sprintf("%s %s of %s, %s. %s", o.OrderCode, o.OrderName, o.CompanyName, status, effects), nil
}

// fieldName returns the name of a field for error messages: its flag, such as "--reason", or its argument, such as
// "the reason".
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

func (v *opsCommand) addFieldFlags() {
	v.cmd.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
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
	flag := v.cmd.Flags().VarPF(value, field.Flag, "", usage)
	if field.Kind() == commands.KindTruth {
		flag.NoOptDefVal = "true"
	}
	if known != nil {
		completeValues(v.cmd, field.Flag, known)
	}
}

// hasFieldFlag reports whether the command line sets at least one field with its flag.
func (v *opsCommand) hasFieldFlag() bool {
	for i := range v.spec.Fields {
		if v.cmd.Flags().Changed(v.spec.Fields[i].Flag) {
			return true
		}
	}
	return false
}

// readArguments sets fields to arguments, and checks the values of arguments and flags.
func (v *opsCommand) readArguments(args []string) error {
	for i := range v.spec.Fields {
		field := &v.spec.Fields[i]
		isGiven := v.cmd.Flags().Changed(field.Flag)
		if field.Flag == "" && len(args) > 0 {
			_ = field.Set(args[0]) // ValueFault returns what is wrong with it; parseTimes parses times
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

// checkRequired returns an error that names the missing flags. It checks only the required flags with a fixed set
// of values, so that the error can list the values. The service checks the other flags.
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

// checkTogether checks rules about the values of several fields, such as that one is required with another.
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

// parseTimes replaces the typed texts in the time fields by the times that they mean.
func (v *opsCommand) parseTimes(c *Call) error {
	fields := v.typedTimeFields()
	if len(fields) == 0 {
		return nil
	}
	// Times such as "in 3 days" are relative to the clock of the service. c.Now returns the time of that clock
	// after the first response.
	if _, err := c.Service.Ops.World.Clock(c); err != nil {
		return err
	}
	for _, field := range fields {
		if err := parseTimeField(field, c.Service.Now()); err != nil {
			return badUsage(err)
		}
	}
	// readArguments has checked the values together, but without the times.
	if err := v.checkTogether(); err != nil {
		return badUsage(err)
	}
	return nil
}

// typedTimeFields returns the fields with a time that the user has typed.
func (v *opsCommand) typedTimeFields() []*commands.Field {
	var fields []*commands.Field
	for i := range v.spec.Fields {
		field := &v.spec.Fields[i]
		value, isTime := field.Value.(*api.Time)
		if isTime && value.Raw != "" {
			fields = append(fields, field)
		}
	}
	return fields
}

// parseTimeField parses the typed text of a time field, and sets the field to the time.
func parseTimeField(field *commands.Field, now time.Time) error {
	value := field.Value.(*api.Time)
	moment, err := commands.ParseMoment(value.Raw, now)
	if err != nil && field.Flag != "" {
		return prefixError(fieldName(field), err)
	}
	if err != nil {
		return err
	}
	*value = api.TimeOf(field.Moment(moment))
	return nil
}
