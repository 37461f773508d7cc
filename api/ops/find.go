package ops

import (
	"context"

	"flightdesk/api"
)

// FoundKind is what a search has found.
type FoundKind string

// The kinds of what is found.
const (
	FoundAccount  FoundKind = "account"
	FoundKey      FoundKind = "key"
	FoundOrder    FoundKind = "order"
	FoundMission  FoundKind = "mission"
	FoundQuote    FoundKind = "quote"
	FoundPackage  FoundKind = "package"
	FoundFile     FoundKind = "file"
	FoundDataset  FoundKind = "dataset"
	FoundEndpoint FoundKind = "endpoint"
	FoundCallback FoundKind = "callback"
	FoundNotice   FoundKind = "notice" // that an order is complete
	FoundRequest  FoundKind = "request"
)

// Found is something that a search has found, and whose it is.
type Found struct {
	Kind        FoundKind        `json:"kind"`
	UUID        string           `json:"uuid"`        // "" for a request
	Name        string           `json:"name"`        // a company, address or ending of a key; method, path and status of a request
	AccountUID  string           `json:"accountUid"`  // "" for a request of no known account
	CompanyName string           `json:"companyName"` // of the account
	OrderCode   string           `json:"orderCode"`   // "" if it belongs to no order
	MissionCode string           `json:"missionCode"` // "" if it belongs to no mission
	Extra       api.ExtraMembers `json:",embed"`
}

// Find returns what belongs to a text of a ticket: the code or UUID of anything, a part of
// the name or e-mail of an account, of an endpoint's address or of an order's company, the
// ending of a key, a request ID or the name of a file. Exact matches come first; of each
// kind there are at most 20.
func (s *RequestsService) Find(ctx context.Context, text string) ([]Found, error) {
	op := api.NewOperation("find", "GET find").WithQuery("q", text)
	page, err := api.CallPage[Found](ctx, s.c, op, api.ListOptions{})
	if err != nil {
		return nil, err
	}
	return page.Items, nil
}
