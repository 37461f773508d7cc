package quoting

import (
	"time"

	"flightdesk/api"
)

// Standing is how the open quotes of an order stand.
type Standing struct {
	Name    string    // the order's code, or what names it else
	Open    int       // open quotes, expired ones too
	Live    int       // those that can be decided
	Expires time.Time // when the next of these expires; zero where that is not known
}

// StandingOf tells how the open quotes of an order stand, that was read in
// full.
func StandingOf(r *api.OrderRecord, now time.Time) Standing {
	b := NewSet(r, now)
	s := Standing{Name: OrderName(r), Open: len(b.Open), Live: len(b.Live(now))}
	if o := b.Soonest(now); o != nil {
		s.Expires = o.ExpiryDate.Time
	}
	return s
}
