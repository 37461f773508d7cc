package profile

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/config"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/session"
	"flightdesk/tui/cli/run"
	"flightdesk/tui/layout"
)

// loginFlags are those of the login command.
type loginFlags struct {
	name, profile string
	environment   *run.Choice
	check         bool
}

// LoginCommand adds a profile, with its key in the keyring.
func LoginCommand(p *run.Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "login [ADDRESS]",
		Short: "Add a profile and store its key",
		Long: "Finds the service at ADDRESS, checks the API key and adds a profile. A host is enough: the usual paths of the public API " +
			"and the v2 API are tried with https, on this machine also with http.\n\n" +
			"Prompts for the key without showing it, or reads it from standard input. The key is stored in the system keyring; if there is " +
			"none, in a file next to the configuration that only you can read.\n\n" +
			"With --profile and no ADDRESS, replaces the key of that profile. With --check, checks the profile's key and stores " +
			"nothing.",
		Example: "# type the key when asked\nflightdesk login desk.example\n\n" +
			"# the key from a password store\npass show desk | flightdesk login desk.example --name prod\n\n" +
			"# the permissions of the profile's key\nflightdesk login --check\n\n# replace an expired key\nflightdesk login --profile prod",
	}
	var f loginFlags
	cmd.Flags().StringVar(&f.name, "name", "", "name of the new profile; the host of its address if omitted")
	f.environment = run.ChoiceFlag(cmd, "environment", "environment of the service", "live", "test", "demo")
	cmd.Flags().BoolVar(&f.check, "check", false, "check the key of a profile; store nothing")
	profile := run.ProfileFlag(cmd)
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	return p.Command(cmd, func(cmd *cobra.Command, args []string) error {
		f.profile = *profile
		switch {
		case f.check && (len(args) > 0 || f.name != ""):
			return run.WrongUsage(cmd, "--check needs no ADDRESS; select a profile with --profile")
		case f.check:
			return checkLogin(p, cmd, f.profile)
		case f.profile != "" && (len(args) > 0 || f.name != ""):
			return run.WrongUsage(cmd, "--profile replaces the key of a profile; use --name to name a new one")
		case f.profile != "":
			return replaceKey(p, cmd, f.profile)
		}
		return loginAccount(p, cmd, args, f)
	})
}

// loginAccount adds a profile.
func loginAccount(p *run.Program, cmd *cobra.Command, args []string, f loginFlags) error {
	ctx := cmd.Context()
	c, err := config.Load(p.Env)
	if err != nil {
		return err
	}
	a := session.TypedAccount{Name: f.name, Band: f.environment.Value}
	switch in, isFile := cmd.InOrStdin().(io.Writer); {
	case len(args) > 0:
		a.BaseURL = args[0]
	case !isFile || !run.IsTerminal(in):
		return run.WrongUsage(cmd, "missing ADDRESS: name the service, e.g. %s", run.FirstCall(cmd.Example))
	default:
		if a.BaseURL, err = run.AskLine(ctx, cmd, "Address of the service: ", false); err != nil {
			return err
		}
	}
	if u, err := url.Parse(config.CandidateAddresses(a.BaseURL)[0]); err == nil && a.Name == "" {
		a.Name = u.Hostname()
	}
	if _, known := c.Profile(a.Name); known {
		return fmt.Errorf(
			"a profile %q already exists; use another name with --name, or replace its key with --profile %s",
			a.Name,
			a.Name,
		)
	}
	tried, err := tryKey(cmd, a)
	if err != nil {
		return err
	}
	notice, err := session.KeepAccount(cmd.Context(), p.Env, tried.TypedAccount)
	if err != nil {
		return err
	}
	fmt.Fprintf(
		cmd.OutOrStdout(),
		"\nProfile %s added. %s\n",
		tried.Name,
		layout.Clean(strings.ToUpper(notice.Text[:1])+notice.Text[1:]),
	)
	return nil
}

// replaceKey stores another key for a profile.
func replaceKey(p *run.Program, cmd *cobra.Command, name string) error {
	c, err := config.Load(p.Env)
	if err != nil {
		return err
	}
	old, err := c.Resolve(name)
	if err != nil {
		return err
	}
	configured, _ := c.Profile(name)
	if err := configured.CanReplaceKey(); err != nil {
		return err
	}
	key, err := askKey(cmd)
	if err != nil {
		return err
	}
	options, err := run.TryOptions(old)
	if err != nil {
		return err
	}
	client, err := api.NewClient(configured.BaseURL, append(options, api.WithKey(key))...)
	if err != nil {
		return err
	}
	if err := showPermissions(cmd, old.Name, client); err != nil {
		return err
	}
	kept, err := p.Env.Replace(configured, config.NewSecret(key))
	if err != nil {
		return err
	}
	where := "the keyring"
	if kept.KeyFile != "" {
		where = kept.KeyFile
	}
	fmt.Fprintf(cmd.OutOrStdout(), "\nKey of profile %s replaced in %s.\n", old.Name, layout.Clean(where))
	return nil
}

func askKey(cmd *cobra.Command) (string, error) {
	key, err := run.AskLine(cmd.Context(), cmd, "API key (not shown): ", true)
	if err == nil && key == "" {
		err = errors.New("no key entered; type it, or pass it on standard input")
	}
	return key, err
}

// tryKey gets a key and shows where the service is and what the key allows there.
func tryKey(cmd *cobra.Command, a session.TypedAccount) (tried session.TriedAccount, err error) {
	if a.Key, err = askKey(cmd); err != nil {
		return tried, err
	}
	options, err := run.TryOptions(config.Settings{})
	if err != nil {
		return tried, err
	}
	tried, err = session.TryAccount(cmd.Context(), a, options...)
	for _, address := range tried.Addresses {
		said := "answers"
		if address.Err != nil {
			said, _ = labels.ExplainError(address.Err)
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s  %s\n", layout.Clean(address.URL), layout.Clean(said))
	}
	if err != nil {
		return tried, err
	}
	return tried, showGrants(cmd, tried.Grants)
}

func showGrants(cmd *cobra.Command, grants []api.ScopeGrant) error {
	var b strings.Builder
	b.WriteString("\nKey accepted. Permissions:\n")
	for _, g := range grants {
		fmt.Fprintf(
			&b,
			"  %s%s%s\n",
			layout.FitLeft(g.Grant.String(), 13),
			layout.FitLeft(string(g.Scope), 16),
			session.ScopeText(g.Scope),
		)
	}
	_, err := io.WriteString(cmd.OutOrStdout(), b.String())
	return err
}

// showPermissions shows what the key of a client allows.
func showPermissions(cmd *cobra.Command, profile string, client *api.Client) error {
	grants, err := client.Scopes(cmd.Context())
	if err == nil && !(session.Permissions{Grants: grants}).IsKnown() {
		err = grants[0].Err
	}
	if err != nil {
		return fmt.Errorf("profile %s: %w", profile, err)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "Profile %s, %s\n", layout.Clean(profile), layout.Clean(client.BaseURL()))
	return showGrants(cmd, grants)
}

// checkLogin shows what the key of a profile allows.
func checkLogin(p *run.Program, cmd *cobra.Command, profile string) error {
	o, err := p.Connect(cmd.Context(), profile)
	if err != nil {
		return err
	}
	return showPermissions(cmd, o.Name, o.Client)
}

// LogoutCommand removes a profile and its key.
func LogoutCommand(p *run.Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "logout PROFILE",
		Short: "Remove a profile and its stored key",
		Long: "Removes a profile from the configuration, and its key from the keyring or the file that login stored it in. A key from a " +
			"variable, a command or another file is kept. The key itself stays valid; only the service can revoke it.",
		Example:           "# remove a profile\nflightdesk logout prod",
		ValidArgsFunction: p.CompleteProfiles,
	}
	return p.Command(cmd, func(cmd *cobra.Command, args []string) error {
		forgot, err := p.Env.Forget(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		key := "no key was stored for it."
		if forgot {
			key = "its stored key is deleted."
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "Profile %s removed; %s\n", args[0], key)
		return err
	})
}

// ProfilesCommand lists the profiles.
func ProfilesCommand(p *run.Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "profiles",
		Short:   "List, edit and rename profiles",
		Long:    "Lists the profiles of the configuration, starting with the default. Sends no requests and reads no keys. Its commands change a profile.",
		Example: "# all profiles\nflightdesk profiles",
	}
	output := run.OutputFlag(cmd, "table", "json")
	cmd.AddCommand(renameProfile(p), editProfile(p))
	cmd.Args = run.SubcommandOnly
	return p.Command(cmd, func(cmd *cobra.Command, _ []string) error {
		shown, err := loadShownConfig(p, "")
		if err != nil {
			return err
		}
		sheet := run.NewSheet("profile", "profiles", profileColumns(), time.Now, "")
		return sheet.Print(run.PrintedOn(cmd, output.Value), run.ListRows(shown.Profiles))
	})
}

func profileColumns() []columns.Column[ShownProfile] {
	return columns.MakeColumns([]columns.ColumnSpec{
		{Title: "Profile", Name: "name"},
		{Title: "Default", Name: "chosen"},
		{Title: "Address", Name: "baseUrl", Least: 20},
		{Title: "Environment", Name: "band"},
		{Title: "Key from", Name: "credential"},
		{Title: "Access", Name: "readOnly"},
	}, columns.Values[ShownProfile]{
		"chosen": func(s *ShownProfile) columns.Cell {
			return columns.TextCell(map[bool]string{true: "yes"}[s.Chosen])
		},
		"credential": func(s *ShownProfile) columns.Cell {
			return columns.TextCell(describeSource(s.Credential))
		},
		"readOnly": func(s *ShownProfile) columns.Cell {
			return columns.TextCell(map[bool]string{true: "read-only", false: "read+write"}[s.ReadOnly])
		},
	})
}

// describeSource says in short where a key comes from, "" for none.
func describeSource(c config.Credential) string {
	switch {
	case c.File != "":
		return "file " + c.File
	case c.Env != "":
		return "variable " + c.Env
	case len(c.Command) > 0:
		return "command " + c.Command[0]
	case c.Keyring != "":
		return "keyring"
	}
	return ""
}
