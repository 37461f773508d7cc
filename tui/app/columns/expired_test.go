package columns

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/format"
)

func TestAnUnreadableExpiryIsUnknown(t *testing.T) {
	now := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	for sent, want := range map[string]string{
		`"next week"`:            "null",
		`""`:                     "null",
		`"2026-11-27t12:00:00z"`: "true",
		`"2026-11-28"`:           "false",
		`"2026-11-27"`:           "true",
		`"2026-11-29T12:00:00Z"`: "false",
	} {
		var quote api.Quote
		if err := json.Unmarshal([]byte(`{"expiryDate": `+sent+`}`), &quote); err != nil {
			t.Fatal(err)
		}
		listed := ListedQuote{Status: api.QuoteOpen, Expired: IsQuoteExpired(&quote, api.QuoteOpen, now)}
		text, err := json.Marshal(listed.Expired)
		if err != nil || strings.TrimSpace(string(text)) != want {
			t.Errorf("expired with the expiry %s is %s, %v; want %s", sent, text, err, want)
		}
	}
}

func TestTheFieldsOfAnOrderSeparateExpiredQuotes(t *testing.T) {
	now := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	order := &api.OrderRecord{Quotes: []api.Quote{
		{QuoteName: "Economy", ExpiryDate: api.TimeOf(now.Add(time.Hour))},
		{QuoteName: "Express", ExpiryDate: api.TimeOf(now.Add(-time.Hour))},
	}}
	got := map[string]string{}
	for _, fact := range RecordFacts(order, format.Units{}, now) {
		got[fact[0]] = fact[1]
	}
	if got["Open quotes"] != "Economy" || got["Expired quotes"] != "Express" {
		t.Errorf("the fields are %v", got)
	}
}

func TestTheStatusOfAnOrderSaysThatItsQuotesHaveExpired(t *testing.T) {
	now := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	expired := api.Quote{ExpiryDate: api.TimeOf(now.Add(-time.Hour))}
	open := api.Quote{ExpiryDate: api.TimeOf(now.Add(time.Hour))}
	for _, tt := range []struct {
		status api.RecordStatus
		quotes []api.Quote
		want   string
	}{
		{api.RecordQuoteReceived, []api.Quote{expired}, "Quotes expired"},
		{api.RecordQuoteReceived, []api.Quote{expired, open}, "Quotes ready"},
		{api.RecordQuoteReceived, nil, "Quotes ready"}, // a list without quotes
		{api.RecordCompleted, []api.Quote{expired}, "Completed"},
	} {
		order := &api.OrderRecord{Status: tt.status, Quotes: tt.quotes}
		if got := RecordFacts(order, format.Units{}, now)[0]; got != [2]string{"Status", tt.want} {
			t.Errorf("%s with %d quotes is %q", tt.status, len(tt.quotes), got)
		}
	}
}

func TestAnOrderWithoutItsQuotesHasUnknownQuotes(t *testing.T) {
	now := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		order ops.Order
		want  format.QuoteState
	}{
		{ops.Order{}, format.QuotesUnread}, // a service that counts no quotes
		{ops.Order{Quotes: []ops.Quote{}}, format.QuotesNone},
		{ops.Order{OpenQuotes: new(0)}, format.QuotesNone},
		{ops.Order{OpenQuotes: new(0), ExpiredQuotes: new(1)}, format.QuotesExpired},
		{ops.Order{OpenQuotes: new(2), ExpiredQuotes: new(1)}, format.QuotesReady},
	} {
		if got := QuotesOf(&tt.order, now); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.order, got, tt.want)
		}
	}
}
