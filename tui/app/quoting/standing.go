package quoting

import (
	"cmp"
	"slices"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/labels"
)

// OpenStanding is how the open quotes of an order stand.
type OpenStanding struct {
	*api.OrderRecord
	Fault   error // why the quotes could not be loaded
	Full    bool  // they are loaded
	Set     OfferSet
	Live    []*Offer  // those that can be decided
	Expires time.Time // when the next of these expires, or the last one did; zero where that is not known
}

// AllExpired says what can be done about an order whose open quotes have all
// expired.
const AllExpired = "All quotes have expired. Contact the service for new ones, cancel the order, or order again."

// HasExpired reports whether there are open quotes and none can be decided.
func (s *OpenStanding) HasExpired() bool { return len(s.Set.Open) > 0 && len(s.Live) == 0 }

// State returns what is known of the order's quotes.
func (s *OpenStanding) State() labels.QuoteCounts {
	if s.HasExpired() {
		return labels.QuotesExpired
	}
	return labels.QuotesReady
}

// Choices returns the offers that can be decided; if there are none, the expired ones.
func (s *OpenStanding) Choices() []*Offer {
	if len(s.Live) > 0 {
		return s.Live
	}
	return s.Set.Open
}

// StandingOf returns how the open quotes of an order stand.
func StandingOf(r *api.OrderRecord, now time.Time) *OpenStanding {
	s := &OpenStanding{OrderRecord: r, Set: NewSet(r, now)}
	s.Live = s.Set.OpenOffers(now)
	for _, o := range s.Set.Open {
		if o.ExpiryDate.After(s.Expires) {
			s.Expires = o.ExpiryDate.Time
		}
	}
	if o := s.Set.SoonestExpiry(now); o != nil {
		s.Expires = o.ExpiryDate.Time
	}
	return s
}

// StandingsOf returns how the open quotes of orders stand, soonest expiry first, then those
// that do not say when they expire, then those that have.
func StandingsOf(q *cache.OpenQuotes, now time.Time) []*OpenStanding {
	all := make([]*OpenStanding, len(q.Listed))
	for i, r := range q.Listed {
		all[i] = StandingOf(q.RecordOf(r), now)
		all[i].Full, all[i].Fault = q.Full[r.ID] != nil, q.Faults[r.ID]
	}
	group := func(s *OpenStanding) int {
		switch {
		case s.Expires.IsZero():
			return 1
		case s.HasExpired():
			return 2
		default:
			return 0
		}
	}
	slices.SortStableFunc(all, func(x, y *OpenStanding) int {
		return cmp.Or(group(x)-group(y), x.Expires.Compare(y.Expires))
	})
	return all
}
