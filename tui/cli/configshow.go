package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/spf13/cobra"

	"flightdesk/config"
)

func configShow(p *Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Print the configuration, with API keys masked",
		Long: `Prints the configuration as TOML, including the environment variables that override the selected profile.
Keys and the arguments of commands are masked.`,
		Example: "# a profile and what overrides it\nflightdesk config show --profile prod",
	}
	ProfileFlag(cmd)
	OutputFlag(cmd, "toml", "json")
	return p.PrintCommand(cmd, func(_ context.Context, c *Call) error {
		shown, err := loadShownConfig(p, c.Chosen)
		switch {
		case err != nil:
			return err
		case c.Output == "json":
			return PrintValue(c.Out(), shown)
		}
		_, err = io.WriteString(c.Out(), shown.toTOML())
		return err
	})
}

// Configuration is the configuration as it is printed.
type Configuration struct {
	config.Config
	Profiles []ShownProfile `json:"profiles"` // the one that would be used first
}

// ShownProfile is a profile as it is printed. The arguments of commands are masked:
// people put keys there.
type ShownProfile struct {
	config.Profile
	Chosen bool              `json:"chosen"`         // the one that would be used
	From   map[string]string `json:"from,omitempty"` // key of the file → variable that gave its value
}

func loadShownConfig(p *Program, profile string) (*Configuration, error) {
	c, err := config.Load(p.Env)
	if err != nil {
		return nil, err
	}
	shown := &Configuration{Config: *c}
	chosen, err := c.Resolve(profile, false)
	switch {
	case err == nil:
		shown.addProfile(chosen, true)
	case !errors.Is(err, config.ErrNoProfile) && !errors.Is(err, config.ErrUndecided):
		return nil, err
	}
	for _, each := range c.Profiles {
		if each.Name != chosen.Name {
			shown.addProfile(config.Settings{Profile: each}, false)
		}
	}
	return shown, nil
}

func (s *Configuration) addProfile(p config.Settings, chosen bool) {
	p.Credential = showCredential(p.Credential, p.From["credential"])
	p.OpsCredential = showCredential(p.OpsCredential, p.From["ops_credential"])
	s.Profiles = append(s.Profiles, ShownProfile{p.Profile, chosen, p.From})
}

func showCredential(c config.Credential, variable string) config.Credential {
	if variable != "" {
		return config.Credential{Env: variable}
	}
	c.Command = slices.Clone(c.Command)
	for i := 1; i < len(c.Command); i++ {
		c.Command[i] = config.Mask
	}
	return c
}

// toTOML returns the configuration as TOML.
func (s *Configuration) toTOML() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %q%s\n%s", s.Path, map[bool]string{false: ", which does not exist"}[s.Found],
		config.RowsText(s.Rows(), nil))
	for _, p := range s.Profiles {
		selected := map[bool]string{true: " # selected"}[p.Chosen]
		fmt.Fprintf(
			&b,
			"\n[%s]%s\n%s",
			toml.Key{"profiles", p.Name},
			selected,
			config.RowsText(p.Rows(), p.From),
		)
	}
	for _, t := range s.UserThemes {
		rows := []config.TableRow{{Key: "base", Value: t.Base}}
		for _, token := range config.Tokens {
			rows = append(rows, config.TableRow{Key: token, Value: t.Colours[token]})
		}
		fmt.Fprintf(&b, "\n[%s]\n%s", toml.Key{"themes", t.Name}, config.RowsText(rows, nil))
	}
	for i, k := range s.Keys {
		if i == 0 || k.Scope != s.Keys[i-1].Scope {
			fmt.Fprintf(&b, "\n[%s]\n", toml.Key{"keys", k.Scope})
		}
		fmt.Fprintln(&b, config.TableRow{Key: k.Action, Value: k.Keys})
	}
	return b.String()
}
