package demodata

import (
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/domain"
)

// orderQuotes tells how an order's quotes stand, and when the last one was decided.
func (m *worldMaker) orderQuotes(o demoOrder, past *domain.PastOrder, currency string) {
	switch o.orderStage() {
	case api.OrderRejected, api.OrderDeleted:
		return
	case api.OrderBiddingWithQuote:
		if o.Bids == bidsAwaited {
			return
		}
	}
	issued := past.Created.Add(m.durationBetween(5*time.Hour, 16*time.Hour))
	for i, offer := range MakeOffers(priceInput(past.Request, currency), m.rng, issued) {
		at := m.notAfterNow(issued.Add(time.Duration(i) * 40 * time.Minute))
		quote := domain.PastQuote{UUID: m.newUUID(at), NewQuote: offer, Status: api.QuoteOpen, Created: at}
		past.Quotes = append(past.Quotes, quote)
		past.Updated = at
	}
	if o.orderStage() == api.OrderBiddingWithQuote {
		m.addOpenQuotes(o.Bids, past)
		return
	}
	m.addDecidedQuotes(o, past)
}

// addOpenQuotes tells of the quotes of an order that bids.
func (m *worldMaker) addOpenQuotes(b bidState, past *domain.PastOrder) {
	last := len(past.Quotes) - 1
	for i := range past.Quotes {
		q := &past.Quotes[i]
		rejected := m.notAfterNow(q.Created.Add(m.durationBetween(2*time.Hour, 9*time.Hour)))
		switch {
		case b == bidsOpen && i == last:
			q.Expires = m.now.Add(5*time.Hour + 20*time.Minute)
		case b == bidsOpen, b == bidsMixed && i == 0:
			q.Expires = m.now.Add(time.Duration(9-2*i) * day)
		case b == bidsTurnedDown, b == bidsMixed && i < last, b == bidsPassed && i == 0:
			q.Status, q.Decided = api.QuoteRejected, rejected
			if rejected.After(past.Updated) {
				past.Updated = rejected
			}
		case b == bidsMixed:
			q.Expires = m.now.Add(-3 * time.Hour)
		case b == bidsPassed:
			q.Expires = m.now.Add(-time.Duration(2+i)*day - 4*time.Hour)
		}
	}
}

// addDecidedQuotes tells of the quotes of an order that was once accepted, or was
// cancelled before.
func (m *worldMaker) addDecidedQuotes(o demoOrder, past *domain.PastOrder) {
	accepted := m.rng.IntN(len(past.Quotes))
	at := past.Created.Add(m.durationBetween(24*time.Hour, 44*time.Hour))
	for i := range past.Quotes {
		q := &past.Quotes[i]
		q.Status, q.Decided = api.QuoteClosed, at
		switch {
		case o.orderStage() == api.OrderCancelled:
		case i == accepted:
			q.Status = api.QuoteAccepted
		case m.oneIn(3):
			q.Status, q.Decided = api.QuoteRejected, at.Add(-time.Hour)
		}
	}
	past.Updated = at
}
