package profile

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/config"
	"flightdesk/tui/cli/run"
)

func configShow(p *run.Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Print the configuration without its keys",
		Long: "Prints the configuration as TOML, including the environment variables that override the selected profile. Keys and the " +
			"arguments of commands are masked.",
		Example: "# a profile and what overrides it\nflightdesk config show --profile prod",
	}
	profile := run.ProfileFlag(cmd)
	output := run.OutputFlag(cmd, "table", "json")
	return p.Command(cmd, func(cmd *cobra.Command, _ []string) error {
		shown, err := loadShownConfig(p, *profile)
		if err != nil {
			return err
		}
		if output.Value == "json" {
			return run.PrintJSON(cmd.OutOrStdout(), shown)
		}
		_, err = io.WriteString(cmd.OutOrStdout(), shown.toTOML())
		return err
	})
}

// Configuration is the configuration as it is printed.
type Configuration struct {
	Path           string       `json:"path"`
	Found          bool         `json:"found"`
	DefaultProfile string       `json:"defaultProfile,omitzero"`
	Theme          config.Theme `json:"theme"`
	Glyphs         string       `json:"glyphs,omitzero"`
	DownloadDir    string       `json:"downloadDir"`
	shownWays
	Profiles []ShownProfile `json:"profiles"`
	Themes   []shownTheme   `json:"themes,omitzero"`
	Keys     []shownKeys    `json:"keys,omitzero"`
}

// ShownProfile is a profile as it is printed.
type ShownProfile struct {
	Name          string `json:"name"`
	Chosen        bool   `json:"chosen"` // the one that would be used
	BaseURL       string `json:"baseUrl"`
	LegacyBaseURL string `json:"legacyBaseUrl,omitzero"`
	OpsURL        string `json:"opsUrl,omitzero"`
	CAFile        string `json:"caFile,omitzero"`
	State         string `json:"state,omitzero"`
	Company       string `json:"company,omitzero"`
	Band          string `json:"band,omitzero"`
	shownWays
	ReadOnly      bool              `json:"readOnly"`
	AllowHTTP     bool              `json:"allowHttp"`
	Credential    *shownCredential  `json:"credential,omitzero"`
	OpsCredential *shownCredential  `json:"opsCredential,omitzero"`
	From          map[string]string `json:"from,omitzero"` // key of the file → variable that gave its value
}

// shownWays are how things are told, as far as that is set.
type shownWays struct {
	Areas   string `json:"areas,omitzero"`
	Times   string `json:"times,omitzero"`
	Notices string `json:"notices,omitzero"`
}

func (s shownWays) writeRows(b *strings.Builder) {
	writeRow(b, "areas", s.Areas, nil)
	writeRow(b, "times", s.Times, nil)
	writeRow(b, "notices", s.Notices, nil)
}

// shownCredential says where a key comes from. The arguments of a command are
// masked: people put keys there.
type shownCredential struct {
	Keyring string   `json:"keyring,omitzero"`
	Env     string   `json:"env,omitzero"`
	Command []string `json:"command,omitzero"`
	File    string   `json:"file,omitzero"`
	Timeout string   `json:"timeout,omitzero"`
	Key     string   `json:"key,omitzero"` // masked; given by a variable
}

func loadShownConfig(p *run.Program, profile string) (*Configuration, error) {
	c, err := config.Load(p.Env)
	if err != nil {
		return nil, err
	}
	shown := &Configuration{
		Path:           c.Path,
		Found:          c.Found,
		DefaultProfile: c.DefaultProfile,
		Theme:          c.Theme,
		Glyphs:         c.Glyphs,
		DownloadDir:    c.DownloadDir,
		Profiles:       []ShownProfile{},
		shownWays:      shownWays(c.Ways),
	}
	shown.showLooks(c)
	chosen, err := c.Resolve(profile)
	none := errors.Is(err, config.ErrNoProfile) || errors.Is(err, config.ErrUndecided)
	if err != nil && !none {
		return nil, err
	}
	for _, each := range c.Profiles {
		if each.Name == chosen.Name {
			continue
		}
		shown.Profiles = append(shown.Profiles, showProfile(config.Settings{Profile: each}))
	}
	if !none {
		first := showProfile(chosen)
		first.Chosen = true
		shown.Profiles = append([]ShownProfile{first}, shown.Profiles...)
	}
	return shown, nil
}

func showProfile(s config.Settings) ShownProfile {
	return ShownProfile{
		Name:          s.Name,
		BaseURL:       s.BaseURL,
		LegacyBaseURL: s.LegacyBaseURL,
		OpsURL:        s.OpsURL,
		CAFile:        s.CAFile,
		State:         s.State,
		Company:       s.Company,
		Band:          s.Band,
		shownWays:     shownWays(s.Ways),
		ReadOnly:      s.ReadOnly,
		AllowHTTP:     s.AllowHTTP,
		From:          s.From,
		Credential:    showCredential(s.Credential, s.From["credential"]),
		OpsCredential: showCredential(s.OpsCredential, s.From["ops_credential"]),
	}
}

func showCredential(c config.Credential, variable string) *shownCredential {
	switch {
	case variable != "":
		return &shownCredential{Key: config.Mask}
	case c.IsZero():
		return nil
	}
	shown := &shownCredential{Keyring: c.Keyring, Env: c.Env, File: c.File}
	for i, argument := range c.Command {
		if i > 0 {
			argument = config.Mask
		}
		shown.Command = append(shown.Command, argument)
	}
	if c.Timeout > 0 {
		shown.Timeout = c.Timeout.String()
	}
	return shown
}

// toTOML returns the configuration as TOML.
func (s *Configuration) toTOML() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s%s\n", strconv.Quote(s.Path), map[bool]string{false: ", which does not exist"}[s.Found])
	writeRow(&b, "default_profile", s.DefaultProfile, nil)
	writeRow(&b, "theme", string(s.Theme), nil)
	writeRow(&b, "glyphs", s.Glyphs, nil)
	writeRow(&b, "download_dir", s.DownloadDir, nil)
	s.writeRows(&b)
	for _, p := range s.Profiles {
		fmt.Fprintf(&b, "\n[profiles.%s]%s\n", tomlKey(p.Name), map[bool]string{true: " # selected"}[p.Chosen])
		writeRow(&b, "base_url", p.BaseURL, p.From)
		writeRow(&b, "legacy_base_url", p.LegacyBaseURL, p.From)
		writeRow(&b, "ops_url", p.OpsURL, p.From)
		writeRow(&b, "ca_file", p.CAFile, nil)
		writeRow(&b, "state", p.State, nil)
		writeRow(&b, "company", p.Company, nil)
		writeRow(&b, "band", p.Band, nil)
		p.writeRows(&b)
		if p.ReadOnly {
			b.WriteString("read_only = true\n")
		}
		if p.AllowHTTP {
			b.WriteString("allow_http = true\n")
		}
		p.Credential.writeRow(&b, "credential", p.From)
		p.OpsCredential.writeRow(&b, "ops_credential", p.From)
	}
	s.looksText(&b)
	return b.String()
}

func writeRow(b *strings.Builder, key, value string, from map[string]string) {
	if value == "" {
		return
	}
	fmt.Fprintf(b, "%s = %q", key, value)
	if variable := from[key]; variable != "" {
		b.WriteString(" # " + variable)
	}
	b.WriteByte('\n')
}

func (c *shownCredential) writeRow(b *strings.Builder, key string, from map[string]string) {
	if c == nil {
		return
	}
	if c.Key != "" {
		fmt.Fprintf(b, "# %s %s # %s\n", key, c.Key, from[key])
		return
	}
	var source string
	switch {
	case c.Keyring != "":
		source = fmt.Sprintf("keyring = %q", c.Keyring)
	case c.Env != "":
		source = fmt.Sprintf("env = %q", c.Env)
	case c.File != "":
		source = fmt.Sprintf("file = %q", c.File)
	default:
		source = fmt.Sprintf("command = [%s]", strings.Join(quoteAll(c.Command), ", "))
	}
	if c.Timeout != "" {
		source += fmt.Sprintf(", timeout = %q", c.Timeout)
	}
	fmt.Fprintf(b, "%s = { %s }\n", key, source)
}

func quoteAll(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = strconv.Quote(s)
	}
	return out
}

// tomlKey writes a key as TOML takes it, quoted where it is not a bare one.
func tomlKey(name string) string {
	bare := func(r rune) bool {
		return r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
	}
	if name != "" && !strings.ContainsFunc(name, func(r rune) bool { return !bare(r) }) {
		return name
	}
	return strconv.Quote(name)
}
