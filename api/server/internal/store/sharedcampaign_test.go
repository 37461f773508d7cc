//go:build postgres && campaign

package store_test

import (
	"flag"
	"testing"
	"time"
)

var campaignOrders = flag.Int("orders", 1_000_000, "orders of the database that is migrated")

// A long form of TestAMigrationBesideWriters, with a database that syncs to disk.
func TestCampaignOfMigration(t *testing.T) {
	if longest := migrateBesideWriters(t, own(t), *campaignOrders); longest > time.Second {
		t.Errorf("a write took %v", longest)
	}
}
