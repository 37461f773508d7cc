package quotes

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
	b := boardOf(r, now)
	s := Standing{Name: name(r), Open: len(b.open), Live: len(b.live(now))}
	if o := b.soonest(now); o != nil {
		s.Expires = o.ExpiryDate.Time
	}
	return s
}
