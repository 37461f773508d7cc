package commands

import (
	"context"
	"fmt"
	"strings"

	"flightdesk/api/ops"
	"flightdesk/tui/format"
)

// CreateAccount returns the command that creates an account. The variable in has the values of the
// account; the command reads it when it is sent.
func CreateAccount(in *ops.AccountInput) Command {
	c := command("new-account", func(t Target) (any, error) {
		in.Currency = strings.ToUpper(in.Currency)
		return t.Accounts.Create(t, *in)
	}, values{
		"companyName": &in.CompanyName,
		"clientName":  &in.ClientName,
		"clientEmail": &in.ClientEmail,
		"currency":    &in.Currency,
	})
	c.Watch = accountList.watchForNew(func(_ Target, a *ops.Account) bool {
		return a.CompanyName == strings.TrimSpace(in.CompanyName)
	}, returnRecord)
	return c
}

// ChangeAccount returns the command that changes an account. Nil values of in are not changed.
func ChangeAccount(in *ops.AccountChange) Command {
	c := command("change-account", func(t Target) (any, error) {
		if in.Currency != nil {
			in.Currency = new(strings.ToUpper(*in.Currency))
		}
		return t.Accounts.Change(t, t.ID, *in)
	}, values{
		"clientName":  &in.ClientName,
		"clientEmail": &in.ClientEmail,
		"currency":    &in.Currency,
	})
	c.Watch = accountList.watchForChanged(func(a *ops.Account) bool {
		return isAsWanted(in.ClientName, a.ClientName) &&
			isAsWanted(in.ClientEmail, a.ClientEmail) &&
			isAsWanted(in.Currency, a.Currency)
	}, returnRecord)
	return c
}

// isAsWanted reports whether a value is the wanted value. If wanted is nil, any value is right.
func isAsWanted(wanted *string, value string) bool {
	return wanted == nil || strings.TrimSpace(*wanted) == value
}

// IssueKey returns the command that issues an API key for an account.
func IssueKey(in *ops.KeyInput) Command {
	c := command("issue-key", func(t Target) (any, error) {
		return t.Keys.Issue(t, t.ID, *in)
	}, values{
		"scopes":      &in.Scopes,
		"description": &in.Description,
		"expiresAt":   &in.ExpiresAt,
	})
	c.Watch = accountKeys.watchForNew(func(_ Target, k *ops.AccountKey) bool {
		return k.Description == strings.TrimSpace(in.Description) && len(k.Scopes) == len(in.Scopes)
	}, reportLostSecret(describeLostKey))
	return c
}

// describeLostKey returns the error text for a key that was issued but lost: the response that
// contains the key did not arrive.
func describeLostKey(k *ops.AccountKey) string {
	return "a key ending in " + k.Hint + " was issued, but the response with the key was lost; revoke " + k.UUID +
		" and issue another key"
}

// RevokeKey returns the command that revokes an API key at once.
func RevokeKey() Command {
	c := command("revoke-key", func(t Target) (any, error) { return t.Keys.Revoke(t, t.ID) }, nil)
	isRevoked := func(k *ops.AccountKey) bool { return !k.RevokedAt.IsZero() }
	c.Watch = allKeys.watchForChanged(isRevoked, returnRecord)
	c.Confirms = confirmedBy(isRevoked)
	return c
}

// RequestKey returns the command that requests an API key on behalf of an account's client, as the
// client can do in the dashboard.
func RequestKey(in *ops.KeyRequestInput) Command {
	c := command("simulate-request", func(t Target) (any, error) {
		return t.Keys.Request(t, t.ID, *in)
	}, values{"intendedUse": &in.IntendedUse, "scopes": &in.Scopes})
	c.Watch = keyRequests.watchForNew(func(t Target, r *ops.KeyRequest) bool {
		return r.AccountUID == t.ID && r.IntendedUse == strings.TrimSpace(in.IntendedUse)
	}, returnRecord)
	return c
}

// confirmedBy returns a function for Command.Confirms. It reports whether the response is a record of
// type T for which shows returns true.
func confirmedBy[T any](shows func(*T) bool) func(any) bool {
	return func(answer any) bool {
		record, isRecord := answer.(*T)
		return isRecord && shows(record)
	}
}

// ApproveRequest returns the command that approves a request for an API key. The service then issues the key.
func ApproveRequest() Command {
	c := command("approve-request", func(t Target) (any, error) { return t.Keys.Approve(t, t.ID) }, nil)
	isApproved := func(r *ops.KeyRequest) bool { return r.Status == ops.KeyRequestApproved }
	c.Watch = keyRequests.watchForChanged(isApproved, reportLostSecret(func(*ops.KeyRequest) string {
		return "the request is approved, but the response with the key was lost; " +
			"revoke that key and issue another one"
	}))
	return c
}

// DeclineRequest returns the command that declines a request for an API key. The variable why has the reason.
func DeclineRequest(why *string) Command {
	c := command("decline-request", func(t Target) (any, error) { return t.Keys.Decline(t, t.ID, *why) }, values{"reason": why})
	c.Watch = keyRequests.watchForChanged(
		func(r *ops.KeyRequest) bool { return r.Status == ops.KeyRequestDeclined },
		returnRecord,
	)
	c.Confirms = confirmedBy(func(r *ops.KeyRequest) bool {
		return r.Status != ops.KeyRequestPending && r.Status != ops.KeyRequestApproved
	})
	return c
}

// AddOperator returns the command that adds a user of the operations API. The response contains the user's key.
func AddOperator(in *ops.OperatorInput) Command {
	c := command("add", func(t Target) (any, error) {
		return t.Operators.Add(t, *in)
	}, values{"name": &in.Name, "role": (*string)(&in.Role)})
	c.Watch = operatorList.watchForNew(func(_ Target, o *ops.Operator) bool {
		return o.Name == in.Name && o.Role == in.Role
	}, reportLostSecret(func(o *ops.Operator) string {
		return o.Name + " was added, but the response with the key was lost; replace the key of " + o.Name
	}))
	c.field("role").Known = format.WordOptions(ops.Roles())
	return c
}

// RotateOperator returns the command that replaces the key of a user.
func RotateOperator(in *ops.RotationInput) Command {
	c := command("rotate", func(t Target) (any, error) {
		return t.Operators.Rotate(t, t.ID, *in)
	}, values{"overlap": &in.Overlap})
	c.Watch = watchRotation
	return c
}

// watchRotation looks for the effect of replacing a user's key (see watchFunc). If the user has
// another key, the change was made, but the response with the new key was lost.
func watchRotation(t Target) (findFunc, error) {
	before, err := FindOperator(t, t.Client, t.ID)
	if err != nil {
		return nil, err
	}
	return func(t Target) (any, error) {
		now, err := FindOperator(t, t.Client, t.ID)
		if err != nil {
			return nil, err
		}
		if now.Hint == before.Hint {
			return nil, nil
		}
		return nil, &LostSecretError{"the key of " + now.Name + " was replaced, " +
			"but the response with the new key was lost; replace the key again"}
	}, nil
}

// RevokeOperator returns the command that revokes the keys of a user at once.
func RevokeOperator() Command {
	c := command("revoke", func(t Target) (any, error) { return t.Operators.Revoke(t, t.ID) }, nil)
	isRevoked := func(o *ops.Operator) bool { return !o.RevokedAt.IsZero() }
	c.Watch = operatorList.watchForChanged(isRevoked, returnRecord)
	c.Confirms = confirmedBy(isRevoked)
	return c
}

// FindOperator finds a user of the operations API by ID, or by name unless the user is revoked.
func FindOperator(ctx context.Context, client *ops.Client, name string) (*ops.Operator, error) {
	for o, err := range client.Operators.All(ctx) {
		if err != nil {
			return nil, err
		}
		if o.UUID == name || o.Name == name && o.RevokedAt.IsZero() {
			return o, nil
		}
	}
	return nil, fmt.Errorf("no operations user %q; flightdesk ops users lists them", name)
}

// WithdrawInvitation returns the command that withdraws an invitation of a user.
func WithdrawInvitation() Command {
	c := command("withdraw", func(t Target) (any, error) { return t.Invitations.Withdraw(t, t.ID) }, nil)
	isWithdrawn := func(i *ops.Invitation) bool { return !i.WithdrawnAt.IsZero() }
	c.Watch = invitationList.watchForChanged(isWithdrawn, returnRecord)
	c.Confirms = confirmedBy(isWithdrawn)
	return c
}

// Invite invites users and returns their invitations. A user with a valid invitation gets no new one.
func Invite(t Target, users ...string) ([]ops.Invitation, error) {
	c := Command{
		Doing:    "inviting",
		Request:  func(t Target) (any, error) { return t.Invitations.Invite(t, users...) },
		Watch:    watchAfter(func(t Target) (any, error) { return findInvitations(t, users) }),
		Confirms: func(answer any) bool { return len(answer.([]ops.Invitation)) == len(users) },
	}
	answer, err := c.requestAnswer(t)
	if err != nil {
		return nil, err
	}
	return answer.([]ops.Invitation), nil
}

// findInvitations returns the valid invitations of users. It returns nil if one of the users has no
// valid invitation.
func findInvitations(t Target, users []string) (any, error) {
	byUser := map[string]ops.Invitation{}
	for i, err := range t.Invitations.All(t) {
		if err != nil {
			return nil, err
		}
		if i.WithdrawnAt.IsZero() {
			byUser[i.User] = *i
		}
	}
	var found []ops.Invitation
	for _, user := range users {
		invitation, isInvited := byUser[user]
		if !isInvited {
			return nil, nil
		}
		found = append(found, invitation)
	}
	return found, nil
}

// FindInvitation finds an invitation by its ID, or by the name of its user unless it is withdrawn.
func FindInvitation(ctx context.Context, client *ops.Client, name string) (*ops.Invitation, error) {
	for i, err := range client.Invitations.All(ctx) {
		if err != nil {
			return nil, err
		}
		if i.UUID == name || i.User == name && i.WithdrawnAt.IsZero() {
			return i, nil
		}
	}
	return nil, fmt.Errorf("%s: not invited; flightdesk ops invitations lists who is", name)
}
