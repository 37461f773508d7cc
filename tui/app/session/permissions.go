package session

import (
	"slices"

	"flightdesk/api"
)

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
func (p Permissions) RefusalOf(scope api.Scope) string { return RefusalText(scope, p.GrantOf(scope)) }

// RefusalText says why what takes a scope cannot be done with a grant, "" where
// nothing is known against it.
func RefusalText(scope api.Scope, grant api.ScopeState) string {
	if grant != api.NotGranted {
		return ""
	}
	return "the key lacks " + string(scope) + "; use a key with it, or another profile"
}

// OrderRights say in short what the key allows with orders, which is what most of the
// app is about; "" where that is not known.
func (p Permissions) OrderRights() string {
	switch [2]api.ScopeState{p.GrantOf(api.ScopeOrdersRead), p.GrantOf(api.ScopeOrdersWrite)} {
	case [2]api.ScopeState{api.Granted, api.Granted}:
		return "read+write"
	case [2]api.ScopeState{api.Granted, api.NotGranted}:
		return "orders read-only"
	case [2]api.ScopeState{api.NotGranted, api.Granted}:
		return "orders write-only"
	case [2]api.ScopeState{api.NotGranted, api.NotGranted}:
		return "no access to orders"
	default:
		return ""
	}
}
