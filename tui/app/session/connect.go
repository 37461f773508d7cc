package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"flightdesk/api"
	"flightdesk/config"
)

// FieldFault is an error in a value that the user typed.
type FieldFault = config.Fault

// TypedAccount is what the user has typed to connect an account: the addresses of the service, and the
// key.
type TypedAccount struct {
	config.Profile
	Edited string // name of the edited profile, or "" for a new one
	Key    string
}

// TriedAccount is the result of [TryAccount].
type TriedAccount struct {
	TypedAccount // with the addresses that responded
	Grants       []api.ScopeGrant
	Addresses    []TriedAddress // all tried addresses in order
}

// TriedAddress is an address that was tried. Err says why it is not the address of the service; it is nil
// if it is.
type TriedAddress struct {
	URL string
	Err error
}

// TryAccount finds the service and what the key allows. The user may type a host name without a path, such
// as "api.example.com". TryAccount then tries the usual paths until the service responds. The result has
// the tried addresses, even if TryAccount returns an error.
func TryAccount(ctx context.Context, a TypedAccount, options ...api.Option) (TriedAccount, error) {
	t := TriedAccount{TypedAccount: a}
	t.OpsURL = config.OpsAddress(a.OpsURL)
	var failures []error // of the tried addresses
	for _, address := range config.CandidateAddresses(a.BaseURL) {
		t.BaseURL = address
		if err := t.Validate(); err != nil {
			if len(failures) > 0 { // the error of the previous address says more about what the user typed
				return t, failures[len(failures)-1]
			}
			return t, err
		}
		legacy := cmp.Or(a.LegacyBaseURL, config.LegacyAddress(address))
		client, err := api.NewClient(address, append(options, api.WithKey(a.Key), api.WithLegacyURL(legacy))...)
		if err != nil {
			return t, config.Fault{Key: FieldKey, Problem: err.Error()}
		}
		err = t.readGrants(ctx, client)
		t.Addresses = append(t.Addresses, TriedAddress{address, err})
		if err == nil { // the service is at this address
			err = t.findLegacy(ctx, client)
			return t, err
		}
		isService := api.IsKeyRejected(err) // the other addresses cannot be the service
		if isService || ctx.Err() != nil {
			return t, err
		}
		failures = append(failures, err)
	}
	return t, mostUsefulError(failures)
}

// mostUsefulError returns the error that helps the user most: the last certificate error, because there is
// a service at that address, or otherwise the last error. It returns nil if there are no errors.
func mostUsefulError(failures []error) error {
	if len(failures) == 0 {
		return nil
	}
	for _, err := range slices.Backward(failures) {
		if api.IsCertificateError(err) {
			return err
		}
	}
	return failures[len(failures)-1]
}

// readGrants reads what the key allows. It returns an error if no scope is known.
func (t *TriedAccount) readGrants(ctx context.Context, client *api.Client) error {
	grants, err := client.Scopes(ctx)
	t.Grants = grants
	if err != nil {
		return err
	}
	permissions := Permissions{Grants: grants}
	if !permissions.IsKnown() {
		return grants[0].Err
	}
	return nil
}

// findLegacy sets the address of the v2 API to its usual address if the API responds there. It does
// nothing if the user typed an address.
func (t *TriedAccount) findLegacy(ctx context.Context, client *api.Client) error {
	if t.LegacyBaseURL != "" {
		return nil
	}
	_, err := client.Records.List(ctx, api.RecordListOptions{Limit: 1})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	response, ok := errors.AsType[*api.Error](err)
	isForbidden := ok && !response.Foreign && response.Status == http.StatusForbidden
	if isForbidden {
		err = nil // the API exists but rejects this key
	}
	address := config.LegacyAddress(t.BaseURL)
	t.Addresses = append(t.Addresses, TriedAddress{address, err})
	if err == nil {
		t.LegacyBaseURL = address
	}
	return nil
}

// SaveAccount saves an account in the configuration and its key in the keyring. If the user edited a profile,
// it changes that profile instead. The notice says where the account and the key are stored.
func SaveAccount(ctx context.Context, env config.Env, a TypedAccount) (SaveNotice, error) {
	if a.Edited != "" {
		return changeAccount(ctx, env, a)
	}
	kept, err := env.Keep(ctx, a.Profile, config.NewSecret(a.Key))
	return noticeOf(a.Name, kept, err)
}

// SaveOperations writes a profile with a key of the operations API, like [SaveAccount].
func SaveOperations(ctx context.Context, env config.Env, a TypedAccount) (SaveNotice, error) {
	kept, err := env.KeepOperations(ctx, a.Profile, config.NewSecret(a.Key))
	return noticeOf(a.Name, kept, err)
}

// noticeOf returns a notice that says where a profile and its key were stored. It returns err if that is
// not nil.
func noticeOf(profile string, kept config.SavedProfile, err error) (SaveNotice, error) {
	if err != nil {
		return SaveNotice{}, err
	}
	text := fmt.Sprintf("the key is in the keyring, the profile %s in %s", profile, kept.Path)
	if kept.KeyFile != "" {
		text = fmt.Sprintf(
			"Keyring unavailable (%s). The key is stored unencrypted in %s, readable only by you. "+
				"The profile is in %s; a credential there can name a command of a password store.",
			kept.Reason,
			kept.KeyFile,
			kept.Path,
		)
	}
	return SaveNotice{text, kept.KeyFile != ""}, nil
}

// CurrentAccount returns the account of a profile in the configuration, without its key.
func CurrentAccount(env config.Env, profile string) (TypedAccount, error) {
	c, err := config.Load(env)
	if err != nil {
		return TypedAccount{}, err
	}
	if !c.Found {
		return TypedAccount{}, config.ErrNoProfile
	}
	p, err := c.Profile(profile)
	if err != nil {
		return TypedAccount{}, fmt.Errorf("no profile %q in %s", profile, c.Path)
	}
	return TypedAccount{Profile: p, Edited: p.Name}, nil
}

// changeAccount changes the name, addresses and environment of a profile, and its key
// unless the key is "".
func changeAccount(ctx context.Context, env config.Env, a TypedAccount) (SaveNotice, error) {
	if err := env.Change(ctx, a.Edited, a.Profile, config.NewSecret(a.Key)); err != nil {
		return SaveNotice{}, err
	}
	path, err := env.Path()
	if err != nil {
		return SaveNotice{}, err
	}
	return SaveNotice{Text: fmt.Sprintf("profile %s saved in %s", a.Name, path)}, nil
}

// The field names in a [config.Fault].
const (
	FieldName      = "name"
	FieldBaseURL   = "base_url"
	FieldLegacyURL = "legacy_base_url"
	FieldOpsURL    = "ops_url"
	FieldKey       = "key"
	FieldBand      = "band"
	FieldCAFile    = "ca_file"
)

// AccountSetup has the functions for connecting an account or changing its connection. They take time and run
// in the background.
type AccountSetup struct {
	// Try finds the service and what the key allows. If the key is "", it uses the stored key of the
	// edited profile. It does not save anything.
	Try func(ctx context.Context, a TypedAccount) (TriedAccount, error)
	// Save saves the account in the configuration. The notice says where the key is stored. An
	// empty key leaves the key of the edited profile unchanged.
	Save func(ctx context.Context, a TypedAccount) (notice SaveNotice, err error)
	// Current returns the account of a profile, without its key.
	Current func(profile string) (TypedAccount, error)
	// Demo starts a demo service in this process, unless it is running already.
	Demo func(ctx context.Context) error
}

// SaveNotice tells the user where an account and its key were stored.
type SaveNotice struct {
	Text string
	Warn bool // the key is stored unencrypted, because there is no keyring
}

// Demo is the name of the profile of the demo.
const Demo = "demo"

// Permissions are the known permissions of a key. The zero value means that nothing is known. An unknown
// permission counts neither as granted nor as denied.
type Permissions struct {
	Grants []api.ScopeGrant // whether each known scope is granted
	Err    error            // why the permissions could not be checked the last time, or nil
}

// WithGrants returns the permissions updated with the result of checking some scopes. Other scopes stay
// unchanged. If err is not nil, no scope changes.
func (p Permissions) WithGrants(grants []api.ScopeGrant, err error) Permissions {
	if err != nil {
		return Permissions{p.Grants, err}
	}
	all := slices.Clone(grants)
	for _, known := range p.Grants {
		if !slices.ContainsFunc(grants, func(g api.ScopeGrant) bool { return g.Scope == known.Scope }) {
			all = append(all, known)
		}
	}
	return Permissions{Grants: all}
}

// IsKnown reports whether any scope is known.
func (p Permissions) IsKnown() bool {
	return slices.ContainsFunc(p.Grants, func(g api.ScopeGrant) bool { return g.Grant != api.NotKnown })
}

// GrantOf reports whether a scope is granted, denied or not known.
func (p Permissions) GrantOf(scope api.Scope) api.ScopeState {
	for _, g := range p.Grants {
		if g.Scope == scope {
			return g.Grant
		}
	}
	return api.NotKnown
}

// RefusalOf returns a sentence why an action that needs a scope is not permitted. It returns "" if the
// scope is granted or not known.
func (p Permissions) RefusalOf(scope api.Scope) string {
	if p.GrantOf(scope) != api.NotGranted {
		return ""
	}
	return "the key lacks " + string(scope) + "; use a key with it, or another profile"
}

// OrderRights summarizes the permissions for orders, for instance "orders read-only". It returns "" if
// they are not fully known.
func (p Permissions) OrderRights() string {
	reads := p.GrantOf(api.ScopeOrdersRead)
	writes := p.GrantOf(api.ScopeOrdersWrite)
	switch {
	case reads == api.Granted && writes == api.Granted:
		return "read+write"
	case reads == api.Granted && writes == api.NotGranted:
		return "orders read-only"
	case reads == api.NotGranted && writes == api.Granted:
		return "orders write-only"
	case reads == api.NotGranted && writes == api.NotGranted:
		return "no access to orders"
	}
	return ""
}

// Visit is another user of the app who is connected to this process, for instance over ssh.
type Visit struct {
	Number  int    // unique
	User    string // login name
	Account string // account that they work on
	Place   string // title of the page that they see
	From    string // their network address
	Since   api.Time
}

// Room manages the users of the app who share this process.
type Room interface {
	// Visits lists the users in the order of their arrival.
	Visits() []Visit
	// Tell records a message and sends it to the user with the given number, or to all users if number is 0.
	// It returns the number of users to whom it was sent.
	Tell(ctx context.Context, number int, text string) (reached int, err error)
	// Play starts a scenario on the account of every user and returns the number of accounts.
	Play(ctx context.Context, scenario string) (accounts int, err error)
	// Restart gives a user a new account and ends their sessions.
	Restart(ctx context.Context, user string) error
	// RestartRefusal returns why a user cannot get a new account, or "".
	RestartRefusal(user string) string
}
