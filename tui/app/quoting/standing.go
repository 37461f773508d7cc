package quoting

import (
	"time"

	"flightdesk/api"
)

// OpenStanding is how the open quotes of an order stand.
type OpenStanding struct {
	Name    string    // the order's code, or what names it else
	Open    int       // open quotes, expired ones too
	Live    int       // those that can be decided
	Expires time.Time // when the next of these expires; zero where that is not known
}

// AllExpired says what can be done about an order whose open quotes have all
// expired.
const AllExpired = "All quotes have expired. Contact the service for new ones, cancel the order, or order again."

// HasExpired reports whether there are open quotes and none can be decided.
func (s OpenStanding) HasExpired() bool { return s.Open > 0 && s.Live == 0 }

// StandingOf tells how the open quotes of an order stand, that was read in
// full.
func StandingOf(r *api.OrderRecord, now time.Time) OpenStanding {
	b := NewSet(r, now)
	s := OpenStanding{Name: OrderName(r), Open: len(b.Open), Live: len(b.OpenOffers(now))}
	if o := b.SoonestExpiry(now); o != nil {
		s.Expires = o.ExpiryDate.Time
	}
	return s
}
