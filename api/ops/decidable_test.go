package ops_test

import (
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
)

func TestAQuoteIsDecidableWhileItIsOpenAndNotExpired(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		expiry    api.Time
		decidable bool
	}{
		"in a week":  {api.TimeOf(now.Add(7 * 24 * time.Hour)), true},
		"now":        {api.TimeOf(now), false},
		"a year ago": {api.TimeOf(now.AddDate(-1, 0, 0)), false},
		"not sent":   {api.Time{}, true},
		"not read":   {api.Time{Raw: "next week"}, true},
	} {
		q := ops.Quote{Quote: api.Quote{ExpiryDate: c.expiry}, Status: api.QuoteOpen}
		if q.IsDecidable(now) != c.decidable {
			t.Errorf("%s: decidable %t", name, q.IsDecidable(now))
		}
		for _, status := range []api.QuoteStatus{api.QuoteAccepted, api.QuoteRejected, api.QuoteClosed, api.QuoteUnknown} {
			if q.Status = status; q.IsDecidable(now) {
				t.Errorf("%s: a quote that is %s can be decided", name, status)
			}
		}
	}
}
