package columns

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
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
