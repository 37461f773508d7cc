//go:build campaign

package server_test

import (
	"flag"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

var (
	killRounds = flag.Int("kills", 20, "how often the service is killed")
	killWrites = flag.Int("writes", 100_000, "acknowledged writes in all")
)

// The long form of TestKilledServerLosesNothing, with the time that a restart
// takes.
func TestCampaignOfKills(t *testing.T) {
	k := newKilled(t, t.TempDir())
	each := *killWrites / *killRounds
	for range *killRounds {
		k.round(each + rand.IntN(each/5+1))
	}
	n := k.checkAll()
	if n < *killWrites {
		t.Errorf("only %d writes were made", n)
	}
	restarts := slices.Clone(k.restarts[1:]) // the first makes the demo
	slices.Sort(restarts)
	median := restarts[len(restarts)/2]
	if median > 100*time.Millisecond {
		t.Errorf("a restart takes %v", median)
	}
	t.Logf("%d kills, %d acknowledged writes (%v orders, %v moves, %v revocations), none lost; restart %v, at most %v",
		*killRounds, n, len(k.acked["orders"]), len(k.acked["moves"]), len(k.acked["revocations"]), median, restarts[len(restarts)-1])
}
