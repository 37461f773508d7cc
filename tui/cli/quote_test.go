package cli

import (
	"strings"
	"testing"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
)

func TestAdviceWhereQuotesHaveExpired(t *testing.T) {
	q := func(s api.QuoteStatus, expired bool) columns.ListedQuote {
		return columns.ListedQuote{Quote: api.Quote{}, Status: s, Expired: expired}
	}
	old, live := q(api.QuoteOpen, true), q(api.QuoteOpen, false)
	if all := []columns.ListedQuote{old, q(api.QuoteRejected, false), old}; !allExpired(all) || !strings.Contains(expiredAdvice(all), "cancel the order") {
		t.Error(expiredAdvice(all))
	}
	if some := []columns.ListedQuote{old, live}; allExpired(some) || !strings.HasPrefix(expiredAdvice(some), "decide on another") {
		t.Error(expiredAdvice(some))
	}
	if allExpired(nil) || allExpired([]columns.ListedQuote{q(api.QuoteClosed, false)}) {
		t.Error("without an open quote none has expired")
	}
}
