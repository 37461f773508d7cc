package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/BurntSushi/toml"
	"github.com/spf13/cobra"

	"flightdesk/config"
	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
)

// configCommand returns the command that prints and checks the configuration.
func configCommand() *cobra.Command {
	return defineGroup(newCommand(
		"config",
		"Show and check the configuration",
		"Shows and checks the configuration. To change it, edit the file that config path prints, or use flightdesk profiles.",
		"# find errors in the configuration\nflightdesk config check",
	), configPath(), configShow(), configCheck())
}

func configPath() *cobra.Command {
	cmd := newCommand(
		"path",
		"Print the path of the configuration file",
		`Prints the path of the configuration file, even if it does not exist. FLIGHTDESK_CONFIG overrides it.
--output json also prints the state and download folders.`,
		"# edit the configuration\n$EDITOR \"$(flightdesk config path)\"",
	)
	outputFlag(cmd, "text", "json")
	return definePrinting(cmd, func(c *Call) error {
		path, err := c.Env.Path()
		if err != nil {
			return err
		}
		dirs := c.Env.Dirs
		value := map[string]string{
			"path":      path,
			"state":     dirs.State,
			"downloads": dirs.Downloads,
		}
		return c.PrintAnswer(value, path)
	})
}

func configCheck() *cobra.Command {
	cmd := newCommand(
		"check",
		"Check the configuration, API keys and certificates",
		`Checks the configuration file and lists all errors. Then loads the keys and certificates of the profile. This
can run the command that supplies the key, or query the keyring.`,
		`# the default profile
flightdesk config check

# another profile, as JSON
flightdesk config check --profile prod --output json`,
	)
	profileFlag(cmd)
	return definePrinting(cmd, func(c *Call) error {
		found, err := c.checkConfig()
		if err != nil {
			return err
		}
		err = c.PrintParts(found, found.writeCheck)
		if err == nil && !found.OK {
			err = fmt.Errorf("%s: %s to fix", found.Path, format.Count(len(found.Faults), "error"))
		}
		return err
	})
}

// ConfigCheck is the result of config check.
type ConfigCheck struct {
	Path    string         `json:"path"`
	OK      bool           `json:"ok"`
	Profile string         `json:"profile,omitzero"` // whose keys were looked at
	Good    []string       `json:"good"`
	Faults  []config.Fault `json:"faults"`
	Doubts  []config.Fault `json:"doubts,omitzero"` // that keep nothing from working
}

func (c *ConfigCheck) writeCheck(to *paper) {
	line := func(state, text string) { fmt.Fprintf(to, "%-9s%s\n", state, format.Clean(text)) }
	for _, good := range c.Good {
		line("ok", good)
	}
	for _, doubt := range c.Doubts {
		line("warning", doubt.Error())
	}
	for _, fault := range c.Faults {
		line("error", fault.Error())
	}
}

func (c *Call) checkConfig() (*ConfigCheck, error) {
	path, err := c.Env.Path()
	if err != nil {
		return nil, err
	}
	found := &ConfigCheck{
		Path:   path,
		Good:   []string{},
		Faults: []config.Fault{},
	}
	of, err := config.Load(c.Env)
	if err == nil {
		var undo func()
		undo, err = bindKeys(of)
		defer undo()
	}
	if faults, is := errors.AsType[config.Faults](err); is {
		found.Faults = faults
		return found, nil
	}
	if err != nil {
		return nil, err
	}
	if of.Found {
		found.Good = append(found.Good, path+": "+format.Count(len(of.Profiles), "profile"))
	}
	found.Doubts = slices.Concat(faintThemes(of), earlierNames(of))
	s, err := of.Resolve(c.Chosen, false)
	switch {
	case errors.Is(err, config.ErrUndecided):
		found.Good = append(found.Good, "no keys checked: select a profile with --profile")
	case err != nil:
		return nil, err
	default:
		found.Profile = s.Name
		if err := found.checkProfile(c, s); err != nil {
			return nil, err
		}
	}
	found.OK = len(found.Faults) == 0
	return found, nil
}

// checkProfile reads a profile's keys and certificates and records what is wrong. It returns an error
// only if the command was interrupted.
func (c *ConfigCheck) checkProfile(ctx context.Context, s config.Settings) error {
	note := func(what string, err error) {
		var fault config.Fault
		switch {
		case err == nil:
			c.Good = append(c.Good, fmt.Sprintf("profile %s: %s", s.Name, what))
			return
		case !errors.As(err, &fault):
			fault = config.Fault{File: c.Path, Problem: err.Error()}
		}
		c.Faults = append(c.Faults, fault)
	}
	_, err := s.Key(ctx)
	note("API key", err)
	if key, err := s.OpsKey(ctx); err != nil || !key.IsZero() {
		note("operations key", err)
	}
	if pool, err := s.CAs(); err != nil || pool != nil {
		note("certificates", err)
	}
	return ctx.Err()
}

func renameProfile() *cobra.Command {
	cmd := newCommand(
		"rename PROFILE NAME",
		"Rename a profile; its key and drafts are kept",
		`Renames a profile in the configuration. It keeps its key, drafts, views and offline data; on disk and in the keyring
they stay under its first name. After an error nothing has changed.`,
		"# a clearer name\nflightdesk profiles rename north training",
	)
	return defineCommand(cmd, func(c *Call) error {
		return changeProfile(c, func(a *session.TypedAccount) { a.Name = c.Args[1] })
	})
}

func editProfile() *cobra.Command {
	cmd := newCommand(
		"edit PROFILE",
		"Change the name, addresses and environment of a profile",
		`Changes the name, the addresses, the CA file and the environment of a profile in the configuration. Values without a flag are
unchanged; an empty --v2-address, --ops-address or --ca-file removes it. A renamed profile keeps its key, drafts, views and
offline data; on disk and in the keyring they stay under its first name. Sends no requests; flightdesk doctor tests the
addresses.`,
		`# add the operations API; a host is enough
flightdesk profiles edit training --ops-address desk.example

# the service has moved
flightdesk profiles edit training --address https://new.example/api/v1/public --v2-address https://new.example/api/v2

# a clearer name
flightdesk profiles edit training --name north`,
	)
	flagTable{
		"name,new name of the profile":                                   new(string),
		"address,address of the public API; ends in /api/v1/public":      new(string),
		"v2-address,address of the v2 API; ends in /api/v2":              new(string),
		"ops-address,address of the operations API, or its host":         new(string),
		"ca-file,file with the certificate of a private authority (PEM)": new(string),
	}.addTo(cmd)
	choiceFlag(cmd, "environment", "environment of the service", "live", "test", "demo")
	return defineCommand(cmd, func(c *Call) error {
		if cmd.Flags().NFlag() == 0 {
			return wrongUsage("nothing to change; use --name, --address, --v2-address, --ops-address, --ca-file or --environment")
		}
		return changeProfile(c, func(a *session.TypedAccount) {
			fields := map[string]*string{
				"name":        &a.Name,
				"address":     &a.BaseURL,
				"v2-address":  &a.LegacyBaseURL,
				"ops-address": &a.OpsURL,
				"environment": &a.Band,
			}
			for name, to := range fields {
				if f := cmd.Flag(name); f.Changed {
					*to = f.Value.String()
				}
			}
			a.OpsURL = config.OpsAddress(a.OpsURL)
			if cmd.Flag("ca-file").Changed {
				a.CAFile = c.Env.FilePath(cmd.Flag("ca-file").Value.String())
			}
		})
	})
}

// flagOf are the flags of what can be wrong with a profile.
var flagOf = map[string]string{
	session.FieldBaseURL:   "--address",
	session.FieldLegacyURL: "--v2-address",
	session.FieldOpsURL:    "--ops-address",
}

// changeProfile changes values of a profile.
func changeProfile(c *Call, change func(*session.TypedAccount)) error {
	a, err := session.CurrentAccount(c.Env, c.Args[0])
	if err != nil {
		return err
	}
	change(&a)
	notice, err := session.KeepAccount(c, c.Env, a)
	var fault config.Fault
	if errors.As(err, &fault) && flagOf[fault.Key] != "" {
		return inName(flagOf[fault.Key], err)
	}
	if err != nil {
		return err
	}
	return c.PrintAnswer(notice, format.CapitalizeFirst(notice.Text))
}

func configShow() *cobra.Command {
	cmd := newCommand(
		"show",
		"Print the configuration, with API keys masked",
		`Prints the configuration as TOML, including the environment variables that override the selected profile.
Keys and the arguments of commands are masked.`,
		"# a profile and what overrides it\nflightdesk config show --profile prod",
	)
	profileFlag(cmd)
	outputFlag(cmd, "toml", "json")
	return definePrinting(cmd, func(c *Call) error {
		shown, err := c.loadShownConfig(c.Chosen)
		if err != nil {
			return err
		}
		return c.PrintParts(shown, shown.writeTOML)
	})
}

// configuration is the configuration as it is printed.
type configuration struct {
	config.Config
	Profiles []shownProfile `json:"profiles"` // the one that would be used first
}

// shownProfile is a profile as config and profiles print it. Arguments of credential commands are
// masked, because they can contain keys.
type shownProfile struct {
	config.Profile
	Chosen bool              `json:"chosen"`         // the one that would be used
	From   map[string]string `json:"from,omitempty"` // key of the file → variable that gave its value
}

func (p *program) loadShownConfig(profile string) (*configuration, error) {
	c, err := config.Load(p.Env)
	if err != nil {
		return nil, err
	}
	shown := &configuration{Config: *c}
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

func (s *configuration) addProfile(p config.Settings, chosen bool) {
	p.Credential = showCredential(p.Credential, p.From["credential"])
	p.OpsCredential = showCredential(p.OpsCredential, p.From["ops_credential"])
	s.Profiles = append(s.Profiles, shownProfile{p.Profile, chosen, p.From})
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

// writeTOML writes the configuration as TOML.
func (s *configuration) writeTOML(to *paper) {
	fmt.Fprintf(to, "# %q%s\n%s", s.Path, map[bool]string{false: ", which does not exist"}[s.Found],
		config.RowsText(s.Rows(), nil))
	for _, p := range s.Profiles {
		selected := map[bool]string{true: " # selected"}[p.Chosen]
		fmt.Fprintf(to, "\n[%s]%s\n%s", toml.Key{"profiles", p.Name}, selected, config.RowsText(p.Rows(), p.From))
	}
	for _, t := range s.UserThemes {
		rows := []config.TableRow{{Key: "base", Value: t.Base}}
		for _, token := range config.Tokens {
			rows = append(rows, config.TableRow{Key: token, Value: t.Colours[token]})
		}
		fmt.Fprintf(to, "\n[%s]\n%s", toml.Key{"themes", t.Name}, config.RowsText(rows, nil))
	}
	for i, k := range s.Keys {
		if i == 0 || k.Scope != s.Keys[i-1].Scope {
			fmt.Fprintf(to, "\n[%s]\n", toml.Key{"keys", k.Scope})
		}
		fmt.Fprintln(to, config.TableRow{Key: k.Action, Value: k.Keys})
	}
}
