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

// FieldFault is what is wrong with a value that was typed.
type FieldFault = config.Fault

// TypedAccount is what is typed: where the service is, and the key.
type TypedAccount struct {
	config.Profile
	Edited string // name of the profile that is edited, "" for a new one
	Key    string
}

// TriedAccount is what came of trying an account.
type TriedAccount struct {
	TypedAccount // with the addresses that have answered
	Grants       []api.ScopeGrant
	Addresses    []TriedAddress // all that were asked, in their order
}

// TriedAddress is one that was asked, and why it is not that of the service.
type TriedAddress struct {
	URL string
	Err error
}

// TryAccount finds the addresses of a service, for which a host is enough, and asks what
// the key may do there. The addresses that were asked are returned with an error, too.
func TryAccount(ctx context.Context, a TypedAccount, options ...api.Option) (TriedAccount, error) {
	t := TriedAccount{TypedAccount: a}
	t.OpsURL = config.OpsAddress(a.OpsURL)
	var last, untrusted error
	for _, address := range config.CandidateAddresses(a.BaseURL) {
		t.BaseURL = address
		if err := t.Validate(); err != nil {
			return t, cmp.Or(last, err)
		}
		client, err := api.NewClient(
			address,
			append(
				options,
				api.WithKey(a.Key),
				api.WithLegacyURL(cmp.Or(a.LegacyBaseURL, config.LegacyAddress(address))),
			)...)
		if err != nil {
			return t, config.Fault{Key: FieldKey, Problem: err.Error()}
		}
		t.Grants, last = client.Scopes(ctx)
		if last == nil && !(Permissions{Grants: t.Grants}).IsKnown() {
			last = t.Grants[0].Err // nothing at all was found out
		}
		t.Addresses = append(t.Addresses, TriedAddress{address, last})
		if api.IsCertificateError(last) {
			untrusted = last // the service is there; an attempt at another address says less
		}
		if last == nil {
			return t, t.findLegacy(ctx, client)
		}
		if ctx.Err() != nil || api.IsStatus(last, http.StatusUnauthorized) {
			return t, last // this is the service, and it rejects the key
		}
	}
	return t, cmp.Or(untrusted, last)
}

// findLegacy takes the usual address of the v2 API where it answers and none was
// typed.
func (t *TriedAccount) findLegacy(ctx context.Context, client *api.Client) error {
	if t.LegacyBaseURL != "" {
		return nil
	}
	_, err := client.Records.List(ctx, api.RecordListOptions{Limit: 1})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var refused *api.Error
	if errors.As(err, &refused) && !refused.Foreign && refused.Status == http.StatusForbidden {
		err = nil // it is there, though not for this key
	}
	address := config.LegacyAddress(t.BaseURL)
	t.Addresses = append(t.Addresses, TriedAddress{address, err})
	if err == nil {
		t.LegacyBaseURL = address
	}
	return nil
}

// KeepAccount writes an account into the configuration and its key into the keyring, and
// says where they are; or it changes the profile that is edited.
func KeepAccount(ctx context.Context, env config.Env, a TypedAccount) (KeptNotice, error) {
	if a.Edited != "" {
		return changeAccount(ctx, env, a)
	}
	kept, err := env.Keep(ctx, a.Profile, config.NewSecret(a.Key))
	return noticeOf(a.Name, kept, err)
}

// KeepOperations writes a profile with a key of the operations API, like [KeepAccount].
func KeepOperations(ctx context.Context, env config.Env, a TypedAccount) (KeptNotice, error) {
	kept, err := env.KeepOperations(ctx, a.Profile, config.NewSecret(a.Key))
	return noticeOf(a.Name, kept, err)
}

// noticeOf says where a profile and its key were stored.
func noticeOf(profile string, kept config.SavedProfile, err error) (KeptNotice, error) {
	if err != nil {
		return KeptNotice{}, err
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
	return KeptNotice{text, kept.KeyFile != ""}, nil
}

// CurrentAccount returns an account as a profile of the configuration has it, without its key.
func CurrentAccount(env config.Env, profile string) (TypedAccount, error) {
	c, err := config.Load(env)
	if err != nil {
		return TypedAccount{}, err
	}
	p, err := c.Profile(profile)
	switch {
	case !c.Found:
		err = config.ErrNoProfile
	case err != nil:
		err = fmt.Errorf("no profile %q in %s", profile, c.Path)
	}
	return TypedAccount{Profile: p, Edited: p.Name}, err
}

// changeAccount gives the profile of an account its name, its addresses and its
// environment, and another key unless that is "".
func changeAccount(ctx context.Context, env config.Env, a TypedAccount) (KeptNotice, error) {
	if err := env.Change(ctx, a.Edited, a.Profile, config.NewSecret(a.Key)); err != nil {
		return KeptNotice{}, err
	}
	path, err := env.Path()
	return KeptNotice{Text: fmt.Sprintf("profile %s saved in %s", a.Name, path)}, err
}

// The fields, as a [config.Fault] names them.
const (
	FieldName      = "name"
	FieldBaseURL   = "base_url"
	FieldLegacyURL = "legacy_base_url"
	FieldOpsURL    = "ops_url"
	FieldKey       = "key"
	FieldBand      = "band"
	FieldCAFile    = "ca_file"
)

// AccountSetup is how an account is connected with for the first time, or otherwise than
// before. All of it takes time and runs in the background.
type AccountSetup struct {
	// Try finds the service and asks what the key may do; without one, that of the
	// profile that is edited is meant. Nothing is kept or changed.
	Try func(ctx context.Context, a TypedAccount) (TriedAccount, error)
	// Keep writes the account into the configuration and says in a line where
	// its key is now, and whether somebody should look after it. The profile that is
	// edited gets another name and other values; "" leaves its key.
	Keep func(ctx context.Context, a TypedAccount) (notice KeptNotice, err error)
	// Current is the account of a profile, without its key.
	Current func(profile string) (TypedAccount, error)
	// Demo starts a service in this process.
	Demo func(ctx context.Context) error
}

// KeptNotice says where something was kept.
type KeptNotice struct {
	Text string
	Warn bool // it is not as safe as it could be
}

// Demo is the name of the profile of the demo.
const Demo = "demo"

// Permissions are what the key of a profile is known to allow. The zero value
// knows nothing; what is not known is neither promised nor refused.
type Permissions struct {
	Grants []api.ScopeGrant // of the scopes that were asked for
	Err    error            // why the last asking brought nothing; nil otherwise
}

// WithGrants returns what is known after some scopes were asked for; an asking that
// brought nothing leaves what was known before.
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

// IsKnown reports whether the service has answered for any scope.
func (p Permissions) IsKnown() bool {
	return slices.ContainsFunc(p.Grants, func(g api.ScopeGrant) bool { return g.Grant != api.NotKnown })
}

// GrantOf returns what is known of one scope.
func (p Permissions) GrantOf(scope api.Scope) api.ScopeState {
	for _, g := range p.Grants {
		if g.Scope == scope {
			return g.Grant
		}
	}
	return api.NotKnown
}

// RefusalOf says why what takes a scope cannot be done, "" where nothing is known
// against it.
func (p Permissions) RefusalOf(scope api.Scope) string {
	if p.GrantOf(scope) != api.NotGranted {
		return ""
	}
	return "the key lacks " + string(scope) + "; use a key with it, or another profile"
}

// OrderRights say in short what the key allows with orders, which is what most of the
// app is about; "" where that is not known.
func (p Permissions) OrderRights() string {
	return map[[2]api.ScopeState]string{
		{api.Granted, api.Granted}:       "read+write",
		{api.Granted, api.NotGranted}:    "orders read-only",
		{api.NotGranted, api.Granted}:    "orders write-only",
		{api.NotGranted, api.NotGranted}: "no access to orders",
	}[[2]api.ScopeState{p.GrantOf(api.ScopeOrdersRead), p.GrantOf(api.ScopeOrdersWrite)}]
}

// Visit is somebody who has the app of this process open from elsewhere.
type Visit struct {
	Number  int    // tells it from all others
	User    string // the name of the login
	Account string // that they work on
	Place   string // the title of the page that they see
	From    string // the address that they come from
	Since   api.Time
}

// Room is where others work with the app of this process.
type Room interface {
	// Visits lists who is there, in the order in which they came.
	Visits() []Visit
	// Tell records and shows a note to one of them; 0 is everybody.
	Tell(ctx context.Context, number int, text string) error
	// Play begins a scenario on each account of theirs, and returns on how many.
	Play(ctx context.Context, scenario string) (accounts int, err error)
	// Restart gives a user a new account and ends their sessions.
	Restart(ctx context.Context, user string) error
}
