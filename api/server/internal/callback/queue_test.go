package callback

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Deliveries come off a queue as they were put in and in their order, also where
// ids and clocks go back.
func TestQueue(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var q unsentQueue
	var want []unsentDelivery
	for step := range 20_000 {
		if random.IntN(3) > 0 {
			u := unsentDelivery{random.Int64N(1 << random.IntN(62)), dueMoment(random.Int64N(1<<62) - 1<<61)}
			q.pushUnsent(u)
			want = append(want, u)
		} else {
			n := min(random.IntN(50), len(want))
			if got := q.takeUnsent(n); !slices.Equal(got, want[:n]) {
				t.Fatalf("step %d: %v, want %v", step, got, want[:n])
			}
			want = want[n:]
		}
		if q.length != len(want) {
			t.Fatalf("step %d: %d wait, want %d", step, q.length, len(want))
		}
	}
	if got := q.takeUnsent(len(want) + 1); !slices.Equal(got, want) || q.length != 0 || len(q.blocks) != 0 {
		t.Errorf("at the end: %d, want %d; %d wait", len(got), len(want), q.length)
	}
}

// A long queue to an endpoint that fails takes few bytes for each delivery.
func TestQueueIsSmall(t *testing.T) {
	var q unsentQueue
	const n = 100_000
	for i := range n {
		q.pushUnsent(unsentDelivery{int64(1 + 3*i), dueMoment(1e18 + i%300)}) // clocks are read one after the other
	}
	size := 0
	for _, b := range q.blocks {
		size += cap(b)
	}
	if size > 4*n {
		t.Errorf("%d bytes for %d deliveries", size, n)
	}
}
