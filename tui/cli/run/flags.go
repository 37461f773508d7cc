package run

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// Choice is a flag with a fixed set of values.
type Choice struct {
	Value string
	known []string
}

func (c *Choice) String() string { return c.Value }

func (c *Choice) Type() string { return "choice" }

func (c *Choice) Set(s string) error {
	if !slices.Contains(c.known, s) {
		return errors.New("use one of " + strings.Join(c.known, ", "))
	}
	c.Value = s
	return nil
}

// OutputFlag adds --output; the first format is what people get.
func OutputFlag(cmd *cobra.Command, formats ...string) *Choice {
	c := &Choice{formats[0], formats}
	cmd.Flags().VarP(c, "output", "o", "output format: "+strings.Join(formats, ", "))
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
	return c
}

// ChoiceFlag adds a flag with a fixed set of values, none at first.
func ChoiceFlag(cmd *cobra.Command, name, usage string, known ...string) *Choice {
	c := &Choice{known: known}
	cmd.Flags().Var(c, name, usage+": "+strings.Join(known, ", "))
	_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(known, cobra.ShellCompDirectiveNoFileComp))
	return c
}

// ProfileFlag adds --profile.
func ProfileFlag(cmd *cobra.Command) *string {
	return cmd.Flags().String("profile", "", "profile to use; default_profile if omitted")
}

// OrderCode returns a code as the service writes it.
func OrderCode(typed string) string {
	if upper := strings.ToUpper(typed); strings.HasPrefix(upper, "ORD-") || strings.HasPrefix(upper, "MSN-") {
		return upper
	}
	return typed
}

// IsAddress reports whether a text is an address of one of the schemes, without a user or a fragment.
func IsAddress(text string, schemes ...string) bool {
	u, err := url.Parse(text)
	return err == nil && slices.Contains(schemes, u.Scheme) && u.Host != "" && u.User == nil && u.Fragment == ""
}
