package commands

import (
	"context"
	"strings"

	"flightdesk/api"
)

// Command is one thing that the operations desk can do. A form of the screen
// and a command of the shell are made from its fields, which are bound to the
// request that Run sends.
type Command[T any] struct {
	Doing  string // what is under way, as in "issuing a key"
	Means  string // what follows from it, and whether it can be undone
	Limit  int    // characters of its texts
	Fields []Field
	Run    func(ctx context.Context, ops *api.Ops, id string) (T, error)
	Done   func(T) string
}

// Field is one value of a request. Value says where it goes, and by its type
// what kind it is: *string, **string for one that may stay as it is, *int,
// *float64, *api.Time, *[]api.Scope or *api.PermissionStatus.
type Field struct {
	Name  string // in the request, where the service refers to it
	Value any

	Label, Help string // on the screen
	Required    string // what to say on the screen where it is missing
	DayEnd      bool   // a day means its last minute
	Ahead       bool   // a time has to be in the future

	Unit        string // of a number
	Least, Most float64

	Flag, Usage string // in the shell; Flag is "" for an argument
}

// CreateAccount makes an account.
func CreateAccount(in *api.AccountInput) Command[*api.Account] {
	return Command[*api.Account]{
		Doing: "making the account", Limit: api.MaxNameLength,
		Means: "It has no key yet; one is issued on its page. An account cannot be removed.",
		Fields: append([]Field{{Name: "companyName", Value: &in.CompanyName, Label: "Company", Help: "Company placing the order", Required: "an account needs a company"}},
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
		Doing: "changing the account", Limit: api.MaxNameLength,
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
		Doing: "issuing a key", Limit: api.MaxNameLength, Means: "It is shown once. It can be revoked at any time.",
		Fields: []Field{
			{Name: "scopes", Value: &in.Scopes, Label: "Scopes", Required: "a key without a scope opens nothing", Flag: "scopes", Usage: "what it may do"},
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

// Permission is a flight permission that is recorded.
type Permission struct {
	api.PermissionInput
	Document *api.FileInput // nil for none
}

// RecordPermission records a flight permission in place of the one before, its
// document included.
func RecordPermission(in *Permission) Command[*api.FlightPermission] {
	return Command[*api.FlightPermission]{
		Doing: "recording the permission", Limit: api.MaxNameLength, Means: "The client can read it, and fetch the document.",
		Fields: []Field{
			{Name: "status", Value: &in.Status, Label: "Permission", Flag: "status"},
			{Name: "authority", Value: &in.Authority, Label: "Authority", Help: "who gives it", Flag: "authority", Usage: "who permits it"},
			{Name: "reference", Value: &in.Reference, Label: "Reference", Help: "its number there", Flag: "reference", Usage: "the authority's reference"},
			{Name: "validFrom", Value: &in.ValidFrom, Label: "From", Help: "may be left empty", Flag: "from", Usage: "from when on it holds"},
			{
				Name: "validTo", Value: &in.ValidTo, Label: "To", Help: "to the end of this day; may be left empty", DayEnd: true,
				Flag: "to", Usage: "until when it holds",
			},
		},
		Run: func(ctx context.Context, ops *api.Ops, mission string) (*api.FlightPermission, error) {
			return ops.Missions.SetFlightPermission(ctx, mission, in.PermissionInput, in.Document)
		},
	}
}

// IssueQuote offers an order to its client at a price.
func IssueQuote(in *api.QuoteInput) Command[*api.OpsQuote] {
	return Command[*api.OpsQuote]{
		Limit: api.MaxTextLength, Means: "Visible to the client at once; cannot be undone.",
		Fields: []Field{
			{
				Name: "quoteName", Value: &in.QuoteName, Label: "Name", Help: "what the client tells quotes apart by", Required: "a quote needs a name",
				Flag: "name", Usage: "name of the quote; Standard if absent",
			},
			{
				Name: "deliveryBy", Value: &in.DeliveryBy, Label: "Days", Help: "to deliver in", Unit: "days", Least: 1, Most: api.MaxDeliveryDays,
				Flag: "days", Usage: "days to deliver in",
			},
			{
				Name: "priceBeforeDiscount", Value: &in.PriceBeforeDiscount, Label: "Price", Help: "before discount", Unit: in.Currency, Most: api.MaxPrice,
				Flag: "price", Usage: "price before discount; the formula's if absent",
			},
			{
				Name: "discountPercent", Value: &in.DiscountPercent, Label: "Discount", Help: "percent off the price", Unit: "%", Most: 100,
				Flag: "discount", Usage: "discount in percent",
			},
			{
				Name: "reasonForDiscount", Value: &in.ReasonForDiscount, Label: "Reason", Help: "why there is a discount; the client reads it",
				Flag: "reason", Usage: "why there is a discount",
			},
			{
				Name: "expiryDate", Value: &in.ExpiryDate, Label: "Expires", Help: "at the end of this day; in 1 week, 1 Dec, friday",
				Required: "say until when it can be decided", DayEnd: true, Ahead: true,
				Flag: "expires", Usage: "until when it can be decided, as \"in 5 days\" or 36h; in a week if absent",
			},
			{
				Name: "description", Value: &in.Description, Label: "Description", Help: "what is done for it",
				Flag: "description", Usage: "what the quote is about",
			},
		},
		Run: func(ctx context.Context, ops *api.Ops, order string) (*api.OpsQuote, error) {
			return ops.Quotes.Issue(ctx, order, *in)
		},
	}
}
