package commands

import (
	"context"
	"strings"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
)

// CreateAccount makes an account.
func CreateAccount(in *api.AccountInput) Command[*api.Account] {
	return Command[*api.Account]{
		Verb:    "new-account",
		Doing:   "creating the account",
		Limit:   api.MaxNameLength,
		Effects: "Then open the account and press n to issue its first key. Accounts cannot be deleted.",
		Fields: append(
			[]Field{
				{
					Name:     "companyName",
					Value:    &in.CompanyName,
					Label:    "Company",
					Help:     "Company placing the order",
					Required: "enter the company",
					Arg:      "COMPANY",
				},
			},
			accountFields(&in.ClientName, &in.ClientEmail, &in.Currency)...),
		Run: func(ctx context.Context, ops *api.Ops, _ string) (*api.Account, error) {
			sent := *in
			sent.Currency = strings.ToUpper(sent.Currency)
			return ops.Accounts.Create(ctx, sent)
		},
		Done: func(a *api.Account) string { return "account created: " + a.CompanyName },
	}
}

// ChangeAccount changes what is set of an account.
func ChangeAccount(in *api.AccountChange) Command[*api.Account] {
	return Command[*api.Account]{
		Verb: "change-account", Subject: "ACCOUNT", Doing: "saving the account", Limit: api.MaxNameLength,
		Fields: accountFields(&in.ClientName, &in.ClientEmail, &in.Currency),
		Run: func(ctx context.Context, ops *api.Ops, id string) (*api.Account, error) {
			sent := *in
			if sent.Currency != nil {
				upper := strings.ToUpper(*sent.Currency)
				sent.Currency = &upper
			}
			return ops.Accounts.Change(ctx, id, sent)
		},
		Done: func(a *api.Account) string { return "account saved: " + a.CompanyName },
	}
}

func accountFields(client, email, currency any) []Field {
	return []Field{
		{
			Name:  "clientName",
			Value: client,
			Label: "Contact",
			Help:  "name of the contact",
			Flag:  "client",
			Usage: "name of the contact",
		},
		{
			Name:  "clientEmail",
			Value: email,
			Label: "E-mail",
			Help:  "address for notifications",
			Flag:  "email",
			Usage: "e-mail address for notifications",
		},
		{
			Name:  "currency",
			Value: currency,
			Label: "Currency",
			Help:  "of new quotes, three letters; existing quotes keep theirs",
			Flag:  "currency",
			Usage: "currency of new quotes, an ISO 4217 code",
		},
	}
}

// IssueKey makes an API key for an account.
func IssueKey(in *api.KeyInput) Command[*api.AccountKey] {
	return Command[*api.AccountKey]{
		Verb:    "issue-key",
		Subject: "ACCOUNT",
		Doing:   "issuing a key",
		Limit:   api.MaxNameLength,
		Effects: "The key is shown once. You can revoke it at any time.",
		Fields: []Field{
			scopesField(&in.Scopes),
			{
				Name:  "description",
				Value: &in.Description,
				Label: "For",
				Help:  "what the key is used for",
				Flag:  "description",
				Usage: "what the key is used for",
			},
			{
				Name:   "expiresAt",
				Value:  &in.ExpiresAt,
				Label:  "Expires",
				Help:   "at the end of this day; empty for never",
				DayEnd: true,
				Ahead:  true,
				Flag:   "expires",
				Usage:  "expiry, e.g. 90d or 2026-12-31",
			},
		},
		Run: func(ctx context.Context, ops *api.Ops, account string) (*api.AccountKey, error) {
			return ops.Keys.Issue(ctx, account, *in)
		},
	}
}

func scopesField(to *[]api.Scope) Field {
	return Field{
		Name:     "scopes",
		Value:    to,
		Label:    "Scopes",
		Required: "select at least one scope",
		Flag:     "scopes",
		Usage:    "permissions of the key",
	}
}

// RevokeKey ends an API key at once.
func RevokeKey() Command[*api.AccountKey] {
	return Command[*api.AccountKey]{
		Verb: "revoke-key", Subject: "KEY", Doing: "revoking the key",
		Effects: "Requests with this key are rejected from now on. Cannot be undone.",
		Run: func(ctx context.Context, ops *api.Ops, key string) (*api.AccountKey, error) {
			return ops.Keys.Revoke(ctx, key)
		},
		Done: func(k *api.AccountKey) string { return "key ending in " + k.Hint + " revoked" },
	}
}

// RequestKey asks for a key, as an account's client does in the dashboard.
func RequestKey(in *api.KeyRequestInput) Command[*api.KeyRequest] {
	return Command[*api.KeyRequest]{
		Verb: "play-request", Subject: "ACCOUNT", Doing: "requesting a key", Limit: api.MaxTextLength,
		Effects: "Requests a key as a client would in the dashboard. Operations approves or declines it.",
		Fields: []Field{
			{
				Name:     "intendedUse",
				Value:    &in.IntendedUse,
				Label:    "For",
				Help:     "intended use, as the client states it",
				Required: "enter the intended use",
				Arg:      "USE",
			},
			scopesField(&in.Scopes),
		},
		Run: func(ctx context.Context, ops *api.Ops, account string) (*api.KeyRequest, error) {
			return ops.Keys.Request(ctx, account, *in)
		},
	}
}

// ApproveRequest makes the key that is asked for.
func ApproveRequest() Command[*api.AccountKey] {
	return Command[*api.AccountKey]{
		Verb: "approve-request", Subject: "REQUEST", Doing: "approving the request",
		Effects: "Issues the key and shows it once. You can revoke it at any time.",
		Run: func(ctx context.Context, ops *api.Ops, request string) (*api.AccountKey, error) {
			return ops.Keys.Approve(ctx, request)
		},
	}
}

// DeclineRequest declines a request for a key, with a reason.
func DeclineRequest(why *string) Command[*api.KeyRequest] {
	return Command[*api.KeyRequest]{
		Verb: "decline-request", Subject: "REQUEST", Doing: "declining the request", Limit: api.MaxTextLength,
		Effects: "Cannot be undone. The client can send a new request.", Fields: []Field{reasonField(why)},
		Run: func(ctx context.Context, ops *api.Ops, request string) (*api.KeyRequest, error) {
			return ops.Keys.Decline(ctx, request, *why)
		},
		Done: func(k *api.KeyRequest) string { return "request " + k.UUID + ": " + labels.KeyRequest(k.Status).Label },
	}
}

func reasonField(to *string) Field {
	return Field{
		Name:     "reason",
		Value:    to,
		Label:    "Reason",
		Long:     true,
		Help:     "shown to the client",
		Required: "enter a reason",
		Arg:      "REASON",
	}
}
