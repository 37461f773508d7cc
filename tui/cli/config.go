package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/BurntSushi/toml"
	"github.com/spf13/cobra"

	"flightdesk/config"
	"flightdesk/tui/format"
)

// configCommand returns the command that prints and checks the configuration.
func configCommand() *cobra.Command {
	return defineGroup(&cobra.Command{
		Use:   "config",
		Short: "Show and check the configuration",
		Long:  "Shows and checks the configuration. To change it, edit the file that config path prints, or use flightdesk profiles.",
		Example: `# find errors in the configuration
flightdesk config check`,
	}, configPath(), configShow(), configCheck())
}

func configPath() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "path",
		Short: "Print the path of the configuration file",
		Long: `Prints the path of the configuration file, even if it does not exist. FLIGHTDESK_CONFIG overrides it.
--output json also prints the state and download folders.`,
		Example: "# edit the configuration\n$EDITOR \"$(flightdesk config path)\"",
	}
	outputFlag(cmd, "text", "json")
	return definePrinting(cmd, func(c *Call) error {
		path, err := c.program.Env.Path()
		if err != nil {
			return err
		}
		dirs := c.program.Env.Dirs
		value := map[string]string{
			"path":      path,
			"state":     dirs.State,
			"downloads": dirs.Downloads,
		}
		return c.PrintResult(value, path)
	})
}

func configCheck() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check the configuration, API keys and certificates",
		Long: `Checks the configuration file and lists all errors. Then loads the keys and certificates of the profile. This
can run the command that supplies the key, or query the keyring.`,
		Example: `# the default profile
flightdesk config check

# another profile, as JSON
flightdesk config check --profile prod --output json`,
	}
	profileFlag(cmd)
	return definePrinting(cmd, printConfigCheck)
}

// printConfigCheck checks the configuration and prints the result. It returns an error if there are faults.
func printConfigCheck(c *Call) error {
	check, err := c.checkConfig()
	if err != nil {
		return err
	}
	if err := c.PrintParts(check, check.write); err != nil {
		return err
	}
	if !check.OK {
		return fmt.Errorf("%s: %s to fix", check.Path, format.Count(len(check.Faults), "error"))
	}
	return nil
}

// ConfigCheck is the result of the command config check, and its output with --output json.
type ConfigCheck struct {
	Path    string         `json:"path"`
	OK      bool           `json:"ok"`
	Profile string         `json:"profile,omitzero"` // the profile whose keys were checked
	Good    []string       `json:"good"`             // what works
	Faults  []config.Fault `json:"faults"`
	Doubts  []config.Fault `json:"doubts,omitzero"` // warnings, which do not prevent anything from working
}

// write writes a line for each result.
func (c *ConfigCheck) write(to *textWriter) {
	writeLine := func(state, text string) { fmt.Fprintf(to, "%-9s%s\n", state, format.Clean(text)) }
	for _, good := range c.Good {
		writeLine("ok", good)
	}
	for _, doubt := range c.Doubts {
		writeLine("warning", doubt.Error())
	}
	for _, fault := range c.Faults {
		writeLine("error", fault.Error())
	}
}

// checkConfig checks the configuration file, and then the keys and certificates of the profile. The result
// has the faults of the configuration. The error is not nil only if the check could not be completed.
func (c *Call) checkConfig() (*ConfigCheck, error) {
	path, err := c.program.Env.Path()
	if err != nil {
		return nil, err
	}
	check := &ConfigCheck{
		Path:   path,
		Good:   []string{},
		Faults: []config.Fault{},
	}
	loaded, err := loadWithKeys(c.program.Env)
	if faults, isFault := errors.AsType[config.Faults](err); isFault {
		check.Faults = faults
		return check, nil
	}
	if err != nil {
		return nil, err
	}
	if loaded.Found {
		check.Good = append(check.Good, path+": "+format.Count(len(loaded.Profiles), "profile"))
	}
	check.Doubts = slices.Concat(findFaintColours(loaded), renamedActions(loaded))
	if err := check.checkSelectedProfile(c, loaded); err != nil {
		return nil, err
	}
	check.OK = len(check.Faults) == 0
	return check, nil
}

// checkSelectedProfile checks the keys and certificates of the profile of --profile, or of the default profile. If
// there are several profiles and none is selected, it adds a doubt instead. It returns an error if the profile does
// not exist or the command was interrupted.
func (c *ConfigCheck) checkSelectedProfile(call *Call, loaded *config.Config) error {
	settings, err := loaded.Resolve(call.ProfileFlag, false)
	if errors.Is(err, config.ErrUndecided) {
		c.Doubts = append(c.Doubts, config.Fault{File: c.Path, Problem: "no keys checked; select a profile with --profile"})
		return nil
	}
	if err != nil {
		return err
	}
	c.Profile = settings.Name
	c.checkProfile(call, settings)
	return call.Err() // an interruption makes reading a key fail
}

// loadWithKeys loads a configuration and returns an error if its key bindings are invalid.
func loadWithKeys(env config.Env) (*config.Config, error) {
	loaded, err := config.Load(env)
	if err != nil {
		return nil, err
	}
	undo, err := bindKeys(loaded)
	undo()
	if err != nil {
		return nil, err
	}
	return loaded, nil
}

// checkProfile reads the keys and certificates of a profile and adds the results.
func (c *ConfigCheck) checkProfile(ctx context.Context, s config.Settings) {
	if !hasOnlyOpsKey(s) {
		_, err := s.Key(ctx)
		c.addResult(s.Name, "API key", err)
	}
	opsKey, err := s.OpsKey(ctx)
	if err != nil || !opsKey.IsZero() {
		c.addResult(s.Name, "operations key", err)
	}
	pool, err := s.CAs()
	if err != nil || pool != nil {
		c.addResult(s.Name, "certificates", err)
	}
}

// addResult adds the result of checking an item of a profile, such as "API key".
func (c *ConfigCheck) addResult(profile, item string, err error) {
	if err == nil {
		c.Good = append(c.Good, fmt.Sprintf("profile %s: %s loaded", profile, item))
		return
	}
	fault, ok := errors.AsType[config.Fault](err)
	if !ok {
		fault = config.Fault{File: c.Path, Problem: err.Error()}
	}
	c.Faults = append(c.Faults, fault)
}

func configShow() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Print the configuration, with API keys masked",
		Long: `Prints the configuration as TOML, including the environment variables that override the selected profile.
Keys and the arguments of commands are masked.`,
		Example: `# a profile and what overrides it
flightdesk config show --profile prod`,
	}
	profileFlag(cmd)
	outputFlag(cmd, "toml", "json")
	return definePrinting(cmd, func(c *Call) error {
		shown, err := c.program.loadMaskedConfig(c.ProfileFlag)
		if err != nil {
			return err
		}
		return c.PrintParts(shown, shown.writeTOML)
	})
}

// configuration is the configuration without secrets, as config show prints it.
type configuration struct {
	config.Config
	Profiles []configuredProfile `json:"profiles"` // the selected profile first
}

// configuredProfile is a profile without secrets, as the commands print it. Arguments of credential
// commands are masked, because they can contain keys.
type configuredProfile struct {
	config.Profile
	Chosen bool              `json:"chosen"`         // whether the profile is selected
	From   map[string]string `json:"from,omitempty"` // environment variables that override settings, by setting
}

// loadMaskedConfig loads the configuration for printing, with masked secrets. The selected profile is the
// named profile or, if the name is "", the default profile. If there is no default profile, no profile is
// selected.
func (p *program) loadMaskedConfig(profile string) (*configuration, error) {
	c, err := config.Load(p.Env)
	if err != nil {
		return nil, err
	}
	masked := &configuration{Config: *c}
	selected, err := c.Resolve(profile, false)
	isNoneSelected := errors.Is(err, config.ErrNoProfile) || errors.Is(err, config.ErrUndecided)
	if err != nil && !isNoneSelected {
		return nil, err
	}
	if err == nil {
		masked.addProfile(selected, true)
	}
	for _, other := range c.Profiles {
		if other.Name != selected.Name {
			masked.addProfile(config.Settings{Profile: other}, false)
		}
	}
	return masked, nil
}

func (m *configuration) addProfile(s config.Settings, isSelected bool) {
	s.Credential = maskCredential(s.Credential, s.From["credential"])
	s.OpsCredential = maskCredential(s.OpsCredential, s.From["ops_credential"])
	m.Profiles = append(m.Profiles, configuredProfile{s.Profile, isSelected, s.From})
}

// maskCredential returns a copy of a credential in which the arguments of the command are masked. If variable
// is the name of an environment variable that overrides the credential, the copy has only that name.
func maskCredential(c config.Credential, variable string) config.Credential {
	if variable != "" {
		return config.Credential{Env: variable}
	}
	c.Command = slices.Clone(c.Command)
	for i := 1; i < len(c.Command); i++ {
		c.Command[i] = config.MaskedKey
	}
	return c
}

// writeTOML writes the configuration as TOML.
func (m *configuration) writeTOML(to *textWriter) {
	remark := ""
	if !m.Found {
		remark = ", which does not exist"
	}
	fmt.Fprintf(to, "# %q%s\n%s", m.Path, remark, config.RowsText(m.Rows(), nil))
	for i := range m.Profiles {
		m.Profiles[i].writeTOML(to)
	}
	for _, t := range m.UserThemes {
		rows := []config.TableRow{{Key: "base", Value: t.Base}}
		for _, token := range config.Tokens {
			rows = append(rows, config.TableRow{Key: token, Value: t.Colours[token]})
		}
		fmt.Fprintf(to, "\n[%s]\n%s", toml.Key{"themes", t.Name}, config.RowsText(rows, nil))
	}
	for i, k := range m.Keys {
		isNewScope := i == 0 || k.Scope != m.Keys[i-1].Scope
		if isNewScope {
			fmt.Fprintf(to, "\n[%s]\n", toml.Key{"keys", k.Scope})
		}
		fmt.Fprintln(to, config.TableRow{Key: k.Action, Value: k.Keys})
	}
}

// writeTOML writes the profile as a TOML table. Comments name the environment variables that override values.
func (p *configuredProfile) writeTOML(to *textWriter) {
	remark := ""
	if p.Chosen {
		remark = " # selected"
	}
	fmt.Fprintf(to, "\n[%s]%s\n%s", toml.Key{"profiles", p.Name}, remark, config.RowsText(p.Rows(), p.From))
}
