package server_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"flightdesk/api"
	"flightdesk/api/server"
	"flightdesk/api/server/internal/store"
)

func TestCursorIsValidOnlyForItsListAndAccount(t *testing.T) {
	seal, open := server.Cursors([]byte("secret"))
	at := store.Position{Sort: 1_773_480_413_589, ID: 77}
	cursor := seal("orders", 3, at)
	if got, err := open("orders", 3, cursor); err != nil || got != at {
		t.Errorf("opened as %+v, %v", got, err)
	}
	_, elsewhere := server.Cursors([]byte("another"))
	for name, try := range map[string]func() (store.Position, error){
		"another account": func() (store.Position, error) { return open("orders", 4, cursor) },
		"another list":    func() (store.Position, error) { return open("missions/3", 3, cursor) },
		"another service": func() (store.Position, error) { return elsewhere("orders", 3, cursor) },
		"empty":           func() (store.Position, error) { return open("orders", 3, "") },
		"padded":          func() (store.Position, error) { return open("orders", 3, cursor+"=") },
		"with a newline":  func() (store.Position, error) { return open("orders", 3, cursor[:8]+"\n"+cursor[8:]) },
	} {
		if got, err := try(); err == nil {
			t.Errorf("%s: opened as %+v", name, got)
		}
	}
	sealed, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		t.Fatal(err)
	}
	for i := range sealed {
		for bit := range 8 {
			damaged := bytes.Clone(sealed)
			damaged[i] ^= 1 << bit
			if got, err := open("orders", 3, base64.RawURLEncoding.EncodeToString(damaged)); err == nil {
				t.Errorf("with bit %d of byte %d flipped: opened as %+v", bit, i, got)
			}
		}
	}
	for n := range len(cursor) {
		if _, err := open("orders", 3, cursor[:n]); err == nil {
			t.Errorf("its first %d characters open", n)
		}
	}
}

// While others place orders, a client that reads towards older orders gets each order of the start
// once, and a client that reads towards newer orders gets each new order once, both in order.
func TestPagesAreStableWhileOrdersAreAdded(t *testing.T) {
	b := newBench(t)
	var there []string
	for range 60 {
		there = append(there, b.place(b.alice).OrderCode)
	}
	slices.Reverse(there)
	start := *b.page("limit=1").NextCursor

	var placing sync.WaitGroup
	var placed atomic.Int64
	for range 4 {
		placing.Go(func() {
			for range 40 {
				b.place(b.alice)
				placed.Add(1)
			}
		})
	}
	rng := rand.New(rand.NewPCG(7, 7))
	var climbs [][]string
	for placed.Load() < 160 {
		if down := b.walk(rng, api.Next, start); !slices.Equal(down, there[1:]) {
			t.Errorf("down: %v, there were %v", down, there[1:])
		}
		climbs = append(climbs, b.walk(rng, api.Prev, start))
	}
	placing.Wait()

	up := b.walk(rng, api.Prev, start)
	if len(up) != 160 || !slices.IsSorted(up) || len(slices.Compact(slices.Clone(up))) != 160 {
		t.Errorf("up: %d orders, 160 were placed: %v", len(up), up)
	}
	for _, climb := range climbs {
		if !slices.Equal(climb, up[:len(climb)]) {
			t.Errorf("while placing, up went by %v, and in the end by %v", climb, up)
		}
	}
}

// walk follows a cursor to the end in pages of random sizes.
func (b *bench) walk(rng *rand.Rand, direction api.Direction, cursor string) []string {
	b.t.Helper()
	var codes []string
	for {
		p := b.page(fmt.Sprintf("limit=%d&direction=%s&cursor=%s", 1+rng.IntN(9), direction, cursor))
		page := codesOf(p)
		if !slices.IsSortedFunc(page, func(a, b string) int { return strings.Compare(b, a) }) {
			b.t.Errorf("a page is not newest first: %v", page)
		}
		if direction == api.Prev {
			slices.Reverse(page) // in the order of the walk
		}
		codes = append(codes, page...)
		if !p.HasNextPage {
			return codes
		}
		cursor = *p.NextCursor
	}
}
