package fetch

import (
	"fmt"
	"testing"
	"time"
)

// shareOf reports which share of a period something takes that is done once in
// it.
func shareOf(b *testing.B, period time.Duration) {
	b.Helper()
	b.ReportMetric(100*float64(b.Elapsed())/float64(b.N)/float64(period), "%")
}

// What progress costs: a look at a queue of 1,000 files four times a second,
// as the app does, in percent of the time. Below 1 it does not count.
func BenchmarkProgress(b *testing.B) {
	q, err := New(Options{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer q.Close()
	f := newFolder(q.o.Dir, Package{ID: "package", Kind: "delivery", Order: "ORD-1", Mission: "MSN-1"})
	for i := range 1000 {
		it := &item{id: ID(i), folder: f, file: File{ID: fmt.Sprint(i), Name: fmt.Sprintf("IMG_%04d.JPG", i)}, state: Done}
		it.size.Store(8_000_000)
		q.items = append(q.items, it)
	}
	for b.Loop() {
		if items, sum := q.State(); len(items) != 1000 || sum.Size != 8_000_000_000 {
			b.Fatal(sum)
		}
	}
	shareOf(b, 250*time.Millisecond)
}
