//go:build unix

package cli

import (
	"os"
	"strings"
	"testing"

	"flightdesk/api"
	"flightdesk/tui/app/quoting"
)

// Accepting a quote shows the amount and needs a typed confirmation.
func TestQuoteAcceptInATerminal(t *testing.T) {
	s, vars := served(t)
	client, err := api.NewClient(s.BaseURL(), api.WithKey(s.Accounts()[0].Key), api.WithLegacyURL(s.LegacyURL()))
	if err != nil {
		t.Fatal(err)
	}
	record, err := client.Records.Get(t.Context(), "ORD-100246")
	if err != nil || len(record.Quotes) == 0 {
		t.Fatalf("%v, %v", record, err)
	}
	quote := record.Quotes[0]
	for _, tt := range []struct {
		typed, says string
		status      int
		want        api.QuoteStatus
	}{
		{"yes\r", "not confirmed; nothing was sent", exitFailed, api.QuoteOpen},
		{"", "interrupted", exitInterrupted, api.QuoteOpen},
		{"accept\r", "accepted " + quote.QuoteName, exitDone, api.QuoteAccepted},
	} {
		x := inTerminal(t, vars, "quote", "accept", record.OrderCode, quote.QuoteID)
		x.sees("Type accept to confirm: ")
		if tt.typed != "" {
			x.keys(tt.typed)
		} else if err := x.cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		x.sees(tt.says)
		if said := x.finished(tt.status); !strings.Contains(said, (&quoting.Offer{Quote: quote}).PriceText()+"   "+quote.DeliveryBy.String()) {
			t.Errorf("the question is %q", said)
		}
		record, err := client.Records.Get(t.Context(), record.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range quotesOf(record, client.Now()) {
			if row.QuoteID == quote.QuoteID && row.Status != tt.want {
				t.Errorf("%q: the quote is %s", tt.typed, row.Status)
			}
		}
	}
}
