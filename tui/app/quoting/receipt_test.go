package quoting

import (
	"errors"
	"strings"
	"testing"

	"flightdesk/api"
	"flightdesk/tui/app/changes"
)

func TestAReceiptForAnotherPriceOrQuoteIsReported(t *testing.T) {
	quote := func(id, name string, price float64) api.Quote {
		return api.Quote{QuoteID: id, QuoteName: name, Currency: "EUR", FinalPrice: api.PriceOf(price)}
	}
	offer := &Offer{Quote: quote("q-1", "Standard", 1582)}
	for want, receipt := range map[string]api.Quote{
		"": offer.Quote,
		"the service accepted Standard for 2,582.00 EUR, not Standard for 1,582.00 EUR": quote("q-1", "Standard", 2582),
		"the service accepted Premium for 99,999.99 EUR, not Standard for 1,582.00 EUR": quote("q-2", "Premium", 99999.99),
	} {
		if got := compareReceipt(changes.QuoteAccepted, &receipt, offer); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The verdict on an unconfirmed decision is the status of the quote.
func TestAVerdictHasTheStatusOfTheQuote(t *testing.T) {
	o := &Offer{Quote: api.Quote{QuoteID: "a", QuoteName: "A"}}
	winner := &api.Quote{QuoteName: "B", Currency: "EUR", FinalPrice: api.PriceOf(5)}
	lost, refused := errors.New("connection lost"), &api.Error{Status: 409, Message: "busy"}
	expired := &api.Error{Status: 409, Code: api.CodeQuoteExpired}
	decided := func(status api.QuoteStatus, by *api.Quote, err error) error {
		return &api.DecisionError{Decision: api.QuoteDecision{Outcome: status, Winner: by, Unanswered: err}, Err: err}
	}
	answered := func(status api.QuoteStatus, order *api.OrderRecord) error {
		d := api.QuoteDecision{Outcome: status, Order: order, Status: "Quote accepted"}
		return &api.DecisionError{Decision: d, Err: errors.New("not shown")}
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{lost, "A is still undecided: "},
		{decided(api.QuoteOpen, nil, expired), "A expired before the decision arrived; nothing was decided"},
		{decided(api.QuoteAccepted, nil, refused), "A was already decided: accepted"},
		{decided(api.QuoteRejected, nil, lost), "A was already decided: rejected"},
		{decided(api.QuoteClosed, winner, refused), "A is closed: the accepted quote is B, 5.00 EUR"},
		{decided(api.QuoteOpen, nil, refused), "not decided: busy; A is still open"},
		{decided(api.QuoteOpen, nil, &api.Error{Status: 502, Message: "bad gateway"}), "bad gateway; A is still open"},
		{decided(api.QuoteClosed, nil, refused), "A is closed and can no longer be decided"},
		{decided(api.QuoteOpen, nil, lost), "no response, and A is still open"},
		{decided(api.QuoteUnknown, nil, lost), "no valid response to the decision of A"},
		{answered(api.QuoteOpen, &api.OrderRecord{}), "sent, not confirmed: the service answered “Quote accepted”, but its order shows A as open"},
		{answered(api.QuoteUnknown, &api.OrderRecord{}), "sent, not confirmed: the service answered “Quote accepted”, but its order does not show A"},
		{answered(api.QuoteUnknown, nil), "sent, not confirmed: the service answered “Quote accepted”, but the order could not be read"},
	} {
		if got := explainFailure(c.err, o); !strings.HasPrefix(got, c.want) {
			t.Errorf("%q, not %q", got, c.want)
		}
	}
}
