package cli

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/config"
	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
)

type loginFlags struct {
	Name        string `flag:"name,name of the new profile; the host of its address if omitted"`
	CAFile      string `flag:"ca-file,file with the certificate of a private authority (PEM)"`
	Operations  bool   `flag:"operations,store a key of the operations API instead of an account's key"`
	Check       bool   `flag:"check,check the key of a profile; store nothing"`
	environment *choice[string]
}

// loginCommand returns the command that adds a profile and stores its key.
func loginCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "login [ADDRESS]",
		Short: "Add a profile and store its key",
		Long: `Finds the service at ADDRESS, checks the API key and adds a profile. A host is enough: the usual paths of the
public API and the v2 API are tried with https; if ADDRESS is this machine, also with http.

Prompts for the key without showing it, or reads it from standard input. The key is stored in the system keyring; if
there is none, in a file next to the configuration that only you can read.

With --operations the key is one of the operations API, and no key of an account is needed. The app then starts in Inspect,
with all accounts.

With --profile and no ADDRESS, replaces the key of that profile. With --check, checks the profile's key and stores
nothing.`,
		Example: `# type the key when asked
flightdesk login desk.example

# the key from a password store
pass show desk | flightdesk login desk.example --name prod

# a key of the operations API, for support
flightdesk login desk.example --operations

# the permissions of the profile's key
flightdesk login --check

# replace an expired key
flightdesk login --profile prod`,
	}
	var f loginFlags
	addFlags(cmd, &f)
	f.environment = choiceFlag(cmd, "environment", "environment of the service", "live", "test", "demo")
	profileFlag(cmd)
	cmd.Flag("profile").Usage = "profile whose key is replaced; with --check, the profile to check"
	return defineCommand(cmd, func(c *Call) error { return logIn(c, f) })
}

// logIn adds a profile. With the flag --profile it replaces the key of a profile instead, and with the flag
// --check it checks a key.
func logIn(c *Call, f loginFlags) error {
	isNew := len(c.Args) > 0 || f.Name != ""
	if f.Check {
		if isNew {
			return wrongUsage("--check needs no ADDRESS; select a profile with --profile")
		}
		return checkLogin(c)
	}
	if c.ProfileFlag == "" {
		return addProfile(c, f)
	}
	if isNew {
		return wrongUsage("--profile replaces the key of a profile; use --name to name a new one")
	}
	if f.Operations {
		return wrongUsage("--operations adds a profile; it cannot be used with --profile")
	}
	return replaceKey(c)
}

// addProfile adds a profile with the address of a service and a key. The address is in the arguments or typed by
// the user. The user always types the key.
func addProfile(c *Call, f loginFlags) error {
	known, err := config.Load(c.program.Env)
	if err != nil {
		return err
	}
	address, err := serviceAddress(c)
	if err != nil {
		return err
	}
	profile, err := newProfile(known, address, f) // checked before the user types the key
	if err != nil {
		return err
	}
	account := session.TypedAccount{Profile: profile}
	account.BaseURL = address // as typed: if it is only a host, several URLs are tried
	if f.Operations {
		return addOperationsProfile(c, account)
	}
	tried, err := tryKey(c, account)
	if err != nil {
		return err
	}
	notice, err := session.SaveAccount(c, c.program.Env, tried.TypedAccount)
	if err != nil {
		return err
	}
	printAdded(c, tried.Name, notice)
	return nil
}

// newProfile returns a profile with the values of the flags, to be checked before the user types a key. If the
// address is only a host and can mean several URLs, the profile gets the most likely one. newProfile returns an error
// if a value is invalid, or if the known configuration already has a profile with the same name.
func newProfile(known *config.Config, address string, f loginFlags) (config.Profile, error) {
	firstURL := config.CandidateAddresses(address)[0]
	profile := config.Profile{
		Name:    cmp.Or(f.Name, hostOf(firstURL)),
		BaseURL: firstURL,
		Band:    f.environment.String(),
		CAFile:  f.CAFile,
	}
	if slices.Contains(profileNames(known), profile.Name) {
		return profile, fmt.Errorf("a profile %q already exists; "+
			"use another name with --name, or replace its key with --profile %s", profile.Name, profile.Name)
	}
	return profile, profile.Validate()
}

// hostOf returns the host name of an address, or "" if the address is invalid.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// serviceAddress returns the address in the arguments, or an address that the user types. It fails if
// there is no address and standard input is not a terminal.
func serviceAddress(c *Call) (string, error) {
	if len(c.Args) > 0 {
		return c.Args[0], nil
	}
	if !isTerminal(c.Cmd.InOrStdin()) {
		return "", wrongUsage("missing ADDRESS: name the service, e.g. %s", firstCall(c.Cmd.Example))
	}
	return c.readLine("Address of the service: ", false)
}

// printAdded prints that a profile was added, with the notice about where its key is stored.
func printAdded(c *Call, profile string, notice session.SaveNotice) {
	fmt.Fprintf(c.Out(), "\nProfile %s added. %s\n",
		profile, format.Clean(format.CapitalizeFirst(notice.Text)))
}

// readKey reads a key that the user types, without showing it, or a line from standard input.
func readKey(c *Call, question string) (string, error) {
	key, err := c.readLine(question, true)
	if err != nil {
		return "", err
	}
	if key == "" {
		return "", errors.New("no key entered; type it, or pass it on standard input")
	}
	return key, nil
}

// addOperationsProfile adds a profile with a key of the operations API.
func addOperationsProfile(c *Call, account session.TypedAccount) error {
	key, err := readKey(c, "Key of the operations API (not shown): ")
	if err != nil {
		return err
	}
	account.Key = key
	if account.CAFile != "" {
		account.CAFile = c.program.Env.FilePath(account.CAFile)
	}
	opsURL, user, err := findOperations(c, account)
	if err != nil {
		return err
	}
	printUser(c, user)
	account.BaseURL = ""
	account.OpsURL = opsURL
	notice, err := session.SaveOperations(c, c.program.Env, account)
	if err != nil {
		return err
	}
	printAdded(c, account.Name, notice)
	return nil
}

// findOperations tries the usual addresses of the operations API on the host of account.BaseURL, and prints the
// result of each attempt. It returns the first address that accepts the key, and the user to whom the key belongs. It
// stops if an address rejects the key. If no address accepts the key, it returns the error of the last attempt.
func findOperations(c *Call, account session.TypedAccount) (string, *ops.CurrentUser, error) {
	options, err := connectionOptions(config.Settings{Profile: account.Profile}, nil)
	if err != nil {
		return "", nil, err
	}
	options = append(options, api.WithTimeout(tryTimeout))
	var lastErr error
	for _, address := range config.CandidateAddresses(account.BaseURL) {
		opsURL := config.OpsAddress(address)
		client, err := ops.NewClient(opsURL, account.Key, options...)
		if err != nil {
			return "", nil, err
		}
		user, err := client.Operators.Current(c)
		printAttempt(c, opsURL, err)
		if err == nil {
			return opsURL, user, nil
		}
		lastErr = err
		if c.Err() != nil || api.IsKeyRejected(err) {
			break
		}
	}
	return "", nil, lastErr
}

// printAttempt prints whether the service at an address responded, or its error.
func printAttempt(c *Call, address string, err error) {
	result := "answers"
	if err != nil {
		result, _ = format.ExplainError(err)
	}
	fmt.Fprintf(c.Out(), "%s  %s\n", format.Clean(address), format.Clean(result))
}

// replaceKey stores a new key for the profile of --profile. The user types the key.
func replaceKey(c *Call) error {
	old, err := c.program.Resolve(c.ProfileFlag, false)
	if err != nil {
		return err
	}
	configured, _ := old.Config.Profile(c.ProfileFlag)
	if err := configured.CanReplaceKey(); err != nil {
		return err
	}
	tried, err := tryKey(c, session.TypedAccount{Profile: configured, Edited: old.Name})
	if err != nil {
		return err
	}
	if err := c.program.Env.Replace(configured, config.NewSecret(tried.Key)); err != nil {
		return err
	}
	store := cmp.Or(configured.Credential.File, "the keyring")
	fmt.Fprintf(c.Out(), "\nKey of profile %s replaced in %s.\n", old.Name, format.Clean(store))
	return nil
}

// tryKey reads a key that the user types and tries it at the addresses of the account's service. It prints
// the result of each address and the permissions of the key.
func tryKey(c *Call, account session.TypedAccount) (session.TriedAccount, error) {
	key, err := readKey(c, "API key (not shown): ")
	if err != nil {
		return session.TriedAccount{}, err
	}
	account.Key = key
	tried, err := c.program.tryAccount(c, account)
	for _, address := range tried.Addresses {
		printAttempt(c, address.URL, address.Err)
	}
	if err != nil {
		return tried, err
	}
	printGrants(c, tried.Grants)
	return tried, nil
}

func printGrants(c *Call, grants []api.ScopeGrant) {
	fmt.Fprint(c.Out(), "\nKey accepted. Permissions:\n")
	for _, g := range grants {
		fmt.Fprintf(c.Out(), "  %-13s%-16s%s\n", g.Grant, g.Scope, format.Word(g.Scope).Description)
	}
}

// checkLogin prints the permissions of a profile's key.
func checkLogin(c *Call) error {
	configured, err := c.program.Resolve(c.ProfileFlag, false)
	if err == nil && hasOnlyOpsKey(configured.Settings) {
		return checkOperations(c)
	}
	service, err := c.Connect()
	if err != nil {
		return err
	}
	name := "profile " + service.Name
	grants, err := service.Client.Scopes(c)
	if err != nil {
		return prefixError(name, err)
	}
	permissions := session.Permissions{Grants: grants}
	if !permissions.IsKnown() {
		return prefixError(name, grants[0].Err)
	}
	fmt.Fprintf(c.Out(), "Profile %s, %s\n",
		format.Clean(service.Name), format.Clean(service.Client.BaseURL()))
	printGrants(c, grants)
	return nil
}

// checkOperations checks the profile's key of the operations API, and prints to which user it belongs.
func checkOperations(c *Call) error {
	s, err := c.RequireOps()
	if err != nil {
		return err
	}
	user, err := s.Ops.Operators.Current(c)
	if err != nil {
		return prefixError("profile "+s.Name, err)
	}
	fmt.Fprintf(c.Out(), "Profile %s, %s\n", format.Clean(s.Name), format.Clean(s.OpsURL))
	printUser(c, user)
	return nil
}

// printUser prints the user to whom an accepted key of the operations API belongs.
func printUser(c *Call, user *ops.CurrentUser) {
	fmt.Fprintf(c.Out(), "\nKey accepted: %s, role %s.\n", format.Clean(user.Name), user.Role)
}

// logoutCommand returns the command that removes a profile and its stored key.
func logoutCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "logout PROFILE",
		Short: "Remove a profile and its stored key",
		Long: `Removes a profile from the configuration, and its key from the keyring or the file that login stored it in. A
key from a variable, a command or another file is kept. The key itself stays valid; only the service can revoke it.`,
		Example: `# remove a profile
flightdesk logout prod`,
	}
	return defineCommand(cmd, logOut)
}

// logOut removes the profile in the arguments with its stored key.
func logOut(c *Call) error {
	name := c.Args[0]
	hadKey, err := c.program.Env.Forget(c, name)
	if err != nil {
		return err
	}
	result := "no stored key was deleted."
	if hadKey {
		result = "its stored key is deleted."
	}
	return c.PrintResult(nil, fmt.Sprintf("Profile %s removed; %s", name, result))
}
