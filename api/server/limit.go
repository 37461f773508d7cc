package server

import (
	"math"
	"sync"
	"time"
)

// rateLimiter lets each key make so many requests a second, with as many at once.
type rateLimiter struct {
	rate float64 // requests per second; 0: no limit

	mu   sync.Mutex
	left map[string]keyAllowance // by the uuid of a key
}

// keyAllowance is what a key has left at a time of the machine's clock, whatever
// the service's says.
type keyAllowance struct {
	requests float64
	at       time.Time
}

// maxAllowances bounds the keys that are remembered at once.
const maxAllowances = 10_000

// takeRequest uses one request up, or says how long to wait for it.
func (l *rateLimiter) takeRequest(key string, now time.Time) (pause time.Duration) {
	if l.rate <= 0 {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	most := math.Max(1, l.rate)
	a, known := l.left[key]
	if !known {
		a = keyAllowance{most, now}
	}
	a.requests = math.Min(most, a.requests+now.Sub(a.at).Seconds()*l.rate)
	a.at = now
	if a.requests < 1 {
		pause = time.Duration((1 - a.requests) / l.rate * float64(time.Second))
	} else {
		a.requests--
	}
	if l.left == nil || len(l.left) >= maxAllowances {
		l.left = map[string]keyAllowance{} // looking for those to keep would cost more than it is worth
	}
	l.left[key] = a
	return pause
}
