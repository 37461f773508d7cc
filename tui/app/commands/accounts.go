package commands

import (
	"context"
	"strings"

	"flightdesk/api"
)

// CreateAccount makes an account.
func CreateAccount(in *api.AccountInput) Command[*api.Account] {
	return Command[*api.Account]{
		Verb: "new-account", Doing: "making the account", Limit: api.MaxNameLength,
		Means: "It has no key yet; one is issued on its page. An account cannot be removed.",
		Fields: append([]Field{{Name: "companyName", Value: &in.CompanyName, Label: "Company", Help: "Company placing the order", Required: "an account needs a company", Arg: "COMPANY"}},
			accountFields(&in.ClientName, &in.ClientEmail, &in.Currency)...),
		Run: func(ctx context.Context, ops *api.Ops, _ string) (*api.Account, error) {
			sent := *in
			sent.Currency = strings.ToUpper(sent.Currency)
			return ops.Accounts.Create(ctx, sent)
		},
		Done: func(a *api.Account) string { return "made the account of " + a.CompanyName },
	}
}

// ChangeAccount changes what is set of an account.
func ChangeAccount(in *api.AccountChange) Command[*api.Account] {
	return Command[*api.Account]{
		Verb: "change-account", Subject: "ACCOUNT", Doing: "changing the account", Limit: api.MaxNameLength,
		Fields: accountFields(&in.ClientName, &in.ClientEmail, &in.Currency),
		Run: func(ctx context.Context, ops *api.Ops, id string) (*api.Account, error) {
			sent := *in
			if sent.Currency != nil {
				upper := strings.ToUpper(*sent.Currency)
				sent.Currency = &upper
			}
			return ops.Accounts.Change(ctx, id, sent)
		},
		Done: func(a *api.Account) string { return "changed the account of " + a.CompanyName },
	}
}

func accountFields(client, email, currency any) []Field {
	return []Field{
		{Name: "clientName", Value: client, Label: "Contact", Help: "whom to ask for", Flag: "client", Usage: "name of the client"},
		{Name: "clientEmail", Value: email, Label: "E-mail", Help: "where notices go", Flag: "email", Usage: "e-mail address of the client"},
		{
			Name: "currency", Value: currency, Label: "Currency", Help: "of quotes, three letters; quotes issued before keep theirs",
			Flag: "currency", Usage: "currency of its quotes by ISO 4217",
		},
	}
}

// IssueKey makes an API key for an account.
func IssueKey(in *api.KeyInput) Command[*api.AccountKey] {
	return Command[*api.AccountKey]{
		Verb: "issue-key", Subject: "ACCOUNT", Doing: "issuing a key", Limit: api.MaxNameLength, Means: "It is shown once. It can be revoked at any time.",
		Fields: []Field{
			scopesField(&in.Scopes),
			{Name: "description", Value: &in.Description, Label: "For", Help: "what it is for, to tell keys apart", Flag: "description", Usage: "what it is for"},
			{
				Name: "expiresAt", Value: &in.ExpiresAt, Label: "Expires", Help: "at the end of this day; empty for never", DayEnd: true, Ahead: true,
				Flag: "expires", Usage: "until when it holds, as 90d or 2026-12-31",
			},
		},
		Run: func(ctx context.Context, ops *api.Ops, account string) (*api.AccountKey, error) {
			return ops.Keys.Issue(ctx, account, *in)
		},
	}
}

func scopesField(to *[]api.Scope) Field {
	return Field{Name: "scopes", Value: to, Label: "Scopes", Required: "a key without a scope opens nothing", Flag: "scopes", Usage: "what it may do"}
}

// RevokeKey ends an API key at once.
func RevokeKey() Command[*api.AccountKey] {
	return Command[*api.AccountKey]{
		Verb: "revoke-key", Subject: "KEY", Doing: "revoking the key",
		Means: "From its next request on, whoever uses the key is refused, and it cannot be given back.",
		Run: func(ctx context.Context, ops *api.Ops, key string) (*api.AccountKey, error) {
			return ops.Keys.Revoke(ctx, key)
		},
		Done: func(k *api.AccountKey) string { return "the key that ends in " + k.Hint + " is revoked" },
	}
}

// RequestKey asks for a key, as an account's client does in the dashboard.
func RequestKey(in *api.KeyRequestInput) Command[*api.KeyRequest] {
	return Command[*api.KeyRequest]{
		Verb: "play-request", Subject: "ACCOUNT", Doing: "asking for a key", Limit: api.MaxTextLength,
		Means: "What a client does in the dashboard. The desk approves or declines it.",
		Fields: []Field{
			{
				Name: "intendedUse", Value: &in.IntendedUse, Label: "For", Help: "what the client says that it wants the key for",
				Required: "a client says what the key is for", Arg: "USE",
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
		Means: "The key is made at once and shown once. Revoking ends it.",
		Run: func(ctx context.Context, ops *api.Ops, request string) (*api.AccountKey, error) {
			return ops.Keys.Approve(ctx, request)
		},
	}
}

// DeclineRequest declines a request for a key, with a reason.
func DeclineRequest(why *string) Command[*api.KeyRequest] {
	return Command[*api.KeyRequest]{
		Verb: "decline-request", Subject: "REQUEST", Doing: "declining the request", Limit: api.MaxTextLength,
		Means: "It cannot be undone; the client can ask again.", Fields: []Field{reasonField(why)},
		Run: func(ctx context.Context, ops *api.Ops, request string) (*api.KeyRequest, error) {
			return ops.Keys.Decline(ctx, request, *why)
		},
		Done: func(k *api.KeyRequest) string { return "request " + k.UUID + " is " + string(k.Status) },
	}
}

func reasonField(to *string) Field {
	return Field{Name: "reason", Value: to, Label: "Reason", Long: true, Help: "the client reads it", Required: "the client wants a reason", Arg: "REASON"}
}
