package quoting_test

import (
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/changes"
	"flightdesk/tui/app/quoting"
)

func TestAnUnreadablePriceIsShownAndNotCompared(t *testing.T) {
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
	if why := quoting.ChangedReason(changes.QuoteAccepted, a, &board, now); !strings.Contains(why, "could not be read") {
		t.Errorf("it is accepted: %q", why)
	}
	if why := quoting.ChangedReason(changes.QuoteRejected, a, &board, now); why != "" {
		t.Errorf("it cannot be rejected: %q", why)
	}
}

func TestTheQuotesOfAnArchivedOrderAreClosed(t *testing.T) {
	record := &api.OrderRecord{
		ID: "o", OrderStatus: api.RecordQuoteReceived, Status: api.RecordQuoteReceived, Instruction: "Compare the quotes",
		Quotes:       []api.Quote{{QuoteID: "a", QuoteName: "A"}},
		ClosedQuotes: []api.Quote{{QuoteID: "b", QuoteName: "B"}},
	}
	closed := quoting.CloseArchived(record)
	set := quoting.NewSet(time.Now(), closed)
	if len(set.Open) != 0 || len(set.Decided) != 2 || set.FindOffer("a").Status != api.QuoteClosed {
		t.Errorf("%d open, %d decided", len(set.Open), len(set.Decided))
	}
	if closed.Instruction != "" || closed.StageStatus() != api.RecordStatus(api.OrderArchived) {
		t.Errorf("it is %s: %s", closed.StageStatus(), closed.Instruction)
	}
	if len(record.Quotes) != 1 || len(record.ClosedQuotes) != 1 {
		t.Error("the record that was read is changed")
	}
}

func TestAQuoteIsOnlyTheCheapestKnownIfAPriceIsUnknown(t *testing.T) {
	now := time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC)
	quote := func(id string, amount float64, isKnown bool, days int) api.Quote {
		return api.Quote{
			QuoteID: id, Currency: "EUR", DeliveryBy: api.DaysOf(days), ExpiryDate: api.TimeOf(now.Add(time.Hour)),
			FinalPrice: api.Price{Amount: amount, Known: isKnown},
		}
	}
	record := &api.OrderRecord{Quotes: []api.Quote{quote("q-1", 100, true, 9), quote("q-2", 200, true, 20), quote("q-3", 0, false, 30)}}
	set := quoting.NewSet(now, record)
	if got := set.BestOf(set.FindOffer("q-1"), now); got != "cheapest known, fastest" {
		t.Errorf("with an unknown price: %q", got)
	}
}
