package demodata

import (
	"encoding/base64"
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"
	"time"

	"flightdesk/api/server/internal/domain"
)

const day = 24 * time.Hour

// worldMaker makes up the parts of the world that are not in world.toml, with random numbers.
// Each account and each order has its own worldMaker, so that adding an account or an order does
// not change the others.
type worldMaker struct {
	rng *rand.Rand
	now time.Time
	// shift is the duration from now to the time at which the world was first created. UUIDs
	// contain a time: shift is added to it, so that the UUIDs are always the same.
	shift time.Duration
}

// newWorldMaker returns the worldMaker of an account or an order. names identify the account or
// the order, and the random numbers depend only on them. now is the time for which the world is
// created, and first the time at which it was first created.
func newWorldMaker(now, first time.Time, names ...string) *worldMaker {
	const flight = 0x666c69676874 // "flight" in ASCII
	hash := fnv.New64a()
	for _, name := range names {
		_, _ = hash.Write(append([]byte(name), 0)) // never fails
	}
	return &worldMaker{
		rng:   rand.New(rand.NewPCG(hash.Sum64(), flight)),
		now:   now,
		shift: first.Sub(now),
	}
}

func (m *worldMaker) newUUID(at time.Time) string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:], m.rng.Uint64())
	binary.BigEndian.PutUint64(b[8:], m.rng.Uint64())
	return domain.FormUUID(at.Add(m.shift), b)
}

// daysAgo returns the time that is a number of days before now.
func (m *worldMaker) daysAgo(days float64) time.Time {
	return m.now.Add(-time.Duration(days * float64(day)))
}

// notAfterNow returns t, or now if t is later.
func (m *worldMaker) notAfterNow(t time.Time) time.Time {
	if t.After(m.now) {
		return m.now
	}
	return t
}

// durationBetween returns a random duration from a to b in steps of 15 minutes.
func (m *worldMaker) durationBetween(a, b time.Duration) time.Duration {
	const step = 15 * time.Minute
	steps := int64((b - a) / step)
	return a + time.Duration(m.rng.Int64N(steps+1))*step
}

// oneIn returns true with a probability of 1/n.
func (m *worldMaker) oneIn(n int) bool { return m.rng.IntN(n) == 0 }

// pickText returns a random element of a list.
func (m *worldMaker) pickText(list []string) string { return list[m.rng.IntN(len(list))] }

// atMidnight returns the start of the day of t in UTC.
func atMidnight(t time.Time) time.Time { return t.Truncate(day) }

// timeBetween returns a time between from and to. The fraction numerator/denominator is 0 for from
// and 1 for to.
func timeBetween(from, to time.Time, numerator, denominator int64) time.Time {
	return from.Add(to.Sub(from) * time.Duration(numerator) / time.Duration(denominator))
}

func (m *worldMaker) newSecret() string {
	return "whsec_" + base64.RawURLEncoding.EncodeToString(m.randomBytes())
}

// randomBytes returns 32 random bytes, which are the same each time the world is created. They
// are predictable, so secrets made from them must only protect sample data.
func (m *worldMaker) randomBytes() []byte {
	b := make([]byte, 0, 32)
	for range 4 {
		b = binary.BigEndian.AppendUint64(b, m.rng.Uint64())
	}
	return b
}
