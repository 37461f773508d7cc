package cli

import (
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"flightdesk/api"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/format"
)

// addFlags adds a flag for each tagged field of the struct to which options points. A tag such as
// `flag:"limit,maximum number of rows"` has the name and the usage of the flag. The value of a field is the default
// of its flag.
func addFlags(cmd *cobra.Command, options any) {
	fields := reflect.ValueOf(options).Elem()
	for i := range fields.NumField() {
		tag := fields.Type().Field(i).Tag.Get("flag")
		if tag == "" {
			continue
		}
		name, usage, _ := strings.Cut(tag, ",")
		addFieldFlag(cmd.Flags(), fields.Field(i).Addr().Interface(), name, usage)
	}
}

// addFieldFlag adds a flag that sets a field of a struct. field is a pointer to the field, whose value is the
// default of the flag. The type of the field is the type of the flag.
func addFieldFlag(flags *pflag.FlagSet, field any, name, usage string) {
	switch value := field.(type) {
	case *string:
		flags.StringVar(value, name, *value, usage)
	case *bool:
		flags.BoolVar(value, name, *value, usage)
	case *int:
		flags.IntVar(value, name, *value, usage)
	case *uint:
		flags.UintVar(value, name, *value, usage)
	default:
		panic(fmt.Sprintf("--%s: fields of type %T cannot be flags", name, field))
	}
}

// flagRule is a rule that the values of flags must follow, such as that one flag needs another.
type flagRule struct {
	isBroken bool
	text     string // error if the rule is broken
}

// flagRules are rules for flags, in the order in which they are checked.
type flagRules []flagRule

// check returns the error of the first broken rule, or nil.
func (rules flagRules) check() error {
	for _, rule := range rules {
		if rule.isBroken {
			return errors.New(rule.text)
		}
	}
	return nil
}

// choice is a flag that selects one value from a fixed set, ignoring case. If isList is set, it selects several
// values, which are separated by commas.
type choice[T ~string] struct {
	Values []T // the selected values; the default until the flag is set
	known  []T
	isList bool
}

func (c *choice[T]) String() string { return strings.Join(format.PlainTexts(c.Values), ",") }

func (c *choice[T]) Type() string { return "choice" }

// setDefault sets the value that is selected until the flag is set.
func (c *choice[T]) setDefault(flag *pflag.Flag, value T) {
	c.Values = []T{value}
	flag.DefValue = string(value) // for the help
}

// Set selects the typed value. If the flag has a list, it adds the typed values to the selected values.
func (c *choice[T]) Set(typed string) error {
	words := []string{typed}
	if c.isList {
		words = strings.Split(c.String()+","+typed, ",")
	}
	c.Values = nil
	for _, word := range words {
		word = plainWord(word)
		if word == "" {
			continue
		}
		i := slices.IndexFunc(c.known, func(known T) bool { return plainWord(string(known)) == word })
		if i < 0 {
			return errors.New("use " + strings.Join(format.PlainTexts(c.known), ", "))
		}
		c.Values = append(c.Values, c.known[i])
	}
	return nil
}

// plainWord returns a value in lower case and without underscores around it, so that it can be compared with
// a typed value. The names of products begin with an underscore, which need not be typed.
func plainWord(value string) string { return strings.ToLower(strings.Trim(value, "_ ")) }

// outputFlag adds --output with its formats. The first format is the default.
func outputFlag(cmd *cobra.Command, formats ...string) {
	c := choice[string]{Values: formats[:1], known: formats}
	cmd.Flags().VarP(&c, "output", "o", "output format: "+strings.Join(formats, ", "))
	completeValues(cmd, "output", formats)
}

// choiceFlag adds a flag that takes one of a fixed set of values and has no default.
func choiceFlag[T ~string](cmd *cobra.Command, name, usage string, known ...T) *choice[T] {
	c := &choice[T]{known: known}
	addChoice(cmd, name, withValues(usage, known), c)
	return c
}

// withValues returns the usage of a flag, followed by its values.
func withValues[T ~string](usage string, values []T) string {
	return usage + ": " + strings.Join(format.PlainTexts(values), ", ")
}

// listFlag adds a flag with values of a fixed set, separated by commas.
func listFlag[T ~string](cmd *cobra.Command, name, usage string, known []T) *choice[T] {
	c := &choice[T]{known: known, isList: true}
	addChoice(cmd, name, usage, c)
	return c
}

// addChoice adds a flag that selects from a fixed set of values. The shell completes the values.
func addChoice[T ~string](cmd *cobra.Command, name, usage string, c *choice[T]) {
	cmd.Flags().Var(c, name, usage)
	completeValues(cmd, name, format.PlainTexts(c.known))
}

// completeValues makes the shell complete a flag with the given values.
func completeValues(cmd *cobra.Command, name string, values []string) {
	_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

func profileFlag(cmd *cobra.Command) {
	cmd.Flags().String("profile", "", "profile to use; default_profile if omitted")
	_ = cmd.RegisterFlagCompletionFunc("profile", completeProfiles)
}

// isPlainURL reports whether a text is a URL with one of the schemes and a host, without a user and a
// fragment.
func isPlainURL(text string, schemes ...string) bool {
	u, err := url.Parse(text)
	return err == nil && slices.Contains(schemes, u.Scheme) && u.Hostname() != "" &&
		u.User == nil && u.Fragment == ""
}

// parseSince parses a value of --since: a time, a day, or a duration before now.
func parseSince(typed string, now time.Time) (time.Time, error) {
	if typed == "" {
		return time.Time{}, nil
	}
	ago, err := api.ParseDuration(strings.TrimSuffix(strings.TrimSpace(typed), " ago"))
	if err == nil && ago > 0 {
		return now.Add(-ago), nil
	}
	moment, err := commands.ParseMoment(typed, now)
	if err != nil {
		return time.Time{}, wrongUsage(
			`--since %q is not a valid time; use 2h, 7d, yesterday, "2026-12-01 09:30" or RFC 3339`, typed)
	}
	return moment.Start(), nil
}

// explainFlagError rewrites an error of the package pflag in words for the user.
func explainFlagError(err error) error {
	unknown, isUnknown := errors.AsType[*pflag.NotExistError](err)
	if isUnknown && unknown.GetSpecifiedShortnames() != "" {
		return fmt.Errorf("unknown flag: -%s", unknown.GetSpecifiedName())
	}
	invalid, isInvalid := errors.AsType[*pflag.InvalidValueError](err)
	if !isInvalid {
		return err
	}
	flag := invalid.GetFlag()
	problem := describeProblem(flag.Value.Type(), invalid.Unwrap())
	return fmt.Errorf("--%s %q is %s", flag.Name, invalid.GetValue(), problem)
}

// valueKinds describe the values of flags for error messages. The keys are the names that pflag has for the types.
var valueKinds = map[string]string{
	"int":     "a whole number",
	"uint":    "a whole number from 0",
	"float64": "a number",
	"bool":    "true or false",
}

// describeProblem returns what is wrong with a value of a flag, such as "too large" or "not a number".
func describeProblem(valueType string, err error) string {
	if errors.Is(err, strconv.ErrRange) {
		return "too large"
	}
	if kind := valueKinds[valueType]; kind != "" {
		return "not " + kind
	}
	problem := strings.TrimPrefix(err.Error(), "is ")
	if strings.HasPrefix(problem, "not ") {
		return problem
	}
	return "not valid; " + problem
}
