package commands

import (
	"context"
	"fmt"
	"strings"

	"flightdesk/api/ops"
	"flightdesk/tui/format"
)

// CreateAccount makes an account.
func CreateAccount(in *ops.AccountInput) Command {
	return command("new-account", func(t Target) (any, error) {
		in.Currency = strings.ToUpper(in.Currency)
		return t.Accounts.Create(t, *in)
	}, &in.CompanyName, &in.ClientName, &in.ClientEmail, &in.Currency)
}

// ChangeAccount changes what is set of an account.
func ChangeAccount(in *ops.AccountChange) Command {
	return command("change-account", func(t Target) (any, error) {
		if in.Currency != nil {
			in.Currency = new(strings.ToUpper(*in.Currency))
		}
		return t.Accounts.Change(t, t.ID, *in)
	}, &in.ClientName, &in.ClientEmail, &in.Currency)
}

// IssueKey makes an API key for an account.
func IssueKey(in *ops.KeyInput) Command {
	return command("issue-key", func(t Target) (any, error) {
		return t.Keys.Issue(t, t.ID, *in)
	}, &in.Scopes, &in.Description, &in.ExpiresAt)
}

// RevokeKey ends an API key at once.
func RevokeKey() Command {
	return command("revoke-key", func(t Target) (any, error) { return t.Keys.Revoke(t, t.ID) })
}

// RequestKey asks for a key, as an account's client does in the dashboard.
func RequestKey(in *ops.KeyRequestInput) Command {
	return command("simulate-request", func(t Target) (any, error) {
		return t.Keys.Request(t, t.ID, *in)
	}, &in.IntendedUse, &in.Scopes)
}

// ApproveRequest makes the key that is asked for.
func ApproveRequest() Command {
	return command("approve-request", func(t Target) (any, error) { return t.Keys.Approve(t, t.ID) })
}

// DeclineRequest declines a request for a key, with a reason.
func DeclineRequest(why *string) Command {
	return command("decline-request", func(t Target) (any, error) { return t.Keys.Decline(t, t.ID, *why) }, why)
}

// AddOperator makes an operator with a key of the operations API.
func AddOperator(in *ops.OperatorInput) Command {
	c := command("add", func(t Target) (any, error) {
		return t.Operators.Add(t, *in)
	}, &in.Name, (*string)(&in.Role))
	c.field("role").Known = format.WordOptions(ops.Roles())
	return c
}

// RotateOperator replaces an operator's key.
func RotateOperator(in *ops.RotationInput) Command {
	return command("rotate", func(t Target) (any, error) {
		return t.Operators.Rotate(t, t.ID, *in)
	}, &in.Overlap)
}

// RevokeOperator ends an operator's keys at once.
func RevokeOperator() Command {
	return command("revoke", func(t Target) (any, error) { return t.Operators.Revoke(t, t.ID) })
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

// WithdrawInvitation withdraws the invitation of a user.
func WithdrawInvitation() Command {
	return command("withdraw", func(t Target) (any, error) { return t.Invitations.Withdraw(t, t.ID) })
}

// FindInvitation finds an invitation by its ID, or the one of a user that is not withdrawn.
func FindInvitation(ctx context.Context, desk *ops.Client, name string) (*ops.Invitation, error) {
	for i, err := range desk.Invitations.All(ctx) {
		if err != nil {
			return nil, err
		}
		if i.UUID == name || i.User == name && i.WithdrawnAt.IsZero() {
			return i, nil
		}
	}
	return nil, fmt.Errorf("%s: not invited; flightdesk ops invitations lists who is", name)
}
