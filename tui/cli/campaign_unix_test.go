//go:build campaign && unix

package cli

import (
	"flag"
	"testing"
)

var windowKills = flag.Int("kills", 200, "how often a window is killed")

// The long form of TestKilledWindowsLoseNothing, with 200 kills.
func TestCampaignOfKilledWindows(t *testing.T) {
	newWindows(t).run(*windowKills)
}
