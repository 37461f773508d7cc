package commands

import (
	"context"
	"fmt"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
)

// CreateAccount makes an account.
func CreateAccount(in *ops.AccountInput) Command {
	return command("new-account", tellRequest(func(t Target) (*ops.Account, error) {
		in.Currency = strings.ToUpper(in.Currency)
		return t.Accounts.Create(t, *in)
	}, func(a *ops.Account) string { return "account created: " + a.CompanyName }, accountFacts),
		&in.CompanyName, &in.ClientName, &in.ClientEmail, &in.Currency)
}

// ChangeAccount changes what is set of an account.
func ChangeAccount(in *ops.AccountChange) Command {
	return command("change-account", tellRequest(func(t Target) (*ops.Account, error) {
		if in.Currency != nil {
			in.Currency = new(strings.ToUpper(*in.Currency))
		}
		return t.Accounts.Change(t, t.ID, *in)
	}, func(a *ops.Account) string { return "account saved: " + a.CompanyName }, accountFacts),
		&in.ClientName, &in.ClientEmail, &in.Currency)
}

func accountFacts(a *ops.Account) [][2]string {
	shown := columns.PickColumns(
		columns.Accounts(),
		"uuid",
		"companyName",
		"clientName",
		"clientEmail",
		"currency",
	)
	return columns.RowFacts(shown, a, time.Time{})
}

// IssueKey makes an API key for an account.
func IssueKey(in *ops.KeyInput) Command {
	c := command("issue-key", tellRequest(
		func(t Target) (*ops.AccountKey, error) { return t.Keys.Issue(t, t.ID, *in) },
		func(k *ops.AccountKey) string { return "key ending in " + k.Hint + " issued" },
		keyFacts,
	), &in.Scopes, &in.Description, &in.ExpiresAt)
	c.field("scopes").Known = scopeOptions()
	return c
}

func keyFacts(k *ops.AccountKey) [][2]string {
	return [][2]string{
		{"Key", k.Key},
		{"Scopes", columns.ScopeText(k.Scopes)},
		{"For", k.Description},
		{"Expires", columns.FormatMoment(k.ExpiresAt)},
		{"To revoke it", "flightdesk ops revoke-key " + k.UUID},
	}
}

func scopeOptions() []format.Option {
	return append([]format.Option{{Value: allScopes}}, format.WordOptions(api.Scopes())...)
}

// RevokeKey ends an API key at once.
func RevokeKey() Command {
	return command("revoke-key", tellRequest(
		func(t Target) (*ops.AccountKey, error) { return t.Keys.Revoke(t, t.ID) },
		func(k *ops.AccountKey) string { return "key ending in " + k.Hint + " revoked" },
	))
}

// RequestKey asks for a key, as an account's client does in the dashboard.
func RequestKey(in *ops.KeyRequestInput) Command {
	c := command("simulate-request", tellRequest(
		func(t Target) (*ops.KeyRequest, error) { return t.Keys.Request(t, t.ID, *in) },
		requestDone,
	), &in.IntendedUse, &in.Scopes)
	c.field("scopes").Known = scopeOptions()
	return c
}

func requestDone(k *ops.KeyRequest) string {
	return "key request " + inText(k.Status) + ": " + k.IntendedUse
}

// ApproveRequest makes the key that is asked for.
func ApproveRequest() Command {
	return command("approve-request", tellRequest(
		func(t Target) (*ops.AccountKey, error) { return t.Keys.Approve(t, t.ID) },
		func(k *ops.AccountKey) string { return "request approved: key ending in " + k.Hint },
		keyFacts,
	))
}

// DeclineRequest declines a request for a key, with a reason.
func DeclineRequest(why *string) Command {
	return command("decline-request", tellRequest(
		func(t Target) (*ops.KeyRequest, error) { return t.Keys.Decline(t, t.ID, *why) },
		requestDone,
	), why)
}

// AddOperator makes an operator with a key of the operations API.
func AddOperator(in *ops.OperatorInput) Command {
	c := command("add", tellRequest(
		func(t Target) (*ops.Operator, error) { return t.Operators.Add(t, *in) },
		func(o *ops.Operator) string { return "key of " + o.Name + " added" },
		operatorFacts,
	), &in.Name, (*string)(&in.Role))
	c.field("role").Known = format.WordOptions(ops.Roles())
	return c
}

func operatorFacts(o *ops.Operator) [][2]string {
	return [][2]string{
		{"Key", o.Key},
		{"Name", o.Name},
		{"Role", string(o.Role)},
		{"Old key until", columns.FormatMoment(o.OldKeyUntil)},
		{"To revoke it", "flightdesk ops users revoke " + o.UUID},
	}
}

// RotateOperator replaces an operator's key.
func RotateOperator(in *ops.RotationInput) Command {
	return command("rotate", tellRequest(
		func(t Target) (*ops.Operator, error) { return t.Operators.Rotate(t, t.ID, *in) },
		func(o *ops.Operator) string { return "key of " + o.Name + " replaced" },
		operatorFacts,
	), &in.Overlap)
}

// RevokeOperator ends an operator's keys at once.
func RevokeOperator() Command {
	return command("revoke", tellRequest(
		func(t Target) (*ops.Operator, error) { return t.Operators.Revoke(t, t.ID) },
		func(o *ops.Operator) string { return "key of " + o.Name + " revoked" },
	))
}

// FindOperator finds an operator by the id, or by the name, of which only one is not
// revoked.
func FindOperator(ctx context.Context, desk *ops.Client, name string) (*ops.Operator, error) {
	for o, err := range desk.Operators.All(ctx) {
		if err != nil {
			return nil, err
		}
		if o.UUID == name || o.Name == name && o.RevokedAt.IsZero() {
			return o, nil
		}
	}
	return nil, fmt.Errorf("no operations user %q; flightdesk ops users lists them", name)
}
