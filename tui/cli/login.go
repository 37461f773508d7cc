package cli

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/config"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
)

// loginFlags are those of the login command.
type loginFlags struct {
	Name        string `flag:"name,name of the new profile; the host of its address if omitted"`
	CAFile      string `flag:"ca-file,file with the certificate of a private authority (PEM)"`
	Operations  bool   `flag:"operations,store a key of the operations API instead of an account's key"`
	Check       bool   `flag:"check,check the key of a profile; store nothing"`
	environment *choice[string]
}

// loginCommand adds a profile, with its key in the keyring.
func loginCommand() *cobra.Command {
	cmd := newCommand(
		"login [ADDRESS]",
		"Add a profile and store its key",
		`Finds the service at ADDRESS, checks the API key and adds a profile. A host is enough: the usual paths of the
public API and the v2 API are tried with https; if ADDRESS is this machine, also with http.

Prompts for the key without showing it, or reads it from standard input. The key is stored in the system keyring; if
there is none, in a file next to the configuration that only you can read.

With --operations the key is one of the operations API, and no key of an account is needed. The app then starts in Inspect,
with all accounts.

With --profile and no ADDRESS, replaces the key of that profile. With --check, checks the profile's key and stores
nothing.`,
		`# type the key when asked
flightdesk login desk.example

# the key from a password store
pass show desk | flightdesk login desk.example --name prod

# a key of the operations API, for support
flightdesk login desk.example --operations

# the permissions of the profile's key
flightdesk login --check

# replace an expired key
flightdesk login --profile prod`,
	)
	var f loginFlags
	addFlags(cmd, &f)
	f.environment = choiceFlag(cmd, "environment", "environment of the service", "live", "test", "demo")
	profileFlag(cmd)
	cmd.Flag("profile").Usage = "profile whose key is replaced; with --check, the profile to check"
	return defineCommand(cmd, func(c *Call) error {
		isNew := len(c.Args) > 0 || f.Name != ""
		switch {
		case f.Check && isNew:
			return wrongUsage("--check needs no ADDRESS; select a profile with --profile")
		case f.Check:
			return checkLogin(c)
		case c.Chosen != "" && isNew:
			return wrongUsage("--profile replaces the key of a profile; use --name to name a new one")
		case c.Chosen != "" && f.Operations:
			return wrongUsage("--operations adds a profile; it cannot be used with --profile")
		case c.Chosen != "":
			return replaceKey(c)
		}
		return loginAccount(c, f)
	})
}

// loginAccount adds a profile.
func loginAccount(c *Call, f loginFlags) error {
	known, err := config.Load(c.Env)
	if err != nil {
		return err
	}
	a := session.TypedAccount{Profile: config.Profile{Name: f.Name, Band: f.environment.String(), CAFile: f.CAFile}}
	switch {
	case len(c.Args) > 0:
		a.BaseURL = c.Args[0]
	case !isTerminal(c.Cmd.InOrStdin()):
		return wrongUsage("missing ADDRESS: name the service, e.g. %s", firstCall(c.Cmd.Example))
	default:
		if a.BaseURL, err = c.askLine("Address of the service: ", false); err != nil {
			return err
		}
	}
	first := a
	first.BaseURL = config.CandidateAddresses(a.BaseURL)[0]
	if u, err := url.Parse(first.BaseURL); err == nil && a.Name == "" {
		a.Name = u.Hostname()
	}
	first.Name = a.Name
	if _, free := known.Profile(a.Name); free == nil {
		return fmt.Errorf("a profile %q already exists; "+
			"use another name with --name, or replace its key with --profile %s", a.Name, a.Name)
	}
	if err := first.Validate(); err != nil {
		return err
	}
	if f.Operations {
		return loginOperations(c, a)
	}
	tried, err := tryKey(c, a)
	if err != nil {
		return err
	}
	notice, err := session.KeepAccount(c, c.Env, tried.TypedAccount)
	if err != nil {
		return err
	}
	printAdded(c, tried.Name, notice)
	return nil
}

// printAdded says that a profile was added, and where its key is.
func printAdded(c *Call, profile string, notice session.KeptNotice) {
	fmt.Fprintf(c.Out(), "\nProfile %s added. %s\n",
		profile, format.Clean(format.CapitalizeFirst(notice.Text)))
}

// loginOperations adds a profile with a key of the operations API.
func loginOperations(c *Call, a session.TypedAccount) error {
	key, err := c.askLine("Key of the operations API (not shown): ", true)
	if err == nil && key == "" {
		err = errors.New("no key entered; type it, or pass it on standard input")
	}
	if err != nil {
		return err
	}
	a.Key = key
	user, err := findOperations(c, &a)
	if err != nil {
		return err
	}
	printUser(c, user)
	notice, err := session.KeepOperations(c, c.Env, a)
	if err != nil {
		return err
	}
	printAdded(c, a.Name, notice)
	return nil
}

// findOperations finds the operations API at the address that was typed, sets its address and
// returns the user of the key.
func findOperations(c *Call, a *session.TypedAccount) (user *ops.CurrentUser, err error) {
	if a.CAFile != "" {
		a.CAFile = c.Env.FilePath(a.CAFile)
	}
	options, err := connectionOptions(config.Settings{Profile: a.Profile}, nil)
	if err != nil {
		return nil, err
	}
	for _, address := range config.CandidateAddresses(a.BaseURL) {
		a.OpsURL = config.OpsAddress(address)
		desk, faulty := ops.NewClient(a.OpsURL, a.Key, append(options, api.WithTimeout(10*time.Second))...)
		if faulty != nil {
			return nil, faulty
		}
		user, err = desk.Operators.Current(c)
		said := "answers"
		if err != nil {
			said, _ = format.ExplainError(err)
		}
		fmt.Fprintf(c.Out(), "%s  %s\n", format.Clean(a.OpsURL), format.Clean(said))
		if err == nil || c.Err() != nil || api.IsStatus(err, http.StatusUnauthorized) {
			break
		}
	}
	a.BaseURL = ""
	return user, err
}

// replaceKey stores another key for a profile.
func replaceKey(c *Call) error {
	old, err := c.Resolve(c.Chosen, false)
	if err != nil {
		return err
	}
	configured, _ := old.Config.Profile(c.Chosen)
	if err := configured.CanReplaceKey(); err != nil {
		return err
	}
	tried, err := tryKey(c, session.TypedAccount{Profile: configured, Edited: old.Name})
	if err != nil {
		return err
	}
	if err := c.Env.Replace(configured, config.NewSecret(tried.Key)); err != nil {
		return err
	}
	where := cmp.Or(configured.Credential.File, "the keyring")
	fmt.Fprintf(c.Out(), "\nKey of profile %s replaced in %s.\n", old.Name, format.Clean(where))
	return nil
}

// tryKey gets a key and shows where the service is and what the key allows there.
func tryKey(c *Call, a session.TypedAccount) (tried session.TriedAccount, err error) {
	a.Key, err = c.askLine("API key (not shown): ", true)
	if err == nil && a.Key == "" {
		err = errors.New("no key entered; type it, or pass it on standard input")
	}
	if err != nil {
		return tried, err
	}
	tried, err = c.tryAccount(c, a)
	for _, address := range tried.Addresses {
		said := "answers"
		if address.Err != nil {
			said, _ = format.ExplainError(address.Err)
		}
		fmt.Fprintf(c.Out(), "%s  %s\n", format.Clean(address.URL), format.Clean(said))
	}
	if err == nil {
		showGrants(c, tried.Grants)
	}
	return tried, err
}

func showGrants(c *Call, grants []api.ScopeGrant) {
	fmt.Fprint(c.Out(), "\nKey accepted. Permissions:\n")
	for _, g := range grants {
		fmt.Fprintf(c.Out(), "  %-13s%-16s%s\n", g.Grant, g.Scope, format.Word(g.Scope).Description)
	}
}

// checkLogin shows what the key of a profile allows.
func checkLogin(c *Call) error {
	known, err := c.Resolve(c.Chosen, false)
	if err == nil && !known.HasKey() && known.HasOpsKey() {
		return checkOperations(c)
	}
	s, err := c.Connect()
	if err != nil {
		return err
	}
	grants, err := s.Client.Scopes(c)
	if err == nil && !(session.Permissions{Grants: grants}).IsKnown() {
		err = grants[0].Err
	}
	if err != nil {
		return inName("profile "+s.Name, err)
	}
	fmt.Fprintf(c.Out(), "Profile %s, %s\n", format.Clean(s.Name), format.Clean(s.Client.BaseURL()))
	showGrants(c, grants)
	return nil
}

// checkOperations shows whose key of the operations API a profile has.
func checkOperations(c *Call) error {
	s, err := c.NeedOps()
	if err != nil {
		return err
	}
	user, err := s.Ops.Operators.Current(c)
	if err != nil {
		return inName("profile "+s.Name, err)
	}
	fmt.Fprintf(c.Out(), "Profile %s, %s\n", format.Clean(s.Name), format.Clean(s.OpsURL))
	printUser(c, user)
	return nil
}

// printUser says whose key of the operations API was accepted.
func printUser(c *Call, user *ops.CurrentUser) {
	fmt.Fprintf(c.Out(), "\nKey accepted: %s, role %s.\n", format.Clean(user.Name), user.Role)
}

// logoutCommand removes a profile and its key.
func logoutCommand() *cobra.Command {
	cmd := newCommand(
		"logout PROFILE",
		"Remove a profile and its stored key",
		`Removes a profile from the configuration, and its key from the keyring or the file that login stored it in. A
key from a variable, a command or another file is kept. The key itself stays valid; only the service can revoke it.`,
		"# remove a profile\nflightdesk logout prod",
	)
	return defineCommand(cmd, func(c *Call) error {
		forgot, err := c.Env.Forget(c, c.Args[0])
		if err != nil {
			return err
		}
		key := "no key was stored for it."
		if forgot {
			key = "its stored key is deleted."
		}
		return c.PrintAnswer(nil, fmt.Sprintf("Profile %s removed; %s", c.Args[0], key))
	})
}

// profilesCommand lists the profiles.
func profilesCommand() *cobra.Command {
	cmd := newCommand(
		"profiles",
		"List and edit profiles",
		"Lists the profiles of the configuration, starting with the default. Sends no requests and reads no keys. flightdesk login adds a profile, flightdesk logout removes one.",
		"# all profiles\nflightdesk profiles",
	)
	cmd.AddCommand(renameProfile(), editProfile())
	cmd.Args = subcommandOnly
	return definePrinting(cmd, func(c *Call) error {
		shown, err := c.loadShownConfig("")
		if err != nil {
			return err
		}
		return printList(c, "profile", profileColumns(), "", listRows(shown.Profiles))
	})
}

func profileColumns() []columns.Column[*shownProfile] {
	return columns.MakeColumns("profiles", columns.Values[*shownProfile]{
		"chosen": func(s *shownProfile) columns.Cell {
			return columns.TextCell(map[bool]string{true: "yes"}[s.Chosen])
		},
		"baseUrl": func(s *shownProfile) columns.Cell {
			return columns.TextCell(cmp.Or(s.BaseURL, s.OpsURL))
		},
		"credential": func(s *shownProfile) columns.Cell {
			source := s.Credential
			if source.IsZero() {
				source = s.OpsCredential
			}
			return columns.TextCell(describeSource(source))
		},
		"readOnly": func(s *shownProfile) columns.Cell {
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
