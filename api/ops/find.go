package ops

import (
	"context"
	"regexp"
	"strings"

	"flightdesk/api"
)

// FoundKind is the kind of a search result.
type FoundKind string

// The kinds of search results.
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
	FoundNotice   FoundKind = "notice" // notification that an order is complete
	FoundRequest  FoundKind = "request"
)

// Found is a search result with its owner.
type Found struct {
	Kind        FoundKind        `json:"kind"`
	UUID        string           `json:"uuid"`        // "" for a request
	Name        string           `json:"name"`        // such as a company, an address or the end of a key; a request has method, path and status
	AccountUID  string           `json:"accountUid"`  // "" for a request without a known account
	CompanyName string           `json:"companyName"` // company of the account
	OrderCode   string           `json:"orderCode"`   // "" if the result belongs to no order
	MissionCode string           `json:"missionCode"` // "" if the result belongs to no mission
	Extra       api.ExtraMembers `json:",embed"`
}

// keyForm matches API keys. It finds a key anywhere in a text, because people also paste the header
// that contains the key.
var keyForm = regexp.MustCompile(`\bfd_[a-z]+_[A-Za-z0-9_-]{20,}`)

// keyEnding is the number of last characters by which a key is found.
const keyEnding = 4

// Find searches for a text, such as a code from a support ticket. The text can be:
//
//   - the code or UUID of any object, a request ID, or a file name
//   - a part of the name or e-mail of an account, of the address of an endpoint, or of the company of an order
//   - an API key, or its last characters; only the last characters are sent to the service
//
// Exact matches come first. Each kind has at most 20 results.
func (s *RequestsService) Find(ctx context.Context, text string) ([]Found, error) {
	text = strings.TrimSpace(text)
	if key := keyForm.FindString(text); key != "" {
		text = key[len(key)-keyEnding:]
	}
	op := api.NewOperation("find", "GET find").WithQuery("q", text)
	page, err := api.CallPage[Found](ctx, s.c, op, api.ListOptions{})
	if err != nil {
		return nil, err
	}
	return page.Items, nil
}
