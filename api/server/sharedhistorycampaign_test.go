//go:build postgres && campaign

package server_test

import (
	"flag"
	"testing"
)

var campaignOperations = flag.Int("operations", 100_000, "operations of the histories that are checked")

// The long form of TestHistoriesOfProcessesWhoseConnectionsAreCut.
func TestCampaignOfHistories(t *testing.T) { writeCutHistory(t, *campaignOperations) }
