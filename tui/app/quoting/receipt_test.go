package quoting

import (
	"testing"

	"flightdesk/api"
	"flightdesk/tui/app/ledger"
)

func TestAReceiptOfAnotherPriceOrQuoteIsSaid(t *testing.T) {
	quote := func(id, name string, price float64) api.Quote {
		return api.Quote{QuoteID: id, QuoteName: name, Currency: "EUR", FinalPrice: api.PriceOf(price)}
	}
	offer := &Offer{Quote: quote("q-1", "Standard", 1582)}
	for want, receipt := range map[string]api.Quote{
		"": offer.Quote,
		"the service accepted Standard for 2,582.00 EUR, not Standard for 1,582.00 EUR": quote("q-1", "Standard", 2582),
		"the service accepted Premium for 99,999.99 EUR, not Standard for 1,582.00 EUR": quote("q-2", "Premium", 99999.99),
	} {
		if got := receiptFault(ledger.Accepted, &receipt, offer); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
