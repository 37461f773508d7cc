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
	return Command{
		Words: words["new-account"],
		Fields: append([]Field{
			argument(
				"companyName",
				&in.CompanyName,
				"Company",
				"company placing the order",
				"enter the company",
				"COMPANY",
			),
		}, accountFields(&in.ClientName, &in.ClientEmail, &in.Currency)...),
		Run: tellRequest(func(t Target) (*ops.Account, error) {
			in.Currency = strings.ToUpper(in.Currency)
			return t.Accounts.Create(t, *in)
		}, func(a *ops.Account) string { return "account created: " + a.CompanyName }, accountFacts),
	}
}

// ChangeAccount changes what is set of an account.
func ChangeAccount(in *ops.AccountChange) Command {
	return Command{
		Words:  words["change-account"],
		Fields: accountFields(&in.ClientName, &in.ClientEmail, &in.Currency),
		Run: tellRequest(func(t Target) (*ops.Account, error) {
			if in.Currency != nil {
				in.Currency = new(strings.ToUpper(*in.Currency))
			}
			return t.Accounts.Change(t, t.ID, *in)
		}, func(a *ops.Account) string { return "account saved: " + a.CompanyName }, accountFacts),
	}
}

func accountFields(client, email, currency any) []Field {
	return []Field{
		option("clientName", client, "Contact", "name of the contact", "contact-name"),
		option("clientEmail", email, "E-mail", "address for e-mail notifications", "email"),
		option(
			"currency",
			currency,
			"Currency",
			"currency of new quotes, an ISO 4217 code",
			"currency",
		),
	}
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
	return Command{
		Words: words["issue-key"],
		Fields: []Field{
			scopesField(&in.Scopes),
			option(
				"description",
				&in.Description,
				"For",
				"what the key is used for",
				"description",
			),
			{
				Name:   "expiresAt",
				Value:  &in.ExpiresAt,
				Label:  "Expires",
				Help:   "expiry, e.g. 90d or 2026-12-31; never if omitted",
				DayEnd: true,
				Ahead:  true,
				Flag:   "expires",
			},
		},
		Run: tellRequest(
			func(t Target) (*ops.AccountKey, error) { return t.Keys.Issue(t, t.ID, *in) },
			func(k *ops.AccountKey) string { return "key ending in " + k.Hint + " issued" },
			keyFacts,
		),
	}
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

func scopesField(to *[]api.Scope) Field {
	known := append([]format.Option{{Value: allScopes}}, format.WordOptions(api.Scopes())...)
	return choice(
		"scopes",
		to,
		"Scopes",
		"permissions of the key",
		"select at least one scope",
		known,
	)
}

// RevokeKey ends an API key at once.
func RevokeKey() Command {
	return Command{
		Words: words["revoke-key"],
		Run: tellRequest(
			func(t Target) (*ops.AccountKey, error) { return t.Keys.Revoke(t, t.ID) },
			func(k *ops.AccountKey) string { return "key ending in " + k.Hint + " revoked" },
		),
	}
}

// RequestKey asks for a key, as an account's client does in the dashboard.
func RequestKey(in *ops.KeyRequestInput) Command {
	return Command{
		Words: words["simulate-request"],
		Fields: []Field{
			argument(
				"intendedUse",
				&in.IntendedUse,
				"For",
				"intended use, as the client states it",
				"enter the intended use",
				"USE",
			),
			scopesField(&in.Scopes),
		},
		Run: tellRequest(
			func(t Target) (*ops.KeyRequest, error) { return t.Keys.Request(t, t.ID, *in) },
			requestDone,
		),
	}
}

func requestDone(k *ops.KeyRequest) string {
	return "key request " + inText(k.Status) + ": " + k.IntendedUse
}

// ApproveRequest makes the key that is asked for.
func ApproveRequest() Command {
	return Command{
		Words: words["approve-request"],
		Run: tellRequest(
			func(t Target) (*ops.AccountKey, error) { return t.Keys.Approve(t, t.ID) },
			func(k *ops.AccountKey) string { return "request approved: key ending in " + k.Hint },
			keyFacts,
		),
	}
}

// DeclineRequest declines a request for a key, with a reason.
func DeclineRequest(why *string) Command {
	return Command{
		Words:  words["decline-request"],
		Fields: []Field{reasonField(why)},
		Run: tellRequest(
			func(t Target) (*ops.KeyRequest, error) { return t.Keys.Decline(t, t.ID, *why) },
			requestDone,
		),
	}
}

func reasonField(to *string) Field {
	f := argument("reason", to, "Reason", "shown to the client", "enter a reason", "REASON")
	f.Long = true
	return f
}

// AddOperator makes an operator with a key of the operations API.
func AddOperator(in *ops.OperatorInput) Command {
	return Command{
		Words: words["add"],
		Fields: []Field{
			argument(
				"name",
				&in.Name,
				"Name",
				"name of the person or the program",
				"enter a name",
				"NAME",
			),
			choice(
				"role",
				(*string)(&in.Role),
				"Role",
				"what the key can be used for",
				"select a role",
				format.WordOptions(ops.Roles()),
			),
		},
		Run: tellRequest(
			func(t Target) (*ops.Operator, error) { return t.Operators.Add(t, *in) },
			func(o *ops.Operator) string { return "key of " + o.Name + " added" },
			operatorFacts,
		),
	}
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
	return Command{
		Words: words["rotate"],
		Fields: []Field{
			option(
				"overlap",
				&in.Overlap,
				"Overlap",
				"time in which the old key still works, e.g. 24h",
				"overlap",
			),
		},
		Run: tellRequest(
			func(t Target) (*ops.Operator, error) { return t.Operators.Rotate(t, t.ID, *in) },
			func(o *ops.Operator) string { return "key of " + o.Name + " replaced" },
			operatorFacts,
		),
	}
}

// RevokeOperator ends an operator's keys at once.
func RevokeOperator() Command {
	return Command{
		Words: words["revoke"],
		Run: tellRequest(
			func(t Target) (*ops.Operator, error) { return t.Operators.Revoke(t, t.ID) },
			func(o *ops.Operator) string { return "key of " + o.Name + " revoked" },
		),
	}
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
