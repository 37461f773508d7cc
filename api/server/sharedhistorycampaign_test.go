//go:build postgres && campaign

package server_test

import (
	"flag"
	"testing"
	"time"
)

var (
	campaignOperations = flag.Int("operations", 100_000, "operations of the histories that are checked")
	campaignPrevious   = flag.String("previous", "", "tests of this package, compiled from the previous version, which processes run by turns")
)

// The long form of TestHistoriesOfProcessesInTrouble.
func TestCampaignOfHistories(t *testing.T) {
	writeTroubledHistory(t, *campaignOperations, time.Second, 40*time.Second, *campaignPrevious)
}
