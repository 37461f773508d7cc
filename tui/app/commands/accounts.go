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
		Verb:    "new-account",
		Alias:   "create-account",
		Doing:   "creating the account",
		Short:   "Create an account",
		Long:    "Creates an account without a key; issue one with flightdesk ops issue-key. The currency is USD unless you set another.",
		Example: "# an account that is quoted in euros\nflightdesk ops new-account \"Nordwind AG\" --contact-name \"Ada Holm\" --email ada@nordwind.example --currency EUR",
		Effects: "Then open the account and press n to issue its first key. Accounts cannot be deleted.",
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
		Verb: "change-account", Subject: "ACCOUNT", Title: "Edit account", Doing: "saving the account",
		Short:   "Change an account's contact or currency",
		Long:    "Changes only the fields you name. Existing quotes keep their currency.",
		Example: "# quote in francs from now on\nflightdesk ops change-account \"Nordwind AG\" --currency CHF",
		Fields:  accountFields(&in.ClientName, &in.ClientEmail, &in.Currency),
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
		Verb:    "issue-key",
		Subject: "ACCOUNT",
		Doing:   "issuing a key",
		Short:   "Issue an API key for an account",
		Long:    "Creates a key and prints it; it is not shown again. Without --expires it never expires.",
		Example: `# a key that can only read, for 90 days
flightdesk ops issue-key "Nordwind AG" --scopes orders:read,files:read --description "nightly import" --expires 90d`,
		Effects: "The key is shown once. You can revoke it at any time.",
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
		Verb:    "revoke-key",
		Subject: "KEY",
		Doing:   "revoking the key",
		Asks:    true,
		Short:   "Revoke an API key immediately",
		Long:    "Revokes a key by its ID (see flightdesk ops keys). The next request with it is rejected. Asks for confirmation; --yes skips it.",
		Example: "# in a script\nflightdesk ops revoke-key 01a1f8f0-4ba0-79b8-8433-3deb27c49f82 --yes",
		Effects: "Requests with this key are rejected from now on. Cannot be undone; you can issue a new key.",
		Run: tellRequest(
			func(t Target) (*ops.AccountKey, error) { return t.Keys.Revoke(t, t.ID) },
			func(k *ops.AccountKey) string { return "key ending in " + k.Hint + " revoked" },
		),
	}
}

// RequestKey asks for a key, as an account's client does in the dashboard.
func RequestKey(in *ops.KeyRequestInput) Command {
	return Command{
		Verb:    "simulate-request",
		Alias:   "request-key play-request",
		Subject: "ACCOUNT",
		Title:   "Simulate key request",
		Doing:   "requesting a key",
		Short:   "Request a key as a client would",
		Long:    "Requests an API key as a client would in the service's dashboard. USE says what it is for.",
		Example: "# request a key that can only read\nflightdesk ops simulate-request \"Nordwind AG\" \"nightly import into our GIS\" --scopes orders:read,files:read",
		Effects: "Requests a key as a client would in the dashboard. Operations approves or declines it.",
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
		Verb:    "approve-request",
		Alias:   "approve-key",
		Subject: "REQUEST",
		Doing:   "approving the request",
		Short:   "Approve a request and issue the key",
		Long:    "Issues the requested key and prints it; it is not shown again. A request can be decided only once.",
		Example: "# approve a request by its ID\nflightdesk ops approve-request 01a1f8f0-4ba0-79b8-8433-3deb27c49f82",
		Effects: "Issues the key and shows it once. You can revoke it at any time.",
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
		Verb:    "decline-request",
		Alias:   "decline-key",
		Subject: "REQUEST",
		Doing:   "declining the request",
		Short:   "Decline a request for a key",
		Long:    "Declines a request for a key, with a reason. A request can be decided only once.",
		Example: "# decline a request by its ID\nflightdesk ops decline-request 01a1f8f0-4ba0-79b8-8433-3deb27c49f82 \"no contract yet\"",
		Effects: "Cannot be undone. The client can send a new request.",
		Fields:  []Field{reasonField(why)},
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
		Verb:  "add",
		Title: "Add user",
		Doing: "adding the key",
		Short: "Add an operations user with a separate key",
		Long: `Creates a key of the operations API for a person or a program and prints it; it is not shown again. With the
role read it can read orders, accounts and callbacks, with operate also change orders, missions, callbacks and
datasets, with admin everything. Needs an admin's key, such as that of serve --ops-key-file.`,
		Example: "# a key for a colleague who plans flights\nflightdesk ops users add \"Ida Holm\" --role operate",
		Effects: "The key is shown once. You can replace or revoke it at any time.",
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
		Verb:    "rotate",
		Subject: "USER",
		Title:   "Replace key",
		Doing:   "replacing the key",
		Short:   "Replace an operations user's key",
		Long:    "Creates a new key for an operations user, by name or ID, and prints it; it is not shown again. The old key stops working at once, or after --overlap.",
		Example: "# replace a program's key; the old one works for another day\nflightdesk ops users rotate \"Night import\" --overlap 24h",
		Effects: "The new key is shown once.",
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
		Verb:    "revoke",
		Subject: "USER",
		Title:   "Revoke user",
		Doing:   "revoking the key",
		Asks:    true,
		Short:   "Revoke an operations user's key immediately",
		Long:    "Revokes the key of an operations user, by name or ID. The next request with it is rejected. Asks for confirmation; --yes skips it.",
		Example: "# in a script\nflightdesk ops users revoke \"Ida Holm\" --yes",
		Effects: "Requests with this key are rejected from now on. Cannot be undone; you can add another key.",
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
