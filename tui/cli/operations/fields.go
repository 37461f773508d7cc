package operations

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"flightdesk/api"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/cli/run"
)

// fieldFlags are the flags of a command's fields.
type fieldFlags struct {
	fields []commands.Field
	typed  map[*api.Time]*string
	scopes scopeFlag
	given  func(string) bool
}

func (i *fieldFlags) flags(cmd *cobra.Command, f *pflag.FlagSet) {
	i.given, i.typed = f.Changed, map[*api.Time]*string{}
	for _, field := range i.fields {
		switch to := field.Value.(type) {
		case *string:
			if field.Flag != "" {
				f.StringVar(to, field.Flag, *to, field.Usage)
			}
		case **string:
			f.Var(optionalText{to}, field.Flag, field.Usage)
		case *int:
			f.IntVar(to, field.Flag, *to, field.Usage)
		case *float64:
			f.Float64Var(to, field.Flag, *to, field.Usage)
		case *api.Time:
			i.typed[to] = f.String(field.Flag, "", field.Usage)
		case *[]api.Scope:
			i.scopes.flags(cmd, f)
		case *api.PermissionStatus:
			known := run.Names(api.PermissionStatuses())
			f.StringVar((*string)(to), field.Flag, "", strings.Join(known, ", "))
			_ = cmd.RegisterFlagCompletionFunc(field.Flag, cobra.FixedCompletions(known, cobra.ShellCompDirectiveNoFileComp))
		}
	}
}

func (i *fieldFlags) check([]string) error {
	for _, field := range i.fields {
		switch to := field.Value.(type) {
		case *[]api.Scope:
			if err := i.scopes.check(); err != nil {
				return err
			}
			*to = i.scopes.scopes()
		case *api.PermissionStatus:
			known := run.Names(api.PermissionStatuses())
			if *to == "" {
				return fmt.Errorf("say what became of it with --%s: %s", field.Flag, strings.Join(known, ", "))
			}
			return run.CheckKnown("--"+field.Flag, string(*to), known)
		}
	}
	return nil
}

// checkSome is an error where no flag is given: nothing would change.
func (i *fieldFlags) checkSome([]string) error {
	var flags []string
	for _, field := range i.fields {
		if i.given(field.Flag) {
			return nil
		}
		flags = append(flags, "--"+field.Flag)
	}
	return errors.New("name what changes: " + strings.Join(flags, ", "))
}

// times reads the times that were typed, once the service has said what time it
// is there.
func (i *fieldFlags) times(r *opsRun) error {
	for _, field := range i.fields {
		to, ok := field.Value.(*api.Time)
		if !ok || *i.typed[to] == "" {
			continue
		}
		at, err := momentOf(*i.typed[to], r.Now())
		if err != nil {
			return run.BadUsage(r.cmd, fmt.Errorf("--%s: %w", field.Flag, err))
		}
		*to = api.At(at)
	}
	return nil
}

// optionalText is a text that stays nil where the flag is not given.
type optionalText struct{ to **string }

func (o optionalText) Set(text string) error { *o.to = &text; return nil }
func (o optionalText) Type() string          { return "string" }
func (o optionalText) String() string {
	if o.to == nil || *o.to == nil {
		return ""
	}
	return **o.to
}
