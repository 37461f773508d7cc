package api

import "time"

// Urgency is how soon something expires.
type Urgency int

// The urgencies.
const (
	NotUrgent Urgency = iota // time enough, or no date was read
	Urgent                   // within [UrgentWithin], or over
	LastHour                 // within the hour, or over
)

// UrgentWithin is how long before its expiry a quote becomes urgent.
const UrgentWithin = 24 * time.Hour

// UrgencyOf says how urgent an expiry is at the time now. Of a time that was
// not read nothing is said.
func UrgencyOf(expiry Time, now time.Time) Urgency {
	left := expiry.Sub(now)
	switch {
	case !expiry.IsRead() || left >= UrgentWithin:
		return NotUrgent
	case left < time.Hour:
		return LastHour
	default:
		return Urgent
	}
}

// IsExpired reports whether it is too late at the time now to decide the quote.
// A quote whose expiry was not read is not expired as far as is known.
func (q *Quote) IsExpired(now time.Time) bool {
	return q.ExpiryDate.IsRead() && !now.Before(q.ExpiryDate.Time)
}

// IsDecidable reports whether the client can decide the quote at the time now:
// it is open and not expired.
func (q *OpsQuote) IsDecidable(now time.Time) bool {
	return q.Status == QuoteOpen && !q.IsExpired(now)
}
