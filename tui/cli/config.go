package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/config"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
)

func (p *program) configCommand() *cobra.Command {
	return p.group(&cobra.Command{
		Use:     "config",
		Short:   "Where the configuration is, what it says, whether it holds",
		Example: "flightdesk config check",
	}, p.configPath(), p.configShow(), p.configCheck())
}

func (p *program) configPath() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "path",
		Short: "Print where the configuration file is",
		Long: "Prints the path of the configuration file, whether it exists or not. " +
			"FLIGHTDESK_CONFIG names another file.",
		Example: "$EDITOR \"$(flightdesk config path)\"",
	}
	output := outputFlag(cmd, "table", "json")
	return p.command(cmd, noArguments, func(cmd *cobra.Command, _ []string) error {
		path, err := p.env.Path()
		if err != nil {
			return err
		}
		if output.value == "json" {
			return printJSON(cmd.OutOrStdout(), map[string]string{
				"path": path, "state": p.env.Dirs.State, "downloads": p.env.Dirs.Downloads,
			})
		}
		_, err = fmt.Fprintln(cmd.OutOrStdout(), path)
		return err
	})
}

func profileFlag(cmd *cobra.Command) *string {
	return cmd.Flags().String("profile", "", "name of the profile, default_profile if absent")
}

func (p *program) configCheck() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check the configuration, its keys and certificates",
		Long: "Checks the configuration file and lists everything that is wrong with it. Then gets the keys and the " +
			"certificates of the profile, as the app would: that may run its command or ask the keyring.",
		Example: "flightdesk config check\nflightdesk config check --profile prod --output json",
	}
	profile := profileFlag(cmd)
	output := outputFlag(cmd, "table", "json")
	return p.command(cmd, noArguments, func(cmd *cobra.Command, _ []string) error {
		found, err := p.checkConfig(cmd.Context(), *profile)
		if err != nil {
			return err
		}
		if output.value == "json" {
			err = printJSON(cmd.OutOrStdout(), found)
		} else {
			err = found.print(cmd.OutOrStdout())
		}
		if err == nil && !found.OK {
			err = fmt.Errorf("%s: %s; correct what is listed", found.Path, format.Count(len(found.Faults), "fault", "faults"))
		}
		return err
	})
}

// checked is what config check found.
type checked struct {
	Path    string         `json:"path"`
	OK      bool           `json:"ok"`
	Profile string         `json:"profile,omitzero"` // whose keys were looked at
	Good    []string       `json:"good"`
	Faults  []config.Fault `json:"faults"`
	Doubts  []config.Fault `json:"doubts,omitzero"` // that keep nothing from working
}

func (c *checked) fault(err error) {
	var one config.Fault
	if !errors.As(err, &one) {
		one = config.Fault{File: c.Path, Problem: err.Error()}
	}
	c.Faults = append(c.Faults, one)
}

func (c *checked) print(w io.Writer) error {
	var b strings.Builder
	for _, good := range c.Good {
		fmt.Fprintf(&b, "ok     %s\n", layout.Clean(good))
	}
	for _, doubt := range c.Doubts {
		fmt.Fprintf(&b, "doubt  %s\n", layout.Clean(doubt.Error()))
	}
	for _, fault := range c.Faults {
		fmt.Fprintf(&b, "fault  %s\n", layout.Clean(fault.Error()))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (p *program) checkConfig(ctx context.Context, profile string) (*checked, error) {
	path, err := p.env.Path()
	if err != nil {
		return nil, err
	}
	found := &checked{Path: path, Good: []string{}, Faults: []config.Fault{}}
	c, err := config.Load(p.env)
	var faults config.Faults
	switch {
	case errors.As(err, &faults):
		found.Faults = faults
		return found, nil
	case err != nil:
		return nil, err
	}
	undo, err := bindKeys(c)
	defer undo()
	if errors.As(err, &faults) {
		found.Faults = faults
		return found, nil
	}
	if c.Found {
		found.Good = append(found.Good, path+": "+format.Count(len(c.Profiles), "profile", "profiles"))
	}
	found.Doubts = faintThemes(c)
	s, err := c.Resolve(profile)
	switch {
	case errors.Is(err, config.ErrUndecided):
		found.Good = append(found.Good, "no keys looked at: name a profile with --profile")
	case err != nil:
		return nil, err
	default:
		found.Profile = s.Name
		if err := found.profile(ctx, s); err != nil {
			return nil, err
		}
	}
	found.OK = len(found.Faults) == 0
	return found, nil
}

// profile gets a profile's keys and certificates. The error is that of an
// interruption.
func (c *checked) profile(ctx context.Context, s config.Settings) error {
	note := func(what string, err error) {
		if err != nil {
			c.fault(err)
			return
		}
		c.Good = append(c.Good, fmt.Sprintf("profile %s: %s", s.Name, what))
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
