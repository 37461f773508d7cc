package quoting_test

import (
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/app/quoting"
)

func TestAPriceThatWasNotReadIsShownAsSentAndNeverCompared(t *testing.T) {
	record := func(price api.Price) *api.OrderRecord {
		return &api.OrderRecord{ID: "o", Quotes: []api.Quote{
			{QuoteID: "a", QuoteName: "A", Currency: "EUR", FinalPrice: price},
			{QuoteID: "b", QuoteName: "B", Currency: "EUR", FinalPrice: api.PriceOf(1500)},
		}}
	}
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	board := quoting.NewSet(now, record(api.Price{Raw: "1,388"}))
	a, b := board.FindOffer("a"), board.FindOffer("b")
	if got := a.PriceText(); got != "1,388 (unreadable)" {
		t.Errorf("shown as %q", got)
	}
	if _, _, ok := quoting.Difference(a, b, (*quoting.Offer).Price); ok {
		t.Error("it is compared")
	}
	if why := quoting.ChangedReason(ordering.EntryAccepted, a, &board, now); !strings.Contains(why, "could not be read") {
		t.Errorf("it is accepted: %q", why)
	}
	if why := quoting.ChangedReason(ordering.EntryRejected, a, &board, now); why != "" {
		t.Errorf("it cannot be rejected: %q", why)
	}
}
